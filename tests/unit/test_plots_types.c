/* What holds for every type of plot: one table of types, the same records for all. */
#include "base/units.h"
#include "unit/locale_case.h"
#include "unit/plots_fixture.h"

#define HOSTILE                                                                                    \
    "it's \"a\" `date` b_c^{x} @~&\\n <i>\xc3\xa4\xc3\x9f \xe6\x97\xa5\xe6\x9c\xac "               \
    "\xf0\x9f\x9a\x80"
#define HOSTILE_XML                                                                                \
    "it's \"a\" `date` b_c^{x} @~&amp;\\n &lt;i>\xc3\xa4\xc3\x9f \xe6\x97\xa5\xe6\x9c\xac "        \
    "\xf0\x9f\x9a\x80"

#define WORD "'a_b^{c} `d`@<\xc3\x9f\xe6\x97\xa5" /* short enough for a tick */
#define WORD_XML "'a_b^{c} `d`@&lt;\xc3\x9f\xe6\x97\xa5"

#define REPLICATES 2
#define BATCHES 7 /* 1 to 64 */
#define WORDS 2

typedef struct type_row {
    const char *type, *x, *y;
    bool series;
    const char *title_of_y; /* of the script: what PLT-14 asks for */
    size_t columns;         /* of the data, for the reading back; 0: read back elsewhere */
} type_row;
static const type_row types[] = {
    {"curve", "bytes", "bandwidth", true, "'bandwidth (GB/s), higher is better'", 4},
    {"curve", "bytes", "time", true, "'time (us), lower is better'", 4},
    {"bar", "math", "throughput", false, "'throughput (M/s), higher is better'", 4},
    {"bar", "bytes", "time", true, "'time (us), lower is better'", 4},
    {"batch-curve", "batch", NULL, true, "'throughput (M/s), higher is better'", 7},
    {"ladder", "bytes", "time", true, "'time (us), lower is better'", 4},
    {"phases", "batch", NULL, true, "'share of the time (%); right: the whole, lower is better'",
     0},
    {"phases", "math", NULL, false, "'share of the time (%); right: the whole, lower is better'",
     0},
};
#define N_TYPES (sizeof types / sizeof types[0])

static char *plot_json(const type_row *type, const char *benchmark)
{
    json_t *plot =
        json_pack("{s:s, s:s, s:s?, s:s?, s:s?, s:[], s:{}}", "type", type->type, "benchmark",
                  benchmark, "x", type->x, "y", type->y, "title", NULL, "series", "where");
    if (type->series) {
        json_array_append_new(json_object_get(plot, "series"), json_string("math"));
    }
    json_t *plots = json_pack("[o]", plot);
    char *text = json_dumps(plots, 0);
    json_decref(plots);
    return text;
}

/* Time of a request: 10 us and 0.4 us an item; the second word is slower. */
static double time_of(double batch, size_t word)
{
    return (10000 + 400 * batch) * (word == 0 ? 1 : 1.7);
}

static void add_metric(gb_record *record, const char *name, const char *unit, double value)
{
    gb_metric *metric = &record->metrics[record->n_metrics++];
    *metric = (gb_metric){.higher_is_better = true, .value = value, .peak = NAN};
    snprintf(metric->name, sizeof metric->name, "%s", name);
    snprintf(metric->unit, sizeof metric->unit, "%s", unit);
}

static void set_parts(gb_record *record, double whole)
{
    if (record->parts_ns != NULL && whole > 0) {
        json_object_set_new(record->parts_ns, "launch", json_real(whole * 0.1));
        json_object_set_new(record->parts_ns, "compute", json_real(whole * 0.6));
    }
}

static gb_record *add_record(fixture *f, const type_row *type, const char *benchmark, double batch,
                             const char *word, uint32_t index, uint32_t replicate)
{
    const bool bytes = strcmp(type->x, "bytes") == 0;
    const double time = time_of(batch, index / BATCHES) * (replicate == 0 ? 0.999 : 1.001);
    json_t *params = json_pack("{s:I, s:s}", bytes ? "bytes" : "batch",
                               (json_int_t)batch * (bytes ? 4096 : 1), "math", word);
    char *text = json_dumps(params, 0);
    gb_record *r =
        fixture_add(f, benchmark, "batch", text, index, replicate, time, batch * 4096 / time * 1e9);
    add_metric(r, "throughput", "1/s", batch / time * 1e9);
    r->time.p95 = time * 1.5;
    r->time.p99 = time * 3;
    r->parts_ns = json_object();
    set_parts(r, time);
    free(text);
    json_decref(params);
    return r;
}

