#include "reports/plot/phases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "reports/plot/canvas.h"
#include "reports/plot/picture.h"
#include "reports/plot/series.h"

#define PARTS 8      /* as many as a kernel reports */
#define MOST_BARS 40 /* of one picture */
#define OVERLAP 1.02
#define WIDE 10.0
#define SMALLEST_OTHER 0.002
#define WIDTH 1000
#define BAR 16.0  /* pixels */
#define STEP 44.0 /* from bar to bar: a bar, the line of text above it, a gap */
#define HEAD 62.0
#define FOOT 62.0
#define LEFT_MOST 260.0

typedef struct bar {
    const gb_row *row;
    size_t series;
    double x;            /* NAN: a word */
    uint32_t place;      /* of that word in the suite */
    double share[PARTS]; /* of the whole; 0: none */
    double sum;
} bar;

typedef struct phases {
    const gb_results *results;
    const json_t *plot;
    gb_wanted wanted;
    gb_figures figures;
    bar *bars;
    size_t n, without_parts, left_out;
    const char *parts[PARTS];
    size_t n_parts;
    bool overlap, other;
    bool percent; /* the axis; false: ns */
    double scale; /* of the axis: ns or percent */
    char unit[32];
    gb_canvas canvas;
    gb_frame frame;
} phases;

/* --- parts ------------------------------------------------------------------------------------ */

