/* batch on the cpu device: sizes, counted work, the parts of a sample, and requests that go wrong
 * in ways in which a kernel or a graph does: each must be noticed. */
#include "kernels/batch.h"

#include "unit/kernel_fixture.h"
#include "unit/kernel_life.h"

static gb_code once(life *l, gb_error *err)
{
    gb_code code = l->kernel->reset(&l->run, err);
    return code == GB_OK ? life_iterate(l, err) : code;
}

static gb_code verdict(const char *text, gb_error *err)
{
    life l;
    gb_code code = life_begin(&l, dev, "batch", text, err);
    if (code == GB_OK)
        code = once(&l, err);
    if (code == GB_OK)
        code = l.kernel->verify(&l.run, err);
    life_end(&l);
    return code;
}

/* Right, or no BLAS on this machine. */
static void right(const char *text)
{
    gb_error err = {0};
    const gb_code code = verdict(text, &err);
    ck_assert_msg(code == GB_OK || (code == GB_UNAVAILABLE && strstr(text, "math=vendor")),
                  "%s: %s", text, err.message);
}

static void wrong(const char *text, const char *mistake)
{
    gb_error err = {0};
    ck_assert_msg(verdict(text, &err) == GB_WRONG_RESULT, "%s: %s was not noticed: %s", text,
                  mistake, err.message);
}

static const char *const maths[] = {"vendor", "own"};

/* Batches, widths and depths on both sides of the tile's 1, 2, 4, 8 rows and 32 columns. */
START_TEST(KRN_02_layers_of_any_size)
{
    static const unsigned sizes[] = {1, 31, 32, 33, 1000, 1023};
    static const unsigned batches[] = {1, 2, 3, 7, 8, 9, 33};
    for (size_t w = 0; w < GB_COUNT(sizes); w++) {
        for (size_t h = 0; h < GB_COUNT(sizes); h++) {
            char text[128];
            const unsigned batch = batches[(w * GB_COUNT(sizes) + h) % GB_COUNT(batches)];
            snprintf(text, sizeof text, "math=%s,batch=%u,width=%u,hidden=%u,memory=pageable",
                     maths[_i], batch, sizes[w], sizes[h]);
            right(text);
        }
    }
}
END_TEST

START_TEST(every_batch_up_to_two_tiles)
{
    for (unsigned batch = 1; batch <= 17; batch++) {
        char text[128];
        snprintf(text, sizeof text, "math=%s,batch=%u,width=40,hidden=50,submit=graph", maths[_i],
                 batch);
        right(text);
    }
}
END_TEST

/* The tolerance is zero: sums are exact up to the largest layers. */
START_TEST(KRN_17_the_largest_layers_are_exact)
{
    char text[128];
    snprintf(text, sizeof text, "math=%s,batch=3,width=4096,hidden=4096,memory=pageable",
             maths[_i]);
    right(text);
}
END_TEST

START_TEST(rows_of_large_batches_are_sampled)
{
    const gb_batch_sizes small = {.batch = 33, .width = 100, .hidden = 100};
    const gb_batch_sizes large = {.batch = 512, .width = 1024, .hidden = 1024};
    const gb_batch_sizes huge = {.batch = 512, .width = 4096, .hidden = 4096};
    ck_assert_uint_eq(gb_batch_rows_checked(&small), 33);
    ck_assert_uint_eq(gb_batch_rows_checked(&large), 32);
    ck_assert_uint_eq(gb_batch_rows_checked(&huge), 4);
    ck_assert_uint_eq(gb_batch_row(&large, 32, 0), 0);
    ck_assert_uint_eq(gb_batch_row(&large, 32, 31), 511);
    unsigned in_tile = 0; /* which of a tile's rows are among them */
    for (size_t i = 1; i < 32; i++) {
        ck_assert_uint_gt(gb_batch_row(&large, 32, i), gb_batch_row(&large, 32, i - 1));
        in_tile |= 1u << gb_batch_row(&large, 32, i) % BATCH_ROWS;
    }
    ck_assert_uint_eq(in_tile, 0xff);
}
END_TEST

