/* batch: a two-layer perceptron that answers one request after the other. batch_run.c has the
 * requests, batch_check.c the reference. */
#include "kernels/batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const math_words[] = {"vendor", "own", NULL};
static const char *const submit_words[] = {"eager", "graph", NULL};
static const char *const memory_words[] = {"pinned", "pageable", NULL};
static const char *const events_words[] = {"steps", "none", NULL};

static const gb_param params[] = {
    [BATCH_BATCH] = GB_COUNT_PARAM("batch", "items", 1, 512, 32, "items in a request"),
    [BATCH_WIDTH] = GB_COUNT_PARAM("width", "values", 1, 4096, 256,
                                   "inputs of the first layer and outputs of the second"),
    [BATCH_HIDDEN] = GB_COUNT_PARAM("hidden", "values", 1, 4096, 512,
                                    "outputs of the first layer and inputs of the second"),
    [BATCH_MATH] = GB_WORD_PARAM("math", math_words, "own",
                                 "the layers' products by the vendor's BLAS (FP32) or by an own "
                                 "tiled kernel"),
    [BATCH_SUBMIT] = GB_WORD_PARAM("submit", submit_words, "eager",
                                   "a request's copies and kernels one by one, or as one graph"),
    [BATCH_MEMORY] = GB_WORD_PARAM("memory", memory_words, "pinned", "kind of the host's memory"),
    [BATCH_EVENTS] = GB_WORD_PARAM("events", events_words, "steps",
                                   "events between the steps of a request, which give its parts "
                                   "(graph: around it), or none, for the bare request"),
};

static const char *const parts[] = {
    [BATCH_PART_COPY_IN] = "copy_in",     [BATCH_PART_LAUNCH] = "launch",
    [BATCH_PART_COMPUTE] = "compute",     [BATCH_PART_COPY_OUT] = "copy_out",
    [BATCH_PART_ON_DEVICE] = "on_device", [BATCH_PARTS] = NULL};

static const gb_metric_spec metrics[] = {
    GB_ITEM_RATE(
        "throughput", GB_WHOLE,
        "closed loop: items over the time of a request, the next of which is sent when the "
        "last one was answered"),
    GB_FLOP_RATE("operations of both layers over the whole request"),
    GB_BANDWIDTH("weights, inputs, hidden values and outputs, each moved once, over the whole "
                 "request"),
};

static bool is_word(const gb_value args[], int param, const char *word)
{
    return strcmp(args[param].word, word) == 0;
}

static gb_batch_sizes sizes_of(const gb_value args[])
{
    return (gb_batch_sizes){.batch = args[BATCH_BATCH].number,
                            .width = args[BATCH_WIDTH].number,
                            .hidden = args[BATCH_HIDDEN].number};
}

/* As gb_batch_sample fills them: the rest are times between events, of which a graph has two. */
static bool has_part(const gb_value args[], gb_timer timer, int part)
{
    (void)timer;
    if (part == BATCH_PART_LAUNCH)
        return true;
    return !is_word(args, BATCH_EVENTS, "none") &&
           (!is_word(args, BATCH_SUBMIT, "graph") || part == BATCH_PART_ON_DEVICE);
}

static gb_memory_kind host_kind_of(const gb_value args[])
{
    return is_word(args, BATCH_MEMORY, "pinned") ? GB_MEM_PINNED : GB_MEM_PAGEABLE;
}

static gb_code check(const gb_value args[], gb_device_kind kind, gb_need *need, gb_error *err)
{
    (void)kind;
    (void)err;
    const gb_batch_sizes z = sizes_of(args);
    *need = gb_batch_need(&z, host_kind_of(args));
    return GB_OK;
}

/* On the device: the model, the inputs and the hidden values are read, the hidden values and the
 * outputs written. A bias is one addition for each output of its layer. */
static void work(const gb_value args[], gb_device_kind kind, gb_work *out)
{
    (void)kind;
    const gb_batch_sizes z = sizes_of(args);
    const uint64_t ends = z.batch * z.width, hidden = z.batch * z.hidden;
    *out = (gb_work){
        .bytes_read = (gb_batch_model_values(&z) + ends + hidden) * sizeof(float),
        .bytes_written = (hidden + ends) * sizeof(float),
        .bytes_moved = (gb_batch_model_values(&z) + 2 * (ends + hidden)) * sizeof(float),
        .flops = 4 * z.batch * z.width * z.hidden + hidden + ends,
        .items = z.batch,
        .working_set = (gb_batch_model_values(&z) + 2 * ends + hidden) * sizeof(float),
        .ceiling = GB_CEILING_MEMORY,
        .compute = GB_COMPUTE_FP32,
    };
}

/* --- the life of a case ----------------------------------------------------------------------- */

static gb_code prepare(gb_run *run, gb_error *err)
{
    gb_batch_state *s = gb_state_new(run, sizeof *s, "batch", err);
    if (s == NULL)
        return GB_NO_MEMORY;
    s->sizes = sizes_of(run->args);
    s->vendor = is_word(run->args, BATCH_MATH, "vendor");
    s->events = is_word(run->args, BATCH_EVENTS, "steps");
    s->host_kind = host_kind_of(run->args);
    gb_code code = gb_batch_open(run, err);
    if (code == GB_OK && is_word(run->args, BATCH_SUBMIT, "graph"))
        code = gb_batch_capture(run, err);
    return code;
}

