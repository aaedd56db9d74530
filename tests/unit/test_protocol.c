#include <math.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/text.h"
#include "run/protocol.h"
#include "run/worker.h"
#include "unit/check_main.h"

static gb_job make_job(gb_job_case cases[2])
{
    for (uint32_t i = 0; i < 2; i++)
        cases[i] = (gb_job_case){.id = i ? "b[n=2]" : "b[n=1]",
                                 .benchmark = "b",
                                 .kernel = "k",
                                 .definition = "0123",
                                 .args = json_pack("{s:i}", "n", (int)i + 1),
                                 .timer = GB_TIMER_ROUNDTRIP,
                                 .cache = GB_CACHE_COLD,
                                 .index = 7 + i,
                                 .order = i,
                                 .seed = 12345678901234567ull,
                                 .precision = 0.005,
                                 .min_samples = 10,
                                 .max_samples = 2000,
                                 .warmup_ns = 100000000};
    return (gb_job){.kind = GB_CUDA,
                    .device_index = 3,
                    .device_number = 1,
                    .gate = true,
                    .replicate = 4,
                    .budget_ns = 60000000000,
                    .cases = cases,
                    .n = 2};
}

static char *job_text(void)
{
    gb_job_case cases[2];
    gb_job job = make_job(cases);
    json_t *json = gb_job_json(&job);
    char *text = gb_json_line(json);
    json_decref(json);
    json_decref(cases[0].args);
    json_decref(cases[1].args);
    return text;
}

/* A job without files of the user's is one that builds understand which know of none. */
START_TEST(the_users_files_are_in_a_job_where_there_are_some)
{
    static const char *const dirs[] = {NULL, "/my files/\"x\""};
    for (int i = 0; i < 2; i++) {
        gb_job_case cases[2];
        gb_job job = make_job(cases), read;
        gb_error err = {0};
        job.data_dir = dirs[i];
        json_t *json = gb_job_json(&job);
        char *text = gb_json_line(json);
        ck_assert_int_eq(json_object_get(json, "data_dir") != NULL, i);
        ck_assert_msg(gb_job_load(text, strlen(text), &read, &err) == GB_OK, "%s", err.message);
        if (i == 0)
            ck_assert_ptr_null(read.data_dir);
        else
            ck_assert_str_eq(read.data_dir, dirs[i]);
        gb_job_free(&read);
        json_decref(json);
        json_decref(cases[0].args);
        json_decref(cases[1].args);
        free(text);
    }
}
END_TEST

START_TEST(a_job_reads_back_as_it_was)
{
    char *text = job_text();
    gb_job job;
    gb_error err = {0};
    ck_assert_msg(gb_job_load(text, strlen(text), &job, &err) == GB_OK, "%s", err.message);
    ck_assert_int_eq(job.kind, GB_CUDA);
    ck_assert_int_eq(job.device_index, 3);
    ck_assert_int_eq(job.device_number, 1);
    ck_assert(job.gate);
    ck_assert_uint_eq(job.replicate, 4);
    ck_assert_uint_eq(job.budget_ns, 60000000000);
    ck_assert_uint_eq(job.n, 2);
    const gb_job_case *c = &job.cases[1];
    ck_assert_str_eq(c->id, "b[n=2]");
    ck_assert_str_eq(c->kernel, "k");
    ck_assert_str_eq(c->definition, "0123");
    ck_assert_int_eq(json_integer_value(json_object_get(c->args, "n")), 2);
    ck_assert_int_eq(c->timer, GB_TIMER_ROUNDTRIP);
    ck_assert_int_eq(c->cache, GB_CACHE_COLD);
    ck_assert_uint_eq(c->index, 8);
    ck_assert_uint_eq(c->order, 1);
    ck_assert_uint_eq(c->seed, 12345678901234567ull);
    ck_assert(c->precision == 0.005);
    ck_assert_uint_eq(c->min_samples, 10);
    ck_assert_uint_eq(c->max_samples, 2000);
    ck_assert_uint_eq(c->warmup_ns, 100000000);
    gb_job_free(&job);
    gb_job_free(&job);
    free(text);
}
END_TEST

