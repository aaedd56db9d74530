#include <math.h>
#include <string.h>

#include "base/units.h"
#include "unit/locale_case.h"

typedef gb_code parse_u64(const char *text, uint64_t *out, gb_error *err);

/* Rows of tables; the last has no text. */
typedef struct accepted {
    const char *text;
    uint64_t value;
} accepted;
typedef struct refused {
    const char *text, *hint;
} refused;

static void accepts(parse_u64 *parse, const accepted *row)
{
    for (; row->text != NULL; row++) {
        gb_error err = {.message = ""};
        uint64_t value = 99;
        ck_assert_msg(parse(row->text, &value, &err) == GB_OK, "'%s': %s", row->text, err.message);
        ck_assert_msg(value == row->value, "'%s' gives %llu, not %llu", row->text,
                      (unsigned long long)value, (unsigned long long)row->value);
    }
}

/* Refused, with a message that quotes the text and holds `hint`, and without a value. */
static void refuses(parse_u64 *parse, const refused *row)
{
    for (; row->text != NULL; row++) {
        gb_error err = {.message = ""};
        uint64_t value = 99;
        char quoted[64];
        ck_assert_msg(parse(row->text, &value, &err) == GB_INVALID, "'%s' was accepted", row->text);
        ck_assert_uint_eq(value, 99);
        snprintf(quoted, sizeof quoted, "'%s'", row->text);
        ck_assert_msg(strstr(err.message, quoted) != NULL, "%s not quoted: %s", quoted,
                      err.message);
        ck_assert_msg(strstr(err.message, row->hint) != NULL, "no '%s' in: %s", row->hint,
                      err.message);
    }
}

#define ACCEPTS(parse, ...) accepts(parse, (const accepted[]){__VA_ARGS__, {NULL, 0}})
#define REFUSES(parse, ...) refuses(parse, (const refused[]){__VA_ARGS__, {NULL, NULL}})

typedef const char *print_double(double value, char *buf, size_t size);
typedef struct printed {
    double value;
    const char *text; /* NULL: no row */
} printed;

static void prints(print_double *print, const printed *row)
{
    char buf[32];
    for (; row->text != NULL; row++)
        ck_assert_str_eq(print(row->value, buf, sizeof buf), row->text);
}

#define PRINTS(print, ...) prints(print, (const printed[]){__VA_ARGS__, {0, NULL}})

typedef const char *print_u64(uint64_t value, char *buf, size_t size);
static void prints_u64(print_u64 *print, const accepted *row)
{
    char buf[32];
    for (; row->text != NULL; row++)
        ck_assert_str_eq(print(row->value, buf, sizeof buf), row->text);
}

#define PRINTS_U64(print, ...) prints_u64(print, (const accepted[]){__VA_ARGS__, {NULL, 0}})

START_TEST(YML_10_sizes_with_units)
{
    ACCEPTS(gb_parse_bytes, {"64MiB", 67108864}, {"64MB", 64000000}, {"4GiB", 4294967296},
            {"1.5GiB", 1610612736}, {"64 MiB", 67108864}, {"1kB", 1000}, {"1KiB", 1024},
            {"1TB", 1000000000000}, {"1TiB", 1099511627776}, {"1GB", 1000000000}, {"7B", 7},
            {"0.5KiB", 512}, {"0.0009765625KiB", 1}, {"1.10000kB", 1100},
            {"9223372036854775807B", INT64_MAX}, {"8388607TiB", 8388607ull << 40});

    REFUSES(gb_parse_bytes, {"0.5B", "not a whole number of bytes"},
            {"0.3KiB", "not a whole number of bytes"},
            {"1.00000000000000000000001MiB", "not a whole number of bytes"},
            {"-1MiB", "signs are not accepted"}, {"+1MiB", "signs are not accepted"},
            {"64Mib", "did you mean 'MiB'?"}, {"64 mb", "did you mean 'MB'?"},
            {"64Mi", "did you mean 'MiB'?"}, {"1KB", "did you mean 'kB'?"},
            {"99999999TiB", "1B to 9223372036854775807B"},
            {"8388608TiB", "1B to 9223372036854775807B"},
            {"9223372036854775808B", "1B to 9223372036854775807B"},
            {"99999999999999999999999999B", "1B to 9223372036854775807B"}, {"1e3MiB", "exponent"},
            {"64M", "is ambiguous: write 64MB (1000) or 64MiB (1024)"},
            {"1.5 G", "is ambiguous: write 1.5GB (1000) or 1.5GiB (1024)"},
            {"64K", "is ambiguous: write 64kB (1000) or 64KiB (1024)"},
            {"64k", "is ambiguous: write 64kB (1000) or 64KiB (1024)"},
            {"2T", "is ambiguous: write 2TB (1000) or 2TiB (1024)"},
            {"4096", "has no unit: write 4096B, 4096KiB (1024) or 4096kB (1000)"},
            {"010MiB", "leading zero"}, {"00.5MiB", "leading zero"}, {"64  MiB", "unknown unit"},
            {"64MiB ", "unknown unit"}, {" 64MiB", "begins with a space"}, {"64 ", "unknown unit"},
            {".5MiB", "does not begin with a digit"}, {"5.MiB", "no digit follows the point"},
            {"1,5MiB", "unknown unit"}, {"64MiBs", "unknown unit"}, {"", "is empty"},
            {"MiB", "does not begin with a digit"});
}
END_TEST

