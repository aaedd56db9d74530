/* Sizes among the parameters are printed as sizes, exactly. */
#include "kernels/kernel.h"
#include "reports/report.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "unit/check_main.h"

static const char *text_of(const char *param, uint64_t value, char *buf, size_t size)
{
    gb_record record = {.params = json_pack("{s:I}", param, (json_int_t)value)};
    const gb_row row = {.first = &record};
    ck_assert_ptr_nonnull(record.params);
    gb_row_param_text(&row, param, buf, size);
    json_decref(record.params);
    return buf;
}

START_TEST(sizes_are_printed_exactly)
{
    static const struct {
        const char *param;
        uint64_t value;
        const char *text;
    } rows[] = {{"hold", 150994944, "144 MiB"},      {"table", 134217728, "128 MiB"},
                {"node", 2097280, "2097280 B"},      {"bytes", 1536 << 10, "1.50 MiB"},
                {"bytes", 100000000, "100000000 B"}, {"budget_bytes", 4096, "4 KiB"},
                {"largest_file", 0, "0 B"},          {"rows", 4096, "4096"}};
    char text[40];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        ck_assert_str_eq(text_of(rows[i].param, rows[i].value, text, sizeof text), rows[i].text);
}
END_TEST

/* Reports know the sizes by their names: all of them, and nothing else. */
START_TEST(every_size_of_every_kernel_is_known_by_its_name)
{
    size_t sizes = 0;
    char text[40];
    for (size_t k = 0; k < gb_kernels_count; k++) {
        const gb_kernel_spec *spec = &gb_kernels[k]->spec;
        for (size_t p = 0; p < spec->n_params; p++) {
            const gb_param *param = &spec->params[p];
            if (param->kind == GB_PARAM_WORD)
                continue;
            text_of(param->name, 1 << 20, text, sizeof text);
            ck_assert_msg((strcmp(text, "1 MiB") == 0) == (param->kind == GB_PARAM_BYTES),
                          "%s.%s: %s", spec->name, param->name, text);
            sizes += param->kind == GB_PARAM_BYTES;
        }
    }
    ck_assert_uint_gt(sizes, 10);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tests = tcase_create("param_text");
    tcase_add_test(tests, sizes_are_printed_exactly);
    tcase_add_test(tests, every_size_of_every_kernel_is_known_by_its_name);
    suite_add_tcase(suite, tests);
}

GB_CHECK_MAIN("param_text", add_cases)
