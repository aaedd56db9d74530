/* The table of a benchmark as columns and lines: one line a case, its devices side by side. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/findings.h"
#include "reports/page/parts.h"

static gb_code no_memory(gb_error *err)
{
    return gb_fail(err, GB_NO_MEMORY, "out of memory for a table");
}

static const json_t *param_of(const gb_row *row, const char *param)
{
    return json_object_get(row->first->params, param);
}

bool gb_group_varies(const gb_group *group, const char *param)
{
    const json_t *first = param_of(group->rows[0], param);
    for (size_t i = 1; i < group->n; i++) {
        const json_t *other = param_of(group->rows[i], param);
        if ((first == NULL) != (other == NULL) || (first != NULL && !json_equal(first, other))) {
            return true;
        }
    }
    return false;
}

void gb_group_common(const gb_group *group, gb_buf *text)
{
    const char *param;
    json_t *value;
    json_object_foreach(group->rows[0]->first->params, param, value)
    {
        char shown[160];
        if (!gb_group_varies(group, param)) {
            gb_buf_printf(text, "%s%s %s", text->length > 0 ? ", " : "", param,
                          gb_row_param_text(group->rows[0], param, shown, sizeof shown));
        }
    }
}

static bool timers_vary(const gb_group *group)
{
    for (size_t i = 1; i < group->n; i++) {
        if (group->rows[i]->first->timer != group->rows[0]->first->timer) {
            return true;
        }
    }
    return false;
}

static bool caches_vary(const gb_group *group)
{
    for (size_t i = 1; i < group->n; i++) {
        if (group->rows[i]->first->cache != group->rows[0]->first->cache) {
            return true;
        }
    }
    return false;
}

static bool add_column(gb_lines *lines, gb_column_kind kind, const char *name, const char *unit,
                       int device, bool number, char *title)
{
    if (lines->n_columns == lines->columns_capacity) {
        size_t capacity = lines->columns_capacity > 0 ? 2 * lines->columns_capacity : 16;
        gb_column *columns = realloc(lines->columns, capacity * sizeof *columns);
        if (columns == NULL) {
            free(title);
            return false;
        }
        lines->columns = columns;
        lines->columns_capacity = capacity;
    }
    lines->columns[lines->n_columns++] = (gb_column){.kind = kind,
                                                     .name = name,
                                                     .unit = unit,
                                                     .device = device,
                                                     .number = number,
                                                     .title = title};
    return title != NULL;
}

static bool all_numbers(const gb_group *group, const char *param)
{
    for (size_t i = 0; i < group->n; i++) {
        if (!json_is_number(param_of(group->rows[i], param))) {
            return false;
        }
    }
    return true;
}

static bool known_column(const gb_lines *lines, gb_column_kind kind, const char *name)
{
    for (size_t i = 0; i < lines->n_columns; i++) {
        if (lines->columns[i].kind == kind && strcmp(lines->columns[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Parameters in the order of the first row, then those that only other rows have. */
static bool param_columns(const gb_group *group, gb_lines *lines)
{
    for (size_t i = 0; i < group->n; i++) {
        const char *param;
        json_t *value;
        json_object_foreach(group->rows[i]->first->params, param, value)
        {
            if (gb_group_varies(group, param) && !known_column(lines, GB_COLUMN_PARAM, param) &&
                !add_column(lines, GB_COLUMN_PARAM, param, "", -1, all_numbers(group, param),
                            gb_text_copy(param))) {
                return false;
            }
        }
    }
    return (!timers_vary(group) ||
            add_column(lines, GB_COLUMN_TIMER, "timer", "", -1, false, gb_text_copy("timer"))) &&
           (!caches_vary(group) ||
            add_column(lines, GB_COLUMN_CACHE, "cache", "", -1, false, gb_text_copy("cache")));
}

static bool has_row(const gb_lines *lines, size_t device)
{
    for (size_t i = 0; i < lines->n; i++) {
        if (lines->lines[i].rows[device] != NULL) {
            return true;
        }
    }
    return false;
}

static double percentile(const gb_row *row, int percent)
{
    return percent == 99 ? gb_row_p99(row) : gb_row_p95(row);
}

/* Whether a metric of the kernel's own is the same percentile of the same times ("latency_p95"). */
static bool has_own(const gb_row *row, int percent)
{
    char end[8];
    const gb_record *r = row->first;
    snprintf(end, sizeof end, "_p%d", percent);
    for (size_t m = 0; m < r->n_metrics; m++) {
        const char *at = strstr(r->metrics[m].name, end);
        if (at != NULL && at[strlen(end)] == '\0' &&
            r->metrics[m].value == (percent == 99 ? r->time.p99 : r->time.p95)) {
            return true;
        }
    }
    return false;
}

static bool has_percentile(const gb_group *group, int percent)
{
    for (size_t i = 0; i < group->n; i++) {
        /* Elsewhere a sample is one iteration now and then, by its length. */
        if (group->rows[i]->first->timer != GB_TIMER_DEVICE && !has_own(group->rows[i], percent) &&
            isfinite(percentile(group->rows[i], percent))) {
            return true;
        }
    }
    return false;
}

