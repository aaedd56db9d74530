#include "kernels/task.h"

#include <stdio.h>
#include <string.h>

#include "kernels/exhaust.h"
#include "kernels/neighbour.h"
#include "kernels/reclaim.h"
#include "kernels/startup.h"

gb_task_host gb_tasks;

/* One row a task; its function stands with its kernel. */
static const gb_task *const tasks[] = {
    &gb_startup_task, &gb_exhaust_task, &gb_reclaim_task, &gb_task_neighbour, NULL,
};

int gb_task_main(const char *name, int argc, char *argv[])
{
    for (size_t i = 0; tasks[i] != NULL; i++) {
        if (strcmp(tasks[i]->name, name) == 0)
            return tasks[i]->run(argc, argv);
    }
    fprintf(stderr, "no task '%s'\n", name);
    return 2;
}
