/* Aligned columns for a terminal. */
#ifndef GB_REPORTS_GRID_H
#define GB_REPORTS_GRID_H

#include "base/text.h"

typedef enum gb_ink { GB_PLAIN, GB_BOLD, GB_DIM, GB_RED, GB_YELLOW } gb_ink;

/* Adds text in an ink; without colour it is the text alone. */
void gb_ink_add(gb_buf *out, gb_ink ink, bool color, const char *text);

/* Cells by rows. Zero-initialise with `columns` set; free with gb_grid_free. */
typedef struct gb_grid {
    size_t columns;
    char **cells; /* columns * rows */
    gb_ink *inks;
    size_t n, capacity; /* cells */
    bool failed;        /* out of memory: nothing more is added */
} gb_grid;

/* Adds the next cell, row by row. The text is copied. */
void gb_grid_add(gb_grid *grid, gb_ink ink, const char *text);
/* Renders with two spaces between columns and `indent` before each row; column i is right-aligned
 * when right[i]. Trailing spaces are left out. */
void gb_grid_render(const gb_grid *grid, const bool right[], size_t indent, bool color,
                    gb_buf *out);
void gb_grid_free(gb_grid *grid);

#endif
