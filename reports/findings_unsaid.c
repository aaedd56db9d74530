/* Which rules are silent because figures are not known well enough: those that say more of the same
 * figures where each is known to 5 %. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/contrast.h"
#include "reports/findings.h"

#define KNOWN_TO 0.05

/* Of the replicates that went well the one next to the row's time; NULL: none has one. */
static const gb_record *middle(const gb_row *row)
{
    const gb_record *found = NULL;
    double least = INFINITY;
    for (size_t i = 0; i < row->n; i++) {
        const gb_record *r = row->replicates[i];
        const double off = fabs(log(r->time.median / row->time_ns));
        if (r->status == GB_STATUS_OK && off < least) {
            least = off;
            found = r;
        }
    }
    return found;
}

/* That one as if only its timer left the time open, by 5 % to both sides. Borrows what it owns. */
static gb_record known(const gb_row *row, uint32_t replicate)
{
    gb_record r = *middle(row);
    const double n = r.iterations_per_sample > 0 ? (double)r.iterations_per_sample : 1;
    r.replicate = replicate;
    r.converged = true;
    r.flags = row->flags & ~GB_UNSETTLED;
    r.resolution_ns = KNOWN_TO * r.time.median * n;
    return r;
}

/* Two replicates of each row that has a time; the others as they are. */
static gb_code make_known(const gb_results *results, gb_results *out, gb_error *err)
{
    gb_table table;
    gb_code code = gb_table_make(results, &table, err);
    if (code != GB_OK) {
        return code;
    }
    *out = *results;
    out->n = 0;
    out->records = calloc(results->n + table.n + 1, sizeof *out->records);
    if (out->records == NULL) {
        code = gb_fail(err, GB_NO_MEMORY, "out of memory for the findings");
    }
    for (size_t i = 0; code == GB_OK && i < table.n; i++) {
        const gb_row *row = &table.rows[i];
        const bool timed = middle(row) != NULL;
        for (size_t k = 0; timed && k < 2; k++) {
            out->records[out->n++] = known(row, (uint32_t)k);
        }
        for (size_t k = 0; !timed && k < row->n; k++) {
            out->records[out->n++] = *row->replicates[k];
        }
    }
    gb_table_free(&table);
    return code;
}

static size_t count(const json_t *findings, const char *rule)
{
    size_t n = 0;
    for (size_t i = 0; i < json_array_size(findings); i++) {
        const json_t *own = json_object_get(json_array_get(findings, i), "rule");
        n += strcmp(json_string_value(own), rule) == 0;
    }
    return n;
}

gb_code gb_findings_unsaid(const gb_results *results, const json_t *findings, gb_buf *text,
                           gb_error *err)
{
    gb_results sure;
    json_t *all = NULL;
    bool any = false;
    gb_code code = make_known(results, &sure, err);
    if (code == GB_OK) {
        code = gb_report_findings(&sure, &all, err);
    }
    for (size_t i = 0; code == GB_OK && gb_finding_rule(i) != NULL; i++) {
        const char *rule = gb_finding_rule(i);
        if (count(all, rule) > count(findings, rule)) {
            gb_buf_printf(text, "%s%s%s", text->length > 0 && !any ? " " : "",
                          any ? ", " : "Not said, as the spread is too large or not known: ", rule);
            any = true;
        }
    }
    if (any) {
        gb_buf_printf(text,
                      ". With figures that are known to %.0f %% there would be more to say: a "
                      "quiet machine, more replicates or a larger budget may get there.",
                      100 * KNOWN_TO);
    }
    json_decref(all);
    free(sure.records);
    return code;
}
