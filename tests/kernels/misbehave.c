/* A kernel for tests of the supervisor: what it does, good or bad, is its parameter `how`. It is in
 * gpubench-test only; the product has no such hooks. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kernels/kernel.h"

#define BYTES 4096
#define FILLED 0x5a

enum how {
    GOOD,        /* fills a block of memory */
    CRASH,       /* SIGSEGV */
    ABORT,       /* SIGABRT, after words on stderr */
    LEAVE,       /* exit(7) */
    HANG,        /* never returns */
    STUBBORN,    /* the same, and ignores SIGTERM and SIGINT */
    WRONG,       /* leaves the memory as it was */
    FAIL,        /* a device call fails */
    LOST,        /* a device call fails and the context is lost */
    SLOW,        /* takes half a second to prepare */
    NOISY,       /* iterations of very different length */
    GARBAGE,     /* writes much nonsense to stdout and stderr */
    STRAY,       /* writes nonsense to the supervisor's pipe */
    SPAWN,       /* leaves a child process behind */
    HUGE_MEMORY, /* wants more memory than there is */
    PACED /* works for a while that the build decides: gpubench-test-slow takes 10 % longer */
};
static const char *const how_words[] = {"good",  "crash", "abort", "exit",  "hang",  "stubborn",
                                        "wrong", "fail",  "lost",  "slow",  "noisy", "garbage",
                                        "stray", "spawn", "huge",  "paced", NULL};

static const gb_param params[] = {
    {.name = "how",
     .summary = "what it does",
     .kind = GB_PARAM_WORD,
     .words = how_words,
     .default_value = {.word = "good"}},
    {.name = "n",
     .summary = "makes many cases of one",
     .kind = GB_PARAM_COUNT,
     .min = 1,
     .max = 1000000,
     .default_value = {.number = 1}},
};
static const gb_metric_spec metrics[] = {{.name = "bandwidth",
                                          .unit = "B/s",
                                          .summary = "bytes filled",
                                          .higher_is_better = true,
                                          .numerator = GB_PER_BYTES_MOVED,
                                          .part = -1}};

static enum how how_of(const gb_value args[])
{
    int how = 0;
    while (strcmp(how_words[how], args[0].word) != 0)
        how++;
    return (enum how)how;
}

static gb_code check(const gb_value args[], gb_device_kind kind, gb_need *need, gb_error *err)
{
    (void)kind;
    (void)err;
    need->device_bytes = how_of(args) == HUGE_MEMORY ? (uint64_t)1 << 50 : BYTES;
    return GB_OK;
}

static void work(const gb_value args[], gb_device_kind kind, gb_work *out)
{
    (void)args;
    (void)kind;
    *out = (gb_work){.bytes_written = BYTES, .bytes_moved = BYTES, .working_set = BYTES};
}

static void pass_ms(long ms)
{
    struct timespec span = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&span, NULL);
}

static void litter(int fd)
{
    static const char junk[] = "\xff\xfe\x1b[31m{\"event\":\"record\"}\n\0\n%s%n";
    for (int i = 0; i < 20000; i++) {
        if (write(fd, junk, sizeof junk) < 0)
            return;
    }
}

static gb_code prepare(gb_run *run, gb_error *err)
{
    gb_memory *memory = calloc(1, sizeof *memory);
    if (!memory)
        return gb_fail(err, GB_NO_MEMORY, "no memory");
    run->state = memory;
    if (how_of(run->args) == SLOW)
        pass_ms(500);
    size_t bytes = how_of(run->args) == HUGE_MEMORY ? (size_t)1 << 50 : BYTES;
    return run->dev->ops->alloc(run->dev, GB_MEM_DEVICE, bytes, memory, err);
}

#ifndef GB_TEST_PACE
#define GB_TEST_PACE 100 /* percent */
#endif

