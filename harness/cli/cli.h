/* The command line: what the verbs share. Only this folder prints or decides exit statuses. */
#ifndef GB_CLI_CLI_H
#define GB_CLI_CLI_H

#include <signal.h>

#include <jansson.h>

#include "cli/exit_code.h"
#include "cli/options.h"

typedef struct gb_cli gb_cli;

/* One verb: a row of the table that drives usage, dispatch, completion and the manual page. */
typedef struct gb_verb gb_verb;
struct gb_verb {
    const char *name;
    const char *arguments; /* "[SUITE]": what follows the name, without options */
    const char *summary;
    const char *details; /* paragraphs for its help and the manual page; NULL: none */
    const gb_option *options;
    size_t min_words, max_words;
    int (*function)(gb_cli *cli); /* returns the exit status */
    bool hidden;                  /* not in the usage text */
    /* Instead of all that but name and summary: verbs of its own, NULL-terminated, whose names
     * begin with its name and a blank ("history add"). */
    const gb_verb *const *parts;
};

struct gb_cli {
    const gb_verb *const *verbs; /* NULL-terminated */
    const gb_verb *verb;
    gb_args args;
    int argc;
    char *const *argv; /* as given, recorded in results */
    bool json;         /* stdout carries exactly one JSON document */
    bool color_out, color_err;
    bool json_printed;  /* it is there already: nothing more goes to stdout */
    bool output_failed; /* stdout could not be written (not: closed by its reader) */
};

#define GB_EXECUTABLE                                                                              \
    "/proc/self/exe" /* workers are this very binary, also when it was replaced                    \
                      */

/* The program: returns the exit status. */
int gb_cli_main(int argc, char *argv[]);

extern const gb_verb gb_verb_estimate, gb_verb_history, gb_verb_run, gb_verb_list, gb_verb_describe,
    gb_verb_check, gb_verb_report, gb_verb_compare, gb_verb_export, gb_verb_verify,
    gb_verb_selftest, gb_verb_doctor, gb_verb_devices, gb_verb_help, gb_verb_completion;
extern const gb_option gb_common_options[];

/* The part of a verb that has parts by its own word ("add"); NULL: no such part. */
const gb_verb *gb_cli_part(const gb_verb *verb, const char *word);

/* message.c */

/* Text to stdout, whole. A reader that went away is no error (| head). */
void gb_cli_print(gb_cli *cli, const char *text);
/* The JSON document to stdout, two-space indented, unless there was one already. Takes the
 * reference. */
void gb_cli_print_json(gb_cli *cli, json_t *json);
/* The stable codes of warnings and what they mean; ended by NULLs. */
typedef struct gb_warning {
    const char *code, *meaning;
} gb_warning;
extern const gb_warning gb_warnings[];
/* stderr: "warning[code]: ..." unless silenced by code. */
void gb_cli_warn(const gb_cli *cli, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Each line of the notes as a warning of its own. */
void gb_cli_warn_lines(const gb_cli *cli, const char *code, const gb_buf *notes);
/* Each of an array of {"code", "text"}. */
void gb_cli_warn_all(const gb_cli *cli, const json_t *warnings);
/* stderr: one plain line; not under --quiet. */
void gb_cli_note(const gb_cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* As gb_cli_note, also under --quiet: for what would otherwise look like a hang. */
void gb_cli_say(const gb_cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* stderr: "gpubench: error: file:line:column: message"; under --json also an object {"error":
 * {kind, code, message, exit_code}} on stdout. Returns `status`. */
int gb_cli_fail(gb_cli *cli, int status, const gb_error *err);
int gb_cli_out_of_memory(gb_cli *cli);
/* gb_exit_of_code, and 143 or 129 where the interruption was SIGTERM or SIGHUP. */
int gb_cli_status(gb_code code);
/* A paragraph of plain words, broken into lines of 80 columns. */
void gb_cli_paragraph(gb_buf *out, const char *text);
/* Text as it is to stderr. */
void gb_cli_raw_error(const char *text);
/* Whether escape sequences may go to fd under --color's word (NULL: auto), NO_COLOR and TERM. */
bool gb_cli_color(const char *choice, int fd);
/* Columns of the terminal on fd; 0: none. */
int gb_cli_columns(int fd);

/* files.c */

/* Makes a directory and those on the way to it, unless they are there. GB_IO, GB_NO_MEMORY. */
gb_code gb_cli_make_directory(const char *path, gb_error *err);
/* A JSON document into a file, whole; takes the reference. GB_IO, GB_NO_MEMORY. */
gb_code gb_cli_write_json(const char *path, json_t *json, gb_error *err);
/* DIR/NAME, whole. GB_IO, GB_NO_MEMORY. */
gb_code gb_cli_write_text(const char *dir, const char *name, const gb_buf *text, gb_error *err);

/* signals.c: SIGINT, SIGTERM and SIGHUP count up instead of ending the process. */
extern volatile sig_atomic_t gb_cli_interrupts;
void gb_cli_catch_signals(void);
int gb_cli_signal_status(void); /* 128 and the last of them; 130 when there was none */

/* find.c: where suites are. */

/* Paths of all suites found (sorted; a list of owned strings) in ./suites, beside the binary, in
 * the source tree that it was built in, and in ../share/gpubench/suites. */
gb_code gb_find_suites(gb_list *out, gb_error *err);
void gb_find_free(gb_list *list);
/* The path for what a user typed: itself when there is such a file or it looks like a path,
 * otherwise the found suite of that name. The caller frees; NULL on out of memory. */
char *gb_find_suite(const char *typed);
/* GB_INVALID: there is no suite of a name; with the nearest name, those there are, and where they
 * were looked for. */
gb_code gb_find_nothing(const char *typed, gb_error *err);

#endif
