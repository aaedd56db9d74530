/* The script and the data of a pipeline's phases. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "reports/plot/phases_parts.h"
#include "reports/plot/picture.h"

#define WIDTH 1000
#define BAR 16.0  /* pixels */
#define STEP 44.0 /* from bar to bar: a bar, the line of text above it, a gap */
#define HEAD 62.0
#define FOOT 62.0
#define LEFT_MOST 260.0

/* --- data ------------------------------------------------------------------------------------- */

static double whole_ns(const gb_phases_bar *b)
{
    return b->row->time_ns;
}

static double share(const gb_phases *p, const gb_phases_bar *b, size_t part)
{
    return part == p->n_parts ? fmax(0, 1 - b->sum) : b->share[part];
}

/* The table's, whatever the bar has room for. */
static double part_ns(const gb_phases *p, const gb_phases_bar *b, size_t part)
{
    return share(p, b, part) * whole_ns(b);
}

/* Parts that come to a little more than the whole (rounding, noise) share the bar in proportion. */
static double drawn(const gb_phases *p, const gb_phases_bar *b, size_t part)
{
    return share(p, b, part) / (!p->overlap && b->sum > 1 ? b->sum : 1);
}

/* From a share to what stands on the axis: ns or percent. */
static double on_axis(const gb_phases *p, const gb_phases_bar *b, double part)
{
    return p->percent ? part * 100 : part * whole_ns(b);
}

/* The middle of a bar above the axis, in pixels, which are the units of y. */
static double bar_y(const gb_phases *p, size_t i)
{
    return STEP * (double)(p->n - 1 - i) + 6 + BAR / 2;
}

static size_t blocks(const gb_phases *p)
{
    return p->n_parts + (p->other ? 1 : 0);
}

static void write_data(const gb_phases *p, gb_buf *data)
{
    for (size_t part = 0; part < blocks(p); part++) {
        gb_buf_printf(data, "%s# %s\n# y from to bottom top part_ns whole_ns\n",
                      part > 0 ? "\n\n" : "", part < p->n_parts ? p->parts[part] : "other");
        for (size_t i = 0; i < p->n; i++) {
            const gb_phases_bar *b = &p->bars[i];
            double before = 0, own = drawn(p, b, part), y = bar_y(p, i);
            for (size_t k = 0; k < part; k++) {
                before += drawn(p, b, k);
            }
            const double numbers[] = {
                y,           on_axis(p, b, before), on_axis(p, b, before + own),
                y - BAR / 2, y + BAR / 2,           part_ns(p, b, part),
                whole_ns(b)};
            gb_figures_row(data, numbers, sizeof numbers / sizeof numbers[0]);
        }
    }
    gb_buf_add(data, "\n\n# the whole\n# at bottom\n");
    for (size_t i = 0; i < p->n; i++) {
        const double numbers[] = {on_axis(p, &p->bars[i], 1), bar_y(p, i) - BAR / 2 - 2};
        gb_figures_row(data, numbers, 2);
    }
}

/* --- drawing ---------------------------------------------------------------------------------- */

/* "batch 64, eager": the bar's case. */
static void bar_label(const gb_phases *p, const gb_phases_bar *b, gb_buf *out)
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
static void bar_text(const gb_phases *p, const gb_phases_bar *b, double room, gb_buf *out)
{
    for (size_t part = 0; part < blocks(p); part++) {
        char percent[32], time[32];
        double own = share(p, b, part);
        if (!(own > (part == p->n_parts ? GB_PHASES_LEAST_OTHER : 0))) {
            continue;
        }
        char *one = gb_text_format("%s%s %s (%s)", out->length > 0 ? "; " : "",
                                   part < p->n_parts ? p->parts[part] : "other",
                                   gb_format_percent(own, percent, sizeof percent),
                                   gb_format_ns(part_ns(p, b, part), time, sizeof time));
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

static void label_bars(gb_phases *p)
{
    for (size_t i = 0; i < p->n; i++) {
        const gb_phases_bar *b = &p->bars[i];
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

static void find_frame(gb_phases *p, double legend)
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

static void say_after(const gb_phases *p, gb_legend *legend)
{
    size_t i;
    json_t *part;
    gb_buf text = {0};
    json_array_foreach(p->after, i, part)
    {
        gb_buf_printf(&text, "%s%s", i == 0 ? "not drawn, as timed after the whole: " : ", ",
                      json_string_value(part));
    }
    if (text.data != NULL) {
        gb_legend_entry(legend, text.data, 0, 0, NULL, NULL);
    }
    gb_buf_free(&text);
}

static void write_legend(const gb_phases *p, gb_legend *legend)
{
    for (size_t part = 0; part < blocks(p); part++) {
        bool other = part == p->n_parts;
        gb_legend_swatch(legend, other ? "other: left by the parts" : p->parts[part],
                         other ? 0 : gb_picture_fill(part),
                         other ? GB_PICTURE_GREY : gb_picture_colour(part));
    }
    if (p->overlap) {
        gb_legend_entry(legend, "black: the whole; parts overlap, their times are laid end to end",
                        0, 0, NULL, NULL);
    }
    say_after(p, legend);
}

static void plot_command(gb_phases *p)
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

void gb_phases_draw(gb_phases *p, gb_buf *script, gb_buf *data)
{
    const char *title = json_string_value(json_object_get(p->plot, "title"));
    gb_legend legend = {.left = 20, .right = WIDTH - 20, .x = 20, .y = 0};
    write_data(p, data);
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
