/* The life of a case on the cpu device: right answers are accepted; skipped work and a single wrong
 * element are noticed. The memory that a kernel allocates is seen through a wrapped alloc
 * operation. */
#ifndef GB_TESTS_KERNELS_CPU_FIXTURE_H
#define GB_TESTS_KERNELS_CPU_FIXTURE_H

#include "unit/kernel_fixture.h"

#define MAX_BLOCKS 48 /* a kernel may have some of its own, besides what it needs */

/* What the kernel under test has allocated, and copies of it. */
static struct spied {
    gb_memory memory;
    unsigned char *before, *after;
} blocks[MAX_BLOCKS];
static size_t n_blocks;

static inline gb_code spy_alloc(gb_device *device, gb_memory_kind kind, size_t bytes,
                                gb_memory *out, gb_error *err)
{
    gb_code code = real->alloc(device, kind, bytes, out, err);
    if (code == GB_OK) {
        ck_assert_uint_lt(n_blocks, MAX_BLOCKS);
        blocks[n_blocks++].memory = *out;
    }
    return code;
}

static inline void forget(size_t at)
{
    free(blocks[at].before);
    free(blocks[at].after);
    blocks[at] = blocks[--n_blocks];
    blocks[n_blocks] = (struct spied){0};
}

/* Memory that comes and goes within an iteration is none of its outputs. */
static inline void spy_free(gb_device *device, gb_memory *memory)
{
    for (size_t i = 0; i < n_blocks; i++) {
        const gb_memory *m = &blocks[i].memory;
        if (memory->bytes > 0 && m->host == memory->host && m->device == memory->device) {
            forget(i);
            break;
        }
    }
    real->free(device, memory);
}

static inline void open_device(void)
{
    open_kernel_device();
    ops.alloc = spy_alloc;
    ops.free = spy_free;
    n_blocks = 0;
}

static inline void close_device(void)
{
    for (size_t i = 0; i < MAX_BLOCKS; i++) {
        free(blocks[i].before);
        free(blocks[i].after);
        blocks[i].before = blocks[i].after = NULL;
    }
    close_kernel_device();
}

static inline void must(gb_code code, const gb_error *err, const char *what, const char *text)
{
    ck_assert_msg(code == GB_OK, "%s of %s: %s", what, text, err->message);
}

/* Copies a block's bytes out of the device, or one byte back into it. */
static inline void snapshot(gb_run *run, const gb_memory *memory, unsigned char *to)
{
    gb_error err = {0};
    if (memory->host != NULL) {
        memcpy(to, memory->host, memory->bytes);
        return;
    }
    must(real->copy(dev, run->stream, to, memory->device, memory->bytes, GB_COPY_D2H, &err), &err,
         "copy", "snapshot");
    must(real->stream_sync(dev, run->stream, &err), &err, "sync", "snapshot");
}

static inline void poke(gb_run *run, const gb_memory *memory, size_t at, unsigned char byte)
{
    gb_error err = {0};
    if (memory->host != NULL) {
        ((unsigned char *)memory->host)[at] = byte;
        return;
    }
    must(real->copy(dev, run->stream, (char *)memory->device + at, &byte, 1, GB_COPY_H2D, &err),
         &err, "copy", "poke");
    must(real->stream_sync(dev, run->stream, &err), &err, "sync", "poke");
}

/* Flips a high bit of one byte of the result: verify must fail, with the place and both values in
 * its message; and pass again once the byte is back. */
static inline void corrupt(const gb_kernel *k, gb_run *run, const struct spied *block, size_t at,
                           const char *text)
{
    gb_error err = {0};
    const unsigned char good = block->after[at];
    poke(run, &block->memory, at, good ^ 0x40);
    ck_assert_msg(k->verify(run, &err) == GB_WRONG_RESULT, "%s %s: wrong byte %zu not noticed",
                  k->spec.name, text, at);
    ck_assert_msg(strstr(err.message, "1 of ") && strstr(err.message, "byte offset") &&
                      strstr(err.message, "expected") && strstr(err.message, "found"),
                  "%s", err.message);
    poke(run, &block->memory, at, good);
    must(k->verify(run, &err), &err, "verify after repair", text);
}

/* Mutates the first, a middle and the last byte that the iteration has changed, in every block. The
 * top byte of a group of eight, as low bits of a sum may be within its tolerance. */
static inline void mutate(const gb_kernel *k, gb_run *run, const char *text)
{
    size_t outputs = 0;
    for (size_t b = 0; b < n_blocks; b++) {
        const struct spied *block = &blocks[b];
        size_t lo = block->memory.bytes, hi = 0;
        for (size_t i = 0; i < block->memory.bytes; i++) {
            if (block->before[i] == block->after[i])
                continue;
            lo = lo < i ? lo : i;
            hi = i;
        }
        if (lo == block->memory.bytes)
            continue;
        outputs++;
        const size_t places[] = {lo | 7, (lo + (hi - lo) / 2) | 7, hi};
        for (size_t i = 0; i < 3; i++)
            corrupt(k, run, block, places[i] < hi ? places[i] : hi, text);
    }
    gb_work work;
    k->spec.work(run->args, GB_CPU, &work);
    if (work.bytes_moved > 0)
        ck_assert_msg(outputs > 0, "%s %s changed no memory", k->spec.name, text);
}