START_TEST(data_are_random_but_the_same_everywhere)
{
    unsigned counts[15] = {0};
    for (uint64_t i = 0; i < 15000; i++) {
        const double whole = (double)gb_batch_value(7, BATCH_WEIGHTS_1, i) * BATCH_SCALE;
        ck_assert(whole >= -7 && whole <= 7 && whole == floor(whole));
        counts[(int)whole + 7]++;
    }
    for (int i = 0; i < 15; i++) /* 1000 each, standard deviation 31 */
        ck_assert_msg(counts[i] > 850 && counts[i] < 1150, "%u times %d", counts[i], i - 7);
    ck_assert(gb_batch_value(7, BATCH_INPUT, 3) == gb_batch_value(7, BATCH_INPUT, 3));
}
END_TEST

START_TEST(work_and_memory_are_counted)
{
    gb_value args[KERNEL_ARGS_MAX];
    gb_need need;
    gb_work w;
    const gb_kernel_spec *spec = &kernel_args("batch", "batch=2,width=3,hidden=5", args)->spec;
    spec->work(args, GB_CUDA, &w);
    ck_assert_int_eq(spec->check(args, GB_CUDA, &need, NULL), GB_OK);
    /* weights 3 x 5 twice, biases 5 + 3: 38; ends 6 values each; hidden values 10 */
    ck_assert_uint_eq(w.bytes_read, 4 * (38 + 6 + 10));
    ck_assert_uint_eq(w.bytes_written, 4 * (10 + 6));
    ck_assert_uint_eq(w.bytes_moved, w.bytes_read + w.bytes_written);
    ck_assert_uint_eq(w.flops, 2 * (2 * 15 * 2) + 10 + 6);
    ck_assert_uint_eq(w.items, 2);
    ck_assert_uint_eq(need.device_bytes, 4 * (38 + 12 + 10));
    ck_assert_uint_eq(need.pinned_bytes, 4 * 12);
    ck_assert_uint_eq(need.host_bytes, 0);
    kernel_args("batch", "batch=2,width=3,hidden=5,memory=pageable", args);
    ck_assert_int_eq(spec->check(args, GB_CUDA, &need, NULL), GB_OK);
    ck_assert_uint_eq(need.host_bytes, 4 * 12);
    ck_assert_uint_eq(need.pinned_bytes, 0);
}
END_TEST

/* Percentiles exist only where a sample is one request, which is what this timer means. */
START_TEST(a_sample_is_one_request)
{
    const gb_kernel_spec *spec = &gb_kernel_find("batch")->spec;
    ck_assert_uint_eq(spec->timers, GB_BIT(GB_TIMER_ROUNDTRIP));
}
END_TEST

static gb_sample sample_of(const char *text)
{
    life l;
    gb_error err = {0};
    gb_sample sample;
    ck_assert_msg(life_begin(&l, dev, "batch", text, &err) == GB_OK, "%s", err.message);
    ck_assert_msg(l.kernel->sample(&l.run, 1, &sample, &err) == GB_OK, "%s", err.message);
    life_end(&l);
    return sample;
}

START_TEST(the_parts_of_a_request)
{
    gb_sample s = sample_of("math=own,batch=4,memory=pageable");
    const double *p = s.parts;
    ck_assert(p[BATCH_PART_COPY_IN] >= 0 && p[BATCH_PART_COMPUTE] > 0 &&
              p[BATCH_PART_COPY_OUT] >= 0 && p[BATCH_PART_LAUNCH] > 0);
    ck_assert_double_eq_tol(p[BATCH_PART_COPY_IN] + p[BATCH_PART_COMPUTE] + p[BATCH_PART_COPY_OUT],
                            p[BATCH_PART_ON_DEVICE], 0.5);
    ck_assert(p[BATCH_PART_ON_DEVICE] <= s.ns && p[BATCH_PART_LAUNCH] <= s.ns);
    s = sample_of("math=own,batch=4,memory=pageable,submit=graph");
    ck_assert(isnan(p[BATCH_PART_COPY_IN]) && isnan(p[BATCH_PART_COMPUTE]) &&
              isnan(p[BATCH_PART_COPY_OUT]));
    ck_assert(p[BATCH_PART_LAUNCH] > 0 && p[BATCH_PART_ON_DEVICE] > 0);
    s = sample_of("math=own,batch=4,memory=pageable,events=none");
    ck_assert(isnan(p[BATCH_PART_COPY_IN]) && isnan(p[BATCH_PART_ON_DEVICE]));
    ck_assert(p[BATCH_PART_LAUNCH] > 0 && p[BATCH_PART_LAUNCH] <= s.ns);
}
END_TEST

