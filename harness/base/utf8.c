/* UTF-8: checking, decoding, columns on a terminal. */
#include <string.h>

#include "base/text.h"

/* Length of the well-formed sequence at p (1-4), or 0; `left` bytes are there. Unicode, table 3-7.
 */
static size_t sequence(const unsigned char *p, size_t left)
{
    unsigned lead = p[0];
    if (lead < 0x80) {
        return 1;
    }
    size_t n = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || left < n) {
        return 0;
    }
    unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (p[1] < low || p[1] > high) {
        return 0;
    }
    for (size_t i = 2; i < n; i++) {
        if ((p[i] & 0xC0u) != 0x80u) {
            return 0;
        }
    }
    return n;
}

bool gb_utf8_valid(const char *bytes, size_t n, size_t *bad)
{
    for (size_t i = 0; i < n;) {
        size_t step = sequence((const unsigned char *)bytes + i, n - i);
        if (step == 0) {
            if (bad) {
                *bad = i;
            }
            return false;
        }
        i += step;
    }
    return true;
}

size_t gb_utf8_decode(const char *text, uint32_t *point)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t n = sequence(p, strnlen(text, 4));
    switch (n) {
    case 2:
        *point = (p[0] & 0x1Fu) << 6 | (p[1] & 0x3Fu);
        return 2;
    case 3:
        *point = (p[0] & 0x0Fu) << 12 | (p[1] & 0x3Fu) << 6 | (p[2] & 0x3Fu);
        return 3;
    case 4:
        *point = (p[0] & 0x07u) << 18 | (p[1] & 0x3Fu) << 12 | (p[2] & 0x3Fu) << 6 | (p[3] & 0x3Fu);
        return 4;
    default:
        *point = n == 1 ? p[0] : 0xFFFD;
        return 1;
    }
}

size_t gb_utf8_cut(const char *text, size_t max)
{
    size_t n = strnlen(text, max);
    if (n == max && ((unsigned char)text[n] & 0xC0u) == 0x80u) {
        /* At most three bytes of one character stand before the cut. */
        for (size_t back = 1; back <= 3 && back <= n; back++) {
            unsigned char byte = (unsigned char)text[n - back];
            if ((byte & 0xC0u) != 0x80u) {
                return byte >= 0xC0u ? n - back : n;
            }
        }
    }
    return n;
}

struct range {
    uint32_t first, last;
};
#include "base/utf8_width.inc"

static bool in_ranges(const struct range ranges[], size_t n, uint32_t point)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (point > ranges[middle].last) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < n && point >= ranges[low].first;
}
#define IN(ranges, point) in_ranges(ranges, sizeof(ranges) / sizeof(ranges)[0], point)

size_t gb_utf8_width(const char *text)
{
    size_t columns = 0;
    while (*text) {
        uint32_t point;
        text += gb_utf8_decode(text, &point);
        if (point < 0x20 || (point >= 0x7F && point < 0xA0) || IN(zero_width, point)) {
            continue;
        }
        columns += IN(double_width, point) ? 2 : 1;
    }
    return columns;
}

bool gb_utf8_unsafe(uint32_t point)
{
    return point < 0x20 || (point >= 0x7F && point < 0xA0) || point == 0x061C || point == 0x200E ||
           point == 0x200F || (point >= 0x202A && point <= 0x202E) ||
           (point >= 0x2066 && point <= 0x2069);
}

static char *escape(const char *text, bool unsafe_too)
{
    gb_buf out = {0};
    size_t left = strlen(text);
    gb_buf_add(&out, "");
    while (left > 0) {
        size_t n = sequence((const unsigned char *)text, left);
        uint32_t point = 0;
        if (n == 0) {
            n = 1;
            gb_buf_printf(&out, "\\x%02X", (unsigned)(unsigned char)*text);
        } else if (gb_utf8_decode(text, &point), unsafe_too && gb_utf8_unsafe(point)) {
            gb_buf_printf(&out, point < 0x80 ? "\\x%02X" : "\\u{%X}", (unsigned)point);
        } else {
            gb_buf_add_bytes(&out, text, n);
        }
        text += n;
        left -= n;
    }
    if (out.failed) {
        gb_buf_free(&out);
    }
    return out.data;
}

char *gb_text_printable(const char *text)
{
    return escape(text, true);
}

char *gb_text_escape_invalid(const char *text)
{
    return escape(text, false);
}
