/* crossover: the same job on a processor and on a GPU, each in the way that is good there. See
 * crossover_code.h for the code and crossover_job.h for the jobs; here are the parameters, the
 * counted work and the life of a case. */
#include <stdlib.h>
#include <string.h>

#include "kernels/crossover_job.h"

enum { JOB, N, SCOPE, MEMORY, CODE };
enum { END_TO_END, COMPUTE };
enum { OWN, GPU };
static const char *const job_words[] = {"matmul", "add",    "reduce", "blur", "resize",
                                        "filter", "lookup", "sort",   NULL};
static const crossover_job *const jobs[] = {
    &crossover_matmul, &crossover_add,    &crossover_reduce, &crossover_blur,
    &crossover_resize, &crossover_filter, &crossover_lookup, &crossover_sort,
};
static const char *const scope_words[] = {"end-to-end", "compute", NULL};
static const char *const memory_words[] = {"pageable", "pinned", NULL};
static const gb_memory_kind memory_kinds[] = {GB_MEM_PAGEABLE, GB_MEM_PINNED};
static const char *const code_words[] = {"own", "gpu", NULL};

static const gb_param params[] = {
    [JOB] = GB_WORD_PARAM(
        "job", job_words, "matmul",
        "what is done. matmul: product of two n x n matrices, fp32, by the vendor's library; add: "
        "sum of two arrays of n fp32; reduce: sum of n fp32; blur: 5 x 5 filter of an image of n x "
        "n RGBA pixels; resize: such an image to 5/8, bilinear; filter: the numbers of the rows, "
        "of n of 16 bytes, that pass a branchy query; lookup: n ids in a hash table of a million; "
        "sort: n whole numbers of 32 bits"),
    [N] = GB_COUNT_PARAM("n", NULL, 1, UINT64_C(1) << 34, 1024,
                         "size of the job: rows of a matrix, pixels of an image's side, elements, "
                         "rows of a table, ids, keys"),
    [SCOPE] = GB_WORD_PARAM("scope", scope_words, "end-to-end",
                            "end-to-end: from arrays of the program to a result in an array of the "
                            "program, copies included; compute: data and result stay on the "
                            "device. On a processor both are the same"),
    [MEMORY] = GB_WORD_PARAM("memory", memory_words, "pinned", "kind of the program's arrays"),
    [CODE] = GB_WORD_PARAM("code", code_words, "own",
                           "own: the device's own; gpu: on a processor the GPU's code and copies, "
                           "to test it: its times mean nothing there"),
};

static const gb_metric_spec metrics[] = {
    GB_BANDWIDTH("bytes of the inputs and of the result, each once, over time"),
    GB_FLOP_RATE("operations of matmul, add and reduce over time"),
    GB_ITEM_RATE("rate", GB_WHOLE,
                 "elements of the result (matmul, blur, resize), or of the input, over time"),
};

static const crossover_job *job_of(const gb_value args[])
{
    return jobs[gb_word_index(job_words, args[JOB])];
}

static bool runs_gpu_code(const gb_value args[], gb_device_kind kind)
{
    return kind != GB_CPU || gb_word_index(code_words, args[CODE]) == GPU;
}

static bool copies_each_time(const gb_value args[], gb_device_kind kind)
{
    return runs_gpu_code(args, kind) && gb_word_index(scope_words, args[SCOPE]) == END_TO_END;
}

static uint64_t bytes_of(const crossover_array *array)
{
    return array->size * array->count;
}

static uint64_t data_bytes(const crossover_shape *shape)
{
    return bytes_of(&shape->in[0]) + bytes_of(&shape->in[1]) + bytes_of(&shape->out);
}

static gb_code check(const gb_value args[], gb_device_kind kind, gb_need *need, gb_error *err)
{
    const crossover_job *job = job_of(args);
    const bool gpu = runs_gpu_code(args, kind);
    crossover_shape shape;
    *need = (gb_need){0};
    if (args[N].number > job->max_n)
        return gb_fail(err, GB_INVALID, "n is at most %llu for job %s, not %llu",
                       (unsigned long long)job->max_n, job->word,
                       (unsigned long long)args[N].number);
    if (kind == GB_CPU && gpu && job == &crossover_sort)
        return gb_fail(err, GB_UNAVAILABLE,
                       "the GPU's code of job sort is a library that runs on cuda alone");
    job->shape(args[N].number, &shape);
    const uint64_t data = data_bytes(&shape);
    need->device_bytes = bytes_of(&shape.table);
    if (gpu)
        need->device_bytes += data + bytes_of(&shape.scratch);
    if (gpu && !copies_each_time(args, kind))
        return GB_OK;
    if (memory_kinds[gb_word_index(memory_words, args[MEMORY])] == GB_MEM_PINNED)
        need->pinned_bytes = data;
    else
        need->host_bytes = data;
    return GB_OK;
}