static size_t part_index(phases *p, const char *name)
{
    size_t i = 0;
    while (i < p->n_parts && strcmp(p->parts[i], name) != 0) {
        i++;
    }
    if (i == p->n_parts && i < PARTS) {
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

/* The mean shares over the replicates that have parts; false when none has. */
static bool find_shares(phases *p, bar *b)
{
    size_t n = 0;
    for (size_t r = 0; r < b->row->n; r++) {
        const gb_record *record = b->row->replicates[r];
        const char *name;
        json_t *value;
        if (record->status != GB_STATUS_OK || json_object_size(record->parts_ns) == 0 ||
            !(record->time.median > 0)) {
            continue;
        }
        n++;
        json_object_foreach(record->parts_ns, name, value)
        {
            double ns = json_number_value(value);
            size_t part =
                !(ns > 0) || covers_others(record->parts_ns, name) ? PARTS : part_index(p, name);
            if (part < PARTS) {
                b->share[part] += ns / record->time.median;
            }
        }
    }
    for (size_t i = 0; i < PARTS && n > 0; i++) {
        b->share[i] /= (double)n;
        b->sum += b->share[i];
    }
    return n > 0;
}

/* The first case of the suite with the same word on the x axis. */
static uint32_t word_place(const phases *p, const gb_row *row)
{
    uint32_t first = row->first->index;
    const char *word = gb_row_word(row, p->wanted.x);
    for (size_t s = 0; word != NULL && s < p->figures.n; s++) {
        for (size_t i = 0; i < p->figures.items[s].n; i++) {
            const gb_row *other = p->figures.items[s].points[i].row;
            const char *same = gb_row_word(other, p->wanted.x);
            if (same != NULL && strcmp(same, word) == 0 && other->first->index < first) {
                first = other->first->index;
            }
        }
    }
    return first;
}

static bool same_x(const bar *a, const bar *b)
{
    return isnan(a->x) ? a->place == b->place : a->x == b->x;
}

static int by_x(const void *first, const void *second)
{
    const bar *a = first, *b = second;
    if (!same_x(a, b)) {
        return (isnan(a->x) || isnan(b->x) ? a->place < b->place : a->x < b->x) ? -1 : 1;
    }
    if (a->series != b->series) {
        return a->series < b->series ? -1 : 1;
    }
    return (a->row->first->index > b->row->first->index) -
           (a->row->first->index < b->row->first->index);
}

static gb_code find_bars(phases *p, gb_error *err)
{
    p->bars = calloc(p->figures.n_points + 1, sizeof *p->bars);
    if (p->bars == NULL) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for a plot");
    }
    for (size_t s = 0; s < p->figures.n; s++) {
        for (size_t i = 0; i < p->figures.items[s].n; i++) {
            const gb_point *point = &p->figures.items[s].points[i];
            bar *b = &p->bars[p->n];
            *b = (bar){.row = point->row, .series = s, .x = point->x};
            b->place = word_place(p, point->row);
            if (find_shares(p, b)) {
                p->n++;
            } else {
                p->without_parts++;
            }
        }
    }
    if (p->n > 1) {
        qsort(p->bars, p->n, sizeof *p->bars, by_x);
    }
    p->left_out = p->n > MOST_BARS ? p->n - MOST_BARS : 0;
    p->n -= p->left_out;
    for (size_t i = 0; i < p->n; i++) {
        p->overlap = p->overlap || p->bars[i].sum > OVERLAP;
        p->other = p->other || 1 - p->bars[i].sum > SMALLEST_OTHER;
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

static void say(const phases *p, gb_buf *notes)
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

/* --- data ------------------------------------------------------------------------------------- */

static double whole_ns(const bar *b)
{
    return b->row->time_ns;
}

/* Parts that come to a little more than the whole (rounding, noise) share the bar in proportion. */
static double share(const phases *p, const bar *b, size_t part)
{
    if (part == p->n_parts) {
        return fmax(0, 1 - b->sum);
    }
    return !p->overlap && b->sum > 1 ? b->share[part] / b->sum : b->share[part];
}

/* From a share to what stands on the axis: ns or percent. */
static double on_axis(const phases *p, const bar *b, double part)
{
    return p->percent ? part * 100 : part * whole_ns(b);
}

/* The middle of a bar above the axis, in pixels, which are the units of y. */
static double bar_y(const phases *p, size_t i)
{
    return STEP * (double)(p->n - 1 - i) + 6 + BAR / 2;
}

static void add_numbers(gb_buf *data, const double numbers[], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char text[40];
        gb_buf_printf(data, "%s%s", gb_print_double(numbers[i], text, sizeof text),
                      i + 1 < n ? " " : "\n");
    }
}

static size_t blocks(const phases *p)
{
    return p->n_parts + (p->other ? 1 : 0);
}

static void write_data(const phases *p, gb_buf *data)
{
    for (size_t part = 0; part < blocks(p); part++) {
        gb_buf_printf(data, "%s# %s\n# y from to bottom top part_ns whole_ns\n",
                      part > 0 ? "\n\n" : "", part < p->n_parts ? p->parts[part] : "other");
        for (size_t i = 0; i < p->n; i++) {
            const bar *b = &p->bars[i];
            double before = 0, own = share(p, b, part), y = bar_y(p, i);
            for (size_t k = 0; k < part; k++) {
                before += share(p, b, k);
            }
            const double numbers[] = {
                y,           on_axis(p, b, before), on_axis(p, b, before + own),
                y - BAR / 2, y + BAR / 2,           own * whole_ns(b),
                whole_ns(b)};
            add_numbers(data, numbers, sizeof numbers / sizeof numbers[0]);
        }
    }
    gb_buf_add(data, "\n\n# the whole\n# at bottom\n");
    for (size_t i = 0; i < p->n; i++) {
        const double numbers[] = {on_axis(p, &p->bars[i], 1), bar_y(p, i) - BAR / 2 - 2};
        add_numbers(data, numbers, 2);
    }
}

/* --- drawing ---------------------------------------------------------------------------------- */

/* "batch 64, eager": the bar's case. */
static void bar_label(const phases *p, const bar *b, gb_buf *out)
{
    char value[160];
    const char *series = p->figures.items[b->series].label;
    gb_buf_printf(out, "%s %s", p->wanted.x,
                  gb_row_param_text(b->row, p->wanted.x, value, sizeof value));
    if (strcmp(series, p->wanted.benchmark) != 0) {
        gb_buf_printf(out, ", %s", series);
    }
}

/* "copy_in 4.1 % (2.10 us); launch ...": every part, in the bar's order. */
static void bar_text(const phases *p, const bar *b, double room, gb_buf *out)
{
    for (size_t part = 0; part < blocks(p); part++) {
        char percent[32], time[32];
        double own = share(p, b, part);
        if (!(own > (part == p->n_parts ? SMALLEST_OTHER : 0))) {
            continue;
        }
        char *one = gb_text_format("%s%s %s (%s)", out->length > 0 ? "; " : "",
                                   part < p->n_parts ? p->parts[part] : "other",
                                   gb_format_percent(own, percent, sizeof percent),
                                   gb_format_ns(own * whole_ns(b), time, sizeof time));
        double used = out->length > 0 ? gb_text_pixels(out->data, GB_LABEL_FONT - 1) : 0;
        if (one == NULL || used + gb_text_pixels(one, GB_LABEL_FONT - 1) > room) {
            gb_buf_add(out, " ...");
            free(one);
            return;
        }
        gb_buf_add(out, one);
        free(one);
    }
}

static void label_bars(phases *p)
{
    for (size_t i = 0; i < p->n; i++) {
        const bar *b = &p->bars[i];
        const double y = p->frame.bottom + bar_y(p, i);
        gb_buf label = {0}, text = {0};
        char whole[32];
        bar_label(p, b, &label);
        bar_text(p, b, WIDTH - 10 - p->frame.left, &text);
        gb_canvas_text(&p->canvas, label.data != NULL ? label.data : "", p->frame.left - 8, y,
                       "right", 0, NULL);
        gb_canvas_text(&p->canvas, text.data != NULL ? text.data : "", p->frame.left + 2,
                       y + BAR / 2 + 9, "left", 0, NULL);
        gb_canvas_text(&p->canvas, gb_format_ns(whole_ns(b), whole, sizeof whole),
                       p->frame.right + 8, y, "left", 0, NULL);
        p->canvas.body.failed = p->canvas.body.failed || label.failed || text.failed;
        gb_buf_free(&label);
        gb_buf_free(&text);
    }
}

static void find_frame(phases *p, double legend)
{
    double widest = 40, high = 0;
    for (size_t i = 0; i < p->n; i++) {
        gb_buf label = {0};
        bar_label(p, &p->bars[i], &label);
        widest =
            fmax(widest, gb_text_pixels(label.data != NULL ? label.data : "", GB_LABEL_FONT - 1));
        high = fmax(high, on_axis(p, &p->bars[i], p->overlap ? fmax(1, p->bars[i].sum) : 1));
        gb_buf_free(&label);
    }
    p->scale = p->percent ? 1 : gb_picture_scale(high, "ns", p->unit);
    p->frame = (gb_frame){.left = fmin(widest, LEFT_MOST) + 18,
                          .right = WIDTH - 80,
                          .bottom = legend + FOOT,
                          .top = legend + FOOT + STEP * (double)p->n,
                          .x_min = 0,
                          .x_max = p->overlap ? high / p->scale * 1.02 : 100,
                          .y_min = 0,
                          .y_max = STEP * (double)p->n};
    p->canvas.width = WIDTH;
    p->canvas.height = (int)(p->frame.top + HEAD);
}

static void write_legend(const phases *p, gb_legend *legend)
{
    for (size_t part = 0; part < blocks(p); part++) {
        bool other = part == p->n_parts;
        gb_legend_swatch(legend, other ? "other: not in any part" : p->parts[part],
                         other ? 0 : gb_picture_fill(part),
                         other ? GB_PICTURE_GREY : gb_picture_colour(part));
    }
    if (p->overlap) {
        gb_legend_entry(legend, "black: the whole; parts overlap, their times are laid end to end",
                        0, 0, NULL, NULL);
    }
}

static void plot_command(phases *p)
{
    char scale[40];
    gb_buf *body = &p->canvas.body;
    gb_print_double(p->scale, scale, sizeof scale);
    for (size_t part = 0; part < blocks(p); part++) {
        bool other = part == p->n_parts;
        const char *colour = other ? GB_PICTURE_GREY : gb_picture_colour(part);
        gb_buf_printf(
            body,
            "%s'plots/%s.dat' index %zu using (($2+$3)/2/%s):1:($2/%s):($3/%s):4:5 with "
            "boxxyerror fillstyle pattern %d border linecolor rgb '%s' fillcolor rgb '%s' notitle",
            part == 0 ? "plot " : ", \\\n  ", p->wanted.name, part, scale, scale, scale,
            other ? 0 : gb_picture_fill(part), colour, colour);
    }
    if (p->overlap) {
        gb_buf_printf(
            body,
            ", \\\n  'plots/%s.dat' index %zu using ($1/%s):2:(0):(%g) with vectors nohead "
            "linewidth 3 linecolor rgb '#000000' notitle",
            p->wanted.name, blocks(p), scale, BAR + 4);
    }
    gb_buf_add(body, "\n");
}

static void draw(phases *p, gb_buf *script)
{
    const char *title = json_string_value(json_object_get(p->plot, "title"));
    gb_legend legend = {.left = 20, .right = WIDTH - 20, .x = 20, .y = 0};
    write_legend(p, &legend);
    const double height = GB_LEGEND_LINE - legend.y;
    char *x_label = NULL;
    p->canvas.name = p->wanted.name;
    find_frame(p, height);
    x_label = !p->percent ? gb_text_format("time of the parts (%s), lower is better", p->unit)
                          : gb_text_format("%s (%%); right: the whole, lower is better",
                                           p->overlap ? "time of the parts over that of the whole"
                                                      : "share of the time");
    gb_picture_head(p->results, p->figures.device, title != NULL ? title : p->wanted.benchmark,
                    x_label != NULL ? x_label : "", "", &p->canvas.body);
    free(x_label);
    /* The heights of head and foot are pixels, however many bars there are. */
    gb_buf_printf(&p->canvas.body,
                  "unset key\nunset ytics\nset grid noytics\n"
                  "set label 1 at screen %.5f,%.5f\n",
                  (p->frame.left + p->frame.right) / 2 / WIDTH,
                  (p->frame.top + 16) / p->canvas.height);
    gb_canvas_frame(&p->canvas, &p->frame);
    gb_canvas_axes(&p->canvas, &p->frame);
    label_bars(p);
    legend = (gb_legend){
        .canvas = &p->canvas, .left = 20, .right = WIDTH - 20, .x = 20, .y = height + 2};
    write_legend(p, &legend);
    plot_command(p);
    gb_canvas_outputs(&p->canvas, script);
}

gb_code gb_phases_write(const gb_results *results, const gb_table *table, const json_t *plot,
                        const char *name, gb_buf *script, gb_buf *data, gb_buf *notes,
                        gb_error *err)
{
    phases p = {.results = results,
                .plot = plot,
                .wanted = {.name = name,
                           .benchmark = json_string_value(json_object_get(plot, "benchmark")),
                           .x = json_string_value(json_object_get(plot, "x")),
                           .y = "time",
                           .series = json_object_get(plot, "series"),
                           .most = MOST_BARS}};
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
        write_data(&p, data);
        draw(&p, script);
    }
    free(p.bars);
    gb_figures_free(&p.figures);
    return code;
}
