/* Findings on the suite startup: what the first call costs against a steady one and where the start
 * goes, what a pool or a cache gains, memory that is free and cannot be had, a request for too
 * much, and when the memory of a killed process is back. docs/methodology.md, "Cold start and
 * memory". */
#include "reports/findings.h"
#include "reports/findings_say.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/units.h"

/* Whether row `at` is the first of its kernel's rows that are alike but for `without`. */
static bool begins_group(const gb_view *view, size_t at, const char *const without[])
{
    const gb_row *row = &view->rows[at];
    for (size_t i = 0; i < at; i++) {
        if (gb_row_usable(&view->rows[i], row->first->kernel) &&
            gb_rows_alike(&view->rows[i], row, without)) {
            return false;
        }
    }
    return true;
}

static gb_code add(const gb_view *view, const gb_row *about, json_t *findings, const char *rule,
                   gb_buf *text, json_t *figures, gb_error *err)
{
    gb_code code = figures != NULL ? gb_finding_add(findings, view, about, rule, text, figures, err)
                                   : gb_fail(err, GB_NO_MEMORY, "out of memory for the findings");
    gb_buf_free(text);
    return code;
}

static const char *bytes_text(double bytes, char buf[32])
{
    return gb_format_bytes((uint64_t)bytes, buf, 32);
}

/* --- the start -------------------------------------------------------------------------------- */

static const char *call_text(const gb_row *row)
{
    return gb_row_word_is(row, "call", "blas") ? "product of the vendor's BLAS" : "launch";
}

/* first-call: said where the two intervals do not touch, and the ratio is beyond the noise floor.
 */
static gb_code first_call(const gb_view *view, size_t at, json_t *findings, gb_error *err)
{
    const gb_row *row = &view->rows[at];
    static const char *const said[] = {"call", NULL};
    gb_interval first, steady;
    if (!gb_row_usable(row, "startup") || !gb_row_interval(row, "first_call", &first) ||
        !gb_row_interval(row, "steady_call", &steady) || !(first.low > steady.high)) {
        return GB_OK;
    }
    const gb_interval ratio = gb_interval_ratio(&first, &steady, 1);
    if (!(log(ratio.centre) > gb_noise_floor(view->results, view->device))) {
        return GB_OK;
    }
    char a[96], b[96], times[96];
    gb_buf text = {0};
    gb_buf_printf(&text, "The first %s of a process", call_text(row));
    gb_finding_case(view, row, said, &text);
    gb_buf_printf(&text, " takes %s, a steady one %s: %s times that.",
                  gb_say_figure(row, "first_call", a, sizeof a),
                  gb_say_figure(row, "steady_call", b, sizeof b),
                  gb_say_number(&ratio, ratio.centre < 10 ? 1 : 0, times, sizeof times));
    return add(view, row, findings, "first-call", &text,
               json_pack("{s:s, s:f, s:o, s:f, s:f}", "call", gb_row_word(row, "call"), "first_ns",
                         first.centre, "second_ns", gb_json_real(gb_row_value(row, "second_call")),
                         "steady_ns", steady.centre, "times", ratio.centre),
               err);
}

/* A step's share of the time; false: a replicate does not have it. */
static bool share_of(const gb_row *row, const char *step, gb_interval *out)
{
    size_t n = 0;
    *out = (gb_interval){0};
    for (size_t r = 0; r < row->n; r++) {
        const gb_record *record = row->replicates[r];
        const gb_metric *m = gb_record_metric(record, step);
        if (record->status != GB_STATUS_OK) {
            continue;
        }
        if (m == NULL || !(m->value >= 0)) {
            return false;
        }
        gb_span_add(out, ++n, m->value / record->time.median);
    }
    return n > 0;
}

