#include <math.h>
#include <string.h>

#include "base/units.h"
#include "unit/locale_case.h"

typedef gb_code parse_u64(const char *text, uint64_t *out, gb_error *err);

static void accepts(parse_u64 *parse, const char *text, uint64_t expected)
{
    gb_error err = {.message = ""};
    uint64_t value = 99;
    ck_assert_msg(parse(text, &value, &err) == GB_OK, "'%s': %s", text, err.message);
    ck_assert_msg(value == expected, "'%s' gives %llu, not %llu", text, (unsigned long long)value,
                  (unsigned long long)expected);
}

/* Refused, with a message that quotes the text and holds `hint`, and without a value. */
static void refuses(parse_u64 *parse, const char *text, const char *hint)
{
    gb_error err = {.message = ""};
    uint64_t value = 99;
    char quoted[64];
    ck_assert_msg(parse(text, &value, &err) == GB_INVALID, "'%s' was accepted", text);
    ck_assert_uint_eq(value, 99);
    snprintf(quoted, sizeof quoted, "'%s'", text);
    ck_assert_msg(strstr(err.message, quoted) != NULL, "'%s' not quoted: %s", text, err.message);
    ck_assert_msg(strstr(err.message, hint) != NULL, "no '%s' in: %s", hint, err.message);
}

START_TEST(YML_10_sizes_with_units)
{
    accepts(gb_parse_bytes, "64MiB", 67108864);
    accepts(gb_parse_bytes, "64MB", 64000000);
    accepts(gb_parse_bytes, "4GiB", 4294967296);
    accepts(gb_parse_bytes, "1.5GiB", 1610612736);
    accepts(gb_parse_bytes, "64 MiB", 67108864);
    accepts(gb_parse_bytes, "1kB", 1000);
    accepts(gb_parse_bytes, "1KiB", 1024);
    accepts(gb_parse_bytes, "1TB", 1000000000000);
    accepts(gb_parse_bytes, "1TiB", 1099511627776);
    accepts(gb_parse_bytes, "1GB", 1000000000);
    accepts(gb_parse_bytes, "7B", 7);
    accepts(gb_parse_bytes, "0.5KiB", 512);
    accepts(gb_parse_bytes, "0.0009765625KiB", 1);
    accepts(gb_parse_bytes, "1.10000kB", 1100);
    accepts(gb_parse_bytes, "9223372036854775807B", INT64_MAX);
    accepts(gb_parse_bytes, "8388607TiB", 8388607ull << 40);

    refuses(gb_parse_bytes, "0.5B", "not a whole number of bytes");
    refuses(gb_parse_bytes, "0.3KiB", "not a whole number of bytes");
    refuses(gb_parse_bytes, "1.00000000000000000000001MiB", "not a whole number of bytes");
    refuses(gb_parse_bytes, "-1MiB", "signs are not accepted");
    refuses(gb_parse_bytes, "+1MiB", "signs are not accepted");
    refuses(gb_parse_bytes, "64Mib", "did you mean 'MiB'?");
    refuses(gb_parse_bytes, "64 mb", "did you mean 'MB'?");
    refuses(gb_parse_bytes, "64Mi", "did you mean 'MiB'?");
    refuses(gb_parse_bytes, "1KB", "did you mean 'kB'?");
    refuses(gb_parse_bytes, "99999999TiB", "1B to 9223372036854775807B");
    refuses(gb_parse_bytes, "8388608TiB", "1B to 9223372036854775807B");
    refuses(gb_parse_bytes, "9223372036854775808B", "1B to 9223372036854775807B");
    refuses(gb_parse_bytes, "99999999999999999999999999B", "1B to 9223372036854775807B");
    refuses(gb_parse_bytes, "1e3MiB", "exponent");
    refuses(gb_parse_bytes, "64M", "is ambiguous: write 64MB (1000) or 64MiB (1024)");
    refuses(gb_parse_bytes, "1.5 G", "is ambiguous: write 1.5GB (1000) or 1.5GiB (1024)");
    refuses(gb_parse_bytes, "64K", "is ambiguous: write 64kB (1000) or 64KiB (1024)");
    refuses(gb_parse_bytes, "64k", "is ambiguous: write 64kB (1000) or 64KiB (1024)");
    refuses(gb_parse_bytes, "2T", "is ambiguous: write 2TB (1000) or 2TiB (1024)");
    refuses(gb_parse_bytes, "4096", "has no unit: write 4096B, 4096KiB (1024) or 4096kB (1000)");
    refuses(gb_parse_bytes, "010MiB", "leading zero");
    refuses(gb_parse_bytes, "00.5MiB", "leading zero");
    refuses(gb_parse_bytes, "64  MiB", "unknown unit");
    refuses(gb_parse_bytes, "64MiB ", "unknown unit");
    refuses(gb_parse_bytes, " 64MiB", "begins with a space");
    refuses(gb_parse_bytes, "64 ", "unknown unit");
    refuses(gb_parse_bytes, ".5MiB", "does not begin with a digit");
    refuses(gb_parse_bytes, "5.MiB", "no digit follows the point");
    refuses(gb_parse_bytes, "1,5MiB", "unknown unit");
    refuses(gb_parse_bytes, "64MiBs", "unknown unit");
    refuses(gb_parse_bytes, "", "is empty");
    refuses(gb_parse_bytes, "MiB", "does not begin with a digit");
}
END_TEST

