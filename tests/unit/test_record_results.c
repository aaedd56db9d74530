/* Reading results, strictly; verify. */
#include "unit/locale_case.h"
#include "unit/record_sample.h"

#include "record/host.h"
#include "record/internal.h"

static const char *const fixtures[] = {"ok",        "mixed",      "failed",
                                       "skipped",   "flagged",    "one-sample",
                                       "zero-time", "no-samples", "names"};

START_TEST(every_fixture_loads_and_verifies)
{
    char path[512], *report = NULL;
    gb_error err = {0};
    gb_results results;
    snprintf(path, sizeof path, FIXTURES "%s", fixtures[_i]);
    ck_assert_msg(gb_results_load(path, true, &results, &err) == GB_OK, "%s", err.message);
    ck_assert(results.complete);
    ck_assert_uint_gt(results.n, 0);
    for (size_t i = 0; i < results.n; i++) {
        ck_assert_uint_eq(results.records[i].n_samples, results.records[i].time.n);
        ck_assert_msg(gb_record_check(&results.records[i], &err) == GB_OK, "%s", err.message);
    }
    ck_assert_ptr_null(json_object_get(results.document, "records"));
    gb_results_free(&results);

    gb_code code = gb_results_verify(path, NULL, &report, &err);
    ck_assert_msg(code == GB_OK, "%s: %s\n%s", path, err.message, report);
    free(report);
}
END_TEST

START_TEST(RES_12_an_unfinished_run_is_read_and_says_so)
{
    gb_results results;
    gb_error err = {0};
    char *report = NULL;
    ck_assert_int_eq(gb_results_load(FIXTURES "incomplete", false, &results, &err), GB_OK);
    ck_assert(!results.complete);
    ck_assert(results.torn);
    ck_assert_uint_eq(results.n, 2);
    ck_assert_ptr_nonnull(json_object_get(results.document, "run")); /* the early head */
    gb_results_free(&results);
    ck_assert_int_eq(gb_results_verify(FIXTURES "incomplete", NULL, &report, &err), GB_OK);
    ck_assert_contains(report, "not complete");
    ck_assert_contains(report, "torn");
    free(report);
}
END_TEST

static gb_code parse(const char *text, gb_results *out, gb_error *err)
{
    return gb_results_parse("r.json", text, strlen(text), out, err);
}

#define RECORD                                                                                     \
    "{\"case\":\"c\",\"benchmark\":\"b\",\"kernel\":\"k\",\"params\":{},\"device\":0,"             \
    "\"replicate\":%s,\"status\":\"ok\"}"

/* Documents that must be refused, and what the message must say. */
static const struct {
    const char *text, *message;
} bad[] = {
    {"", "not valid JSON"},
    {"[]", "expected an object"},
    {"{\"schema\":\"gpubench-results/1\",\"complete\":true,\"records\":[", "not valid JSON"},
    {"{\"complete\":true,\"records\":[]}", "gpubench-results/1"},
    {"{\"schema\":\"other/1\",\"complete\":true,\"records\":[]}", "gpubench-results/1"},
    {"{\"schema\":\"gpubench-results/one\",\"complete\":true,\"records\":[]}", "one"},
    {"{\"schema\":\"gpubench-results/1x\",\"complete\":true,\"records\":[]}", "1x"},
    {"{\"schema\":\"gpubench-results/0\",\"complete\":true,\"records\":[]}", "gpubench-results/0"},
    {"{\"schema\":\"gpubench-results/2\",\"complete\":true,\"records\":[]}",
     "format 2; this gpubench reads formats up to 1"},
    {"{\"schema\":\"gpubench-results/99999999999999999999\",\"complete\":true,\"records\":[]}",
     "up to 1"},
    {"{\"schema\":\"gpubench-results/1\",\"records\":[]}", "complete: expected"},
    {"{\"schema\":\"gpubench-results/1\",\"complete\":true}", "records: expected an array"},
    {"{\"schema\":\"gpubench-results/1\",\"complete\":true,\"records\":{}}",
     "records: expected an array"},
    {"{\"schema\":\"gpubench-results/1\",\"complete\":true,\"host\":1,\"records\":[]}", "host"},
    {"{\"schema\":\"gpubench-results/1\",\"complete\":true,\"devices\":{},\"records\":[]}",
     "devices"},
    {"{\"schema\":\"gpubench-results/1\",\"complete\":true,\"devices\":[1],\"records\":[]}",
     "devices[0]"},
    {"{\"schema\":\"gpubench-results/1\",\"complete\":true,\"records\":[1]}", "records[0]"},
    {"{\"schema\":\"gpubench-results/1\",\"complete\":true,\"complete\":true,\"records\":[]}",
     "not valid JSON"}, /* RES-05 */
    {"{\"schema\":\"gpubench-results/1\",\"complete\":NaN,\"records\":[]}", "not valid JSON"},
};

