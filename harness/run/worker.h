/* The worker: reads a job, measures its cases in order, writes a record each. The return values are
 * the process's exit status. */
#ifndef GB_RUN_WORKER_H
#define GB_RUN_WORKER_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "device/device.h"

/* `gpubench worker`: job on fd 0, events on fd 3 (protocol.h). */
int gb_worker_main(void);
/* `gpubench worker --probe`: facts of all devices as one JSON line on fd 3, see
 * gb_supervise_probe. Without `cuda` the CUDA runtime is not touched. */
int gb_worker_probe(bool cuda);

/* `gpubench worker --selftest KIND INDEX`: gb_selftest_run on that device; one JSON line on fd 3.
 */
int gb_worker_selftest(const char *kind, const char *index);

/* Writes the JSON line that such a question is answered with to fd 3; takes the reference. */
int gb_worker_answer(json_t *json);

/* One line about who else uses a device, from its readings before the first case: other compute
 * processes, or more than 50 % utilisation. "" when nobody is known to. */
void gb_describe_use(const char *name, const gb_telemetry *now, char *text, size_t size);

#endif
