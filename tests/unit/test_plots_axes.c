/* Axes that can be read: ticks with units that fit, more than one of them, intervals inside; and
 * letters without a font. */
#include "base/units.h"
#include "reports/plot/fonts.h"
#include "reports/plot/picture.h"
#include "unit/locale_case.h"
#include "unit/plots_fixture.h"

static char *ticks_of(const char *axis, double low, double high, const char *own_unit)
{
    gb_buf script = {0};
    gb_picture_log_ticks(&script, axis, low, high, own_unit, 400);
    ck_assert(!script.failed);
    return script.data;
}

static size_t count(const char *script)
{
    size_t n = 0;
    for (const char *at = script; (at = strchr(at, '\'')) != NULL; at++) {
        n++;
    }
    return n / 2;
}

START_TEST(a_wide_axis_has_a_unit_at_each_tick)
{
    char unit[32];
    const char *own;
    /* 20 ns to 40 ms */
    ck_assert_double_eq(gb_picture_log_scale(20, 4e7, 4e7, "ns", unit, &own), 1);
    ck_assert_str_eq(unit, "");
    ck_assert_str_eq(own, "ns");
    char *script = ticks_of("y", 20, 4e7, own);
    ck_assert_ptr_nonnull(strstr(script, "'100 ns' 100,"));
    ck_assert_ptr_nonnull(strstr(script, "'1 us' 1000,"));
    ck_assert_ptr_nonnull(strstr(script, "'10 ms' 10000000"));
    ck_assert_ptr_null(strstr(script, "e-"));
    free(script);
    /* A rate */
    ck_assert_double_eq(gb_picture_log_scale(5e5, 3e10, 3e10, "B/s", unit, &own), 1);
    script = ticks_of("y", 5e5, 3e10, own);
    ck_assert_ptr_nonnull(strstr(script, "'1 MB/s' 1000000,"));
    ck_assert_ptr_nonnull(strstr(script, "'10 GB/s' 10000000000"));
    free(script);
    /* 2 us to 900 us: one unit says it */
    ck_assert_double_eq(gb_picture_log_scale(2e4, 9e5, 9e5, "ns", unit, &own), 1e3);
    ck_assert_str_eq(unit, "us");
    ck_assert_ptr_null(own);
    /* an interval up to 100 ms beside values of 30 us */
    ck_assert_double_eq(gb_picture_log_scale(1e4, 3e4, 1e8, "ns", unit, &own), 1);
    ck_assert_str_eq(own, "ns");
}
END_TEST

/* Bars of a linear axis that a long interval stretched would be lines at its bottom. */
START_TEST(bars_are_seen_beside_a_long_interval)
{
    ck_assert(!gb_picture_bars_logarithmic(2, 10, 12));
    ck_assert(!gb_picture_bars_logarithmic(2, 10, 30));
    ck_assert(gb_picture_bars_logarithmic(2, 10, 3e5));
    ck_assert(gb_picture_bars_logarithmic(0.1, 10, 12));
}
END_TEST

START_TEST(a_number_has_no_exponent_where_it_is_as_short)
{
    char text[GB_TICK_TEXT];
    static const struct {
        double value;
        const char *text;
    } all[] = {{1000, "1000"}, {999.7, "1000"}, {20000, "20000"}, {4.1951, "4.2"},
               {0.02, "0.02"}, {130, "130"},    {999, "999"}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        gb_picture_figure(all[i].value, NULL, text);
        ck_assert_str_eq(text, all[i].text);
    }
    gb_picture_figure(20, "ns", text);
    ck_assert_str_eq(text, "20 ns");
    gb_picture_figure(1e9, "1/s", text);
    ck_assert_str_eq(text, "1 G/s");
}
END_TEST

/* Wherever a range begins, and whether it is a little more than nothing or many decades. */
START_TEST(no_logarithmic_axis_has_fewer_than_two_ticks)
{
    for (double low = 0.0012; low < 1000; low *= 1.37) {
        for (double factor = 1.02; factor < 1e9; factor *= 1.9) {
            for (int x = 0; x < 2; x++) {
                char *script = ticks_of(x ? "x" : "y", low, low * factor, NULL);
                ck_assert_msg(count(script) >= 2, "%g to %g: %s", low, low * factor, script);
                free(script);
            }
        }
    }
}
END_TEST

#define SPREAD_PLOT(type)                                                                          \
    "[{\"type\": \"" type "\", \"benchmark\": \"add\", \"x\": \"n\", \"y\": \"time\", \"series\":" \
    " [], \"title\": null}]"

/* A case whose replicates differ by `factor` beside one that is quiet: its interval ends inside of
 * the picture, or goes to an edge at which a triangle says so. */
