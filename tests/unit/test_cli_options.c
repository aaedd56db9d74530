#include <stdio.h>
#include <string.h>

#include "cli/options.h"
#include "unit/check_main.h"

static const char *const words[] = {"auto", "always", "never", NULL};
static const gb_option table[] = {
    {"out", 'o', GB_OPT_TEXT, "DIR", "help", offsetof(gb_args, out), 0, 0, NULL},
    {"set", 0, GB_OPT_LIST, "X", "help", offsetof(gb_args, set), 0, 0, NULL},
    {"replicates", 'r', GB_OPT_COUNT, "N", "help", offsetof(gb_args, replicates), 1, 1000, NULL},
    {"budget", 0, GB_OPT_DURATION, "T", "help", offsetof(gb_args, budget_ns), 0, 0, NULL},
    {"wait", 0, GB_OPT_SECONDS, "S", "help", offsetof(gb_args, wait_ns), 0, 0, NULL},
    {"size", 0, GB_OPT_BYTES, "S", "help", offsetof(gb_args, size), 0, 0, NULL},
    {"link", 0, GB_OPT_BANDWIDTH, "R", "help", offsetof(gb_args, link), 0, 0, NULL},
    {"data-rate", 0, GB_OPT_DATA_RATE, "R", "help", offsetof(gb_args, data_rate), 0, 0, NULL},
    {"clock", 0, GB_OPT_CLOCK, "C", "help", offsetof(gb_args, clock), 0, 0, NULL},
    {"parameters", 0, GB_OPT_PARAMETERS, "N", "help", offsetof(gb_args, parameters), 0, 0, NULL},
    {"parallel", 0, GB_OPT_SHARE, "P", "help", offsetof(gb_args, parallel), 0, 0, NULL},
    {"color", 0, GB_OPT_WORD, "W", "help", offsetof(gb_args, color), 0, 0, words},
    {"quiet", 'q', GB_OPT_FLAG, NULL, "help", offsetof(gb_args, quiet), 0, 0, NULL},
    {"help", 'h', GB_OPT_FLAG, NULL, "help", offsetof(gb_args, help), 0, 0, NULL},
    {0}};

/* Parses the words of a line (separated by spaces; _ stands for an empty word). */
static gb_code parse(char *line, gb_args *args, gb_error *err)
{
    static char *argv[32];
    int argc = 0;
    for (char *word = strtok(line, " "); word; word = strtok(NULL, " "))
        argv[argc++] = strcmp(word, "_") == 0 ? word + 1 : word;
    const gb_option *tables[] = {table};
    return gb_options_parse(tables, 1, argc, argv, "SUITE", 1, 2, args, err);
}

static void good(const char *line, gb_args *args)
{
    static char copy[256];
    gb_error err = {0};
    strcpy(copy, line);
    ck_assert_msg(parse(copy, args, &err) == GB_OK, "%s: %s", line, err.message);
}

START_TEST(every_form_of_an_option)
{
    gb_args args;
    good("s --out a -q --replicates=3", &args);
    ck_assert_str_eq(args.out, "a");
    ck_assert(args.quiet);
    ck_assert(args.replicates.given && args.replicates.value == 3);
    ck_assert(!args.budget_ns.given);
    gb_args_free(&args);
    good("-ob s -r 7 t", &args);
    ck_assert_str_eq(args.out, "b");
    ck_assert_uint_eq(args.replicates.value, 7);
    ck_assert_uint_eq(args.words.n, 2);
    ck_assert_str_eq(args.words.items[1], "t");
    gb_args_free(&args);
    good("s --out=-x --set a=1 --set=b=2 --color never", &args);
    ck_assert_str_eq(args.out, "-x");
    ck_assert_uint_eq(args.set.n, 2);
    ck_assert_str_eq(args.set.items[0], "a=1");
    ck_assert_str_eq(args.set.items[1], "b=2");
    ck_assert_str_eq(args.color, "never");
    gb_args_free(&args);
    good("-- --out -q", &args);
    ck_assert_ptr_null(args.out);
    ck_assert_str_eq(args.words.items[0], "--out");
    gb_args_free(&args);
    good("- s", &args); /* a lone dash is a word */
    ck_assert_str_eq(args.words.items[0], "-");
    gb_args_free(&args);
    good("--help", &args); /* nothing else is needed then */
    ck_assert(args.help);
    gb_args_free(&args);
}
END_TEST

