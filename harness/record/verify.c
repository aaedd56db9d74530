/* `gpubench verify`: what is written against what follows from the suite's text, the kernels and
 * the samples. Whoever edits a figure has to edit its samples too, one by one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "record/internal.h"

typedef struct checker {
    gb_buf report;
    size_t differences;
    const gb_catalog *catalog; /* may be NULL */
    const json_t *devices;
    json_t *unknown; /* kernels that were already said to be unknown */
} checker;

static void difference(checker *c, const char *file, const gb_record *record, const char *message)
{
    c->differences++;
    gb_buf_printf(&c->report, "%s: %s, device %d, replicate %u: %s\n", file, record->case_id,
                  record->device, (unsigned)record->replicate, message);
}

/* ---- comparing two records as JSON ----------------------------------------------------------- */

/* The same, but for the last digits: another machine may have fused a multiplication and an
 * addition. Whole numbers are exact. */
static bool same_leaf(const json_t *a, const json_t *b)
{
    if (json_is_real(a) || json_is_real(b)) {
        double x = json_number_value(a), y = json_number_value(b);
        return json_is_number(a) && json_is_number(b) &&
               fabs(x - y) <= 1e-9 * fmax(fabs(x), fabs(y));
    }
    return json_equal(a, b);
}

static void report_leaf(checker *c, const char *file, const gb_record *record, const char *path,
                        const json_t *written, const json_t *found)
{
    char *a = written ? gb_json_line(written) : gb_text_copy("missing");
    char *b = found ? gb_json_line(found) : gb_text_copy("nothing");
    char *message = a && b ? gb_text_format("%s is %.200s, recomputed: %.200s", path, a, b) : NULL;
    if (message) {
        difference(c, file, record, message);
    } else {
        c->report.failed = true;
    }
    free(message);
    free(a);
    free(b);
}

static void compare(checker *c, const char *file, const gb_record *record, const char *path,
                    const json_t *written, const json_t *found)
{
    if (!json_is_object(written) || !json_is_object(found)) {
        bool arrays = json_is_array(written) && json_is_array(found) &&
                      json_array_size(written) == json_array_size(found);
        bool same = arrays || same_leaf(written, found);
        for (size_t i = 0; arrays && i < json_array_size(written); i++) {
            same = same && same_leaf(json_array_get(written, i), json_array_get(found, i));
        }
        if (!same) {
            report_leaf(c, file, record, path, written, found);
        }
        return;
    }
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)found, key, value)
    {
        char *inner = gb_text_format("%s%s%s", path, path[0] ? "." : "", key);
        if (inner) {
            compare(c, file, record, inner, json_object_get(written, key), value);
        } else {
            c->report.failed = true;
        }
        free(inner);
    }
    json_object_foreach((json_t *)(uintptr_t)written, key, value)
    {
        if (!json_object_get(found, key)) {
            char *inner = gb_text_format("%s%s%s", path, path[0] ? "." : "", key);
            if (inner) {
                report_leaf(c, file, record, inner, value, NULL);
            }
            free(inner);
        }
    }
}

/* ---- recomputing a record -------------------------------------------------------------------- */

/* The parts in the kernel's order, which a metric's `part` counts in. */
static gb_code order_parts(const gb_kernel_spec *spec, gb_record *record)
{
    json_t *ordered = json_object();
    for (size_t i = 0; record->parts_ns && spec->parts && spec->parts[i]; i++) {
        json_t *value = json_object_get(record->parts_ns, spec->parts[i]);
        if (json_object_set_new(ordered, spec->parts[i],
                                value ? json_incref(value) : json_null())) {
            json_decref(ordered);
            return GB_NO_MEMORY;
        }
    }
    if (json_object_size(ordered) > 0) {
        json_object_update_missing(ordered, record->parts_ns);
        json_decref(record->parts_ns);
        record->parts_ns = ordered;
    } else {
        json_decref(ordered);
    }
    return GB_OK;
}

