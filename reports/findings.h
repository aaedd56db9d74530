/* What the rules of findings share. A rule looks for the rows it needs, writes one sentence with
 * its figures and returns a row of the benchmark it speaks of, or stays silent (NULL) when a row is
 * missing. findings.c lists all rules.
 *
 * A difference is said only where gb_rows_differ says that there is one, a figure by itself only
 * where gb_row_firm holds (contrast.h); the sentence names what tells its case from the others of
 * its kernel (gb_finding_case). */
#ifndef GB_REPORTS_FINDINGS_H
#define GB_REPORTS_FINDINGS_H

#include "reports/contrast.h"
#include "reports/report.h"

/* What a rule sees: the rows of one device. */
typedef struct gb_view {
    const gb_results *results; /* the whole run, for facts of the device */
    int device;
    bool cpu; /* the cpu device: no bus between host and device, no warps */
    const gb_row *rows;
    size_t n;
} gb_view;

/* Facts of the device as results.json has them, borrowed; NULL: none. */
const json_t *gb_view_facts(const gb_view *view);

typedef const gb_row *(*gb_rule)(const gb_view *view, gb_buf *text);

/* Whether a row of this kernel has a time. */
bool gb_row_usable(const gb_row *row, const char *kernel);
bool gb_row_word_is(const gb_row *row, const char *param, const char *word);
bool gb_row_number_is(const gb_row *row, const char *param, double number);
/* Whether two rows are cases of one benchmark, measured in one way, that differ in `param` at most.
 */
bool gb_rows_same_but(const gb_row *a, const gb_row *b, const char *param);

/* Appends what tells a row from the other rows of its kernel on the device, but for the parameters
 * in `said` (NULL-terminated), which the sentence names itself: " (width 256, cold cache)"; nothing
 * where nothing does. */
void gb_finding_case(const gb_view *view, const gb_row *row, const char *const said[],
                     gb_buf *text);

/* Appends a finding on the benchmark of row `about`, whose name is added to its figures: a page
 * shows it there. `figures` (an object, taken over; NULL: none) holds the sentence's numbers.
 * GB_NO_MEMORY or GB_OK. */
gb_code gb_finding_add(json_t *findings, const gb_view *view, const gb_row *about, const char *rule,
                       const gb_buf *text, json_t *figures, gb_error *err);

/* findings_unsaid.c: appends which rules would say more if each figure were known to 5 %; nothing
 * where there are none. */
gb_code gb_findings_unsaid(const gb_results *results, const json_t *findings, gb_buf *text,
                           gb_error *err);

/* findings_kernels.c: the kernel whose cases a rule speaks of ("copy"); NULL for an unknown rule.
 */
const char *gb_finding_kernel(const char *rule);
/* The name of the i-th rule of all; NULL: there are no more. */
const char *gb_finding_rule(size_t i);

/* findings_batch.c: one finding for each curve.
 *
 * The knee is the smallest batch with at least GB_KNEE_SHARE of the largest throughput measured in
 * its series, if the plateau was seen; see docs/methodology.md. */
#define GB_KNEE_SHARE 0.9
#define GB_KNEE_RULE                                                                               \
    "The knee is the smallest measured batch with at least 90 % of the largest throughput of its " \
    "series. There is none unless a batch at least twice as large was measured, all larger ones "  \
    "keep the 90 %, and all smaller ones differ from the largest throughput by more than noise; "  \
    "none with fewer than five."
typedef enum gb_knee_kind {
    GB_KNEE_FOUND,
    GB_KNEE_RISES,  /* the largest measured batch is less than twice as large: no plateau seen */
    GB_KNEE_FALLS,  /* a larger batch does not keep the share: `falls` is the first */
    GB_KNEE_UNCLEAR /* within the noise the knee might be elsewhere */
} gb_knee_kind;
typedef struct gb_knee {
    gb_knee_kind kind;
    size_t at, peak, falls; /* indices; `at` is the first that reaches the share */
} gb_knee;
/* n rows of one series by growing batch, each with a throughput; false: too few to speak of a
 * knee. */
bool gb_batch_knee(const gb_results *results, const gb_row *const rows[], size_t n, gb_knee *out);
/* Geometric centre over the replicates that went well; NAN unless all of them have it. */
double gb_row_p95(const gb_row *row);
double gb_row_p99(const gb_row *row);
gb_code gb_findings_batch(const gb_view *view, json_t *findings, gb_error *err);
/* findings_divergence.c: one for each pattern, with the slowdown over ways */
gb_code gb_findings_divergence(const gb_view *view, json_t *findings, gb_error *err);
/* findings_atomics.c: of each series what one counter costs, what padding changes, and what
 * counters of a block's own gain */
