/* Numbers with units, printed. */
#include "base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/dimension.h"
#include "base/text.h"

static const char *const rate_prefixes[] = {"", "k", "M", "G", "T", "P", "E"};

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
static const char *format_dimension(const gb_dimension *d, double value, char *buf, size_t size)
{
    const gb_unit *best = d->table;
    char digits[32];
    for (const gb_unit *u = d->table; u->word; u++) {
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
    const gb_unit *whole = gb_bytes_dimension.table;
    for (const gb_unit *u = gb_bytes_dimension.table; u->word; u++) {
        if (u->printed && bytes >= u->factor && bytes % u->factor == 0) {
            whole = u;
        }
    }
    if (bytes / whole->factor < 1024) {
        gb_snprintf(buf, size, "%llu %s", (unsigned long long)(bytes / whole->factor), whole->word);
        return buf;
    }
    return format_dimension(&gb_bytes_dimension, (double)bytes, buf, size);
}

const char *gb_format_ns(double ns, char *buf, size_t size)
{
    if (!isfinite(ns)) {
        snprintf(buf, size, "n/a");
    } else if (ns < 0 && size > 1) {
        buf[0] = '-';
        format_dimension(&gb_time_dimension, -ns, buf + 1, size - 1);
    } else {
        format_dimension(&gb_time_dimension, ns, buf, size);
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

const char *gb_format_half(double half, char *buf, size_t size)
{
    if (half > 1) {
        snprintf(buf, size, "> 100 %%");
        return buf;
    }
    return gb_format_percent(half, buf, size);
}

const char *gb_format_parameters(uint64_t count, char *buf, size_t size)
{
    const gb_unit *best = gb_parameters_dimension.table;
    for (const gb_unit *u = best; u->word; u++) {
        if ((double)count >= 0.9995 * (double)u->factor) {
            best = u;
        }
    }
    double value = (double)count / (double)best->factor;
    gb_snprintf(buf, size, value < 999.5 ? "%.3g%s" : "%.0f%s", value, best->word);
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
