/* Rates that a run has measured, to set beside nominal ones in estimates. */
#ifndef GB_REPORTS_MEASURED_H
#define GB_REPORTS_MEASURED_H

#include "reports/report.h"

/* t = latency + n / bandwidth. Owned: `what`, `from`. */
typedef struct gb_measured_rate {
    char *what; /* "h2d pinned", "read" */
    char *from; /* where the figure comes from: the case or the benchmark and its parameters */
    int device; /* of the results */
    double latency_ns; /* 0: not part of it */
    double bandwidth;  /* B/s */
    double theory;     /* of link or memory by the device's facts, B/s; NAN: not known */
    /* Of a fit the largest relative deviation of a point, of a case the half-width of its 95 %
     * interval; NAN where it is not known. */
    double off;
    uint64_t least, most; /* bytes: sizes that were measured; beyond them it is extrapolated */
    /* Of copies on a cpu, which go through its caches: bytes of the last one, where no copy was
     * over at least 4 times that, so that the rate says nothing of memory. 0: the rate holds there
     * too. */
    uint64_t cache;
} gb_measured_rate;
typedef struct gb_measured {
    gb_measured_rate *items;
    size_t n;
    gb_buf why; /* a line for each curve that has no fit; NULL data: none */
} gb_measured;
void gb_measured_free(gb_measured *measured);

/* The fits of copies between host and device, to or from, in one piece, as in the reports. */
gb_code gb_measured_copies(const gb_results *results, gb_measured *out, gb_error *err);
/* For each device the bandwidth of its memory: the roof of rooflines, the best of reading, dot and
 * triad over at least 4 times the last cache. */
gb_code gb_measured_memory(const gb_results *results, gb_measured *out, gb_error *err);

#endif
