/* Estimates of a model: its memory, and the tokens a second that a memory lets it generate. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/estimate.h"
#include "base/json.h"
#include "base/spec.h"
#include "base/units.h"
#include "cli/estimate.h"

typedef struct model {
    uint64_t parameters, batch;
    gb_precision precision, kv_precision;
    gb_shape shape; /* all zero: not given, and no KV cache is counted */
    char name[32];  /* "7B" */
    uint64_t weights, kv_token, kv_sequence, kv; /* bytes */
} model;

/* The index of a word that options.c has found in the table; `otherwise` without one. */
static int index_of(const char *const words[], const char *word, int otherwise)
{
    for (int i = 0; word && words[i]; i++) {
        if (strcmp(words[i], word) == 0)
            return i;
    }
    return otherwise;
}

/* The shape, of which all or nothing is given. */
static gb_code read_shape(const gb_args *args, bool heads_needed, gb_shape *out, gb_error *err)
{
    const bool kv = args->kv_heads.given || args->heads.given;
    const struct {
        const char *option;
        bool given;
    } parts[] = {{"--layers", args->layers.given},
                 {heads_needed ? "--heads" : "--heads (or --kv-heads)",
                  heads_needed ? args->heads.given : kv},
                 {"--head-size", args->head_size.given},
                 {"--context", args->context.given}};
    gb_buf missing = {0};
    size_t n = 0, all = sizeof parts / sizeof parts[0];
    for (size_t i = 0; i < all; i++) {
        if (!parts[i].given)
            gb_buf_printf(&missing, "%s%s", n++ ? ", " : "", parts[i].option);
    }
    *out = (gb_shape){0};
    gb_code code = GB_OK;
    if (n > 0 && (n < all || kv || heads_needed))
        code = gb_fail(err, GB_INVALID, "%s missing: %s", n > 1 ? "these are" : "this is",
                       missing.data ? missing.data : "");
    else if (n == 0)
        *out = (gb_shape){args->layers.value, args->heads.value,
                          args->kv_heads.given ? args->kv_heads.value : args->heads.value,
                          args->head_size.value, args->context.value};
    gb_buf_free(&missing);
    if (!code && out->heads && out->kv_heads && out->heads % out->kv_heads != 0)
        code = gb_fail(err, GB_INVALID,
                       "%" PRIu64 " attention heads cannot share %" PRIu64
                       " heads of keys and values: the first must be a multiple of the second",
                       out->heads, out->kv_heads);
    return code;
}

/* Says which quantity it is that cannot be computed. */
static gb_code naming(gb_code code, const char *quantity, gb_error *err)
{
    if (code)
        gb_fail_context(err, "%s", quantity);
    return code;
}

static gb_code read_model(const gb_args *args, bool training, model *out, gb_error *err)
{
    *out =
        (model){.parameters = args->parameters.value,
                .batch = args->batch.given ? args->batch.value : 1,
                .precision = (gb_precision)index_of(gb_precision_words, args->precision, GB_FP16)};
    if (!args->parameters.given)
        return gb_fail(err, GB_INVALID, "--parameters is missing: the model's, such as 7B");
    const int like = out->precision <= GB_BF16 ? (int)out->precision : (int)GB_FP16;
    out->kv_precision = (gb_precision)index_of(gb_precision_words, args->kv_precision, like);
    gb_format_parameters(out->parameters, out->name, sizeof out->name);
    gb_code code = read_shape(args, training, &out->shape, err);
    if (!code && (args->batch.given || args->kv_precision) && !out->shape.layers)
        code = gb_fail(err, GB_INVALID,
                       "--%s is of the KV cache, which needs --layers, --heads (or --kv-heads), "
                       "--head-size and --context",
                       args->batch.given ? "batch" : "kv-precision");
    if (!code)
        code = naming(gb_estimate_values(out->parameters, out->precision, &out->weights, err),
                      "weights (parameters x bytes)", err);
    if (!code)
        code = naming(gb_estimate_kv_token(&out->shape, out->kv_precision, &out->kv_token, err),
                      "KV cache of a token (2 x layers x KV heads x head size x bytes)", err);
    if (!code)
        code = naming(gb_mul_u64(out->kv_token, out->shape.context, &out->kv_sequence, err),
                      "KV cache of a sequence (that of a token x context)", err);
    if (!code)
        code = naming(gb_mul_u64(out->kv_sequence, out->batch, &out->kv, err),
                      "KV cache (that of a sequence x batch)", err);
    return code;
}