START_TEST(CPY_13_size_zero_is_refused)
{
    REFUSES(gb_parse_bytes, {"0B", "1B to"}, {"0MiB", "1B to"}, {"0.0GiB", "1B to"});
}
END_TEST

START_TEST(CPY_04_large_sizes_keep_every_byte)
{
    ACCEPTS(gb_parse_bytes, {"8GiB", 8589934592}, {"2147483647B", 2147483647},
            {"2147483648B", 2147483648}, {"2147483649B", 2147483649}, {"4294967300B", 4294967300});
    PRINTS_U64(gb_format_count, {"8589934592", 8589934592}, {"18446744073709551615", UINT64_MAX});
}
END_TEST

START_TEST(YML_08_counts_are_plain_decimal_numbers)
{
    ACCEPTS(gb_parse_count, {"0", 0}, {"10", 10}, {"1e3", 1000}, {"1E+3", 1000}, {"1.5e3", 1500},
            {"9223372036854775807", INT64_MAX});
    REFUSES(gb_parse_count, {"010", "leading zeros"}, {"09", "leading zeros"},
            {"00", "leading zeros"}, {"0x10", "hexadecimal"}, {"0o10", "octal"},
            {"1_000", "not grouped"}, {"1,000", "not grouped"}, {"12:30", "base 60"},
            {"1.5", "without a fraction"}, {"1e-3", "without a fraction"},
            {"10 ", "a space follows"}, {"10MiB", "it takes no unit"});
}
END_TEST

START_TEST(YML_16_counts_out_of_range)
{
    REFUSES(gb_parse_count, {"-5", "0 to 9223372036854775807"},
            {"nonsense", "0 to 9223372036854775807"}, {"99999999999999999999", "out of range"},
            {"99999999999999999999", "0 to 9223372036854775807"},
            {"9223372036854775808", "out of range"}, {"1e19", "out of range"},
            {"1e99999999999999999999", "out of range"},
            {"1e-99999999999999999999", "without a fraction"},
            {"nan", "does not begin with a digit"}, {"inf", "does not begin with a digit"},
            {"", "is empty"});
}
END_TEST

START_TEST(durations)
{
    ACCEPTS(gb_parse_duration, {"1ns", 1}, {"1.5us", 1500}, {"3\xC2\xB5s", 3000},
            {"3\xCE\xBCs", 3000}, {"100ms", 100000000}, {"60 s", 60000000000}, {"3m", 180000000000},
            {"2h", 7200000000000});
    REFUSES(gb_parse_duration, {"60", "has no unit"}, {"1m30s", "unknown unit"},
            {"0.5ns", "not a whole number of nanoseconds"}, {"0s", "out of range"},
            {"9999999h", "out of range"}, {"5S", "did you mean 's'?"}, {"1e3s", "exponent"},
            {"-1s", "signs"});
}
END_TEST

START_TEST(percentages)
{
    double f = 0;
    ck_assert_int_eq(gb_parse_percent("3%", &f, NULL), GB_OK);
    ck_assert(f == 0.03);
    ck_assert_int_eq(gb_parse_percent("0.5 %", &f, NULL), GB_OK);
    ck_assert(f == 0.005);
    ck_assert_int_eq(gb_parse_percent("0.1%", &f, NULL), GB_OK);
    ck_assert(f == 0.001);
    ck_assert_int_eq(gb_parse_percent("150%", &f, NULL), GB_OK);
    ck_assert(f == 1.5);
    static const char *const bad[] = {"3",   "0%",   "-1%", "3 percent", "%",    "",
                                      "03%", "1e0%", "3%%", "0,5%",      "3  %", "nan%"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        gb_error err = {.message = ""};
        f = 99;
        ck_assert_msg(gb_parse_percent(bad[i], &f, &err) == GB_INVALID, "'%s'", bad[i]);
        ck_assert(f == 99);
        ck_assert(strstr(err.message, bad[i]) != NULL);
        ck_assert(strstr(err.message, "such as 3%") != NULL);
    }
}
END_TEST

