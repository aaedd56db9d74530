/* What only shows when a whole suite is read. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "suite/cases.h"
#include "suite/parts.h"
#include "suite/values.h"

#define MAX_SUITE_CASES 100000
/* Different complaints of one kernel about one benchmark that are told. */
#define MAX_COMPLAINTS 20

/* ---- names ---- */

typedef struct named {
    const char *text;
    const gb_benchmark *benchmark;
    bool alias;
    int line, column;
} named;

static int compare_nocase(const char *a, const char *b)
{
    for (;; a++, b++) {
        unsigned char x = (unsigned char)*a;
        unsigned char y = (unsigned char)*b;
        x = x >= 'A' && x <= 'Z' ? (unsigned char)(x + 32) : x;
        y = y >= 'A' && y <= 'Z' ? (unsigned char)(y + 32) : y;
        if (x != y || x == 0)
            return x < y ? -1 : x > y;
    }
}

/* By name, then in the order of the file, names before aliases. */
static int by_name(const void *a, const void *b)
{
    const named *x = a;
    const named *y = b;
    int order = compare_nocase(x->text, y->text);
    if (order != 0)
        return order;
    if (x->alias != y->alias)
        return x->alias ? 1 : -1;
    return x->benchmark < y->benchmark ? -1 : x->benchmark > y->benchmark;
}

static void name_twice(gb_reader *reader, const named *first, const named *again)
{
    char quoted[GB_QUOTE_SIZE];
    gb_quote(again->text, quoted);
    const gb_benchmark *b = again->benchmark;
    if (again->alias)
        gb_diagnostics_add(reader->diagnostics, again->line, again->column,
                           "alias '%s' is also %s of the benchmark in line %d", quoted,
                           first->alias ? "an alias" : "the name", first->benchmark->line);
    else
        gb_diagnostics_add(reader->diagnostics, b->line, b->column,
                           "duplicate benchmark name '%s' (first at line %d, again at line %d)",
                           quoted, first->benchmark->line, b->line);
}

void gb_check_names(gb_reader *reader)
{
    const gb_suite *suite = reader->suite;
    size_t n = 0;
    for (size_t i = 0; i < suite->n_benchmarks; i++)
        n += 1 + suite->benchmarks[i].n_aliases;
    named *names = gb_read_alloc(reader, n, sizeof *names);
    if (names == NULL)
        return;
    n = 0;
    for (size_t i = 0; i < suite->n_benchmarks; i++) {
        const gb_benchmark *b = &suite->benchmarks[i];
        if (b->name != NULL)
            names[n++] = (named){b->name, b, false, b->line, b->column};
        for (size_t k = 0; k < b->n_aliases; k++)
            names[n++] =
                (named){b->aliases[k], b, true, b->alias_places[k][0], b->alias_places[k][1]};
    }
    qsort(names, n, sizeof *names, by_name);
    size_t first = 0;
    for (size_t i = 1; i < n; i++) {
        if (compare_nocase(names[first].text, names[i].text) == 0)
            name_twice(reader, &names[first], &names[i]);
        else
            first = i;
    }
    free(names);
}

/* ---- combinations that a kernel refuses ---- */

typedef struct complaints {
    gb_reader *reader;
    const gb_benchmark *benchmark;
    gb_device_kind kind;
    char *messages[MAX_COMPLAINTS];
    size_t n, more;
} complaints;

static bool word_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Where a text speaks of a word; NULL: nowhere. */
static const char *speaks_of(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word))
        if ((at == text || !word_character(at[-1])) && !word_character(at[n]))
            return at;
    return NULL;
}

/* The place that a complaint belongs to: the axis of which it speaks first, or the last one. */
static void place_of(const gb_benchmark *benchmark, const char *message, int *line, int *column)
{
    const char *first = NULL;
    *line = benchmark->line;
    *column = benchmark->column;
    for (size_t i = 0; i < benchmark->n_axes; i++) {
        const gb_axis *axis = &benchmark->axes[i];
        const char *at = speaks_of(message, benchmark->spec->params[axis->param].name);
        bool better = first == NULL || (at != NULL && at < first);
        if (axis->line == 0 || !better)
            continue;
        *line = axis->line;
        *column = axis->column;
        first = at;
    }
}

static gb_code check_case(void *user, const gb_value args[], gb_error *err)
{
    complaints *c = user;
    const gb_kernel_spec *spec = c->benchmark->spec;
    gb_need need = {0};
    gb_error error = {0};
    if (spec->check == NULL || spec->check(args, c->kind, &need, &error) != GB_INVALID)
        return GB_OK;
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->messages[i], error.message) == 0)
            return GB_OK;
    if (c->n == MAX_COMPLAINTS) {
        c->more++;
        return GB_OK;
    }
    char *id = gb_case_id(c->benchmark, args);
    char *message = gb_text_copy(error.message);
    if (id == NULL || message == NULL) {
        free(id);
        free(message);
        return gb_fail(err, GB_NO_MEMORY, "no memory for a message");
    }
    int line;
    int column;
    place_of(c->benchmark, message, &line, &column);
    gb_diagnostics_add(c->reader->diagnostics, line, column, "%s (on %s, case %s)", message,
                       gb_device_kind_word(c->kind), id);
    c->messages[c->n++] = message;
    free(id);
    return GB_OK;
}

