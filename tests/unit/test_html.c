/* Pages: escaping, sections, tables, and what of an SVG may come into them. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check_main.h"
#include "reports/page/html.h"
#include "reports/page/svg.h"

static bool has(const gb_buf *page, const char *text)
{
    return page->data != NULL && strstr(page->data, text) != NULL;
}

static size_t count(const gb_buf *page, const char *text)
{
    size_t n = 0;
    for (const char *at = page->data; (at = strstr(at, text)) != NULL; at += strlen(text)) {
        n++;
    }
    return n;
}

START_TEST(text_is_escaped)
{
    static const struct {
        const char *text, *html;
    } rows[] = {
        {"a <b> & \"c\" 'd'", "a &lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;"},
        {"\x01\x1b[31mred\x7f\r\n\tnext", "[31mred\n\tnext"},
        {"gr\xc3\xbc\xc3\x9f `x` \xe6\x97\xa5", "gr\xc3\xbc\xc3\x9f `x` \xe6\x97\xa5"},
        {"a\xe2\x80\xae"
         "b\xe2\x81\xa6"
         "c",
         "abc"},
        {"bad \xff end \xc3", "bad \xef\xbf\xbd end \xef\xbf\xbd"},
        {"", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        gb_buf out = {0};
        gb_html_text(&out, rows[i].text);
        ck_assert_pstr_eq(out.data, rows[i].html);
        gb_buf_free(&out);
    }
}
END_TEST

static void small_page(gb_buf *out, bool cpu)
{
    static const gb_html_column columns[] = {{"case", false}, {"time <x>", true}};
    gb_html_open(out, "A & B", "on <this>", cpu);
    gb_html_section(out, "What stands out");
    gb_html_section_end(out);
    gb_html_section(out, "copy <to> device");
    gb_html_table(out, "Cases \"of\" copy", columns, 2);
    gb_html_row(out);
    gb_html_cell(out, "n=1", NAN, NULL);
    gb_html_cell(out, "1.46 us", 1460.5, "num warn");
    gb_html_row_end(out);
    gb_html_table_end(out);
    gb_html_section_end(out);
    gb_html_section(out, "What stands out?");
    gb_html_section_end(out);
    gb_html_section(out, "\xe6\x97\xa5");
    gb_html_section_end(out);
    gb_html_close(out);
    ck_assert(!out->failed);
}

START_TEST(sections_have_unique_ids_and_a_list_of_contents)
{
    gb_buf out = {0};
    small_page(&out, false);
    ck_assert(has(&out, "<section id=\"what-stands-out\"><h2>What stands out</h2>"));
    ck_assert(has(&out, "<section id=\"what-stands-out-2\"><h2>What stands out?</h2>"));
    ck_assert(has(&out, "<section id=\"copy-to-device\"><h2>copy &lt;to&gt; device</h2>"));
    ck_assert(has(&out, "<section id=\"part\">"));
    ck_assert(has(&out, "<li><a href=\"#copy-to-device\">copy &lt;to&gt; device</a></li>"));
    ck_assert_uint_eq(count(&out, "<nav class=\"toc\""), 1);
    ck_assert_uint_eq(count(&out, "<li>"), 4);
    gb_buf_free(&out);
}
END_TEST

START_TEST(a_table_has_its_sort_keys)
{
    gb_buf out = {0};
    small_page(&out, false);
    ck_assert(has(&out, "<th scope=\"col\" class=\"num\">time &lt;x&gt;</th>"));
    ck_assert(has(&out, "<td>n=1</td><td class=\"num warn\" data-v=\"1460.5\">1.46 us</td>"));
    ck_assert(has(&out, "<caption>Cases &quot;of&quot; copy</caption>"));
    ck_assert(has(&out, "role=\"region\" tabindex=\"0\" aria-label=\"Cases &quot;of&quot; copy\""));
    gb_buf_free(&out);
}
END_TEST

START_TEST(a_page_of_a_cpu_says_so_in_its_title)
{
    gb_buf out = {0};
    small_page(&out, true);
    ck_assert(has(&out, "<title>A &amp; B (figures of a CPU, not of a GPU)</title>"));
    ck_assert(has(&out, "<h1>A &amp; B (figures of a CPU, not of a GPU)</h1>"));
    ck_assert(has(&out, "These figures describe this CPU running the kernels, not a GPU."));
    gb_buf_free(&out);
    small_page(&out, false);
    ck_assert(!has(&out, "not a GPU"));
    gb_buf_free(&out);
}
END_TEST

START_TEST(RES_20_a_page_needs_nothing_but_itself)
{
    gb_buf out = {0};
    small_page(&out, true);
    ck_assert(has(&out, "default-src 'none'"));
    ck_assert(!has(&out, "http:"));
    ck_assert(!has(&out, "https:"));
    ck_assert(!has(&out, "//"));
    ck_assert(!has(&out, "@import"));
    ck_assert(!has(&out, "src=\""));
    ck_assert_uint_eq(count(&out, "href=\""), 2 + 4); /* icon, skip link; contents */
    ck_assert_uint_eq(count(&out, "href=\"#"), 1 + 4);
    ck_assert_uint_eq(count(&out, "href=\"data:,\""), 1);
    ck_assert_uint_eq(count(&out, "url("), 0);
    gb_buf_free(&out);
}
END_TEST

