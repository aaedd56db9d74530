/* Comparing two runs: checks first, then pairs, then a verdict on each. */
#include "reports/compare/compare.h"

#include <stdlib.h>
#include <string.h>

#include "reports/compare/internal.h"

typedef struct verdict_row {
    const char *word, *next;
} verdict_row;
static const verdict_row verdicts[GB_VERDICT_COUNT] = {
#define X(name, word, next) [GB_VERDICT_##name] = {word, next},
    GB_VERDICTS(X)
#undef X
};

const char *gb_verdict_word(gb_verdict verdict)
{
    return (unsigned)verdict < GB_VERDICT_COUNT ? verdicts[verdict].word : "unknown";
}

const char *gb_verdict_next(gb_verdict verdict)
{
    return (unsigned)verdict < GB_VERDICT_COUNT ? verdicts[verdict].next : "";
}

bool gb_verdict_differs(gb_verdict verdict)
{
    return verdict == GB_VERDICT_SLOWER || verdict == GB_VERDICT_FASTER ||
           verdict == GB_VERDICT_SUSPECT_SLOWER || verdict == GB_VERDICT_SUSPECT_FASTER;
}

const char *gb_evidence_word(gb_evidence evidence)
{
    static const char *const words[] = {"interleaved", "baselines", "sessions", "cross-device"};
    return (unsigned)evidence < sizeof words / sizeof words[0] ? words[evidence] : "unknown";
}

void gb_comparison_free(gb_comparison *comparison)
{
    gb_table_free(&comparison->rows_a);
    gb_table_free(&comparison->rows_b);
    for (size_t i = 0; i < comparison->n_earlier; i++) {
        gb_table_free(&comparison->earlier[i].table);
        gb_side_free(&comparison->earlier[i].side);
    }
    for (size_t i = 0; i < comparison->n_names; i++) {
        free(comparison->names[i]);
    }
    free(comparison->earlier);
    free(comparison->names);
    free(comparison->items);
    free(comparison->device_difference);
    json_decref(comparison->environment);
    json_decref(comparison->warnings);
    *comparison = (gb_comparison){0};
}

/* The two halves of `run --against` carry one id and different roles. */
static bool interleaved(const gb_results *a, const gb_results *b)
{
    const json_t *x = json_object_get(json_object_get(a->document, "run"), "pair");
    const json_t *y = json_object_get(json_object_get(b->document, "run"), "pair");
    const char *id_a = json_string_value(json_object_get(x, "id"));
    const char *id_b = json_string_value(json_object_get(y, "id"));
    const char *role_a = json_string_value(json_object_get(x, "role"));
    const char *role_b = json_string_value(json_object_get(y, "role"));
    return id_a != NULL && id_b != NULL && role_a != NULL && role_b != NULL &&
           strcmp(id_a, id_b) == 0 && strcmp(role_a, role_b) != 0;
}

/* Whether the half that was measured as the new one stands as the baseline. */
static bool reversed(const gb_results *a, const gb_results *b)
{
    const json_t *pair = json_object_get(json_object_get(a->document, "run"), "pair");
    const char *role = json_string_value(json_object_get(pair, "role"));
    return interleaved(a, b) && strcmp(role, "new") == 0;
}

/* The larger of the noise floors that the two runs' devices have; NAN: none is known. */
static double noise_floor(const gb_results *a, const gb_results *b)
{
    const gb_results *both[] = {a, b};
    double floor = (double)NAN;
    for (size_t i = 0; i < 2; i++) {
        const json_t *devices = json_object_get(both[i]->document, "devices");
        for (size_t k = 0; k < json_array_size(devices); k++) {
            const json_t *test = json_object_get(json_array_get(devices, k), "selftest");
            const json_t *value = json_object_get(test, "noise_floor");
            if (json_is_number(value) && json_number_value(value) >= 0) {
                floor = fmax(floor, json_number_value(value)); /* fmax passes over a NAN */
            }
        }
    }
    return floor;
}

static gb_code refuse_devices(const gb_comparison *c, gb_error *err)
{
    return gb_fail(err, GB_INVALID,
                   "the two runs are of different devices (baseline / new): %s; %s",
                   c->device_difference,
                   c->options.gate ? "a gate is for one device"
                                   : "--cross-device gives their ratios, without a verdict");
}

