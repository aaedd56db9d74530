/* Tasks: what a kernel lets another process do, started afresh from this binary with
 * device/process.h as `gpubench worker --task NAME ARGUMENT...`, so that it has a device, caches
 * and a runtime of its own. A task talks to who started it over its GB_PROCESS_FD and its standard
 * input, and ends by itself when that goes away (gb_process_start sees to it). */
#ifndef GB_KERNELS_TASK_H
#define GB_KERNELS_TASK_H

#include <stddef.h>

typedef struct gb_task {
    const char *name;
    /* argv[0] is the first argument after the name. Returns the exit status of the process. */
    int (*run)(int argc, char *argv[]);
} gb_task;

/* Runs a task by name; 2, with a word on stderr, when there is none. */
int gb_task_main(const char *name, int argc, char *argv[]);

#endif
