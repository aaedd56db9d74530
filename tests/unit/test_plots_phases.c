/* Phases: the shares are those of the records' parts. */
#include "reports/plot/phases.h"
#include "unit/locale_case.h"
#include "unit/picture_reader.h"

#define PHASES                                                                                     \
    "[{\"type\": \"phases\", \"benchmark\": \"pipe\", \"x\": \"batch\", \"series\": "              \
    "[\"submit\"], "                                                                               \
    "\"title\": null}]"
#define COLUMNS 7
#define MOST 16

/* Two replicates 2 % apart, whose parts have the same shares. */
static void add_case(fixture *f, int batch, const char *submit, uint32_t index, double whole,
                     const char *parts)
{
    for (uint32_t r = 0; r < 2; r++) {
        const double factor = r == 0 ? 0.99 : 1.01;
        char params[80];
        const char *name;
        json_t *value;
        snprintf(params, sizeof params, "{\"batch\": %d, \"submit\": \"%s\"}", batch, submit);
        gb_record *record = fixture_add(f, "pipe", "batch", params, index, r, whole * factor, NAN);
        record->parts_ns = json_loads(parts, 0, NULL);
        json_object_foreach(record->parts_ns, name, value)
        {
            if (json_is_number(value)) {
                json_object_set_new(record->parts_ns, name,
                                    json_real(json_number_value(value) * factor));
            }
        }
    }
}

START_TEST(shares_and_the_rest_are_those_of_the_records)
{
    fixture f;
    double rows[MOST * COLUMNS];
    fixture_open(&f, "cuda", PHASES);
    add_case(&f, 8, "eager", 0, 10000, "{\"copy_in\": 1000, \"compute\": 6000}");
    add_case(&f, 1, "eager", 1, 2000, "{\"copy_in\": 500, \"compute\": 1500}");
    picture p = picture_draw(&f, gb_phases_write);
    ck_assert_uint_eq(picture_block(&p, "copy_in", COLUMNS, rows, MOST), 2);
    /* In order of x, from the top: batch 1 first. */
    ck_assert(rows[0] > rows[COLUMNS]);
    ck_assert_double_eq_tol(rows[1], 0, 1e-9);
    ck_assert_double_eq_tol(rows[2], 25, 1e-9);
    ck_assert_double_eq_tol(rows[COLUMNS + 2], 10, 1e-9);
    ck_assert_double_eq_tol(rows[5], 500 * sqrt(0.99 * 1.01), 1e-6);
    ck_assert_double_eq_tol(rows[6], 2000 * sqrt(0.99 * 1.01), 1e-6);
    ck_assert_uint_eq(picture_block(&p, "compute", COLUMNS, rows, MOST), 2);
    ck_assert_double_eq_tol(rows[COLUMNS + 1], 10, 1e-9); /* behind the part before it */
    ck_assert_double_eq_tol(rows[COLUMNS + 2], 70, 1e-9);
    ck_assert_uint_eq(picture_block(&p, "other", COLUMNS, rows, MOST), 2);
    ck_assert_double_eq_tol(rows[2] - rows[1], 0, 1e-9);
    ck_assert_double_eq_tol(rows[COLUMNS + 1], 70, 1e-9);
    ck_assert_double_eq_tol(rows[COLUMNS + 2], 100, 1e-9);
    ck_assert(picture_has(&p.script, "'batch 8, eager'"));
    ck_assert(picture_has(&p.script, "copy_in 10.0 % (1.00 us); compute 60.0 % (6.00 us); other "
                                     "30.0 % (3.00 us)"));
    ck_assert(picture_has(&p.script, "'other: left by the parts'"));
    ck_assert_uint_eq(p.notes.length, 0);
    picture_free(&p);
    fixture_close(&f);
}
END_TEST

START_TEST(parts_told_apart_by_colour_and_pattern)
{
    fixture f;
    fixture_open(&f, "cuda", PHASES);
    add_case(&f, 8, "eager", 0, 10000, "{\"copy_in\": 1000, \"compute\": 6000, \"out\": 3000}");
    picture p = picture_draw(&f, gb_phases_write);
    char first[64] = "";
    for (const char *at = p.script.data; (at = strstr(at, "boxxyerror fillstyle pattern ")) != NULL;
         at++) {
        char this_one[64];
        snprintf(this_one, sizeof this_one, "%.*s", 34, at);
        ck_assert_str_ne(this_one, first); /* none like the one before */
        snprintf(first, sizeof first, "%s", this_one);
    }
    ck_assert_str_ne(first, "");
    ck_assert(!picture_has(&p.data, "other") && !picture_has(&p.script, "other"));
    picture_free(&p);
    fixture_close(&f);
}
END_TEST