static void release(gb_run *run)
{
    if (run->state == NULL)
        return;
    gb_batch_close(run);
    gb_state_free(run, (gb_memory *[]){NULL});
}

/* --- verification ----------------------------------------------------------------------------- */

typedef struct checking {
    const float *host; /* what each element should be, or is; NULL: see the reference */
    const gb_batch_reference *reference;
    const float *rows; /* the reference's rows, `columns` elements each */
    uint64_t columns;
} checking;

/* Where the reference has a row, or NULL. */
static const float *find_row(const checking *c, uint64_t row)
{
    for (size_t i = 0; i < c->reference->n; i++)
        if (c->reference->rows[i] == row)
            return c->rows + i * c->columns;
    return NULL;
}

/* An element of a row that the reference lacks: the poison must be gone. */
static void compare_finite(gb_mismatch *bad, uint64_t index, double found)
{
    if (isfinite(found))
        return;
    gb_mismatch_f64(bad, index, 0, found);
    if (bad->count == 1)
        snprintf(bad->expected, sizeof bad->expected, "a finite number");
}

static void compare_layer(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                          size_t count)
{
    const checking *c = user;
    const float *found = elements, *row = NULL;
    for (size_t i = 0; i < count; i++) {
        const uint64_t at = first + i, column = at % c->columns;
        if (i == 0 || column == 0)
            row = find_row(c, at / c->columns);
        if (row != NULL)
            gb_compare_f64(bad, at, (double)row[column], (double)found[i], 0);
        else
            compare_finite(bad, at, (double)found[i]);
    }
}

/* What was copied in: the host's values on the device. */
static void compare_copied_in(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                              size_t count)
{
    const checking *c = user;
    const float *found = elements;
    for (size_t i = 0; i < count; i++)
        gb_compare_f64(bad, first + i, (double)c->host[first + i], (double)found[i], 0);
}

/* What was copied out: the device's values on the host. */
static void compare_copied_out(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                               size_t count)
{
    const checking *c = user;
    const float *expected = elements;
    for (size_t i = 0; i < count; i++)
        gb_compare_f64(bad, first + i, (double)expected[i], (double)c->host[first + i], 0);
}

static gb_code check_memory(gb_run *run, const char *what, const gb_memory *memory,
                            gb_compare_fn compare, checking *c, gb_error *err)
{
    const uint64_t count = memory->bytes / sizeof(float);
    return gb_memory_verify(run, memory, sizeof(float), count, compare, c, what, err);
}

/* The inputs have arrived, both layers are right, and the host has the outputs. */
gb_code gb_batch_verify(gb_run *run, gb_error *err)
{
    gb_batch_state *s = run->state;
    const gb_batch_sizes *z = &s->sizes;
    gb_batch_reference *r = &s->reference;
    gb_code code = GB_OK;
    if (r->n == 0)
        code = gb_batch_reference_make(z, run->seed, r, err);
    if (code != GB_OK)
        return code;
    struct {
        const char *what;
        const gb_memory *memory;
        gb_compare_fn compare;
        checking checking;
    } checks[] = {
        {"batch: inputs on the device", &s->in, compare_copied_in, {.host = s->host_in.host}},
        {"batch: first layer",
         &s->hidden,
         compare_layer,
         {.reference = r, .rows = r->hidden, .columns = z->hidden}},
        {"batch: second layer",
         &s->out,
         compare_layer,
         {.reference = r, .rows = r->output, .columns = z->width}},
        {"batch: outputs on the host", &s->out, compare_copied_out, {.host = s->host_out.host}},
    };
    for (size_t i = 0; i < GB_COUNT(checks) && code == GB_OK; i++)
        code = check_memory(run, checks[i].what, checks[i].memory, checks[i].compare,
                            &checks[i].checking, err);
    return code;
}

const gb_kernel gb_kernel_batch = {
    .spec =
        {
            .name = "batch",
            .source = "kernels/batch.cu",
            .version = 1,
            .summary = "a two-layer perceptron served request by request: throughput against "
                       "latency over the batch",
            .lesson =
                "A request costs copies, launches and arithmetic. The launches and the reading of "
                "the weights are paid once a request, however many items it carries, so that a "
                "larger batch answers more items in a second. From some batch on the arithmetic "
                "is the longest part: each further item then takes as long as the one before, "
                "throughput stands still, and all that grows is the time that everybody waits. "
                "That point is the knee. The loop is closed: the next request is sent when the "
                "last one has been answered, so nobody stands in a queue. In a service where "
                "requests arrive by themselves the same batch has longer latencies.",
            .picture =
                "Throughput over batch rises almost in proportion at first, bends at the knee, and "
                "ends in a plateau; the time of a request is flat up to the knee and then grows "
                "with the batch. The knee lies further right the more expensive a launch is "
                "against an item's arithmetic, on a GPU at tens or hundreds of items. A graph "
                "takes away launches and therefore helps small batches. On the cpu device a copy "
                "is a memcpy and a launch is cheap: what a batch gains there is that each weight "
                "is fetched once for several items.",
            GB_TABLES(params, metrics, check, work),
            .parts = parts,
            .has_part = has_part,
            GB_TIMED_BY_HOST,
        },
    GB_LIFE(prepare, gb_batch_enqueue, gb_batch_reset, gb_batch_verify, release),
    .sample = gb_batch_sample,
};
