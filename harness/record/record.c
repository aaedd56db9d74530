#include "record/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "record/internal.h"

static const char *const status_words[] = {"ok",      "failed",  "wrong",
                                           "skipped", "timeout", "not_run"};

static const char *const flag_words[] = {
#define X(name, word, meaning) word,
    GB_FLAGS(X)
#undef X
};
static const char *const flag_meanings[] = {
#define X(name, word, meaning) meaning,
    GB_FLAGS(X)
#undef X
};

const char *gb_status_word(gb_status status)
{
    return (unsigned)status < GB_STATUSES ? status_words[status] : "unknown";
}

bool gb_status_parse(const char *word, gb_status *out)
{
    for (unsigned i = 0; i < GB_STATUSES; i++) {
        if (strcmp(word, status_words[i]) == 0) {
            *out = (gb_status)i;
            return true;
        }
    }
    return false;
}

const char *gb_flag_word(gb_flag flag)
{
    return (unsigned)flag < GB_FLAG_COUNT ? flag_words[flag] : "unknown";
}

const char *gb_flags_no_result(uint32_t flags)
{
    for (int i = 0; i < GB_FLAG_COUNT; i++) {
        if ((flags & GB_FLAGS_NO_RESULT & GB_BIT(i)) != 0) {
            return flag_words[i];
        }
    }
    return NULL;
}

const char *gb_flag_meaning(gb_flag flag)
{
    return (unsigned)flag < GB_FLAG_COUNT ? flag_meanings[flag] : "unknown";
}

void gb_summary_clear(gb_summary *time)
{
    *time = (gb_summary){.min = NAN,
                         .p5 = NAN,
                         .p25 = NAN,
                         .median = NAN,
                         .p75 = NAN,
                         .p95 = NAN,
                         .p99 = NAN,
                         .max = NAN,
                         .mean = NAN,
                         .stddev = NAN,
                         .mad = NAN,
                         .ci95 = {NAN, NAN},
                         .modes = {NAN, NAN}};
}

void gb_record_init(gb_record *record)
{
    *record = (gb_record){.verified = -1, .resolution_ns = NAN, .first_call_ns = NAN};
    gb_summary_clear(&record->time);
}

void gb_record_free(gb_record *record)
{
    free(record->case_id);
    free(record->benchmark);
    free(record->kernel);
    free(record->reason_code);
    free(record->reason);
    free(record->samples_ns);
    json_decref(record->params);
    json_decref(record->parts_ns);
    json_decref(record->parts_after);
    json_decref(record->phases_ns);
    json_decref(record->telemetry);
    gb_record_init(record);
}

gb_code gb_record_fail(gb_record *record, gb_status status, const gb_error *why)
{
    const char *word = gb_code_word(why->code);
    char *code = gb_text_copy(word);
    char *reason = gb_text_copy(why->message[0] ? why->message : word);
    free(record->reason_code);
    free(record->reason);
    record->status = status;
    record->reason_code = code;
    record->reason = reason;
    return code && reason ? GB_OK : GB_NO_MEMORY;
}

/* The flags that follow from the samples alone. */
static uint32_t statistics_flags(const gb_record *record)
{
    const gb_summary *t = &record->time;
    uint32_t flags = 0;
    /* Below 5 samples a single odd one is 20 % and says nothing. */
    if (t->n >= 5 && (double)t->outliers > 0.05 * (double)t->n) {
        flags |= GB_BIT(GB_FLAG_OUTLIERS);
    }
    if (t->slow_first) {
        flags |= GB_BIT(GB_FLAG_SLOW_FIRST);
    }
    if (t->drift) {
        flags |= GB_BIT(GB_FLAG_DRIFT);
    }
    if (t->bimodal) {
        flags |= GB_BIT(GB_FLAG_BIMODAL);
    }
    double sample_ns = t->median * (double)record->iterations_per_sample;
    if (t->n > 0 && (sample_ns <= 0 || sample_ns < 100 * record->resolution_ns)) {
        flags |= GB_BIT(GB_FLAG_BELOW_RESOLUTION);
    }
    return flags;
}

