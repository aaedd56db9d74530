#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <jansson.h>

#include "base/json.h"
#include "cli/cli.h"

const gb_warning gb_warnings[] = {
    {"build-differs", "a resumed run began with another build"},
    {"clock", "a run says that it began in the future"},
    {"damaged", "results.json of a run cannot be read; its records can"},
    {"device-unknown", "a run does not say which device it is of"},
    {"ecc", "ECC differs between two runs, or is unknown"},
    {"environment", "two runs had another driver, build or host"},
    {"gate-without-teeth", "a gate of two sessions or two units cannot fail by a slower case"},
    {"hardware-fault", "the hardware failed in the new run of a comparison"},
    {"incomplete", "a run did not finish"},
    {"no-lock", "other runs cannot be kept away from the device"},
    {"noise-floor", "how far two sessions on a machine differ is unknown"},
    {"noisy-machine", "the noise floor that a self-test found hides differences that matter"},
    {"no-records", "a run directory without any record"},
    {"not-added", "one of several runs was not added to the history"},
    {"no-value", "cases of a run went well without a value, and the history cannot judge them"},
    {"odd-device", "one of several devices is faster or slower than the others"},
    {"other-unit", "two runs are of two units of one model"},
    {"plots", "a plot was left out, or gnuplot is missing"},
    {"profiled", "a profiler is attached"},
    {"published", "a file of configs/gpus/ cannot be used"},
    {"reversed", "the halves of a run --against are compared the wrong way round"},
    {"same-run", "two directories of a comparison hold the same run"},
    {"same-unit", "several machines of a comparison are runs of the very same unit"},
    {"suite", "machines were measured by different suite files"},
    {"synchronous-launches", "CUDA_LAUNCH_BLOCKING is set"},
    {"torn-line", "the last line of cases.jsonl was torn"},
    {"worker", "a worker died between two cases, or others use the device"},
    {NULL, NULL}};

#define TEXT_COLUMNS 80

/* Writes it all; false on an error other than a reader that went away. */
static bool put(int fd, const char *text)
{
    size_t n = strlen(text);
    while (n > 0) {
        ssize_t written = write(fd, text, n);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return errno == EPIPE;
        text += written;
        n -= (size_t)written;
    }
    return true;
}

void gb_cli_print(gb_cli *cli, const char *text)
{
    if (put(STDOUT_FILENO, text) || cli->output_failed)
        return;
    /* What a run came to is in its directory; with its output closed, nobody asked for the table.
     */
    if (errno == EBADF && cli->verb == &gb_verb_run && !cli->json)
        return;
    cli->output_failed = true;
    gb_error err;
    gb_fail(&err, GB_IO, "cannot write to standard output: %s", strerror(errno));
    gb_cli_fail(cli, GB_EXIT_ENVIRONMENT, &err);
}