static bool has_peak(const gb_lines *lines, const char *metric, size_t device)
{
    for (size_t i = 0; i < lines->n; i++) {
        const gb_row *row = lines->lines[i].rows[device];
        const gb_metric *found = row != NULL ? gb_record_metric(row->first, metric) : NULL;
        if (found != NULL && found->peak > 0) {
            return true;
        }
    }
    return false;
}

/* One column a device where there are several, with the device's name. */
static bool device_columns(const gb_sheet *sheet, gb_lines *lines, gb_column_kind kind,
                           const char *name, const char *unit, const char *title)
{
    bool several = sheet->n_devices > 1;
    for (size_t d = 0; d < lines->n_devices; d++) {
        if (!has_row(lines, d) || (kind == GB_COLUMN_PEAK && !has_peak(lines, name, d))) {
            continue;
        }
        char letter[16];
        char *whole =
            several ? gb_text_format("%s %s", title, gb_sheet_letter((int)d, letter, sizeof letter))
                    : gb_text_copy(title);
        if (!add_column(lines, kind, name, unit, (int)d, true, whole)) {
            return false;
        }
    }
    return true;
}

static bool metric_columns(const gb_sheet *sheet, const gb_group *group, gb_lines *lines)
{
    for (size_t i = 0; i < group->n; i++) {
        for (size_t r = 0; r < group->rows[i]->n; r++) {
            const gb_record *record = group->rows[i]->replicates[r];
            for (size_t m = 0; m < record->n_metrics; m++) {
                const gb_metric *metric = &record->metrics[m];
                /* A name is built from known parts alone; what was dropped is counted and said. */
                if (!isfinite(metric->value) || metric->name[0] == '\0' ||
                    metric->unit[0] == '\0' ||
                    known_column(lines, GB_COLUMN_METRIC, metric->name)) {
                    continue;
                }
                if (!device_columns(sheet, lines, GB_COLUMN_METRIC, metric->name, metric->unit,
                                    metric->name) ||
                    !device_columns(sheet, lines, GB_COLUMN_PEAK, metric->name, metric->unit,
                                    "of peak")) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* What a case is apart from the device: rows with equal keys share a line. */
static char *line_key(const gb_row *row)
{
    static const char *const none[] = {NULL};
    char *params = gb_row_key(row, none);
    char *key = params != NULL ? gb_text_format("%d %d %s", (int)row->first->timer,
                                                (int)row->first->cache, params)
                               : NULL;
    free(params);
    return key;
}

static gb_code make_lines(const gb_group *group, gb_lines *out, gb_error *err)
{
    json_t *index = json_object();
    out->lines = calloc(group->n + 1, sizeof *out->lines);
    out->places = calloc(group->n * out->n_devices + 1, sizeof *out->places);
    bool done = index != NULL && out->lines != NULL && out->places != NULL;
    for (size_t i = 0; done && i < group->n; i++) {
        const gb_row *row = group->rows[i];
        if (!gb_row_measured(row) || row->first->device < 0) {
            continue;
        }
        char *key = line_key(row);
        const json_t *found = key != NULL ? json_object_get(index, key) : NULL;
        size_t at = found != NULL ? (size_t)json_integer_value(found) : out->n;
        if (found == NULL) {
            done =
                key != NULL && json_object_set_new(index, key, json_integer((json_int_t)at)) == 0;
            out->lines[at] = (gb_line){.rows = &out->places[at * out->n_devices], .any = row};
            out->n += done;
        }
        if (done) {
            out->lines[at].rows[row->first->device] = row;
        }
        free(key);
    }
    json_decref(index);
    return done ? GB_OK : no_memory(err);
}

gb_code gb_lines_make(const gb_sheet *sheet, const gb_group *group, gb_lines *out, gb_error *err)
{
    *out = (gb_lines){.n_devices = sheet->n_devices};
    gb_code code = make_lines(group, out, err);
    bool several = sheet->n_devices > 1;
    bool done = code == GB_OK && param_columns(group, out) &&
                device_columns(sheet, out, GB_COLUMN_TIME, "time", "ns", "time") &&
                (several || device_columns(sheet, out, GB_COLUMN_HALF, "time", "", "\xc2\xb1")) &&
                (!has_percentile(group, 95) ||
                 device_columns(sheet, out, GB_COLUMN_P95, "p95", "ns", "p95")) &&
                (!has_percentile(group, 99) ||
                 device_columns(sheet, out, GB_COLUMN_P99, "p99", "ns", "p99")) &&
                metric_columns(sheet, group, out) &&
                add_column(out, GB_COLUMN_NOTES, "notes", "", -1, false, gb_text_copy("notes"));
    if (code == GB_OK && !done) {
        code = no_memory(err);
    }
    if (code != GB_OK) {
        gb_lines_free(out);
    }
    return code;
}

void gb_lines_free(gb_lines *lines)
{
    for (size_t i = 0; i < lines->n_columns; i++) {
        free(lines->columns[i].title);
    }
    free(lines->columns);
    free(lines->lines);
    free(lines->places);
    *lines = (gb_lines){0};
}
