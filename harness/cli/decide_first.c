/* Whether a run can be judged by its baselines at all, asked before it is measured. */
#include <stdlib.h>
#include <string.h>

#include "cli/decide.h"
#include "cli/head.h"

/* A case as the run to come will have it, without a figure. */
static gb_code add_case(gb_results *run, const gb_case *one, int device, gb_error *err)
{
    gb_record *r = &run->records[run->n];
    gb_record_init(r);
    run->n++;
    r->case_id = gb_text_copy(one->id);
    r->benchmark = gb_text_copy(one->benchmark->name);
    r->kernel = gb_text_copy("");
    r->params = json_object();
    memcpy(r->definition, one->definition, sizeof one->definition);
    r->device = device;
    r->status = GB_STATUS_NOT_RUN;
    return r->case_id && r->benchmark && r->kernel && r->params
               ? GB_OK
               : gb_fail(err, GB_NO_MEMORY, "out of memory for a comparison");
}

/* The run to come: its devices, suite and cases. */
static gb_code make_plan(const gb_session *s, gb_results *out, gb_error *err)
{
    gb_head head = {0};
    size_t n = 0;
    *out = (gb_results){.complete = true};
    gb_code code = gb_head_make(s->cli, s->suite, s->devices, s->n_devices, s->selection.seed,
                                json_object(), &head, err);
    if (code)
        return code;
    for (size_t i = 0; i < s->n_devices; i++)
        n += s->plans[s->devices[i].kind]->n_cases;
    out->document = json_pack("{s:O, s:O, s:O, s:O, s:O}", "tool", head.tool, "run", head.run,
                              "suite", head.suite, "host", head.host, "devices", head.devices);
    out->records = calloc(n + 1, sizeof *out->records);
    if (!out->document || !out->records)
        code = gb_fail(err, GB_NO_MEMORY, "out of memory for a comparison");
    for (size_t i = 0; i < s->n_devices; i++) {
        const gb_plan *plan = s->plans[s->devices[i].kind];
        for (size_t k = 0; !code && k < plan->n_cases; k++)
            code = add_case(out, &plan->cases[k], (int)i, err);
    }
    gb_head_free(&head);
    return code;
}

int gb_decide_first(gb_session *s, const gb_baselines *baselines)
{
    gb_error err = {0};
    gb_results plan = {0};
    gb_compare_options how;
    gb_comparison comparison = {0};
    if (baselines->n == 0)
        return GB_EXIT_OK;
    gb_code code = gb_cli_compare_options(s->cli, &how, &err);
    if (!code)
        code = make_plan(s, &plan, &err);
    if (!code)
        code = gb_compare_results(&baselines->runs[0], &plan, baselines->runs + 1, baselines->n - 1,
                                  &how, &comparison, &err);
    gb_comparison_free(&comparison);
    gb_results_free(&plan);
    return code ? gb_cli_fail(s->cli, gb_cli_status(code), &err) : GB_EXIT_OK;
}
