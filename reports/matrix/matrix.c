/* Machines from run directories, and what they cost. */
#include "reports/matrix/matrix.h"

#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "reports/matrix/internal.h"

gb_code gb_matrix_warn(gb_matrix *m, gb_error *err, const char *code, const char *format, ...)
{
    gb_buf text = {0};
    va_list args;
    va_start(args, format);
    gb_buf_vprintf(&text, format, args);
    va_end(args);
    char *safe = text.failed || text.data == NULL ? NULL : gb_text_printable(text.data);
    int failed = safe == NULL || json_array_append_new(m->warnings, json_pack("{s:s, s:s}", "code",
                                                                              code, "text", safe));
    free(safe);
    gb_buf_free(&text);
    return failed ? gb_fail(err, GB_NO_MEMORY, "out of memory for a matrix") : GB_OK;
}

/* ---- names ---- */

size_t gb_matrix_path_length(const char *path)
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/') {
        n--;
    }
    return n;
}

bool gb_matrix_same_path(const char *a, const char *b)
{
    size_t n = gb_matrix_path_length(a);
    return n == gb_matrix_path_length(b) && memcmp(a, b, n) == 0;
}

const char *gb_matrix_last_part(const char *path, size_t *n)
{
    size_t end = gb_matrix_path_length(path), from = end;
    while (from > 0 && path[from - 1] != '/') {
        from--;
    }
    *n = end - from;
    return *n > 0 ? path + from : (*n = end, path);
}

static bool same_last_part(const char *a, const char *b)
{
    size_t n, k;
    const char *x = gb_matrix_last_part(a, &n), *y = gb_matrix_last_part(b, &k);
    return n == k && memcmp(x, y, n) == 0;
}

static char *machine_name(const gb_matrix_run runs[], size_t n, size_t run, int device,
                          bool several)
{
    size_t length = gb_matrix_path_length(runs[run].path);
    const char *text = runs[run].path;
    bool unique = true;
    for (size_t i = 0; i < n; i++) {
        unique = unique && (i == run || !same_last_part(runs[i].path, text));
    }
    if (unique) {
        text = gb_matrix_last_part(text, &length);
    }
    return several ? gb_text_format("%.*s#%d", (int)length, text, device)
                   : gb_text_format("%.*s", (int)length, text);
}

/* ---- machines ---- */

bool gb_matrix_same_kind(const gb_matrix *m, size_t a, size_t b)
{
    return strcmp(m->machines[a].kind, m->machines[b].kind) == 0;
}

bool gb_matrix_first_of_kind(const gb_matrix *m, size_t machine)
{
    for (size_t i = 0; i < machine; i++) {
        if (gb_matrix_same_kind(m, i, machine)) {
            return false;
        }
    }
    return true;
}

static double positive(const json_t *value)
{
    double number = json_number_value(value);
    return json_is_number(value) && number > 0 ? number : (double)NAN;
}

static int by_case(const void *a, const void *b)
{
    const gb_row *x = *(const gb_row *const *)a, *y = *(const gb_row *const *)b;
    return strcmp(x->first->case_id, y->first->case_id);
}

static gb_code add_machine(gb_matrix *m, size_t run, int device, bool several, gb_error *err)
{
    gb_machine *out = &m->machines[m->n_machines++];
    const gb_matrix_run *from = &m->runs[run];
    const gb_table *table = &m->tables[run];
    const json_t *info =
        json_array_get(json_object_get(from->results->document, "devices"), (size_t)device);
    *out = (gb_machine){
        .name = machine_name(m->runs, m->n_runs, run, device, several),
        .run = run,
        .device = device,
        .results = from->results,
        .model = gb_results_device_name(from->results, device),
        .kind = gb_results_device_kind(from->results, device),
        .memory_bytes = positive(json_object_get(info, "memory_bytes")),
        .tdp_w = positive(json_object_get(json_object_get(info, "published"), "power_w")),
        .price = {.cards = 1},
        .differences = from->differences,
        .unchecked = from->unchecked,
        .incomplete = !from->results->complete,
        .fault = from->results->hardware_fault != NULL,
        .rows = calloc(table->n + 1, sizeof(gb_row *)),
        .score = (double)NAN,
        .score_low = (double)NAN,
        .score_high = (double)NAN,
        .score_half = (double)NAN};
    if (out->name == NULL || out->rows == NULL) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for a matrix");
    }
    out->cpu = strcmp(out->kind, "cpu") == 0;
    for (size_t i = 0; i < table->n; i++) {
        if (table->rows[i].first->device == device) {
            out->rows[out->n_rows++] = &table->rows[i];
        }
    }
    qsort(out->rows, out->n_rows, sizeof(gb_row *), by_case);
    return GB_OK;
}

static size_t devices_of(const gb_results *results)
{
    size_t n = json_array_size(json_object_get(results->document, "devices"));
    return n > 0 ? n : 1;
}

static const char *run_id(const gb_results *results)
{
    return json_string_value(json_object_get(json_object_get(results->document, "run"), "id"));
}