#define HEAD                                                                                       \
    "<?xml version=\"1.0\"?>\n<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"a.dtd\">\n"       \
    "<svg width=\"1000\" height=\"600\" viewBox=\"0 0 1000 600\" "                                 \
    "xmlns=\"http://www.w3.org/2000/svg\" "                                                        \
    "xmlns:xlink=\"http://www.w3.org/1999/xlink\">\n"

static gb_code inlined(const char *body, gb_buf *out, gb_error *err)
{
    gb_buf text = {0};
    gb_buf_printf(&text, HEAD "%s</svg>\n", body);
    gb_code code =
        gb_svg_inline(text.data, text.length, "p1-", "A <curve>", "It goes <up>.", out, err);
    gb_buf_free(&text);
    return code;
}

START_TEST(a_drawing_follows_the_page)
{
    gb_buf out = {0};
    gb_error err = {0};
    const char *body = "<title>Gnuplot</title><desc>Produced by</desc><!-- <script> -->"
                       "<g id=\"c\" color='black' fill = \"#ffffff\"><defs><circle id='pt' r='1'/>"
                       "</defs><use xlink:href='#pt' color='rgb(  0, 114, 178)'/>"
                       "<g stroke='#3795CC' fill='rgb(185, 128, 0)' transform='scale(2.00)'/>"
                       "<path clip-path='url(#c)' stroke='rgb(221, 221, 221)' fill='#123456' "
                       "d='M0,0\n\t L1,1'/><g font-family=\"sans\" fill=\"rgb(85,85,85)\">"
                       "<text> a &amp; b </text></g></g>";
    ck_assert_msg(inlined(body, &out, &err) == GB_OK, "%s", err.message);
    ck_assert_str_eq(
        out.data,
        "<svg role=\"img\" aria-labelledby=\"p1-title\" "
        "aria-describedby=\"p1-desc\" viewBox=\"0 0 1000 600\">"
        "<title id=\"p1-title\">A &lt;curve&gt;</title><desc id=\"p1-desc\">It goes "
        "&lt;up&gt;.</desc>"
        "<g id=\"p1-c\" color=\"var(--fg)\" fill=\"var(--bg)\"><defs><circle id=\"p1-pt\" r=\"1\"/>"
        "</defs><use href=\"#p1-pt\" color=\"var(--s1)\"/>"
        "<g stroke=\"var(--s6)\" fill=\"var(--s5)\" transform=\"scale(2.00)\"/>"
        "<path clip-path=\"url(#p1-c)\" stroke=\"var(--rule)\" fill=\"#123456\" d=\"M0,0 L1,1\"/>"
        "<g fill=\"var(--muted)\"><text> a &amp; b </text></g></g></svg>");
    gb_buf_free(&out);
}
END_TEST

START_TEST(what_is_no_drawing_is_refused)
{
    static const char *const bodies[] = {
        "<script>alert(1)</script>",
        "<g onload='x()'/>",
        "<rect ONCLICK=\"x()\"/>",
        "<a href='#x'>t</a>",
        "<image href='x.png'/>",
        "<foreignObject/>",
        "<style>*{}</style>",
        "<use href='other.svg#x'/>",
        "<use xlink:href='https://example.org/x.svg#x'/>",
        "<rect fill='url(https://example.org/x)'/>",
        "<rect fill='URL( \"//example.org/x\")'/>",
        "<rect fill='u&#114;l(https://example.org/x)'/>",
        "<rect fill='url&lpar;https://example.org/x)'/>",
        "<rect style='background:image-set(\"//example.org/x\" 1x)'/>",
        "<rect style='cursor:src(#x)'/>",
        "<rect clip-path='url(#a b)'/>",
        "<rect style='x: expression(1)'/>",
        "<rect style='@import x'/>",
        "<g></text>",
        "<g></svg></g>",
        "<use href='javascript:alert(1)'/>",
        "<animate attributeName='x'/>",
        "<g",
        "<g x=1/>",
        "<g x='a<b'/>",
        "</g>",
        "<g></g></svg><svg>",
        "loose text",
        "<![CDATA[ x ]]>",
        "<!ENTITY x 'y'>",
        "<!-- never closed",
        "<title><g/></title>",
        "<?xml-stylesheet href='x.css'?>",
        "\xff",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        gb_buf out = {0};
        gb_error err = {0};
        ck_assert_msg(inlined(bodies[i], &out, &err) == GB_INVALID, "taken: %s", bodies[i]);
        ck_assert_uint_gt(strlen(err.message), 10);
        gb_buf_free(&out);
    }
    gb_buf out = {0};
    gb_error err = {0};
    const char *cut = HEAD "<g>";
    ck_assert_int_eq(gb_svg_inline(cut, strlen(cut), "p", "t", "", &out, &err), GB_INVALID);
    gb_buf_free(&out);
    const char *entity = "<!DOCTYPE svg [<!ENTITY x 'y'>]><svg></svg>";
    ck_assert_int_eq(gb_svg_inline(entity, strlen(entity), "p", "t", "", &out, &err), GB_INVALID);
    gb_buf_free(&out);
    ck_assert_int_eq(gb_svg_inline("<svg>\0</svg>", 12, "p", "t", "", &out, &err), GB_INVALID);
    gb_buf_free(&out);
    ck_assert_int_eq(gb_svg_inline("", 0, "p", "t", "", &out, &err), GB_INVALID);
    gb_buf_free(&out);
}
END_TEST

