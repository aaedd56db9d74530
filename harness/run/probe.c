/* Asking a worker one question: which devices there are, or how the self-test went. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/text.h"
#include "device/process.h"
#include "run/protocol.h"
#include "run/supervise.h"

#define PROBE_LIMIT_S 60 /* a machine with many GPUs and no persistence mode is slow */
#define SELFTEST_LIMIT_S 120

/* Reads the answer until the worker closes its end. */
static gb_code listen(gb_process *process, unsigned limit_s,
                      const volatile sig_atomic_t *interrupted, gb_buf *text, gb_error *err)
{
    uint64_t deadline = gb_now_ns() + limit_s * 1000000000ull;
    char block[4096];
    for (;;) {
        struct pollfd fds[3] = {{.fd = process->events, .events = POLLIN},
                                {.fd = process->output, .events = POLLIN},
                                {.fd = process->ended, .events = POLLIN}};
        poll(fds, 3, 100);
        if (interrupted && *interrupted)
            return gb_fail(err, GB_INTERRUPTED, "interrupted");
        if (gb_now_ns() > deadline)
            return gb_fail(err, GB_TIMEOUT, "no answer within %u s", limit_s);
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

/* Starts a worker with up to three words after its verb and gives its answer. */
static gb_code ask(const char *executable, const char *const words[3], unsigned limit_s,
                   const volatile sig_atomic_t *interrupted, json_t **out, gb_error *err)
{
    char *argv[] = {"gpubench",       "worker",         (char *)words[0],
                    (char *)words[1], (char *)words[2], NULL};
    char how[GB_TAIL_BYTES];
    gb_process process;
    gb_buf text = {0};
    int status = 0;
    gb_code code = gb_process_start(executable, argv, "", 0, &process, err);
    if (code)
        return code;
    code = listen(&process, limit_s, interrupted, &text, err);
    gb_code ended = gb_process_end(&process, code ? 0 : 2000, &status, code ? NULL : err);
    if (!code)
        code = ended;
    if (!code && status == 0 && text.data && !text.failed)
        code = gb_json_load(text.data, text.length, "worker", out, err);
    else if (!code)
        code = gb_fail(err, GB_CRASHED, "the worker %s",
                       gb_process_obituary(&process, status, how, sizeof how));
    gb_buf_free(&text);
    return code;
}

gb_code gb_supervise_probe(const char *executable, const volatile sig_atomic_t *interrupted,
                           json_t **out, gb_error *err)
{
    gb_error first = {0};
    static const char *const all[3] = {"--probe"};
    static const char *const cpu_only[3] = {"--probe", "--no-cuda"};
    gb_code code = ask(executable, all, PROBE_LIMIT_S, interrupted, out, &first);
    if (code == GB_CRASHED || code == GB_TIMEOUT) {
        /* A broken driver must not take the cpu device with it. */
        code = ask(executable, cpu_only, PROBE_LIMIT_S, interrupted, out, err);
        if (!code) {
            json_t *why =
                json_pack("{s:s, s:i, s:o}", "code", gb_code_word(GB_DRIVER), "status", 0,
                          "message", json_sprintf("looking for cuda devices: %s", first.message));
            json_object_set_new(*out, "cuda_error", why);
        }
    } else if (code && err) {
        *err = first;
    }
    return code;
}

gb_code gb_supervise_build(const char *executable, const volatile sig_atomic_t *interrupted,
                           json_t **out, gb_error *err)
{
    static const char *const words[3] = {"--build"};
    gb_error why = {0};
    json_t *answer = NULL;
    gb_code code = ask(executable, words, PROBE_LIMIT_S, interrupted, &answer, &why);
    if (code == GB_INTERRUPTED) {
        *err = why;
        return code;
    }
    const json_t *protocol = json_object_get(answer, "protocol");
    json_t *tool = json_object_get(answer, "tool");
    if (code || !json_is_integer(protocol) || !json_is_object(tool))
        code = gb_fail(err, GB_INVALID, "%s is no gpubench that could be asked what it is%s%s",
                       executable, code ? ": " : "", why.message);
    else if (json_integer_value(protocol) != GB_PROTOCOL)
        code = gb_fail(err, GB_INVALID,
                       "%s speaks version %lld of the workers' protocol, this build speaks %d: "
                       "run each by itself, and compare the two run directories",
                       executable, (long long)json_integer_value(protocol), GB_PROTOCOL);
    else
        *out = json_incref(tool);
    json_decref(answer);
    return code;
}

gb_code gb_supervise_selftest(const char *executable, gb_device_kind kind, int index,
                              const volatile sig_atomic_t *interrupted, json_t **out, gb_error *err)
{
    char number[16];
    snprintf(number, sizeof number, "%d", index);
    const char *const words[3] = {"--selftest", gb_device_kind_word(kind), number};
    gb_code code = ask(executable, words, SELFTEST_LIMIT_S, interrupted, out, err);
    const json_t *error = code ? NULL : json_object_get(*out, "error");
    if (error) {
        const char *message = json_string_value(json_object_get(error, "message"));
        code = gb_fail(err, GB_DEVICE_ERROR, "%s", message ? message : "the self-test failed");
        json_decref(*out);
        *out = NULL;
    }
    return code;
}
