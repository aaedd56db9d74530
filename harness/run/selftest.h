/* The self-test: does this build on this machine measure what is known, and how far apart are two
 * measurements of the same thing? `gpubench selftest` prints it; docs/methodology.md explains it.
 */
#ifndef GB_RUN_SELFTEST_H
#define GB_RUN_SELFTEST_H

#include <jansson.h>

#include "device/device.h"
#include "run/supervise.h"

typedef struct gb_selftest_check {
    const char *name; /* a stable word, static */
    int ok;           /* 1 yes, 0 no, -1 does not apply on this device */
    char detail[320]; /* one sentence with the figures and the bound */
} gb_selftest_check;

#define GB_SELFTEST_CHECKS 5

/* Checks of the timers on an open device, in this process, about 5 s, by the shortest samples:
 *
 *   events       timestamps of three events in a stream never go back, and their gaps add up
 *   known-delay  a kernel that waits 1 ms lasts 1 ms by the device timer (-1 %, +5 % + 20 us)
 *   timers       of one kernel: call <= device <= roundtrip (5 % tolerance)
 *   gate         the same kernel with and without the gate agrees within 5 % + 20 us
 *   scaling      twice the work takes 1.6-2.4 times as long, four times the work at least twice
 *
 * Fills checks[0..GB_SELFTEST_CHECKS). `progress` (may be NULL) hears the name of each check as it
 * starts. Returns GB_OK also when checks fail; an error only when the device is lost. */
gb_code gb_selftest_run(gb_device *dev, void (*progress)(void *user, const char *check), void *user,
                        gb_selftest_check checks[GB_SELFTEST_CHECKS], gb_error *err);

/* The A/A noise floor: how much the medians of two fresh processes differ when nothing was changed.
 * For each case the 99 % quantile (nearest rank) of |ln(a / b)| over all pairs of replicates, the
 * largest of the cases, as a fraction: exp(x) - 1. NAN: fewer than two replicates gave a figure. */
typedef struct gb_noise {
    double floor;
    size_t replicates; /* that gave a figure, the fewest of the cases */
    char worst[96];    /* id of the case that sets the floor */
} gb_noise;

#define GB_NOISE_REPLICATES 12

/* Measures two cases (an empty kernel's round trip, a triad in device memory) in
 * GB_NOISE_REPLICATES worker processes each. `how` is as for gb_supervise_plan, but for `store`,
 * which may be NULL: then nobody else sees the records. Returns what gb_supervise_plan returns. */
gb_code gb_selftest_noise(const gb_supervise *how, gb_noise *out, gb_error *err);

/* The quantile of the rule above for one case's medians (ns, > 0); NAN for n < 2. */
double gb_noise_of(const double medians[], size_t n);

/* {"ok": bool, "checks": [{"name", "ok": true|false|null, "detail"}], "noise_floor": fraction or
 * null, "noise_replicates", "noise_worst_case", "noise_rule"}; `noise` may be NULL. New reference;
 * NULL on out of memory. */
json_t *gb_selftest_json(const gb_selftest_check checks[], size_t n, const gb_noise *noise);

#endif