START_TEST(numbers_with_units)
{
    gb_args args;
    good("s --size 64MiB --link=32GB/s --data-rate 14Gbps --clock 877MHz --parameters 7B "
         "--parallel 90%",
         &args);
    ck_assert(args.size.given && args.size.value == 64 << 20);
    ck_assert(args.link.given && args.link.value == 32000000000);
    ck_assert(args.data_rate.given && args.data_rate.value == 14000000000);
    ck_assert(args.clock.given && args.clock.value == 877000000);
    ck_assert(args.parameters.given && args.parameters.value == 7000000000);
    ck_assert(args.parallel.given && args.parallel.value == 0.9);
    gb_args_free(&args);
    good("s", &args);
    ck_assert(!args.size.given && !args.parallel.given);
    gb_args_free(&args);
}
END_TEST

START_TEST(durations_and_seconds)
{
    gb_args args;
    good("s --budget 90s --wait 5", &args);
    ck_assert_uint_eq(args.budget_ns.value, 90000000000);
    ck_assert_uint_eq(args.wait_ns.value, 5000000000);
    gb_args_free(&args);
    good("s --budget 3m --wait 0", &args);
    ck_assert_uint_eq(args.budget_ns.value, 180000000000);
    ck_assert(args.wait_ns.given && args.wait_ns.value == 0);
    gb_args_free(&args);
    good("s --wait 2m", &args);
    ck_assert_uint_eq(args.wait_ns.value, 120000000000);
    gb_args_free(&args);
}
END_TEST

static const struct {
    const char *line, *message;
} bad[] = {
    {"", "SUITE is missing"},
    {"s t u", "surplus argument 'u'"},
    {"s --owt x", "did you mean '--out'"},
    {"s --quite", "did you mean '--quiet'"},
    {"s --xyzzy", "unknown option '--xyzzy'"},
    {"s -x", "unknown option '-x'"},
    {"s -qo", "takes no value"},
    {"s --quiet=1", "takes no value"},
    {"s --out", "--out needs a value"},
    {"s --out --quiet", "--out needs a value"},
    {"s -o", "--out needs a value"},
    {"s --out _", "the value is empty"},
    {"s --out=", "the value is empty"},
    {"s --replicates 0", "'0' is not a whole number from 1 to 1000"},
    {"s --replicates 1001", "from 1 to 1000"},
    {"s --replicates -5", "'-5' is not a whole number"},
    {"s --replicates abc", "'abc'"},
    {"s --replicates 1.5", "'1.5'"},
    {"s --replicates 99999999999999999999", "'99999999999999999999'"},
    {"s --replicates 3x", "'3x'"},
    {"s --budget 5", "--budget"},
    {"s --budget 5parsecs", "5parsecs"},
    {"s --wait 99999999999", "too many"},
    {"s --wait -1", "-1"},
    {"s --size 64", "--size: '64' has no unit"},
    {"s --size -1B", "signs are not accepted"},
    {"s --link 0GB/s", "--link: '0GB/s' is out of range"},
    {"s --data-rate 14", "--data-rate: '14' has no unit"},
    {"s --clock 877", "--clock: '877' has no unit"},
    {"s --parameters 7b", "did you mean 'B'?"},
    {"s --parallel 0", "--parallel: '0' is not a share"},
    {"s --color alwys", "did you mean 'always'"},
    {"s --color red", "not one of auto, always, never"},
};

START_TEST(CLI_06_wrong_arguments_say_what_is_wrong)
{
    static char copy[256];
    gb_args args;
    gb_error err = {0};
    strcpy(copy, bad[_i].line);
    ck_assert_int_eq(parse(copy, &args, &err), GB_INVALID);
    ck_assert_msg(strstr(err.message, bad[_i].message) != NULL, "'%s' does not have '%s'",
                  err.message, bad[_i].message);
    gb_args_free(&args);
}
END_TEST

START_TEST(help_has_a_line_for_each_option)
{
    gb_buf out = {0};
    size_t n = 0;
    gb_options_help(table, &out);
    for (const gb_option *o = table; o->name; o++) {
        char text[40];
        snprintf(text, sizeof text, "--%s", o->name);
        ck_assert_ptr_nonnull(strstr(out.data, text));
        n++;
    }
    size_t lines = 0;
    for (const char *c = out.data; *c; c++)
        lines += *c == '\n';
    ck_assert_uint_eq(lines, n);
    gb_buf_free(&out);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *c = tcase_create("options");
    tcase_add_test(c, every_form_of_an_option);
    tcase_add_test(c, numbers_with_units);
    tcase_add_test(c, durations_and_seconds);
    tcase_add_loop_test(c, CLI_06_wrong_arguments_say_what_is_wrong, 0, sizeof bad / sizeof bad[0]);
    tcase_add_test(c, help_has_a_line_for_each_option);
    suite_add_tcase(suite, c);
}

GB_CHECK_MAIN("cli_options", add_cases)