static void ck_intervals(const char *plot, double factor, bool inside)
{
    drawing d;
    drawing_open(&d, "cuda", plot);
    const double times[2][3] = {{1e3, 1e3 * sqrt(factor), 1e3 * factor}, {5e3, 5.01e3, 5.02e3}};
    for (uint32_t i = 0; i < 2; i++) {
        for (uint32_t r = 0; r < 3; r++) {
            char params[32];
            snprintf(params, sizeof params, "{\"n\": %u}", i + 1);
            fixture_add(&d.f, "add", "stream", params, i, r, times[i][r], NAN);
        }
    }
    drawing_write(&d);
    double low, high, half;
    gb_stats_between(times[0], 3, &low, &half);
    high = low * (1 + half);
    low /= 1 + half;
    const char *range = strstr(d.script, "set yrange [");
    char *end;
    ck_assert_ptr_nonnull(range);
    double from = gb_strtod(range + strlen("set yrange ["), &end), to = gb_strtod(end + 1, &end);
    /* Microseconds, or nanoseconds where each tick has its unit. */
    const double scale = strstr(d.script, "/1000)") != NULL ? 1000 : 1;
    ck_assert_msg(from <= 5e3 / scale && to >= 5e3 / scale, "[%g:%g]", from, to);
    ck_assert_msg((from <= low / scale && to >= high / scale) == inside, "[%g:%g], %g to %g", from,
                  to, low / scale, high / scale);
    const bool up = strstr(d.script, "pointtype 9 pointsize 1.1") != NULL;
    const bool down = strstr(d.script, "pointtype 11 pointsize 1.1") != NULL;
    ck_assert_int_eq(up, to < high / scale);
    ck_assert_int_eq(down, from > low / scale);
    const char *note =
        d.notes.data != NULL ? strstr(d.notes.data, "a triangle stands where") : NULL;
    ck_assert_int_eq(note != NULL, !inside);
    drawing_close(&d);
}

START_TEST(intervals_end_inside_the_picture_or_it_is_said)
{
    static const char *const plots[] = {SPREAD_PLOT("curve"), SPREAD_PLOT("bar"),
                                        SPREAD_PLOT("ladder")};
    for (size_t i = 0; i < sizeof plots / sizeof plots[0]; i++) {
        ck_intervals(plots[i], 2, true);   /* a factor of 2.4 on a side */
        ck_intervals(plots[i], 50, false); /* of thousands */
    }
}
END_TEST

/* A figure beside a tall interval stands at its bar's top, if it does not reach into the next bar.
 */
