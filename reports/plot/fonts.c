#include "reports/plot/fonts.h"

#include <stdlib.h>
#include <string.h>

#include "reports/plot/child.h"

#define FC_LIST_TIMEOUT_S 20
#define FC_LIST_MOST (16u << 20) /* bytes; the ranges of a large CJK font are about 100 kB */
#define LAST_LATIN 0x24Fu
#define FOLDER "'plots/"

/* What shows as nothing with or without a font (Unicode's Default_Ignorable_Code_Point). */
static bool is_ignorable(uint32_t point)
{
    return point == 0xAD || (point >= 0x200B && point <= 0x200F) ||
           (point >= 0x202A && point <= 0x202E) || (point >= 0x2060 && point <= 0x206F) ||
           (point >= 0xFE00 && point <= 0xFE0F) || point == 0xFEFF;
}

/* The formats that Pango can use. */
static const char *charset_of(const char *line)
{
    static const char *const formats[] = {"TrueType ", "CFF "};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (strncmp(line, formats[i], strlen(formats[i])) == 0) {
            return line + strlen(formats[i]);
        }
    }
    return NULL;
}

/* Whether "20-7e a0 1f600-1f64f" has the point, up to the line's end. */
static bool has(const char *charset, uint32_t point)
{
    for (const char *at = charset; *at != '\n' && *at != '\0';) {
        char *end;
        const unsigned long from = strtoul(at, &end, 16);
        unsigned long to = from;
        if (end == at) {
            return false;
        }
        if (*end == '-') {
            to = strtoul(end + 1, &end, 16);
        }
        if (from <= point && point <= to) {
            return true;
        }
        at = end + strspn(end, " ");
    }
    return false;
}

static bool any_has(const char *fonts, uint32_t point)
{
    for (const char *line = fonts; line != NULL && *line != '\0';) {
        const char *charset = charset_of(line), *end = strchr(line, '\n');
        if (charset != NULL && has(charset, point)) {
            return true;
        }
        line = end != NULL ? end + 1 : NULL;
    }
    return false;
}

/* What fc-list says, asked once; "": nothing. It stays for the life of the process. */
static const char *fonts_here(void)
{
    static gb_buf fonts;
    static bool asked;
    const char *const argv[] = {"fc-list", "--format", "%{fontformat} %{charset}\n", NULL};
    gb_error err = {0};
    if (!asked) {
        asked = true;
        if (gb_child_run("fc-list", argv, NULL, FC_LIST_TIMEOUT_S, FC_LIST_MOST, &fonts, &err) !=
            GB_OK) {
            gb_buf_free(&fonts);
        }
    }
    return fonts.data != NULL ? fonts.data : "";
}

/* `fonts` NULL: those of this machine, asked for when a letter needs it. */
static bool replace(const char *fonts, const char *text, const char *keep, gb_buf *out)
{
    const size_t kept = strlen(keep);
    bool replaced = false;
    for (const char *at = text; *at != '\0';) {
        uint32_t point;
        size_t length = strncmp(at, FOLDER, strlen(FOLDER)) == 0 &&
                                strncmp(at + strlen(FOLDER), keep, kept) == 0
                            ? strlen(FOLDER) + kept
                            : 0;
        if (length == 0 && (unsigned char)*at >= 0x80) {
            length = gb_utf8_decode(at, &point);
            fonts = fonts != NULL ? fonts : fonts_here();
            if (!is_ignorable(point) &&
                !(fonts[0] != '\0' ? any_has(fonts, point) : point <= LAST_LATIN)) {
                gb_buf_add(out, "?");
                at += length;
                replaced = true;
                continue;
            }
        }
        length = length > 0 ? length : 1;
        gb_buf_add_bytes(out, at, length);
        at += length;
    }
    return replaced;
}

bool gb_fonts_replace_of(const char *fonts, const char *text, const char *keep, gb_buf *out)
{
    return replace(fonts, text, keep, out);
}

bool gb_fonts_replace(const char *text, const char *keep, gb_buf *out)
{
    return replace(NULL, text, keep, out);
}
