/* YAML itself: what may not be in a file whatever it stands for (YML-01 ... YML-14). */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "unit/check_main.h"
#include "unit/suite_catalog.h"

#define HEAD "gpubench: 1\nname: x\n"
#define NOOP "benchmarks:\n  - name: a\n    kernel: noop\n"

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static const struct {
    const char *text, *expected;
} tabs[] = {
    {HEAD "benchmarks:\n\t- name: a\n",
     "t.yaml:4:1: error: tab character in indentation; use spaces"},
    {"gpubench: 1\n\tname: x\n", "t.yaml:2:1: error: tab character in indentation; use spaces"},
    {"\tgpubench: 1\n", "t.yaml:1:1: error: tab character in indentation; use spaces"},
    {HEAD "benchmarks:\n  - name: a\n  \tkernel: noop\n",
     "t.yaml:5:3: error: tab character in indentation; use spaces"},
    {HEAD "benchmarks:\n  - name: a\n        \tkernel: noop\n",
     "t.yaml:5:9: error: tab character in indentation; use spaces"},
    {HEAD "benchmarks:\n  -\tname: a\n    kernel: noop\n",
     "t.yaml:4:4: error: tab character in indentation; use spaces"},
    {HEAD "benchmarks:\r\n\t- name: a\r\n",
     "t.yaml:4:1: error: tab character in indentation; use spaces"},
};

START_TEST(YML_01_tab_in_indentation_is_named)
{
    test_first_line(tabs[_i].text, tabs[_i].expected);
}
END_TEST

static const char *const legal_tabs[] = {
    HEAD NOOP "    tags: [\"a b\"]\t# a comment\n",
    HEAD "title: \"a b\"\n" NOOP "\t# a comment\n",
    HEAD NOOP "    tags:\n      -\tnightly\n      - \tweekly\n",
    "gpubench:\t1\nname:\tx\n" NOOP,
    HEAD "\t\n" NOOP "  \t \n",
    HEAD NOOP "    axes: {\n\t}\n",
    HEAD "\t# only a comment\nbenchmarks:\n  - name: a\n    kernel: noop\n",
};

START_TEST(YML_01_tab_that_separates_is_fine)
{
    test_first_line(legal_tabs[_i], "");
}
END_TEST

START_TEST(YML_01_tab_in_a_quoted_value_is_text)
{
    /* Legal YAML; a name may not hold it, and that is what the message says. */
    test_complains("gpubench: 1\nname: \"a\tb\"\n" NOOP,
                   "t.yaml:2:7: error: name: the text contains the control or direction character "
                   "U+0009");
}
END_TEST

START_TEST(YML_02_duplicate_keys_are_an_error_at_any_depth)
{
    test_complains(HEAD NOOP "name: y\n",
                   "t.yaml:6:1: error: duplicate key \"name\" (first at line 2, again at line 6)");
    test_complains(HEAD NOOP "    measure:\n      samples: {min: 3,\n        min: 4}\n",
                   "t.yaml:8:9: error: duplicate key \"min\" (first at line 7, again at line 8)");
    test_complains(HEAD "zzz: [[{q: 1, q: 2}]]\n" NOOP,
                   "t.yaml:3:15: error: duplicate key \"q\" (first at line 3, again at line 3)");
    /* Keys are the same when their texts are. */
    test_complains(HEAD "1: x\n\"1\": y\n" NOOP,
                   "duplicate key \"1\" (first at line 3, again at line 4)");
    test_complains(HEAD NOOP "name: y\nname: z\n", "again at line 7)");
}
END_TEST

/* n levels of nine aliases each. */
static char *bomb(int levels)
{
    gb_buf text = {0};
    gb_buf_add(&text, "gpubench: 1\na0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i <= levels; i++) {
        gb_buf_printf(&text, "a%d: &a%d [", i, i);
        for (int k = 0; k < 9; k++)
            gb_buf_printf(&text, "%s*a%d", k > 0 ? ", " : "", i - 1);
        gb_buf_add(&text, "]\n");
    }
    return text.data;
}

