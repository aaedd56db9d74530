/* A matrix for a terminal: who leads, the table, what was left out, what is to be doubted. */
#include <stdlib.h>
#include <string.h>

#include "reports/grid.h"
#include "reports/matrix/internal.h"

#define MOST_COLUMNS 64

static void add_notes(const char *title, const gb_notes *notes, bool color, gb_buf *out)
{
    if (notes->n > 0) {
        gb_buf_add(out, "\n");
        gb_ink_add(out, GB_BOLD, color, title);
        gb_buf_add(out, "\n");
    }
    for (size_t i = 0; i < notes->n; i++) {
        gb_buf_printf(out, "  %s\n", notes->items[i]);
    }
}

/* The table, in parts where there are very many machines. */
static void add_grid(const gb_matrix *m, const gb_matrix_lines *sheet, bool color, gb_buf *out)
{
    bool right[MOST_COLUMNS] = {false};
    size_t each = MOST_COLUMNS - 1;
    for (size_t from = 0; from < m->n_machines; from += each) {
        size_t to = from + each < m->n_machines ? from + each : m->n_machines;
        gb_grid grid = {.columns = to - from + 1};
        gb_grid_add(&grid, GB_DIM, "class");
        for (size_t k = from; k < to; k++) {
            char *label = gb_machine_label(&m->machines[k]);
            gb_grid_add(&grid, GB_BOLD, label != NULL ? label : "");
            free(label);
        }
        for (size_t i = 0; i < sheet->n; i++) {
            gb_grid_add(&grid, GB_PLAIN, sheet->lines[i].title);
            for (size_t k = from; k < to; k++) {
                gb_grid_add(&grid, sheet->lines[i].best[k] ? GB_BOLD : GB_PLAIN,
                            sheet->lines[i].cells[k]);
            }
        }
        gb_buf_add(out, "\n");
        gb_grid_render(&grid, right, 2, color, out);
        out->failed = out->failed || grid.failed;
        gb_grid_free(&grid);
    }
}

gb_code gb_matrix_text(const gb_matrix *matrix, bool color, gb_buf *out, gb_error *err)
{
    gb_notes leaders = {0}, left = {0}, doubts = {0};
    gb_matrix_lines sheet = {0};
    gb_code code = gb_matrix_lines_make(matrix, &sheet, err);
    if (code != GB_OK) {
        return code;
    }
    for (size_t i = 0; i < matrix->n_classes; i++) {
        gb_matrix_leaders(matrix, &matrix->classes[i], &leaders);
    }
    gb_matrix_left_out(matrix, &left);
    gb_matrix_doubts(matrix, &doubts);
    gb_ink_add(out, GB_BOLD, color, "Machines by class of work");
    gb_buf_add(out, ": geometric means over the cases that all machines have; "
                    "(higher), (lower): which is better\n");
    gb_matrix_summary(matrix, out);
    gb_buf_add(out, "\n");
    add_notes("who leads", &leaders, color, out);
    add_grid(matrix, &sheet, color, out);
    gb_buf_add(out, "\n");
    gb_matrix_weights(matrix, out);
    gb_buf_printf(out, "%s%s\n", matrix->weighted ? "\n" : "", gb_matrix_rule);
    add_notes("left out", &left, color, out);
    add_notes("doubts", &doubts, color, out);
    if (out->failed || leaders.failed || left.failed || doubts.failed) {
        code = gb_fail(err, GB_NO_MEMORY, "out of memory for a matrix");
    }
    gb_notes_free(&leaders);
    gb_notes_free(&left);
    gb_notes_free(&doubts);
    gb_matrix_lines_free(&sheet);
    return code;
}
