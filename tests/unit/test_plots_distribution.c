/* Distributions: every sample is where the records have it, two modes and drift are seen. */
#include <glob.h>

#include "base/json.h"
#include "base/rng.h"
#include "reports/plot/distribution.h"
#include "unit/locale_case.h"
#include "unit/picture_reader.h"
#include "unit/plots_fixture.h"

#define PLOT                                                                                       \
    "[{\"type\": \"distribution\", \"benchmark\": \"copy\", \"where\": {\"bytes\": [64, 128]}, "   \
    "\"title\": null}]"
#define MOST 4096

/* A record with these samples, summarised as measuring does. */
static gb_record *add_samples(fixture *f, const char *benchmark, int bytes, uint32_t index,
                              uint32_t replicate, const double ns[], size_t n)
{
    char params[48];
    gb_error err = {0};
    snprintf(params, sizeof params, "{\"bytes\": %d}", bytes);
    gb_record *r = fixture_add(f, benchmark, "copy", params, index, replicate, 1, NAN);
    r->iterations_per_sample = 1;
    r->resolution_ns = 1;
    r->work = (gb_work){.bytes_moved = 64};
    r->samples_ns = malloc(n * sizeof *ns);
    memcpy(r->samples_ns, ns, n * sizeof *ns);
    r->n_samples = n;
    ck_assert_msg(gb_record_summarise(r, NULL, 0, &err) == GB_OK, "%s", err.message);
    return r;
}

/* 1000 ns and up to 1 % more, the same for the same replicate. */
static void quiet(double ns[], size_t n, uint64_t seed)
{
    gb_rng rng = {.state = seed};
    for (size_t i = 0; i < n; i++) {
        ns[i] = 1000 * (1 + 0.01 * gb_rng_unit(&rng));
    }
}

START_TEST(every_sample_is_drawn_in_the_order_taken)
{
    fixture f;
    double ns[3][40], points[40 * 2], medians[3 * 5], counts[50 * 3];
    fixture_open(&f, "cpu", PLOT);
    for (uint32_t r = 0; r < 3; r++) {
        quiet(ns[r], 40, r);
        add_samples(&f, "copy", 64, 0, r, ns[r], 40);
    }
    picture p = picture_draw(&f, gb_distribution_write);
    for (size_t r = 0; r < 3; r++) {
        char label[32];
        snprintf(label, sizeof label, "replicate %zu: 40 samples", r + 1);
        ck_assert_uint_eq(picture_block(&p, label, 2, points, 40), 40);
        for (size_t i = 0; i < 40; i++) {
            ck_assert_double_eq(points[2 * i], (double)(40 * r + i + 1));
            ck_assert_double_eq(points[2 * i + 1], ns[r][i]);
        }
    }
    ck_assert_uint_eq(picture_block(&p, "medians", 5, medians, 3), 3);
    for (size_t r = 0; r < 3; r++) {
        const gb_summary *time = &f.results.records[r].time;
        ck_assert_double_eq(medians[5 * r + 2], time->median);
        ck_assert_double_eq(medians[5 * r + 3], time->ci95[0]);
        ck_assert_double_eq(medians[5 * r + 4], time->ci95[1]);
    }
    size_t bars = picture_block(&p, "histogram", 3, counts, 50);
    double all = 0;
    for (size_t i = 0; i < bars; i++) {
        size_t between = 0;
        for (size_t k = 0; k < 120; k++) { /* the longest belongs to the last bar */
            const double value = ns[k / 40][k % 40];
            between += value >= counts[3 * i] &&
                       (value < counts[3 * i + 1] || (i + 1 == bars && value > counts[3 * i]));
        }
        ck_assert_double_eq(counts[3 * i + 2], (double)between);
        all += counts[3 * i + 2];
    }
    ck_assert_uint_ge(bars, 15);
    ck_assert_double_eq(all, 120);
    ck_assert(!picture_has(&p.data, "modes") && !picture_has(&p.data, "above"));
    ck_assert(picture_has(&p.script, "'time per iteration (us), lower is better'"));
    ck_assert(picture_has(&p.script, "not of a GPU") && picture_has(&p.script, "2026-01-15"));
    ck_assert_uint_eq(p.notes.length, 0);
    picture_free(&p);
    fixture_close(&f);
}
END_TEST

