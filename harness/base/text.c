/* A growing buffer, copies, nearest words. */
#include "base/text.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"

/* Room for n more bytes and the NUL. */
static bool reserve(gb_buf *buf, size_t n)
{
    if (buf->failed) {
        return false;
    }
    if (n >= SIZE_MAX - buf->length) {
        buf->failed = true;
        return false;
    }
    size_t needed = buf->length + n + 1;
    if (needed > buf->capacity) {
        size_t capacity = buf->capacity > SIZE_MAX / 2 ? needed : 2 * buf->capacity;
        capacity = capacity < needed ? needed : capacity;
        capacity = capacity < 64 ? 64 : capacity;
        char *data = realloc(buf->data, capacity);
        if (!data) {
            buf->failed = true;
            return false;
        }
        buf->data = data;
        buf->capacity = capacity;
    }
    return true;
}

void gb_buf_add_bytes(gb_buf *buf, const void *bytes, size_t n)
{
    if (reserve(buf, n)) {
        if (n > 0) {
            memcpy(buf->data + buf->length, bytes, n);
        }
        buf->length += n;
        buf->data[buf->length] = '\0';
    }
}

void gb_buf_add(gb_buf *buf, const char *text)
{
    gb_buf_add_bytes(buf, text, strlen(text));
}

void gb_buf_vprintf(gb_buf *buf, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int n = gb_vsnprintf(NULL, 0, format, args);
    if (n < 0) {
        buf->failed = true;
    } else if (reserve(buf, (size_t)n)) {
        gb_vsnprintf(buf->data + buf->length, (size_t)n + 1, format, again);
        buf->length += (size_t)n;
    }
    va_end(again);
}

void gb_buf_printf(gb_buf *buf, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    gb_buf_vprintf(buf, format, args);
    va_end(args);
}

void gb_buf_free(gb_buf *buf)
{
    free(buf->data);
    *buf = (gb_buf){0};
}

gb_code gb_buf_take(gb_buf *buf, char **out, gb_error *err)
{
    gb_buf_add(buf, ""); /* an empty text is a text too */
    if (buf->failed) {
        gb_buf_free(buf);
        return gb_fail(err, GB_NO_MEMORY, "out of memory for text");
    }
    *out = buf->data;
    *buf = (gb_buf){0};
    return GB_OK;
}

char *gb_text_copy(const char *text)
{
    return strdup(text);
}

char *gb_text_format(const char *format, ...)
{
    gb_buf buf = {0};
    va_list args;
    va_start(args, format);
    gb_buf_vprintf(&buf, format, args);
    va_end(args);
    if (buf.failed) {
        gb_buf_free(&buf);
    }
    return buf.data;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool gb_text_equal_nocase(const char *a, const char *b)
{
    while (*a && lower(*a) == lower(*b)) {
        a++;
        b++;
    }
    return lower(*a) == lower(*b);
}

/* Longer words are not typing slips of each other. */
enum { LONGEST_WORD = 255 };

/* Insertions, deletions, substitutions and swaps of neighbours that turn a into b, ignoring ASCII
 * case (optimal string alignment). */
static size_t edit_distance(const char *a, size_t na, const char *b, size_t nb)
{
    size_t rows[3][LONGEST_WORD + 1];
    size_t *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= nb; j++) {
        last[j] = j;
        before[j] = 0;
    }
    for (size_t i = 1; i <= na; i++) {
        now[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            size_t best = last[j - 1] + (lower(a[i - 1]) != lower(b[j - 1]));
            best = last[j] + 1 < best ? last[j] + 1 : best;
            best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1]) && before[j - 2] + 1 < best) {
                best = before[j - 2] + 1;
            }
            now[j] = best;
        }
        size_t *spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[nb];
}

const char *gb_text_nearest(const char *word, const char *const words[], size_t n)
{
    size_t length = strlen(word);
    if (length == 0 || length > LONGEST_WORD) {
        return NULL;
    }
    size_t limit = length / 3 > 1 ? length / 3 : 1;
    const char *nearest = NULL;
    for (size_t i = 0; i < n; i++) {
        size_t other = words[i] ? strlen(words[i]) : 0;
        if (other == 0 || other > LONGEST_WORD) {
            continue;
        }
        size_t distance = edit_distance(word, length, words[i], other);
        /* A distance of the whole word would offer any letter for any other. */
        if (distance <= limit && distance < length) {
            nearest = words[i];
            limit = distance - (distance > 0); /* from here on only nearer ones */
            if (distance == 0) {
                break;
            }
        }
    }
    return nearest;
}

/* Not fnmatch: case ids are full of brackets, which are meant as they are. */
static bool glob(const char *pattern, const char *text)
{
    const char *star = NULL;
    const char *retry = NULL;
    while (*text != '\0') {
        if (*pattern == '*') {
            star = pattern++;
            retry = text;
        } else if (*pattern == '?') {
            uint32_t point;
            text += gb_utf8_decode(text, &point);
            pattern++;
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (star != NULL) {
            pattern = star + 1;
            text = ++retry;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

bool gb_text_matches(const char *filter, const char *name)
{
    return strstr(name, filter) != NULL || glob(filter, name);
}
