/* What a report is made from, brought together once: rows by benchmark, findings, counts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/page/parts.h"
#include "reports/roofs.h"

static gb_code no_memory(gb_error *err)
{
    return gb_fail(err, GB_NO_MEMORY, "out of memory for a report");
}

static gb_group *group_of(gb_sheet *sheet, const gb_row *row)
{
    for (size_t i = 0; i < sheet->n_groups; i++) {
        if (strcmp(sheet->groups[i].benchmark, row->first->benchmark) == 0) {
            return &sheet->groups[i];
        }
    }
    gb_group *groups = realloc(sheet->groups, (sheet->n_groups + 1) * sizeof *groups);
    if (groups == NULL) {
        return NULL;
    }
    sheet->groups = groups;
    groups[sheet->n_groups] =
        (gb_group){.benchmark = row->first->benchmark, .kernel = row->first->kernel};
    return &groups[sheet->n_groups++];
}

static bool group_add(gb_group *group, const gb_row *row)
{
    if (group->n == group->capacity) {
        size_t capacity = group->capacity > 0 ? 2 * group->capacity : 16;
        const gb_row **rows = realloc(group->rows, capacity * sizeof *rows);
        if (rows == NULL) {
            return false;
        }
        group->rows = rows;
        group->capacity = capacity;
    }
    group->rows[group->n++] = row;
    group->n_measured += gb_row_measured(row);
    return true;
}

static void count_row(gb_tally *tally, const gb_row *row)
{
    tally->rows++;
    tally->by_status[row->status]++;
    tally->measured += gb_row_measured(row);
    tally->partly += gb_row_partly(row);
    tally->doubtful += gb_row_doubtful(row);
    for (int f = 0; gb_row_measured(row) && f < GB_FLAG_COUNT; f++) {
        tally->flags[f] += (row->flags & GB_BIT(f)) != 0;
    }
    for (size_t r = 0; r < row->n; r++) {
        for (size_t m = 0; m < row->replicates[r]->n_metrics; m++) {
            const gb_metric *metric = &row->replicates[r]->metrics[m];
            tally->nameless +=
                isfinite(metric->value) && (metric->name[0] == '\0' || metric->unit[0] == '\0');
        }
    }
}

static void count_expectations(gb_tally *tally, const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *word = json_string_value(json_object_get(json_array_get(list, i), "outcome"));
        tally->met += word != NULL && strcmp(word, "met") == 0;
        tally->unmet += word != NULL && strcmp(word, "FAILED") == 0;
        tally->unknown += word != NULL && strcmp(word, "unknown") == 0;
    }
}

static void count_runs(gb_sheet *sheet)
{
    const json_t *runs = json_object_get(sheet->results->document, "runs");
    size_t n = json_array_size(runs);
    gb_tally *tally = &sheet->tally;
    tally->runs = n > 0 ? n : 1;
    if (n == 0) {
        tally->runs_complete = sheet->results->complete;
    }
    for (size_t i = 0; i < n; i++) {
        tally->runs_complete += json_is_true(json_object_get(json_array_get(runs, i), "complete"));
    }
}

static void look_at_devices(gb_sheet *sheet)
{
    sheet->only_cpu = true;
    sheet->n_devices = 1;
    int last = -1;
    for (size_t i = 0; i < sheet->table.n; i++) {
        int device = sheet->table.rows[i].first->device;
        if (device == last) {
            continue;
        }
        last = device;
        bool cpu = strcmp(gb_results_device_kind(sheet->results, device), "cpu") == 0;
        sheet->cpu |= cpu;
        sheet->only_cpu &= cpu;
        if (device >= 0 && (size_t)device + 1 > sheet->n_devices) {
            sheet->n_devices = (size_t)device + 1;
        }
    }
    if (sheet->table.n == 0) {
        sheet->only_cpu = sheet->cpu =
            strcmp(gb_results_device_kind(sheet->results, 0), "cpu") == 0;
    }
}

gb_code gb_sheet_open(const gb_results *results, const gb_pictures *pictures, gb_sheet *sheet,
                      gb_error *err)
{
    *sheet = (gb_sheet){.results = results, .pictures = pictures};
    gb_code code = gb_table_make(results, &sheet->table, err);
    if (code == GB_OK) {
        gb_roofs_flag(results, &sheet->table);
        code = gb_report_fits(results, &sheet->fits, err);
    }
    if (code == GB_OK) {
        code = gb_report_findings(results, &sheet->findings, err);
    }
    if (code == GB_OK) {
        code = gb_report_muted(results, sheet->findings, &sheet->muted, err);
    }
    for (size_t i = 0; code == GB_OK && i < sheet->table.n; i++) {
        const gb_row *row = &sheet->table.rows[i];
        gb_group *group = group_of(sheet, row);
        if (group == NULL || !group_add(group, row)) {
            code = no_memory(err);
        }
        count_row(&sheet->tally, row);
    }
    if (code == GB_OK) {
        count_expectations(&sheet->tally, json_object_get(results->document, "expectations"));
        count_runs(sheet);
        look_at_devices(sheet);
    } else {
        gb_sheet_close(sheet);
    }
    return code;
}

void gb_sheet_close(gb_sheet *sheet)
{
    for (size_t i = 0; i < sheet->n_groups; i++) {
        free(sheet->groups[i].rows);
    }
    free(sheet->groups);
    json_decref(sheet->fits);
    json_decref(sheet->findings);
    gb_buf_free(&sheet->muted);
    gb_table_free(&sheet->table);
    *sheet = (gb_sheet){0};
}

const json_t *gb_sheet_run(const gb_sheet *sheet, size_t i)
{
    const json_t *run = json_array_get(json_object_get(sheet->results->document, "runs"), i);
    return run != NULL ? run : sheet->results->document;
}

const char *gb_sheet_text(const json_t *run, const char *object, const char *key)
{
    const char *text = json_string_value(json_object_get(json_object_get(run, object), key));
    return text != NULL ? text : "";
}

static const json_t *device_json(const gb_sheet *sheet, int device)
{
    return json_array_get(json_object_get(sheet->results->document, "devices"),
                          device < 0 ? 0 : (size_t)device);
}

size_t gb_sheet_run_of(const gb_sheet *sheet, int device)
{
    json_int_t run = json_integer_value(json_object_get(device_json(sheet, device), "run"));
    return run > 0 ? (size_t)run : 0;
}

const char *gb_sheet_letter(int device, char *buf, size_t size)
{
    if (device >= 0 && device < 26) {
        snprintf(buf, size, "%c", 'A' + device);
    } else {
        snprintf(buf, size, "D%d", device + 1);
    }
    return buf;
}

void gb_say_devices(const gb_sheet *sheet, gb_buf *text)
{
    for (size_t d = 0; sheet->n_devices > 1 && d < sheet->n_devices; d++) {
        char letter[16];
        gb_buf_printf(text, "%s%s: %s", d > 0 ? ", " : "",
                      gb_sheet_letter((int)d, letter, sizeof letter),
                      gb_results_device_label(sheet->results, (int)d));
    }
}

double gb_sheet_noise(const gb_sheet *sheet, int device, const char **measured)
{
    const json_t *selftest = json_object_get(device_json(sheet, device), "selftest");
    const json_t *floor = json_object_get(selftest, "noise_floor");
    if (measured != NULL) {
        *measured = json_string_value(json_object_get(selftest, "measured"));
    }
    return json_is_number(floor) ? json_number_value(floor) : NAN;
}
