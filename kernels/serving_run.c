/* serving: one batch of requests on the device, a window of them as they arrive or in virtual time,
 * and the samples, of which each is one request. */
#include "kernels/serving.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A waiting server sleeps until shortly before it has to begin, and looks at the clock from then
 * on: waking up takes some tens of microseconds. */
#define SPIN_NS 200000
/* The window that only loads code does not wait for its requests. */
#define LOADING_RATE 1e9

static uint64_t now(gb_run *run)
{
    return run->dev->ops->now_ns(run->dev);
}

/* --- one batch -------------------------------------------------------------------------------- */

/* Which of the prepared items is the j-th of a request. */
static size_t item_of(const gb_serving_state *s, size_t request, uint32_t j)
{
    return (s->first_items[request] + j) % s->expected.n;
}

/* n requests that are served together; `number` is that of the first, which decides their items. */
typedef struct served {
    const gb_queue_request *requests;
    size_t n, number;
    float *answers; /* [items of all requests][width] */
} served;

/* Gathers the inputs of a batch where they are copied from. Returns the number of items. */
static uint32_t gather(const gb_serving_state *s, const served *what)
{
    const size_t width = (size_t)s->model.sizes.width;
    const float *from = s->inputs.host;
    float *to = s->model.host_in.host;
    uint32_t items = 0;
    for (size_t i = 0; i < what->n; i++)
        for (uint32_t j = 0; j < what->requests[i].items; j++, items++)
            memcpy(to + items * width, from + item_of(s, what->number + i, j) * width,
                   width * sizeof *to);
    return items;
}

/* A batch from its requests to their answers. */
static gb_code serve(gb_run *run, const served *what, gb_error *err)
{
    gb_serving_state *s = run->state;
    const uint32_t items = gather(s, what);
    s->model.rows = gb_queue_shape_items(s->shape, items, s->policy.most_items);
    gb_code code = gb_batch_submit(run, true, err);
    const gb_code synced =
        run->dev->ops->stream_sync(run->dev, run->stream, code == GB_OK ? err : NULL);
    code = code != GB_OK ? code : synced;
    if (code == GB_OK)
        memcpy(what->answers, s->model.host_out.host,
               items * (size_t)s->model.sizes.width * sizeof *what->answers);
    return code;
}

static gb_code device_time(gb_run *run, double *ns, gb_error *err)
{
    const gb_serving_state *s = run->state;
    return run->dev->ops->elapsed_ns(run->dev, s->model.marks[BATCH_BEGIN],
                                     s->model.marks[BATCH_END], ns, err);
}

static void poison(gb_serving_state *s, uint64_t rows)
{
    memset(s->answers.host, 0xff, (size_t)(rows * s->model.sizes.width) * sizeof(float));
}

/* Every answer to every request, without tolerance. */
static gb_code check_answers(const gb_serving_state *s, const served *what, gb_error *err)
{
    const size_t width = (size_t)s->model.sizes.width;
    gb_mismatch bad = {0};
    uint64_t at = 0;
    for (size_t i = 0; i < what->n; i++) {
        for (uint32_t j = 0; j < what->requests[i].items; j++) {
            const float *want = s->expected.output + item_of(s, what->number + i, j) * width;
            for (size_t k = 0; k < width; k++, at++)
                gb_compare_f64(&bad, at, (double)want[k], (double)what->answers[at], 0);
        }
    }
    return gb_mismatch_result(&bad, "serving: answers to requests", at, sizeof(float), err);
}

/* --- as they arrive --------------------------------------------------------------------------- */

static void wait_until(gb_run *run, uint64_t when)
{
    for (uint64_t t = now(run); t < when; t = now(run)) {
        if (when - t <= SPIN_NS)
            continue;
        const uint64_t ns = when - t - SPIN_NS / 2;
        nanosleep(&(struct timespec){.tv_sec = (time_t)(ns / 1000000000),
                                     .tv_nsec = (long)(ns % 1000000000)},
                  NULL);
    }
}

/* Time 0 of the window is now. The schedule of arrivals is fixed: a batch that takes long makes
 * those wait who were due meanwhile, and their latency says so. */
static gb_code serve_live(gb_run *run, gb_error *err)
{
    gb_serving_state *s = run->state;
    gb_queue_request *requests = s->requests;
    float *answers = s->answers.host;
    uint32_t batches = 0;
    gb_code code = GB_OK;
    poison(s, s->n * (s->mixed ? GB_QUEUE_MIXED : 1));
    const uint64_t start = now(run);
    for (size_t first = 0; first < s->n && code == GB_OK;) {
        const double begin = (double)(now(run) - start);
        const gb_queue_batch batch = gb_queue_next(requests, s->n, first, begin, &s->policy);
        if (batch.begin > begin) {
            wait_until(run, start + (uint64_t)ceil(batch.begin));
            continue;
        }
        const served what = {requests + first, batch.end - first, first, answers};
        code = serve(run, &what, err);
        gb_queue_answer(requests, &batch, batches, begin, (double)(now(run) - start));
        if (code == GB_OK)
            code = device_time(run, &s->on_device[batches++], err);
        answers += batch.items * s->model.sizes.width;
        first = batch.end;
    }
    const served all = {requests, s->n, 0, s->answers.host};
    return code == GB_OK ? check_answers(s, &all, err) : code;
}

