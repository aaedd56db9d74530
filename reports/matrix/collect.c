/* The classes that the runs' suites declare, and each of their cases on each machine. */
#include <stdlib.h>
#include <string.h>

#include "reports/matrix/internal.h"

static gb_code no_memory(gb_error *err)
{
    return gb_fail(err, GB_NO_MEMORY, "out of memory for a matrix");
}

static const json_t *suite_of(const gb_results *results)
{
    return json_object_get(results->document, "suite");
}

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* ---- classes ---- */

static const json_t *class_of(const gb_results *results, const char *name)
{
    size_t i;
    const json_t *class;
    json_array_foreach(json_object_get(suite_of(results), "classes"), i, class)
    {
        const char *other = text_of(class, "name");
        if (other != NULL && strcmp(other, name) == 0) {
            return class;
        }
    }
    return NULL;
}

static gb_code add_class(gb_matrix *m, const char *path, const json_t *class, gb_error *err)
{
    const char *name = text_of(class, "name"), *title = text_of(class, "title");
    const char *unit = text_of(class, "unit"), *better = text_of(class, "better");
    if (name == NULL || unit == NULL || better == NULL ||
        (strcmp(better, "higher") != 0 && strcmp(better, "lower") != 0)) {
        return gb_fail(err, GB_INVALID,
                       "%s: suite.classes: a class needs name, unit and better (higher or lower)",
                       path);
    }
    for (size_t i = 0; i < m->n_classes; i++) {
        if (strcmp(m->classes[i].name, name) == 0) {
            return GB_OK;
        }
    }
    gb_matrix_class *grown = realloc(m->classes, (m->n_classes + 1) * sizeof grown[0]);
    if (grown == NULL) {
        return no_memory(err);
    }
    m->classes = grown;
    gb_matrix_class *out = &m->classes[m->n_classes++];
    *out = (gb_matrix_class){.name = gb_text_copy(name),
                             .title = gb_text_copy(title != NULL ? title : name),
                             .unit = gb_text_copy(unit),
                             .higher_is_better = strcmp(better, "higher") == 0,
                             .weight = (double)NAN,
                             .cells = calloc(m->n_machines + 1, sizeof out->cells[0])};
    bool good = out->name != NULL && out->title != NULL && out->unit != NULL && out->cells != NULL;
    return good ? GB_OK : no_memory(err);
}

static gb_code add_classes(gb_matrix *m, gb_error *err)
{
    gb_code code = GB_OK;
    for (size_t i = 0; i < m->n_runs; i++) {
        size_t k;
        const json_t *class;
        json_array_foreach(json_object_get(suite_of(m->runs[i].results), "classes"), k, class)
        {
            if (code == GB_OK) {
                code = add_class(m, m->runs[i].path, class, err);
            }
        }
    }
    if (code == GB_OK && m->n_classes == 0) {
        code = gb_fail(err, GB_INVALID,
                       "none of these runs has classes of work to compare machines by: measure "
                       "suites/procurement.yaml, or declare classes in your suite");
    }
    return code;
}

/* ---- cases ---- */

static gb_class_case *find_case(const gb_matrix_class *class, const json_t *index, const char *id,
                                const char *metric)
{
    char *key = gb_text_format("%s %s", metric, id);
    const json_t *place = key != NULL ? json_object_get(index, key) : NULL;
    free(key);
    return place != NULL ? &class->cases[json_integer_value(place)] : NULL;
}

static gb_code add_case(gb_matrix *m, gb_matrix_class *class, json_t *index, size_t *capacity,
                        const char *id, const char *metric, gb_error *err)
{
    if (class->n_cases == *capacity) {
        *capacity = *capacity == 0 ? 16 : 2 * *capacity;
        gb_class_case *grown = realloc(class->cases, *capacity * sizeof grown[0]);
        if (grown == NULL) {
            return no_memory(err);
        }
        class->cases = grown;
    }
    gb_class_case *out = &class->cases[class->n_cases++];
    *out = (gb_class_case){.case_id = gb_text_copy(id),
                           .metric = gb_text_copy(metric),
                           .points = calloc(m->n_machines + 1, sizeof out->points[0])};
    char *key = gb_text_format("%s %s", metric, id);
    bool good = key != NULL && out->case_id != NULL && out->metric != NULL && out->points != NULL &&
                json_object_set_new(index, key, json_integer((json_int_t) class->n_cases - 1)) == 0;
    free(key);
    return good ? GB_OK : no_memory(err);
}

