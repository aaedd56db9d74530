/* What the kernels share: rows of their tables, test data in and out of a device's memory
 * (test_data.c), comparisons that say what is wrong, the shape of a launch. */
#ifndef GB_KERNELS_COMMON_H
#define GB_KERNELS_COMMON_H

#include <math.h>

#include "kernels/kernel.h"

#define GB_COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Threads per block of every kernel that has no reason to choose otherwise. */
#define GB_BLOCK 256

/* Rows of the tables of parameters: one of a list of words, a count in a unit (NULL: none), a size,
 * a duration. */
#define GB_WORD_PARAM(name_, words_, default_, summary_)                                           \
    {                                                                                              \
        .name = name_, .summary = summary_, .kind = GB_PARAM_WORD, .words = words_,                \
        .default_value = {                                                                         \
            .word = default_                                                                       \
        }                                                                                          \
    }
#define GB_NUMBER_PARAM(kind_, name_, unit_, min_, max_, default_, summary_)                       \
    {                                                                                              \
        .name = name_, .summary = summary_, .kind = kind_, .unit = unit_, .min = min_,             \
        .max = max_, .default_value = {                                                            \
            .number = default_                                                                     \
        }                                                                                          \
    }
#define GB_COUNT_PARAM(name_, unit_, min_, max_, default_, summary_)                               \
    GB_NUMBER_PARAM(GB_PARAM_COUNT, name_, unit_, min_, max_, default_, summary_)
#define GB_BYTES_PARAM(name_, min_, max_, default_, summary_)                                      \
    GB_NUMBER_PARAM(GB_PARAM_BYTES, name_, NULL, min_, max_, default_, summary_)
#define GB_NS_PARAM(name_, min_, max_, default_, summary_)                                         \
    GB_NUMBER_PARAM(GB_PARAM_NS, name_, NULL, min_, max_, default_, summary_)

/* Rows of the tables of metrics: one of which more is better; and times, of a part (or GB_WHOLE,
 * ...), as they are or over the number of items. */
#define GB_GAIN(name_, unit_, numerator_, part_, summary_)                                         \
    {                                                                                              \
        .name = name_, .unit = unit_, .summary = summary_, .higher_is_better = true,               \
        .numerator = numerator_, .part = part_                                                     \
    }
#define GB_BANDWIDTH(summary_) GB_GAIN("bandwidth", "B/s", GB_PER_BYTES_MOVED, GB_WHOLE, summary_)
#define GB_FLOP_RATE(summary_) GB_GAIN("flop_rate", "FLOP/s", GB_PER_FLOPS, GB_WHOLE, summary_)
#define GB_ITEM_RATE(name_, part_, summary_) GB_GAIN(name_, "1/s", GB_PER_ITEMS, part_, summary_)
#define GB_TIME(name_, part_, summary_)                                                            \
    {                                                                                              \
        .name = name_, .unit = "ns", .summary = summary_, .numerator = GB_PER_NOTHING,             \
        .part = part_                                                                              \
    }
#define GB_TIME_PER_ITEM(name_, part_, summary_)                                                   \
    {                                                                                              \
        .name = name_, .unit = "ns", .summary = summary_, .numerator = GB_NS_PER_ITEM,             \
        .part = part_                                                                              \
    }

/* Fields of a spec: its tables and what goes with them; and how most kernels are timed: by the
 * device or the host, with a warm or a cold cache; with a warm one alone, because it is not data
 * from memory that counts, or because the case itself says where its data lies; or by the host
 * alone, because the host takes part in what is timed. */
#define GB_TABLES(params_, metrics_, check_, work_)                                                \
    .params = params_, .n_params = GB_COUNT(params_), .metrics = metrics_,                         \
    .n_metrics = GB_COUNT(metrics_), .check = check_, .work = work_
#define GB_TIMED_ON_DEVICE                                                                         \
    .devices = GB_ANY_DEVICE, .timers = GB_BIT(GB_TIMER_DEVICE) | GB_BIT(GB_TIMER_ROUNDTRIP),      \
    .caches = GB_BIT(GB_CACHE_WARM) | GB_BIT(GB_CACHE_COLD), .default_timer = GB_TIMER_DEVICE
