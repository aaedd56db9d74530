/* What bars and batch curves plot is what the records say; what is left out is said. */
#include "base/units.h"
#include "reports/findings.h"
#include "reports/plot/series.h"
#include "unit/locale_case.h"
#include "unit/plots_fixture.h"

/* The n numbers of the line (0: the first) in a block of a data file. */
static void read_line(const char *data, size_t block, size_t line, double out[], size_t n)
{
    const char *at = data;
    for (size_t b = 0; b < block; b++) {
        at = strstr(at, "\n\n\n");
        ck_assert_ptr_nonnull(at);
        at += 3;
    }
    for (size_t skip = line + 2; skip > 0; skip--) { /* two lines of comments */
        at = strchr(at, '\n') + 1;
        ck_assert_msg(*at != '\0' && *at != '\n', "no line %zu in block %zu", line, block);
    }
    for (size_t i = 0; i < n; i++) {
        char *end;
        out[i] = strncmp(at, "NaN", 3) == 0 ? NAN : gb_strtod(at, &end);
        at = strncmp(at, "NaN", 3) == 0 ? at + 3 : end;
        at += *at == ' ';
    }
}

static void ck_near(double found, double wanted)
{
    ck_assert_msg(fabs(found / wanted - 1) < 1e-9, "%.17g instead of %.17g", found, wanted);
}

/* The interval that gb_stats_between gives for three replicates. */
static double centre_of(double a, double b, double c, double *half)
{
    const double all[] = {a, b, c};
    double centre;
    gb_stats_between(all, 3, &centre, half);
    return centre;
}

#define BAR_PLOT                                                                                   \
    "[{\"type\": \"bar\", \"benchmark\": \"add\", \"x\": \"op\", \"y\": \"time\", \"series\": "    \
    "[\"type\"], \"title\": null}]"

START_TEST(bars_are_the_records_figures)
{
    static const char *const ops[] = {"write", "read", "triad"}; /* in the suite's order */
    static const char *const kinds[] = {"fp32", "fp64"};
    drawing d;
    drawing_open(&d, "cuda", BAR_PLOT);
    for (uint32_t i = 0; i < 6; i++) {
        for (uint32_t r = 0; r < 3; r++) {
            char params[80];
            snprintf(params, sizeof params, "{\"op\": \"%s\", \"type\": \"%s\"}", ops[i / 2],
                     kinds[i % 2]);
            fixture_add(&d.f, "add", "stream", params, i, r, 1000 * (i + 1) + 7 * r, NAN);
        }
    }
    drawing_write(&d);
    for (size_t i = 0; i < 6; i++) {
        double row[4], half, base = 1000 * (double)(i + 1);
        double centre = centre_of(base, base + 7, base + 14, &half);
        read_line(d.data, i % 2, i / 2, row, 4);
        ck_assert_double_eq(row[0], (double)(i / 2));
        ck_near(row[1], centre);
        ck_near(row[2], centre / (1 + half));
        ck_near(row[3], centre * (1 + half));
    }
    ck_assert_ptr_nonnull(strstr(d.script, "set xtics ('write' 0, 'read' 1, 'triad' 2)"));
    ck_assert_ptr_nonnull(strstr(d.script, "set yrange [0:")); /* a bar's length is its value */
    drawing_close(&d);
}
END_TEST

#define BATCH_PLOT                                                                                 \
    "[{\"type\": \"batch-curve\", \"benchmark\": \"mlp\", \"x\": \"batch\", \"y\": null, "         \
    "\"series\": [\"math\"], \"title\": null}]"

#define REPLICATES 3

/* A request of `batch` items, in replicates that hardly differ: throughput grows until `flat`
 * items; p99 is `tail` times the median. */
static void add_request(fixture *f, const char *math, uint32_t index, double flat, double tail)
{
    char params[80];
    double batch = (double)(1u << index);
    snprintf(params, sizeof params, "{\"batch\": %.0f, \"math\": \"%s\"}", batch, math);
    for (uint32_t i = 0; i < REPLICATES; i++) {
        double time = 20000 * fmax(1, batch / flat) * (1 + 1e-6 * ((double)i - 1));
        gb_record *r = fixture_add(f, "mlp", "batch", params, index, i, time, NAN);
        r->n_metrics = 1;
        snprintf(r->metrics[0].name, sizeof r->metrics[0].name, "throughput");
        snprintf(r->metrics[0].unit, sizeof r->metrics[0].unit, "1/s");
        r->metrics[0].higher_is_better = true;
        r->metrics[0].value = batch / time * 1e9;
        r->metrics[0].peak = NAN;
        r->time.p95 = time * 1.25;
        r->time.p99 = time * tail;
    }
}

