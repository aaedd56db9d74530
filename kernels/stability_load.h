/* The loads of `stability`, which its case and its neighbour put on a device: steps of arithmetic
 * on data in the cache, one pass over a large array, a single short launch, and copies to the
 * device and back. Each is checked exactly: see affine.h for the arithmetic, overlap.cu for the
 * device code. */
#ifndef GB_KERNELS_STABILITY_LOAD_H
#define GB_KERNELS_STABILITY_LOAD_H

#include "kernels/kernel.h"

typedef enum gb_load_kind {
    GB_LOAD_COMPUTE, /* `rounds` steps on each element of at most GB_LOAD_COMPUTE_BYTES */
    GB_LOAD_MEMORY,  /* one step on each element of `bytes`, from one array to another */
    GB_LOAD_LAUNCH,  /* one step on each element of at most GB_LOAD_LAUNCH_BYTES */
    GB_LOAD_COPIES,  /* `bytes` to the device and back */
    GB_LOADS
} gb_load_kind;
extern const char *const gb_load_words[GB_LOADS + 1]; /* NULL-terminated */

/* Small enough for caches, and still four elements for each thread that a large GPU holds. */
#define GB_LOAD_COMPUTE_BYTES (UINT64_C(4) << 20)
/* Nearly all of the time is starting it and waiting for its end on a GPU; on a CPU, whose launches
 * are mere calls, it is some microseconds of work, long enough for the clock. */
#define GB_LOAD_LAUNCH_BYTES (UINT64_C(256) << 10)

typedef struct gb_load_spec {
    gb_load_kind kind;
    uint64_t bytes; /* of the array, a multiple of 4 */
    uint32_t rounds;
} gb_load_spec;

/* Zero-initialise it. */
typedef struct gb_load {
    gb_load_spec spec;
    uint64_t n, seed; /* elements of 4 bytes */
    uint32_t rounds;  /* that each element goes through */
    gb_memory in, out, buffer;
} gb_load;

/* Elements and steps of a load. */
uint64_t gb_load_elements(const gb_load_spec *spec);
uint32_t gb_load_rounds(const gb_load_spec *spec);
/* What it allocates. Copies go from and to pinned memory on a GPU, pageable on a CPU, where few
 * systems let a process pin so much. */
void gb_load_need(const gb_load_spec *spec, gb_device_kind kind, gb_need *need);

/* Of run only the device, the stream and the seed matter. gb_load_free also when this failed. */
gb_code gb_load_prepare(gb_run *run, const gb_load_spec *spec, gb_load *out, gb_error *err);
gb_code gb_load_enqueue(gb_run *run, gb_load *load, gb_error *err); /* once, on run->stream */
gb_code gb_load_poison(gb_run *run, const gb_load *load, gb_error *err);
gb_code gb_load_verify(gb_run *run, const gb_load *load, gb_error *err);
void gb_load_free(gb_run *run, gb_load *load);

#endif
