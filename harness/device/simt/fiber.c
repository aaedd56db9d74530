/* The scheduler of fibers: turns, barriers, and errors instead of hangs.
 *
 * A block runs in rounds. In a round every fiber that may run gets one turn, in the order asked
 * for, and runs until it waits at a barrier or ends. After the round, barriers that all have
 * reached open. When nothing opens and somebody still waits, a barrier was not reached by all.
 *
 * In random order one warp, another one after each barrier of the block, runs only when no other
 * can: the others are ahead of it by as much as the barriers allow. */
#include "device/simt/fiber.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/rng.h"
#include "device/simt/fiber_sanitize.h"
#include "device/simt/fiber_switch.h"

#define CANARY 0x6b656570206f7574u
#define WARPS (GB_MAX_BLOCK_THREADS / GB_WARP)

typedef enum fiber_state { DONE, READY, AT_BARRIER, AT_WARP_BARRIER } fiber_state;

typedef struct fiber {
    gb_stack_state stack_state;
    char *stack; /* GB_FIBER_STACK_BYTES */
    fiber_state state;
    void *tsan;
    void *asan_fake;
} fiber;

/* What one OS thread has of fibers. They live as long as the thread, so that static thread-local
 * shared memory is the same for all of a block. */
typedef struct fiber_set {
    fiber fibers[GB_MAX_BLOCK_THREADS];
    uint32_t made;    /* fibers with a stack */
    uint32_t threads; /* of the block under way */
    uint32_t current;
    uint32_t slow;     /* in random order: the warp that is held back ... */
    uint8_t slow_turn; /* ... since this turn of the block's barrier */
    gb_stack_state scheduler;
    void *scheduler_tsan, *scheduler_fake;
    const void *scheduler_bottom;
    size_t scheduler_size;

    void (*body)(void *context, uint32_t thread);
    void *context;
    const char *problem; /* set by a fiber that broke a rule */
    uint64_t slots[WARPS][GB_WARP];

    /* objects for TSan: one for a block's start, one for its end, two in turn per barrier */
    char start, end, barrier[2], warp_barrier[WARPS][2];
    uint8_t barrier_turn, warp_turn[WARPS];
} fiber_set;

static __thread fiber_set *own_set; /* NULL until this thread runs a block as fibers */
static __thread bool inside;        /* a fiber is running */
static __thread bool misuse;
static __thread uint64_t blocks_run;
static gb_fiber_order fiber_order = GB_FIBERS_FORWARD;
static uint64_t fiber_seed;

void gb_fiber_set_order(gb_fiber_order order, uint64_t seed)
{
    fiber_order = order;
    fiber_seed = seed;
}

gb_code gb_fiber_order_parse(const char *text, gb_fiber_order *order, uint64_t *seed, gb_error *err)
{
    *seed = 1;
    if (strcmp(text, "forward") == 0) {
        *order = GB_FIBERS_FORWARD;
    } else if (strcmp(text, "reverse") == 0) {
        *order = GB_FIBERS_REVERSE;
    } else if (strcmp(text, "random") == 0) {
        *order = GB_FIBERS_RANDOM;
    } else {
        char *end = NULL;
        if (strncmp(text, "random:", 7) != 0 || text[7] < '0' || text[7] > '9')
            return gb_fail(err, GB_INVALID,
                           "GPUBENCH_FIBERS is '%.100s'; valid: forward, reverse, random, "
                           "random:SEED",
                           text);
        *seed = strtoull(text + 7, &end, 10);
        if (*end != '\0')
            return gb_fail(err, GB_INVALID,
                           "GPUBENCH_FIBERS is '%.100s'; the seed is a whole number", text);
        *order = GB_FIBERS_RANDOM;
    }
    return GB_OK;
}

/* To the scheduler, from the fiber that runs; returns when it gets its next turn. */
static void yield(fiber_set *set)
{
    fiber *self = &set->fibers[set->current];
    inside = false;
    gb_tsan_release(&set->end); /* the scheduler alone acquires it */
    gb_asan_leave(&self->asan_fake, set->scheduler_bottom, set->scheduler_size);
    gb_tsan_switch(set->scheduler_tsan);
    gb_stack_switch(&self->stack_state, &set->scheduler);
    gb_asan_enter(self->asan_fake, &set->scheduler_bottom, &set->scheduler_size);
    inside = true;
}

/* The life of a fiber: one thread of one block after another. */
static void fiber_main(void)
{
    fiber_set *set = own_set;
    gb_asan_enter(NULL, &set->scheduler_bottom, &set->scheduler_size);
    inside = true;
    for (;;) {
        uint32_t thread = set->current;
        gb_tsan_acquire(&set->start);
        set->body(set->context, thread);
        set->fibers[thread].state = DONE;
        yield(set);
    }
}

