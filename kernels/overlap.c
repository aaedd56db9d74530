/* overlap: an array copied in, worked on and copied out, in chunks over streams; and ways without
 * copies. overlap_run.c has the iteration itself. */
#include "kernels/overlap.h"

#include "kernels/affine.h"

static const char *const memory_words[] = {"pageable", "pinned",     "mapped",
                                           "managed",  "prefetched", NULL};
static const gb_memory_kind memory_kinds[] = {GB_MEM_PAGEABLE, GB_MEM_PINNED, GB_MEM_MAPPED,
                                              GB_MEM_MANAGED, GB_MEM_MANAGED};
static const gb_overlap_way memory_ways[] = {OVERLAP_STAGED, OVERLAP_STAGED, OVERLAP_MAPPED,
                                             OVERLAP_MANAGED, OVERLAP_PREFETCHED};

static const gb_param params[] = {
    [OVERLAP_MEMORY] =
        GB_WORD_PARAM("memory", memory_words, "pinned",
                      "kind of the host's memory: copied through (pageable, pinned), reached into "
                      "by the kernel (mapped), or moved by pages when they are touched (managed), "
                      "or ahead of that (prefetched)"),
    [OVERLAP_BYTES] = GB_BYTES_PARAM("bytes", 4, UINT64_C(1) << 40, UINT64_C(64) << 20,
                                     "size of the array, a multiple of 4"),
    [OVERLAP_CHUNKS] = GB_COUNT_PARAM("chunks", "chunks", 1, OVERLAP_MAX_CHUNKS, 1,
                                      "pieces in which the array is copied and worked on"),
    [OVERLAP_STREAMS] =
        GB_COUNT_PARAM("streams", "streams", 1, GB_MAX_LANES, 1,
                       "streams that take turns with the chunks, with a buffer on the "
                       "device for each"),
    [OVERLAP_ROUNDS] =
        GB_COUNT_PARAM("rounds", "multiply-adds", 1, UINT64_C(1) << 20, 64,
                       "multiply-adds on each element, which make the kernel's time"),
    [OVERLAP_BUDGET] =
        GB_BYTES_PARAM("device_budget", 0, UINT64_C(1) << 40, 0,
                       "device memory that the buffers together may take: a case that "
                       "needs more is an error; 0: no limit"),
};

static const char *const parts[] = {[OVERLAP_PART_IN] = "copy_in",
                                    [OVERLAP_PART_KERNEL] = "kernel",
                                    [OVERLAP_PART_OUT] = "copy_out",
                                    [OVERLAP_PARTS] = NULL};

static const gb_metric_spec metrics[] = {
    GB_BANDWIDTH("bytes to the device and back (2N) over the whole time"),
    GB_TIME("copy_in", OVERLAP_PART_IN, "one chunk: time of the copy to the device"),
    GB_TIME("kernel", OVERLAP_PART_KERNEL, "one chunk: time of the kernel"),
    GB_TIME("copy_out", OVERLAP_PART_OUT, "one chunk: time of the copy to the host"),
};

static unsigned memory_of(const gb_value args[])
{
    return gb_word_index(memory_words, args[OVERLAP_MEMORY]);
}

bool gb_overlap_in_parts(const gb_value args[])
{
    return memory_ways[memory_of(args)] == OVERLAP_STAGED && args[OVERLAP_CHUNKS].number == 1;
}

static bool has_part(const gb_value args[], gb_timer timer, int part)
{
    (void)timer;
    (void)part;
    return gb_overlap_in_parts(args);
}

/* Which combinations make sense at all. */
static gb_code check_combination(const gb_value args[], gb_error *err)
{
    const unsigned long long bytes = args[OVERLAP_BYTES].number,
                             chunks = args[OVERLAP_CHUNKS].number,
                             streams = args[OVERLAP_STREAMS].number;
    if (bytes % sizeof(uint32_t) != 0)
        return gb_fail(err, GB_INVALID, "bytes (%llu) is no multiple of 4", bytes);
    if (memory_ways[memory_of(args)] != OVERLAP_STAGED && chunks > 1)
        return gb_fail(err, GB_INVALID,
                       "memory %s is not copied, so that there is nothing to overlap in %llu "
                       "chunks (valid: 1)",
                       args[OVERLAP_MEMORY].word, chunks);
    if (streams > chunks)
        return gb_fail(err, GB_INVALID, "streams (%llu) is more than the %llu chunks", streams,
                       chunks);
    if (chunks > 1 && chunks > bytes / (OVERLAP_UNIT * sizeof(uint32_t)))
        return gb_fail(err, GB_INVALID, "chunks (%llu) of %llu bytes would be shorter than 512 B",
                       chunks, bytes);
    return GB_OK;
}

/* Bytes of the buffers on the device, of arguments that go together: no overflow, a chunk is at
 * most 2^40 bytes. */
