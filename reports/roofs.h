/* The roofs of one device, found in a run: what its memories and arithmetic units reached, and what
 * they should reach in theory. Only from inputs that are known; what is missing is NAN. */
#ifndef GB_REPORTS_ROOFS_H
#define GB_REPORTS_ROOFS_H

#include "reports/report.h"

#define GB_BEYOND_CACHE 4.0 /* times the last cache: below that it still serves a part */

typedef struct gb_roofs {
    /* Measured, each the best row and its value:
     *   memory      stream reading, dot, triad over at least 4x the last cache, B/s
     *   cache       the same within 40 % of the last cache, B/s
     *   shared      bank at stride 1 with a block for every unit at least, B/s; GPUs alone
     *   arithmetic  flops, or for tensor types matmul, of that type, FLOP/s */
    double memory, cache, shared, arithmetic;
    const gb_row *memory_row, *cache_row, *shared_row, *arithmetic_row; /* NULL: none */
    /* Theory from the device's facts; where that knows nothing what the vendor publishes. */
    double theory_memory, theory_arithmetic;
    bool published_memory, published_arithmetic;
    double llc; /* size of the last cache, bytes */
} gb_roofs;

void gb_roofs_find(const gb_results *results, const gb_row rows[], size_t n, int device,
                   gb_compute compute, gb_roofs *out);

/* Counted operations over the bytes that must move at least (FLOP/byte), and operations over time
 * (FLOP/s); NAN where there are none. */
double gb_row_intensity(const gb_row *row);
double gb_row_flops(const gb_row *row);
/* Whether the last cache may have served a row, so that its roof is not that of memory: warm, and
 * under 4x that cache. False where the cache's size is not known. */
bool gb_row_cached(const gb_row *row, const gb_roofs *roofs);

/* A point is an error beyond this times its roof (see implausible in docs/methodology.md). */
#define GB_ABOVE_ROOF 1.02
/* Whether a row does more FLOP/s than its lowest known roof lets it, *roof, by more than noise: by
 * more than 2 % and the noise floor, and with intervals (contrast.h) that do not touch. Measured
 * roofs count before theory; a row with data in the cache has the cache's. False where no roof or
 * nothing of the row's spread is known, and for the kernels that roofs are from. */
bool gb_row_above_roof(const gb_results *results, const gb_row *row, const gb_roofs *roofs,
                       double *roof);
/* Flags such rows as implausible, so that table, pages, findings and picture say the same. */
void gb_roofs_flag(const gb_results *results, gb_table *table);

#endif
