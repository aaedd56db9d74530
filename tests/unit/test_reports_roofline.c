/* The roofline picture, read back from the data that its script plots. */
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/units.h"
#include "reports/page/report_page.h"
#include "reports/plot/plots.h"
#include "reports/plot/roofline.h"
#include "unit/roofline_fixture.h"

typedef struct picture {
    gb_buf script, data, notes;
} picture;

static picture draw(const fixture *f)
{
    picture p = {0};
    gb_error err = {0};
    gb_table table;
    const json_t *plot =
        json_array_get(json_object_get(json_object_get(f->results.document, "suite"), "plots"), 0);
    ck_assert_int_eq(gb_table_make(&f->results, &table, &err), GB_OK);
    ck_assert_msg(gb_roofline_write(&f->results, &table, plot, "01-roof", &p.script, &p.data,
                                    &p.notes, &err) == GB_OK,
                  "%s", err.message);
    gb_table_free(&table);
    return p;
}

static void drop(picture *p)
{
    gb_buf_free(&p->script);
    gb_buf_free(&p->data);
    gb_buf_free(&p->notes);
}

/* The numbers of the block whose comment begins with `label`; returns how many points. */
static size_t block(const picture *p, const char *label, double x[], double y[])
{
    char *head = gb_text_format("# %s", label);
    const char *at = p->data.data != NULL ? strstr(p->data.data, head) : NULL;
    size_t n = 0;
    free(head);
    for (at = at != NULL ? strchr(at, '\n') : NULL; at != NULL && n < 16; at = strchr(at, '\n')) {
        at++;
        if (*at == '#')
            continue;
        if (*at == '\n' || *at == '\0')
            break;
        char *end;
        x[n] = gb_strtod(at, &end);
        y[n++] = gb_strtod(end, &end);
    }
    return n;
}

START_TEST(PLT_13_roofs_come_from_the_right_rows)
{
    fixture f;
    double x[16], y[16];
    open_fixture(&f, "cuda");
    roofs(&f);
    sweep(&f, 0.9);
    give_theory(&f, "peaks", 120e9, 1.2e12);
    picture p = draw(&f);
    ck_assert_uint_eq(block(&p, "memory 100 GB/s measured", x, y), 2);
    ck_assert_double_eq_tol(y[0] / x[0], 100e9, 1);
    ck_assert_double_eq_tol(y[1], 1e12, 1e3); /* ends at the ridge, 10 FLOP/byte */
    ck_assert_double_eq_tol(x[1], 10, 1e-6);
    ck_assert_uint_eq(block(&p, "L2 400 GB/s measured", x, y), 2);
    ck_assert_uint_eq(block(&p, "fp32 1.00 TFLOP/s measured", x, y), 2);
    ck_assert_uint_eq(block(&p, "memory 120 GB/s theoretical", x, y), 2);
    ck_assert_uint_eq(block(&p, "fp32 1.20 TFLOP/s theoretical", x, y), 2);
    ck_assert_double_eq(y[0], y[1]);
    /* Each value stands on its line; solid is measured and dashed is theory, and the legend says
     * so; both axes logarithmic, with units. */
    ck_assert(has(&p.script, "'memory 100 GB/s measured' at screen"));
    ck_assert(has(&p.script, "'fp32 1.20 TFLOP/s theoretical' at screen"));
    ck_assert(has(&p.script, "index 2 using 1:($2/1) with lines linewidth 2 dashtype "
                             "1 linecolor rgb '#0072B2' notitle"));
    ck_assert(has(&p.script, "index 0 using 1:($2/1) with lines linewidth 1.5 dashtype "
                             "2 linecolor rgb '#0072B2' notitle"));
    ck_assert(has(&p.script, "'roof, measured'"));
    ck_assert(has(&p.script, "'roof, theoretical or as published'"));
    ck_assert(has(&p.script, "set logscale x") && has(&p.script, "set logscale y"));
    ck_assert(has(&p.script, "FLOP/byte") && has(&p.script, "arithmetic rate, higher is better"));
    ck_assert(has(&p.script, "'1 TFLOP/s' 1000000000000"));
    ck_assert(has(&p.script, "'measured ridge at 10 FLOP/byte'"));
    ck_assert(!has(&p.script, "of this CPU"));
    ck_assert_uint_eq(p.notes.length, 0);
    drop(&p);
    fixture_close(&f);
}
END_TEST