/* Devices, faults, surroundings: what may keep the two from being compared at all. */
static gb_code check_runs(gb_comparison *c, gb_devices *devices, gb_error *err)
{
    gb_buf why = {0};
    gb_code code = gb_results_baseline(c->a, err);
    if (code == GB_OK) {
        code = gb_devices_pair(c->a, c->b, devices, &why, err);
    }
    if (code == GB_OK && devices->other_model) {
        code = gb_buf_take(&why, &c->device_difference, err);
    }
    gb_buf_free(&why);
    if (code == GB_OK && devices->other_model && (c->options.gate || !c->options.cross_device)) {
        code = refuse_devices(c, err);
    }
    if (code == GB_OK && c->options.gate && !c->a->complete) {
        code =
            gb_fail(err, GB_INVALID,
                    "the baseline did not finish, and a gate needs a whole one: go on with it by "
                    "'gpubench run --resume'");
    }
    if (code == GB_OK && c->options.gate && reversed(c->a, c->b)) {
        code = gb_fail(err, GB_INVALID,
                       "the halves of a run --against are the wrong way round: what was measured "
                       "as new is given as the baseline, and a gate would pass what became slower");
    }
    if (code == GB_OK) {
        code = gb_compare_environment(c, devices, err);
    }
    return code;
}

/* What limits the verdicts. */
static gb_code add_warnings(gb_comparison *c, const gb_devices *devices, gb_error *err)
{
    gb_code code = GB_OK;
    if (!c->a->complete || !c->b->complete) {
        code = gb_compare_warn(c, err, "incomplete", "%s did not finish: what it has is compared",
                               c->a->complete   ? "the new run"
                               : c->b->complete ? "the baseline"
                                                : "neither run");
    }
    if (code == GB_OK && c->b->hardware_fault != NULL) {
        code = gb_compare_warn(c, err, "hardware-fault", "the hardware failed in the new run: %s",
                               c->b->hardware_fault);
    }
    if (code == GB_OK && devices->other_unit) {
        code =
            gb_compare_warn(c, err, "other-unit",
                            "the runs are of two units of one model: what differs may be theirs, "
                            "and nothing fails");
    }
    if (code == GB_OK && reversed(c->a, c->b)) {
        code = gb_compare_warn(c, err, "reversed",
                               "the halves of a run --against are the wrong way round: what was "
                               "measured as new is given as the baseline, so 'slower' here means "
                               "that the new one is faster");
    }
    if (code == GB_OK && c->options.gate && c->evidence == GB_EVIDENCE_SESSIONS) {
        code = gb_compare_warn(c, err, "gate-without-teeth",
                               "%s: this gate fails on missing and failed cases alone%s",
                               c->other_unit ? "runs of two units tell no regression"
                                             : "two sessions tell no regression",
                               c->other_unit ? ""
                                             : "; give three earlier runs (--baseline), or "
                                               "measure in turns (run --against)");
    }
    if (code == GB_OK && devices->unknown) {
        code =
            gb_compare_warn(c, err, "device-unknown", "a run does not say which device it is of");
    }
    if (code == GB_OK && c->evidence == GB_EVIDENCE_SESSIONS && isnan(c->floor)) {
        code = gb_compare_warn(c, err, "noise-floor",
                               "how far two sessions on this machine differ is unknown: "
                               "'gpubench selftest' finds it, and later runs record it");
    }
    return code;
}

static void not_compared(gb_compared *item, const gb_record *a, const gb_record *b)
{
    const gb_record *bad = b != NULL ? b : a;
    char flagged[80];
    const char *why = bad->reason;
    item->verdict = GB_VERDICT_NOT_COMPARED;
    if (bad->status == GB_STATUS_OK) {
        const char *flag = gb_flags_no_result(bad->flags);
        snprintf(flagged, sizeof flagged, "%s: its times are no results", flag ? flag : "");
        why = bad->verified == 0 ? "its answers are wrong" : flagged;
    }
    snprintf(item->reason, sizeof item->reason, "%s %s: %.*s",
             bad->status == GB_STATUS_OK ? "no figure" : gb_status_word(bad->status),
             a != NULL && b != NULL ? "on both sides"
             : b != NULL            ? "in the new run"
                                    : "in the baseline",
             (int)gb_utf8_cut(why != NULL ? why : "no reason given", 140),
             why != NULL ? why : "no reason given");
}

/* In what the definitions differ, as far as the records tell. */
static void other_definition(gb_compared *item)
{
    const gb_record *a = item->a->first, *b = item->b->first;
    item->verdict = GB_VERDICT_DEFINITION;
    const char *what = strcmp(a->kernel, b->kernel) != 0   ? "another kernel"
                       : !json_equal(a->params, b->params) ? "other parameters"
                       : a->timer != b->timer              ? "another timer"
                       : a->cache != b->cache              ? "another state of the cache"
                       : a->gated != b->gated              ? "launches held back on one side only"
                                                           : "another version of the kernel";
    snprintf(item->reason, sizeof item->reason, "%s", what);
}

