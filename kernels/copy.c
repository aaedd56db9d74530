/* copy: moving bytes between host and device. copy_run.c has the iteration itself. */
#include "kernels/copy.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of write-combined memory that the host reads at the most: it does so at about 0.1 GB/s. */
#define MOST_UNCACHED (UINT64_C(64) << 20)

static const char *const direction_words[] = {"h2d", "d2h", "d2d", "bidirectional", NULL};
static const char *const memory_words[] = {
    "pageable", "pinned", "write-combined", "mapped", "managed", "device", NULL};
static const gb_memory_kind memory_kinds[] = {GB_MEM_PAGEABLE,       GB_MEM_PINNED,
                                              GB_MEM_WRITE_COMBINED, GB_MEM_MAPPED,
                                              GB_MEM_MANAGED,        GB_MEM_DEVICE};

static const gb_param params[] = {
    [COPY_DIRECTION] =
        GB_WORD_PARAM("direction", direction_words, "h2d",
                      "host to device, device to host, within the device, both at once"),
    [COPY_MEMORY] = GB_WORD_PARAM("memory", memory_words, "pinned",
                                  "kind of the host's memory; device for d2d"),
    [COPY_BYTES] = GB_BYTES_PARAM("bytes", 1, UINT64_C(1) << 40, UINT64_C(64) << 20,
                                  "size of the copy (bidirectional: of each direction)"),
    [COPY_PIECES] = GB_COUNT_PARAM("pieces", "copies", 1, UINT64_C(1) << 20, 1,
                                   "the bytes are copied in that many separate copies"),
};

static const char *const parts[] = {[COPY_PART_H2D] = "h2d",
                                    [COPY_PART_D2H] = "d2h",
                                    [COPY_PART_TOUCH] = "touch",
                                    [COPY_PART_MIGRATE] = "migrate",
                                    [COPY_PARTS] = NULL};

static const gb_metric_spec metrics[] = {
    GB_BANDWIDTH("bytes by convention (h2d, d2h: N; d2d, bidirectional: 2N) over the whole time"),
    GB_GAIN("bandwidth_h2d", "B/s", GB_PER_BYTES_WRITTEN, COPY_PART_H2D,
            "bidirectional: N over the time until this direction had ended; the slower one "
            "has the link to itself for the rest"),
    GB_GAIN("bandwidth_d2h", "B/s", GB_PER_BYTES_READ, COPY_PART_D2H,
            "bidirectional: N over the time until this direction had ended; the slower one "
            "has the link to itself for the rest"),
    GB_GAIN("bandwidth_migrate", "B/s", GB_PER_BYTES_MOVED, COPY_PART_MIGRATE,
            "managed: N over the time in which the other side pulled the pages"),
};

gb_copy_direction gb_copy_direction_of(const gb_value args[])
{
    return (gb_copy_direction)gb_word_index(direction_words, args[COPY_DIRECTION]);
}

gb_memory_kind gb_copy_memory_of(const gb_value args[])
{
    return memory_kinds[gb_word_index(memory_words, args[COPY_MEMORY])];
}

/* As gb_copy_sample fills them. */
static bool has_part(const gb_value args[], gb_timer timer, int part)
{
    if (gb_copy_memory_of(args) == GB_MEM_MANAGED)
        return timer != GB_TIMER_CALL && (part == COPY_PART_TOUCH || part == COPY_PART_MIGRATE);
    return gb_copy_samples_itself(args, timer) && (part == COPY_PART_H2D || part == COPY_PART_D2H);
}

