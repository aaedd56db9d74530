/* Every kernel on the cpu device, with many arguments each. */
#include <glob.h>
#include <math.h>

#include "unit/kernels_cpu_fixture.h"
#include "unit/task_main.h"

/* Values to try: every word; of numbers the smallest and three more that are in range. */
static size_t candidates(const gb_param *param, gb_value out[8])
{
    static const uint64_t numbers[] = {33, 1000, 4104};
    size_t n = 0;
    if (param->kind == GB_PARAM_WORD) {
        for (; param->words[n] != NULL && n < 8; n++)
            out[n] = (gb_value){.word = param->words[n]};
        return n;
    }
    out[n++] = (gb_value){.number = param->min};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (numbers[i] > param->min && numbers[i] <= param->max)
            out[n++] = (gb_value){.number = numbers[i]};
    return n;
}

/* Combinations of more operations or memory an iteration than this are left out: a slow kernel of a
 * sanitized build takes a second for them. */
#define MAX_FLOPS 20000000
#define MAX_BYTES (UINT64_C(16) << 20)

/* A kernel of many parameters has so many combinations that only some of them are tried, spread
 * over all of them. */
#define MOST_COMBINATIONS 1000
#define SOME_COMBINATIONS 400

/* A step through `total` combinations of at most 8 values each that leaves out no value: it has no
 * divisor in common with the number of values of any parameter. */
static uint64_t step_through(uint64_t total)
{
    uint64_t step = total > MOST_COMBINATIONS ? total / SOME_COMBINATIONS : 1;
    while (step % 2 == 0 || step % 3 == 0 || step % 5 == 0 || step % 7 == 0)
        step++;
    return step;
}

static bool file_has_barriers(const char *path)
{
    char line[512];
    bool found = false;
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "%s", path);
    while (fgets(line, sizeof line, file) != NULL)
        found = found || strstr(line, "GB_EXPORT(PHASED,") || strstr(line, "GB_EXPORT(FIBER,");
    fclose(file);
    return found;
}

/* Whether threads of its blocks meet at barriers, as its device code says. */
static bool has_barriers(const gb_kernel *k)
{
    char pattern[512];
    bool found = false;
    glob_t files;
    snprintf(pattern, sizeof pattern, GB_SOURCE_DIR "/%s", k->spec.source);
    ck_assert_msg(glob(pattern, 0, NULL, &files) == 0, "%s", pattern);
    for (size_t i = 0; i < files.gl_pathc; i++)
        found = found || file_has_barriers(files.gl_pathv[i]);
    globfree(&files);
    return found;
}

/* An order other than the usual one (GPUBENCH_FIBERS in a checked build) is for threads that meet;
 * all others run as loops. */
static bool the_order_matters(const gb_kernel *k)
{
    const char *order = getenv("GPUBENCH_FIBERS");
    return order == NULL || strcmp(order, "forward") == 0 || has_barriers(k);
}

START_TEST(kernels_with_barriers_are_told_from_others)
{
    ck_assert(has_barriers(gb_kernel_find("reduce")) && has_barriers(gb_kernel_find("matmul")));
    ck_assert(has_barriers(gb_kernel_find("crossover"))); /* in some of its files */
    ck_assert(!has_barriers(gb_kernel_find("launch")) && !has_barriers(gb_kernel_find("copy")));
}
END_TEST

/* The combinations that pass the kernel's check. Kernels that move nothing are not mutated: what
 * they write, if anything, need not be one certain value. */
START_TEST(every_kernel_of_the_registry_runs_and_is_checked)
{
    const gb_kernel *k = gb_kernels[_i];
    const size_t count = k->spec.n_params;
    gb_value values[KERNEL_ARGS_MAX][8], args[KERNEL_ARGS_MAX];
    size_t n[KERNEL_ARGS_MAX], ran = 0;
    uint64_t total = 1;
    if ((k->spec.devices & GB_BIT(GB_CPU)) == 0 || !the_order_matters(k))
        return;
    ck_assert_uint_le(count, KERNEL_ARGS_MAX);
    for (size_t p = 0; p < count; p++)
        total *= n[p] = candidates(&k->spec.params[p], values[p]);
    for (uint64_t i = 0; i < total; i += step_through(total)) {
        char text[256] = "";
        uint64_t rest = i;
        for (size_t p = 0; p < count; p++) {
            char value[64];
            args[p] = values[p][rest % n[p]];
            rest /= n[p];
            gb_value_text(&k->spec.params[p], args[p], value, sizeof value);
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s=%s ",
                     k->spec.params[p].name, value);
        }
        gb_need need;
        gb_work work = {0};
        if (k->spec.check(args, GB_CPU, &need, NULL) == GB_OK) {
            k->spec.work(args, GB_CPU, &work);
            if (work.flops <= MAX_FLOPS && work.working_set <= MAX_BYTES)
                ran += live_args(k, args, text, work.bytes_moved > 0);
        }
    }
    ck_assert_msg(ran > 0, "%s: no combination of arguments ran", k->spec.name);
}
END_TEST

