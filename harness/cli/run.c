/* `gpubench run`: the main flow of the program. */
#include "cli/decide.h"
#include "cli/option_rows.h"
#include "cli/session.h"
#include "suite/limits.h"

static const char *const progress_words[] = {"auto", "always", "never", NULL};

static const gb_option options[] = {
    GB_OPTION_OUT("DIR", "the run directory (default: results/SUITE-TIME, always a new one)"),
    GB_OPTION_DEVICE,
    {.name = "set",
     .kind = GB_OPT_LIST,
     .argument = "B.P=VALUES",
     .help = "other values for a parameter: copy.bytes=1MiB,4MiB; may be repeated",
     .offset = offsetof(gb_args, set)},
    GB_OPTION_FILTER,
    {.name = "tag",
     .kind = GB_OPT_LIST,
     .argument = "TAG",
     .help = "only benchmarks with this tag; any of several",
     .offset = offsetof(gb_args, tag)},
    {.name = "thin",
     .kind = GB_OPT_COUNT,
     .argument = "N",
     .help = "at most N values of each axis of numbers: a short pass over a long suite",
     .offset = offsetof(gb_args, thin),
     .min = 1,
     .max = GB_MAX_VALUES},
    {.name = "replicates",
     .kind = GB_OPT_COUNT,
     .argument = "N",
     .help = "fresh processes a case, 1 to 1000 (default: as the suite says)",
     .offset = offsetof(gb_args, replicates),
     .min = 1,
     .max = GB_MAX_REPLICATES},
    {.name = "budget",
     .kind = GB_OPT_DURATION,
     .argument = "TIME",
     .help = "measuring time of the whole suite, like 90s or 3m (default: as the suite says)",
     .offset = offsetof(gb_args, budget_ns),
     .min = GB_MIN_BUDGET_NS,
     .max = GB_MAX_BUDGET_NS},
    {.name = "seed",
     .kind = GB_OPT_COUNT,
     .argument = "N",
     .help = "of the order of cases (default: a random one, recorded)",
     .offset = offsetof(gb_args, seed),
     .max = (uint64_t)1 << 53},
    {.name = "data-dir",
     .kind = GB_OPT_TEXT,
     .argument = "DIR",
     .help = "the files that benchmarks of the kernel pipeline read: yours, in this folder",
     .offset = offsetof(gb_args, data_dir)},
    {.name = "resume",
     .kind = GB_OPT_TEXT,
     .argument = "DIR",
     .help = "go on with a run: all cases but those that are ok or skipped; SUITE may be left out",
     .offset = offsetof(gb_args, resume)},
    {.name = "against",
     .kind = GB_OPT_TEXT,
     .argument = "BUILD",
     .help = "measure in turns with another build (gpubench or its folder) as the baseline",
     .offset = offsetof(gb_args, against)},
    {.name = "against-device",
     .kind = GB_OPT_TEXT,
     .argument = "WHICH",
     .help = "the same with another device of this host: cuda:1",
     .offset = offsetof(gb_args, against_device)},
    GB_OPTION_BASELINE(
        "compare with an earlier run; from 3 on their spread decides; may be repeated"),
    {.name = "confirm",
     .kind = GB_OPT_FLAG,
     .help = "measure what differs from the baseline again, in fresh processes",
     .offset = offsetof(gb_args, confirm)},
    GB_OPTION_GATE("for CI: at least 5 replicates; missing and failed cases fail too"),
    GB_OPTION_THRESHOLD,
    GB_OPTION_ALLOW_MISSING,
    GB_OPTION_REQUIRE_DECISION,
    GB_OPTION_REQUIRE_BASELINE("exit 2 without --baseline"),
    {.name = "dry-run",
     .letter = 'n',
     .kind = GB_OPT_FLAG,
     .help = "show cases, memory needed and time, and measure nothing",
     .offset = offsetof(gb_args, dry_run)},
    {.name = "fail-fast",
     .kind = GB_OPT_FLAG,
     .help = "stop after the first case that failed or was wrong",
     .offset = offsetof(gb_args, fail_fast)},
    GB_OPTION_STRICT("exit 5 when a case was throttled or has not converged"),
    {.name = "profile",
     .kind = GB_OPT_FLAG,
     .help = "for profilers: one iteration a case, in a range of its name, never held back",
     .offset = offsetof(gb_args, profile)},
    GB_OPTION_WAIT_DEVICE,
    GB_OPTION_NO_WAIT,
    GB_OPTION_NO_PLOTS,
    {.name = "progress",
     .kind = GB_OPT_WORD,
     .argument = "WHEN",
     .help = "auto (default), always or never",
     .offset = offsetof(gb_args, progress),
     .words = progress_words},
    GB_OPTION_JSON("results.json on stdout in place of the table; errors as JSON too"),
    {0}};

static int measure_and_report(gb_session *session, const gb_baselines *baselines)
{
    int status = gb_session_open(session);
    if (status)
        return status;
    if (session->idle) {
        status = gb_session_show(session);
    } else {
        status = gb_session_measure(session);
        if (!status)
            status = gb_session_finish(session);
    }
    if (baselines->n > 0)
        return gb_decide_by_baselines(session, baselines, status);
    if (session->cli->args.gate)
        gb_cli_note(session->cli,
                    "no baseline: nothing was compared; give this run's directory to the next one, "
                    "--baseline %s",
                    gb_run_dir_path(session->dir));
    return status;
}

static int run(gb_cli *cli)
{
    gb_session session = {
        .cli = cli, .out = cli->args.out, .executable = GB_EXECUTABLE, .label = ""};
    gb_cli_catch_signals();
    gb_baselines baselines;
    int status = gb_baselines_load(cli, &baselines);
    if (!status)
        status = gb_session_prepare(&session);
    if (!status && cli->args.dry_run) {
        status = gb_session_dry_run(&session);
        if (!status && (cli->args.against || cli->args.against_device))
            gb_cli_note(cli, "for each of two sides, in turns: twice these records and this time; "
                             "what differs is measured once more");
    } else if (!status) {
        status = gb_session_devices(&session);
        if (!status)
            status = gb_decide_first(&session, &baselines);
        if (!status)
            status = cli->args.against || cli->args.against_device
                         ? gb_decide_by_turns(&session)
                         : measure_and_report(&session, &baselines);
    }
    gb_baselines_free(&baselines);
    gb_session_free(&session);
    return status;
}

const gb_verb gb_verb_run = {
    .name = "run",
    .arguments = "SUITE",
    .summary = "Measure a suite and report",
    .details =
        "SUITE is a YAML file, or the name of a suite that 'gpubench list' shows. Every case is "
        "measured in fresh processes, checked, and written to the run directory at once; a "
        "crash, a hang or a time-out costs one case. One Ctrl-C ends the run with a partial "
        "report, a second one ends it at once.",
    .options = options,
    .max_words = 1,
    .function = run};