START_TEST(rates_and_clocks)
{
    ACCEPTS(gb_parse_bandwidth, {"32GB/s", 32000000000}, {"3.35 TB/s", 3350000000000}, {"1B/s", 1});
    REFUSES(gb_parse_bandwidth, {"32", "has no unit"}, {"32GB", "unknown unit"},
            {"32GiB/s", "unknown unit"}, {"32Gb/s", "did you mean 'GB/s'?"},
            {"0GB/s", "out of range"}, {"-1GB/s", "signs"}, {"9999999999TB/s", "out of range"});
    ACCEPTS(gb_parse_data_rate, {"14Gbps", 14000000000}, {"9.75 Gb/s", 9750000000},
            {"16GT/s", 16000000000}, {"5200Mbps", 5200000000});
    REFUSES(gb_parse_data_rate, {"14", "has no unit"}, {"14GBps", "did you mean 'Gbps'?"});
    ACCEPTS(gb_parse_clock, {"1593MHz", 1593000000}, {"1.593GHz", 1593000000},
            {"2619000kHz", 2619000000});
    REFUSES(gb_parse_clock, {"1593", "has no unit"}, {"1593Mhz", "did you mean 'MHz'?"});
}
END_TEST

START_TEST(parameters_are_counted_in_powers_of_1000)
{
    ACCEPTS(gb_parse_parameters, {"7B", 7000000000}, {"6.74B", 6740000000}, {"350M", 350000000},
            {"1.8T", 1800000000000}, {"12K", 12000}, {"6738415616", 6738415616},
            {"7e9", 7000000000});
    REFUSES(gb_parse_parameters, {"7b", "did you mean 'B'?"}, {"7G", "unknown unit 'G'"},
            {"7GB", "unknown unit 'GB'"}, {"7e9B", "an exponent and a unit, of which"},
            {"0", "out of range"}, {"1.5", "not a whole number of parameters"}, {"-7B", "signs"},
            {"07B", "leading zero"}, {"9999999999B", "out of range"});
    PRINTS_U64(gb_format_parameters, {"7B", 7000000000}, {"6.74B", 6738415616}, {"350M", 350000000},
               {"1B", 999600000}, {"12", 12}, {"9000000T", 9000000000000000000});
}
END_TEST

START_TEST(shares)
{
    static const char *const bad[] = {"0",    "0%", "-1", "-5%", "1.5", "101%",
                                      "90 p", "",   "x",  "nan", "%",   "1e400"};
    double f = 0;
    ck_assert_int_eq(gb_parse_share("90%", &f, NULL), GB_OK);
    ck_assert(f == 0.9);
    ck_assert_int_eq(gb_parse_share("0.9", &f, NULL), GB_OK);
    ck_assert(f == 0.9);
    ck_assert_int_eq(gb_parse_share("100%", &f, NULL), GB_OK);
    ck_assert(f == 1);
    ck_assert_int_eq(gb_parse_share("1", &f, NULL), GB_OK);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        gb_error err = {.message = ""};
        f = 99;
        ck_assert_msg(gb_parse_share(bad[i], &f, &err) == GB_INVALID, "'%s'", bad[i]);
        ck_assert(f == 99);
        ck_assert(strstr(err.message, "such as 90% or 0.9") != NULL);
    }
}
END_TEST

START_TEST(RES_09_numbers_have_a_point)
{
    double x = 0;
    ck_assert_int_eq(gb_parse_number("1.25", &x, NULL), GB_OK);
    ck_assert(x == 1.25);
    ck_assert_int_eq(gb_parse_number("-2.5e-3", &x, NULL), GB_OK);
    ck_assert(x == -2.5e-3);
    ck_assert_int_eq(gb_parse_number("0", &x, NULL), GB_OK);
    ck_assert(x == 0);
    static const char *const bad[] = {"1,25", "",    "01",  ".5",    "1.", "+1", "nan", "inf",
                                      "0x10", "1_0", "--1", "1e999", "-",  " 1", "1 "};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ck_assert_msg(gb_parse_number(bad[i], &x, NULL) == GB_INVALID, "'%s'", bad[i]);
    }
    char *end;
    ck_assert(gb_strtod("1.5rest", &end) == 1.5);
    ck_assert_str_eq(end, "rest");
    ck_assert(gb_strtod("1,5", &end) == 1);
    ck_assert_str_eq(end, ",5");
}
END_TEST

START_TEST(long_and_unprintable_texts_stay_short_in_messages)
{
    static char text[100000];
    gb_error err;
    uint64_t value;
    memset(text, '9', sizeof text - 1);
    ck_assert_int_eq(gb_parse_bytes(text, &value, &err), GB_INVALID);
    ck_assert_uint_lt(strlen(err.message), 500);
    ck_assert(strstr(err.message, "...'") != NULL);
    ck_assert(strstr(err.message, "number and one of") != NULL);
    ck_assert_int_eq(gb_parse_bytes("64\x1b[2J\xFF", &value, &err), GB_INVALID);
    ck_assert(strchr(err.message, '\x1b') == NULL);
    ck_assert(strstr(err.message, "\\x1B[2J\\xFF") != NULL);
}
END_TEST