START_TEST(PLT_13_points_stand_at_counted_work)
{
    fixture f;
    double x[16], y[16];
    open_fixture(&f, "cpu");
    roofs(&f);
    sweep(&f, 0.9);
    picture p = draw(&f);
    ck_assert_uint_eq(block(&p, "sweep\n", x, y), 6);
    ck_assert_double_eq(x[0], 0.25);
    ck_assert_double_eq(x[5], 256);
    ck_assert_double_eq_tol(y[0], 0.25 * 90e9, 1e6);
    ck_assert_double_eq_tol(y[5], 0.9e12, 1e6);
    /* Other benchmarks with the same units are there too, told apart by their words; each name
     * stands at a point. The roof itself is no point. */
    ck_assert_uint_eq(block(&p, "memory: read\n", x, y), 1);
    ck_assert_uint_eq(block(&p, "memory: triad\n", x, y), 1);
    ck_assert(has(&p.script, "'memory: read' at screen") && has(&p.script, "'sweep' at screen"));
    ck_assert(!has(&p.data, "peak"));
    ck_assert(has(&p.script, "figures of this CPU, not of a GPU"));
    drop(&p);
    fixture_close(&f);
}
END_TEST

START_TEST(PLT_13_unknown_roofs_are_left_out_and_said)
{
    fixture f;
    open_fixture(&f, "cuda");
    sweep(&f, 0.9);
    picture p = draw(&f);
    ck_assert_uint_eq(p.script.length > 0, 1);
    ck_assert(has(&p.data, "# sweep")); /* points without roof */
    ck_assert(!has(&p.data, "measured") && !has(&p.data, "theoretical"));
    ck_assert(has(&p.notes, "unknown roofs: memory, measured; arithmetic, measured; memory, "
                            "theoretical; arithmetic, theoretical"));
    ck_assert(has(&p.script, "unknown roofs: memory, measured")); /* in the picture too */
    ck_assert(!has(&p.script, "ridge"));
    drop(&p);

    /* Published figures stand in for theory, and say so. */
    give_theory(&f, "published", 120e9, 1.2e12);
    p = draw(&f);
    ck_assert(has(&p.data, "memory 120 GB/s as published"));
    ck_assert(has(&p.data, "fp32 1.20 TFLOP/s as published"));
    ck_assert(has(&p.script, "'theoretical ridge at 10 FLOP/byte'"));
    ck_assert(!has(&p.data, "theoretical"));
    drop(&p);
    fixture_close(&f);
}
END_TEST

START_TEST(KRN_05_PLT_13_points_above_the_roof_are_drawn_and_flagged)
{
    fixture f;
    double x[32], y[32];
    open_fixture(&f, "cuda");
    roofs(&f);
    sweep(&f, 1.01); /* within 2 %: noise */
    picture p = draw(&f);
    ck_assert(!has(&p.data, "implausible") && !has(&p.notes, "above its roof"));
    ck_assert(!has(&p.script, "implausible"));
    drop(&p);
    sweep(&f, 1.18);
    p = draw(&f);
    ck_assert(has(&p.notes, "above its roof (implausible)"));
    /* Kept at its place, not cut to the roof; with a sign of its own that the legend explains. */
    ck_assert_uint_eq(block(&p, "sweep\n", x, y), 12);
    double most = 0;
    for (size_t i = 0; i < 12; i++)
        most = fmax(most, y[i]);
    ck_assert_double_eq_tol(most, 1.18e12, 1e6);
    ck_assert(has(&p.data, " # implausible\n"));
    ck_assert(has(&p.script, "front point pointtype 2 pointsize 1.8"));
    ck_assert(has(&p.script, "'implausible: above its roof, an error in the measurement'"));
    drop(&p);
    fixture_close(&f);
}
END_TEST

/* 6 % above a roof, far inside the intervals of both; table, verdict and picture agree. */
START_TEST(KRN_05_noise_above_a_roof_is_not_implausible)
{
    for (int noisy = 0; noisy < 2; noisy++) {
        fixture f;
        gb_buf text = {0}, page = {0};
        gb_pictures none = {0};
        open_fixture(&f, "cuda");
        roofs(&f);
        sweep(&f, 1.06);
        for (size_t i = 0; i < f.results.n; i++) {
            gb_record *r = &f.results.records[i];
            r->time.ci95[0] = r->time.median * (noisy ? 0.6 : 0.999);
            r->time.ci95[1] = r->time.median * (noisy ? 1.7 : 1.001);
        }
        picture p = draw(&f);
        ck_assert(has(&p.data, "implausible") == !noisy);
        ck_assert(has(&p.notes, "above its roof") == !noisy);
        ck_assert_int_eq(gb_report_table(&f.results, false, &text, NULL), GB_OK);
        ck_assert(has(&text, "implausible (6 cases)") == !noisy);
        ck_assert(has(&text, "implausible") == !noisy);
        ck_assert_int_eq(gb_report_page(&f.results, &none, &page, NULL), GB_OK);
        ck_assert(has(&page, ">implausible<") == !noisy);
        gb_buf_free(&text);
        gb_buf_free(&page);
        drop(&p);
        fixture_close(&f);
    }
}
END_TEST

