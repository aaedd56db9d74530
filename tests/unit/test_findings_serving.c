/* Findings on serving, from fixed records: the rate up to which p95 holds, what batches carry, what
 * padding costs. */
#include "unit/check_main.h"
#include "unit/reports_fixture.h"

static const double rates[] = {1000, 2000, 4000, 8000, 16000};
enum { N = 5 };

static void set_metric(gb_record *r, size_t i, const char *name, const char *unit, double value)
{
    r->metrics[i] = (gb_metric){.value = value, .peak = NAN};
    strcpy(r->metrics[i].name, name);
    strcpy(r->metrics[i].unit, unit);
    r->n_metrics = i + 1;
}

/* A server at all rates in three replicates that differ by `spread`. */
static void add_server_to(const char *benchmark, fixture *f, int batch, int wait_us,
                          const char *shape, const double p95[N], double capacity, double device,
                          double spread)
{
    static uint32_t index;
    for (int i = 0; i < N; i++, index++) {
        for (uint32_t r = 0; r < 3; r++) {
            char params[256];
            const double off = 1 + spread * ((double)r - 1);
            snprintf(params, sizeof params,
                     "{\"rate\": %.0f, \"batch\": %d, \"wait_us\": %d, \"shape\": \"%s\", "
                     "\"clock\": \"real\"}",
                     rates[i], batch, wait_us, shape);
            gb_record *record =
                fixture_add(f, benchmark, "serving", params, index, r, p95[i] / 2 * off, NAN);
            set_metric(record, 0, "latency_p95", "ns", p95[i] * off);
            set_metric(record, 1, "capacity", "1/s", capacity * off);
            set_metric(record, 2, "device_time", "ns", device * off);
            record->metrics[1].higher_is_better = true;
        }
    }
}

static void add_server(fixture *f, int batch, int wait_us, const char *shape, const double p95[N],
                       double capacity, double device, double spread)
{
    add_server_to("live", f, batch, wait_us, shape, p95, capacity, device, spread);
}

static json_t *findings_of(fixture *f)
{
    json_t *findings = NULL;
    ck_assert_int_eq(gb_report_findings(&f->results, &findings, NULL), GB_OK);
    fixture_close(f);
    return findings;
}

/* The only finding of a rule, or NULL. */
static const json_t *finding(const json_t *findings, const char *rule)
{
    const json_t *found = NULL;
    for (size_t i = 0; i < json_array_size(findings); i++) {
        const json_t *one = json_array_get(findings, i);
        if (strcmp(json_string_value(json_object_get(one, "rule")), rule) == 0) {
            ck_assert_ptr_null(found);
            found = one;
        }
    }
    return found;
}

static void says(const json_t *findings, const char *rule, const char *text)
{
    const json_t *one = finding(findings, rule);
    ck_assert_msg(one != NULL, "no %s", rule);
    ck_assert_str_eq(json_string_value(json_object_get(one, "text")), text);
}

static double figure(const json_t *findings, const char *rule, const char *name)
{
    const json_t *figures = json_object_get(finding(findings, rule), "figures");
    return json_number_value(json_object_get(figures, name));
}

static const double wall[N] = {1e5, 1.2e5, 1.9e5, 9e6, 9e7};

START_TEST(the_limit_is_the_last_rate_before_p95_doubles)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    add_server(&f, 1, 0, "exact", wall, 6000, 150000, 0.01);
    json_t *findings = findings_of(&f);
    says(findings, "serving-limit",
         "Served live, one by one: up to 4000 requests/s p95 stays under 2x that of a server that "
         "is nearly idle (1000/s); at 8000/s it is 90 times that.");
    ck_assert_double_eq(figure(findings, "serving-limit", "carried_rate"), 4000);
    ck_assert_double_eq_tol(figure(findings, "serving-limit", "next_p95_ns"), 9e6, 1e4);
    ck_assert_ptr_null(finding(findings, "serving-batch"));
    json_decref(findings);
}
END_TEST

/* A page shows a finding with the benchmark that it names, of which a kernel may have several. */
START_TEST(findings_name_the_benchmark_that_they_are_of)
{
    static const char *const benchmarks[] = {"live", "virtual"};
    fixture f;
    fixture_open(&f, "cuda", "[]");
    for (int i = 0; i < 2; i++)
        add_server_to(benchmarks[i], &f, 1, 0, "exact", wall, 6000, 150000, 0.01);
    json_t *findings = findings_of(&f);
    ck_assert_uint_eq(json_array_size(findings), 2);
    for (size_t i = 0; i < 2; i++) {
        const json_t *figures = json_object_get(json_array_get(findings, i), "figures");
        ck_assert_str_eq(json_string_value(json_object_get(figures, "benchmark")), benchmarks[i]);
    }
    json_decref(findings);
}
END_TEST

/* p95 by rate, in three replicates that lie 10 % apart: +- 28 % each, so that twice is only passed
 * for sure where the ratio is beyond 3.3, and surely not below 1.2. */
