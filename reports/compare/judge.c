/* The verdict on one pair. docs/comparing.md has the rules and what they were tried with.
 *
 * y is the logarithm of each replicate's median (or rate), so that a change is a difference and a
 * ratio has the same interval whichever side is divided. */
#include <stdlib.h>
#include <string.h>

#include "base/inference.h"
#include "base/units.h"
#include "reports/compare/internal.h"

#define POWER 0.8
#define MOST_REPLICATES 1000 /* what a suite may ask for */
#define ROUNDING 1e-9        /* of a change: 110 against 100 is not more than 10 % */

bool gb_compared_worse(const gb_compared *item)
{
    return item->higher_is_better ? item->change < 0 : item->change > 0;
}

/* The largest fall within a threshold, as a share: the threshold itself up to one half. Nothing
 * falls by 100 %, so from there a fall is judged by its factor: 1 (100 %) is twice as much or less
 * than half. In between it stays one half, so that a larger threshold is never the stricter one. */
static double largest_fall(double threshold)
{
    return fmin(threshold, fmax(0.5, threshold / (1 + threshold)));
}

/* Beyond the threshold, strictly. */
static bool beyond(double change, double threshold)
{
    return change > threshold + ROUNDING || -change > largest_fall(threshold) + ROUNDING;
}

/* The threshold as a difference of logarithms, on the side of d. */
static double limit_towards(double d, double threshold)
{
    return d < 0 ? -log1p(-largest_fall(threshold)) : log1p(threshold);
}

/* y as the share by which something changed: 0.03 for +3 %. */
static double as_change(double y)
{
    return expm1(y);
}

/* The half-width of the test: se times what p < alpha needs. */
static double critical(double df)
{
    return gb_t_quantile(1 - GB_COMPARE_ALPHA / 2, df);
}

/* Replicates a side, more than the `had` that did not decide, at which a difference d (of
 * logarithms) with a variance of s2 a replicate would be decided with a power of 80 %: beyond the
 * threshold and at p < alpha, or its 99 % interval within the threshold. 0: not with 1000. */
static uint32_t replicates_needed(double d, double s2, double threshold, size_t had)
{
    double limit = limit_towards(d, threshold);
    double distance = fabs(fabs(d) - limit);
    bool beyond_it = fabs(d) > limit;
    size_t least = had < GB_COMPARE_REPLICATES ? GB_COMPARE_REPLICATES : had + 1;
    for (size_t n = least; n <= MOST_REPLICATES; n = n + 1 + n / 16) {
        double df = 2.0 * (double)n - 2, se = sqrt(2 * s2 / (double)n);
        double power = gb_t_quantile(POWER, df);
        bool decides = beyond_it ? fabs(d) >= (critical(df) + power) * se && distance >= power * se
                                 : distance >= (critical(df) + power) * se;
        if (decides) {
            return (uint32_t)n;
        }
    }
    return 0;
}

/* The numbers of a test of d with standard error se into the item. */
static void fill(gb_compared *item, double d, double se, double df, double p, double threshold)
{
    double half = gb_t_quantile(0.975, df) * se, power = gb_t_quantile(POWER, df);
    item->change = as_change(d);
    item->se = se;
    item->df = df;
    item->p = p;
    item->ci[0] = as_change(d - half);
    item->ci[1] = as_change(d + half);
    item->detectable = as_change(fmax((critical(df) + power) * se, log1p(threshold) + power * se));
}

/* SAME, or the test's verdict, or none: before anything is known of what the evidence is worth. */
typedef enum outcome { OUTCOME_SAME, OUTCOME_DIFFERENT, OUTCOME_OPEN } outcome;
static outcome decide(const gb_compared *item, double d, double threshold)
{
    double half = critical(item->df) * item->se;
    if (item->p < GB_COMPARE_ALPHA && beyond(item->change, threshold)) {
        return OUTCOME_DIFFERENT;
    }
    bool within = as_change(d - half) > -largest_fall(threshold) && as_change(d + half) < threshold;
    return within ? OUTCOME_SAME : OUTCOME_OPEN;
}

static void say_inconclusive(gb_compared *item, double d, double s2, double threshold,
                             const char *what)
{
    item->verdict = GB_VERDICT_INCONCLUSIVE;
    item->needed =
        replicates_needed(d, s2, threshold, item->n_a > item->n_b ? item->n_a : item->n_b);
    if (item->needed > 0) {
        snprintf(item->next, sizeof item->next, "measure %u %s a side to decide it (%zu and %zu)",
                 (unsigned)item->needed, what, item->n_a, item->n_b);
    } else {
        snprintf(item->next, sizeof item->next, "%d %s a side would not decide it: %s",
                 MOST_REPLICATES, what,
                 fabs(fabs(d) - limit_towards(d, threshold)) < limit_towards(d, threshold) / 2
                     ? "the change is too close to the threshold for this spread"
                     : "they differ by too much among themselves");
    }
}

/* Two groups of samples of which the smaller is large enough for the median to fall into either.
 * Below a quarter (samples that another process interrupted) it stays in the larger one. */
