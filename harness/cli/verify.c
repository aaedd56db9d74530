/* `gpubench verify`: a run directory held against what it follows from. The samples, statistics and
 * hashes are the record library's part (gb_results_verify); here is what takes the suite, the plan
 * and the reports: which records there must be, with which arguments, and what was concluded. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json.h"
#include "base/units.h"
#include "cli/data_dir.h"
#include "cli/head.h"
#include "cli/option_rows.h"
#include "cli/session.h"
#include "kernels/kernel.h"
#include "reports/report.h"
#include "suite/expect.h"

#define TOLERANCE 1e-9

static const gb_option options[] = {GB_OPTION_JSON("as JSON"), {0}};

typedef struct verification {
    const gb_results *results; /* with samples where the run is complete */
    gb_buf lines;              /* a difference or a "note: " each */
    size_t differences;
    gb_suite *suite; /* NULL: cannot be read by this build */
    gb_plan *plans[GB_DEVICE_KINDS];
} verification;

static void note(verification *v, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note(verification *v, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    gb_buf_add(&v->lines, "note: ");
    gb_buf_vprintf(&v->lines, format, args);
    gb_buf_add(&v->lines, "\n");
    va_end(args);
}

static void differs(verification *v, const char *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void differs(verification *v, const char *where, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    v->differences++;
    gb_buf_printf(&v->lines, "%s: ", where);
    gb_buf_vprintf(&v->lines, format, args);
    gb_buf_add(&v->lines, "\n");
    va_end(args);
}

static void record_differs(verification *v, const gb_record *r, const char *what)
{
    char replicate[64];
    snprintf(replicate, sizeof replicate, ", device %d, replicate %lu", r->device,
             (unsigned long)r->replicate);
    differs(v, "results.json", "%s%s: %s", r->case_id, replicate, what);
}

/* Equal but for the last digits of real numbers. */
static bool same(const json_t *a, const json_t *b)
{
    if (json_is_real(a) || json_is_real(b)) {
        double x = json_number_value(a), y = json_number_value(b);
        return json_is_number(a) && json_is_number(b) &&
               fabs(x - y) <= TOLERANCE * fmax(fabs(x), fabs(y));
    }
    if (json_is_array(a) && json_is_array(b) && json_array_size(a) == json_array_size(b)) {
        bool equal = true;
        for (size_t i = 0; i < json_array_size(a); i++)
            equal = equal && same(json_array_get(a, i), json_array_get(b, i));
        return equal;
    }
    if (json_is_object(a) && json_is_object(b) && json_object_size(a) == json_object_size(b)) {
        const char *key;
        json_t *value;
        bool equal = true;
        json_object_foreach((json_t *)(uintptr_t)a, key, value) equal =
            equal && same(value, json_object_get(b, key));
        return equal;
    }
    return json_equal(a, b);
}

/* ---- the suite ---- */

/* The suite as parsed from its text, with what the command line changed. */
static gb_code read_suite(verification *v, gb_error *err)
{
    const json_t *document = v->results->document;
    const json_t *written = json_object_get(document, "suite");
    const json_t *settings = json_object_get(json_object_get(document, "run"), "settings");
    const char *text = json_string_value(json_object_get(written, "text"));
    const char *file = json_string_value(json_object_get(written, "file"));
    gb_diagnostics diagnostics = {0};
    gb_error why = {0};
    if (!text) {
        note(v, "the suite's text is not there: cases and conclusions were not checked");
        return GB_OK;
    }
    gb_code code = gb_suite_parse(file ? file : "suite", text, strlen(text), gb_kernel_catalog(),
                                  &v->suite, &diagnostics, &why);
    json_t *made = code ? NULL : gb_suite_json(v->suite);
    const char *key;
    json_t *value;
    json_object_foreach(made, key, value)
    {
        const json_t *found = json_object_get(written, key);
        if (strcmp(key, "file") != 0 && found && !same(found, value))
            differs(v, "results.json", "suite.%s is not what the suite's text says", key);
    }
    json_decref(made);
    const json_t *set = json_object_get(settings, "set");
    const json_t *data = json_object_get(settings, "data");
    if (!code && json_is_object(data))
        code = gb_data_apply(data, v->suite, &why);
    for (size_t i = 0; !code && i < json_array_size(set); i++) {
        const char *word = json_string_value(json_array_get(set, i));
        code = word ? gb_suite_override(v->suite, word, &why) : GB_INVALID;
    }
    uint64_t thin = (uint64_t)json_integer_value(json_object_get(settings, "thin"));
    if (!code && thin > 0)
        gb_suite_thin(v->suite, thin);
    if (!code)
        gb_suite_least_replicates(
            v->suite, (uint32_t)json_integer_value(json_object_get(settings, "least_replicates")));
    if (code) {
        gb_suite_free(v->suite);
        v->suite = NULL;
    }
    gb_diagnostics_free(&diagnostics);
    if (code == GB_INVALID) {
        note(v, "this build cannot read the suite (%s): cases and conclusions were not checked",
             why.message);
        return GB_OK;
    }
    return code ? gb_fail(err, code, "%s", why.message) : GB_OK;
}

static const char **strings(const json_t *list, size_t *n)
{
    const char **items = calloc(json_array_size(list) + 1, sizeof *items);
    *n = 0;
    for (size_t i = 0; items && i < json_array_size(list); i++) {
        const char *word = json_string_value(json_array_get(list, i));
        if (word)
            items[(*n)++] = word;
    }
    return items;
}

static gb_code make_plans(verification *v, gb_error *err)
{
    const json_t *run = json_object_get(v->results->document, "run");
    const json_t *settings = json_object_get(run, "settings");
    gb_selection selection = {
        .replicates = (uint32_t)json_integer_value(json_object_get(settings, "replicates")),
        .budget_ns = (uint64_t)json_integer_value(json_object_get(settings, "budget_ns")),
        .seed = (uint64_t)json_integer_value(json_object_get(run, "seed"))};
    const char **filters = strings(json_object_get(settings, "filter"), &selection.n_filters);
    const char **tags = strings(json_object_get(settings, "tag"), &selection.n_tags);
    selection.filters = filters;
    selection.tags = tags;
    gb_code code = filters && tags ? GB_OK : gb_fail(err, GB_NO_MEMORY, "out of memory");
    for (int kind = 0; !code && kind < GB_DEVICE_KINDS; kind++) {
        gb_error why = {0};
        if (v->suite->devices & GB_BIT(kind))
            code = gb_plan_make(v->suite, (gb_device_kind)kind, &selection, &v->plans[kind], &why);
        code = code == GB_INVALID ? GB_OK : code; /* no case on this kind */
    }
    free(filters);
    free(tags);
    return code;
}

/* The classes as the plans give them for the devices of the run. */
static gb_code check_classes(verification *v, gb_error *err)
{
    const json_t *document = v->results->document;
    const json_t *written = json_object_get(json_object_get(document, "suite"), "classes");
    const json_t *devices = json_object_get(document, "devices");
    unsigned kinds = 0;
    if (!written)
        return GB_OK;
    for (size_t i = 0; i < json_array_size(devices); i++) {
        gb_device_kind kind;
        const char *word = json_string_value(json_object_get(json_array_get(devices, i), "kind"));
        if (word && gb_device_kind_parse(word, &kind))
            kinds |= GB_BIT(kind);
    }
    json_t *made = gb_classes_json(v->suite, v->plans, kinds);
    if (!made)
        return gb_fail(err, GB_NO_MEMORY, "out of memory");
    if (!same(written, made))
        differs(v, "results.json", "suite.classes is not what the suite's text says");
    json_decref(made);
    return GB_OK;
}

/* ---- records against the plan ---- */

/* A plan's cases by id and, for each replicate, their places in its order. */
typedef struct expected {
    const gb_plan *plan;
    json_t *index;    /* id -> place */
    uint32_t *places; /* [replicate * n_cases + case]: in the order; UINT32_MAX: not part of it */
    bool *seen;       /* the same, for one device */
} expected;

static bool expect_plan(const gb_plan *plan, expected *out)
{
    size_t n = plan->n_cases, all = n * plan->replicates;
    uint32_t *order = calloc(n + 1, sizeof *order);
    *out = (expected){.plan = plan,
                      .index = json_object(),
                      .places = calloc(all + 1, sizeof *out->places),
                      .seen = calloc(all + 1, sizeof *out->seen)};
    bool good = order && out->index && out->places && out->seen;
    for (size_t i = 0; good && i < n; i++)
        good = !json_object_set_new(out->index, plan->cases[i].id, json_integer((json_int_t)i));
    for (size_t i = 0; good && i < all; i++)
        out->places[i] = UINT32_MAX;
    for (uint32_t r = 0; good && r < plan->replicates; r++) {
        size_t count = gb_plan_order(plan, r, order);
        for (size_t i = 0; i < count; i++)
            out->places[r * n + order[i]] = (uint32_t)i;
    }
    free(order);
    return good;
}

static void expected_free(expected *e)
{
    json_decref(e->index);
    free(e->places);
    free(e->seen);
}

/* Everything that the suite says about a record of its. */
static void check_against_case(verification *v, const gb_record *r, const gb_case *c, size_t index,
                               uint32_t order)
{
    const gb_benchmark *b = c->benchmark;
    json_t *params = gb_args_json(b->spec, c->args);
    if (!params || !same(params, r->params))
        record_differs(v, r, "params are not those of the case in the suite");
    json_decref(params);
    if (strcmp(r->benchmark, b->name) != 0)
        record_differs(v, r, "the suite has this case under another benchmark");
    if (strcmp(r->kernel, b->spec->name) != 0)
        record_differs(v, r, "the suite has this case with another kernel");
    if (r->timer != c->timer || r->cache != b->cache)
        record_differs(v, r, "timer or cache are not those of the suite");
    if (r->index != index)
        record_differs(v, r, "index is not the place of the case in the suite");
    if (r->order != order)
        record_differs(v, r, "order is not the place that the seed gives");
    if (r->status == GB_STATUS_SKIPPED && c->status == GB_OK && r->reason_code &&
        strcmp(r->reason_code, gb_code_word(GB_UNAVAILABLE)) == 0 && r->time.n > 0)
        record_differs(v, r, "skipped, but it has samples");
    if (r->status == GB_STATUS_OK && c->status != GB_OK)
        record_differs(v, r, "ok, but this kind of device cannot run it");
    if (r->time.n > b->settings.max_samples)
        record_differs(v, r, "more samples than the suite allows");
}

static void check_record(verification *v, const gb_record *r, expected *e)
{
    const json_t *place = json_object_get(e->index, r->case_id);
    if (!place) {
        record_differs(v, r, "the suite and the settings of the run have no such case");
        return;
    }
    size_t index = (size_t)json_integer_value(place);
    const gb_case *c = &e->plan->cases[index];
    if (r->replicate >= c->replicates) {
        record_differs(v, r, "the run has no such replicate");
        return;
    }
    size_t at = (size_t)r->replicate * e->plan->n_cases + index;
    e->seen[at] = true;
    check_against_case(v, r, c, index, e->places[at]);
}

static void check_device(verification *v, int device, expected *e)
{
    const gb_results *results = v->results;
    for (size_t i = 0; i < results->n; i++)
        if (results->records[i].device == device)
            check_record(v, &results->records[i], e);
    size_t missing = 0, n = e->plan->n_cases;
    const char *first = "";
    for (size_t i = n * e->plan->replicates; i-- > 0;) {
        if (e->places[i] != UINT32_MAX && !e->seen[i]) {
            first = e->plan->cases[i % n].id;
            missing++;
        }
    }
    if (missing > 0 && results->complete)
        differs(v, "results.json", "device %d: %zu record%s missing, the first of %s", device,
                missing, missing == 1 ? "" : "s", first);
}

static gb_code check_cases(verification *v, gb_error *err)
{
    const json_t *devices = json_object_get(v->results->document, "devices");
    for (size_t i = 0; i < v->results->n; i++)
        if (v->results->records[i].device < 0 ||
            (size_t)v->results->records[i].device >= json_array_size(devices))
            record_differs(v, &v->results->records[i], "there is no such device");
    for (size_t i = 0; i < json_array_size(devices); i++) {
        gb_device_kind kind;
        expected e;
        const char *word = json_string_value(json_object_get(json_array_get(devices, i), "kind"));
        if (!word || !gb_device_kind_parse(word, &kind) || !v->plans[kind]) {
            differs(v, "results.json", "device %zu is of a kind that the run has no case for", i);
            continue;
        }
        bool good = expect_plan(v->plans[kind], &e);
        if (good)
            check_device(v, (int)i, &e);
        expected_free(&e);
        if (!good)
            return gb_fail(err, GB_NO_MEMORY, "out of memory");
    }
    return GB_OK;
}

/* ---- records in themselves ---- */

static bool flagged(const gb_record *r, gb_flag flag)
{
    return (r->flags & GB_BIT(flag)) != 0;
}

/* As harness/run/measure_judge.c decides it: the memory's ceiling binds only what is so large that
 * a cache can serve but little of it. */
static bool beyond_ceiling(const gb_record *r, uint64_t llc)
{
    bool cached = r->work.ceiling == GB_CEILING_MEMORY && r->work.working_set / 4 < llc;
    for (size_t i = 0; i < r->n_metrics; i++) {
        const gb_metric *m = &r->metrics[i];
        if (m->peak > 0 && m->value > 1.02 * m->peak && !(cached && strcmp(m->unit, "B/s") == 0))
            return true;
    }
    return false;
}

/* What follows from other parts of the record; the flags about the shape of the samples are
 * recomputed by the record library. */
static void check_consistency(verification *v, const gb_record *r)
{
    static const char *const reasons[] = {"precision", "max-samples", "budget",
                                          "timeout",   "rejections",  "iteration-cap"};
    if ((r->verified == 0) != (r->status == GB_STATUS_WRONG) && r->status != GB_STATUS_FAILED)
        record_differs(v, r, "status and verified contradict each other");
    if (r->status != GB_STATUS_OK)
        return;
    bool known = false;
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        known = known || strcmp(r->stopped_by, reasons[i]) == 0;
    if (!known)
        record_differs(v, r, "ok, but stopped_by is no reason to stop");
    if (strcmp(r->stopped_by, "precision") == 0 && !r->converged)
        record_differs(v, r, "stopped by precision, but not converged");
    if (r->converged == flagged(r, GB_FLAG_NOT_CONVERGED))
        record_differs(v, r, "converged and the flag not-converged contradict each other");
    if ((r->rejected > 0) != flagged(r, GB_FLAG_GATE_EXPIRED))
        record_differs(v, r, "rejected and the flag gate-expired contradict each other");
    if ((r->timer == GB_TIMER_DEVICE && !r->gated) != flagged(r, GB_FLAG_GATE_OFF))
        record_differs(v, r, "gated and the flag gate-off contradict each other");
    const json_t *device =
        json_array_get(json_object_get(v->results->document, "devices"), (size_t)r->device);
    const json_t *llc = json_object_get(device, "llc_bytes");
    /* What passes over the link is bound by the link, whatever cache lies at either end. */
    bool resident = r->cache == GB_CACHE_WARM && r->work.working_set > 0 &&
                    r->work.working_set <= (uint64_t)json_integer_value(llc) &&
                    r->work.ceiling != GB_CEILING_LINK;
    if (json_is_integer(llc) && resident != flagged(r, GB_FLAG_CACHE_RESIDENT))
        record_differs(v, r, "working_set, llc_bytes and the flag cache-resident contradict");
    uint64_t llc_bytes = json_is_integer(llc) ? (uint64_t)json_integer_value(llc) : 0;
    if (beyond_ceiling(r, llc_bytes) != flagged(r, GB_FLAG_IMPLAUSIBLE))
        record_differs(v, r, "metrics, peaks and the flag implausible contradict each other");
}

/* `converged` and `stopped_by` against the samples and the suite's settings. */
static gb_code check_stop(verification *v, const gb_record *r, gb_error *err)
{
    const gb_settings *s = NULL;
    for (size_t i = 0; v->suite && i < v->suite->n_benchmarks; i++)
        if (strcmp(v->suite->benchmarks[i].name, r->benchmark) == 0)
            s = &v->suite->benchmarks[i].settings;
    if (!s || r->status != GB_STATUS_OK || r->n_samples == 0)
        return GB_OK;
    double *scratch = calloc(r->n_samples, sizeof *scratch);
    if (!scratch)
        return gb_fail(err, GB_NO_MEMORY, "out of memory");
    bool precise =
        gb_stats_precision(r->samples_ns, r->n_samples, scratch) <= s->precision * (1 + TOLERANCE);
    free(scratch);
    if (precise != r->converged)
        record_differs(v, r,
                       precise ? "not converged, but the samples are precise enough"
                               : "converged, but the samples are not precise enough");
    const json_t *run = json_object_get(v->results->document, "run");
    const bool single = json_is_true(json_object_get(json_object_get(run, "settings"), "profile"));
    if (strcmp(r->stopped_by, "max-samples") == 0 &&
        r->n_samples < (single ? 1 : s->max_samples)) /* --profile: one sample is all */
        record_differs(v, r, "stopped by max-samples, but it has fewer");
    if (strcmp(r->stopped_by, "precision") == 0 && r->n_samples < s->min_samples)
        record_differs(v, r, "stopped by precision before the least number of samples");
    return GB_OK;
}

/* ---- conclusions ---- */

static void check_list(verification *v, const char *key, json_t *made)
{
    const json_t *written = json_object_get(v->results->document, key);
    if (!written)
        note(v, "results.json has no %s: not checked", key);
    else if (made && !same(written, made))
        differs(v, "results.json", "%s are not those that the records yield", key);
    json_decref(made);
}

static gb_code check_conclusions(verification *v, gb_error *err)
{
    json_t *made = NULL;
    gb_code code = gb_report_fits(v->results, &made, err);
    if (!code)
        check_list(v, "fits", made);
    made = NULL;
    if (!code)
        code = gb_report_findings(v->results, &made, err);
    if (!code)
        check_list(v, "findings", made);
    made = NULL;
    if (!code && v->suite)
        code = gb_expectations_json(v->suite, v->results, &made, NULL, err);
    if (!code && v->suite)
        check_list(v, "expectations", made);
    return code;
}

/* results.csv is the table of the records, byte by byte. */
static gb_code check_csv(verification *v, const char *where, gb_error *err)
{
    const json_t *devices = json_object_get(v->results->document, "devices");
    char *made = gb_results_csv(devices, v->results->records, v->results->n);
    char *dir = gb_cli_run_dir(where);
    char *path = gb_text_format("%s/results.csv", dir ? dir : ".");
    gb_code code = made && path ? GB_OK : gb_fail(err, GB_NO_MEMORY, "out of memory");
    struct stat facts;
    FILE *file = NULL;
    if (!code && (stat(path, &facts) || !S_ISREG(facts.st_mode) || !(file = fopen(path, "re"))))
        note(v, "%s is not there: not checked", path);
    size_t line = 1, at = 0;
    for (int c; file && (c = fgetc(file)) != EOF; at++) {
        if ((unsigned char)made[at] != (unsigned char)c || made[at] == '\0')
            break;
        line += c == '\n';
    }
    if (file && (!feof(file) || made[at] != '\0'))
        differs(v, "results.csv", "line %zu is not what the records say", line);
    if (file)
        fclose(file);
    free(path);
    free(dir);
    free(made);
    return code;
}

/* ---- all of it ---- */

static gb_code check_all(verification *v, const char *dir, gb_error *err)
{
    gb_code code = read_suite(v, err);
    if (!code && v->suite)
        code = make_plans(v, err);
    if (!code && v->suite)
        code = check_classes(v, err);
    if (!code && v->suite)
        code = check_cases(v, err);
    for (size_t i = 0; i < v->results->n; i++)
        check_consistency(v, &v->results->records[i]);
    for (size_t i = 0; !code && i < v->results->n; i++)
        code = check_stop(v, &v->results->records[i], err);
    if (!code && v->results->complete) {
        code = check_conclusions(v, err);
        if (!code)
            code = check_csv(v, dir, err);
    }
    return code;
}

static void verification_free(verification *v)
{
    for (int kind = 0; kind < GB_DEVICE_KINDS; kind++)
        gb_plan_free(v->plans[kind]);
    gb_suite_free(v->suite);
    gb_buf_free(&v->lines);
}

/* {"directory", "valid", "differences": [lines], "notes": [lines]} */
static json_t *lines_json(const char *dir, const char *text, bool valid)
{
    json_t *differences = json_array(), *notes = json_array();
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
        char *copy = gb_text_format("%.*s", (int)strcspn(line, "\n"), line);
        bool is_note = copy && strncmp(copy, "note: ", 6) == 0;
        json_array_append_new(is_note ? notes : differences,
                              gb_json_string(is_note ? copy + 6 : copy));
        free(copy);
    }
    return json_pack("{s:o, s:b, s:o, s:o}", "directory", gb_json_string(dir), "valid", valid,
                     "differences", differences, "notes", notes);
}

static int verify(gb_cli *cli)
{
    const char *dir = cli->args.words.items[0];
    char *text = NULL;
    gb_error err = {0};
    gb_results results = {0};
    verification v = {.results = &results};
    gb_code first = gb_results_verify(dir, gb_kernel_catalog(), &text, &err);
    gb_code code = first == GB_WRONG_RESULT ? GB_OK : first;
    if (!code)
        code = gb_results_load(dir, true, &results, &err);
    if (!code)
        code = check_all(&v, dir, &err);
    gb_buf all = {0};
    gb_buf_add(&all, text ? text : "");
    gb_buf_add(&all, v.lines.data ? v.lines.data : "");
    bool valid = !code && first != GB_WRONG_RESULT && v.differences == 0;
    if (!code && cli->json)
        gb_cli_print_json(cli, lines_json(dir, all.data ? all.data : "", valid));
    else if (!cli->json && all.data && all.length > 0)
        gb_cli_print(cli, all.data);
    if (!code && !valid) {
        size_t n = 0;
        for (const char *line = all.data; line && *line; line += strcspn(line, "\n") + 1)
            n += strncmp(line, "note: ", 6) != 0;
        code =
            gb_fail(&err, GB_WRONG_RESULT, "%zu difference%s between %s and what it follows from",
                    n, n == 1 ? "" : "s", dir);
    }
    const bool noted = all.data && strstr(all.data, "note: ") != NULL;
    gb_buf_free(&all);
    free(text);
    verification_free(&v);
    gb_results_free(&results);
    if (code)
        return gb_cli_fail(cli, gb_exit_of_code(code), &err);
    gb_cli_note(cli,
                noted ? "%s: no difference in what could be checked"
                      : "%s: the suite, the samples and everything computed from them agree",
                dir);
    return GB_EXIT_OK;
}

const gb_verb gb_verb_verify = {
    .name = "verify",
    .arguments = "DIR",
    .summary = "Recompute everything in a run that follows from its suite and samples",
    .details =
        "Each difference is a line; exit status 3 when there is any. Recomputed are: the suite's "
        "hash and what its text says; which cases and replicates there must be, with which "
        "arguments and in which order; definitions, work, statistics, metrics and flags; whether a "
        "case converged; fits, findings and expectations; results.csv. Not recomputed, since they "
        "follow from nothing else in the directory: the samples themselves, names and facts of "
        "devices and host, times of phases and parts, telemetry, whether answers were right. "
        "Not looked at: report.html, report.md and plots, which 'gpubench report' makes anew. It "
        "shows accidents and careless edits; it is no signature.",
    .options = options,
    .min_words = 1,
    .max_words = 1,
    .function = verify};
