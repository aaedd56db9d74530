/* The script and the data of a case's samples. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/units.h"
#include "reports/plot/canvas.h"
#include "reports/plot/distribution_parts.h"
#include "reports/plot/picture.h"
#include "reports/plot/series.h"

#define WIDTH 1000
#define PLOT_HEIGHT 540.0
#define TITLE_COLUMNS 76 /* centred over the left half, whose middle is near the edge */
#define LEFT 85.0
#define MIDDLE 690.0 /* right edge of the left plot */
#define GAP 30.0
#define SIGN_ABOVE 9 /* a triangle, tip up */
#define SIGN_BELOW 11
#define MOST_SIGNS 200 /* beside each other */
#define FEW 12         /* of which each has a tick */
#define MODES_SAID 4   /* replicates */

typedef struct drawing {
    const gb_distribution *d;
    const char *name;
    gb_buf *data;
    size_t blocks;
    gb_buf left, right; /* plot commands */
    gb_canvas canvas;
    gb_frame frame;
    double scale;
    char unit[32], number[40]; /* of the axis; the scale as text */
} drawing;

/* --- data ------------------------------------------------------------------------------------- */

static size_t begin_block(drawing *g, const char *what)
{
    gb_buf_printf(g->data, "%s# %s\n", g->blocks > 0 ? "\n\n" : "", what);
    return g->blocks++;
}

/* "'plots/x.dat' index 3 using ": the next of a plot command. */
static void use(const drawing *g, gb_buf *lines, size_t block)
{
    gb_buf_printf(lines, "%s'plots/%s.dat' index %zu using ",
                  lines->length > 0 ? ", \\\n  " : "plot ", g->name, block);
}

static bool inside(const gb_distribution *d, double ns)
{
    return ns >= d->low && ns <= d->high;
}

/* Of every `step` samples in a row one, chosen by a seeded rule: always the same one in place would
 * hide what alternates. */
static void sample_blocks(drawing *g)
{
    const gb_distribution *d = g->d;
    for (size_t i = 0; i < d->n; i++) {
        const gb_run_order *part = &d->parts[i];
        char what[160];
        gb_rng rng = {.state = part->record->replicate};
        size_t drawn = 0, length = g->data->length;
        snprintf(what, sizeof what, "replicate %u: %zu samples, one of every %zu\n# order ns",
                 part->record->replicate + 1, part->n, d->step);
        size_t block = begin_block(g, what);
        for (size_t from = 0; from < part->n; from += d->step) {
            const size_t many = part->n - from < d->step ? part->n - from : d->step;
            const size_t at = from + gb_rng_below(&rng, many);
            const double numbers[] = {(double)(part->first + at + 1), part->ns[at]};
            if (inside(d, part->ns[at])) {
                gb_figures_row(g->data, numbers, 2);
                drawn++;
            }
        }
        if (drawn == 0) { /* gnuplot has no name for an empty block */
            g->data->length = length;
            g->data->data[length] = '\0';
            g->blocks--;
            continue;
        }
        use(g, &g->left, block);
        gb_buf_printf(&g->left,
                      "1:($2/%s) with points pointtype %d pointsize 0.5 linecolor rgb '%s' notitle",
                      g->number, gb_picture_point(i), gb_picture_colour(i));
    }
}

static void clipped_block(drawing *g, bool above)
{
    const gb_distribution *d = g->d;
    if ((above ? d->above : d->below) == 0) {
        return;
    }
    size_t block = begin_block(g, above ? "above what is drawn\n# order edge ns"
                                        : "below what is drawn\n# order edge ns");
    for (size_t i = 0; i < d->n; i++) {
        for (size_t k = 0; k < d->parts[i].n; k++) {
            const double ns = d->parts[i].ns[k];
            const double numbers[] = {(double)(d->parts[i].first + k + 1), above ? d->high : d->low,
                                      ns};
            if (above ? ns > d->high : ns < d->low) {
                gb_figures_row(g->data, numbers, 3);
            }
        }
    }
    use(g, &g->left, block);
    gb_buf_printf(
        &g->left,
        "1:($2/%s) with points pointtype %d pointsize 0.9 linecolor rgb '#000000' notitle",
        g->number, above ? SIGN_ABOVE : SIGN_BELOW);
}

