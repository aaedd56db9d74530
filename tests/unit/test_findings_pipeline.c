/* Findings on where a job's time goes, from records made up so that the figures are known. */
#include "unit/check_main.h"
#include "unit/findings_fixture.h"

typedef struct job {
    const char *schedule, *source, *decode;
    int batch, host_work;
    double ms;
    /* ms of read, decode, prepare, copy in, launch, compute, copy out, finish */
    double stages[8];
    double busy; /* percent */
} job;

static const job plain = {"serial", "cached", "base64", 64, 1, 100, {20, 50, 10, 4, 2, 8, 1, 5},
                          13};

/* Two replicates, `spread` apart to both sides. */
static void add_job(fixture *f, const char *benchmark, const job *j, double spread)
{
    static const char *const names[] = {"read",   "decode",  "prepare",  "copy_in",
                                        "launch", "compute", "copy_out", "finish"};
    const uint32_t index = (uint32_t)f->results.n;
    for (uint32_t r = 0; r < 2; r++) {
        char params[256];
        const double by = r == 0 ? 1 - spread : 1 / (1 - spread);
        snprintf(params, sizeof params,
                 "{\"schedule\": \"%s\", \"source\": \"%s\", \"decode\": \"%s\", \"batch\": %d, "
                 "\"host_work\": %d, \"files\": 500}",
                 j->schedule, j->source, j->decode, j->batch, j->host_work);
        gb_record *record =
            fixture_add(f, benchmark, "pipeline", params, index, r, j->ms * 1e6 * by, NAN);
        record->parts_ns = json_object();
        for (int i = 0; i < 8; i++)
            json_object_set_new(record->parts_ns, names[i], json_real(j->stages[i] * 1e6 * by));
        add_metric(record, "device_busy", "%", j->busy * by);
        record->metrics[record->n_metrics - 1].higher_is_better = true;
    }
}

/* The sentences of a rule, one a line. */
static char *said(const fixture *f, const char *rule)
{
    json_t *found = findings_of(f, rule);
    gb_buf text = {0};
    gb_buf_add(&text, "");
    for (size_t i = 0; i < json_array_size(found); i++)
        gb_buf_printf(&text, "%s\n", sentence(found, i));
    json_decref(found);
    return text.data;
}

static void all_say(const fixture *f, const char *rule, const char *expected)
{
    char *text = said(f, rule);
    ck_assert_str_eq(text != NULL ? text : "", expected);
    free(text);
}

START_TEST(the_longest_stage_and_what_a_faster_device_could_gain)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    add_job(&f, "stages", &plain, 0.0001);
    all_say(
        &f, "pipeline-stage",
        "50 % of the time from file to answer, in batches of 64, is decoding, then reading with "
        "20 % and preparing with 10 %. Copies and kernel are 13 %: a device that took no time at "
        "all would make the job faster by a factor of at most 1.15; the rest is the host's, "
        "whatever the device.\n");
    fixture_close(&f);
    job j = plain;
    const double most[] = {5, 5, 5, 10, 1, 70, 3, 1};
    memcpy(j.stages, most, sizeof most);
    fixture_open(&f, "cuda", "[]");
    add_job(&f, "stages", &j, 0.0001);
    all_say(
        &f, "pipeline-stage",
        "70 % of the time from file to answer, in batches of 64, is the kernel, then the copy in "
        "with 10 % and reading with 5 %. Copies and kernel are 83 %: a device that took no time "
        "at all would make the job faster by a factor of at most 5.89.\n");
    fixture_close(&f);
}
END_TEST

/* Once for each kind of source and of files, at the largest batch; not where replicates do not
 * agree or a part is missing. */
