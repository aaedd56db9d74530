/* From which size on a GPU wins: each job on the cpu and on a cuda device of the same results, the
 * one finding in which kinds of devices meet. docs/methodology.md, "Where a GPU starts to win". */
#include "reports/findings.h"
#include "reports/findings_say.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

#define KERNEL "crossover"
enum { END_TO_END, COMPUTE, SCOPES };

static const char *const scopes[] = {"end-to-end", "compute"};
static const char *const scope_texts[] = {"End to end", "Compute only"};
static const char *const scope_keys[] = {"end_to_end", "compute"};

/* What a job is called in a sentence. */
static const struct {
    const char *word, *text;
} titles[] = {
    {"matmul", "Product of two n x n matrices"},
    {"add", "Sum of two arrays of n numbers"},
    {"reduce", "Sum of n numbers"},
    {"blur", "5 x 5 filter of an image of n x n pixels"},
    {"resize", "Image of n x n pixels to 5/8"},
    {"filter", "Query over n rows"},
    {"lookup", "Lookup of n ids"},
    {"sort", "Sort of n numbers"},
};

/* Where the GPU stands at one size. */
typedef enum outcome { WINS, LOSES, ALIKE, UNDECIDED } outcome;

typedef struct size {
    double n;
    const gb_row *gpu, *cpu;
    outcome outcome;
} size;

/* A job in one scope, its sizes growing. */
typedef struct ladder {
    size *sizes; /* owned */
    size_t n;
} ladder;

typedef enum verdict { ALWAYS, FROM, NEVER, UP_TO, UNCLEAR } verdict;
static const char *const verdict_words[] = {"always", "from", "never", "no-longer", "undecided"};

static bool usable(const gb_row *row)
{
    return gb_row_usable(row, KERNEL) && !gb_row_word_is(row, "code", "gpu");
}

/* Whether both are the same job at the same size; what a processor's memory is called does not
 * matter. */
static bool same_work(const gb_row *a, const gb_row *b)
{
    static const char *const without[] = {"scope", "memory", "code", NULL};
    return gb_rows_alike(a, b, without);
}

/* The processor's row of the same work: nothing is copied there, so that either scope will do. */
static const gb_row *on_cpu(const gb_view *cpu, const gb_row *row)
{
    const gb_row *best = NULL;
    for (size_t i = 0; i < cpu->n; i++) {
        const gb_row *other = &cpu->rows[i];
        if (usable(other) && same_work(other, row) &&
            (best == NULL || other->time_ns < best->time_ns)) {
            best = other;
        }
    }
    return best;
}

static outcome judge(const gb_results *results, const gb_row *gpu, const gb_row *cpu)
{
    switch (gb_rows_contrast(results, gpu, cpu, "time")) {
    case GB_CONTRAST_DIFFERENT:
        return gpu->time_ns < cpu->time_ns ? WINS : LOSES;
    case GB_CONTRAST_SAME:
        return ALIKE;
    default:
        return UNDECIDED;
    }
}

static int by_size(const void *a, const void *b)
{
    const double x = ((const size *)a)->n, y = ((const size *)b)->n;
    return (x > y) - (x < y);
}

/* Whether two rows of the GPU belong to one curve. */
static bool same_curve(const gb_row *a, const gb_row *b)
{
    static const char *const without[] = {"n", "scope", NULL};
    return gb_rows_alike(a, b, without);
}

/* The sizes that both have, of the curve that `row` belongs to; false: out of memory. */
static bool collect(const gb_view *gpu, const gb_view *cpu, const gb_row *row, const char *scope,
                    ladder *out)
{
    *out = (ladder){.sizes = calloc(gpu->n, sizeof *out->sizes)};
    for (size_t i = 0; i < gpu->n && out->sizes != NULL; i++) {
        size found = {.n = NAN, .gpu = &gpu->rows[i]};
        if (!usable(found.gpu) || !gb_row_word_is(found.gpu, "scope", scope) ||
            !same_curve(found.gpu, row) || !gb_row_number(found.gpu, "n", &found.n)) {
            continue;
        }
        found.cpu = on_cpu(cpu, found.gpu);
        if (found.cpu != NULL) {
            found.outcome = judge(gpu->results, found.gpu, found.cpu);
            out->sizes[out->n++] = found;
        }
    }
    if (out->n > 0) {
        qsort(out->sizes, out->n, sizeof out->sizes[0], by_size);
    }
    return out->sizes != NULL;
}