START_TEST(flagged_points_have_signs_and_a_line_in_the_legend)
{
    fixture f;
    open_fixture(&f, "cuda");
    roofs(&f);
    sweep(&f, 0.9);
    f.results.records[f.results.n - 1].flags |= GB_BIT(GB_FLAG_KERNEL_LIMITED);
    f.results.records[f.results.n - 2].flags |= GB_BIT(GB_FLAG_IMPLAUSIBLE);
    picture p = draw(&f);
    ck_assert(has(&p.data, " # kernel-limited\n") && has(&p.data, " # implausible\n"));
    ck_assert(has(&p.script, "front point pointtype 6 pointsize 1.8"));
    ck_assert(has(&p.script, "'kernel-limited: the kernel, not the device, sets the limit'"));
    drop(&p);
    fixture_close(&f);
}
END_TEST

START_TEST(PLT_13_theory_is_the_roof_where_none_was_measured)
{
    fixture f;
    open_fixture(&f, "cuda");
    sweep(&f, 1);
    give_theory(&f, "peaks", 80e9, 0.8e12);
    picture p = draw(&f);
    ck_assert(has(&p.data, "implausible"));
    drop(&p);
    fixture_close(&f);
}
END_TEST

START_TEST(devices_stand_side_by_side_with_their_own_roofs)
{
    fixture f;
    double x[16], y[16];
    open_fixture(&f, "cuda");
    json_t *devices = json_object_get(f.results.document, "devices");
    json_array_append_new(devices, json_pack("{s:s,s:s,s:i}", "kind", "cpu", "name",
                                             "Other processor", "llc_bytes", 32 * MIB));
    roofs(&f);
    sweep(&f, 0.9);
    size_t first = f.results.n;
    memory_row(&f, "read", 256 * MIB, 10e9);
    sweep(&f, 0.09);
    for (size_t i = first; i < f.results.n; i++)
        f.results.records[i].device = 1;
    picture p = draw(&f);
    ck_assert(has(&p.script, "'Example device 9000, device: cuda, 2026-01-15'"));
    ck_assert(has(&p.script, "'Other processor, device: cpu, 2026-01-15 - figures of this CPU, "
                             "not of a GPU'"));
    ck_assert_uint_eq(block(&p, "memory 100 GB/s measured", x, y), 2);
    ck_assert_uint_eq(block(&p, "memory 10.0 GB/s measured", x, y), 2);
    ck_assert(has(&p.script, "'Other processor: unknown roofs: arithmetic, measured"));
    /* The same axes. */
    const char *range = strstr(p.script.data, "set yrange");
    size_t length = strcspn(range, "\n");
    const char *next = strstr(range + length, "set yrange");
    ck_assert_ptr_nonnull(next);
    ck_assert_int_eq(strncmp(range, next, length), 0);
    drop(&p);
    fixture_close(&f);
}
END_TEST

/* Where a text stands, in pixels of the picture. */
static void text_box(const picture *p, const char *text, double box[4])
{
    char *quoted = gb_text_format("'%s' at screen ", text);
    char *end;
    const char *at = strstr(p->script.data, quoted);
    ck_assert_msg(at != NULL, "%s", text);
    double x = gb_strtod(at + strlen(quoted), &end) * 1000;
    double height = gb_strtod(strstr(p->script.data, "size 1000,") + 10, NULL);
    double y = gb_strtod(end + 1, &end) * height, width = 5.5 * (double)strlen(text);
    box[0] = strncmp(end, " right", 6) == 0 ? x - width : x;
    box[1] = y - 5;
    box[2] = box[0] + width;
    box[3] = y + 5;
    free(quoted);
}

