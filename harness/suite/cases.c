#include "suite/cases.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "suite/values.h"

/* A walk through the product, one axis a level. An exclude is alive as long as none of its
 * conditions has failed; alive past the level of its last condition, it takes the subtree out. */
typedef struct walk {
    const gb_benchmark *benchmark;
    gb_device_kind kind;
    const gb_axis **axes; /* by level */
    size_t n_axes;
    const gb_condition **at; /* [exclude * n_axes + level]: its condition there, or NULL */
    size_t *last;            /* level of an exclude's last condition */
    size_t *alive;           /* [level * n_excludes]: lists of excludes */
    size_t n_excludes;
    gb_value *args;
    uint64_t *work;
    uint64_t count;
    bool overflow;
    gb_case_visit visit; /* NULL: only count */
    void *user;
} walk;

bool gb_cases_charge(uint64_t *work, uint64_t n)
{
    if (*work < n)
        return false;
    *work -= n;
    return true;
}

uint64_t gb_conditions_cost(const gb_condition conditions[], size_t n)
{
    uint64_t cost = 1;
    for (size_t i = 0; i < n; i++)
        cost += conditions[i].n;
    return cost;
}

bool gb_cases_any(const gb_benchmark *benchmark, gb_device_kind kind)
{
    if ((benchmark->devices & GB_BIT(kind)) == 0)
        return false;
    for (size_t i = 0; i < benchmark->n_axes; i++)
        if (benchmark->axes[i].n[kind] == 0)
            return false;
    return true;
}

static const gb_axis *axis_of(const gb_benchmark *benchmark, int param)
{
    for (size_t i = 0; i < benchmark->n_axes; i++)
        if (benchmark->axes[i].param == param)
            return &benchmark->axes[i];
    return NULL;
}

static gb_value default_of(const gb_benchmark *benchmark, int param)
{
    return benchmark->spec->params[param].default_value;
}

bool gb_cases_reached(const gb_benchmark *benchmark, gb_device_kind kind,
                      const gb_condition conditions[], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const gb_axis *axis = axis_of(benchmark, conditions[i].param);
        if (axis == NULL) {
            if (!gb_condition_holds(&conditions[i], default_of(benchmark, conditions[i].param)))
                return false;
            continue;
        }
        size_t v = 0;
        while (v < axis->n[kind] && !gb_condition_holds(&conditions[i], axis->values[kind][v]))
            v++;
        if (v == axis->n[kind])
            return false;
    }
    return true;
}

static void walk_free(walk *w)
{
    free(w->axes);
    free(w->at);
    free(w->last);
    free(w->alive);
    free(w->args);
}

/* Whether an exclude has a condition on the axis. */
static bool mentions(const gb_exclude *exclude, const gb_axis *axis)
{
    for (size_t i = 0; i < exclude->n; i++)
        if (exclude->conditions[i].param == axis->param)
            return true;
    return false;
}

/* Which axis stands on which level: as in the suite for visiting; for counting those that excludes
 * mention first, since below them the count is a product. */
static void order_axes(walk *w)
{
    size_t n = 0;
    for (int mentioned = 1; mentioned >= 0; mentioned--) {
        for (size_t i = 0; i < w->n_axes; i++) {
            const gb_axis *axis = &w->benchmark->axes[i];
            bool found = false;
            for (size_t e = 0; e < w->benchmark->n_excludes && !found; e++)
                found = mentions(&w->benchmark->excludes[e], axis);
            if (found == (mentioned == 1))
                w->axes[n++] = axis;
        }
    }
}

/* Takes in an exclude: false when it can never match, for a parameter that no axis sets. */
static bool take_exclude(walk *w, const gb_exclude *exclude)
{
    size_t e = w->n_excludes;
    bool certain = true; /* no condition on any axis */
    for (size_t i = 0; i < exclude->n; i++) {
        const gb_condition *condition = &exclude->conditions[i];
        size_t level = 0;
        while (level < w->n_axes && w->axes[level]->param != condition->param)
            level++;
        if (level == w->n_axes) {
            if (!gb_condition_holds(condition, default_of(w->benchmark, condition->param)))
                return false;
            continue;
        }
        w->at[e * w->n_axes + level] = condition;
        if (certain || level > w->last[e])
            w->last[e] = level;
        certain = false;
    }
    w->n_excludes++;
    return true;
}

static gb_code walk_open(walk *w, gb_error *err)
{
    const gb_benchmark *b = w->benchmark;
    size_t n = b->n_excludes;
    w->n_axes = b->n_axes;
    w->axes = calloc(w->n_axes + 1, sizeof *w->axes);
    w->at = calloc(n * w->n_axes + 1, sizeof *w->at);
    w->last = calloc(n + 1, sizeof *w->last);
    w->alive = calloc((w->n_axes + 1) * (n + 1), sizeof *w->alive);
    w->args = calloc(b->spec->n_params + 1, sizeof *w->args);
    if (!w->axes || !w->at || !w->last || !w->alive || !w->args)
        return gb_fail(err, GB_NO_MEMORY, "no memory for the cases of '%s'", b->name);
    for (size_t i = 0; i < b->spec->n_params; i++)
        w->args[i] = b->spec->params[i].default_value;
    if (w->visit == NULL)
        order_axes(w);
    else
        for (size_t i = 0; i < w->n_axes; i++)
            w->axes[i] = &b->axes[i];
    for (size_t i = 0; i < n; i++) {
        const gb_exclude *exclude = &b->excludes[i];
        if (!take_exclude(w, exclude) && w->n_axes > 0)
            memset(&w->at[w->n_excludes * w->n_axes], 0, w->n_axes * sizeof *w->at);
    }
    for (size_t e = 0; e < w->n_excludes; e++)
        w->alive[e] = e;
    return GB_OK;
}