START_TEST(CPY_13_size_zero_is_refused)
{
    refuses(gb_parse_bytes, "0B", "1B to");
    refuses(gb_parse_bytes, "0MiB", "1B to");
    refuses(gb_parse_bytes, "0.0GiB", "1B to");
}
END_TEST

START_TEST(CPY_04_large_sizes_keep_every_byte)
{
    char buf[32];
    accepts(gb_parse_bytes, "8GiB", 8589934592);
    accepts(gb_parse_bytes, "2147483647B", 2147483647);
    accepts(gb_parse_bytes, "2147483648B", 2147483648);
    accepts(gb_parse_bytes, "2147483649B", 2147483649);
    accepts(gb_parse_bytes, "4294967300B", 4294967300);
    ck_assert_str_eq(gb_format_count(8589934592, buf, sizeof buf), "8589934592");
    ck_assert_str_eq(gb_format_count(UINT64_MAX, buf, sizeof buf), "18446744073709551615");
}
END_TEST

START_TEST(YML_08_counts_are_plain_decimal_numbers)
{
    accepts(gb_parse_count, "0", 0);
    accepts(gb_parse_count, "10", 10);
    accepts(gb_parse_count, "1e3", 1000);
    accepts(gb_parse_count, "1E+3", 1000);
    accepts(gb_parse_count, "1.5e3", 1500);
    accepts(gb_parse_count, "9223372036854775807", INT64_MAX);
    refuses(gb_parse_count, "010", "leading zeros");
    refuses(gb_parse_count, "09", "leading zeros");
    refuses(gb_parse_count, "00", "leading zeros");
    refuses(gb_parse_count, "0x10", "hexadecimal");
    refuses(gb_parse_count, "0o10", "octal");
    refuses(gb_parse_count, "1_000", "not grouped");
    refuses(gb_parse_count, "1,000", "not grouped");
    refuses(gb_parse_count, "12:30", "base 60");
    refuses(gb_parse_count, "1.5", "without a fraction");
    refuses(gb_parse_count, "1e-3", "without a fraction");
    refuses(gb_parse_count, "10 ", "a space follows");
    refuses(gb_parse_count, "10MiB", "it takes no unit");
}
END_TEST

START_TEST(YML_16_counts_out_of_range)
{
    refuses(gb_parse_count, "-5", "0 to 9223372036854775807");
    refuses(gb_parse_count, "nonsense", "0 to 9223372036854775807");
    refuses(gb_parse_count, "99999999999999999999", "out of range");
    refuses(gb_parse_count, "99999999999999999999", "0 to 9223372036854775807");
    refuses(gb_parse_count, "9223372036854775808", "out of range");
    refuses(gb_parse_count, "1e19", "out of range");
    refuses(gb_parse_count, "1e99999999999999999999", "out of range");
    refuses(gb_parse_count, "1e-99999999999999999999", "without a fraction");
    refuses(gb_parse_count, "nan", "does not begin with a digit");
    refuses(gb_parse_count, "inf", "does not begin with a digit");
    refuses(gb_parse_count, "", "is empty");
}
END_TEST

