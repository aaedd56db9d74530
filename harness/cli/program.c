/* From argv to a verb and back to an exit status. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "build_info.h"
#include "cli/cli.h"
#include "cli/head.h"
#include "device/device.h"
#include "kernels/task.h"
#include "run/protocol.h"
#include "run/worker.h"

static const gb_verb *const verbs[] = {
    &gb_verb_run,      &gb_verb_list,   &gb_verb_describe,   &gb_verb_check,
    &gb_verb_estimate, &gb_verb_report, &gb_verb_compare,    &gb_verb_export,
    &gb_verb_history,  &gb_verb_verify, &gb_verb_selftest,   &gb_verb_doctor,
    &gb_verb_devices,  &gb_verb_help,   &gb_verb_completion, NULL};

static const char *const color_words[] = {"auto", "always", "never", NULL};

const gb_option gb_common_options[] = {
    {.name = "help",
     .letter = 'h',
     .kind = GB_OPT_FLAG,
     .help = "show this help",
     .offset = offsetof(gb_args, help)},
    {.name = "quiet",
     .letter = 'q',
     .kind = GB_OPT_FLAG,
     .help = "no progress and no notes on stderr",
     .offset = offsetof(gb_args, quiet)},
    {.name = "color",
     .kind = GB_OPT_WORD,
     .argument = "WHEN",
     .help = "auto (default), always or never; NO_COLOR is honoured",
     .offset = offsetof(gb_args, color),
     .words = color_words},
    {.name = "silence",
     .kind = GB_OPT_LIST,
     .argument = "CODE",
     .help = "do not print warning[CODE]; may be repeated",
     .offset = offsetof(gb_args, silence)},
    {0}};

/* A closed descriptor 0, 1 or 2 would be given to the next file that is opened: a message meant
 * for a terminal must never end up in a results file. What is written to a closed output is lost,
 * and must fail (EBADF, as without this): 1 cannot be written to either. Only 2 swallows, since
 * nobody could be told. */
static void fill_standard_descriptors(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 2 ? O_WRONLY : O_RDONLY) != fd)
            return;
    }
}

static int version(gb_cli *cli)
{
    gb_buf out = {0};
    gb_buf_printf(&out, "gpubench %s (%s)\n", GB_VERSION, GB_GIT);
    gb_buf_printf(&out, "  build         %s, %s%s%s%s%s\n", GB_BUILD_TYPE, GB_COMPILER,
                  GB_SANITIZE[0] ? ", sanitizer " : "", GB_SANITIZE,
                  GB_CHECKED_BUILD ? ", checked kernels" : "", GB_PORTABLE ? ", portable" : "");
    if (GB_HAVE_CUDA)
        gb_buf_printf(&out,
                      "  cuda device   in: toolkit %s, code for sm %s and PTX; minimum driver %s\n",
                      GB_CUDA_TOOLKIT, GB_CUDA_ARCHITECTURES, gb_device_cuda_minimum_driver());
    else
        gb_buf_add(&out, "  cuda device   out: built without the CUDA toolkit\n");
    gb_buf_add(&out, "  cpu device    in\n");
    gb_buf_printf(&out, "  NVML          %s\n",
                  GB_HAVE_CUDA ? "looked for at run time" : "out: built without the CUDA toolkit");
    gb_buf_printf(&out, "  vendor BLAS   looked for at run time (%sOpenBLAS)\n",
                  GB_HAVE_CUDA ? "cuBLAS, " : "");
    gb_buf_add(&out, "  gnuplot       looked for at run time\n"
                     "  libyaml, jansson, libmd, SQLite in\n");
    if (out.data)
        gb_cli_print(cli, out.data);
    gb_buf_free(&out);
    return GB_EXIT_OK;
}

static const gb_verb *find(const char *name)
{
    for (size_t i = 0; verbs[i]; i++) {
        if (strcmp(verbs[i]->name, name) == 0)
            return verbs[i];
    }
    return NULL;
}

static int unknown_verb(gb_cli *cli, const char *name)
{
    const char *names[sizeof verbs / sizeof verbs[0]];
    size_t n = 0;
    for (; verbs[n]; n++)
        names[n] = verbs[n]->name;
    const char *near = gb_text_nearest(name, names, n);
    gb_error err;
    gb_fail(&err, GB_INVALID, "no verb '%s'%s%s%s; 'gpubench help' lists them", name,
            near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
    return gb_cli_fail(cli, GB_EXIT_USAGE, &err);
}

const gb_verb *gb_cli_part(const gb_verb *verb, const char *word)
{
    size_t skip = strlen(verb->name) + 1; /* "history add" */
    for (size_t i = 0; verb->parts && verb->parts[i]; i++) {
        if (strcmp(verb->parts[i]->name + skip, word) == 0)
            return verb->parts[i];
    }
    return NULL;
}

static int unknown_part(gb_cli *cli, const char *word)
{
    const char *words[16];
    gb_buf all = {0};
    gb_error err;
    size_t n = 0, skip = strlen(cli->verb->name) + 1;
    for (; cli->verb->parts[n] && n < sizeof words / sizeof words[0]; n++) {
        words[n] = cli->verb->parts[n]->name + skip;
        gb_buf_printf(&all, "%s%s", n ? ", " : "", words[n]);
    }
    const char *near = word ? gb_text_nearest(word, words, n) : NULL;
    if (word)
        gb_fail(&err, GB_INVALID, "%s: no verb '%s'%s%s%s; there are %s", cli->verb->name, word,
                near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "",
                all.data ? all.data : "");
    else
        gb_fail(&err, GB_INVALID, "%s: which of %s?", cli->verb->name, all.data ? all.data : "");
    gb_buf_free(&all);
    return gb_cli_fail(cli, GB_EXIT_USAGE, &err);
}

/* Whether --json was given: known before the options are parsed, since a wrong option is reported
 * as JSON too. */
static bool wants_json(int argc, char *const argv[])
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--json") == 0)
            return true;
    }
    return false;
}