static bool median_between_groups(const gb_record *r)
{
    const size_t *counts = r->time.mode_counts;
    size_t smaller = counts[0] < counts[1] ? counts[0] : counts[1];
    return r->status == GB_STATUS_OK && (r->flags & GB_BIT(GB_FLAG_BIMODAL)) != 0 &&
           4 * smaller >= counts[0] + counts[1];
}

static const gb_record *bimodal_record(const gb_row *row)
{
    for (size_t i = 0; i < row->n; i++) {
        if (median_between_groups(row->replicates[i])) {
            return row->replicates[i];
        }
    }
    return NULL;
}

/* So in half of a side's replicates or more: its median says little. Single ones are left to the
 * spread between replicates: the flag has false alarms. */
bool gb_row_unstable(const gb_row *row)
{
    size_t bimodal = 0;
    for (size_t i = 0; i < row->n; i++) {
        bimodal += median_between_groups(row->replicates[i]);
    }
    return bimodal > 0 && 2 * bimodal >= row->n_ok;
}

static bool check_stable(gb_compared *item)
{
    bool bad_a = gb_row_unstable(item->a), bad_b = gb_row_unstable(item->b);
    if (!bad_a && !bad_b) {
        return true;
    }
    const gb_record *r = bimodal_record(bad_b ? item->b : item->a);
    char low[32], high[32];
    item->verdict = GB_VERDICT_UNSTABLE;
    snprintf(item->reason, sizeof item->reason, "%s: groups of %zu samples at %s and %zu at %s",
             bad_a && bad_b ? "on both sides"
             : bad_b        ? "in the new run"
                            : "in the baseline",
             r->time.mode_counts[0], gb_format_ns(r->time.modes[0], low, sizeof low),
             r->time.mode_counts[1], gb_format_ns(r->time.modes[1], high, sizeof high));
    return false;
}

static bool answers_verified(const gb_row *row)
{
    for (size_t i = 0; i < row->n; i++) {
        if (row->replicates[i]->status == GB_STATUS_OK && row->replicates[i]->verified != 1) {
            return false;
        }
    }
    return true;
}

/* A gain of a factor is more often a fault than progress: work that was left out. */
static void check_gain(const gb_comparison *c, gb_compared *item)
{
    double limit = isnan(c->options.suspicious) ? 2 : c->options.suspicious;
    double factor = item->higher_is_better ? 1 + item->change : 1 / (1 + item->change);
    if (c->evidence == GB_EVIDENCE_CROSS_DEVICE || !(factor > limit)) {
        return;
    }
    bool a = answers_verified(item->a), b = answers_verified(item->b);
    item->check = true;
    snprintf(item->reason, sizeof item->reason, "check this: %.3g times better; answers %s", factor,
             a && b ? "verified on both sides"
             : b    ? "verified in the new run, not in the baseline"
                    : "NOT verified in the new run");
}

/* What the test's outcome is worth with this evidence. */
static void conclude(const gb_comparison *c, gb_compared *item, double d, double s2,
                     double threshold)
{
    bool hint = c->evidence == GB_EVIDENCE_SESSIONS, worse = gb_compared_worse(item);
    const char *what = c->evidence == GB_EVIDENCE_BASELINES ? "runs" : "replicates";
    switch (decide(item, d, threshold)) {
    case OUTCOME_SAME:
        item->verdict = GB_VERDICT_SAME;
        break;
    case OUTCOME_DIFFERENT:
        item->verdict = hint ? (worse ? GB_VERDICT_SUSPECT_SLOWER : GB_VERDICT_SUSPECT_FASTER)
                             : (worse ? GB_VERDICT_SLOWER : GB_VERDICT_FASTER);
        if (hint && isnan(c->floor)) {
            snprintf(item->next, sizeof item->next,
                     "decide it with run --against; gpubench selftest finds the noise floor");
        }
        break;
    case OUTCOME_OPEN:
        say_inconclusive(item, d, s2, threshold, what);
        break;
    }
    check_gain(c, item);
}

static double mean(const double values[], size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += values[i];
    }
    return n > 0 ? sum / (double)n : (double)NAN;
}

static double variance(const double values[], size_t n)
{
    double centre = mean(values, n), squares = 0;
    for (size_t i = 0; i < n; i++) {
        squares += (values[i] - centre) * (values[i] - centre);
    }
    return n > 1 ? squares / (double)(n - 1) : 0;
}

/* Against several earlier runs: is the new one beyond what such runs differ by among themselves? A
 * prediction interval, m the mean and s the standard deviation of k runs:
 * t = (y - m) / (s sqrt(1 + 1/k)) with k - 1 degrees of freedom (Hahn & Meeker, Statistical
 * Intervals, 4.8.1). s is not taken below what the replicates within the runs explain. */
