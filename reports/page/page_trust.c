/* "Not trustworthy, and why": each doubt with what it means, how many cases it touches, and where.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "reports/page/parts.h"

/* Reasons that are shown one by one; the benchmarks' own tables have all. */
#define MOST_REASONS 20

static void doubt(gb_buf *out, const char *what, const char *class_name, size_t n,
                  const char *meaning, const char *where)
{
    char count[32];
    snprintf(count, sizeof count, "%zu", n);
    gb_html_row(out);
    gb_html_cell(out, what, NAN, class_name);
    gb_html_cell(out, count, (double)n, "num");
    gb_html_cell(out, meaning, NAN, "text");
    gb_html_cell(out, where, NAN, "text");
    gb_html_row_end(out);
}

/* The cases of one status, those with the same reason together. */
static void doubts_of_status(const gb_sheet *sheet, gb_status status, gb_buf *out)
{
    const gb_table *table = &sheet->table;
    bool *done = calloc(table->n + 1, sizeof *done);
    size_t shown = 0, beyond = 0;
    out->failed |= done == NULL;
    for (size_t i = 0; done != NULL && i < table->n; i++) {
        const gb_row *row = &table->rows[i];
        size_t n = 1;
        if (done[i] || row->status != status || gb_row_partly(row)) {
            continue;
        }
        for (size_t j = i + 1; j < table->n; j++) {
            if (table->rows[j].status == status && !gb_row_partly(&table->rows[j]) &&
                strcmp(gb_row_reason(row), gb_row_reason(&table->rows[j])) == 0) {
                done[j] = true;
                n++;
            }
        }
        if (shown++ >= MOST_REASONS) {
            beyond += n;
            continue;
        }
        gb_buf where = {0};
        gb_buf_printf(&where, "%s", row->first->case_id);
        if (n > 1) {
            gb_buf_printf(&where, " and %zu more", n - 1);
        }
        doubt(out, gb_status_word(status), status == GB_STATUS_SKIPPED ? "dim" : "bad", n,
              gb_row_reason(row), where.data != NULL ? where.data : "");
        gb_buf_free(&where);
    }
    if (beyond > 0) {
        doubt(out, gb_status_word(status), "bad", beyond, "further reasons",
              "see the tables of the benchmarks");
    }
    free(done);
}

static void doubts_of_expectations(const gb_sheet *sheet, gb_buf *out)
{
    const json_t *list = json_object_get(sheet->results->document, "expectations");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        const char *text = json_string_value(json_object_get(one, "text"));
        const char *word = json_string_value(json_object_get(one, "outcome"));
        const char *detail = json_string_value(json_object_get(one, "detail"));
        gb_buf meaning = {0};
        if (word == NULL || (strcmp(word, "FAILED") != 0 && strcmp(word, "unknown") != 0)) {
            continue;
        }
        gb_buf_printf(&meaning, "expected %s; %s", text != NULL ? text : "",
                      detail != NULL ? detail : "no figure");
        const char *benchmark = json_string_value(json_object_get(one, "benchmark"));
        doubt(out, strcmp(word, "FAILED") == 0 ? "expectation failed" : "expectation unknown",
              "bad", 1, meaning.data != NULL ? meaning.data : "",
              benchmark != NULL ? benchmark : "");
        gb_buf_free(&meaning);
    }
}

static void doubts(const gb_sheet *sheet, gb_buf *out)
{
    static const gb_status order[] = {GB_STATUS_WRONG, GB_STATUS_FAILED, GB_STATUS_TIMEOUT,
                                      GB_STATUS_NOT_RUN};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        doubts_of_status(sheet, order[i], out);
    }
    doubts_of_expectations(sheet, out);
    gb_doubts_of_figures(sheet, doubt, out);
}

/* What changes the meaning of a figure without making it worse, and what was not to be had. */
static void remarks(const gb_sheet *sheet, gb_buf *out)
{
    gb_remarks_on_figures(sheet, doubt, out);
    doubts_of_status(sheet, GB_STATUS_SKIPPED, out);
}

void gb_page_trust(const gb_sheet *sheet, gb_buf *out)
{
    static const gb_html_column columns[] = {
        {"what", false}, {"cases", true}, {"meaning", false}, {"where", false}};
    gb_buf rows = {0};
    gb_html_section(out, "Not trustworthy, and why");
    doubts(sheet, &rows);
    if (rows.length > 0) {
        gb_html_table(out, "Doubts", columns, 4);
        gb_buf_add(out, rows.data);
        gb_html_table_end(out);
    } else {
        gb_html_paragraph(out, NULL, "Nothing was flagged.");
    }
    out->failed |= rows.failed;
    gb_buf_free(&rows);
    rows = (gb_buf){0};
    remarks(sheet, &rows);
    if (rows.length > 0) {
        gb_html_table(out, "To know when reading the figures", columns, 4);
        gb_buf_add(out, rows.data);
        gb_html_table_end(out);
    }
    out->failed |= rows.failed;
    gb_buf_free(&rows);
    gb_html_heading(out, "How small a difference can be believed");
    for (size_t d = 0; d < sheet->n_devices; d++) {
        gb_buf text = {0};
        gb_say_noise(sheet, (int)d, &text);
        gb_html_paragraph(out, NULL, text.data != NULL ? text.data : "");
        gb_buf_free(&text);
    }
    gb_html_section_end(out);
}
