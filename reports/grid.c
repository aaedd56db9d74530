#include "reports/grid.h"

#include <stdlib.h>

void gb_ink_add(gb_buf *out, gb_ink ink, bool color, const char *text)
{
    static const char *const codes[] = {"", "\033[1m", "\033[2m", "\033[31m", "\033[33m"};
    if (!color || ink == GB_PLAIN || text[0] == '\0') {
        gb_buf_add(out, text);
    } else {
        gb_buf_printf(out, "%s%s\033[0m", codes[ink], text);
    }
}

void gb_grid_add(gb_grid *grid, gb_ink ink, const char *text)
{
    if (grid->n == grid->capacity && !grid->failed) {
        size_t capacity = grid->capacity == 0 ? 64 : grid->capacity * 2;
        char **cells = realloc(grid->cells, capacity * sizeof *cells);
        grid->cells = cells != NULL ? cells : grid->cells;
        gb_ink *inks = realloc(grid->inks, capacity * sizeof *inks);
        grid->inks = inks != NULL ? inks : grid->inks;
        grid->failed = cells == NULL || inks == NULL;
        grid->capacity = grid->failed ? grid->capacity : capacity;
    }
    char *copy = grid->failed ? NULL : gb_text_copy(text);
    if (copy == NULL) {
        grid->failed = true;
        return;
    }
    grid->inks[grid->n] = ink;
    grid->cells[grid->n++] = copy;
}

static void spaces(gb_buf *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        gb_buf_add(out, " ");
    }
}

static void render_row(const gb_grid *grid, size_t row, const size_t widths[], const bool right[],
                       bool color, gb_buf *out)
{
    size_t pending = 0; /* spaces not yet written: none is left at the end of a line */
    for (size_t c = 0; c < grid->columns; c++) {
        const char *text = grid->cells[row * grid->columns + c];
        size_t gap = widths[c] - gb_utf8_width(text);
        pending += right[c] ? gap : 0;
        if (text[0] != '\0') {
            spaces(out, pending);
            pending = 0;
            gb_ink_add(out, grid->inks[row * grid->columns + c], color, text);
        }
        pending += (right[c] ? 0 : gap) + 2;
    }
    gb_buf_add(out, "\n");
}

void gb_grid_render(const gb_grid *grid, const bool right[], size_t indent, bool color, gb_buf *out)
{
    size_t *widths = calloc(grid->columns + 1, sizeof *widths);
    if (widths == NULL || grid->failed) {
        free(widths);
        out->failed = true;
        return;
    }
    for (size_t i = 0; i < grid->n; i++) {
        size_t width = gb_utf8_width(grid->cells[i]);
        size_t *column = &widths[i % grid->columns];
        *column = width > *column ? width : *column;
    }
    for (size_t row = 0; row < grid->n / grid->columns; row++) {
        spaces(out, indent);
        render_row(grid, row, widths, right, color, out);
    }
    free(widths);
}

void gb_grid_free(gb_grid *grid)
{
    for (size_t i = 0; i < grid->n; i++) {
        free(grid->cells[i]);
    }
    free(grid->cells);
    free(grid->inks);
    *grid = (gb_grid){0};
}
