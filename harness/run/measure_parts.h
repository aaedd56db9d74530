/* What measure.c, measure_loop.c and measure_judge.c share: one case under way. */
#ifndef GB_RUN_MEASURE_PARTS_H
#define GB_RUN_MEASURE_PARTS_H

#include "run/measure.h"
#include "run/sampler.h"

typedef enum gb_phase {
    GB_PHASE_SETUP,
    GB_PHASE_WARMUP,
    GB_PHASE_MEASURE,
    GB_PHASE_VERIFY,
    GB_PHASE_TEARDOWN,
    GB_PHASES
} gb_phase;

typedef struct gb_measuring {
    gb_device *dev;
    const gb_kernel *kernel;
    const gb_value *args;
    const gb_measure *how;
    gb_record *record;
    gb_sampler sampler;
    uint64_t phase_ns[GB_PHASES];
    double iteration_ns; /* rough, from the warm-up; 0: not known */
    uint64_t iterations; /* a sample */
    uint64_t total_iterations;
    size_t n_parts;
    /* accepted samples, ns per iteration; owned. parts: [n][n_parts] */
    double *samples, *scratch, *parts;
    size_t n, capacity;
    size_t next_check; /* the number of samples at which precision is looked at again */
    uint64_t ready;    /* samples that the kernel has at hand (gb_sample) */
    size_t rejected;
    uint64_t rejected_ns;       /* time that went into them */
    gb_telemetry before, after; /* both read under load */
} gb_measuring;

/* measure_loop.c. Errors say which sample they happened in. */
gb_code gb_measuring_warm_up(gb_measuring *m, gb_error *err);
gb_code gb_measuring_sample(gb_measuring *m, gb_error *err);

/* measure_judge.c */
/* Compares a need with what is free, less a reserve. GB_NO_MEMORY: "needs X, free Y". */
gb_code gb_measuring_check_memory(gb_device *dev, const gb_need *need, gb_cache cache,
                                  gb_error *err);
/* From accepted samples to statistics, metrics and flags of the record. */
gb_code gb_measuring_summarise(gb_measuring *m, gb_error *err);
/* Flags that hold for a failed case too, telemetry, phases. `total_ns`: the whole case. */
gb_code gb_measuring_describe(gb_measuring *m, uint64_t total_ns, gb_error *err);

#endif
