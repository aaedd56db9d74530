/* Loops over the registry: what every kernel must have. And the helpers that kernels share. */
#include <dirent.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/access.h"
#include "kernels/common.h"
#include "kernels/copy.h"
#include "unit/check_main.h"

static bool registered(const char *name)
{
    return gb_kernel_find(name) != NULL;
}

/* The kernel whose device code it is: "copy" of "kernels/copy.cu", and "crossover" of
 * "kernels/crossover_*.cu", which is a file for each group of its jobs. */
static void code_of(const gb_kernel_spec *spec, char name[64])
{
    int length = 0;
    ck_assert_msg(sscanf(spec->source, "kernels/%63[a-z_]%n", name, &length) == 1, "%s: %s",
                  spec->name, spec->source);
    const char *rest = spec->source + length;
    char *last = &name[strlen(name) - 1];
    if (*last == '_' && strcmp(rest, "*.cu") == 0)
        *last = '\0';
    else
        ck_assert_msg(strcmp(rest, ".cu") == 0, "%s: %s", spec->name, spec->source);
}

/* The number of files that are the kernel's device code. */
static size_t count_code(const gb_kernel_spec *spec)
{
    DIR *dir = opendir(GB_SOURCE_DIR "/kernels");
    ck_assert_ptr_nonnull(dir);
    size_t n = 0;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        n += fnmatch(strchr(spec->source, '/') + 1, entry->d_name, 0) == 0;
    closedir(dir);
    return n;
}

/* A kernel may work with another one's device code. */
START_TEST(every_row_has_its_files)
{
    for (size_t i = 0; i < gb_kernels_count; i++) {
        const gb_kernel_spec *spec = &gb_kernels[i]->spec;
        char path[512], code[64];
        snprintf(path, sizeof path, GB_SOURCE_DIR "/kernels/%s.c", spec->name);
        ck_assert_msg(access(path, R_OK) == 0, "%s is missing", path);
        code_of(spec, code);
        ck_assert_msg(registered(code), "%s: no kernel %s", spec->source, code);
        ck_assert_msg(count_code(spec) > 0, "%s is missing", spec->source);
    }
}
END_TEST

/* The kernel whose device code the file is, of which there is one at most. */
static const gb_kernel_spec *owner_of(const char *file)
{
    const gb_kernel_spec *owner = NULL;
    for (size_t i = 0; i < gb_kernels_count; i++) {
        const gb_kernel_spec *spec = &gb_kernels[i]->spec;
        char code[64];
        code_of(spec, code);
        if (strcmp(code, spec->name) == 0 && fnmatch(strchr(spec->source, '/') + 1, file, 0) == 0) {
            ck_assert_msg(owner == NULL, "kernels/%s is of two kernels", file);
            owner = spec;
        }
    }
    return owner;
}

START_TEST(every_cu_file_has_a_row)
{
    DIR *dir = opendir(GB_SOURCE_DIR "/kernels");
    ck_assert_ptr_nonnull(dir);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        if (fnmatch("*.cu", entry->d_name, 0) == 0)
            ck_assert_msg(owner_of(entry->d_name) != NULL, "kernels/%s has no row in registry.def",
                          entry->d_name);
    closedir(dir);
}
END_TEST

/* Whether a line of the file is `kernel: NAME`. */
static bool names_kernel(const char *path, const char *name)
{
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    char line[4096], word[256];
    bool found = false;
    while (!found && fgets(line, sizeof line, file) != NULL)
        found = sscanf(line, " kernel: %255[a-z0-9_-]", word) == 1 && strcmp(word, name) == 0;
    fclose(file);
    return found;
}

START_TEST(every_kernel_is_in_a_suite)
{
    for (size_t i = 0; i < gb_kernels_count; i++) {
        DIR *dir = opendir(GB_SOURCE_DIR "/suites");
        ck_assert_ptr_nonnull(dir);
        bool found = false;
        for (struct dirent *entry; (entry = readdir(dir)) != NULL && !found;) {
            const char *dot = strrchr(entry->d_name, '.');
            char path[512];
            snprintf(path, sizeof path, GB_SOURCE_DIR "/suites/%s", entry->d_name);
            if (dot != NULL && strcmp(dot, ".yaml") == 0)
                found = names_kernel(path, gb_kernels[i]->spec.name);
        }
        closedir(dir);
        ck_assert_msg(found, "no file of suites/ has `kernel: %s`", gb_kernels[i]->spec.name);
    }
}
END_TEST

