/* `gpubench estimate`: arithmetic before measuring. Its parts are the rows of one table. */
#include <stdio.h>
#include <string.h>

#include "base/estimate.h"
#include "base/json.h"
#include "cli/estimate.h"
#include "cli/option_rows.h"

#define JSON GB_OPTION_JSON("one JSON document in place of text")
#define NUMBER(option, field, type, what, says)                                                    \
    {                                                                                              \
        .name = (option), .kind = (type), .argument = (what), .help = (says), .min = 1,            \
        .max = INT64_MAX, .offset = offsetof(gb_args, field)                                       \
    }
#define WORD(option, field, table, what, says)                                                     \
    {                                                                                              \
        .name = (option), .kind = GB_OPT_WORD, .argument = (what), .help = (says),                 \
        .words = (table), .offset = offsetof(gb_args, field)                                       \
    }
#define RUN(says)                                                                                  \
    {                                                                                              \
        .name = "run", .kind = GB_OPT_TEXT, .argument = "DIR", .help = (says),                     \
        .offset = offsetof(gb_args, run)                                                           \
    }
/* The model that memory and tokens are of. */
#define MODEL                                                                                      \
    NUMBER("parameters", parameters, GB_OPT_PARAMETERS, "N",                                       \
           "of the model: 7B, 350M, 6738415616"),                                                  \
        WORD("precision", precision, gb_precision_words, "WORD",                                   \
             "of the weights: fp32, fp16 (default), bf16, fp8, int8 or int4"),                     \
        WORD("kv-precision", kv_precision, gb_precision_words, "WORD",                             \
             "of the KV cache (default: that of fp32, fp16 and bf16 weights, else fp16)"),         \
        NUMBER("layers", layers, GB_OPT_COUNT, "N", "transformer layers"),                         \
        NUMBER("heads", heads, GB_OPT_COUNT, "N", "attention heads"),                              \
        NUMBER("kv-heads", kv_heads, GB_OPT_COUNT, "N",                                            \
               "heads of keys and values (default: as --heads)"),                                  \
        NUMBER("head-size", head_size, GB_OPT_COUNT, "N", "values a head"),                        \
        NUMBER("context", context, GB_OPT_COUNT, "N", "tokens of a sequence"),                     \
        NUMBER("batch", batch, GB_OPT_COUNT, "N", "sequences at once (default: 1)")

static const gb_option memory_options[] = {
    MODEL,
    NUMBER("device-memory", device_memory, GB_OPT_BYTES, "SIZE",
           "does it fit into that? 80GB, 24GiB"),
    {.name = "training",
     .kind = GB_OPT_FLAG,
     .help = "with Adam in mixed precision, instead of inference",
     .offset = offsetof(gb_args, training)},
    WORD("recompute", recompute, gb_recompute_words, "WORD",
         "activations in training: none (default), selective or full recomputation"),
    RUN("does it fit into the (smallest) device of that run?"),
    JSON,
    {0}};
static const gb_option transfer_options[] = {
    NUMBER("size", size, GB_OPT_BYTES, "SIZE", "bytes to move: 64MiB, 1GB"),
    NUMBER("link", link, GB_OPT_BANDWIDTH, "RATE", "its bandwidth in one direction: 32GB/s"),
    {.name = "pcie",
     .kind = GB_OPT_TEXT,
     .argument = "GENxLANES",
     .help = "or a PCI Express link: 4x16",
     .offset = offsetof(gb_args, pcie)},
    RUN("also with the copies that were measured there (suites/pcie.yaml)"),
    JSON,
    {0}};
static const gb_option bandwidth_options[] = {
    NUMBER("data-rate", data_rate, GB_OPT_DATA_RATE, "RATE", "of a pin: 14Gbps"),
    NUMBER("memory-clock", clock, GB_OPT_CLOCK, "CLOCK",
           "or the clock as nvidia-smi tells it (2 transfers each): 1593MHz"),
    NUMBER("bus-width", bus_width, GB_OPT_COUNT, "BITS", "of the memory: 256"),
    RUN("also what was measured there (suites/memory.yaml)"),
    JSON,
    {0}};
static const gb_option tokens_options[] = {
    MODEL,
    NUMBER("memory-bandwidth", memory_bandwidth, GB_OPT_BANDWIDTH, "RATE",
           "of the device's memory: 3.35TB/s"),
    RUN("also with the bandwidth that was measured there (suites/memory.yaml)"),
    JSON,
    {0}};
static const gb_option amdahl_options[] = {
    NUMBER("parallel", parallel, GB_OPT_SHARE, "SHARE",
           "of the time on one processor that can be spread: 90% or 0.9"),
    NUMBER("processors", processors, GB_OPT_COUNT, "N", "that it is spread over"),
    JSON,
    {0}};

typedef struct estimate_row {
    gb_verb verb;              /* first: dispatch hands it back */
    const char *kind;          /* what its nominal figures are */
    const char *measured_kind; /* and those with rates of a run; NULL: there are none */
    const char *claim;
    const char *measured_claim; /* where there are rates of a run; NULL: as `claim` */
    gb_estimate_fill *fill;
} estimate_row;