/* where-the-start-goes: shares of the time to the first right result, where that is firm. */
static gb_code start_goes(const gb_view *view, size_t at, json_t *findings, gb_error *err)
{
    static const char *const said[] = {"call", NULL};
    static const struct {
        const char *metric, *text;
    } steps[] = {{"process_start", "the process"},
                 {"device_open", "opening the device"},
                 {"first_memory", "memory"},
                 {"first_call", "the call"},
                 {"result_check", "reading and checking the result"}};
    const gb_row *row = &view->rows[at];
    if (!gb_row_usable(row, "startup") || !gb_row_firm(row, "time")) {
        return GB_OK;
    }
    char time[96], percent[96];
    gb_buf text = {0};
    gb_buf_printf(&text, "From the start of a process to its first right result, that of a %s",
                  call_text(row));
    gb_finding_case(view, row, said, &text);
    gb_buf_printf(&text, ", it takes %s: ", gb_say_figure(row, "time", time, sizeof time));
    json_t *figures =
        json_pack("{s:s, s:f}", "call", gb_row_word(row, "call"), "time_ns", row->time_ns);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        gb_interval share;
        if (!share_of(row, steps[i].metric, &share)) { /* nothing is said without all parts */
            json_decref(figures);
            gb_buf_free(&text);
            return GB_OK;
        }
        gb_buf_printf(&text, "%s%s %s", i > 0 ? ", " : "", steps[i].text,
                      gb_say_share(&share, percent, sizeof percent));
        json_object_set_new(figures, steps[i].metric,
                            gb_json_real(gb_row_value(row, steps[i].metric)));
    }
    gb_buf_add(&text, ".");
    return add(view, row, findings, "where-the-start-goes", &text, figures, err);
}

/* --- allocation ------------------------------------------------------------------------------- */

/* The plain row of the same memory and size. */
static const gb_row *plain_of(const gb_view *view, const gb_row *pooled)
{
    static const char *const without[] = {"way", "rounds", NULL};
    for (size_t i = 0; i < view->n; i++) {
        const gb_row *row = &view->rows[i];
        if (gb_row_usable(row, "allocate") && gb_row_word_is(row, "way", "plain") &&
            gb_rows_alike(row, pooled, without)) {
            return row;
        }
    }
    return NULL;
}

static bool comparable(const gb_view *view, const gb_row *pooled)
{
    const gb_row *plain = plain_of(view, pooled);
    return plain != NULL && gb_rows_differ(view->results, plain, pooled, "pair");
}

static void say_gain(const gb_view *view, const gb_row *pooled, const char *by, gb_buf *text)
{
    char bytes[32], a[96], b[96], ratio[96];
    const gb_row *plain = plain_of(view, pooled);
    const bool faster = gb_row_value(plain, "pair") > gb_row_value(pooled, "pair");
    gb_buf_printf(text, "%s %s by plain calls, %s %s (%s times as %s)",
                  bytes_text(gb_row_param(pooled, "bytes"), bytes),
                  gb_say_figure(plain, "pair", a, sizeof a),
                  gb_say_figure(pooled, "pair", b, sizeof b), by,
                  gb_say_ratio(faster ? plain : pooled, faster ? pooled : plain, "pair", 1, 1,
                               ratio, sizeof ratio),
                  faster ? "fast" : "slow");
}

/* allocation-pool: of each memory and way the smallest and the largest size at which the two
 * differ. */
