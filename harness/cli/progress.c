#include "cli/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "device/process.h"

#define SILENT_NS UINT64_C(30000000000)

gb_progress_mode gb_progress_choose(const char *word, bool quiet, bool terminal, const char *term,
                                    bool ci, bool no_color)
{
    if (quiet || (word && strcmp(word, "never") == 0))
        return GB_PROGRESS_NONE;
    if (word && strcmp(word, "always") == 0)
        return GB_PROGRESS_REDRAW;
    bool able = terminal && term && term[0] && strcmp(term, "dumb") != 0;
    return able && !ci && !no_color ? GB_PROGRESS_REDRAW : GB_PROGRESS_LINES;
}

static bool given(const char *variable)
{
    const char *value = getenv(variable);
    return value && value[0] && strcmp(value, "false") != 0 && strcmp(value, "0") != 0;
}

void gb_progress_begin(gb_progress *progress, const gb_cli *cli, const gb_plan *plan,
                       const char *label)
{
    *progress = (gb_progress){
        .cli = cli, .plan = plan, .label = label, .spoke_ns = gb_now_ns(), .silent_ns = SILENT_NS};
    progress->mode = gb_progress_choose(cli->args.progress, cli->args.quiet, isatty(STDERR_FILENO),
                                        getenv("TERM"), given("CI"), given("NO_COLOR"));
}

static void wipe(gb_progress *progress)
{
    if (progress->drawn)
        gb_cli_raw_error("\r\033[K");
    progress->drawn = false;
}

/* One line for all that an interruption, or an end of another kind, left out. */
static void tell_left(gb_progress *progress)
{
    if (progress->left > 0)
        gb_cli_note(progress->cli, "%s%s%zu record%s not_run: %s", progress->label,
                    progress->label[0] ? " " : "", progress->left, progress->left == 1 ? "" : "s",
                    progress->why_left);
    progress->left = 0;
}

void gb_progress_end(gb_progress *progress)
{
    tell_left(progress);
    wipe(progress);
}

const char *gb_progress_span(double seconds, char *buf, size_t size)
{
    unsigned long s = seconds > 0 && seconds < 1e9 ? (unsigned long)ceil(seconds) : 0;
    if (s < 60)
        snprintf(buf, size, "%lu s", s);
    else if (s < 3600)
        snprintf(buf, size, "%lu min %lu s", s / 60, s % 60);
    else
        snprintf(buf, size, "%lu h %lu min", s / 3600, s % 3600 / 60);
    return buf;
}

/* Cuts UTF-8 text to `columns` of a terminal. */
static void cut(char *text, size_t columns)
{
    while (gb_utf8_width(text) > columns) {
        size_t n = strlen(text) - 1;
        while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80)
            n--;
        text[n] = '\0';
    }
}

static void redraw(gb_progress *progress, const char *case_id)
{
    char span[32], line[512];
    int columns = gb_cli_columns(STDERR_FILENO);
    int percent = progress->total ? (int)(100 * progress->done / progress->total) : 0;
    if (progress->eta_s > 0)
        snprintf(line, sizeof line, "%3d %% %zu/%zu, %s left: ", percent, progress->done,
                 progress->total, gb_progress_span(progress->eta_s, span, sizeof span));
    else
        snprintf(line, sizeof line, "%3d %% ", percent);
    size_t n = strlen(line);
    snprintf(line + n, sizeof line - n, "%s%s%.300s", progress->label,
             progress->label[0] ? " " : "", case_id);
    cut(line, columns > 1 ? (size_t)columns - 1 : 79);
    gb_cli_raw_error("\r\033[K");
    gb_cli_raw_error(line);
    progress->drawn = true;
}

static void on_start(void *user, const gb_case *c, uint32_t replicate)
{
    gb_progress *progress = user;
    (void)replicate;
    if (progress->mode == GB_PROGRESS_REDRAW)
        redraw(progress, c->id);
}

/* The figure that a plain line ends with: the first metric that has a value, else the time, else
 * the reason. */
static void describe(const gb_record *record, gb_buf *out)
{
    char text[64];
    for (size_t i = 0; i < record->n_metrics; i++) {
        const gb_metric *metric = &record->metrics[i];
        if (isfinite(metric->value)) {
            gb_buf_add(out, gb_format_rate(metric->value, metric->unit, text, sizeof text));
            return;
        }
    }
    if (record->status == GB_STATUS_OK)
        gb_buf_add(out, gb_format_ns(record->time.median, text, sizeof text));
    else if (record->reason)
        gb_buf_add(out, record->reason);
}

static void on_record(void *user, const gb_record *record, size_t done, size_t total, double eta_s)
{
    gb_progress *progress = user;
    progress->done = done;
    progress->total = total;
    progress->eta_s = eta_s;
    if (progress->mode == GB_PROGRESS_REDRAW) {
        redraw(progress, record->case_id);
        return;
    }
    if (progress->mode == GB_PROGRESS_NONE)
        return;
    const char *reason = record->reason ? record->reason : "";
    if (record->status != GB_STATUS_NOT_RUN ||
        strncmp(reason, progress->why_left, sizeof progress->why_left - 1) != 0)
        tell_left(progress);
    if (record->status == GB_STATUS_NOT_RUN) {
        snprintf(progress->why_left, sizeof progress->why_left, "%s", reason);
        progress->left++;
        return;
    }
    char which[48] = "";
    gb_buf figure = {0};
    describe(record, &figure);
    const gb_plan *plan = progress->plan;
    uint32_t replicates = record->index < plan->n_cases ? plan->cases[record->index].replicates : 1;
    if (replicates > 1)
        snprintf(which, sizeof which, " (replicate %lu of %lu)",
                 (unsigned long)record->replicate + 1, (unsigned long)replicates);
    gb_cli_note(progress->cli, "%s%s[%zu/%zu] %s %s%s: %s", progress->label,
                progress->label[0] ? " " : "", done, total, gb_status_word(record->status),
                record->case_id, which, figure.data ? figure.data : "");
    gb_buf_free(&figure);
    progress->spoke_ns = gb_now_ns();
}

void gb_progress_warn(gb_progress *progress, const char *code, const char *message)
{
    wipe(progress);
    gb_cli_warn(progress->cli, code, "%s", message);
}

static void on_note(void *user, const char *message)
{
    gb_progress_warn(user, "worker", message);
}

static void on_waiting(void *user, const gb_case *c, uint32_t replicate)
{
    gb_progress *progress = user;
    (void)replicate;
    if (progress->mode != GB_PROGRESS_LINES ||
        gb_now_ns() - progress->spoke_ns < progress->silent_ns)
        return;
    progress->spoke_ns = gb_now_ns();
    if (c)
        gb_cli_note(progress->cli, "still at %s", c->id);
    else
        gb_cli_note(progress->cli, "still waiting for a worker to open the device");
}

gb_observer gb_progress_observer(gb_progress *progress)
{
    return (gb_observer){.started = on_start,
                         .record = on_record,
                         .note = on_note,
                         .waiting = on_waiting,
                         .user = progress};
}
