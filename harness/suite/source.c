#include "suite/source.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* libyaml compares every %TAG directive with all others: a file full of them would take minutes. */
#define MAX_DIRECTIVES 16
/* A line up to this many bytes is shown whole; of a longer one, so many characters before and after
 * the caret. */
#define EXCERPT_WHOLE 150
#define EXCERPT_BEFORE 80
#define EXCERPT_AFTER 70

static size_t line_break(const char *bytes, size_t n, size_t at)
{
    if (bytes[at] == '\n')
        return 1;
    if (bytes[at] == '\r')
        return at + 1 < n && bytes[at + 1] == '\n' ? 2 : 1;
    return 0;
}

/* Fills source->lines; the first line begins at 0, one more after each line break. */
static gb_code index_lines(gb_source *source, gb_error *err)
{
    size_t count = 1;
    for (size_t i = 0; i < source->n; i++) {
        size_t length = line_break(source->bytes, source->n, i);
        if (length > 0) {
            count++;
            i += length - 1;
        }
    }
    source->lines = malloc(count * sizeof *source->lines);
    if (source->lines == NULL)
        return gb_fail(err, GB_NO_MEMORY, "no memory for a file of %zu lines", count);
    source->lines[source->n_lines++] = 0;
    for (size_t i = 0; i < source->n; i++) {
        size_t length = line_break(source->bytes, source->n, i);
        if (length > 0) {
            i += length - 1;
            source->lines[source->n_lines++] = i + 1;
        }
    }
    return GB_OK;
}

static gb_code fail_at_offset(const gb_source *source, size_t offset, gb_error *err,
                              const char *what, uint32_t point)
{
    int line;
    int column;
    gb_source_place(source, offset, &line, &column);
    return gb_fail_at(err, GB_INVALID, "", line, column, "%s U+%04X; remove it", what,
                      (unsigned)point);
}

/* Characters that YAML forbids, and line separators that would make the line numbers of libyaml
 * and of an editor differ. */
static gb_code check_characters(const gb_source *source, gb_error *err)
{
    size_t i = 0;
    while (i < source->n) {
        unsigned char byte = (unsigned char)source->bytes[i];
        uint32_t point = byte;
        size_t length = 1;
        if (byte >= 0x80)
            length = gb_utf8_decode(source->bytes + i, &point);
        if (point == 0x85 || point == 0x2028 || point == 0x2029)
            return fail_at_offset(source, i, err, "line separator", point);
        bool control = (point < 0x20 && point != '\t' && point != '\n' && point != '\r') ||
                       (point >= 0x7F && point < 0xA0);
        if (control)
            return fail_at_offset(source, i, err, "control character", point);
        if (point == 0xFEFF || point == 0xFFFE || point == 0xFFFF)
            return fail_at_offset(source, i, err, "character that YAML does not allow", point);
        i += length;
    }
    return GB_OK;
}

static gb_code check_directives(const gb_source *source, gb_error *err)
{
    size_t count = 0;
    for (size_t i = 0; i < source->n_lines; i++) {
        size_t at = source->lines[i];
        if (at < source->n && source->bytes[at] == '%' && ++count > MAX_DIRECTIVES)
            return gb_fail_at(err, GB_INVALID, "", (int)i + 1, 1,
                              "more than %d lines begin with %%", MAX_DIRECTIVES);
    }
    return GB_OK;
}

static bool looks_like_utf16(const unsigned char *bytes, size_t n)
{
    if (n < 2)
        return false;
    bool mark = (bytes[0] == 0xFF && bytes[1] == 0xFE) || (bytes[0] == 0xFE && bytes[1] == 0xFF);
    return mark || (bytes[0] == 0 && bytes[1] != 0) || (bytes[0] != 0 && bytes[1] == 0);
}

