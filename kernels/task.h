/* Tasks: what a kernel lets another process do, started afresh from this binary with
 * device/process.h as `gpubench worker --task NAME ARGUMENT...`, so that it has a device, caches
 * and a runtime of its own. A task talks to who started it over its GB_PROCESS_FD and its standard
 * input, and ends by itself when that goes away (gb_process_start sees to it). */
#ifndef GB_KERNELS_TASK_H
#define GB_KERNELS_TASK_H

#include <stddef.h>

#include "device/device.h"
#include "device/process.h"

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

/* Starts the task of that name from `program`, for a device that it opens with gb_task_open:
 * `more`, up to a NULL and at most 8, are the arguments after those that name the device. GB_IO;
 * GB_UNAVAILABLE: no program. */
gb_code gb_task_start(const char *program, const char *task, const gb_device_info *device,
                      const char *const more[], gb_process *out, gb_error *err);
/* Of a task that has closed its events: waits for its end and says what became of it, after `who`
 * and before `when`. GB_CRASHED, or GB_TIMEOUT. */
gb_code gb_task_mourn(gb_process *process, const char *who, const char *when, gb_error *err);

/* In the task: opens the device, from the first two arguments; the others are argv[GB_TASK_MORE]
 * and so on. */
enum { GB_TASK_KIND, GB_TASK_INDEX, GB_TASK_MORE };
gb_code gb_task_open(int argc, char *argv[], gb_device **out, gb_error *err);

/* Runs a task by name; 2, with a word on stderr, when there is none. */
int gb_task_main(const char *name, int argc, char *argv[]);

#endif
