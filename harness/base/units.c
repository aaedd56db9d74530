/* Numbers with units: one table a dimension, used by the parser and by the printer. */
#include "base/units.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/number.h"
#include "base/text.h"

typedef struct unit {
    const char *word;
    uint64_t factor; /* to the base unit */
    bool printed;    /* whether the printer scales to it */
} unit;

typedef struct dimension {
    const char *what;     /* "a size" */
    const char *base;     /* "bytes": what it must be whole in */
    const char *smallest; /* unit of the range in messages */
    const char *units;    /* for messages */
    const char *example;
    const unit *table; /* ascending among the printed ones; ends with a NULL word */
} dimension;

static const unit byte_units[] = {
    {"B", 1, true},
    {"KiB", 1ull << 10, true},
    {"MiB", 1ull << 20, true},
    {"GiB", 1ull << 30, true},
    {"TiB", 1ull << 40, true},
    {"kB", 1000, false},
    {"MB", 1000000, false},
    {"GB", 1000000000, false},
    {"TB", 1000000000000, false},
    {NULL, 0, false},
};
static const dimension bytes_dimension = {
    "a size", "bytes",   "B", "B, KiB, MiB, GiB, TiB (1024) or kB, MB, GB, TB (1000)",
    "64MiB",  byte_units};

static const unit time_units[] = {
    {"ns", 1, true},
    {"us", 1000, true},
    {"\xC2\xB5s", 1000, false}, /* micro sign */
    {"\xCE\xBCs", 1000, false}, /* Greek mu, which looks the same */
    {"ms", 1000000, true},
    {"s", 1000000000, true},
    {"m", 60000000000, false},
    {"h", 3600000000000, false},
    {NULL, 0, false},
};
static const dimension time_dimension = {"a duration", "nanoseconds", "ns", "ns, us, ms, s, m or h",
                                         "100ms",      time_units};

static const char *const rate_prefixes[] = {"", "k", "M", "G", "T", "P", "E"};

/* The text for a message: printable, short. */
#define QUOTE_SIZE 80
static const char *quote(const char *text, char buf[QUOTE_SIZE])
{
    char *printable = gb_text_printable(text);
    const char *shown = printable ? printable : "?";
    size_t n = gb_utf8_cut(shown, QUOTE_SIZE - 8);
    snprintf(buf, QUOTE_SIZE, "%.*s%s", (int)n, shown, shown[n] ? "..." : "");
    free(printable);
    return buf;
}

static const unit *find_unit(const dimension *d, const char *word)
{
    for (const unit *u = d->table; u->word; u++) {
        if (strcmp(u->word, word) == 0) {
            return u;
        }
    }
    return NULL;
}

/* The number as written, for messages that offer a spelling. */
static gb_code unknown_unit(const dimension *d, const char *text, size_t number, const char *word,
                            gb_error *err)
{
    char q[QUOTE_SIZE], w[QUOTE_SIZE];
    quote(text, q);
    if (number > 40) {
        number = 40;
    }
    if (*word == '\0') {
        if (d == &bytes_dimension) {
            return gb_fail(
                err, GB_INVALID,
                "'%s' has no unit: write %.*sB, %.*sKiB (1024) or %.*skB (1000); %s is a "
                "number and one of %s",
                q, (int)number, text, (int)number, text, (int)number, text, d->what, d->units);
        }
        return gb_fail(err, GB_INVALID,
                       "'%s' has no unit: %s is a number and one of %s, such as %s", q, d->what,
                       d->units, d->example);
    }
    if (d == &bytes_dimension && strchr("kKMGT", word[0]) && word[1] == '\0') {
        char prefix = word[0] == 'k' ? 'K' : word[0];
        return gb_fail(err, GB_INVALID,
                       "'%s' is ambiguous: write %.*s%cB (1000) or %.*s%ciB (1024)", q, (int)number,
                       text, prefix == 'K' ? 'k' : prefix, (int)number, text, prefix);
    }
    char whole[8];
    snprintf(whole, sizeof whole, "%.3sB", word);
    for (const unit *u = d->table; u->word; u++) {
        if (gb_text_equal_nocase(u->word, word) ||
            (d == &bytes_dimension && gb_text_equal_nocase(u->word, whole))) {
            return gb_fail(err, GB_INVALID,
                           "'%s' has an unknown unit '%s' (did you mean '%s'?): %s is a number and "
                           "one of %s, in exactly this case",
                           q, quote(word, w), u->word, d->what, d->units);
        }
    }
    return gb_fail(err, GB_INVALID, "'%s' has an unknown unit '%s': %s is a number and one of %s",
                   q, quote(word, w), d->what, d->units);
}

