/* The plots of a run: files, gnuplot and its failures, and the curve. */
#include "base/units.h"
#include "unit/locale_case.h"
#include "unit/plots_fixture.h"

/* One series of copies. */
static void open_copies(drawing *d, const char *kind)
{
    drawing_open(d, kind, COPY_PLOT);
    fixture_copies(&d->f, "pinned", 8100, 25.2e9, 0);
}

START_TEST(the_data_are_the_records_figures)
{
    drawing d;
    open_copies(&d, "cpu");
    fixture_copies(&d.f, "pageable", 9500, 8.4e9, 100);
    drawing_write(&d); /* nothing is drawn: the data are there all the same */
    size_t lines = 0;
    for (char *line = strtok(d.data, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        double x, y, low, high;
        if (line[0] == '#') {
            continue;
        }
        char *end = line; /* by gb_strtod: the file has '.' whatever the locale */
        x = gb_strtod(end, &end);
        y = gb_strtod(end, &end);
        low = gb_strtod(end, &end);
        high = gb_strtod(end, &end);
        ck_assert_msg(*end == '\0', "%s", line);
        double latency = lines < 9 ? 8100 : 9500, rate = lines < 9 ? 25.2e9 : 8.4e9;
        double want = x / ((latency + x / rate * 1e9) * 1e-9);
        ck_assert_msg(fabs(y / want - 1) < 1e-5, "%g instead of %g", y, want);
        ck_assert(low < y && y < high);
        lines++;
    }
    ck_assert_uint_eq(lines, 18);
    drawing_close(&d);
}
END_TEST

static void put(const char *dir, const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/plots/%s", dir, name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    ck_assert_int_eq(fclose(file), 0);
}

/* Writes script, data and pictures as an older report would have left them. */
static void put_older(const char *dir, const char *name)
{
    char file[64], first[128];
    snprintf(file, sizeof file, "%s.gp", name);
    snprintf(first, sizeof first,
             "# gpubench made this; from the run directory: gnuplot plots/%s.gp\nreset\n", name);
    put(dir, file, first);
    for (size_t i = 0; i < 3; i++) {
        static const char *const suffixes[] = {"dat", "svg", "png"};
        snprintf(file, sizeof file, "%s.%s", name, suffixes[i]);
        put(dir, file, "old");
    }
}

START_TEST(pictures_of_an_older_report_go_and_foreign_files_stay)
{
    static const char *const gone[] = {"09-x.gp",         "09-x.dat",       "09-x.svg",
                                       "09-x.png",        "flagged-4-y.gp", "flagged-4-y.dat",
                                       "flagged-4-y.svg", "flagged-4-y.png"};
    static const char *const kept[] = {"changes.gp", "changes.svg", "mine.gp", "mine.svg",
                                       "renamed.gp", "notes.svg",   "10-z.png"};
    drawing d;
    char path[512], name[200];
    open_copies(&d, "cpu");
    plot(&d.f, d.dir, "true", &d.notes);
    plot_name(d.dir, name);
    put_older(d.dir, "09-x");
    put_older(d.dir, "flagged-4-y");
    put_older(d.dir, "changes"); /* of a comparison */
    put(d.dir, "mine.gp", "# my own\n");
    put(d.dir, "mine.svg", "mine");
    put(d.dir, "notes.svg", "mine");
    put(d.dir, "10-z.png", "mine");
    put(d.dir, "renamed.gp",
        "# gpubench made this; from the run directory: gnuplot plots/09-x.gp\n");
    snprintf(path, sizeof path, "%s/plots/pipe.gp", d.dir);
    ck_assert_int_eq(mkfifo(path, 0666), 0); /* nobody writes into it */
    plot(&d.f, d.dir, "true", &d.notes);
    for (size_t i = 0; i < sizeof gone / sizeof gone[0]; i++) {
        ck_assert_msg(!exists(d.dir, gone[i]), "left: %s", gone[i]);
    }
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        ck_assert_msg(exists(d.dir, kept[i]), "removed: %s", kept[i]);
    }
    ck_assert_int_eq(access(path, F_OK), 0);
    snprintf(path, sizeof path, "%s.gp", name);
    ck_assert(exists(d.dir, path));
    drawing_close(&d);
}
END_TEST

START_TEST(pictures_go_with_the_last_plot)
{
    drawing d;
    char path[512];
    drawing_open(&d, "cpu", "[]");
    plot(&d.f, d.dir, "true", &d.notes);
    snprintf(path, sizeof path, "%s/plots", d.dir);
    ck_assert_int_ne(access(path, F_OK), 0); /* no folder for nothing */
    ck_assert_int_eq(mkdir(path, 0777), 0);
    put_older(d.dir, "01-x");
    plot(&d.f, d.dir, "true", &d.notes);
    ck_assert(!exists(d.dir, "01-x.gp") && !exists(d.dir, "01-x.svg"));
    drawing_close(&d);
}
END_TEST

