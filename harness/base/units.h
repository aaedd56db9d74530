/* Units: one table parses and prints. Locale-independent: '.' is the decimal point always. */
#ifndef GB_BASE_UNITS_H
#define GB_BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Parsers take a whole NUL-terminated scalar (surrounding spaces are not trimmed: an error that
 * quotes the text) and fill *out; GB_INVALID with a message that quotes the text and says what is
 * valid (a bare K/M/G names both spellings, a bare number names the units).
 *
 * bytes:    B KiB MiB GiB TiB (1024) kB MB GB TB (1000), exact case, an optional single space, a
 *           decimal fraction where it yields whole bytes; 1 .. 2^63-1
 * count:    a whole number >= 0 up to 2^63-1; forms like 1e3 are fine, 1.5, 1_000, hex, octal-like
 *           leading zeros and signs are refused
 * duration: a number and one unit of ns us µs ms s m h; > 0; to ns
 * percent:  a number and '%'; > 0 (3% -> 0.03)
 * number:   a plain finite decimal number (JSON syntax)
 * share:    a part of a whole: a percentage up to 100 %, or a number from 0 to 1; > 0 (90%, 0.9)
 *
 * Of the following a number and one unit of powers of 1000, with a fraction where it yields a whole
 * number, 1 .. 2^63-1:
 * bandwidth:  B/s kB/s MB/s GB/s TB/s, to bytes a second
 * data rate:  Mbps Gbps Mb/s Gb/s MT/s GT/s, to bits a second
 * clock:      Hz kHz MHz GHz, to hertz
 * parameters: of a model: a bare number, or K M B T (7B is 7 * 10^9, as in names of models; nowhere
 *             else are these letters a unit) */
gb_code gb_parse_bytes(const char *text, uint64_t *out, gb_error *err);
gb_code gb_parse_count(const char *text, uint64_t *out, gb_error *err);
gb_code gb_parse_duration(const char *text, uint64_t *ns, gb_error *err);
gb_code gb_parse_percent(const char *text, double *fraction, gb_error *err);
gb_code gb_parse_number(const char *text, double *out, gb_error *err);
gb_code gb_parse_share(const char *text, double *fraction, gb_error *err);
gb_code gb_parse_bandwidth(const char *text, uint64_t *bytes_per_s, gb_error *err);
gb_code gb_parse_data_rate(const char *text, uint64_t *bits_per_s, gb_error *err);
gb_code gb_parse_clock(const char *text, uint64_t *hz, gb_error *err);
gb_code gb_parse_parameters(const char *text, uint64_t *out, gb_error *err);

/* Printers write into buf (>= 32 bytes) and return it. Value and unit scale together, with at
 * least 3 significant digits; NAN prints as "n/a". */
const char *gb_format_bytes(uint64_t bytes, char *buf, size_t size); /* "64 MiB", "1.50 GiB" */
const char *gb_format_ns(double ns, char *buf, size_t size);         /* "1.46 us" */
const char *gb_format_rate(double per_s, const char *unit, char *buf, size_t size);
/* unit "B/s" -> "25.2 GB/s"; "FLOP/s" -> "1.20 TFLOP/s";
   "1/s" -> "1.20 M/s"; "ns" -> as gb_format_ns */
const char *gb_format_percent(double fraction, char *buf, size_t size); /* "0.52 %" */
/* How far an interval reaches, a fraction: "0.52 %". Two replicates that differ yield intervals
 * beyond all sense (t = 12.7): of more than "> 100 %" nothing is told apart. */
const char *gb_format_half(double half, char *buf, size_t size);
const char *gb_format_count(uint64_t count, char *buf, size_t size); /* exact: "1048576" */

/* Three digits at most: "7B", "6.74B", "350M", "12". */
const char *gb_format_parameters(uint64_t count, char *buf, size_t size);

/* A duration as one would type it, exact: the largest unit that leaves it whole ("90s", "24h").
 * buf has room for 32. */
const char *gb_write_duration(uint64_t ns, char *buf);

/* snprintf("%.*g") and strtod with '.' whatever the locale. gb_print_double gives the shortest of
 * 15-17 digits that reads back the same. */
const char *gb_print_double(double value, char *buf, size_t size);
double gb_strtod(const char *text, char **end);

#ifdef __cplusplus
}
#endif
#endif