/* The records of all types: 7 batches, two words, two replicates 0.2 % apart. */
static void open_types(drawing *d, const type_row *type, const char *benchmark, const char *kind,
                       const char *first_word, size_t batches)
{
    char *plots = plot_json(type, benchmark);
    const char *words[WORDS] = {first_word, "own"};
    drawing_open(d, kind, plots);
    free(plots);
    json_object_set_new(json_array_get(json_object_get(d->f.results.document, "devices"), 0),
                        "llc_bytes", json_integer(50000));
    for (uint32_t w = 0; w < WORDS; w++) {
        for (uint32_t i = 0; i < batches; i++) {
            for (uint32_t r = 0; r < REPLICATES; r++) {
                add_record(&d->f, type, benchmark, (double)(1u << i), words[w], w * BATCHES + i, r);
            }
        }
    }
}

/* Runs the script by hand: what gnuplot printed, which must be nothing. */
static void ck_silent(const char *dir)
{
    char name[200];
    gb_buf output = {0};
    gb_error err = {0};
    plot_name(dir, name);
    char *script = gb_text_format("plots/%s.gp", name);
    const char *scripts[] = {script};
    ck_assert_msg(gb_gnuplot_run("gnuplot", dir, scripts, 1, 60, &output, &err) == GB_OK, "%s",
                  err.message);
    ck_assert_msg(output.length == 0, "%s: %s", name, output.data);
    free(script);
    gb_buf_free(&output);
}

START_TEST(PLT_02_PLT_05_every_label_is_literal)
{
    drawing d;
    if (!have_gnuplot()) {
        return;
    }
    open_types(&d, &types[_i], HOSTILE, "cuda", WORD, BATCHES);
    make_dir(d.dir, "sp ace (1) \xc3\xa9\xe6\x97\xa5");
    json_object_set_new(json_array_get(json_object_get(d.f.results.document, "devices"), 0), "name",
                        json_string(HOSTILE));
    plot(&d.f, d.dir, "gnuplot", &d.notes);
    ck_no_notes_but_fonts(&d.notes);
    ck_pictures_whole(d.dir);
    char *svg = read_suffix(d.dir, ".svg");
    const char *title = strstr(svg, HOSTILE_XML); /* and the device's name behind it */
    ck_assert_ptr_nonnull(title);
    ck_assert_ptr_nonnull(strstr(title + 1, HOSTILE_XML));
    ck_assert((strstr(svg, WORD_XML) != NULL) ==
              (types[_i].series || strcmp(types[_i].x, "math") == 0));
    ck_assert_ptr_nonnull(strstr(svg, "encoding=\"utf-8\""));
    free(svg);
    ck_silent(d.dir);
    drawing_close(&d);
}
END_TEST

START_TEST(PLT_06_a_failing_gnuplot_leaves_script_and_data)
{
    drawing d;
    open_types(&d, &types[_i], "answers", "cpu", "vendor", BATCHES);
    plot(&d.f, d.dir, "false", &d.notes);
    ck_assert_ptr_nonnull(strstr(d.notes.data, "status 1"));
    ck_assert_ptr_nonnull(strstr(d.notes.data, ".gp"));
    free(read_suffix(d.dir, ".gp"));
    free(read_suffix(d.dir, ".dat"));
    gb_buf_free(&d.notes);
    plot(&d.f, d.dir, "gnuplot-that-is-not-there", &d.notes);
    ck_assert_ptr_nonnull(strstr(d.notes.data, "plots skipped"));
    drawing_close(&d);
}
END_TEST

static void ck_nothing_drawn(const fixture *f)
{
    char dir[128];
    gb_buf notes = {0};
    make_dir(dir, "run");
    plot(f, dir, "gnuplot", &notes);
    ck_assert_msg(strstr(notes.data, "no data for answers") != NULL, "%s", notes.data);
    ck_no_files(dir);
    gb_buf_free(&notes);
}