START_TEST(PLT_04_PLT_05_spaces_and_umlauts_in_the_path)
{
    drawing d;
    if (!have_gnuplot()) {
        return;
    }
    open_copies(&d, "cpu");
    make_dir(d.dir, "my results (1) \xc3\xa9\xc3\x9f\xe6\x97\xa5\xe6\x9c\xac");
    plot(&d.f, d.dir, "gnuplot", &d.notes);
    ck_assert_msg(d.notes.length == 0, "%s", d.notes.data);
    ck_pictures_whole(d.dir);
    drawing_close(&d);
}
END_TEST

START_TEST(PLT_02_labels_are_literal)
{
    drawing d;
    if (!have_gnuplot()) {
        return;
    }
    drawing_open(&d, "cuda",
                 "[{\"type\": \"curve\", \"benchmark\": \"matmul_tiled_f32 ^{x} `date` it's @\\\\n "
                 "\xc3\xa4<&>\", \"x\": \"bytes\", \"y\": \"bandwidth\", \"series\": [], "
                 "\"title\": null}]");
    const char *benchmark = "matmul_tiled_f32 ^{x} `date` it's @\\n \xc3\xa4<&>";
    for (uint32_t i = 0; i < 4; i++) {
        char params[40];
        snprintf(params, sizeof params, "{\"bytes\": %u}", 1024 << i);
        fixture_add(&d.f, benchmark, "stream", params, i, 0, 1000, 1e9 * (i + 1));
    }
    plot(&d.f, d.dir, "gnuplot", &d.notes);
    ck_assert_msg(d.notes.length == 0, "%s", d.notes.data);
    char *svg = read_suffix(d.dir, ".svg");
    ck_assert_ptr_nonnull(strstr(svg, "matmul_tiled_f32 ^{x} `date` it's @\\n \xc3\xa4&lt;&amp;>"));
    free(svg);
    drawing_close(&d);
}
END_TEST

START_TEST(PLT_06_a_missing_or_failing_gnuplot_is_said)
{
    drawing d;
    char bad[160];
    open_copies(&d, "cpu");
    plot(&d.f, d.dir, "gnuplot-that-is-not-there", &d.notes);
    ck_assert_ptr_nonnull(
        strstr(d.notes.data, "plots skipped: gnuplot-that-is-not-there not found"));
    gb_buf_free(&d.notes);

    snprintf(bad, sizeof bad, "%s/fake gnuplot", d.dir);
    FILE *script = fopen(bad, "w");
    fputs("#!/bin/sh\necho 'line 3: all is lost' >&2\nexit 7\n", script);
    fclose(script);
    chmod(bad, 0755);
    plot(&d.f, d.dir, bad, &d.notes);
    ck_assert_msg(strstr(d.notes.data, "status 7") != NULL, "%s", d.notes.data);
    ck_assert_ptr_nonnull(strstr(d.notes.data, "all is lost"));
    ck_assert_ptr_nonnull(strstr(d.notes.data, ".gp")); /* where the script is */
    free(read_suffix(d.dir, ".dat"));                   /* script and data are kept */
    drawing_close(&d);
}
END_TEST

START_TEST(PLT_08_nothing_to_plot_makes_no_file)
{
    drawing d;
    gb_error why = {0};
    open_copies(&d, "cpu");
    gb_fail(&why, GB_DEVICE_ERROR, "broken");
    for (size_t i = 0; i < d.f.results.n; i++) {
        gb_record_fail(&d.f.results.records[i], GB_STATUS_FAILED, &why);
    }
    plot(&d.f, d.dir, "gnuplot", &d.notes);
    ck_assert_ptr_nonnull(strstr(d.notes.data, "no data for copy"));
    ck_no_files(d.dir);
    drawing_close(&d);
}
END_TEST

START_TEST(PLT_09_points_without_a_positive_value_are_left_out)
{
    drawing d;
    open_copies(&d, "cuda");
    d.f.results.records[0].metrics[0].value = NAN;
    d.f.results.records[1].metrics[0].value = 0;
    plot(&d.f, d.dir, have_gnuplot() ? "gnuplot" : "true", &d.notes);
    ck_assert_msg(strstr(d.notes.data, "1 point without a positive value left out") != NULL, "%s",
                  d.notes.data);
    drawing_close(&d);
}
END_TEST