/* Weights and KV cache, as both estimates show them. */
static void add_model(gb_sheet *sheet, const model *m)
{
    char token[32];
    const gb_shape *s = &m->shape;
    gb_sheet_bytes(sheet, "weights_bytes", "weights", m->weights, "parameters x bytes = %s x %g",
                   m->name, gb_precision_bits(m->precision) / 8.0);
    if (!s->layers)
        return;
    gb_sheet_bytes(sheet, "kv_token_bytes", "KV cache of a token", m->kv_token,
                   "2 x layers x KV heads x head size x bytes = 2 x %" PRIu64 " x %" PRIu64
                   " x %" PRIu64 " x %g",
                   s->layers, s->kv_heads, s->head_size, gb_precision_bits(m->kv_precision) / 8.0);
    gb_sheet_bytes(sheet, "kv_bytes", "KV cache", m->kv,
                   "KV cache of a token x context x batch = %s x %" PRIu64 " x %" PRIu64,
                   gb_format_bytes(m->kv_token, token, sizeof token), s->context, m->batch);
}

/* --- memory --------------------------------------------------------------------------------------
 */

/* What a model takes: what does not depend on the batch, of it what is certain, and what each
 * sequence adds. */
typedef struct need {
    uint64_t fixed, certain, each, total; /* bytes */
    bool sequences;                       /* `each` is known */
} need;

static gb_code add_up(need *n, uint64_t batch, gb_error *err)
{
    uint64_t sequences = 0;
    gb_code code = naming(gb_mul_u64(n->each, batch, &sequences, err),
                          "what each sequence takes x batch", err);
    if (!code)
        code = naming(gb_add_u64(n->fixed, sequences, &n->total, err), "total", err);
    if (!code)
        code = naming(gb_add_u64(n->certain, sequences, &n->certain, err), "total", err);
    return code;
}

static gb_code inference(gb_sheet *sheet, const model *m, need *n, gb_error *err)
{
    const uint64_t overhead = gb_estimate_overhead(m->weights);
    *n = (need){.certain = m->weights, .each = m->kv_sequence, .sequences = m->kv_sequence > 0};
    gb_code code =
        naming(gb_add_u64(m->weights, overhead, &n->fixed, err), "weights + activations", err);
    if (!code)
        code = add_up(n, m->batch, err);
    if (code)
        return code;
    add_model(sheet, m);
    gb_sheet_bytes(sheet, "activations_bytes", "activations", overhead,
                   "at most %d %% of the weights (rule of thumb)", GB_INFERENCE_OVERHEAD_PERCENT);
    gb_sheet_bytes(sheet, "total_bytes", "total", n->total, "weights%s + activations",
                   n->sequences ? " + KV cache" : "");
    if (!n->sequences)
        gb_sheet_note(sheet, "Without the KV cache: it needs --layers, --heads (or --kv-heads), "
                             "--head-size and --context.");
    return GB_OK;
}

static void add_activations(gb_sheet *sheet, const model *m, gb_recompute recompute, uint64_t bytes)
{
    const gb_shape *s = &m->shape;
    const uint64_t hidden = s->heads * s->head_size; /* fits: it is a factor of what did */
    const char *key = "activations_bytes", *label = "activations";
    if (recompute == GB_KEEP_ALL)
        gb_sheet_bytes(sheet, key, label, bytes,
                       "batch x layers x context x (34 x hidden + 5 x heads x context) = %" PRIu64
                       " x %" PRIu64 " x %" PRIu64 " x (34 x %" PRIu64 " + 5 x %" PRIu64
                       " x %" PRIu64 ")",
                       m->batch, s->layers, s->context, hidden, s->heads, s->context);
    else
        gb_sheet_bytes(sheet, key, label, bytes,
                       "batch x layers x context x %s x hidden = %" PRIu64 " x %" PRIu64
                       " x %" PRIu64 " x %s x %" PRIu64,
                       recompute == GB_KEEP_LAYER_INPUTS ? "2" : "34", m->batch, s->layers,
                       s->context, recompute == GB_KEEP_LAYER_INPUTS ? "2" : "34", hidden);
}