START_TEST(one_sentence_for_each_kind_of_files)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    job j = plain;
    j.batch = 1;
    add_job(&f, "stages", &j, 0.0001);
    add_job(&f, "stages", &plain, 0.0001);
    j = plain;
    j.source = "uncached";
    add_job(&f, "stages", &j, 0.0001);
    add_job(&f, "again", &plain, 0.0001);
    char *text = said(&f, "pipeline-stage");
    ck_assert_ptr_nonnull(strstr(text, "in batches of 64 (source cached)"));
    ck_assert_ptr_nonnull(strstr(text, "in batches of 64 (source uncached)"));
    ck_assert_ptr_null(strstr(text, "in batches of 1"));
    ck_assert_ptr_eq(strchr(strchr(text, '\n') + 1, '\n'), text + strlen(text) - 1);
    free(text);
    fixture_close(&f);
    fixture_open(&f, "cuda", "[]");
    add_job(&f, "stages", &plain, 0.0001);
    json_object_set_new(f.results.records[1].parts_ns, "read", json_real(60e6));
    all_say(&f, "pipeline-stage", "");
    json_object_set_new(f.results.records[1].parts_ns, "read", json_real(20e6));
    json_object_set_new(f.results.records[1].parts_ns, "decode", json_real(71e6));
    all_say(&f, "pipeline-stage", ""); /* 50 and 71 % are not alike */
    json_object_set_new(f.results.records[1].parts_ns, "decode", json_real(50e6));
    json_object_set_new(f.results.records[1].parts_ns, "read", json_null());
    all_say(&f, "pipeline-stage", "");
    fixture_close(&f);
}
END_TEST

/* Shares that replicates do not agree on are said with both ends, and so is what follows. */
START_TEST(shares_are_no_finer_than_replicates_leave_them)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    job j = plain;
    add_job(&f, "overlapped", &j, 0.0001);
    json_object_set_new(f.results.records[0].parts_ns, "decode", json_real(40e6));
    json_object_set_new(f.results.records[0].parts_ns, "compute", json_real(30e6));
    char *text = said(&f, "pipeline-stage");
    ck_assert_msg(strstr(text, "40 to 50 % of the time") == text, "%s", text);
    ck_assert_msg(strstr(text, "Copies and kernel are 13 to 35 %: ") != NULL, "%s", text);
    ck_assert_msg(strstr(text, "a factor of at most 1.54;") != NULL, "%s", text);
    free(text);
    j.schedule = "double-buffered";
    j.ms = 50;
    add_job(&f, "overlapped", &j, 0.0001);
    text = said(&f, "pipeline-overlap");
    ck_assert_msg(strstr(text, "(at best 1.3, ") != NULL, "%s", text);
    free(text);
    fixture_close(&f);
}
END_TEST

START_TEST(batches_are_compared_where_they_differ)
{
    fixture f;
    job one = plain;
    one.batch = 1;
    one.ms = 250;
    fixture_open(&f, "cuda", "[]");
    add_job(&f, "stages", &one, 0.0001);
    add_job(&f, "stages", &plain, 0.0001);
    all_say(&f, "pipeline-batch",
            "In batches of 64 a file takes 200 us, in batches of 1 500 us: a factor of 2.50.\n");
    fixture_close(&f);
    fixture_open(&f, "cuda", "[]");
    add_job(&f, "stages", &one, 0.4);
    add_job(&f, "stages", &plain, 0.4);
    all_say(&f, "pipeline-batch", "");
    fixture_close(&f);
    one.ms = 50;
    fixture_open(&f, "cuda", "[]");
    add_job(&f, "stages", &one, 0.0001);
    add_job(&f, "stages", &plain, 0.0001);
    all_say(&f, "pipeline-batch",
            "In batches of 64 a file takes 200 us, in batches of 1 100 us: a "
            "factor of 2.00 that large batches cost.\n");
    fixture_close(&f);
}
END_TEST

static void add_pair(fixture *f, double doubled_ms, double spread)
{
    job j = plain;
    add_job(f, "overlapped", &j, spread);
    j.schedule = "double-buffered";
    j.ms = doubled_ms;
    add_job(f, "overlapped", &j, spread);
}