/* One change of a good job each. */
static const struct {
    const char *from, *to;
} bad_jobs[] = {
    {"\"protocol\":1", "\"protocol\":2"},
    {"\"protocol\":1", "\"protocol\":\"1\""},
    {"\"device\":\"cuda\"", "\"device\":\"tpu\""},
    {"\"gate\":true", "\"gate\":1"},
    {"\"replicate\":4", "\"replicate\":-4"},
    {"\"timer\":\"roundtrip\"", "\"timer\":\"sundial\""},
    {"\"cache\":\"cold\"", "\"cache\":0"},
    {"\"min_samples\":10", "\"min_samples\":0"},
    {"\"max_samples\":2000", "\"max_samples\":9"},
    {"\"order\":0", "\"odrer\":0"},
    {"\"precision\":0.005", "\"precision\":0"},
    {"\"index\":7", "\"index\":-1"},
    {"\"gate\":true", "\"gate\":true,\"more\":1"},
    {"{\"protocol\"", "[\"protocol\""},
};

START_TEST(a_wrong_job_is_refused)
{
    char *text = job_text();
    const char *from = bad_jobs[_i].from, *to = bad_jobs[_i].to;
    const char *at = strstr(text, from);
    /* dumped keys may come in any order; the first brace of the text is always there */
    if (!at && from[0] == '{') {
        at = text;
        from = "{";
        to = "[";
    }
    ck_assert_msg(at != NULL, "%s is not in %s", from, text);
    char *changed = gb_text_format("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    gb_job job;
    gb_error err = {0};
    ck_assert_int_eq(gb_job_load(changed, strlen(changed), &job, &err), GB_INVALID);
    ck_assert_int_ne(err.message[0], '\0');
    ck_assert_ptr_null(job.json);
    free(changed);
    free(text);
}
END_TEST

START_TEST(a_job_without_cases_is_refused)
{
    gb_job job = {.kind = GB_CPU}, loaded;
    json_t *json = gb_job_json(&job);
    char *text = gb_json_line(json);
    ck_assert_int_eq(gb_job_load(text, strlen(text), &loaded, NULL), GB_INVALID);
    ck_assert_int_eq(gb_job_load("", 0, &loaded, NULL), GB_INVALID);
    free(text);
    json_decref(json);
}
END_TEST

/* Writes an event into a pipe and reads it back. */
static void there_and_back(const gb_event_line *event, gb_event_line *back)
{
    int ends[2];
    static char line[65536];
    gb_error err = {0};
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(gb_event_write(ends[1], event, &err), GB_OK);
    ssize_t n = read(ends[0], line, sizeof line);
    close(ends[0]);
    close(ends[1]);
    ck_assert_int_gt(n, 1);
    ck_assert_ptr_eq(memchr(line, '\n', (size_t)n), line + n - 1);
    ck_assert_msg(gb_event_parse(line, (size_t)n - 1, back, &err) == GB_OK, "%s", err.message);
    ck_assert_int_eq(back->kind, event->kind);
}

START_TEST(events_read_back_as_they_were)
{
    gb_event_line back;
    there_and_back(&(gb_event_line){.kind = GB_EVENT_HELLO, .text = "2 others"}, &back);
    ck_assert_str_eq(back.text, "2 others");
    there_and_back(&(gb_event_line){.kind = GB_EVENT_CASE, .index = 12}, &back);
    ck_assert_uint_eq(back.index, 12);
    there_and_back(&(gb_event_line){.kind = GB_EVENT_PHASE, .text = "warm-up \"\n\x01"}, &back);
    ck_assert_str_eq(back.text, "warm-up \"\n\x01");
    there_and_back(
        &(gb_event_line){.kind = GB_EVENT_FAILED, .code = GB_HARDWARE_FAULT, .text = "ECC"}, &back);
    ck_assert_int_eq(back.code, GB_HARDWARE_FAULT);
    ck_assert_str_eq(back.text, "ECC");
    there_and_back(&(gb_event_line){.kind = GB_EVENT_DONE}, &back);
}
END_TEST

START_TEST(a_record_brings_its_samples)
{
    gb_event_line event = {.kind = GB_EVENT_RECORD, .index = 3}, back;
    gb_record *r = &event.record;
    gb_record_init(r);
    r->case_id = gb_text_copy("b[n=1]");
    r->benchmark = gb_text_copy("b");
    r->kernel = gb_text_copy("k");
    r->params = json_pack("{s:i}", "n", 1);
    r->samples_ns = calloc(2, sizeof(double));
    r->samples_ns[0] = 10.25;
    r->samples_ns[1] = 1.0 / 3.0;
    r->n_samples = 2;
    r->replicate = 1;
    there_and_back(&event, &back);
    ck_assert_uint_eq(back.index, 3);
    ck_assert_str_eq(back.record.case_id, "b[n=1]");
    ck_assert_uint_eq(back.record.replicate, 1);
    ck_assert_uint_eq(back.record.n_samples, 2);
    ck_assert(back.record.samples_ns[0] == 10.25 && back.record.samples_ns[1] == 1.0 / 3.0);
    gb_record_free(&back.record);
    gb_record_free(r);
}
END_TEST

static const char *const bad_events[] = {
    "",
    "x",
    "[]",
    "{}",
    "{\"event\":\"nonsense\"}",
    "{\"event\":1}",
    "{\"event\":\"hello\",\"text\":\"\"}",
    "{\"event\":\"hello\",\"protocol\":2,\"text\":\"\"}",
    "{\"event\":\"case\"}",
    "{\"event\":\"case\",\"index\":-1}",
    "{\"event\":\"case\",\"index\":1.5}",
    "{\"event\":\"case\",\"index\":1,\"more\":1}",
    "{\"event\":\"case\",\"index\":1,\"index\":2}",
    "{\"event\":\"phase\",\"text\":null}",
    "{\"event\":\"failed\",\"code\":\"strange\",\"text\":\"\"}",
    "{\"event\":\"record\",\"index\":0,\"record\":{}}",
    "{\"event\":\"record\",\"index\":0,\"record\":[]}",
    "{\"event\":\"done\"}{\"event\":\"done\"}",
    "{\"event\":\"do\xff\"}",
};

START_TEST(nonsense_is_no_event)
{
    gb_event_line event;
    gb_error err = {0};
    const char *line = bad_events[_i];
    ck_assert_int_ne(gb_event_parse(line, strlen(line), &event, &err), GB_OK);
    ck_assert_int_ne(err.message[0], '\0');
}
END_TEST

START_TEST(a_gone_reader_is_an_error)
{
    int ends[2];
    signal(SIGPIPE, SIG_IGN);
    ck_assert_int_eq(pipe(ends), 0);
    close(ends[0]);
    gb_error err = {0};
    ck_assert_int_eq(gb_event_write(ends[1], &(gb_event_line){.kind = GB_EVENT_DONE}, &err), GB_IO);
    close(ends[1]);
}
END_TEST

START_TEST(peak_bandwidth_is_known_or_not_there)
{
    /* an H200's: 3,201 MHz, 6,144 bits -> 4.917 TB/s */
    gb_device_info info = {.kind = GB_CUDA, .memory_clock_khz = 3201000, .bus_bits = 6144};
    ck_assert_double_eq_tol(gb_peak_bandwidth(&info), 4.916736e12, 1);
    info.bus_bits = 0;
    ck_assert(isnan(gb_peak_bandwidth(&info)));
    info = (gb_device_info){.kind = GB_CPU, .memory_clock_khz = 3200000, .bus_bits = 64};
    ck_assert(isnan(gb_peak_bandwidth(&info)));
}
END_TEST

START_TEST(DEV_20_others_on_the_device_are_told)
{
    char text[256];
    gb_telemetry now = {.other_processes = NAN, .utilization = NAN};
    gb_describe_use("a gpu", &now, text, sizeof text);
    ck_assert_str_eq(text, "");
    now.utilization = 3;
    now.other_processes = 0;
    gb_describe_use("a gpu", &now, text, sizeof text);
    ck_assert_str_eq(text, "");
    now.utilization = 97;
    gb_describe_use("a gpu", &now, text, sizeof text);
    ck_assert_str_eq(text, "a gpu is already 97 % busy: expect disturbed figures");
    now.other_processes = 2;
    gb_describe_use("a gpu", &now, text, sizeof text);
    ck_assert_str_eq(text, "a gpu is shared with 2 other processes: expect disturbed figures");
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *c = tcase_create("protocol");
    tcase_add_test(c, the_users_files_are_in_a_job_where_there_are_some);
    tcase_add_test(c, a_job_reads_back_as_it_was);
    tcase_add_loop_test(c, a_wrong_job_is_refused, 0, sizeof bad_jobs / sizeof bad_jobs[0]);
    tcase_add_test(c, a_job_without_cases_is_refused);
    tcase_add_test(c, events_read_back_as_they_were);
    tcase_add_test(c, a_record_brings_its_samples);
    tcase_add_loop_test(c, nonsense_is_no_event, 0, sizeof bad_events / sizeof bad_events[0]);
    tcase_add_test(c, a_gone_reader_is_an_error);
    tcase_add_test(c, peak_bandwidth_is_known_or_not_there);
    tcase_add_test(c, DEV_20_others_on_the_device_are_told);
    suite_add_tcase(suite, c);
}

GB_CHECK_MAIN("protocol", add_cases)
