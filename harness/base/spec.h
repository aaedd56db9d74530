/* What a kernel looks like from outside: parameters, metrics, timers. Pure data, shared by the
 * suite loader (which checks YAML against it), the kernels (which declare it) and the reports.
 * Neither of these needs to see the others. */
#ifndef GB_BASE_SPEC_H
#define GB_BASE_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gb_device_kind { GB_CPU = 0, GB_CUDA = 1, GB_DEVICE_KINDS } gb_device_kind;
const char *gb_device_kind_word(gb_device_kind kind); /* "cpu", "cuda" */
bool gb_device_kind_parse(const char *word, gb_device_kind *out);

/* How a sample is taken; see docs/methodology.md. Words: "device", "roundtrip", "call". */
typedef enum gb_timer {
    GB_TIMER_DEVICE = 0,
    GB_TIMER_ROUNDTRIP,
    GB_TIMER_CALL,
    GB_TIMERS
} gb_timer;
const char *gb_timer_word(gb_timer timer);
bool gb_timer_parse(const char *word, gb_timer *out);

/* State of the last-level cache before an iteration. Words: "warm", "cold". */
typedef enum gb_cache { GB_CACHE_WARM = 0, GB_CACHE_COLD, GB_CACHES } gb_cache;
const char *gb_cache_word(gb_cache cache);
bool gb_cache_parse(const char *word, gb_cache *out);

#define GB_BIT(x) (1u << (unsigned)(x))
#define GB_ANY_DEVICE (GB_BIT(GB_CPU) | GB_BIT(GB_CUDA))

/* Kinds of parameter values. COUNT: a whole number. BYTES: a size with a unit. NS: a duration.
 * WORD: one of a closed list. */
typedef enum gb_param_kind {
    GB_PARAM_COUNT,
    GB_PARAM_BYTES,
    GB_PARAM_NS,
    GB_PARAM_WORD
} gb_param_kind;

/* One value. `word` points into the parameter's `words` (static storage); for the other kinds it
 * is NULL and `number` holds the value. Two values of a parameter are equal iff both fields are. */
typedef struct gb_value {
    uint64_t number;
    const char *word;
} gb_value;

typedef struct gb_param {
    const char *name;
    const char *summary; /* half a sentence for `describe` */
    gb_param_kind kind;
    const char *unit;         /* of COUNT, e.g. "elements"; NULL: none */
    uint64_t min, max;        /* inclusive, for the number kinds */
    const char *const *words; /* NULL-terminated, for WORD */
    gb_value default_value;
} gb_param;

/* The theoretical ceiling that bounds a case's bandwidth: device memory, the link between host and
 * device, or none that is known in advance. */
typedef enum gb_ceiling { GB_CEILING_NONE, GB_CEILING_MEMORY, GB_CEILING_LINK } gb_ceiling;

/* The arithmetic units that do a case's floating-point (or whole-number) operations: they have a
 * peak of their own. FP16 and BF16: packed pairs outside the tensor cores. INT32: products and
 * multiply-adds. SPECIAL: approximations of sines, roots and the like in fp32. Words: "none",
 * "fp64", "fp32", "fp16", "bf16", "int32", "special", "fp64-tensor", "tf32-tensor", "fp16-tensor",
 * "bf16-tensor". */
typedef enum gb_compute {
    GB_COMPUTE_NONE,
    GB_COMPUTE_FP64,
    GB_COMPUTE_FP32,
    GB_COMPUTE_FP16,
    GB_COMPUTE_BF16,
    GB_COMPUTE_INT32,
    GB_COMPUTE_SPECIAL,
    GB_COMPUTE_FP64_TENSOR,
    GB_COMPUTE_TF32_TENSOR,
    GB_COMPUTE_FP16_TENSOR,
    GB_COMPUTE_BF16_TENSOR,
    GB_COMPUTES
} gb_compute;
const char *gb_compute_word(gb_compute compute);
bool gb_compute_parse(const char *word, gb_compute *out);

/* Work of ONE iteration, counted by the kernel from its arguments (never measured).
 *   bytes_read, bytes_written  what the algorithm must move at least (compulsory traffic)
 *   bytes_moved   numerator of "bandwidth" by the stated convention: h2d and d2h N, d2d 2N,
 *                 streams reads + writes
 *   bytes_sectors what the memory system moves in whole 32-byte sectors; 0: same as bytes_moved
 *   flops         FMA = 2; items: kernel-defined units of work (copies, launches, elements) */
