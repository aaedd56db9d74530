/* `gpubench run --dry-run`: what would be measured here, and how long it may take. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/units.h"
#include "cli/session.h"
#include "device/host_limits.h"

static void show_plan(const gb_plan *plan, gb_buf *out)
{
    char need[3][32], time[3][32], stated[96] = "";
    size_t skipped = 0, records = 0;
    for (size_t i = 0; i < plan->n_cases; i++) {
        skipped += plan->cases[i].status != GB_OK;
        records += plan->cases[i].replicates;
    }
    const double beyond = (double)gb_plan_stated_ns(plan) / 1e9;
    if (beyond >= 1)
        snprintf(stated, sizeof stated,
                 ", and %s more that cases last by their arguments (included)",
                 gb_progress_span(beyond, time[2], sizeof time[2]));
    gb_need most = gb_plan_largest_need(plan);
    gb_buf_printf(out, "%s: %zu case%s, %zu of them skipped; %zu record%s in %u replicate%s\n",
                  gb_device_kind_word(plan->kind), plan->n_cases, plan->n_cases == 1 ? "" : "s",
                  skipped, records, records == 1 ? "" : "s", plan->replicates,
                  plan->replicates == 1 ? "" : "s");
    gb_buf_printf(
        out,
        "  memory of the largest case: device %s, host %s, pinned %s\n"
        "  time: %s if the whole budget is used%s; less where cases are precise early, more where "
        "one "
        "iteration is longer than its case's share; at most %s, should every case run into its "
        "time-out\n",
        gb_format_bytes(most.device_bytes + most.beside_bytes, need[0], sizeof need[0]),
        gb_format_bytes(most.host_bytes, need[1], sizeof need[1]),
        gb_format_bytes(most.pinned_bytes, need[2], sizeof need[2]),
        gb_progress_span((double)gb_plan_estimate_ns(plan) / 1e9, time[0], sizeof time[0]), stated,
        gb_progress_span((double)gb_plan_limit_ns(plan) / 1e9, time[1], sizeof time[1]));
    for (size_t i = 0; i < plan->n_cases; i++) {
        const gb_case *c = &plan->cases[i];
        char *id = gb_text_printable(c->id);
        gb_buf_printf(out, "  %s%s%s\n", id ? id : "", c->status ? ": skipped: " : "",
                      c->status && c->reason ? c->reason : "");
        free(id);
    }
}

static json_t *plan_json(const gb_plan *plan)
{
    json_t *cases = json_array();
    for (size_t i = 0; cases && i < plan->n_cases; i++) {
        const gb_case *c = &plan->cases[i];
        json_array_append_new(cases,
                              json_pack("{s:s, s:I, s:o}", "case", c->id, "replicates",
                                        (json_int_t)c->replicates, "skipped",
                                        c->status ? gb_json_string(c->reason) : json_null()));
    }
    gb_need most = gb_plan_largest_need(plan);
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:o}", "device",
                     gb_device_kind_word(plan->kind), "device_bytes",
                     (json_int_t)(most.device_bytes + most.beside_bytes), "host_bytes",
                     (json_int_t)most.host_bytes, "pinned_bytes", (json_int_t)most.pinned_bytes,
                     "estimate_ns", (json_int_t)gb_plan_estimate_ns(plan), "limit_ns",
                     (json_int_t)gb_plan_limit_ns(plan), "cases", cases);
}

/* ---- what is here ---- */

static uint64_t number(const json_t *info, const char *key, uint64_t otherwise)
{
    const json_t *value = json_object_get(info, key);
    return json_is_integer(value) ? (uint64_t)json_integer_value(value) : otherwise;
}

/* As before a case (measure_judge.c), with all memory free: what does not fit now never will. */
static bool fits(uint64_t need, uint64_t total)
{
    const uint64_t most = (uint64_t)512 << 20;
    uint64_t reserve = total / 32 < most ? total / 32 : most;
    return total == 0 || (need <= total && total - need >= reserve);
}

