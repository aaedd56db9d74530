/* Usage, help, the manual page and shell completion: all from the table of verbs. */
#include <stdio.h>
#include <string.h>

#include "build_info.h"
#include "cli/cli.h"

static const char exit_text[] =
    "Exit status: 0 good, 1 regression or failed expectation, 2 usage, suite or file invalid, 3 a "
    "case failed "
    "or "
    "gave wrong answers, 4 no such device, 5 with --strict: throttled or not converged, "
    "6 environment (driver mismatch, disk, device busy) or every case skipped, 130/143/129 "
    "interrupted (SIGINT, SIGTERM, "
    "SIGHUP).";

static void usage(const gb_cli *cli, gb_buf *out)
{
    gb_buf_add(out, "usage: gpubench VERB [OPTIONS] [ARGUMENTS]\n\n"
                    "A benchmark suite for GPUs: moving data, launching work, reading memory.\n\n");
    for (const gb_verb *const *v = cli->verbs; *v; v++) {
        if (!(*v)->hidden)
            gb_buf_printf(out, "  %-10s %s\n", (*v)->name, (*v)->summary);
    }
    gb_buf_add(out, "\n  gpubench help VERB     its options\n"
                    "  gpubench help --man    the manual page (roff)\n"
                    "  gpubench completion bash\n"
                    "  gpubench --version     what is in this build\n\n"
                    "To begin: gpubench run quick\n");
}

/* The verbs that a verb is made of. */
static void parts_help(const gb_verb *verb, gb_buf *out)
{
    gb_buf_printf(out, "usage: gpubench %s VERB [OPTIONS] [ARGUMENTS]\n\n%s.\n", verb->name,
                  verb->summary);
    if (verb->details) {
        gb_buf_add(out, "\n");
        gb_cli_paragraph(out, verb->details);
    }
    gb_buf_add(out, "\n");
    for (const gb_verb *const *part = verb->parts; *part; part++)
        gb_buf_printf(out, "  %-18s %s\n", (*part)->name, (*part)->summary);
    gb_buf_printf(out, "\n  gpubench %s VERB --help   its options\n", verb->name);
}

static void verb_help(const gb_verb *verb, gb_buf *out)
{
    if (verb->parts) {
        parts_help(verb, out);
        return;
    }
    gb_buf_printf(out, "usage: gpubench %s [OPTIONS]%s%s\n\n%s.\n", verb->name,
                  verb->arguments[0] ? " " : "", verb->arguments, verb->summary);
    if (verb->details) {
        gb_buf_add(out, "\n");
        gb_cli_paragraph(out, verb->details);
    }
    gb_buf_add(out, "\n");
    if (verb->options)
        gb_options_help(verb->options, out);
    gb_options_help(gb_common_options, out);
    gb_buf_add(out, "\n");
    gb_cli_paragraph(out, exit_text);
}

/* Roff: a backslash and a leading dot or quote have meanings of their own. */
static void roff(gb_buf *out, const char *text)
{
    bool start = true;
    for (; *text; text++) {
        if (start && (*text == '.' || *text == '\''))
            gb_buf_add(out, "\\&");
        if (*text == '\\')
            gb_buf_add(out, "\\e");
        else if (*text == '-')
            gb_buf_add(out, "\\-");
        else
            gb_buf_add_bytes(out, text, 1);
        start = *text == '\n';
    }
}

static void roff_options(const gb_option *options, gb_buf *out)
{
    for (const gb_option *o = options; o && o->name; o++) {
        gb_buf_add(out, ".TP\n.B ");
        if (o->letter)
            gb_buf_printf(out, "\\-%c, ", o->letter);
        gb_buf_add(out, "\\-\\-");
        roff(out, o->name);
        gb_buf_printf(out, "%s%s\n", o->argument ? " " : "", o->argument ? o->argument : "");
        roff(out, o->help);
        gb_buf_add(out, "\n");
    }
}

static void manual_verb(const gb_verb *verb, gb_buf *out)
{
    gb_buf_printf(out, ".SS %s ", verb->name);
    roff(out, verb->parts ? "VERB" : verb->arguments);
    gb_buf_add(out, "\n");
    roff(out, verb->summary);
    gb_buf_add(out, ".\n");
    if (verb->details) {
        gb_buf_add(out, ".PP\n");
        roff(out, verb->details);
        gb_buf_add(out, "\n");
    }
    roff_options(verb->options, out);
}