/* Which combinations make sense at all. */
static gb_code check_combination(const gb_value args[], gb_error *err)
{
    const gb_copy_direction direction = gb_copy_direction_of(args);
    const gb_memory_kind memory = gb_copy_memory_of(args);
    if (direction == COPY_D2D && memory != GB_MEM_DEVICE)
        return gb_fail(err, GB_INVALID,
                       "direction d2d needs memory: device, not %s: both ends are on the device",
                       args[COPY_MEMORY].word);
    if (direction != COPY_D2D && memory == GB_MEM_DEVICE)
        return gb_fail(err, GB_INVALID,
                       "direction %s needs a kind of host memory (pageable, pinned, "
                       "write-combined, mapped, managed), not device, which is for d2d",
                       args[COPY_DIRECTION].word);
    if (direction == COPY_BIDIRECTIONAL && memory == GB_MEM_MANAGED)
        return gb_fail(err, GB_INVALID,
                       "direction bidirectional does not go with memory: managed: its pages move "
                       "on demand, to one side at a time");
    if (args[COPY_PIECES].number > args[COPY_BYTES].number)
        return gb_fail(err, GB_INVALID, "pieces (%llu) is more than the %llu bytes to copy",
                       (unsigned long long)args[COPY_PIECES].number,
                       (unsigned long long)args[COPY_BYTES].number);
    return GB_OK;
}

static gb_code check(const gb_value args[], gb_device_kind kind, gb_need *need, gb_error *err)
{
    gb_code code = check_combination(args, err);
    if (code != GB_OK)
        return code;
    const gb_memory_kind memory = gb_copy_memory_of(args);
    if (kind == GB_CPU &&
        (memory == GB_MEM_WRITE_COMBINED || memory == GB_MEM_MAPPED || memory == GB_MEM_MANAGED))
        return gb_fail(err, GB_UNAVAILABLE,
                       "the cpu device has no %s memory: there is no bus between host and device",
                       args[COPY_MEMORY].word);
    const gb_copy_direction direction = gb_copy_direction_of(args);
    if (memory == GB_MEM_WRITE_COMBINED && direction != COPY_H2D &&
        args[COPY_BYTES].number > MOST_UNCACHED)
        return gb_fail(err, GB_UNAVAILABLE,
                       "the host reads write-combined memory uncached: checking a copy of more "
                       "than 64 MiB into it would take longer than the measurement");
    uint64_t both, all = args[COPY_BYTES].number;
    code = gb_mul_u64(all, 2, &both, err);
    if (code != GB_OK)
        return code;
    *need = (gb_need){0};
    if (direction == COPY_D2D) {
        need->device_bytes = both;
        return GB_OK;
    }
    if (direction == COPY_BIDIRECTIONAL)
        all = both;
    need->device_bytes = all;
    if (memory == GB_MEM_PAGEABLE) {
        need->host_bytes = all;
    } else if (memory == GB_MEM_MANAGED) { /* its pages lie on either side */
        need->host_bytes = all;
        code = gb_add_u64(need->device_bytes, all, &need->device_bytes, err);
    } else {
        need->pinned_bytes = all;
    }
    return code;
}

/* Counted once for each direction. For bidirectional, bytes_read is what leaves the device (d2h)
 * and bytes_written what arrives there (h2d). */
static void work(const gb_value args[], gb_device_kind kind, gb_work *out)
{
    const gb_copy_direction direction = gb_copy_direction_of(args);
    const uint64_t n = args[COPY_BYTES].number;
    const uint64_t lanes = direction == COPY_BIDIRECTIONAL ? 2 : 1;
    /* On the cpu device both ends lie behind one cache, otherwise only the device's end does. */
    const uint64_t ends = kind == GB_CPU || direction == COPY_D2D ? 2 : 1;
    *out = (gb_work){
        .bytes_read = n,
        .bytes_written = n,
        .bytes_moved = direction == COPY_D2D ? 2 * n : lanes * n,
        .items = lanes * args[COPY_PIECES].number,
        .working_set = lanes * ends * n,
        .ceiling = GB_CEILING_NONE,
    };
    if (direction == COPY_D2D)
        out->ceiling = GB_CEILING_MEMORY;
    else if (kind != GB_CPU)
        out->ceiling = GB_CEILING_LINK;
}

/* Word `index` of the pattern: never a byte of 0xFF, which is the poison. */
static uint64_t pattern(uint64_t seed, uint64_t index)
{
    return gb_mix(seed, index) & UINT64_C(0x7f7f7f7f7f7f7f7f);
}

