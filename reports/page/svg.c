#include "reports/page/svg.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "reports/page/html.h"
#include "reports/page/svg_values.h"

#define COUNT(a) (sizeof(a) / sizeof(a)[0])
#define MOST_DEPTH 32 /* gnuplot nests 6 deep */

/* Elements that draw, and nothing else: no script, no foreign content, no links, no animation, no
 * images, no style sheets. */
static const char *const elements[] = {
    "svg",     "g",        "defs",        "path",           "use",           "text",   "tspan",
    "title",   "desc",     "circle",      "ellipse",        "rect",          "line",   "polyline",
    "polygon", "clipPath", "mask",        "pattern",        "marker",        "filter", "feFlood",
    "feBlend", "stop",     "feComposite", "linearGradient", "radialGradient"};

/* Of the root: the page's style decides about size. */
static const char *const dropped[] = {"width", "height", "version", "baseProfile"};

/* What is read, and where. */
typedef struct reader {
    const char *text;
    size_t n, at;
    const char *prefix, *title, *what;
    gb_buf *out;
    gb_error *err;
    int depth;                    /* open elements */
    const char *open[MOST_DEPTH]; /* their names */
    int in_text;                  /* depth of an open text element, 0: none; blanks count there */
    size_t left_out; /* depth of an element that is left out with its content; 0: none */
    bool ended;      /* the root was closed */
} reader;

/* The word in the list, which lives on; NULL: it is not there. */
static const char *one_of(const char *const words[], size_t n, const char *word)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(words[i], word) == 0) {
            return words[i];
        }
    }
    return NULL;
}

static gb_code refuse(const reader *r, const char *what, const char *word)
{
    char *shown = gb_text_printable(word);
    gb_code code = gb_fail(r->err, GB_INVALID, "no drawing to put into a page: %s '%.60s'", what,
                           shown != NULL ? shown : "");
    free(shown);
    return code;
}

static bool starts(const reader *r, const char *word)
{
    size_t length = strlen(word);
    return r->n - r->at >= length && strncmp(r->text + r->at, word, length) == 0;
}

/* Moves behind the next `end`; false: there is none. */
static bool skip_behind(reader *r, const char *end)
{
    for (; r->at < r->n; r->at++) {
        if (starts(r, end)) {
            r->at += strlen(end);
            return true;
        }
    }
    return false;
}

static void skip_blanks(reader *r)
{
    while (r->at < r->n && isspace((unsigned char)r->text[r->at])) {
        r->at++;
    }
}

/* A name of letters, digits, ':', '-' and '_'; false: none, or too long. */
static bool read_name(reader *r, char *name, size_t size)
{
    size_t n = 0;
    while (r->at < r->n && n + 1 < size) {
        char c = r->text[r->at];
        if (!isalnum((unsigned char)c) && c != ':' && c != '-' && c != '_') {
            break;
        }
        name[n++] = c;
        r->at++;
    }
    name[n] = '\0';
    return n > 0 && n + 1 < size;
}

/* The value of an attribute, blanks drawn together; false: not quoted, cut off or with a '<'. */
static bool read_value(reader *r, gb_buf *value)
{
    char quote = r->at < r->n ? r->text[r->at] : '\0';
    if (quote != '"' && quote != '\'') {
        return false;
    }
    bool blank = false;
    gb_buf_add(value, "");
    for (r->at++; r->at < r->n && r->text[r->at] != quote; r->at++) {
        char c = r->text[r->at];
        if (c == '<') {
            return false;
        }
        if (isspace((unsigned char)c)) {
            blank = value->length > 0;
            continue;
        }
        if (blank) {
            gb_buf_add(value, " ");
        }
        blank = false;
        gb_buf_add_bytes(value, &c, 1);
    }
    return r->at++ < r->n;
}

static gb_code add_attribute(reader *r, const char *name, const char *value)
{
    const char *colour = gb_svg_page_colour(name, value);
    if (strncasecmp(name, "on", 2) == 0) {
        return refuse(r, "the attribute", name);
    }
    if ((r->depth == 0 && one_of(dropped, COUNT(dropped), name) != NULL) ||
        strncmp(name, "xml", 3) == 0 || strcmp(name, "font-family") == 0) {
        return GB_OK;
    }
    if (strcmp(name, "href") == 0 || strcmp(name, "xlink:href") == 0) {
        if (value[0] != '#') {
            return refuse(r, "a reference to", value);
        }
        gb_buf_printf(r->out, " href=\"#%s", r->prefix);
        value++;
    } else if (strchr(name, ':') != NULL) {
        return refuse(r, "the attribute", name);
    } else if (strcmp(name, "id") == 0) {
        gb_buf_printf(r->out, " id=\"%s", r->prefix);
    } else {
        gb_buf_printf(r->out, " %s=\"", name);
    }
    if (colour != NULL) {
        gb_buf_add(r->out, colour);
    } else if (!gb_svg_add_value(r->out, r->prefix, value)) {
        return refuse(r, "a reference to", value);
    }
    gb_buf_add(r->out, "\"");
    return GB_OK;
}

/* The attributes of a tag up to its end; *closed: it ended with "/>". */
static gb_code attributes(reader *r, bool *closed)
{
    for (;;) {
        char name[64];
        gb_buf value = {0};
        skip_blanks(r);
        *closed = starts(r, "/>");
        if (*closed || starts(r, ">")) {
            r->at += *closed ? 2 : 1;
            return GB_OK;
        }
        bool read = read_name(r, name, sizeof name);
        skip_blanks(r);
        read = read && starts(r, "=");
        r->at += read;
        skip_blanks(r);
        read = read && read_value(r, &value);
        gb_code code = !read          ? refuse(r, "not well-formed near", name)
                       : value.failed ? gb_fail(r->err, GB_NO_MEMORY, "out of memory for a picture")
                                      : add_attribute(r, name, value.data);
        gb_buf_free(&value);
        if (code != GB_OK) {
            return code;
        }
    }
}