START_TEST(PLT_10_one_point_is_drawn_without_complaint)
{
    drawing d;
    if (!have_gnuplot()) {
        return;
    }
    drawing_open(&d, "cuda", COPY_PLOT);
    fixture_add(&d.f, "copy", "copy", "{\"bytes\": 4096, \"memory\": \"pinned\"}", 0, 0, 1000, 4e9);
    plot(&d.f, d.dir, "gnuplot", &d.notes);
    ck_assert_msg(d.notes.length == 0, "%s", d.notes.data);
    ck_pictures_whole(d.dir);
    drawing_close(&d);
}
END_TEST

START_TEST(PLT_12_a_picture_that_is_not_whole_is_not_kept)
{
    drawing d;
    char fake[160];
    open_copies(&d, "cuda");
    snprintf(fake, sizeof fake, "%s/gnuplot", d.dir);
    FILE *script = fopen(fake, "w"); /* exits 0 and leaves half a picture, as on a full disk */
    fputs("#!/bin/sh\nfor s; do echo '<svg' >\"${s%.gp}.svg\"; : >\"${s%.gp}.png\"; done\n",
          script);
    fclose(script);
    chmod(fake, 0755);
    plot(&d.f, d.dir, fake, &d.notes);
    ck_assert_ptr_nonnull(strstr(d.notes.data, "not written whole"));
    char name[200], file[256];
    plot_name(d.dir, name);
    snprintf(file, sizeof file, "%s.svg", name);
    ck_assert(!exists(d.dir, file));
    drawing_close(&d);
}
END_TEST

START_TEST(PLT_14_axis_titles_say_which_way_is_better)
{
    drawing d;
    open_copies(&d, "cpu");
    drawing_write(&d);
    ck_assert_ptr_nonnull(strstr(d.script, "'bandwidth (GB/s), higher is better'"));
    ck_assert_ptr_nonnull(strstr(d.script, "not of a GPU"));
    ck_assert_ptr_nonnull(strstr(d.script, "noenhanced"));
    drawing_close(&d);
}
END_TEST

/* Sizes 1 to 4 units; the time of the third falls to `third` ns, two replicates `apart`. */
static void dip(drawing *d, double third, double apart)
{
    const double times[] = {1000, 2000, third, 4000};
    drawing_open(d, "cpu", COPY_PLOT);
    for (uint32_t i = 0; i < 4; i++) {
        for (uint32_t r = 0; r < 3; r++) {
            char params[120];
            double t = times[i] * (1 + ((double)r - 1) * apart);
            snprintf(params, sizeof params,
                     "{\"bytes\": %u, \"direction\": \"h2d\", \"memory\": \"pinned\"}",
                     (i + 1) * 1024);
            gb_record *record = fixture_add(&d->f, "copy", "copy", params, i, r, t, 1e9);
            record->work.bytes_moved = (uint64_t)(i + 1) * 1024;
        }
    }
}

START_TEST(KRN_09_time_that_falls_while_work_grows_is_said)
{
    static const struct {
        double third, apart;
        bool said;
    } cases[] = {{3000, 0.01, false}, {1500, 0.01, true}, {1950, 0.05, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        drawing d;
        dip(&d, cases[i].third, cases[i].apart);
        drawing_write(&d);
        bool said =
            d.notes.data != NULL && strstr(d.notes.data, "at bytes = 3072 the time falls") != NULL;
        ck_assert_msg(said == cases[i].said, "%zu: %s", i,
                      d.notes.data != NULL ? d.notes.data : "");
        ck_assert_ptr_nonnull(strstr(d.data, "\n3072 ")); /* all four points, as measured */
        drawing_close(&d);
    }
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tests = tcase_create("plots");
    tcase_set_timeout(tests, 60);
    use_environment_locale(tests);
    tcase_add_test(tests, the_data_are_the_records_figures);
    tcase_add_test(tests, PLT_04_PLT_05_spaces_and_umlauts_in_the_path);
    tcase_add_test(tests, PLT_02_labels_are_literal);
    tcase_add_test(tests, KRN_09_time_that_falls_while_work_grows_is_said);
    tcase_add_test(tests, PLT_06_a_missing_or_failing_gnuplot_is_said);
    tcase_add_test(tests, PLT_08_nothing_to_plot_makes_no_file);
    tcase_add_test(tests, pictures_of_an_older_report_go_and_foreign_files_stay);
    tcase_add_test(tests, pictures_go_with_the_last_plot);
    tcase_add_test(tests, PLT_09_points_without_a_positive_value_are_left_out);
    tcase_add_test(tests, PLT_10_one_point_is_drawn_without_complaint);
    tcase_add_test(tests, PLT_12_a_picture_that_is_not_whole_is_not_kept);
    tcase_add_test(tests, PLT_14_axis_titles_say_which_way_is_better);
    suite_add_tcase(suite, tests);
}

GB_CHECK_MAIN("plots", add_cases)
