/* The side of the process that starts a neighbour; neighbour_task.c is the neighbour. */
#include "kernels/neighbour.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAUSE_MS 50

/* What a neighbour that cannot have its device or memory means for the case: a skip. */
static gb_code code_of(const char *word)
{
    static const gb_code skips[] = {GB_NO_MEMORY, GB_UNAVAILABLE, GB_DEVICE_BUSY, GB_NO_DEVICE};
    for (size_t i = 0; i < sizeof skips / sizeof skips[0]; i++)
        if (strcmp(word, gb_code_word(skips[i])) == 0)
            return GB_UNAVAILABLE;
    return strcmp(word, gb_code_word(GB_WRONG_RESULT)) == 0 ? GB_WRONG_RESULT : GB_DEVICE_ERROR;
}

static gb_code understand(gb_neighbour *b, const char *line, gb_error *err)
{
    uint64_t rounds, busy, end;
    char word[32];
    int at = 0;
    if (strcmp(line, "under-way") == 0) {
        b->under_way = true;
    } else if (sscanf(line, "ran %" SCNu64 " %" SCNu64 " %" SCNu64, &rounds, &busy, &end) == 3) {
        b->rounds = rounds;
        b->busy_ns = busy;
        b->end_ns = end;
    } else if (sscanf(line, "failed %31s %n", word, &at) == 1 && at > 0) {
        return gb_fail(err, code_of(word), "the neighbour: %s", line + at);
    } else {
        return gb_fail(err, GB_INTERNAL, "the neighbour said '%.60s'", line);
    }
    b->heard_ns = gb_now_ns();
    return GB_OK;
}

/* Takes one line apart after the other; a line that does not fit is no line of ours. */
static gb_code take(gb_neighbour *b, const char *bytes, size_t n, gb_error *err)
{
    gb_code code = GB_OK;
    for (size_t i = 0; i < n && code == GB_OK; i++) {
        if (bytes[i] != '\n' && b->n + 1 < sizeof b->line) {
            b->line[b->n++] = bytes[i];
            continue;
        }
        b->line[b->n] = '\0';
        b->n = 0;
        code = understand(b, b->line, err);
    }
    return code;
}

gb_code gb_neighbour_listen(gb_neighbour *b, gb_error *err)
{
    char bytes[4096];
    gb_code code = GB_OK;
    if (b->process.pid <= 0)
        return gb_fail(err, GB_CRASHED, "the neighbour has ended");
    gb_process_drain(&b->process);
    while (code == GB_OK) {
        const ssize_t n = read(b->process.events, bytes, sizeof bytes);
        if (n > 0)
            code = take(b, bytes, (size_t)n, err);
        else if (n == 0)
            return gb_task_mourn(&b->process, "the neighbour",
                                 b->under_way ? "" : ", before it was under way", err);
        else if (errno != EINTR)
            break;
    }
    if (code == GB_OK && gb_now_ns() - b->heard_ns > b->silence_ns)
        code = gb_fail(err, GB_TIMEOUT,
                       "the neighbour stands still: no round of work has ended for %.3g s after "
                       "the first %" PRIu64,
                       (double)b->silence_ns / 1e9, b->rounds);
    return code;
}

/* Until it says something, but not for long. */
static void wait_for_word(const gb_neighbour *b)
{
    struct pollfd waits = {.fd = b->process.events, .events = POLLIN};
    poll(&waits, 1, PAUSE_MS);
}

static gb_code await_start(gb_neighbour *b, uint64_t patience_ns, gb_error *err)
{
    const uint64_t began = gb_now_ns();
    gb_code code = GB_OK;
    while (code == GB_OK && !(b->under_way && b->rounds > 0)) {
        if (gb_now_ns() - began > patience_ns)
            return gb_fail(err, GB_TIMEOUT, "the neighbour was not under way after %.3g s",
                           (double)patience_ns / 1e9);
        b->heard_ns = gb_now_ns(); /* opening a device may take longer than a round */
        wait_for_word(b);
        code = gb_neighbour_listen(b, err);
    }
    return code;
}

gb_code gb_neighbour_start(const char *program, const gb_device_info *device,
                           const gb_load_spec *load, uint64_t seed, uint64_t patience_ns,
                           gb_neighbour *out, gb_error *err)
{
    char bytes[24], rounds[16], seeds[24];
    const char *const more[] = {device->uuid, gb_load_words[load->kind], bytes, rounds, seeds,
                                NULL};
    *out = (gb_neighbour){.silence_ns = GB_NEIGHBOUR_SILENCE_NS};
    snprintf(bytes, sizeof bytes, "%" PRIu64, load->bytes);
    snprintf(rounds, sizeof rounds, "%" PRIu32, load->rounds);
    snprintf(seeds, sizeof seeds, "%" PRIu64, seed);
    gb_code code = gb_task_start(program, gb_task_neighbour.name, device, more, &out->process, err);
    if (code == GB_OK)
        code = await_start(out, patience_ns, err);
    if (code != GB_OK)
        gb_neighbour_end(out);
    return code;
}

gb_code gb_neighbour_watch(gb_neighbour *b, gb_error *err)
{
    gb_code code = gb_neighbour_listen(b, err);
    b->from_busy_ns = b->busy_ns;
    b->from_ns = b->end_ns;
    return code;
}

gb_code gb_neighbour_check(gb_neighbour *b, uint64_t until_ns, gb_error *err)
{
    gb_code code = gb_neighbour_listen(b, err);
    while (code == GB_OK && b->end_ns < until_ns) {
        wait_for_word(b);
        code = gb_neighbour_listen(b, err);
    }
    if (code != GB_OK)
        return code;
    const double time = (double)(b->end_ns - b->from_ns);
    const double busy = (double)(b->busy_ns - b->from_busy_ns);
    if (!(busy >= GB_NEIGHBOUR_SHARE * time || time - busy <= GB_NEIGHBOUR_LATENCY_NS))
        return gb_fail(err, GB_DEVICE_ERROR,
                       "the neighbour was at work for %.0f %% of the time; at least %.0f %% are "
                       "needed: figures beside it would mean nothing",
                       floor(100 * busy / time), 100 * GB_NEIGHBOUR_SHARE);
    return GB_OK;
}

void gb_neighbour_end(gb_neighbour *b)
{
    int status;
    if (b->process.pid > 0)
        gb_process_end(&b->process, 0, &status, NULL);
}
