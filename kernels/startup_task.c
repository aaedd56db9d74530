/* startup, in its own process: from main to a right result, with the time at each step. */
#include "kernels/startup.h"

#include <stdlib.h>
#include <string.h>

#define SIDE STARTUP_SIDE
#define MATRIX_BYTES (sizeof(float) * SIDE * SIDE)

typedef struct task {
    gb_run run;
    startup_call call;
    uint64_t bytes, words;
    gb_memory a, b, out; /* `out`: marked, or the product */
    gb_memory host;      /* the whole result */
} task;

float gb_startup_value(uint64_t seed, int matrix, uint64_t i)
{
    return (float)(gb_word32(seed + (uint64_t)matrix, i) % 9) - 4;
}

float gb_startup_product(uint64_t seed, uint64_t row, uint64_t column)
{
    float sum = 0;
    for (uint64_t k = 0; k < SIDE; k++)
        sum += gb_startup_value(seed, 0, row * SIDE + k) *
               gb_startup_value(seed, 1, k * SIDE + column);
    return sum;
}

static gb_code sync(task *t, gb_code code, gb_error *err)
{
    return code != GB_OK ? code : t->run.dev->ops->stream_sync(t->run.dev, t->run.stream, err);
}

static gb_code upload(task *t, const gb_memory *to, int matrix, gb_error *err)
{
    float values[SIDE * SIDE];
    for (uint64_t i = 0; i < SIDE * SIDE; i++)
        values[i] = gb_startup_value(t->run.seed, matrix, i);
    gb_code code = t->run.dev->ops->copy(t->run.dev, t->run.stream, to->device, values,
                                         sizeof values, GB_COPY_H2D, err);
    return sync(t, code, err);
}

static gb_code make_memory(task *t, gb_error *err)
{
    gb_device *dev = t->run.dev;
    const bool blas = t->call == STARTUP_BLAS;
    t->bytes = blas ? MATRIX_BYTES : t->bytes;
    t->words = t->bytes / sizeof(uint32_t);
    gb_code code = dev->ops->alloc(dev, GB_MEM_DEVICE, (size_t)t->bytes, &t->out, err);
    if (code == GB_OK)
        code = dev->ops->alloc(dev, GB_MEM_PAGEABLE, (size_t)t->bytes, &t->host, err);
    if (code == GB_OK && blas)
        code = dev->ops->alloc(dev, GB_MEM_DEVICE, MATRIX_BYTES, &t->a, err);
    if (code == GB_OK && blas)
        code = dev->ops->alloc(dev, GB_MEM_DEVICE, MATRIX_BYTES, &t->b, err);
    if (code == GB_OK && blas)
        code = upload(t, &t->a, 0, err);
    if (code == GB_OK && blas)
        code = upload(t, &t->b, 1, err);
    if (code == GB_OK)
        code = dev->ops->fill(dev, t->run.stream, t->out.device, 0xff, (size_t)t->bytes, err);
    return sync(t, code, err);
}

/* The call itself, and waiting for it. */
static gb_code call(task *t, gb_error *err)
{
    gb_device *dev = t->run.dev;
    gb_code code =
        t->call == STARTUP_BLAS
            ? dev->ops->gemm(dev, t->run.stream, GB_GEMM_FP32, SIDE, SIDE, SIDE, t->a.device,
                             t->b.device, t->out.device, err)
            : gb_mark(&t->run, t->out.device, t->words, gb_mark_salt(t->run.seed, 0), err);
    return sync(t, code, err);
}

/* The whole result, at the host. */
static gb_code check(task *t, gb_error *err)
{
    gb_device *dev = t->run.dev;
    gb_mismatch bad = {0};
    const uint32_t salt = gb_mark_salt(t->run.seed, 0);
    gb_code code = dev->ops->copy(dev, t->run.stream, t->host.host, t->out.device, (size_t)t->bytes,
                                  GB_COPY_D2H, err);
    code = sync(t, code, err);
    if (code != GB_OK)
        return code;
    for (uint64_t i = 0; i < t->words; i++) {
        if (t->call == STARTUP_BLAS)
            gb_compare_f64(&bad, i, (double)gb_startup_product(t->run.seed, i / SIDE, i % SIDE),
                           (double)((const float *)t->host.host)[i], 0);
        else
            gb_compare_u64(&bad, i, gb_mark_word(salt, i), ((const uint32_t *)t->host.host)[i], 8);
    }
    return gb_mismatch_result(&bad, "startup: first result", t->words, sizeof(uint32_t), err);
}

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The second call, and the median of those that follow. */
static gb_code call_again(task *t, gb_child_answer *answer, gb_error *err)
{
    uint64_t took[STARTUP_STEADY];
    answer->at_ns[STARTUP_AT_AGAIN] = gb_now_ns();
    gb_code code = call(t, err);
    answer->at_ns[STARTUP_AT_SECOND] = gb_now_ns();
    for (size_t i = 0; i < STARTUP_STEADY && code == GB_OK; i++) {
        const uint64_t begin = gb_now_ns();
        code = call(t, err);
        took[i] = gb_now_ns() - begin;
    }
    if (code != GB_OK)
        return code;
    qsort(took, STARTUP_STEADY, sizeof took[0], ascending);
    answer->value = (double)took[STARTUP_STEADY / 2];
    return GB_OK;
}

static gb_code run_task(task *t, int argc, char *argv[], gb_child_answer *answer, gb_error *err)
{
    uint64_t *at = answer->at_ns;
    gb_code code = gb_child_open(argc, argv, &t->run, err);
    at[STARTUP_AT_OPEN] = gb_now_ns();
    t->run.seed = gb_child_number(argc, argv, STARTUP_GIVEN_SEED);
    if (code == GB_OK)
        code = make_memory(t, err);
    at[STARTUP_AT_MEMORY] = gb_now_ns();
    if (code == GB_OK)
        code = call(t, err);
    at[STARTUP_AT_FIRST] = gb_now_ns();
    if (code == GB_OK)
        code = check(t, err);
    at[STARTUP_AT_CHECKED] = gb_now_ns();
    if (code == GB_OK)
        code = call_again(t, answer, err);
    if (code == GB_OK) {
        const uint64_t kept = gb_mark_kept(t->words, STARTUP_KEPT);
        const uint32_t *result = t->host.host;
        memcpy(answer->words, result, (size_t)kept * sizeof *result);
        memcpy(answer->words + kept, result + t->words - kept, (size_t)kept * sizeof *result);
    }
    return code;
}

static int startup_main(int argc, char *argv[])
{
    static gb_child_answer answer;
    gb_error why = {0};
    answer.at_ns[STARTUP_AT_MAIN] = gb_now_ns();
    task t = {.call = (startup_call)gb_child_number(argc, argv, STARTUP_GIVEN_CALL),
              .bytes = gb_child_number(argc, argv, STARTUP_GIVEN_BYTES)};
    gb_code code = run_task(&t, argc, argv, &answer, &why);
    const int status = gb_child_answer_write(&answer, code, &why);
    gb_memory *const all[] = {&t.a, &t.b, &t.out, &t.host};
    for (size_t i = 0; t.run.dev != NULL && i < GB_COUNT(all); i++)
        t.run.dev->ops->free(t.run.dev, all[i]);
    gb_child_close(&t.run);
    return status;
}

const gb_task gb_startup_task = {"startup", startup_main};
