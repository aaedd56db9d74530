/* startup: a process of its own for each sample, from its start to a right result.
 * startup_task.c is that process. */
#include "kernels/startup.h"

#include <string.h>

enum { CALL, BYTES };
enum { PROCESS, OPEN, MEMORY, FIRST, CHECK, WHOLE, SECOND = WHOLE, STEADY, PARTS };

static const char *const call_words[] = {
    [STARTUP_LAUNCH] = "launch", [STARTUP_BLAS] = "blas", NULL};

static const gb_param params[] = {
    [CALL] = GB_WORD_PARAM("call", call_words, "launch",
                           "what is called first: a kernel of our own, or a product of the "
                           "vendor's BLAS"),
    [BYTES] = GB_BYTES_PARAM("bytes", 4, UINT64_C(1) << 32, UINT64_C(1) << 20,
                             "result of the kernel of our own"),
};

static const char *const parts[] = {
    [PROCESS] = "process", [OPEN] = "open",     [MEMORY] = "memory", [FIRST] = "first",
    [CHECK] = "check",     [SECOND] = "second", [STEADY] = "steady", [PARTS] = NULL};

static const gb_metric_spec metrics[] = {
    GB_TIME("process_start", PROCESS, "from before the process is started to its main"),
    GB_TIME("device_open", OPEN, "opening the device (CUDA: the context), with a stream"),
    GB_TIME("first_memory", MEMORY, "first allocations, copy and fill"),
    GB_TIME("first_call", FIRST, "the first call, until it is done: loads its code"),
    GB_TIME("result_check", CHECK, "the result to the host, and its check"),
    GB_TIME("second_call", SECOND, "the second call, until it is done"),
    GB_TIME("steady_call", STEADY, "the median of those that follow"),
};

typedef struct state {
    gb_marked block;
    startup_call call;
} state;

static startup_call call_of(const gb_value args[])
{
    return (startup_call)gb_word_index(call_words, args[CALL]);
}

static uint64_t words_of(const gb_value args[])
{
    return call_of(args) == STARTUP_BLAS ? STARTUP_SIDE * STARTUP_SIDE
                                         : args[BYTES].number / sizeof(uint32_t);
}

static uint64_t kept_of(const gb_value args[])
{
    return gb_mark_kept(words_of(args), STARTUP_KEPT);
}

/* What the other process allocates is its own: where it is refused, the case is skipped. */
static gb_code check(const gb_value args[], gb_device_kind kind, gb_need *need, gb_error *err)
{
    (void)kind, (void)err;
    *need = (gb_need){.host_bytes = gb_mark_bytes(kept_of(args))};
    return GB_OK;
}

/* One process. */
static gb_code once(gb_run *run, gb_sample *out, gb_error *err)
{
    const state *s = run->state;
    gb_child child;
    gb_child_answer answer;
    const uint64_t given[STARTUP_GIVEN] = {
        [STARTUP_GIVEN_CALL] = s->call,
        [STARTUP_GIVEN_BYTES] = run->args[BYTES].number,
        [STARTUP_GIVEN_SEED] = run->seed,
    };
    gb_code code = gb_child_ask(run, gb_startup_task.name, given, STARTUP_GIVEN, &s->block.ends,
                                &child, &answer, err);
    const uint64_t *at = answer.at_ns;
    const double took[PARTS] = {
        [PROCESS] = (double)(at[STARTUP_AT_MAIN] - child.started_ns),
        [OPEN] = (double)(at[STARTUP_AT_OPEN] - at[STARTUP_AT_MAIN]),
        [MEMORY] = (double)(at[STARTUP_AT_MEMORY] - at[STARTUP_AT_OPEN]),
        [FIRST] = (double)(at[STARTUP_AT_FIRST] - at[STARTUP_AT_MEMORY]),
        [CHECK] = (double)(at[STARTUP_AT_CHECKED] - at[STARTUP_AT_FIRST]),
        [SECOND] = (double)(at[STARTUP_AT_SECOND] - at[STARTUP_AT_AGAIN]),
        [STEADY] = answer.value,
    };
    for (int p = 0; p < PARTS; p++)
        out->parts[p] += took[p];
    out->ns += (double)(at[STARTUP_AT_CHECKED] - child.started_ns);
    return code;
}

static gb_code prepare(gb_run *run, gb_error *err)
{
    state *s = gb_state_new(run, sizeof *s, "startup", err);
    if (s == NULL)
        return GB_NO_MEMORY;
    s->call = call_of(run->args);
    s->block = (gb_marked){
        .once = once, .parts = PARTS, .words = words_of(run->args), .kept = kept_of(run->args)};
    return gb_marked_alloc(run, &s->block, err);
}

/* Against what this process computes, not what the other one thought. */
static gb_code verify(gb_run *run, gb_error *err)
{
    const state *s = run->state;
    const gb_marked *b = &s->block;
    const uint32_t *found = b->ends.host;
    gb_mismatch bad = {0};
    if (s->call == STARTUP_LAUNCH)
        return gb_marked_check(run, b, "startup: words of the result", err);
    for (uint64_t i = 0; i < 2 * b->kept; i++) {
        const uint64_t element = i < b->kept ? i : b->words - 2 * b->kept + i;
        float value;
        memcpy(&value, &found[i], sizeof value);
        gb_compare_f64(
            &bad, i,
            (double)gb_startup_product(run->seed, element / STARTUP_SIDE, element % STARTUP_SIDE),
            (double)value, 0);
    }
    return gb_mismatch_result(&bad, "startup: words of the result", 2 * b->kept, sizeof(uint32_t),
                              err);
}

const gb_kernel gb_kernel_startup = {
    .spec =
        {
            .name = "startup",
            .source = "kernels/allocate.cu",
            .version = 1,
            .summary = "from the start of a process to its first right result, step by step",
            .lesson =
                "A program's first result costs far more than its second. The process has to be "
                "loaded, the device opened (on a GPU a context is made, with its page tables and "
                "queues), memory had for the first time, and the code brought to the device: "
                "CUDA loads a module when its first kernel is launched, a BLAS brings hundreds of "
                "megabytes. What starts often (a command line tool, a function in a cloud, a "
                "worker that "
                "scales out, a test) pays this each time, and a benchmark that took its first "
                "call for a sample would measure little else.",
            .picture =
                "The bar of a case shows which step takes the time: on a GPU opening the device "
                "and "
                "the first call, on a CPU the start of the process and of its threads. With the "
                "vendor's BLAS the first call is longer: its library is loaded in it. The second "
                "call and those that follow come after the whole and are no part of the bar; the "
                "table has them, in their own unit, which is the point.",
            GB_TABLES(params, metrics, check, gb_work_one),
            .parts = parts,
            .parts_after = PARTS - WHOLE,
            GB_TIMED_BY_HOST,
        },
    GB_LIFE(prepare, gb_marked_enqueue, gb_marked_reset, verify, gb_marked_release),
    .sample = gb_marked_sample,
};
