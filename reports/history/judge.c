#include "reports/history/judge.h"

#include <math.h>
#include <string.h>

/* Of a median over k values in standard deviations of one: sqrt(pi / 2 / k) for large k, by the
 * normal's order statistics for 3 (Harter 1961, doi:10.1093/biomet/48.1-2.151). */
#define SD_OF_MEDIAN_3 0.670
#define SD_OF_MEDIAN(k) (1.2533 / sqrt(k))

static void sort(double values[], size_t n)
{
    for (size_t i = 1; i < n; i++) { /* at most GB_DRIFT_NIGHTS of them */
        double value = values[i];
        size_t k = i;
        for (; k > 0 && values[k - 1] > value; k--) {
            values[k] = values[k - 1];
        }
        values[k] = value;
    }
}

static double middle(double values[], size_t n)
{
    sort(values, n);
    return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

void gb_robust(const double values[], size_t n, double floor, double *median, double *sd)
{
    double copy[GB_DRIFT_NIGHTS];
    memcpy(copy, values, n * sizeof copy[0]);
    *median = middle(copy, n);
    for (size_t i = 0; i < n; i++) {
        copy[i] = fabs(values[i] - *median);
    }
    *sd = fmax(1.4826 * middle(copy, n), floor);
}

/* `worse`: in place of the rule's own `least`, unless it is NAN. */
static bool large(double difference, double worse, double least)
{
    return fabs(expm1(difference)) >= (isnan(worse) ? least : worse);
}

void gb_spike_judge(const double nights[], size_t n, double worse, gb_spike *out)
{
    *out = (gb_spike){.centre = NAN, .sd = NAN, .change = NAN, .z = NAN};
    if (n <= GB_YOUNG_NIGHTS) {
        return;
    }
    /* Nights that may belong to what is to be found say nothing about the level before it. */
    bool can_last = n >= GB_YOUNG_NIGHTS + GB_RUN_NIGHTS;
    size_t before = n - (can_last ? GB_RUN_NIGHTS : 1);
    size_t level = before < GB_SPIKE_NIGHTS ? before : GB_SPIKE_NIGHTS;
    size_t noise = before < GB_DRIFT_NIGHTS ? before : GB_DRIFT_NIGHTS;
    double unused;
    gb_robust(nights + before - level, level, 0, &out->centre, &unused);
    gb_robust(nights + before - noise, noise, GB_NOISE_FLOOR, &unused, &out->sd);
    out->judged = true;
    out->change = nights[n - 1] - out->centre;
    out->z = out->change / out->sd;
    out->beyond = fabs(out->z) > GB_SPIKE_Z && large(out->change, worse, GB_SPIKE_CHANGE);
    if (out->beyond || !can_last) {
        return;
    }
    double last[GB_RUN_NIGHTS];
    memcpy(last, nights + n - GB_RUN_NIGHTS, sizeof last);
    double lasting = middle(last, GB_RUN_NIGHTS) - out->centre;
    out->lasting = fabs(lasting) > GB_SPIKE_Z * SD_OF_MEDIAN_3 * out->sd &&
                   large(lasting, worse, GB_SPIKE_CHANGE) && lasting * out->change > 0;
    out->beyond = out->lasting;
}

bool gb_spike_agrees(const gb_spike *spike, double repeat)
{
    double change = repeat - spike->centre;
    return change * spike->change > 0 && fabs(change) > GB_REPEAT_Z * spike->sd &&
           large(change, NAN, GB_REPEAT_CHANGE);
}

void gb_judge(const double nights[], size_t n, double worse, uint64_t seed, gb_judgement *out)
{
    size_t at[GB_MAX_CHANGES];
    *out = (gb_judgement){0};
    out->n_changes = gb_drift_find(nights, n, worse, seed, at);
    double now = 0, sd;
    for (size_t i = 0, from = 0; i <= out->n_changes; i++) {
        size_t to = i < out->n_changes ? at[i] : n;
        gb_robust(nights + from, to - from, 0, &now, &sd);
        if (i > 0) {
            out->changes[i - 1].after = now;
        }
        if (i < out->n_changes) {
            out->changes[i] = (gb_change){.at = to, .before = now};
        }
        out->segment = from;
        from = to;
    }
    for (size_t i = 0; i < out->n_changes; i++) {
        gb_change *change = &out->changes[i];
        change->open = change->after > change->before && now > change->before &&
                       large(now - change->before, worse, GB_DRIFT_CHANGE);
    }
    gb_spike_judge(nights + out->segment, n - out->segment, worse, &out->spike);
}

static void against_reference(const double first[GB_REFERENCE_NIGHTS], const double last[],
                              size_t n, double worse, gb_reference *out)
{
    double sd, steps[GB_DRIFT_NIGHTS];
    *out = (gb_reference){.level = NAN, .now = NAN};
    gb_robust(first, GB_REFERENCE_NIGHTS, GB_NOISE_FLOOR, &out->level, &sd);
    if (n < GB_YOUNG_NIGHTS) {
        return;
    }
    gb_robust(last + n - GB_REFERENCE_NOW, GB_REFERENCE_NOW, 0, &out->now, &sd);
    /* From one night to the next, whatever creeps is small beside the noise, which counts twice. */
    for (size_t i = 1; i < n; i++) {
        steps[i - 1] = fabs(last[i] - last[i - 1]);
    }
    sd = fmax(1.4826 * middle(steps, n - 1) / sqrt(2), GB_NOISE_FLOOR);
    const double first_sd = SD_OF_MEDIAN(GB_REFERENCE_NIGHTS),
                 now_sd = SD_OF_MEDIAN(GB_REFERENCE_NOW);
    double error = sd * sqrt(first_sd * first_sd + now_sd * now_sd);
    double change = out->now - out->level;
    out->judged = true;
    out->beyond = change > GB_SPIKE_Z * error && large(change, worse, GB_REFERENCE_CHANGE);
    /* Three slow nights of the last five are a level only while tonight still has it. */
    out->back = out->beyond && last[n - 1] - out->level < change / 2;
    out->beyond = out->beyond && !out->back;
}

void gb_reference_judge(const double first[GB_REFERENCE_NIGHTS], const double last[], size_t n,
                        double worse, gb_reference *out)
{
    gb_reference before = {0};
    if (n > GB_RUN_NIGHTS) {
        against_reference(first, last, n - GB_RUN_NIGHTS, worse, &before);
    }
    against_reference(first, last, n, worse, out);
    out->before = before.beyond || before.back;
}