/* The same run in two places would stand for two machines. */
static gb_code check_runs(gb_matrix *m, gb_error *err)
{
    for (size_t i = 0; i < m->n_runs; i++) {
        for (size_t k = 0; k < i; k++) {
            const char *a = run_id(m->runs[k].results), *b = run_id(m->runs[i].results);
            if (gb_matrix_same_path(m->runs[i].path, m->runs[k].path)) {
                return gb_fail(err, GB_INVALID,
                               "%s is given twice: a machine is compared with others",
                               m->runs[i].path);
            }
            gb_code code = GB_OK;
            if (a != NULL && b != NULL && strcmp(a, b) == 0) {
                code = gb_matrix_warn(m, err, "same-run", "%s and %s hold the same run (%s)",
                                      m->runs[k].path, m->runs[i].path, a);
            }
            if (code != GB_OK) {
                return code;
            }
        }
    }
    return GB_OK;
}

static const char *unit_of(const gb_matrix *m, size_t machine)
{
    const gb_machine *one = &m->machines[machine];
    const json_t *devices = json_object_get(one->results->document, "devices");
    const char *uuid =
        json_string_value(json_object_get(json_array_get(devices, (size_t)one->device), "uuid"));
    return uuid != NULL ? uuid : "";
}

/* Several runs of one unit are no machines side by side. A warning for each such unit, naming all.
 */
static gb_code check_units(gb_matrix *m, gb_error *err)
{
    gb_code code = GB_OK;
    for (size_t i = 0; code == GB_OK && i < m->n_machines; i++) {
        const char *unit = unit_of(m, i);
        gb_buf names = {0};
        size_t n = 0;
        bool known = unit[0] == '\0';
        for (size_t k = 0; k < m->n_machines && !known; k++) {
            bool same = strcmp(unit_of(m, k), unit) == 0;
            known = same && k < i;
            if (same) {
                gb_buf_printf(&names, "%s%s", n++ > 0 ? ", " : "", m->machines[k].name);
            }
        }
        if (n > 1 && !known) {
            code = gb_matrix_warn(m, err, "same-unit",
                                  "%s were measured on the very same unit (%s): they are %zu runs "
                                  "of one machine, and what differs between them is no difference "
                                  "between machines",
                                  names.data != NULL ? names.data : "", unit, n);
        }
        gb_buf_free(&names);
    }
    return code;
}

gb_code gb_matrix_open(const gb_matrix_run runs[], size_t n, gb_matrix *out, gb_error *err)
{
    size_t machines = 0;
    gb_code code = GB_OK;
    *out = (gb_matrix){.runs = runs, .n_runs = n, .warnings = json_array()};
    for (size_t i = 0; i < n; i++) {
        machines += devices_of(runs[i].results);
    }
    out->machines = calloc(machines + 1, sizeof out->machines[0]);
    out->tables = calloc(n + 1, sizeof out->tables[0]);
    if (out->machines == NULL || out->tables == NULL || out->warnings == NULL) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for a matrix");
    }
    code = check_runs(out, err);
    for (size_t i = 0; code == GB_OK && i < n; i++) {
        size_t devices = devices_of(runs[i].results);
        code = gb_table_make(runs[i].results, &out->tables[i], err);
        for (size_t d = 0; code == GB_OK && d < devices; d++) {
            code = add_machine(out, i, (int)d, devices > 1, err);
        }
    }
    code = code == GB_OK ? check_units(out, err) : code;
    return code == GB_OK ? gb_matrix_collect(out, err) : code;
}

static void free_class(gb_matrix_class *class, size_t machines)
{
    for (size_t i = 0; i < class->n_cases; i++) {
        for (size_t k = 0; class->cases[i].points != NULL && k < machines; k++) {
            free(class->cases[i].points[k].why);
        }
        free(class->cases[i].points);
        free(class->cases[i].case_id);
        free(class->cases[i].metric);
    }
    for (size_t k = 0; class->cells != NULL && k < machines; k++) {
        free(class->cells[k].gap);
    }
    free(class->cases);
    free(class->cells);
    free(class->name);
    free(class->title);
    free(class->unit);
}

void gb_matrix_free(gb_matrix *matrix)
{
    for (size_t i = 0; i < matrix->n_classes; i++) {
        free_class(&matrix->classes[i], matrix->n_machines);
    }
    for (size_t i = 0; i < matrix->n_machines; i++) {
        free(matrix->machines[i].name);
        free(matrix->machines[i].no_score);
        free(matrix->machines[i].rows);
    }
    for (size_t i = 0; matrix->tables != NULL && i < matrix->n_runs; i++) {
        gb_table_free(&matrix->tables[i]);
    }
    free(matrix->classes);
    free(matrix->machines);
    free(matrix->tables);
    free(matrix->currency);
    json_decref(matrix->warnings);
    *matrix = (gb_matrix){0};
}

gb_code gb_matrix_fill(gb_matrix *matrix, gb_error *err)
{
    gb_code code = gb_matrix_cells(matrix, err);
    if (code == GB_OK) {
        code = gb_matrix_rank(matrix, err);
    }
    return code == GB_OK ? gb_matrix_scores(matrix, err) : code;
}
