/* Where a GPU starts to win, from records of a cpu and a cuda device that are made up so that the
 * figures are known. */
#include "base/json.h"
#include "unit/check_main.h"
#include "unit/reports_fixture.h"

enum { CPU = 0, GPU = 1 };

/* Devices 0 (cpu) and 1 (cuda). */
static void open_both(fixture *f)
{
    fixture_open(f, "cpu", "[]");
    json_t *devices = json_object_get(f->results.document, "devices");
    json_array_append_new(devices, json_pack("{s:s, s:s, s:s}", "kind", "cuda", "name",
                                             "Example GPU 9000", "runtime", "13.0"));
}

/* A size of a job on a device: two replicates, `spread` apart to both sides. */
static void add(fixture *f, int device, const char *job, const char *scope, double n, double us,
                double spread)
{
    const uint32_t index = (uint32_t)f->results.n;
    for (uint32_t r = 0; r < 2; r++) {
        char params[256];
        snprintf(params, sizeof params,
                 "{\"job\": \"%s\", \"n\": %.0f, \"scope\": \"%s\", \"memory\": \"%s\", \"code\": "
                 "\"own\"}",
                 job, n, scope, device == CPU ? "pageable" : "pinned");
        gb_record *record = fixture_add(f, job, "crossover", params, index, r,
                                        us * 1e3 * (r == 0 ? 1 - spread : 1 / (1 - spread)), NAN);
        record->device = device;
    }
}

#define FIRM 0.0001
static const double sizes[] = {16, 64, 256, 1024};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

/* A job at the four sizes, in one scope of the GPU; the cpu has it end to end. */
static void add_job(fixture *f, const char *job, const char *scope, const double cpu_us[SIZES],
                    const double gpu_us[SIZES], double spread)
{
    for (size_t i = 0; i < SIZES; i++) {
        if (cpu_us != NULL)
            add(f, CPU, job, "end-to-end", sizes[i], cpu_us[i], spread);
        if (gpu_us != NULL)
            add(f, GPU, job, scope, sizes[i], gpu_us[i], spread);
    }
}

/* All findings of the rules of crossover; the caller owns them. */
static json_t *found(const fixture *f)
{
    json_t *all = NULL, *one, *mine = json_array();
    size_t i;
    gb_error err = {0};
    ck_assert_msg(gb_report_findings(&f->results, &all, &err) == GB_OK, "%s", err.message);
    json_array_foreach(all, i, one)
    {
        if (strncmp(json_string_value(json_object_get(one, "rule")), "crossover", 9) == 0)
            json_array_append(mine, one);
    }
    json_decref(all);
    return mine;
}

/* There is one finding, with this sentence. */
static void says(const fixture *f, const char *text)
{
    json_t *all = found(f);
    ck_assert_uint_eq(json_array_size(all), 1);
    ck_assert_str_eq(json_string_value(json_object_get(json_array_get(all, 0), "text")), text);
    json_decref(all);
}

/* What the figures of the only finding say of a scope. */
static void judged(const fixture *f, const char *scope, const char *verdict, double from)
{
    json_t *all = found(f);
    ck_assert_uint_eq(json_array_size(all), 1);
    const json_t *one = json_array_get(all, 0);
    ck_assert_int_eq((int)json_integer_value(json_object_get(one, "device")), GPU);
    const json_t *figures = json_object_get(json_object_get(one, "figures"), scope);
    ck_assert_str_eq(json_string_value(json_object_get(figures, "verdict")), verdict);
    const json_t *at = json_object_get(figures, "from");
    if (isnan(from))
        ck_assert(json_is_null(at));
    else
        ck_assert_double_eq(json_number_value(at), from);
    json_decref(all);
}

static const double cpu[SIZES] = {1, 10, 100, 1000};