START_TEST(parts_that_overlap_are_times_end_to_end)
{
    fixture f;
    double rows[MOST * COLUMNS], wholes[MOST * 2];
    fixture_open(&f, "cuda", PHASES);
    add_case(&f, 8, "eager", 0, 10000, "{\"launch\": 5000, \"compute\": 9000}");
    add_case(&f, 8, "graph", 1, 9000, "{\"launch\": 1000, \"compute\": 4000}");
    picture p = picture_draw(&f, gb_phases_write);
    const double centre = sqrt(0.99 * 1.01);
    ck_assert_uint_eq(picture_block(&p, "compute", COLUMNS, rows, MOST), 2);
    ck_assert_double_eq_tol(rows[1], 5000 * centre, 1e-6);
    ck_assert_double_eq_tol(rows[2], 14000 * centre, 1e-6);
    ck_assert_uint_eq(picture_block(&p, "the whole", 2, wholes, MOST), 2);
    ck_assert_double_eq_tol(wholes[0], 10000 * centre, 1e-6);
    ck_assert(!picture_has(&p.data, "other"));
    ck_assert(picture_has(&p.notes, "parts overlap"));
    ck_assert(picture_has(&p.script, "'black: the whole; parts overlap"));
    ck_assert(picture_has(&p.script, "'time of the parts (us), lower is better'"));
    picture_free(&p);

    /* Wholes of very different lengths: over the whole, or the short ones could not be seen. */
    add_case(&f, 512, "eager", 2, 1e6, "{\"launch\": 5000, \"compute\": 900000}");
    p = picture_draw(&f, gb_phases_write);
    ck_assert_uint_eq(picture_block(&p, "compute", COLUMNS, rows, MOST), 3);
    ck_assert_double_eq_tol(rows[2], 140, 1e-9);
    ck_assert_uint_eq(picture_block(&p, "the whole", 2, wholes, MOST), 3);
    ck_assert_double_eq_tol(wholes[0], 100, 1e-9);
    ck_assert(picture_has(&p.script, "'time of the parts over that of the whole (%)"));
    picture_free(&p);
    fixture_close(&f);
}
END_TEST

/* As a second call after the first result: no part of the bar, nor of its sum. */
START_TEST(parts_after_the_whole_are_not_drawn)
{
    fixture f;
    double rows[MOST * COLUMNS];
    fixture_open(&f, "cuda", PHASES);
    add_case(&f, 8, "eager", 0, 10000,
             "{\"open\": 6000, \"first\": 2000, \"second\": 3000, \"steady\": 500}");
    for (size_t i = 0; i < f.results.n; i++)
        f.results.records[i].parts_after = json_pack("[s, s]", "second", "steady");
    picture p = picture_draw(&f, gb_phases_write);
    ck_assert_uint_eq(picture_block(&p, "other", COLUMNS, rows, MOST), 1);
    ck_assert_double_eq_tol(rows[1], 80, 1e-9);
    ck_assert_double_eq_tol(rows[2], 100, 1e-9);
    ck_assert(!picture_has(&p.data, "second") && !picture_has(&p.data, "steady"));
    ck_assert(!picture_has(&p.script, "second 30") && !picture_has(&p.script, "overlap"));
    ck_assert(picture_has(&p.script, "'not drawn, as timed after the whole: second, steady'"));
    ck_assert_uint_eq(p.notes.length, 0);
    picture_free(&p);
    fixture_close(&f);
}
END_TEST

/* Replicates of other shares: what the picture says of a part is the table's metric of it. */
START_TEST(times_are_those_of_the_table)
{
    static const double wholes[] = {1000, 4000, 9000}, opens[] = {900, 1000, 2000};
    fixture f;
    gb_table table;
    gb_error err;
    double rows[MOST * COLUMNS];
    char said[96], time[32], percent[32];
    fixture_open(&f, "cuda", PHASES);
    for (uint32_t r = 0; r < 3; r++) {
        gb_record *record = fixture_add(
            &f, "pipe", "batch", "{\"batch\": 8, \"submit\": \"eager\"}", 0, r, wholes[r], NAN);
        record->parts_ns = json_pack("{s:f}", "open", opens[r]);
        record->n_metrics = 1;
        record->metrics[0] = (gb_metric){.name = "open_time", .unit = "ns", .value = opens[r]};
    }
    ck_assert_int_eq(gb_table_make(&f.results, &table, &err), GB_OK);
    const double open = gb_row_value(&table.rows[0], "open_time"), whole = table.rows[0].time_ns;
    picture p = picture_draw(&f, gb_phases_write);
    ck_assert_uint_eq(picture_block(&p, "open", COLUMNS, rows, MOST), 1);
    ck_assert_double_eq_tol(rows[2], 100 * open / whole, 1e-9);
    ck_assert_double_eq_tol(rows[5], open, 1e-6);
    snprintf(said, sizeof said, "open %s (%s)",
             gb_format_percent(open / whole, percent, sizeof percent),
             gb_format_ns(open, time, sizeof time));
    ck_assert_msg(picture_has(&p.script, said), "%s", said);
    picture_free(&p);
    gb_table_free(&table);
    fixture_close(&f);
}
END_TEST