START_TEST(double_buffering_is_held_against_what_could_be_hidden)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    add_pair(&f, 90, 0.0001);
    all_say(
        &f, "pipeline-overlap",
        "One batch of 64 after the other takes 100 ms; with the host at the next batch while the "
        "device has one, 90.0 ms: a factor of 1.11 (at best 1.15, with the shorter of the host's "
        "and the device's part hidden completely).\n");
    fixture_close(&f);
    fixture_open(&f, "cpu", "[]");
    add_pair(&f, 120, 0.0001);
    char *text = said(&f, "pipeline-overlap");
    ck_assert_ptr_nonnull(strstr(text, "120 ms: longer by a factor of 1.20 (at best"));
    ck_assert_ptr_nonnull(strstr(text, "; host and device share the processors here."));
    free(text);
    fixture_close(&f);
    fixture_open(&f, "cuda", "[]");
    add_pair(&f, 100.01, 0.002);
    text = said(&f, "pipeline-overlap");
    ck_assert_ptr_nonnull(strstr(text, ": no difference that can be told from noise (at best"));
    free(text);
    fixture_close(&f);
    fixture_open(&f, "cuda", "[]");
    add_pair(&f, 95, 0.2);
    all_say(&f, "pipeline-overlap", "");
    fixture_close(&f);
}
END_TEST

/* Once a benchmark: the job in which most could be hidden. */
START_TEST(the_job_with_most_to_hide_is_shown)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    add_pair(&f, 90, 0.0001);
    job j = plain;
    const double half[] = {20, 20, 8, 10, 2, 35, 3, 2};
    memcpy(j.stages, half, sizeof half);
    j.batch = 1;
    add_job(&f, "overlapped", &j, 0.0001);
    j.schedule = "double-buffered";
    j.ms = 60;
    add_job(&f, "overlapped", &j, 0.0001);
    char *text = said(&f, "pipeline-overlap");
    ck_assert_ptr_nonnull(strstr(text, "One batch of 1 after the other"));
    ck_assert_ptr_nonnull(strstr(text, "60.0 ms: a factor of 1.67 (at best 1.92,"));
    ck_assert_ptr_null(strstr(text, "batch of 64"));
    free(text);
    fixture_close(&f);
}
END_TEST

static void add_hosts(fixture *f, double first, double last, double spread)
{
    job j = plain;
    j.schedule = "double-buffered";
    for (int k = 0; k < 3; k++) {
        j.host_work = 1 << (2 * k);
        j.busy = k == 0 ? first : k == 1 ? (first + last) / 2 : last;
        add_job(f, "starved", &j, spread);
    }
}

START_TEST(a_slow_host_leaves_the_device_idle)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    add_hosts(&f, 90, 12, 0.0001);
    all_say(
        &f, "pipeline-idle",
        "The device copies or computes for 90 % of the time; where the host prepares each batch "
        "16 times, for 12 %: it is idle for about 88 % of the time, waiting for the host.\n");
    fixture_close(&f);
    fixture_open(&f, "cuda", "[]");
    add_hosts(&f, 90, 40, 0.02); /* more than 100 % it cannot be */
    char *text = said(&f, "pipeline-idle");
    ck_assert_msg(strstr(text, " to 100 % of the time; where") != NULL, "%s", text);
    ck_assert_msg(strstr(text, "it is idle for about 4") != NULL, "%s", text);
    free(text);
    fixture_close(&f);
    fixture_open(&f, "cuda", "[]");
    add_hosts(&f, 90, 85, 0.2);
    all_say(&f, "pipeline-idle", "");
    fixture_close(&f);
    fixture_open(&f, "cuda", "[]");
    add_hosts(&f, 12, 90, 0.0001); /* that would be something else */
    all_say(&f, "pipeline-idle", "");
    fixture_close(&f);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tests = tcase_create("findings");
    tcase_add_test(tests, the_longest_stage_and_what_a_faster_device_could_gain);
    tcase_add_test(tests, one_sentence_for_each_kind_of_files);
    tcase_add_test(tests, shares_are_no_finer_than_replicates_leave_them);
    tcase_add_test(tests, batches_are_compared_where_they_differ);
    tcase_add_test(tests, double_buffering_is_held_against_what_could_be_hidden);
    tcase_add_test(tests, the_job_with_most_to_hide_is_shown);
    tcase_add_test(tests, a_slow_host_leaves_the_device_idle);
    suite_add_tcase(suite, tests);
}

GB_CHECK_MAIN("findings_pipeline", add_cases)
