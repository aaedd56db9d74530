/* How many findings the noise floor of a self-test keeps back: those that are made without it. And
 * what else keeps some back, findings_unsaid.c. */
#include "base/units.h"
#include "reports/findings.h"

/* The document with devices that have no self-test; NULL: out of memory. New reference. */
static json_t *without_selftests(json_t *document)
{
    size_t i;
    json_t *device, *copy = json_copy(document), *devices = json_array();
    json_array_foreach(json_object_get(document, "devices"), i, device)
    {
        json_t *own = json_copy(device);
        json_object_del(own, "selftest");
        json_array_append_new(devices, own);
    }
    if (copy == NULL || json_object_set_new(copy, "devices", devices) != 0) {
        json_decref(copy);
        return NULL;
    }
    return copy;
}

/* The device with the highest floor; NULL: none has one. */
static const json_t *noisiest(const json_t *document, double *floor)
{
    const json_t *found = NULL, *devices = json_object_get(document, "devices");
    *floor = 0;
    for (size_t i = 0; i < json_array_size(devices); i++) {
        const json_t *selftest = json_object_get(json_array_get(devices, i), "selftest");
        const double own = json_number_value(json_object_get(selftest, "noise_floor"));
        if (own > *floor) {
            *floor = own;
            found = selftest;
        }
    }
    return found;
}

static gb_code below_floor(const gb_results *results, const json_t *findings, gb_buf *text,
                           gb_error *err)
{
    double floor;
    const json_t *selftest = noisiest(results->document, &floor);
    if (selftest == NULL) {
        return GB_OK;
    }
    gb_results quiet = *results;
    json_t *all = NULL;
    quiet.document = without_selftests(results->document);
    gb_code code = quiet.document != NULL
                       ? gb_report_findings(&quiet, &all, err)
                       : gb_fail(err, GB_NO_MEMORY, "out of memory for the findings");
    const size_t n = json_array_size(all), said = json_array_size(findings);
    if (code == GB_OK && n > said) {
        char percent[32];
        const char *measured = json_string_value(json_object_get(selftest, "measured"));
        gb_buf_printf(
            text,
            "%zu finding%s left out because of the noise floor: \"gpubench selftest\"%s%.10s "
            "found %s (a factor of %.2f), and no smaller difference is told from nothing. "
            "On a quiet machine run it again, then measure again.",
            n - said, n - said == 1 ? " is" : "s are", measured != NULL ? " of " : "",
            measured != NULL ? measured : "", gb_format_percent(floor, percent, sizeof percent),
            1 + floor);
    }
    json_decref(all);
    json_decref(quiet.document);
    return code;
}

gb_code gb_report_muted(const gb_results *results, const json_t *findings, gb_buf *text,
                        gb_error *err)
{
    gb_code code = below_floor(results, findings, text, err);
    return code == GB_OK ? gb_findings_unsaid(results, findings, text, err) : code;
}

void gb_report_findings_rule(const json_t *findings, const char *plus_minus, gb_buf *text)
{
    if (json_array_size(findings) == 0) {
        return;
    }
    gb_buf_printf(text,
                  "A time or rate above without +- is known to 10 %%. Its interval covers "
                  "what the %s of the tables, which is the one between replicates, leaves out: "
                  "what the samples of a replicate leave open that did not converge, drifted, has "
                  "two modes or was throttled.",
                  plus_minus);
}