static gb_code check_combinations(gb_reader *reader, const gb_benchmark *benchmark, uint64_t *work,
                                  gb_error *err)
{
    complaints c = {.reader = reader, .benchmark = benchmark};
    gb_code code = GB_OK;
    for (int kind = 0; code == GB_OK && kind < GB_DEVICE_KINDS; kind++) {
        c.kind = (gb_device_kind)kind;
        if (gb_cases_any(benchmark, c.kind) && (benchmark->spec->devices & GB_BIT(kind)) != 0)
            code = gb_cases_each(benchmark, c.kind, work, check_case, &c, err);
    }
    if (c.more > 0)
        gb_diagnostics_add(reader->diagnostics, benchmark->line, benchmark->column,
                           "benchmark '%s': %zu more cases cannot run for other reasons",
                           benchmark->name, c.more);
    for (size_t i = 0; i < c.n; i++)
        free(c.messages[i]);
    return code;
}

/* ---- counts ---- */

static void check_excludes(gb_reader *reader, const gb_benchmark *benchmark)
{
    for (size_t i = 0; i < benchmark->n_excludes; i++) {
        const gb_exclude *exclude = &benchmark->excludes[i];
        bool reached = false;
        for (int kind = 0; kind < GB_DEVICE_KINDS; kind++)
            if (gb_cases_any(benchmark, (gb_device_kind)kind))
                reached = reached || gb_cases_reached(benchmark, (gb_device_kind)kind,
                                                      exclude->conditions, exclude->n);
        if (!reached)
            gb_diagnostics_add(reader->diagnostics, exclude->line, exclude->column,
                               "exclude: matches no case of benchmark '%s'", benchmark->name);
    }
}

static gb_code too_many(gb_reader *reader, const gb_benchmark *b, gb_device_kind kind,
                        uint64_t count, bool overflow)
{
    char text[32];
    gb_diagnostics_add(reader->diagnostics, b->line, b->column,
                       "benchmark '%s' has %s%s cases on %s; at most %d are allowed: shorten an "
                       "axis or exclude some",
                       b->name, overflow ? "more than " : "",
                       overflow ? "18446744073709551615" : gb_format_count(count, text, 32),
                       gb_device_kind_word(kind), GB_MAX_CASES);
    return GB_INVALID;
}

/* Counts a benchmark's cases on each kind; GB_INVALID: told, and not to be looked at further. */
static gb_code check_counts(gb_reader *reader, const gb_benchmark *b, uint64_t *work,
                            uint64_t total[GB_DEVICE_KINDS], gb_error *err)
{
    bool any_kind = false;
    bool any_case = false;
    gb_code told = GB_OK;
    for (int k = 0; k < GB_DEVICE_KINDS; k++) {
        gb_device_kind kind = (gb_device_kind)k;
        if (!gb_cases_any(b, kind))
            continue;
        uint64_t count;
        bool overflow;
        gb_code code = gb_cases_count(b, kind, work, &count, &overflow, err);
        if (code != GB_OK)
            return code;
        any_kind = true;
        any_case = any_case || count > 0 || overflow;
        if (told == GB_OK && (overflow || count > GB_MAX_CASES))
            told = too_many(reader, b, kind, count, overflow);
        total[k] += count;
    }
    if (!any_kind)
        gb_diagnostics_add(reader->diagnostics, b->line, b->column,
                           "benchmark '%s' runs on no device: its axes and 'devices' leave none",
                           b->name);
    else if (!any_case)
        gb_diagnostics_add(reader->diagnostics, b->line, b->column,
                           "exclude: leaves no case of benchmark '%s'", b->name);
    return any_kind && any_case ? told : GB_INVALID;
}

/* ---- ids ---- */

typedef struct ids {
    struct entry {
        char *id;
        const gb_benchmark *benchmark;
    } * items;
    size_t n, capacity;
    const gb_benchmark *benchmark;
} ids;

static gb_code add_id(void *user, const gb_value args[], gb_error *err)
{
    ids *all = user;
    if (all->n == all->capacity) {
        size_t capacity = all->capacity == 0 ? 1024 : 2 * all->capacity;
        struct entry *items = realloc(all->items, capacity * sizeof *items);
        if (items == NULL)
            return gb_fail(err, GB_NO_MEMORY, "no memory for %zu case ids", capacity);
        all->items = items;
        all->capacity = capacity;
    }
    char *id = gb_case_id(all->benchmark, args);
    if (id == NULL)
        return gb_fail(err, GB_NO_MEMORY, "no memory for a case id");
    all->items[all->n++] = (struct entry){id, all->benchmark};
    return GB_OK;
}

