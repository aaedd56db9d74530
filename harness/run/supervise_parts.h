/* What the files of the supervisor share: supervise.c goes through replicates and sides and keeps
 * records, supervise_worker.c starts one worker, listens to it and ends it. */
#ifndef GB_RUN_SUPERVISE_PARTS_H
#define GB_RUN_SUPERVISE_PARTS_H

#include "base/text.h"
#include "device/process.h"
#include "run/supervise.h"

/* The run of one plan. */
typedef struct gb_plan_run {
    const gb_supervise *how;
    const gb_plan *plan;
    gb_error *err;
    size_t done, total;
    size_t left; /* cases still to be measured, all replicates */
    uint64_t budget_left_ns;
    size_t measured;
    uint64_t measured_ns; /* wall time of those, for the ETA */
    gb_code ended;        /* not GB_OK: nothing more is measured in this run ... */
    gb_error why;         /* ... for this reason, which not_run records carry */
    bool store_failed;
    char noted[1024]; /* the last hello note, said once */
} gb_plan_run;

/* One worker at work on the cases todo[0..n) of a replicate. */
typedef struct gb_worker_session {
    gb_plan_run *run;
    uint32_t replicate;
    const uint32_t *todo; /* plan indices */
    const uint32_t *order;
    size_t n;
    size_t next;          /* todo[0..next) have their record */
    bool under_way;       /* todo[next] has begun */
    bool hello, finished; /* opened its device; went through all of todo */
    bool leaving;         /* said that it cannot go on */
    bool asked_to_end, overdue;
    size_t records; /* that came from this worker */
    uint64_t began_ns, deadline_ns;
    char phase[64];
    gb_process process;
    gb_buf line;
    gb_error failed; /* FAILED event, or what was wrong with the worker's words */
} gb_worker_session;

/* 0, 1 or 2: see gb_supervise. */
int gb_plan_run_interrupts(const gb_plan_run *r);
void gb_plan_run_note(gb_plan_run *r, const char *text);
/* Hands a record to the store and tells the observer. */
void gb_plan_run_keep(gb_plan_run *r, const gb_record *record);
/* Makes and keeps the record of a case that no worker wrote one for. */
void gb_plan_run_keep_without_worker(gb_plan_run *r, uint32_t replicate, uint32_t c, uint32_t order,
                                     gb_status status, const gb_error *why);

/* Runs one worker on what is left: how many cases it settled and whether it ever opened its device
 * stand in the session then. */
void gb_worker_session_run(gb_worker_session *s);

#endif
