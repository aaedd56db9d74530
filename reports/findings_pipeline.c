/* Where a job's time goes: its longest stage, what batches and a second set of buffers gain, how
 * idle a slow host leaves the device. docs/methodology.md, "Pipeline". */
#include "reports/findings.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
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

/* What replicates have of each part as a share of their time, and which stage is the longest. */
typedef struct shares {
    gb_interval of[STAGES];
    gb_interval device; /* copies and kernel together */
    gb_interval hidden; /* at most, with two sets of buffers: the shorter of that and the rest */
    int longest;
    bool agreed; /* it is in every replicate, with shares that are alike */
} shares;

static bool add_shares(const gb_record *record, size_t n, shares *out)
{
    int longest = 0;
    double share[STAGES];
    for (int i = 0; i < STAGES; i++) {
        share[i] = part_of(record, stages[i].part) / record->time.median;
        if (!isfinite(share[i])) {
            return false;
        }
        gb_span_add(&out->of[i], n, share[i]);
        longest = share[i] > share[longest] ? i : longest;
    }
    const double device = share[COPY_IN] + share[COMPUTE] + share[COPY_OUT];
    gb_span_add(&out->device, n, device);
    gb_span_add(&out->hidden, n, fmin(device, 1 - device));
    out->agreed = n == 1 || (out->agreed && longest == out->longest);
    out->longest = longest;
    return true;
}

static bool shares_of(const gb_row *row, shares *out)
{
    size_t n = 0;
    *out = (shares){.longest = -1};
    for (size_t r = 0; r < row->n; r++) {
        if (row->replicates[r]->status == GB_STATUS_OK &&
            !add_shares(row->replicates[r], ++n, out)) {
            return false;
        }
    }
    if (n == 0) {
        return false;
    }
    const gb_interval *longest = &out->of[out->longest];
    out->agreed = out->agreed && longest->high - longest->low <= 2 * GB_FIRM;
    return true;
}

/* How many times as fast a job is of which a share takes no time any more. */
static const char *say_without(const gb_interval *share, char *buf, size_t size)
{
    const gb_interval factor = {.centre = 1 / fmax(1 - share->centre, 1e-3),
                                .low = 1 / fmax(1 - share->low, 1e-3),
                                .high = 1 / fmax(1 - share->high, 1e-3)};
    return gb_say_number(&factor, 2, buf, size);
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
        if (is_serial(other) && gb_rows_alike(other, row, without) &&
            sign * gb_row_param(other, "batch") > sign * gb_row_param(found, "batch")) {
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
        json_object_set_new(each, stages[i].part, gb_json_real(s->of[i].centre));
    }
    return json_pack("{s:O, s:s, s:f, s:f, s:o}", "params", row->first->params, "stage",
                     stages[s->longest].part, "share", s->of[s->longest].centre, "device_share",
                     s->device.centre, "shares", each);
}

/* ", then reading with 20 % and preparing with 12 %": up to two more of a twentieth or more. */
static void say_others(const shares *s, gb_buf *text)
{
    bool said[STAGES] = {false};
    char percent[96];
    said[s->longest] = true;
    for (int k = 0; k < 2; k++) {
        int next = -1;
        for (int i = 0; i < STAGES; i++) {
            if (!said[i] && s->of[i].centre >= 0.05 &&
                (next < 0 || s->of[i].centre > s->of[next].centre)) {
                next = i;
            }
        }
        if (next < 0) {
            return;
        }
        said[next] = true;
        gb_buf_printf(text, "%s %s with %s", k == 0 ? ", then" : " and", stages[next].said,
                      gb_say_share(&s->of[next], percent, sizeof percent));
    }
}

static void say_stage(const gb_view *view, const gb_row *row, const shares *s, gb_buf *text)
{
    char percent[96];
    /* a bound: of the largest share that a replicate had, rounded up */
    const double bound = ceil(100 / fmax(1 - s->device.high, 1e-3)) / 100;
    gb_buf_printf(text, "%s of the time from file to answer, in batches of %.0f",
                  gb_say_share(&s->of[s->longest], percent, sizeof percent),
                  gb_row_param(row, "batch"));
    gb_finding_case(view, row, said_anyway, text);
    gb_buf_printf(text, ", is %s", stages[s->longest].said);
    say_others(s, text);
    gb_buf_printf(text,
                  ". Copies and kernel are %s: a device that took no time at all would make "
                  "the job faster by a factor of at most %.2f%s.",
                  gb_say_share(&s->device, percent, sizeof percent), bound,
                  is_of_device(s->longest) || s->device.centre > 0.5
                      ? ""
                      : "; the rest is the host's, whatever the device");
}