/* Of two replicates that differ: the interval is a factor of a million, and says nothing. */
START_TEST(an_interval_beyond_sense_is_no_figure)
{
    fixture f;
    double ns[40];
    fixture_open(&f, "cpu", PLOT);
    for (uint32_t r = 0; r < 2; r++) {
        quiet(ns, 40, r);
        for (size_t i = 0; i < 40; i++)
            ns[i] *= r == 0 ? 1 : 9;
        add_samples(&f, "copy", 64, 0, r, ns, 40);
    }
    picture p = picture_draw(&f, gb_distribution_write);
    ck_assert(picture_has(&p.script, "'over replicates: 3.02 us +- > 100 %'"));
    picture_free(&p);
    fixture_close(&f);
}
END_TEST

START_TEST(TIM_17_two_modes_are_marked_with_centres_and_counts)
{
    const double ns[] = {11e6, 750e6, 751e6, 11.1e6, 749e6, 750e6, 10.9e6, 750e6, 752e6, 748e6};
    fixture f;
    double modes[2 * 3];
    fixture_open(&f, "cuda", PLOT);
    gb_record *r = add_samples(&f, "copy", 64, 0, 0, ns, 10);
    ck_assert_uint_ne(r->flags & GB_BIT(GB_FLAG_BIMODAL), 0);
    picture p = picture_draw(&f, gb_distribution_write);
    ck_assert_uint_eq(picture_block(&p, "modes", 3, modes, 2), 2);
    ck_assert_double_eq(modes[2], 11e6);
    ck_assert_double_eq(modes[5], 750e6);
    ck_assert(picture_has(&p.script, "'replicate 1: 3 samples around 11.0 ms, 7 around 750 ms'"));
    picture_free(&p);
    fixture_close(&f);
}
END_TEST

/* Centred over the left half, a title as long as those of whole pictures would leave it. */
START_TEST(a_long_title_stays_in_the_picture)
{
    const double ns[] = {1000, 1001, 1002};
    char plot[400], title[121], head[100];
    memset(title, 'w', 120);
    title[120] = '\0';
    snprintf(plot, sizeof plot,
             "[{\"type\": \"distribution\", \"benchmark\": \"copy\", \"title\": \"%s\"}]", title);
    snprintf(head, sizeof head, "set title '%.73s...'", title);
    fixture f;
    fixture_open(&f, "cuda", plot);
    add_samples(&f, "copy", 64, 0, 0, ns, 3);
    picture p = picture_draw(&f, gb_distribution_write);
    ck_assert(picture_has(&p.script, head));
    picture_free(&p);
    fixture_close(&f);
}
END_TEST

START_TEST(far_samples_are_marked_at_the_edge_and_counted)
{
    fixture f;
    double ns[200], edge[200 * 3], points[200 * 2];
    fixture_open(&f, "cuda", PLOT);
    quiet(ns, 200, 1);
    ns[20] = ns[100] = 5e6;
    ns[150] = 7e6;
    ns[30] = 1;
    add_samples(&f, "copy", 64, 0, 0, ns, 200);
    picture p = picture_draw(&f, gb_distribution_write);
    ck_assert_uint_eq(picture_block(&p, "above what is drawn", 3, edge, 200), 3);
    ck_assert_double_eq(edge[0], 21);
    ck_assert_double_eq(edge[2], 5e6); /* the value itself is kept */
    ck_assert_double_eq(edge[8], 7e6);
    ck_assert(edge[1] < 1100); /* and does not flatten the others */
    ck_assert_uint_eq(picture_block(&p, "below what is drawn", 3, edge, 200), 1);
    ck_assert_uint_eq(picture_block(&p, "replicate 1", 2, points, 200), 196);
    ck_assert(picture_has(&p.script, "'3 of 200 above what is drawn, up to 7.00 ms'"));
    ck_assert(picture_has(&p.script, "'1 of 200 below what is drawn, down to 1.00 ns'"));
    picture_free(&p);
    fixture_close(&f);
}
END_TEST

