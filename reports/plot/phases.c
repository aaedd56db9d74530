#include "reports/plot/phases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/plot/phases_parts.h"

#define MOST_BARS 40 /* of one picture */
#define OVERLAP 1.02
#define WIDE 10.0

/* --- parts ------------------------------------------------------------------------------------ */

static size_t part_index(gb_phases *p, const char *name)
{
    size_t i = 0;
    while (i < p->n_parts && strcmp(p->parts[i], name) != 0) {
        i++;
    }
    if (i == p->n_parts && i < GB_PHASES_PARTS) {
        p->parts[p->n_parts++] = name;
    }
    return i;
}

/* "on_device" spans all that a request does there: it is a part of its own where nothing finer was
 * timed (a graph), and covers the finer parts elsewhere. "launch" is the host's. */
static bool covers_others(const json_t *parts, const char *name)
{
    const char *other;
    json_t *value;
    if (strcmp(name, "on_device") != 0) {
        return false;
    }
    json_object_foreach((json_t *)parts, other, value)
    {
        if (strcmp(other, name) != 0 && strcmp(other, "launch") != 0 && json_is_number(value)) {
            return true;
        }
    }
    return false;
}

/* The parts of the whole that a replicate has. A part's time is made of its replicates as the
 * table's metric is, so that both are one figure; false when it has no parts. */
static bool find_shares_of(gb_phases *p, gb_phases_bar *b, const gb_record *record)
{
    const char *name;
    json_t *value;
    if (record->status != GB_STATUS_OK || json_object_size(record->parts_ns) == 0 ||
        !(record->time.median > 0)) {
        return false;
    }
    json_object_foreach(record->parts_ns, name, value)
    {
        if (!(json_number_value(value) > 0) || covers_others(record->parts_ns, name)) {
            continue;
        }
        if (gb_record_part_after(record, name)) {
            p->after = record->parts_after;
            continue;
        }
        const size_t part = part_index(p, name);
        if (part < GB_PHASES_PARTS) {
            b->share[part] = gb_row_part(b->row, name) / b->row->time_ns;
        }
    }
    return true;
}

/* False when no replicate has parts. */
static bool find_shares(gb_phases *p, gb_phases_bar *b)
{
    bool any = false;
    for (size_t r = 0; b->row->time_ns > 0 && r < b->row->n; r++) {
        any = find_shares_of(p, b, b->row->replicates[r]) || any;
    }
    for (size_t i = 0; i < GB_PHASES_PARTS; i++) {
        b->sum += b->share[i];
    }
    return any;
}

/* Word on the x axis -> the first case of the suite with it; NULL on out of memory. */
static json_t *word_places(const gb_phases *p)
{
    json_t *places = json_object();
    for (size_t s = 0; places != NULL && s < p->figures.n; s++) {
        for (size_t i = 0; i < p->figures.items[s].n; i++) {
            const gb_row *row = p->figures.items[s].points[i].row;
            const char *word = gb_row_word(row, p->wanted.x);
            const json_t *first = word != NULL ? json_object_get(places, word) : NULL;
            if (word != NULL && (first == NULL || json_integer_value(first) > row->first->index)) {
                json_object_set_new(places, word, json_integer(row->first->index));
            }
        }
    }
    return places;
}

static bool same_x(const gb_phases_bar *a, const gb_phases_bar *b)
{
    return isnan(a->x) ? a->place == b->place : a->x == b->x;
}

static int by_x(const void *first, const void *second)
{
    const gb_phases_bar *a = first, *b = second;
    if (!same_x(a, b)) {
        return (isnan(a->x) || isnan(b->x) ? a->place < b->place : a->x < b->x) ? -1 : 1;
    }
    if (a->series != b->series) {
        return a->series < b->series ? -1 : 1;
    }
    return (a->row->first->index > b->row->first->index) -
           (a->row->first->index < b->row->first->index);
}

static gb_code find_bars(gb_phases *p, gb_error *err)
{
    json_t *places = word_places(p);
    p->bars = calloc(p->figures.n_points + 1, sizeof *p->bars);
    if (p->bars == NULL || places == NULL) {
        json_decref(places);
        return gb_fail(err, GB_NO_MEMORY, "out of memory for a plot");
    }
    for (size_t s = 0; s < p->figures.n; s++) {
        for (size_t i = 0; i < p->figures.items[s].n; i++) {
            const gb_point *point = &p->figures.items[s].points[i];
            gb_phases_bar *b = &p->bars[p->n];
            *b = (gb_phases_bar){.row = point->row, .series = s, .x = point->x};
            const char *word = gb_row_word(point->row, p->wanted.x);
            b->place =
                word != NULL ? (uint32_t)json_integer_value(json_object_get(places, word)) : 0;
            if (find_shares(p, b)) {
                p->n++;
            } else {
                p->without_parts++;
            }
        }
    }
    json_decref(places);
    if (p->n > 1) {
        qsort(p->bars, p->n, sizeof *p->bars, by_x);
    }
    p->left_out = p->n > MOST_BARS ? p->n - MOST_BARS : 0;
    p->n -= p->left_out;
    for (size_t i = 0; i < p->n; i++) {
        p->overlap = p->overlap || p->bars[i].sum > OVERLAP;
        p->other = p->other || 1 - p->bars[i].sum > GB_PHASES_LEAST_OTHER;
    }
    p->other = p->other && !p->overlap;
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < p->n; i++) {
        low = fmin(low, p->bars[i].row->time_ns);
        high = fmax(high, p->bars[i].row->time_ns);
    }
    p->percent = !p->overlap || high > WIDE * low; /* or else the short ones could not be seen */
    return GB_OK;
}

static void say(const gb_phases *p, gb_buf *notes)
{
    const char *name = p->wanted.name;
    if (p->without_parts > 0) {
        gb_buf_printf(notes, "plots: %s: %zu case%s without parts left out\n", name,
                      p->without_parts, p->without_parts == 1 ? "" : "s");
    }
    if (p->left_out > 0) {
        gb_buf_printf(notes, "plots: %s: the first %d cases are drawn, %zu left out\n", name,
                      MOST_BARS, p->left_out);
    }
    if (p->overlap) {
        gb_buf_printf(
            notes,
            "plots: %s: parts overlap (they come to more than the whole): their times are "
            "drawn end to end, no shares\n",
            name);
    }
}

gb_code gb_phases_write(const gb_results *results, const gb_table *table, const json_t *plot,
                        const char *name, gb_buf *script, gb_buf *data, gb_buf *notes,
                        gb_error *err)
{
    gb_phases p = {.results = results, .plot = plot, .wanted = gb_wanted_of(plot, name, MOST_BARS)};
    p.wanted.y = "time";
    if (p.wanted.benchmark == NULL || p.wanted.x == NULL) {
        return gb_fail(err, GB_INVALID, "suite.plots: phases without benchmark or x");
    }
    gb_code code = gb_figures_collect(results, table, &p.wanted, &p.figures, notes, err);
    if (code == GB_OK) {
        code = find_bars(&p, err);
    }
    if (code == GB_OK) {
        say(&p, notes);
    }
    if (code == GB_OK && p.n == 0) {
        gb_buf_printf(notes, "plots: no data for %s (phases over %s)\n", p.wanted.benchmark,
                      p.wanted.x);
    } else if (code == GB_OK) {
        gb_phases_draw(&p, script, data);
    }
    free(p.bars);
    gb_figures_free(&p.figures);
    return code;
}