START_TEST(PLT_08_nothing_to_draw)
{
    drawing d;
    gb_error why = {0};
    open_types(&d, &types[_i], "answers", "cpu", "vendor", BATCHES);
    gb_fail(&why, GB_DEVICE_ERROR, "broken");
    for (size_t i = 0; i < d.f.results.n; i++) {
        gb_record_fail(&d.f.results.records[i], i % 2 == 0 ? GB_STATUS_FAILED : GB_STATUS_SKIPPED,
                       &why);
    }
    ck_nothing_drawn(&d.f);
    drawing_close(&d);
}
END_TEST

static void set_value(gb_record *record, double value)
{
    record->time.median = value;
    set_parts(record, value);
    for (size_t m = 0; m < record->n_metrics; m++) {
        record->metrics[m].value = value;
    }
}

/* Numbers of the data file, comments and texts in quotes left out. */
static size_t count_rows(const char *data, size_t columns)
{
    size_t rows = 0;
    for (const char *line = data; *line != '\0'; line = strchr(line, '\n') + 1) {
        char *end;
        size_t n = 0;
        if (*line == '#' || *line == '\n') {
            continue;
        }
        for (const char *at = line;; at = end) {
            double value = gb_strtod(at, &end);
            if (end == at || memchr(at, '\n', (size_t)(end - at)) != NULL) {
                break;
            }
            ck_assert_msg(!(value < 0), "%.60s", line);
            n++;
        }
        ck_assert_msg(n == columns, "%zu numbers in %.60s", n, line);
        rows++;
    }
    return rows;
}

START_TEST(PLT_09_zero_is_left_out_and_counted)
{
    drawing d;
    open_types(&d, &types[_i], "answers", "cuda", "vendor", BATCHES);
    for (size_t i = 0; i < 2 * REPLICATES; i++) {
        set_value(&d.f.results.records[i], i < REPLICATES ? 0 : NAN);
    }
    plot(&d.f, d.dir, have_gnuplot() ? "gnuplot" : "true", &d.notes);
    ck_assert_msg(strstr(d.notes.data, "point") != NULL &&
                      strstr(d.notes.data, "without a positive value left out") != NULL,
                  "%s", d.notes.data);
    ck_assert_ptr_null(strstr(strstr(d.notes.data, "left out") + 1, "left out")); /* once */
    char *data = read_suffix(d.dir, ".dat");
    if (types[_i].columns > 0) {
        ck_assert_uint_eq(count_rows(data, types[_i].columns), WORDS * BATCHES - 2);
    }
    free(data);
    for (size_t i = 0; i < d.f.results.n; i++) {
        set_value(&d.f.results.records[i], 0);
    }
    ck_nothing_drawn(&d.f);
    drawing_close(&d);
}
END_TEST

START_TEST(PLT_10_one_point_and_equal_values)
{
    for (size_t equal = 0; equal < 2; equal++) {
        drawing d;
        if (!have_gnuplot()) {
            return;
        }
        open_types(&d, &types[_i], "answers", "cuda", "vendor", equal ? BATCHES : 1);
        d.f.results.n = equal ? d.f.results.n : 1;
        for (size_t i = 0; i < d.f.results.n; i++) {
            set_value(&d.f.results.records[i], 1000);
            d.f.results.records[i].time.p95 = d.f.results.records[i].time.p99 = 1000;
        }
        plot(&d.f, d.dir, "gnuplot", &d.notes);
        ck_assert_msg(d.notes.length == 0, "%s", d.notes.data);
        ck_pictures_whole(d.dir);
        ck_silent(d.dir);
        d.f.results.n = d.f.results.n == 1 ? WORDS * REPLICATES : d.f.results.n;
        drawing_close(&d);
    }
}
END_TEST

