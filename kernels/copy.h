/* copy: what its two files share. copy.c holds the row, the memory and the checks; copy_run.c puts
 * copies on streams and takes samples. */
#ifndef GB_KERNELS_COPY_H
#define GB_KERNELS_COPY_H

#include "kernels/common.h"

enum { COPY_DIRECTION, COPY_MEMORY, COPY_BYTES, COPY_PIECES };

typedef enum gb_copy_direction {
    COPY_H2D,
    COPY_D2H,
    COPY_D2D,
    COPY_BIDIRECTIONAL
} gb_copy_direction;

/* Parts of a sample, by their index in the spec. */
enum { COPY_PART_H2D, COPY_PART_D2H, COPY_PART_TOUCH, COPY_PART_MIGRATE, COPY_PARTS };

gb_copy_direction gb_copy_direction_of(const gb_value args[]);
gb_memory_kind gb_copy_memory_of(const gb_value args[]);

/* One direction of a case. */
typedef struct gb_copy_lane {
    gb_memory from, to;
    gb_copy direction;
    uint64_t seed; /* of the pattern in `from` */
} gb_copy_lane;

typedef struct gb_copy_state {
    bool by_kernel; /* a kernel moves the bytes instead of a copy engine: mapped and managed */
    bool managed;
    uint64_t bytes, pieces;
    gb_copy_lane lanes[2];
    unsigned n_lanes;
    gb_stream *second; /* of lane 1; NULL when there is one lane */
    gb_event *start, *stop, *ends[2];
} gb_copy_state;

/* Offset and length of piece `index` of `pieces`: the first bytes % pieces ones are a byte longer,
 * together they cover [0, bytes). */
void gb_copy_piece(uint64_t bytes, uint64_t pieces, uint64_t index, uint64_t *offset,
                   uint64_t *length);

gb_code gb_copy_enqueue(gb_run *run, gb_error *err);
gb_code gb_copy_sample(gb_run *run, uint64_t iterations, gb_sample *out, gb_error *err);
bool gb_copy_samples_itself(const gb_value args[], gb_timer timer);
bool gb_copy_gate_allowed(const gb_value args[], gb_device_kind kind);
uint32_t gb_copy_behind_gate(const gb_value args[]);

#endif