static gb_code pool_gain(const gb_view *view, size_t at, json_t *findings, gb_error *err)
{
    static const char *const sizes[] = {"bytes", "rounds", NULL};
    static const char *const said[] = {"memory", "way", "bytes", "rounds", NULL};
    const gb_row *first = &view->rows[at], *small = NULL, *large = NULL;
    if (!gb_row_usable(first, "allocate") || gb_row_word_is(first, "way", "plain") ||
        !begins_group(view, at, sizes)) {
        return GB_OK;
    }
    for (size_t i = at; i < view->n; i++) {
        const gb_row *row = &view->rows[i];
        if (!gb_row_usable(row, "allocate") || !gb_rows_alike(row, first, sizes) ||
            !comparable(view, row)) {
            continue;
        }
        small = small == NULL || gb_row_param(row, "bytes") < gb_row_param(small, "bytes") ? row
                                                                                           : small;
        large = large == NULL || gb_row_param(row, "bytes") > gb_row_param(large, "bytes") ? row
                                                                                           : large;
    }
    if (small == NULL) {
        return GB_OK;
    }
    const char *by = gb_row_word_is(first, "way", "stream") ? "from the device's pool"
                                                            : "from a cache of blocks";
    gb_buf text = {0};
    gb_buf_printf(&text, "Having a block of %s memory and giving it back",
                  gb_row_word(first, "memory"));
    gb_finding_case(view, first, said, &text);
    gb_buf_add(&text, ": ");
    say_gain(view, small, by, &text);
    if (large != small) {
        gb_buf_add(&text, "; ");
        say_gain(view, large, by, &text);
    }
    gb_buf_add(&text, ".");
    return add(view, first, findings, "allocation-pool", &text,
               json_pack("{s:s, s:s, s:f, s:f, s:f, s:f, s:f, s:f}", "memory",
                         gb_row_word(first, "memory"), "way", gb_row_word(first, "way"),
                         "small_bytes", gb_row_param(small, "bytes"), "small_plain_ns",
                         gb_row_value(plain_of(view, small), "pair"), "small_ns",
                         gb_row_value(small, "pair"), "large_bytes", gb_row_param(large, "bytes"),
                         "large_plain_ns", gb_row_value(plain_of(view, large), "pair"), "large_ns",
                         gb_row_value(large, "pair")),
               err);
}

/* --- holes ------------------------------------------------------------------------------------ */

/* The least and the largest share among the replicates; false: none has one. */
static bool usable_range(const gb_row *row, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t r = 0; r < row->n; r++) {
        const gb_metric *m = gb_record_metric(row->replicates[r], "usable");
        if (row->replicates[r]->status == GB_STATUS_OK && m != NULL && isfinite(m->value)) {
            *low = fmin(*low, m->value);
            *high = fmax(*high, m->value);
        }
    }
    return *low <= *high;
}

static void say_share(const gb_row *row, double low, double high, gb_buf *text)
{
    char a[32], b[32];
    gb_format_percent(low / 100, a, sizeof a);
    gb_format_percent(high / 100, b, sizeof b);
    if (strcmp(a, b) == 0) {
        gb_buf_printf(text, "%s", a);
    } else {
        gb_buf_printf(text, "%s to %s", a, b);
    }
    if (gb_row_word_is(row, "allocator", "driver")) {
        gb_buf_add(text, " by the driver's calls");
    } else {
        gb_buf_printf(text, " by %s", gb_row_word(row, "allocator"));
    }
}

/* memory-in-holes: a count, not a time, hence exact; of all allocators with one pattern. */
static gb_code in_holes(const gb_view *view, size_t at, json_t *findings, gb_error *err)
{
    static const char *const without[] = {"allocator", NULL};
    const gb_row *first = &view->rows[at];
    const double block = gb_row_param(first, "block_bytes"),
                 budget = gb_row_param(first, "budget_bytes");
    if (!gb_row_usable(first, "fragment") || !begins_group(view, at, without) || !(block > 0) ||
        !(budget > 0)) {
        return GB_OK;
    }
    char a[32], b[32];
    const char *separator = "";
    json_t *figures = json_pack("{s:s, s:f, s:f}", "pattern", gb_row_word(first, "pattern"),
                                "block_bytes", block, "budget_bytes", budget);
    gb_buf text = {0};
    if (gb_row_word_is(first, "pattern", "alternate")) {
        gb_buf_printf(&text, "%s full of blocks of %s, every other of them released, have ",
                      bytes_text(budget, a), bytes_text(block, b));
        gb_buf_printf(&text, "%s free; the largest block that can be had is ",
                      bytes_text(floor(floor(budget / block) / 2) * block, a));
    } else {
        gb_buf_printf(&text,
                      "%s in which blocks of %s and less have come and gone: the largest block "
                      "that can be had is ",
                      bytes_text(budget, a), bytes_text(block, b));
    }
    for (size_t i = at; i < view->n; i++) {
        const gb_row *row = &view->rows[i];
        double low, high;
        if (gb_row_usable(row, "fragment") && gb_rows_alike(row, first, without) &&
            usable_range(row, &low, &high)) {
            gb_buf_add(&text, separator);
            say_share(row, low, high, &text);
            json_object_set_new(figures, gb_row_word(row, "allocator"), gb_json_real(low));
            separator = ", ";
        }
    }
    gb_buf_add(&text, " of what is free.");
    if (separator[0] == '\0') { /* no share is known */
        json_decref(figures);
        gb_buf_free(&text);
        return GB_OK;
    }
    return add(view, first, findings, "memory-in-holes", &text, figures, err);
}