START_TEST(YML_04_alias_bomb_is_refused_at_once)
{
    double start = seconds();
    char *text = bomb(20);
    test_complains(text, "error: alias expansion exceeds 100000 nodes");
    free(text);
    ck_assert(seconds() - start < 1);
}
END_TEST

START_TEST(YML_04_large_file_without_aliases_says_so)
{
    gb_buf text = {0};
    gb_buf_add(&text, "gpubench: 1\nx: [");
    for (int i = 0; i < 100001; i++)
        gb_buf_add(&text, "1,");
    gb_buf_add(&text, "]\n");
    test_complains(text.data, "t.yaml:2:");
    test_complains(text.data, "more than 100000 values in one file");
    gb_buf_free(&text);
}
END_TEST

START_TEST(YML_04_many_anchors_are_refused)
{
    gb_buf text = {0};
    gb_buf_add(&text, "gpubench: 1\nx: [");
    for (int i = 0; i < 1001; i++)
        gb_buf_printf(&text, "&a%d 1,", i);
    gb_buf_add(&text, "]\n");
    test_complains(text.data, "more than 1000 anchors");
    gb_buf_free(&text);
}
END_TEST

START_TEST(YML_05_alias_to_nothing_or_to_itself)
{
    test_complains("&a [*a]", "t.yaml:1:5: error: alias '*a' refers to itself (its anchor stands "
                              "in line 1)");
    test_complains(HEAD NOOP "    axes: &x {n: *x}\n",
                   "t.yaml:6:18: error: alias '*x' refers to itself (its anchor stands in line 6)");
    test_complains(HEAD NOOP "    tags: *nope\n",
                   "t.yaml:6:11: error: alias '*nope' has no anchor before it");
    test_complains(HEAD "title: *later\n" NOOP "    tags: [&later a]\n",
                   "t.yaml:3:8: error: alias '*later' has no anchor before it");
}
END_TEST

START_TEST(YML_05_long_chains_of_aliases_need_no_stack)
{
    gb_buf text = {0};
    gb_buf_add(&text, "gpubench: 1\nx:\n  - &a 1\n");
    for (int i = 0; i < 40000; i++)
        gb_buf_add(&text, "  - &a *a\n");
    char *messages = test_parse(text.data, NULL); /* an alias cannot carry an anchor */
    ck_assert_ptr_nonnull(strstr(messages, "t.yaml:4:"));
    free(messages);
    gb_buf_free(&text);
}
END_TEST

START_TEST(YML_05_good_aliases_work)
{
    test_first_line(HEAD "defaults: {replicates: &r 2}\n" NOOP "    measure: {replicates: *r}\n",
                    "");
    gb_suite *suite = test_suite(HEAD "defaults: {replicates: &r 2}\n" NOOP
                                      "    measure: {replicates: *r}\n    tags: &t [p, q]\n"
                                      "  - {name: b, kernel: noop, tags: *t}\n");
    ck_assert_uint_eq(suite->benchmarks[0].settings.replicates, 2);
    ck_assert_uint_eq(suite->benchmarks[1].n_tags, 2);
    ck_assert_str_eq(suite->benchmarks[1].tags[1], "q");
    gb_suite_free(suite);
}
END_TEST

static char *repeat(const char *piece, int n, const char *end)
{
    gb_buf text = {0};
    for (int i = 0; i < n; i++)
        gb_buf_add(&text, piece);
    gb_buf_add(&text, end);
    return text.data;
}

static const char *const nests[] = {"[", "{a: ", "- ", "? ", "[{a: [", "{? "};

START_TEST(YML_06_deep_nesting_is_refused_at_once)
{
    double start = seconds();
    char *text = repeat(nests[_i], 100000, "");
    test_complains(text, "error: nested more than 32 levels deep");
    free(text);
    ck_assert(seconds() - start < 1);
}
END_TEST

