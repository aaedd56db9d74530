/* From measuring to deciding: `run --against` (two sides in turns) and `run --baseline` (this run
 * against earlier ones), and what differs measured once more. */
#ifndef GB_CLI_DECIDE_H
#define GB_CLI_DECIDE_H

#include "cli/compare.h"
#include "cli/session.h"

/* The earlier runs of --baseline, read before anything is measured. */
typedef struct gb_baselines {
    gb_results *runs;
    size_t n;
} gb_baselines;

/* Loads them: a path that is missing, damaged or of a run whose hardware failed ends the command
 * before hours of measuring. Also refuses --confirm and --gate without anything to decide on.
 * Returns GB_EXIT_OK, or the status after having printed why. Free in any case. */
int gb_baselines_load(gb_cli *cli, gb_baselines *out);
void gb_baselines_free(gb_baselines *baselines);

/* Before anything is measured: whether the session's devices and cases can be compared with the
 * baselines at all (decide_first.c). Returns GB_EXIT_OK, or the status that the comparison would
 * end with, after having printed why. */
int gb_decide_first(gb_session *session, const gb_baselines *baselines);

/* After a session has been measured and finished with `status`: compares it with the baselines,
 * under --confirm measures the cases that differ again, and shows the comparison. Returns the worse
 * of all statuses; a run without figures for a verdict (4, 6, interrupted) keeps its own. */
int gb_decide_by_baselines(gb_session *session, const gb_baselines *baselines, int status);

/* --against and --against-device, from a prepared session whose device is chosen: everything to the
 * exit status. */
int gb_decide_by_turns(gb_session *session);

#endif