/* "copy[bytes=1024,direction=h2d]" names the values that params holds. */
static void check_case_id(checker *c, const char *file, const gb_record *record)
{
    size_t n = strlen(record->benchmark);
    const char *at = record->case_id;
    if (strncmp(at, record->benchmark, n) != 0 || at[n] != '[') {
        return;
    }
    for (at += n + 1; *at && *at != ']'; at += *at == ',') {
        size_t name = strcspn(at, "=,]"), value = at[name] == '=' ? strcspn(at + name, ",]") : 0;
        const char *key;
        json_t *param;
        json_object_foreach(record->params, key, param)
        {
            char *text = json_is_string(param)
                             ? gb_text_copy(json_string_value(param))
                             : gb_text_format("%" JSON_INTEGER_FORMAT, json_integer_value(param));
            if (text && value > 0 && strlen(key) == name && strncmp(key, at, name) == 0 &&
                (strlen(text) != value - 1 || strncmp(text, at + name + 1, value - 1) != 0)) {
                char *message =
                    gb_text_format("the case's name and params.%s (%s) differ", key, text);
                difference(c, file, record, message ? message : "name and parameters differ");
                free(message);
            }
            free(text);
        }
        at += name + value;
    }
}

static bool device_kind(const checker *c, const gb_record *record, gb_device_kind *kind)
{
    const json_t *device =
        record->device < 0 ? NULL : json_array_get(c->devices, (size_t)record->device);
    const char *word = json_string_value(json_object_get(device, "kind"));
    return word && gb_device_kind_parse(word, kind);
}

/* Definition and work, which follow from the kernel and its arguments. */
static gb_code recompute_definition(checker *c, const char *file, const gb_kernel_spec *spec,
                                    gb_record *record, gb_error *err)
{
    gb_error why;
    gb_device_kind kind;
    gb_need need;
    char on[65], off[65];
    gb_value *args = calloc(spec->n_params + 1, sizeof args[0]);
    if (!args) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory");
    }
    if (gb_args_from_json(spec, record->params, args, &why) != GB_OK) {
        difference(c, file, record, why.message);
        goto done;
    }
    gb_definition_hash(spec, args, record->timer, record->cache, true, on);
    gb_definition_hash(spec, args, record->timer, record->cache, false, off);
    if (strcmp(record->definition, on) != 0 && strcmp(record->definition, off) != 0) {
        memcpy(record->definition, record->gated ? on : off, sizeof on);
    }
    if (record->time.n > 0 && device_kind(c, record, &kind) &&
        spec->check(args, kind, &need, NULL) == GB_OK) {
        record->work = (gb_work){0};
        spec->work(args, kind, &record->work);
    }
done:
    free(args);
    return GB_OK;
}

static void note_unknown(checker *c, const char *kernel)
{
    if (!json_object_get(c->unknown, kernel)) {
        json_object_set_new(c->unknown, kernel, json_true());
        gb_buf_printf(&c->report,
                      "note: this build has no kernel '%s': its definitions, work and metrics were "
                      "not checked\n",
                      kernel);
    }
}

/* Replaces in *record what can be computed from the rest. */
static gb_code recompute(checker *c, const char *file, gb_record *record, gb_error *err)
{
    const gb_kernel_spec *spec = c->catalog ? gb_catalog_find(c->catalog, record->kernel) : NULL;
    bool measured = record->status == GB_STATUS_OK || record->time.n > 0;
    gb_code code = GB_OK;
    if (!spec) {
        note_unknown(c, record->kernel);
    } else {
        code = recompute_definition(c, file, spec, record, err);
    }
    if (code != GB_OK || !measured) {
        return code;
    }
    if (spec && record->status == GB_STATUS_OK) {
        code = order_parts(spec, record);
        if (code == GB_OK) {
            code = gb_record_summarise(record, spec->metrics, spec->n_metrics, err);
        }
    } else {
        code = gb_record_summarise_time(record, err);
    }
    return code == GB_NO_SAMPLES ? GB_OK : code; /* its status shows it */
}

/* One line of cases.jsonl, and its entry in results.json (NULL when that is not complete). */
static gb_code check_record(checker *c, gb_record *line, const gb_record *entry, gb_error *err)
{
    static const char lines[] = "cases.jsonl", document[] = "results.json";
    gb_error why;
    json_t *written = gb_record_json(line, false);
    json_t *found = NULL;
    json_t *listed = NULL;
    check_case_id(c, lines, line);
    if (gb_record_check(line, &why) != GB_OK) {
        difference(c, lines, line, why.message);
    }
    gb_code code = recompute(c, lines, line, err);
    if (code != GB_OK) {
        goto done;
    }
    found = gb_record_json(line, false);
    listed = entry ? gb_record_json(entry, false) : NULL;
    if (!written || !found || (entry && !listed)) {
        code = gb_fail(err, GB_NO_MEMORY, "out of memory");
        goto done;
    }
    compare(c, lines, line, "", written, found);
    if (entry) {
        compare(c, document, line, "", listed, found);
    }
done:
    json_decref(written);
    json_decref(found);
    json_decref(listed);
    return code;
}