START_TEST(YML_06_the_limit_is_32)
{
    char *text = repeat("[", 32, "");
    char *messages = test_parse(text, NULL);
    ck_assert_ptr_null(strstr(messages, "levels deep"));
    free(messages);
    free(text);
    char *open = repeat("[", 31, "");
    char *close = repeat("]", 31, "\n");
    char *deep = gb_text_format("x: %s%s", open, close);
    messages = test_parse(deep, NULL);
    ck_assert_ptr_null(strstr(messages, "levels deep"));
    free(messages);
    free(deep);
    deep = gb_text_format("x: [%s%s]", open, close);
    test_complains(deep, "nested more than 32 levels deep");
    free(deep);
    /* An alias counts with all that hangs from it. */
    deep = gb_text_format("x: &x %s%sy: [*x]\nz: [[*x]]", open, close);
    test_complains(deep, "t.yaml:2:5: error: nested more than 32 levels deep");
    free(deep);
    free(open);
    free(close);
}
END_TEST

START_TEST(YML_06_files_over_one_mebibyte_are_refused)
{
    size_t n = ((size_t)1 << 20) + 1;
    char *text = malloc(n);
    memset(text, '#', n);
    char *messages = test_parse_bytes(text, n, NULL);
    ck_assert_str_eq(messages,
                     "t.yaml: error: the file is larger than 1 MiB, the most a suite may have\n");
    free(messages);
    messages = test_parse_bytes(text, n - 1, NULL);
    ck_assert_str_eq(messages, "t.yaml: error: the file is empty\n");
    free(messages);
    free(text);
}
END_TEST

START_TEST(YML_12_crlf_and_bom_change_nothing)
{
    gb_suite *suite = test_suite("\xEF\xBB\xBFgpubench: 1\r\nname: x y\r\nbenchmarks:\r\n"
                                 "  - name: a\r\n    kernel: copy\r\n    axes:\r\n"
                                 "      memory: pinned\r\n");
    ck_assert_str_eq(suite->name, "x y");
    ck_assert_str_eq(suite->benchmarks[0].name, "a");
    ck_assert_int_eq(suite->benchmarks[0].axes[0].line, 7);
    gb_suite_free(suite);
    test_first_line("\xEF\xBB\xBFgpubench: 1\r\nname: x\r\nbenchmarks:\r\n  - name: a\r\n"
                    "    kernl: noop\r\n    kernel: noop\r\n",
                    "t.yaml:5:5: error: unknown key 'kernl' (did you mean 'kernel'?)");
    char *messages = test_parse("gpubench: 1\r\nname: x\r\nbenchmark: 1\r\n", NULL);
    ck_assert_ptr_null(strchr(messages, '\r'));
    free(messages);
    /* old Mac line ends */
    test_first_line("gpubench: 1\rname: x\rbenchmarks:\r  - name: a\r    kernel: noop\r", "");
}
END_TEST

static const struct {
    const char *text, *expected;
} roots[] = {
    {"", "t.yaml: error: the file is empty"},
    {"\n\n", "t.yaml: error: the file is empty"},
    {"# nothing\n  # here\n", "t.yaml: error: the file is empty"},
    {"\xEF\xBB\xBF", "t.yaml: error: the file is empty"},
    {"---\n", "t.yaml: error: the file is empty"},
    {"---\n---\n...\n", "t.yaml: error: the file is empty"},
    {"x", "t.yaml:1:1: error: top level must be a mapping, got text"},
    {"\"5\"", "t.yaml:1:1: error: top level must be a mapping, got text"},
    {"5", "t.yaml:1:1: error: top level must be a mapping, got number"},
    {"null", "t.yaml:1:1: error: top level must be a mapping, got nothing"},
    {"\n- a\n", "t.yaml:2:1: error: top level must be a mapping, got list"},
    {"[]", "t.yaml:1:1: error: top level must be a mapping, got list"},
    {"{}", "t.yaml:1:1: error: suite: the key 'gpubench' is missing"},
};

START_TEST(YML_13_empty_files_and_other_roots)
{
    test_first_line(roots[_i].text, roots[_i].expected);
}
END_TEST

START_TEST(YML_14_only_one_document)
{
    test_first_line(HEAD NOOP "---\n", "");
    test_first_line(HEAD NOOP "...\n", "");
    test_first_line("---\n" HEAD NOOP "...\n---\n...\n# end\n", "");
    test_first_line("---\n---\n" HEAD NOOP, "");
    test_first_line("%YAML 1.2\n---\n" HEAD NOOP, "");
    test_first_line(HEAD NOOP "---\nname: second\n",
                    "t.yaml:7:1: error: a second document begins here; a suite is one document");
    test_first_line(HEAD NOOP "---\n- 1\n---\nx\n",
                    "t.yaml:7:1: error: a second document begins here; a suite is one document");
}
END_TEST