/* The first size from which on the GPU wins at each: the number of sizes where there is none. */
static size_t first_of_wins(const ladder *l)
{
    size_t first = l->n;
    while (first > 0 && l->sizes[first - 1].outcome == WINS) {
        first--;
    }
    return first;
}

static size_t last_win(const ladder *l)
{
    size_t end = l->n;
    while (end > 0 && l->sizes[end - 1].outcome != WINS) {
        end--;
    }
    return end - 1; /* SIZE_MAX: none */
}

/* The largest size that is not decided, among those beyond the last win; SIZE_MAX: none. */
static size_t last_undecided(const ladder *l)
{
    for (size_t i = l->n; i > last_win(l) + 1; i--) {
        if (l->sizes[i - 1].outcome == UNDECIDED) {
            return i - 1;
        }
    }
    return SIZE_MAX;
}

/* "Never" is said only where each size is decided. */
static verdict verdict_of(const ladder *l)
{
    const size_t first = first_of_wins(l), last = last_win(l);
    if (first == 0) {
        return ALWAYS;
    }
    if (first < l->n) {
        return FROM;
    }
    if (last_undecided(l) != SIZE_MAX) {
        return UNCLEAR;
    }
    return last == SIZE_MAX ? NEVER : UP_TO;
}

/* "1024: 85.1 us against 402 us on the CPU, 4.7 times as fast" */
static void say_size(const size *s, gb_buf *text)
{
    char gpu[96], cpu[96], ratio[96];
    gb_buf_printf(text, "%.0f: %s against %s on the CPU", s->n,
                  gb_say_figure(s->gpu, "time", gpu, sizeof gpu),
                  gb_say_figure(s->cpu, "time", cpu, sizeof cpu));
    if (s->outcome == WINS) {
        gb_buf_printf(text, ", %s times as fast",
                      gb_say_ratio(s->cpu, s->gpu, "time", 1, 1, ratio, sizeof ratio));
    } else if (s->outcome == LOSES) {
        gb_buf_printf(text, ", %s times as slow",
                      gb_say_ratio(s->gpu, s->cpu, "time", 1, 1, ratio, sizeof ratio));
    } else {
        gb_buf_add(text, s->outcome == ALIKE ? ", no difference that can be told from noise"
                                             : ", which cannot be told apart");
    }
}

static void say_ladder(const ladder *l, const char *scope, gb_buf *text)
{
    const size *first = &l->sizes[0], *last = &l->sizes[l->n - 1];
    const verdict v = verdict_of(l);
    gb_buf_printf(text, " %s, ", scope);
    if (v == ALWAYS) {
        gb_buf_printf(text, "the GPU wins at every size measured, n = %.0f to %.0f (", first->n,
                      last->n);
        say_size(first, text);
    } else if (v == FROM) {
        const size_t at = first_of_wins(l);
        gb_buf_printf(text, "the GPU wins from n = %.0f on (", l->sizes[at].n);
        say_size(&l->sizes[at], text);
        gb_buf_add(text, "; ");
        say_size(&l->sizes[at - 1], text);
    } else if (v == NEVER) {
        gb_buf_printf(text, "the GPU never wins up to n = %.0f (", last->n);
        say_size(last, text);
    } else if (v == UP_TO) {
        const size *win = &l->sizes[last_win(l)];
        gb_buf_printf(text, "the GPU wins up to n = %.0f, and no longer (", win->n);
        say_size(win, text);
        gb_buf_add(text, "; ");
        say_size(win + 1, text);
    } else {
        const size *open = &l->sizes[last_undecided(l)];
        gb_buf_printf(text, "it is undecided whether the GPU wins up to n = %.0f (", last->n);
        say_size(open, text);
        gb_buf_add(text, "; more replicates would tell");
        if (open != last) {
            gb_buf_add(text, "; ");
            say_size(last, text);
        }
    }
    gb_buf_add(text, ").");
}

static json_t *sizes_json(const ladder *l)
{
    static const char *const words[] = {"gpu", "cpu", "alike", "undecided"};
    json_t *array = json_array();
    for (size_t i = 0; array != NULL && i < l->n; i++) {
        const size *s = &l->sizes[i];
        json_array_append_new(array, json_pack("{s:o, s:o, s:o, s:s}", "n", gb_json_real(s->n),
                                               "gpu_ns", gb_json_real(s->gpu->time_ns), "cpu_ns",
                                               gb_json_real(s->cpu->time_ns), "faster",
                                               words[s->outcome]));
    }
    return array;
}

