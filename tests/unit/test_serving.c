/* serving on the cpu device: windows of requests live and in virtual time, what a sample says of a
 * request, and servers that go wrong: each must be noticed. */
#include "kernels/serving.h"

#include <time.h>

#include "unit/kernel_fixture.h"
#include "unit/kernel_life.h"

#define SMALL "window=200,width=40,hidden=50"

static void begin(life *l, const char *text)
{
    gb_error err = {0};
    ck_assert_int_eq(life_check("serving", text, GB_CPU, &err), GB_OK);
    ck_assert_msg(life_begin(l, dev, "serving", text, &err) == GB_OK, "%s", err.message);
}

static gb_code take(life *l, gb_sample *out, gb_error *err)
{
    return l->kernel->sample(&l->run, 1, out, err);
}

/* Takes what the first, short window has, so that the next sample begins a full one. */
static void load(life *l)
{
    gb_error err = {0};
    gb_sample s = {.ready = 1};
    while (s.ready > 0)
        ck_assert_msg(take(l, &s, &err) == GB_OK, "%s", err.message);
}

static const char *const cases[] = {
    "clock=real,batch=1,rate=20000," SMALL,
    "clock=real,batch=16,rate=100000," SMALL,
    "clock=real,batch=16,wait_us=500,rate=20000," SMALL,
    "clock=real,batch=20,sizes=mixed,shape=bucketed,rate=20000," SMALL,
    "clock=real,batch=20,sizes=mixed,shape=padded,rate=20000," SMALL,
    "clock=virtual,batch=1,rate=20000," SMALL,
    "clock=virtual,batch=16,wait_us=100,rate=100000," SMALL,
    "clock=virtual,batch=20,sizes=mixed,shape=exact,rate=100000," SMALL,
    "clock=virtual,batch=20,sizes=mixed,shape=bucketed,rate=100000," SMALL,
    "clock=virtual,batch=20,sizes=mixed,shape=padded,rate=100000," SMALL,
};

/* A full window, and what each of its samples says. */
START_TEST(a_sample_is_one_request_of_a_window)
{
    life l;
    gb_error err = {0};
    begin(&l, cases[_i]);
    load(&l);
    for (uint64_t i = 0; i < 200; i++) {
        gb_sample s;
        ck_assert_msg(take(&l, &s, &err) == GB_OK, "%s: %s", cases[_i], err.message);
        ck_assert_uint_eq(s.ready, 199 - i);
        const double *p = s.parts;
        ck_assert(p[SERVING_PART_WAITING] >= 0 && p[SERVING_PART_SERVICE] > 0);
        ck_assert_double_eq_tol(p[SERVING_PART_WAITING] + p[SERVING_PART_SERVICE], s.ns, 1);
        ck_assert(p[SERVING_PART_SERVER] > 0 && p[SERVING_PART_SERVER] <= p[SERVING_PART_SERVICE]);
        ck_assert(p[SERVING_PART_ON_DEVICE] > 0 &&
                  p[SERVING_PART_ON_DEVICE] <= 1.01 * p[SERVING_PART_SERVER] + 100);
    }
    const gb_serving_state *s = l.run.state;
    uint32_t items = 0;
    for (size_t i = 0; i < 200; i++) {
        const gb_queue_request *r = &s->requests[i];
        const bool begins = i == 0 || r->batch != r[-1].batch;
        items = begins ? r->items : items + r->items;
        ck_assert_uint_le(items, s->policy.most_items);
        ck_assert(r->begin >= r->arrival && (!begins || i == 0 || r->begin >= r[-1].end));
    }
    life_end(&l);
}
END_TEST

START_TEST(the_check_and_the_warm_up_are_a_full_batch_and_drop_what_is_left)
{
    life l;
    gb_error err = {0};
    gb_sample sample;
    begin(&l, cases[_i]);
    for (int i = 0; i < 2; i++) { /* the second time requests have overwritten the inputs */
        ck_assert_int_eq(l.kernel->reset(&l.run, &err), GB_OK);
        ck_assert_int_eq(l.kernel->enqueue(&l.run, &err), GB_OK);
        ck_assert_int_eq(dev->ops->stream_sync(dev, l.run.stream, &err), GB_OK);
        ck_assert_msg(l.kernel->verify(&l.run, &err) == GB_OK, "%s: %s", cases[_i], err.message);
        ck_assert_int_eq(take(&l, &sample, &err), GB_OK);
        ck_assert_uint_eq(sample.ready, (i == 0 ? SERVING_FIRST : 200) - 1);
    }
    life_end(&l);
}
END_TEST

