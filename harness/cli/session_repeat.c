/* Some cases of a session once more, in fresh processes: to confirm what a comparison found. */
#include <string.h>

#include "cli/session.h"

gb_session gb_session_sibling(const gb_session *first)
{
    gb_session other = {.cli = first->cli,
                        .suite = first->suite,
                        .device = first->device,
                        .executable = first->executable,
                        .label = first->label,
                        .data = json_incref(first->data),
                        .thin = first->thin,
                        .least = first->least,
                        .selection = first->selection,
                        .set = first->set,
                        .filter = first->filter,
                        .tag = first->tag};
    memcpy(other.plans, first->plans, sizeof other.plans);
    return other;
}

static size_t records(const gb_plan *plan)
{
    size_t n = 0;
    for (size_t i = 0; i < plan->n_cases; i++)
        n += plan->cases[i].status == GB_OK ? plan->cases[i].replicates : 0;
    return n;
}

/* Each case has the time that it had first: one that runs longer is another measurement, of a
 * warmer device for example. */
static void share_budget(const gb_plan *whole, gb_plan *part)
{
    size_t all = records(whole), some = records(part);
    if (some < all)
        part->budget_ns = (uint64_t)((double)part->budget_ns * (double)some / (double)all);
}

gb_code gb_session_repeat(const gb_session *first, const gb_list *cases, gb_session *out,
                          gb_error *err)
{
    gb_code code = GB_OK;
    *out = gb_session_sibling(first);
    memset(out->plans, 0, sizeof out->plans);
    out->tool = json_incref(first->tool);
    out->probe = json_incref(first->probe);
    out->filter = *cases;
    out->selection.filters = cases->items;
    out->selection.n_filters = cases->n;
    out->selection.seed++; /* other orders than the first time */
    memcpy(out->devices, first->devices, sizeof out->devices);
    out->n_devices = first->n_devices;
    out->locked = first->locked || first->n_locks > 0; /* not if the first had nothing to do */
    /* For the devices that are measured only: another kind may not have these cases at all. */
    for (size_t i = 0; !code && i < out->n_devices; i++) {
        gb_device_kind kind = out->devices[i].kind;
        if (out->plans[kind])
            continue;
        code = gb_plan_make(out->suite, kind, &out->selection, &out->plans[kind], err);
        if (!code)
            share_budget(first->plans[kind], out->plans[kind]);
    }
    if (!code && out->n_devices > 0) /* for the record */
        out->selection.budget_ns = out->plans[out->devices[0].kind]->budget_ns;
    return code;
}

void gb_session_free_sibling(gb_session *sibling, bool plans)
{
    for (int kind = 0; kind < GB_DEVICE_KINDS; kind++) {
        if (plans)
            gb_plan_free(sibling->plans[kind]);
        sibling->plans[kind] = NULL;
    }
    sibling->suite = NULL;
    sibling->set = sibling->filter = sibling->tag = (gb_list){0};
    gb_session_free(sibling);
}
