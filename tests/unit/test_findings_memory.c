/* Findings on copies and memory: the sentence with its figures, and silence where a row is missing.
 */
#include "base/json.h"
#include "check_main.h"
#include "reports/findings.h"
#include "reports_fixture.h"

static const char *text_of(const json_t *findings, const char *rule)
{
    for (size_t i = 0; i < json_array_size(findings); i++) {
        const json_t *one = json_array_get(findings, i);
        if (strcmp(json_string_value(json_object_get(one, "rule")), rule) == 0) {
            return json_string_value(json_object_get(one, "text"));
        }
    }
    return NULL;
}

static json_t *findings_of(const fixture *f)
{
    json_t *findings;
    gb_error err = {0};
    ck_assert_int_eq(gb_report_findings(&f->results, &findings, &err), GB_OK);
    return findings;
}

START_TEST(below_a_size_latency_dominates)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    fixture_copies(&f, "pageable", 9000, 9e9, 100);
    fixture_copies(&f, "pinned", 8100, 25.2e9, 0);
    json_t *findings = findings_of(&f);
    ck_assert_pstr_eq(text_of(findings, "latency-dominates"),
                      "Copies to the device from pinned memory: t = 8.10 us + n / 25.2 GB/s; below "
                      "199 KiB latency dominates.");
    json_decref(findings);
    /* A point far off the line: no line is spoken of, also not the other one's. */
    for (size_t i = 0; i < f.results.n; i++) {
        if (f.results.records[i].index == 102) {
            f.results.records[i].time.median *= 3;
        }
        if (f.results.records[i].index == 2) {
            f.results.records[i].time.median *= 3;
        }
    }
    findings = findings_of(&f);
    ck_assert_ptr_null(text_of(findings, "latency-dominates"));
    json_decref(findings);
    fixture_close(&f);
}
END_TEST

static void add_copy(fixture *f, const char *direction, double bytes, double time, double rate)
{
    char params[200];
    snprintf(params, sizeof params,
             "{\"bytes\": %.0f, \"direction\": \"%s\", \"memory\": \"pinned\", \"pieces\": 1}",
             bytes, direction);
    fixture_add(f, "copy", "copy", params, (uint32_t)f->results.n, 0, time, rate);
}

START_TEST(both_ways_at_once_against_one)
{
    fixture f;
    for (int cpu = 0; cpu < 2; cpu++) {
        fixture_open(&f, cpu ? "cpu" : "cuda", "[]");
        add_copy(&f, "h2d", 1 << 20, 4e4, 25e9);
        add_copy(&f, "bidirectional", 1 << 20, 5e4, 40e9);
        add_copy(&f, "bidirectional", 1 << 21, 9e4, 45e9); /* nothing to hold it against */
        json_t *findings = findings_of(&f);
        ck_assert_pstr_eq(text_of(findings, "both-ways"),
                          cpu ? NULL
                              : "Copying 1 MiB both ways at once moves 40.0 GB/s, to the device "
                                "alone 25.0 GB/s: both together are a factor of 1.60.");
        json_decref(findings);
        fixture_close(&f);
    }
}
END_TEST

/* A copy during which the link was read as that; NAN: could not be. */
static void add_copy_over(fixture *f, double gen, double lanes)
{
    add_copy(f, "h2d", 1 << 20, 4e4, 25e9);
    f->results.records[f->results.n - 1].telemetry =
        json_pack("{s:o, s:o}", "pcie_gen", gb_json_real(gen), "pcie_width", gb_json_real(lanes));
}

