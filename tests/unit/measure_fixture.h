/* What the tests of the measuring loop share: settings that suit the fake device, one call that
 * measures, and looks into a record. */
#ifndef GB_TESTS_MEASURE_FIXTURE_H
#define GB_TESTS_MEASURE_FIXTURE_H

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "run/measure.h"
#include "unit/check_main.h"
#include "unit/fake_kernel.h"

#define MS 1000000.0
#define S 1000000000.0

/* Precision 0.5 %, 10 to 2000 samples, 1 ms of warm-up, a budget of 1 s, gate on, no ceilings. */
static inline gb_measure default_how(void)
{
    return (gb_measure){.precision = 0.005,
                        .min_samples = 10,
                        .max_samples = 2000,
                        .warmup_ns = 1000000,
                        .budget_ns = 1000000000,
                        .gate = true,
                        .peak_bandwidth = NAN};
}

/* Measures the fake kernel into a record named "fake[n=1]"; the caller frees the record. */
static inline gb_code measure(fake_device *fake, const fake_kernel_options *options, gb_timer timer,
                              gb_cache cache, const gb_measure *how, gb_record *record,
                              gb_error *err)
{
    gb_record_init(record);
    record->case_id = gb_text_copy("fake[n=1]");
    return gb_measure_case(&fake->device, fake_kernel(options), fake_args, timer, cache, how,
                           record, err);
}

/* As above, for a case that must end well. */
static inline void measure_ok(fake_device *fake, const fake_kernel_options *options, gb_timer timer,
                              gb_cache cache, const gb_measure *how, gb_record *record)
{
    gb_error err = {0};
    ck_assert_int_eq(measure(fake, options, timer, cache, how, record, &err), GB_OK);
    ck_assert_msg(record->status == GB_STATUS_OK, "%s: %s", gb_status_word(record->status),
                  record->reason ? record->reason : "");
    ck_assert_int_eq(record->verified, 1);
    ck_assert_uint_eq(fake_released, 1);
    ck_assert_int_eq(fake->live, 0);
}

static inline bool has_flag(const gb_record *record, gb_flag flag)
{
    return (record->flags & GB_BIT(flag)) != 0;
}

static inline double json_number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* |a - b| <= fraction * b */
static inline bool near(double a, double b, double fraction)
{
    return fabs(a - b) <= fraction * b;
}

#endif