START_TEST(noop_runs_and_is_checked)
{
    ck_assert(live("noop", "what=kernel", true));
    ck_assert(live("noop", "what=events", true));
}
END_TEST

static const char *const copies[] = {
    "direction=h2d,memory=pageable",
    "direction=d2h,memory=pageable",
    "direction=bidirectional,memory=pageable",
    "direction=d2d,memory=device",
    "direction=h2d,memory=pinned",
    "direction=d2h,memory=pinned",
    "direction=bidirectional,memory=pinned",
};
static const char *const copy_sizes[] = {
    "bytes=1",
    "bytes=7",
    "bytes=4096",
    "bytes=1000003",
    "bytes=1048576",
    "bytes=1048577",
    "bytes=3145729,pieces=17",
    "bytes=1024,pieces=1024",
};

START_TEST(copies_run_and_are_checked)
{
    char text[128];
    size_t ran = 0;
    for (size_t s = 0; s < sizeof copy_sizes / sizeof copy_sizes[0]; s++) {
        snprintf(text, sizeof text, "%s,%s", copies[_i], copy_sizes[s]);
        ran += live("copy", text, true);
    }
    ck_assert(ran > 0 || strstr(copies[_i], "pinned") != NULL);
}
END_TEST

static const char *const ops_words[] = {"read", "write", "copy", "scale", "add", "triad", "dot"};
/* elements; KRN-02 */
static const unsigned long element_counts[] = {1, 31, 33, 1023, 1024, 1025, 1000003};

START_TEST(KRN_02_stream_of_any_size)
{
    for (int fp64 = 0; fp64 < 2; fp64++) {
        for (size_t i = 0; i < sizeof element_counts / sizeof element_counts[0]; i++) {
            char text[128];
            const unsigned long n = element_counts[i];
            snprintf(text, sizeof text, "op=%s,type=%s,bytes=%lu", ops_words[_i],
                     fp64 ? "fp64" : "fp32", n * (fp64 ? 8 : 4));
            ck_assert(live("stream", text, true));
        }
    }
}
END_TEST

static const char *const patterns[] = {
    "pattern=coalesced",        "pattern=strided,stride=2",
    "pattern=strided,stride=7", "pattern=strided,stride=32",
    "pattern=offset,offset=1",  "pattern=offset,offset=31",
    "pattern=random",
};

START_TEST(KRN_02_access_of_any_size)
{
    for (size_t i = 0; i < sizeof element_counts / sizeof element_counts[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, "%s,elements=%lu", patterns[_i], element_counts[i]);
        ck_assert(live("access", text, true));
    }
    char text[128];
    snprintf(text, sizeof text, "%s,elements=1048576", patterns[_i]);
    ck_assert(live("access", text, true));
}
END_TEST

START_TEST(KRN_01_a_clamped_grid_still_covers_everything)
{
    dev->info.max_grid[0] = 3;
    ck_assert(live("stream", "op=triad,bytes=8000024", true));
    ck_assert(live("stream", "op=dot,bytes=8000024", true));
    ck_assert(live("stream", "op=read,type=fp32,bytes=4000012", true));
    ck_assert(live("access", "pattern=random,elements=1000003", true));
    ck_assert(live("access", "pattern=strided,stride=3,elements=1000003", true));
}
END_TEST

/* Nothing of what a failed prepare has allocated stays behind (a leak shows under sanitizers), and
 * release is fine with what there is. */
static size_t allowed;
static gb_code failing_alloc(gb_device *device, gb_memory_kind kind, size_t bytes, gb_memory *out,
                             gb_error *err)
{
    if (allowed == 0)
        return gb_fail(err, GB_NO_MEMORY, "refused by the test");
    allowed--;
    return real->alloc(device, kind, bytes, out, err);
}

