/* Tests of a device that need nothing but the device: run on cpu and on the fake runtime in every
 * build, and by scripts/gpu-check on a machine with a GPU, where no test library is installed. */
#ifndef GB_TESTS_DEVICE_TEST_H
#define GB_TESTS_DEVICE_TEST_H

#include <stdio.h>

#include "device/device.h"
#include "kernels/kernel.h"

/* What a test says: GB_OK passed, GB_UNAVAILABLE skipped with err's reason, anything else failed.
 */
typedef gb_code (*gb_test)(gb_device *dev, gb_error *err);

typedef struct gb_named_test {
    const char *name;
    gb_test run;
} gb_named_test;

extern const gb_named_test gb_device_tests[]; /* ends with a NULL name */

/* Verifies every kernel with every combination of its words and a few sizes; prints a line a
 * kernel. Counts are added. */
void gb_test_all_kernels(gb_device *dev, FILE *out, int *passed, int *failed, int *skipped);

/* Inside a test: `condition` must hold, otherwise the test fails with the text. No hidden return:
 * use as `if (!gb_expect(err, cond, "...")) return err->code`. */
bool gb_expect(gb_error *err, bool condition, const char *what);

#endif
