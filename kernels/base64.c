#include "kernels/base64.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* One more than a character's place in the alphabet; 0: it is none of it. */
static const uint8_t places[256] = {
    ['A'] = 1,  ['B'] = 2,  ['C'] = 3,  ['D'] = 4,  ['E'] = 5,  ['F'] = 6,  ['G'] = 7,  ['H'] = 8,
    ['I'] = 9,  ['J'] = 10, ['K'] = 11, ['L'] = 12, ['M'] = 13, ['N'] = 14, ['O'] = 15, ['P'] = 16,
    ['Q'] = 17, ['R'] = 18, ['S'] = 19, ['T'] = 20, ['U'] = 21, ['V'] = 22, ['W'] = 23, ['X'] = 24,
    ['Y'] = 25, ['Z'] = 26, ['a'] = 27, ['b'] = 28, ['c'] = 29, ['d'] = 30, ['e'] = 31, ['f'] = 32,
    ['g'] = 33, ['h'] = 34, ['i'] = 35, ['j'] = 36, ['k'] = 37, ['l'] = 38, ['m'] = 39, ['n'] = 40,
    ['o'] = 41, ['p'] = 42, ['q'] = 43, ['r'] = 44, ['s'] = 45, ['t'] = 46, ['u'] = 47, ['v'] = 48,
    ['w'] = 49, ['x'] = 50, ['y'] = 51, ['z'] = 52, ['0'] = 53, ['1'] = 54, ['2'] = 55, ['3'] = 56,
    ['4'] = 57, ['5'] = 58, ['6'] = 59, ['7'] = 60, ['8'] = 61, ['9'] = 62, ['+'] = 63, ['/'] = 64,
};

static bool is_blank(uint8_t c)
{
    return c == '\n' || c == '\r' || c == ' ' || c == '\t';
}

static void put(uint8_t *to, uint32_t bits)
{
    to[0] = (uint8_t)(bits >> 16);
    to[1] = (uint8_t)(bits >> 8);
    to[2] = (uint8_t)bits;
}

/* Four characters at a time from *at on, up to the first that needs a closer look. Returns the
 * bytes. */
static size_t decode_plain(const uint8_t *text, size_t n, size_t *at, uint8_t *to)
{
    size_t i = *at, length = 0;
    for (; n - i >= 4; i += 4, length += 3) {
        const uint32_t a = places[text[i]] - 1u, b = places[text[i + 1]] - 1u,
                       c = places[text[i + 2]] - 1u, d = places[text[i + 3]] - 1u;
        if ((a | b | c | d) > 63) /* 0 - 1 wraps */
            break;
        put(to + length, a << 18 | b << 12 | c << 6 | d);
    }
    *at = i;
    return length;
}

/* What four characters with blanks between them may be. */
typedef struct quantum {
    uint32_t bits;
    int characters, pads;
} quantum;

/* Reads on from *at; false: the character there is not allowed. */
static bool read_quantum(const uint8_t *text, size_t n, size_t *at, quantum *q)
{
    *q = (quantum){0};
    for (; *at < n && q->characters < 4; ++*at) {
        const uint8_t c = text[*at];
        if (is_blank(c))
            continue;
        if (c == '=' ? q->characters < 2 : places[c] == 0 || q->pads > 0)
            return false;
        q->pads += c == '=';
        q->bits = q->bits << 6 | (c == '=' ? 0u : places[c] - 1u);
        q->characters++;
    }
    return true;
}

bool gb_base64_decode(const char *text, size_t n, uint8_t *to, size_t *length, size_t *bad)
{
    const uint8_t *from = (const uint8_t *)text;
    size_t at = 0, done = 0;
    quantum q = {.characters = 4};
    while (q.characters == 4 && q.pads == 0) {
        uint8_t last[3];
        done += decode_plain(from, n, &at, to + done);
        const bool good = read_quantum(from, n, &at, &q);
        *bad = at;
        if (!good || (q.characters > 0 && q.characters < 4))
            return false;
        put(last, q.bits);
        for (int i = 0; q.characters == 4 && i < 3 - q.pads; i++)
            to[done++] = last[i];
    }
    while (at < n && is_blank(from[at])) /* nothing else may follow the padding */
        at++;
    *bad = at;
    *length = done;
    return at == n;
}

size_t gb_base64_encode(const uint8_t *bytes, size_t n, char *to)
{
    char *const begin = to;
    for (size_t i = 0; i < n; i += 3, to += 4) {
        const uint32_t second = i + 1 < n ? bytes[i + 1] : 0, third = i + 2 < n ? bytes[i + 2] : 0;
        const uint32_t bits = (uint32_t)bytes[i] << 16 | second << 8 | third;
        to[0] = alphabet[bits >> 18];
        to[1] = alphabet[bits >> 12 & 63];
        to[2] = i + 1 < n ? alphabet[bits >> 6 & 63] : '=';
        to[3] = i + 2 < n ? alphabet[bits & 63] : '=';
    }
    return (size_t)(to - begin);
}