static void check_param(const gb_kernel_spec *spec, const gb_param *param)
{
    ck_assert_msg(param->name && param->summary, "%s: parameter without name or summary",
                  spec->name);
    const gb_value value = param->default_value;
    if (param->kind != GB_PARAM_WORD) {
        ck_assert_uint_le(param->min, param->max);
        ck_assert_msg(value.number >= param->min && value.number <= param->max,
                      "%s.%s: the default is out of range", spec->name, param->name);
        return;
    }
    ck_assert_ptr_nonnull(value.word);
    gb_value parsed;
    json_t *word = json_string(value.word);
    ck_assert_int_eq(gb_value_from_json(param, word, &parsed, NULL), GB_OK);
    json_decref(word);
}

static void check_metric(const gb_kernel_spec *spec, const gb_metric_spec *metric)
{
    static const char *const units[] = {"B/s", "FLOP/s", "1/s", "ns", "%", "cycles"};
    bool known = false;
    for (size_t u = 0; u < GB_COUNT(units); u++)
        known = known || (metric->unit && strcmp(metric->unit, units[u]) == 0);
    ck_assert_msg(known, "%s.%s: unit", spec->name, metric->name);
    ck_assert_ptr_nonnull(metric->summary);
    int n_parts = 0;
    while (spec->parts && spec->parts[n_parts])
        n_parts++;
    ck_assert_msg((strcmp(metric->unit, "%") == 0 || strcmp(metric->unit, "cycles") == 0) ==
                      (metric->numerator == GB_LEVEL || metric->numerator == GB_PART_SHARE),
                  "%s.%s: levels and shares, and nothing else, are in percent or cycles",
                  spec->name, metric->name);
    ck_assert_int_ge(metric->part, GB_WHOLE_MEAN);
    ck_assert_int_lt(metric->part, n_parts == 0 ? 0 : n_parts);
    ck_assert_msg(metric->numerator != GB_PART_SHARE || metric->part < gb_spec_first_after(spec),
                  "%s.%s: a share of the whole that is not of it", spec->name, metric->name);
}

START_TEST(every_spec_is_complete)
{
    for (size_t i = 0; i < gb_kernels_count; i++) {
        const gb_kernel *k = gb_kernels[i];
        const gb_kernel_spec *spec = &k->spec;
        ck_assert_msg(spec->summary && strlen(spec->summary) > 10, "%s: summary", spec->name);
        ck_assert_msg(spec->lesson && strlen(spec->lesson) > 200, "%s: lesson", spec->name);
        ck_assert_msg(spec->picture && strlen(spec->picture) > 200, "%s: picture", spec->name);
        ck_assert_uint_ge(spec->version, 1);
        /* no metric of its own is fine: every kernel has `time` */
        ck_assert(spec->devices != 0 && spec->timers != 0 && spec->caches != 0);
        ck_assert((spec->timers & GB_BIT(spec->default_timer)) != 0);
        ck_assert(spec->check && spec->work && k->prepare && k->enqueue && k->reset && k->verify &&
                  k->release);
        for (size_t p = 0; p < spec->n_params; p++)
            check_param(spec, &spec->params[p]);
        for (size_t m = 0; m < spec->n_metrics; m++)
            check_metric(spec, &spec->metrics[m]);
    }
}
END_TEST

