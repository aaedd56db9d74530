/* Measuring one case on one device; the only place that takes samples. docs/methodology.md */
#ifndef GB_RUN_MEASURE_H
#define GB_RUN_MEASURE_H

#include "device/peaks.h"
#include "kernels/kernel.h"
#include "record/record.h"

typedef struct gb_measure {
    double precision;
    uint32_t min_samples, max_samples;
    uint64_t warmup_ns;
    uint64_t budget_ns; /* this case's share in this replicate */
    uint64_t seed;
    bool gate;             /* may be used at all (off under --profile) */
    bool profile;          /* one iteration as the only sample, no warm-up: for a clean timeline */
    double peak_bandwidth; /* known theoretical ceiling of device memory; NAN: unknown */
    gb_peaks published;    /* what the vendor states, where theory knows nothing; 0: unknown */
    const char *data_dir;  /* the user's files; NULL: none */
    /* Called when a phase starts ("prepare", "verify", "warm-up", "measure", ...), so that whoever
     * has to end this process can say where it was. May be NULL. */
    void (*progress)(void *user, const char *phase);
    void *user;
} gb_measure;

/* Measures and fills *record (initialised by the caller; identity fields are left alone): status,
 * statistics, flags, phases. Returns GB_OK also when the case failed, was wrong or skipped: that
 * stands in the record. Returns the error itself only when this process must stop measuring
 * (err->sticky), with the record filled too. */
gb_code gb_measure_case(gb_device *dev, const gb_kernel *kernel, const gb_value args[],
                        gb_timer timer, gb_cache cache, const gb_measure *how, gb_record *record,
                        gb_error *err);

#endif
