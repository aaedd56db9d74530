/* Options from tables: one table a verb drives parsing, help, completion and the manual page. */
#ifndef GB_CLI_OPTIONS_H
#define GB_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

/* Values point into argv; only the arrays are owned (gb_args_free). */
typedef struct gb_list {
    const char **items;
    size_t n;
} gb_list;

typedef struct gb_number {
    bool given;
    uint64_t value;
} gb_number;

typedef struct gb_share {
    bool given;
    double value;
} gb_share;

/* The values of all options of all verbs; a verb's table refers to the fields that it takes. */
typedef struct gb_args {
    bool help, quiet, json;
    const char *color;
    gb_list silence;
    const char *out, *resume, *device, *progress, *against, *against_device, *data_dir;
    gb_list set, filter, tag;
    gb_number thin, replicates, budget_ns, seed, wait_ns;
    bool dry_run, profile, fail_fast, strict, no_plots, no_wait;
    /* compare */
    const char *threshold, *markdown, *weights, *currency;
    gb_list baseline, to, price;
    bool gate, cross_device, allow_missing, strict_environment, both_directions;
    bool require_decision, require_baseline, all, confirm;
    /* history */
    const char *history, *run, *repeat_of, *note, *names;
    gb_list confirmed;
    gb_number keep;
    bool allow_incomplete;
    /* estimate */
    gb_number parameters, layers, heads, kv_heads, head_size, context, batch, device_memory;
    gb_number size, link, clock, data_rate, bus_width, memory_bandwidth, processors;
    gb_share parallel;
    const char *precision, *kv_precision, *recompute, *pcie;
    bool training;
    bool table;    /* report */
    bool man;      /* help */
    bool kernels;  /* list */
    gb_list words; /* the positional arguments */
} gb_args;

typedef enum gb_option_kind {
    GB_OPT_FLAG,     /* bool */
    GB_OPT_TEXT,     /* const char * */
    GB_OPT_WORD,     /* const char *, one of `words` */
    GB_OPT_LIST,     /* gb_list: may be given several times */
    GB_OPT_COUNT,    /* gb_number, min..max */
    GB_OPT_DURATION, /* gb_number in ns, min..max: "90s", "3m" */
    GB_OPT_SECONDS,  /* gb_number in ns: as DURATION, a bare number is seconds, 0 is fine */
    /* gb_number, as gb_parse_... of base/units.h */
    GB_OPT_BYTES,
    GB_OPT_BANDWIDTH,
    GB_OPT_DATA_RATE,
    GB_OPT_CLOCK,
    GB_OPT_PARAMETERS,
    GB_OPT_SHARE /* gb_share */
} gb_option_kind;

typedef struct gb_option {
    const char *name; /* without the dashes */
    char letter;      /* short form; 0: none */
    gb_option_kind kind;
    const char *argument;     /* what help calls the value; NULL for a flag */
    const char *help;         /* one line */
    size_t offset;            /* of its field in gb_args */
    uint64_t min, max;        /* COUNT; DURATION, in ns (max 0: any) */
    const char *const *words; /* WORD: NULL-terminated */
} gb_option;

/* Parses argv[0..argc) into *args (zeroed before) with `tables` (n_tables of them, each ended by a
 * row whose name is NULL). min..max positional arguments; `what` names them in messages ("SUITE").
 * GB_INVALID: an unknown option (with the nearest word), a missing, surplus or bad value, too few
 * or too many arguments. gb_args_free in any case. With --help nothing is checked about arguments.
 */
gb_code gb_options_parse(const gb_option *const tables[], size_t n_tables, int argc,
                         char *const argv[], const char *what, size_t min, size_t max,
                         gb_args *args, gb_error *err);
void gb_args_free(gb_args *args);

/* Help for a table: "  -o, --out DIR      where the results go" lines. */
void gb_options_help(const gb_option table[], gb_buf *out);

#endif