START_TEST(batch_curves_are_the_records_figures)
{
    drawing d;
    drawing_open(&d, "cuda", BATCH_PLOT);
    for (uint32_t i = 0; i < 8; i++) {
        add_request(&d.f, "vendor", i, 32, i < 4 ? 2 : NAN);
    }
    drawing_write(&d);
    for (size_t i = 0; i < 8; i++) {
        const gb_record *r = &d.f.results.records[REPLICATES * i + 1]; /* the middle one */
        double row[7];
        read_line(d.data, 0, i, row, 7);
        ck_assert_double_eq(row[0], (double)(1u << i));
        ck_near(row[1], r->metrics[0].value);
        ck_near(row[4], r->time.median);
        ck_near(row[5], r->time.p95);
        ck_assert(row[2] < row[1] && row[1] < row[3]);
        ck_assert(i < 4 ? fabs(row[6] / r->time.median / 2 - 1) < 1e-9 : isnan(row[6]));
    }
    drawing_close(&d);
}
END_TEST

START_TEST(the_knee_is_that_of_the_findings)
{
    drawing d;
    json_t *findings = NULL, *finding = NULL;
    size_t i;
    double knee = 0;
    drawing_open(&d, "cuda", BATCH_PLOT);
    for (uint32_t b = 0; b < 8; b++) {
        add_request(&d.f, "vendor", b, 32, 2);
        add_request(&d.f, "own", b, 1000, 2); /* still rises */
    }
    gb_error err = {0};
    ck_assert_int_eq(gb_report_findings(&d.f.results, &findings, &err), GB_OK);
    json_array_foreach(findings, i, finding)
    {
        const json_t *batch = json_object_get(json_object_get(finding, "figures"), "knee_batch");
        knee = json_is_number(batch) ? json_number_value(batch) : knee;
    }
    ck_assert_double_eq(knee, 32);
    drawing_write(&d);
    ck_assert_ptr_nonnull(strstr(d.script, "set arrow from 32, graph 0 to 32, graph 1 nohead"));
    ck_assert_ptr_nonnull(strstr(d.script, "'knee: batch 32 (vendor)'"));
    ck_assert_ptr_nonnull(strstr(d.script, "'no knee: throughput still rises (own)'"));
    ck_assert_ptr_nonnull(strstr(d.script, "set logscale x 2"));
    ck_assert_double_eq(GB_KNEE_SHARE, 0.9); /* what the sentence says */
    ck_assert_ptr_nonnull(strstr(GB_KNEE_RULE, "90 %"));
    json_decref(findings);
    drawing_close(&d);
}
END_TEST

START_TEST(a_percentile_that_nobody_has_is_not_in_the_legend)
{
    for (int known = 0; known < 2; known++) {
        drawing d;
        drawing_open(&d, "cuda", BATCH_PLOT);
        for (uint32_t i = 0; i < 4; i++) {
            add_request(&d.f, "vendor", i, 32, known ? 2 : NAN);
        }
        drawing_write(&d);
        ck_assert((strstr(d.script, "'p99'") != NULL) == known);
        ck_assert_ptr_nonnull(strstr(d.script, "'p95'"));
        ck_assert_ptr_null(strstr(d.script, "knee")); /* four batches are too few */
        drawing_close(&d);
    }
}
END_TEST

#define SERIES_PLOT                                                                                \
    "[{\"type\": \"curve\", \"benchmark\": \"s\", \"x\": \"n\", \"y\": \"time\", \"series\": "     \
    "[\"way\"], \"title\": null}]"

static void add_ways(fixture *f, uint32_t ways, uint32_t points)
{
    for (uint32_t w = 0; w < ways; w++) {
        for (uint32_t i = 0; i < points; i++) {
            char params[80];
            snprintf(params, sizeof params, "{\"n\": %u, \"way\": \"w%u\"}", 1u << i, w);
            fixture_add(f, "s", "stream", params, w * points + i, 0, 1000 + 100 * w + i, NAN);
        }
    }
}

