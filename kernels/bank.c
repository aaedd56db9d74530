/* bank: what bank conflicts in shared memory cost. See bank.cu. */
#include "kernels/bank.h"

#include "kernels/common.h"

GB_FN_DECLARE(bank)

enum { STRIDE, BLOCKS, ROUNDS };

#define WORD sizeof(uint32_t)

static const gb_param params[] = {
    [STRIDE] =
        GB_COUNT_PARAM("stride", "words", 1, BANK_MAX_STRIDE, 1,
                       "4-byte words from one thread's load to the next thread's; the number "
                       "of loads that wait for one bank is gcd(stride, 32)"),
    [BLOCKS] = GB_COUNT_PARAM("blocks", NULL, 1, 65535, 1,
                              "blocks of 256 threads; 1: the shared memory of a single SM"),
    [ROUNDS] =
        GB_COUNT_PARAM("rounds", NULL, 1, 512, 512, "rounds of 32 loads that each thread does"),
};

static const gb_metric_spec metrics[] = {
    GB_GAIN("shared_bandwidth", "B/s", GB_PER_BYTES_MOVED, GB_WHOLE,
            "bytes loaded from shared memory over time"),
    GB_TIME_PER_ITEM("access_time", GB_WHOLE,
                     "time over the number of loads of whole warps (32 threads, 128 bytes)"),
};

typedef struct state {
    gb_memory in, out;
    gb_launch launch;
    uint32_t stride, rounds;
    uint64_t outputs;
    uint64_t seed;
} state;

static gb_code check(const gb_value args[], gb_device_kind kind, gb_need *need, gb_error *err)
{
    (void)kind;
    (void)err;
    *need = (gb_need){.device_bytes = (BANK_WORDS + args[BLOCKS].number * BANK_BLOCK) * WORD};
    return GB_OK;
}

/* What is read from and written to global memory is next to nothing; bytes_moved are those of
 * shared memory, which no ceiling is known for in advance. */
static void work(const gb_value args[], gb_device_kind kind, gb_work *out)
{
    (void)kind;
    const uint64_t threads = args[BLOCKS].number * BANK_BLOCK;
    const uint64_t loads = threads * args[ROUNDS].number * BANK_LOADS;
    *out = (gb_work){
        .bytes_read = BANK_WORDS * WORD,
        .bytes_written = threads * WORD,
        .bytes_moved = loads * WORD,
        .items = loads / BANK_WARP,
        .working_set = (BANK_WORDS + threads) * WORD,
        .ceiling = GB_CEILING_NONE,
    };
}

static gb_code prepare(gb_run *run, gb_error *err)
{
    gb_device *dev = run->dev;
    state *s = gb_state_new(run, sizeof *s, "bank", err);
    if (s == NULL)
        return GB_NO_MEMORY;
    s->stride = (uint32_t)run->args[STRIDE].number;
    s->rounds = (uint32_t)run->args[ROUNDS].number;
    s->outputs = run->args[BLOCKS].number * BANK_BLOCK;
    s->seed = gb_rng_derive(run->seed, 0);
    s->launch = (gb_launch){.grid = {(uint32_t)run->args[BLOCKS].number, 1, 1},
                            .block = {BANK_BLOCK, 1, 1}};
    gb_code code = dev->ops->alloc(dev, GB_MEM_DEVICE, BANK_WORDS * WORD, &s->in, err);
    if (code == GB_OK)
        code = dev->ops->alloc(dev, GB_MEM_DEVICE, (size_t)s->outputs * WORD, &s->out, err);
    if (code == GB_OK)
        code = gb_memory_write(run, &s->in, WORD, BANK_WORDS, gb_make_words32, &s->seed, err);
    return code;
}

static gb_code enqueue(gb_run *run, gb_error *err)
{
    state *s = run->state;
    return run->dev->ops->launch(run->dev, run->stream, GB_FN(bank), &s->launch,
                                 (void *[]){&s->out.device, &s->in.device, &s->stride, &s->rounds},
                                 err);
}

static gb_code reset(gb_run *run, gb_error *err)
{
    state *s = run->state;
    return gb_memory_poison(run, &s->out, err);
}

/* What the threads of a block end up with; all blocks do the same. */
static void expected_sums(const state *s, uint32_t sums[BANK_BLOCK])
{
    for (uint32_t t = 0; t < BANK_BLOCK; t++) {
        const uint32_t lane = t % BANK_WARP, warp = t / BANK_WARP;
        uint32_t at_word[BANK_BANKS] = {0};
        for (uint32_t word = 0; word < BANK_BANKS; word++)
            for (uint32_t l = 0; l < BANK_LOADS; l++)
                at_word[word] += gb_word32(s->seed, lane * s->stride + word + l * BANK_BANKS);
        sums[t] = 0;
        for (uint32_t round = 0; round < s->rounds; round++)
            sums[t] += at_word[(warp + round) % BANK_BANKS];
    }
}

static void compare(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                    size_t count)
{
    const uint32_t *sums = user, *found = elements;
    for (size_t i = 0; i < count; i++)
        gb_compare_u64(bad, first + i, sums[(first + i) % BANK_BLOCK], found[i], 8);
}

static gb_code verify(gb_run *run, gb_error *err)
{
    state *s = run->state;
    uint32_t sums[BANK_BLOCK];
    expected_sums(s, sums);
    return gb_memory_verify(run, &s->out, WORD, s->outputs, compare, sums,
                            "bank: sums of the threads", err);
}

static void release(gb_run *run)
{
    state *s = run->state;
    if (s != NULL)
        gb_state_free(run, (gb_memory *[]){&s->out, &s->in, NULL});
}

const gb_kernel gb_kernel_bank = {
    .spec =
        {
            .name = "bank",
            .source = "kernels/bank.cu",
            .version = 1,
            .summary = "bank conflicts: loads from shared memory at strides of 1 to 32 words",
            .lesson =
                "The shared memory of a GPU is fast because it is 32 memories side by side, the "
                "banks. Word number w is in bank w modulo 32. When the 32 threads of a warp load "
                "from 32 different banks all of them are served at once, 128 bytes in one clock. "
                "When several go to different words of one bank they wait for each other. With a "
                "stride of s words gcd(s, 32) of them do: an odd stride costs nothing, 2 costs "
                "twice the time, and 32 makes the threads of a warp go one by one. That is why "
                "tiles get one unused column: it makes a stride of 32 into one of 33.",
            .picture =
                "Time of an access over stride, on a GPU: about one clock of the SM for odd "
                "strides, 2, 4, 8 and 16 clocks at strides that these numbers divide, 32 at 32. A "
                "comb, not a slope: what counts is what stride and 32 have in common. With one "
                "block the figures are those of one SM. A CPU has no banks that a program could "
                "see: there the same loads come from the first cache, one thread's after the "
                "other's, and the line is level. That is the control, not a prediction for a GPU.",
            GB_TABLES(params, metrics, check, work),
            GB_TIMED_ON_DEVICE_WARM,
        },
    GB_LIFE(prepare, enqueue, reset, verify, release),
};