/* What is wrong with a text that does not begin with a digit, or whose number is malformed. */
static gb_code not_a_number(const char *what, const char *valid, const char *text, gb_error *err)
{
    char q[QUOTE_SIZE];
    const char *why = "it does not begin with a digit";
    if (*text == '\0') {
        why = "it is empty";
    } else if (*text == '-' || *text == '+') {
        why = "signs are not accepted";
    } else if (*text == ' ' || *text == '\t') {
        why = "it begins with a space";
    } else if (*text >= '0' && *text <= '9') {
        why = "no digit follows the point";
    }
    return gb_fail(err, GB_INVALID, "'%s' is not %s (%s): write %s", quote(text, q), what, why,
                   valid);
}

static gb_code parse_dimension(const dimension *d, const char *text, uint64_t *out, gb_error *err)
{
    char q[QUOTE_SIZE], valid[160];
    gb_decimal number;
    size_t n = gb_decimal_scan(text, &number);
    if (n == 0) {
        gb_snprintf(valid, sizeof valid, "a number and one of %s, such as %s", d->units,
                    d->example);
        return not_a_number(d->what, valid, text, err);
    }
    const char *word = text + n;
    word += word[0] == ' ' && word[1] != '\0';
    const unit *u = find_unit(d, word);
    if (!u) {
        return unknown_unit(d, text, n, word, err);
    }
    if (number.has_exponent) {
        return gb_fail(err, GB_INVALID,
                       "'%s' has an exponent, which %s may not have: write out its digits",
                       quote(text, q), d->what);
    }
    if (number.leading_zero) {
        return gb_fail(err, GB_INVALID, "'%s' has a redundant leading zero: write it without",
                       quote(text, q));
    }
    uint64_t value = 0;
    gb_decimal_fit fit = gb_decimal_whole(&number, u->factor, &value);
    if (fit == GB_DECIMAL_FRACTION) {
        return gb_fail(err, GB_INVALID, "'%s' is not a whole number of %s", quote(text, q),
                       d->base);
    }
    if (fit == GB_DECIMAL_RANGE || value == 0) {
        return gb_fail(err, GB_INVALID, "'%s' is out of range: %s is 1%s to 9223372036854775807%s",
                       quote(text, q), d->what, d->smallest, d->smallest);
    }
    *out = value;
    return GB_OK;
}

gb_code gb_parse_bytes(const char *text, uint64_t *out, gb_error *err)
{
    return parse_dimension(&bytes_dimension, text, out, err);
}

gb_code gb_parse_duration(const char *text, uint64_t *ns, gb_error *err)
{
    return parse_dimension(&time_dimension, text, ns, err);
}

