/* A test program that kernels may start again, to run a task (kernels/task.h). */
#ifndef GB_TESTS_TASK_MAIN_H
#define GB_TESTS_TASK_MAIN_H

#include <string.h>

#include "kernels/task.h"

/* First thing in main: says that tasks are started from this program, with the cuda device that it
 * links (NULL: none). True when it was started for one itself: main returns
 * gb_task_main(argv[3], argc - 4, argv + 4) then. */
static inline bool task_main(int argc, char *const argv[],
                             gb_code (*open_cuda)(int index, gb_device **out, gb_error *err))
{
    gb_tasks = (gb_task_host){"/proc/self/exe", open_cuda};
    return argc >= 4 && strcmp(argv[1], "worker") == 0 && strcmp(argv[2], "--task") == 0;
}

#endif
