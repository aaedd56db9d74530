/* Text: a growing buffer, UTF-8, nearest words, file names. Locale-independent throughout. */
#ifndef GB_BASE_TEXT_H
#define GB_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A growing string. Zero-initialise it; gb_buf_free releases it. `data` is NUL-terminated once
 * anything was added (NULL before). After an out-of-memory `failed` stays set and further calls do
 * nothing, so that callers check once at the end. */
typedef struct gb_buf {
    char *data;
    size_t length, capacity;
    bool failed;
} gb_buf;

void gb_buf_add(gb_buf *buf, const char *text);
void gb_buf_add_bytes(gb_buf *buf, const void *bytes, size_t n);
void gb_buf_printf(gb_buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gb_buf_vprintf(gb_buf *buf, const char *format, va_list args);
void gb_buf_free(gb_buf *buf);
/* The text or, after a failure, GB_NO_MEMORY. Ownership of *out passes to the caller (free). */
gb_code gb_buf_take(gb_buf *buf, char **out, gb_error *err);

/* strdup and printf (always with '.') into fresh memory; NULL on out of memory. The caller frees.
 */
char *gb_text_copy(const char *text);
char *gb_text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* True when bytes are valid UTF-8 (no surrogates, no overlong forms); *bad gets the offset of the
 * first bad byte (may be NULL). */
bool gb_utf8_valid(const char *bytes, size_t n, size_t *bad);
/* Decodes one code point at text (valid UTF-8), returns its length in bytes (1-4). */
size_t gb_utf8_decode(const char *text, uint32_t *point);
/* Columns that a terminal uses for valid UTF-8 text (wide East Asian and emoji 2, combining 0). */
size_t gb_utf8_width(const char *text);
/* True for control characters and for bidirectional overrides and isolates (U+202A-E, U+2066-9,
 * U+200E-F, U+061C): such text is refused in names and escaped in output. */
bool gb_utf8_unsafe(uint32_t point);
/* Bytes of the longest start of text, at most `max`, that does not cut a character in two. */
size_t gb_utf8_cut(const char *text, size_t max);
/* Copy of text (any bytes) with invalid bytes and unsafe points shown as \xNN or \u{NNNN}. The
 * caller frees; NULL on out of memory. */
char *gb_text_printable(const char *text);
/* As above, but only bytes that are not UTF-8 are shown as \xNN. */
char *gb_text_escape_invalid(const char *text);

/* The nearest of `n` words to `word` by edit distance, a swap of neighbours counted as one and
 * ASCII case ignored (ties: the first), or NULL when none is near (distance > max(1, length / 3),
 * or as long as the word itself). */
const char *gb_text_nearest(const char *word, const char *const words[], size_t n);

/* Whether a `--filter` means a name: it is part of it, or a pattern of literal bytes, '?' (one
 * character) and '*' (any number of them) that fits the whole. */
bool gb_text_matches(const char *filter, const char *name);

/* Equal, ignoring ASCII case. */
bool gb_text_equal_nocase(const char *a, const char *b);

/* A file name from any text: letters, digits, '.', '-', '_' kept (never first '.' or '-'), UTF-8
 * letters kept, the rest '_'; at most 100 bytes, cut at a character; never empty, never a Windows
 * device name. When anything was changed, "-" and 8 hex digits of a hash of the text are appended,
 * so that two texts never share a name. Writes into buf (>= 128 bytes). */
void gb_text_filename(const char *text, char *buf, size_t size);

/* SHA-256 as 64 hex digits + NUL. */
void gb_sha256_hex(const void *bytes, size_t n, char hex[65]);

#ifdef __cplusplus
}
#endif
#endif