/* A replicate's ends on the x axis. */
static double begin_of(const gb_run_order *part)
{
    return (double)part->first + 0.5;
}

static double end_of(const gb_run_order *part)
{
    return (double)(part->first + part->n) + 0.5;
}

static void mode_block(drawing *g)
{
    const gb_distribution *d = g->d;
    size_t block = 0, n = 0;
    for (size_t i = 0; i < d->n; i++) {
        const gb_summary *time = &d->parts[i].record->time;
        for (size_t k = 0; k < 2; k++) {
            const double numbers[] = {begin_of(&d->parts[i]), end_of(&d->parts[i]), time->modes[k]};
            if (!time->bimodal || !isfinite(time->modes[k])) {
                continue;
            }
            block = n++ == 0 ? begin_block(g, "modes\n# from to ns") : block;
            gb_figures_row(g->data, numbers, 3);
        }
    }
    if (n > 0) {
        use(g, &g->left, block);
        gb_buf_printf(
            &g->left,
            "1:($3/%s):($2-$1):(0) with vectors nohead linewidth 1.5 dashtype 2 linecolor "
            "rgb '#000000' notitle",
            g->number);
    }
}

/* Medians across their replicate, the interval as a bar in its middle. */
static void median_block(drawing *g)
{
    const gb_distribution *d = g->d;
    size_t block = begin_block(g, "medians\n# from to median low high");
    for (size_t i = 0; i < d->n; i++) {
        const gb_summary *time = &d->parts[i].record->time;
        const bool known = isfinite(time->ci95[0]) && isfinite(time->ci95[1]);
        const double numbers[] = {begin_of(&d->parts[i]), end_of(&d->parts[i]), time->median,
                                  known ? time->ci95[0] : time->median,
                                  known ? time->ci95[1] : time->median};
        gb_figures_row(g->data, numbers, 5);
    }
    use(g, &g->left, block);
    gb_buf_printf(&g->left,
                  "1:($3/%s):($2-$1):(0) with vectors nohead linewidth 2 linecolor rgb '#000000' "
                  "notitle",
                  g->number);
    use(g, &g->left, block);
    gb_buf_printf(&g->left,
                  "(($1+$2)/2):($3/%s):($4/%s):($5/%s) with yerrorbars linewidth 2 pointtype 12 "
                  "pointsize 1.2 linecolor rgb '#000000' notitle",
                  g->number, g->number, g->number);
}

static void count_block(drawing *g)
{
    const gb_distribution *d = g->d;
    size_t block = begin_block(g, "histogram\n# from to count");
    for (size_t i = 0; i < d->bins; i++) {
        const double from = d->bin_low + (double)i * d->bin_width;
        const double numbers[] = {from, from + d->bin_width, (double)d->counts[i]};
        if (d->counts[i] > 0) {
            gb_figures_row(g->data, numbers, 3);
        }
    }
    use(g, &g->right, block);
    gb_buf_printf(&g->right,
                  "($3/2):(($1+$2)/2/%s):(%s):3:($1/%s):($2/%s) with boxxyerror fillstyle solid 1 "
                  "border linecolor rgb '%s' fillcolor rgb '%s' notitle\n",
                  g->number, d->log_counts ? "0.5" : "0", g->number, g->number, "#ffffff",
                  GB_PICTURE_GREY);
}

/* --- legend ----------------------------------------------------------------------------------- */

bool gb_distribution_modes(const gb_run_order *part, gb_buf *out)
{
    const gb_summary *time = &part->record->time;
    char low[32], high[32];
    if (!time->bimodal || !isfinite(time->modes[0]) || !isfinite(time->modes[1])) {
        return false;
    }
    gb_buf_printf(out, "replicate %u: %zu samples around %s, %zu around %s",
                  part->record->replicate + 1, time->mode_counts[0],
                  gb_format_ns(time->modes[0], low, sizeof low), time->mode_counts[1],
                  gb_format_ns(time->modes[1], high, sizeof high));
    return true;
}

