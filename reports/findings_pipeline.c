/* Where a job's time goes: its longest stage, what batches and a second set of buffers gain, how
 * idle a slow host leaves the device. docs/methodology.md, "Pipeline". */
#include "reports/findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/units.h"
#include "reports/findings_say.h"

enum { READ, DECODE, PREPARE, COPY_IN, LAUNCH, COMPUTE, COPY_OUT, FINISH, STAGES };
static const struct {
    const char *part, *said;
} stages[STAGES] = {
    [READ] = {"read", "reading"},
    [DECODE] = {"decode", "decoding"},
    [PREPARE] = {"prepare", "preparing"},
    [COPY_IN] = {"copy_in", "the copy in"},
    [LAUNCH] = {"launch", "launching"},
    [COMPUTE] = {"compute", "the kernel"},
    [COPY_OUT] = {"copy_out", "the copy out"},
    [FINISH] = {"finish", "finishing"},
};

/* What the sentences say themselves, and sizes, which the tables have. */
static const char *const said_anyway[] = {"schedule", "batch", "host_work",    "files",
                                          "bytes",    "data",  "largest_file", NULL};

static double number(const gb_row *row, const char *param)
{
    double value = NAN;
    gb_row_number(row, param, &value);
    return value;
}

/* Rows of one benchmark that differ in the parameters of `without` alone. */
static bool same_but_for(const gb_row *a, const gb_row *b, const char *const without[])
{
    if (strcmp(a->first->benchmark, b->first->benchmark) != 0) {
        return false;
    }
    char *x = gb_row_key(a, without), *y = gb_row_key(b, without);
    const bool same = x != NULL && y != NULL && strcmp(x, y) == 0;
    free(x);
    free(y);
    return same;
}

static bool is_serial(const gb_row *row)
{
    return gb_row_usable(row, "pipeline") && gb_row_word_is(row, "schedule", "serial");
}

/* --- shares ----------------------------------------------------------------------------------- */

static double part_of(const gb_record *record, const char *part)
{
    const json_t *ns = json_object_get(record->parts_ns, part);
    return json_is_number(ns) ? json_number_value(ns) : NAN;
}

/* The mean over replicates of a part's share of the time, and which stage is the longest. */
typedef struct shares {
    double of[STAGES];
    double device; /* copies and kernel together */
    int longest;
    bool agreed; /* it is in every replicate, with shares that are alike */
} shares;

static bool shares_of(const gb_row *row, shares *out)
{
    size_t n = 0;
    double least = INFINITY, most = 0; /* of the longest */
    *out = (shares){.longest = -1, .agreed = true};
    for (size_t r = 0; r < row->n; r++) {
        const gb_record *record = row->replicates[r];
        int longest = 0;
        double share[STAGES];
        if (record->status != GB_STATUS_OK) {
            continue;
        }
        for (int i = 0; i < STAGES; i++) {
            share[i] = part_of(record, stages[i].part) / record->time.median;
            out->of[i] += share[i];
            longest = share[i] > share[longest] ? i : longest;
        }
        out->agreed = out->agreed && (n == 0 || longest == out->longest);
        out->longest = longest;
        least = fmin(least, share[longest]);
        most = fmax(most, share[longest]);
        n++;
    }
    for (int i = 0; i < STAGES; i++) {
        out->of[i] /= (double)n;
    }
    out->agreed = out->agreed && most - least <= 2 * GB_FIRM;
    out->device = out->of[COPY_IN] + out->of[COMPUTE] + out->of[COPY_OUT];
    for (int i = 0; i < STAGES; i++) {
        if (!isfinite(out->of[i])) {
            return false;
        }
    }
    return n > 0;
}

static bool is_of_device(int stage)
{
    return stage == COPY_IN || stage == COMPUTE || stage == COPY_OUT;
}

/* --- the longest stage ------------------------------------------------------------------------ */

/* Of the rows that differ from one in the batch alone, that with the largest or smallest. */
static const gb_row *extreme_batch(const gb_view *view, const gb_row *row, int sign)
{
    static const char *const without[] = {"batch", NULL};
    const gb_row *found = row;
    for (size_t i = 0; i < view->n; i++) {
        const gb_row *other = &view->rows[i];
        if (is_serial(other) && same_but_for(other, row, without) &&
            sign * number(other, "batch") > sign * number(found, "batch")) {
            found = other;
        }
    }
    return found;
}

static bool same_word(const gb_row *a, const gb_row *b, const char *param)
{
    const char *x = gb_row_word(a, param), *y = gb_row_word(b, param);
    return x != NULL && y != NULL && strcmp(x, y) == 0;
}

/* Whether no row before `at` is serial and reads such files from such a place. */
static bool is_first_of_its_kind(const gb_view *view, size_t at)
{
    for (size_t i = 0; i < at; i++) {
        const gb_row *row = &view->rows[i];
        if (is_serial(row) && same_word(row, &view->rows[at], "source") &&
            same_word(row, &view->rows[at], "decode")) {
            return false;
        }
    }
    return is_serial(&view->rows[at]);
}

