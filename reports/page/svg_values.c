#include "reports/page/svg_values.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "reports/plot/picture.h"

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

/* A colour as red, green and blue; false: not one of the forms that gnuplot writes. */
static bool parse_colour(const char *text, unsigned rgb[3])
{
    static const struct {
        const char *name;
        unsigned level;
    } greys[] = {{"black", 0}, {"white", 255}, {"grey", 128}, {"gray", 128}, {"lightgrey", 211}};
    for (size_t i = 0; i < COUNT(greys); i++) {
        if (gb_text_equal_nocase(text, greys[i].name)) {
            rgb[0] = rgb[1] = rgb[2] = greys[i].level;
            return true;
        }
    }
    int end = 0;
    if (sscanf(text, "rgb( %3u , %3u , %3u )%n", &rgb[0], &rgb[1], &rgb[2], &end) == 3 && end > 0 &&
        text[end] == '\0') {
        return true;
    }
    end = 0;
    return text[0] == '#' && strlen(text) == 7 &&
           sscanf(text, "#%2x%2x%2x%n", &rgb[0], &rgb[1], &rgb[2], &end) == 3 && end == 7;
}

static bool is_colour(const char *attribute)
{
    static const char *const names[] = {"fill", "stroke", "color", "stop-color", "flood-color"};
    for (size_t i = 0; i < COUNT(names); i++) {
        if (strcmp(names[i], attribute) == 0) {
            return true;
        }
    }
    return false;
}

/* The palette is the plots' own (picture.h); page.css has these variables, light and dark. Greys
 * are told apart by what they are used for: dark ones are text, light ones lines. */
const char *gb_svg_page_colour(const char *attribute, const char *value)
{
    static const char *const variables[] = {"var(--s1)", "var(--s2)", "var(--s3)",
                                            "var(--s4)", "var(--s5)", "var(--s6)"};
    unsigned rgb[3], own[3];
    if (!is_colour(attribute) || !parse_colour(value, rgb)) {
        return NULL;
    }
    for (size_t i = 0; i < COUNT(variables); i++) {
        if (parse_colour(gb_picture_colour(i), own) && memcmp(own, rgb, sizeof own) == 0) {
            return variables[i];
        }
    }
    if (rgb[0] != rgb[1] || rgb[1] != rgb[2]) {
        return NULL;
    }
    return rgb[0] < 64    ? "var(--fg)"
           : rgb[0] < 150 ? "var(--muted)"
           : rgb[0] < 245 ? "var(--rule)"
                          : "var(--bg)";
}

/* Whether the name before an opening parenthesis is that of a colour or a transformation. */
static bool is_harmless(const char *value, const char *parenthesis)
{
    static const char *const functions[] = {"rgb", "translate", "rotate", "scale", "matrix"};
    const char *begin = parenthesis;
    while (begin > value && (isalnum((unsigned char)begin[-1]) || begin[-1] == '-')) {
        begin--;
    }
    for (size_t i = 0; i < COUNT(functions); i++) {
        size_t length = strlen(functions[i]);
        if ((size_t)(parenthesis - begin) == length && strncmp(begin, functions[i], length) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_reference_of_xml(const char *ampersand)
{
    static const char *const references[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
    for (size_t i = 0; i < COUNT(references); i++) {
        if (strncmp(ampersand, references[i], strlen(references[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* What stands in url(...), from behind the parenthesis; NULL: no id of this drawing. */
static const char *add_id(gb_buf *out, const char *prefix, const char *at)
{
    at += *at == '\'' || *at == '"';
    if (*at++ != '#') {
        return NULL;
    }
    gb_buf_printf(out, "url(#%s", prefix);
    for (; isalnum((unsigned char)*at) || *at == '-' || *at == '_'; at++) {
        gb_buf_add_bytes(out, at, 1);
    }
    at += *at == '\'' || *at == '"';
    return *at == ')' ? at : NULL;
}

bool gb_svg_add_value(gb_buf *out, const char *prefix, const char *value)
{
    for (const char *at = value; *at != '\0'; at++) {
        if (strncasecmp(at, "url(", 4) == 0) {
            at = add_id(out, prefix, at + 4);
            if (at == NULL) {
                return false;
            }
        }
        if (strncasecmp(at, "script:", 7) == 0 || *at == '\\' || *at == '@' ||
            (*at == '(' && !is_harmless(value, at)) || (*at == '&' && !is_reference_of_xml(at))) {
            return false;
        }
        if (*at == '"' || *at == '>') {
            gb_buf_add(out, *at == '"' ? "&quot;" : "&gt;");
        } else {
            gb_buf_add_bytes(out, at, 1);
        }
    }
    return true;
}
