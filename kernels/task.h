/* Tasks: what a kernel lets another process do, started afresh from this binary with
 * device/process.h as `gpubench worker --task NAME ARGUMENT...`, so that it has a device, caches
 * and a runtime of its own. A task talks to who started it over its GB_PROCESS_FD and its standard
 * input, and ends by itself when that goes away (gb_process_start sees to it). */
#ifndef GB_KERNELS_TASK_H
#define GB_KERNELS_TASK_H

#include <stddef.h>

#include "device/device.h"

typedef struct gb_task {
    const char *name;
    /* argv[0] is the first argument after the name. Returns the exit status of the process. */
    int (*run)(int argc, char *argv[]);
} gb_task;

/* What tasks need of the program that they are part of, which sets it where it starts.
 *   program    knows `worker --task`: tasks are started from it. NULL: none may be started.
 *   open_cuda  gb_device_cuda_open, which kernels do not link. NULL: a build without it. */
typedef struct gb_task_host {
    const char *program;
    gb_code (*open_cuda)(int index, gb_device **out, gb_error *err);
} gb_task_host;
extern gb_task_host gb_tasks;

/* Runs a task by name; 2, with a word on stderr, when there is none. */
int gb_task_main(const char *name, int argc, char *argv[]);

#endif
