/* Suites as users write them. suites/pass_NAME.yaml must load and is printed, suites/fail_NAME.yaml
 * must not and its messages are; either is held against NAME.txt beside it. GB_UPDATE=1 writes the
 * .txt files anew (to be read before they are committed). */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "suite/plan.h"
#include "unit/check_main.h"
#include "unit/suite_catalog.h"

#define FOLDER GB_SOURCE_DIR "/tests/unit/suites/"
#define MOST_FIXTURES 200

static char *names[MOST_FIXTURES];
static int n_names;

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void find_fixtures(void)
{
    DIR *folder = opendir(FOLDER);
    if (folder == NULL)
        return;
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char *dot = strstr(entry->d_name, ".yaml");
        if (dot != NULL && dot[5] == '\0' && n_names < MOST_FIXTURES)
            names[n_names++] = gb_text_copy(entry->d_name);
    }
    closedir(folder);
    qsort(names, (size_t)n_names, sizeof names[0], by_name);
}

static char *read_file(const char *path, size_t *n)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    gb_buf text = {0};
    char piece[4096];
    gb_buf_add(&text, "");
    for (size_t got = fread(piece, 1, sizeof piece, file); got > 0;
         got = fread(piece, 1, sizeof piece, file))
        gb_buf_add_bytes(&text, piece, got);
    fclose(file);
    *n = text.length;
    return text.data;
}

static const char *metric_name(const gb_kernel_spec *spec, int metric)
{
    return gb_spec_metric_at(spec, metric)->name;
}

static void print_conditions(gb_buf *out, const char *label, const gb_kernel_spec *spec,
                             const gb_condition *conditions, size_t n)
{
    static const char *const ops[] = {"in", "<", "<=", ">", ">="};
    char value[64];
    for (size_t i = 0; i < n; i++) {
        const gb_param *param = &spec->params[conditions[i].param];
        gb_buf_printf(out, " %s(%s %s", label, param->name, ops[conditions[i].op]);
        for (size_t k = 0; k < conditions[i].n; k++)
            gb_buf_printf(out, " %s",
                          gb_value_text(param, conditions[i].values[k], value, sizeof value));
        gb_buf_add(out, ")");
    }
}

static void print_benchmark(gb_buf *out, const gb_benchmark *b)
{
    const gb_settings *s = &b->settings;
    gb_buf_printf(out,
                  "%d:%d benchmark '%s' kernel=%s devices=%u timer=%s cache=%s replicates=%u "
                  "samples=%u..%u precision=%g warmup=%" PRIu64 " timeout=%" PRIu64 "\n",
                  b->line, b->column, b->name, b->spec->name, b->devices, gb_timer_word(b->timer),
                  gb_cache_word(b->cache), s->replicates, s->min_samples, s->max_samples,
                  s->precision, s->warmup_ns, s->timeout_ns);
    for (size_t i = 0; i < b->n_tags; i++)
        gb_buf_printf(out, "  tag '%s'\n", b->tags[i]);
    for (size_t i = 0; i < b->n_aliases; i++)
        gb_buf_printf(out, "  alias '%s'\n", b->aliases[i]);
    for (size_t i = 0; i < b->n_excludes; i++) {
        gb_buf_printf(out, "  exclude");
        print_conditions(out, "if", b->spec, b->excludes[i].conditions, b->excludes[i].n);
        gb_buf_printf(out, " '%s'\n", b->excludes[i].reason);
    }
    if (b->gate_metric != -2)
        gb_buf_printf(out, "  gate %s %g\n", metric_name(b->spec, b->gate_metric), b->gate_worse);
    for (size_t i = 0; i < b->n_expects; i++) {
        const gb_expect *e = &b->expects[i];
        gb_buf_printf(out, "  expect %s", metric_name(b->spec, e->metric));
        print_conditions(out, "where", b->spec, e->where, e->n_where);
        print_conditions(out, "of", b->spec, e->of, e->n_of);
        print_conditions(out, "over", b->spec, e->over, e->n_over);
        gb_buf_printf(out, " min=%g max=%g\n", e->min, e->max);
    }
}

static void print_cases(gb_buf *out, const gb_suite *suite, gb_device_kind kind)
{
    gb_plan *plan = NULL;
    gb_error err = {0};
    gb_selection all = {0};
    if (gb_plan_make(suite, kind, &all, &plan, &err) != GB_OK) {
        gb_buf_printf(out, "%s: %s\n", gb_device_kind_word(kind), err.message);
        return;
    }
    gb_buf_printf(out, "%s: %zu cases\n", gb_device_kind_word(kind), plan->n_cases);
    for (size_t i = 0; i < plan->n_cases && plan->n_cases < 200; i++)
        gb_buf_printf(out, "  %s%s%s\n", plan->cases[i].id,
                      plan->cases[i].status != GB_OK ? " skipped: " : "",
                      plan->cases[i].status != GB_OK ? plan->cases[i].reason : "");
    gb_plan_free(plan);
}