/* A code that no warning has would silence nothing for ever. */
static gb_code check_silenced(const gb_list *silence, gb_error *err)
{
    const char *codes[32];
    size_t n = 0;
    for (; gb_warnings[n].code; n++)
        codes[n] = gb_warnings[n].code;
    for (size_t i = 0; i < silence->n; i++) {
        size_t k = 0;
        while (k < n && strcmp(silence->items[i], codes[k]) != 0)
            k++;
        const char *near = gb_text_nearest(silence->items[i], codes, n);
        if (k == n)
            return gb_fail(err, GB_INVALID, "--silence: no warning has the code '%s'%s%s%s",
                           silence->items[i], near ? " (did you mean '" : "", near ? near : "",
                           near ? "'?)" : "");
    }
    return GB_OK;
}

static int show_help(gb_cli *cli)
{
    const char *name = cli->verb->name;
    gb_args_free(&cli->args);
    cli->args.words = (gb_list){.items = &name, .n = 1};
    int status = gb_verb_help.function(cli);
    cli->args.words = (gb_list){0};
    return status;
}

static int run_verb(gb_cli *cli, int argc, char *argv[])
{
    if (cli->verb->parts) {
        const char *word = argc > 0 ? argv[0] : NULL;
        if (word && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0))
            return show_help(cli);
        const gb_verb *part = word ? gb_cli_part(cli->verb, word) : NULL;
        if (!part)
            return unknown_part(cli, word);
        cli->verb = part;
        argc--;
        argv++;
    }
    const gb_option *tables[2] = {gb_common_options, cli->verb->options};
    gb_error err = {0};
    gb_code code =
        gb_options_parse(tables, cli->verb->options ? 2 : 1, argc, argv, cli->verb->arguments,
                         cli->verb->min_words, cli->verb->max_words, &cli->args, &err);
    if (!code)
        code = check_silenced(&cli->args.silence, &err);
    if (!code && cli->args.no_wait && cli->args.wait_ns.given)
        code = gb_fail(&err, GB_INVALID, "--wait-device and --no-wait exclude each other");
    cli->color_out = gb_cli_color(cli->args.color, STDOUT_FILENO);
    cli->color_err = gb_cli_color(cli->args.color, STDERR_FILENO);
    int status;
    if (code) {
        gb_fail_context(&err, "%s", cli->verb->name);
        status = gb_cli_fail(cli, gb_exit_of_code(code), &err);
    } else if (cli->args.help) {
        status = show_help(cli);
    } else {
        status = cli->verb->function(cli);
    }
    gb_args_free(&cli->args);
    return status;
}

int gb_cli_main(int argc, char *argv[])
{
    fill_standard_descriptors();
    if (argc >= 2 && strcmp(argv[1], "worker") == 0) {
        gb_tasks = (gb_task_host){"/proc/self/exe", gb_device_cuda_open};
        if (argc == 2)
            return gb_worker_main();
        if (strcmp(argv[2], "--probe") == 0)
            return gb_worker_probe(argc == 3);
        if (strcmp(argv[2], "--build") == 0 && argc == 3)
            return gb_worker_answer(
                json_pack("{s:i, s:o}", "protocol", GB_PROTOCOL, "tool", gb_tool_json()));
        if (strcmp(argv[2], "--selftest") == 0 && argc == 5)
            return gb_worker_selftest(argv[3], argv[4]);
        if (strcmp(argv[2], "--task") == 0 && argc >= 4)
            return gb_task_main(argv[3], argc - 4, argv + 4);
    }
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a file-size limit is an error of write() like a full disk */
    gb_cli cli = {.verbs = verbs, .argc = argc, .argv = argv, .json = wants_json(argc, argv)};
    cli.color_err = gb_cli_color(NULL, STDERR_FILENO);
    int status;
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        status = gb_verb_help.function(&cli);
        if (argc < 2)
            status = GB_EXIT_USAGE;
    } else if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "version") == 0) {
        status = version(&cli);
    } else if ((cli.verb = find(argv[1]))) {
        status = run_verb(&cli, argc - 2, argv + 2);
    } else {
        status = unknown_verb(&cli, argv[1]);
    }
    return cli.output_failed ? gb_exit_worse(status, GB_EXIT_ENVIRONMENT) : status;
}
