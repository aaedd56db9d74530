/* A picture's script and data in memory, and the numbers of its blocks. */
#ifndef GB_TESTS_PICTURE_READER_H
#define GB_TESTS_PICTURE_READER_H

#include "base/units.h"
#include "unit/reports_fixture.h"

typedef struct picture {
    gb_buf script, data, notes;
} picture;

typedef gb_code (*picture_writer)(const gb_results *results, const gb_table *table,
                                  const json_t *plot, const char *name, gb_buf *script,
                                  gb_buf *data, gb_buf *notes, gb_error *err);

/* Draws the first plot of the fixture's suite, as plots/01-test. */
static inline picture picture_draw(const fixture *f, picture_writer write)
{
    picture p = {0};
    gb_error err = {0};
    gb_table table;
    const json_t *plot =
        json_array_get(json_object_get(json_object_get(f->results.document, "suite"), "plots"), 0);
    ck_assert_int_eq(gb_table_make(&f->results, &table, &err), GB_OK);
    ck_assert_msg(write(&f->results, &table, plot, "01-test", &p.script, &p.data, &p.notes, &err) ==
                      GB_OK,
                  "%s", err.message);
    ck_assert(!p.script.failed && !p.data.failed);
    gb_table_free(&table);
    return p;
}

static inline void picture_free(picture *p)
{
    gb_buf_free(&p->script);
    gb_buf_free(&p->data);
    gb_buf_free(&p->notes);
}

static inline bool picture_has(const gb_buf *text, const char *part)
{
    return text->data != NULL && strstr(text->data, part) != NULL;
}

/* The numbers of the block whose comment begins with `label`, row by row; returns how many rows of
 * `columns` numbers, at most `most`. */
static inline size_t picture_block(const picture *p, const char *label, size_t columns,
                                   double numbers[], size_t most)
{
    char *head = gb_text_format("# %s", label);
    const char *at = p->data.data != NULL ? strstr(p->data.data, head) : NULL;
    size_t rows = 0;
    free(head);
    for (at = at != NULL ? strchr(at, '\n') : NULL; at != NULL; at = strchr(at, '\n')) {
        at++;
        if (*at == '#') {
            continue;
        }
        if (*at == '\n' || *at == '\0') {
            break;
        }
        ck_assert_uint_lt(rows, most);
        char *end = (char *)(uintptr_t)at;
        for (size_t i = 0; i < columns; i++) {
            const char *from = end;
            numbers[rows * columns + i] = gb_strtod(from, &end);
            ck_assert_msg(end != from, "%.60s", at);
        }
        ck_assert_msg(*end == '\n', "%.60s", at);
        rows++;
    }
    return rows;
}

/* The x of a place "at screen x,y" or "from screen x,y" behind `before`, as a value of the axis. */
static inline double picture_x(const picture *p, const char *before)
{
    char *end;
    const char *at = strstr(p->script.data, before);
    ck_assert_msg(at != NULL, "%s", before);
    const double screen = gb_strtod(strstr(at, "screen ") + 7, &end);
    const char *range = strstr(p->script.data, "set xrange [");
    const double left = gb_strtod(strstr(p->script.data, "set lmargin at screen ") + 22, NULL);
    const double right = gb_strtod(strstr(p->script.data, "set rmargin at screen ") + 22, NULL);
    const double low = gb_strtod(range + 12, &end), high = gb_strtod(end + 1, NULL);
    const double share = (screen - left) / (right - left);
    return picture_has(&p->script, "\nset logscale x") ? low * pow(high / low, share)
                                                       : low + share * (high - low);
}

#endif
