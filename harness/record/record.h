/* One record: what became of one case in one replicate. docs/results-format.md has the JSON. */
#ifndef GB_RECORD_RECORD_H
#define GB_RECORD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/error.h"
#include "base/spec.h"
#include "base/stats.h"

typedef enum gb_status {
    GB_STATUS_OK,
    GB_STATUS_FAILED,
    GB_STATUS_WRONG,
    GB_STATUS_SKIPPED,
    GB_STATUS_TIMEOUT,
    GB_STATUS_NOT_RUN,
    GB_STATUSES
} gb_status;
const char *gb_status_word(gb_status status);
bool gb_status_parse(const char *word, gb_status *out);

/* name, word, what it means to a reader (one sentence, no full stop) */
#define GB_FLAGS(X)                                                                                \
    X(BELOW_RESOLUTION, "below-resolution", "a sample is shorter than 100 timer ticks")            \
    X(CACHE_RESIDENT, "cache-resident", "the working set fits in the last-level cache")            \
    X(IMPLAUSIBLE, "implausible",                                                                  \
      "above 102 % of a known ceiling: an error in the measurement, or in the ceiling")            \
    X(NOT_CONVERGED, "not-converged", "stopped before the precision asked for was reached")        \
    X(OUTLIERS, "outliers", "more than 5 % of the samples lie outside Tukey's fences")             \
    X(SLOW_FIRST, "slow-first-sample", "the first sample was slower than all others")              \
    X(DRIFT, "drift", "the second half of the samples differs from the first")                     \
    X(BIMODAL, "bimodal", "the samples form two separate groups")                                  \
    X(GATE_OFF, "gate-off", "launches were not held back: the queue may have run empty")           \
    X(GATE_EXPIRED, "gate-expired", "some samples were thrown away because the gate expired")      \
    X(SYNCHRONOUS_LAUNCHES, "synchronous-launches", "CUDA_LAUNCH_BLOCKING=1: launches wait")       \
    X(PROFILED, "profiled", "a profiler was attached, or --profile: the times are no results")     \
    X(THROTTLED, "throttled", "the device lowered its clocks during the case")                     \
    X(EMULATED, "emulated", "threads ran as fibers: correct, but the time means nothing")          \
    X(QUEUE_FULL, "queue-full", "the second half of the samples is 1.5x slower: a full queue")     \
    X(KERNEL_LIMITED, "kernel-limited", "the kernel, not the device, sets the limit")

typedef enum gb_flag {
#define X(name, word, meaning) GB_FLAG_##name,
    GB_FLAGS(X)
#undef X
        GB_FLAG_COUNT
} gb_flag;
const char *gb_flag_word(gb_flag flag);
const char *gb_flag_meaning(gb_flag flag);
/* By these a time is no result: it means something else than what was asked for. */
#define GB_FLAGS_NO_RESULT                                                                         \
    (GB_BIT(GB_FLAG_EMULATED) | GB_BIT(GB_FLAG_IMPLAUSIBLE) | GB_BIT(GB_FLAG_PROFILED) |           \
     GB_BIT(GB_FLAG_SYNCHRONOUS_LAUNCHES))
/* The word of the first of them that is set; NULL: none. */
const char *gb_flags_no_result(uint32_t flags);

/* A metric's value. `value` NAN: does not exist, and `reason` says why. */
typedef struct gb_metric {
    char name[48];
    char unit[16];
    bool higher_is_better;
    double value; /* base units */
    double peak;  /* theoretical ceiling in the same unit; <= 0 or NAN: unknown */
    char reason[64];
} gb_metric;
#define GB_MAX_METRICS 8

typedef struct gb_record {
    /* which run took it and when that began; filled by the run directory, "" before */
    char run_id[64];
    char started[32];
    /* identity; strings are owned */
    char *case_id, *benchmark, *kernel;
    json_t *params; /* object; owned reference */
    char definition[65];
    int device;
    uint32_t replicate;
    uint32_t index; /* position of the case in the suite's own order */
    uint32_t order; /* position in this replicate's own order */
    /* outcome */
    gb_status status;
    char *reason_code, *reason; /* NULL when ok */
    int verified;               /* 1 yes, 0 no, -1 not checked */
    /* how */
    gb_timer timer;
    gb_cache cache;
    bool gated;
    uint64_t iterations_per_sample;
    double resolution_ns; /* of the timer, per sample */
    double first_call_ns; /* NAN: none */
    gb_work work;
    /* samples, per iteration, in the order taken; owned; only in cases.jsonl */
    double *samples_ns;
    size_t n_samples;
    size_t rejected; /* samples thrown away (gate expired, throttled) */
    gb_summary time;
    bool converged;
    char stopped_by[16]; /* "precision", "max-samples", "budget", "timeout"; "" none */
    gb_metric metrics[GB_MAX_METRICS];
    size_t n_metrics;
    uint32_t flags;      /* GB_BIT(gb_flag) */
    json_t *parts_ns;    /* object or NULL: median ns per iteration of each part */
    json_t *parts_after; /* array or NULL: names of the parts that lie after the whole */
    json_t *phases_ns;   /* object or NULL: setup, warmup, measure, verify, teardown, total */
    json_t *telemetry;   /* object or NULL */
} gb_record;

/* Whether a part lies after the whole, and is not of it. */
bool gb_record_part_after(const gb_record *record, const char *part);

/* All zero with NANs where they belong; verified -1. */
void gb_record_init(gb_record *record);
void gb_record_free(gb_record *record); /* fine with an initialised or freed one */
/* Sets status, reason_code (the code's word) and reason (the message). GB_NO_MEMORY or GB_OK. */
gb_code gb_record_fail(gb_record *record, gb_status status, const gb_error *why);

/* JSON of a record; with `samples` the line of cases.jsonl, without it the entry of results.json.
 * Sizes above 2^63-1 are null. New reference; NULL on out of memory. */
json_t *gb_record_json(const gb_record *record, bool samples);
/* The way back; strict about types, tolerant of unknown keys and of missing ones that do not
 * identify the record (unknown: NAN, 0, NULL). Errors name the JSON path, which starts with `path`.
 * *out is filled whole or, after an error, as gb_record_init leaves it. */
gb_code gb_record_from_json(const json_t *json, const char *path, gb_record *out, gb_error *err);

/* Recomputes time, metrics-by-time and statistics flags (outliers, slow-first-sample, drift,
 * bimodal, below-resolution) from samples_ns, work and the metrics' numerators; used after
 * measuring and by verify. Peaks of metrics with the same name stay. A metric with part >= 0 uses
 * the part-th entry of parts_ns: parts_ns must hold every part of the kernel, in its order. A level
 * keeps the value of the metric of that name.
 *
 * Without samples time and metrics are NAN, and a record whose status is ok becomes failed with
 * reason_code no-samples and the number rejected: returns GB_NO_SAMPLES then. A time of 0 gives
 * metrics without a value, reason "below timer resolution". GB_INVALID for samples that are
 * negative or not finite and for more than GB_MAX_METRICS metrics; GB_NO_MEMORY; GB_OK. */
gb_code gb_record_summarise(gb_record *record, const gb_metric_spec metrics[], size_t n_metrics,
                            gb_error *err);

/* Whether the record makes sense in itself: ok has samples, no reason and did not fail
 * verification, anything else has a reason; order statistics are in order; parts are >= 0 and none
 * is longer than the whole; phases are >= 0 and together no longer than their total. GB_INVALID
 * says what is wrong. */
gb_code gb_record_check(const gb_record *record, gb_error *err);

#endif