static const struct {
    const char *text, *expected;
} others[] = {
    {HEAD "defaults: &d {replicates: 2}\nbenchmarks:\n  - <<: *d\n    name: a\n    kernel: noop\n",
     "t.yaml:5:5: error: merge keys ('<<') are not supported; write the keys out, or use an alias "
     "as a whole value"},
    {HEAD NOOP "    \"<<\": 1\n", "t.yaml:6:5: error: unknown key '<<' (valid: name, kernel, tags, "
                                  "aliases, axes, exclude, measure, gate, expect, devices)"},
    {HEAD NOOP "    ? [a, b]\n    : 1\n", "t.yaml:6:7: error: a key must be text, got list"},
    {HEAD NOOP "    ? {a: b}\n    : 1\n", "t.yaml:6:7: error: a key must be text, got mapping"},
    {HEAD "title: !color red\n" NOOP,
     "t.yaml:3:8: error: this tag is not supported; only !!str, !!int, !!float, !!bool and !!null "
     "are, and only before a scalar"},
    {HEAD "title: !!binary aGk=\n" NOOP,
     "t.yaml:3:8: error: this tag is not supported; only !!str, !!int, !!float, !!bool and !!null "
     "are, and only before a scalar"},
    {HEAD "defaults: !!map {replicates: 2}\n" NOOP,
     "t.yaml:3:11: error: this tag is not supported; only !!str, !!int, !!float, !!bool and "
     "!!null are, and only before a scalar"},
    {"gpubench: !!int 1\nname: !!str 5\n" NOOP, ""},
    {"gpubench: !!int \"1\"\nname: x\n" NOOP, ""},
    {"gpubench: !!str 1\nname: x\n" NOOP,
     "t.yaml:1:11: error: gpubench: '1' is quoted text; expected a whole number, without quotes"},
    {"gpubench: !!int one\nname: x\n" NOOP,
     "t.yaml:1:11: error: the value is not what its tag !!int says"},
    {"gpubench: !!bool yes\nname: x\n" NOOP,
     "t.yaml:1:11: error: the value is not what its tag !!bool says"},
    {HEAD "title: [a, b\n" NOOP, "t.yaml:4:11: error: not valid YAML: did not find expected ',' or "
                                 "']' (while parsing a flow sequence that began in line 3)"},
    {HEAD "title: \"abc\n", "t.yaml:4:1: error: not valid YAML: found unexpected end of stream "
                            "(while scanning a quoted scalar that began in line 3)"},
    {HEAD "title: a: b\n",
     "t.yaml:3:9: error: not valid YAML: mapping values are not allowed in this context"},
    {HEAD "title: \"a\\0b\"\n" NOOP, "t.yaml:3:8: error: the text contains a NUL character"},
    {HEAD "title: \x01\n", "t.yaml:3:8: error: control character U+0001; remove it"},
    {HEAD "title: a\xC2\x85"
          "b\n",
     "t.yaml:3:9: error: line separator U+0085; remove it"},
    {HEAD "title: a\xE2\x80\xA8"
          "b\n",
     "t.yaml:3:9: error: line separator U+2028; remove it"},
    {HEAD "title: \xC3\xA4\xEF\xBB\xBF\n",
     "t.yaml:3:9: error: character that YAML does not allow U+FEFF; remove it"},
    {HEAD "title: \xFF\n", "t.yaml: error: the file is not UTF-8: byte 0xFF in line 3 (offset "
                           "27); only UTF-8 is read"},
    {HEAD "title: \xED\xA0\x80\n", "t.yaml: error: the file is not UTF-8: byte 0xED in line 3 "
                                   "(offset 27); only UTF-8 is read"},
};

START_TEST(what_yaml_allows_and_a_suite_does_not)
{
    test_first_line(others[_i].text, others[_i].expected);
}
END_TEST