START_TEST(a_failed_prepare_is_released)
{
    static const char *const cases[][2] = {{"noop", ""},
                                           {"copy", "direction=bidirectional,memory=pageable"},
                                           {"stream", "op=triad,bytes=4096"},
                                           {"stream", "op=dot,bytes=4096"},
                                           {"access", "elements=1000"},
                                           {"allocate", "memory=pageable"},
                                           {"fragment", "budget_bytes=16384,block_bytes=2048"},
                                           {"startup", ""},
                                           {"exhaust", ""},
                                           {"reclaim", ""}};
    ops.alloc = failing_alloc;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        gb_value args[KERNEL_ARGS_MAX];
        const gb_kernel *k = kernel_args(cases[c][0], cases[c][1], args);
        gb_code code = GB_NO_MEMORY;
        size_t rounds = 0;
        for (; code == GB_NO_MEMORY && rounds < 10; rounds++) {
            gb_error err = {0};
            gb_run run = {.dev = dev, .args = args, .seed = 1};
            must(dev->ops->stream_create(dev, &run.stream, &err), &err, "stream", cases[c][0]);
            allowed = rounds;
            code = k->prepare(&run, &err);
            if (code != GB_OK)
                ck_assert_str_eq(err.message, "refused by the test");
            k->release(&run);
            ck_assert_ptr_null(run.state);
            dev->ops->stream_destroy(dev, run.stream);
        }
        ck_assert_msg(code == GB_OK && rounds > 1, "%s: %zu rounds", cases[c][0], rounds);
    }
}
END_TEST

/* The kernel behind mapped and managed memory, which the cpu device does not have: by itself. */
GB_FN_DECLARE(copy_bytes)

START_TEST(the_mapped_copy_kernel_copies_any_bytes)
{
    enum { ROOM = 5000 };
    static const size_t cases[][3] = {/* offset of to, of from, bytes */
                                      {0, 0, 1},    {0, 0, 15},   {0, 0, 16},   {0, 0, 4097},
                                      {16, 32, 99}, {1, 1, 4000}, {0, 3, 1000}, {5, 0, 33}};
    gb_memory to, from;
    gb_stream *stream;
    gb_error err = {0};
    must(dev->ops->stream_create(dev, &stream, &err), &err, "stream", "");
    must(real->alloc(dev, GB_MEM_DEVICE, ROOM, &to, &err), &err, "alloc", "");
    must(real->alloc(dev, GB_MEM_DEVICE, ROOM, &from, &err), &err, "alloc", "");
    unsigned char in[ROOM], out[ROOM];
    for (size_t i = 0; i < ROOM; i++)
        in[i] = (unsigned char)(i * 7 + i / 256);
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        size_t bytes = cases[c][2];
        char *t = (char *)to.device + cases[c][0];
        const char *f = (const char *)from.device + cases[c][1];
        const gb_launch launch = {.grid = {2, 1, 1}, .block = {64, 1, 1}};
        must(dev->ops->copy(dev, stream, from.device, in, ROOM, GB_COPY_H2D, &err), &err, "h2d",
             "");
        must(dev->ops->fill(dev, stream, to.device, 0xFF, ROOM, &err), &err, "fill", "");
        must(dev->ops->launch(dev, stream, GB_FN(copy_bytes), &launch, (void *[]){&t, &f, &bytes},
                              &err),
             &err, "launch", "");
        must(dev->ops->copy(dev, stream, out, to.device, ROOM, GB_COPY_D2H, &err), &err, "d2h", "");
        must(dev->ops->stream_sync(dev, stream, &err), &err, "sync", "");
        for (size_t i = 0; i < ROOM; i++) {
            const bool inside = i >= cases[c][0] && i < cases[c][0] + bytes;
            const unsigned char want = inside ? in[i - cases[c][0] + cases[c][1]] : 0xFF;
            ck_assert_msg(out[i] == want, "case %zu, byte %zu", c, i);
        }
    }
    real->free(dev, &to);
    real->free(dev, &from);
    dev->ops->stream_destroy(dev, stream);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tc = tcase_create("cpu");
    tcase_set_timeout(tc, 240);
    tcase_add_checked_fixture(tc, open_device, close_device);
    tcase_add_test(tc, kernels_with_barriers_are_told_from_others);
    tcase_add_loop_test(tc, every_kernel_of_the_registry_runs_and_is_checked, 0,
                        (int)gb_kernels_count);
    tcase_add_test(tc, noop_runs_and_is_checked);
    tcase_add_loop_test(tc, copies_run_and_are_checked, 0, (int)(sizeof copies / sizeof copies[0]));
    tcase_add_loop_test(tc, KRN_02_stream_of_any_size, 0,
                        (int)(sizeof ops_words / sizeof ops_words[0]));
    tcase_add_loop_test(tc, KRN_02_access_of_any_size, 0,
                        (int)(sizeof patterns / sizeof patterns[0]));
    tcase_add_test(tc, KRN_01_a_clamped_grid_still_covers_everything);
    tcase_add_test(tc, a_failed_prepare_is_released);
    tcase_add_test(tc, the_mapped_copy_kernel_copies_any_bytes);
    suite_add_tcase(suite, tc);
}

GB_CHECK_TASK_MAIN("kernels_cpu", add_cases)