/* Why a case of a plan will be skipped on a device for memory; NULL: it fits, or nobody knows. */
static char *lack(const gb_need *need, gb_device_kind kind, const json_t *info)
{
    char a[32], b[32];
    uint64_t host_total, available, host = need->host_bytes + need->pinned_bytes;
    const uint64_t device = need->device_bytes + need->beside_bytes;
    uint64_t pinned = number(info, "pinned_limit_bytes", UINT64_MAX);
    uint64_t total = number(info, "memory_bytes", 0);
    gb_host_memory("", &host_total, &available);
    if (need->pinned_bytes > pinned)
        return gb_text_format("needs %s of page-locked memory, the limit is %s",
                              gb_format_bytes(need->pinned_bytes, a, sizeof a),
                              gb_format_bytes(pinned, b, sizeof b));
    if (kind == GB_CPU)
        host += device;
    else if (!fits(device, total))
        return gb_text_format("needs %s, the device has %s", gb_format_bytes(device, a, sizeof a),
                              gb_format_bytes(total, b, sizeof b));
    if (fits(host, host_total))
        return NULL;
    return gb_text_format("needs %s, the machine has %s", gb_format_bytes(host, a, sizeof a),
                          gb_format_bytes(host_total, b, sizeof b));
}

static void foresee_skips(gb_plan *plan, const json_t *info)
{
    for (size_t i = 0; i < plan->n_cases; i++) {
        gb_case *c = &plan->cases[i];
        char *why = c->status == GB_OK ? lack(&c->need, plan->kind, info) : NULL;
        if (!why)
            continue;
        c->status = GB_NO_MEMORY;
        c->reason = why;
        c->need = (gb_need){0};
    }
}

/* The devices that the run would take. A kind that was asked for by its name is planned for also
 * where there is none of it. */
static int look_for_devices(gb_session *s)
{
    gb_error err = {0};
    gb_buf note = {0};
    gb_code code = gb_supervise_probe(GB_EXECUTABLE, &gb_cli_interrupts, &s->probe, &err);
    if (!code)
        code = gb_choose_devices(s->device, s->suite->devices, s->suite->devices_listed, s->probe,
                                 s->devices, &s->n_devices, &note, &err);
    if (code != GB_INVALID && code != GB_INTERRUPTED && code && s->device &&
        (strcmp(s->device, "cuda") == 0 || strcmp(s->device, "cpu") == 0)) {
        gb_cli_note(s->cli, "%s; planned all the same", err.message);
        code = GB_OK;
    }
    if (!code && note.data)
        gb_cli_note(s->cli, "%s", note.data);
    gb_buf_free(&note);
    return code ? gb_cli_fail(s->cli, gb_cli_status(code), &err) : GB_EXIT_OK;
}

/* Whether plans of a kind are shown, and with which device's facts (NULL: none is there). */
static bool chosen(const gb_session *s, int kind, const json_t **info)
{
    *info = NULL;
    for (size_t i = 0; i < s->n_devices; i++) {
        if ((int)s->devices[i].kind == kind) {
            *info = s->devices[i].info;
            return true;
        }
    }
    return s->n_devices == 0;
}

int gb_session_dry_run(gb_session *s)
{
    gb_buf out = {0};
    int status = look_for_devices(s);
    if (status)
        return status;
    json_t *plans = json_array();
    for (int kind = 0; kind < GB_DEVICE_KINDS; kind++) {
        const json_t *info;
        if (!s->plans[kind] || !chosen(s, kind, &info))
            continue;
        if (info)
            foresee_skips(s->plans[kind], info);
        if (s->cli->json)
            json_array_append_new(plans, plan_json(s->plans[kind]));
        else
            show_plan(s->plans[kind], &out);
    }
    status = out.failed || !plans ? gb_cli_out_of_memory(s->cli) : GB_EXIT_OK;
    if (!status && s->cli->json)
        gb_cli_print_json(s->cli, json_pack("{s:s, s:I, s:O}", "suite", s->suite->name, "seed",
                                            (json_int_t)s->selection.seed, "plans", plans));
    else if (!status && out.data)
        gb_cli_print(s->cli, out.data);
    json_decref(plans);
    gb_buf_free(&out);
    return status;
}
