/* Pieces that the forms of a comparison share. */
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "reports/compare/internal.h"

const char *gb_compared_value(const gb_compared *item, double value, char *buf, size_t size)
{
    if (!isfinite(value)) {
        snprintf(buf, size, "-");
        return buf;
    }
    return strcmp(item->unit, "ns") == 0 ? gb_format_ns(value, buf, size)
                                         : gb_format_rate(value, item->unit, buf, size);
}

const char *gb_compared_change(double fraction, char *buf, size_t size)
{
    if (!isfinite(fraction)) {
        snprintf(buf, size, "-");
        return buf;
    }
    double percent = 100 * fraction;
    snprintf(buf, size, fabs(percent) < 9.995 ? "%+.2f %%" : "%+.1f %%", percent);
    return buf;
}

const char *gb_compared_interval(const gb_compared *item, char *buf, size_t size)
{
    char low[32], high[32];
    if (isnan(item->ci[0])) {
        snprintf(buf, size, "-");
    } else {
        snprintf(buf, size, "%s .. %s", gb_compared_change(item->ci[0], low, sizeof low),
                 gb_compared_change(item->ci[1], high, sizeof high));
    }
    return buf;
}

const char *gb_compared_p(const gb_compared *item, char *buf, size_t size)
{
    if (isnan(item->p)) {
        snprintf(buf, size, "-");
    } else if (item->p < 0.0001) {
        snprintf(buf, size, "<0.0001");
    } else {
        snprintf(buf, size, item->p < 0.1 ? "%.4f" : "%.2f", item->p);
    }
    return buf;
}

void gb_compared_advice(const gb_compared *item, const char *common, gb_buf *out)
{
    bool own = item->next[0] != '\0' && strcmp(item->next, common) != 0;
    gb_buf_printf(out, "%s%s%s%s", item->reason, item->reason[0] != '\0' && own ? "; " : "",
                  own ? item->next : "", item->confirmed ? " (confirmed by a repeat)" : "");
}

const char *gb_compared_detectable(const gb_compared *item, char *buf, size_t size)
{
    if (isnan(item->detectable)) {
        snprintf(buf, size, "-");
    } else if (item->detectable >= 10) {
        snprintf(buf, size, ">1000 %%");
    } else {
        gb_format_percent(item->detectable, buf, size);
    }
    return buf;
}

const char *gb_comparison_name(const gb_comparison *c, int side, char *buf, size_t size)
{
    const gb_results *results = side == 0 ? c->a : c->b;
    const char *name = c->options.names[side];
    if (name == NULL) {
        name = json_string_value(json_object_get(json_object_get(results->document, "run"), "id"));
    }
    char *safe = gb_text_printable(name != NULL ? name : side == 0 ? "baseline" : "new run");
    snprintf(buf, size, "%s", safe != NULL ? safe : "");
    buf[gb_utf8_cut(buf, size - 1)] = '\0';
    free(safe);
    return buf;
}

void gb_comparison_summary(const gb_comparison *c, gb_buf *out)
{
    const char *separator = "";
    for (unsigned v = 0; v < GB_VERDICT_COUNT; v++) {
        if (c->counts[v] > 0) {
            gb_buf_printf(out, "%s%zu %s", separator, c->counts[v], gb_verdict_word((gb_verdict)v));
            separator = ", ";
        }
    }
}

bool gb_comparison_say_undecided(const gb_comparison *c, gb_buf *out)
{
    const size_t n = gb_comparison_undecided(c);
    if (n == 0 || c->evidence == GB_EVIDENCE_CROSS_DEVICE) {
        return false;
    }
    gb_buf_printf(out, "%zu undecided: not counted as passed; --require-decision makes %s fail", n,
                  n == 1 ? "it" : "them");
    return true;
}

const char *gb_comparison_headline(const gb_comparison *c)
{
    bool decided = gb_comparison_decided(c);
    bool fails = c->options.gate && gb_comparison_incomplete(c, &c->options);
    if (c->evidence == GB_EVIDENCE_CROSS_DEVICE) {
        return "Ratios of different devices: no verdict";
    }
    if (gb_comparison_regressed(c)) {
        return fails ? "Regression, and cases are missing or without a figure in the new run"
                     : "Regression";
    }
    if (fails) {
        return decided
                   ? "The gate fails: cases are missing in the new run"
                   : "The gate fails: cases are missing or without a figure in the new run, and "
                     "not every case is decided";
    }
    if (c->other_unit && c->counts[GB_VERDICT_SLOWER] + c->counts[GB_VERDICT_SUSPECT_SLOWER] > 0) {
        return "Slower on another unit of the same model: no regression is told from that";
    }
    if (c->counts[GB_VERDICT_SUSPECT_SLOWER] > 0) {
        return "No verdict: some cases look slower, which two sessions cannot decide";
    }
    if (!decided) {
        return c->options.gate ? "The gate passes: no regression found, but not every case is "
                                 "decided"
                               : "No regression found, but not every case is decided";
    }
    return "No regression";
}

char *gb_compared_title(const gb_compared *item)
{
    bool renamed = item->a != NULL && item->b != NULL &&
                   strcmp(item->a->first->case_id, item->b->first->case_id) != 0;
    char *name = gb_text_printable(item->b != NULL   ? item->b->first->case_id
                                   : item->a != NULL ? item->a->first->case_id
                                                     : item->case_id);
    char *old = renamed ? gb_text_printable(item->a->first->case_id) : NULL;
    if (old == NULL || name == NULL) {
        free(old);
        return name;
    }
    char *both = gb_text_format("%s (was %s)", name, old);
    free(old);
    free(name);
    return both;
}

void gb_comparison_rule(const gb_comparison *c, gb_buf *out)
{
    char floor[32];
    switch (c->evidence) {
    case GB_EVIDENCE_INTERLEAVED:
        gb_buf_add(out, "replicates of the two were measured in turn: a verdict needs p < 0.01 and "
                        "a change beyond the threshold");
        break;
    case GB_EVIDENCE_BASELINES:
        gb_buf_printf(out,
                      "%zu earlier runs say how far such runs differ: a verdict needs p < 0.01 and "
                      "a change beyond the threshold",
                      c->n_baselines);
        break;
    case GB_EVIDENCE_SESSIONS:
        gb_buf_printf(
            out,
            c->other_unit
                ? "two units of one model, which differ by themselves: \"suspect\" at most, "
                  "beyond the threshold plus the noise floor (%s)"
                : "two sessions, which differ by more than their replicates show: \"suspect\" "
                  "at most, beyond the threshold plus the noise floor (%s)",
            isnan(c->floor) ? "unknown: see gpubench selftest"
                            : gb_format_percent(c->floor, floor, sizeof floor));
        break;
    case GB_EVIDENCE_CROSS_DEVICE:
        gb_buf_add(out, "different devices: ratios, nothing passes or fails");
        break;
    }
}