/* --- mistakes --------------------------------------------------------------------------------- */

/* What is done to the arguments of a layer: out, in, weights, bias, rows, depth, columns, relu. */
static void (*spoil)(void *args[]);

static gb_code spoiling_launch(gb_device *device, gb_stream *stream, const gb_fn *fn,
                               const gb_launch *launch, void *args[], gb_error *err)
{
    void *pointers[4];
    uint32_t numbers[4];
    void *copies[8];
    for (int i = 0; i < 4; i++) {
        pointers[i] = *(void **)args[i];
        numbers[i] = *(uint32_t *)args[4 + i];
        copies[i] = &pointers[i];
        copies[4 + i] = &numbers[i];
    }
    spoil(copies);
    return real->launch(device, stream, fn, launch, copies, err);
}

static void one_row_less(void *args[])
{
    --*(uint32_t *)args[4];
}

static void less_depth(void *args[])
{
    --*(uint32_t *)args[5];
}

static void one_column_less(void *args[])
{
    --*(uint32_t *)args[6];
}

static void other_activation(void *args[])
{
    *(uint32_t *)args[7] ^= 1;
}

static void weights_as_bias(void *args[])
{
    *(float **)args[3] = *(float **)args[2];
}

/* The last row of the weights is left out, so that the shifted ones end inside of the buffer. */
static void next_weight(void *args[])
{
    ++*(float **)args[2];
    --*(uint32_t *)args[5];
}

static void own_output_as_input(void *args[])
{
    *(float **)args[1] = *(float **)args[0];
}

static const struct {
    const char *what;
    void (*spoil)(void *args[]);
} mistakes[] = {
    {"a row less", one_row_less},
    {"a depth of one less", less_depth},
    {"a column less", one_column_less},
    {"the other layer's activation", other_activation},
    {"weights for a bias", weights_as_bias},
    {"shifted weights", next_weight},
    {"the wrong input", own_output_as_input},
};

/* Both layers are square, so that what is read by mistake lies inside of the buffers. */
START_TEST(KRN_06_a_wrong_launch_is_noticed)
{
    ops.launch = spoiling_launch;
    spoil = mistakes[_i].spoil;
    wrong("math=own,batch=9,width=70,hidden=70", mistakes[_i].what);
}
END_TEST

static gb_code no_launch(gb_device *device, gb_stream *stream, const gb_fn *fn,
                         const gb_launch *launch, void *args[], gb_error *err)
{
    (void)device, (void)stream, (void)fn, (void)launch, (void)args, (void)err;
    return GB_OK;
}

static gb_copy short_copy; /* the direction in which the last element is not copied */

static gb_code cut_copy(gb_device *device, gb_stream *stream, void *to, const void *from,
                        size_t bytes, gb_copy direction, gb_error *err)
{
    /* the request's copies alone: those of the test data are as large as their chunk */
    if (direction == short_copy && bytes == 9 * 70 * sizeof(float))
        bytes -= sizeof(float);
    return real->copy(device, stream, to, from, bytes, direction, err);
}

START_TEST(missing_steps_are_noticed)
{
    ops.launch = no_launch;
    wrong("math=own,batch=9,width=70,hidden=50", "a launch that does nothing");
    ops.launch = real->launch;
    ops.copy = cut_copy;
    short_copy = GB_COPY_H2D;
    wrong("math=own,batch=9,width=70,hidden=50", "a cut copy to the device");
    short_copy = GB_COPY_D2H;
    /* Reading back for the check is cut as well, and what it missed is not the expected value. */
    wrong("math=own,batch=9,width=70,hidden=50", "a cut copy to the host");
}
END_TEST