START_TEST(a_figure_stands_at_the_top_of_its_bar_where_there_is_room)
{
    static const char *const plots[] = {
        SPREAD_PLOT("bar"), "[{\"type\": \"bar\", \"benchmark\": \"add\", \"x\": \"n\", \"y\": "
                            "\"time\", \"series\": [\"type\"], \"title\": null}]"};
    static const struct {
        uint32_t bars, series;
        bool figures, beside;
    } rows[] = {
        {2, 1, true, true}, {12, 1, true, true}, {13, 1, false, false}, {12, 2, true, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        drawing d;
        drawing_open(&d, "cuda", plots[rows[i].series - 1]);
        for (uint32_t n = 0; n < rows[i].bars; n++) {
            char params[48];
            snprintf(params, sizeof params, "{\"n\": %u, \"type\": \"%s\"}", n / rows[i].series,
                     rows[i].series > 1 && n % 2 ? "fp64" : "fp32");
            for (uint32_t r = 0; r < 3; r++) {
                fixture_add(&d.f, "add", "stream", params, n, r, 1234 * (1 + 0.2 * r), NAN);
            }
        }
        drawing_write(&d);
        const char *beside = strstr(d.script, " || ($4-$2)/1000 > ");
        ck_assert_int_eq(beside != NULL, rows[i].beside);
        if (beside != NULL) {
            ck_assert_ptr_nonnull(strstr(beside, "*strlen(strcol(6)) : 0)):("));
            ck_assert_ptr_nonnull(strstr(beside, " ? $2 : $4)/1000):(strcol(6)) with labels"));
        }
        ck_assert_int_eq(strstr(d.script, "with labels") != NULL, rows[i].figures);
        drawing_close(&d);
    }
}
END_TEST

/* The line below the title has no room for all names; what kind of figures they are stays. */
START_TEST(what_kind_of_devices_there_are_is_never_cut)
{
    const char *name = "A device with a name that is longer than most";
    gb_results results = {.document = json_pack("{s:[{s:s, s:s}, {s:s, s:s}, {s:s, s:s}], s:{s:s}}",
                                                "devices", "kind", "cuda", "name", name, "kind",
                                                "cuda", "name", name, "kind", "cpu", "name", name,
                                                "run", "started", "2026-01-15T10:15:00Z")};
    gb_buf script = {0};
    ck_assert_ptr_nonnull(results.document);
    gb_picture_head(&results, -1, "title", "x", "y", &script);
    ck_assert_msg(strstr(script.data, "- cpu: figures of that CPU, not of a GPU'") != NULL, "%s",
                  script.data);
    gb_buf_free(&script);
    json_decref(results.document);
}
END_TEST

/* --- fonts ------------------------------------------------------------------------------------ */

#define LATIN "Type 1 20-ffff\nFontconfig warning: no cache\nTrueType 20-7e a0-24f\n"
#define JAPANESE LATIN "CFF 3042 65e5-672c 1f600-1f64f\n"

static void ck_replaced(const char *fonts, const char *text, const char *keep, const char *wanted)
{
    gb_buf out = {0};
    const bool replaced = gb_fonts_replace_of(fonts, text, keep, &out);
    ck_assert(!out.failed);
    ck_assert_str_eq(out.data != NULL ? out.data : "", wanted);
    ck_assert_int_eq(replaced, strcmp(text, wanted) != 0);
    gb_buf_free(&out);
}

START_TEST(letters_without_a_font_are_replaced)
{
    ck_replaced(LATIN, "plain", "x", "plain");
    ck_replaced(LATIN, "\xc3\xbcml\xc3\xa4ut \xe6\x97\xa5\xe6\x9c\xac", "x",
                "\xc3\xbcml\xc3\xa4ut ??");
    ck_replaced(JAPANESE, "\xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x98\x80", "x",
                "\xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x98\x80");
    ck_replaced(JAPANESE, "\xf0\x9f\xa4\x96", "x", "?"); /* a robot: outside of the range */
    ck_replaced(LATIN, "a\xe2\x80\x8b>b", "x", "a\xe2\x80\x8b>b"); /* nothing to be drawn */
    ck_replaced("", "\xc3\xbc\xe6\x97\xa5", "x", "\xc3\xbc?");     /* nothing is known */
    /* Names of files stay, the same letters elsewhere do not. */
    ck_replaced(LATIN, "plot 'plots/01-\xe6\x97\xa5.dat' title '\xe6\x97\xa5 01-\xe6\x97\xa5'",
                "01-\xe6\x97\xa5", "plot 'plots/01-\xe6\x97\xa5.dat' title '? 01-?'");
}
END_TEST

/* Fonts of the machine, as fc-list has them: the SVG's half of the script keeps the letters. */
static void ck_script(const char *plot, const char *letters, const char *replaced)
{
    drawing d;
    char folder[128], path[200], *old = strdup(getenv("PATH"));
    make_dir(folder, "bin");
    snprintf(path, sizeof path, "%s/fc-list", folder);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs("#!/bin/sh\necho 'TrueType 20-24f'\n", file);
    fclose(file);
    ck_assert_int_eq(chmod(path, 0755), 0);
    char *search = gb_text_format("%s:%s", folder, old);
    setenv("PATH", search, 1);
    free(search);
    drawing_open(&d, "cuda", plot);
    for (uint32_t r = 0; r < 3; r++) {
        fixture_add(&d.f, "add", "stream", "{\"n\": 1}", 0, r, 1000 + r, NAN);
        fixture_add(&d.f, "add", "stream", "{\"n\": 8}", 1, r, 2000 + r, NAN);
    }
    drawing_write(&d);
    setenv("PATH", old, 1);
    free(old);
    char *svg = strstr(d.script, "set terminal svg"), *png = strstr(d.script, "pngcairo");
    char *first = strstr(d.script, letters), *second = strstr(d.script, replaced);
    ck_assert_ptr_nonnull(svg);
    ck_assert_ptr_nonnull(png);
    ck_assert_msg(first != NULL && first < png, "%s", d.script);
    ck_assert_msg(second != NULL && second > svg, "%s", d.script);
    ck_assert_msg(strstr(second, letters) == NULL, "%s", d.script);
    drawing_close(&d);
}

START_TEST(PLT_05_only_the_PNG_loses_letters)
{
    ck_script("[{\"type\": \"curve\", \"benchmark\": \"add\", \"x\": \"n\", \"y\": \"time\", "
              "\"series\": [], \"title\": \"Zeit \xe6\x97\xa5\"}]",
              "'Zeit \xe6\x97\xa5'", "'Zeit ?'");
    ck_script("[{\"type\": \"ladder\", \"benchmark\": \"add\", \"x\": \"n\", \"y\": \"time\", "
              "\"series\": [], \"title\": \"Zeit \xe6\x97\xa5\"}]",
              "'Zeit \xe6\x97\xa5'", "'Zeit ?'");
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tests = tcase_create("axes and letters");
    tcase_set_timeout(tests, 60);
    use_environment_locale(tests);
    tcase_add_test(tests, a_wide_axis_has_a_unit_at_each_tick);
    tcase_add_test(tests, bars_are_seen_beside_a_long_interval);
    tcase_add_test(tests, a_figure_stands_at_the_top_of_its_bar_where_there_is_room);
    tcase_add_test(tests, a_number_has_no_exponent_where_it_is_as_short);
    tcase_add_test(tests, no_logarithmic_axis_has_fewer_than_two_ticks);
    tcase_add_test(tests, intervals_end_inside_the_picture_or_it_is_said);
    tcase_add_test(tests, what_kind_of_devices_there_are_is_never_cut);
    tcase_add_test(tests, letters_without_a_font_are_replaced);
    tcase_add_test(tests, PLT_05_only_the_PNG_loses_letters);
    suite_add_tcase(suite, tests);
}

GB_CHECK_MAIN("plots_axes", add_cases)
