/* `gpubench verify`: a run directory held against what it follows from. The samples, statistics and
 * hashes are the record library's part (gb_results_verify); here is what takes the suite, the plan
 * and the reports: the conclusions in this file, the rest in those that verify.h names. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json.h"
#include "cli/option_rows.h"
#include "cli/session.h"
#include "cli/verify.h"
#include "kernels/kernel.h"
#include "reports/report.h"
#include "suite/expect.h"

static const gb_option options[] = {GB_OPTION_JSON("as JSON"), {0}};

void gb_verify_note(gb_verification *v, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    gb_buf_add(&v->lines, "note: ");
    gb_buf_vprintf(&v->lines, format, args);
    gb_buf_add(&v->lines, "\n");
    va_end(args);
}

void gb_verify_differs(gb_verification *v, const char *where, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    v->differences++;
    gb_buf_printf(&v->lines, "%s: ", where);
    gb_buf_vprintf(&v->lines, format, args);
    gb_buf_add(&v->lines, "\n");
    va_end(args);
}

void gb_verify_record_differs(gb_verification *v, const gb_record *r, const char *what)
{
    char replicate[64];
    snprintf(replicate, sizeof replicate, ", device %d, replicate %lu", r->device,
             (unsigned long)r->replicate);
    gb_verify_differs(v, "results.json", "%s%s: %s", r->case_id, replicate, what);
}

bool gb_verify_same(const json_t *a, const json_t *b)
{
    if (json_is_real(a) || json_is_real(b)) {
        double x = json_number_value(a), y = json_number_value(b);
        return json_is_number(a) && json_is_number(b) &&
               fabs(x - y) <= GB_VERIFY_TOLERANCE * fmax(fabs(x), fabs(y));
    }
    if (json_is_array(a) && json_is_array(b) && json_array_size(a) == json_array_size(b)) {
        bool equal = true;
        for (size_t i = 0; i < json_array_size(a); i++)
            equal = equal && gb_verify_same(json_array_get(a, i), json_array_get(b, i));
        return equal;
    }
    if (json_is_object(a) && json_is_object(b) && json_object_size(a) == json_object_size(b)) {
        const char *key;
        json_t *value;
        bool equal = true;
        json_object_foreach((json_t *)(uintptr_t)a, key, value) equal =
            equal && gb_verify_same(value, json_object_get(b, key));
        return equal;
    }
    return json_equal(a, b);
}

/* ---- conclusions ---- */

static void check_list(gb_verification *v, const char *key, json_t *made)
{
    const json_t *written = json_object_get(v->results->document, key);
    if (!written)
        gb_verify_note(v, "results.json has no %s: not checked", key);
    else if (made && !gb_verify_same(written, made))
        gb_verify_differs(v, "results.json", "%s are not those that the records yield", key);
    json_decref(made);
}

static gb_code check_conclusions(gb_verification *v, gb_error *err)
{
    json_t *made = NULL;
    gb_code code = gb_report_fits(v->results, &made, err);
    if (!code)
        check_list(v, "fits", made);
    made = NULL;
    if (!code)
        code = gb_report_findings(v->results, &made, err);
    if (!code)
        check_list(v, "findings", made);
    made = NULL;
    if (!code && v->suite)
        code = gb_expectations_json(v->suite, v->results, &made, NULL, err);
    if (!code && v->suite)
        check_list(v, "expectations", made);
    return code;
}

/* results.csv is the table of the records, byte by byte. */
static gb_code check_csv(gb_verification *v, const char *where, gb_error *err)
{
    const json_t *devices = json_object_get(v->results->document, "devices");
    char *made = gb_results_csv(devices, v->results->records, v->results->n);
    char *dir = gb_cli_run_dir(where);
    char *path = gb_text_format("%s/results.csv", dir ? dir : ".");
    gb_code code = made && path ? GB_OK : gb_fail(err, GB_NO_MEMORY, "out of memory");
    struct stat facts;
    FILE *file = NULL;
    if (!code && (stat(path, &facts) || !S_ISREG(facts.st_mode) || !(file = fopen(path, "re"))))
        gb_verify_note(v, "%s is not there: not checked", path);
    size_t line = 1, at = 0;
    for (int c; file && (c = fgetc(file)) != EOF; at++) {
        if ((unsigned char)made[at] != (unsigned char)c || made[at] == '\0')
            break;
        line += c == '\n';
    }
    if (file && (!feof(file) || made[at] != '\0'))
        gb_verify_differs(v, "results.csv", "line %zu is not what the records say", line);
    if (file)
        fclose(file);
    free(path);
    free(dir);
    free(made);
    return code;
}