START_TEST(a_document_that_is_none_is_refused_with_the_reason)
{
    gb_results results;
    gb_error err = {0};
    ck_assert_int_eq(parse(bad[_i].text, &results, &err), GB_INVALID);
    ck_assert_contains(err.message, bad[_i].message);
    ck_assert_str_eq(err.file, "r.json");
    ck_assert_ptr_null(results.records);
    ck_assert_ptr_null(results.document);
}
END_TEST

START_TEST(duplicate_records_are_an_error_that_names_them)
{
    char text[2048], one[512], two[512];
    gb_results results;
    gb_error err = {0};
    static const char head[] = "{\"schema\":\"gpubench-results/1\",\"complete\":true,\"records\":[";
    snprintf(one, sizeof one, RECORD, "0");
    snprintf(two, sizeof two, RECORD, "1");
    snprintf(text, sizeof text, "%s%s,%s]}", head, one, two);
    ck_assert_int_eq(parse(text, &results, &err), GB_OK);
    ck_assert_uint_eq(results.n, 2);
    gb_results_free(&results);
    snprintf(text, sizeof text, "%s%s,%s,%s]}", head, one, two, one);
    ck_assert_int_eq(parse(text, &results, &err), GB_INVALID);
    ck_assert_contains(err.message, "records[0] and records[2]");
    ck_assert_contains(err.message, "'c'");
}
END_TEST

START_TEST(errors_of_a_place_name_it)
{
    char tree[256];
    gb_results results;
    gb_error err = {0};
    make_tree(tree, sizeof tree);
    ck_assert_int_eq(gb_results_load(in(tree, "none"), false, &results, &err), GB_IO);
    ck_assert_contains(err.file, "none");
    ck_assert_int_eq(gb_results_load(tree, false, &results, &err), GB_IO); /* an empty directory */
    ck_assert_contains(err.message, "neither results.json nor cases.jsonl");
    ck_assert_int_eq(mkfifo(in(tree, "results.json"), 0600), 0); /* must not wait for a writer */
    ck_assert_int_eq(gb_results_load(tree, false, &results, &err), GB_IO);
    ck_assert_contains(err.message, "not a regular file");
    ck_assert_int_eq(unlink(in(tree, "results.json")), 0);

    char *document = read_file(FIXTURES "mixed/results.json");
    write_file(in(tree, "alone.json"), document, strlen(document)); /* any name will do */
    ck_assert_int_eq(gb_results_load(in(tree, "alone.json"), false, &results, &err), GB_OK);
    ck_assert_uint_eq(results.n, 5);
    gb_results_free(&results);
    ck_assert_int_eq(gb_results_load(in(tree, "alone.json"), true, &results, &err), GB_IO);
    ck_assert_contains(err.message, "samples are missing");
    free(document);
    remove_tree(tree);
}
END_TEST