/* End to end the link or the memory may be the limit: no ceiling is known then. */
static void work(const gb_value args[], gb_device_kind kind, gb_work *out)
{
    crossover_shape shape;
    job_of(args)->shape(args[N].number, &shape);
    const uint64_t written = bytes_of(&shape.out);
    *out = (gb_work){
        .bytes_read = shape.bytes > written ? shape.bytes - written : shape.bytes,
        .bytes_written = shape.bytes > written ? written : 0,
        .bytes_moved = shape.bytes,
        .flops = shape.flops,
        .items = shape.items,
        .working_set = data_bytes(&shape) + bytes_of(&shape.table),
        .ceiling = copies_each_time(args, kind) ? GB_CEILING_NONE : GB_CEILING_MEMORY,
        .compute = shape.compute,
    };
}

/* --- what the jobs share ---------------------------------------------------------------------- */

uint32_t crossover_parts(const crossover_state *s, uint64_t n, uint64_t least)
{
    const uint64_t parts = n / least;
    if (parts < 2)
        return 1;
    return parts < s->workers ? (uint32_t)parts : s->workers;
}

gb_code crossover_on_cpu(gb_run *run, const gb_fn *fn, uint32_t parts, void *args[], gb_error *err)
{
    const gb_launch launch = gb_launch_shape(run->dev, parts, 1);
    gb_code code = run->dev->ops->launch(run->dev, run->stream, fn, &launch, args, err);
    return code == GB_OK ? run->dev->ops->stream_sync(run->dev, run->stream, err) : code;
}

gb_code crossover_on_gpu(gb_run *run, const gb_fn *fn, uint64_t blocks, uint32_t x, uint32_t y,
                         void *args[], gb_error *err)
{
    gb_launch launch = gb_launch_shape(run->dev, blocks, 1);
    launch.block[0] = x;
    launch.block[1] = y;
    return run->dev->ops->launch(run->dev, run->stream, fn, &launch, args, err);
}

/* --- the life of a case ----------------------------------------------------------------------- */

static gb_code allocate(gb_run *run, gb_memory_kind kind, const crossover_array *array,
                        gb_memory *out, gb_error *err)
{
    if (array->count == 0)
        return GB_OK;
    return run->dev->ops->alloc(run->dev, kind, (size_t)bytes_of(array), out, err);
}

/* The program's arrays and the device's; `at` is what an iteration works on. */
static gb_code allocate_all(gb_run *run, crossover_state *s, gb_error *err)
{
    const gb_memory_kind kind = memory_kinds[gb_word_index(memory_words, run->args[MEMORY])];
    const crossover_shape *shape = &s->shape;
    const bool host = !s->gpu || s->copies;
    gb_code code = allocate(run, GB_MEM_DEVICE, &shape->table, &s->table, err);
    for (size_t i = 0; i < 2 && code == GB_OK; i++) {
        if (host)
            code = allocate(run, kind, &shape->in[i], &s->host_in[i], err);
        if (code == GB_OK && s->gpu)
            code = allocate(run, GB_MEM_DEVICE, &shape->in[i], &s->in[i], err);
        s->at.in[i] = s->gpu ? s->in[i].device : s->host_in[i].host;
    }
    if (code == GB_OK && host)
        code = allocate(run, kind, &shape->out, &s->host_out, err);
    if (code == GB_OK && s->gpu)
        code = allocate(run, GB_MEM_DEVICE, &shape->out, &s->out, err);
    if (code == GB_OK && s->gpu)
        code = allocate(run, GB_MEM_DEVICE, &shape->scratch, &s->scratch, err);
    s->at.out = s->gpu ? s->out.device : s->host_out.host;
    return code;
}

