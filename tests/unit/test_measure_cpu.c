/* The measuring loop on the real cpu device with the real kernels. Bounds are wide: they are about
 * right and wrong, not about fast and slow. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/measure.h"
#include "unit/check_main.h"
#include "unit/task_main.h"

static gb_device *dev;

static void open_cpu(void)
{
    gb_error err = {0};
    ck_assert_msg(gb_device_cpu_open(0, &dev, &err) == GB_OK, "%s", err.message);
}

static void close_cpu(void)
{
    dev->ops->close(dev);
}

/* Arguments from text like "op=triad bytes=1048576": words and plain numbers. */
static void set_args(const gb_kernel_spec *spec, const char *text, gb_value args[])
{
    for (size_t i = 0; i < spec->n_params; i++)
        args[i] = spec->params[i].default_value;
    char name[32], value[32];
    int used;
    for (; sscanf(text, " %31[^=]=%31s%n", name, value, &used) == 2; text += used) {
        int which = gb_spec_param(spec, name);
        ck_assert_msg(which >= 0, "%s has no parameter %s", spec->name, name);
        args[which] = (gb_value){0};
        if (spec->params[which].kind != GB_PARAM_WORD) {
            args[which].number = strtoull(value, NULL, 10);
            continue;
        }
        for (const char *const *word = spec->params[which].words; *word; word++)
            if (strcmp(*word, value) == 0)
                args[which].word = *word;
        ck_assert_msg(args[which].word, "%s has no word %s", name, value);
    }
}

static gb_measure quick(void)
{
    return (gb_measure){.precision = 0.01,
                        .min_samples = 10,
                        .max_samples = 300,
                        .warmup_ns = 5000000,
                        .budget_ns = 100000000,
                        .seed = 3,
                        .gate = true,
                        .peak_bandwidth = NAN};
}

/* Measures and expects a good end; the caller frees the record. */
static void measure_ok(const char *name, const char *args_text, gb_timer timer, gb_cache cache,
                       gb_record *r)
{
    const gb_kernel *kernel = gb_kernel_find(name);
    gb_value args[16];
    gb_measure how = quick();
    gb_error err = {0};
    ck_assert_ptr_nonnull(kernel);
    set_args(&kernel->spec, args_text, args);
    gb_record_init(r);
    ck_assert_int_eq(gb_measure_case(dev, kernel, args, timer, cache, &how, r, &err), GB_OK);
    ck_assert_msg(r->status == GB_STATUS_OK, "%s[%s] %s: %s", name, args_text,
                  gb_status_word(r->status), r->reason);
    ck_assert_int_eq(r->verified, 1);
    ck_assert_uint_ge(r->n_samples, 3);
    ck_assert_double_gt(r->time.median, 0);
    ck_assert_double_ge(r->first_call_ns, 0);
}

START_TEST(every_kernel_with_its_defaults_on_every_timer)
{
    for (size_t i = 0; i < gb_kernels_count; i++) {
        const gb_kernel_spec *spec = &gb_kernels[i]->spec;
        if (!(spec->devices & GB_BIT(GB_CPU)))
            continue;
        bool sized = gb_spec_param(spec, "bytes") >= 0;
        for (gb_timer timer = 0; timer < GB_TIMERS; timer++)
            for (gb_cache cache = 0; cache < GB_CACHES; cache++) {
                if (!(spec->timers & GB_BIT(timer)) || !(spec->caches & GB_BIT(cache)))
                    continue;
                gb_record r;
                measure_ok(spec->name, sized ? "bytes=1048576" : "", timer, cache, &r);
                gb_record_free(&r);
            }
    }
}
END_TEST

START_TEST(a_delay_lasts_as_long_as_it_says)
{
    gb_record r;
    measure_ok("delay", "duration=2000000", GB_TIMER_DEVICE, GB_CACHE_WARM, &r);
    ck_assert_double_ge(r.time.min, 2e6);
    ck_assert_double_le(r.time.min, 2.2e6); /* the least disturbed sample */
    ck_assert(r.gated);
    gb_record_free(&r);
    measure_ok("delay", "duration=2000000", GB_TIMER_CALL, GB_CACHE_WARM, &r);
    ck_assert_double_le(r.time.min, 1e6); /* the caller does not wait */
    gb_record_free(&r);
}
END_TEST