START_TEST(the_limit_is_named_where_both_intervals_leave_no_doubt)
{
    static const double rise[N] = {1e5, 1.1e5, 1.9e5, 2.5e5, 9e6};
    fixture f;
    fixture_open(&f, "cuda", "[]");
    add_server(&f, 1, 0, "exact", rise, 6000, 150000, 0.1);
    json_t *findings = findings_of(&f);
    says(findings, "serving-limit",
         "Served live, one by one: up to 2000 requests/s p95 stays under 2x that of a server that "
         "is nearly idle (1000/s); at 16000/s it is 55 to 150 times that, and in between noise "
         "leaves it open.");
    ck_assert_double_eq(figure(findings, "serving-limit", "carried_rate"), 2000);
    ck_assert_double_eq(figure(findings, "serving-limit", "next_rate"), 16000);
    json_decref(findings);
}
END_TEST

/* The replicates of a busy machine: 69.6, 61.2, 89.0 us without padding, 274, 240, 313 us with. */
START_TEST(what_spreads_is_said_with_its_interval)
{
    static const double exact[] = {69600, 61200, 89000}, padded[] = {274000, 240000, 313000};
    fixture f;
    fixture_open(&f, "cuda", "[]");
    add_server(&f, 32, 0, "exact", wall, 20000, 50000, 0.01);
    add_server(&f, 32, 0, "padded", wall, 15000, 170000, 0.01);
    for (size_t i = 0; i < 6 * N; i++)
        f.results.records[i].metrics[2].value = i < 3 * N ? exact[i % 3] : padded[i % 3];
    json_t *findings = findings_of(&f);
    says(findings, "serving-padding",
         "Padding each batch to 32 items takes 1.7 to 8.4 times the device's time of batches that "
         "are computed as they are (274 us +- 39.1 % against 72.4 us +- 60.4 % a request), at 1000 "
         "requests/s.");
    json_decref(findings);
}
END_TEST

START_TEST(no_limit_without_an_idle_server_a_wall_or_a_difference)
{
    static const double flat[N] = {1e5, 1e5, 1e5, 1.1e5, 1.5e5};
    static const struct {
        const double *p95;
        double capacity, spread;
    } cases[] = {{wall, 3900, 0.01}, {flat, 6000, 0.01}, {wall, 6000, 0.9}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fixture f;
        fixture_open(&f, "cuda", "[]");
        add_server(&f, 1, 0, "exact", cases[i].p95, cases[i].capacity, 150000, cases[i].spread);
        json_t *findings = findings_of(&f);
        ck_assert_msg(json_array_size(findings) == 0, "case %zu", i);
        json_decref(findings);
    }
}
END_TEST

START_TEST(batches_carry_so_many_times_the_rate_of_batch_1)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    add_server(&f, 1, 0, "exact", wall, 4100, 150000, 0.01);
    add_server(&f, 16, 2000, "exact", wall, 12710, 50000, 0.01);
    json_t *findings = findings_of(&f);
    says(findings, "serving-batch",
         "Served live, batches of up to 16 that wait up to 2000 us: they carry 3.1 times the "
         "requests of batch 1 (12.7 k/s against 4.10 k/s).");
    json_decref(findings);
    fixture_open(&f, "cuda", "[]"); /* the batched server has still room at the highest rate */
    add_server(&f, 1, 0, "exact", wall, 4100, 150000, 0.01);
    add_server(&f, 16, 2000, "exact", wall, 20000, 50000, 0.01);
    findings = findings_of(&f);
    ck_assert_ptr_null(finding(findings, "serving-batch"));
    json_decref(findings);
}
END_TEST

START_TEST(padding_costs_time_on_the_device)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    add_server(&f, 32, 0, "exact", wall, 20000, 50000, 0.01);
    add_server(&f, 32, 0, "padded", wall, 15000, 170000, 0.01);
    json_t *findings = findings_of(&f);
    says(findings, "serving-padding",
         "Padding each batch to 32 items takes 3.4 times the device's time of batches that are "
         "computed as they are (170 us against 50.0 us a request), at 1000 requests/s.");
    json_decref(findings);
    fixture_open(&f, "cuda", "[]");
    add_server(&f, 32, 0, "exact", wall, 20000, 50000, 0.01);
    add_server(&f, 32, 0, "bucketed", wall, 15000, 50100, 0.01); /* no difference */
    findings = findings_of(&f);
    ck_assert_ptr_null(finding(findings, "serving-padding"));
    json_decref(findings);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tests = tcase_create("serving");
    tcase_add_test(tests, the_limit_is_the_last_rate_before_p95_doubles);
    tcase_add_test(tests, findings_name_the_benchmark_that_they_are_of);
    tcase_add_test(tests, the_limit_is_named_where_both_intervals_leave_no_doubt);
    tcase_add_test(tests, what_spreads_is_said_with_its_interval);
    tcase_add_test(tests, no_limit_without_an_idle_server_a_wall_or_a_difference);
    tcase_add_test(tests, batches_carry_so_many_times_the_rate_of_batch_1);
    tcase_add_test(tests, padding_costs_time_on_the_device);
    suite_add_tcase(suite, tests);
}

GB_CHECK_MAIN("findings_serving", add_cases)