START_TEST(work_and_memory_are_counted)
{
    gb_value args[KERNEL_ARGS_MAX];
    gb_need need;
    gb_work w;
    gb_error err = {0};
    const gb_kernel_spec *spec =
        &kernel_args("serving", "batch=8,sizes=mixed,width=4,hidden=5,window=100", args)->spec;
    ck_assert_int_eq(spec->check(args, GB_CUDA, &need, &err), GB_OK);
    spec->work(args, GB_CUDA, &w);
    ck_assert_uint_eq(w.items, 1); /* 4.5 items on average */
    ck_assert_uint_eq(w.bytes_read, 72);
    ck_assert_uint_eq(w.flops, 9 * (4 * 20 + 9) / 2);
    ck_assert_uint_eq(need.pinned_bytes, 2 * 8 * 4 * 4);
    ck_assert_uint_ge(need.host_bytes, 100 * 8 * 4 * 4); /* the answers of a window */
    kernel_args("serving", "batch=7,sizes=mixed", args);
    ck_assert_int_eq(spec->check(args, GB_CUDA, &need, &err), GB_INVALID);
    ck_assert_ptr_nonnull(strstr(err.message, "up to 8 items"));
    kernel_args("serving", "batch=1,sizes=one", args);
    ck_assert_int_eq(spec->check(args, GB_CUDA, &need, &err), GB_OK);
}
END_TEST

/* More arrive than a server without batches can answer: what it carries is the rate at which it
 * answers, the queue grows, and the last one waits longest. */
START_TEST(too_high_a_rate_shows_in_the_latency_of_all_that_come_later)
{
    life l;
    gb_error err = {0};
    gb_sample s;
    begin(&l, "clock=virtual,batch=1,rate=100000000,window=1000,width=40,hidden=50");
    load(&l);
    double last = 0;
    for (int i = 0; i < 1000; i++) {
        ck_assert_int_eq(take(&l, &s, &err), GB_OK);
        ck_assert_double_gt(s.ns, last);
        last = s.ns;
    }
    ck_assert_double_eq_tol(last, 1000 * s.parts[SERVING_PART_SERVER], 0.1 * last);
    life_end(&l);
}
END_TEST

static int stall_at; /* the n-th synchronisation from now on takes 50 ms longer */

static gb_code stalling_sync(gb_device *device, gb_stream *stream, gb_error *err)
{
    if (--stall_at == 0)
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    return real->stream_sync(device, stream, err);
}

/* One batch stands for 50 ms. Of 2000 requests a second about 100 are due meanwhile, and 50 of them
 * wait for more than 25 ms. A closed loop would have one slow request. */
START_TEST(a_stalled_server_cannot_hide_it)
{
    life l;
    gb_error err = {0};
    gb_sample s = {.ready = 1};
    unsigned late = 0, slow = 0;
    begin(&l, "clock=real,batch=1,rate=2000,window=400,width=40,hidden=50");
    load(&l);
    ops.stream_sync = stalling_sync;
    stall_at = 100;
    while (s.ready > 0) {
        ck_assert_int_eq(take(&l, &s, &err), GB_OK);
        late += s.ns > 25e6;
        slow += s.parts[SERVING_PART_SERVICE] > 45e6;
    }
    ck_assert_uint_ge(slow, 1); /* more on a machine that stalls by itself */
    ck_assert_msg(late >= 25, "%u are late", late);
    life_end(&l);
}
END_TEST

/* --- mistakes --------------------------------------------------------------------------------- */

static gb_code no_launch(gb_device *device, gb_stream *stream, const gb_fn *fn,
                         const gb_launch *launch, void *args[], gb_error *err)
{
    (void)device, (void)stream, (void)fn, (void)launch, (void)args, (void)err;
    return GB_OK;
}

/* The last row of a batch is left out. */
static gb_code short_launch(gb_device *device, gb_stream *stream, const gb_fn *fn,
                            const gb_launch *launch, void *args[], gb_error *err)
{
    uint32_t rows = *(uint32_t *)args[4] - 1;
    void *copies[8];
    memcpy(copies, args, sizeof copies);
    copies[4] = &rows;
    return real->launch(device, stream, fn, launch, copies, err);
}