/* Samples of two modes in turn: any fixed place of every k would show one of them alone. */
START_TEST(TIM_17_of_many_samples_some_are_drawn_and_no_mode_is_lost)
{
    fixture f;
    double *ns = calloc(MOST, sizeof *ns), *points = calloc(MOST * 2, sizeof *points);
    size_t high = 0;
    fixture_open(&f, "cuda", PLOT);
    quiet(ns, MOST, 3);
    for (size_t i = 0; i < MOST; i += 2) {
        ns[i] *= 1.5;
    }
    add_samples(&f, "copy", 64, 0, 0, ns, MOST);
    picture p = picture_draw(&f, gb_distribution_write);
    size_t n = picture_block(&p, "replicate 1", 2, points, MOST);
    ck_assert_uint_gt(n, 300);
    ck_assert_uint_le(n, 700);
    for (size_t i = 0; i < n; i++) {
        ck_assert_double_eq(points[2 * i + 1], ns[(size_t)points[2 * i] - 1]);
        high += points[2 * i + 1] > 1200;
    }
    ck_assert(high > n / 3 && high < 2 * n / 3);
    ck_assert(picture_has(&p.script, "'points: one of every 6 samples'"));
    picture_free(&p);
    free(ns);
    free(points);
    fixture_close(&f);
}
END_TEST

START_TEST(the_first_case_that_where_selects_is_drawn)
{
    fixture f;
    double ns[20];
    fixture_open(&f, "cuda", PLOT);
    quiet(ns, 20, 1);
    add_samples(&f, "copy", 32, 0, 0, ns, 20); /* not selected */
    add_samples(&f, "copy", 128, 2, 0, ns, 20);
    add_samples(&f, "copy", 64, 1, 0, ns, 20);
    picture p = picture_draw(&f, gb_distribution_write);
    ck_assert(picture_has(&p.script, "'Samples of copy[{\"bytes\":64}]'"));
    ck_assert(
        picture_has(&p.notes, "copy[{\"bytes\":64}] is drawn; the plot selects 1 other case"));
    picture_free(&p);

    gb_error why = {0}; /* one without figures does not stand for the others */
    gb_fail(&why, GB_DEVICE_ERROR, "broken");
    gb_record_fail(&f.results.records[2], GB_STATUS_FAILED, &why);
    p = picture_draw(&f, gb_distribution_write);
    ck_assert(picture_has(&p.script, "'Samples of copy[{\"bytes\":128}]'"));
    ck_assert_uint_eq(p.notes.length, 0);
    picture_free(&p);

    gb_record_fail(&f.results.records[1], GB_STATUS_FAILED, &why);
    p = picture_draw(&f, gb_distribution_write);
    ck_assert(picture_has(&p.notes, "no data for copy"));
    ck_assert_uint_eq(p.data.length + p.script.length, 0);
    picture_free(&p);
    fixture_close(&f);
}
END_TEST

