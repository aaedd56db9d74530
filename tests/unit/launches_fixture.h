/* The kernels launch and graph on the cpu device, measured as any case is, with operations of the
 * device wrapped so that some of the work goes missing or goes elsewhere. */
#ifndef GB_TESTS_LAUNCHES_FIXTURE_H
#define GB_TESTS_LAUNCHES_FIXTURE_H

#include <math.h>

#include "base/text.h"
#include "run/measure.h"
#include "unit/kernel_fixture.h"

/* What the wrappers do, and what they have seen. */
static struct {
    unsigned long launches, graphs; /* calls so far */
    unsigned long drop_launch;      /* this launch (from 1) does not happen */
    unsigned long drop_graphs;      /* nor do graph launches from this one on */
    unsigned long astray;           /* this launch goes to the stream `other` */
    bool cut, unjoined;             /* arguments are cut to 8 bytes; the origin waits for nobody */
    gb_stream *other, *origin;
    unsigned long waiting, most_waiting; /* launches since the host last waited */
    unsigned long queued, most_queued;   /* the same with events and waits for them */
} spy;

static inline void queue_one(void)
{
    if (++spy.queued > spy.most_queued)
        spy.most_queued = spy.queued;
}

static inline void count_one(void)
{
    queue_one();
    if (++spy.waiting > spy.most_waiting)
        spy.most_waiting = spy.waiting;
}

static inline gb_code spy_launch(gb_device *device, gb_stream *stream, const gb_fn *fn,
                                 const gb_launch *launch, void *args[], gb_error *err)
{
    spy.launches++;
    if (spy.launches == spy.drop_launch)
        return GB_OK;
    count_one();
    if (spy.launches == spy.astray) {
        gb_code code = real->launch(device, spy.other, fn, launch, args, err);
        return code == GB_OK ? real->stream_sync(device, spy.other, err) : code;
    }
    uint64_t few[512] = {0};
    if (spy.cut) {
        memcpy(few, args[0], 8);
        return real->launch(device, stream, fn, launch, (void *[]){few}, err);
    }
    return real->launch(device, stream, fn, launch, args, err);
}

static inline gb_code spy_graph_launch(gb_device *device, gb_graph *graph, gb_stream *stream,
                                       gb_error *err)
{
    if (++spy.graphs >= spy.drop_graphs && spy.drop_graphs > 0)
        return GB_OK;
    count_one();
    return real->graph_launch(device, graph, stream, err);
}

static inline gb_code spy_stream_sync(gb_device *device, gb_stream *stream, gb_error *err)
{
    spy.waiting = spy.queued = 0;
    return real->stream_sync(device, stream, err);
}

static inline gb_code spy_sync(gb_device *device, gb_error *err)
{
    spy.waiting = spy.queued = 0;
    return real->sync(device, err);
}

static inline gb_code spy_capture_begin(gb_device *device, gb_stream *stream, gb_error *err)
{
    spy.origin = stream;
    return real->capture_begin(device, stream, err);
}

static inline gb_code spy_event_record(gb_device *device, gb_event *event, gb_stream *stream,
                                       gb_error *err)
{
    queue_one();
    return real->event_record(device, event, stream, err);
}

static inline gb_code spy_stream_wait(gb_device *device, gb_stream *stream, gb_event *event,
                                      gb_error *err)
{
    queue_one();
    return spy.unjoined && stream == spy.origin ? GB_OK
                                                : real->stream_wait(device, stream, event, err);
}

static inline void open_device(void)
{
    gb_error err = {0};
    open_kernel_device();
    memset(&spy, 0, sizeof spy);
    ops.launch = spy_launch;
    ops.graph_launch = spy_graph_launch;
    ops.stream_sync = spy_stream_sync;
    ops.sync = spy_sync;
    ops.capture_begin = spy_capture_begin;
    ops.event_record = spy_event_record;
    ops.stream_wait = spy_stream_wait;
    ck_assert_int_eq(real->stream_create(dev, &spy.other, &err), GB_OK);
}

/* Measures a few samples of a case; the caller frees the record. */
static inline void measure(const char *kernel, const char *text, gb_timer timer, gb_record *record)
{
    gb_value args[KERNEL_ARGS_MAX];
    const gb_kernel *k = kernel_args(kernel, text, args);
    const gb_measure how = {.precision = 1e-9,
                            .min_samples = 3,
                            .max_samples = 5,
                            .warmup_ns = 1,
                            .budget_ns = 50000000,
                            .seed = 11,
                            .gate = true,
                            .peak_bandwidth = NAN};
    gb_error err = {0};
    gb_record_init(record);
    record->case_id = gb_text_copy(text);
    gb_need need;
    ck_assert_msg(k->spec.check(args, GB_CPU, &need, &err) == GB_OK, "%s: %s", text, err.message);
    gb_measure_case(dev, k, args, gb_spec_timer(&k->spec, args, timer), GB_CACHE_WARM, &how, record,
                    &err);
}

static inline void ends_well(const char *kernel, const char *text, gb_timer timer)
{
    gb_record r;
    measure(kernel, text, timer, &r);
    ck_assert_msg(r.status == GB_STATUS_OK, "%s: %s", text, r.reason);
    ck_assert_int_eq(r.verified, 1);
    ck_assert_uint_ge(r.n_samples, 3);
    gb_record_free(&r);
}

static inline void ends_badly(const char *kernel, const char *text, gb_status status,
                              const char *why)
{
    gb_record r;
    measure(kernel, text, GB_TIMER_ROUNDTRIP, &r);
    ck_assert_msg(r.status == status, "%s: %s: %s", text, gb_status_word(r.status),
                  r.reason != NULL ? r.reason : "");
    ck_assert_msg(strstr(r.reason, why) != NULL, "%s: '%s' is not in: %s", text, why, r.reason);
    if (status == GB_STATUS_WRONG)
        ck_assert_int_eq(r.verified, 0);
    gb_record_free(&r);
}

#endif
