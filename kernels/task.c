#include "kernels/task.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/exhaust.h"
#include "kernels/neighbour.h"
#include "kernels/reclaim.h"
#include "kernels/startup.h"

#define GRACE_MS 1000 /* for a process whose pipe has closed to become a status */

gb_task_host gb_tasks;

/* One row a task; its function stands with its kernel. */
static const gb_task *const tasks[] = {
    &gb_startup_task, &gb_exhaust_task, &gb_reclaim_task, &gb_task_neighbour, NULL,
};

gb_code gb_task_start(const char *program, const char *task, const gb_device_info *device,
                      const char *const more[], gb_process *out, gb_error *err)
{
    char index[16];
    const char *argv[15] = {"gpubench", "worker", "--task", task, gb_device_kind_word(device->kind),
                            index};
    if (program == NULL)
        return gb_fail(err, GB_UNAVAILABLE, "this program does not start tasks");
    snprintf(index, sizeof index, "%d", device->index);
    for (size_t i = 0; i < 8 && more[i] != NULL; i++)
        argv[6 + i] = more[i];
    return gb_process_start(program, (char *const *)(uintptr_t)argv, NULL, 0, out, err);
}

gb_code gb_task_mourn(gb_process *process, const char *who, const char *when, gb_error *err)
{
    char how[700];
    int status = 0;
    gb_code code = gb_process_end(process, GRACE_MS, &status, err);
    if (code != GB_OK)
        return code;
    return gb_fail(err, GB_CRASHED, "%s %s%s", who,
                   gb_process_obituary(process, status, how, sizeof how), when);
}

gb_code gb_task_open(int argc, char *argv[], gb_device **out, gb_error *err)
{
    gb_device_kind kind;
    if (argc < GB_TASK_MORE || !gb_device_kind_parse(argv[GB_TASK_KIND], &kind))
        return gb_fail(err, GB_INVALID, "a task needs a kind of device and its index");
    if (kind == GB_CPU)
        return gb_device_cpu_open(0, out, err);
    if (gb_tasks.open_cuda == NULL)
        return gb_fail(err, GB_UNAVAILABLE, "this build has no cuda device");
    return gb_tasks.open_cuda((int)strtol(argv[GB_TASK_INDEX], NULL, 10), out, err);
}

int gb_task_main(const char *name, int argc, char *argv[])
{
    for (size_t i = 0; tasks[i] != NULL; i++) {
        if (strcmp(tasks[i]->name, name) == 0)
            return tasks[i]->run(argc, argv);
    }
    fprintf(stderr, "no task '%s'\n", name);
    return 2;
}
