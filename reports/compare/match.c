/* Which case of one run is which of the other's. */
#include <stdlib.h>
#include <string.h>

#include "reports/compare/internal.h"

static int by_place(const void *a, const void *b)
{
    const gb_keyed *x = *(gb_keyed *const *)a, *y = *(gb_keyed *const *)b;
    if (x->device != y->device) {
        return x->device < y->device ? -1 : 1;
    }
    return strcmp(x->name, y->name);
}

/* The present name of a benchmark: suites list earlier names as aliases, and results carry them as
 * {"old": "new"}. The new run's suite comes first; a baseline may be of a newer suite. */
static const char *present_name(const gb_comparison *c, const char *benchmark)
{
    const gb_results *both[] = {c->b, c->a};
    for (size_t i = 0; i < 2; i++) {
        const json_t *aliases =
            json_object_get(json_object_get(both[i]->document, "suite"), "aliases");
        const char *now = json_string_value(json_object_get(aliases, benchmark));
        if (now != NULL) {
            return now;
        }
    }
    return benchmark;
}

/* The row's case id with the benchmark's present name; owned by the comparison where it had to be
 * made. NULL on out of memory. */
static const char *name_of(gb_comparison *c, const gb_row *row)
{
    const gb_record *r = row->first;
    const char *now = present_name(c, r->benchmark);
    size_t n = strlen(r->benchmark);
    if (now == r->benchmark || strncmp(r->case_id, r->benchmark, n) != 0) {
        return r->case_id;
    }
    char **more = realloc(c->names, (c->n_names + 1) * sizeof more[0]);
    char *name = gb_text_format("%s%s", now, r->case_id + n);
    if (more == NULL || name == NULL) {
        c->names = more != NULL ? more : c->names;
        free(name);
        return NULL;
    }
    c->names = more;
    c->names[c->n_names++] = name;
    return name;
}

gb_code gb_side_make(gb_comparison *c, const gb_table *table, const int map[], const char *file,
                     gb_side *out, gb_error *err)
{
    *out = (gb_side){.n = table->n};
    out->rows = calloc(table->n + 1, sizeof out->rows[0]);
    out->sorted = calloc(table->n + 1, sizeof(gb_keyed *));
    if (out->rows == NULL || out->sorted == NULL) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for a comparison");
    }
    for (size_t i = 0; i < table->n; i++) {
        const gb_row *row = &table->rows[i];
        int device = row->first->device < 0 ? 0 : row->first->device;
        out->rows[i] = (gb_keyed){name_of(c, row), map != NULL ? map[device] : device, row};
        out->sorted[i] = &out->rows[i];
        if (out->rows[i].name == NULL) {
            return gb_fail(err, GB_NO_MEMORY, "out of memory for a comparison");
        }
        if (out->rows[i].device < 0) { /* told apart from the baseline's, and from one another */
            out->rows[i].device = -1 - device;
        }
    }
    qsort(out->sorted, out->n, sizeof(gb_keyed *), by_place);
    for (size_t i = 1; i < out->n; i++) {
        if (by_place(&out->sorted[i - 1], &out->sorted[i]) == 0) {
            return gb_fail(err, GB_INVALID,
                           "%s: '%s' and '%s' are both '%s' by the aliases of the suite: which one "
                           "to compare with is not known",
                           file, out->sorted[i - 1]->row->first->case_id,
                           out->sorted[i]->row->first->case_id, out->sorted[i]->name);
        }
    }
    return GB_OK;
}

void gb_side_free(gb_side *side)
{
    free(side->rows);
    free(side->sorted);
    *side = (gb_side){0};
}

const gb_keyed *gb_side_find(const gb_side *side, int device, const char *name)
{
    const gb_keyed key = {name, device, NULL};
    const gb_keyed *wanted = &key;
    gb_keyed **found =
        side->n > 0 ? bsearch(&wanted, side->sorted, side->n, sizeof(gb_keyed *), by_place) : NULL;
    return found != NULL ? *found : NULL;
}

/* Whether a filter wants the case, by either of its names. */
static bool wanted(const gb_comparison *c, const gb_keyed *key, bool matched[])
{
    bool any = c->options.n_filters == 0;
    for (size_t i = 0; i < c->options.n_filters; i++) {
        const char *filter = c->options.filters[i];
        if (gb_text_matches(filter, key->name) ||
            gb_text_matches(filter, key->row->first->case_id)) {
            matched[i] = any = true;
        }
    }
    return any;
}

