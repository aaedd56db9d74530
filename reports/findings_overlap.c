/* What overlapping copies and kernels gains: for each benchmark, of the jobs that were done in one
 * chunk and in several, the one in which there is most to hide. docs/methodology.md, "Overlap
 * efficiency". */
#include "reports/findings.h"
#include "reports/findings_say.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/units.h"

#define UNKNOWN_ENGINES (-1)

static const char *const cut[] = {"chunks", "streams", NULL};
static const char *const part_names[] = {"copy_in", "kernel", "copy_out"};
enum { IN, KERNEL, OUT, PARTS };

/* One job: the same but for chunks and streams. */
typedef struct job {
    const gb_row *one;  /* in one chunk */
    const gb_row *best; /* the fastest in several chunks over several streams */
    size_t n;           /* how many of those there are */
} job;

static bool same_job(const gb_row *a, const gb_row *b)
{
    return gb_rows_alike(a, b, cut);
}

/* The job whose single chunk is row `one`; false where nothing is to be compared with it. */
static bool collect(const gb_view *view, const gb_row *one, job *out)
{
    *out = (job){.one = one};
    if (!gb_row_usable(one, "overlap") || !gb_row_number_is(one, "chunks", 1)) {
        return false;
    }
    for (size_t i = 0; i < view->n; i++) {
        const gb_row *row = &view->rows[i];
        if (!gb_row_usable(row, "overlap") || !(gb_row_param(row, "chunks") > 1) ||
            !(gb_row_param(row, "streams") > 1) || !same_job(row, one)) {
            continue;
        }
        out->n++;
        if (out->best == NULL || row->time_ns < out->best->time_ns) {
            out->best = row;
        }
    }
    return out->best != NULL;
}

/* Copy engines of the device (asyncEngineCount). */
static int engines_of(const gb_view *view)
{
    const json_t *engines = json_object_get(gb_view_facts(view), "async_engines");
    return json_is_integer(engines) ? (int)json_integer_value(engines) : UNKNOWN_ENGINES;
}

/* The time that overlap leaves at best: the longest part, or with a single copy engine both copies
 * where they are longer than the kernel. */
static double floor_of(const double parts[PARTS], int engines)
{
    if (engines == 1) {
        return fmax(parts[KERNEL], parts[IN] + parts[OUT]);
    }
    return fmax(parts[KERNEL], fmax(parts[IN], parts[OUT]));
}

static bool interval_of_floor(const gb_row *one, int engines, gb_interval *out)
{
    double centre[PARTS], low[PARTS], high[PARTS];
    for (int i = 0; i < PARTS; i++) {
        gb_interval part;
        if (!gb_row_interval(one, part_names[i], &part)) {
            return false;
        }
        centre[i] = part.centre;
        low[i] = part.low;
        high[i] = part.high;
    }
    *out =
        (gb_interval){floor_of(centre, engines), floor_of(low, engines), floor_of(high, engines)};
    return true;
}

/* (S - T) / (S - F), and the least and the most that it is at the ends of the three intervals: it
 * rises or falls all along each of them. False where S and F cannot be told apart. */
static bool efficiency_of(const gb_interval *s, const gb_interval *t, const gb_interval *f,
                          gb_interval *out)
{
    *out = (gb_interval){NAN, NAN, NAN};
    if (!(s->low > f->high)) {
        return false;
    }
    *out = (gb_interval){(s->centre - t->centre) / (s->centre - f->centre), INFINITY, -INFINITY};
    for (unsigned corner = 0; corner < 8; corner++) {
        const double whole = (corner & 1) != 0 ? s->high : s->low;
        const double cut_up = (corner & 2) != 0 ? t->high : t->low;
        const double least = (corner & 4) != 0 ? f->high : f->low;
        const double value = (whole - cut_up) / (whole - least);
        out->low = fmin(out->low, value);
        out->high = fmax(out->high, value);
    }
    return true;
}

static json_t *figures_of(const job *j, int engines, const gb_interval *efficiency, double shortest)
{
    const char *unit;
    bool higher;
    double parts[PARTS];
    for (int i = 0; i < PARTS; i++) {
        parts[i] = gb_row_metric(j->one, part_names[i], &unit, &higher);
    }
    json_t *params = json_copy(j->one->first->params);
    for (size_t i = 0; cut[i] != NULL; i++) {
        json_object_del(params, cut[i]);
    }
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "params", params,
        "sequential_ns", gb_json_real(j->one->time_ns), "copy_in_ns", gb_json_real(parts[IN]),
        "kernel_ns", gb_json_real(parts[KERNEL]), "copy_out_ns", gb_json_real(parts[OUT]),
        "at_best_ns", gb_json_real(shortest), "overlapped_ns", gb_json_real(j->best->time_ns),
        "chunks", gb_json_real(gb_row_param(j->best, "chunks")), "streams",
        gb_json_real(gb_row_param(j->best, "streams")), "efficiency",
        gb_json_real(efficiency->centre), "efficiency_low", gb_json_real(efficiency->low),
        "efficiency_high", gb_json_real(efficiency->high), "copy_engines",
        engines == UNKNOWN_ENGINES ? json_null() : json_integer(engines));
}

