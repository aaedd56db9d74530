/* The worker: reads a job, measures its cases in order, writes a record each. Its return value is
 * the process's exit status. */
#ifndef GB_RUN_WORKER_H
#define GB_RUN_WORKER_H

/* `gpubench worker`: job on fd 0, events on fd 3. */
int gb_worker_main(void);
/* `gpubench worker --probe`: facts of all devices as one JSON line on fd 3. */
int gb_worker_probe(void);

#endif