static void make(void *user, void *elements, uint64_t first, size_t count)
{
    const gb_copy_lane *lane = user;
    char *bytes = elements;
    for (size_t i = 0; i < count / 8; i++) {
        const uint64_t word = pattern(lane->seed, first / 8 + i);
        memcpy(bytes + 8 * i, &word, 8);
    }
    const uint64_t last = pattern(lane->seed, (first + count) / 8);
    memcpy(bytes + count / 8 * 8, &last, count % 8);
}

static void compare_bytes(gb_mismatch *bad, const unsigned char *found, uint64_t first,
                          size_t count, uint64_t word)
{
    unsigned char expected[8];
    memcpy(expected, &word, 8);
    for (size_t i = 0; i < count; i++)
        gb_compare_u64(bad, first + i, expected[i], found[i], 2);
}

static void compare(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                    size_t count)
{
    const gb_copy_lane *lane = user;
    const unsigned char *bytes = elements;
    for (size_t i = 0; i < count / 8; i++) {
        uint64_t found;
        const uint64_t expected = pattern(lane->seed, first / 8 + i);
        memcpy(&found, bytes + 8 * i, 8);
        if (found != expected)
            compare_bytes(bad, bytes + 8 * i, first + 8 * i, 8, expected);
    }
    compare_bytes(bad, bytes + count / 8 * 8, first + count / 8 * 8, count % 8,
                  pattern(lane->seed, (first + count) / 8));
}

static gb_code prepare_lane(gb_run *run, gb_copy_lane *lane, gb_error *err)
{
    gb_device *dev = run->dev;
    const size_t bytes = (size_t)run->args[COPY_BYTES].number;
    const gb_memory_kind kind = gb_copy_memory_of(run->args);
    const gb_memory_kind from = lane->direction == GB_COPY_H2D ? kind : GB_MEM_DEVICE;
    const gb_memory_kind to = lane->direction == GB_COPY_D2H ? kind : GB_MEM_DEVICE;
    gb_code code = dev->ops->alloc(dev, from, bytes, &lane->from, err);
    if (code == GB_OK)
        code = dev->ops->alloc(dev, to, bytes, &lane->to, err);
    if (code == GB_OK)
        code = gb_memory_write(run, &lane->from, 1, bytes, make, lane, err);
    return code;
}

static gb_code prepare(gb_run *run, gb_error *err)
{
    static const gb_copy copies[] = {
        [COPY_H2D] = GB_COPY_H2D, [COPY_D2H] = GB_COPY_D2H, [COPY_D2D] = GB_COPY_D2D};
    gb_device *dev = run->dev;
    const gb_copy_direction direction = gb_copy_direction_of(run->args);
    gb_copy_state *s = gb_state_new(run, sizeof *s, "copy", err);
    if (s == NULL)
        return GB_NO_MEMORY;
    const gb_memory_kind kind = gb_copy_memory_of(run->args);
    s->managed = kind == GB_MEM_MANAGED;
    s->by_kernel = s->managed || kind == GB_MEM_MAPPED;
    s->bytes = run->args[COPY_BYTES].number;
    s->pieces = run->args[COPY_PIECES].number;
    s->n_lanes = direction == COPY_BIDIRECTIONAL ? 2 : 1;
    s->lanes[0].direction = s->n_lanes == 2 ? GB_COPY_H2D : copies[direction];
    s->lanes[1].direction = GB_COPY_D2H;
    gb_code code = GB_OK;
    for (unsigned i = 0; i < s->n_lanes && code == GB_OK; i++) {
        s->lanes[i].seed = gb_rng_derive(run->seed, i);
        code = prepare_lane(run, &s->lanes[i], err);
    }
    if (code == GB_OK && s->n_lanes == 2)
        code = dev->ops->stream_create(dev, &s->second, err);
    gb_event **const events[] = {&s->start, &s->stop, &s->ends[0], &s->ends[1]};
    for (size_t i = 0; i < GB_COUNT(events) && code == GB_OK; i++)
        code = dev->ops->event_create(dev, events[i], err);
    return code;
}

