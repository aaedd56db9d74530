/* `gpubench verify`: what a record says in one place against what it says in another. */
#include <stdlib.h>
#include <string.h>

#include "cli/verify.h"

static bool flagged(const gb_record *r, gb_flag flag)
{
    return (r->flags & GB_BIT(flag)) != 0;
}

/* As harness/run/measure_judge.c decides it: the memory's ceiling binds only what is so large that
 * a cache can serve but little of it. */
static bool beyond_ceiling(const gb_record *r, uint64_t llc)
{
    bool cached = r->work.ceiling == GB_CEILING_MEMORY && r->work.working_set / 4 < llc;
    for (size_t i = 0; i < r->n_metrics; i++) {
        const gb_metric *m = &r->metrics[i];
        if (m->peak > 0 && m->value > 1.02 * m->peak && !(cached && strcmp(m->unit, "B/s") == 0))
            return true;
    }
    return false;
}

void gb_verify_consistency(gb_verification *v, const gb_record *r)
{
    static const char *const reasons[] = {"precision", "max-samples", "budget",
                                          "timeout",   "rejections",  "iteration-cap"};
    if ((r->verified == 0) != (r->status == GB_STATUS_WRONG) && r->status != GB_STATUS_FAILED)
        gb_verify_record_differs(v, r, "status and verified contradict each other");
    if (r->status != GB_STATUS_OK)
        return;
    bool known = false;
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        known = known || strcmp(r->stopped_by, reasons[i]) == 0;
    if (!known)
        gb_verify_record_differs(v, r, "ok, but stopped_by is no reason to stop");
    if (strcmp(r->stopped_by, "precision") == 0 && !r->converged)
        gb_verify_record_differs(v, r, "stopped by precision, but not converged");
    if (r->converged == flagged(r, GB_FLAG_NOT_CONVERGED))
        gb_verify_record_differs(v, r,
                                 "converged and the flag not-converged contradict each other");
    if ((r->rejected > 0) != flagged(r, GB_FLAG_GATE_EXPIRED))
        gb_verify_record_differs(v, r, "rejected and the flag gate-expired contradict each other");
    if ((r->timer == GB_TIMER_DEVICE && !r->gated) != flagged(r, GB_FLAG_GATE_OFF))
        gb_verify_record_differs(v, r, "gated and the flag gate-off contradict each other");
    const json_t *device =
        json_array_get(json_object_get(v->results->document, "devices"), (size_t)r->device);
    const json_t *llc = json_object_get(device, "llc_bytes");
    /* What passes over the link is bound by the link, whatever cache lies at either end. */
    bool resident = r->cache == GB_CACHE_WARM && r->work.working_set > 0 &&
                    r->work.working_set <= (uint64_t)json_integer_value(llc) &&
                    r->work.ceiling != GB_CEILING_LINK;
    if (json_is_integer(llc) && resident != flagged(r, GB_FLAG_CACHE_RESIDENT))
        gb_verify_record_differs(v, r,
                                 "working_set, llc_bytes and the flag cache-resident contradict");
    uint64_t llc_bytes = json_is_integer(llc) ? (uint64_t)json_integer_value(llc) : 0;
    if (beyond_ceiling(r, llc_bytes) != flagged(r, GB_FLAG_IMPLAUSIBLE))
        gb_verify_record_differs(v, r,
                                 "metrics, peaks and the flag implausible contradict each other");
}

gb_code gb_verify_stop(gb_verification *v, const gb_record *r, gb_error *err)
{
    const gb_settings *s = NULL;
    for (size_t i = 0; v->suite && i < v->suite->n_benchmarks; i++)
        if (strcmp(v->suite->benchmarks[i].name, r->benchmark) == 0)
            s = &v->suite->benchmarks[i].settings;
    if (!s || r->status != GB_STATUS_OK || r->n_samples == 0)
        return GB_OK;
    double *scratch = calloc(r->n_samples, sizeof *scratch);
    if (!scratch)
        return gb_fail(err, GB_NO_MEMORY, "out of memory");
    bool precise = gb_stats_precision(r->samples_ns, r->n_samples, scratch) <=
                   s->precision * (1 + GB_VERIFY_TOLERANCE);
    free(scratch);
    if (precise != r->converged)
        gb_verify_record_differs(v, r,
                                 precise ? "not converged, but the samples are precise enough"
                                         : "converged, but the samples are not precise enough");
    const json_t *run = json_object_get(v->results->document, "run");
    const bool single = json_is_true(json_object_get(json_object_get(run, "settings"), "profile"));
    if (strcmp(r->stopped_by, "max-samples") == 0 &&
        r->n_samples < (single ? 1 : s->max_samples)) /* --profile: one sample is all */
        gb_verify_record_differs(v, r, "stopped by max-samples, but it has fewer");
    if (strcmp(r->stopped_by, "precision") == 0 && r->n_samples < s->min_samples)
        gb_verify_record_differs(v, r, "stopped by precision before the least number of samples");
    return GB_OK;
}
