/* Every rule of findings against replicates that lie apart: it is silent, or no figure of its
 * sentence stands there as if it were known. */
#include <ctype.h>

#include "base/text.h"
#include "reports/findings.h"
#include "unit/all_rules_fixture.h"
#include "unit/check_main.h"

/* They say nothing that was timed. */
static const char *const counted[] = {"link-below-maximum", "memory-in-holes"};
/* They speak where nothing is known too, and say that it is not, or what was seen. */
static const char *const hedged[] = {"crossover", "crossover-half", "refused-cleanly",
                                     "steadiness"};

static bool among(const char *rule, const char *const rules[], size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(rules[i], rule) == 0)
            return true;
    return false;
}

#define AMONG(rule, rules) among(rule, rules, sizeof(rules) / sizeof((rules)[0]))

static json_t *findings_in(const gb_results *results)
{
    json_t *findings = NULL;
    gb_error err = {0};
    ck_assert_msg(gb_report_findings(results, &findings, &err) == GB_OK, "%s", err.message);
    return findings;
}

static json_t *findings_of(const all_rules *a)
{
    json_t *findings = findings_in(&a->f.results), *half = findings_in(&a->half.results);
    json_array_extend(findings, half);
    json_decref(half);
    return findings;
}

static const char *rule_of(const json_t *finding)
{
    return json_string_value(json_object_get(finding, "rule"));
}

