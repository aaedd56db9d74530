/* batch: the memory of the perceptron and of its requests. */
#include "kernels/batch.h"

#include <string.h>

/* The ranges of the parameters keep all products of sizes below 2^32. */
uint64_t gb_batch_model_values(const gb_batch_sizes *z)
{
    return 2 * z->width * z->hidden + z->hidden + z->width;
}

gb_need gb_batch_need(const gb_batch_sizes *z, gb_memory_kind host_kind)
{
    const uint64_t ends = 2 * z->batch * z->width;
    const uint64_t device = gb_batch_model_values(z) + ends + z->batch * z->hidden;
    gb_need need = {.device_bytes = device * sizeof(float)};
    if (host_kind == GB_MEM_PINNED)
        need.pinned_bytes = ends * sizeof(float);
    else
        need.host_bytes = ends * sizeof(float);
    return need;
}

typedef struct series {
    uint64_t seed;
    int which;
} series;

static void make(void *user, void *elements, uint64_t first, size_t count)
{
    const series *s = user;
    float *to = elements;
    for (size_t i = 0; i < count; i++)
        to[i] = gb_batch_value(s->seed, s->which, first + i);
}

typedef struct buffer {
    gb_memory *memory;
    gb_memory_kind kind;
    uint64_t count;
    int series; /* its contents; -1: an output */
} buffer;
enum { BUFFERS = 9 };

static void buffers_of(gb_batch_state *s, buffer out[BUFFERS])
{
    const gb_batch_sizes *z = &s->sizes;
    const uint64_t ends = z->batch * z->width, weights = z->width * z->hidden;
    const buffer all[BUFFERS] = {
        {&s->host_in, s->host_kind, ends, BATCH_INPUT},
        {&s->host_out, s->host_kind, ends, -1},
        {&s->in, GB_MEM_DEVICE, ends, -1},
        {&s->weights[0], GB_MEM_DEVICE, weights, BATCH_WEIGHTS_1},
        {&s->bias[0], GB_MEM_DEVICE, z->hidden, BATCH_BIAS_1},
        {&s->hidden, GB_MEM_DEVICE, z->batch * z->hidden, -1},
        {&s->weights[1], GB_MEM_DEVICE, weights, BATCH_WEIGHTS_2},
        {&s->bias[1], GB_MEM_DEVICE, z->width, BATCH_BIAS_2},
        {&s->out, GB_MEM_DEVICE, ends, -1},
    };
    memcpy(out, all, sizeof all);
}

static gb_code allocate(gb_run *run, gb_error *err)
{
    gb_batch_state *s = run->state;
    buffer buffers[BUFFERS];
    buffers_of(s, buffers);
    gb_code code = GB_OK;
    for (int i = 0; i < BUFFERS && code == GB_OK; i++) {
        const buffer *b = &buffers[i];
        series values = {run->seed, b->series};
        code = run->dev->ops->alloc(run->dev, b->kind, (size_t)b->count * sizeof(float), b->memory,
                                    err);
        if (code == GB_OK && b->series >= 0)
            code = gb_memory_write(run, b->memory, sizeof(float), b->count, make, &values, err);
    }
    return code;
}

gb_code gb_batch_open(gb_run *run, gb_error *err)
{
    gb_batch_state *s = run->state;
    s->rows = s->sizes.batch;
    gb_code code = allocate(run, err);
    for (int i = 0; i < BATCH_MARKS && code == GB_OK; i++)
        code = run->dev->ops->event_create(run->dev, &s->marks[i], err);
    return code;
}

gb_code gb_batch_refill(gb_run *run, gb_error *err)
{
    gb_batch_state *s = run->state;
    series inputs = {run->seed, BATCH_INPUT};
    return gb_memory_write(run, &s->host_in, sizeof(float), s->sizes.batch * s->sizes.width, make,
                           &inputs, err);
}

/* Everything that a request writes. */
gb_code gb_batch_reset(gb_run *run, gb_error *err)
{
    gb_batch_state *s = run->state;
    gb_memory *const written[] = {&s->in, &s->hidden, &s->out, &s->host_out};
    gb_code code = GB_OK;
    for (size_t i = 0; i < GB_COUNT(written) && code == GB_OK; i++)
        code = gb_memory_poison(run, written[i], err);
    return code;
}

void gb_batch_close(gb_run *run)
{
    gb_batch_state *s = run->state;
    const gb_device_ops *ops = run->dev->ops;
    buffer buffers[BUFFERS];
    ops->graph_destroy(run->dev, s->graph);
    for (int i = 0; i < BATCH_MARKS; i++)
        if (s->marks[i] != NULL)
            ops->event_destroy(run->dev, s->marks[i]);
    buffers_of(s, buffers);
    for (int i = 0; i < BUFFERS; i++)
        ops->free(run->dev, buffers[i].memory);
    gb_batch_reference_free(&s->reference);
}