START_TEST(PLT_12_half_a_picture_is_removed)
{
    drawing d;
    char fake[160];
    open_types(&d, &types[_i], "answers", "cuda", "vendor", BATCHES);
    snprintf(fake, sizeof fake, "%s/gnuplot", d.dir);
    FILE *script = fopen(fake, "w"); /* ends well, as gnuplot does on a full disk */
    fputs("#!/bin/sh\nfor s; do : >\"${s%.gp}.svg\"; echo IHDR >\"${s%.gp}.png\"; done\n", script);
    fclose(script);
    chmod(fake, 0755);
    plot(&d.f, d.dir, fake, &d.notes);
    ck_assert_ptr_nonnull(strstr(d.notes.data, "not written whole"));
    char *command = gb_text_format("ls '%s/plots' | grep -q -e svg -e png", d.dir);
    ck_assert_int_ne(system(command), 0);
    free(command);
    drawing_close(&d);
}
END_TEST

START_TEST(PLT_14_titles_say_what_and_which_way)
{
    static const char *const kinds[] = {"cpu", "cuda"};
    for (size_t k = 0; k < 2; k++) {
        drawing d;
        open_types(&d, &types[_i], "answers", kinds[k], "vendor", BATCHES);
        drawing_write(&d);
        ck_assert_msg(strstr(d.script, types[_i].title_of_y) != NULL, "%s", d.script);
        ck_assert((strstr(d.script, "figures of this CPU, not of a GPU") != NULL) == (k == 0));
        char *line = gb_text_format("'Example device 9000, device: %s, 2026-01-15", kinds[k]);
        ck_assert_ptr_nonnull(strstr(d.script, line));
        free(line);
        drawing_close(&d);
    }
}
END_TEST

static double light(unsigned colour)
{
    const double weights[] = {0.0722, 0.7152, 0.2126};
    double sum = 0;
    for (size_t i = 0; i < 3; i++) {
        double c = (double)(colour >> (8 * i) & 0xff) / 255;
        sum += weights[i] * (c <= 0.03928 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
    }
    return sum;
}

static double contrast(unsigned a, unsigned b)
{
    double x = light(a), y = light(b);
    return (fmax(x, y) + 0.05) / (fmin(x, y) + 0.05);
}

/* Greys are for text, axes and the ground, which a dark page swaps; all else is data and has to be
 * seen on both grounds (https://www.w3.org/TR/WCAG21/#non-text-contrast). No colour has a name. */
START_TEST(colours_are_seen_on_white_and_on_dark)
{
    drawing d;
    open_types(&d, &types[_i], "answers", "cuda", "vendor", BATCHES);
    drawing_write(&d);
    size_t found = 0;
    for (const char *at = d.script; (at = strstr(at, "rgb ")) != NULL; at++) {
        ck_assert_msg(strncmp(at, "rgb '#", 6) == 0, "%.40s", at);
        unsigned colour = (unsigned)strtoul(at + 6, NULL, 16);
        if ((colour & 0xff) == (colour >> 8 & 0xff) && (colour & 0xff) == colour >> 16) {
            continue;
        }
        ck_assert_msg(contrast(colour, 0xffffff) >= 3, "#%06x on white", colour);
        ck_assert_msg(contrast(colour, 0x16181d) >= 3, "#%06x on dark", colour);
        found++;
    }
    ck_assert_uint_gt(found, 0);
    drawing_close(&d);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tests = tcase_create("types of plots");
    const int n = (int)N_TYPES;
    tcase_set_timeout(tests, 60);
    use_environment_locale(tests);
    tcase_add_loop_test(tests, PLT_02_PLT_05_every_label_is_literal, 0, n);
    tcase_add_loop_test(tests, PLT_06_a_failing_gnuplot_leaves_script_and_data, 0, n);
    tcase_add_loop_test(tests, PLT_08_nothing_to_draw, 0, n);
    tcase_add_loop_test(tests, PLT_09_zero_is_left_out_and_counted, 0, n);
    tcase_add_loop_test(tests, PLT_10_one_point_and_equal_values, 0, n);
    tcase_add_loop_test(tests, PLT_12_half_a_picture_is_removed, 0, n);
    tcase_add_loop_test(tests, PLT_14_titles_say_what_and_which_way, 0, n);
    tcase_add_loop_test(tests, colours_are_seen_on_white_and_on_dark, 0, n);
    suite_add_tcase(suite, tests);
}

GB_CHECK_MAIN("plots_types", add_cases)