static const char *text_of(const json_t *findings, const char *rule)
{
    size_t i;
    const json_t *one;
    json_array_foreach(findings, i, one)
    {
        if (strcmp(rule_of(one), rule) == 0)
            return json_string_value(json_object_get(one, "text"));
    }
    return NULL;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool before(const char *text, const char *at, const char *what)
{
    const size_t n = strlen(what);
    return (size_t)(at - text) >= n && strncmp(at - n, what, n) == 0;
}

/* Whether what follows a number makes it a time or a rate. *end: behind the unit. */
static bool has_unit(const char *after, const char **end)
{
    char word[16] = "";
    const size_t n = *after == ' ' ? strcspn(after + 1, " ,;:.()") : 0;
    if (n == 0 || n >= sizeof word)
        return false;
    memcpy(word, after + 1, n);
    *end = after + 1 + n;
    static const char *const times[] = {"ns", "us", "ms", "s"};
    for (size_t i = 0; i < 4; i++)
        if (strcmp(word, times[i]) == 0)
            return true;
    return n >= 2 && strcmp(word + n - 2, "/s") == 0 && strcmp(word, "requests/s") != 0;
}

/* Whether a number without a unit is one that was computed from times. */
static bool is_ratio(const char *text, const char *at, const char *after)
{
    static const char *const behind[] = {" times",   " % ",      " operations", " FLOP/byte memory",
                                         " cached ", " launches"};
    if (before(text, at, "prepares each batch ")) /* that is counted */
        return false;
    if (before(text, at, "a factor of "))
        return !before(text, at, "(not known to a factor of ");
    if (begins(after, " % (") && isdigit((unsigned char)after[4])) /* "80 % (70 to 90" */
        return false;
    for (size_t i = 0; i < sizeof behind / sizeof behind[0]; i++)
        if (begins(after, behind[i]))
            return !before(text, at, "+- ");
    return false;
}

/* Whether the ratio is of two times of one run, which lay so far apart there. */
static bool was_seen(const char *after)
{
    return begins(after, " times the median") || begins(after, " % above the median");
}

/* The first figure that is said without its interval; NULL: there is none. */
static const char *bare(const char *text)
{
    for (const char *at = text; *at != '\0';) {
        if (!isdigit((unsigned char)*at)) {
            at++;
            continue;
        }
        char *after;
        const char *end;
        strtod(at, &after);
        const bool second = before(text, at, " to ");
        if (has_unit(after, &end) && !second && !before(text, at, "Repeated for ") &&
            !begins(end, " +- ") && !begins(end, " to ") &&
            !begins(end, " (its spread is not known)") &&
            !begins(end, " (not known to a factor of 10)") && !begins(end, " (the median") &&
            !(begins(end, " (") && isdigit((unsigned char)end[2])))
            return at;
        if (is_ratio(text, at, after) && !was_seen(after) && !second && !begins(after, " to ") &&
            !before(text, at, "more than "))
            return at;
        at = after;
    }
    return NULL;
}

START_TEST(a_bare_figure_is_noticed)
{
    static const struct {
        const char *text;
        bool bare;
    } cases[] = {{"takes 3.79 times the time, at 1000 requests/s.", true},
                 {"takes 1.2 to 9.5 times the time, at 1000 requests/s.", false},
                 {"(110 k/s against 31.5 k/s +- 20 %)", true},
                 {"(110 k/s +- 30 % against 31.5 k/s +- 20 %)", false},
                 {"128 MiB take 79.7 us (40.0 us to 180 us); in 16 chunks", false},
                 {"128 MiB take 79.7 us (in 3.00 ms +- 20 %); in 16 chunks", true},
                 {"takes 79.7 us (its spread is not known), steadily", false},
                 {"takes 79.7 us (not known to a factor of 10)", false},
                 {"takes 79.7 us (the median), but not steadily", false},
                 {"takes more than 2.1 times the time", false},
                 {"the slowest of 20 seconds is 50 % above the median", false},
                 {"the slowest of 20 seconds is within 1.0 % of the median", true},
                 {"39 to 58 % of the time is the kernel", false},
                 {"58 % of the time is the kernel", true},
                 {"longer by a factor of 5.15.", true},
                 {"longer by a factor of 2 to 9.", false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        ck_assert_msg((bare(cases[i].text) != NULL) == cases[i].bare, "%s", cases[i].text);
}
END_TEST

START_TEST(every_rule_speaks_where_its_figures_are_known)
{
    all_rules a;
    all_rules_open(&a, 0.0005, 3);
    json_t *findings = findings_of(&a);
    for (size_t i = 0; gb_finding_rule(i) != NULL; i++)
        ck_assert_msg(text_of(findings, gb_finding_rule(i)) != NULL, "%s is silent",
                      gb_finding_rule(i));
    for (size_t i = 0; i < json_array_size(findings); i++) {
        const json_t *one = json_array_get(findings, i);
        const char *rule = rule_of(one);
        ck_assert_msg(gb_finding_kernel(rule) != NULL, "%s is in no list", rule);
    }
    json_decref(findings);
    all_rules_close(&a);
}
END_TEST

/* A page shows it there. The fixture's benchmarks have the names of their kernels. */
START_TEST(every_finding_names_a_benchmark_of_the_kernel_that_it_is_about)
{
    all_rules a;
    all_rules_open(&a, 0.0005, 3);
    json_t *findings = findings_of(&a);
    ck_assert_uint_gt(json_array_size(findings), 0);
    for (size_t i = 0; i < json_array_size(findings); i++) {
        const json_t *one = json_array_get(findings, i);
        const char *named =
            json_string_value(json_object_get(json_object_get(one, "figures"), "benchmark"));
        ck_assert_msg(named != NULL, "%s names none", rule_of(one));
        ck_assert_msg(strcmp(named, gb_finding_kernel(rule_of(one))) == 0, "%s names %s",
                      rule_of(one), named);
    }
    json_decref(findings);
    all_rules_close(&a);
}
END_TEST

/* +- 28 %, + 64 % and + 111 % for three replicates, and two of them. */
START_TEST(no_figure_is_said_as_if_it_were_known)
{
    static const struct {
        double spread;
        uint32_t replicates;
        size_t least; /* rules that still have something to compare */
    } cases[] = {{0.1, 3, 30}, {0.2, 3, 30}, {0.3, 3, 30}, {0.06, 2, 30}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        all_rules a;
        all_rules_open(&a, cases[c].spread, cases[c].replicates);
        json_t *findings = findings_of(&a);
        const size_t n = json_array_size(findings);
        ck_assert_msg(n >= cases[c].least, "only %zu at %g", n, cases[c].spread);
        for (size_t i = 0; i < n; i++) {
            const json_t *one = json_array_get(findings, i);
            const char *text = json_string_value(json_object_get(one, "text"));
            if (AMONG(rule_of(one), counted))
                continue;
            const char *at = bare(text);
            ck_assert_msg(at == NULL, "at %g '%.12s' is bare in: %s", cases[c].spread,
                          at != NULL ? at : "", text);
        }
        json_decref(findings);
        all_rules_close(&a);
    }
}
END_TEST

/* The first computed number with digits that two figures of +- 9 % each do not leave; NULL: none.
 */
static const char *too_fine(const char *text)
{
    for (const char *at = text; *at != '\0';) {
        if (!isdigit((unsigned char)*at)) {
            at++;
            continue;
        }
        char *after;
        const double value = strtod(at, &after);
        const char *point = memchr(at, '.', (size_t)(after - at));
        const int decimals = point != NULL ? (int)(after - point) - 1 : 0;
        if (is_ratio(text, at, after) &&
            (decimals > (value < 10) || (value >= 100 && fmod(value, 10) != 0)))
            return at;
        at = after;
    }
    return NULL;
}

/* All figures are firm, so that all rules speak, but what is computed from two of them is not. */
START_TEST(what_is_computed_has_the_digits_that_its_parts_leave)
{
    all_rules a;
    all_rules_open(&a, 0.035, 3);
    json_t *findings = findings_of(&a);
    for (size_t i = 0; gb_finding_rule(i) != NULL; i++) {
        const char *text = text_of(findings, gb_finding_rule(i));
        ck_assert_msg(text != NULL, "%s is silent", gb_finding_rule(i));
        if (AMONG(gb_finding_rule(i), counted))
            continue;
        const char *at = too_fine(text);
        ck_assert_msg(at == NULL, "'%.12s' is too fine in: %s", at != NULL ? at : "", text);
    }
    ck_assert_ptr_nonnull(strstr(text_of(findings, "latency-dominates"), "below 97.7 KiB +- "));
    ck_assert_ptr_nonnull(strstr(text_of(findings, "graph-break-even"), "after 100 launches"));
    const char *p95 = strstr(text_of(findings, "batch-knee"), " and ");
    ck_assert_msg(p95 != NULL && strstr(p95, " to ") != NULL, "%s",
                  text_of(findings, "batch-knee"));
    json_decref(findings);
    all_rules_close(&a);
}
END_TEST

/* All rules are silent but those that count and those that say what is not known. */
static void nothing_is_claimed(const all_rules *a)
{
    json_t *findings = findings_of(a);
    for (size_t i = 0; i < json_array_size(findings); i++) {
        const json_t *one = json_array_get(findings, i);
        const char *text = json_string_value(json_object_get(one, "text"));
        if (AMONG(rule_of(one), counted))
            continue;
        ck_assert_msg(AMONG(rule_of(one), hedged), "%s says: %s", rule_of(one), text);
        ck_assert_msg(bare(text) == NULL, "'%.12s' is bare in: %s", bare(text), text);
    }
    ck_assert_ptr_nonnull(strstr(text_of(findings, "crossover"), "it is undecided whether"));
    ck_assert_ptr_nonnull(text_of(findings, counted[0]));
    json_decref(findings);
}

START_TEST(every_rule_is_silent_where_nothing_is_known)
{
    all_rules a;
    all_rules_open(&a, 3, 3);
    nothing_is_claimed(&a);
    all_rules_close(&a);
    all_rules_open(&a, 0, 1); /* a single replicate that did not settle */
    for (size_t i = 0; i < a.f.results.n; i++)
        a.f.results.records[i].converged = false;
    nothing_is_claimed(&a);
    all_rules_close(&a);
}
END_TEST

START_TEST(the_noise_floor_is_named_where_it_keeps_findings_back)
{
    all_rules a;
    all_rules_open(&a, 0.0005, 3);
    json_t *findings = findings_in(&a.f.results), *fewer;
    gb_buf text = {0};
    const size_t n = json_array_size(findings);
    ck_assert_int_eq(gb_report_muted(&a.f.results, findings, &text, NULL), GB_OK);
    ck_assert_uint_eq(text.length, 0);
    json_t *device = json_array_get(json_object_get(a.f.results.document, "devices"), 0);
    json_object_set_new(
        device, "selftest",
        json_pack("{s:f, s:s}", "noise_floor", 1e7, "measured", "2026-02-03T00:00:00Z"));
    fewer = findings_in(&a.f.results);
    ck_assert_uint_lt(json_array_size(fewer), n);
    ck_assert_int_eq(gb_report_muted(&a.f.results, fewer, &text, NULL), GB_OK);
    char *expected = gb_text_format("%zu findings are left out because of the noise floor: "
                                    "\"gpubench selftest\" of 2026-02-03 found ",
                                    n - json_array_size(fewer));
    ck_assert_msg(text.data != NULL && begins(text.data, expected), "%s", text.data);
    ck_assert_ptr_nonnull(json_object_get(device, "selftest")); /* it is only left out of a copy */
    free(expected);
    gb_buf_free(&text);
    json_decref(fewer);
    json_decref(findings);
    all_rules_close(&a);
}
END_TEST

/* Nothing that says all, and every rule that is silent where the spread leaves nothing to say. */
START_TEST(rules_that_the_spread_silences_are_named)
{
    for (int quiet = 0; quiet < 2; quiet++) {
        all_rules a;
        gb_buf text = {0};
        all_rules_open(&a, quiet == 1 ? 0.0005 : 3, 3);
        json_t *findings = findings_in(&a.f.results);
        ck_assert_int_eq(gb_report_muted(&a.f.results, findings, &text, NULL), GB_OK);
        ck_assert_msg(quiet == 0 || text.length == 0, "%s", text.data);
        for (size_t i = 0; quiet == 0 && gb_finding_rule(i) != NULL; i++) {
            char *within = gb_text_format(" %s,", gb_finding_rule(i));
            char *last = gb_text_format(" %s.", gb_finding_rule(i));
            const bool named = strstr(text.data, within) != NULL || strstr(text.data, last) != NULL;
            const bool said = text_of(findings, gb_finding_rule(i)) != NULL ||
                              strcmp(gb_finding_rule(i), "crossover-half") == 0;
            ck_assert_msg(named || said, "%s is not in: %s", gb_finding_rule(i), text.data);
            free(within);
            free(last);
        }
        ck_assert(quiet == 1 || begins(text.data, "Not said, as the spread is too large"));
        gb_buf_free(&text);
        json_decref(findings);
        all_rules_close(&a);
    }
}
END_TEST

/* The first cells of the table of rules: "| `a`, `b` | ...". The caller frees. */
static char *documented(void)
{
    gb_buf cells = {0};
    FILE *file = fopen(GB_SOURCE_DIR "/docs/reports.md", "r");
    ck_assert_ptr_nonnull(file);
    char line[4096];
    bool inside = false;
    gb_buf_add(&cells, " ");
    while (fgets(line, sizeof line, file) != NULL) {
        inside = line[0] == '#' ? begins(line, "## Findings") : inside;
        char *end = inside && begins(line, "| `") ? strstr(line, " | ") : NULL;
        if (end != NULL) {
            *end = '\0';
            for (char *word = strtok(line, "|`, "); word != NULL; word = strtok(NULL, "|`, "))
                gb_buf_printf(&cells, "%s ", word);
        }
    }
    fclose(file);
    return cells.data;
}

START_TEST(every_rule_has_a_row_in_the_documentation_and_every_row_a_rule)
{
    char *rows = documented();
    for (size_t i = 0; gb_finding_rule(i) != NULL; i++) {
        char *word = gb_text_format(" %s ", gb_finding_rule(i));
        ck_assert_msg(strstr(rows, word) != NULL, "%s is not in docs/reports.md",
                      gb_finding_rule(i));
        free(word);
    }
    for (char *word = strtok(rows, " "); word != NULL; word = strtok(NULL, " "))
        ck_assert_msg(gb_finding_kernel(word) != NULL, "docs/reports.md: there is no rule %s",
                      word);
    free(rows);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tests = tcase_create("spread");
    tcase_add_test(tests, a_bare_figure_is_noticed);
    tcase_add_test(tests, every_rule_speaks_where_its_figures_are_known);
    tcase_add_test(tests, every_finding_names_a_benchmark_of_the_kernel_that_it_is_about);
    tcase_add_test(tests, no_figure_is_said_as_if_it_were_known);
    tcase_add_test(tests, what_is_computed_has_the_digits_that_its_parts_leave);
    tcase_add_test(tests, every_rule_is_silent_where_nothing_is_known);
    tcase_add_test(tests, the_noise_floor_is_named_where_it_keeps_findings_back);
    tcase_add_test(tests, rules_that_the_spread_silences_are_named);
    tcase_add_test(tests, every_rule_has_a_row_in_the_documentation_and_every_row_a_rule);
    suite_add_tcase(suite, tests);
}

GB_CHECK_MAIN("findings_spread", add_cases)
