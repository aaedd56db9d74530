/* One record: JSON there and back, and what contradicts itself. */
#include "unit/locale_case.h"
#include "unit/record_sample.h"

#include "base/json.h"

START_TEST(TIM_20_phases_are_not_negative_and_no_longer_than_their_total)
{
    static const struct {
        const char *phases, *parts, *message;
    } rows[] = {
        {"{'setup':1,'measure':8,'total':10}", "{}", NULL},
        {"{'setup':3,'measure':8,'total':10}", "{}", "sum up to 11"},
        {"{'setup':-1,'measure':8,'total':10}", "{}", "phases_ns.setup"},
        {"{'measure':11,'total':10}", "{}", "phases_ns.measure"},
        {"{'setup':null,'total':10}", "{'copy':600,'compute':500}", NULL},
        {"{'total':10}", "{'copy':-1}", "parts_ns.copy"},
        {"{'total':10}", "{'copy':1500}", "parts_ns.copy"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        gb_record r;
        gb_error err = {0};
        char phases[128], parts[128];
        snprintf(phases, sizeof phases, "%s", rows[i].phases);
        snprintf(parts, sizeof parts, "%s", rows[i].parts);
        for (char *c = phases; (c = strchr(c, '\''));) {
            *c = '"';
        }
        for (char *c = parts; (c = strchr(c, '\''));) {
            *c = '"';
        }
        sample_record(&r, "copy", 1024, 0, 8, 1000);
        r.phases_ns = json_loads(phases, 0, NULL);
        r.parts_ns = json_loads(parts, 0, NULL);
        ck_assert_ptr_nonnull(r.phases_ns);
        gb_code code = gb_record_check(&r, &err);
        ck_assert_msg((code == GB_OK) == (rows[i].message == NULL), "row %zu: %s", i, err.message);
        if (rows[i].message) {
            ck_assert_contains(err.message, rows[i].message);
        }
        gb_record_free(&r);
    }
}
END_TEST

/* What came after the whole may take as long as it likes; it is told apart in JSON, too. */
START_TEST(parts_after_the_whole_are_told_apart)
{
    gb_record r, back;
    sample_record(&r, "copy", 1024, 0, 8, 1000);
    r.parts_ns = json_pack("{s:f, s:f}", "first", 900.0, "second", 1500.0);
    json_t *json = gb_record_json(&r, false);
    ck_assert_ptr_null(json_object_get(json, "parts_after"));
    json_decref(json);
    r.parts_after = json_pack("[s]", "second");
    ck_assert_int_eq(gb_record_check(&r, NULL), GB_OK);
    json = gb_record_json(&r, false);
    ck_assert_int_eq(gb_record_from_json(json, "record", &back, NULL), GB_OK);
    ck_assert(gb_record_part_after(&back, "second") && !gb_record_part_after(&back, "first"));
    json_decref(json);
    gb_record_free(&back);
    gb_record_free(&r);
}
END_TEST

START_TEST(a_record_that_contradicts_itself_is_found)
{
    gb_record r;
    gb_error err;
    sample_record(&r, "copy", 1024, 0, 8, 1000);
    ck_assert_int_eq(gb_record_check(&r, &err), GB_OK);
    r.verified = 0;
    ck_assert_int_eq(gb_record_check(&r, &err), GB_INVALID);
    ck_assert_contains(err.message, "verification");
    r.verified = 1;
    r.time.median = r.time.max + 1;
    ck_assert_int_eq(gb_record_check(&r, &err), GB_INVALID);
    ck_assert_contains(err.message, "out of order");
    gb_record_summarise(&r, sample_metrics, 1, NULL);
    r.status = GB_STATUS_TIMEOUT;
    ck_assert_int_eq(gb_record_check(&r, &err), GB_INVALID);
    ck_assert_contains(err.message, "without a reason");
    gb_record_free(&r);
}
END_TEST

START_TEST(a_record_comes_back_from_json_as_it_was)
{
    gb_record r, back;
    gb_error err = {0};
    sample_record(&r, "copy", 9007199254740993, 3, 30, 1234.56789);
    strcpy(r.run_id, "run");
    r.index = 5;
    r.order = 2;
    r.gated = true;
    r.timer = GB_TIMER_ROUNDTRIP;
    r.cache = GB_CACHE_COLD;
    r.rejected = 3;
    r.work.ceiling = GB_CEILING_LINK;
    r.metrics[0].peak = 32e9;
    r.flags |= GB_BIT(GB_FLAG_BIMODAL) | GB_BIT(GB_FLAG_GATE_EXPIRED);
    r.time.bimodal = true;
    r.time.modes[0] = 1200.25, r.time.modes[1] = 1300.5;
    r.time.mode_counts[0] = 14, r.time.mode_counts[1] = 16;
    r.parts_ns = json_pack("{s:f}", "copy", 0.1);
    r.phases_ns = json_pack("{s:f}", "total", 1e9);
    r.telemetry = json_pack("{s:n}", "power_w");
    for (int samples = 0; samples < 2; samples++) {
        json_t *json = gb_record_json(&r, samples);
        char *text = gb_json_line(json);
        json_t *again = NULL;
        ck_assert_int_eq(gb_json_load(text, strlen(text), "text", &again, &err), GB_OK);
        ck_assert_int_eq(gb_record_from_json(again, "record", &back, &err), GB_OK);
        ck_assert_uint_eq(back.n_samples, samples ? r.n_samples : 0);
        json_t *second = gb_record_json(&back, samples);
        ck_assert(json_equal(json, second));
        ck_assert_double_eq(back.time.median, r.time.median); /* to the last digit */
        ck_assert(back.time.bimodal);
        json_decref(second);
        json_decref(again);
        json_decref(json);
        free(text);
        gb_record_free(&back);
    }
    gb_record_free(&r);
}
END_TEST

START_TEST(CPY_04_sizes_are_whole_numbers_up_to_2_63)
{
    static const uint64_t sizes[] = {8589934592, 2147483647, 2147483648, 9007199254740993,
                                     INT64_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        gb_record r, back;
        char want[64];
        sample_record(&r, "copy", sizes[i], 0, 8, 1e9);
        json_t *json = gb_record_json(&r, false);
        char *text = gb_json_line(json);
        snprintf(want, sizeof want, "\"params\":{\"bytes\":%llu}", (unsigned long long)sizes[i]);
        ck_assert_contains(text, want);
        snprintf(want, sizeof want, "\"bytes_moved\":%llu,", (unsigned long long)sizes[i]);
        ck_assert_contains(text, want);
        ck_assert_int_eq(gb_record_from_json(json, "record", &back, NULL), GB_OK);
        ck_assert_uint_eq(back.work.bytes_moved, sizes[i]);
        char *table = gb_results_csv(NULL, &r, 1);
        snprintf(want, sizeof want, ",%llu,", (unsigned long long)sizes[i]);
        ck_assert_contains(table, want);
        free(table);
        gb_record_free(&back);
        free(text);
        json_decref(json);
        gb_record_free(&r);
    }
}
END_TEST

START_TEST(RES_01_what_is_not_finite_is_null)
{
    gb_record r;
    sample_record(&r, "copy", 1024, 0, 8, 1000);
    r.first_call_ns = INFINITY;
    r.resolution_ns = -INFINITY;
    r.time.stddev = NAN;
    r.metrics[0].value = NAN;
    json_t *json = gb_record_json(&r, false);
    char *text = gb_json_line(json);
    ck_assert(json_is_null(walk(json, "first_call_ns")));
    ck_assert(json_is_null(walk(json, "resolution_ns")));
    ck_assert(json_is_null(walk(json, "time_ns.stddev")));
    ck_assert(json_is_null(walk(json, "metrics.bandwidth.value")));
    ck_assert_str_ne(json_string_value(walk(json, "metrics.bandwidth.reason")), "");
    for (const char *c = text; *c; c++) {
        ck_assert_msg(strncmp(c, "nan", 3) != 0 && strncmp(c, ":inf", 4) != 0, "%s", c);
    }
    free(text);
    json_decref(json);
    gb_record_free(&r);
}
END_TEST

START_TEST(RES_02_a_name_that_looks_like_nan_keeps_its_letters)
{
    gb_record r, back;
    sample_record(&r, "NaN_Infinity_test", 1024, 0, 8, 1000);
    json_t *json = gb_record_json(&r, false);
    ck_assert_int_eq(gb_record_from_json(json, "record", &back, NULL), GB_OK);
    ck_assert_str_eq(back.benchmark, "NaN_Infinity_test");
    ck_assert_str_eq(back.case_id, "NaN_Infinity_test[bytes=1024]");
    json_decref(json);
    gb_record_free(&back);
    gb_record_free(&r);
}
END_TEST

START_TEST(a_name_that_is_not_utf8_is_escaped)
{
    gb_record r;
    sample_record(&r,
                  "bad\xff"
                  "name",
                  1024, 0, 8, 1000);
    json_t *json = gb_record_json(&r, false);
    ck_assert_ptr_nonnull(json);
    const char *name = json_string_value(walk(json, "benchmark"));
    ck_assert(gb_utf8_valid(name, strlen(name), NULL));
    ck_assert_contains(name, "name");
    json_decref(json);
    gb_record_free(&r);
}
END_TEST

/* A key with a value of the wrong type, and what the message must name. */
static const struct {
    const char *object, *key, *value, *path;
} wrong[] = {
    {"", "case", "7", "records[3].case"},
    {"", "case", NULL, "records[3].case"},
    {"", "params", "[]", "records[3].params"},
    {"params", "bytes", "1.5", "records[3].params.bytes"},
    {"", "replicate", NULL, "records[3].replicate"},
    {"", "replicate", "-1", "records[3].replicate"},
    {"", "replicate", "5000000000", "records[3].replicate"},
    {"", "status", "\"fine\"", "records[3].status"},
    {"", "timer", "\"sundial\"", "records[3].timer"},
    {"", "verified", "\"yes\"", "records[3].verified"},
    {"", "time_ns", "3", "records[3].time_ns"},
    {"time_ns", "median", "\"12\"", "records[3].time_ns.median"},
    {"time_ns", "median", "-1", "records[3].time_ns.median"},
    {"time_ns", "n", "2.5", "records[3].time_ns.n"},
    {"time_ns", "ci95", "[1]", "records[3].time_ns.ci95"},
    {"work", "flops", "\"many\"", "records[3].work.flops"},
    {"", "metrics", "[]", "records[3].metrics"},
    {"metrics", "bandwidth", "5", "records[3].metrics.bandwidth"},
    {"metrics.bandwidth", "value", "true", "records[3].metrics.bandwidth.value"},
    {"metrics.bandwidth", "better", "\"up\"", "records[3].metrics.bandwidth.better"},
    {"", "flags", "[1]", "records[3].flags"},
    {"", "parts_ns", "{\"a\":-1}", "records[3].parts_ns.a"},
    {"", "parts_after", "[1]", "records[3].parts_after.0"},
    {"", "phases_ns", "{\"a\":\"b\"}", "records[3].phases_ns.a"},
    {"", "telemetry", "7", "records[3].telemetry"},
    {"", "samples_ns", "[1,null]", "records[3].samples_ns[1]"},
};

START_TEST(a_wrong_type_is_an_error_that_names_its_path)
{
    gb_record r, back;
    gb_error err = {0};
    sample_record(&r, "copy", 1024, 0, 8, 1000);
    json_t *json = gb_record_json(&r, true);
    json_t *object = wrong[_i].object[0] ? walk(json, wrong[_i].object) : json;
    if (wrong[_i].value) {
        json_t *value = json_loads(wrong[_i].value, JSON_DECODE_ANY, NULL);
        ck_assert_ptr_nonnull(value);
        json_object_set_new(object, wrong[_i].key, value);
    } else {
        json_object_del(object, wrong[_i].key);
    }
    ck_assert_int_eq(gb_record_from_json(json, "records[3]", &back, &err), GB_INVALID);
    ck_assert_contains(err.message, wrong[_i].path);
    ck_assert_ptr_null(back.case_id);
    json_decref(json);
    gb_record_free(&r);
}
END_TEST

START_TEST(what_a_record_may_lack_is_unknown_and_what_it_has_more_is_left_alone)
{
    gb_record r;
    json_t *json = json_pack("{s:s,s:s,s:s,s:{s:i},s:i,s:s,s:[s,s],s:{s:i}}", "case", "c",
                             "benchmark", "b", "kernel", "k", "params", "bytes", 1, "replicate", 0,
                             "status", "ok", "flags", "drift", "a-flag-of-tomorrow", "new", "x", 1);
    ck_assert_ptr_nonnull(json);
    ck_assert_int_eq(gb_record_from_json(json, "record", &r, NULL), GB_OK);
    ck_assert_int_eq(r.verified, -1);
    ck_assert(isnan(r.time.median));
    ck_assert(isnan(r.first_call_ns));
    ck_assert_uint_eq(r.time.n, 0);
    ck_assert_uint_eq(r.flags, GB_BIT(GB_FLAG_DRIFT));
    ck_assert_ptr_null(r.parts_ns);
    json_decref(json);
    gb_record_free(&r);
}
END_TEST

START_TEST(every_status_and_flag_has_a_word_of_its_own)
{
    for (unsigned i = 0; i < GB_STATUSES; i++) {
        gb_status status = GB_STATUSES;
        ck_assert(gb_status_parse(gb_status_word((gb_status)i), &status));
        ck_assert_uint_eq(status, i);
    }
    gb_status status;
    ck_assert(!gb_status_parse("OK", &status));
    for (unsigned i = 0; i < GB_FLAG_COUNT; i++) {
        ck_assert_str_ne(gb_flag_meaning((gb_flag)i), "");
        for (unsigned k = 0; k < i; k++) {
            ck_assert_str_ne(gb_flag_word((gb_flag)i), gb_flag_word((gb_flag)k));
        }
    }
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tcase = tcase_create("record");
    use_environment_locale(tcase);
    tcase_add_test(tcase, TIM_20_phases_are_not_negative_and_no_longer_than_their_total);
    tcase_add_test(tcase, parts_after_the_whole_are_told_apart);
    tcase_add_test(tcase, a_record_that_contradicts_itself_is_found);
    tcase_add_test(tcase, a_record_comes_back_from_json_as_it_was);
    tcase_add_test(tcase, CPY_04_sizes_are_whole_numbers_up_to_2_63);
    tcase_add_test(tcase, RES_01_what_is_not_finite_is_null);
    tcase_add_test(tcase, RES_02_a_name_that_looks_like_nan_keeps_its_letters);
    tcase_add_test(tcase, a_name_that_is_not_utf8_is_escaped);
    tcase_add_loop_test(tcase, a_wrong_type_is_an_error_that_names_its_path, 0,
                        (int)(sizeof wrong / sizeof wrong[0]));
    tcase_add_test(tcase, what_a_record_may_lack_is_unknown_and_what_it_has_more_is_left_alone);
    tcase_add_test(tcase, every_status_and_flag_has_a_word_of_its_own);
    suite_add_tcase(suite, tcase);
}

GB_CHECK_MAIN("record", add_cases)
