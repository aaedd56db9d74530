/* noop: an empty kernel and an empty pair of events. See noop.cu. */
#include <math.h>

#include "device/gate.h"
#include "kernels/common.h"

GB_FN_DECLARE(noop)

enum { WHAT };
enum what { KERNEL, EVENTS };
static const char *const what_words[] = {"kernel", "events", NULL};

static const gb_param params[] = {
    [WHAT] = GB_WORD_PARAM("what", what_words, "kernel",
                           "launch an empty kernel, or only record two events"),
};

static const gb_metric_spec metrics[] = {
    GB_ITEM_RATE("rate", GB_WHOLE, "launches (or event pairs) per second"),
};

typedef struct state {
    enum what what;
    gb_memory mark;         /* one word */
    gb_event *start, *stop; /* for what: events */
    bool marking;           /* the next launch writes the mark */
    uint64_t pairs;         /* event pairs recorded since the last reset */
    uint32_t expected;
} state;

static enum what what_of(const gb_value args[])
{
    return (enum what)gb_word_index(what_words, args[WHAT]);
}

static gb_code check(const gb_value args[], gb_device_kind kind, gb_need *need, gb_error *err)
{
    (void)args;
    (void)kind;
    (void)err;
    *need = (gb_need){.device_bytes = sizeof(uint32_t)};
    return GB_OK;
}

static gb_code prepare(gb_run *run, gb_error *err)
{
    gb_device *dev = run->dev;
    state *s = gb_state_new(run, sizeof *s, "noop", err);
    if (s == NULL)
        return GB_NO_MEMORY;
    s->what = what_of(run->args);
    s->expected = (uint32_t)gb_mix(run->seed, 1) & 0x7fffffffu; /* never the poison */
    gb_code code = dev->ops->alloc(dev, GB_MEM_DEVICE, sizeof(uint32_t), &s->mark, err);
    if (code == GB_OK)
        code = dev->ops->event_create(dev, &s->start, err);
    if (code == GB_OK)
        code = dev->ops->event_create(dev, &s->stop, err);
    return code;
}

static gb_code record_pair(void *context, gb_error *err)
{
    gb_run *run = context;
    state *s = run->state;
    gb_device *dev = run->dev;
    gb_code code = dev->ops->event_record(dev, s->start, run->stream, err);
    if (code == GB_OK)
        code = dev->ops->event_record(dev, s->stop, run->stream, err);
    if (code == GB_OK)
        s->pairs++;
    return code;
}

static gb_code enqueue(gb_run *run, gb_error *err)
{
    state *s = run->state;
    if (s->what == EVENTS)
        return record_pair(run, err);
    uint32_t *mark = s->marking ? s->mark.device : NULL;
    s->marking = false;
    const gb_launch launch = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    return run->dev->ops->launch(run->dev, run->stream, GB_FN(noop), &launch,
                                 (void *[]){&mark, &s->expected}, err);
}

/* Event pairs one after the other, each behind a gate of its own, so that both events wait on the
 * device before either is read: without it the host's second call would lie between them. A sample
 * is the sum of what they say; the time between pairs (the host's) is left out. */
static gb_code sample(gb_run *run, uint64_t iterations, gb_sample *out, gb_error *err)
{
    state *s = run->state;
    gb_device *dev = run->dev;
    *out = gb_sample_of(0);
    gb_code code = GB_OK;
    for (uint64_t i = 0; i < iterations && code == GB_OK && !out->gate_expired; i++) {
        double ns = 0;
        code =
            gb_gate_around(dev, run->stream, run->gate, record_pair, run, &out->gate_expired, err);
        if (code == GB_OK)
            code = dev->ops->elapsed_ns(dev, s->start, s->stop, &ns, err);
        out->ns += ns;
    }
    return code;
}

static bool samples_itself(const gb_value args[], gb_timer timer)
{
    return what_of(args) == EVENTS && timer == GB_TIMER_DEVICE;
}

static gb_code reset(gb_run *run, gb_error *err)
{
    state *s = run->state;
    s->marking = true;
    s->pairs = 0;
    return gb_memory_poison(run, &s->mark, err);
}

static gb_code verify_events(gb_run *run, gb_error *err)
{
    state *s = run->state;
    if (s->pairs == 0)
        return gb_fail(err, GB_WRONG_RESULT, "noop: no pair of events was recorded");
    double ns = NAN;
    gb_code code = run->dev->ops->elapsed_ns(run->dev, s->start, s->stop, &ns, err);
    if (code == GB_OK && !(ns >= 0 && ns < 1e9))
        code = gb_fail(err, GB_WRONG_RESULT, "noop: an empty pair of events lasts %g ns", ns);
    return code;
}

static void compare(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                    size_t count)
{
    const state *s = user;
    const uint32_t *found = elements;
    for (size_t i = 0; i < count; i++)
        gb_compare_u64(bad, first + i, s->expected, found[i], 8);
}

static gb_code verify(gb_run *run, gb_error *err)
{
    state *s = run->state;
    if (s->what == EVENTS)
        return verify_events(run, err);
    return gb_memory_verify(run, &s->mark, sizeof(uint32_t), 1, compare, s,
                            "noop: the mark of the empty kernel", err);
}

static void release(gb_run *run)
{
    state *s = run->state;
    if (s == NULL)
        return;
    gb_device *dev = run->dev;
    if (s->stop != NULL)
        dev->ops->event_destroy(dev, s->stop);
    if (s->start != NULL)
        dev->ops->event_destroy(dev, s->start);
    gb_state_free(run, (gb_memory *[]){&s->mark, NULL});
}

const gb_kernel gb_kernel_noop = {
    .spec =
        {
            .name = "noop",
            .source = "kernels/noop.cu",
            .version = 2,
            .summary = "an empty kernel and an empty pair of events: the floor of every timer",
            .lesson =
                "Starting work on a device costs time even when there is nothing to do. Three "
                "numbers go by the name of launch overhead, and each is a timer here: `call` is "
                "what the launch costs the calling thread, `device` is how far apart kernels start "
                "when many wait in the queue, `roundtrip` is one launch until its end is known to "
                "the host. An empty pair of events is what the device's own clock reads for no "
                "work at all (both wait behind the gate, so that no call of the host lies between "
                "them). Whatever a program does in less time than these is lost in them; "
                "they are never subtracted from other figures.",
            .picture =
                "On a GPU expect a few microseconds for `call` and `device` and about twice that "
                "for `roundtrip`, which adds the way back to the host; an empty pair of events "
                "lasts one or two microseconds at most. On the cpu device a launch hands work to "
                "a thread, so that `roundtrip` shows what waking it costs. Dividing any kernel's "
                "work by its bandwidth gives the size below which the launch is the longer part.",
            GB_TABLES(params, metrics, check, gb_work_one),
            .devices = GB_ANY_DEVICE,
            .timers = GB_BIT(GB_TIMER_DEVICE) | GB_BIT(GB_TIMER_ROUNDTRIP) | GB_BIT(GB_TIMER_CALL),
            .caches = GB_BIT(GB_CACHE_WARM),
            .default_timer = GB_TIMER_DEVICE,
        },
    GB_LIFE(prepare, enqueue, reset, verify, release),
    .sample = sample,
    .samples_itself = samples_itself,
};