START_TEST(CPY_08_a_link_is_judged_by_what_it_was_under_load)
{
    static const struct {
        double idle_gen, gen, lanes;
        const char *said; /* of the link; NULL: nothing */
    } rows[] = {
        {1, 4, 16, NULL}, /* generation 1 at idle */
        {1, 3, 16, "generation 3 with 16 lanes; device and slot can do generation 4 with 16"},
        {4, 4, 8, "generation 4 with 8 lanes; device and slot can do generation 4 with 16"},
        {NAN, NAN, 8, NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fixture f;
        fixture_open(&f, "cuda", "[]");
        json_t *device = json_array_get(json_object_get(f.results.document, "devices"), 0);
        json_object_set_new(device, "pcie_gen_max", json_integer(4));
        json_object_set_new(device, "pcie_width_max", json_integer(16));
        add_copy_over(&f, rows[i].idle_gen, rows[i].lanes);
        add_copy_over(&f, rows[i].gen, rows[i].lanes);
        fixture_add(&f, "b", "noop", "{}", 9, 0, 1000, NAN)->telemetry =
            json_pack("{s:i, s:i}", "pcie_gen", 5, "pcie_width", 32); /* no copy: not looked at */
        json_t *findings = findings_of(&f);
        const char *text = text_of(findings, "link-below-maximum");
        ck_assert_msg((text != NULL) == (rows[i].said != NULL), "row %zu: %s", i, text);
        ck_assert_msg(text == NULL || strstr(text, rows[i].said) != NULL, "row %zu: %s", i, text);
        json_decref(findings);
        fixture_close(&f);
    }
}
END_TEST

static gb_record *add_access(fixture *f, int stride, double rate, uint64_t moved, uint64_t sectors)
{
    char params[160];
    snprintf(params, sizeof params,
             "{\"pattern\": \"strided\", \"stride\": %d, \"offset\": 0, \"elements\": 1048576}",
             stride);
    gb_record *r =
        fixture_add(f, "strides", "access", params, (uint32_t)f->results.n, 0, 1e5, rate);
    r->work.bytes_moved = moved;
    r->work.bytes_sectors = sectors;
    return r;
}

START_TEST(a_stride_wastes_most_of_what_moves)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    add_access(&f, 1, 800e9, 4 << 20, 4 << 20);
    add_access(&f, 4, 200e9, 4 << 20, 16 << 20);
    add_access(&f, 8, 100e9, 4 << 20, 32 << 20);
    add_access(&f, 32, 90e9, 4 << 20, 32 << 20);
    json_t *findings = findings_of(&f);
    ck_assert_pstr_eq(text_of(findings, "stride-waste"),
                      "Stride 8 wastes 88 % of the bytes moved (whole sectors of 32 bytes): 100 "
                      "GB/s of useful data from 1048576 elements against 800 GB/s in order.");
    json_decref(findings);
    /* Whatever the order of the cases. */
    json_object_set_new(f.results.records[2].params, "stride", json_integer(16));
    json_object_set_new(f.results.records[1].params, "stride", json_integer(64));
    findings = findings_of(&f);
    const char *found = text_of(findings, "stride-waste");
    ck_assert(found != NULL && strncmp(found, "Stride 16 wastes", 16) == 0);
    json_decref(findings);
    json_object_set_new(f.results.records[2].params, "stride", json_integer(8));
    json_object_set_new(f.results.records[1].params, "stride", json_integer(4));
    /* A failed case is no comparison: the next stride speaks, the order is not named. */
    f.results.records[2].status = GB_STATUS_FAILED;
    f.results.records[0].status = GB_STATUS_WRONG;
    findings = findings_of(&f);
    ck_assert_pstr_eq(text_of(findings, "stride-waste"),
                      "Stride 4 wastes 75 % of the bytes moved (whole sectors of 32 bytes): 200 "
                      "GB/s of useful data from 1048576 elements.");
    json_decref(findings);
    json_object_set_new(json_array_get(json_object_get(f.results.document, "devices"), 0), "kind",
                        json_string("cpu"));
    findings = findings_of(&f);
    ck_assert_ptr_null(text_of(findings, "stride-waste"));
    json_decref(findings);
    fixture_close(&f);
}
END_TEST

static void add_stream(fixture *f, double bytes, double rate)
{
    char params[160];
    snprintf(params, sizeof params, "{\"op\": \"read\", \"type\": \"fp64\", \"bytes\": %.0f}",
             bytes);
    gb_record *r = fixture_add(f, "sizes", "stream", params, (uint32_t)f->results.n, 0, 1e5, rate);
    r->work.working_set = (uint64_t)bytes;
    r->work.bytes_moved = (uint64_t)bytes;
}

START_TEST(the_cache_against_memory)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    json_object_set_new(json_array_get(json_object_get(f.results.document, "devices"), 0),
                        "llc_bytes", json_integer(50 << 20));
    add_stream(&f, 8 << 20, 5.2e12);
    json_t *findings = findings_of(&f);
    ck_assert_ptr_null(text_of(findings, "cache-against-memory"));
    json_decref(findings);
    add_stream(&f, 1 << 30, 2e12);
    findings = findings_of(&f);
    ck_assert_pstr_eq(
        text_of(findings, "cache-against-memory"),
        "The last cache (read over 8 MiB) delivers 5.20 TB/s, memory (read over 1 GiB) "
        "2.00 TB/s: a factor of 2.6.");
    json_decref(findings);
    fixture_close(&f);
}
END_TEST

START_TEST(every_rule_has_its_kernel)
{
    static const char *const rules[] = {"launch-in-cached-reads",
                                        "order-of-access",
                                        "pinned-against-pageable",
                                        "many-small-copies",
                                        "latency-dominates",
                                        "both-ways",
                                        "stride-waste",
                                        "cache-against-memory",
                                        "transpose-tiles",
                                        "bank-conflicts",
                                        "launch",
                                        "many-launches",
                                        "graph-break-even",
                                        "ridge",
                                        "memory-bound",
                                        "tiled-product",
                                        "vendor-product",
                                        "tensor-product",
                                        "batch-knee",
                                        "divergence",
                                        "sorted-data",
                                        "early-exit",
                                        "one-lane"};
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        ck_assert_ptr_nonnull(gb_finding_kernel(rules[i]));
    }
    ck_assert_ptr_null(gb_finding_kernel("no such rule"));
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tests = tcase_create("findings on memory");
    tcase_add_test(tests, below_a_size_latency_dominates);
    tcase_add_test(tests, both_ways_at_once_against_one);
    tcase_add_test(tests, CPY_08_a_link_is_judged_by_what_it_was_under_load);
    tcase_add_test(tests, a_stride_wastes_most_of_what_moves);
    tcase_add_test(tests, the_cache_against_memory);
    tcase_add_test(tests, every_rule_has_its_kernel);
    suite_add_tcase(suite, tests);
}

GB_CHECK_MAIN("findings on memory", add_cases)
