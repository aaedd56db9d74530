/* Ladders: the data are the records' figures, and marks stand at the caches' sizes. */
#include "reports/plot/ladder.h"
#include "unit/locale_case.h"
#include "unit/picture_reader.h"

#define LADDER                                                                                     \
    "[{\"type\": \"ladder\", \"benchmark\": \"chase\", \"x\": \"bytes\", \"y\": \"time\", "        \
    "\"series\": [], \"title\": \"Latency\"}]"
#define SIZES 12
#define KIB 1024.0

static double size_at(int i)
{
    return ldexp(4096, i); /* 4 KiB to 8 MiB */
}

/* Four times as long beyond `cache` bytes; the working set is `factor` times x. */
static void add_ladder(fixture *f, int device, double cache, double factor)
{
    for (int i = 0; i < SIZES; i++) {
        for (uint32_t r = 0; r < 2; r++) {
            char params[64];
            double time = (size_at(i) <= cache ? 20 : 80) * (r == 0 ? 0.99 : 1.01);
            snprintf(params, sizeof params, "{\"bytes\": %.0f}", size_at(i));
            gb_record *record = fixture_add(f, "chase", "chase", params, (uint32_t)i, r, time, NAN);
            record->device = device;
            record->work.working_set = (uint64_t)(size_at(i) * factor);
        }
    }
}

static json_t *device(fixture *f, size_t i)
{
    return json_array_get(json_object_get(f->results.document, "devices"), i);
}

static void set_size(fixture *f, size_t i, const char *key, double bytes)
{
    json_object_set_new(device(f, i), key, json_integer((json_int_t)bytes));
}

START_TEST(the_data_are_the_records_figures)
{
    fixture f;
    double rows[SIZES * 4];
    fixture_open(&f, "cuda", LADDER);
    set_size(&f, 0, "llc_bytes", 256 * KIB);
    add_ladder(&f, 0, 256 * KIB, 1);
    picture p = picture_draw(&f, gb_ladder_write);
    ck_assert_uint_eq(picture_block(&p, "series 0: chase", 4, rows, SIZES), SIZES);
    for (int i = 0; i < SIZES; i++) {
        const double want = (size_at(i) <= 256 * KIB ? 20 : 80) * sqrt(0.99 * 1.01);
        ck_assert_double_eq(rows[4 * i], size_at(i));
        ck_assert_double_eq_tol(rows[4 * i + 1], want, want * 1e-12);
        ck_assert(rows[4 * i + 2] < want && want < rows[4 * i + 3]);
    }
    ck_assert(picture_has(&p.script, "set logscale x") && picture_has(&p.script, "set logscale y"));
    ck_assert_uint_eq(p.notes.length, 0);
    picture_free(&p);
    fixture_close(&f);
}
END_TEST

/* The text stands left or right of its line, at most half a line's height away: 1 % of the picture.
 */
static void ck_mark(const picture *p, const char *text, double x)
{
    char *quoted = gb_text_format("'%s' at screen ", text);
    const double at = picture_x(p, quoted);
    ck_assert_msg(at > x / 1.25 && at < x * 1.25, "%s at %g", text, at);
    free(quoted);
    /* The line itself is exactly there (5 digits of the picture's width). */
    const char *line = p->script.data;
    bool found = false;
    while ((line = strstr(line, "set arrow ")) != NULL) {
        picture one = {.script = p->script};
        char *head = gb_text_format("%.*s", (int)strcspn(line, "\n"), line);
        double here = picture_x(&one, head);
        found = found || fabs(here / x - 1) < 1e-3;
        free(head);
        line++;
    }
    ck_assert_msg(found, "no line at %g for %s", x, text);
}