START_TEST(a_little_above_the_whole_is_noise)
{
    fixture f;
    double rows[MOST * COLUMNS];
    fixture_open(&f, "cuda", PHASES);
    add_case(&f, 8, "eager", 0, 10000, "{\"copy_in\": 5050, \"compute\": 5050}");
    picture p = picture_draw(&f, gb_phases_write);
    ck_assert_uint_eq(picture_block(&p, "compute", COLUMNS, rows, MOST), 1);
    ck_assert_double_eq_tol(rows[1], 50, 1e-9);
    ck_assert_double_eq_tol(rows[2], 100, 1e-9); /* not 101 */
    ck_assert_double_eq_tol(rows[5], 5050 * sqrt(0.99 * 1.01), 1e-6);
    ck_assert_uint_eq(p.notes.length, 0);
    picture_free(&p);
    fixture_close(&f);
}
END_TEST

START_TEST(on_device_is_a_part_only_where_nothing_finer_was_timed)
{
    fixture f;
    double rows[MOST * COLUMNS];
    fixture_open(&f, "cuda", PHASES);
    add_case(&f, 8, "eager", 0, 10000,
             "{\"launch\": 1000, \"compute\": 8000, \"copy_out\": null, \"on_device\": 8500}");
    add_case(&f, 8, "graph", 1, 10000, "{\"launch\": 1000, \"on_device\": 8500}");
    picture p = picture_draw(&f, gb_phases_write);
    ck_assert_uint_eq(picture_block(&p, "on_device", COLUMNS, rows, MOST), 2);
    ck_assert_double_eq_tol(rows[2] - rows[1], 0, 1e-9);
    ck_assert_double_eq_tol(rows[COLUMNS + 2] - rows[COLUMNS + 1], 85, 1e-9);
    ck_assert(!picture_has(&p.data, "copy_out"));
    ck_assert_uint_eq(p.notes.length, 0);
    picture_free(&p);
    fixture_close(&f);
}
END_TEST

START_TEST(PLT_08_cases_without_parts_are_counted)
{
    fixture f;
    double rows[MOST * COLUMNS];
    fixture_open(&f, "cuda", PHASES);
    add_case(&f, 8, "eager", 0, 10000, "{\"compute\": 6000}");
    add_case(&f, 16, "eager", 1, 10000, "{}");
    picture p = picture_draw(&f, gb_phases_write);
    ck_assert_uint_eq(picture_block(&p, "compute", COLUMNS, rows, MOST), 1);
    ck_assert(picture_has(&p.notes, "1 case without parts left out"));
    picture_free(&p);
    json_object_clear(f.results.records[0].parts_ns);
    json_object_clear(f.results.records[1].parts_ns);
    p = picture_draw(&f, gb_phases_write);
    ck_assert_uint_eq(p.data.length, 0);
    ck_assert_uint_eq(p.script.length, 0);
    ck_assert(picture_has(&p.notes, "no data for pipe"));
    picture_free(&p);
    fixture_close(&f);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tests = tcase_create("phases");
    use_environment_locale(tests);
    tcase_add_test(tests, shares_and_the_rest_are_those_of_the_records);
    tcase_add_test(tests, parts_told_apart_by_colour_and_pattern);
    tcase_add_test(tests, parts_that_overlap_are_times_end_to_end);
    tcase_add_test(tests, parts_after_the_whole_are_not_drawn);
    tcase_add_test(tests, times_are_those_of_the_table);
    tcase_add_test(tests, a_little_above_the_whole_is_noise);
    tcase_add_test(tests, on_device_is_a_part_only_where_nothing_finer_was_timed);
    tcase_add_test(tests, PLT_08_cases_without_parts_are_counted);
    suite_add_tcase(suite, tests);
}

GB_CHECK_MAIN("plots_phases", add_cases)