START_TEST(lines_alone_are_enough_the_last_of_a_case_counts_and_a_bad_line_is_named)
{
    char tree[256], first[512], again[512], text[4096];
    gb_results results;
    gb_error err = {0};
    make_tree(tree, sizeof tree);
    snprintf(first, sizeof first, RECORD "\n", "0");
    snprintf(again, sizeof again, "%s", first);
    memcpy(strstr(again, "\"ok\""), "\"no\"", 4);
    snprintf(text, sizeof text, "%s", first);
    char *status = strstr(text, "\"status\":\"ok\"");
    strcpy(status, "\"status\":\"failed\"}\n");
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s", first);
    write_file(in(tree, "cases.jsonl"), text, strlen(text));
    ck_assert_int_eq(gb_results_load(tree, false, &results, &err), GB_OK);
    ck_assert_uint_eq(results.n, 1);
    ck_assert_int_eq(results.records[0].status, GB_STATUS_OK);
    ck_assert(!results.complete && !results.torn);
    gb_results_free(&results);

    /* without its newline the last line still is one; cut in the middle it is torn */
    write_file(in(tree, "cases.jsonl"), first, strlen(first) - 1);
    ck_assert_int_eq(gb_results_load(tree, false, &results, &err), GB_OK);
    ck_assert(results.n == 1 && !results.torn);
    gb_results_free(&results);
    for (size_t n = 1; n + 1 < strlen(first); n++) {
        write_file(in(tree, "cases.jsonl"), first, n);
        ck_assert_int_eq(gb_results_load(tree, false, &results, &err), GB_OK);
        ck_assert(results.n == 0 && results.torn);
        gb_results_free(&results);
    }
    /* in the middle of the file it is damage, not a torn end */
    snprintf(text, sizeof text, "%s%s%s", first, again, first);
    write_file(in(tree, "cases.jsonl"), text, strlen(text));
    ck_assert_int_eq(gb_results_load(tree, false, &results, &err), GB_INVALID);
    ck_assert_int_eq(err.line, 2);
    ck_assert_contains(err.file, "cases.jsonl");
    remove_tree(tree);
}
END_TEST

/* Copies a fixture, replaces the first `from` in one of its files, and gives verify's report. */
static gb_code verify_edited(const char *fixture, const char *file, const char *from,
                             const char *to, char **report)
{
    static const char *const names[] = {"cases.jsonl", "results.json"};
    char tree[256], source[512];
    gb_error err = {0};
    make_tree(tree, sizeof tree);
    for (size_t i = 0; i < 2; i++) {
        snprintf(source, sizeof source, FIXTURES "%s/%s", fixture, names[i]);
        char *text = read_file(source);
        gb_buf out = {0};
        char *at = strcmp(names[i], file) == 0 ? strstr(text, from) : NULL;
        ck_assert_msg(at || strcmp(names[i], file) != 0, "%s is not in %s", from, source);
        size_t before = at ? (size_t)(at - text) : strlen(text);
        gb_buf_add_bytes(&out, text, before);
        if (at) {
            gb_buf_add(&out, to);
            gb_buf_add(&out, at + strlen(from));
        }
        write_file(in(tree, names[i]), out.data, out.length);
        gb_buf_free(&out);
        free(text);
    }
    gb_code code = gb_results_verify(tree, NULL, report, &err);
    remove_tree(tree);
    return code;
}

static const struct {
    const char *file, *from, *to, *says;
} edits[] = {
    {"results.json", "\"median\":43", "\"median\":33", "time_ns.median is 33"},
    {"results.json", "\"n\":60", "\"n\":600", "time_ns.n is 600, recomputed: 60"},
    {"results.json", "\"status\":\"failed\"", "\"status\":\"skipped\"", "status is \"skipped\""},
    {"results.json", "\"flags\":[]", "\"flags\":[\"drift\"]", "flags is [\"drift\"]"},
    {"results.json", "\"unit\":\"B/s\"", "\"unit\":\"KB/s\"", "metrics.bandwidth.unit"},
    {"results.json", "\"bytes\":1048576,", "\"bytes\":2048,", "params.bytes is 2048"},
    {"results.json", "name: golden", "name: g0lden", "suite.sha256"},
    {"results.json", ",\"replicate\":0,\"index\":0", ",\"replicate\":9,\"index\":0", "is missing"},
    {"cases.jsonl", "\"samples_ns\":[43", "\"samples_ns\":[13", "time_ns."},
    {"cases.jsonl", "\"median\":43", "\"median\":33", "cases.jsonl: copy["},
    {"cases.jsonl", "\"params\":{\"bytes\":1048576", "\"params\":{\"bytes\":2048",
     "the case's name and params.bytes (2048) differ"},
};