/* About 0.2 ms of work that no compiler can shorten: each step needs the one before. */
static void work_a_while(void)
{
    volatile uint32_t x = 1;
    for (uint32_t i = 0; i < 1000u * GB_TEST_PACE; i++)
        x = x * 1664525u + 1013904223u;
}

/* What ends or disturbs the process. */
static void misbehave(gb_run *run, enum how how)
{
    switch (how) {
    case CRASH:
        signal(SIGSEGV, SIG_DFL); /* a sanitizer has a handler of its own */
        raise(SIGSEGV);
        break;
    case ABORT:
        fputs("these are my last words\n", stderr);
        abort();
    case LEAVE:
        exit(7);
    case STUBBORN:
        signal(SIGTERM, SIG_IGN);
        signal(SIGINT, SIG_IGN);
        /* fall through */
    case HANG:
        for (;;)
            pass_ms(1000);
    case NOISY:
        pass_ms((long)(run->iteration % 7));
        break;
    case GARBAGE:
        if (run->iteration == 0) {
            litter(STDOUT_FILENO);
            litter(STDERR_FILENO);
        }
        break;
    case STRAY:
        litter(3);
        break;
    case PACED:
        work_a_while();
        break;
    case SPAWN:
        if (run->iteration == 0 && fork() == 0) {
            pass_ms(600000);
            _exit(0);
        }
        break;
    default:
        break;
    }
}

static gb_code enqueue(gb_run *run, gb_error *err)
{
    const gb_memory *memory = run->state;
    enum how how = how_of(run->args);
    misbehave(run, how);
    if (how == FAIL || how == LOST) {
        gb_fail(err, GB_DEVICE_ERROR, "cudaLaunchKernel: 700 (cudaErrorIllegalAddress)");
        err->device_status = 700;
        err->sticky = how == LOST;
        return GB_DEVICE_ERROR;
    }
    if (how == WRONG)
        return GB_OK;
    return run->dev->ops->fill(run->dev, run->stream, memory->device, FILLED, BYTES, err);
}

static gb_code reset(gb_run *run, gb_error *err)
{
    const gb_memory *memory = run->state;
    return run->dev->ops->fill(run->dev, run->stream, memory->device, 0xff, BYTES, err);
}

static gb_code verify(gb_run *run, gb_error *err)
{
    const gb_memory *memory = run->state;
    unsigned char found[BYTES];
    gb_code code =
        run->dev->ops->copy(run->dev, run->stream, found, memory->device, BYTES, GB_COPY_D2H, err);
    if (!code)
        code = run->dev->ops->stream_sync(run->dev, run->stream, err);
    for (size_t i = 0; !code && i < BYTES; i++) {
        if (found[i] != FILLED)
            code =
                gb_fail(err, GB_WRONG_RESULT, "byte %zu is %u, expected %u", i, found[i], FILLED);
    }
    return code;
}

static void release(gb_run *run)
{
    if (run->state)
        run->dev->ops->free(run->dev, run->state);
    free(run->state);
    run->state = NULL;
}

extern const gb_kernel gb_kernel_misbehave;
const gb_kernel gb_kernel_misbehave = {
    .spec = {.name = "misbehave",
             .summary = "does what it should not",
             .lesson = "A worker may die in many ways.",
             .picture = "None.",
             .source = "tests/kernels/misbehave.c",
             .version = 1,
             .params = params,
             .n_params = sizeof params / sizeof params[0],
             .metrics = metrics,
             .n_metrics = 1,
             .devices = GB_ANY_DEVICE,
             .timers = GB_BIT(GB_TIMER_DEVICE) | GB_BIT(GB_TIMER_ROUNDTRIP),
             .caches = GB_BIT(GB_CACHE_WARM),
             .default_timer = GB_TIMER_ROUNDTRIP,
             .check = check,
             .work = work},
    .prepare = prepare,
    .enqueue = enqueue,
    .reset = reset,
    .verify = verify,
    .release = release};
