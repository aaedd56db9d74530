#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json.h"
#include "cli/data_dir.h"
#include "cli/head.h"
#include "cli/published.h"
#include "cli/session.h"
#include "device/process.h"

static int fail(gb_session *s, gb_code code, const gb_error *err)
{
    return gb_cli_fail(s->cli, gb_cli_status(code), err);
}

static const char *text(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value ? value : "";
}

/* A resumed run must be on the devices that it began on. */
static gb_code same_devices(const gb_session *s, gb_error *err)
{
    const json_t *devices = json_object_get(s->earlier.document, "devices");
    if (json_array_size(devices) == 0) /* it ended before it had a head */
        return GB_OK;
    bool same = json_array_size(devices) == s->n_devices;
    for (size_t i = 0; same && i < s->n_devices; i++)
        same =
            strcmp(text(json_array_get(devices, i), "uuid"), text(s->devices[i].info, "uuid")) == 0;
    return same ? GB_OK
                : gb_fail(err, GB_INVALID,
                          "%s was measured on %s (%s); a run goes on where it began",
                          s->cli->args.resume, text(json_array_get(devices, 0), "name"),
                          text(json_array_get(devices, 0), "uuid"));
}

/* Devices of a kind on which the selection has no case are left out. */
static gb_code drop_devices_without_plan(gb_session *s, gb_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n_devices; i++) {
        if (s->plans[s->devices[i].kind])
            s->devices[n++] = s->devices[i];
    }
    gb_code code =
        n > 0
            ? GB_OK
            : gb_fail(err, GB_INVALID, "none of the cases selected is for %s: they are on %s alone",
                      gb_device_kind_word(s->devices[0].kind),
                      gb_device_kind_word(s->devices[0].kind == GB_CPU ? GB_CUDA : GB_CPU));
    s->n_devices = n;
    return code;
}

/* Adds to the facts of a cuda device what its vendor publishes: "published", or null. */
static void add_published(gb_session *s, const gb_chosen *device)
{
    json_t *found = NULL;
    gb_error err = {0};
    const char *name = json_string_value(json_object_get(device->info, "name"));
    if (device->kind != GB_CUDA || !name)
        return;
    if (gb_published_find(name, &found, &err))
        gb_cli_warn(s->cli, "published", "%s", err.message);
    json_object_set_new(device->info, "published", found ? found : json_null());
}

int gb_session_devices(gb_session *s)
{
    gb_error err = {0};
    gb_buf note = {0};
    gb_code code = gb_supervise_probe(s->executable, &gb_cli_interrupts, &s->probe, &err);
    if (!code)
        code = gb_choose_devices(s->device, s->suite->devices, s->suite->devices_listed, s->probe,
                                 s->devices, &s->n_devices, &note, &err);
    if (!code)
        code = drop_devices_without_plan(s, &err);
    if (!code && s->resumed)
        code = same_devices(s, &err);
    for (size_t i = 0; !code && i < s->n_devices; i++)
        add_published(s, &s->devices[i]);
    int status = code ? fail(s, code, &err) : GB_EXIT_OK;
    if (!code && note.data && !s->pair) /* the first side has said it */
        gb_cli_note(s->cli, "%s", note.data);
    gb_buf_free(&note);
    return status;
}

static json_t *strings(const gb_list *list)
{
    json_t *array = json_array();
    for (size_t i = 0; array && i < list->n; i++)
        json_array_append_new(array, gb_json_string(list->items[i]));
    return array;
}

/* What the command line changed; null: as the suite says. */
static json_t *settings_json(const gb_session *s)
{
    const gb_selection *selection = &s->selection;
    const gb_args *args = &s->cli->args;
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:b, s:O?}", "device",
        gb_json_string(s->device), "set", strings(&s->set), "filter", strings(&s->filter), "tag",
        strings(&s->tag), "thin", s->thin ? json_integer((json_int_t)s->thin) : json_null(),
        "replicates", selection->replicates ? json_integer(selection->replicates) : json_null(),
        "least_replicates", s->least ? json_integer(s->least) : json_null(), "budget_ns",
        selection->budget_ns ? json_integer((json_int_t)selection->budget_ns) : json_null(),
        "profile", args->profile, "fail_fast", args->fail_fast, "strict", args->strict, "data",
        s->data);
}

