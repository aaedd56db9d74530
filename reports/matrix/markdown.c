/* A matrix as Markdown: for a ticket or a job's summary. */
#include <stdlib.h>
#include <string.h>

#include "reports/matrix/internal.h"
#include "reports/page/markdown.h"

static void add_table(const gb_matrix *m, const gb_matrix_lines *sheet, gb_buf *out)
{
    gb_buf_add(out, "\n| |");
    for (size_t k = 0; k < m->n_machines; k++) {
        char *label = gb_machine_label(&m->machines[k]);
        gb_buf_add(out, " ");
        gb_markdown_text(out, label != NULL ? label : "");
        gb_buf_add(out, " |");
        free(label);
    }
    gb_buf_add(out, "\n|---|");
    for (size_t k = 0; k < m->n_machines; k++) {
        gb_buf_add(out, "--:|");
    }
    for (size_t i = 0; i < sheet->n; i++) {
        gb_buf_add(out, "\n| ");
        gb_markdown_text(out, sheet->lines[i].title);
        gb_buf_add(out, " |");
        for (size_t k = 0; k < m->n_machines; k++) {
            const char *mark = sheet->lines[i].best[k] ? "**" : "";
            gb_buf_printf(out, " %s", mark);
            gb_markdown_text(out, sheet->lines[i].cells[k]);
            gb_buf_printf(out, "%s |", mark);
        }
    }
    gb_buf_add(out, "\n");
}

static void add_list(const char *title, const gb_notes *notes, gb_buf *out)
{
    if (notes->n > 0) {
        gb_buf_printf(out, "\n### %s\n\n", title);
    }
    for (size_t i = 0; i < notes->n; i++) {
        gb_buf_add(out, "- ");
        gb_markdown_text(out, notes->items[i]);
        gb_buf_add(out, "\n");
    }
}

static void add_paragraph(gb_buf *text, gb_buf *out)
{
    if (text->length > 0) {
        gb_buf_add(out, "\n");
        gb_markdown_text(out, text->data);
        gb_buf_add(out, "\n");
    }
    out->failed = out->failed || text->failed;
    gb_buf_free(text);
}

gb_code gb_matrix_markdown(const gb_matrix *matrix, gb_buf *out, gb_error *err)
{
    gb_notes leaders = {0}, left = {0}, doubts = {0};
    gb_matrix_lines sheet = {0};
    gb_buf text = {0};
    size_t i;
    const json_t *warning;
    gb_code code = gb_matrix_lines_make(matrix, &sheet, err);
    if (code != GB_OK) {
        return code;
    }
    for (i = 0; i < matrix->n_classes; i++) {
        gb_matrix_leaders(matrix, &matrix->classes[i], &leaders);
    }
    gb_matrix_left_out(matrix, &left);
    gb_matrix_doubts(matrix, &doubts);
    json_array_foreach(matrix->warnings, i, warning)
    {
        gb_buf one = {0};
        gb_buf_add(&one, json_string_value(json_object_get(warning, "text")));
        gb_notes_add(&doubts, &one);
    }
    gb_buf_add(out, "## Machines by class of work\n");
    gb_matrix_summary(matrix, &text);
    add_paragraph(&text, out);
    add_table(matrix, &sheet, out);
    gb_matrix_weights(matrix, &text);
    add_paragraph(&text, out);
    gb_buf_printf(out, "\n(higher), (lower): which is better. %s\n", gb_matrix_rule);
    add_list("Who leads", &leaders, out);
    add_list("Left out", &left, out);
    add_list("Doubts", &doubts, out);
    if (out->failed || leaders.failed || left.failed || doubts.failed) {
        code = gb_fail(err, GB_NO_MEMORY, "out of memory for a matrix");
    }
    gb_notes_free(&leaders);
    gb_notes_free(&left);
    gb_notes_free(&doubts);
    gb_matrix_lines_free(&sheet);
    return code;
}
