/* The supervisor: runs a plan in worker processes, survives whatever they do.
 *
 * It never touches a device. Workers are the same binary (`gpubench worker`, a hidden verb) started
 * afresh: one a replicate, and a new one after a crash, a hang or a lost context. The protocol
 * (protocol.h) is JSON lines: the job on the worker's stdin, events and records on its fd 3. */
#ifndef GB_RUN_SUPERVISE_H
#define GB_RUN_SUPERVISE_H

#include <signal.h>

#include "device/peaks.h"
#include "record/record.h"
#include "suite/plan.h"

/* What the command line wants to know while it runs. All may be NULL. */
typedef struct gb_observer {
    void (*started)(void *user, const gb_case *c, uint32_t replicate);
    void (*record)(void *user, const gb_record *record, size_t done, size_t total, double eta_s);
    void (*note)(void *user,
                 const char *message); /* one line: "worker 123 died on signal 9; ..." */
    /* About once a second while nothing else happens; the case under way, or NULL: a worker is
     * starting. */
    void (*waiting)(void *user, const gb_case *c, uint32_t replicate);
    void *user;
} gb_observer;

typedef struct gb_supervise {
    const char *executable; /* path of this binary (/proc/self/exe) */
    int device_number;      /* index in the results' devices array */
    gb_device_kind kind;
    int device_index; /* cuda index */
    bool profile, fail_fast;
    bool continues; /* this very command used the device a moment ago: that it is busy is no news */
    const char *data_dir; /* absolute path of the user's files; NULL: none */
    gb_peaks published;   /* peaks that the vendor states for this device; 0: unknown */
    const volatile sig_atomic_t *interrupted; /* 0, 1 (finish the records), 2 (at once) */
    gb_observer observer;
    /* Called for every record as soon as it exists; an error ends the run (disk full). */
    gb_code (*store)(void *user, const gb_record *record, gb_error *err);
    void *store_user;
    /* Says whether case `id` of a replicate is already there (--resume). May be NULL. */
    bool (*have)(void *user, const char *case_id, uint32_t replicate);
} gb_supervise;

/* Runs the plan; every case of every replicate ends as exactly one record handed to store (also
 * skipped and not_run ones), unless store fails or the user interrupts twice. Returns GB_OK,
 * GB_INTERRUPTED, or store's error.
 *
 *   time limit   a case still running after its time-out is killed: `timeout`
 *   crash        the case under way is `failed` (crashed); a new worker takes the rest
 *   no device    a worker that cannot open the device: all that is left is `not_run`
 *   give up      3 workers in a row that die before their first case, or 8 in a row without a
 *                record from them: the rest of this replicate is `not_run`
 *   interrupt    the case under way may finish within 3 s, the rest is `not_run`
 *
 * Budget: what is left of it is shared evenly over the cases still to run, all replicates; a worker
 * gets the shares of its cases and again divides what is left by the cases left, so that what
 * early cases do not need goes to later ones. Only measuring counts (phase "measure"). */
gb_code gb_supervise_plan(const gb_supervise *how, const gb_plan *plan, gb_error *err);

/* The same for several sides at once (1 to GB_MAX_SIDES), each with its own executable, device,
 * store and plan: replicate by replicate, the sides alternate, and the first of one replicate is
 * the last of the next (ABBA), so that neither a drift of the machine nor a habit of the second
 * place looks like a difference. Each side has the whole budget of its plan. What ends one side (a
 * full disk, fail_fast, a device that does not open) ends all. The sides share err and interrupted.
 */
#define GB_MAX_SIDES 2
gb_code gb_supervise_alternate(const gb_supervise sides[], const gb_plan *const plans[], size_t n,
                               gb_error *err);

/* Starts a probe worker and gives what it printed: {"cpu": {...}, "cuda": [{...}],
 * "cuda_error": {code, status, message} or null}; a device that is there but cannot be used has
 * {"unusable": {code, status, message}}. When looking for cuda devices kills the worker or hangs,
 * that is the cuda_error. GB_INTERRUPTED when *interrupted (may be NULL) becomes non-zero. New
 * reference in *out. */
gb_code gb_supervise_probe(const char *executable, const volatile sig_atomic_t *interrupted,
                           json_t **out, gb_error *err);

/* Asks another gpubench what it is (results.json's `tool`) and whether its workers understand this
 * build. GB_INVALID: they do not, or it is another program. New reference in *out. */
gb_code gb_supervise_build(const char *executable, const volatile sig_atomic_t *interrupted,
                           json_t **out, gb_error *err);

/* Runs the self-test of a device in a worker and gives what it printed (gb_selftest_json), or the
 * worker's error. New reference in *out. */
gb_code gb_supervise_selftest(const char *executable, gb_device_kind kind, int index,
                              const volatile sig_atomic_t *interrupted, json_t **out,
                              gb_error *err);

#endif