START_TEST(the_gpu_wins_from_the_first_size_from_which_on_it_always_does)
{
    static const double gpu[SIZES] = {40, 41, 50, 100}, compute[SIZES] = {8, 9, 10, 20};
    fixture f;
    open_both(&f);
    add_job(&f, "matmul", "end-to-end", cpu, gpu, FIRM);
    add_job(&f, "matmul", "compute", NULL, compute, FIRM);
    says(
        &f,
        "Product of two n x n matrices. End to end, the GPU wins from n = 256 on (256: 50.0 us "
        "against 100 us on the CPU, 2.0 times as fast; 64: 41.0 us against 10.0 us on the CPU, 4.1 "
        "times as slow). Compute only, the GPU wins from n = 64 on (64: 9.00 us against 10.0 us on "
        "the CPU, 1.1 times as fast; 16: 8.00 us against 1.00 us on the CPU, 8.0 times as slow).");
    judged(&f, "end_to_end", "from", 256);
    judged(&f, "compute", "from", 64);
    fixture_close(&f);
}
END_TEST

START_TEST(always_and_never_name_the_sizes_they_hold_for)
{
    static const double fast[SIZES] = {0.5, 1, 2, 4}, slow[SIZES] = {40, 60, 200, 2000};
    fixture f;
    open_both(&f);
    add_job(&f, "add", "compute", cpu, fast, FIRM);
    add_job(&f, "add", "end-to-end", NULL, slow, FIRM);
    says(&f,
         "Sum of two arrays of n numbers. End to end, the GPU never wins up to n = 1024 (1024: "
         "2.00 ms against 1.00 ms on the CPU, 2.0 times as slow). Compute only, the GPU wins at "
         "every size measured, n = 16 to 1024 (16: 500 ns against 1.00 us on the CPU, 2.0 times "
         "as fast).");
    judged(&f, "end_to_end", "never", NAN);
    judged(&f, "compute", "always", 16);
    fixture_close(&f);
}
END_TEST

/* Equal within the noise is no win, and no reason to wait for more replicates. */
START_TEST(a_draw_at_the_largest_size_is_no_win)
{
    static const double gpu[SIZES] = {40, 60, 200, 1000.01};
    fixture f;
    open_both(&f);
    add_job(&f, "sort", "end-to-end", cpu, gpu, 0.001);
    says(&f, "Sort of n numbers. End to end, the GPU never wins up to n = 1024 (1024: 1.00 ms "
             "against 1.00 ms on the CPU, no difference that can be told from noise).");
    judged(&f, "end_to_end", "never", NAN);
    fixture_close(&f);
}
END_TEST

/* 12 % to both sides of two replicates is an interval of several times the value. */
START_TEST(what_noise_hides_is_undecided)
{
    static const double gpu[SIZES] = {40, 60, 90, 700};
    fixture f;
    open_both(&f);
    add_job(&f, "reduce", "end-to-end", cpu, gpu, 0.12);
    judged(&f, "end_to_end", "undecided", NAN);
    json_t *all = found(&f);
    const char *text = json_string_value(json_object_get(json_array_get(all, 0), "text"));
    ck_assert_msg(strstr(text, "it is undecided whether the GPU wins up to n = 1024") != NULL, "%s",
                  text);
    ck_assert_msg(strstr(text, "which cannot be told apart; more replicates would tell") != NULL,
                  "%s", text);
    json_decref(all);
    fixture_close(&f);
}
END_TEST

/* Decided where it wins; one size below it is not: the crossing may be there already. */
START_TEST(an_undecided_size_below_the_crossing_is_said)
{
    fixture f;
    open_both(&f);
    add(&f, CPU, "lookup", "end-to-end", 16, 100, 0.12);
    add(&f, GPU, "lookup", "end-to-end", 16, 90, 0.12);
    add(&f, CPU, "lookup", "end-to-end", 64, 400, FIRM);
    add(&f, GPU, "lookup", "end-to-end", 64, 100, FIRM);
    judged(&f, "end_to_end", "from", 64);
    json_t *all = found(&f);
    const char *text = json_string_value(json_object_get(json_array_get(all, 0), "text"));
    ck_assert_msg(strstr(text, "on the CPU, which cannot be told apart).") != NULL, "%s", text);
    json_decref(all);
    fixture_close(&f);
}
END_TEST