START_TEST(durations)
{
    accepts(gb_parse_duration, "1ns", 1);
    accepts(gb_parse_duration, "1.5us", 1500);
    accepts(gb_parse_duration, "3\xC2\xB5s", 3000);
    accepts(gb_parse_duration, "3\xCE\xBCs", 3000);
    accepts(gb_parse_duration, "100ms", 100000000);
    accepts(gb_parse_duration, "60 s", 60000000000);
    accepts(gb_parse_duration, "3m", 180000000000);
    accepts(gb_parse_duration, "2h", 7200000000000);
    refuses(gb_parse_duration, "60", "has no unit");
    refuses(gb_parse_duration, "1m30s", "unknown unit");
    refuses(gb_parse_duration, "0.5ns", "not a whole number of nanoseconds");
    refuses(gb_parse_duration, "0s", "out of range");
    refuses(gb_parse_duration, "9999999h", "out of range");
    refuses(gb_parse_duration, "5S", "did you mean 's'?");
    refuses(gb_parse_duration, "1e3s", "exponent");
    refuses(gb_parse_duration, "-1s", "signs");
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
    accepts(gb_parse_bandwidth, "32GB/s", 32000000000);
    accepts(gb_parse_bandwidth, "3.35 TB/s", 3350000000000);
    accepts(gb_parse_bandwidth, "1B/s", 1);
    refuses(gb_parse_bandwidth, "32", "has no unit");
    refuses(gb_parse_bandwidth, "32GB", "unknown unit");
    refuses(gb_parse_bandwidth, "32GiB/s", "unknown unit");
    refuses(gb_parse_bandwidth, "32Gb/s", "did you mean 'GB/s'?");
    refuses(gb_parse_bandwidth, "0GB/s", "out of range");
    refuses(gb_parse_bandwidth, "-1GB/s", "signs");
    refuses(gb_parse_bandwidth, "9999999999TB/s", "out of range");
    accepts(gb_parse_data_rate, "14Gbps", 14000000000);
    accepts(gb_parse_data_rate, "9.75 Gb/s", 9750000000);
    accepts(gb_parse_data_rate, "16GT/s", 16000000000);
    accepts(gb_parse_data_rate, "5200Mbps", 5200000000);
    refuses(gb_parse_data_rate, "14", "has no unit");
    refuses(gb_parse_data_rate, "14GBps", "did you mean 'Gbps'?");
    accepts(gb_parse_clock, "1593MHz", 1593000000);
    accepts(gb_parse_clock, "1.593GHz", 1593000000);
    accepts(gb_parse_clock, "2619000kHz", 2619000000);
    refuses(gb_parse_clock, "1593", "has no unit");
    refuses(gb_parse_clock, "1593Mhz", "did you mean 'MHz'?");
}
END_TEST