START_TEST(the_catalog_has_every_kernel_once)
{
    const gb_catalog *catalog = gb_kernel_catalog();
    ck_assert_uint_eq(catalog->n, gb_kernels_count);
    for (size_t i = 0; i < gb_kernels_count; i++) {
        ck_assert_ptr_eq(catalog->specs[i], &gb_kernels[i]->spec);
        ck_assert_ptr_eq(gb_catalog_find(catalog, gb_kernels[i]->spec.name), catalog->specs[i]);
        ck_assert_ptr_eq(gb_kernel_find(gb_kernels[i]->spec.name), gb_kernels[i]);
    }
    ck_assert_ptr_null(gb_kernel_find("no-such-kernel"));
}
END_TEST

START_TEST(defaults_pass_the_check_on_every_device)
{
    for (size_t i = 0; i < gb_kernels_count; i++) {
        const gb_kernel_spec *spec = &gb_kernels[i]->spec;
        gb_value args[16];
        for (size_t p = 0; p < spec->n_params; p++)
            args[p] = spec->params[p].default_value;
        for (int kind = 0; kind < GB_DEVICE_KINDS; kind++) {
            gb_need need;
            gb_error err = {0};
            if ((spec->devices & GB_BIT(kind)) == 0)
                continue;
            ck_assert_msg(spec->check(args, (gb_device_kind)kind, &need, &err) == GB_OK, "%s: %s",
                          spec->name, err.message);
            ck_assert(need.device_bytes + need.host_bytes + need.pinned_bytes > 0);
        }
    }
}
END_TEST

START_TEST(KRN_01_the_grid_is_clamped_to_the_device)
{
    gb_device dev = {.info = {.max_threads_per_block = 1024, .max_grid = {65535, 65535, 65535}}};
    ck_assert_uint_eq(gb_launch_shape(&dev, UINT64_C(67108864), 1024).grid[0], 65535);
    ck_assert_uint_eq(gb_launch_shape(&dev, UINT64_C(65535) * 1024, 1024).grid[0], 65535);
    ck_assert_uint_eq(gb_launch_shape(&dev, UINT64_C(65535) * 1024 - 1024, 1024).grid[0], 65534);
    ck_assert_uint_eq(gb_launch_shape(&dev, UINT64_MAX, 1).grid[0], 65535);
    ck_assert_uint_eq(gb_launch_shape(&dev, 1, 256).grid[0], 1);
    ck_assert_uint_eq(gb_launch_shape(&dev, 256, 256).grid[0], 1);
    ck_assert_uint_eq(gb_launch_shape(&dev, 257, 256).grid[0], 2);
    ck_assert_uint_eq(gb_launch_shape(&dev, 0, 256).grid[0], 1);
    dev.info.max_threads_per_block = 128;
    const gb_launch small = gb_launch_shape(&dev, 1024, 256);
    ck_assert_uint_eq(small.block[0], 128);
    ck_assert_uint_eq(small.grid[0], 8);
    ck_assert(small.grid[1] == 1 && small.grid[2] == 1 && small.block[1] == 1);
}
END_TEST

START_TEST(KRN_17_a_nan_is_always_a_mismatch)
{
    gb_mismatch bad = {0};
    gb_compare_f64(&bad, 3, 1.0, 1.0 + 1e-9, 1e-8);
    ck_assert_uint_eq(bad.count, 0);
    ck_assert_int_eq(gb_mismatch_result(&bad, "x", 8, 8, NULL), GB_OK);
    gb_compare_f64(&bad, 4, 1.0, NAN, INFINITY);
    gb_compare_f64(&bad, 5, NAN, NAN, 1.0);
    gb_compare_f64(&bad, 6, 0.5, 0.25, 0.1);
    ck_assert_uint_eq(bad.count, 3);
    gb_error err = {0};
    ck_assert_int_eq(gb_mismatch_result(&bad, "sum", 8, 8, &err), GB_WRONG_RESULT);
    ck_assert_str_eq(err.message, "sum: 3 of 8 elements are wrong; the first is element 4 (byte "
                                  "offset 32): expected 1, found nan");
}
END_TEST