START_TEST(verify_finds_what_was_edited)
{
    char *report = NULL;
    gb_code code = verify_edited("mixed", edits[_i].file, edits[_i].from, edits[_i].to, &report);
    ck_assert_msg(code == GB_WRONG_RESULT, "edit %d: %s", _i, report ? report : "no report");
    ck_assert_contains(report, edits[_i].says);
    free(report);
}
END_TEST

/* A catalog of one kernel whose definition and work verify can recompute. */
static const gb_param copy_params[] = {
    {.name = "bytes", .kind = GB_PARAM_BYTES, .min = 1, .max = INT64_MAX}};
static gb_code copy_check(const gb_value args[], gb_device_kind kind, gb_need *need, gb_error *err)
{
    (void)kind, (void)err;
    *need = (gb_need){.device_bytes = args[0].number};
    return GB_OK;
}
static void copy_work(const gb_value args[], gb_device_kind kind, gb_work *work)
{
    (void)kind;
    work->bytes_read = work->bytes_moved = args[0].number;
    work->working_set = 2 * args[0].number;
}
static const gb_kernel_spec copy_spec = {.name = "copy",
                                         .version = 1,
                                         .params = copy_params,
                                         .n_params = 1,
                                         .metrics = sample_metrics,
                                         .n_metrics = 1,
                                         .check = copy_check,
                                         .work = copy_work};
static const gb_kernel_spec *const specs[] = {&copy_spec};
static const gb_catalog catalog = {specs, 1};

START_TEST(verify_recomputes_definition_work_and_metrics_through_the_catalog)
{
    char tree[256], path[300];
    gb_run_dir *dir = NULL;
    gb_error err = {0};
    gb_record r;
    char *report = NULL;
    make_tree(tree, sizeof tree);
    snprintf(path, sizeof path, "%s/run", tree);
    gb_head head = sample_head("id");
    for (int round = 0; round < 4; round++) {
        sample_record(&r, "copy", 4096, 0, 20, 1000);
        gb_value args[] = {{.number = 4096}};
        gb_definition_hash(&copy_spec, args, r.timer, r.cache, round == 1, r.definition);
        const char *says = NULL;
        if (round == 2) {
            r.definition[5] ^= 1;
            says = "definition";
        } else if (round == 3) {
            r.work.bytes_moved = 8192; /* doubles the bandwidth */
            gb_record_summarise(&r, sample_metrics, 1, NULL);
            says = "metrics.bandwidth.value";
        }
        ck_assert_int_eq(gb_run_dir_open(path, false, &dir, &err), GB_OK);
        ck_assert_int_eq(gb_run_dir_begin(dir, &head, &err), GB_OK);
        ck_assert_int_eq(gb_run_dir_append(dir, &r, &err), GB_OK);
        ck_assert_int_eq(gb_run_dir_finish(dir, &head, true, &err), GB_OK);
        gb_run_dir_close(dir);
        gb_code code = gb_results_verify(path, &catalog, &report, &err);
        ck_assert_msg(code == (says ? GB_WRONG_RESULT : GB_OK), "round %d: %s", round, report);
        if (says) {
            ck_assert_contains(report, says);
        } else {
            ck_assert_str_eq(report, "");
        }
        free(report);
        gb_record_free(&r);
        remove_tree(path);
    }
    gb_head_free(&head);
    remove_tree(tree);
}
END_TEST