static gb_code fill_all(gb_run *run, crossover_state *s, gb_error *err)
{
    const gb_memory *to = !s->gpu || s->copies ? s->host_in : s->in;
    const crossover_shape *shape = &s->shape;
    if (s->job->fill != NULL)
        return s->job->fill(run, s, &to[0], &to[1], err);
    gb_code code = GB_OK;
    for (size_t i = 0; i < 2 && code == GB_OK; i++)
        if (shape->in[i].count > 0)
            code = gb_memory_write(run, &to[i], shape->in[i].size, shape->in[i].count,
                                   s->job->make_in[i], s, err);
    if (code == GB_OK && shape->table.count > 0)
        code = gb_memory_write(run, &s->table, shape->table.size, shape->table.count,
                               s->job->make_table, s, err);
    return code;
}

/* A page is touched before an iteration needs it. */
static gb_code take_plain(crossover_state *s, gb_error *err)
{
    if (s->gpu || s->job->plain_bytes == NULL)
        return GB_OK;
    const size_t bytes = (s->job->plain_bytes(s) + 63) / 64 * 64;
    s->plain = aligned_alloc(64, bytes);
    if (s->plain == NULL)
        return gb_fail(err, GB_NO_MEMORY, "no memory for the %zu bytes that job %s needs", bytes,
                       s->job->word);
    memset(s->plain, 0xFF, bytes);
    return GB_OK;
}

static gb_code prepare(gb_run *run, gb_error *err)
{
    crossover_state *s = gb_state_new(run, sizeof *s, "crossover", err);
    if (s == NULL)
        return GB_NO_MEMORY;
    const gb_device_info *info = &run->dev->info;
    s->job = job_of(run->args);
    s->n = run->args[N].number;
    s->seed = gb_rng_derive(run->seed, 0);
    s->gpu = runs_gpu_code(run->args, info->kind);
    s->copies = copies_each_time(run->args, info->kind);
    s->workers = info->units > 0 ? info->units : 1;
    s->job->shape(s->n, &s->shape);
    gb_code code = s->job->begin != NULL ? s->job->begin(run, s, err) : GB_OK;
    if (code == GB_OK)
        code = take_plain(s, err);
    if (code == GB_OK)
        code = allocate_all(run, s, err);
    return code == GB_OK ? fill_all(run, s, err) : code;
}

static gb_code copy_in(gb_run *run, crossover_state *s, gb_error *err)
{
    gb_device *dev = run->dev;
    gb_code code = GB_OK;
    for (size_t i = 0; i < 2 && code == GB_OK; i++)
        if (s->in[i].bytes > 0)
            code = dev->ops->copy(dev, run->stream, s->in[i].device, s->host_in[i].host,
                                  s->in[i].bytes, GB_COPY_H2D, err);
    return code;
}

static gb_code copy_out(gb_run *run, crossover_state *s, gb_error *err)
{
    if (s->job->fetch != NULL)
        return s->job->fetch(run, s, err);
    return run->dev->ops->copy(run->dev, run->stream, s->host_out.host, s->out.device, s->out.bytes,
                               GB_COPY_D2H, err);
}

static gb_code enqueue(gb_run *run, gb_error *err)
{
    crossover_state *s = run->state;
    if (!s->gpu)
        return s->job->cpu(run, s, err);
    gb_code code = s->copies ? copy_in(run, s, err) : GB_OK;
    if (code == GB_OK)
        code = s->job->gpu(run, s, err);
    return code == GB_OK && s->copies ? copy_out(run, s, err) : code;
}

/* All that an iteration writes. */
static gb_code reset(gb_run *run, gb_error *err)
{
    crossover_state *s = run->state;
    const gb_memory *outputs[] = {&s->host_out, &s->out, &s->scratch, s->copies ? &s->in[0] : NULL,
                                  s->copies ? &s->in[1] : NULL};
    gb_code code = GB_OK;
    for (size_t i = 0; i < GB_COUNT(outputs) && code == GB_OK; i++)
        if (outputs[i] != NULL && outputs[i]->bytes > 0)
            code = gb_memory_poison(run, outputs[i], err);
    return code;
}

typedef struct arriving {
    const crossover_state *s;
    size_t which;
} arriving;