START_TEST(a_wrong_integer_is_shown_in_hex)
{
    gb_mismatch bad = {0};
    gb_error err = {0};
    gb_compare_u64(&bad, 0, 0x12, 0x12, 2);
    gb_compare_u64(&bad, UINT64_C(5000000000), 0x7, 0xff, 2);
    ck_assert_int_eq(gb_mismatch_result(&bad, "copy", UINT64_C(5000000001), 1, &err),
                     GB_WRONG_RESULT);
    ck_assert_str_eq(err.message, "copy: 1 of 5000000001 elements are wrong; the first is element "
                                  "5000000000 (byte offset 5000000000): expected 0x07, found 0xff");
}
END_TEST

START_TEST(pieces_cover_the_copy_without_gaps)
{
    static const uint64_t cases[][2] = {
        {1, 1}, {7, 3}, {4096, 4096}, {1000003, 17}, {(UINT64_C(1) << 40) + 5, 1048576}};
    for (size_t c = 0; c < GB_COUNT(cases); c++) {
        uint64_t next = 0, bad = 0;
        for (uint64_t i = 0; i < cases[c][1]; i++) {
            uint64_t offset, length;
            gb_copy_piece(cases[c][0], cases[c][1], i, &offset, &length);
            bad += offset != next || length < 1;
            next += length;
        }
        ck_assert_uint_eq(bad, 0);
        ck_assert_uint_eq(next, cases[c][0]);
    }
}
END_TEST

START_TEST(the_random_order_visits_every_element_once)
{
    static const uint64_t sizes[] = {1,  2,    3,    4,    5,    31,    32,
                                     33, 1000, 1023, 1024, 1025, 65536, 1000003};
    for (size_t c = 0; c < GB_COUNT(sizes); c++) {
        const uint64_t n = sizes[c];
        const access_shuffle shuffle = access_shuffle_of(n);
        uint64_t bad = 0;
        bool *seen = calloc(n, sizeof *seen);
        ck_assert_ptr_nonnull(seen);
        for (uint64_t i = 0; i < n; i++) {
            const uint64_t place = access_walk(shuffle, i);
            bad += place >= n || seen[place];
            seen[place < n ? place : 0] = true;
        }
        ck_assert_msg(bad == 0, "%llu of %llu places are wrong or visited twice",
                      (unsigned long long)bad, (unsigned long long)n);
        free(seen);
    }
}
END_TEST

/* Neighbours must end up in different sectors about as often as in a true random order. */
START_TEST(the_random_order_looks_random)
{
    const uint64_t n = UINT64_C(1) << 20;
    const access_shuffle shuffle = access_shuffle_of(n);
    uint64_t near = 0, up = 0, before = access_round(shuffle, 0);
    for (uint64_t i = 1; i < n; i++) {
        const uint64_t place = access_round(shuffle, i);
        const uint64_t distance = place > before ? place - before : before - place;
        near += distance < n / 8;
        up += place > before;
        before = place;
    }
    /* P(|difference| < n/8) = 1 - (7/8)^2 = 0.234, P(up) = 0.5 */
    ck_assert_double_eq_tol((double)near / (double)n, 0.234, 0.05);
    ck_assert_double_eq_tol((double)up / (double)n, 0.5, 0.05);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *registry = tcase_create("registry");
    tcase_add_test(registry, every_row_has_its_files);
    tcase_add_test(registry, every_cu_file_has_a_row);
    tcase_add_test(registry, every_kernel_is_in_a_suite);
    tcase_add_test(registry, every_spec_is_complete);
    tcase_add_test(registry, the_catalog_has_every_kernel_once);
    tcase_add_test(registry, defaults_pass_the_check_on_every_device);
    suite_add_tcase(suite, registry);
    TCase *common = tcase_create("common");
    tcase_set_timeout(common, 60);
    tcase_add_test(common, KRN_01_the_grid_is_clamped_to_the_device);
    tcase_add_test(common, KRN_17_a_nan_is_always_a_mismatch);
    tcase_add_test(common, a_wrong_integer_is_shown_in_hex);
    tcase_add_test(common, pieces_cover_the_copy_without_gaps);
    tcase_add_test(common, the_random_order_visits_every_element_once);
    tcase_add_test(common, the_random_order_looks_random);
    suite_add_tcase(suite, common);
}

GB_CHECK_MAIN("kernels", add_cases)