gb_code gb_record_summarise_time(gb_record *record, gb_error *err)
{
    const uint32_t ours = GB_BIT(GB_FLAG_OUTLIERS) | GB_BIT(GB_FLAG_SLOW_FIRST) |
                          GB_BIT(GB_FLAG_DRIFT) | GB_BIT(GB_FLAG_BIMODAL) |
                          GB_BIT(GB_FLAG_BELOW_RESOLUTION);
    uint64_t iterations = record->iterations_per_sample;
    gb_summary_clear(&record->time);
    record->flags &= ~ours;
    if (record->n_samples > 0) {
        double floor = record->resolution_ns / (double)(iterations ? iterations : 1);
        gb_code code =
            gb_stats_summarise(record->samples_ns, record->n_samples, floor >= 0 ? floor : 0,
                               iterations <= 1, &record->time, err);
        if (code != GB_OK) {
            gb_summary_clear(&record->time);
            return code;
        }
        record->flags |= statistics_flags(record);
        return GB_OK;
    }
    if (record->status != GB_STATUS_OK) {
        return GB_OK; /* it has its reason already */
    }
    gb_error why;
    gb_fail(&why, GB_NO_SAMPLES, "no sample was accepted: %zu taken and rejected",
            record->rejected);
    if (gb_record_fail(record, GB_STATUS_FAILED, &why) != GB_OK) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory");
    }
    return gb_fail(err, GB_NO_SAMPLES, "%s", why.message);
}

/* Why a case of which none are counted has no such rate. */
static const char *nothing_counted(gb_numerator which)
{
    switch (which) {
    case GB_PER_BYTES_READ:
        return "the case reads no bytes that count";
    case GB_PER_BYTES_WRITTEN:
        return "the case writes no bytes that count";
    case GB_PER_FLOPS:
        return "the case does no floating-point operations";
    case GB_PER_ITEMS:
    case GB_NS_PER_ITEM:
        return "no items are counted";
    case GB_PER_NOTHING:
    case GB_LEVEL:
    case GB_PART_SHARE:
    case GB_PER_BYTES_MOVED:
    case GB_PER_BYTES_SECTORS:
        break;
    }
    return "the case moves no bytes that count";
}

/* Median ns of the index-th part; NAN when there is none. */
static double part_time(const json_t *parts, int index)
{
    const char *name;
    json_t *value;
    int i = 0;
    json_object_foreach((json_t *)(uintptr_t)parts, name, value)
    {
        if (i++ == index) {
            return json_is_number(value) ? json_number_value(value) : NAN;
        }
    }
    return NAN;
}

/* The time that a metric is made of; NAN when there is none. */
static double metric_time(const gb_record *record, int part)
{
    switch (part) {
    case GB_WHOLE:
        return record->time.median;
    case GB_WHOLE_MEAN:
        return record->time.mean;
    case GB_WHOLE_P95:
        return record->time.p95;
    case GB_WHOLE_P99:
        return record->time.p99;
    default:
        return part < 0 ? gb_record_stretch_ns(record, part) : part_time(record->parts_ns, part);
    }
}

/* Why there is none. */
static const char *no_time(int part)
{
    switch (part) {
    case GB_WHOLE_P95:
    case GB_WHOLE_P99:
        return "too few samples of one iteration for this percentile";
    case GB_WHOLE_FIRST_HALF:
    case GB_WHOLE_SECOND_HALF:
        return "too few samples for halves";
    case GB_WHOLE_SLOWEST_SECOND:
    case GB_WHOLE_FASTEST_SECOND:
        return "too short, or too few samples a second";
    default:
        return "the sample has no such part";
    }
}

static void metric_value(const gb_record *record, const gb_metric_spec *spec, gb_metric *out)
{
    double ns = metric_time(record, spec->part);
    const char *reason = "";
    double value = NAN;
    if (record->time.n == 0) {
        reason = "no samples";
    } else if (spec->numerator == GB_LEVEL) { /* no time is in it: what is there stays */
        value = out->value;
        reason = isfinite(value) ? "" : "the case did not say it";
    } else if (!isfinite(ns)) {
        reason = no_time(spec->part);
    } else if (spec->numerator == GB_PER_NOTHING) {
        value = ns;
    } else if (spec->numerator == GB_PART_SHARE) {
        value = record->time.median > 0 ? 100 * ns / record->time.median : NAN;
        reason = isfinite(value) ? "" : "below timer resolution";
    } else if (!(gb_work_count(&record->work, spec->numerator) > 0)) {
        /* A rate of nothing is no rate of 0: that would pass every upper limit. */
        reason = nothing_counted(spec->numerator);
    } else if (spec->numerator == GB_NS_PER_ITEM) {
        value = ns / (double)record->work.items;
    } else {
        value = gb_work_count(&record->work, spec->numerator) * 1e9 / ns;
        if (!isfinite(value)) {
            value = NAN;
            reason = "below timer resolution";
        }
    }
    out->value = value;
    snprintf(out->reason, sizeof out->reason, "%s", reason);
}