static inline void take_snapshots(gb_run *run, bool after)
{
    for (size_t b = 0; b < n_blocks; b++) {
        unsigned char **to = after ? &blocks[b].after : &blocks[b].before;
        free(*to);
        *to = malloc(blocks[b].memory.bytes);
        ck_assert_ptr_nonnull(*to);
        snapshot(run, &blocks[b].memory, *to);
    }
}

/* reset, sync, and nothing else: verify must fail. */
static inline void skip(const gb_kernel *k, gb_run *run, const char *text)
{
    gb_error err = {0};
    must(k->reset(run, &err), &err, "reset", text);
    must(dev->ops->sync(dev, &err), &err, "sync", text);
    ck_assert_msg(k->verify(run, &err) == GB_WRONG_RESULT, "%s %s: skipped work was not noticed",
                  k->spec.name, text);
}

static inline void iterate(const gb_kernel *k, gb_run *run, const char *text)
{
    gb_error err = {0};
    must(k->enqueue(run, &err), &err, "enqueue", text);
    must(dev->ops->stream_sync(dev, run->stream, &err), &err, "sync", text);
}

/* Own samples: times that make sense, parts no longer than the whole, and right answers after. */
static inline void own_sample(const gb_kernel *k, gb_run *run, const char *text)
{
    gb_error err = {0};
    gb_sample sample;
    if (k->sample == NULL ||
        (k->samples_itself != NULL && !k->samples_itself(run->args, run->timer)))
        return;
    must(k->sample(run, 3, &sample, &err), &err, "sample", text);
    ck_assert_msg(sample.ns >= 0 && isfinite(sample.ns), "%s %s", k->spec.name, text);
    ck_assert(!sample.gate_expired);
    size_t n_parts = 0;
    for (; k->spec.parts && k->spec.parts[n_parts]; n_parts++)
        if (!isnan(sample.parts[n_parts]))
            ck_assert_msg(sample.parts[n_parts] >= 0 && sample.parts[n_parts] <= sample.ns * 1.001,
                          "%s %s: part %zu", k->spec.name, text, n_parts);
    for (; n_parts < GB_MAX_PARTS; n_parts++)
        ck_assert(isnan(sample.parts[n_parts]));
}

/* The life of a case as the measuring loop leads it, with mutations. Returns false for a skip. */
static inline bool live_args(const gb_kernel *k, const gb_value args[], const char *text,
                             bool with_mutations)
{
    const char *kernel = k->spec.name;
    gb_error err = {0};
    gb_need need;
    must(k->spec.check(args, GB_CPU, &need, &err), &err, "check", text);
    gb_run run = {.dev = dev, .args = args, .seed = 7};
    run.timer = gb_spec_timer(&k->spec, args, k->spec.default_timer);
    n_blocks = 0;
    must(dev->ops->stream_create(dev, &run.stream, &err), &err, "stream", text);
    gb_code code = k->prepare(&run, &err);
    const bool ran = code == GB_OK;
    if (ran) {
        uint64_t allocated = 0;
        for (size_t b = 0; b < n_blocks; b++)
            allocated += blocks[b].memory.bytes;
        ck_assert_msg(
            allocated == need.device_bytes + need.host_bytes + need.pinned_bytes,
            "%s %s allocates %llu bytes and says it needs %llu", kernel, text,
            (unsigned long long)allocated,
            (unsigned long long)(need.device_bytes + need.host_bytes + need.pinned_bytes));
        skip(k, &run, text);
        must(k->reset(&run, &err), &err, "reset", text);
        must(dev->ops->sync(dev, &err), &err, "sync", text);
        take_snapshots(&run, false);
        iterate(k, &run, text);
        must(k->verify(&run, &err), &err, "verify", text);
        if (with_mutations) {
            take_snapshots(&run, true);
            mutate(k, &run, text);
        }
        for (int i = 0; i < 3; i++)
            iterate(k, &run, text);
        own_sample(k, &run, text);
        must(k->reset(&run, &err), &err, "second reset", text);
        iterate(k, &run, text);
        must(k->verify(&run, &err), &err, "second verify", text);
    } else { /* only page-locked memory may be refused, a neighbour (test_neighbour.c has one), and
              * files that are not there */
        ck_assert_msg(
            (code == GB_NO_MEMORY || code == GB_UNAVAILABLE) &&
                (need.pinned_bytes > 0 || need.beside_bytes > 0 || strcmp(kernel, "pipeline") == 0),
            "prepare of %s %s: %s", kernel, text, err.message);
    }
    k->release(&run);
    dev->ops->stream_destroy(dev, run.stream);
    return ran;
}

static inline bool live(const char *kernel, const char *text, bool with_mutations)
{
    gb_value args[KERNEL_ARGS_MAX];
    const gb_kernel *k = kernel_args(kernel, text, args);
    return live_args(k, args, text, with_mutations);
}

#endif