typedef struct gb_work {
    uint64_t bytes_read, bytes_written, bytes_moved, bytes_sectors, flops, items;
    uint64_t working_set; /* bytes touched by one iteration: decides cache-resident */
    gb_ceiling ceiling;
    gb_compute compute; /* what does the flops */
    /* Each item is an operation that these units start, a multiply-add as much as a sum: a rate of
     * items has a peak then. Not recorded. */
    bool items_are_operations;
} gb_work;

/* What a metric divides by time. GB_PER_NOTHING: the metric IS the time, in ns; GB_NS_PER_ITEM: the
 * time divided by the number of items. GB_LEVEL: no time is in it, the kernel says the value itself
 * (gb_run.levels), in the metric's unit; GB_PART_SHARE: a part's median time divided by that of the
 * whole, in percent (of a part of the whole, not of one after it). */
typedef enum gb_numerator {
    GB_PER_NOTHING,
    GB_PER_BYTES_MOVED,
    GB_PER_BYTES_READ,
    GB_PER_BYTES_WRITTEN,
    GB_PER_BYTES_SECTORS,
    GB_PER_FLOPS,
    GB_PER_ITEMS,
    GB_NS_PER_ITEM,
    GB_LEVEL,
    GB_PART_SHARE
} gb_numerator;

/* Which time of its samples a metric is made of: a part's median by the part's index in the spec,
 * or one of these, of the whole sample: its median, a percentile where there is one (base/stats.h),
 * or the median of a stretch of the samples in the order in which they were taken, where there are
 * enough (docs/methodology.md, "Stability"): a half, or of all seconds the slowest or the fastest.
 */
enum {
    GB_WHOLE = -1,
    GB_WHOLE_P95 = -2,
    GB_WHOLE_P99 = -3,
    GB_WHOLE_FIRST_HALF = -4,
    GB_WHOLE_SECOND_HALF = -5,
    GB_WHOLE_SLOWEST_SECOND = -6,
    GB_WHOLE_FASTEST_SECOND = -7,
    GB_WHOLE_MEAN = -8 /* of all samples: interruptions of a few count in full */
};

/* A metric of a kernel: value = numerator / time (units B/s, FLOP/s, items/s), time (ns), or a
 * level (%, cycles).
 * Every kernel has "time" implicitly; it is not listed. */
typedef struct gb_metric_spec {
    const char *name; /* "bandwidth" */
    const char *unit; /* "B/s", "FLOP/s", "1/s", "ns", "%", "cycles" */
    const char *summary;
    bool higher_is_better;
    gb_numerator numerator;
    int part; /* index into the spec's parts, GB_WHOLE, ...: divide by that time */
} gb_metric_spec;

/* Memory that a case will allocate, all buffers, checked against what is free before anything is
 * allocated. Computed with overflow checks. */
typedef struct gb_need {
    uint64_t device_bytes; /* on the device (on cpu: host memory) */
    uint64_t host_bytes;   /* pageable and managed host memory */
    uint64_t pinned_bytes; /* page-locked host memory, all kinds of it */
    uint64_t beside_bytes; /* what another process of the case takes, counted as on the device */
} gb_need;