static uint64_t slots_bytes(const gb_value args[])
{
    uint64_t first, count;
    gb_overlap_chunk(args[OVERLAP_BYTES].number / sizeof(uint32_t),
                     (uint32_t)args[OVERLAP_CHUNKS].number, 0, &first, &count);
    return args[OVERLAP_STREAMS].number * count * sizeof(uint32_t);
}

static gb_code check(const gb_value args[], gb_device_kind kind, gb_need *need, gb_error *err)
{
    const gb_code code = check_combination(args, err);
    if (code != GB_OK)
        return code;
    const gb_overlap_way way = memory_ways[memory_of(args)];
    const uint64_t both = 2 * args[OVERLAP_BYTES].number;
    if (kind == GB_CPU && way != OVERLAP_STAGED)
        return gb_fail(err, GB_UNAVAILABLE,
                       "the cpu device has no %s memory: there is no bus between host and device",
                       way == OVERLAP_MAPPED ? "mapped" : "managed");
    *need = (gb_need){0};
    if (way == OVERLAP_STAGED) {
        need->device_bytes = slots_bytes(args);
    } else if (way != OVERLAP_MAPPED) { /* its pages lie on either side */
        need->device_bytes = both;
    }
    if (args[OVERLAP_BUDGET].number > 0 && need->device_bytes > args[OVERLAP_BUDGET].number)
        return gb_fail(err, GB_INVALID,
                       "device_budget is %llu bytes, but the buffers on the device take %llu: more "
                       "chunks make them smaller",
                       (unsigned long long)args[OVERLAP_BUDGET].number,
                       (unsigned long long)need->device_bytes);
    if (memory_kinds[memory_of(args)] == GB_MEM_PINNED || way == OVERLAP_MAPPED)
        need->pinned_bytes = both;
    else
        need->host_bytes = both;
    return GB_OK;
}

static void work(const gb_value args[], gb_device_kind kind, gb_work *out)
{
    const uint64_t bytes = args[OVERLAP_BYTES].number, n = bytes / sizeof(uint32_t);
    const gb_overlap_way way = memory_ways[memory_of(args)];
    /* On the cpu device all buffers lie behind one cache; otherwise the device's own. */
    const uint64_t slots = way == OVERLAP_STAGED ? slots_bytes(args) : 2 * bytes;
    *out = (gb_work){
        .bytes_read = bytes,
        .bytes_written = bytes,
        .bytes_moved = 2 * bytes,
        .flops = 2 * n * args[OVERLAP_ROUNDS].number,
        .items = n,
        .working_set = kind == GB_CPU ? 2 * bytes + slots : slots,
        .compute = GB_COMPUTE_INT32,
    };
}

static gb_code prepare_memory(gb_run *run, gb_error *err)
{
    gb_overlap_state *s = run->state;
    gb_device *dev = run->dev;
    const gb_memory_kind kind = memory_kinds[memory_of(run->args)];
    const size_t bytes = (size_t)run->args[OVERLAP_BYTES].number;
    gb_code code = dev->ops->alloc(dev, kind, bytes, &s->in, err);
    if (code == GB_OK)
        code = dev->ops->alloc(dev, kind, bytes, &s->out, err);
    if (code == GB_OK && s->way == OVERLAP_STAGED)
        code = dev->ops->alloc(dev, GB_MEM_DEVICE, (size_t)slots_bytes(run->args), &s->slots, err);
    return code == GB_OK ? gb_memory_write(run, &s->in, sizeof(uint32_t), s->n, gb_make_words32,
                                           &s->seed, err)
                         : code;
}

static gb_code prepare(gb_run *run, gb_error *err)
{
    gb_overlap_state *s = gb_state_new(run, sizeof *s, "overlap", err);
    if (s == NULL)
        return GB_NO_MEMORY;
    const gb_value *args = run->args;
    uint64_t first;
    s->way = memory_ways[memory_of(args)];
    s->n = args[OVERLAP_BYTES].number / sizeof(uint32_t);
    s->chunks = (uint32_t)args[OVERLAP_CHUNKS].number;
    s->rounds = (uint32_t)args[OVERLAP_ROUNDS].number;
    s->seed = run->seed;
    gb_overlap_chunk(s->n, s->chunks, 0, &first, &s->slot);
    gb_code code = prepare_memory(run, err);
    for (size_t i = 0; i < GB_COUNT(s->marks) && code == GB_OK; i++)
        code = run->dev->ops->event_create(run->dev, &s->marks[i], err);
    return code == GB_OK
               ? gb_lanes_make(run, (uint32_t)args[OVERLAP_STREAMS].number, &s->lanes, err)
               : code;
}

