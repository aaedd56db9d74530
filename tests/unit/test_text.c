#include <string.h>

#include "base/text.h"
#include "unit/locale_case.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define SMILE "\xF0\x9F\x98\x80"
#define E_ACUTE "\xC3\xA9"

START_TEST(buffers_grow)
{
    gb_buf buf = {0};
    for (int i = 0; i < 10000; i++) {
        gb_buf_printf(&buf, "%d,", i % 10);
    }
    ck_assert_uint_eq(buf.length, 20000);
    ck_assert_uint_eq(strlen(buf.data), 20000);
    gb_buf_add(&buf, "x");
    gb_buf_add_bytes(&buf, "a\0b", 3);
    gb_buf_add_bytes(&buf, NULL, 0);
    ck_assert_uint_eq(buf.length, 20004);
    ck_assert_int_eq(memcmp(buf.data + 20000, "xa\0b", 5), 0);
    char *text = NULL;
    ck_assert_int_eq(gb_buf_take(&buf, &text, NULL), GB_OK);
    ck_assert_ptr_null(buf.data);
    free(text);
    ck_assert_int_eq(gb_buf_take(&buf, &text, NULL), GB_OK);
    ck_assert_str_eq(text, "");
    free(text);
    gb_buf_free(&buf);
    gb_buf_free(&buf);
}
END_TEST

START_TEST(a_buffer_out_of_memory_says_so_once)
{
    gb_buf buf = {0};
    gb_error err = {.message = ""};
    char *text = NULL;
    gb_buf_add(&buf, "kept");
    buf.length = SIZE_MAX - 2; /* the next byte cannot be counted */
    gb_buf_add(&buf, "more");
    ck_assert(buf.failed);
    buf.length = 4;
    gb_buf_add(&buf, "ignored");
    gb_buf_printf(&buf, "%d", 1);
    ck_assert_uint_eq(buf.length, 4);
    ck_assert_int_eq(gb_buf_take(&buf, &text, &err), GB_NO_MEMORY);
    ck_assert_ptr_null(text);
    ck_assert_ptr_null(buf.data);
}
END_TEST

START_TEST(RES_09_formatted_numbers_have_a_point)
{
    char *text = gb_text_format("%.2f %g %s", 1.5, 0.25, "x");
    ck_assert_str_eq(text, "1.50 0.25 x");
    free(text);
    gb_buf buf = {0};
    gb_buf_printf(&buf, "%.1f", 2.5);
    ck_assert_str_eq(buf.data, "2.5");
    gb_buf_free(&buf);
}
END_TEST

START_TEST(utf8_is_checked)
{
    static const char *const good[] = {"",
                                       "abc",
                                       E_ACUTE,
                                       "\xE2\x82\xAC",
                                       SMILE,
                                       "\xEF\xBB\xBF",
                                       "\xED\x9F\xBF",
                                       "\xEE\x80\x80",
                                       "\xF4\x8F\xBF\xBF"};
    for (size_t i = 0; i < COUNT(good); i++) {
        ck_assert(gb_utf8_valid(good[i], strlen(good[i]), NULL));
    }
    static const struct {
        const char *bytes;
        size_t bad;
    } bad[] = {{"a\x80", 1},
               {"\xC0\xAF", 0},
               {"\xC1\xBF", 0},
               {"ab\xE0\x9F\xBF", 2},
               {"\xED\xA0\x80", 0},
               {"\xF0\x8F\xBF\xBF", 0},
               {"\xF4\x90\x80\x80", 0},
               {"\xF5\x80\x80\x80", 0},
               {"\xFF", 0},
               {E_ACUTE "\xC3", 2},
               {"\xE2\x82", 0},
               {"\xF0\x9F\x98", 0},
               {"\xE2\x28\xA1", 0}};
    for (size_t i = 0; i < COUNT(bad); i++) {
        size_t where = 99;
        ck_assert_msg(!gb_utf8_valid(bad[i].bytes, strlen(bad[i].bytes), &where), "%zu", i);
        ck_assert_uint_eq(where, bad[i].bad);
    }
    ck_assert(gb_utf8_valid("a\0b", 3, NULL));
}
END_TEST