static char *print_suite(const gb_suite *suite)
{
    gb_buf out = {0};
    gb_buf_printf(&out, "suite '%s' title '%s' budget %" PRIu64 " devices %u\n", suite->name,
                  suite->title != NULL ? suite->title : "", suite->budget_ns, suite->devices);
    for (size_t i = 0; i < suite->n_benchmarks; i++)
        print_benchmark(&out, &suite->benchmarks[i]);
    for (size_t i = 0; i < suite->n_plots; i++) {
        const gb_plot *p = &suite->plots[i];
        const gb_kernel_spec *spec = suite->benchmarks[p->benchmark].spec;
        gb_buf_printf(&out, "plot %s '%s' of '%s' x=%s y=%s series:", p->type,
                      p->title != NULL ? p->title : "", suite->benchmarks[p->benchmark].name,
                      p->x < 0 ? "-" : spec->params[p->x].name,
                      p->y == GB_PLOT_NO_METRIC ? "-" : metric_name(spec, p->y));
        for (size_t k = 0; k < p->n_series; k++)
            gb_buf_printf(&out, " %s", spec->params[p->series[k]].name);
        for (size_t k = 0; k < p->n_where; k++)
            gb_buf_printf(&out, " where %s", spec->params[p->where[k].param].name);
        gb_buf_add(&out, "\n");
    }
    print_cases(&out, suite, GB_CPU);
    print_cases(&out, suite, GB_CUDA);
    ck_assert(!out.failed);
    return out.data;
}

static char *txt_path(const char *name)
{
    return gb_text_format(FOLDER "%.*s.txt", (int)(strlen(name) - strlen(".yaml")), name);
}

START_TEST(fixture)
{
    size_t n = 0;
    size_t n_expected = 0;
    const char *name = names[_i];
    char *path = gb_text_format(FOLDER "%s", name);
    char *bytes = read_file(path, &n);
    ck_assert_ptr_nonnull(bytes);
    gb_suite *suite;
    char *text = test_parse_bytes(bytes, n, &suite);
    ck_assert_msg((suite != NULL) == (strncmp(name, "pass_", 5) == 0), "%s:\n%s", name, text);
    if (suite != NULL) {
        free(text);
        text = print_suite(suite);
        ck_assert_str_eq(suite->text, bytes);
    }
    char *beside = txt_path(name);
    if (getenv("GB_UPDATE") != NULL) {
        FILE *file = fopen(beside, "wb");
        ck_assert_ptr_nonnull(file);
        fputs(text, file);
        fclose(file);
    }
    char *expected = read_file(beside, &n_expected);
    ck_assert_msg(expected != NULL, "%s is missing", beside);
    ck_assert_msg(strcmp(text, expected) == 0, "%s: got\n%s\nexpected\n%s", name, text, expected);
    free(expected);
    free(beside);
    free(text);
    free(bytes);
    free(path);
    gb_suite_free(suite);
}
END_TEST

START_TEST(there_are_fixtures)
{
    ck_assert_int_gt(n_names, 20);
}
END_TEST

/* The examples of the documentation are suites: every ```yaml block of it. */
START_TEST(examples_in_the_documentation_are_valid)
{
    size_t n;
    int found = 0;
    char *text = read_file(GB_SOURCE_DIR "/docs/suite-format.md", &n);
    ck_assert_ptr_nonnull(text);
    for (char *at = strstr(text, "```yaml\n"); at != NULL; at = strstr(at, "```yaml\n")) {
        char *begin = at + strlen("```yaml\n");
        at = strstr(begin, "```");
        ck_assert_ptr_nonnull(at);
        gb_suite *suite;
        char *messages = test_parse_bytes(begin, (size_t)(at - begin), &suite);
        ck_assert_msg(suite != NULL, "%s", messages);
        free(messages);
        gb_suite_free(suite);
        at += strlen("```");
        found++;
    }
    ck_assert_int_ge(found, 2);
    free(text);
}
END_TEST

static void add_cases(Suite *suite)
{
    find_fixtures();
    TCase *tc = tcase_create("suite");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, there_are_fixtures);
    tcase_add_test(tc, examples_in_the_documentation_are_valid);
    tcase_add_loop_test(tc, fixture, 0, n_names);
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("suite", add_cases)