static int by_id(const void *a, const void *b)
{
    const struct entry *x = a;
    const struct entry *y = b;
    int order = strcmp(x->id, y->id);
    if (order != 0)
        return order;
    return x->benchmark < y->benchmark ? -1 : x->benchmark > y->benchmark;
}

/* Two benchmarks can only share a case id when a name looks like an id itself. */
static gb_code check_ids(gb_reader *reader, gb_device_kind kind, uint64_t *work, gb_error *err)
{
    const gb_suite *suite = reader->suite;
    bool suspicious = false;
    for (size_t i = 0; i < suite->n_benchmarks; i++)
        suspicious = suspicious || strchr(suite->benchmarks[i].name, '[') != NULL;
    ids all = {0};
    gb_code code = GB_OK;
    for (size_t i = 0; suspicious && code == GB_OK && i < suite->n_benchmarks; i++) {
        all.benchmark = &suite->benchmarks[i];
        if (gb_cases_any(all.benchmark, kind))
            code = gb_cases_each(all.benchmark, kind, work, add_id, &all, err);
    }
    if (all.n > 0)
        qsort(all.items, all.n, sizeof *all.items, by_id);
    for (size_t i = 1; code == GB_OK && i < all.n; i++) {
        const struct entry *first = &all.items[i - 1];
        const struct entry *again = &all.items[i];
        if (strcmp(first->id, again->id) == 0)
            gb_diagnostics_add(reader->diagnostics, again->benchmark->line,
                               again->benchmark->column,
                               "duplicate case id '%s' (first at line %d, again at line %d)",
                               again->id, first->benchmark->line, again->benchmark->line);
    }
    for (size_t i = 0; i < all.n; i++)
        free(all.items[i].id);
    free(all.items);
    return code;
}

static gb_code check_totals(gb_reader *reader, const uint64_t total[GB_DEVICE_KINDS])
{
    for (int kind = 0; kind < GB_DEVICE_KINDS; kind++) {
        if (total[kind] <= MAX_SUITE_CASES)
            continue;
        gb_diagnostics_add(reader->diagnostics, 0, 0,
                           "the suite has %" PRIu64 " cases on %s; at most %d are allowed",
                           total[kind], gb_device_kind_word((gb_device_kind)kind), MAX_SUITE_CASES);
        return GB_INVALID;
    }
    return GB_OK;
}

/* A suite that says nothing about devices is one for those on which it has a case. */
static void narrow_devices(gb_suite *suite, const uint64_t total[GB_DEVICE_KINDS])
{
    for (int kind = 0; kind < GB_DEVICE_KINDS; kind++)
        if (total[kind] == 0)
            suite->devices &= ~GB_BIT(kind);
}

static gb_code check_benchmark(gb_reader *reader, const gb_benchmark *b, uint64_t *work,
                               uint64_t total[GB_DEVICE_KINDS], bool *countable, gb_error *err)
{
    gb_error error = {0};
    check_excludes(reader, b);
    gb_code code = check_counts(reader, b, work, total, &error);
    if (code == GB_OK)
        code = check_combinations(reader, b, work, &error);
    if (code == GB_OK)
        code = gb_check_expects(reader, b, work, &error);
    if (code == GB_OK)
        code = gb_check_metrics(reader, b, work, &error);
    if (code == GB_INVALID)
        *countable = false;
    if (error.code == GB_INVALID)
        gb_diagnostics_add(reader->diagnostics, b->line, b->column, "%s", error.message);
    if (code != GB_OK && code != GB_INVALID)
        return gb_fail(err, code, "%s", error.message);
    return GB_OK;
}

gb_code gb_check_cases(gb_reader *reader, gb_error *err)
{
    gb_suite *suite = reader->suite;
    uint64_t work = GB_CASES_WORK;
    uint64_t total[GB_DEVICE_KINDS] = {0};
    bool countable = true;
    gb_code code = GB_OK;
    for (size_t i = 0; code == GB_OK && i < suite->n_benchmarks; i++) {
        if (reader->sound == NULL || reader->sound[i])
            code = check_benchmark(reader, &suite->benchmarks[i], &work, total, &countable, err);
        else
            countable = false;
    }
    if (code == GB_OK)
        code = gb_check_classes(reader, countable ? &work : NULL, err);
    if (code != GB_OK || !countable)
        return code;
    narrow_devices(suite, total);
    code = check_totals(reader, total);
    for (int kind = 0; code == GB_OK && kind < GB_DEVICE_KINDS; kind++)
        code = check_ids(reader, (gb_device_kind)kind, &work, err);
    return code == GB_INVALID ? GB_OK : code;
}
