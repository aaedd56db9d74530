/* report.html and report.md of a run, or of several that were merged. */
#ifndef GB_PAGE_REPORT_PAGE_H
#define GB_PAGE_REPORT_PAGE_H

#include "reports/plot/pictures.h"
#include "reports/report.h"

/* The whole page; pictures that are whole are put in. */
gb_code gb_report_page(const gb_results *results, const gb_pictures *pictures, gb_buf *out,
                       gb_error *err);
/* For a pull request or $GITHUB_STEP_SUMMARY: verdict first, cut below `limit` bytes with a line
 * that says so (GB_MARKDOWN_LIMIT: GitHub's is 1 MiB a step). */
#define GB_MARKDOWN_LIMIT (1000 * 1000)
/* `pictures`: what they leave out is said; NULL: none. */
gb_code gb_report_markdown(const gb_results *results, const gb_pictures *pictures, size_t limit,
                           gb_buf *out, gb_error *err);

#endif