gb_code gb_parse_count(const char *text, uint64_t *out, gb_error *err)
{
    static const char what[] = "a whole number", valid[] = "0 to 9223372036854775807";
    char q[QUOTE_SIZE];
    gb_decimal number;
    size_t n = gb_decimal_scan(text, &number);
    if (n == 0) {
        return not_a_number(what, valid, text, err);
    }
    if (number.leading_zero || (text[0] == '0' && text[1] != '\0' && strchr("xXoObB", text[1]))) {
        return gb_fail(
            err, GB_INVALID,
            "'%s' is not a plain decimal number (leading zeros, hexadecimal and octal are "
            "refused): write %s",
            quote(text, q), valid);
    }
    if (text[n] != '\0') {
        const char *why = text[n] == '_' || text[n] == ',' ? "digits are not grouped"
                          : text[n] == ':'                 ? "base 60 is refused"
                          : text[n] == ' '                 ? "a space follows the number"
                                                           : "it takes no unit";
        return gb_fail(err, GB_INVALID, "'%s' is not %s (%s): write %s", quote(text, q), what, why,
                       valid);
    }
    switch (gb_decimal_whole(&number, 1, out)) {
    case GB_DECIMAL_OK:
        return GB_OK;
    case GB_DECIMAL_FRACTION:
        return gb_fail(err, GB_INVALID, "'%s' is not %s: write %s without a fraction",
                       quote(text, q), what, valid);
    case GB_DECIMAL_RANGE:
        break;
    }
    return gb_fail(err, GB_INVALID, "'%s' is out of range: write %s %s", quote(text, q), what,
                   valid);
}

gb_code gb_parse_percent(const char *text, double *fraction, gb_error *err)
{
    static const char what[] = "a percentage", valid[] = "a number above 0 and %, such as 3%";
    char q[QUOTE_SIZE];
    gb_decimal number;
    size_t n = gb_decimal_scan(text, &number);
    if (n == 0) {
        return not_a_number(what, valid, text, err);
    }
    const char *word = text + n + (text[n] == ' ');
    if (strcmp(word, "%") != 0 || number.has_exponent || number.leading_zero || n > 40) {
        return gb_fail(err, GB_INVALID, "'%s' is not %s: write %s", quote(text, q), what, valid);
    }
    char shifted[64]; /* the correctly rounded fraction, not a rounded quotient */
    snprintf(shifted, sizeof shifted, "%.*se-2", (int)n, text);
    double value = gb_strtod(shifted, NULL);
    if (!(value > 0)) {
        return gb_fail(err, GB_INVALID, "'%s' is out of range: write %s", quote(text, q), valid);
    }
    *fraction = value;
    return GB_OK;
}

gb_code gb_parse_number(const char *text, double *out, gb_error *err)
{
    static const char what[] = "a number", valid[] = "a decimal number, such as 1.25";
    char q[QUOTE_SIZE];
    gb_decimal number;
    const char *unsigned_part = text + (text[0] == '-');
    size_t n = gb_decimal_scan(unsigned_part, &number);
    if (n == 0) {
        return not_a_number(what, valid, text, err);
    }
    if (unsigned_part[n] != '\0' || number.leading_zero) {
        return gb_fail(err, GB_INVALID, "'%s' is not %s: write %s", quote(text, q), what, valid);
    }
    double value = gb_strtod(text, NULL);
    if (!isfinite(value)) {
        return gb_fail(err, GB_INVALID, "'%s' is out of range: at most 1.79e308", quote(text, q));
    }
    *out = value;
    return GB_OK;
}

/* At least three significant digits of 0 <= value < 10^15, no exponent from 1 up. */
static void three_digits(double value, char *buf, size_t size)
{
    const char *format = value == 0       ? "%.0f"
                         : value < 0.9995 ? "%#.3g"
                         : value < 9.995  ? "%.2f"
                         : value < 99.95  ? "%.1f"
                                          : "%.0f";
    gb_snprintf(buf, size, format, value);
}

/* Value in the largest printed unit in which it is at least 1 when rounded. */
static const char *format_dimension(const dimension *d, double value, char *buf, size_t size)
{
    const unit *best = d->table;
    char digits[32];
    for (const unit *u = d->table; u->word; u++) {
        /* 0.9995 of a unit prints as 1.00 of it, not as 1000 of the one below. */
        if (u->printed && value >= 0.9995 * (double)u->factor) {
            best = u;
        }
    }
    three_digits(value / (double)best->factor, digits, sizeof digits);
    snprintf(buf, size, "%s %s", digits, best->word);
    return buf;
}