START_TEST(more_series_than_can_be_told_apart_are_left_out_and_said)
{
    drawing d;
    drawing_open(&d, "cuda", SERIES_PLOT);
    add_ways(&d.f, 13, 3);
    drawing_write(&d);
    ck_assert_msg(strstr(d.notes.data, "13 series; the suite's first 10 are drawn") != NULL, "%s",
                  d.notes.data);
    ck_assert_ptr_nonnull(strstr(d.script, "'w9'"));
    ck_assert_ptr_null(strstr(d.script, "'w10'"));
    drawing_close(&d);
}
END_TEST

/* Five words and numbers in each label: cut alike, "bytes 1 KiB, memory pinned, dir...". */
START_TEST(legend_entries_are_never_the_same)
{
    static const char *const ways[] = {"h2d", "d2h", "bidirectional"};
    fixture f;
    fixture_open(&f, "cuda", "[]");
    for (uint32_t i = 0; i < 6; i++) {
        char params[200];
        snprintf(params, sizeof params,
                 "{\"batch\": 1, \"bytes\": 1024, \"direction_of_the_copy\": \"%s\", "
                 "\"memory_of_the_host\": \"pinned\", \"pieces_of_each\": %u}",
                 ways[i % 3], i / 3 + 1);
        fixture_add(&f, "c", "copy", params, i, 0, 1000 + i, 1e9);
    }
    gb_table table;
    gb_figures figures = {0};
    gb_buf notes = {0};
    json_t *series = json_pack("[s, s]", "memory_of_the_host", "pieces_of_each");
    const gb_wanted wanted = {
        .name = "p", .benchmark = "c", .x = "batch", .y = "time", .series = series, .most = 10};
    ck_assert_int_eq(gb_table_make(&f.results, &table, NULL), GB_OK);
    ck_assert_int_eq(gb_figures_collect(&f.results, &table, &wanted, &figures, &notes, NULL),
                     GB_OK);
    ck_assert_uint_eq(figures.n, 6);
    for (size_t a = 0; a < figures.n; a++) {
        for (size_t b = 0; b < a; b++) {
            ck_assert_str_ne(gb_figures_shown(&figures, a), gb_figures_shown(&figures, b));
            ck_assert_int_ne(strncmp(gb_figures_shown(&figures, a), gb_figures_shown(&figures, b),
                                     GB_LEGEND_COLUMNS - 3),
                             0);
        }
    }
    ck_assert_str_eq(gb_figures_shown(&figures, 0), "h2d, 1");
    gb_figures_free(&figures);
    gb_table_free(&table);
    gb_buf_free(&notes);
    json_decref(series);
    fixture_close(&f);
}
END_TEST

START_TEST(emulated_figures_are_not_drawn_beside_others)
{
    for (int all = 0; all < 2; all++) {
        drawing d;
        drawing_open(&d, "cpu", SERIES_PLOT);
        add_ways(&d.f, 2, 3);
        for (size_t i = 0; i < (all ? 6 : 3); i++) {
            d.f.results.records[i].flags = GB_BIT(GB_FLAG_EMULATED);
        }
        drawing_write(&d);
        ck_assert((strstr(d.script, "'w0, emulated'") != NULL) == all);
        ck_assert((strstr(d.script, "'w0'") != NULL) == 0);
        ck_assert((strstr(d.script, "'w1'") != NULL) == !all);
        ck_assert((d.notes.length > 0 && strstr(d.notes.data, "3 emulated points left out")) ==
                  !all);
        drawing_close(&d);
    }
}
END_TEST

START_TEST(cases_that_differ_in_another_parameter_are_series_of_their_own)
{
    drawing d;
    drawing_open(&d, "cuda",
                 "[{\"type\": \"curve\", \"benchmark\": \"s\", \"x\": \"n\", \"y\": \"time\", "
                 "\"series\": [], \"title\": null}]");
    add_ways(&d.f, 2, 3); /* "way" is not among the plot's series */
    drawing_write(&d);
    ck_assert_ptr_nonnull(strstr(d.script, "'way w0'"));
    ck_assert_ptr_nonnull(strstr(d.script, "'way w1'"));
    drawing_close(&d);
}
END_TEST

START_TEST(x_of_zero_makes_the_axis_linear)
{
    drawing d;
    drawing_open(&d, "cuda", SERIES_PLOT);
    for (uint32_t i = 0; i < 4; i++) {
        char params[80];
        snprintf(params, sizeof params, "{\"n\": %u, \"way\": \"w\"}", i * 10);
        fixture_add(&d.f, "s", "stream", params, i, 0, 1000, NAN);
    }
    drawing_write(&d);
    ck_assert_ptr_null(strstr(d.notes.data, "left out"));
    ck_assert_ptr_null(strstr(d.script, "logscale x"));
    double row[2];
    read_line(d.data, 0, 0, row, 2);
    ck_assert(row[0] == 0 && fabs(row[1] / 1000 - 1) < 1e-9);
    drawing_close(&d);
}
END_TEST

