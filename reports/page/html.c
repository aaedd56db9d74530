#include "reports/page/html.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build_info.h"

/* page.css and page.js, embedded by CMake */
extern const unsigned char gb_page_style[], gb_page_script[];

#define CONTENTS "<nav class=\"toc\" aria-label=\"Contents\"></nav>\n"

static const char *entity(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void gb_html_text(gb_buf *out, const char *text)
{
    size_t n = strlen(text);
    for (size_t i = 0; i < n;) {
        const char *escaped = entity(text[i]);
        size_t length = 1, bad;
        uint32_t point;
        if (escaped != NULL) {
            gb_buf_add(out, escaped);
        } else if ((unsigned char)text[i] < 0x80) {
            unsigned char c = (unsigned char)text[i];
            if ((c >= 0x20 && c != 0x7f) || c == '\n' || c == '\t') {
                gb_buf_add_bytes(out, &text[i], 1);
            }
        } else if (gb_utf8_valid(&text[i], n - i < 4 ? n - i : 4, &bad) || bad > 0) {
            length = gb_utf8_decode(&text[i], &point);
            if (!gb_utf8_unsafe(point)) {
                gb_buf_add_bytes(out, &text[i], length);
            }
        } else {
            gb_buf_add(out, "\xEF\xBF\xBD");
        }
        i += length;
    }
}

static void element(gb_buf *out, const char *tag, const char *class_name, const char *text)
{
    gb_buf_printf(out, "<%s", tag);
    if (class_name != NULL && class_name[0] != '\0') {
        gb_buf_add(out, " class=\"");
        gb_html_text(out, class_name);
        gb_buf_add(out, "\"");
    }
    gb_buf_add(out, ">");
    gb_html_text(out, text);
    gb_buf_printf(out, "</%s>\n", tag);
}

void gb_html_open(gb_buf *out, const char *title, const char *subtitle, bool cpu)
{
    const char *note = cpu ? " (figures of a CPU, not of a GPU)" : "";
    gb_buf_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                    "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
                    "base-uri 'none'; form-action 'none'\">\n"
                    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                    "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    gb_html_text(out, title);
    gb_html_text(out, note);
    /* No icon: a browser would otherwise ask the server for one. */
    gb_buf_add(out, "</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n");
    gb_buf_add(out, (const char *)gb_page_style);
    gb_buf_add(out,
               "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">To the content</a>\n"
               "<div class=\"page\">\n<header><div>\n<h1>");
    gb_html_text(out, title);
    gb_html_text(out, note);
    gb_buf_add(out, "</h1>\n");
    if (subtitle != NULL && subtitle[0] != '\0') {
        element(out, "p", "subtitle", subtitle);
    }
    gb_buf_add(out, "</div></header>\n" CONTENTS "<main id=\"main\">\n");
    if (cpu) {
        gb_html_paragraph(out, "banner",
                          "These figures describe this CPU running the kernels, not a GPU.");
    }
}

/* The links of the list of contents; the number of sections. */
static size_t contents(const char *page, gb_buf *list)
{
    static const char opening[] = "<section id=\"", middle[] = "\"><h2>", closing[] = "</h2>";
    size_t n = 0;
    for (const char *at = page; (at = strstr(at, opening)) != NULL; n++) {
        const char *id = at + strlen(opening);
        const char *title = strstr(id, middle);
        const char *end = title != NULL ? strstr(title, closing) : NULL;
        if (end == NULL) {
            break;
        }
        gb_buf_add(list, "<li><a href=\"#");
        gb_buf_add_bytes(list, id, (size_t)(title - id));
        gb_buf_add(list, "\">");
        title += strlen(middle);
        gb_buf_add_bytes(list, title, (size_t)(end - title));
        gb_buf_add(list, "</a></li>\n");
        at = end;
    }
    return n;
}

void gb_html_close(gb_buf *out)
{
    gb_buf_printf(out,
                  "</main>\n<footer>Page made by gpubench %s. It is whole in itself: keep it, "
                  "mail it, open it without a network.</footer>\n</div>\n<script>\n",
                  GB_VERSION);
    gb_buf_add(out, (const char *)gb_page_script);
    gb_buf_add(out, "</script>\n</body>\n</html>\n");
    char *place = out->data != NULL ? strstr(out->data, CONTENTS) : NULL;
    if (out->failed || place == NULL) {
        return;
    }
    gb_buf whole = {0}, list = {0};
    gb_buf_add_bytes(&whole, out->data, (size_t)(place - out->data));
    if (contents(place, &list) > 1) {
        gb_buf_add(&whole, "<nav class=\"toc\" aria-label=\"Contents\">\n<ul>\n");
        gb_buf_add(&whole, list.data != NULL ? list.data : "");
        gb_buf_add(&whole, "</ul>\n</nav>\n");
    }
    gb_buf_add(&whole, place + strlen(CONTENTS));
    whole.failed |= list.failed;
    gb_buf_free(&list);
    gb_buf_free(out);
    *out = whole;
}

/* "Copy to device (h2d)" -> "copy-to-device-h2d", with a number behind it when there is one. */
static void section_id(const gb_buf *out, const char *title, char *id, size_t size)
{
    char word[64], mark[96];
    size_t n = 0;
    for (const char *c = title; *c != '\0' && n + 1 < sizeof word; c++) {
        if (isalnum((unsigned char)*c) && (unsigned char)*c < 0x80) {
            word[n++] = (char)tolower((unsigned char)*c);
        } else if (n > 0 && word[n - 1] != '-') {
            word[n++] = '-';
        }
    }
    while (n > 0 && word[n - 1] == '-') {
        n--;
    }
    word[n] = '\0';
    if (n == 0) {
        snprintf(word, sizeof word, "part");
    }
    /* what stands in every page already */
    unsigned number = strcmp(word, "main") == 0 ? 2 : 1;
    do {
        if (number > 1) {
            snprintf(id, size, "%s-%u", word, number);
        } else {
            snprintf(id, size, "%s", word);
        }
        number++;
        snprintf(mark, sizeof mark, "<section id=\"%.80s\"", id);
    } while (out->data != NULL && strstr(out->data, mark) != NULL);
}

void gb_html_section(gb_buf *out, const char *title)
{
    char id[80];
    section_id(out, title, id, sizeof id);
    gb_buf_printf(out, "<section id=\"%s\"><h2>", id);
    gb_html_text(out, title);
    gb_buf_add(out, "</h2>\n");
}

void gb_html_section_end(gb_buf *out)
{
    gb_buf_add(out, "</section>\n");
}

void gb_html_heading(gb_buf *out, const char *title)
{
    element(out, "h3", NULL, title);
}

void gb_html_paragraph(gb_buf *out, const char *class_name, const char *text)
{
    element(out, "p", class_name, text);
}

void gb_html_pre(gb_buf *out, const char *text)
{
    gb_buf_add(out, "<pre tabindex=\"0\">");
    gb_html_text(out, text);
    gb_buf_add(out, "</pre>\n");
}

void gb_html_details(gb_buf *out, const char *summary)
{
    gb_buf_add(out, "<details>\n");
    element(out, "summary", NULL, summary);
}

void gb_html_details_end(gb_buf *out)
{
    gb_buf_add(out, "</details>\n");
}

void gb_html_list(gb_buf *out)
{
    gb_buf_add(out, "<ol class=\"findings\">\n");
}

void gb_html_item(gb_buf *out, const char *text)
{
    element(out, "li", NULL, text);
}

void gb_html_list_end(gb_buf *out)
{
    gb_buf_add(out, "</ol>\n");
}

void gb_html_facts(gb_buf *out)
{
    gb_buf_add(out, "<dl class=\"facts\">\n");
}

void gb_html_fact(gb_buf *out, const char *name, const char *value)
{
    if (value != NULL && value[0] != '\0') {
        element(out, "dt", NULL, name);
        element(out, "dd", NULL, value);
    }
}

void gb_html_facts_end(gb_buf *out)
{
    gb_buf_add(out, "</dl>\n");
}

void gb_html_table(gb_buf *out, const char *caption, const gb_html_column columns[], size_t n)
{
    gb_buf_add(out, "<div class=\"table\"><div class=\"scroll\" role=\"region\" tabindex=\"0\" "
                    "aria-label=\"");
    gb_html_text(out, caption);
    gb_buf_add(out, "\"><table>\n");
    element(out, "caption", NULL, caption);
    gb_buf_add(out, "<thead><tr>\n");
    for (size_t i = 0; i < n; i++) {
        gb_buf_printf(out, "<th scope=\"col\"%s>", columns[i].number ? " class=\"num\"" : "");
        gb_html_text(out, columns[i].title);
        gb_buf_add(out, "</th>\n");
    }
    gb_buf_add(out, "</tr></thead>\n<tbody>\n");
}

void gb_html_row(gb_buf *out)
{
    gb_buf_add(out, "<tr>");
}

void gb_html_cell(gb_buf *out, const char *text, double sort, const char *class_name)
{
    gb_buf_add(out, "<td");
    if (class_name != NULL && class_name[0] != '\0') {
        gb_buf_add(out, " class=\"");
        gb_html_text(out, class_name);
        gb_buf_add(out, "\"");
    }
    if (isfinite(sort)) {
        gb_buf_printf(out, " data-v=\"%.9g\"", sort);
    }
    gb_buf_add(out, ">");
    gb_html_text(out, text);
    gb_buf_add(out, "</td>");
}

void gb_html_row_end(gb_buf *out)
{
    gb_buf_add(out, "</tr>\n");
}

void gb_html_table_end(gb_buf *out)
{
    gb_buf_add(out, "</tbody>\n</table></div></div>\n");
}