START_TEST(small_launches_are_batched)
{
    gb_record r;
    measure_ok("noop", "what=kernel", GB_TIMER_DEVICE, GB_CACHE_WARM, &r);
    ck_assert_uint_gt(r.iterations_per_sample, 1);
    ck_assert_uint_le(r.iterations_per_sample, 512);
    ck_assert_double_lt(r.time.median, 1e6);
    gb_record_free(&r);
}
END_TEST

START_TEST(bandwidth_is_bytes_over_time_and_a_cached_one_is_marked)
{
    gb_record r;
    measure_ok("stream", "op=triad type=fp32 bytes=65536", GB_TIMER_DEVICE, GB_CACHE_WARM, &r);
    ck_assert_str_eq(r.metrics[0].name, "bandwidth");
    ck_assert_double_eq_tol(r.metrics[0].value * r.time.median / 1e9, 3 * 65536.0, 1);
    ck_assert((dev->info.llc_bytes >= 3 * 65536) ==
              ((r.flags & GB_BIT(GB_FLAG_CACHE_RESIDENT)) != 0));
    gb_record_free(&r);
}
END_TEST

/* How often a pair is measured before a disturbed machine counts as the kernel's fault. */
#define MOST_ATTEMPTS 60

/* The compiler has not removed the work: twice the repetitions take twice the time. The shortest
 * sample of all attempts counts, since other programs only ever lengthen one: attempts on a busy
 * machine come closer and closer. */
START_TEST(KRN_06_twice_the_work_takes_twice_the_time)
{
    static const struct {
        const char *kernel, *once, *twice;
    } cases[] = {
        {"flops", "type=fp32 threads=512 rounds=500", "type=fp32 threads=512 rounds=1000"},
        {"flops", "type=fp64 threads=512 rounds=500", "type=fp64 threads=512 rounds=1000"},
        {"flops", "type=int32 threads=512 rounds=500", "type=int32 threads=512 rounds=1000"},
        {"intensity", "type=fp32 fmas=512 bytes=32768", "type=fp32 fmas=1024 bytes=32768"},
        {"intensity", "type=fp64 fmas=512 bytes=32768", "type=fp64 fmas=1024 bytes=32768"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double ratio = 0, least[2] = {INFINITY, INFINITY};
        for (int attempt = 0; attempt < MOST_ATTEMPTS && !(ratio >= 1.6 && ratio <= 2.4);
             attempt++) {
            for (int t = 0; t < 2; t++) {
                gb_record r;
                measure_ok(cases[i].kernel, t == 0 ? cases[i].once : cases[i].twice,
                           GB_TIMER_DEVICE, GB_CACHE_WARM, &r);
                least[t] = fmin(least[t], r.time.min);
                gb_record_free(&r);
            }
            ratio = least[1] / least[0];
        }
        ck_assert_msg(ratio >= 1.6 && ratio <= 2.4, "%s[%s]: %.2f", cases[i].kernel, cases[i].once,
                      ratio);
    }
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *cpu = tcase_create("cpu");
    tcase_set_timeout(cpu, 280);
    tcase_add_checked_fixture(cpu, open_cpu, close_cpu);
    tcase_add_test(cpu, every_kernel_with_its_defaults_on_every_timer);
    tcase_add_test(cpu, KRN_06_twice_the_work_takes_twice_the_time);
    tcase_add_test(cpu, a_delay_lasts_as_long_as_it_says);
    tcase_add_test(cpu, small_launches_are_batched);
    tcase_add_test(cpu, bandwidth_is_bytes_over_time_and_a_cached_one_is_marked);
    suite_add_tcase(suite, cpu);
}

GB_CHECK_TASK_MAIN("measure_cpu", add_cases)
