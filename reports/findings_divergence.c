/* Findings on the kernel divergence: each compares rows that differ in one word only, the effect
 * and its control, for every number of ways that has both. */
#include "reports/findings.h"
#include "reports/findings_say.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/units.h"

#define MOST_WAYS 32

typedef struct effect {
    const char *rule, *pattern;
    const char *param, *with, *without;
    /* "32 WHAT cost 31.2 times AGAINST", on a GPU and on a CPU */
    const char *what[2], *against[2];
} effect;

static const effect effects[] = {
    {"divergence",
     "ways",
     "split",
     "lane",
     "warp",
     {"code paths taken by the threads of a warp", "code paths taken by neighbouring elements"},
     {"the same paths taken by whole warps",
      "the same paths taken by groups of 32, as a CPU has no warps"}},
    {"sorted-data",
     "data",
     "order",
     "shuffled",
     "sorted",
     {"paths chosen by shuffled data", "paths chosen by shuffled data"},
     {"the same data sorted", "the same data sorted"}},
    {"early-exit",
     "early-exit",
     "split",
     "lane",
     "warp",
     {"lengths of a loop in a warp", "lengths of a loop among neighbouring elements"},
     {"the same lengths among whole warps", "the same lengths among groups of 32"}},
    {"one-lane",
     "one-lane",
     "split",
     "lane",
     "warp",
     {"threads of which one works", "neighbouring elements of which one has work"},
     {"the same work done by whole warps", "the same work in groups of 32"}},
};

typedef struct pair {
    const gb_row *with, *without;
} pair;

static bool shows(const gb_row *row, const effect *e, const char *word)
{
    return gb_row_usable(row, "divergence") && gb_row_word_is(row, "pattern", e->pattern) &&
           gb_row_word_is(row, e->param, word);
}

/* pairs[w]: the rows of w ways, {NULL} where one is missing. */
static void find_pairs(const gb_view *view, const effect *e, pair pairs[MOST_WAYS + 1])
{
    for (size_t i = 0; i < view->n; i++) {
        const gb_row *with = &view->rows[i];
        double ways = 0;
        if (!shows(with, e, e->with) || !gb_row_number(with, "ways", &ways) || !(ways >= 1) ||
            ways > MOST_WAYS)
            continue;
        for (size_t j = 0; j < view->n; j++) {
            const gb_row *without = &view->rows[j];
            if (shows(without, e, e->without) && gb_rows_same_but(with, without, e->param))
                pairs[(int)ways] = (pair){with, without};
        }
    }
}

/* Slowdown against the control over ways, with the times that it comes from. */
static json_t *figures(const effect *e, const pair pairs[MOST_WAYS + 1])
{
    json_t *ways = json_array(), *slowdown = json_array();
    json_t *time = json_array(), *control = json_array();
    for (int w = 1; w <= MOST_WAYS; w++) {
        if (pairs[w].with == NULL)
            continue;
        const double with = pairs[w].with->time_ns, without = pairs[w].without->time_ns;
        json_array_append_new(ways, json_integer(w));
        json_array_append_new(slowdown, gb_json_real(with / without));
        json_array_append_new(time, gb_json_real(with));
        json_array_append_new(control, gb_json_real(without));
    }
    return json_pack("{s:s, s:o, s:o, s:o, s:o}", "pattern", e->pattern, "ways", ways, "slowdown",
                     slowdown, "time_ns", time, "control_time_ns", control);
}

static gb_code say(const gb_view *view, const effect *e, const pair pairs[MOST_WAYS + 1],
                   json_t *findings, gb_error *err)
{
    int most = MOST_WAYS;
    while (most > 1 && pairs[most].with == NULL)
        most--;
    if (most == 1) /* one way is no choice */
        return GB_OK;
    const gb_row *with = pairs[most].with, *without = pairs[most].without;
    const gb_contrast contrast = gb_rows_contrast(view->results, with, without, "time");
    if (contrast == GB_CONTRAST_UNKNOWN)
        return GB_OK;
    static const char *const said[] = {"pattern", "ways", "split", "order", NULL};
    char slow[96], fast[96], factor[96];
    gb_buf text = {0};
    gb_buf_printf(&text, "%d %s cost ", most, e->what[view->cpu]);
    if (contrast == GB_CONTRAST_DIFFERENT)
        gb_buf_printf(&text, "%s times %s",
                      gb_say_ratio(with, without, "time", 1, 2, factor, sizeof factor),
                      e->against[view->cpu]);
    else
        gb_buf_printf(&text, "as much as %s, no difference that can be told from noise",
                      e->against[view->cpu]);
    gb_buf_printf(&text, " (%s against %s)", gb_say_figure(with, "time", slow, sizeof slow),
                  gb_say_figure(without, "time", fast, sizeof fast));
    gb_finding_case(view, with, said, &text);
    gb_buf_add(&text, ".");
    json_t *numbers = figures(e, pairs);
    gb_code code = numbers != NULL
                       ? gb_finding_add(findings, view, with, e->rule, &text, numbers, err)
                       : gb_fail(err, GB_NO_MEMORY, "out of memory for the findings");
    gb_buf_free(&text);
    return code;
}

gb_code gb_findings_divergence(const gb_view *view, json_t *findings, gb_error *err)
{
    gb_code code = GB_OK;
    for (size_t i = 0; i < sizeof effects / sizeof effects[0] && code == GB_OK; i++) {
        pair pairs[MOST_WAYS + 1] = {{NULL, NULL}};
        find_pairs(view, &effects[i], pairs);
        code = say(view, &effects[i], pairs, findings, err);
    }
    return code;
}