/* All cases that any run declares for the class, and who declares which. */
static gb_code add_cases(gb_matrix *m, gb_matrix_class *class, gb_error *err)
{
    size_t capacity = 0;
    json_t *index = json_object();
    gb_code code = index != NULL ? GB_OK : no_memory(err);
    for (size_t i = 0; code == GB_OK && i < m->n_machines; i++) {
        const json_t *declared = class_of(m->machines[i].results, class->name), *entry;
        const char *unit = text_of(declared, "unit"), *better = text_of(declared, "better");
        size_t k;
        if (unit == NULL || better == NULL || strcmp(unit, class->unit) != 0 ||
            (strcmp(better, "higher") == 0) != class->higher_is_better) {
            continue; /* another class by that name: a gap */
        }
        json_array_foreach(json_object_get(declared, "cases"), k, entry)
        {
            const char *id = text_of(entry, "case"), *metric = text_of(entry, "metric");
            if (code != GB_OK || id == NULL || metric == NULL) {
                continue;
            }
            gb_class_case *c = find_case(class, index, id, metric);
            if (c == NULL) {
                code = add_case(m, class, index, &capacity, id, metric, err);
                c = code == GB_OK ? &class->cases[class->n_cases - 1] : NULL;
            }
            if (c != NULL) {
                c->points[i].declared = true;
            }
        }
    }
    json_decref(index);
    return code;
}

/* ---- a case on a machine ---- */

static int by_id(const void *key, const void *element)
{
    const gb_row *row = *(const gb_row *const *)element;
    return strcmp(key, row->first->case_id);
}

static gb_code because(gb_point *p, gb_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static gb_code because(gb_point *p, gb_error *err, const char *format, ...)
{
    gb_buf text = {0};
    va_list args;
    va_start(args, format);
    gb_buf_vprintf(&text, format, args);
    va_end(args);
    p->why = text.failed || text.data == NULL ? NULL : gb_text_printable(text.data);
    gb_buf_free(&text);
    return p->why != NULL ? GB_OK : no_memory(err);
}

/* Why a row counts for nothing, whatever its values are; NULL: it counts. */
static const gb_record *bad_record(const gb_row *row, const char **what)
{
    for (size_t i = 0; i < row->n; i++) {
        const gb_record *r = row->replicates[i];
        *what =
            r->status != GB_STATUS_OK ? gb_status_word(r->status) : gb_flags_no_result(r->flags);
        if (*what == NULL && r->verified != 1) {
            *what = "answers not verified";
        }
        if (*what != NULL) {
            return r;
        }
    }
    return NULL;
}

static double watts_of(const gb_row *row)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < row->n; i++) {
        const json_t *watts = json_object_get(row->replicates[i]->telemetry, "power_w");
        if (json_is_number(watts) && json_number_value(watts) > 0) {
            sum += json_number_value(watts);
            n++;
        }
    }
    return n == row->n && n > 0 ? sum / (double)n : (double)NAN;
}

/* Mean logarithm over the replicates, its variance, degrees of freedom. Replicates that agree
 * better than the timer's ticks allow only agree on the tick. */
static void summarise(gb_point *p, const double y[], double floors)
{
    double sum = 0, squares = 0, n = (double)p->n;
    for (size_t i = 0; i < p->n; i++) {
        sum += y[i];
    }
    p->ln_mean = sum / n;
    p->value = exp(p->ln_mean);
    for (size_t i = 0; i < p->n; i++) {
        squares += (y[i] - p->ln_mean) * (y[i] - p->ln_mean);
    }
    p->df = p->n > 1 ? n - 1 : (double)NAN;
    p->variance = p->n > 1 ? fmax(squares / (n - 1), floors / n) / n : (double)NAN;
}