gb_code gb_record_summarise(gb_record *record, const gb_metric_spec metrics[], size_t n_metrics,
                            gb_error *err)
{
    if (n_metrics > GB_MAX_METRICS) {
        return gb_fail(err, GB_INVALID, "%zu metrics; a record holds at most %d", n_metrics,
                       GB_MAX_METRICS);
    }
    gb_code code = gb_record_summarise_time(record, err);
    if (code != GB_OK && code != GB_NO_SAMPLES) {
        return code;
    }
    gb_metric made[GB_MAX_METRICS];
    for (size_t i = 0; i < n_metrics; i++) {
        made[i] =
            (gb_metric){.higher_is_better = metrics[i].higher_is_better, .value = NAN, .peak = NAN};
        snprintf(made[i].name, sizeof made[i].name, "%s", metrics[i].name);
        snprintf(made[i].unit, sizeof made[i].unit, "%s", metrics[i].unit);
        for (size_t k = 0; k < record->n_metrics; k++) {
            if (strcmp(record->metrics[k].name, made[i].name) == 0) {
                made[i].peak = record->metrics[k].peak;
                made[i].value = record->metrics[k].value;
            }
        }
        metric_value(record, &metrics[i], &made[i]);
    }
    memcpy(record->metrics, made, n_metrics * sizeof made[0]);
    record->n_metrics = n_metrics;
    return code;
}

bool gb_record_part_after(const gb_record *record, const char *part)
{
    size_t i;
    json_t *name;
    json_array_foreach(record->parts_after, i, name)
    {
        if (strcmp(json_string_value(name), part) == 0) {
            return true;
        }
    }
    return false;
}

/* Every entry >= 0 (or null) and at most `limit`; *sum gets their sum without "total". */
static gb_code check_times(const gb_record *record, const json_t *times, const char *what,
                           double limit, double *sum, gb_error *err)
{
    const char *name;
    json_t *value;
    *sum = 0;
    json_object_foreach((json_t *)(uintptr_t)times, name, value)
    {
        if (json_is_null(value)) {
            continue;
        }
        double ns = json_number_value(value);
        if (!json_is_number(value) || !(ns >= 0)) {
            return gb_fail(err, GB_INVALID, "%s.%s is not a time", what, name);
        }
        if (ns > limit && !(times == record->parts_ns && gb_record_part_after(record, name))) {
            return gb_fail(err, GB_INVALID, "%s.%s is %.17g, longer than the whole of %.17g", what,
                           name, ns, limit);
        }
        *sum += strcmp(name, "total") == 0 ? 0 : ns;
    }
    return GB_OK;
}

static gb_code check_statistics(const gb_record *record, gb_error *err)
{
    const gb_summary *t = &record->time;
    const double order[] = {t->min, t->p5, t->p25, t->median, t->p75, t->p95, t->p99, t->max};
    double last = 0;
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        if (isnan(order[i])) {
            continue;
        }
        if (!(order[i] >= last)) {
            return gb_fail(err, GB_INVALID, "time_ns: statistics are out of order or negative");
        }
        last = order[i];
    }
    if (t->n > 0 && isnan(t->median)) {
        return gb_fail(err, GB_INVALID, "time_ns: %zu samples without a median", t->n);
    }
    if (t->outliers > t->n) {
        return gb_fail(err, GB_INVALID, "time_ns: more outliers than samples");
    }
    return GB_OK;
}

gb_code gb_record_check(const gb_record *record, gb_error *err)
{
    bool ok = record->status == GB_STATUS_OK;
    if (ok && record->time.n == 0) {
        return gb_fail(err, GB_INVALID, "status is ok, but there is no sample");
    }
    if (ok && record->verified == 0) {
        return gb_fail(err, GB_INVALID, "status is ok, but verification failed");
    }
    if (ok ? record->reason != NULL : !record->reason || !record->reason_code) {
        return gb_fail(err, GB_INVALID, "status is %s %s a reason", gb_status_word(record->status),
                       ok ? "with" : "without");
    }
    gb_code code = check_statistics(record, err);
    if (code != GB_OK) {
        return code;
    }
    /* Parts may overlap, so that their sum may exceed the whole, but none of it lasts longer; 1 %
     * and a tick for marks that were taken apart. NAN without samples: no limit. */
    double sum, tick = record->resolution_ns > 0 ? record->resolution_ns : 0;
    code = check_times(record, record->parts_ns, "parts_ns", record->time.median * 1.01 + tick,
                       &sum, err);
    if (code != GB_OK) {
        return code;
    }
    const json_t *total = json_object_get(record->phases_ns, "total");
    double limit = json_is_number(total) ? json_number_value(total) : INFINITY;
    code = check_times(record, record->phases_ns, "phases_ns", limit, &sum, err);
    if (code == GB_OK && sum > limit * (1 + 1e-9)) {
        code = gb_fail(err, GB_INVALID, "phases_ns: the phases sum up to %.17g, the total is %.17g",
                       sum, limit);
    }
    return code;
}