const char *gb_format_bytes(uint64_t bytes, char *buf, size_t size)
{
    /* A whole number of a unit is printed as that, exactly. */
    const unit *whole = byte_units;
    for (const unit *u = byte_units; u->word; u++) {
        if (u->printed && bytes >= u->factor && bytes % u->factor == 0) {
            whole = u;
        }
    }
    if (bytes / whole->factor < 1024) {
        gb_snprintf(buf, size, "%llu %s", (unsigned long long)(bytes / whole->factor), whole->word);
        return buf;
    }
    return format_dimension(&bytes_dimension, (double)bytes, buf, size);
}

const char *gb_format_ns(double ns, char *buf, size_t size)
{
    if (!isfinite(ns)) {
        snprintf(buf, size, "n/a");
    } else if (ns < 0 && size > 1) {
        buf[0] = '-';
        format_dimension(&time_dimension, -ns, buf + 1, size - 1);
    } else {
        format_dimension(&time_dimension, ns, buf, size);
    }
    return buf;
}

const char *gb_format_rate(double per_s, const char *unit_word, char *buf, size_t size)
{
    if (strcmp(unit_word, "ns") == 0) {
        return gb_format_ns(per_s, buf, size);
    }
    if (!isfinite(per_s)) {
        snprintf(buf, size, "n/a");
        return buf;
    }
    const char *tail = strcmp(unit_word, "1/s") == 0 ? "/s" : unit_word;
    double value = fabs(per_s);
    size_t i = 0;
    while (value >= 999.5 && i + 1 < sizeof rate_prefixes / sizeof rate_prefixes[0]) {
        value /= 1000;
        i++;
    }
    char digits[32];
    three_digits(value, digits, sizeof digits);
    snprintf(buf, size, "%s%s %s%s", per_s < 0 ? "-" : "", digits, rate_prefixes[i], tail);
    return buf;
}

const char *gb_format_percent(double fraction, char *buf, size_t size)
{
    if (!isfinite(fraction)) {
        snprintf(buf, size, "n/a");
        return buf;
    }
    char digits[32];
    double percent = fabs(fraction) * 100;
    if (percent >= 0.995 || percent == 0) {
        three_digits(percent, digits, sizeof digits);
    } else {
        gb_snprintf(digits, sizeof digits, percent >= 0.01 ? "%.2f" : "%.1g", percent);
    }
    snprintf(buf, size, "%s%s %%", fraction < 0 ? "-" : "", digits);
    return buf;
}

const char *gb_format_count(uint64_t count, char *buf, size_t size)
{
    snprintf(buf, size, "%llu", (unsigned long long)count);
    return buf;
}

const char *gb_print_double(double value, char *buf, size_t size)
{
    for (int digits = 15; digits <= 17; digits++) {
        gb_snprintf(buf, size, "%.*g", digits, value);
        if (gb_strtod(buf, NULL) == value) {
            break;
        }
    }
    return buf;
}

double gb_strtod(const char *text, char **end)
{
    gb_c_locale scope;
    gb_c_locale_enter(&scope);
    double value = strtod(text, end);
    gb_c_locale_leave(&scope);
    return value;
}

const char *gb_write_duration(uint64_t ns, char *buf)
{
    static const struct {
        uint64_t ns;
        const char *word;
    } units[] = {{UINT64_C(3600000000000), "h"},
                 {UINT64_C(60000000000), "m"},
                 {UINT64_C(1000000000), "s"},
                 {1000000, "ms"},
                 {1000, "us"},
                 {1, "ns"}};
    size_t i = 0;
    while (ns % units[i].ns != 0)
        i++;
    if (ns == 0)
        i = 2;
    snprintf(buf, 32, "%" PRIu64 "%s", ns / units[i].ns, units[i].word);
    return buf;
}