START_TEST(marks_stand_at_the_sizes_of_the_caches)
{
    fixture f;
    fixture_open(&f, "cpu", LADDER);
    set_size(&f, 0, "l1d_bytes", 32 * KIB);
    set_size(&f, 0, "l2_bytes", 1024 * KIB);
    set_size(&f, 0, "llc_bytes", 3000 * KIB); /* between two points */
    add_ladder(&f, 0, 1024 * KIB, 1);
    picture p = picture_draw(&f, gb_ladder_write);
    ck_mark(&p, "L1d 32 KiB", 32 * KIB);
    ck_mark(&p, "L2 1 MiB", 1024 * KIB);
    ck_mark(&p, "last cache 2.93 MiB", 3000 * KIB);
    ck_assert_uint_eq(p.notes.length, 0);
    picture_free(&p);

    /* By the working set, which need not be x; a last cache that is L2 is marked once; one larger
     * than all that was measured has no place. */
    while (f.results.n > 0) {
        gb_record_free(&f.results.records[--f.results.n]);
    }
    set_size(&f, 0, "l2_bytes", 1024 * KIB);
    set_size(&f, 0, "llc_bytes", 1024 * KIB);
    set_size(&f, 0, "l1d_bytes", 1024 * 1024 * KIB);
    add_ladder(&f, 0, 512 * KIB, 2);
    p = picture_draw(&f, gb_ladder_write);
    ck_mark(&p, "L2 1 MiB", 512 * KIB);
    ck_assert(!picture_has(&p.script, "last cache") && !picture_has(&p.script, "L1d"));
    ck_assert_uint_eq(p.notes.length, 0);
    picture_free(&p);
    fixture_close(&f);
}
END_TEST

START_TEST(unknown_sizes_are_not_drawn_and_said)
{
    fixture f;
    fixture_open(&f, "cpu", LADDER);
    set_size(&f, 0, "l1d_bytes", 32 * KIB);
    json_object_set_new(device(&f, 0), "l2_bytes", json_null());
    add_ladder(&f, 0, 1024 * KIB, 1);
    picture p = picture_draw(&f, gb_ladder_write);
    ck_assert(picture_has(&p.script, "'L1d 32 KiB'"));
    ck_assert(picture_has(&p.notes, "not known are not drawn: L2, last cache of Example device"));
    ck_assert(picture_has(&p.script,
                          "'sizes not known, not drawn: L2, last cache of Example device "
                          "9000'"));
    picture_free(&p);
    fixture_close(&f);
}
END_TEST

START_TEST(each_device_has_its_own_marks_and_series)
{
    fixture f;
    double rows[SIZES * 4];
    fixture_open(&f, "cuda", LADDER);
    json_array_append_new(json_object_get(f.results.document, "devices"),
                          json_pack("{s:s,s:s}", "kind", "cuda", "name", "Other device"));
    set_size(&f, 0, "llc_bytes", 256 * KIB);
    set_size(&f, 1, "llc_bytes", 512 * KIB);
    add_ladder(&f, 0, 256 * KIB, 1);
    add_ladder(&f, 1, 512 * KIB, 1);
    picture p = picture_draw(&f, gb_ladder_write);
    ck_mark(&p, "L2 256 KiB, Example device 9000", 256 * KIB);
    ck_mark(&p, "L2 512 KiB, Other device", 512 * KIB);
    ck_assert_uint_eq(picture_block(&p, "series 1: Other device", 4, rows, SIZES), SIZES);
    picture_free(&p);

    set_size(&f, 1, "llc_bytes", 256 * KIB); /* the same size: one mark, both names */
    p = picture_draw(&f, gb_ladder_write);
    ck_mark(&p, "L2 256 KiB, Example device 9000, Other device", 256 * KIB);
    picture_free(&p);
    fixture_close(&f);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tests = tcase_create("ladder");
    use_environment_locale(tests);
    tcase_add_test(tests, the_data_are_the_records_figures);
    tcase_add_test(tests, marks_stand_at_the_sizes_of_the_caches);
    tcase_add_test(tests, unknown_sizes_are_not_drawn_and_said);
    tcase_add_test(tests, each_device_has_its_own_marks_and_series);
    suite_add_tcase(suite, tests);
}

GB_CHECK_MAIN("plots_ladder", add_cases)
