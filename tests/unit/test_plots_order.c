/* Pictures are drawn by one gnuplot, one script after the other: none may see what an earlier one
 * has set. Each must be, byte for byte, what it is when drawn alone. */
#include "unit/check_main.h"
#include "unit/plots_fixture.h"

/* The roofline first: without measured roofs it carries labels of its own. */
static const char *const plots[] = {
    "{\"type\": \"roofline\", \"benchmark\": \"a\", \"title\": \"R\", \"series\": []}",
    "{\"type\": \"curve\", \"benchmark\": \"a\", \"x\": \"batch\", \"y\": \"bandwidth\", "
    "\"title\": null, \"series\": [\"math\"]}",
    "{\"type\": \"batch-curve\", \"benchmark\": \"a\", \"x\": \"batch\", \"title\": null, "
    "\"series\": [\"math\"]}",
    "{\"type\": \"bar\", \"benchmark\": \"a\", \"x\": \"math\", \"y\": \"throughput\", "
    "\"title\": null, \"series\": []}",
    "{\"type\": \"ladder\", \"benchmark\": \"a\", \"x\": \"bytes\", \"y\": \"time\", "
    "\"title\": null, \"series\": [\"math\"]}",
    "{\"type\": \"phases\", \"benchmark\": \"a\", \"x\": \"batch\", \"title\": null, "
    "\"series\": [\"math\"]}",
    "{\"type\": \"bar\", \"benchmark\": \"a\", \"x\": \"batch\", \"y\": \"time\", \"title\": "
    "null, \"series\": [\"math\"]}",
    "{\"type\": \"curve\", \"benchmark\": \"a\", \"x\": \"bytes\", \"y\": \"time\", \"title\": "
    "\"Second\", \"series\": [\"math\"]}",
};
enum { N_PLOTS = sizeof plots / sizeof plots[0] };

static void add_records(fixture *f)
{
    static const char *const words[] = {"own", "vendor"};
    for (uint32_t i = 0; i < 14; i++) {
        const double batch = (double)(1u << i % 7), time = (10000 + 400 * batch) * (1 + i / 7);
        char params[120];
        snprintf(params, sizeof params, "{\"batch\": %.0f, \"bytes\": %.0f, \"math\": \"%s\"}",
                 batch, batch * 4096, words[i / 7]);
        gb_record *r = fixture_add(f, "a", "batch", params, i, 0, time, batch * 4096 / time * 1e9);
        gb_metric *metric = &r->metrics[r->n_metrics++];
        *metric = (gb_metric){.higher_is_better = true, .value = batch / time * 1e9, .peak = NAN};
        strcpy(metric->name, "throughput");
        strcpy(metric->unit, "1/s");
        r->time.p95 = time * 1.5;
        r->time.p99 = time * 3;
        r->parts_ns = json_pack("{s:f, s:f}", "launch", time * 0.1, "compute", time * 0.6);
        r->work = (gb_work){
            .flops = 2000 * (uint64_t)batch, .bytes_read = 4096, .compute = GB_COMPUTE_FP32};
    }
}

/* Draws the plots for which `only` is their place, or all (-1), each under its usual number. */
static void draw(const char *dir, int only)
{
    fixture f;
    gb_buf notes = {0}, list = {0};
    gb_buf_add(&list, "[");
    for (int i = 0; i < N_PLOTS; i++)
        gb_buf_printf(&list, "%s%s", i > 0 ? ", " : "",
                      only < 0 || only == i ? plots[i]
                                            : "{\"type\": \"none\", \"benchmark\": \"a\"}");
    gb_buf_add(&list, "]");
    fixture_open(&f, "cuda", list.data);
    json_object_set_new(json_array_get(json_object_get(f.results.document, "devices"), 0),
                        "llc_bytes", json_integer(50000));
    add_records(&f);
    plot(&f, dir, "gnuplot", &notes);
    gb_buf_free(&notes);
    gb_buf_free(&list);
    fixture_close(&f);
}

START_TEST(a_picture_is_the_same_alone_and_after_others)
{
    char together[128], alone[128], name[200], file[256];
    if (!have_gnuplot())
        return;
    make_dir(together, "together");
    draw(together, -1);
    for (int i = 0; i < N_PLOTS; i++) {
        make_dir(alone, "alone");
        draw(alone, i);
        plot_name(alone, name);
        snprintf(file, sizeof file, "%s.svg", name);
        char *expected = slurp(alone, file), *found = slurp(together, file);
        ck_assert_ptr_nonnull(expected);
        ck_assert_ptr_nonnull(found);
        ck_assert_msg(strcmp(expected, found) == 0, "%s differs after other plots", file);
        free(expected);
        free(found);
    }
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tests = tcase_create("order");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, a_picture_is_the_same_alone_and_after_others);
    suite_add_tcase(suite, tests);
}

GB_CHECK_MAIN("plots_order", add_cases)