/* gnuplot's own title and description of the whole drawing say nothing. */
static bool is_left_out(const reader *r, const char *name)
{
    return r->depth == 1 && (strcmp(name, "title") == 0 || strcmp(name, "desc") == 0);
}

static gb_code opening_tag(reader *r)
{
    char name[32];
    bool closed;
    r->at++;
    const bool read = read_name(r, name, sizeof name);
    const char *known = read ? one_of(elements, COUNT(elements), name) : NULL;
    if (known == NULL) {
        return refuse(r, "the element", name);
    }
    if (r->ended || r->left_out != 0 || r->depth == MOST_DEPTH ||
        (r->depth == 0) != (strcmp(name, "svg") == 0)) {
        return refuse(r, "in the wrong place", name);
    }
    size_t begin = r->out->length;
    gb_buf_printf(r->out, "<%s", name);
    if (r->depth == 0) {
        gb_buf_printf(r->out, " role=\"img\" aria-labelledby=\"%stitle\"", r->prefix);
        if (r->what[0] != '\0') {
            gb_buf_printf(r->out, " aria-describedby=\"%sdesc\"", r->prefix);
        }
    }
    gb_code code = attributes(r, &closed);
    if (code != GB_OK) {
        return code;
    }
    if (is_left_out(r, name)) {
        r->left_out = (size_t)r->depth + 1;
        if (!r->out->failed) {
            r->out->length = begin;
            r->out->data[begin] = '\0';
        }
    } else {
        gb_buf_add(r->out, closed ? "/>" : ">");
    }
    if (r->depth == 0) {
        gb_buf_printf(r->out, "<title id=\"%stitle\">", r->prefix);
        gb_html_text(r->out, r->title);
        gb_buf_add(r->out, "</title>");
        if (r->what[0] != '\0') {
            gb_buf_printf(r->out, "<desc id=\"%sdesc\">", r->prefix);
            gb_html_text(r->out, r->what);
            gb_buf_add(r->out, "</desc>");
        }
    }
    if (!closed) {
        r->open[r->depth++] = known;
        if (r->in_text == 0 && (strcmp(name, "text") == 0 || strcmp(name, "title") == 0)) {
            r->in_text = r->depth;
        }
    } else if (r->left_out == (size_t)r->depth + 1) {
        r->left_out = 0;
    }
    return GB_OK;
}

static gb_code closing_tag(reader *r)
{
    char name[32];
    r->at += 2;
    bool read = read_name(r, name, sizeof name);
    skip_blanks(r);
    if (!read || !starts(r, ">") || r->depth == 0 || strcmp(r->open[r->depth - 1], name) != 0) {
        return refuse(r, "not well-formed near", name);
    }
    r->at++;
    if (r->left_out == 0) {
        gb_buf_printf(r->out, "</%s>", name);
    }
    if (r->left_out == (size_t)r->depth) {
        r->left_out = 0;
    }
    if (r->in_text == r->depth) {
        r->in_text = 0;
    }
    r->depth--;
    r->ended = r->depth == 0;
    return GB_OK;
}

/* What stands between tags: kept inside texts, else blanks alone are allowed. */
static gb_code content(reader *r)
{
    const char *end = memchr(r->text + r->at, '<', r->n - r->at);
    size_t length = end != NULL ? (size_t)(end - r->text) - r->at : r->n - r->at;
    for (size_t i = 0; i < length && r->in_text == 0 && r->left_out == 0; i++) {
        if (!isspace((unsigned char)r->text[r->at + i])) {
            return refuse(r, "text outside of a text element", "");
        }
    }
    if (r->in_text != 0 && r->left_out == 0) {
        gb_buf_add_bytes(r->out, r->text + r->at, length);
    }
    r->at += length;
    return GB_OK;
}

gb_code gb_svg_inline(const char *text, size_t n, const char *prefix, const char *title,
                      const char *what, gb_buf *out, gb_error *err)
{
    reader r = {.text = text,
                .n = n,
                .prefix = prefix,
                .title = title,
                .what = what,
                .out = out,
                .err = err};
    gb_code code = GB_OK;
    if (memchr(text, '\0', n) != NULL || !gb_utf8_valid(text, n, NULL)) {
        return refuse(&r, "not UTF-8", "");
    }
    while (r.at < n && code == GB_OK) {
        bool ended = true;
        if (starts(&r, "<!--")) {
            ended = skip_behind(&r, "-->");
        } else if (starts(&r, "<?xml ") && r.depth == 0) {
            ended = skip_behind(&r, "?>");
        } else if (starts(&r, "<!DOCTYPE svg") && r.depth == 0) {
            size_t begin = r.at;
            ended = skip_behind(&r, ">");
            if (memchr(text + begin, '[', r.at - begin) != NULL) {
                code = refuse(&r, "declarations of its own", "<!DOCTYPE svg [");
            }
        } else if (starts(&r, "</")) {
            code = closing_tag(&r);
        } else if (starts(&r, "<")) {
            code = opening_tag(&r);
        } else {
            code = content(&r);
        }
        if (code == GB_OK && !ended) {
            code = refuse(&r, "cut off", "");
        }
    }
    if (code == GB_OK && !r.ended) {
        code = refuse(&r, "cut off", "");
    }
    if (code == GB_OK && out->failed) {
        code = gb_fail(err, GB_NO_MEMORY, "out of memory for a picture");
    }
    return code;
}
