/* Rows of option tables that several verbs have: one spelling, one help, one field. */
#ifndef GB_CLI_OPTION_ROWS_H
#define GB_CLI_OPTION_ROWS_H

#include "cli/options.h"

#define GB_OPTION_JSON(says)                                                                       \
    {                                                                                              \
        .name = "json", .kind = GB_OPT_FLAG, .help = (says), .offset = offsetof(gb_args, json)     \
    }
#define GB_OPTION_OUT(what, says)                                                                  \
    {                                                                                              \
        .name = "out", .letter = 'o', .kind = GB_OPT_TEXT, .argument = (what), .help = (says),     \
        .offset = offsetof(gb_args, out)                                                           \
    }
#define GB_OPTION_DEVICE                                                                           \
    {                                                                                              \
        .name = "device", .letter = 'd', .kind = GB_OPT_TEXT, .argument = "WHICH",                 \
        .help = "auto (default), cpu, cuda, cuda:N, cuda:UUID or all",                             \
        .offset = offsetof(gb_args, device)                                                        \
    }
#define GB_OPTION_WAIT_DEVICE                                                                      \
    {                                                                                              \
        .name = "wait-device", .kind = GB_OPT_SECONDS, .argument = "SECONDS",                      \
        .help = "how long to wait while another run uses the device (default: without limit)",     \
        .offset = offsetof(gb_args, wait_ns)                                                       \
    }
#define GB_OPTION_NO_WAIT                                                                          \
    {                                                                                              \
        .name = "no-wait", .kind = GB_OPT_FLAG,                                                    \
        .help = "exit 6 at once when another run uses the device",                                 \
        .offset = offsetof(gb_args, no_wait)                                                       \
    }
#define GB_OPTION_NO_PLOTS                                                                         \
    {                                                                                              \
        .name = "no-plots", .kind = GB_OPT_FLAG, .help = "no plots: table, CSV and pages alone",   \
        .offset = offsetof(gb_args, no_plots)                                                      \
    }
#define GB_OPTION_FILTER                                                                           \
    {                                                                                              \
        .name = "filter", .letter = 'f', .kind = GB_OPT_LIST, .argument = "TEXT",                  \
        .help = "only cases whose name has this text or matches this glob; any of several",        \
        .offset = offsetof(gb_args, filter)                                                        \
    }

/* Of comparisons. */
#define GB_OPTION_BASELINE(says)                                                                   \
    {                                                                                              \
        .name = "baseline", .kind = GB_OPT_LIST, .argument = "DIR", .help = (says),                \
        .offset = offsetof(gb_args, baseline)                                                      \
    }
#define GB_OPTION_THRESHOLD                                                                        \
    {                                                                                              \
        .name = "threshold", .kind = GB_OPT_TEXT, .argument = "PERCENT",                           \
        .help = "what counts as a change, for all cases (default: each gate's, or 2%)",            \
        .offset = offsetof(gb_args, threshold)                                                     \
    }
#define GB_OPTION_GATE(says)                                                                       \
    {                                                                                              \
        .name = "gate", .kind = GB_OPT_FLAG, .help = (says), .offset = offsetof(gb_args, gate)     \
    }
#define GB_OPTION_ALLOW_MISSING                                                                    \
    {                                                                                              \
        .name = "allow-missing", .kind = GB_OPT_FLAG,                                              \
        .help = "with --gate: cases of the baseline may be missing",                               \
        .offset = offsetof(gb_args, allow_missing)                                                 \
    }
#define GB_OPTION_REQUIRE_DECISION                                                                 \
    {                                                                                              \
        .name = "require-decision", .kind = GB_OPT_FLAG,                                           \
        .help = "exit 5 when a case is not decided", .offset = offsetof(gb_args, require_decision) \
    }
#define GB_OPTION_REQUIRE_BASELINE(says)                                                           \
    {                                                                                              \
        .name = "require-baseline", .kind = GB_OPT_FLAG, .help = (says),                           \
        .offset = offsetof(gb_args, require_baseline)                                              \
    }
#define GB_OPTION_STRICT(says)                                                                     \
    {                                                                                              \
        .name = "strict", .kind = GB_OPT_FLAG, .help = (says), .offset = offsetof(gb_args, strict) \
    }

#endif
