/* The head of results.json: who measured what, where and with which build. */
#ifndef GB_CLI_HEAD_H
#define GB_CLI_HEAD_H

#include "cli/choose.h"
#include "cli/cli.h"
#include "record/run_dir.h"
#include "suite/classes.h"

/* Fills a head; gb_head_free it. `settings` is a new reference that it takes: what the command line
 * changed (run.settings). */
gb_code gb_head_make(const gb_cli *cli, const gb_suite *suite, const gb_chosen devices[], size_t n,
                     uint64_t seed, json_t *settings, gb_head *out, gb_error *err);
/* Makes the head one of an earlier run (`earlier`: its results.json) that this process goes on
 * with: id, start and command stay those of the first leg; run.legs has a leg for each process. */
gb_code gb_head_continue(gb_head *head, const json_t *earlier, gb_error *err);
/* This leg took elapsed_ns: sets its end, run.finished, and run.elapsed_ns as the sum over the
 * legs whose time is known. */
gb_code gb_head_end(gb_head *head, uint64_t elapsed_ns, gb_error *err);

/* A suite as results.json holds it. New reference. */
json_t *gb_suite_json(const gb_suite *suite);

/* The suite's classes as results.json holds them, each with the ids of its cases in the plans of
 * these kinds (a mask; a plan may be NULL). New reference; NULL on out of memory. */
json_t *gb_classes_json(const gb_suite *suite, gb_plan *const plans[], unsigned kinds);

/* "2026-11-30T19:20:01Z" of now. */
void gb_utc_now(char text[32]);

/* What this build is: version, git revision, compiler, flags, toolkit, architectures. New
 * reference. */
json_t *gb_tool_json(void);

#endif