gb_code gb_session_place(const gb_session *s, char **out, gb_error *err)
{
    char name[128], now[32];
    gb_text_filename(s->suite->name, name, sizeof name);
    gb_utc_now(now);
    for (char *c = now; *c; c++) /* colons are no good in file names */
        *c = *c == ':' ? '.' : *c;
    if (mkdir("results", 0777) && errno != EEXIST)
        return gb_fail(err, GB_IO, "results: cannot be created: %s; give --out DIR",
                       strerror(errno));
    for (int i = 1; i < 1000; i++) {
        char number[16] = "";
        if (i > 1)
            snprintf(number, sizeof number, "-%d", i);
        char *path = gb_text_format("results/%s-%s%s", name, now, number);
        if (!path)
            return gb_fail(err, GB_NO_MEMORY, "out of memory");
        if (mkdir(path, 0777) == 0) { /* ours alone: another run would find it taken */
            *out = path;
            return GB_OK;
        }
        int why = errno;
        free(path);
        if (why != EEXIST)
            return gb_fail(err, GB_IO, "results: %s; give --out DIR", strerror(why));
    }
    return gb_fail(err, GB_IO, "results: no free name for %s-%s; give --out DIR", name, now);
}

static gb_code open_default(gb_session *s, gb_error *err)
{
    char *path = NULL;
    gb_code code = gb_session_place(s, &path, err);
    if (!code)
        code = gb_run_dir_open(path, false, &s->dir, err);
    free(path);
    return code;
}

/* All devices at once and in order, so that two runs never wait for each other. */
static gb_code lock_devices(gb_session *s, gb_error *err)
{
    gb_code code = GB_OK;
    for (size_t i = 0; !code && !s->locked && i < s->n_devices; i++) {
        code = gb_cli_lock_device(s->cli, text(s->devices[i].info, "uuid"), &s->locks[i], err);
        s->n_locks += !code;
    }
    return code;
}

/* Whether any case of the plans is still to be measured. */
static bool anything_left(const gb_session *s)
{
    for (size_t i = 0; i < s->n_devices; i++) {
        const gb_plan *plan = s->plans[s->devices[i].kind];
        for (size_t c = 0; c < plan->n_cases; c++)
            for (uint32_t r = 0; r < plan->cases[c].replicates; r++)
                if (!gb_run_dir_has(s->dir, (int)i, plan->cases[c].id, r))
                    return true;
    }
    return false;
}

/* The suite's classes, with the cases that are planned for the devices of this run. */
static gb_code set_classes(gb_session *s, gb_error *err)
{
    unsigned kinds = 0;
    for (size_t i = 0; i < s->n_devices; i++)
        kinds |= GB_BIT(s->devices[i].kind);
    return gb_json_set(s->head.suite, "classes", gb_classes_json(s->suite, s->plans, kinds), err);
}

int gb_session_open(gb_session *s)
{
    gb_error err = {0};
    const gb_args *args = &s->cli->args;
    struct stat facts;
    gb_code code;
    if (s->resumed) {
        code = gb_run_dir_open(args->resume, true, &s->dir, &err);
    } else if (s->out) {
        s->made = lstat(s->out, &facts) != 0;
        code = gb_run_dir_open(s->out, false, &s->dir, &err);
    } else {
        s->made = true;
        code = open_default(s, &err);
    }
    s->idle = !code && s->resumed && s->earlier.complete && !anything_left(s);
    if (s->idle)
        return GB_EXIT_OK;
    if (!code)
        code = lock_devices(s, &err);
    if (!code)
        code = gb_head_make(s->cli, s->suite, s->devices, s->n_devices, s->selection.seed,
                            settings_json(s), &s->head, &err);
    if (!code && s->suite->n_classes > 0)
        code = set_classes(s, &err);
    if (!code && s->tool) {
        json_decref(s->head.tool);
        s->head.tool = json_incref(s->tool);
    }
    if (!code && s->pair)
        code = gb_json_set(s->head.run, "pair", json_incref(s->pair), &err);
    if (!code && s->resumed)
        code = gb_head_continue(&s->head, s->earlier.document, &err);
    s->begun = !code;
    if (!code)
        code = gb_run_dir_begin(s->dir, &s->head, &err);
    if (!code && gb_run_dir_torn(s->dir))
        gb_cli_warn(s->cli, "torn-line",
                    "%s: the last line of cases.jsonl was torn; its case is "
                    "measured again",
                    args->resume);
    const json_t *tool = json_object_get(s->earlier.document, "tool");
    if (!code && s->resumed && strcmp(text(tool, "git"), text(s->head.tool, "git")) != 0)
        gb_cli_warn(s->cli, "build-differs", "the run began with build %s, this is %s",
                    text(tool, "git"), text(s->head.tool, "git"));
    return code ? fail(s, code, &err) : GB_EXIT_OK;
}