static gb_code judge_baselines(const gb_comparison *c, gb_compared *item, const gb_keyed *key,
                               const gb_scratch *scratch, const gb_logs *a, const gb_logs *b,
                               gb_error *err)
{
    size_t k = 0;
    double within = fmax(variance(b->y, b->n), b->floor) / (double)b->n;
    double new_mean = mean(b->y, b->n);
    if (a->n >= GB_COMPARE_REPLICATES) {
        scratch->runs[k++] = mean(a->y, a->n);
        within += fmax(variance(a->y, a->n), a->floor) / (double)a->n;
    }
    for (size_t i = 0; i < c->n_earlier; i++) {
        const gb_keyed *other = gb_side_find(&c->earlier[i].side, key->device, key->name);
        if (other == NULL || other->row == item->a || !gb_compare_counts(other->row, item->b)) {
            continue;
        }
        gb_logs logs = {.y = scratch->a};
        gb_code code = gb_compare_logs(item, other->row, &logs, err);
        if (code != GB_OK) {
            return code;
        }
        if (logs.n >= GB_COMPARE_REPLICATES) {
            scratch->runs[k++] = mean(logs.y, logs.n);
            within += fmax(variance(logs.y, logs.n), logs.floor) / (double)logs.n;
        }
    }
    item->n_a = k;
    item->value_a = exp(mean(scratch->runs, k));
    item->change = as_change(new_mean - mean(scratch->runs, k));
    if (k < GB_COMPARE_REPLICATES || b->n < GB_COMPARE_REPLICATES) {
        item->verdict = GB_VERDICT_INSUFFICIENT;
        snprintf(item->reason, sizeof item->reason,
                 "%zu earlier runs and %zu new replicates count; at least %d of each are needed", k,
                 b->n, GB_COMPARE_REPLICATES);
        return GB_OK;
    }
    double d = new_mean - mean(scratch->runs, k);
    double s2 = fmax(variance(scratch->runs, k), within / (double)(k + 1));
    double se = sqrt(s2 * (1 + 1 / (double)k)), df = (double)(k - 1);
    double t = se > 0 ? fabs(d) / se : d == 0 ? 0 : (double)INFINITY;
    fill(item, d, se, df, fmin(1, 2 * gb_t_cdf(-t, df)), item->threshold);
    conclude(c, item, d, s2, item->threshold);
    if (item->verdict == GB_VERDICT_INCONCLUSIVE) {
        /* Another run to compare with helps the interval; the new run stays one. */
        item->needed = 0;
        snprintf(item->next, sizeof item->next,
                 "decide it with run --against, or compare with more than %zu earlier runs", k);
    }
    return GB_OK;
}

static void say_lacking(gb_compared *item, const gb_row *row, const gb_logs *logs)
{
    char some[64] = "";
    if (logs->lacking < row->n_ok) {
        snprintf(some, sizeof some, "%zu of %zu replicates of ", logs->lacking, row->n_ok);
    }
    snprintf(item->reason, sizeof item->reason, "%s has no value in %sthe %s", item->metric, some,
             row == item->b ? "new run" : "baseline");
}

gb_code gb_compare_judge(const gb_comparison *c, gb_compared *item, const gb_keyed *key,
                         const gb_scratch *scratch, gb_error *err)
{
    gb_logs a = {.y = scratch->a}, b = {.y = scratch->b};
    gb_code code = gb_compare_metric(c, item, err);
    if (code == GB_OK) {
        code = gb_compare_logs(item, item->a, &a, err);
    }
    if (code == GB_OK) {
        code = gb_compare_logs(item, item->b, &b, err);
    }
    if (code != GB_OK) {
        return code;
    }
    item->n_a = a.n;
    item->n_b = b.n;
    if (a.n == 0 || b.n == 0) {
        item->verdict = GB_VERDICT_NOT_COMPARED;
        item->no_value = b.n == 0;
        say_lacking(item, b.n == 0 ? item->b : item->a, b.n == 0 ? &b : &a);
        return GB_OK;
    }
    item->value_a = exp(mean(a.y, a.n));
    item->value_b = exp(mean(b.y, b.n));
    item->change = as_change(mean(b.y, b.n) - mean(a.y, a.n));
    gb_welch test;
    gb_welch_test(a.y, a.n, a.floor, b.y, b.n, b.floor, &test);
    double threshold = item->threshold;
    if (c->evidence == GB_EVIDENCE_SESSIONS && !isnan(c->floor)) {
        threshold += c->floor;
    }
    if (a.n > 1 && b.n > 1) {
        fill(item, test.diff, test.se, test.df, test.p, threshold);
    }
    if (c->evidence == GB_EVIDENCE_CROSS_DEVICE) {
        item->verdict = GB_VERDICT_RATIO;
        item->p = item->detectable = (double)NAN;
        return GB_OK;
    }
    if (!check_stable(item)) {
        return GB_OK;
    }
    if (c->evidence == GB_EVIDENCE_BASELINES) {
        return judge_baselines(c, item, key, scratch, &a, &b, err);
    }
    if (a.n < GB_COMPARE_REPLICATES || b.n < GB_COMPARE_REPLICATES) {
        item->verdict = GB_VERDICT_INSUFFICIENT;
        snprintf(item->reason, sizeof item->reason, "%zu and %zu replicates", a.n, b.n);
        check_gain(c, item);
        return GB_OK;
    }
    double s2 = test.se * test.se / (1 / (double)a.n + 1 / (double)b.n);
    conclude(c, item, test.diff, s2, threshold);
    return GB_OK;
}
