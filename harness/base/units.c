/* Numbers with units, read: one table a dimension (dimension.c), used by the printer too. */
#include "base/units.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/dimension.h"
#include "base/number.h"
#include "base/text.h"

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

static const gb_unit *find_unit(const gb_dimension *d, const char *word)
{
    for (const gb_unit *u = d->table; u->word; u++) {
        if (strcmp(u->word, word) == 0) {
            return u;
        }
    }
    return NULL;
}

/* The number as written, for messages that offer a spelling. */
static gb_code unknown_unit(const gb_dimension *d, const char *text, size_t number,
                            const char *word, gb_error *err)
{
    char q[QUOTE_SIZE], w[QUOTE_SIZE];
    quote(text, q);
    if (number > 40) {
        number = 40;
    }
    if (*word == '\0') {
        if (d == &gb_bytes_dimension) {
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
    if (d == &gb_bytes_dimension && strchr("kKMGT", word[0]) && word[1] == '\0') {
        char prefix = word[0] == 'k' ? 'K' : word[0];
        return gb_fail(err, GB_INVALID,
                       "'%s' is ambiguous: write %.*s%cB (1000) or %.*s%ciB (1024)", q, (int)number,
                       text, prefix == 'K' ? 'k' : prefix, (int)number, text, prefix);
    }
    char whole[8];
    snprintf(whole, sizeof whole, "%.3sB", word);
    for (const gb_unit *u = d->table; u->word; u++) {
        if (gb_text_equal_nocase(u->word, word) ||
            (d == &gb_bytes_dimension && gb_text_equal_nocase(u->word, whole))) {
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

static gb_code parse_dimension(const gb_dimension *d, const char *text, uint64_t *out,
                               gb_error *err)
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
    const gb_unit *u = find_unit(d, word);
    if (!u) {
        return unknown_unit(d, text, n, word, err);
    }
    if (number.has_exponent && u->word[0] != '\0') {
        return gb_fail(err, GB_INVALID,
                       "'%s' has an exponent and a unit, of which %s may have only one: write out "
                       "its digits",
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
    return parse_dimension(&gb_bytes_dimension, text, out, err);
}

gb_code gb_parse_duration(const char *text, uint64_t *ns, gb_error *err)
{
    return parse_dimension(&gb_time_dimension, text, ns, err);
}

gb_code gb_parse_bandwidth(const char *text, uint64_t *out, gb_error *err)
{
    return parse_dimension(&gb_bandwidth_dimension, text, out, err);
}

gb_code gb_parse_data_rate(const char *text, uint64_t *out, gb_error *err)
{
    return parse_dimension(&gb_data_rate_dimension, text, out, err);
}

gb_code gb_parse_clock(const char *text, uint64_t *out, gb_error *err)
{
    return parse_dimension(&gb_clock_dimension, text, out, err);
}

gb_code gb_parse_parameters(const char *text, uint64_t *out, gb_error *err)
{
    return parse_dimension(&gb_parameters_dimension, text, out, err);
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

gb_code gb_parse_share(const char *text, double *fraction, gb_error *err)
{
    char q[QUOTE_SIZE];
    double value = 0;
    size_t n = strlen(text);
    bool percent = n > 0 && text[n - 1] == '%';
    gb_code code =
        percent ? gb_parse_percent(text, &value, NULL) : gb_parse_number(text, &value, NULL);
    if (code != GB_OK || !(value > 0 && value <= 1)) {
        return gb_fail(err, GB_INVALID,
                       "'%s' is not a share: write a percentage above 0 and at most 100%%, or a "
                       "number above 0 and at most 1, such as 90%% or 0.9",
                       quote(text, q));
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

double gb_strtod(const char *text, char **end)
{
    gb_c_locale scope;
    gb_c_locale_enter(&scope);
    double value = strtod(text, end);
    gb_c_locale_leave(&scope);
    return value;
}
