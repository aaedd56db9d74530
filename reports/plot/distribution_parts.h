/* What distribution.c finds in the samples, distribution_draw.c draws and distribution_flagged.c
 * asks for. */
#ifndef GB_REPORTS_DISTRIBUTION_PARTS_H
#define GB_REPORTS_DISTRIBUTION_PARTS_H

#include "reports/plot/samples.h"

#define GB_DISTRIBUTION_REPLICATES 20 /* the first ones of a case */
#define GB_DISTRIBUTION_BINS 50

typedef struct gb_run_order {
    const gb_record *record;
    const double *ns; /* belongs to the samples */
    size_t n, first;  /* the place of its first sample in the picture */
} gb_run_order;

typedef struct gb_distribution {
    const gb_results *results;
    const gb_row *row;
    const char *title; /* NULL: made from the case */
    gb_run_order parts[GB_DISTRIBUTION_REPLICATES];
    size_t n, n_samples, left_out; /* replicates drawn, their samples, replicates left out */
    double low, high;              /* of the axis, ns */
    size_t above, below;           /* samples outside of it */
    double max, min;               /* of all */
    size_t step;                   /* one of every `step` samples is drawn */
    double bin_low, bin_width;     /* ns */
    size_t bins, counts[GB_DISTRIBUTION_BINS];
    bool log_counts;
} gb_distribution;

/* distribution.c */
/* Draws one row; *drawn is false, and a line in *notes says why, when it has no samples. `title`
 * may be NULL: made from the case. GB_NO_MEMORY. */
gb_code gb_distribution_draw_row(const gb_results *results, const gb_row *row,
                                 const gb_samples *samples, const char *title, const char *name,
                                 gb_buf *script, gb_buf *data, gb_buf *notes, bool *drawn,
                                 gb_error *err);
/* The first row that a plot selects, and how many others there are; NULL: none. */
const gb_row *gb_distribution_selected(const gb_table *table, const json_t *plot, size_t *others);

/* distribution_draw.c */
void gb_distribution_draw(const gb_distribution *d, const char *name, gb_buf *script, gb_buf *data);
/* "replicate 1: 3 samples around 11.0 ms, 7 around 750 ms"; false: no two modes. */
bool gb_distribution_modes(const gb_run_order *part, gb_buf *out);

#endif