typedef struct gb_kernel_spec {
    const char *name;    /* the word in `kernel:` */
    const char *summary; /* one line */
    const char *lesson;  /* a paragraph: what it teaches */
    const char *picture; /* a paragraph: the picture to expect, and why */
    const char *source;  /* "kernels/copy.cu"; of several files "kernels/crossover_*.cu" */
    unsigned version;    /* raise it when the measured work changes: it is in the definition hash */
    const gb_param *params;
    size_t n_params;
    const gb_metric_spec *metrics;
    size_t n_metrics;
    const char *const *parts; /* NULL-terminated names of the parts a sample reports; NULL: none */
    unsigned parts_after;     /* of them the last so many lie after the whole, and are not of it */
    unsigned devices;         /* GB_BIT(gb_device_kind) of those it can run on */
    unsigned timers;          /* GB_BIT(gb_timer) allowed */
    unsigned caches;          /* GB_BIT(gb_cache) allowed */
    gb_timer default_timer;
    /* The timer of a case where its arguments decide it (phases of which each can be timed in one
     * way alone); a suite cannot choose one then. NULL: the suite's choice or default_timer. */
    gb_timer (*timer_of)(const gb_value args[]);
    /* Whether a case's samples tell the time of a part: some have it only by one timer or in one
     * direction, and a metric of that part has no value elsewhere. NULL: always. */
    bool (*has_part)(const gb_value args[], gb_timer timer, int part);
    /* Checks the arguments (args[i] belongs to params[i]) against each other for a kind of device
     * and fills *need. Pure. Returns GB_OK, GB_INVALID (a combination that can never run: an error
     * of the suite), or GB_UNAVAILABLE (never on this kind of device: a skip with that reason). */
    gb_code (*check)(const gb_value args[], gb_device_kind kind, gb_need *need, gb_error *err);
    /* Fills *work for one iteration. Pure; called only for arguments that passed check. */
    void (*work)(const gb_value args[], gb_device_kind kind, gb_work *work);
    /* How long the samples of a case take at least by its arguments, whatever budget and precision
     * say, when `max_samples` of them end it. Pure; for arguments that passed check. NULL: they
     * state nothing. */
    uint64_t (*least_ns)(const gb_value args[], uint64_t max_samples);
} gb_kernel_spec;

/* A lookup of kernels by name; the only way in which the suite library knows kernels. */
typedef struct gb_catalog {
    const gb_kernel_spec *const *specs; /* n of them, any order */
    size_t n;
} gb_catalog;

const gb_kernel_spec *gb_catalog_find(const gb_catalog *catalog, const char *name); /* or NULL */
/* Index of a parameter or metric by name; -1 when there is none. */
int gb_spec_param(const gb_kernel_spec *spec, const char *name);
/* The timer of a case for which the suite chose `chosen`. */
gb_timer gb_spec_timer(const gb_kernel_spec *spec, const gb_value args[], gb_timer chosen);
int gb_spec_metric(const gb_kernel_spec *spec, const char *name);
/* Index of the first of the parts that lie after the whole; the number of parts where none does. */
int gb_spec_first_after(const gb_kernel_spec *spec);
/* A metric by its index; of -1 that of "time", which every kernel has (ns, lower is better). */
const gb_metric_spec *gb_spec_metric_at(const gb_kernel_spec *spec, int metric);
/* Whether a case may have a value of a metric (index; -1: time): its samples tell the time of the
 * part, and something is counted. For arguments that passed check. */
bool gb_spec_has_metric(const gb_kernel_spec *spec, const gb_value args[], gb_device_kind kind,
                        gb_timer timer, int metric);
/* What is counted for a metric's numerator; NAN for GB_PER_NOTHING, GB_LEVEL and GB_PART_SHARE. */
double gb_work_count(const gb_work *work, gb_numerator which);

/* Value of a parameter as text: exact integers, words as they are. Writes at most `size` bytes
 * with the NUL; returns buf. */
const char *gb_value_text(const gb_param *param, gb_value value, char *buf, size_t size);
/* As JSON: an integer or a string. New reference; NULL on out of memory. */
json_t *gb_value_json(const gb_param *param, gb_value value);
/* From JSON, checked against the parameter's range or words (GB_INVALID). */
gb_code gb_value_from_json(const gb_param *param, const json_t *json, gb_value *out, gb_error *err);
/* All arguments as a JSON object {name: value}, and back; missing keys take the default. */
json_t *gb_args_json(const gb_kernel_spec *spec, const gb_value args[]);
gb_code gb_args_from_json(const gb_kernel_spec *spec, const json_t *object, gb_value args[],
                          gb_error *err);

/* a * b and a + b for sizes; GB_INVALID when the result does not fit in 64 bits. */
gb_code gb_mul_u64(uint64_t a, uint64_t b, uint64_t *out, gb_error *err);
gb_code gb_add_u64(uint64_t a, uint64_t b, uint64_t *out, gb_error *err);

/* SHA-256 (hex, 64 characters + NUL) of what defines a case's measured work: kernel name and
 * version, all arguments, timer, cache, and whether the gate may be used. "" when out of memory. */
void gb_definition_hash(const gb_kernel_spec *spec, const gb_value args[], gb_timer timer,
                        gb_cache cache, bool gate, char hex[65]);

#ifdef __cplusplus
}
#endif
#endif
