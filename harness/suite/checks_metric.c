/* Metrics that no case can have, where a gate or a plot names them, and plots of cases of which
 * there is none: found when the suite is read, not when a picture is missing. (Those of
 * expectations are found with them, checks_expect.c.) */
#include <string.h>

#include "suite/cases.h"
#include "suite/parts.h"

/* What one case after the other is asked for. */
typedef struct wish {
    const gb_benchmark *benchmark;
    gb_device_kind kind;
    const gb_plot *plot; /* NULL: the gate's metric */
    int metric;
    uint64_t *work;
    bool asked; /* some case passed its kernel's own check */
} wish;

bool gb_case_runs(const gb_benchmark *benchmark, const gb_value args[], gb_device_kind kind)
{
    gb_need need = {0};
    return benchmark->spec->check == NULL ||
           benchmark->spec->check(args, kind, &need, NULL) == GB_OK;
}

bool gb_case_has_metric(const gb_benchmark *benchmark, const gb_value args[], gb_device_kind kind,
                        int metric)
{
    const gb_kernel_spec *spec = benchmark->spec;
    return gb_spec_has_metric(spec, args, kind, gb_spec_timer(spec, args, benchmark->timer),
                              metric);
}

static bool tells_a_part(const gb_benchmark *b, const gb_value args[])
{
    const gb_timer timer = gb_spec_timer(b->spec, args, b->timer);
    for (int part = 0; b->spec->parts != NULL && b->spec->parts[part] != NULL; part++)
        if (b->spec->has_part == NULL || b->spec->has_part(args, timer, part))
            return true;
    return false;
}

/* A point of a roofline stands at operations a byte. */
static bool has_intensity(const gb_benchmark *b, const gb_value args[], gb_device_kind kind)
{
    gb_work work = {0};
    if (b->spec->work == NULL)
        return true;
    b->spec->work(args, kind, &work);
    return work.flops > 0 && work.bytes_read + work.bytes_written > 0;
}

/* GB_UNAVAILABLE stops the search: this case has it. */
static gb_code look_at(void *user, const gb_value args[], gb_error *err)
{
    wish *w = user;
    bool has;
    if (w->plot != NULL && w->plot->n_where > 0) { /* whether it runs is another matter */
        w->asked = true;
        if (!gb_cases_charge(w->work, gb_conditions_cost(w->plot->where, w->plot->n_where)))
            return gb_fail(err, GB_INVALID,
                           "benchmark '%s': too many cases times plots; name fewer values",
                           w->benchmark->name);
        has = gb_conditions_hold(w->plot->where, w->plot->n_where, args);
        return has ? GB_UNAVAILABLE : GB_OK;
    }
    if (!gb_case_runs(w->benchmark, args, w->kind))
        return GB_OK;
    w->asked = true;
    if (w->plot != NULL && strcmp(w->plot->type, "roofline") == 0)
        has = has_intensity(w->benchmark, args, w->kind);
    else if (w->plot != NULL && strcmp(w->plot->type, "phases") == 0)
        has = tells_a_part(w->benchmark, args);
    else
        has = gb_case_has_metric(w->benchmark, args, w->kind, w->metric);
    return has ? GB_UNAVAILABLE : GB_OK;
}

/* Whether some case on some kind of device has what is asked for. Also when none can be asked. */
static gb_code granted(wish w, bool *out, gb_error *err)
{
    *out = false;
    for (int kind = 0; kind < GB_DEVICE_KINDS && !*out; kind++) {
        w.kind = (gb_device_kind)kind;
        if (!gb_cases_any(w.benchmark, w.kind) || (w.benchmark->spec->devices & GB_BIT(kind)) == 0)
            continue;
        gb_code code = gb_cases_each(w.benchmark, w.kind, w.work, look_at, &w, err);
        if (code != GB_OK && code != GB_UNAVAILABLE)
            return code;
        *out = code == GB_UNAVAILABLE;
    }
    *out = *out || !w.asked;
    return GB_OK;
}

static gb_code check_gate(gb_reader *reader, const gb_benchmark *b, uint64_t *work, gb_error *err)
{
    bool good = true;
    gb_code code = GB_OK;
    if (b->gate_metric >= 0)
        code = granted((wish){.benchmark = b, .metric = b->gate_metric, .work = work}, &good, err);
    if (code == GB_OK && !good)
        gb_diagnostics_add(reader->diagnostics, b->line, b->column,
                           "gate: no case of benchmark '%s' can have a value of '%s': nothing of "
                           "it is counted, or timed by its timer",
                           b->name, b->spec->metrics[b->gate_metric].name);
    return code;
}

static gb_code check_plot(gb_reader *reader, const gb_benchmark *b, const gb_plot *plot,
                          uint64_t *work, gb_error *err)
{
    bool good = true;
    gb_code code = GB_OK;
    const bool roofline = strcmp(plot->type, "roofline") == 0;
    const bool phases = b->spec->parts != NULL && strcmp(plot->type, "phases") == 0;
    if (roofline || phases || plot->y >= 0 || plot->n_where > 0)
        code = granted((wish){.benchmark = b, .plot = plot, .metric = plot->y, .work = work}, &good,
                       err);
    if (code != GB_OK || good)
        return code;
    if (plot->n_where > 0)
        gb_diagnostics_add(reader->diagnostics, plot->line, plot->column,
                           "plots: 'where' selects no case of benchmark '%s'", b->name);
    else if (roofline)
        gb_diagnostics_add(reader->diagnostics, plot->line, plot->column,
                           "plots: type 'roofline' needs operations and bytes; benchmark '%s' "
                           "(kernel '%s') has no case that counts both",
                           b->name, b->spec->name);
    else if (phases)
        gb_diagnostics_add(reader->diagnostics, plot->line, plot->column,
                           "plots: type 'phases' needs cases that time the parts of a sample; "
                           "benchmark '%s' has none",
                           b->name);
    else
        gb_diagnostics_add(reader->diagnostics, plot->line, plot->column,
                           "plots: no case of benchmark '%s' can have a value of '%s': nothing of "
                           "it is counted, or timed by its timer",
                           b->name, b->spec->metrics[plot->y].name);
    return GB_OK;
}

gb_code gb_check_metrics(gb_reader *reader, const gb_benchmark *benchmark, uint64_t *work,
                         gb_error *err)
{
    const gb_suite *suite = reader->suite;
    const size_t index = (size_t)(benchmark - suite->benchmarks);
    gb_code code = check_gate(reader, benchmark, work, err);
    for (size_t i = 0; code == GB_OK && i < suite->n_plots; i++)
        if (suite->plots[i].benchmark == index && suite->plots[i].type != NULL)
            code = check_plot(reader, benchmark, &suite->plots[i], work, err);
    return code;
}
