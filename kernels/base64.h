/* Base64 (RFC 4648, section 4): the alphabet A-Z a-z 0-9 + /, four characters for three bytes,
 * '=' at the end. Blanks and line ends between characters are passed over, as in files that other
 * programs wrote (RFC 2045, section 6.8). */
#ifndef GB_KERNELS_BASE64_H
#define GB_KERNELS_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most bytes that n characters may decode to. */
static inline size_t gb_base64_room(size_t n)
{
    return n / 4 * 3;
}

/* Decodes n characters into `to` (gb_base64_room of them); *length gets the bytes. False: *bad is
 * the offset of the first character that does not belong there, n where the text ends too early. */
bool gb_base64_decode(const char *text, size_t n, uint8_t *to, size_t *length, size_t *bad);

/* Encodes n bytes into `to`: 4 characters for each 3 bytes or less, no line ends, no NUL. Returns
 * the characters. */
size_t gb_base64_encode(const uint8_t *bytes, size_t n, char *to);

#endif
