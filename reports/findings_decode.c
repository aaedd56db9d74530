/* What generating text costs, for each model that was measured: tokens a second against what memory
 * allows, what fewer bytes a weight gain, and how much faster the prompt is. docs/methodology.md,
 * "Tokens a second, and their bound". */
#include "reports/findings.h"
#include "reports/findings_say.h"
#include "reports/roofs.h"

#include <string.h>

#include "base/units.h"

static const char *const by_format[] = {"weights", NULL};
/* What the sentences name themselves. */
static const char *const said[] = {"weights", "hold", NULL};

static bool is_decode(const gb_row *row)
{
    gb_interval rate;
    return gb_row_usable(row, "decode") && gb_row_word(row, "weights") != NULL &&
           gb_row_interval(row, "token_rate", &rate);
}

/* Rows of one model, which differ in the format of the weights alone. */
static bool same_model(const gb_row *a, const gb_row *b)
{
    return gb_rows_alike(a, b, by_format) && a->first->cache == b->first->cache &&
           a->first->timer == b->first->timer;
}

/* The row of a model with this format; NULL: there is none. */
static const gb_row *in_format(const gb_view *view, const gb_row *model, const char *word)
{
    for (size_t i = 0; i < view->n; i++) {
        const gb_row *row = &view->rows[i];
        if (is_decode(row) && gb_row_word_is(row, "weights", word) && same_model(row, model))
            return row;
    }
    return NULL;
}

/* "19.1 tokens/s": a rate of tokens, by its name. */
static const char *say_tokens(const gb_interval *rate, char *buf, size_t size)
{
    return gb_say_derived(rate, "tokens/s", buf, size);
}

/* --- against the bandwidth of memory ---------------------------------------------------------- */

/* The share of the roof of memory is one of two bandwidths; the bound itself is that roof over the
 * bytes of a token. */
static bool add_share(const gb_row *row, const gb_roofs *roofs, const char *before, gb_buf *text)
{
    gb_interval memory, reached;
    char rate[96], share[96], most[96];
    if (!is_decode(row) || gb_row_cached(row, roofs) || !gb_row_firm(row, "token_rate") ||
        !gb_row_interval(row, "token_rate", &reached) ||
        !gb_row_interval(roofs->memory_row, "bandwidth", &memory))
        return false;
    const double bytes = (double)row->first->work.bytes_moved;
    const gb_interval bound = {memory.centre / bytes, memory.low / bytes, memory.high / bytes};
    gb_buf_printf(text, "%s%s weights %s (%s %% of %s)", before, gb_row_word(row, "weights"),
                  say_tokens(&reached, rate, sizeof rate),
                  gb_say_ratio(row, roofs->memory_row, "bandwidth", 100, 0, share, sizeof share),
                  say_tokens(&bound, most, sizeof most));
    return true;
}

static gb_code add_bound(const gb_view *view, const gb_row *model, json_t *findings, gb_error *err)
{
    gb_roofs roofs;
    gb_buf text = {0};
    char rate[96];
    size_t named = 0;
    gb_code code = GB_OK;
    gb_roofs_find(view->results, view->rows, view->n, view->device, GB_COMPUTE_NONE, &roofs);
    if (roofs.memory_row == NULL || !gb_row_firm(roofs.memory_row, "bandwidth"))
        return GB_OK;
    gb_buf_printf(&text, "Each token reads all weights once, and memory delivers %s",
                  gb_say_figure(roofs.memory_row, "bandwidth", rate, sizeof rate));
    gb_finding_roof_case(roofs.memory_row, &text);
    gb_buf_add(&text, ". Tokens a second of one sequence");
    gb_finding_case(view, model, said, &text);
    gb_buf_add(&text, ", and their share of what that allows: ");
    for (size_t i = 0; i < view->n; i++)
        if (is_decode(&view->rows[i]) && same_model(&view->rows[i], model))
            named += add_share(&view->rows[i], &roofs, named > 0 ? ", " : "", &text);
    gb_buf_add(&text, ".");
    if (named > 0)
        code = gb_finding_add(findings, view, model, "decode-bound", &text, NULL, err);
    gb_buf_free(&text);
    return code;
}

/* --- fewer bytes a weight --------------------------------------------------------------------- */