START_TEST(parameters_are_counted_in_powers_of_1000)
{
    char buf[32];
    accepts(gb_parse_parameters, "7B", 7000000000);
    accepts(gb_parse_parameters, "6.74B", 6740000000);
    accepts(gb_parse_parameters, "350M", 350000000);
    accepts(gb_parse_parameters, "1.8T", 1800000000000);
    accepts(gb_parse_parameters, "12K", 12000);
    accepts(gb_parse_parameters, "6738415616", 6738415616);
    accepts(gb_parse_parameters, "7e9", 7000000000);
    refuses(gb_parse_parameters, "7b", "did you mean 'B'?");
    refuses(gb_parse_parameters, "7G", "unknown unit 'G'");
    refuses(gb_parse_parameters, "7GB", "unknown unit 'GB'");
    refuses(gb_parse_parameters, "7e9B", "exponent");
    refuses(gb_parse_parameters, "0", "out of range");
    refuses(gb_parse_parameters, "1.5", "not a whole number of parameters");
    refuses(gb_parse_parameters, "-7B", "signs");
    refuses(gb_parse_parameters, "07B", "leading zero");
    refuses(gb_parse_parameters, "9999999999B", "out of range");
    ck_assert_str_eq(gb_format_parameters(7000000000, buf, sizeof buf), "7B");
    ck_assert_str_eq(gb_format_parameters(6738415616, buf, sizeof buf), "6.74B");
    ck_assert_str_eq(gb_format_parameters(350000000, buf, sizeof buf), "350M");
    ck_assert_str_eq(gb_format_parameters(999600000, buf, sizeof buf), "1B");
    ck_assert_str_eq(gb_format_parameters(12, buf, sizeof buf), "12");
    ck_assert_str_eq(gb_format_parameters(9000000000000000000, buf, sizeof buf), "9000000T");
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

#define PRINTS(call, expected)                                                                     \
    do {                                                                                           \
        char buf[32];                                                                              \
        ck_assert_str_eq(call, expected);                                                          \
    } while (0)

START_TEST(bytes_print)
{
    PRINTS(gb_format_bytes(0, buf, sizeof buf), "0 B");
    PRINTS(gb_format_bytes(512, buf, sizeof buf), "512 B");
    PRINTS(gb_format_bytes(1000, buf, sizeof buf), "1000 B");
    PRINTS(gb_format_bytes(1025, buf, sizeof buf), "1.00 KiB");
    PRINTS(gb_format_bytes(67108864, buf, sizeof buf), "64 MiB");
    PRINTS(gb_format_bytes(1610612736, buf, sizeof buf), "1.50 GiB");
    PRINTS(gb_format_bytes(25769803776, buf, sizeof buf), "24 GiB");
    PRINTS(gb_format_bytes(1048575, buf, sizeof buf), "1.00 MiB");
    PRINTS(gb_format_bytes(1047552, buf, sizeof buf), "1023 KiB");
    PRINTS(gb_format_bytes(UINT64_MAX, buf, sizeof buf), "16777216 TiB");
}
END_TEST

START_TEST(value_and_unit_scale_together)
{
    PRINTS(gb_format_ns(1460, buf, sizeof buf), "1.46 us");
    PRINTS(gb_format_ns(0, buf, sizeof buf), "0 ns");
    PRINTS(gb_format_ns(0.05, buf, sizeof buf), "0.0500 ns");
    PRINTS(gb_format_ns(12.34, buf, sizeof buf), "12.3 ns");
    PRINTS(gb_format_ns(999.4, buf, sizeof buf), "999 ns");
    PRINTS(gb_format_ns(999.6, buf, sizeof buf), "1.00 us");
    PRINTS(gb_format_ns(9.996e3, buf, sizeof buf), "10.0 us");
    PRINTS(gb_format_ns(99.96e3, buf, sizeof buf), "100 us");
    PRINTS(gb_format_ns(2.5e9, buf, sizeof buf), "2.50 s");
    PRINTS(gb_format_ns(3.6e12, buf, sizeof buf), "3600 s");
    PRINTS(gb_format_ns(-1460, buf, sizeof buf), "-1.46 us");
    PRINTS(gb_format_ns((double)NAN, buf, sizeof buf), "n/a");
    PRINTS(gb_format_ns((double)INFINITY, buf, sizeof buf), "n/a");
    PRINTS(gb_format_rate(25.2e9, "B/s", buf, sizeof buf), "25.2 GB/s");
    PRINTS(gb_format_rate(1.2e12, "FLOP/s", buf, sizeof buf), "1.20 TFLOP/s");
    PRINTS(gb_format_rate(1.2e6, "1/s", buf, sizeof buf), "1.20 M/s");
    PRINTS(gb_format_rate(999.6e6, "B/s", buf, sizeof buf), "1.00 GB/s");
    PRINTS(gb_format_rate(12, "1/s", buf, sizeof buf), "12.0 /s");
    PRINTS(gb_format_rate(1460, "ns", buf, sizeof buf), "1.46 us");
    PRINTS(gb_format_rate((double)NAN, "B/s", buf, sizeof buf), "n/a");
    PRINTS(gb_format_percent(0.0052, buf, sizeof buf), "0.52 %");
    PRINTS(gb_format_percent(0.123, buf, sizeof buf), "12.3 %");
    PRINTS(gb_format_percent(-0.2, buf, sizeof buf), "-20.0 %");
    PRINTS(gb_format_percent(1.3, buf, sizeof buf), "130 %");
    PRINTS(gb_format_percent(0, buf, sizeof buf), "0 %");
    PRINTS(gb_format_percent(0.00002, buf, sizeof buf), "0.002 %");
    PRINTS(gb_format_percent((double)NAN, buf, sizeof buf), "n/a");
}
END_TEST

START_TEST(RES_09_doubles_print_short_and_read_back)
{
    PRINTS(gb_print_double(1.5, buf, sizeof buf), "1.5");
    PRINTS(gb_print_double(0.1, buf, sizeof buf), "0.1");
    PRINTS(gb_print_double(1e21, buf, sizeof buf), "1e+21");
    PRINTS(gb_print_double(0.1 + 0.2, buf, sizeof buf), "0.30000000000000004");
    PRINTS(gb_print_double(-0.0, buf, sizeof buf), "-0");
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
