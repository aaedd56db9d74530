/* reclaim, in a process of its own: has memory, has a kernel write all of it, and holds it until
 * somebody kills the process. */
#include "kernels/reclaim.h"

#include <unistd.h>

static int reclaim_main(int argc, char *argv[])
{
    static gb_child_answer answer;
    gb_error why = {0};
    gb_run run;
    gb_memory memory = {0};
    const size_t bytes = (size_t)gb_child_number(argc, argv, RECLAIM_GIVEN_BYTES);
    const uint64_t words = bytes / sizeof(uint32_t);
    const uint64_t kept = gb_mark_kept(words, GB_CHILD_WORDS / 2);
    gb_code code = gb_child_open(argc, argv, &run, &why);
    run.seed = gb_child_number(argc, argv, RECLAIM_GIVEN_SEED);
    if (code == GB_OK)
        code = run.dev->ops->alloc(run.dev, GB_MEM_DEVICE, bytes, &memory, &why);
    if (code == GB_OK)
        code = gb_mark(&run, memory.device, words, gb_mark_salt(run.seed, 0), &why);
    if (code == GB_OK)
        code = gb_mark_keep(&run, memory.device, words, kept, answer.words, &why);
    if (code == GB_OK)
        code = run.dev->ops->stream_sync(run.dev, run.stream, &why);
    int status = gb_child_answer_write(&answer, code, &why);
    while (code == GB_OK && status == 0)
        pause();
    if (run.dev != NULL)
        run.dev->ops->free(run.dev, &memory);
    gb_child_close(&run);
    return status;
}

const gb_task gb_reclaim_task = {"reclaim", reclaim_main};