static gb_code store(void *user, const gb_record *record, gb_error *err)
{
    gb_session *s = ((gb_place *)user)->session;
    s->stored++;
    s->failed = s->failed || record->status == GB_STATUS_FAILED ||
                record->status == GB_STATUS_WRONG || record->status == GB_STATUS_TIMEOUT;
    return gb_run_dir_append(s->dir, record, err);
}

static bool have(void *user, const char *case_id, uint32_t replicate)
{
    const gb_place *at = user;
    return gb_run_dir_has(at->session->dir, at->device, case_id, replicate);
}

static void warn_about(const gb_session *s, const json_t *info)
{
    if (json_is_true(json_object_get(info, "synchronous_launches")))
        gb_cli_warn(
            s->cli, "synchronous-launches",
            "CUDA_LAUNCH_BLOCKING is set: launches wait, and their costs cannot be compared "
            "with those of other runs");
    if (json_is_true(json_object_get(info, "profiler")))
        gb_cli_warn(s->cli, "profiled", "a profiler is attached: times are not comparable");
}

gb_supervise gb_session_side(gb_session *s, size_t i, gb_place *place)
{
    const gb_chosen *device = &s->devices[i];
    *place = (gb_place){s, (int)i};
    gb_progress_begin(&s->progress, s->cli, s->plans[device->kind], s->label);
    gb_supervise how = {.executable = s->executable,
                        .device_number = (int)i,
                        .kind = device->kind,
                        .device_index = device->index,
                        .data_dir = gb_data_dir(s->data),
                        .profile = s->cli->args.profile,
                        .fail_fast = s->cli->args.fail_fast,
                        .continues = s->locked,
                        .interrupted = &gb_cli_interrupts,
                        .observer = gb_progress_observer(&s->progress),
                        .store = store,
                        .store_user = place,
                        .have = s->resumed ? have : NULL};
    warn_about(s, device->info);
    gb_peaks_load(json_object_get(json_object_get(device->info, "published"), "peaks"),
                  &how.published, NULL);
    return how;
}

static gb_code measure_on(gb_session *s, size_t i, gb_error *err)
{
    gb_place place;
    gb_supervise how = gb_session_side(s, i, &place);
    gb_code code = gb_supervise_plan(&how, s->plans[s->devices[i].kind], err);
    gb_progress_end(&s->progress);
    return code;
}

int gb_session_measured(gb_session *s, gb_code code, gb_error *err, uint64_t began)
{
    if (code == GB_INTERRUPTED) {
        /* --fail-fast ends a run in the same way, without a signal. */
        s->outcome.interrupted = gb_cli_status(code);
    } else if (code) {
        s->outcome.error = code;
        fail(s, code, err);
    }
    code = gb_head_end(&s->head, gb_now_ns() - began, err);
    return code ? fail(s, code, err) : GB_EXIT_OK;
}

int gb_session_measure(gb_session *s)
{
    gb_error err = {0};
    gb_code code = GB_OK;
    uint64_t began = gb_now_ns();
    s->outcome.strict = s->cli->args.strict;
    for (size_t i = 0; !code && i < s->n_devices; i++) {
        if (s->n_devices > 1)
            gb_cli_note(s->cli, "device %zu of %zu: %s", i + 1, s->n_devices,
                        text(s->devices[i].info, "name"));
        code = measure_on(s, i, &err);
        if (s->failed && s->cli->args.fail_fast)
            break;
    }
    if (!code && s->resumed && s->stored == 0)
        gb_cli_note(s->cli, "nothing to do: every case has its record already");
    return gb_session_measured(s, code, &err, began);
}
