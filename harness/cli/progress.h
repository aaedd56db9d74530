/* Progress of a run on stderr: one redrawn line on a terminal; elsewhere a plain line for each case
 * of each replicate, [1/total] to [total/total], and one every half minute while a long case is
 * under way; nothing under --quiet. */
#ifndef GB_CLI_PROGRESS_H
#define GB_CLI_PROGRESS_H

#include "cli/cli.h"
#include "run/supervise.h"

typedef enum gb_progress_mode {
    GB_PROGRESS_NONE,
    GB_PROGRESS_LINES,
    GB_PROGRESS_REDRAW
} gb_progress_mode;

/* What --progress's word (NULL: auto) means. auto redraws only on a terminal whose TERM is not
 * dumb, without CI and NO_COLOR in the environment. */
gb_progress_mode gb_progress_choose(const char *word, bool quiet, bool terminal, const char *term,
                                    bool ci, bool no_color);

typedef struct gb_progress {
    const gb_cli *cli;
    gb_progress_mode mode;
    bool drawn;          /* the redrawn line stands on the screen */
    const gb_plan *plan; /* borrowed */
    const char *label;   /* "baseline": which of several sides this is; "" the only one */
    size_t done, total;
    double eta_s;
    uint64_t spoke_ns;  /* when the last line was written */
    uint64_t silent_ns; /* LINES: after so long a line says what is being waited for */
    size_t left; /* LINES: records in a row that were not run, of which no line has told yet */
    char why_left[200]; /* the reason of all of them */
} gb_progress;

/* Begins the progress of a plan; gb_progress_end wipes the line, or tells what
 * is still to be told. `label` as above. */
void gb_progress_begin(gb_progress *progress, const gb_cli *cli, const gb_plan *plan,
                       const char *label);
void gb_progress_end(gb_progress *progress);
/* For gb_supervise.observer. */
gb_observer gb_progress_observer(gb_progress *progress);
/* A note of the supervisor or a warning in between: wipes the line first. */
void gb_progress_warn(gb_progress *progress, const char *code, const char *message);

/* "3 s", "2 min 5 s", "1 h 4 min" into buf (>= 32 bytes). */
const char *gb_progress_span(double seconds, char *buf, size_t size);

#endif