void gb_cli_print_json(gb_cli *cli, json_t *json)
{
    char *text = json ? json_dumps(json, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(json);
    if (!text) {
        gb_cli_out_of_memory(cli);
        cli->output_failed = true;
        return;
    }
    if (!cli->json_printed) {
        cli->json_printed = true;
        gb_cli_print(cli, text);
        gb_cli_print(cli, "\n");
    }
    free(text);
}

void gb_cli_raw_error(const char *text)
{
    put(STDERR_FILENO, text);
}

/* One line to stderr in one write, whatever is in it made printable. */
static void say(bool color, const char *ink, const char *prefix, const char *message)
{
    char *safe = gb_text_printable(message);
    gb_buf line = {0};
    gb_buf_printf(&line, "%s%s%s%s\n", color ? ink : "", prefix, color && ink[0] ? "\033[0m" : "",
                  safe ? safe : "out of memory");
    if (line.data)
        put(STDERR_FILENO, line.data);
    gb_buf_free(&line);
    free(safe);
}

static void say_all(const gb_cli *cli, const char *color, const char *prefix, const char *format,
                    va_list args)
{
    gb_buf message = {0};
    gb_buf_vprintf(&message, format, args);
    say(cli->color_err, color, prefix, message.data ? message.data : "");
    gb_buf_free(&message);
}

void gb_cli_warn(const gb_cli *cli, const char *code, const char *format, ...)
{
    for (size_t i = 0; i < cli->args.silence.n; i++) {
        if (strcmp(cli->args.silence.items[i], code) == 0)
            return;
    }
    char prefix[80];
    va_list args;
    snprintf(prefix, sizeof prefix, "warning[%s]: ", code);
    va_start(args, format);
    say_all(cli, "\033[33m", prefix, format, args);
    va_end(args);
}

void gb_cli_warn_all(const gb_cli *cli, const json_t *warnings)
{
    size_t i;
    const json_t *warning;
    json_array_foreach(warnings, i, warning)
    {
        gb_cli_warn(cli, json_string_value(json_object_get(warning, "code")), "%s",
                    json_string_value(json_object_get(warning, "text")));
    }
}

void gb_cli_warn_lines(const gb_cli *cli, const char *code, const gb_buf *notes)
{
    const char *line = notes->data && !notes->failed ? notes->data : "";
    while (*line) {
        size_t n = strcspn(line, "\n");
        gb_cli_warn(cli, code, "%.*s", (int)n, line);
        line += n + (line[n] == '\n');
    }
}

void gb_cli_note(const gb_cli *cli, const char *format, ...)
{
    if (cli->args.quiet)
        return;
    va_list args;
    va_start(args, format);
    say_all(cli, "", "", format, args);
    va_end(args);
}

void gb_cli_say(const gb_cli *cli, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say_all(cli, "", "", format, args);
    va_end(args);
}

int gb_cli_fail(gb_cli *cli, int status, const gb_error *err)
{
    gb_buf message = {0};
    if (err->file[0])
        gb_buf_printf(&message, "%s:", err->file);
    if (err->file[0] && err->line > 0)
        gb_buf_printf(&message, "%d:%d:", err->line, err->column);
    gb_buf_printf(&message, "%s%s", err->file[0] ? " " : "", err->message);
    const char *text = message.data ? message.data : "out of memory";
    say(cli->color_err, "\033[31m", "gpubench: error: ", text);
    if (cli->json && !cli->output_failed) {
        json_t *json = json_pack("{s:{s:s, s:s, s:o, s:i}}", "error", "kind", gb_exit_word(status),
                                 "code", gb_code_word(err->code), "message", gb_json_string(text),
                                 "exit_code", status);
        gb_cli_print_json(cli, json);
    }
    gb_buf_free(&message);
    return status;
}

int gb_cli_status(gb_code code)
{
    return code == GB_INTERRUPTED ? gb_cli_signal_status() : gb_exit_of_code(code);
}

int gb_cli_out_of_memory(gb_cli *cli)
{
    (void)cli;
    gb_cli_raw_error("gpubench: error: out of memory\n");
    return GB_EXIT_ENVIRONMENT;
}

bool gb_cli_color(const char *choice, int fd)
{
    const char *term = getenv("TERM"), *none = getenv("NO_COLOR");
    if (choice && strcmp(choice, "always") == 0)
        return true;
    if (choice && strcmp(choice, "never") == 0)
        return false;
    return isatty(fd) && !(none && none[0]) && term && strcmp(term, "dumb") != 0;
}

int gb_cli_columns(int fd)
{
    struct winsize size;
    if (isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 0;
}

void gb_cli_paragraph(gb_buf *out, const char *text)
{
    size_t column = 0;
    while (*text) {
        size_t n = strcspn(text, " ");
        if (column > 0 && column + 1 + n > TEXT_COLUMNS) {
            gb_buf_add(out, "\n");
            column = 0;
        } else if (column > 0) {
            gb_buf_add(out, " ");
            column++;
        }
        gb_buf_add_bytes(out, text, n);
        column += n;
        text += n + strspn(text + n, " ");
    }
    gb_buf_add(out, "\n");
}
