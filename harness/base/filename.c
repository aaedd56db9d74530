/* File names from any text, and SHA-256. */
#include <stdio.h>
#include <string.h>

#include <sys/types.h>

#include <sha256.h>

#include "base/text.h"

void gb_sha256_hex(const void *bytes, size_t n, char hex[65])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char digest[SHA256_DIGEST_LENGTH];
    SHA256_CTX context;
    SHA256Init(&context);
    if (n > 0) {
        SHA256Update(&context, bytes, n);
    }
    SHA256Final(digest, &context);
    for (size_t i = 0; i < sizeof digest; i++) {
        hex[2 * i] = digits[digest[i] >> 4];
        hex[2 * i + 1] = digits[digest[i] & 15u];
    }
    hex[64] = '\0';
}

enum { LONGEST_NAME = 100, HASH_DIGITS = 8 };

static bool ascii_name_character(uint32_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
}

/* Blocks of letters, roughly: without a table of categories, what is surely punctuation, space,
 * symbol, emoji, private or special is left out. */
static bool letter_beyond_ascii(uint32_t c)
{
    return c >= 0xC0 && c != 0xD7 && c != 0xF7 && !gb_utf8_unsafe(c) &&
           !(c >= 0x2000 && c <= 0x2BFF) && !(c >= 0x3000 && c <= 0x3004) &&
           !(c >= 0x3008 && c <= 0x3020) && !(c >= 0xD800 && c <= 0xF8FF) &&
           !(c >= 0xFE00 && c <= 0xFE6F) && !(c >= 0xFEFF && c <= 0xFF0F) &&
           !(c >= 0xFFE0 && c <= 0xFFFF) && !(c >= 0x1F000 && c <= 0x1FAFF) && c < 0xE0000 &&
           c != 0x1680 && c != 0x180E;
}

/* CON, PRN, AUX, NUL, COM0-9, LPT0-9, also with an extension. */
static bool windows_device(const char *name)
{
    static const char *const devices[] = {"con", "prn", "aux", "nul", "com", "lpt"};
    size_t stem = strcspn(name, ".");
    char start[4] = "";
    memcpy(start, name, stem < 3 ? stem : 3);
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
        if (gb_text_equal_nocase(start, devices[i])) {
            return i < 4 ? stem == 3 : stem == 4 && name[3] >= '0' && name[3] <= '9';
        }
    }
    return false;
}

/* Whether a text looks like a changed name already: then it is changed too, so that it cannot meet
 * the name of another text. */
static bool ends_like_hash(const char *text, size_t length)
{
    if (length <= HASH_DIGITS || text[length - HASH_DIGITS - 1] != '-') {
        return false;
    }
    return strspn(text + length - HASH_DIGITS, "0123456789abcdef") == HASH_DIGITS;
}

void gb_text_filename(const char *text, char *buf, size_t size)
{
    char name[LONGEST_NAME + 8]; /* with room for one character too many */
    size_t length = strlen(text), used = 0;
    bool changed = length == 0 || length > LONGEST_NAME || ends_like_hash(text, length);
    if (windows_device(text)) {
        name[used++] = '_';
        changed = true;
    }
    for (size_t i = 0; i < length && used < LONGEST_NAME;) {
        uint32_t point;
        size_t n = gb_utf8_decode(text + i, &point);
        bool edge = (i == 0 && (point == '.' || point == '-')) ||
                    (i + n == length && point == '.'); /* Windows drops a last dot */
        bool kept = point < 0x80 ? ascii_name_character(point) && !edge
                                 : n > 1 && letter_beyond_ascii(point);
        if (kept) {
            memcpy(name + used, text + i, n);
            used += n;
        } else {
            name[used++] = '_';
            changed = true;
        }
        i += n;
    }
    if (used == 0) {
        name[used++] = '_';
    }
    name[used] = '\0';
    if (!changed) {
        snprintf(buf, size, "%s", name);
        return;
    }
    char hex[65];
    gb_sha256_hex(text, length, hex);
    size_t kept = gb_utf8_cut(name, LONGEST_NAME - HASH_DIGITS - 1);
    snprintf(buf, size, "%.*s-%.*s", (int)kept, name, HASH_DIGITS, hex);
}