static char folder[64];

static void make_folder(void)
{
    char plots[80];
    snprintf(folder, sizeof folder, "/tmp/gpubench-html.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(plots, sizeof plots, "%s/plots", folder);
    ck_assert_int_eq(mkdir(plots, 0777), 0);
}

static void remove_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

static void write_svg(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/plots/%s.svg", folder, name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

START_TEST(pictures_have_ids_of_their_own)
{
    gb_buf out = {0};
    gb_error err = {0};
    write_svg("a", HEAD "<g id='x'/></svg>\n");
    write_svg("cut", HEAD "<g id='x'/>");
    write_svg("bad", HEAD "<script/></svg>\n");
    ck_assert_int_eq(gb_html_picture(&out, folder, "a", "one", "", "It is <one>.", &err), GB_OK);
    ck_assert_int_eq(gb_html_picture(&out, folder, "a", "two", "", "", &err), GB_OK);
    ck_assert(has(&out, "id=\"p1-x\"") && has(&out, "id=\"p2-x\""));
    ck_assert(has(&out, "<figure id=\"plot-1\">") && has(&out, "<figure id=\"plot-2\">"));
    ck_assert(has(&out, "<figcaption>It is &lt;one&gt;.</figcaption>"));
    ck_assert_uint_eq(count(&out, "<figcaption>"), 1);
    size_t length = out.length;
    ck_assert_int_eq(gb_html_picture(&out, folder, "gone", "", "", "", &err), GB_IO);
    ck_assert_int_eq(gb_html_picture(&out, folder, "cut", "", "", "", &err), GB_IO);
    ck_assert_int_eq(gb_html_picture(&out, folder, "bad", "", "", "", &err), GB_INVALID);
    ck_assert_ptr_nonnull(strstr(err.message, "bad.svg"));
    ck_assert_uint_eq(out.length, length);
    gb_buf_free(&out);
}
END_TEST

START_TEST(a_page_is_written_whole_or_not_at_all)
{
    char path[128], temporary[140];
    gb_buf out = {0}, failed = {.failed = true};
    gb_error err = {0};
    struct stat facts;
    gb_buf_add(&out, "text");
    snprintf(path, sizeof path, "%s/page.html", folder);
    snprintf(temporary, sizeof temporary, "%s.tmp", path);
    ck_assert_int_eq(gb_page_write(path, &failed, &err), GB_NO_MEMORY);
    ck_assert_int_ne(stat(path, &facts), 0);
    ck_assert_int_eq(gb_page_write(path, &out, &err), GB_OK);
    ck_assert_int_eq(stat(path, &facts), 0);
    ck_assert_int_eq((int)facts.st_size, 4);
    ck_assert_int_ne(stat(temporary, &facts), 0);
    snprintf(path, sizeof path, "%s/no/page.html", folder);
    ck_assert_int_eq(gb_page_write(path, &out, &err), GB_IO);
    ck_assert_str_eq(err.file, path);
    gb_buf_free(&out);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *t = tcase_create("html");
    tcase_add_checked_fixture(t, make_folder, remove_folder);
    tcase_add_test(t, text_is_escaped);
    tcase_add_test(t, sections_have_unique_ids_and_a_list_of_contents);
    tcase_add_test(t, a_table_has_its_sort_keys);
    tcase_add_test(t, a_page_of_a_cpu_says_so_in_its_title);
    tcase_add_test(t, RES_20_a_page_needs_nothing_but_itself);
    tcase_add_test(t, a_drawing_follows_the_page);
    tcase_add_test(t, what_is_no_drawing_is_refused);
    tcase_add_test(t, pictures_have_ids_of_their_own);
    tcase_add_test(t, a_page_is_written_whole_or_not_at_all);
    suite_add_tcase(suite, t);
}

GB_CHECK_MAIN("html", add_cases)