static int estimate(gb_cli *cli);

static const estimate_row rows[] = {
    {.verb = {.name = "estimate memory",
              .arguments = "",
              .summary = "Memory that a model takes, whether it fits, and the largest batch",
              .details = "The KV cache needs --layers, --heads (or --kv-heads), --head-size and "
                         "--context, training --heads. K, M, B and T are powers of 1000 in "
                         "--parameters, as in the names of models, and nowhere else.",
              .options = memory_options,
              .function = estimate},
     .kind = "estimate",
     .claim =
         "An estimate, not a measurement: what allocators, libraries and the CUDA context take "
         "comes on top, and so do the scales of quantised weights.",
     .fill = gb_estimate_memory},
    {.verb = {.name = "estimate transfer",
              .arguments = "",
              .summary = "Time to move bytes over a link: size over bandwidth",
              .options = transfer_options,
              .function = estimate},
     .kind = "lower bound",
     .measured_kind = "estimate",
     .claim = "No measurement: nominal figures give a lower bound, without latency and packets' "
              "headers; measured rates an estimate for copies like those that were measured.",
     .fill = gb_estimate_transfer},
    {.verb = {.name = "estimate bandwidth",
              .arguments = "",
              .summary = "Theoretical bandwidth of a memory: data rate by bus width",
              .options = bandwidth_options,
              .function = estimate},
     .kind = "upper bound",
     .measured_kind = "measurement",
     .claim = "An upper bound, not a measurement: no program gets all of it.",
     .measured_claim = "Nominal figures are an upper bound, of which no program gets all; measured "
                       "rates are what the best case of the run got.",
     .fill = gb_estimate_bandwidth},
    {.verb = {.name = "estimate tokens",
              .arguments = "",
              .summary = "Tokens a second that the memory's bandwidth lets a model generate",
              .details = "Each step reads all weights once and the KV cache of every sequence, and "
                         "gives each sequence a token. The KV cache is counted with --layers, "
                         "--heads (or --kv-heads), --head-size and --context.",
              .options = tokens_options,
              .function = estimate},
     .kind = "upper bound",
     .measured_kind = "estimate",
     .claim = "An upper bound, not a measurement: arithmetic, launches, reading the prompt and the "
              "scales of quantised weights are not in it; with a large batch arithmetic is the "
              "limit instead.",
     .measured_claim = "No measurement of tokens: nominal figures give an upper bound, measured "
                       "rates an estimate for what reads memory as well. Arithmetic, launches, "
                       "reading the prompt and the scales of quantised weights are not in it; with "
                       "a large batch arithmetic is the limit instead.",
     .fill = gb_estimate_tokens},
    {.verb = {.name = "estimate amdahl",
              .arguments = "",
              .summary = "Speedup by processors when a share of the work is parallel (Amdahl)",
              .options = amdahl_options,
              .function = estimate},
     .kind = "upper bound",
     .claim = "An upper bound, not a measurement: copies, starting and waiting are not in it.",
     .fill = gb_estimate_amdahl},
};

static const gb_verb *const parts[] = {&rows[0].verb, &rows[1].verb, &rows[2].verb,
                                       &rows[3].verb, &rows[4].verb, NULL};
_Static_assert(sizeof parts / sizeof parts[0] == sizeof rows / sizeof rows[0] + 1,
               "each row is a part");
const gb_verb gb_verb_estimate = {
    .name = "estimate",
    .arguments = "VERB",
    .summary = "Compute before measuring: memory, transfers, bandwidth, tokens, speedup",
    .details =
        "Bounds and rules of thumb, each with its formula and the numbers put in; with --run "
        "DIR what was measured stands beside what is nominal. How to use them, and where the "
        "formulas are from: docs/guide.md.",
    .parts = parts};

/* What JSON appends to an option's name, so that the unit is in it. */
static const char *unit_of(const gb_option *option)
{
    switch (option->kind) {
    case GB_OPT_BYTES:
        return "_bytes";
    case GB_OPT_BANDWIDTH:
        return "_bytes_per_s";
    case GB_OPT_DATA_RATE:
        return "_bits_per_s";
    case GB_OPT_CLOCK:
        return "_hz";
    case GB_OPT_COUNT:
        return strcmp(option->argument, "BITS") == 0 ? "_bits" : "";
    default:
        return "";
    }
}

/* The value of an option that was given; NULL: it was not, or it is about the output. */
static json_t *given(const gb_args *args, const gb_option *option)
{
    const void *field = (const char *)args + option->offset;
    if (option->offset == offsetof(gb_args, json))
        return NULL;
    if (option->kind == GB_OPT_FLAG)
        return *(const bool *)field ? json_true() : NULL;
    if (option->kind == GB_OPT_TEXT || option->kind == GB_OPT_WORD)
        return *(const char *const *)field ? gb_json_string(*(const char *const *)field) : NULL;
    if (option->kind == GB_OPT_SHARE) {
        const gb_share *share = field;
        return share->given ? gb_json_real(share->value) : NULL;
    }
    const gb_number *number = field;
    return number->given ? json_integer((json_int_t)number->value) : NULL;
}