START_TEST(names_do_not_cover_each_other)
{
    fixture f;
    double boxes[12][4];
    int in_list = 0;
    char name[32], number[16];
    open_fixture(&f, "cuda");
    roofs(&f);
    for (int i = 0; i < 12; i++) { /* all but on the same spot */
        snprintf(name, sizeof name, "kernel number %d", i);
        row(&f, name, "stencil", "{}", 1e6 * (1 + 0.02 * i),
            (gb_work){.bytes_read = 64 * MIB,
                      .flops = 64 * MIB,
                      .working_set = 512 * MIB,
                      .compute = GB_COMPUTE_FP32});
    }
    sweep(&f, 0.9);
    picture p = draw(&f);
    for (int i = 0; i < 12; i++) {
        snprintf(name, sizeof name, "kernel number %d", i);
        char *placed = gb_text_format("'%s' at screen", name);
        char *listed = gb_text_format(" = %s'", name);
        if (has(&p.script, placed)) {
            text_box(&p, name, boxes[i]);
        } else { /* in the legend; its number may have a place */
            const char *in_legend = strstr(p.script.data, listed);
            ck_assert_msg(in_legend != NULL, "%s", name);
            while (in_legend[-1] != '\'')
                in_legend--;
            snprintf(number, sizeof number, "%.*s", (int)strcspn(in_legend, " "), in_legend);
            char *quoted = gb_text_format("'%s' at screen ", number);
            boxes[i][0] = boxes[i][2] = -1; /* nowhere */
            if (has(&p.script, quoted))
                text_box(&p, number, boxes[i]);
            free(quoted);
            in_list++;
        }
        free(placed);
        free(listed);
        for (int k = 0; k < i; k++)
            ck_assert_msg(boxes[i][0] >= boxes[k][2] || boxes[k][0] >= boxes[i][2] ||
                              boxes[i][1] >= boxes[k][3] || boxes[k][1] >= boxes[i][3],
                          "%d covers %d", i, k);
    }
    ck_assert_int_lt(in_list, 8);
    drop(&p);
    fixture_close(&f);
}
END_TEST

START_TEST(nothing_to_draw_is_said)
{
    fixture f;
    open_fixture(&f, "cuda");
    roofs(&f);
    picture p = draw(&f);
    ck_assert_uint_eq(p.script.length, 0);
    ck_assert_uint_eq(p.data.length, 0);
    ck_assert(has(&p.notes, "no data for sweep"));
    drop(&p);
    fixture_close(&f);
}
END_TEST

START_TEST(gnuplot_draws_it)
{
    fixture f;
    gb_buf notes = {0};
    gb_error err = {0};
    char dir[] = "/tmp/gb-roof-XXXXXX", pattern[128];
    struct stat facts;
    if (system("command -v gnuplot >/dev/null 2>&1") != 0)
        return;
    open_fixture(&f, "cpu");
    roofs(&f);
    sweep(&f, 0.9);
    ck_assert_ptr_nonnull(mkdtemp(dir));
    ck_assert_int_eq(gb_report_plots(&f.results, dir, "gnuplot", NULL, &notes, &err), GB_OK);
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/plots/01-*.svg", dir);
    ck_assert_msg(glob(pattern, 0, NULL, &found) == 0 && stat(found.gl_pathv[0], &facts) == 0, "%s",
                  notes.data != NULL ? notes.data : "");
    globfree(&found);
    ck_assert_int_gt((long)facts.st_size, 5000);
    snprintf(pattern, sizeof pattern, "rm -r '%s'", dir);
    ck_assert_int_eq(system(pattern), 0);
    gb_buf_free(&notes);
    fixture_close(&f);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *c = tcase_create("roofline");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, PLT_13_roofs_come_from_the_right_rows);
    tcase_add_test(c, PLT_13_points_stand_at_counted_work);
    tcase_add_test(c, PLT_13_unknown_roofs_are_left_out_and_said);
    tcase_add_test(c, KRN_05_PLT_13_points_above_the_roof_are_drawn_and_flagged);
    tcase_add_test(c, KRN_05_noise_above_a_roof_is_not_implausible);
    tcase_add_test(c, flagged_points_have_signs_and_a_line_in_the_legend);
    tcase_add_test(c, devices_stand_side_by_side_with_their_own_roofs);
    tcase_add_test(c, names_do_not_cover_each_other);
    tcase_add_test(c, PLT_13_theory_is_the_roof_where_none_was_measured);
    tcase_add_test(c, nothing_to_draw_is_said);
    tcase_add_test(c, gnuplot_draws_it);
    suite_add_tcase(suite, c);
}

GB_CHECK_MAIN("reports_roofline", add_cases)