START_TEST(only_utf8_is_read)
{
    static const struct {
        const char *bytes;
        size_t n;
    } files[] = {{"\xFF\xFEg\0p\0", 6},
                 {"\xFE\xFF\0g\0p", 6},
                 {"g\0p\0", 4},
                 {"\0g\0p", 4},
                 {"\xFF\xFE\0\0g\0\0\0", 8}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char *messages = test_parse_bytes(files[i].bytes, files[i].n, NULL);
        ck_assert_str_eq(messages,
                         "t.yaml: error: the file is UTF-16 or UTF-32; only UTF-8 is read\n");
        free(messages);
    }
    char *messages = test_parse_bytes("gpubench: 1\nna\0me: x\n", 21, NULL);
    ck_assert_ptr_nonnull(strstr(messages, "t.yaml:2:3: error: control character U+0000"));
    free(messages);
}
END_TEST

START_TEST(a_file_of_one_byte_is_an_error_whichever)
{
    for (int byte = 0; byte < 256; byte++) {
        char text = (char)byte;
        gb_suite *suite;
        char *messages = test_parse_bytes(&text, 1, &suite);
        ck_assert_ptr_null(suite);
        ck_assert_ptr_nonnull(strstr(messages, "error: "));
        free(messages);
    }
}
END_TEST

START_TEST(directives_without_end_are_refused)
{
    char *text = repeat("%TAG !a! tag:a,2000:\n", 40000, "--- {}\n");
    double start = seconds();
    test_complains(text, "more than 16 lines begin with %");
    ck_assert(seconds() - start < 1);
    free(text);
}
END_TEST

START_TEST(every_prefix_of_a_suite_ends_in_messages)
{
    static const char text[] = HEAD "defaults: &d {replicates: 2}\nbenchmarks:\n  - name: \"a\"\n"
                                    "    kernel: copy\n    axes:\n      bytes: {from: 1KiB, to: "
                                    "1MiB, times: 4}\n    tags: [p, 'q r']\n    exclude:\n      - "
                                    "{bytes: \">=1MiB\", reason: x}\n";
    for (size_t n = 0; n < sizeof text; n++)
        free(test_parse_bytes(text, n, NULL));
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tc = tcase_create("yaml");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, YML_01_tab_in_indentation_is_named, 0,
                        (int)(sizeof tabs / sizeof tabs[0]));
    tcase_add_loop_test(tc, YML_01_tab_that_separates_is_fine, 0,
                        (int)(sizeof legal_tabs / sizeof legal_tabs[0]));
    tcase_add_test(tc, YML_01_tab_in_a_quoted_value_is_text);
    tcase_add_test(tc, YML_02_duplicate_keys_are_an_error_at_any_depth);
    tcase_add_test(tc, YML_04_alias_bomb_is_refused_at_once);
    tcase_add_test(tc, YML_04_large_file_without_aliases_says_so);
    tcase_add_test(tc, YML_04_many_anchors_are_refused);
    tcase_add_test(tc, YML_05_alias_to_nothing_or_to_itself);
    tcase_add_test(tc, YML_05_long_chains_of_aliases_need_no_stack);
    tcase_add_test(tc, YML_05_good_aliases_work);
    tcase_add_loop_test(tc, YML_06_deep_nesting_is_refused_at_once, 0,
                        (int)(sizeof nests / sizeof nests[0]));
    tcase_add_test(tc, YML_06_the_limit_is_32);
    tcase_add_test(tc, YML_06_files_over_one_mebibyte_are_refused);
    tcase_add_test(tc, YML_12_crlf_and_bom_change_nothing);
    tcase_add_loop_test(tc, YML_13_empty_files_and_other_roots, 0,
                        (int)(sizeof roots / sizeof roots[0]));
    tcase_add_test(tc, YML_14_only_one_document);
    tcase_add_loop_test(tc, what_yaml_allows_and_a_suite_does_not, 0,
                        (int)(sizeof others / sizeof others[0]));
    tcase_add_test(tc, only_utf8_is_read);
    tcase_add_test(tc, a_file_of_one_byte_is_an_error_whichever);
    tcase_add_test(tc, directives_without_end_are_refused);
    tcase_add_test(tc, every_prefix_of_a_suite_ends_in_messages);
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("yaml", add_cases)