static gb_code no_graph_launch(gb_device *device, gb_graph *graph, gb_stream *stream, gb_error *err)
{
    (void)device, (void)graph, (void)stream, (void)err;
    return GB_OK;
}

START_TEST(KRN_12_what_is_not_in_the_graph_is_noticed)
{
    gb_error err = {0};
    ops.launch = no_launch;
    ck_assert_int_eq(verdict("math=own,batch=2,submit=graph", &err), GB_WRONG_RESULT);
    ck_assert_str_eq(err.message,
                     "batch: the graph of a request has 2 nodes, at least 4 are needed");
    ops.launch = real->launch;
    ops.graph_launch = no_graph_launch;
    wrong("math=own,batch=2,submit=graph", "a replay that does nothing");
}
END_TEST

static gb_code no_capture(gb_device *device, gb_stream *stream, gb_error *err)
{
    (void)device, (void)stream;
    return gb_fail(err, GB_DEVICE_ERROR, "cudaStreamBeginCapture: 900");
}

START_TEST(KRN_10_a_failed_capture_is_that_cases_failure_alone)
{
    gb_error err = {0};
    ops.capture_begin = no_capture;
    ck_assert_int_eq(verdict("math=own,batch=2,submit=graph", &err), GB_DEVICE_ERROR);
    ck_assert_ptr_nonnull(strstr(err.message, "900"));
    right("math=own,batch=2,submit=eager");
}
END_TEST

/* A row that the reference lacks: it must be finite, and the same on both sides. */
START_TEST(rows_between_the_sampled_ones_are_checked_too)
{
    life l;
    gb_error err = {0};
    ck_assert_int_eq(life_begin(&l, dev, "batch",
                                "math=own,batch=64,width=1024,hidden=1024,memory=pageable", &err),
                     GB_OK);
    ck_assert_int_eq(once(&l, &err), GB_OK);
    ck_assert_msg(l.kernel->verify(&l.run, &err) == GB_OK, "%s", err.message);
    gb_batch_state *s = l.run.state;
    ck_assert_uint_eq(s->reference.n, 32);
    ck_assert_uint_eq(s->reference.rows[1], 2);
    float *host = s->host_out.host, *device = s->out.device;
    const float good = host[1024 + 5];
    host[1024 + 5] = good + 1;
    ck_assert_int_eq(l.kernel->verify(&l.run, &err), GB_WRONG_RESULT);
    ck_assert_ptr_nonnull(strstr(err.message, "outputs on the host: 1 of 65536"));
    host[1024 + 5] = device[1024 + 5] = NAN;
    ck_assert_int_eq(l.kernel->verify(&l.run, &err), GB_WRONG_RESULT);
    ck_assert_msg(strstr(err.message, "element 1029 ") && strstr(err.message, "a finite number"),
                  "%s", err.message);
    life_end(&l);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tc = tcase_create("batch");
    tcase_set_timeout(tc, 240);
    tcase_add_checked_fixture(tc, open_kernel_device, close_kernel_device);
    tcase_add_loop_test(tc, KRN_02_layers_of_any_size, 0, 2);
    tcase_add_loop_test(tc, every_batch_up_to_two_tiles, 0, 2);
    tcase_add_loop_test(tc, KRN_17_the_largest_layers_are_exact, 0, 2);
    tcase_add_test(tc, rows_of_large_batches_are_sampled);
    tcase_add_test(tc, data_are_random_but_the_same_everywhere);
    tcase_add_test(tc, work_and_memory_are_counted);
    tcase_add_test(tc, a_sample_is_one_request);
    tcase_add_test(tc, the_parts_of_a_request);
    tcase_add_loop_test(tc, KRN_06_a_wrong_launch_is_noticed, 0, (int)GB_COUNT(mistakes));
    tcase_add_test(tc, missing_steps_are_noticed);
    tcase_add_test(tc, KRN_12_what_is_not_in_the_graph_is_noticed);
    tcase_add_test(tc, KRN_10_a_failed_capture_is_that_cases_failure_alone);
    tcase_add_test(tc, rows_between_the_sampled_ones_are_checked_too);
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("batch", add_cases)