/* One gnuplot draws all: what one picture sets must not be in the next. */
START_TEST(a_picture_leaves_nothing_to_the_next)
{
    drawing d;
    char params[80];
    gb_pictures pictures;
    gb_error err = {0};
    if (!have_gnuplot()) {
        return;
    }
    drawing_open(
        &d, "cuda",
        "[{\"type\": \"batch-curve\", \"benchmark\": \"mlp\", \"x\": \"batch\", \"y\": null, "
        "\"series\": [], \"title\": null}, {\"type\": \"curve\", \"benchmark\": \"s\", "
        "\"x\": \"n\", \"y\": \"time\", \"series\": [], \"title\": null}]");
    for (uint32_t i = 0; i < 8; i++) {
        add_request(&d.f, "vendor", i, 32, 2);
        snprintf(params, sizeof params, "{\"n\": %u}", 1 + i);
        fixture_add(&d.f, "s", "stream", params, 8 + i, 0, 1000, NAN);
    }
    ck_assert_int_eq(gb_report_plots(&d.f.results, d.dir, "gnuplot", &pictures, &d.notes, &err),
                     GB_OK);
    ck_assert_uint_eq(pictures.n, 2);
    for (size_t i = 0; i < 2; i++) {
        char *file = gb_text_format("%s.svg", pictures.items[i].name);
        char *svg = slurp(d.dir, file);
        ck_assert_ptr_nonnull(svg);
        ck_assert_msg((strstr(svg, "knee: batch 32") != NULL) == (i == 0), "%s", file);
        ck_assert_msg((strstr(svg, "latency of a request") != NULL) == (i == 0), "%s", file);
        ck_assert((strstr(pictures.items[i].note, GB_KNEE_RULE) != NULL) == (i == 0));
        free(svg);
        free(file);
    }
    gb_pictures_free(&pictures);
    drawing_close(&d);
}
END_TEST

/* A long legend beside the plot would leave it no width. */
START_TEST(a_wide_legend_stands_below_the_plot)
{
    for (int wide = 0; wide < 2; wide++) {
        drawing d;
        char params[120];
        drawing_open(&d, "cuda", SERIES_PLOT);
        for (uint32_t i = 0; i < 4; i++) {
            snprintf(params, sizeof params, "{\"n\": %u, \"way\": \"%s%u\"}", 8 + i / 2,
                     wide ? "a-way-that-has-a-name-of-34-columns" : "way", i % 2);
            fixture_add(&d.f, "s", "stream", params, i, 0, 1000, NAN);
        }
        drawing_write(&d);
        ck_assert((strstr(d.script, "set key at screen 0.5, screen 0.01 center bottom") != NULL) ==
                  wide);
        ck_assert((strstr(d.script, "set bmargin") != NULL) == wide);
        drawing_close(&d);
    }
}
END_TEST

/* Two devices of two runs: one series each, both named in the picture, with their dates. */
START_TEST(devices_are_series_of_one_picture)
{
    drawing d;
    drawing_open(&d, "cuda", SERIES_PLOT);
    add_ways(&d.f, 1, 3);
    add_ways(&d.f, 1, 3);
    for (size_t i = 3; i < 6; i++) {
        d.f.results.records[i].device = 1;
    }
    json_array_append_new(
        json_object_get(d.f.results.document, "devices"),
        json_pack("{s:s, s:s, s:i}", "kind", "cpu", "name", "Some CPU", "run", 1));
    json_object_set_new(d.f.results.document, "runs",
                        json_pack("[{s:{s:s}}, {s:{s:s}}]", "run", "started",
                                  "2026-01-15T10:15:00Z", "run", "started",
                                  "2026-02-20T10:15:00Z"));
    drawing_write(&d);
    ck_assert_ptr_nonnull(strstr(d.script, "'w0, Example device 9000'"));
    ck_assert_ptr_nonnull(strstr(d.script, "'w0, Some CPU'"));
    ck_assert_ptr_nonnull(strstr(d.script, "Example device 9000, device: cuda, 2026-01-15"));
    ck_assert_ptr_nonnull(strstr(d.script, "Some CPU, device: cpu, 2026-02-20"));
    ck_assert_ptr_nonnull(strstr(d.script, "not of a GPU"));
    drawing_close(&d);
}
END_TEST