/* {"size_bytes": 67108864, ...}: the options that were given. New reference. */
static json_t *inputs(const gb_args *args, const gb_option *options)
{
    json_t *object = json_object();
    for (const gb_option *o = options; object && o->name; o++) {
        char key[64];
        json_t *value = given(args, o);
        snprintf(key, sizeof key, "%s%s", o->name, unit_of(o));
        for (char *c = key; *c; c++)
            *c = *c == '-' ? '_' : *c;
        if (value && json_object_set_new(object, key, value)) {
            json_decref(object);
            return NULL;
        }
    }
    return object;
}

static gb_code load_run(gb_cli *cli, gb_sheet *sheet, gb_error *err)
{
    const char *dir = cli->args.run;
    gb_code code = dir ? gb_results_load(dir, false, &sheet->run, err) : GB_OK;
    sheet->has_run = dir && !code;
    if (sheet->has_run && gb_results_profiled(&sheet->run))
        return gb_fail_at(err, GB_INVALID, dir, 0, 0,
                          "was measured under a profiler: its times are no rates");
    if (sheet->has_run && !sheet->run.complete)
        gb_cli_warn(cli, "incomplete", "%s: the run did not finish", dir);
    return code;
}

static const char *claim_of(const gb_sheet *sheet, const estimate_row *row)
{
    const bool measured = row->measured_claim && json_array_size(sheet->measured) > 0;
    return measured ? row->measured_claim : row->claim;
}

/* Of the nominal figures; where there are none, of the others. */
static const char *kind_of(const gb_sheet *sheet, const estimate_row *row)
{
    return json_object_size(sheet->results) > 0 ? row->kind : row->measured_kind;
}

static void print_text(gb_cli *cli, const gb_sheet *sheet, const estimate_row *row, gb_buf *out)
{
    static const bool right[] = {false, true, false, false};
    gb_grid_render(&sheet->lines, right, 0, cli->color_out, out);
    gb_buf_add(out, "\n");
    gb_buf_add(out, sheet->notes.data ? sheet->notes.data : "");
    gb_cli_paragraph(out, claim_of(sheet, row));
}

/* The lines of a text as an array. New reference. */
static json_t *lines_of(const char *text)
{
    json_t *array = json_array();
    while (array && text && *text) {
        size_t n = strcspn(text, "\n");
        if (json_array_append_new(array, json_stringn(text, n))) {
            json_decref(array);
            return NULL;
        }
        text += n + (text[n] == '\n');
    }
    return array;
}

static json_t *document(const gb_cli *cli, const gb_sheet *sheet, const estimate_row *row)
{
    return json_pack("{s:s, s:s, s:s, s:o, s:O, s:O, s:O, s:o}", "estimate",
                     strchr(row->verb.name, ' ') + 1, "kind", kind_of(sheet, row), "claim",
                     claim_of(sheet, row), "inputs", inputs(&cli->args, row->verb.options),
                     "results", sheet->results, "formulas", sheet->formulas, "measured",
                     sheet->measured, "notes", lines_of(sheet->notes.data));
}

static int show(gb_cli *cli, const gb_sheet *sheet, const estimate_row *row)
{
    gb_buf text = {0};
    json_t *json = NULL;
    bool failed = sheet->failed || sheet->notes.failed || sheet->lines.failed;
    if (!failed && cli->json)
        json = document(cli, sheet, row);
    else if (!failed)
        print_text(cli, sheet, row, &text);
    if (failed || text.failed || (cli->json && !json)) {
        gb_buf_free(&text);
        return gb_cli_out_of_memory(cli);
    }
    if (json)
        gb_cli_print_json(cli, json);
    else
        gb_cli_print(cli, text.data);
    gb_buf_free(&text);
    return GB_EXIT_OK;
}

static int estimate(gb_cli *cli)
{
    const estimate_row *row = (const estimate_row *)(const void *)cli->verb;
    gb_sheet sheet = {.args = &cli->args,
                      .lines = {.columns = 4},
                      .measured_kind = row->measured_kind,
                      .results = json_object(),
                      .formulas = json_object(),
                      .measured = json_array()};
    gb_error err = {0};
    sheet.failed = !sheet.results || !sheet.formulas || !sheet.measured;
    gb_code code = load_run(cli, &sheet, &err);
    if (!code)
        code = row->fill(&sheet, &err);
    int status;
    if (code) {
        if (!err.file[0])
            gb_fail_context(&err, "%s", row->verb.name);
        status = gb_cli_fail(cli, gb_exit_of_code(code), &err);
    } else {
        status = show(cli, &sheet, row);
    }
    gb_grid_free(&sheet.lines);
    gb_buf_free(&sheet.notes);
    json_decref(sheet.results);
    json_decref(sheet.formulas);
    json_decref(sheet.measured);
    gb_results_free(&sheet.run);
    return status;
}