/* ---- all of it ---- */

static gb_code check_all(gb_verification *v, const char *dir, gb_error *err)
{
    gb_code code = gb_verify_suite(v, err);
    if (!code && v->suite)
        code = gb_verify_cases(v, err);
    for (size_t i = 0; i < v->results->n; i++)
        gb_verify_consistency(v, &v->results->records[i]);
    for (size_t i = 0; !code && i < v->results->n; i++)
        code = gb_verify_stop(v, &v->results->records[i], err);
    if (!code && v->results->complete) {
        code = check_conclusions(v, err);
        if (!code)
            code = check_csv(v, dir, err);
    }
    return code;
}

static void verification_free(gb_verification *v)
{
    for (int kind = 0; kind < GB_DEVICE_KINDS; kind++)
        gb_plan_free(v->plans[kind]);
    gb_suite_free(v->suite);
    gb_buf_free(&v->lines);
}

/* {"directory", "valid", "differences": [lines], "notes": [lines]} */
static json_t *lines_json(const char *dir, const char *text, bool valid)
{
    json_t *differences = json_array(), *notes = json_array();
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
        char *copy = gb_text_format("%.*s", (int)strcspn(line, "\n"), line);
        bool is_note = copy && strncmp(copy, "note: ", 6) == 0;
        json_array_append_new(is_note ? notes : differences,
                              gb_json_string(is_note ? copy + 6 : copy));
        free(copy);
    }
    return json_pack("{s:o, s:b, s:o, s:o}", "directory", gb_json_string(dir), "valid", valid,
                     "differences", differences, "notes", notes);
}

static int verify(gb_cli *cli)
{
    const char *dir = cli->args.words.items[0];
    char *text = NULL;
    gb_error err = {0};
    gb_results results = {0};
    gb_verification v = {.results = &results};
    gb_code first = gb_results_verify(dir, gb_kernel_catalog(), &text, &err);
    gb_code code = first == GB_WRONG_RESULT ? GB_OK : first;
    if (!code)
        code = gb_results_load(dir, true, &results, &err);
    if (!code)
        code = check_all(&v, dir, &err);
    gb_buf all = {0};
    gb_buf_add(&all, text ? text : "");
    gb_buf_add(&all, v.lines.data ? v.lines.data : "");
    bool valid = !code && first != GB_WRONG_RESULT && v.differences == 0;
    if (!code && cli->json)
        gb_cli_print_json(cli, lines_json(dir, all.data ? all.data : "", valid));
    else if (!cli->json && all.data && all.length > 0)
        gb_cli_print(cli, all.data);
    if (!code && !valid) {
        size_t n = 0;
        for (const char *line = all.data; line && *line; line += strcspn(line, "\n") + 1)
            n += strncmp(line, "note: ", 6) != 0;
        code =
            gb_fail(&err, GB_WRONG_RESULT, "%zu difference%s between %s and what it follows from",
                    n, n == 1 ? "" : "s", dir);
    }
    const bool noted = all.data && strstr(all.data, "note: ") != NULL;
    gb_buf_free(&all);
    free(text);
    verification_free(&v);
    gb_results_free(&results);
    if (code)
        return gb_cli_fail(cli, gb_exit_of_code(code), &err);
    gb_cli_note(cli,
                noted ? "%s: no difference in what could be checked"
                      : "%s: the suite, the samples and everything computed from them agree",
                dir);
    return GB_EXIT_OK;
}

const gb_verb gb_verb_verify = {
    .name = "verify",
    .arguments = "DIR",
    .summary = "Recompute everything in a run that follows from its suite and samples",
    .details =
        "Each difference is a line; exit status 3 when there is any. Recomputed are: the suite's "
        "hash and what its text says; which cases and replicates there must be, with which "
        "arguments and in which order; definitions, work, statistics, metrics and flags; whether a "
        "case converged; fits, findings and expectations; results.csv. Not recomputed, since they "
        "follow from nothing else in the directory: the samples themselves, names and facts of "
        "devices and host, times of phases and parts, telemetry, whether answers were right. "
        "Not looked at: report.html, report.md and plots, which 'gpubench report' makes anew. It "
        "shows accidents and careless edits; it is no signature.",
    .options = options,
    .min_words = 1,
    .max_words = 1,
    .function = verify};