gb_code gb_findings_atomics(const gb_view *view, json_t *findings, gb_error *err);
/* findings_occupancy.c: of loads and of chains how much under way is enough, and whether more of it
 * is ever slower */
gb_code gb_findings_occupancy(const gb_view *view, json_t *findings, gb_error *err);
/* findings_serving.c: of each series of rates, its limit, what batches carry, what padding costs */
gb_code gb_findings_serving(const gb_view *view, json_t *findings, gb_error *err);
/* findings_startup.c: of each case of the suite startup that has something to say */
gb_code gb_findings_startup(const gb_view *view, json_t *findings, gb_error *err);
/* findings_copy.c */
const gb_row *gb_finding_latency_dominates(const gb_view *view, gb_buf *text);
const gb_row *gb_finding_both_ways(const gb_view *view, gb_buf *text);
const gb_row *gb_finding_link(const gb_view *view, gb_buf *text);
/* findings_memory.c */
const gb_row *gb_finding_stride_waste(const gb_view *view, gb_buf *text);
const gb_row *gb_finding_cache_against_memory(const gb_view *view, gb_buf *text);
/* Appends which case a roof of memory or cache is from: " (read over 256 MiB)". */
void gb_finding_roof_case(const gb_row *row, gb_buf *text);
/* findings_tiling.c */
const gb_row *gb_finding_transpose(const gb_view *view, gb_buf *text);
const gb_row *gb_finding_bank(const gb_view *view, gb_buf *text);
/* findings_roofline.c */
const gb_row *gb_finding_ridge(const gb_view *view, gb_buf *text);
const gb_row *gb_finding_memory_bound(const gb_view *view, gb_buf *text);
/* findings_arith.c */
const gb_row *gb_finding_type_rates(const gb_view *view, gb_buf *text);
const gb_row *gb_finding_operation_prices(const gb_view *view, gb_buf *text);
const gb_row *gb_finding_in_flight(const gb_view *view, gb_buf *text);
const gb_row *gb_finding_tensor_units(const gb_view *view, gb_buf *text);
/* findings_launch.c */
const gb_row *gb_finding_launch(const gb_view *view, gb_buf *text);
const gb_row *gb_finding_steps(const gb_view *view, gb_buf *text);
const gb_row *gb_finding_break_even(const gb_view *view, gb_buf *text);
/* findings_overlap.c: one for each benchmark, on the job with most to hide */
gb_code gb_findings_overlap(const gb_view *view, json_t *findings, gb_error *err);
/* findings_pipeline.c: the longest stage and what batches gain, of each kind of source and files;
 * what double buffering gains, once a benchmark; how idle a slow host leaves the device */
gb_code gb_findings_pipeline(const gb_view *view, json_t *findings, gb_error *err);
/* findings_residency.c; staging: one for each job with several kinds of memory (GPUs) */
const gb_row *gb_finding_residency(const gb_view *view, gb_buf *text);
const gb_row *gb_finding_budget(const gb_view *view, gb_buf *text);
gb_code gb_findings_staging(const gb_view *view, json_t *findings, gb_error *err);
/* findings_stability.c: of each work that was repeated for a while, whether it stayed as fast; of
 * each that was measured beside neighbours, what they cost */
gb_code gb_findings_stability(const gb_view *view, json_t *findings, gb_error *err);
/* findings_crossover.c: of each job measured on a cpu and on a cuda device, the size from which on
 * the GPU wins; or which half is missing. All devices' rows at once. */
gb_code gb_findings_crossover(const gb_view views[], size_t n, json_t *findings, gb_error *err);
/* findings_decode.c: of each model tokens a second against their bound, what quantised weights
 * gain, and how much faster its prompt is */
gb_code gb_findings_decode(const gb_view *view, json_t *findings, gb_error *err);
/* findings_chase.c: of each ladder of latencies its levels; findings_chase_pairs.c: what pages
 * cost, other memories */
gb_code gb_findings_chase(const gb_view *view, json_t *findings, gb_error *err);
/* findings_matmul.c */
const gb_row *gb_finding_tiled_product(const gb_view *view, gb_buf *text);
const gb_row *gb_finding_vendor_product(const gb_view *view, gb_buf *text);
const gb_row *gb_finding_tensor_product(const gb_view *view, gb_buf *text);
/* findings_shapes.c; rows: of softmax and of layer norm, one launch against three */
const gb_row *gb_finding_search_batch(const gb_view *view, gb_buf *text);
const gb_row *gb_finding_gathered_rows(const gb_view *view, gb_buf *text);
gb_code gb_findings_rows(const gb_view *view, json_t *findings, gb_error *err);

#endif
