/* serving: the perceptron of batch behind a queue, with requests that arrive by themselves.
 * serving_run.c serves them; queue.c decides who is served when. */
#include "kernels/serving.h"

#include <stdlib.h>
#include <string.h>

static const char *const size_words[] = {"one", "mixed", NULL};
static const char *const shape_words[] = {"exact", "bucketed", "padded", NULL};
static const char *const clock_words[] = {"real", "virtual", NULL};
static const char *const math_words[] = {"vendor", "own", NULL};

static const gb_param params[] = {
    [SERVING_RATE] = GB_COUNT_PARAM("rate", "1/s", 100, 100000000, 1000,
                                    "requests that arrive in a second, on average (Poisson)"),
    [SERVING_BATCH] =
        GB_COUNT_PARAM("batch", "items", 1, 512, 16, "most items that are served together"),
    [SERVING_WAIT] = GB_COUNT_PARAM("wait_us", "us", 0, 1000000, 0,
                                    "how long a free server lets a request wait for others"),
    [SERVING_SIZES] = GB_WORD_PARAM("sizes", size_words, "one",
                                    "items of a request: one, or 1 to 8, each as often"),
    [SERVING_SHAPE] = GB_WORD_PARAM("shape", shape_words, "exact",
                                    "what is computed for a batch: its items, rounded up to a "
                                    "power of two, or always as many as the largest batch has"),
    [SERVING_CLOCK] = GB_WORD_PARAM("clock", clock_words, "real",
                                    "requests are served on the device as they arrive, or in "
                                    "virtual time with service times measured on the device"),
    [SERVING_WINDOW] = GB_COUNT_PARAM("window", "requests", 20, 100000, 1000,
                                      "requests in a row, from an idle server on"),
    [SERVING_WIDTH] = GB_COUNT_PARAM("width", "values", 1, 4096, 256,
                                     "inputs of the first layer and outputs of the second"),
    [SERVING_HIDDEN] = GB_COUNT_PARAM("hidden", "values", 1, 4096, 512,
                                      "outputs of the first layer and inputs of the second"),
    [SERVING_MATH] = GB_WORD_PARAM("math", math_words, "own",
                                   "the layers' products by the vendor's BLAS (FP32) or by an own "
                                   "tiled kernel"),
};

static const char *const parts[] = {[SERVING_PART_WAITING] = "waiting",
                                    [SERVING_PART_SERVICE] = "service",
                                    [SERVING_PART_SERVER] = "server",
                                    [SERVING_PART_ON_DEVICE] = "on_device",
                                    [SERVING_PARTS] = NULL};

static const gb_metric_spec metrics[] = {
    GB_TIME("latency_p95", GB_WHOLE_P95,
            "from the scheduled arrival to the answer: 95 % of the requests are no slower"),
    GB_TIME("latency_p99", GB_WHOLE_P99, "the same for 99 %"),
    GB_ITEM_RATE("capacity", SERVING_PART_SERVER,
                 "requests a second of a server that is never idle, in batches as they were formed "
                 "at this rate: where more arrive, this is the throughput"),
    GB_TIME("queueing", SERVING_PART_WAITING,
            "from the scheduled arrival to the begin of the batch"),
    GB_TIME("device_time", SERVING_PART_ON_DEVICE,
            "time of a batch on the device over its requests"),
};

static bool is_word(const gb_value args[], int param, const char *word)
{
    return strcmp(args[param].word, word) == 0;
}

static gb_batch_sizes sizes_of(const gb_value args[])
{
    return (gb_batch_sizes){.batch = args[SERVING_BATCH].number,
                            .width = args[SERVING_WIDTH].number,
                            .hidden = args[SERVING_HIDDEN].number};
}

static uint64_t most_items(const gb_value args[])
{
    return is_word(args, SERVING_SIZES, "mixed") ? GB_QUEUE_MIXED : 1;
}

/* Rows of answers that are kept until they are checked: of a window, or of the one batch whose
 * service is measured. */
