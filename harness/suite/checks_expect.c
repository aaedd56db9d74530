/* Expectations that could never be held against anything: found when the suite is read, not after a
 * night of measuring. */
#include <stdlib.h>

#include "suite/cases.h"
#include "suite/parts.h"

/* A case that one side of a ratio selects, and the group that it is compared in. */
typedef struct side {
    uint64_t group; /* hash of the parameters that neither side names */
    uint32_t index; /* of the case */
    bool over;
} side;

typedef struct search {
    const gb_benchmark *benchmark;
    const gb_expect *expect;
    uint64_t *work;
    uint32_t index;
    size_t cases, n_of, n_over, both; /* cases that `where` selects, and of those each side */
    gb_device_kind kind;
    char *without; /* id of the first of them that can have no value of the metric; owned */
    side *sides;
    size_t n, capacity;
} search;

static bool names(const gb_condition *conditions, size_t n, size_t param)
{
    for (size_t i = 0; i < n; i++)
        if ((size_t)conditions[i].param == param)
            return true;
    return false;
}

/* FNV-1a over the values that neither side names. */
static uint64_t group_of(const search *s, const gb_value args[])
{
    const gb_expect *e = s->expect;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < s->benchmark->spec->n_params; i++) {
        uint64_t parts[2] = {args[i].number, (uint64_t)(uintptr_t)args[i].word};
        if (names(e->of, e->n_of, i) || names(e->over, e->n_over, i))
            continue;
        for (size_t k = 0; k < 16; k++) {
            hash ^= (parts[k / 8] >> (k % 8 * 8)) & 0xff;
            hash *= UINT64_C(0x100000001b3);
        }
    }
    return hash;
}

static gb_code add_side(search *s, uint64_t group, bool over, gb_error *err)
{
    if (s->n == s->capacity) {
        size_t capacity = s->capacity == 0 ? 64 : 2 * s->capacity;
        side *sides = realloc(s->sides, capacity * sizeof *sides);
        if (sides == NULL)
            return gb_fail(err, GB_NO_MEMORY, "no memory for the expectations");
        s->sides = sides;
        s->capacity = capacity;
    }
    s->sides[s->n++] = (side){group, s->index, over};
    return GB_OK;
}

static gb_code look_at(void *user, const gb_value args[], gb_error *err)
{
    search *s = user;
    const gb_expect *e = s->expect;
    uint64_t cost = gb_conditions_cost(e->where, e->n_where) + gb_conditions_cost(e->of, e->n_of) +
                    gb_conditions_cost(e->over, e->n_over);
    if (!gb_cases_charge(s->work, cost))
        return gb_fail(err, GB_INVALID,
                       "benchmark '%s': too many cases times expectations; name fewer values",
                       s->benchmark->name);
    s->index++;
    if (!gb_conditions_hold(e->where, e->n_where, args))
        return GB_OK;
    s->cases++;
    bool of = e->n_of > 0 && gb_conditions_hold(e->of, e->n_of, args);
    bool over = e->n_of > 0 && gb_conditions_hold(e->over, e->n_over, args);
    if ((e->n_of == 0 || of || over) && s->without == NULL &&
        gb_case_runs(s->benchmark, args, s->kind) && /* else skipped there, or told elsewhere */
        !gb_case_has_metric(s->benchmark, args, s->kind, e->metric)) {
        s->without = gb_case_id(s->benchmark, args);
        if (s->without == NULL)
            return gb_fail(err, GB_NO_MEMORY, "no memory for a case id");
    }
    if (e->n_of == 0)
        return GB_OK;
    uint64_t group = of || over ? group_of(s, args) : 0;
    s->n_of += of;
    s->n_over += over;
    s->both += of && over;
    gb_code code = of ? add_side(s, group, false, err) : GB_OK;
    return code == GB_OK && over ? add_side(s, group, true, err) : code;
}

static int by_group(const void *a, const void *b)
{
    const side *x = a;
    const side *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* Whether some case of one side meets another case of the other side. */
static bool any_pair(search *s)
{
    if (s->n > 0)
        qsort(s->sides, s->n, sizeof *s->sides, by_group);
    for (size_t i = 0, end; i < s->n; i = end) {
        size_t of = 0;
        size_t over = 0;
        bool several = false;
        for (end = i; end < s->n && s->sides[end].group == s->sides[i].group; end++) {
            several = several || s->sides[end].index != s->sides[i].index;
            *(s->sides[end].over ? &over : &of) += 1;
        }
        if (several && of > 0 && over > 0)
            return true;
    }
    return false;
}

/* What is wrong with an expectation; NULL: nothing. */
static const char *complaint(const search *s, bool paired)
{
    const gb_expect *e = s->expect;
    if (s->cases == 0)
        return "'where' matches no case";
    if (e->n_of == 0)
        return NULL;
    if (s->n_of == 0)
        return e->n_where > 0 ? "'of' matches no case that 'where' leaves" : "'of' matches no case";
    if (s->n_over == 0)
        return e->n_where > 0 ? "'over' matches no case that 'where' leaves"
                              : "'over' matches no case";
    if (s->both == s->n_of && s->both == s->n_over)
        return "'of' and 'over' select the same cases";
    return paired ? NULL
                  : "no case of 'of' has one of 'over' beside it that agrees in all other "
                    "parameters";
}

static gb_code check_expect(gb_reader *reader, const gb_benchmark *benchmark,
                            const gb_expect *expect, uint64_t *work, gb_error *err)
{
    const char *worst = NULL;
    size_t kinds = 0;
    for (int kind = 0; kind < GB_DEVICE_KINDS; kind++) {
        search s = {
            .benchmark = benchmark, .expect = expect, .work = work, .kind = (gb_device_kind)kind};
        if (!gb_cases_any(benchmark, (gb_device_kind)kind))
            continue;
        gb_code code = gb_cases_each(benchmark, (gb_device_kind)kind, work, look_at, &s, err);
        const char *what = code == GB_OK ? complaint(&s, any_pair(&s)) : NULL;
        free(s.sides);
        if (code == GB_OK && s.without != NULL) /* unknown whenever it runs on this kind */
            gb_diagnostics_add(reader->diagnostics, expect->line, expect->column,
                               "expect: %s can have no value of '%s' on %s: nothing of it is "
                               "counted, or timed by its timer; leave it out with 'where'",
                               s.without, benchmark->spec->metrics[expect->metric].name,
                               gb_device_kind_word((gb_device_kind)kind));
        const bool told = s.without != NULL;
        free(s.without);
        if (told)
            return code;
        if (code != GB_OK || what == NULL) /* one kind on which it can be evaluated is enough */
            return code;
        worst = kinds++ == 0 ? what : worst;
    }
    if (worst != NULL)
        gb_diagnostics_add(reader->diagnostics, expect->line, expect->column,
                           "expect: %s (benchmark '%s')", worst, benchmark->name);
    return GB_OK;
}

gb_code gb_check_expects(gb_reader *reader, const gb_benchmark *benchmark, uint64_t *work,
                         gb_error *err)
{
    gb_code code = GB_OK;
    for (size_t i = 0; code == GB_OK && i < benchmark->n_expects; i++)
        code = check_expect(reader, benchmark, &benchmark->expects[i], work, err);
    return code;
}
