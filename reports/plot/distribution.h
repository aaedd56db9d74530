/* The `distribution` plot: the samples of one case, all replicates.
 *
 * `plot` is {"type": "distribution", "benchmark": name, "where": {param: [values]} or null,
 * "title": text or null}. Of the cases that `where` selects the first with figures in the suite's
 * order is drawn, and `notes` says how many others there are. Left: the samples in the order taken,
 * a sign and a colour a replicate, with the median of each and its 95 % interval and, where a
 * record has them, both modes. Right: the histogram of all on the same axis. The axis holds what
 * lies within the range from the 5th to the 95th percentile and as much again on either side; what
 * lies outside is marked at the edge and counted. Needs the samples (samples.h): without, no
 * picture, and a line in `notes`.
 *
 * Data: a block "order ns" a replicate (of many samples one of every k, by a fixed rule), then
 * "order edge ns" of what lies above and below (no two so near that their signs cover each other),
 * "from to median low high" of the medians, "from to ns" of the modes, "from to count" of the bars;
 * those that are empty are left out. The rest is as for gb_curve_write. */
#ifndef GB_REPORTS_DISTRIBUTION_H
#define GB_REPORTS_DISTRIBUTION_H

#include "reports/plot/pictures.h"
#include "reports/report.h"

gb_code gb_distribution_write(const gb_results *results, const gb_table *table, const json_t *plot,
                              const char *name, gb_buf *script, gb_buf *data, gb_buf *notes,
                              gb_error *err);

/* Whether some record has one of the flags that gb_distribution_flagged draws. */
bool gb_distribution_has_flagged(const gb_results *results);
/* Adds up to GB_FLAGGED_MOST pictures of cases flagged bimodal or drift that no plot of the suite
 * draws: first bimodal ones by the distance of their modes over the median, then drifting ones by
 * their interquartile range over the median, each of the worst replicate; ties in the suite's
 * order. Without samples none, and one line in *notes. */
#define GB_FLAGGED_MOST 4
gb_code gb_distribution_flagged(const gb_results *results, const gb_table *table,
                                gb_pictures *pictures, gb_buf *notes, gb_error *err);

#endif
