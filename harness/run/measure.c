/* Measuring one case. This file is the main flow; how samples are taken stands in sampler.c, when
 * to stop in measure_loop.c, what the figures are worth in measure_judge.c. */
#include "run/measure.h"

#include <math.h>
#include <stdlib.h>

#include "run/measure_parts.h"

/* Checks memory, creates the stream and events, lets the kernel allocate and fill its data. */
static gb_code prepare(gb_measuring *m, gb_error *err)
{
    const gb_kernel_spec *spec = &m->kernel->spec;
    gb_record *record = m->record;
    gb_need need = {0};
    gb_code code = GB_OK;
    if (spec->check)
        code = spec->check(m->args, m->dev->info.kind, &need, err);
    if (!code)
        code = gb_measuring_check_memory(m->dev, &need, record->cache, err);
    if (!code)
        code = gb_sampler_open(&m->sampler, m->dev, m->kernel, m->args, record->timer,
                               record->cache, m->how->seed, m->how->data_dir, m->how->gate, err);
    record->gated = m->sampler.gated;
    record->resolution_ns = m->sampler.resolution_ns;
    if (!code && spec->work)
        spec->work(m->args, m->dev->info.kind, &record->work);
    while (spec->parts && m->n_parts < GB_MAX_PARTS && spec->parts[m->n_parts])
        m->n_parts++;
    return code;
}

/* One iteration over poisoned outputs, held against the reference. The very first call pays for
 * loading code and first touches: it is timed apart and never becomes a sample. */
static gb_code verify(gb_measuring *m, gb_error *err)
{
    gb_device *dev = m->dev;
    gb_run *run = &m->sampler.run;
    gb_code code = GB_OK;
    if (m->kernel->reset)
        code = m->kernel->reset(run, err);
    if (!code)
        code = gb_sampler_sync(&m->sampler, err);
    uint64_t start = dev->ops->now_ns(dev);
    if (!code)
        code = gb_sampler_enqueue(&m->sampler, 1, err);
    if (!code)
        code = gb_sampler_sync(&m->sampler, err);
    if (!code && !(m->record->first_call_ns >= 0))
        m->record->first_call_ns = (double)(dev->ops->now_ns(dev) - start);
    if (!code && !m->kernel->verify)
        return GB_OK;
    if (!code)
        code = m->kernel->verify(run, err);
    else if (code != GB_WRONG_RESULT)
        return code;
    m->record->verified = code == GB_OK ? 1 : code == GB_WRONG_RESULT ? 0 : -1;
    return code;
}

static gb_code verify_first(gb_measuring *m, gb_error *err)
{
    gb_code code = verify(m, err);
    if (!code)
        code = gb_sampler_load_helpers(&m->sampler, err);
    return code;
}

/* The steps of a case, in their order, with names that reasons begin with. The first error ends it.
 */
static const struct {
    const char *name;
    gb_phase phase;
    bool may_skip; /* memory that is short or a missing ability is a skip here, a failure later */
    gb_code (*run)(gb_measuring *m, gb_error *err);
} steps[] = {
    {"prepare", GB_PHASE_SETUP, true, prepare},
    {"check before measuring", GB_PHASE_VERIFY, true, verify_first},
    {"warm-up", GB_PHASE_WARMUP, false, gb_measuring_warm_up},
    {"measure", GB_PHASE_MEASURE, false, gb_measuring_sample},
    {"check after measuring", GB_PHASE_VERIFY, false, verify},
};

static gb_status status_of(gb_code code, bool may_skip)
{
    if (code == GB_OK)
        return GB_STATUS_OK;
    if (code == GB_WRONG_RESULT)
        return GB_STATUS_WRONG;
    if (may_skip && (code == GB_UNAVAILABLE || code == GB_NO_MEMORY))
        return GB_STATUS_SKIPPED;
    return GB_STATUS_FAILED;
}

static void begin_step(gb_measuring *m, const char *name)
{
    if (m->how->progress)
        m->how->progress(m->how->user, name);
}

/* Runs the steps; *why says what went wrong. Each phase is timed from its own start. */
static gb_status run_steps(gb_measuring *m, gb_error *why)
{
    gb_device *dev = m->dev;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        /* For a profiler each case is one iteration that is checked and one that is measured. */
        if (m->how->profile && i + 1 == sizeof steps / sizeof steps[0])
            break;
        begin_step(m, steps[i].name);
        uint64_t start = dev->ops->now_ns(dev);
        gb_code code = steps[i].run(m, why);
        m->phase_ns[steps[i].phase] += dev->ops->now_ns(dev) - start;
        if (code) {
            gb_status status = status_of(code, steps[i].may_skip);
            if (status == GB_STATUS_FAILED)
                gb_fail_context(why, "%s", steps[i].name);
            return status;
        }
    }
    return GB_STATUS_OK;
}

/* Gives everything back. An asynchronous error that shows only now belongs to this case. */
static gb_status tear_down(gb_measuring *m, gb_status status, gb_error *why)
{
    gb_device *dev = m->dev;
    begin_step(m, "teardown");
    uint64_t start = dev->ops->now_ns(dev);
    gb_error late = {0};
    gb_code code = m->sampler.run.dev ? gb_sampler_close(&m->sampler, &late) : GB_OK;
    m->phase_ns[GB_PHASE_TEARDOWN] += dev->ops->now_ns(dev) - start;
    if (!code)
        return status;
    if (late.sticky)
        why->sticky = true;
    if (status == GB_STATUS_FAILED || status == GB_STATUS_WRONG)
        return status;
    *why = late;
    gb_fail_context(why, "after the case");
    return GB_STATUS_FAILED;
}

gb_code gb_measure_case(gb_device *dev, const gb_kernel *kernel, const gb_value args[],
                        gb_timer timer, gb_cache cache, const gb_measure *how, gb_record *record,
                        gb_error *err)
{
    gb_measuring m = {.dev = dev, .kernel = kernel, .args = args, .how = how, .record = record};
    gb_error why = {0};
    record->timer = timer;
    record->cache = cache;
    record->verified = -1;
    record->first_call_ns = NAN;
    dev->emulated = false;

    uint64_t start = dev->ops->now_ns(dev);
    gb_status status = run_steps(&m, &why);
    status = tear_down(&m, status, &why);
    uint64_t total_ns = dev->ops->now_ns(dev) - start;

    if (gb_measuring_describe(&m, total_ns, status == GB_STATUS_OK ? &why : NULL) &&
        status == GB_STATUS_OK)
        status = GB_STATUS_FAILED;
    if (status == GB_STATUS_OK && gb_measuring_summarise(&m, &why))
        status = GB_STATUS_FAILED;
    record->status = status;
    if (status != GB_STATUS_OK) { /* whoever shows a record names its case */
        gb_record_fail(record, status, &why);
        /* its metrics stay, without a value */
        gb_record_summarise(record, kernel->spec.metrics, kernel->spec.n_metrics, NULL);
    }
    free(m.samples);
    free(m.scratch);
    free(m.parts);
    if (!why.sticky)
        return GB_OK;
    if (record->case_id)
        gb_fail_context(&why, "%s", record->case_id);
    if (err)
        *err = why;
    return why.code;
}
