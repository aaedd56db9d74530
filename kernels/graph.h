/* graph: what its files share. graph.cu is the device code; graph.c holds the row, the memory and
 * the checks; graph_run.c captures, launches and takes samples. */
#ifndef GB_KERNELS_GRAPH_H
#define GB_KERNELS_GRAPH_H

#include <stdint.h>

#if defined(__CUDACC__)
#define GRAPH_INLINE __host__ __device__ __forceinline__
#else
#define GRAPH_INLINE static inline
#endif

/* What a node does besides counting: steps that depend on each other. Not linear, so that no
 * compiler merges them. */
GRAPH_INLINE uint32_t gb_graph_spin(uint32_t steps)
{
    uint32_t x = steps;
    for (uint32_t k = 0; k < steps; ++k)
        x = x * x + (2 * k + 1);
    return x;
}

#if !defined(__cplusplus)
#include "kernels/common.h"
#include "kernels/lanes.h"

enum { GRAPH_MEASURE, GRAPH_LENGTH, GRAPH_WIDTH, GRAPH_STEPS };

typedef enum gb_graph_measure {
    GRAPH_CAPTURE,
    GRAPH_INSTANTIATE,
    GRAPH_FIRST_LAUNCH,
    GRAPH_UPDATE,
    GRAPH_LAUNCH_API,
    GRAPH_REPLAY_DEVICE,
    GRAPH_REPLAY_ROUNDTRIP,
    GRAPH_EAGER_API,
    GRAPH_EAGER_DEVICE,
    GRAPH_EAGER_ROUNDTRIP
} gb_graph_measure;

typedef struct gb_graph_state {
    gb_graph_measure measure;
    uint64_t length, nodes;
    uint32_t steps, spun;  /* of a node, and what they give */
    gb_memory counters;    /* uint32_t [sets][nodes] */
    uint64_t sets;         /* 2 for update, which switches from one to the other; otherwise 1 */
    uint64_t replays[2];   /* since the last reset, of each set: what its counters must say */
    unsigned set;          /* the one that is counted now */
    uint32_t in_flight;    /* launches since the host last waited */
    gb_graph *graph;       /* instantiated and launched again and again; NULL: eager */
    gb_graph *variants[2]; /* update: captured for each set, never launched themselves */
    gb_lanes lanes;        /* as many as the graph is wide */
} gb_graph_state;

gb_graph_measure gb_graph_measure_of(const gb_value args[]);
bool gb_graph_is_eager(gb_graph_measure measure);
/* Operations that all launches of one iteration, one by one, put on the streams. */
uint64_t gb_graph_operations(const gb_value args[]);
/* The most launches that wait at once in samples. */
uint32_t gb_graph_most_in_flight(const gb_value args[]);

/* Captures all nodes for a set of counters on run's own stream and checks their number. The caller
 * destroys *out. */
gb_code gb_graph_capture(gb_run *run, unsigned set, gb_graph **out, gb_error *err);
gb_code gb_graph_enqueue(gb_run *run, gb_error *err);
gb_code gb_graph_sample(gb_run *run, uint64_t iterations, gb_sample *out, gb_error *err);
#endif

#endif