#define GB_TIMED_ON_DEVICE_WARM                                                                    \
    .devices = GB_ANY_DEVICE, .timers = GB_BIT(GB_TIMER_DEVICE) | GB_BIT(GB_TIMER_ROUNDTRIP),      \
    .caches = GB_BIT(GB_CACHE_WARM), .default_timer = GB_TIMER_DEVICE
#define GB_TIMED_BY_HOST                                                                           \
    .devices = GB_ANY_DEVICE, .timers = GB_BIT(GB_TIMER_ROUNDTRIP),                                \
    .caches = GB_BIT(GB_CACHE_WARM), .default_timer = GB_TIMER_ROUNDTRIP

/* Fields of a kernel: what each of them has, in the order in which a case lives. */
#define GB_LIFE(prepare_, enqueue_, reset_, verify_, release_)                                     \
    .prepare = prepare_, .enqueue = enqueue_, .reset = reset_, .verify = verify_,                  \
    .release = release_

/* Index of a WORD argument in its parameter's list of words (so that an enum can name it). */
unsigned gb_word_index(const char *const words[], gb_value value);

/* A one-dimensional launch of at least `threads` threads in blocks of `block` (at most the
 * device's limit), the grid clamped to 1 .. the device's limit: the kernel covers what is left
 * with a grid stride (GB_RANGE). */
gb_launch gb_launch_shape(const gb_device *dev, uint64_t threads, uint32_t block);

/* The work of a kernel whose iteration is one item, which moves and computes nothing that counts.
 */
void gb_work_one(const gb_value args[], gb_device_kind kind, gb_work *out);

/* The state of a case, `size` zeroed bytes that become run->state. NULL, and GB_NO_MEMORY in *err,
 * when there is no memory for it. */
void *gb_state_new(gb_run *run, size_t size, const char *kernel, gb_error *err);
/* Frees the state, and before it `memories`, up to a NULL. */
void gb_state_free(gb_run *run, gb_memory *const memories[]);

/* Memory of the device that a state wants; 0 bytes: none. */
typedef struct gb_array {
    gb_memory *memory;
    uint64_t bytes;
} gb_array;
/* Allocates them, up to one whose memory is NULL; those that there are already, also after an
 * error, are the state's to free. */
gb_code gb_state_alloc(gb_run *run, const gb_array arrays[], gb_error *err);

/* A sample to add to, whose parts from number `parts` on there are none of (NAN). */
gb_sample gb_sample_of(int parts);
/* Adds `iterations` of `once`, which adds one to the sample that it is given, up to an error. */
typedef gb_code (*gb_once_fn)(gb_run *run, gb_sample *out, gb_error *err);
gb_code gb_sample_each(gb_run *run, uint64_t iterations, gb_once_fn once, gb_sample *out,
                       gb_error *err);

/* Test data: 64 bits that look random, from a place in a series and the run's seed. */
static inline uint64_t gb_mix(uint64_t seed, uint64_t index)
{
    /* An odd multiplier (the golden ratio, as in splitmix64) and one fold; cheap enough to be
     * generated and compared at memory speed. */
    uint64_t x = (index ^ seed) * UINT64_C(0x9e3779b97f4a7c15);
    return x ^ (x >> 29);
}

/* The same where a few bits are taken of each: the high bits of one round are a plain lattice over
 * the index. */
static inline uint64_t gb_mix_twice(uint64_t seed, uint64_t index)
{
    return gb_mix(~seed, gb_mix(seed, index));
}

/* gb_mix as test data of 32 bits, number `index` of a series; as a gb_make_fn, which takes a
 * pointer to the seed. */
static inline uint32_t gb_word32(uint64_t seed, uint64_t index)
{
    return (uint32_t)(gb_mix(seed, index) >> 32);
}
void gb_make_words32(void *seed, void *elements, uint64_t first, size_t count);

/* What a comparison found. Zero-initialise it. */
typedef struct gb_mismatch {
    uint64_t count; /* bad elements */
    uint64_t first; /* index of the first */
    char expected[32], found[32];
} gb_mismatch;