static gb_code reset(gb_run *run, gb_error *err)
{
    gb_copy_state *s = run->state;
    gb_code code = GB_OK;
    for (unsigned i = 0; i < s->n_lanes && code == GB_OK; i++)
        code = gb_memory_poison(run, &s->lanes[i].to, err);
    return code;
}

static gb_code verify(gb_run *run, gb_error *err)
{
    static const char *const names[] = {[GB_COPY_H2D] = "copy to the device",
                                        [GB_COPY_D2H] = "copy to the host",
                                        [GB_COPY_D2D] = "copy within the device"};
    gb_copy_state *s = run->state;
    const uint64_t bytes = run->args[COPY_BYTES].number;
    gb_code code = GB_OK;
    for (unsigned i = 0; i < s->n_lanes && code == GB_OK; i++) {
        gb_copy_lane *lane = &s->lanes[i];
        code =
            gb_memory_verify(run, &lane->to, 1, bytes, compare, lane, names[lane->direction], err);
    }
    return code;
}

static void release(gb_run *run)
{
    gb_copy_state *s = run->state;
    if (s == NULL)
        return;
    gb_device *dev = run->dev;
    gb_event *const events[] = {s->start, s->stop, s->ends[0], s->ends[1]};
    for (size_t i = 0; i < GB_COUNT(events); i++)
        if (events[i] != NULL)
            dev->ops->event_destroy(dev, events[i]);
    if (s->second != NULL)
        dev->ops->stream_destroy(dev, s->second);
    gb_state_free(run, (gb_memory *[]){&s->lanes[0].to, &s->lanes[0].from, &s->lanes[1].to,
                                       &s->lanes[1].from, NULL});
}

const gb_kernel gb_kernel_copy = {
    .spec =
        {
            .name = "copy",
            .source = "kernels/copy.cu",
            .version = 2,
            .summary = "copies between host and device, by direction, kind of memory, and size",
            .lesson =
                "Data has to reach a GPU before it can be worked on, and the way there is many "
                "times narrower than the device's own memory. A copy costs a fixed time and then "
                "so much a byte: small copies are all fixed cost, so one large copy beats many "
                "small ones of the same total (`pieces`). Pinned (page-locked) memory lets the "
                "copy engine read it directly; pageable memory is copied once more by the host on "
                "the way. Write-combined memory is fast to send and very slow for the host to "
                "read. Mapped memory is not copied at all, the device reaches over the bus; "
                "managed memory moves page by page when one side touches it.",
            .picture =
                "Bandwidth over size is an S-shaped curve: proportional to the size at first "
                "(each copy takes the fixed time, whatever its size), then flat where the link is "
                "full, somewhat below its rated 16 GB/s for PCIe 3 x16, 32 for generation 4, 64 "
                "for generation 5. Pinned lies clearly above pageable. Bidirectional nearly "
                "doubles the sum on a device with two copy engines, and not at all from pageable "
                "memory, where the calling thread takes part in each copy. On the cpu device a "
                "copy is a memcpy: the curve rises, shows the caches, and falls to the speed of "
                "memory.",
            GB_TABLES(params, metrics, check, work),
            .parts = parts,
            .has_part = has_part,
            .devices = GB_ANY_DEVICE,
            .timers = GB_BIT(GB_TIMER_DEVICE) | GB_BIT(GB_TIMER_ROUNDTRIP) | GB_BIT(GB_TIMER_CALL),
            .caches = GB_BIT(GB_CACHE_WARM) | GB_BIT(GB_CACHE_COLD),
            .default_timer = GB_TIMER_DEVICE,
        },
    GB_LIFE(prepare, gb_copy_enqueue, reset, verify, release),
    .sample = gb_copy_sample,
    .samples_itself = gb_copy_samples_itself,
    .gate_allowed = gb_copy_gate_allowed,
    .behind_gate = gb_copy_behind_gate,
};