START_TEST(utf8_is_decoded)
{
    static const struct {
        const char *text;
        uint32_t point;
        size_t length;
    } cases[] = {{"A", 'A', 1},
                 {E_ACUTE, 0xE9, 2},
                 {"\xE2\x82\xAC", 0x20AC, 3},
                 {SMILE, 0x1F600, 4},
                 {"\xF4\x8F\xBF\xBF", 0x10FFFF, 4},
                 {"\xC3", 0xFFFD, 1},
                 {"\x80z", 0xFFFD, 1}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint32_t point = 0;
        ck_assert_uint_eq(gb_utf8_decode(cases[i].text, &point), cases[i].length);
        ck_assert_uint_eq(point, cases[i].point);
    }
}
END_TEST

START_TEST(utf8_is_cut_between_characters)
{
    ck_assert_uint_eq(gb_utf8_cut("abc", 10), 3);
    ck_assert_uint_eq(gb_utf8_cut("abc", 2), 2);
    ck_assert_uint_eq(gb_utf8_cut("abc", 0), 0);
    ck_assert_uint_eq(gb_utf8_cut("a" SMILE "b", 1), 1);
    ck_assert_uint_eq(gb_utf8_cut("a" SMILE "b", 2), 1);
    ck_assert_uint_eq(gb_utf8_cut("a" SMILE "b", 4), 1);
    ck_assert_uint_eq(gb_utf8_cut("a" SMILE "b", 5), 5);
    ck_assert_uint_eq(gb_utf8_cut(SMILE, 3), 0);
    ck_assert_uint_eq(gb_utf8_cut("\x80\x80\x80\x80\x80\x80", 5), 5); /* not UTF-8 anyway */
}
END_TEST

START_TEST(columns_on_a_terminal)
{
    ck_assert_uint_eq(gb_utf8_width(""), 0);
    ck_assert_uint_eq(gb_utf8_width("abc"), 3);
    ck_assert_uint_eq(gb_utf8_width(E_ACUTE), 1);
    ck_assert_uint_eq(gb_utf8_width("e\xCC\x81"), 1);                /* e + combining acute */
    ck_assert_uint_eq(gb_utf8_width("\xE6\xBC\xA2\xE5\xAD\x97"), 4); /* two ideographs */
    ck_assert_uint_eq(gb_utf8_width(SMILE), 2);
    ck_assert_uint_eq(gb_utf8_width("a\xE2\x80\x8B"
                                    "b"),
                      2);                                /* zero width space */
    ck_assert_uint_eq(gb_utf8_width("\xEF\xBC\xA1"), 2); /* fullwidth A */
    ck_assert_uint_eq(gb_utf8_width("\xC2\xB5s"), 2);
}
END_TEST

START_TEST(unsafe_characters)
{
    static const uint32_t unsafe[] = {0,     9,      10,     0x1B,   0x7F,   0x85,   0x9F,
                                      0x61C, 0x200E, 0x200F, 0x202A, 0x202E, 0x2066, 0x2069};
    static const uint32_t safe[] = {' ', 'a', '~', 0xA0, 0xE9, 0x200D, 0x202F, 0x206A, 0x1F600};
    for (size_t i = 0; i < COUNT(unsafe); i++) {
        ck_assert_msg(gb_utf8_unsafe(unsafe[i]), "%X", unsafe[i]);
    }
    for (size_t i = 0; i < COUNT(safe); i++) {
        ck_assert_msg(!gb_utf8_unsafe(safe[i]), "%X", safe[i]);
    }
}
END_TEST

