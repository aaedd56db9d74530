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
                        .thin = first->thin,
                        .selection = first->selection,
                        .set = first->set,
                        .filter = first->filter,
                        .tag = first->tag};
    memcpy(other.plans, first->plans, sizeof other.plans);
    return other;
}

gb_code gb_session_repeat(const gb_session *first, const gb_list *cases, gb_session *out,
                          gb_error *err)
{
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
    out->locked = true; /* by the first */
    gb_code code = GB_OK;
    for (int kind = 0; !code && kind < GB_DEVICE_KINDS; kind++) {
        if (first->plans[kind])
            code = gb_plan_make(out->suite, (gb_device_kind)kind, &out->selection,
                                &out->plans[kind], err);
    }
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