static uint64_t answer_rows(const gb_value args[])
{
    return is_word(args, SERVING_CLOCK, "virtual") ? args[SERVING_BATCH].number
                                                   : args[SERVING_WINDOW].number * most_items(args);
}

/* Different items that requests are made of. */
static size_t inputs_of(const gb_batch_sizes *z)
{
    return gb_batch_rows_checked(
        &(gb_batch_sizes){.batch = SERVING_ITEMS, .width = z->width, .hidden = z->hidden});
}

static size_t measured_values(const gb_value args[])
{
    return (size_t)(args[SERVING_BATCH].number + 1) * SERVING_ROUNDS * 2;
}

/* The ranges of the parameters keep all products below 2^45. */
static gb_code check(const gb_value args[], gb_device_kind kind, gb_need *need, gb_error *err)
{
    (void)kind;
    const gb_batch_sizes z = sizes_of(args);
    if (z.batch < most_items(args))
        return gb_fail(err, GB_INVALID,
                       "a request of mixed size has up to %d items: batch must be at least that",
                       GB_QUEUE_MIXED);
    *need = gb_batch_need(&z, GB_MEM_PINNED);
    need->host_bytes += (answer_rows(args) + inputs_of(&z)) * z.width * sizeof(float);
    return GB_OK;
}

/* Of a request of mean size, without padding; its share of the weights depends on the batch. */
static void work(const gb_value args[], gb_device_kind kind, gb_work *out)
{
    (void)kind;
    const gb_batch_sizes z = sizes_of(args);
    const uint64_t twice = 1 + most_items(args); /* twice the mean number of items */
    const uint64_t bytes = twice * z.width * sizeof(float) / 2;
    *out = (gb_work){
        .bytes_read = bytes,
        .bytes_written = bytes,
        .bytes_moved = 2 * bytes,
        .flops = twice * (4 * z.width * z.hidden + z.hidden + z.width) / 2,
        .items = 1,
        .compute = GB_COMPUTE_FP32,
    };
}

/* A window is served whole, and its requests do not come faster than they arrive. */
static uint64_t least_ns(const gb_value args[], uint64_t max_samples)
{
    (void)max_samples;
    return is_word(args, SERVING_CLOCK, "virtual")
               ? 0
               : args[SERVING_WINDOW].number * UINT64_C(1000000000) / args[SERVING_RATE].number;
}

/* --- the life of a case ----------------------------------------------------------------------- */

static gb_code allocate(gb_run *run, gb_error *err)
{
    gb_serving_state *s = run->state;
    const size_t row = (size_t)s->model.sizes.width * sizeof(float);
    s->requests = calloc(s->window, sizeof *s->requests);
    s->on_device = calloc(s->window, sizeof *s->on_device);
    s->measured = calloc(measured_values(run->args), sizeof *s->measured);
    s->first_items = calloc(s->window, sizeof *s->first_items);
    if (!s->requests || !s->on_device || !s->measured || !s->first_items)
        return gb_fail(err, GB_NO_MEMORY, "no memory for the requests of serving");
    gb_code code = run->dev->ops->alloc(run->dev, GB_MEM_PAGEABLE, inputs_of(&s->model.sizes) * row,
                                        &s->inputs, err);
    if (code == GB_OK)
        code = run->dev->ops->alloc(run->dev, GB_MEM_PAGEABLE, (size_t)s->answer_rows * row,
                                    &s->answers, err);
    return code;
}

/* The items that requests are made of, and what the layers should make of them. */
static gb_code make_items(gb_run *run, gb_error *err)
{
    gb_serving_state *s = run->state;
    gb_batch_sizes z = s->model.sizes;
    z.batch = SERVING_ITEMS;
    gb_code code = gb_batch_reference_make(&z, run->seed, &s->expected, err);
    float *to = s->inputs.host;
    for (size_t i = 0; code == GB_OK && i < s->expected.n; i++)
        for (size_t k = 0; k < z.width; k++)
            *to++ = gb_batch_value(run->seed, BATCH_INPUT, s->expected.rows[i] * z.width + k);
    return code;
}