static gb_code training(gb_sheet *sheet, const model *m, need *n, gb_error *err)
{
    static const struct {
        const char *key, *label, *what;
        unsigned each;
    } states[] = {{"weights_bytes", "weights", "16 bits", GB_ADAM_WEIGHTS},
                  {"gradients_bytes", "gradients", "16 bits", GB_ADAM_GRADIENTS},
                  {"optimizer_bytes", "Adam's states", "weights, momentum, variance in fp32",
                   GB_ADAM_OPTIMIZER}};
    const gb_recompute recompute =
        (gb_recompute)index_of(gb_recompute_words, sheet->args->recompute, GB_KEEP_ALL);
    *n = (need){.sequences = true};
    uint64_t activations = 0;
    gb_code code =
        naming(gb_mul_u64(m->parameters, GB_ADAM_WEIGHTS + GB_ADAM_GRADIENTS + GB_ADAM_OPTIMIZER,
                          &n->fixed, err),
               "weights, gradients and Adam's states (parameters x bytes)", err);
    if (!code)
        code = naming(gb_estimate_activations(&m->shape, recompute, &n->each, err),
                      "activations of a sequence (of layers, heads, head size and context)", err);
    if (!code)
        code = naming(gb_mul_u64(n->each, m->batch, &activations, err),
                      "activations (those of a sequence x batch)", err);
    n->certain = n->fixed;
    if (!code)
        code = add_up(n, m->batch, err);
    if (code)
        return code;
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++)
        gb_sheet_bytes(sheet, states[i].key, states[i].label, m->parameters * states[i].each,
                       "parameters x %u = %s x %u (%s)", states[i].each, m->name, states[i].each,
                       states[i].what);
    add_activations(sheet, m, recompute, activations);
    gb_sheet_bytes(sheet, "total_bytes", "total", n->total,
                   "weights + gradients + Adam's states + activations");
    return GB_OK;
}

/* The memory that it should fit into: --device-memory, or that of the run's smallest device, whose
 * name goes to *of. 0: none was asked for. */
static gb_code find_memory(const gb_sheet *sheet, uint64_t *memory, const char **of, gb_error *err)
{
    const json_t *devices = json_object_get(sheet->run.document, "devices");
    *memory = sheet->args->device_memory.value;
    *of = "as given";
    if (!sheet->has_run)
        return GB_OK;
    if (*memory)
        return gb_fail(err, GB_INVALID, "--device-memory and --run exclude each other");
    for (size_t i = 0; i < json_array_size(devices); i++) {
        const json_t *bytes = json_object_get(json_array_get(devices, i), "memory_bytes");
        const uint64_t value = (uint64_t)json_integer_value(bytes);
        if (value > 0 && (!*memory || value < *memory)) {
            *memory = value;
            *of = gb_results_device_name(&sheet->run, (int)i);
        }
    }
    return *memory
               ? GB_OK
               : gb_fail_at(err, GB_INVALID, sheet->args->run, 0, 0,
                            "does not say how much memory its device has: give --device-memory");
}

static void add_fit(gb_sheet *sheet, const need *n, uint64_t memory, const char *of)
{
    const bool all = n->total <= memory, part = n->certain <= memory;
    const char *word = all ? "yes" : part ? "tight" : "no";
    char total[32], certain[32], most[32];
    gb_format_rate((double)n->total, "B", total, sizeof total);
    gb_format_rate((double)memory, "B", most, sizeof most);
    gb_format_rate((double)n->certain, "B", certain, sizeof certain);
    gb_sheet_bytes(sheet, "device_memory_bytes", "device memory", memory, "%s", of);
    if (all)
        gb_sheet_line(sheet, "fits", json_string(word), "fits", word, "total: %s <= %s", total,
                      most);
    else if (part)
        gb_sheet_line(sheet, "fits", json_string(word), "fits", word,
                      "without the activations: %s <= %s, with them %s", certain, most, total);
    else
        gb_sheet_line(sheet, "fits", json_string(word), "fits", word, "%s: %s > %s",
                      n->certain == n->total ? "total" : "even without the activations", certain,
                      most);
}

/* How many sequences fit, where it is known what one takes. */
static void add_batch(gb_sheet *sheet, const need *n, uint64_t memory)
{
    const char *const rest = sheet->args->training ? "model" : "weights - activations";
    const uint64_t batch = gb_estimate_batch(memory, n->fixed, n->each);
    char shown[32], fixed[32], each[32], most[32];
    snprintf(shown, sizeof shown, "%" PRIu64, batch);
    gb_format_rate((double)memory, "B", most, sizeof most);
    gb_format_rate((double)n->fixed, "B", fixed, sizeof fixed);
    gb_format_rate((double)n->each, "B", each, sizeof each);
    if (memory > n->fixed)
        gb_sheet_line(sheet, "largest_batch", json_integer((json_int_t)batch), "largest batch",
                      shown, "(device memory - %s) / %s of a sequence = (%s - %s) / %s", rest,
                      sheet->args->training ? "activations" : "KV cache", most, fixed, each);
    else
        gb_sheet_line(sheet, "largest_batch", json_integer(0), "largest batch", shown,
                      "without any sequence: %s >= %s", fixed, most);
}