static void clipped_entry(gb_legend *legend, const gb_distribution *d, bool above)
{
    char value[32];
    const size_t n = above ? d->above : d->below;
    if (n > 0) {
        char *text = gb_text_format("%zu of %zu %s what is drawn, %s %s", n, d->n_samples,
                                    above ? "above" : "below", above ? "up to" : "down to",
                                    gb_format_ns(above ? d->max : d->min, value, sizeof value));
        gb_legend_entry(legend, text != NULL ? text : "", 0, above ? SIGN_ABOVE : SIGN_BELOW,
                        "#000000", NULL);
        free(text);
    }
}

static void write_legend(const gb_distribution *d, gb_legend *legend)
{
    char time[32], half[32];
    size_t said = 0;
    gb_legend_entry(legend, "median of a replicate, bar: its 95 % interval", 1, 12, "#000000",
                    NULL);
    char *all = gb_text_format(
        "over replicates: %s +- %s", gb_format_ns(d->row->time_ns, time, sizeof time),
        isnan(d->row->plus_minus) ? "unknown"
                                  : gb_format_half(d->row->plus_minus, half, sizeof half));
    gb_legend_entry(legend, all != NULL ? all : "", 0, 0, NULL, NULL);
    free(all);
    clipped_entry(legend, d, true);
    clipped_entry(legend, d, false);
    for (size_t i = 0; i < d->n && said < MODES_SAID; i++) {
        gb_buf text = {0};
        if (gb_distribution_modes(&d->parts[i], &text) && text.data != NULL) {
            gb_legend_entry(legend, text.data, 2, 0, "#000000", NULL);
            said++;
        }
        gb_buf_free(&text);
    }
    if (d->step > 1) {
        char *text = gb_text_format("points: one of every %zu samples", d->step);
        gb_legend_entry(legend, text != NULL ? text : "", 0, 0, NULL, NULL);
        free(text);
    }
    gb_legend_entry(legend, "bars: Freedman-Diaconis, 20 to 50 over what is drawn", 0, 0, NULL,
                    NULL);
}

/* --- the script ------------------------------------------------------------------------------- */

/* Where replicates end, and their numbers above where there is room. */
static void draw_replicates(drawing *g)
{
    const gb_distribution *d = g->d;
    for (size_t i = 0; i < d->n; i++) {
        const gb_run_order *part = &d->parts[i];
        const double from = gb_frame_x(&g->frame, begin_of(part));
        const double to = gb_frame_x(&g->frame, end_of(part));
        char long_name[48], short_name[24];
        snprintf(long_name, sizeof long_name, "replicate %u", part->record->replicate + 1);
        snprintf(short_name, sizeof short_name, "%u", part->record->replicate + 1);
        if (i > 0) {
            gb_canvas_line(&g->canvas, from, g->frame.bottom, from, g->frame.top, GB_PICTURE_GREY,
                           1, 3);
        }
        bool fits = gb_text_pixels(long_name, GB_LABEL_FONT - 1) + 18 < to - from;
        double x = (from + to) / 2, y = g->frame.top - 9;
        gb_canvas_text(&g->canvas, fits ? long_name : short_name, x + (fits ? 6 : 0), y, "center",
                       0, NULL);
        if (fits) {
            gb_canvas_sign(&g->canvas, x - gb_text_pixels(long_name, GB_LABEL_FONT - 1) / 2 - 4, y,
                           gb_picture_point(i), 0.7, gb_picture_colour(i));
        }
    }
}