/* Neighbours begin with different items, and no stretch of requests comes again after some batches:
 * an answer to another request, or to another batch, is a wrong one. */
static void choose_items(gb_serving_state *s, uint64_t seed)
{
    const uint32_t n = (uint32_t)s->expected.n; /* 4 at least */
    for (uint32_t i = 0, item = 0; i < s->window; i++) {
        item = (item + 1 + gb_word32(seed, i) % (n - 1)) % n;
        s->first_items[i] = item;
    }
}

static gb_code prepare(gb_run *run, gb_error *err)
{
    const gb_value *args = run->args;
    gb_serving_state *s = gb_state_new(run, sizeof *s, "serving", err);
    if (s == NULL)
        return GB_NO_MEMORY;
    s->model.sizes = sizes_of(args);
    s->model.vendor = is_word(args, SERVING_MATH, "vendor");
    s->model.host_kind = GB_MEM_PINNED;
    s->policy = (gb_queue_policy){.most_items = (uint32_t)args[SERVING_BATCH].number,
                                  .wait = 1e3 * (double)args[SERVING_WAIT].number};
    s->shape = (gb_queue_shape)gb_word_index(shape_words, args[SERVING_SHAPE]);
    s->mixed = is_word(args, SERVING_SIZES, "mixed");
    s->in_virtual_time = is_word(args, SERVING_CLOCK, "virtual");
    s->rate = (double)args[SERVING_RATE].number;
    s->window = (size_t)args[SERVING_WINDOW].number;
    s->answer_rows = answer_rows(args);
    gb_code code = gb_batch_open(run, err);
    if (code == GB_OK)
        code = allocate(run, err);
    if (code == GB_OK)
        code = make_items(run, err);
    if (code == GB_OK)
        choose_items(s, run->seed);
    return code;
}

/* The inputs of a whole batch are those of batch again: requests have overwritten them. */
static gb_code reset(gb_run *run, gb_error *err)
{
    gb_code code = gb_batch_refill(run, err);
    return code == GB_OK ? gb_batch_reset(run, err) : code;
}

static void release(gb_run *run)
{
    gb_serving_state *s = run->state;
    if (s == NULL)
        return;
    gb_batch_close(run);
    gb_batch_reference_free(&s->expected);
    free(s->requests);
    free(s->on_device);
    free(s->measured);
    free(s->first_items);
    gb_state_free(run, (gb_memory *[]){&s->inputs, &s->answers, NULL});
}

const gb_kernel gb_kernel_serving = {
    .spec =
        {
            .name = "serving",
            .source = "kernels/batch.cu",
            .version = 1,
            .summary = "a two-layer perceptron behind a queue: requests arrive by themselves, a "
                       "micro-batcher forms batches",
            .lesson =
                "Requests arrive when they want to, not when the server is ready. Whoever comes "
                "while it is busy waits, and the closer the rate is to what the server can do, "
                "the longer: at 80 % of it a request of constant work already waits twice its "
                "own service time on average. A batch pays launches and the reading of the "
                "weights once for several requests, so that the same server carries a higher "
                "rate. Letting a request wait for others makes batches larger where few are "
                "about, and everybody slower; once there is a queue, batches form without "
                "waiting. Padding to fixed shapes spends a part of this again.",
            .picture =
                "The 95th percentile over the rate is flat, bends, and stands up like a wall at "
                "the rate that the server carries. With batches the wall stands further right. "
                "With a waiting time the flat part lies higher by up to that time. Beyond the "
                "wall the queue grows for as long as the window lasts, so that heights there say "
                "only that it is beyond.",
            GB_TABLES(params, metrics, check, work),
            .least_ns = least_ns,
            .parts = parts,
            GB_TIMED_BY_HOST,
        },
    GB_LIFE(prepare, gb_serving_enqueue, reset, gb_batch_verify, release),
    .sample = gb_serving_sample,
};