static json_t *stage_figures(const gb_row *row, const shares *s)
{
    json_t *each = json_object();
    for (int i = 0; i < STAGES; i++) {
        json_object_set_new(each, stages[i].part, gb_json_real(s->of[i]));
    }
    return json_pack("{s:s, s:O, s:s, s:f, s:f, s:o}", "benchmark", row->first->benchmark, "params",
                     row->first->params, "stage", stages[s->longest].part, "share",
                     s->of[s->longest], "device_share", s->device, "shares", each);
}

/* ", then reading with 20 % and preparing with 12 %": up to two more of a twentieth or more. */
static void say_others(const shares *s, gb_buf *text)
{
    bool said[STAGES] = {false};
    said[s->longest] = true;
    for (int k = 0; k < 2; k++) {
        int next = -1;
        for (int i = 0; i < STAGES; i++) {
            if (!said[i] && s->of[i] >= 0.05 && (next < 0 || s->of[i] > s->of[next])) {
                next = i;
            }
        }
        if (next < 0) {
            return;
        }
        said[next] = true;
        gb_buf_printf(text, "%s %s with %.0f %%", k == 0 ? ", then" : " and", stages[next].said,
                      100 * s->of[next]);
    }
}

static void say_stage(const gb_view *view, const gb_row *row, const shares *s, gb_buf *text)
{
    gb_buf_printf(text, "%.0f %% of the time from file to answer, in batches of %.0f",
                  100 * s->of[s->longest], number(row, "batch"));
    gb_finding_case(view, row, said_anyway, text);
    gb_buf_printf(text, ", is %s", stages[s->longest].said);
    say_others(s, text);
    gb_buf_printf(text,
                  ". Copies and kernel are %.0f %%: a device that took no time at all would make "
                  "the job faster by a factor of at most %.2f%s.",
                  100 * s->device, 1 / fmax(1 - s->device, 1e-3),
                  is_of_device(s->longest) || s->device > 0.5
                      ? ""
                      : "; the rest is the host's, whatever the device");
}

static gb_code find_stage(const gb_view *view, const gb_row *row, json_t *findings, gb_error *err)
{
    shares s;
    gb_buf text = {0};
    if (!shares_of(row, &s) || !s.agreed) {
        return GB_OK;
    }
    say_stage(view, row, &s, &text);
    const gb_code code =
        gb_finding_add(findings, view, "pipeline-stage", &text, stage_figures(row, &s), err);
    gb_buf_free(&text);
    return code;
}

/* --- batches ---------------------------------------------------------------------------------- */

static gb_code find_batch(const gb_view *view, const gb_row *many, json_t *findings, gb_error *err)
{
    const gb_row *few = extreme_batch(view, many, -1);
    char factor[96], a[32], b[32];
    gb_buf text = {0};
    if (few == many || !gb_rows_differ(view->results, few, many, "time")) {
        return GB_OK;
    }
    const bool faster = many->time_ns < few->time_ns;
    const double files = number(many, "files");
    gb_buf_printf(&text, "In batches of %.0f", number(many, "batch"));
    gb_finding_case(view, many, said_anyway, &text);
    gb_buf_printf(
        &text, " a file takes %s, in batches of %.0f %s: a factor of %s%s.",
        gb_format_ns(many->time_ns / files, a, sizeof a), number(few, "batch"),
        gb_format_ns(few->time_ns / files, b, sizeof b),
        gb_say_ratio(faster ? few : many, faster ? many : few, "time", 1, 2, factor, sizeof factor),
        faster ? "" : " that large batches cost");
    const gb_code code = gb_finding_add(findings, view, "pipeline-batch", &text, NULL, err);
    gb_buf_free(&text);
    return code;
}

/* --- the second set of buffers ---------------------------------------------------------------- */

/* The same job doubly buffered, or NULL. */
static const gb_row *doubled(const gb_view *view, const gb_row *serial)
{
    static const char *const without[] = {"schedule", NULL};
    for (size_t i = 0; i < view->n; i++) {
        const gb_row *row = &view->rows[i];
        if (gb_row_usable(row, "pipeline") && gb_row_word_is(row, "schedule", "double-buffered") &&
            same_but_for(row, serial, without)) {
            return row;
        }
    }
    return NULL;
}

/* The share of a job's time that could be hidden: the shorter of the device's part and the rest.
 * NAN where it is not known, or there is nothing to compare with. */
static double hideable(const gb_view *view, const gb_row *row)
{
    shares s;
    if (!is_serial(row) || doubled(view, row) == NULL || !shares_of(row, &s)) {
        return NAN;
    }
    return fmin(s.device, 1 - s.device);
}

