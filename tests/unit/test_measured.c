/* The rates of a run that estimates show beside nominal ones. */
#include "check_main.h"
#include "reports/measured.h"
#include "reports_fixture.h"

static void near(double found, double expected)
{
    ck_assert_msg(fabs(found / expected - 1) < 1e-3, "%.17g, not %.17g", found, expected);
}

static gb_measured copies_of(const fixture *f)
{
    gb_measured out;
    gb_error err = {0};
    ck_assert_int_eq(gb_measured_copies(&f->results, &out, &err), GB_OK);
    return out;
}

static void set_fact(fixture *f, const char *key, json_t *value)
{
    json_object_set_new(json_array_get(json_object_get(f->results.document, "devices"), 0), key,
                        value);
}

START_TEST(copies_over_the_link_are_fits)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    fixture_copies(&f, "pageable", 9000, 9e9, 100);
    fixture_copies(&f, "pinned", 8100, 25.2e9, 0);
    fixture_add(&f, "copy", "copy",
                "{\"bytes\": 268435456, \"direction\": \"h2d\", \"memory\": \"pageable\", "
                "\"pieces\": 1}",
                120, 0, 9000 + 268435456 / 9.0, 9e9);
    set_fact(&f, "pcie_gen_max", json_integer(4));
    set_fact(&f, "pcie_width_max", json_integer(16));
    gb_measured m = copies_of(&f);
    ck_assert_uint_eq(m.n, 2);
    ck_assert_ptr_null(m.why.data);
    const gb_measured_rate *pinned = &m.items[strstr(m.items[0].what, "pinned") ? 0 : 1];
    ck_assert_str_eq(pinned->what, "h2d pinned");
    ck_assert_str_eq(pinned->from, "fit of benchmark copy");
    near(pinned->latency_ns, 8100);
    near(pinned->bandwidth, 25.2e9);
    near(pinned->theory, 31.508e9);
    ck_assert(pinned->off < 0.01);
    ck_assert_uint_eq(pinned->least, 1024);
    ck_assert_uint_eq(pinned->most, 64u << 20); /* not the other curve's */
    gb_measured_free(&m);
    ck_assert_ptr_null(m.items);
    fixture_close(&f);
}
END_TEST

START_TEST(without_facts_of_the_link_there_is_no_theory)
{
    fixture f;
    fixture_open(&f, "cpu", "[]");
    fixture_copies(&f, "pinned", 8100, 25.2e9, 0);
    gb_measured m = copies_of(&f);
    ck_assert_uint_eq(m.n, 1);
    ck_assert(isnan(m.items[0].theory));
    gb_measured_free(&m);
    fixture_close(&f);
}
END_TEST

/* All copies of the fixture become others of these parameters. */
static void change(fixture *f, const char *key, json_t *value)
{
    for (size_t i = 0; i < f->results.n; i++)
        json_object_set(f->results.records[i].params, key, value);
    json_decref(value);
}

START_TEST(other_copies_are_no_transfers)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    fixture_copies(&f, "pinned", 8100, 25.2e9, 0);
    change(&f, "direction", json_string("d2d"));
    gb_measured m = copies_of(&f);
    ck_assert_uint_eq(m.n, 0);
    gb_measured_free(&m);
    change(&f, "direction", json_string("d2h"));
    m = copies_of(&f);
    ck_assert_uint_eq(m.n, 1);
    ck_assert_str_eq(m.items[0].what, "d2h pinned");
    gb_measured_free(&m);
    change(&f, "pieces", json_integer(8));
    m = copies_of(&f);
    ck_assert_uint_eq(m.n, 0);
    gb_measured_free(&m);
    fixture_close(&f);
}
END_TEST

START_TEST(a_curve_that_is_no_line_says_so)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    fixture_copies(&f, "pinned", 8100, 25.2e9, 0);
    for (size_t i = 0; i < f.results.n; i++) {
        if (f.results.records[i].index == 2)
            f.results.records[i].time.median *= 3;
    }
    gb_measured m = copies_of(&f);
    ck_assert_uint_eq(m.n, 0);
    ck_assert_ptr_nonnull(m.why.data);
    ck_assert_ptr_nonnull(strstr(m.why.data, "no fit of copy, h2d pinned: the worst point"));
    gb_measured_free(&m);
    fixture_close(&f);
}
END_TEST

static gb_record *stream(fixture *f, const char *op, double megabytes, double rate)
{
    char params[64];
    snprintf(params, sizeof params, "{\"op\": \"%s\", \"bytes\": %.0f}", op, megabytes * 1e6);
    gb_record *r = NULL;
    const uint32_t index = (uint32_t)f->results.n;
    for (uint32_t replicate = 0; replicate < 2; replicate++) {
        const double off = replicate ? 1.001 : 0.999;
        r = fixture_add(f, "memory", "stream", params, index, replicate, 1e6 * off, rate / off);
        r->work.working_set = (uint64_t)(megabytes * 1e6);
    }
    return r;
}

START_TEST(memory_is_the_best_stream_beyond_the_cache)
{
    fixture f;
    gb_measured m;
    fixture_open(&f, "cuda", "[]");
    set_fact(&f, "llc_bytes", json_integer(50000000));
    set_fact(&f, "peaks", json_pack("{s:f}", "bandwidth", 3.35e12));
    stream(&f, "read", 10, 9e12); /* the cache's */
    stream(&f, "read", 400, 2.9e12);
    stream(&f, "triad", 400, 3.0e12);
    stream(&f, "write", 400, 3.2e12); /* no roof */
    ck_assert_int_eq(gb_measured_memory(&f.results, &m, NULL), GB_OK);
    ck_assert_uint_eq(m.n, 1);
    ck_assert_str_eq(m.items[0].what, "triad");
    ck_assert_ptr_nonnull(strstr(m.items[0].from, "memory["));
    near(m.items[0].bandwidth, 3.0e12);
    near(m.items[0].theory, 3.35e12);
    ck_assert(m.items[0].latency_ns == 0);
    /* Student's t of two replicates, 12.706, times 0.001. */
    ck_assert(fabs(m.items[0].off - 0.0127) < 1e-4);
    ck_assert_uint_eq(m.items[0].most, 400000000);
    gb_measured_free(&m);
    /* Under a profiler times are no rates. */
    f.results.records[0].flags = GB_BIT(GB_FLAG_PROFILED);
    ck_assert_int_eq(gb_measured_memory(&f.results, &m, NULL), GB_OK);
    ck_assert_uint_eq(m.n, 0);
    gb_measured_free(&m);
    fixture_close(&f);
}
END_TEST

START_TEST(without_such_a_stream_nothing_is_known)
{
    fixture f;
    gb_measured m;
    fixture_open(&f, "cuda", "[]");
    stream(&f, "read", 400, 2.9e12); /* of a cache whose size is not known */
    ck_assert_int_eq(gb_measured_memory(&f.results, &m, NULL), GB_OK);
    ck_assert_uint_eq(m.n, 0);
    gb_measured_free(&m);
    fixture_close(&f);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tests = tcase_create("measured");
    tcase_add_test(tests, copies_over_the_link_are_fits);
    tcase_add_test(tests, without_facts_of_the_link_there_is_no_theory);
    tcase_add_test(tests, other_copies_are_no_transfers);
    tcase_add_test(tests, a_curve_that_is_no_line_says_so);
    tcase_add_test(tests, memory_is_the_best_stream_beyond_the_cache);
    tcase_add_test(tests, without_such_a_stream_nothing_is_known);
    suite_add_tcase(suite, tests);
}

GB_CHECK_MAIN("measured", add_cases)