static void manual(const gb_cli *cli, gb_buf *out)
{
    gb_buf_printf(out,
                  ".TH GPUBENCH 1 \"\" \"gpubench %s\" \"User Commands\"\n.SH NAME\ngpubench \\- "
                  "benchmark suites and reports for GPUs\n.SH SYNOPSIS\n.B gpubench\n.I VERB\n"
                  "[\\fIOPTIONS\\fR] [\\fIARGUMENTS\\fR]\n.SH VERBS\n",
                  GB_VERSION);
    for (const gb_verb *const *v = cli->verbs; *v; v++) {
        if ((*v)->hidden)
            continue;
        manual_verb(*v, out);
        for (const gb_verb *const *part = (*v)->parts; part && *part; part++)
            manual_verb(*part, out);
    }
    gb_buf_add(out, ".SH COMMON OPTIONS\n");
    roff_options(gb_common_options, out);
    gb_buf_add(out, ".SH EXIT STATUS\n");
    roff(out, exit_text);
    gb_buf_add(out,
               ".\n.SH ENVIRONMENT\n.TP\n.B NO_COLOR\nno colours\n.TP\n.B CI\nprogress as plain "
               "lines\n.TP\n.B GPUBENCH_LOCK_DIR\nwhere device locks are kept (/tmp)\n");
}

static const gb_option help_options[] = {{.name = "man",
                                          .kind = GB_OPT_FLAG,
                                          .help = "print the manual page (roff)",
                                          .offset = offsetof(gb_args, man)},
                                         {0}};

static const gb_verb *find_verb(const gb_cli *cli, const char *name)
{
    for (const gb_verb *const *v = cli->verbs; *v; v++) {
        size_t n = strlen((*v)->name);
        if (strcmp((*v)->name, name) == 0)
            return *v;
        if (strncmp((*v)->name, name, n) == 0 && name[n] == ' ')
            return gb_cli_part(*v, name + n + 1);
    }
    return NULL;
}

static int help(gb_cli *cli)
{
    gb_buf out = {0};
    const char *name = cli->args.words.n ? cli->args.words.items[0] : NULL;
    const gb_verb *verb = name ? find_verb(cli, name) : NULL;
    if (verb && verb->parts && cli->args.words.n > 1) {
        name = cli->args.words.items[1];
        verb = gb_cli_part(verb, name);
    }
    if (name && !verb) {
        gb_error err;
        gb_fail(&err, GB_INVALID, "no verb '%s'", name);
        return gb_cli_fail(cli, GB_EXIT_USAGE, &err);
    }
    if (verb)
        verb_help(verb, &out);
    else if (cli->args.man)
        manual(cli, &out);
    else
        usage(cli, &out);
    if (out.data)
        gb_cli_print(cli, out.data);
    int status = out.failed ? gb_cli_out_of_memory(cli) : GB_EXIT_OK;
    gb_buf_free(&out);
    return status;
}

const gb_verb gb_verb_help = {.name = "help",
                              .arguments = "[VERB]",
                              .summary = "Show what a verb does and its options",
                              .options = help_options,
                              .max_words = 2,
                              .function = help,
                              .hidden = true};

static void complete_options(const gb_option *options, gb_buf *out)
{
    for (const gb_option *o = options; o && o->name; o++)
        gb_buf_printf(out, " --%s", o->name);
}

static int completion(gb_cli *cli)
{
    if (strcmp(cli->args.words.items[0], "bash") != 0) {
        gb_error err;
        gb_fail(&err, GB_INVALID, "no completion for '%s': only bash", cli->args.words.items[0]);
        return gb_cli_fail(cli, GB_EXIT_USAGE, &err);
    }
    gb_buf out = {0};
    gb_buf_add(&out, "# bash completion for gpubench: source <(gpubench completion bash)\n"
                     "_gpubench()\n{\n    local word=${COMP_WORDS[COMP_CWORD]} words\n"
                     "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        words=\"");
    for (const gb_verb *const *v = cli->verbs; *v; v++)
        gb_buf_printf(&out, "%s ", (*v)->name);
    gb_buf_add(&out, "--version --help\"\n    else\n        case ${COMP_WORDS[1]} in\n");
    for (const gb_verb *const *v = cli->verbs; *v; v++) {
        gb_buf_printf(&out, "            %s) words=\"", (*v)->name);
        complete_options((*v)->options, &out);
        for (const gb_verb *const *part = (*v)->parts; part && *part; part++) {
            gb_buf_add(&out, strchr((*part)->name, ' '));
            complete_options((*part)->options, &out);
        }
        complete_options(gb_common_options, &out);
        gb_buf_add(&out, "\" ;;\n");
    }
    gb_buf_add(&out, "            *) words= ;;\n        esac\n"
                     "        [ \"${COMP_WORDS[1]}\" = describe ] &&\n"
                     "            words+=\" $(gpubench list --kernels 2>/dev/null)\"\n    fi\n"
                     "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
                     "    case $word in\n        -*) ;;\n"
                     "        *) mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY "
                     "< <(compgen -f -- \"$word\") ;;\n    esac\n}\n"
                     "complete -o filenames -F _gpubench gpubench\n");
    if (out.data)
        gb_cli_print(cli, out.data);
    int status = out.failed ? gb_cli_out_of_memory(cli) : GB_EXIT_OK;
    gb_buf_free(&out);
    return status;
}

const gb_verb gb_verb_completion = {.name = "completion",
                                    .arguments = "bash",
                                    .summary = "Print shell completion",
                                    .min_words = 1,
                                    .max_words = 1,
                                    .function = completion,
                                    .hidden = true};
