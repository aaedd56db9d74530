/* The cells of a benchmark's table: text, sort key in base units, class. */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "reports/findings.h"
#include "reports/page/parts.h"

/* Whether all devices that have the case say the same of it. */
static bool same_notes(const gb_lines *lines, const gb_line *line)
{
    gb_buf first = {0};
    bool same = true;
    gb_say_notes(line->any, &first);
    for (size_t d = 0; d < lines->n_devices; d++) {
        gb_buf notes = {0};
        if (line->rows[d] != NULL) {
            gb_say_notes(line->rows[d], &notes);
            same = same && first.length == notes.length &&
                   (notes.length == 0 || strcmp(first.data, notes.data) == 0);
        }
        gb_buf_free(&notes);
    }
    gb_buf_free(&first);
    return same;
}

/* The notes of all devices, each with its letter where they differ. */
static void notes_cell(const gb_lines *lines, const gb_line *line, gb_buf *text,
                       const char **class_name)
{
    bool same = same_notes(lines, line);
    uint32_t flags = 0;
    const char *separator = "";
    *class_name = "text dim";
    for (size_t d = 0; d < lines->n_devices; d++) {
        gb_buf notes = {0};
        char letter[16];
        const gb_row *row = line->rows[d];
        if (row == NULL) {
            continue;
        }
        gb_say_notes(row, &notes);
        if (gb_row_partly(row)) {
            *class_name = "text warn";
        }
        flags |= row->flags;
        if (notes.length > 0 && !(same && text->length > 0)) {
            gb_buf_add(text, separator);
            if (!same) {
                gb_buf_printf(text, "%s: ", gb_sheet_letter((int)d, letter, sizeof letter));
            }
            gb_buf_add(text, notes.data);
            separator = "; ";
        }
        gb_buf_free(&notes);
    }
    for (int f = 0; f < GB_FLAG_COUNT; f++) {
        const char *class_of = gb_flag_class((gb_flag)f);
        if ((flags & GB_BIT(f)) != 0 && strcmp(class_of, "bad") == 0) {
            *class_name = "text bad";
        } else if ((flags & GB_BIT(f)) != 0 && strcmp(class_of, "warn") == 0 &&
                   strcmp(*class_name, "text dim") == 0) {
            *class_name = "text warn";
        }
    }
}

/* Cells of one device: value and unit together, the value in base units as the sort key. */
static void value_cell(const gb_sheet *sheet, const gb_row *row, const gb_column *column,
                       gb_buf *text, double *sort)
{
    char buf[64], half[32];
    const char *unit;
    bool higher;
    switch (column->kind) {
    case GB_COLUMN_TIME:
        *sort = row->time_ns;
        gb_buf_add(text, gb_format_ns(*sort, buf, sizeof buf));
        if (sheet->n_devices > 1 && isfinite(row->plus_minus)) {
            gb_buf_printf(text, " \xc2\xb1 %s", gb_format_half(row->plus_minus, half, sizeof half));
        }
        break;
    case GB_COLUMN_HALF:
        *sort = row->plus_minus;
        gb_buf_add(text, gb_format_half(*sort, buf, sizeof buf));
        break;
    case GB_COLUMN_P95:
    case GB_COLUMN_P99:
        *sort = column->kind == GB_COLUMN_P99 ? gb_row_p99(row) : gb_row_p95(row);
        gb_buf_add(text, isfinite(*sort) ? gb_format_ns(*sort, buf, sizeof buf) : "");
        break;
    case GB_COLUMN_METRIC:
        *sort = gb_row_metric(row, column->name, &unit, &higher);
        gb_buf_add(text,
                   isfinite(*sort) ? gb_format_rate(*sort, column->unit, buf, sizeof buf) : "");
        break;
    default: /* GB_COLUMN_PEAK */
        *sort = gb_row_share_of_peak(row, column->name);
        gb_buf_add(text, isfinite(*sort) ? gb_format_percent(*sort, buf, sizeof buf) : "");
        break;
    }
}

void gb_lines_cell(const gb_sheet *sheet, const gb_lines *lines, const gb_line *line,
                   const gb_column *column, gb_buf *text, double *sort, const char **class_name)
{
    char buf[160];
    *sort = NAN;
    *class_name = column->number ? "num" : NULL;
    gb_buf_add(text, "");
    switch (column->kind) {
    case GB_COLUMN_PARAM:
        gb_buf_add(text, gb_row_param_text(line->any, column->name, buf, sizeof buf));
        if (column->number) {
            gb_row_number(line->any, column->name, sort);
        }
        break;
    case GB_COLUMN_TIMER:
        gb_buf_add(text, gb_timer_word(line->any->first->timer));
        break;
    case GB_COLUMN_CACHE:
        gb_buf_add(text, gb_cache_word(line->any->first->cache));
        break;
    case GB_COLUMN_NOTES:
        notes_cell(lines, line, text, class_name);
        break;
    default:
        if (line->rows[column->device] != NULL) {
            value_cell(sheet, line->rows[column->device], column, text, sort);
        }
        break;
    }
}
