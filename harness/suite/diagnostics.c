#include "suite/diagnostics.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static void drop(gb_diagnostic *item)
{
    free(item->message);
    free(item->source);
    memset(item, 0, sizeof *item);
}

void gb_diagnostics_truncate(gb_diagnostics *diagnostics, size_t n)
{
    while (diagnostics->n > n)
        drop(&diagnostics->items[--diagnostics->n]);
}

void gb_diagnostics_free(gb_diagnostics *diagnostics)
{
    if (diagnostics == NULL)
        return;
    gb_diagnostics_truncate(diagnostics, 0);
    free(diagnostics->items);
    free(diagnostics->file);
    memset(diagnostics, 0, sizeof *diagnostics);
}

static bool grow(gb_diagnostics *diagnostics)
{
    if (diagnostics->n < diagnostics->capacity)
        return true;
    size_t capacity = diagnostics->capacity == 0 ? 16 : diagnostics->capacity * 2;
    gb_diagnostic *items = realloc(diagnostics->items, capacity * sizeof *items);
    if (items == NULL)
        return false;
    diagnostics->items = items;
    diagnostics->capacity = capacity;
    return true;
}

void gb_diagnostics_vadd(gb_diagnostics *diagnostics, int line, int column, const char *format,
                         va_list args)
{
    gb_buf message = {0};
    gb_buf_vprintf(&message, format, args);
    if (message.failed || !grow(diagnostics)) {
        gb_buf_free(&message);
        diagnostics->failed = true;
        return;
    }
    diagnostics->items[diagnostics->n++] =
        (gb_diagnostic){.line = line, .column = column, .message = message.data};
}

void gb_diagnostics_add(gb_diagnostics *diagnostics, int line, int column, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    gb_diagnostics_vadd(diagnostics, line, column, format, args);
    va_end(args);
}

static int by_place(const gb_diagnostic *x, const gb_diagnostic *y)
{
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    if (x->column != y->column)
        return x->column < y->column ? -1 : 1;
    return 0;
}

/* Brings equal ones together, the first that was told first. */
static int by_message(const void *a, const void *b)
{
    const gb_diagnostic *x = a;
    const gb_diagnostic *y = b;
    int order = by_place(x, y);
    if (order == 0)
        order = strcmp(x->message, y->message);
    return order != 0 ? order : (x->caret > y->caret) - (x->caret < y->caret);
}

static int by_order(const void *a, const void *b)
{
    const gb_diagnostic *x = a;
    const gb_diagnostic *y = b;
    int order = by_place(x, y);
    return order != 0 ? order : (x->caret > y->caret) - (x->caret < y->caret);
}

/* Sorts and drops repetitions; `caret`, which is not known yet, holds the order of telling. */
static void sort(gb_diagnostics *diagnostics)
{
    gb_diagnostic *items = diagnostics->items;
    for (size_t i = 0; i < diagnostics->n; i++)
        items[i].caret = (int)i;
    qsort(items, diagnostics->n, sizeof *items, by_message);
    size_t kept = 1;
    for (size_t i = 1; i < diagnostics->n; i++) {
        const gb_diagnostic *last = &items[kept - 1];
        if (by_place(last, &items[i]) == 0 && strcmp(last->message, items[i].message) == 0)
            drop(&items[i]);
        else
            items[kept++] = items[i];
    }
    diagnostics->n = kept;
    qsort(items, kept, sizeof *items, by_order);
    for (size_t i = 0; i < kept; i++)
        items[i].caret = 0;
}

void gb_diagnostics_finish(gb_diagnostics *diagnostics, const gb_source *source)
{
    if (diagnostics->n == 0)
        return;
    sort(diagnostics);
    size_t kept = diagnostics->n;
    for (size_t i = 0; source != NULL && i < kept && i < GB_DIAGNOSTICS_SHOWN; i++) {
        gb_diagnostic *item = &diagnostics->items[i];
        if (item->line > 0 && item->source == NULL)
            item->source = gb_source_excerpt(source, item->line, item->column, &item->caret);
    }
}

char *gb_diagnostics_text(const gb_diagnostics *diagnostics)
{
    char *file = gb_text_printable(diagnostics->file != NULL ? diagnostics->file : "suite");
    if (file == NULL)
        return NULL;
    gb_buf text = {0};
    gb_buf_add(&text, "");
    for (size_t i = 0; i < diagnostics->n && i < GB_DIAGNOSTICS_SHOWN; i++) {
        const gb_diagnostic *item = &diagnostics->items[i];
        if (item->line > 0)
            gb_buf_printf(&text, "%s:%d:%d: error: %s\n", file, item->line, item->column,
                          item->message);
        else
            gb_buf_printf(&text, "%s: error: %s\n", file, item->message);
        if (item->source != NULL)
            gb_buf_printf(&text, "%5d | %s\n      | %*s^\n", item->line, item->source, item->caret,
                          "");
    }
    if (diagnostics->n > GB_DIAGNOSTICS_SHOWN) {
        size_t left = diagnostics->n - GB_DIAGNOSTICS_SHOWN;
        gb_buf_printf(&text, "%s: %zu more error%s not shown\n", file, left, left == 1 ? "" : "s");
    }
    free(file);
    if (text.failed) {
        gb_buf_free(&text);
        return NULL;
    }
    return text.data;
}