START_TEST(host_facts_are_read_or_null)
{
    char tree[256];
    make_tree(tree, sizeof tree);
    static const struct {
        const char *dir, *file, *text;
    } files[] = {
        {"proc", "cpuinfo",
         "processor\t: 0\nmodel name\t: Test CPU\nflags\t\t: fpu hypervisor sse\n"},
        {"proc", "meminfo", "MemTotal:       1024 kB\nMemFree: 5 kB\n"},
        {"proc/self", "cgroup", "0::/a/b\n"},
        {"proc/1", "cgroup", "0::/kubepods/x\n"},
        {"proc/sys/kernel", "osrelease", "6.1.0-test\n"},
        {"sys/fs/cgroup/a", "cpu.max", "150000 100000\n"},
        {"sys/fs/cgroup/a/b", "cpu.max", "max 100000\n"},
        {"sys/fs/cgroup/a/b", "memory.max", "1048576\n"},
        {"sys/devices/system/node/node0", "x", ""},
        {"sys/devices/system/node/node1", "x", ""},
        {"etc", "os-release", "NAME=x\nPRETTY_NAME=\"Test OS 1\"\n"},
        {"sys/devices/system/cpu/cpu0/cpufreq", "scaling_governor", "powersave\n"},
    };
    json_t *none = gb_host_json_at(tree); /* nothing to read */
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[600];
        snprintf(path, sizeof path, "%s/%s/", tree, files[i].dir);
        for (char *slash = path + strlen(tree) + 1; (slash = strchr(slash, '/')); slash++) {
            *slash = '\0';
            mkdir(path, 0700);
            *slash = '/';
        }
        write_file(in(path, files[i].file), files[i].text, strlen(files[i].text));
    }
    json_t *host = gb_host_json_at(tree);
    ck_assert_str_eq(json_string_value(json_object_get(host, "cpu")), "Test CPU");
    ck_assert(json_is_true(json_object_get(host, "hypervisor")));
    ck_assert_int_eq(json_integer_value(json_object_get(host, "memory_bytes")), 1048576);
    ck_assert_int_eq(json_integer_value(json_object_get(host, "cgroup_memory_bytes")), 1048576);
    ck_assert_double_eq(json_number_value(json_object_get(host, "cgroup_cpus")), 1.5);
    ck_assert_int_eq(json_integer_value(json_object_get(host, "numa_nodes")), 2);
    ck_assert_str_eq(json_string_value(json_object_get(host, "os")), "Test OS 1");
    ck_assert_str_eq(json_string_value(json_object_get(host, "kernel")), "6.1.0-test");
    ck_assert_str_eq(json_string_value(json_object_get(host, "container")), "kubepods");
    ck_assert_str_eq(json_string_value(json_object_get(host, "governor")), "powersave");
    static const char *const unknown[] = {"cpu",         "hypervisor", "memory_bytes",
                                          "cgroup_cpus", "numa_nodes", "os",
                                          "kernel",      "container",  "governor"};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        ck_assert_msg(json_is_null(json_object_get(none, unknown[i])), "%s", unknown[i]);
    }
    json_decref(host);
    json_decref(none);
    remove_tree(tree);

    host = gb_host_json(); /* this machine */
    ck_assert_int_gt(json_integer_value(json_object_get(host, "affinity_cpus")), 0);
    ck_assert_str_ne(json_string_value(json_object_get(host, "affinity")), "");
    ck_assert_int_gt(json_integer_value(json_object_get(host, "memory_bytes")), 0);
    json_decref(host);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tcase = tcase_create("results");
    use_environment_locale(tcase);
    tcase_add_loop_test(tcase, every_fixture_loads_and_verifies, 0,
                        (int)(sizeof fixtures / sizeof fixtures[0]));
    tcase_add_test(tcase, RES_12_an_unfinished_run_is_read_and_says_so);
    tcase_add_loop_test(tcase, a_document_that_is_none_is_refused_with_the_reason, 0,
                        (int)(sizeof bad / sizeof bad[0]));
    tcase_add_test(tcase, duplicate_records_are_an_error_that_names_them);
    tcase_add_test(tcase, errors_of_a_place_name_it);
    tcase_add_test(tcase, lines_alone_are_enough_the_last_of_a_case_counts_and_a_bad_line_is_named);
    tcase_add_loop_test(tcase, verify_finds_what_was_edited, 0,
                        (int)(sizeof edits / sizeof edits[0]));
    tcase_add_test(tcase, verify_recomputes_definition_work_and_metrics_through_the_catalog);
    tcase_add_test(tcase, host_facts_are_read_or_null);
    suite_add_tcase(suite, tcase);
}

GB_CHECK_MAIN("record results", add_cases)
