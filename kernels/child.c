#include "kernels/child.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATIENCE_NS UINT64_C(120000000000)
#define MOST_NUMBERS 4

/* Reads the answer; what the task prints is taken meanwhile, so that it never waits for us. */
static gb_code read_answer(gb_child *child, gb_child_answer *answer, gb_error *err)
{
    size_t n = 0;
    while (n < sizeof *answer) {
        struct pollfd fds[] = {{.fd = child->process.events, .events = POLLIN},
                               {.fd = child->process.output, .events = POLLIN}};
        if (gb_now_ns() - child->started_ns > PATIENCE_NS)
            return gb_fail(err, GB_TIMEOUT, "a process of our own did not answer in %" PRIu64 " s",
                           PATIENCE_NS / 1000000000);
        if (poll(fds, 2, 1000) < 0 && errno != EINTR)
            return gb_fail(err, GB_IO, "poll: %s", strerror(errno));
        const ssize_t got = read(child->process.events, (char *)answer + n, sizeof *answer - n);
        if (got == 0)
            return gb_task_mourn(&child->process, "a process of our own did not answer: it", "",
                                 err);
        if (got < 0 && errno != EINTR && errno != EAGAIN)
            return gb_fail(err, GB_IO, "read: %s", strerror(errno));
        n += got > 0 ? (size_t)got : 0;
        if (fds[1].revents != 0 && !gb_process_drain(&child->process)) {
            close(child->process.output);
            child->process.output = -1;
        }
    }
    child->answered_ns = gb_now_ns();
    return GB_OK;
}

gb_code gb_child_start(gb_run *run, const char *task, const uint64_t numbers[], size_t n,
                       gb_child *child, gb_child_answer *answer, gb_error *err)
{
    char text[MOST_NUMBERS][24];
    const char *more[MOST_NUMBERS + 1] = {NULL};
    memset(answer, 0, sizeof *answer);
    for (size_t i = 0; i < n && i < MOST_NUMBERS; i++) {
        snprintf(text[i], sizeof text[i], "%" PRIu64, numbers[i]);
        more[i] = text[i];
    }
    *child = (gb_child){.process = {.events = -1, .output = -1, .ended = -1}};
    child->started_ns = gb_now_ns();
    gb_code code =
        gb_task_start(gb_tasks.program, task, &run->dev->info, more, &child->process, err);
    if (code == GB_OK)
        code = read_answer(child, answer, err);
    if (code != GB_OK || answer->code == GB_OK)
        return code;
    answer->message[sizeof answer->message - 1] = '\0';
    /* Another process of ours cannot use the device beside this one: no fault, but no figure. */
    code = answer->code == GB_DEVICE_BUSY ? GB_UNAVAILABLE : answer->code;
    return gb_fail(err, code, "in a process of its own: %s", answer->message);
}

gb_code gb_child_end(gb_child *child, int grace_ms, gb_error *err)
{
    int status;
    return gb_process_end(&child->process, grace_ms, &status, err);
}

gb_code gb_child_ask(gb_run *run, const char *task, const uint64_t numbers[], size_t n,
                     const gb_memory *result, gb_child *child, gb_child_answer *answer,
                     gb_error *err)
{
    gb_code code = gb_child_start(run, task, numbers, n, child, answer, err);
    const gb_code ended = gb_child_end(child, 10000, code == GB_OK ? err : NULL);
    code = code != GB_OK ? code : ended;
    if (code == GB_OK)
        memcpy(result->host, answer->words, result->bytes);
    return code;
}

/* --- in the task ------------------------------------------------------------------------------ */

gb_code gb_child_open(int argc, char *argv[], gb_run *run, gb_error *err)
{
    *run = (gb_run){0};
    gb_code code = gb_task_open(argc, argv, &run->dev, err);
    if (code == GB_OK)
        code = run->dev->ops->stream_create(run->dev, &run->stream, err);
    return code;
}

uint64_t gb_child_number(int argc, char *argv[], int index)
{
    const int at = GB_TASK_MORE + index;
    return at < argc ? strtoull(argv[at], NULL, 10) : 0;
}

void gb_child_close(gb_run *run)
{
    if (run->dev == NULL)
        return;
    if (run->stream != NULL)
        run->dev->ops->stream_destroy(run->dev, run->stream);
    run->dev->ops->close(run->dev);
    *run = (gb_run){0};
}

int gb_child_answer_write(gb_child_answer *answer, gb_code code, const gb_error *why)
{
    answer->code = code;
    if (code != GB_OK)
        memcpy(answer->message, why->message, sizeof answer->message);
    return gb_write_all(GB_PROCESS_FD, answer, sizeof *answer, NULL) == GB_OK ? 0 : 1;
}