/* What the sentence says of a scope, for machines. */
static json_t *ladder_json(const ladder *l)
{
    const verdict v = verdict_of(l);
    const size_t first = first_of_wins(l);
    return json_pack("{s:s, s:o, s:o}", "verdict", verdict_words[v], "from",
                     v == ALWAYS || v == FROM ? gb_json_real(l->sizes[first].n) : json_null(),
                     "sizes", sizes_json(l));
}

static const char *title_of(const gb_row *row)
{
    const char *job = gb_row_word(row, "job");
    for (size_t i = 0; job != NULL && i < sizeof titles / sizeof titles[0]; i++) {
        if (strcmp(titles[i].word, job) == 0) {
            return titles[i].text;
        }
    }
    return job != NULL ? job : row->first->benchmark;
}

/* One curve, in both scopes as far as they are there. */
static gb_code say_curve(const gb_view *gpu, const gb_view *cpu, const gb_row *row,
                         json_t *findings, gb_error *err)
{
    static const char *const said[] = {"job", "n", "scope", "code", NULL};
    json_t *figures = json_object();
    gb_buf text = {0};
    bool any = false, whole = figures != NULL;
    gb_buf_add(&text, title_of(row));
    gb_finding_case(gpu, row, said, &text);
    gb_buf_add(&text, ".");
    for (size_t s = 0; s < SCOPES; s++) {
        ladder l;
        whole = collect(gpu, cpu, row, scopes[s], &l) && whole;
        if (l.n > 0) {
            any = true;
            say_ladder(&l, scope_texts[s], &text);
            json_object_set_new(figures, scope_keys[s], ladder_json(&l));
        }
        free(l.sizes);
    }
    gb_code code = whole ? GB_OK : gb_fail(err, GB_NO_MEMORY, "out of memory for a finding");
    if (code == GB_OK && any) {
        code = gb_finding_add(findings, gpu, row, "crossover", &text, json_incref(figures), err);
    }
    json_decref(figures);
    gb_buf_free(&text);
    return code;
}

/* Whether an earlier row belongs to the same curve. */
static bool is_known(const gb_view *view, size_t at)
{
    for (size_t i = 0; i < at; i++) {
        if (usable(&view->rows[i]) && same_curve(&view->rows[i], &view->rows[at])) {
            return true;
        }
    }
    return false;
}

static size_t count_usable(const gb_view *view)
{
    size_t n = 0;
    for (size_t i = 0; i < view->n; i++) {
        n += usable(&view->rows[i]);
    }
    return n;
}

static const gb_row *first_usable(const gb_view *view)
{
    size_t i = 0;
    while (!usable(&view->rows[i])) {
        i++;
    }
    return &view->rows[i];
}

/* Nothing to compare with: what is missing, and how to get it. */
static gb_code say_half(const gb_view *view, json_t *findings, gb_error *err)
{
    gb_buf text = {0};
    if (view->cpu) {
        gb_buf_add(&text, "Only the CPU's half is here: nothing was measured on a GPU, so that no "
                          "size can be named from which on one would win. Run this suite, without "
                          "--device, on a machine with a GPU.");
    } else {
        gb_buf_add(&text,
                   "Only the GPU's half is here: nothing was measured on the CPU, so that no "
                   "size can be named from which on the GPU wins. Run this suite without "
                   "--device.");
    }
    gb_code code =
        gb_finding_add(findings, view, first_usable(view), "crossover-half", &text, NULL, err);
    gb_buf_free(&text);
    return code;
}

gb_code gb_findings_crossover(const gb_view views[], size_t n, json_t *findings, gb_error *err)
{
    const gb_view *cpu = NULL, *half = NULL;
    size_t gpus = 0;
    for (size_t v = 0; v < n; v++) {
        if (count_usable(&views[v]) == 0) {
            continue;
        }
        half = &views[v];
        if (!views[v].cpu) {
            gpus++;
        } else if (cpu == NULL) {
            cpu = &views[v];
        }
    }
    if (half != NULL && (cpu == NULL || gpus == 0)) {
        return say_half(half, findings, err);
    }
    gb_code code = GB_OK;
    for (size_t v = 0; v < n && cpu != NULL; v++) {
        for (size_t i = 0; !views[v].cpu && i < views[v].n && code == GB_OK; i++) {
            if (usable(&views[v].rows[i]) && !is_known(&views[v], i)) {
                code = say_curve(&views[v], cpu, &views[v].rows[i], findings, err);
            }
        }
    }
    return code;
}