/* Adds the whole product below a level. */
static void add_product(walk *w, size_t level)
{
    uint64_t product = 1;
    for (size_t i = level; i < w->n_axes; i++)
        if (__builtin_mul_overflow(product, (uint64_t)w->axes[i]->n[w->kind], &product))
            w->overflow = true;
    if (__builtin_add_overflow(w->count, product, &w->count))
        w->overflow = true;
}

static gb_code too_much_work(const walk *w, gb_error *err)
{
    return gb_fail(err, GB_INVALID,
                   "benchmark '%s': the axes have too many combinations to apply 'exclude' to; "
                   "shorten them",
                   w->benchmark->name);
}

/* Whether a value at a level takes its subtree out; otherwise *n_next excludes stay alive and are
 * listed for the next level. */
static bool excluded(walk *w, size_t level, gb_value value, size_t n_alive, size_t *n_next)
{
    const size_t *alive = w->alive + level * w->n_excludes;
    size_t *next = w->alive + (level + 1) * w->n_excludes;
    *n_next = 0;
    for (size_t i = 0; i < n_alive; i++) {
        size_t e = alive[i];
        const gb_condition *condition = w->at[e * w->n_axes + level];
        if (condition != NULL && !gb_condition_holds(condition, value))
            continue;
        if (w->last[e] <= level)
            return true;
        next[(*n_next)++] = e;
    }
    return false;
}

static gb_code descend(walk *w, size_t level, size_t n_alive, gb_error *err)
{
    if (level == w->n_axes || (n_alive == 0 && w->visit == NULL)) {
        add_product(w, level);
        return w->visit != NULL ? w->visit(w->user, w->args, err) : GB_OK;
    }
    const gb_axis *axis = w->axes[level];
    for (size_t i = 0; i < axis->n[w->kind]; i++) {
        uint64_t cost = 1;
        for (size_t k = 0; k < n_alive; k++) {
            size_t e = w->alive[level * w->n_excludes + k];
            const gb_condition *condition = w->at[e * w->n_axes + level];
            cost += condition != NULL ? 1 + condition->n : 1;
        }
        if (!gb_cases_charge(w->work, cost))
            return too_much_work(w, err);
        gb_value value = axis->values[w->kind][i];
        size_t n_next = 0;
        if (excluded(w, level, value, n_alive, &n_next))
            continue;
        w->args[axis->param] = value;
        gb_code code = descend(w, level + 1, n_next, err);
        if (code != GB_OK)
            return code;
    }
    return GB_OK;
}

static gb_code run(walk *w, gb_error *err)
{
    gb_code code = walk_open(w, err);
    bool nothing = false; /* an exclude without a condition on an axis matches everything */
    for (size_t e = 0; code == GB_OK && e < w->n_excludes; e++) {
        bool any = false;
        for (size_t level = 0; level < w->n_axes; level++)
            any = any || w->at[e * w->n_axes + level] != NULL;
        nothing = nothing || !any;
    }
    if (code == GB_OK && !nothing)
        code = descend(w, 0, w->n_excludes, err);
    walk_free(w);
    return code;
}

gb_code gb_cases_count(const gb_benchmark *benchmark, gb_device_kind kind, uint64_t *work,
                       uint64_t *count, bool *overflow, gb_error *err)
{
    walk w = {.benchmark = benchmark, .kind = kind, .work = work};
    gb_code code = run(&w, err);
    *count = w.count;
    *overflow = w.overflow;
    return code;
}

gb_code gb_cases_each(const gb_benchmark *benchmark, gb_device_kind kind, uint64_t *work,
                      gb_case_visit visit, void *user, gb_error *err)
{
    walk w = {.benchmark = benchmark, .kind = kind, .work = work, .visit = visit, .user = user};
    return run(&w, err);
}

static char *case_id(const gb_benchmark *benchmark, const gb_value args[], bool written)
{
    const gb_kernel_spec *spec = benchmark->spec;
    gb_buf id = {0};
    gb_buf_add(&id, benchmark->name);
    const char *previous = "";
    for (size_t done = 0; done < benchmark->n_axes; done++) {
        int next = -1; /* the first name after the previous one */
        for (size_t i = 0; i < benchmark->n_axes; i++) {
            int param = benchmark->axes[i].param;
            const char *name = spec->params[param].name;
            if (strcmp(name, previous) > 0 &&
                (next < 0 || strcmp(name, spec->params[next].name) < 0))
                next = param;
        }
        if (next < 0)
            break;
        char value[64];
        gb_buf_add(&id, done == 0 ? "[" : ",");
        gb_buf_add(&id, spec->params[next].name);
        gb_buf_add(&id, "=");
        const gb_param *param = &spec->params[next];
        gb_buf_add(&id, written ? gb_value_written(param, args[next], value)
                                : gb_value_text(param, args[next], value, sizeof value));
        previous = spec->params[next].name;
    }
    if (benchmark->n_axes > 0)
        gb_buf_add(&id, "]");
    if (id.failed) {
        gb_buf_free(&id);
        return NULL;
    }
    return id.data;
}

char *gb_case_id(const gb_benchmark *benchmark, const gb_value args[])
{
    return case_id(benchmark, args, false);
}

char *gb_case_id_written(const gb_benchmark *benchmark, const gb_value args[])
{
    return case_id(benchmark, args, true);
}