/* What came from the host is what it had. */
static void compare_arrived(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                            size_t count)
{
    const arriving *a = user;
    const size_t size = a->s->shape.in[a->which].size;
    const unsigned char *found = elements;
    const unsigned char *sent = (const unsigned char *)a->s->host_in[a->which].host + first * size;
    if (memcmp(found, sent, count * size) == 0)
        return;
    for (size_t i = 0; i < count; i++) {
        uint32_t x, y;
        memcpy(&x, sent + i * size, sizeof x);
        memcpy(&y, found + i * size, sizeof y);
        for (size_t word = 1; word < size / sizeof x && x == y; word++) { /* of a row */
            memcpy(&x, sent + i * size + word * sizeof x, sizeof x);
            memcpy(&y, found + i * size + word * sizeof x, sizeof y);
        }
        gb_compare_u64(bad, first + i, x, y, 8);
    }
}

static gb_code verify_array(gb_run *run, const gb_memory *memory, const crossover_array *array,
                            gb_compare_fn compare, void *user, const char *what, gb_error *err)
{
    const crossover_state *s = run->state;
    char name[64];
    if (memory->bytes == 0 || compare == NULL)
        return GB_OK;
    snprintf(name, sizeof name, "crossover: %s of job %s", what, s->job->word);
    return gb_memory_verify(run, memory, array->size, array->count, compare, user, name, err);
}

static gb_code verify_result(gb_run *run, crossover_state *s, const gb_memory *memory,
                             const char *what, gb_error *err)
{
    if (s->job->check != NULL)
        return memory->bytes > 0 ? s->job->check(run, s, memory, err) : GB_OK;
    return verify_array(run, memory, &s->shape.out, s->job->compare_out, s, what, err);
}

/* The result where the program has it, and all that passed by on the device. */
static gb_code verify(gb_run *run, gb_error *err)
{
    crossover_state *s = run->state;
    gb_code code = verify_result(run, s, &s->host_out, "the result", err);
    if (code == GB_OK)
        code = verify_result(run, s, &s->out, "the result on the device", err);
    if (code == GB_OK)
        code = verify_array(run, &s->scratch, &s->shape.scratch, s->job->compare_scratch, s,
                            "what lies between steps", err);
    for (size_t i = 0; i < 2 && code == GB_OK && s->copies; i++) {
        arriving a = {s, i};
        code = verify_array(run, &s->in[i], &s->shape.in[i], compare_arrived, &a,
                            "the input on the device", err);
    }
    return code;
}

static void release(gb_run *run)
{
    crossover_state *s = run->state;
    if (s == NULL)
        return;
    if (s->job == &crossover_matmul)
        matmul_reference_free(&s->product);
    free(s->plain);
    free(s->expected);
    free(s->slots);
    gb_state_free(run, (gb_memory *[]){&s->host_in[0], &s->host_in[1], &s->host_out, &s->in[0],
                                       &s->in[1], &s->out, &s->table, &s->scratch, NULL});
}

const gb_kernel gb_kernel_crossover = {
    .spec =
        {
            .name = "crossover",
            .source = "kernels/crossover_*.cu",
            .version = 1,
            .summary = "the same job on a processor and on a GPU, end to end and compute only",
            .lesson =
                "A GPU computes faster and starts later. Each job pays for launches and for the "
                "wait, some ten microseconds, and end to end for its data's way there and back; a "
                "processor begins at once, where the data is. So small jobs belong to the "
                "processor, and where the GPU starts to win depends on what a job does with each "
                "byte: n^3 operations on n^2 numbers outgrow their copies soon; one addition a "
                "number never does, however large n is, unless the data is there already. Both "
                "sides are taken seriously here: libraries where there are any, all threads and "
                "vector instructions on the processor, none of the emulated kernels.",
            .picture =
                "Time over n, both axes logarithmic: the processor's line begins far below and "
                "rises with the work; the GPU's are flat as long as they are all launches and "
                "waiting, then rise too, less steeply. Where they cross is the size from which the "
                "GPU wins: for `compute` earlier than for `end-to-end`. With little work a byte "
                "(add, reduce) the line of `end-to-end` runs above the processor's for good: both "
                "move the same bytes, and the link is slower than the memory.",
            GB_TABLES(params, metrics, check, work),
            GB_TIMED_BY_HOST,
        },
    GB_LIFE(prepare, enqueue, reset, verify, release),
};