/* Without gnuplot's "all points y value undefined", "empty range" and the like. */
static void ck_draws_silently(const fixture *f)
{
    char dir[128], path[256];
    gb_buf notes = {0}, output = {0};
    gb_error err = {0};
    glob_t found;
    if (!have_gnuplot()) {
        return;
    }
    make_dir(dir, "sp ace \xc3\xa9");
    plot(f, dir, "gnuplot", &notes);
    ck_assert_msg(notes.length == 0, "%s", notes.data);
    snprintf(path, sizeof path, "%s/plots/*.gp", dir);
    ck_assert_int_eq(glob(path, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *script = found.gl_pathv[i] + strlen(dir) + 1;
        ck_assert_msg(gb_gnuplot_run("gnuplot", dir, &script, 1, 60, &output, &err) == GB_OK, "%s",
                      err.message);
        ck_assert_msg(output.length == 0, "%s", output.data);
    }
    globfree(&found);
    gb_buf_free(&notes);
    gb_buf_free(&output);
}

START_TEST(PLT_10_one_sample_and_equal_samples)
{
    double ns[2000];
    for (size_t n = 1; n <= 2000; n *= 10) {
        fixture f;
        fixture_open(&f, "cuda", PLOT);
        for (size_t i = 0; i < n; i++) {
            ns[i] = n == 100 ? 0 : 123; /* zero is a place like any other on a linear axis */
        }
        ns[n / 2] = n > 100 ? 1e6 : ns[0];
        add_samples(&f, "copy", 64, 0, 0, ns, n);
        f.results.records[0].flags = 0;
        ck_draws_silently(&f);
        fixture_close(&f);
    }
}
END_TEST

START_TEST(PLT_02_PLT_05_labels_are_literal)
{
    const char *const hostile = "it's `date` b_c^{x} @~\\n <i>\xc3\xa4 \xe6\x97\xa5";
    fixture f;
    char dir[128];
    double ns[40];
    gb_buf notes = {0};
    if (!have_gnuplot()) {
        return;
    }
    json_t *plots =
        json_pack("[{s:s, s:s, s:n}]", "type", "distribution", "benchmark", hostile, "title");
    char *text = json_dumps(plots, 0);
    fixture_open(&f, "cuda", text);
    free(text);
    json_decref(plots);
    quiet(ns, 40, 1);
    ns[5] = 9000;
    add_samples(&f, hostile, 64, 0, 0, ns, 40);
    make_dir(dir, "run");
    plot(&f, dir, "gnuplot", &notes);
    ck_no_notes_but_fonts(&notes);
    ck_pictures_whole(dir);
    char *svg = read_suffix(dir, ".svg");
    ck_assert_ptr_nonnull(
        strstr(svg, "it's `date` b_c^{x} @~\\n &lt;i>\xc3\xa4 \xe6\x97\xa5[{\"bytes\":64}]"));
    free(svg);
    gb_buf_free(&notes);
    fixture_close(&f);
}
END_TEST

/* --- samples that lie in a file ----------------------------------------------------------------
 */

/* Writes the fixture's records as a run directory; the samples leave the memory. */
static void move_to_disk(fixture *f, char dir[128])
{
    char path[256];
    make_dir(dir, "run");
    snprintf(path, sizeof path, "%s/cases.jsonl", dir);
    FILE *file = fopen(path, "w");
    for (size_t i = 0; i < f->results.n; i++) {
        gb_record *r = &f->results.records[i];
        json_t *json = gb_record_json(r, true);
        char *line = gb_json_line(json);
        fprintf(file, "%s\n", line);
        free(line);
        json_decref(json);
        free(r->samples_ns);
        r->samples_ns = NULL;
        r->n_samples = 0;
    }
    fclose(file);
    f->results.path = gb_text_copy(dir);
}

START_TEST(samples_come_from_cases_jsonl)
{
    fixture f;
    char dir[128];
    double ns[40], points[40 * 2];
    fixture_open(&f, "cuda", PLOT);
    quiet(ns, 40, 8);
    add_samples(&f, "copy", 64, 0, 1, ns, 40);
    quiet(ns, 40, 9);
    add_samples(&f, "copy", 64, 0, 0, ns, 40);
    move_to_disk(&f, dir);
    picture p = picture_draw(&f, gb_distribution_write);
    ck_assert_uint_eq(picture_block(&p, "replicate 1", 2, points, 40), 40);
    for (size_t i = 0; i < 40; i++) {
        ck_assert_double_eq(points[2 * i + 1], ns[i]);
    }
    picture_free(&p);

    /* Brought together with another run, whose device is the first. */
    json_t *devices = json_object_get(f.results.document, "devices");
    json_object_set_new(json_array_get(devices, 0), "run", json_integer(0));
    json_array_append_new(devices,
                          json_pack("{s:s,s:s,s:i}", "kind", "cuda", "name", "Other", "run", 1));
    json_object_set_new(f.results.document, "runs",
                        json_pack("[{s:s},{s:s,s:s}]", "name", "a", "name", "b", "path", dir));
    f.results.records[0].device = f.results.records[1].device = 1;
    p = picture_draw(&f, gb_distribution_write);
    ck_assert_uint_eq(picture_block(&p, "replicate 1", 2, points, 40), 40);
    picture_free(&p);
    fixture_close(&f);
}
END_TEST

START_TEST(PLT_08_without_samples_a_note_and_no_picture)
{
    fixture f;
    char dir[128], path[256];
    double ns[40];
    gb_buf notes = {0};
    fixture_open(&f, "cuda", PLOT);
    quiet(ns, 40, 9);
    add_samples(&f, "copy", 64, 0, 0, ns, 40)->flags = GB_BIT(GB_FLAG_DRIFT);
    add_samples(&f, "other", 64, 1, 0, ns, 40)->flags = GB_BIT(GB_FLAG_DRIFT);
    move_to_disk(&f, dir);
    snprintf(path, sizeof path, "%s/cases.jsonl", dir);
    unlink(path);
    plot(&f, dir, "gnuplot", &notes);
    ck_assert_msg(strstr(notes.data, "no samples of copy[{\"bytes\":64}]: no cases.jsonl") != NULL,
                  "%s", notes.data);
    ck_assert_ptr_nonnull(
        strstr(notes.data, "samples of flagged cases are not drawn: no cases.jsonl"));
    ck_no_files(dir);
    gb_buf_free(&notes);
    fixture_close(&f);
}
END_TEST

/* --- flagged cases ------------------------------------------------------------------------------
 */

/* `share` of the samples is `factor` times as long. */
static void two_modes(fixture *f, const char *benchmark, uint32_t index, double factor)
{
    double ns[60];
    quiet(ns, 60, index);
    for (size_t i = 0; i < 60; i += 3) {
        ns[i] *= factor;
    }
    gb_record *r = add_samples(f, benchmark, 64, index, 0, ns, 60);
    ck_assert_uint_ne(r->flags & GB_BIT(GB_FLAG_BIMODAL), 0);
}

static void drifting(fixture *f, const char *benchmark, uint32_t index, uint32_t replicate,
                     double by)
{
    double ns[60];
    quiet(ns, 60, index);
    for (size_t i = 0; i < 60; i++) {
        ns[i] *= 1 + by * (double)i / 60;
    }
    gb_record *r = add_samples(f, benchmark, 64, index, replicate, ns, 60);
    ck_assert_uint_ne(r->flags & GB_BIT(GB_FLAG_DRIFT), 0);
    ck_assert_uint_eq(r->flags & GB_BIT(GB_FLAG_BIMODAL), 0);
}

START_TEST(TIM_17_flagged_cases_are_shown_the_worst_first)
{
    static const char *const order[] = {"far", "near", "steep", "middle"};
    fixture f;
    char dir[128];
    double ns[60];
    gb_pictures pictures = {0};
    gb_buf notes = {0};
    gb_error err = {0};
    fixture_open(&f, "cuda", PLOT);
    two_modes(&f, "copy", 0, 9); /* a plot of the suite shows it */
    quiet(ns, 60, 1);
    add_samples(&f, "fine", 64, 1, 0, ns, 60);
    drifting(&f, "flat", 2, 0, 0.1);
    drifting(&f, "steep", 3, 0, 0.9);
    two_modes(&f, "near", 4, 1.1); /* nearer than the steep one is wide, and yet before it */
    drifting(&f, "near", 4, 1, 0.9);
    two_modes(&f, "far", 5, 4);
    drifting(&f, "middle", 6, 0, 0.5);
    two_modes(&f, "emulated", 7, 5);
    f.results.records[f.results.n - 1].flags |= GB_BIT(GB_FLAG_EMULATED);
    ck_assert(gb_distribution_has_flagged(&f.results));
    move_to_disk(&f, dir);
    ck_assert_int_eq(gb_report_plots(&f.results, dir, "true", &pictures, &notes, &err), GB_OK);
    ck_assert_uint_eq(pictures.n, 1 + GB_FLAGGED_MOST); /* behind the suite's own */
    ck_assert_str_eq(pictures.items[0].group, "copy");
    for (size_t i = 0; i < GB_FLAGGED_MOST; i++) {
        const gb_drawn *drawn = &pictures.items[1 + i];
        char *title = gb_text_format("Flagged samples: %s[{\"bytes\":64}]", order[i]);
        ck_assert_str_eq(drawn->title, title);
        ck_assert_str_eq(drawn->group, order[i]);
        free(title);
    }
    ck_assert_ptr_nonnull(
        strstr(pictures.items[1].note, "bimodal: the samples form two separate groups."));
    ck_assert_ptr_nonnull(strstr(pictures.items[1].note, "In replicate 1: 40 samples around 1.0"));
    ck_assert_ptr_nonnull(strstr(pictures.items[3].note, "drift: the second half of the samples"));
    gb_pictures_free(&pictures);
    gb_buf_free(&notes);
    fixture_close(&f);
}
END_TEST

START_TEST(flagged_cases_are_shown_in_a_run_without_plots)
{
    fixture f;
    char dir[128];
    gb_buf notes = {0};
    fixture_open(&f, "cuda", "[]");
    two_modes(&f, "copy", 0, 3);
    drifting(&f, "other", 1, 0, 0.5);
    move_to_disk(&f, dir);
    ck_draws_silently(&f);
    gb_buf_free(&notes);

    /* Nothing flagged: nothing at all. */
    for (size_t i = 0; i < f.results.n; i++) {
        f.results.records[i].flags = 0;
    }
    make_dir(dir, "none");
    plot(&f, dir, "gnuplot", &notes);
    ck_assert_uint_eq(notes.length, 0);
    char *command = gb_text_format("test ! -e '%s/plots'", dir);
    ck_assert_int_eq(system(command), 0);
    free(command);
    fixture_close(&f);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tests = tcase_create("distribution");
    tcase_set_timeout(tests, 60);
    use_environment_locale(tests);
    tcase_add_test(tests, every_sample_is_drawn_in_the_order_taken);
    tcase_add_test(tests, an_interval_beyond_sense_is_no_figure);
    tcase_add_test(tests, TIM_17_two_modes_are_marked_with_centres_and_counts);
    tcase_add_test(tests, a_long_title_stays_in_the_picture);
    tcase_add_test(tests, far_samples_are_marked_at_the_edge_and_counted);
    tcase_add_test(tests, TIM_17_of_many_samples_some_are_drawn_and_no_mode_is_lost);
    tcase_add_test(tests, the_first_case_that_where_selects_is_drawn);
    tcase_add_test(tests, PLT_10_one_sample_and_equal_samples);
    tcase_add_test(tests, PLT_02_PLT_05_labels_are_literal);
    tcase_add_test(tests, samples_come_from_cases_jsonl);
    tcase_add_test(tests, PLT_08_without_samples_a_note_and_no_picture);
    tcase_add_test(tests, TIM_17_flagged_cases_are_shown_the_worst_first);
    tcase_add_test(tests, flagged_cases_are_shown_in_a_run_without_plots);
    suite_add_tcase(suite, tests);
}

GB_CHECK_MAIN("plots_distribution", add_cases)