static gb_copy missing;   /* the direction in which nothing is copied */
static int missing_after; /* so many that are */

static gb_code no_copy(gb_device *device, gb_stream *stream, void *to, const void *from,
                       size_t bytes, gb_copy direction, gb_error *err)
{
    return direction == missing && --missing_after < 0
               ? GB_OK
               : real->copy(device, stream, to, from, bytes, direction, err);
}

/* Some request of a window has a wrong answer: the sample is none, and says so. */
static void noticed(const char *text, const char *mistake)
{
    life l;
    gb_error err = {0};
    gb_sample s = {.ready = 1};
    const gb_device_ops spoiled = ops;
    ops = *real;
    begin(&l, text);
    load(&l);
    ops = spoiled;
    const gb_code code = take(&l, &s, &err);
    ck_assert_msg(code == GB_WRONG_RESULT, "%s: %s was not noticed", text, mistake);
    ck_assert_ptr_nonnull(strstr(err.message, "serving: answers to requests"));
    ops = *real;
    life_end(&l);
}

START_TEST(every_answer_is_checked)
{
    if (strstr(cases[_i], "padded") == NULL) { /* the last row is padding there */
        ops.launch = short_launch;
        noticed(cases[_i], "a launch with a row less");
    }
    ops.launch = no_launch;
    noticed(cases[_i], "a launch that does nothing");
    ops.copy = no_copy;
    missing_after = 0;
    missing = GB_COPY_H2D;
    noticed(cases[_i], "inputs that stay on the host");
    ops.copy = no_copy;
    missing = GB_COPY_D2H;
    noticed(cases[_i], "answers that stay on the device");
}
END_TEST

/* Batches of the same size one after the other, as many requests as there are different items, and
 * so few items that they come again all the time. */
START_TEST(an_answer_of_the_batch_before_is_a_wrong_one)
{
    static const char *const full[] = {
        "batch=64,rate=100000000,window=200,width=40,hidden=50",
        "batch=16,rate=100000000,window=200,width=512,hidden=4096",
        "batch=1,rate=100000000,window=20,width=1638,hidden=4096",
    };
    static const gb_copy ways[] = {GB_COPY_H2D, GB_COPY_D2H};
    for (size_t i = 0; i < GB_COUNT(full); i++) {
        for (size_t w = 0; w < GB_COUNT(ways); w++) {
            ops.copy = no_copy;
            missing = ways[w];
            missing_after = 2; /* the first batch is a small one */
            noticed(full[i], "what was left of a full batch before");
        }
    }
}
END_TEST

static gb_code no_sync(gb_device *device, gb_stream *stream, gb_error *err)
{
    (void)device, (void)stream;
    return gb_fail(err, GB_DEVICE_ERROR, "cudaStreamSynchronize: 700");
}

START_TEST(an_error_on_the_way_ends_the_window)
{
    life l;
    gb_error err = {0};
    gb_sample s;
    begin(&l, cases[_i]);
    load(&l);
    ops.stream_sync = no_sync;
    ck_assert_int_eq(take(&l, &s, &err), GB_DEVICE_ERROR);
    ck_assert_ptr_nonnull(strstr(err.message, "700"));
    ck_assert_uint_eq(s.ready, 0);
    ops.stream_sync = real->stream_sync;
    ck_assert_int_eq(take(&l, &s, &err), GB_OK);
    life_end(&l);
}
END_TEST

static void add_cases(Suite *suite)
{
    const int n = (int)GB_COUNT(cases);
    TCase *tc = tcase_create("serving");
    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, open_kernel_device, close_kernel_device);
    tcase_add_loop_test(tc, a_sample_is_one_request_of_a_window, 0, n);
    tcase_add_loop_test(tc, the_check_and_the_warm_up_are_a_full_batch_and_drop_what_is_left, 0, n);
    tcase_add_test(tc, work_and_memory_are_counted);
    tcase_add_test(tc, too_high_a_rate_shows_in_the_latency_of_all_that_come_later);
    tcase_add_test(tc, a_stalled_server_cannot_hide_it);
    tcase_add_loop_test(tc, every_answer_is_checked, 0, n);
    tcase_add_test(tc, an_answer_of_the_batch_before_is_a_wrong_one);
    tcase_add_loop_test(tc, an_error_on_the_way_ends_the_window, 0, n);
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("serving", add_cases)
