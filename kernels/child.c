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
enum { KIND, INDEX, FIRST_NUMBER }; /* a task's arguments */

/* The end of a task that did not answer: how it ended, with its last words. */
static gb_code mourn(gb_child *child, gb_error *err)
{
    int status;
    char how[512];
    gb_code code = gb_process_end(&child->process, 1000, &status, err);
    if (code != GB_OK)
        return code;
    return gb_fail(err, GB_CRASHED, "a process of our own did not answer: it %s",
                   gb_process_obituary(&child->process, status, how, sizeof how));
}

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
            return mourn(child, err);
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
    const gb_device_info *info = &run->dev->info;
    char text[MOST_NUMBERS + 1][24];
    char *argv[6 + MOST_NUMBERS + 1] = {"gpubench", "worker", "--task", (char *)(uintptr_t)task,
                                        (char *)(uintptr_t)gb_device_kind_word(info->kind)};
    memset(answer, 0, sizeof *answer);
    snprintf(text[0], sizeof text[0], "%d", info->index);
    argv[5] = text[0];
    for (size_t i = 0; i < n && i < MOST_NUMBERS; i++) {
        snprintf(text[i + 1], sizeof text[0], "%" PRIu64, numbers[i]);
        argv[6 + i] = text[i + 1];
    }
    *child = (gb_child){.process = {.events = -1, .output = -1, .ended = -1}};
    child->started_ns = gb_now_ns();
    if (gb_tasks.program == NULL)
        return gb_fail(err, GB_UNAVAILABLE, "this program starts no processes of its own");
    gb_code code = gb_process_start(gb_tasks.program, argv, NULL, 0, &child->process, err);
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

/* --- in the task ------------------------------------------------------------------------------ */

gb_code gb_child_open(int argc, char *argv[], gb_run *run, gb_error *err)
{
    gb_device_kind kind;
    *run = (gb_run){0};
    if (argc <= INDEX || !gb_device_kind_parse(argv[KIND], &kind))
        return gb_fail(err, GB_INVALID, "a task needs a kind of device and its index");
    if (kind == GB_CUDA && gb_tasks.open_cuda == NULL)
        return gb_fail(err, GB_UNAVAILABLE, "this build has no cuda device");
    gb_code code = kind == GB_CPU
                       ? gb_device_cpu_open(0, &run->dev, err)
                       : gb_tasks.open_cuda((int)strtol(argv[INDEX], NULL, 10), &run->dev, err);
    if (code == GB_OK)
        code = run->dev->ops->stream_create(run->dev, &run->stream, err);
    return code;
}

uint64_t gb_child_number(int argc, char *argv[], int index)
{
    return FIRST_NUMBER + index < argc ? strtoull(argv[FIRST_NUMBER + index], NULL, 10) : 0;
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