START_TEST(printable_text)
{
    static const struct {
        const char *in, *printable, *valid;
    } cases[] = {
        {"", "", ""},
        {"plain " E_ACUTE SMILE, "plain " E_ACUTE SMILE, "plain " E_ACUTE SMILE},
        {"a\x1b[31m\n", "a\\x1B[31m\\x0A", "a\x1b[31m\n"},
        {"a\xFF\xC3", "a\\xFF\\xC3", "a\\xFF\\xC3"},
        {"x\xE2\x80\xAEy", "x\\u{202E}y", "x\xE2\x80\xAEy"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *a = gb_text_printable(cases[i].in), *b = gb_text_escape_invalid(cases[i].in);
        ck_assert_str_eq(a, cases[i].printable);
        ck_assert_str_eq(b, cases[i].valid);
        free(a);
        free(b);
    }
}
END_TEST

START_TEST(nearest_words)
{
    static const char *const words[] = {"axes", "exclude", "kernel", "measure", "name", "tags"};
    static const struct {
        const char *word, *nearest;
    } cases[] = {{"axis", "axes"},
                 {"axse", "axes"},
                 {"kernal", "kernel"},
                 {"krenel", "kernel"},
                 {"Kernel", "kernel"},
                 {"mesure", "measure"},
                 {"exlcudes", "exclude"},
                 {"nam", "name"},
                 {"tag", "tags"},
                 {"zebra", NULL},
                 {"", NULL},
                 {"x", NULL},
                 {"kernelkernelkernel", NULL}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *nearest = gb_text_nearest(cases[i].word, words, COUNT(words));
        if (cases[i].nearest) {
            ck_assert_msg(nearest != NULL, "nothing near '%s'", cases[i].word);
            ck_assert_str_eq(nearest, cases[i].nearest);
        } else {
            ck_assert_msg(nearest == NULL, "'%s' for '%s'", nearest, cases[i].word);
        }
    }
    static const char *const two[] = {"abcd", "abce", "abcf"};
    ck_assert_str_eq(gb_text_nearest("abcx", two, 3), "abcd"); /* ties: the first */
    ck_assert_str_eq(gb_text_nearest("abcf", two, 3), "abcf");
    char huge[5000];
    memset(huge, 'a', sizeof huge);
    huge[sizeof huge - 1] = '\0';
    ck_assert_ptr_null(gb_text_nearest(huge, words, COUNT(words)));
    const char *const long_words[] = {huge};
    ck_assert_ptr_null(gb_text_nearest("aaa", long_words, 1));
    ck_assert_ptr_null(gb_text_nearest("axes", NULL, 0));
}
END_TEST

START_TEST(equal_ignoring_case)
{
    ck_assert(gb_text_equal_nocase("Copy", "cOPY"));
    ck_assert(gb_text_equal_nocase("", ""));
    ck_assert(!gb_text_equal_nocase("copy", "copyx"));
    ck_assert(!gb_text_equal_nocase("copyx", "copy"));
    ck_assert(!gb_text_equal_nocase("@", "`")); /* letters only */
}
END_TEST

START_TEST(YML_22_names_become_safe_file_names)
{
    char three_hundred[301], buf[128];
    memset(three_hundred, 'n', 300);
    three_hundred[300] = '\0';
    const char *const names[] = {"../x",
                                 "a/b",
                                 "a\\b",
                                 "con",
                                 "CON",
                                 "con.txt",
                                 "Com1",
                                 "lpt9.log",
                                 "-rf",
                                 "..",
                                 ".",
                                 "",
                                 "a\nb",
                                 SMILE,
                                 "a b",
                                 "a:b",
                                 "a*b",
                                 "x.",
                                 "x ",
                                 "a_b",
                                 "$(id)",
                                 "`x`",
                                 "a'b",
                                 "a\"b",
                                 "\xFF",
                                 "\x1b[0m",
                                 "|x",
                                 "~",
                                 ".git",
                                 three_hundred,
                                 "nul",
                                 "aux",
                                 "a\xE2\x80\xAE"
                                 "b"};
    char made[COUNT(names)][128];
    for (size_t i = 0; i < COUNT(names); i++) {
        gb_text_filename(names[i], buf, sizeof buf);
        strcpy(made[i], buf);
        size_t n = strlen(buf);
        ck_assert_msg(n > 0 && n <= 100, "%zu bytes", n);
        ck_assert_msg(buf[0] != '.' && buf[0] != '-', "%s", buf);
        ck_assert_msg(buf[n - 1] != '.', "%s", buf);
        ck_assert(gb_utf8_valid(buf, n, NULL));
        ck_assert_msg(strpbrk(buf, "/\\:*?\"'<>|$`~ \n\x1b") == NULL, "%s", buf);
        size_t stem = strcspn(buf, ".-");
        ck_assert_msg(!(stem == 3 && strncasecmp(buf, "con", 3) == 0 && buf[3] != '-'), "%s", buf);
        for (size_t j = 0; j < i; j++) {
            ck_assert_msg(strcmp(made[j], buf) != 0, "'%s' and '%s' share %s", names[j], names[i],
                          buf);
        }
    }
}
END_TEST

START_TEST(harmless_names_stay_as_they_are)
{
    static const char *const names[] = {"copy",
                                        "copy_1.5-x",
                                        "pcie",
                                        "\xC3\xBC"
                                        "ber",
                                        "A",
                                        "x.y",
                                        "\xE6\xBC\xA2\xE5\xAD\x97",
                                        "console",
                                        "com10"};
    char buf[128];
    for (size_t i = 0; i < COUNT(names); i++) {
        gb_text_filename(names[i], buf, sizeof buf);
        ck_assert_str_eq(buf, names[i]);
    }
}
END_TEST

START_TEST(a_changed_name_cannot_be_met_on_purpose)
{
    char changed[128], again[128];
    gb_text_filename("a/b", changed, sizeof changed);
    gb_text_filename(changed, again, sizeof again);
    ck_assert_str_ne(changed, again);
}
END_TEST

START_TEST(long_names_are_cut_between_characters)
{
    char text[400] = "", buf[128];
    for (int i = 0; i < 100; i++) {
        strcat(text, E_ACUTE);
    }
    for (int shift = 0; shift < 2; shift++) {
        gb_text_filename(text + 2 * shift, buf, sizeof buf);
        ck_assert(gb_utf8_valid(buf, strlen(buf), NULL));
        ck_assert_uint_le(strlen(buf), 100);
        ck_assert_uint_ge(strlen(buf), 98);
        memmove(text + 1, text, strlen(text) + 1);
        text[0] = text[1] = 'x';
        text[2] = 'x';
    }
}
END_TEST

START_TEST(sha256_of_known_texts)
{
    char hex[65];
    gb_sha256_hex("abc", 3, hex);
    ck_assert_str_eq(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    gb_sha256_hex(NULL, 0, hex);
    ck_assert_str_eq(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}
END_TEST

static void add(Suite *suite)
{
    TCase *tcase = tcase_create("text");
    use_environment_locale(tcase);
    tcase_add_test(tcase, buffers_grow);
    tcase_add_test(tcase, a_buffer_out_of_memory_says_so_once);
    tcase_add_test(tcase, RES_09_formatted_numbers_have_a_point);
    tcase_add_test(tcase, utf8_is_checked);
    tcase_add_test(tcase, utf8_is_decoded);
    tcase_add_test(tcase, utf8_is_cut_between_characters);
    tcase_add_test(tcase, columns_on_a_terminal);
    tcase_add_test(tcase, unsafe_characters);
    tcase_add_test(tcase, printable_text);
    tcase_add_test(tcase, nearest_words);
    tcase_add_test(tcase, equal_ignoring_case);
    tcase_add_test(tcase, YML_22_names_become_safe_file_names);
    tcase_add_test(tcase, harmless_names_stay_as_they_are);
    tcase_add_test(tcase, a_changed_name_cannot_be_met_on_purpose);
    tcase_add_test(tcase, long_names_are_cut_between_characters);
    tcase_add_test(tcase, sha256_of_known_texts);
    suite_add_tcase(suite, tcase);
}

GB_CHECK_MAIN("text", add)