/* A fresh start at fiber_main; also for one that was left in the middle of a broken block. */
static void reset_fiber(fiber *f, uint32_t index)
{
    gb_asan_forget(f->stack, GB_FIBER_STACK_BYTES);
    /* Tops are staggered by a cache line: equal offsets would all fall into one cache set. */
    size_t size = GB_FIBER_STACK_BYTES - (size_t)(index % 64) * 64;
    gb_stack_prepare(&f->stack_state, f->stack, size, fiber_main);
    memcpy(f->stack, &(uint64_t){CANARY}, sizeof(uint64_t));
    if (f->tsan != NULL)
        gb_tsan_destroy(f->tsan);
    f->tsan = gb_tsan_create();
    f->asan_fake = NULL;
    f->state = DONE;
}

static gb_code make_fibers(uint32_t threads, gb_error *err)
{
    if (own_set == NULL) {
        own_set = calloc(1, sizeof *own_set);
        if (own_set == NULL)
            return gb_fail(err, GB_NO_MEMORY, "no memory for the fibers of a block");
    }
    fiber_set *set = own_set;
    if (threads <= set->made)
        return GB_OK;
    uint32_t count = threads - set->made;
    size_t bytes = (size_t)count * GB_FIBER_STACK_BYTES;
    char *stacks = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stacks == MAP_FAILED)
        return gb_fail(err, GB_NO_MEMORY, "stacks for %" PRIu32 " fibers (%zu bytes) refused",
                       count, bytes);
    for (uint32_t i = 0; i < count; i++) {
        fiber *f = &set->fibers[set->made + i];
        f->stack = stacks + (size_t)i * GB_FIBER_STACK_BYTES;
        reset_fiber(f, set->made + i);
    }
    set->made = threads;
    return GB_OK;
}

static void give_turn(fiber_set *set, uint32_t thread)
{
    fiber *f = &set->fibers[thread];
    set->current = thread;
    gb_asan_leave(&set->scheduler_fake, f->stack, GB_FIBER_STACK_BYTES);
    gb_tsan_switch(f->tsan);
    gb_stack_switch(&set->scheduler, &f->stack_state);
    gb_asan_enter(set->scheduler_fake, NULL, NULL);
    if (memcmp(f->stack, &(uint64_t){CANARY}, sizeof(uint64_t)) != 0)
        set->problem = "overflows its stack";
}

static uint32_t warp_threads(const fiber_set *set, uint32_t warp)
{
    uint32_t rest = set->threads - warp * GB_WARP;
    return rest < GB_WARP ? rest : GB_WARP;
}

/* How many of the fibers [first, first + n) are in a state. */
static uint32_t count_in(const fiber_set *set, uint32_t first, uint32_t n, fiber_state state)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        count += set->fibers[first + i].state == state;
    return count;
}

static void open_for(fiber_set *set, uint32_t first, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        set->fibers[first + i].state = READY;
}

/* Opens every barrier that all its threads have reached; false: none. */
static bool open_barriers(fiber_set *set)
{
    bool opened = false;
    if (count_in(set, 0, set->threads, AT_BARRIER) == set->threads) {
        open_for(set, 0, set->threads);
        set->barrier_turn ^= 1;
        return true;
    }
    for (uint32_t warp = 0; warp * GB_WARP < set->threads; warp++) {
        uint32_t n = warp_threads(set, warp);
        if (count_in(set, warp * GB_WARP, n, AT_WARP_BARRIER) == n) {
            open_for(set, warp * GB_WARP, n);
            set->warp_turn[warp] ^= 1;
            opened = true;
        }
    }
    return opened;
}

static gb_code broken_block(fiber_set *set, const char *kernel, const uint32_t block[3],
                            gb_error *err)
{
    uint32_t done = count_in(set, 0, set->threads, DONE);
    uint32_t at_barrier = count_in(set, 0, set->threads, AT_BARRIER);
    uint32_t at_warp = count_in(set, 0, set->threads, AT_WARP_BARRIER);
    if (set->problem != NULL)
        gb_fail(err, GB_DEVICE_ERROR,
                "kernel '%s', block (%" PRIu32 ", %" PRIu32 ", %" PRIu32 "): thread %" PRIu32 " %s",
                kernel, block[0], block[1], block[2], set->current, set->problem);
    else
        gb_fail(err, GB_DEVICE_ERROR,
                "kernel '%s', block (%" PRIu32 ", %" PRIu32 ", %" PRIu32 "): a barrier that not "
                "all threads reach: of %" PRIu32 " threads %" PRIu32 " wait at __syncthreads, "
                "%" PRIu32 " at a warp barrier or shuffle, %" PRIu32 " have ended",
                kernel, block[0], block[1], block[2], set->threads, at_barrier, at_warp, done);
    set->problem = NULL;
    gb_tsan_acquire(&set->end);
    for (uint32_t i = 0; i < set->threads; i++)
        reset_fiber(&set->fibers[i], i);
    return GB_DEVICE_ERROR;
}

/* One turn for each fiber that is ready and in the warp that is held back, or in one of the others.
 * *turned: how many had one. False when a fiber broke a rule. */
static bool give_turns(fiber_set *set, const uint32_t turns[], bool held_back, uint32_t *turned)
{
    for (uint32_t i = 0; i < set->threads; i++) {
        if (set->fibers[turns[i]].state != READY || (turns[i] / GB_WARP == set->slow) != held_back)
            continue;
        ++*turned;
        give_turn(set, turns[i]);
        if (set->problem != NULL)
            return false;
    }
    return true;
}