/* Against fp16, or where it was not measured fp32. */
static gb_code add_quantised(const gb_view *view, const gb_row *model, json_t *findings,
                             gb_error *err)
{
    static const char *const formats[] = {"int8", "int4"};
    const gb_row *base = in_format(view, model, "fp16");
    gb_buf text = {0};
    char factor[96];
    size_t named = 0;
    bool short_of = true;
    gb_code code = GB_OK;
    if (base == NULL)
        base = in_format(view, model, "fp32");
    for (size_t f = 0; base != NULL && f < sizeof formats / sizeof formats[0]; f++) {
        const gb_row *row = in_format(view, model, formats[f]);
        gb_interval gain;
        if (row == NULL || !gb_rows_differ(view->results, row, base, "token_rate") ||
            !gb_rows_ratio(row, base, "token_rate", 1, &gain))
            continue;
        const double ideal =
            (double)base->first->work.bytes_moved / (double)row->first->work.bytes_moved;
        short_of = short_of && gain.high < ideal;
        gb_buf_printf(&text, named > 0 ? ", " : "Against %s weights", gb_row_word(base, "weights"));
        if (named == 0)
            gb_finding_case(view, base, said, &text);
        gb_buf_printf(&text, "%s%s yields %s times the tokens a second (by its bytes: %.2f)",
                      named > 0 ? "" : ", ", formats[f],
                      gb_say_number(&gain, 2, factor, sizeof factor), ideal);
        named++;
    }
    gb_buf_add(&text, short_of ? ". That is less: reading is not their only limit any more." : ".");
    if (named > 0)
        code = gb_finding_add(findings, view, base, "decode-quantised", &text, NULL, err);
    gb_buf_free(&text);
    return code;
}

/* --- the prompt ------------------------------------------------------------------------------- */

/* A product of a prompt's vectors with a matrix of the model, weights of the same type. */
static bool is_prefill(const gb_row *row, const gb_row *decode)
{
    gb_interval rate;
    return gb_row_usable(row, "matmul") &&
           gb_row_number_is(row, "k", gb_row_param(decode, "hidden")) &&
           gb_row_number_is(row, "n", gb_row_param(decode, "intermediate")) &&
           gb_row_word_is(row, "type", gb_row_word(decode, "weights")) &&
           row->first->cache == decode->first->cache && gb_row_interval(row, "flop_rate", &rate);
}

/* The same operations a weight and token: rates of arithmetic are rates of tokens. */
static gb_code add_prefill(const gb_view *view, const gb_row *decode, json_t *findings,
                           gb_error *err)
{
    const gb_row *most = NULL;
    gb_interval rate, single;
    gb_buf text = {0};
    char at_once[96], one[96], factor[96];
    for (size_t i = 0; i < view->n; i++)
        if (is_prefill(&view->rows[i], decode) && gb_row_param(&view->rows[i], "m") > 1 &&
            (most == NULL || gb_row_param(&view->rows[i], "m") > gb_row_param(most, "m")))
            most = &view->rows[i];
    if (most == NULL || !gb_rows_differ(view->results, most, decode, "flop_rate") ||
        !gb_row_interval(most, "flop_rate", &rate) ||
        !gb_row_interval(decode, "token_rate", &single))
        return GB_OK;
    const double flops = (double)decode->first->work.flops;
    const gb_interval tokens = {rate.centre / flops, rate.low / flops, rate.high / flops};
    gb_buf_printf(&text,
                  "A prompt of %.0f tokens goes through such matrices (%s) at %s by the rate of "
                  "their products, text that is generated token by token",
                  gb_row_param(most, "m"), gb_row_word(decode, "weights"),
                  say_tokens(&tokens, at_once, sizeof at_once));
    gb_finding_case(view, decode, said, &text);
    gb_buf_printf(&text, " at %s: a factor of %s.", say_tokens(&single, one, sizeof one),
                  gb_say_ratio(most, decode, "flop_rate", 1, 1, factor, sizeof factor));
    gb_code code = gb_finding_add(findings, view, most, "prefill", &text, NULL, err);
    gb_buf_free(&text);
    return code;
}

/* --- all models ------------------------------------------------------------------------------- */

/* Whether an earlier row is of the same model. */
static bool seen(const gb_view *view, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (is_decode(&view->rows[i]) && same_model(&view->rows[i], &view->rows[at]))
            return true;
    return false;
}

gb_code gb_findings_decode(const gb_view *view, json_t *findings, gb_error *err)
{
    static const char *const unscaled[] = {"fp16", "fp32"}; /* of which there may be products */
    gb_code code = GB_OK;
    for (size_t i = 0; i < view->n && code == GB_OK; i++) {
        const gb_row *row = &view->rows[i];
        if (!is_decode(row) || seen(view, i))
            continue;
        code = add_bound(view, row, findings, err);
        if (code == GB_OK)
            code = add_quantised(view, row, findings, err);
        for (size_t f = 0; f < sizeof unscaled / sizeof unscaled[0] && code == GB_OK; f++) {
            const gb_row *decode = in_format(view, row, unscaled[f]);
            if (decode != NULL)
                code = add_prefill(view, decode, findings, err);
        }
    }
    return code;
}
