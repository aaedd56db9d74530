/* Findings on launches: what one costs, what fewer of them save, and when a graph pays off. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "reports/findings.h"
#include "reports/findings_say.h"

/* The row of the same benchmark whose parameters are those of `row`, but for `param`, which is
 * `word`. NULL: there is none with a time. */
static const gb_row *sibling(const gb_view *view, const gb_row *row, const char *param,
                             const char *word)
{
    const char *const without[] = {param, NULL};
    const gb_row *found = NULL;
    char *key = gb_row_key(row, without);
    for (size_t i = 0; key != NULL && found == NULL && i < view->n; i++) {
        const gb_row *other = &view->rows[i];
        if (!gb_row_usable(other, row->first->kernel) || !gb_row_word_is(other, param, word) ||
            strcmp(other->first->benchmark, row->first->benchmark) != 0) {
            continue;
        }
        char *other_key = gb_row_key(other, without);
        found = other_key != NULL && strcmp(key, other_key) == 0 ? other : NULL;
        free(other_key);
    }
    free(key);
    return found;
}

/* A single launch of the smallest kernel with the fewest arguments, by one timer. */
static const gb_row *single_launch(const gb_view *view, gb_timer timer)
{
    for (size_t i = 0; i < view->n; i++) {
        const gb_row *row = &view->rows[i];
        if (gb_row_usable(row, "launch") && row->first->timer == timer &&
            gb_row_word_is(row, "mode", "separate") && gb_row_number_is(row, "launches", 1) &&
            gb_row_number_is(row, "argument_bytes", 8) && gb_row_number_is(row, "blocks", 1) &&
            gb_row_number_is(row, "streams", 1)) {
            return row;
        }
    }
    return NULL;
}

const gb_row *gb_finding_launch(const gb_view *view, gb_buf *text)
{
    const gb_row *call = single_launch(view, GB_TIMER_CALL);
    const gb_row *device = single_launch(view, GB_TIMER_DEVICE);
    const gb_row *roundtrip = single_launch(view, GB_TIMER_ROUNDTRIP);
    char a[32], b[32], c[32];
    if (call == NULL || device == NULL || roundtrip == NULL || !gb_row_firm(call, "time") ||
        !gb_row_firm(device, "time") || !gb_row_firm(roundtrip, "time")) {
        return NULL;
    }
    gb_buf_printf(text,
                  "Launching a small kernel costs the calling thread %s; those that wait in a "
                  "queue run every %s; until the host knows of the end it takes %s.",
                  gb_format_ns(call->time_ns, a, sizeof a),
                  gb_format_ns(device->time_ns, b, sizeof b),
                  gb_format_ns(roundtrip->time_ns, c, sizeof c));
    return call;
}

/* Many small kernels against one that does the same: the pair with the most steps. */
const gb_row *gb_finding_steps(const gb_view *view, gb_buf *text)
{
    const gb_row *many = NULL, *fused = NULL;
    double most = 1;
    for (size_t i = 0; i < view->n; i++) {
        const gb_row *row = &view->rows[i];
        double launches = 0;
        if (!gb_row_usable(row, "launch") || row->first->timer != GB_TIMER_ROUNDTRIP ||
            !gb_row_word_is(row, "mode", "separate") ||
            !gb_row_number(row, "launches", &launches) || launches <= most) {
            continue;
        }
        const gb_row *other = sibling(view, row, "mode", "fused");
        if (other != NULL) {
            many = row;
            fused = other;
            most = launches;
        }
    }
    if (many == NULL || !gb_rows_differ(view->results, many, fused, "time")) {
        return NULL;
    }
    static const char *const said[] = {"mode", "launches", "timer", NULL};
    char a[96], b[96], c[96];
    gb_buf_printf(text,
                  "%.0f steps as a kernel each take %s, as one kernel that does all of them %s: a "
                  "factor of %s",
                  most, gb_say_figure(many, "time", a, sizeof a),
                  gb_say_figure(fused, "time", b, sizeof b),
                  gb_say_ratio(many, fused, "time", 1, 2, c, sizeof c));
    const gb_row *waiting = sibling(view, many, "mode", "sync-each");
    if (waiting != NULL && gb_rows_differ(view->results, waiting, many, "time")) {
        gb_buf_printf(text, "; waiting after each of them %s",
                      gb_say_figure(waiting, "time", c, sizeof c));
    }
    gb_finding_case(view, many, said, text);
    gb_buf_add(text, ".");
    return many;
}