/* ---- a run directory ------------------------------------------------------------------------- */

static void check_suite(checker *c, const json_t *document)
{
    const json_t *suite = json_object_get(document, "suite");
    const char *text = json_string_value(json_object_get(suite, "text"));
    const char *written = json_string_value(json_object_get(suite, "sha256"));
    char hex[65];
    if (!text || !written) {
        gb_buf_add(&c->report, "note: the suite's text or hash is not there: not checked\n");
        return;
    }
    gb_sha256_hex(text, strlen(text), hex);
    if (strcmp(hex, written) != 0) {
        c->differences++;
        gb_buf_printf(&c->report, "results.json: suite.sha256 is %.64s, the suite's text has %s\n",
                      written, hex);
    }
}

/* The lines with their entries, then the entries without a line. */
static gb_code check_records(checker *c, gb_results *lines, const gb_results *listed, gb_error *err)
{
    gb_code code = GB_OK;
    size_t place;
    json_t *index = gb_index_make(listed->records, listed->n, err);
    json_t *lines_index = gb_index_make(lines->records, lines->n, err);
    if (!index || !lines_index) {
        code = GB_NO_MEMORY;
    }
    for (size_t i = 0; code == GB_OK && i < lines->n; i++) {
        gb_record *r = &lines->records[i];
        const gb_record *entry = NULL;
        if (gb_index_find(index, r->device, r->case_id, r->replicate, &place)) {
            entry = &listed->records[place];
        } else if (listed->complete) {
            difference(c, "results.json", r, "the record is missing");
        }
        code = check_record(c, r, listed->complete ? entry : NULL, err);
    }
    for (size_t i = 0; code == GB_OK && listed->complete && i < listed->n; i++) {
        const gb_record *r = &listed->records[i];
        if (!gb_index_find(lines_index, r->device, r->case_id, r->replicate, &place)) {
            difference(c, "results.json", r, "cases.jsonl has no such record");
        }
    }
    json_decref(index);
    json_decref(lines_index);
    return code;
}

gb_code gb_results_verify(const char *path, const gb_catalog *catalog, char **report, gb_error *err)
{
    gb_results listed = {0}, lines = {0};
    checker c = {.catalog = catalog, .unknown = json_object()};
    *report = NULL;
    gb_code code = gb_results_load(path, false, &listed, err);
    if (code == GB_OK) {
        code = gb_results_load_lines(path, &lines, err);
    }
    if (code != GB_OK) {
        goto done;
    }
    if (lines.n == 0 && listed.n == 0 && json_object_size(listed.document) == 0) {
        code = gb_fail_at(err, GB_INVALID, path, 0, 0,
                          "nothing to verify: no record is in it, and no results.json");
        goto done;
    }
    c.devices = json_object_get(listed.document, "devices");
    if (!listed.complete) {
        gb_buf_add(&c.report, json_object_size(listed.document) > 0
                                  ? "note: the run is not complete: only cases.jsonl was checked\n"
                                  : "note: there is no results.json: only cases.jsonl was checked, "
                                    "without the suite, the device and what was computed\n");
    }
    if (lines.torn) {
        gb_buf_add(&c.report, "note: cases.jsonl ends in a torn line, which was left out\n");
    }
    check_suite(&c, listed.document);
    code = check_records(&c, &lines, &listed, err);
    if (code == GB_OK) {
        code = gb_buf_take(&c.report, report, err);
    }
    if (code == GB_OK && c.differences > 0) {
        code = gb_fail(err, GB_WRONG_RESULT, "%zu difference%s between %s and what it follows from",
                       c.differences, c.differences == 1 ? "" : "s", path);
    }
done:
    gb_buf_free(&c.report);
    json_decref(c.unknown);
    gb_results_free(&listed);
    gb_results_free(&lines);
    return code;
}