START_TEST(a_gpu_that_falls_back_wins_up_to_a_size)
{
    static const double gpu[SIZES] = {0.5, 5, 50, 4000};
    fixture f;
    open_both(&f);
    add_job(&f, "filter", "end-to-end", cpu, gpu, FIRM);
    says(&f,
         "Query over n rows. End to end, the GPU wins up to n = 256, and no longer (256: 50.0 us "
         "against 100 us on the CPU, 2.0 times as fast; 1024: 4.00 ms against 1.00 ms on the "
         "CPU, 4.0 times as slow).");
    judged(&f, "end_to_end", "no-longer", NAN);
    fixture_close(&f);
}
END_TEST

/* The largest size may be decided, and a smaller one not. */
START_TEST(undecided_names_the_size_that_is)
{
    fixture f;
    open_both(&f);
    add(&f, CPU, "sort", "end-to-end", 16, 100, 0.12);
    add(&f, GPU, "sort", "end-to-end", 16, 90, 0.12);
    add(&f, CPU, "sort", "end-to-end", 64, 100, FIRM);
    add(&f, GPU, "sort", "end-to-end", 64, 400, FIRM);
    judged(&f, "end_to_end", "undecided", NAN);
    json_t *all = found(&f);
    const char *text = json_string_value(json_object_get(json_array_get(all, 0), "text"));
    ck_assert_msg(strstr(text, "wins up to n = 64 (16: ") != NULL, "%s", text);
    ck_assert_msg(
        strstr(text, "would tell; 64: 400 us against 100 us on the CPU, 4.0 times as slow)") !=
            NULL,
        "%s", text);
    json_decref(all);
    fixture_close(&f);
}
END_TEST

/* A win at one size below does not move the size from which on it wins throughout. */
START_TEST(an_early_win_is_no_crossing)
{
    static const double gpu[SIZES] = {0.5, 41, 50, 100};
    fixture f;
    open_both(&f);
    add_job(&f, "blur", "end-to-end", cpu, gpu, FIRM);
    judged(&f, "end_to_end", "from", 256);
    fixture_close(&f);
}
END_TEST

/* The noise floor of either device counts: a factor of 2 is within 100 %. */
START_TEST(the_larger_noise_floor_of_both_devices_decides)
{
    static const double gpu[SIZES] = {40, 41, 50, 100};
    for (int device = CPU; device <= GPU; device++) {
        fixture f;
        open_both(&f);
        json_t *info =
            json_array_get(json_object_get(f.results.document, "devices"), (size_t)device);
        json_object_set_new(info, "selftest", json_pack("{s:f}", "noise_floor", 1.0));
        add_job(&f, "matmul", "end-to-end", cpu, gpu, FIRM);
        judged(&f, "end_to_end", "from", 1024);
        fixture_close(&f);
    }
}
END_TEST

/* Sizes that only one side has are no evidence. */
START_TEST(only_sizes_that_both_have_count)
{
    fixture f;
    open_both(&f);
    add(&f, CPU, "add", "end-to-end", 16, 1, FIRM);
    add(&f, GPU, "add", "end-to-end", 16, 10, FIRM);
    add(&f, GPU, "add", "end-to-end", 4096, 11, FIRM);
    says(&f,
         "Sum of two arrays of n numbers. End to end, the GPU never wins up to n = 16 (16: 10.0 "
         "us against 1.00 us on the CPU, 10.0 times as slow).");
    fixture_close(&f);
}
END_TEST