/* "256 kernels in 4 chains of 64 launched one by one take ..., as a graph ...: a factor of 2." */
static void say_replay(const gb_view *view, const gb_row *graph, const gb_row *eager, gb_buf *text)
{
    static const char *const said[] = {"measure", "length", "width", "timer", NULL};
    char a[96], b[96], factor[96];
    double length = 0, width = 0;
    gb_row_number(graph, "length", &length);
    gb_row_number(graph, "width", &width);
    gb_buf_printf(text, "%.0f kernels", length * width);
    if (width > 1) {
        gb_buf_printf(text, " in %.0f chains of %.0f", width, length);
    }
    gb_finding_case(view, graph, said, text);
    gb_buf_printf(text, " launched one by one take %s, as a graph %s: a factor of %s",
                  gb_say_figure(eager, "time", a, sizeof a),
                  gb_say_figure(graph, "time", b, sizeof b),
                  gb_say_ratio(eager, graph, "time", 1, 2, factor, sizeof factor));
}

/* instantiate / (eager - graph), whose intervals do not touch, in whole launches. */
static bool worth_after(const gb_row *made, const gb_row *eager, const gb_row *graph,
                        gb_interval *out)
{
    gb_interval m, e, g;
    if (!gb_row_interval(made, "time", &m) || !gb_row_interval(eager, "time", &e) ||
        !gb_row_interval(graph, "time", &g) || !(e.low > g.high)) {
        return false;
    }
    *out = (gb_interval){.centre = ceil(m.centre / (e.centre - g.centre)),
                         .low = ceil(m.low / (e.high - g.low)),
                         .high = ceil(m.high / (e.low - g.high))};
    return true;
}

/* After how many launches the graph was worth making; nothing where that is not known well. */
static void say_worth(const gb_row *made, const gb_row *eager, const gb_row *graph,
                      gb_contrast contrast, gb_buf *text)
{
    gb_interval launches;
    char time[96];
    gb_say_figure(made, "time", time, sizeof time);
    if (contrast == GB_CONTRAST_SAME) {
        gb_buf_printf(text,
                      ", no difference that can be told from noise. Instantiating the graph takes "
                      "%s, which does not pay off here.",
                      time);
    } else if (!(eager->time_ns > graph->time_ns)) {
        gb_buf_printf(text, ". Instantiating the graph takes %s, which does not pay off here.",
                      time);
    } else if (gb_row_firm(made, "time") && worth_after(made, eager, graph, &launches)) {
        char count[96];
        gb_buf_printf(
            text, ". Instantiating the graph takes %s, which has paid off after %s launch%s.", time,
            gb_say_number(&launches, 0, count, sizeof count), launches.high <= 1 ? "" : "es");
    } else {
        gb_buf_add(text, ".");
    }
}

/* When a graph pays off: instantiate / (eager - graph), of the most nodes that have all three. No
 * judgement: where the device is busy all the time a graph gains nothing, and should not. */
const gb_row *gb_finding_break_even(const gb_view *view, gb_buf *text)
{
    const gb_row *graph = NULL, *eager = NULL, *made = NULL;
    double most = 0;
    for (size_t i = 0; i < view->n; i++) {
        const gb_row *row = &view->rows[i];
        double length = 0, width = 0;
        if (!gb_row_usable(row, "graph") || !gb_row_word_is(row, "measure", "replay-roundtrip") ||
            !gb_row_number(row, "length", &length) || !gb_row_number(row, "width", &width) ||
            length * width <= most) {
            continue;
        }
        const gb_row *other = sibling(view, row, "measure", "eager-roundtrip");
        const gb_row *start = sibling(view, row, "measure", "instantiate");
        if (other != NULL && start != NULL) {
            graph = row;
            eager = other;
            made = start;
            most = length * width;
        }
    }
    if (graph == NULL) {
        return NULL;
    }
    const gb_contrast contrast = gb_rows_contrast(view->results, eager, graph, "time");
    if (contrast == GB_CONTRAST_UNKNOWN) {
        return NULL;
    }
    say_replay(view, graph, eager, text);
    say_worth(made, eager, graph, contrast, text);
    return graph;
}
