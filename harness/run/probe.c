/* Asking a worker which devices there are. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/text.h"
#include "run/process.h"
#include "run/supervise.h"

#define PROBE_LIMIT_NS 60000000000u /* a machine with many GPUs and no persistence mode is slow */

/* Reads the probe's line until it closes its end. */
static gb_code listen(gb_process *process, const volatile sig_atomic_t *interrupted, gb_buf *text,
                      gb_error *err)
{
    uint64_t deadline = gb_now_ns() + PROBE_LIMIT_NS;
    char block[4096];
    for (;;) {
        struct pollfd fds[2] = {{.fd = process->events, .events = POLLIN},
                                {.fd = process->output, .events = POLLIN}};
        poll(fds, 2, 100);
        if (interrupted && *interrupted)
            return gb_fail(err, GB_INTERRUPTED, "interrupted");
        if (gb_now_ns() > deadline)
            return gb_fail(err, GB_TIMEOUT, "no answer within %d s",
                           (int)(PROBE_LIMIT_NS / 1000000000u));
        if (!gb_process_drain(process) && process->output >= 0) {
            close(process->output);
            process->output = -1;
        }
        bool ended = gb_process_ended(process);
        ssize_t n = read(process->events, block, sizeof block);
        if (n > 0)
            gb_buf_add_bytes(text, block, (size_t)n);
        else if (n == 0 || (errno != EINTR && errno != EAGAIN) || ended)
            return GB_OK;
    }
}

static gb_code ask(const char *executable, bool cuda, const volatile sig_atomic_t *interrupted,
                   json_t **out, gb_error *err)
{
    char name[] = "gpubench", verb[] = "worker", option[] = "--probe", without[] = "--no-cuda";
    char *argv[] = {name, verb, option, cuda ? NULL : without, NULL};
    char how[GB_TAIL_BYTES];
    gb_process process;
    gb_buf text = {0};
    int status = 0;
    gb_code code = gb_process_start(executable, argv, "", 0, &process, err);
    if (code)
        return code;
    code = listen(&process, interrupted, &text, err);
    gb_code ended = gb_process_end(&process, code ? 0 : 2000, &status, code ? NULL : err);
    if (!code)
        code = ended;
    if (!code && status == 0 && text.data && !text.failed)
        code = gb_json_load(text.data, text.length, "probe", out, err);
    else if (!code)
        code = gb_fail(err, GB_CRASHED, "the process that looks for devices %s",
                       gb_process_obituary(&process, status, how, sizeof how));
    gb_buf_free(&text);
    return code;
}

gb_code gb_supervise_probe(const char *executable, const volatile sig_atomic_t *interrupted,
                           json_t **out, gb_error *err)
{
    gb_error first = {0};
    gb_code code = ask(executable, true, interrupted, out, &first);
    if (code == GB_CRASHED || code == GB_TIMEOUT) {
        /* A broken driver must not take the cpu device with it. */
        code = ask(executable, false, interrupted, out, err);
        if (!code) {
            json_t *why = json_pack("{s:s, s:i, s:o}", "code", gb_code_word(GB_DRIVER), "status", 0,
                                    "message", gb_json_string(first.message));
            json_object_set_new(*out, "cuda_error", why);
        }
    } else if (code && err) {
        *err = first;
    }
    return code;
}
