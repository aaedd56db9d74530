/* A task (task.h) in a process of its own, and its one answer: how a kernel starts it and waits,
 * and how the task opens its device and answers. */
#ifndef GB_KERNELS_CHILD_H
#define GB_KERNELS_CHILD_H

#include "device/process.h"
#include "kernels/kernel.h"
#include "kernels/task.h"

enum { GB_CHILD_MARKS = 8, GB_CHILD_WORDS = 2048 };

/* What a task answers; both ends are the same program. Times: gb_now_ns, one clock for all
 * processes of a machine. */
typedef struct gb_child_answer {
    gb_code code;       /* not GB_OK: `message` says why, the rest means nothing */
    char message[1024]; /* as of a gb_error */
    uint64_t at_ns[GB_CHILD_MARKS];
    double value;
    uint32_t words[GB_CHILD_WORDS]; /* a result for whoever asked to check */
} gb_child_answer;

typedef struct gb_child {
    gb_process process;
    uint64_t started_ns;  /* before it was started */
    uint64_t answered_ns; /* when its answer was read whole */
} gb_child;

/* Starts `task` for run's device with up to 4 numbers as further arguments and waits for its
 * answer, at most two minutes. The task goes on; end it with gb_child_end, whatever this returned.
 * Errors: GB_IO, GB_TIMEOUT, GB_CRASHED (it ended without an answer), and what the task answered; a
 * device that bears one process alone is GB_UNAVAILABLE. */
gb_code gb_child_start(gb_run *run, const char *task, const uint64_t numbers[], size_t n,
                       gb_child *child, gb_child_answer *answer, gb_error *err);
/* The same to its end, for which it has 10 s; the first words of its answer are left in `result`.
 */
gb_code gb_child_ask(gb_run *run, const char *task, const uint64_t numbers[], size_t n,
                     const gb_memory *result, gb_child *child, gb_child_answer *answer,
                     gb_error *err);
/* Waits up to grace_ms for its end, then kills it. */
gb_code gb_child_end(gb_child *child, int grace_ms, gb_error *err);

/* --- in the task --- */

/* From the task's arguments: opens the device and a stream. run->dev is NULL when there is none. */
gb_code gb_child_open(int argc, char *argv[], gb_run *run, gb_error *err);
/* The number with that index among `numbers`; 0 when it was not given. */
uint64_t gb_child_number(int argc, char *argv[], int index);
/* Closes what gb_child_open has opened. */
void gb_child_close(gb_run *run);
/* Answers, with `why` where code is not GB_OK; the exit status of the process. */
int gb_child_answer_write(gb_child_answer *answer, gb_code code, const gb_error *why);

#endif