static gb_code find_stage(const gb_view *view, const gb_row *row, json_t *findings, gb_error *err)
{
    shares s;
    gb_interval time;
    gb_buf text = {0};
    if (!gb_row_interval(row, "time", &time) || !shares_of(row, &s) || !s.agreed) {
        return GB_OK;
    }
    say_stage(view, row, &s, &text);
    const gb_code code =
        gb_finding_add(findings, view, row, "pipeline-stage", &text, stage_figures(row, &s), err);
    gb_buf_free(&text);
    return code;
}

/* --- batches ---------------------------------------------------------------------------------- */

/* Of one file. */
static const char *say_file(const gb_row *row, char *buf, size_t size)
{
    const double files = gb_row_param(row, "files");
    gb_interval time;
    if (!gb_row_interval(row, "time", &time)) {
        return "?"; /* rows that differ have one */
    }
    time = (gb_interval){time.centre / files, time.low / files, time.high / files};
    return gb_say_derived(&time, "ns", buf, size);
}

static gb_code find_batch(const gb_view *view, const gb_row *many, json_t *findings, gb_error *err)
{
    const gb_row *few = extreme_batch(view, many, -1);
    char factor[96], a[96], b[96];
    gb_buf text = {0};
    if (few == many || !gb_rows_differ(view->results, few, many, "time")) {
        return GB_OK;
    }
    const bool faster = many->time_ns < few->time_ns;
    gb_buf_printf(&text, "In batches of %.0f", gb_row_param(many, "batch"));
    gb_finding_case(view, many, said_anyway, &text);
    gb_buf_printf(
        &text, " a file takes %s, in batches of %.0f %s: a factor of %s%s.",
        say_file(many, a, sizeof a), gb_row_param(few, "batch"), say_file(few, b, sizeof b),
        gb_say_ratio(faster ? few : many, faster ? many : few, "time", 1, 2, factor, sizeof factor),
        faster ? "" : " that large batches cost");
    const gb_code code = gb_finding_add(findings, view, many, "pipeline-batch", &text, NULL, err);
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
            gb_rows_alike(row, serial, without)) {
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
    return s.hidden.centre;
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
    shares s;
    gb_buf text = {0};
    if (contrast == GB_CONTRAST_UNKNOWN || !shares_of(serial, &s)) {
        return GB_OK;
    }
    gb_buf_printf(&text, "One batch of %.0f after the other", gb_row_param(serial, "batch"));
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
                  " (at best %s, with the shorter of the host's and the device's part hidden "
                  "completely)%s.",
                  say_without(&s.hidden, factor, sizeof factor),
                  view->cpu ? "; host and device share the processors here" : "");
    const gb_code code =
        gb_finding_add(findings, view, serial, "pipeline-overlap", &text, NULL, err);
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
            !gb_rows_alike(other, row, host_work)) {
            continue;
        }
        if (gb_row_param(other, "host_work") < gb_row_param(row, "host_work")) {
            return NULL;
        }
        if (most == NULL || gb_row_param(other, "host_work") > gb_row_param(most, "host_work")) {
            most = other;
        }
    }
    return most;
}

/* The intervals of the share of time in which the device is busy. */
static bool busy_of(const gb_row *row, gb_interval *out)
{
    gb_interval percent;
    if (!gb_row_interval(row, "device_busy", &percent)) {
        return false;
    }
    *out = (gb_interval){percent.centre / 100, percent.low / 100, fmin(percent.high / 100, 1)};
    return true;
}

static gb_code find_idle(const gb_view *view, const gb_row *row, json_t *findings, gb_error *err)
{
    const gb_row *slow = slowest_host(view, row);
    char a[96], b[96], c[96];
    gb_interval fast, starved;
    gb_buf text = {0};
    if (slow == NULL || !gb_rows_differ(view->results, row, slow, "device_busy") ||
        !busy_of(row, &fast) || !busy_of(slow, &starved) || starved.centre >= fast.centre) {
        return GB_OK; /* more of it is not what a slow host does */
    }
    const gb_interval idle = {1 - starved.centre, 1 - starved.high, 1 - starved.low};
    gb_buf_add(&text, "The device copies or computes");
    gb_finding_case(view, row, said_anyway, &text);
    gb_buf_printf(&text,
                  " for %s of the time; where the host prepares each batch %.0f times, for %s: it "
                  "is idle for about %s of the time, waiting for the host.",
                  gb_say_share(&fast, a, sizeof a), gb_row_param(slow, "host_work"),
                  gb_say_share(&starved, b, sizeof b), gb_say_share(&idle, c, sizeof c));
    const gb_code code = gb_finding_add(findings, view, row, "pipeline-idle", &text, NULL, err);
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