/* The GPU's code on a processor is a test, not a processor's best. */
START_TEST(the_gpus_code_on_a_processor_does_not_count)
{
    fixture f;
    open_both(&f);
    add(&f, CPU, "sort", "end-to-end", 16, 10, FIRM);
    add(&f, GPU, "sort", "end-to-end", 16, 5, FIRM);
    for (uint32_t r = 0; r < 2; r++)
        fixture_add(&f, "sort", "crossover",
                    "{\"job\": \"sort\", \"n\": 16, \"scope\": \"compute\", \"memory\": "
                    "\"pageable\", \"code\": \"gpu\"}",
                    99, r, 1e3, NAN)
            ->device = CPU;
    judged(&f, "end_to_end", "always", 16);
    fixture_close(&f);
}
END_TEST

START_TEST(a_missing_half_is_said)
{
    static const double gpu[SIZES] = {40, 41, 50, 100};
    fixture f;
    open_both(&f);
    add_job(&f, "matmul", "end-to-end", cpu, NULL, FIRM);
    says(&f,
         "Only the CPU's half is here: nothing was measured on a GPU, so that no size can be "
         "named from which on one would win. Run this suite, without --device, on a machine with "
         "a GPU.");
    fixture_close(&f);
    open_both(&f);
    add_job(&f, "matmul", "end-to-end", NULL, gpu, FIRM);
    says(&f, "Only the GPU's half is here: nothing was measured on the CPU, so that no size can be "
             "named from which on the GPU wins. Run this suite without --device.");
    /* A half that failed is missing too. */
    add(&f, CPU, "matmul", "end-to-end", 16, 1, FIRM);
    for (size_t i = f.results.n - 2; i < f.results.n; i++)
        f.results.records[i].status = GB_STATUS_WRONG;
    json_t *all = found(&f);
    ck_assert_uint_eq(json_array_size(all), 1);
    ck_assert_str_eq(json_string_value(json_object_get(json_array_get(all, 0), "rule")),
                     "crossover-half");
    json_decref(all);
    fixture_close(&f);
}
END_TEST

/* The terminal shows three findings of a device, but of these all: each job is an answer. */
START_TEST(the_table_shows_every_job)
{
    static const char *const jobs[] = {"matmul", "add", "reduce", "blur", "sort"};
    static const double gpu[SIZES] = {40, 41, 50, 100};
    fixture f;
    gb_buf out = {0};
    gb_error err = {0};
    open_both(&f);
    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++)
        add_job(&f, jobs[i], "end-to-end", cpu, gpu, FIRM);
    ck_assert_int_eq(gb_report_table(&f.results, false, &out, &err), GB_OK);
    ck_assert_ptr_nonnull(
        strstr(out.data, "  5. Sort of n numbers. End to end, the GPU wins from"));
    gb_buf_free(&out);
    fixture_close(&f);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tests = tcase_create("crossover");
    tcase_add_test(tests, the_gpu_wins_from_the_first_size_from_which_on_it_always_does);
    tcase_add_test(tests, always_and_never_name_the_sizes_they_hold_for);
    tcase_add_test(tests, a_draw_at_the_largest_size_is_no_win);
    tcase_add_test(tests, what_noise_hides_is_undecided);
    tcase_add_test(tests, an_undecided_size_below_the_crossing_is_said);
    tcase_add_test(tests, a_gpu_that_falls_back_wins_up_to_a_size);
    tcase_add_test(tests, undecided_names_the_size_that_is);
    tcase_add_test(tests, an_early_win_is_no_crossing);
    tcase_add_test(tests, the_larger_noise_floor_of_both_devices_decides);
    tcase_add_test(tests, only_sizes_that_both_have_count);
    tcase_add_test(tests, the_gpus_code_on_a_processor_does_not_count);
    tcase_add_test(tests, a_missing_half_is_said);
    tcase_add_test(tests, the_table_shows_every_job);
    suite_add_tcase(suite, tests);
}

GB_CHECK_MAIN("findings_crossover", add_cases)