static gb_code reset(gb_run *run, gb_error *err)
{
    gb_overlap_state *s = run->state;
    gb_code code = gb_memory_poison(run, &s->out, err);
    if (code == GB_OK && s->way == OVERLAP_STAGED)
        code = gb_memory_poison(run, &s->slots, err);
    return code;
}

/* The last chunk of a lane that reached as far as element `at` of its slot: its number among all
 * chunks, or -1. The next shorter chunk leaves the end of the longer one before it in place. */
static int64_t chunk_at(const gb_overlap_state *s, uint64_t lane, uint64_t at)
{
    const uint32_t lanes = s->lanes.n;
    int64_t i = (int64_t)lane + (int64_t)((s->chunks - 1 - (uint32_t)lane) / lanes * lanes);
    for (; i >= 0; i -= lanes) {
        uint64_t first, count;
        gb_overlap_chunk(s->n, s->chunks, (uint32_t)i, &first, &count);
        if (at < count)
            return i;
    }
    return -1;
}

/* What the slots hold in the end. Where no chunk reached the poison still stands. */
static void compare_slots(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                          size_t count)
{
    const gb_overlap_state *s = user;
    const gb_affine all = gb_affine_steps(s->rounds);
    const uint32_t *found = elements;
    for (uint64_t i = 0, span; i < count; i += span) {
        const uint64_t lane = (first + i) / s->slot, at = (first + i) % s->slot;
        const int64_t chunk = chunk_at(s, lane, at);
        uint64_t begin, length = s->slot;
        if (chunk >= 0)
            gb_overlap_chunk(s->n, s->chunks, (uint32_t)chunk, &begin, &length);
        span = length - at < count - i ? length - at : count - i;
        if (chunk >= 0)
            gb_affine_compare(bad, first + i, found + i, span, all, s->seed, begin + at);
        for (uint64_t k = 0; chunk < 0 && k < span; k++)
            gb_compare_u64(bad, first + i + k, UINT32_MAX, found[i + k], 8);
    }
}

/* All elements, as the host sees them, and what is left on the device. */
static gb_code verify(gb_run *run, gb_error *err)
{
    gb_overlap_state *s = run->state;
    gb_code code =
        gb_affine_verify(run, &s->out, s->seed, s->rounds, "overlap: array on the host", err);
    if (code != GB_OK || s->way != OVERLAP_STAGED)
        return code;
    const uint64_t count = s->slots.bytes / sizeof(uint32_t);
    return gb_memory_verify(run, &s->slots, sizeof(uint32_t), count, compare_slots, s,
                            "overlap: buffers on the device", err);
}

static void release(gb_run *run)
{
    gb_overlap_state *s = run->state;
    if (s == NULL)
        return;
    gb_device *dev = run->dev;
    gb_lanes_free(run, &s->lanes);
    for (size_t i = 0; i < GB_COUNT(s->marks); i++)
        if (s->marks[i] != NULL)
            dev->ops->event_destroy(dev, s->marks[i]);
    gb_state_free(run, (gb_memory *[]){&s->slots, &s->out, &s->in, NULL});
}

const gb_kernel gb_kernel_overlap = {
    .spec =
        {
            .name = "overlap",
            .source = "kernels/overlap.cu",
            .version = 1,
            .summary = "an array to the device, worked on, and back: in chunks over streams, or "
                       "without copies",
            .lesson =
                "A job that brings its data along pays for the way in and the way out. The copy "
                "engines work beside the processors, so that an array in chunks over several "
                "streams can be copied in, worked on and copied out at the same time: at best the "
                "longest of the three parts is left. It takes pinned memory, more than one stream, "
                "a device with two copy engines for both directions at once, and parts of about "
                "the same length: beside a long kernel there is little to hide. Chunks also let an "
                "array pass that is larger than the device's memory (`device_budget`): a buffer a "
                "stream is all that it needs. Mapped memory needs no copy at all, which pays where "
                "each byte is used once; managed memory moves by pages, one fault after the other "
                "unless they are sent ahead.",
            .picture =
                "Time over chunks: with one stream it rises slowly, a little for each chunk. With "
                "two and more it falls towards the longest part, is lowest at some ten chunks, and "
                "rises again where chunks are so small that starting them costs as much as they "
                "do; a third stream lets all three parts run at once, more bring little. Pageable "
                "memory gains nothing from chunks on a GPU: the calling thread copies itself. On "
                "the cpu device a stream is a thread and a copy a memcpy: parts do overlap, but "
                "they share the cores and the memory, so that a kernel which uses all cores gains "
                "nothing; chunks that fit into the cache may still be faster than the whole.",
            GB_TABLES(params, metrics, check, work),
            .parts = parts,
            .has_part = has_part,
            GB_TIMED_BY_HOST,
        },
    GB_LIFE(prepare, gb_overlap_enqueue, reset, verify, release),
    .sample = gb_overlap_sample,
};