/* An error for the first filter that matched nothing, with the nearest name that there is. */
static gb_code check_filters(const gb_comparison *c, const gb_side *a, const gb_side *b,
                             const bool matched[], gb_error *err)
{
    size_t bad = 0;
    while (bad < c->options.n_filters && matched[bad]) {
        bad++;
    }
    if (bad == c->options.n_filters) {
        return GB_OK;
    }
    const char **words = calloc(2 * (a->n + b->n) + 1, sizeof words[0]);
    if (words == NULL) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for a comparison");
    }
    const gb_side *sides[] = {b, a};
    size_t n = 0;
    for (size_t s = 0; s < 2; s++) {
        for (size_t i = 0; i < sides[s]->n; i++) {
            const gb_record *r = sides[s]->rows[i].row->first;
            if (n == 0 || strcmp(words[n - 1], r->benchmark) != 0) {
                words[n++] = r->benchmark;
            }
        }
    }
    size_t benchmarks = n;
    for (size_t s = 0; s < 2; s++) {
        for (size_t i = 0; i < sides[s]->n; i++) {
            words[n++] = sides[s]->rows[i].row->first->case_id;
        }
    }
    const char *filter = c->options.filters[bad];
    const char *near = strlen(filter) < 200 ? gb_text_nearest(filter, words, n) : NULL;
    if (near != NULL) {
        gb_fail(err, GB_INVALID, "--filter '%s' matches no case of either run (did you mean '%s'?)",
                filter, near);
    } else {
        gb_buf list = {0};
        for (size_t i = 0, shown = 0; i < benchmarks && shown < 12; i++) {
            bool before = false;
            for (size_t k = 0; k < i && !before; k++) {
                before = strcmp(words[k], words[i]) == 0;
            }
            if (!before) {
                gb_buf_printf(&list, "%s%s", shown++ > 0 ? ", " : "", words[i]);
            }
        }
        gb_fail(err, GB_INVALID,
                "--filter '%s' matches no case of either run; there are benchmarks %s", filter,
                list.data != NULL ? list.data : "without a name");
        gb_buf_free(&list);
    }
    free(words);
    return GB_INVALID;
}

/* Only on one side: perhaps under another name, which equal definitions show. */
typedef struct by_definition {
    const char *definition;
    gb_compared *item;
} by_definition;

static int compare_definitions(const void *a, const void *b)
{
    return strcmp(((const by_definition *)a)->definition, ((const by_definition *)b)->definition);
}

static gb_code hint_renames(gb_comparison *c, gb_error *err)
{
    by_definition *gone = calloc(c->n + 1, sizeof gone[0]);
    size_t n = 0;
    if (gone == NULL) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for a comparison");
    }
    for (size_t i = 0; i < c->n; i++) {
        if (c->items[i].verdict == GB_VERDICT_ONLY_BASELINE &&
            c->items[i].a->first->definition[0] != '\0') {
            gone[n++] = (by_definition){c->items[i].a->first->definition, &c->items[i]};
        }
    }
    qsort(gone, n, sizeof gone[0], compare_definitions);
    for (size_t i = 0; n > 0 && i < c->n; i++) {
        gb_compared *item = &c->items[i];
        if (item->verdict != GB_VERDICT_ONLY_NEW) {
            continue;
        }
        const by_definition key = {item->b->first->definition, NULL};
        by_definition *found = bsearch(&key, gone, n, sizeof gone[0], compare_definitions);
        if (found == NULL) {
            continue;
        }
        gb_compared *old = found->item;
        snprintf(old->reason, sizeof old->reason,
                 "renamed? '%.80s' of the new run is defined alike", item->b->first->case_id);
        snprintf(old->next, sizeof old->next, "if so, add 'aliases: [%.60s]' to benchmark '%.60s'",
                 old->a->first->benchmark, item->b->first->benchmark);
        snprintf(item->reason, sizeof item->reason,
                 "renamed? '%.80s' of the baseline is defined alike", old->a->first->case_id);
    }
    free(gone);
    return GB_OK;
}

static gb_code refuse_all(const gb_comparison *c, const gb_side *a, const gb_side *b, gb_error *err)
{
    const char *renamed = "", *next = "";
    for (size_t i = 0; i < c->n && renamed[0] == '\0'; i++) {
        renamed = c->items[i].reason; /* of a case of the baseline, which come first */
        next = c->items[i].next;
    }
    return gb_fail(err, GB_INVALID,
                   "the two runs have no case in common: %zu in the baseline, %zu in the new "
                   "run%s; the first are '%s' and '%s'%s%s%s%s",
                   a->n, b->n, c->options.n_filters > 0 ? " (before --filter)" : "",
                   a->n > 0 ? a->rows[0].row->first->case_id : "none",
                   b->n > 0 ? b->rows[0].row->first->case_id : "none",
                   renamed[0] != '\0' ? "; " : "", renamed, renamed[0] != '\0' ? "; " : "",
                   renamed[0] != '\0' ? next : "");
}