static void say_engines(const gb_view *view, int engines, gb_buf *text)
{
    if (view->cpu) {
        gb_buf_add(text, "; copies and kernels share the processors here");
    } else if (engines == 1) {
        gb_buf_add(text, "; one copy engine, which both directions share");
    } else if (engines != UNKNOWN_ENGINES) {
        gb_buf_printf(text, "; %d copy engines", engines);
    }
}

/* "..., copied in, worked on and copied out one after the other, take 7.50 ms (in ..., ...)" */
static void say_one(const gb_view *view, const job *j, gb_buf *text)
{
    static const char *const said[] = {"chunks", "streams", "bytes", "device_budget", NULL};
    char bytes[32], whole[96], parts[PARTS][96];
    for (int i = 0; i < PARTS; i++) {
        gb_say_figure(j->one, part_names[i], parts[i], sizeof parts[i]);
    }
    gb_buf_add(text, gb_format_bytes((uint64_t)gb_row_param(j->one, "bytes"), bytes, sizeof bytes));
    gb_finding_case(view, j->one, said, text);
    gb_buf_printf(text,
                  ", copied in, worked on and copied out one after the other, take %s (in %s, "
                  "kernel %s, out %s)",
                  gb_say_figure(j->one, "time", whole, sizeof whole), parts[IN], parts[KERNEL],
                  parts[OUT]);
}

static void say_best(const gb_view *view, const job *j, gb_contrast contrast, int engines,
                     const gb_interval *efficiency, gb_buf *text)
{
    char time[96], factor[96];
    gb_buf_printf(text, "; in %.0f chunks over %.0f streams%s %s", gb_row_param(j->best, "chunks"),
                  gb_row_param(j->best, "streams"),
                  j->n > 1 ? ", the fastest cut that was measured," : "",
                  gb_say_figure(j->best, "time", time, sizeof time));
    if (contrast == GB_CONTRAST_SAME) {
        gb_buf_add(text, ": no difference that can be told from noise");
    } else if (j->best->time_ns > j->one->time_ns) {
        gb_buf_printf(text, ": longer by a factor of %s",
                      gb_say_ratio(j->best, j->one, "time", 1, 2, factor, sizeof factor));
    } else if (efficiency->high - efficiency->low <= 2 * GB_FIRM) {
        gb_buf_printf(text,
                      ": an overlap efficiency of %.0f %% (%.0f to %.0f; 0: nothing overlaps, 100: "
                      "only the longest part is left%s)",
                      100 * efficiency->centre, 100 * efficiency->low, 100 * efficiency->high,
                      efficiency->low > 1 ? ", above: chunks also made the parts shorter" : "");
    } else {
        gb_buf_printf(text, ": a factor of %s",
                      gb_say_ratio(j->one, j->best, "time", 1, 2, factor, sizeof factor));
    }
    say_engines(view, engines, text);
    gb_buf_add(text, ".");
}

static gb_code find_one(const gb_view *view, const job *j, json_t *findings, gb_error *err)
{
    const int engines = engines_of(view);
    const gb_contrast contrast = gb_rows_contrast(view->results, j->one, j->best, "time");
    gb_interval whole, best, shortest, efficiency;
    if (contrast == GB_CONTRAST_UNKNOWN || !gb_row_interval(j->one, "time", &whole) ||
        !gb_row_interval(j->best, "time", &best) ||
        !interval_of_floor(j->one, engines, &shortest)) {
        return GB_OK;
    }
    efficiency_of(&whole, &best, &shortest, &efficiency);
    gb_buf text = {0};
    say_one(view, j, &text);
    say_best(view, j, contrast, engines, &efficiency, &text);
    json_t *figures = figures_of(j, engines, &efficiency, shortest.centre);
    gb_code code = figures != NULL
                       ? gb_finding_add(findings, view, j->one, "overlap", &text, figures, err)
                       : gb_fail(err, GB_NO_MEMORY, "out of memory for the findings");
    gb_buf_free(&text);
    return code;
}

/* The share of a job's time in one chunk that overlap could hide; NAN where parts are missing. */
static double hideable(const gb_row *one, int engines)
{
    double parts[PARTS];
    for (int i = 0; i < PARTS; i++) {
        const char *unit;
        bool higher;
        parts[i] = gb_row_metric(one, part_names[i], &unit, &higher);
        if (!(parts[i] > 0)) {
            return NAN;
        }
    }
    return 1 - floor_of(parts, engines) / one->time_ns;
}

/* Whether another job of the benchmark has more to hide, or as much and comes first. */
static bool is_outdone(const gb_view *view, size_t at, int engines)
{
    const gb_row *row = &view->rows[at];
    const double own = hideable(row, engines);
    for (size_t i = 0; i < view->n; i++) {
        const gb_row *other = &view->rows[i];
        job j;
        if (i == at || strcmp(other->first->benchmark, row->first->benchmark) != 0 ||
            !collect(view, other, &j)) {
            continue;
        }
        const double share = hideable(other, engines);
        if (share > own || (share == own && i < at)) {
            return true;
        }
    }
    return false;
}

gb_code gb_findings_overlap(const gb_view *view, json_t *findings, gb_error *err)
{
    const int engines = engines_of(view);
    gb_code code = GB_OK;
    for (size_t i = 0; i < view->n && code == GB_OK; i++) {
        job j;
        if (collect(view, &view->rows[i], &j) && !is_outdone(view, i, engines)) {
            code = find_one(view, &j, findings, err);
        }
    }
    return code;
}
