/* overlap: what its two files share. overlap.c holds the row, the memory and the checks;
 * overlap_run.c puts the chunks on the streams and takes the samples. */
#ifndef GB_KERNELS_OVERLAP_H
#define GB_KERNELS_OVERLAP_H

#include "kernels/common.h"
#include "kernels/lanes.h"

enum {
    OVERLAP_MEMORY,
    OVERLAP_BYTES,
    OVERLAP_CHUNKS,
    OVERLAP_STREAMS,
    OVERLAP_ROUNDS,
    OVERLAP_BUDGET
};

/* Chunks begin at multiples of so many elements: where the widest access of any device may. */
#define OVERLAP_UNIT 128
#define OVERLAP_MAX_CHUNKS 1024

/* Parts of a sample, by their index in the spec. */
enum { OVERLAP_PART_IN, OVERLAP_PART_KERNEL, OVERLAP_PART_OUT, OVERLAP_PARTS };

/* How the data gets to the kernel: through copies, by reaching into the host's memory, by pages
 * that move when they are touched, or by pages that are sent ahead. */
typedef enum gb_overlap_way {
    OVERLAP_STAGED,
    OVERLAP_MAPPED,
    OVERLAP_MANAGED,
    OVERLAP_PREFETCHED
} gb_overlap_way;

typedef struct gb_overlap_state {
    gb_overlap_way way;
    uint64_t n; /* elements of 4 bytes */
    uint32_t chunks, rounds;
    uint64_t seed;
    gb_memory in, out; /* of the host; mapped and managed: what the kernel works on too */
    gb_memory slots;   /* of the device, staged: one for each stream */
    uint64_t slot;     /* elements of a slot */
    gb_lanes lanes;
    gb_event *marks[OVERLAP_PARTS + 1]; /* around the parts of a single chunk */
} gb_overlap_state;

/* First element and number of elements of chunk `index`: together they cover [0, n), none is longer
 * than the first. */
void gb_overlap_chunk(uint64_t n, uint32_t chunks, uint32_t index, uint64_t *first,
                      uint64_t *count);
/* Whether a sample tells its parts: staged, in one chunk. */
bool gb_overlap_in_parts(const gb_value args[]);

gb_code gb_overlap_enqueue(gb_run *run, gb_error *err);
gb_code gb_overlap_sample(gb_run *run, uint64_t iterations, gb_sample *out, gb_error *err);

#endif