static bool has_most_to_hide(const gb_view *view, size_t at)
{
    const double own = hideable(view, &view->rows[at]);
    for (size_t i = 0; i < view->n; i++) {
        const double other = hideable(view, &view->rows[i]);
        if (strcmp(view->rows[i].first->benchmark, view->rows[at].first->benchmark) == 0 &&
            (other > own || (other == own && i < at))) {
            return false;
        }
    }
    return isfinite(own);
}

static gb_code find_overlap(const gb_view *view, const gb_row *serial, json_t *findings,
                            gb_error *err)
{
    const gb_row *both = doubled(view, serial);
    const gb_contrast contrast = gb_rows_contrast(view->results, serial, both, "time");
    char a[96], b[96], factor[96];
    gb_buf text = {0};
    if (contrast == GB_CONTRAST_UNKNOWN) {
        return GB_OK;
    }
    gb_buf_printf(&text, "One batch of %.0f after the other", number(serial, "batch"));
    gb_finding_case(view, serial, said_anyway, &text);
    gb_buf_printf(&text, " takes %s; with the host at the next batch while the device has one, %s",
                  gb_say_figure(serial, "time", a, sizeof a),
                  gb_say_figure(both, "time", b, sizeof b));
    if (contrast == GB_CONTRAST_SAME) {
        gb_buf_add(&text, ": no difference that can be told from noise");
    } else if (both->time_ns > serial->time_ns) {
        gb_buf_printf(&text, ": longer by a factor of %s",
                      gb_say_ratio(both, serial, "time", 1, 2, factor, sizeof factor));
    } else {
        gb_buf_printf(&text, ": a factor of %s",
                      gb_say_ratio(serial, both, "time", 1, 2, factor, sizeof factor));
    }
    gb_buf_printf(&text,
                  " (at best %.2f, with the shorter of the host's and the device's part hidden "
                  "completely)%s.",
                  1 / (1 - hideable(view, serial)),
                  view->cpu ? "; host and device share the processors here" : "");
    const gb_code code = gb_finding_add(findings, view, "pipeline-overlap", &text, NULL, err);
    gb_buf_free(&text);
    return code;
}

/* --- a host that is too slow ------------------------------------------------------------------ */

static const char *const host_work[] = {"host_work", NULL};

/* The row of the series with the most host work, if `row` is the one with the least; or NULL. */
static const gb_row *slowest_host(const gb_view *view, const gb_row *row)
{
    const gb_row *most = NULL;
    for (size_t i = 0; i < view->n; i++) {
        const gb_row *other = &view->rows[i];
        if (other == row || !gb_row_usable(other, "pipeline") ||
            !same_but_for(other, row, host_work)) {
            continue;
        }
        if (number(other, "host_work") < number(row, "host_work")) {
            return NULL;
        }
        if (most == NULL || number(other, "host_work") > number(most, "host_work")) {
            most = other;
        }
    }
    return most;
}

static gb_code find_idle(const gb_view *view, const gb_row *row, json_t *findings, gb_error *err)
{
    const gb_row *slow = slowest_host(view, row);
    char a[96], b[96];
    const char *unit;
    bool higher;
    gb_buf text = {0};
    if (slow == NULL || !gb_rows_differ(view->results, row, slow, "device_busy")) {
        return GB_OK;
    }
    const double busy = gb_row_metric(slow, "device_busy", &unit, &higher);
    if (busy >= gb_row_metric(row, "device_busy", &unit, &higher)) {
        return GB_OK; /* not what a slow host does */
    }
    gb_buf_add(&text, "The device copies or computes");
    gb_finding_case(view, row, said_anyway, &text);
    gb_buf_printf(&text,
                  " for %s of the time; where the host prepares each batch %.0f times, for %s: it "
                  "is idle for about %.0f %% of the time, waiting for the host.",
                  gb_say_figure(row, "device_busy", a, sizeof a), number(slow, "host_work"),
                  gb_say_figure(slow, "device_busy", b, sizeof b), fmax(100 - busy, 0));
    const gb_code code = gb_finding_add(findings, view, "pipeline-idle", &text, NULL, err);
    gb_buf_free(&text);
    return code;
}

gb_code gb_findings_pipeline(const gb_view *view, json_t *findings, gb_error *err)
{
    gb_code code = GB_OK;
    for (size_t i = 0; i < view->n && code == GB_OK; i++) {
        const gb_row *row = &view->rows[i];
        if (!gb_row_usable(row, "pipeline")) {
            continue;
        }
        if (is_first_of_its_kind(view, i)) {
            const gb_row *largest = extreme_batch(view, row, 1);
            code = find_stage(view, largest, findings, err);
            if (code == GB_OK) {
                code = find_batch(view, largest, findings, err);
            }
        }
        if (code == GB_OK && has_most_to_hide(view, i)) {
            code = find_overlap(view, row, findings, err);
        }
        if (code == GB_OK) {
            code = find_idle(view, row, findings, err);
        }
    }
    return code;
}