static bool run_round(fiber_set *set, gb_rng *rng, gb_fiber_order order)
{
    uint32_t turns[GB_MAX_BLOCK_THREADS], turned = 0;
    for (uint32_t i = 0; i < set->threads; i++)
        turns[i] = order == GB_FIBERS_REVERSE ? set->threads - 1 - i : i;
    if (order == GB_FIBERS_RANDOM) {
        gb_rng_shuffle(rng, turns, set->threads);
        if (set->slow == WARPS || set->slow_turn != set->barrier_turn)
            set->slow = (uint32_t)gb_rng_below(rng, (set->threads + GB_WARP - 1) / GB_WARP);
        set->slow_turn = set->barrier_turn;
    }
    if (!give_turns(set, turns, false, &turned))
        return false;
    return turned > 0 || give_turns(set, turns, true, &turned);
}

gb_code gb_fiber_run(const char *kernel, const uint32_t block[3], uint32_t threads,
                     void (*body)(void *context, uint32_t thread), void *context, gb_error *err)
{
    gb_code code = make_fibers(threads, err);
    if (code != GB_OK)
        return code;
    fiber_set *set = own_set;
    gb_rng rng = {gb_rng_derive(fiber_seed, block[0] + ((uint64_t)block[1] << 24) +
                                                ((uint64_t)block[2] << 44))};
    blocks_run++;
    set->threads = threads;
    set->body = body;
    set->context = context;
    set->problem = NULL;
    set->scheduler_tsan = gb_tsan_current();
    set->barrier_turn = 0;
    set->slow = WARPS; /* none */
    memset(set->warp_turn, 0, sizeof set->warp_turn);
    open_for(set, 0, threads);
    gb_tsan_release(&set->start);
    do {
        if (!run_round(set, &rng, fiber_order))
            return broken_block(set, kernel, block, err);
    } while (open_barriers(set) || count_in(set, 0, threads, READY) > 0);
    if (count_in(set, 0, threads, DONE) != threads)
        return broken_block(set, kernel, block, err);
    gb_tsan_acquire(&set->end);
    return GB_OK;
}

/* Gives up on this block; never returns into the kernel, because the fiber is reset. */
static void give_up(fiber_set *set, const char *problem)
{
    set->problem = problem;
    yield(set);
}

void gb_fiber_barrier(void)
{
    if (!inside) {
        misuse = true;
        return;
    }
    fiber_set *set = own_set;
    uint8_t turn = set->barrier_turn;
    gb_tsan_release(&set->barrier[turn]);
    set->fibers[set->current].state = AT_BARRIER;
    yield(set);
    gb_tsan_acquire(&set->barrier[turn]);
}

void gb_fiber_warp_barrier(uint32_t mask)
{
    if (!inside) {
        misuse = true;
        return;
    }
    fiber_set *set = own_set;
    uint32_t warp = set->current / GB_WARP, lanes = warp_threads(set, warp);
    uint32_t whole = lanes == GB_WARP ? UINT32_MAX : (1u << lanes) - 1;
    if ((mask & whole) != whole)
        give_up(set,
                "uses a warp barrier or shuffle with a mask that leaves out threads of the warp");
    uint8_t turn = set->warp_turn[warp];
    gb_tsan_release(&set->warp_barrier[warp][turn]);
    set->fibers[set->current].state = AT_WARP_BARRIER;
    yield(set);
    gb_tsan_acquire(&set->warp_barrier[warp][turn]);
}

const uint64_t *gb_fiber_exchange(uint32_t mask, uint64_t value, uint32_t *lane, uint32_t *lanes)
{
    if (!inside) {
        misuse = true;
        return NULL;
    }
    fiber_set *set = own_set;
    uint32_t warp = set->current / GB_WARP;
    *lane = set->current % GB_WARP;
    *lanes = warp_threads(set, warp);
    set->slots[warp][*lane] = value;
    gb_fiber_warp_barrier(mask);
    return set->slots[warp];
}

void gb_fiber_exchange_end(uint32_t mask)
{
    gb_fiber_warp_barrier(mask);
}

void gb_fiber_poison(void *shared, size_t bytes, uint64_t *seen)
{
    if (!inside || *seen == blocks_run)
        return;
    *seen = blocks_run;
    for (volatile char *p = shared; p < (volatile char *)shared + bytes; p++)
        *p = (char)0xff; /* no memset: TSan would see it as this fiber's write */
}

bool gb_fiber_take_misuse(void)
{
    bool was = misuse;
    misuse = false;
    return was;
}

void gb_fiber_thread_exit(void)
{
    if (own_set == NULL)
        return;
    for (uint32_t i = 0; i < own_set->made; i++) {
        if (own_set->fibers[i].tsan != NULL)
            gb_tsan_destroy(own_set->fibers[i].tsan);
        gb_asan_forget(own_set->fibers[i].stack, GB_FIBER_STACK_BYTES);
        munmap(own_set->fibers[i].stack, GB_FIBER_STACK_BYTES);
    }
    free(own_set);
    own_set = NULL;
}