gb_code gb_source_open(const char *bytes, size_t n, gb_source *out, gb_error *err)
{
    memset(out, 0, sizeof *out);
    if (n > GB_SUITE_MAX_BYTES)
        return gb_fail(err, GB_INVALID, "the file is larger than 1 MiB, the most a suite may have");
    if (looks_like_utf16((const unsigned char *)bytes, n))
        return gb_fail(err, GB_INVALID, "the file is UTF-16 or UTF-32; only UTF-8 is read");
    if (n >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) {
        bytes += 3;
        n -= 3;
    }
    out->bytes = bytes;
    out->n = n;
    gb_code code = index_lines(out, err);
    if (code != GB_OK)
        return code;
    size_t bad;
    if (n > 0 && !gb_utf8_valid(bytes, n, &bad)) {
        int line;
        int column;
        gb_source_place(out, bad, &line, &column);
        return gb_fail(err, GB_INVALID,
                       "the file is not UTF-8: byte 0x%02X in line %d (offset %zu); only UTF-8 is "
                       "read",
                       (unsigned)(unsigned char)bytes[bad], line, bad);
    }
    code = check_characters(out, err);
    if (code != GB_OK)
        return code;
    return check_directives(out, err);
}

void gb_source_free(gb_source *source)
{
    free(source->lines);
    memset(source, 0, sizeof *source);
}

static bool continuation(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

size_t gb_source_line_length(const gb_source *source, int line)
{
    if (line < 1 || (size_t)line > source->n_lines)
        return 0;
    size_t begin = source->lines[line - 1];
    size_t end = (size_t)line < source->n_lines ? source->lines[line] : source->n;
    while (end > begin && (source->bytes[end - 1] == '\n' || source->bytes[end - 1] == '\r'))
        end--;
    return end - begin;
}

size_t gb_source_offset(const gb_source *source, int line, int column)
{
    if (line < 1)
        return 0;
    if ((size_t)line > source->n_lines)
        return source->n;
    size_t at = source->lines[line - 1];
    size_t end = at + gb_source_line_length(source, line);
    for (int i = 1; i < column && at < end; i++) {
        at++;
        while (at < end && continuation(source->bytes[at]))
            at++;
    }
    return at;
}

void gb_source_place(const gb_source *source, size_t offset, int *line, int *column)
{
    size_t low = 0;
    size_t high = source->n_lines;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (source->lines[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    *line = (int)low + 1;
    *column = 1;
    for (size_t i = source->lines[low]; i < offset && i < source->n; i++)
        if (!continuation(source->bytes[i]))
            ++*column;
}

/* Copy of bytes as a terminal shows them, a tab as one space: columns stay what they are. */
static char *printable(const char *bytes, size_t n)
{
    char *raw = malloc(n + 1);
    if (raw == NULL)
        return NULL;
    for (size_t i = 0; i < n; i++)
        raw[i] = bytes[i] == '\t' ? ' ' : bytes[i];
    raw[n] = '\0';
    char *text = gb_text_printable(raw);
    free(raw);
    return text;
}

char *gb_source_excerpt(const gb_source *source, int line, int column, int *caret)
{
    *caret = 0;
    if (line < 1 || (size_t)line > source->n_lines)
        return NULL;
    size_t length = gb_source_line_length(source, line);
    bool whole = length <= EXCERPT_WHOLE;
    int first = !whole && column > EXCERPT_BEFORE ? column - EXCERPT_BEFORE : 1;
    size_t begin = gb_source_offset(source, line, first);
    size_t place = gb_source_offset(source, line, column);
    size_t end = source->lines[line - 1] + length;
    size_t limit = gb_source_offset(source, line, column + EXCERPT_AFTER);
    bool more = !whole && limit < end;
    if (more)
        end = limit;
    char *before = printable(source->bytes + begin, place - begin);
    char *after = printable(source->bytes + place, end - place);
    char *text = NULL;
    if (before != NULL && after != NULL) {
        const char *lead = first > 1 ? "..." : "";
        *caret = (int)(strlen(lead) + gb_utf8_width(before));
        text = gb_text_format("%s%s%s%s", lead, before, after, more ? "..." : "");
    }
    free(before);
    free(after);
    return text;
}