/* A copy within the device moves its bytes twice: so does the line that was fitted to it. */
START_TEST(the_fitted_line_is_in_the_unit_of_the_curve)
{
    drawing d;
    drawing_open(&d, "cuda", COPY_PLOT);
    fixture_copies(&d.f, "device", 5000, 1e12, 0);
    for (size_t i = 0; i < d.f.results.n; i++) {
        gb_record *r = &d.f.results.records[i];
        r->work.bytes_moved = 2 * (uint64_t)json_integer_value(json_object_get(r->params, "bytes"));
        r->metrics[0].value *= 2;
    }
    drawing_write(&d);
    const char *line = strstr(d.script, " * x / (");
    ck_assert_ptr_nonnull(line);
    ck_assert_ptr_nonnull(strstr(d.script, "'fitted: t = a + n / b'"));
    while (line[-1] != ' ') {
        line--;
    }
    /* factor * x / (a + x / b) at 1 GiB, in B/s: each tick of the axis has its own unit */
    ck_assert_ptr_nonnull(strstr(d.script, "'1 TB/s' 1000000000000"));
    char *end;
    double factor = gb_strtod(line, &end);
    double latency = gb_strtod(end + strlen(" * x / ("), &end);
    double rate = gb_strtod(end + strlen(" + x / "), &end);
    double x = 0x1p30, value = factor * x / (latency + x / rate);
    ck_assert_msg(fabs(value / (2 * x / (5e-6 + x / 1e12)) - 1) < 0.01, "%g", value);
    drawing_close(&d);
}
END_TEST

/* For those who do not see a picture: what, over what, which series, from where to where. */
START_TEST(a_picture_is_described_in_words)
{
    drawing d;
    gb_pictures pictures = {0};
    gb_error err = {0};
    drawing_open(&d, "cuda", BAR_PLOT);
    for (uint32_t i = 0; i < 4; i++) {
        for (uint32_t r = 0; r < 3; r++) {
            char params[80];
            snprintf(params, sizeof params, "{\"op\": \"%s\", \"type\": \"fp%d\"}",
                     i / 2 == 0 ? "write" : "read", i % 2 == 0 ? 32 : 64);
            fixture_add(&d.f, "add", "stream", params, i, r, 1000 * (i + 1), NAN);
        }
    }
    ck_assert_int_eq(gb_report_plots(&d.f.results, d.dir, "true", &pictures, &d.notes, &err),
                     GB_OK);
    ck_assert_uint_eq(pictures.n, 1);
    ck_assert_str_eq(pictures.items[0].what,
                     "Bars of time over op, write to read, lower is better; 2 series: fp32; fp64; "
                     "highest 4.00 us (fp64; op read), lowest 1.00 us (fp32; op write). The table "
                     "has every figure.");
    gb_pictures_free(&pictures);
    drawing_close(&d);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tests = tcase_create("values of plots");
    tcase_set_timeout(tests, 60);
    use_environment_locale(tests);
    tcase_add_test(tests, bars_are_the_records_figures);
    tcase_add_test(tests, a_picture_is_described_in_words);
    tcase_add_test(tests, batch_curves_are_the_records_figures);
    tcase_add_test(tests, the_knee_is_that_of_the_findings);
    tcase_add_test(tests, a_percentile_that_nobody_has_is_not_in_the_legend);
    tcase_add_test(tests, legend_entries_are_never_the_same);
    tcase_add_test(tests, more_series_than_can_be_told_apart_are_left_out_and_said);
    tcase_add_test(tests, emulated_figures_are_not_drawn_beside_others);
    tcase_add_test(tests, cases_that_differ_in_another_parameter_are_series_of_their_own);
    tcase_add_test(tests, x_of_zero_makes_the_axis_linear);
    tcase_add_test(tests, a_picture_leaves_nothing_to_the_next);
    tcase_add_test(tests, a_wide_legend_stands_below_the_plot);
    tcase_add_test(tests, devices_are_series_of_one_picture);
    tcase_add_test(tests, the_fitted_line_is_in_the_unit_of_the_curve);
    suite_add_tcase(suite, tests);
}

GB_CHECK_MAIN("plots_values", add_cases)