static gb_code judge_all(gb_comparison *c, const gb_side *b, gb_error *err)
{
    size_t most = c->n_earlier + 1;
    const gb_results *all[] = {c->a, c->b};
    for (size_t i = 0; i < 2; i++) {
        most = all[i]->n > most ? all[i]->n : most;
    }
    for (size_t i = 0; i < c->n_earlier; i++) {
        most = c->earlier[i].results->n > most ? c->earlier[i].results->n : most;
    }
    double *room = calloc(3 * (most + 1), sizeof room[0]);
    if (room == NULL) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for a comparison");
    }
    const gb_scratch scratch = {room, room + most + 1, room + 2 * (most + 1)};
    gb_code code = GB_OK;
    for (size_t i = 0, at = 0; code == GB_OK && i < c->n; i++) {
        gb_compared *item = &c->items[i];
        if (item->a == NULL || item->b == NULL) {
            continue;
        }
        while (b->rows[at].row != item->b) { /* items are in the order of these rows */
            at++;
        }
        code = gb_compare_reference(c, item, &b->rows[at], scratch.a, err);
        if (code != GB_OK) {
            break;
        }
        const gb_record *bad_a = gb_row_bad(item->a), *bad_b = gb_row_bad(item->b);
        if (bad_a != NULL || bad_b != NULL) {
            not_compared(item, bad_a, bad_b);
        } else if (strcmp(item->a->first->definition, item->b->first->definition) != 0) {
            other_definition(item);
        } else {
            code = gb_compare_judge(c, item, &b->rows[at], &scratch, err);
        }
    }
    free(room);
    return code;
}

void gb_comparison_count(gb_comparison *c)
{
    memset(c->counts, 0, sizeof c->counts);
    for (size_t i = 0; i < c->n; i++) {
        gb_compared *item = &c->items[i];
        c->counts[item->verdict]++;
        if (item->next[0] == '\0') {
            snprintf(item->next, sizeof item->next, "%s", gb_verdict_next(item->verdict));
        }
    }
}

/* a and others as gb_compare_baseline orders them. */
static gb_code compare_all(const gb_results *a, const gb_results *b,
                           const gb_results *const others[], size_t n_others,
                           const gb_compare_options *options, gb_comparison *out, gb_error *err)
{
    gb_devices devices = {0};
    gb_side side_a = {0}, side_b = {0};
    *out = (gb_comparison){.a = a,
                           .b = b,
                           .options = *options,
                           .floor = noise_floor(a, b),
                           .n_baselines = 1 + n_others,
                           .environment = json_array(),
                           .warnings = json_array()};
    gb_code code = out->environment != NULL && out->warnings != NULL
                       ? check_runs(out, &devices, err)
                       : gb_fail(err, GB_NO_MEMORY, "out of memory for a comparison");
    if (code != GB_OK) {
        goto done;
    }
    out->other_unit = devices.other_unit;
    out->evidence = devices.other_model                   ? GB_EVIDENCE_CROSS_DEVICE
                    : interleaved(a, b)                   ? GB_EVIDENCE_INTERLEAVED
                    : n_others > 0 && !devices.other_unit ? GB_EVIDENCE_BASELINES
                                                          : GB_EVIDENCE_SESSIONS;
    code = gb_table_make(a, &out->rows_a, err);
    if (code == GB_OK) {
        code = gb_table_make(b, &out->rows_b, err);
    }
    if (code == GB_OK) {
        code = gb_side_make(out, &out->rows_a, NULL, "the baseline", &side_a, err);
    }
    if (code == GB_OK) {
        code = gb_side_make(out, &out->rows_b, devices.map, "the new run", &side_b, err);
    }
    if (code == GB_OK) {
        code = gb_compare_earlier(out, others, n_others, err);
    }
    if (code == GB_OK) {
        code = gb_compare_match(out, &side_a, &side_b, err);
    }
    if (code == GB_OK) {
        code = judge_all(out, &side_b, err);
    }
    if (code == GB_OK) {
        code = add_warnings(out, &devices, err);
    }
    if (code == GB_OK) {
        gb_comparison_count(out);
    }
done:
    free(devices.map);
    gb_side_free(&side_a);
    gb_side_free(&side_b);
    return code;
}

gb_code gb_compare_results(const gb_results *a, const gb_results *b, const gb_results others[],
                           size_t n_others, const gb_compare_options *options, gb_comparison *out,
                           gb_error *err)
{
    gb_compare_options how = *options;
    const gb_results **all = calloc(n_others + 1, sizeof(gb_results *));
    *out = (gb_comparison){0};
    gb_code code = all != NULL ? gb_compare_baseline(a, b, others, n_others, all, err)
                               : gb_fail(err, GB_NO_MEMORY, "out of memory for a comparison");
    if (code == GB_OK) {
        how.names[0] = all[0] == a ? how.names[0] : NULL;
        code = compare_all(all[0], b, all + 1, n_others, &how, out, err);
    }
    free(all);
    return code;
}