static gb_code check_training(const gb_args *args, gb_error *err)
{
    const int precision = index_of(gb_precision_words, args->precision, GB_FP16);
    if (precision != GB_FP16 && precision != GB_BF16)
        return gb_fail(err, GB_INVALID,
                       "--precision %s: training is estimated in mixed precision, fp16 or bf16",
                       args->precision);
    if (args->kv_precision)
        return gb_fail(err, GB_INVALID, "--kv-precision: training keeps no KV cache");
    return GB_OK;
}

gb_code gb_estimate_memory(gb_sheet *sheet, gb_error *err)
{
    const gb_args *args = sheet->args;
    model m;
    need n = {0};
    uint64_t memory = 0;
    const char *of = "";
    if (args->recompute && !args->training)
        return gb_fail(err, GB_INVALID, "--recompute is about training: add --training");
    gb_code code = args->training ? check_training(args, err) : GB_OK;
    if (!code)
        code = read_model(args, args->training, &m, err);
    if (!code)
        code = find_memory(sheet, &memory, &of, err);
    if (!code)
        code = args->training ? training(sheet, &m, &n, err) : inference(sheet, &m, &n, err);
    if (!code && memory)
        add_fit(sheet, &n, memory, of);
    if (!code && memory && n.sequences)
        add_batch(sheet, &n, memory);
    return code;
}

/* --- tokens --------------------------------------------------------------------------------------
 */

static void add_rate(gb_sheet *sheet, const model *m, double bandwidth, const char *of)
{
    const double steps = gb_estimate_steps(bandwidth, m->weights, m->kv);
    char bytes[32], rate[32], step[32], tokens[32];
    gb_format_ns(1e9 / steps, step, sizeof step);
    gb_sheet_line(sheet, "step_ns", gb_json_real(1e9 / steps), "a step", step,
                  "%s / bandwidth = %s / %s%s", m->kv ? "(weights + KV cache)" : "weights",
                  gb_format_rate((double)m->weights + (double)m->kv, "B", bytes, sizeof bytes),
                  gb_format_rate(bandwidth, "B/s", rate, sizeof rate), of);
    const double all = (double)m->batch * steps;
    gb_sheet_line(sheet, "tokens_per_s", gb_json_real(all), "tokens",
                  gb_format_rate(all, "1/s", tokens, sizeof tokens),
                  "batch / step = %" PRIu64 " / %s", m->batch, step);
}

gb_code gb_estimate_tokens(gb_sheet *sheet, gb_error *err)
{
    const gb_args *args = sheet->args;
    gb_measured rates = {0};
    model m;
    if (!args->memory_bandwidth.given && !sheet->has_run)
        return gb_fail(err, GB_INVALID,
                       "--memory-bandwidth is missing: the device's, such as "
                       "3.35TB/s, or a run that measured it with --run");
    gb_code code = read_model(args, false, &m, err);
    if (!code && sheet->has_run)
        code = gb_measured_memory(&sheet->run, &rates, err);
    if (!code && sheet->has_run && !rates.n && !args->memory_bandwidth.given)
        code = gb_fail_at(err, GB_INVALID, args->run, 0, 0,
                          "has no stream over 4 times the last cache, from which the memory's "
                          "bandwidth is known (suites/memory.yaml has): give --memory-bandwidth");
    if (code)
        goto done;
    add_model(sheet, &m);
    if (args->memory_bandwidth.given)
        add_rate(sheet, &m, (double)args->memory_bandwidth.value, "");
    else if (rates.items[0].theory > 0)
        add_rate(sheet, &m, rates.items[0].theory, gb_sheet_theory(sheet));
    for (size_t i = 0; i < rates.n; i++) {
        gb_sheet_rate(sheet, &rates.items[i], 0);
        add_rate(sheet, &m, rates.items[i].bandwidth, "");
    }
    gb_sheet_rate(sheet, NULL, 0);
    if (sheet->has_run && !rates.n)
        gb_sheet_note(sheet, "No measured rate: %s has no stream over 4 times the last cache.",
                      args->run);
    if (!m.kv)
        gb_sheet_note(sheet, "Without the KV cache: it needs --layers, --heads (or --kv-heads), "
                             "--head-size and --context.");
done:
    gb_measured_free(&rates);
    return code;
}
