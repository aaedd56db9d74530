/* Times of stretches of a record's samples: its halves, and its seconds. */
#include <math.h>
#include <stdlib.h>

#include "record/internal.h"

#define LEAST_SECONDS 5  /* fewer are no run to find a bad second in */
#define LEAST_SAMPLES 20 /* of a stretch: the median of fewer says little */

/* How many seconds the samples were taken for, whole ones. */
static size_t seconds_of(const gb_record *record)
{
    const double ns = json_number_value(json_object_get(record->phases_ns, "measure"));
    return ns >= 1e9 * LEAST_SECONDS && ns < 1e18 ? (size_t)(ns / 1e9) : 0;
}

/* Of how many stretches a part is one; 0: the samples have no such part. */
static size_t stretches_of(const gb_record *record, int part)
{
    const bool half = part == GB_WHOLE_FIRST_HALF || part == GB_WHOLE_SECOND_HALF;
    const size_t n = half ? 2 : seconds_of(record);
    return n > 0 && record->n_samples / n >= LEAST_SAMPLES ? n : 0;
}

double gb_record_stretch_ns(const gb_record *record, int part)
{
    const size_t n = stretches_of(record, part);
    double *room = n > 0 ? malloc((n + record->n_samples) * sizeof room[0]) : NULL;
    if (room == NULL) {
        return NAN;
    }
    gb_stats_windows(record->samples_ns, record->n_samples, n, room, room + n);
    double slowest = room[0], fastest = room[0];
    for (size_t i = 1; i < n; i++) {
        slowest = fmax(slowest, room[i]);
        fastest = fmin(fastest, room[i]);
    }
    const double first = room[0], last = room[n - 1];
    free(room);
    switch (part) {
    case GB_WHOLE_FIRST_HALF:
        return first;
    case GB_WHOLE_SECOND_HALF:
        return last;
    case GB_WHOLE_SLOWEST_SECOND:
        return slowest;
    default:
        return fastest;
    }
}