/* --- in virtual time -------------------------------------------------------------------------- */

/* What was measured of a shape: services, or times on the device. [SERVING_ROUNDS] */
static double *measured(const gb_serving_state *s, uint32_t items, int on_device)
{
    return s->measured + (2 * items + (uint32_t)on_device) * SERVING_ROUNDS;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The service of a batch of some items, once. */
static gb_code measure(gb_run *run, uint32_t items, size_t round, gb_error *err)
{
    gb_serving_state *s = run->state;
    const gb_queue_request request = {.items = items};
    const served what = {&request, 1, round, s->answers.host};
    double *service = &measured(s, items, 0)[round], *on_device = &measured(s, items, 1)[round];
    poison(s, items);
    const uint64_t begin = now(run);
    gb_code code = serve(run, &what, err);
    *service = (double)(now(run) - begin);
    if (code == GB_OK)
        code = device_time(run, on_device, err);
    return code == GB_OK ? check_answers(s, &what, err) : code;
}

/* Each shape that batches may have, in rounds, so that a slow moment does not fall on one alone. */
static gb_code measure_services(gb_run *run, gb_error *err)
{
    const gb_serving_state *s = run->state;
    const uint32_t most = s->policy.most_items;
    gb_code code = GB_OK;
    for (size_t round = 0; round < s->rounds; round++)
        for (uint32_t items = 1; items <= most && code == GB_OK; items++)
            if (gb_queue_shape_items(s->shape, items, most) == items)
                code = measure(run, items, round, err);
    for (uint32_t items = 1; items <= most; items++)
        for (int on_device = 0; on_device < 2; on_device++)
            qsort(measured(s, items, on_device), s->rounds, sizeof(double), ascending);
    return code;
}

typedef struct replaying {
    gb_serving_state *s;
    size_t batches;
} replaying;

/* The median service of the batch's shape. */
static double replay(void *user, const gb_queue_batch *batch)
{
    replaying *r = user;
    gb_serving_state *s = r->s;
    const uint32_t items = gb_queue_shape_items(s->shape, batch->items, s->policy.most_items);
    s->on_device[r->batches++] = measured(s, items, 1)[s->rounds / 2];
    return measured(s, items, 0)[s->rounds / 2];
}

static gb_code serve_virtually(gb_run *run, gb_error *err)
{
    gb_serving_state *s = run->state;
    replaying r = {s, 0};
    gb_code code = measure_services(run, err);
    if (code == GB_OK)
        gb_queue_serve(s->requests, s->n, &s->policy, replay, &r);
    return code;
}

/* --- samples ---------------------------------------------------------------------------------- */

/* A window from an idle server on. */
static gb_code serve_window(gb_run *run, gb_error *err)
{
    gb_serving_state *s = run->state;
    const size_t n = s->loaded || s->window < SERVING_FIRST ? s->window : SERVING_FIRST;
    const double rate = s->loaded ? s->rate : LOADING_RATE;
    gb_queue_arrivals(run->seed + s->windows, rate, s->mixed, s->requests, n);
    s->rounds = s->loaded ? SERVING_ROUNDS : 1;
    s->n = n;
    s->at = 0;
    s->windows += s->loaded;
    s->loaded = true;
    gb_code code = run->dev->ops->stream_sync(run->dev, run->stream, err);
    if (code == GB_OK)
        code = s->in_virtual_time ? serve_virtually(run, err) : serve_live(run, err);
    if (code != GB_OK)
        s->n = 0;
    return code;
}

/* Requests in the batch of request `i`. */
static double companions(const gb_serving_state *s, size_t i)
{
    size_t first = i, end = i + 1;
    while (first > 0 && s->requests[first - 1].batch == s->requests[i].batch)
        first--;
    while (end < s->n && s->requests[end].batch == s->requests[i].batch)
        end++;
    return (double)(end - first);
}

static void hand_out(gb_serving_state *s, gb_sample *out)
{
    const gb_queue_request *r = &s->requests[s->at];
    const double n = companions(s, s->at);
    out->ns += r->end - r->arrival;
    out->parts[SERVING_PART_WAITING] += r->begin - r->arrival;
    out->parts[SERVING_PART_SERVICE] += r->end - r->begin;
    out->parts[SERVING_PART_SERVER] += (r->end - r->begin) / n;
    out->parts[SERVING_PART_ON_DEVICE] += s->on_device[r->batch] / n;
    s->at++;
}

/* Hands out the next requests of the window; a new one begins where it has ended. */
gb_code gb_serving_sample(gb_run *run, uint64_t iterations, gb_sample *out, gb_error *err)
{
    gb_serving_state *s = run->state;
    gb_code code = GB_OK;
    *out = gb_sample_of(SERVING_PARTS);
    for (uint64_t i = 0; i < iterations && code == GB_OK; i++) {
        if (s->at == s->n)
            code = serve_window(run, err);
        if (code == GB_OK)
            hand_out(s, out);
    }
    out->ready = s->n - s->at;
    return code;
}

/* A full batch, with the inputs that lie there: for the check and the warm-up. What is left of a
 * window was served before it and is dropped. */
gb_code gb_serving_enqueue(gb_run *run, gb_error *err)
{
    gb_serving_state *s = run->state;
    s->n = s->at = 0;
    s->model.rows = s->model.sizes.batch;
    return gb_batch_enqueue(run, err);
}
