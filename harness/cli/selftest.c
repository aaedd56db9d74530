/* `gpubench selftest`: can the figures of this machine be believed, and how far do two measurements
 * of the same thing lie apart? */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/units.h"
#include "cli/choose.h"
#include "cli/lock.h"
#include "cli/noise.h"
#include "cli/option_rows.h"
#include "run/selftest.h"

static const gb_option options[] = {
    GB_OPTION_DEVICE, GB_OPTION_WAIT_DEVICE, GB_OPTION_NO_WAIT, GB_OPTION_JSON("as JSON"), {0}};

static void show(const gb_chosen *device, const json_t *result, gb_buf *out)
{
    const json_t *checks = json_object_get(result, "checks");
    gb_buf_printf(out, "%s: %s\n", gb_device_kind_word(device->kind),
                  json_string_value(json_object_get(device->info, "name")));
    for (size_t i = 0; i < json_array_size(checks); i++) {
        const json_t *check = json_array_get(checks, i), *ok = json_object_get(check, "ok");
        gb_buf_printf(out, "  %-4s %-12s %s\n",
                      json_is_true(ok)    ? "ok"
                      : json_is_false(ok) ? "BAD"
                                          : "-",
                      json_string_value(json_object_get(check, "name")),
                      json_string_value(json_object_get(check, "detail")));
    }
    char percent[32];
    const json_t *floor = json_object_get(result, "noise_floor");
    gb_buf_printf(out,
                  "  noise floor: %s (two measurements of the same thing differ by less, 99 %% of "
                  "the time)\n",
                  json_is_number(floor)
                      ? gb_format_percent(json_number_value(floor), percent, sizeof percent)
                      : "unknown");
}

/* The noise floor into a self-test's result. */
static gb_code add_noise(const gb_supervise *how, json_t *result, gb_error *err)
{
    gb_noise noise = {.floor = NAN};
    gb_code code = gb_selftest_noise(how, &noise, err);
    json_t *part = code ? NULL : gb_selftest_json(NULL, 0, &noise);
    if (!code && !part)
        return gb_fail(err, GB_NO_MEMORY, "out of memory");
    json_object_del(part, "ok");
    json_object_del(part, "checks");
    json_object_update(result, part);
    json_decref(part);
    return code;
}

static gb_code test_device(gb_cli *cli, const gb_chosen *device, json_t **result, gb_error *err)
{
    const char *uuid = json_string_value(json_object_get(device->info, "uuid"));
    gb_device_lock held = {.fd = -1};
    gb_supervise how = {.executable = GB_EXECUTABLE,
                        .kind = device->kind,
                        .device_index = device->index,
                        .interrupted = &gb_cli_interrupts};
    gb_code code = gb_cli_lock_device(cli, uuid ? uuid : "unknown", &held, err);
    if (code)
        return code;
    gb_cli_note(cli, "checking timers, then measuring the same thing %d times ...",
                GB_NOISE_REPLICATES);
    code = gb_supervise_selftest(GB_EXECUTABLE, device->kind, device->index, &gb_cli_interrupts,
                                 result, err);
    if (!code)
        code = add_noise(&how, *result, err);
    gb_device_lock_release(&held);
    return code;
}

static int selftest(gb_cli *cli)
{
    gb_chosen devices[GB_MAX_DEVICES];
    size_t n = 0;
    gb_buf out = {0}, note = {0}, noisy = {0};
    gb_error err = {0};
    json_t *probe = NULL, *all = json_array();
    int status = GB_EXIT_OK;
    gb_cli_catch_signals();
    gb_code code = gb_supervise_probe(GB_EXECUTABLE, &gb_cli_interrupts, &probe, &err);
    if (!code)
        code = gb_choose_devices(cli->args.device, GB_ANY_DEVICE, false, probe, devices, &n, &note,
                                 &err);
    if (!code && note.data)
        gb_cli_note(cli, "%s", note.data);
    for (size_t i = 0; !code && i < n; i++) {
        json_t *result = NULL;
        code = test_device(cli, &devices[i], &result, &err);
        if (!code) {
            show(&devices[i], result, &out);
            gb_noise_remember(devices[i].info, result);
            gb_noise_warning(json_string_value(json_object_get(devices[i].info, "name")), result,
                             &noisy);
            if (!json_is_true(json_object_get(result, "ok")))
                status = GB_EXIT_CASE;
            json_object_set(result, "device", devices[i].info);
            json_array_append(all, result);
        }
        json_decref(result);
    }
    if (code)
        status = gb_cli_fail(cli, gb_cli_status(code), &err);
    else if (cli->json)
        gb_cli_print_json(cli, json_pack("{s:O}", "selftest", all));
    else if (out.data && !out.failed)
        gb_cli_print(cli, out.data);
    if (!code && noisy.data)
        gb_cli_warn_lines(cli, "noisy-machine", &noisy);
    json_decref(all);
    json_decref(probe);
    gb_buf_free(&noisy);
    gb_buf_free(&out);
    gb_buf_free(&note);
    return status;
}

const gb_verb gb_verb_selftest = {
    .name = "selftest",
    .arguments = "",
    .summary = "Check the timers of this machine and find its noise floor",
    .details =
        "The noise floor is remembered under $XDG_CACHE_HOME/gpubench (~/.cache/gpubench) and "
        "recorded, with its date, by later runs on the device, whose findings leave smaller "
        "differences out: find it on a quiet machine. Exit status 3 when a check fails; "
        "then no noise floor is remembered.",
    .options = options,
    .function = selftest};