START_TEST(bytes_print)
{
    PRINTS_U64(gb_format_bytes, {"0 B", 0}, {"512 B", 512}, {"1000 B", 1000}, {"1.00 KiB", 1025},
               {"64 MiB", 67108864}, {"1.50 GiB", 1610612736}, {"24 GiB", 25769803776},
               {"1.00 MiB", 1048575}, {"1023 KiB", 1047552}, {"16777216 TiB", UINT64_MAX});
}
END_TEST

START_TEST(value_and_unit_scale_together)
{
    char buf[32];
    PRINTS(gb_format_ns, {1460, "1.46 us"}, {0, "0 ns"}, {0.05, "0.0500 ns"}, {12.34, "12.3 ns"},
           {999.4, "999 ns"}, {999.6, "1.00 us"}, {9.996e3, "10.0 us"}, {99.96e3, "100 us"},
           {2.5e9, "2.50 s"}, {3.6e12, "3600 s"}, {-1460, "-1.46 us"}, {(double)NAN, "n/a"},
           {(double)INFINITY, "n/a"});
    ck_assert_str_eq(gb_format_rate(25.2e9, "B/s", buf, sizeof buf), "25.2 GB/s");
    ck_assert_str_eq(gb_format_rate(1.2e12, "FLOP/s", buf, sizeof buf), "1.20 TFLOP/s");
    ck_assert_str_eq(gb_format_rate(1.2e6, "1/s", buf, sizeof buf), "1.20 M/s");
    ck_assert_str_eq(gb_format_rate(999.6e6, "B/s", buf, sizeof buf), "1.00 GB/s");
    ck_assert_str_eq(gb_format_rate(12, "1/s", buf, sizeof buf), "12.0 /s");
    ck_assert_str_eq(gb_format_rate(1460, "ns", buf, sizeof buf), "1.46 us");
    ck_assert_str_eq(gb_format_rate((double)NAN, "B/s", buf, sizeof buf), "n/a");
    PRINTS(gb_format_percent, {0.0052, "0.52 %"}, {0.123, "12.3 %"}, {-0.2, "-20.0 %"},
           {1.3, "130 %"}, {0, "0 %"}, {0.00002, "0.002 %"}, {(double)NAN, "n/a"});
    PRINTS(gb_format_half, {0.0052, "0.52 %"}, {1, "100 %"}, {1.01, "> 100 %"},
           {1956025.73, "> 100 %"}, {(double)INFINITY, "> 100 %"}, {(double)NAN, "n/a"});
}
END_TEST

START_TEST(RES_09_doubles_print_short_and_read_back)
{
    PRINTS(gb_print_double, {1.5, "1.5"}, {0.1, "0.1"}, {1e21, "1e+21"},
           {0.1 + 0.2, "0.30000000000000004"}, {-0.0, "-0"});
    double x = 1.0 / 3;
    for (int i = 0; i < 2000; i++) {
        char buf[32];
        gb_print_double(x, buf, sizeof buf);
        ck_assert(gb_strtod(buf, NULL) == x);
        ck_assert(strchr(buf, ',') == NULL);
        x *= i % 2 ? 1.37 : 0.71;
    }
}
END_TEST

static void add(Suite *suite)
{
    TCase *tcase = tcase_create("units");
    use_environment_locale(tcase);
    tcase_add_test(tcase, YML_10_sizes_with_units);
    tcase_add_test(tcase, CPY_13_size_zero_is_refused);
    tcase_add_test(tcase, CPY_04_large_sizes_keep_every_byte);
    tcase_add_test(tcase, YML_08_counts_are_plain_decimal_numbers);
    tcase_add_test(tcase, YML_16_counts_out_of_range);
    tcase_add_test(tcase, durations);
    tcase_add_test(tcase, percentages);
    tcase_add_test(tcase, rates_and_clocks);
    tcase_add_test(tcase, parameters_are_counted_in_powers_of_1000);
    tcase_add_test(tcase, shares);
    tcase_add_test(tcase, RES_09_numbers_have_a_point);
    tcase_add_test(tcase, long_and_unprintable_texts_stay_short_in_messages);
    tcase_add_test(tcase, bytes_print);
    tcase_add_test(tcase, value_and_unit_scale_together);
    tcase_add_test(tcase, RES_09_doubles_print_short_and_read_back);
    suite_add_tcase(suite, tcase);
}

GB_CHECK_MAIN("units", add)