/* Both are called from several threads at once, each time with `count` elements starting with
 * number `first` of the series, a multiple of 64; together the calls cover the series once.
 * `elements` is host memory, aligned for 64-byte accesses where the memory begins so. `user` is
 * shared by all calls: only to be read. `bad` belongs to one call. */
typedef void (*gb_make_fn)(void *user, void *elements, uint64_t first, size_t count);
typedef void (*gb_compare_fn)(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                              size_t count);

/* Fills `memory` with `count` elements of `size` bytes made by `make`, in place where the host can
 * reach it, otherwise by copies through buffers of at most 32 MiB. Returns after the data is
 * there. */
gb_code gb_memory_write(gb_run *run, const gb_memory *memory, size_t size, uint64_t count,
                        gb_make_fn make, void *user, gb_error *err);
/* Hands `count` elements of `size` bytes to `compare`, in the same two ways. What it found bad is
 * added to *bad: the sum of the counts, and the first of all whatever the order of the threads. */
gb_code gb_memory_compare(gb_run *run, const gb_memory *memory, size_t size, uint64_t count,
                          gb_compare_fn compare, void *user, gb_mismatch *bad, gb_error *err);
/* The same for a whole verification: GB_WRONG_RESULT as of gb_mismatch_result. */
gb_code gb_memory_verify(gb_run *run, const gb_memory *memory, size_t size, uint64_t count,
                         gb_compare_fn compare, void *user, const char *what, gb_error *err);
/* Poisons all of `memory` with 0xFF bytes (a NaN in every floating-point type). On the device
 * enqueued on run->stream; host memory is written at once. */
gb_code gb_memory_poison(gb_run *run, const gb_memory *memory, gb_error *err);

/* The host touches every page of managed memory, which brings it to the host: by reading, or
 * (`writes`) by writing what is there already, as new data would. The device leaves it alone
 * meanwhile, which not every one would bear otherwise. */
void gb_memory_touch(const gb_memory *memory, bool writes);

/* Calls work(context, first, end) for parts that make up [0, items), on all processors that this
 * process may use, and returns when all is done. */
typedef void (*gb_host_fn)(void *context, uint64_t first, uint64_t end);
void gb_host_run(uint64_t items, gb_host_fn work, void *context);

/* Counts a bad element and keeps the values of the first; what the comparisons below end in. */
void gb_mismatch_f64(gb_mismatch *bad, uint64_t index, double expected, double found);
void gb_mismatch_u64(gb_mismatch *bad, uint64_t index, uint64_t expected, uint64_t found,
                     int digits);

/* Adds what `part` found to *bad; the order of such calls does not matter. */
void gb_mismatch_merge(gb_mismatch *bad, const gb_mismatch *part);

/* Notes a bad element unless |found - expected| <= tolerance; a NaN is always bad. */
static inline void gb_compare_f64(gb_mismatch *bad, uint64_t index, double expected, double found,
                                  double tolerance)
{
    if (!(fabs(found - expected) <= tolerance))
        gb_mismatch_f64(bad, index, expected, found);
}
/* Notes a bad element unless both are equal; `digits` hex digits are shown. */
static inline void gb_compare_u64(gb_mismatch *bad, uint64_t index, uint64_t expected,
                                  uint64_t found, int digits)
{
    if (found != expected)
        gb_mismatch_u64(bad, index, expected, found, digits);
}
/* How far a sum of positive terms may be from the exact one when each term goes through at most
 * `additions` rounded ones: twice the bound additions * u * sum (Higham, Accuracy and Stability of
 * Numerical Algorithms, 2nd edition, section 4.2), where epsilon = 2u is that of the type. So it
 * depends on the type, on the length, and on the order of the additions. */
double gb_sum_tolerance(double epsilon, uint64_t additions, double sum);
/* GB_OK when nothing was bad, otherwise GB_WRONG_RESULT: "what: 3 of 1024 elements are wrong; the
 * first is element 17 (byte offset 136): expected 0.5, found nan". */
gb_code gb_mismatch_result(const gb_mismatch *bad, const char *what, uint64_t count, size_t size,
                           gb_error *err);

#endif
