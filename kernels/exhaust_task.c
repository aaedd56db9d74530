/* exhaust, in a process of its own whose address space is bounded (RLIMIT_AS): blocks until one is
 * refused by the system, which has enough for everybody else. */
#include "kernels/exhaust.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

gb_code gb_exhaust_use(gb_run *run, gb_allocator *allocator, size_t bytes, uint64_t kept,
                       uint32_t *to, gb_error *err)
{
    const gb_device_ops *ops = run->dev->ops;
    const uint64_t words = bytes / sizeof(uint32_t);
    gb_memory memory;
    gb_code code = gb_allocator_take(run, allocator, bytes, &memory, err);
    if (code != GB_OK)
        return gb_fail_context(err, "what should be had at any time");
    code = gb_mark(run, memory.device, words, gb_mark_salt(run->seed, 0), err);
    if (code == GB_OK)
        code = gb_mark_keep(run, memory.device, words, kept, to, err);
    gb_code more = ops->stream_sync(run->dev, run->stream, code == GB_OK ? err : NULL);
    code = code != GB_OK ? code : more;
    more = gb_allocator_give(run, allocator, &memory, code == GB_OK ? err : NULL);
    return code != GB_OK ? code : more;
}

gb_code gb_exhaust_refused(gb_run *run, gb_allocator *allocator, size_t bytes, gb_error *err)
{
    gb_memory memory;
    gb_error why = {0};
    const gb_code code = gb_allocator_take(run, allocator, bytes, &memory, &why);
    if (code == GB_OK) {
        gb_allocator_give(run, allocator, &memory, NULL);
        return gb_fail(err, GB_WRONG_RESULT, "exhaust: %zu bytes were granted", bytes);
    }
    if (code == GB_UNAVAILABLE || (code == GB_NO_MEMORY && !why.sticky)) {
        if (code == GB_UNAVAILABLE && err != NULL)
            *err = why;
        return code == GB_NO_MEMORY ? GB_OK : code;
    }
    return gb_fail(err, GB_WRONG_RESULT, "exhaust: %zu bytes were refused as %s: %s", bytes,
                   gb_code_word(code), why.message);
}

/* What this process has now, and so much more, is all that it may have. */
static gb_code bound_address_space(uint64_t more, gb_error *err)
{
    unsigned long long pages = 0;
    FILE *statm = fopen("/proc/self/statm", "re");
    const int n = statm != NULL ? fscanf(statm, "%llu", &pages) : 0;
    if (statm != NULL)
        fclose(statm);
    struct rlimit limit;
    if (n != 1 || getrlimit(RLIMIT_AS, &limit) != 0)
        return gb_fail(err, GB_UNAVAILABLE, "the size of this process cannot be read");
    limit.rlim_cur = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + more;
    if (limit.rlim_cur > limit.rlim_max || setrlimit(RLIMIT_AS, &limit) != 0)
        return gb_fail(err, GB_UNAVAILABLE, "the address space of a process cannot be bounded");
    return GB_OK;
}

/* Blocks until one is refused. One more than fits must be. */
static gb_code fill(gb_run *run, gb_allocator *allocator, uint64_t block,
                    gb_memory blocks[EXHAUST_BLOCKS], uint64_t at[], gb_error *err)
{
    gb_code code = GB_OK;
    at[EXHAUST_AT_BEGIN] = gb_now_ns();
    for (int i = 0; i < EXHAUST_BLOCKS; i++) {
        gb_error why = {0};
        at[EXHAUST_AT_FULL] = gb_now_ns();
        code = gb_allocator_take(run, allocator, (size_t)block, &blocks[i], &why);
        at[EXHAUST_AT_REFUSED] = gb_now_ns();
        if (code == GB_NO_MEMORY && i > 0)
            return GB_OK;
        if (code != GB_OK) {
            *err = why;
            return code;
        }
    }
    return gb_fail(err, GB_UNAVAILABLE,
                   "the system does not hold a process to its bound (RLIMIT_AS): %d blocks of "
                   "%" PRIu64 " bytes were granted",
                   EXHAUST_BLOCKS, block);
}

static gb_code run_task(gb_run *run, int argc, char *argv[], gb_child_answer *answer,
                        gb_memory blocks[EXHAUST_BLOCKS], gb_error *err)
{
    gb_allocator allocator = {.way = GB_WAY_PLAIN, .kind = GB_MEM_DEVICE};
    const uint64_t budget = gb_child_number(argc, argv, EXHAUST_GIVEN_BUDGET);
    const size_t bytes = (size_t)gb_child_number(argc, argv, EXHAUST_GIVEN_BYTES);
    const uint64_t kept = gb_mark_kept(bytes / sizeof(uint32_t), GB_CHILD_WORDS / 2);
    gb_code code = gb_child_open(argc, argv, run, err);
    run->seed = gb_child_number(argc, argv, EXHAUST_GIVEN_SEED);
    if (code == GB_OK) /* once before, so that code and threads are there */
        code = gb_exhaust_use(run, &allocator, bytes, kept, answer->words, err);
    if (code == GB_OK)
        code = bound_address_space(budget, err);
    if (code == GB_OK) /* the last of so many blocks cannot fit beside what else there is */
        code = fill(run, &allocator, budget / (EXHAUST_BLOCKS - 1), blocks, answer->at_ns, err);
    if (code != GB_OK)
        return code;
    run->dev->ops->free(run->dev, &blocks[0]);
    answer->at_ns[EXHAUST_AT_FREED] = gb_now_ns();
    for (uint64_t i = 0; i < GB_CHILD_WORDS; i++)
        answer->words[i] = UINT32_MAX;
    code = gb_exhaust_use(run, &allocator, bytes, kept, answer->words, err);
    answer->at_ns[EXHAUST_AT_USED] = gb_now_ns();
    return code;
}

static int exhaust_main(int argc, char *argv[])
{
    static gb_child_answer answer;
    gb_memory blocks[EXHAUST_BLOCKS] = {0};
    gb_error why = {0};
    gb_run run;
    gb_code code = run_task(&run, argc, argv, &answer, blocks, &why);
    const int status = gb_child_answer_write(&answer, code, &why);
    for (int i = 0; run.dev != NULL && i < EXHAUST_BLOCKS; i++)
        run.dev->ops->free(run.dev, &blocks[i]);
    gb_child_close(&run);
    return status;
}

const gb_task gb_exhaust_task = {"exhaust", exhaust_main};