/* Takes the values of an ok row; p->n stays 0 where a replicate has none. */
static gb_code take_values(const gb_matrix_class *class, const gb_class_case *c, gb_point *p,
                           gb_error *err)
{
    const gb_row *row = p->row;
    double *y = calloc(row->n + 1, sizeof y[0]), floors = 0;
    gb_code code = y != NULL ? GB_OK : no_memory(err);
    bool time = strcmp(c->metric, "time") == 0;
    for (size_t i = 0; code == GB_OK && p->why == NULL && i < row->n; i++) {
        const gb_record *r = row->replicates[i];
        const gb_metric *metric = time ? NULL : gb_record_metric(r, c->metric);
        double value = time ? r->time.median : metric != NULL ? metric->value : (double)NAN;
        const char *unit = time ? "ns" : metric != NULL ? metric->unit : class->unit;
        bool higher = time             ? false
                      : metric != NULL ? metric->higher_is_better
                                       : class->higher_is_better;
        if (strcmp(unit, class->unit) != 0 || higher != class->higher_is_better) {
            code = because(p, err, "%s is in %s, %s is better, unlike the class", c->metric, unit,
                           higher ? "higher" : "lower");
        } else if (!(value > 0 && isfinite(value))) {
            const char *why = metric != NULL && metric->reason[0] != '\0' ? metric->reason : "";
            code =
                because(p, err, "no value of %s%s%s", c->metric, why[0] != '\0' ? ": " : "", why);
        } else {
            y[i] = log(value);
            floors += gb_record_step_variance(r);
        }
    }
    if (code == GB_OK && p->why == NULL) {
        p->n = row->n;
        p->ok = true;
        summarise(p, y, floors);
        p->watts = watts_of(row);
    }
    free(y);
    return code;
}

static gb_code fill_point(const gb_matrix_class *class, const gb_class_case *c,
                          const gb_machine *machine, gb_point *p, gb_error *err)
{
    p->value = p->ln_mean = p->variance = p->df = p->watts = (double)NAN;
    if (!p->declared) {
        return because(p, err, "not among its cases");
    }
    const gb_row *const *row =
        machine->n_rows > 0
            ? bsearch(c->case_id, machine->rows, machine->n_rows, sizeof(gb_row *), by_id)
            : NULL;
    if (row == NULL) {
        return because(p, err, "not measured");
    }
    p->row = *row;
    const char *what = NULL;
    const gb_record *bad = bad_record(*row, &what);
    if (bad == NULL) {
        return take_values(class, c, p, err);
    }
    return because(p, err, "%s%s%s", what, bad->reason != NULL ? ": " : "",
                   bad->reason != NULL ? bad->reason : "");
}

/* ---- the whole ---- */

/* Runs of other suites: only what is defined alike counts, and a reader should know. */
static gb_code warn_of_suites(gb_matrix *m, gb_error *err)
{
    const json_t *first = suite_of(m->runs[0].results);
    const char *hash = text_of(first, "sha256");
    gb_code code = GB_OK;
    for (size_t i = 1; code == GB_OK && i < m->n_runs; i++) {
        const json_t *other = suite_of(m->runs[i].results);
        const char *another = text_of(other, "sha256");
        if (hash == NULL || another == NULL || strcmp(hash, another) != 0) {
            const char *a = text_of(first, "name"), *b = text_of(other, "name");
            code = gb_matrix_warn(
                m, err, "suite",
                "%s (suite %s, %.8s) and %s (suite %s, %.8s) were not measured by "
                "the same suite file: only cases that are defined alike count",
                m->runs[0].path, a != NULL ? a : "unknown", hash != NULL ? hash : "unknown",
                m->runs[i].path, b != NULL ? b : "unknown", another != NULL ? another : "unknown");
        }
    }
    return code;
}

gb_code gb_matrix_collect(gb_matrix *m, gb_error *err)
{
    gb_code code = add_classes(m, err);
    for (size_t i = 0; code == GB_OK && i < m->n_classes; i++) {
        gb_matrix_class *class = &m->classes[i];
        code = add_cases(m, class, err);
        for (size_t k = 0; code == GB_OK && k < class->n_cases; k++) {
            for (size_t d = 0; code == GB_OK && d < m->n_machines; d++) {
                code = fill_point(class, &class->cases[k], &m->machines[d],
                                  &class->cases[k].points[d], err);
            }
        }
    }
    return code == GB_OK ? warn_of_suites(m, err) : code;
}