static void add_item(gb_comparison *c, const gb_row *a, const gb_row *b, const char *name,
                     gb_verdict verdict)
{
    const double none = (double)NAN;
    c->items[c->n++] = (gb_compared){.a = a,
                                     .b = b,
                                     .case_id = name,
                                     .verdict = verdict,
                                     .value_a = none,
                                     .value_b = none,
                                     .change = none,
                                     .ci = {none, none},
                                     .p = none,
                                     .se = none,
                                     .df = none,
                                     .detectable = none,
                                     .threshold = none};
}

/* The case in the first of the earlier runs that has it; NULL: in none. */
static const gb_keyed *find_earlier(const gb_comparison *c, size_t runs, const gb_keyed *key)
{
    const gb_keyed *found = NULL;
    for (size_t i = 0; i < runs && found == NULL; i++) {
        found = gb_side_find(&c->earlier[i].side, key->device, key->name);
    }
    return found;
}

/* What further earlier runs have, but neither the first nor the new one. */
static void add_lost(gb_comparison *c, const gb_side *a, const gb_side *b, bool matched[])
{
    for (size_t i = 0; i < c->n_earlier; i++) {
        const gb_side *side = &c->earlier[i].side;
        for (size_t k = 0; k < side->n; k++) {
            const gb_keyed *key = &side->rows[k];
            if (wanted(c, key, matched) && key->device >= 0 &&
                gb_side_find(a, key->device, key->name) == NULL &&
                gb_side_find(b, key->device, key->name) == NULL &&
                find_earlier(c, i, key) == NULL) {
                add_item(c, key->row, NULL, key->row->first->case_id, GB_VERDICT_ONLY_BASELINE);
            }
        }
    }
}

gb_code gb_compare_match(gb_comparison *c, const gb_side *a, const gb_side *b, gb_error *err)
{
    size_t earlier = 0;
    for (size_t i = 0; c->evidence == GB_EVIDENCE_BASELINES && i < c->n_earlier; i++) {
        earlier += c->earlier[i].side.n;
    }
    bool *matched = calloc(c->options.n_filters + 1, sizeof matched[0]);
    c->items = calloc(a->n + b->n + earlier + 1, sizeof c->items[0]);
    gb_code code = GB_OK;
    size_t pairs = 0;
    if (matched == NULL || c->items == NULL) {
        code = gb_fail(err, GB_NO_MEMORY, "out of memory for a comparison");
        goto done;
    }
    for (size_t i = 0; i < b->n; i++) {
        const gb_keyed *old = gb_side_find(a, b->rows[i].device, b->rows[i].name);
        if (old == NULL && earlier > 0) {
            old = find_earlier(c, c->n_earlier, &b->rows[i]);
        }
        bool want = wanted(c, &b->rows[i], matched);
        if (old != NULL && (wanted(c, old, matched) || want)) {
            add_item(c, old->row, b->rows[i].row, b->rows[i].name, GB_VERDICT_SAME);
            pairs++;
        }
    }
    for (size_t i = 0; i < a->n; i++) {
        if (wanted(c, &a->rows[i], matched) &&
            gb_side_find(b, a->rows[i].device, a->rows[i].name) == NULL) {
            add_item(c, a->rows[i].row, NULL, a->rows[i].row->first->case_id,
                     GB_VERDICT_ONLY_BASELINE);
        }
    }
    if (earlier > 0) {
        add_lost(c, a, b, matched);
    }
    for (size_t i = 0; i < b->n; i++) {
        if (wanted(c, &b->rows[i], matched) &&
            gb_side_find(a, b->rows[i].device, b->rows[i].name) == NULL &&
            (earlier == 0 || find_earlier(c, c->n_earlier, &b->rows[i]) == NULL)) {
            add_item(c, NULL, b->rows[i].row, b->rows[i].row->first->case_id, GB_VERDICT_ONLY_NEW);
        }
    }
    code = check_filters(c, a, b, matched, err);
    if (code == GB_OK) {
        code = hint_renames(c, err);
    }
    if (code == GB_OK && pairs == 0) {
        code = refuse_all(c, a, b, err);
    }
done:
    free(matched);
    return code;
}