static void left_plot(drawing *g)
{
    const gb_distribution *d = g->d;
    const double room = (d->high - d->low) / g->scale * 0.06; /* for the replicates' names */
    gb_buf whole = {0}, title = {0}, y_label = {0};
    gb_buf_printf(&whole, "%s%s%s", d->title != NULL ? d->title : "Samples",
                  d->title != NULL ? ": " : " of ", d->row->first->case_id);
    gb_picture_cut(&title, whole.data != NULL ? whole.data : "", TITLE_COLUMNS);
    gb_buf_printf(&y_label, "time per iteration (%s), lower is better", g->unit);
    gb_picture_head(d->results, d->row->first->device, title.data != NULL ? title.data : "",
                    "sample, in the order taken", y_label.data != NULL ? y_label.data : "",
                    &g->canvas.body);
    g->canvas.body.failed = g->canvas.body.failed || whole.failed || title.failed || y_label.failed;
    gb_buf_free(&whole);
    gb_buf_free(&title);
    gb_buf_free(&y_label);
    gb_buf_printf(&g->canvas.body, "unset key\n%s", d->n_samples < FEW ? "set xtics 1\n" : "");
    g->frame = (gb_frame){.left = LEFT,
                          .right = MIDDLE,
                          .bottom = g->frame.bottom,
                          .top = g->frame.top,
                          .x_min = 0.5 - (double)d->n_samples * 0.01,
                          .x_max = (double)d->n_samples * 1.01 + 0.5,
                          .y_min = d->low / g->scale - room / 2,
                          .y_max = d->high / g->scale + room};
    gb_canvas_frame(&g->canvas, &g->frame);
    gb_canvas_axes(&g->canvas, &g->frame);
    draw_replicates(g);
}

static void right_plot(drawing *g)
{
    const gb_distribution *d = g->d;
    double most = 1;
    for (size_t i = 0; i < d->bins; i++) {
        most = fmax(most, (double)d->counts[i]);
    }
    gb_canvas_clear(&g->canvas);
    g->frame.left = MIDDLE + GAP;
    g->frame.right = WIDTH - 25;
    g->frame.log_x = d->log_counts;
    g->frame.x_min = d->log_counts ? 0.5 : 0;
    g->frame.x_max = most * (d->log_counts ? 1.5 : 1.08);
    gb_canvas_frame(&g->canvas, &g->frame);
    gb_canvas_axes(&g->canvas, &g->frame);
    gb_buf_printf(&g->canvas.body,
                  "unset title\nunset ylabel\nset format y ''\nset xtics %s\n"
                  "set xlabel 'samples%s' noenhanced\n",
                  most < FEW ? "1" : "autofreq", d->log_counts ? " (logarithmic)" : "");
}

void gb_distribution_draw(const gb_distribution *d, const char *name, gb_buf *script, gb_buf *data)
{
    gb_legend legend = {.left = 20, .right = WIDTH - 20, .x = 20, .y = 0};
    write_legend(d, &legend);
    const double height = GB_LEGEND_LINE - legend.y;
    drawing g = {.d = d, .name = name, .data = data};
    g.canvas = (gb_canvas){.name = name, .width = WIDTH, .height = (int)(PLOT_HEIGHT + height)};
    g.frame.bottom = height + 62;
    g.frame.top = height + PLOT_HEIGHT - 62;
    g.scale = gb_picture_scale(d->high, "ns", g.unit);
    gb_print_double(g.scale, g.number, sizeof g.number);
    sample_blocks(&g);
    clipped_block(&g, true);
    clipped_block(&g, false);
    mode_block(&g);
    median_block(&g);
    count_block(&g);
    left_plot(&g);
    gb_buf_printf(&g.canvas.body, "%s\n", g.left.data != NULL ? g.left.data : "");
    right_plot(&g);
    legend =
        (gb_legend){.canvas = &g.canvas, .left = 20, .right = WIDTH - 20, .x = 20, .y = height + 2};
    write_legend(d, &legend);
    gb_buf_add(&g.canvas.body, g.right.data != NULL ? g.right.data : "");
    script->failed = script->failed || g.left.failed || g.right.failed || data->failed;
    gb_canvas_outputs(&g.canvas, script);
    gb_buf_free(&g.left);
    gb_buf_free(&g.right);
}