/* --- too much, and the end of a process ------------------------------------------------------- */

/* refused-cleanly: that it was, and that all works afterwards, is what the case verified. */
static gb_code refused(const gb_view *view, size_t at, json_t *findings, gb_error *err)
{
    static const char *const said[] = {"how", "budget_bytes", "bytes", NULL};
    const gb_row *row = &view->rows[at];
    char a[96], b[96];
    if (!gb_row_usable(row, "exhaust") || row->n_ok != row->n || row->first->verified != 1) {
        return GB_OK;
    }
    gb_buf text = {0};
    if (gb_row_word_is(row, "how", "filled")) {
        gb_buf_printf(&text, "A process that fills its bound of %s is refused the next block",
                      bytes_text(gb_row_param(row, "budget_bytes"), a));
    } else {
        gb_buf_add(&text, "A request for twice the memory that there is is refused");
    }
    gb_finding_case(view, row, said, &text);
    if (gb_row_firm(row, "refusal")) {
        gb_buf_printf(&text, " in %s", gb_say_figure(row, "refusal", a, sizeof a));
    }
    gb_buf_add(&text, "; memory can be had, written and read right after it");
    if (gb_row_firm(row, "recovery")) {
        gb_buf_printf(&text, ", in %s", gb_say_figure(row, "recovery", b, sizeof b));
    }
    gb_buf_add(&text, ".");
    return add(view, row, findings, "refused-cleanly", &text,
               json_pack("{s:s, s:o, s:o}", "how", gb_row_word(row, "how"), "refusal_ns",
                         gb_json_real(gb_row_value(row, "refusal")), "recovery_ns",
                         gb_json_real(gb_row_value(row, "recovery"))),
               err);
}

/* memory-returns: of a time that may be twice as long or half nothing is said. */
static gb_code returns(const gb_view *view, size_t at, json_t *findings, gb_error *err)
{
    static const char *const said[] = {"bytes", NULL};
    const gb_row *row = &view->rows[at];
    char bytes[32], a[96], b[96];
    gb_interval back;
    if (!gb_row_usable(row, "reclaim") || !gb_row_interval(row, "memory_back", &back) ||
        back.high > 2 * back.centre) {
        return GB_OK;
    }
    gb_buf text = {0};
    gb_buf_printf(&text, "%s that a killed process held",
                  bytes_text(gb_row_param(row, "bytes"), bytes));
    gb_finding_case(view, row, said, &text);
    gb_buf_printf(&text, " are free again %s after the signal; the process itself ends after %s.",
                  gb_say_figure(row, "memory_back", a, sizeof a),
                  gb_say_figure(row, "process_gone", b, sizeof b));
    return add(view, row, findings, "memory-returns", &text,
               json_pack("{s:f, s:f, s:o}", "bytes", gb_row_param(row, "bytes"), "back_ns",
                         back.centre, "gone_ns", gb_json_real(gb_row_value(row, "process_gone"))),
               err);
}

gb_code gb_findings_startup(const gb_view *view, json_t *findings, gb_error *err)
{
    static gb_code (*const rules[])(const gb_view *, size_t, json_t *, gb_error *) = {
        first_call, start_goes, pool_gain, in_holes, refused, returns};
    gb_code code = GB_OK;
    for (size_t rule = 0; rule < sizeof rules / sizeof rules[0]; rule++) {
        for (size_t i = 0; i < view->n && code == GB_OK; i++) {
            code = rules[rule](view, i, findings, err);
        }
    }
    return code;
}
