#include "reports/hierarchy.h"

#include <math.h>
#include <stdlib.h>

/* What a level of unknown size costs a name, as a logarithm: a known one that is missed by more
 * than this factor is rather the unknown one. */
#define UNKNOWN_COST 1.3862943611198906 /* ln 4 */

typedef struct ladder {
    const gb_rung *rungs;
    double *ns; /* of each rung, of which none is above a later one */
    gb_tread *treads;
    size_t n;
} ladder;

static double *least_of_the_rest(const gb_rung rungs[], size_t n)
{
    double *ns = calloc(n > 0 ? n : 1, sizeof *ns);
    for (size_t i = n; ns != NULL && i-- > 0;)
        ns[i] = i + 1 < n ? fmin(rungs[i].ns, ns[i + 1]) : rungs[i].ns;
    return ns;
}

/* The widest tread of the rungs [from, end), and of equally wide ones the flattest. */
static bool widest(const ladder *l, size_t from, size_t end, gb_tread *out)
{
    double width = 0, growth = 0;
    for (size_t i = from; i < end; i++)
        for (size_t j = i + 2; j < end; j++) {
            const double w = l->rungs[j].bytes / l->rungs[i].bytes, g = l->ns[j] / l->ns[i];
            if (!(w >= GB_TREAD_WIDTH) || !(g <= GB_TREAD_FLAT) || w < width ||
                (w == width && g >= growth))
                continue;
            width = w;
            growth = g;
            *out = (gb_tread){.first = i, .last = j};
        }
    return width > 0;
}

/* The treads of [from, end) in their order: the widest, and those on both sides of it. */
static void collect(ladder *l, size_t from, size_t end)
{
    gb_tread tread;
    if (!widest(l, from, end, &tread))
        return;
    collect(l, from, tread.first);
    const size_t middle = (tread.first + tread.last) / 2;
    tread.ns =
        (l->ns[middle] + l->ns[(tread.first + tread.last + 1) / 2]) / 2; /* they are sorted */
    if (l->n < GB_MOST_TREADS)
        l->treads[l->n++] = tread;
    collect(l, tread.last + 1, end);
}

/* The size at which a load first takes `ns`, and the first rung that takes longer. */
static double crossing(const ladder *l, size_t n, double ns, size_t *beyond)
{
    size_t i = 0;
    while (i < n && !(l->ns[i] > ns))
        i++;
    *beyond = i;
    if (i == 0 || i == n)
        return NAN;
    const double share = log(ns / l->ns[i - 1]) / log(l->ns[i] / l->ns[i - 1]);
    return l->rungs[i - 1].bytes * pow(l->rungs[i].bytes / l->rungs[i - 1].bytes, share);
}

static double width(const ladder *l, const gb_tread *tread)
{
    return l->rungs[tread->last].bytes / l->rungs[tread->first].bytes;
}

/* Treads that are nearly as high as the level before become part of it. How many levels there are.
 */
static size_t join(ladder *l)
{
    size_t levels = 0;
    for (size_t k = 0; k < l->n; k++) {
        const gb_tread *next = &l->treads[k];
        gb_tread *before = levels > 0 ? &l->treads[levels - 1] : NULL;
        if (before == NULL || next->ns >= GB_TREAD_RISE * before->ns)
            l->treads[levels++] = *next;
        else if (width(l, next) > width(l, before))
            *before = *next;
    }
    return levels;
}

size_t gb_hierarchy_find(const gb_rung rungs[], size_t n, gb_tread out[GB_MOST_TREADS])
{
    ladder l = {.rungs = rungs, .ns = least_of_the_rest(rungs, n), .treads = out};
    if (l.ns == NULL)
        return 0;
    collect(&l, 0, n);
    const size_t levels = join(&l);
    for (size_t k = 0; k < levels; k++) {
        double ns = GB_TREAD_MOST * out[k].ns;
        if (k + 1 < levels)
            ns = fmin(ns, out[k].ns + GB_TREAD_PART * (out[k + 1].ns - out[k].ns));
        out[k].end = crossing(&l, n, ns, &out[k].beyond);
        if (out[k].beyond + 1 >= n) {
            out[k].end = NAN;
            out[k].beyond = n;
        }
    }
    free(l.ns);
    return levels;
}

double gb_hierarchy_slope(const gb_rung rungs[], size_t n, double below_ns, double above_ns)
{
    ladder l = {.rungs = rungs, .ns = least_of_the_rest(rungs, n)};
    size_t beyond;
    const double end =
        l.ns != NULL ? crossing(&l, n, sqrt(below_ns * above_ns), &beyond) : (double)NAN;
    free(l.ns);
    return end;
}

/* --- names ------------------------------------------------------------------------------------ */

static int count(unsigned bits)
{
    int n = 0;
    for (; bits != 0; bits &= bits - 1)
        n++;
    return n;
}

static double miss(double end, const gb_named_level *level)
{
    if (!(level->bytes > 0) || !(end > 0))
        return UNKNOWN_COST;
    return fabs(log(end / level->bytes));
}

/* What it costs to call the treads in `some` by the names in `these`, in order. */
static double cost(const double ends[], unsigned some, const gb_named_level levels[],
                   unsigned these, int out[])
{
    double sum = 0;
    size_t name = 0;
    for (size_t i = 0; some >> i != 0; i++) {
        out[i] = -1;
        if ((some >> i & 1) == 0)
            continue;
        while ((these >> name & 1) == 0)
            name++;
        out[i] = (int)name;
        sum += miss(ends[i], &levels[name++]);
    }
    return sum;
}

void gb_hierarchy_name(const double ends[], size_t n, const gb_named_level levels[], size_t m,
                       int out[])
{
    const int pairs = (int)(n < m ? n : m);
    double best = INFINITY;
    for (size_t i = 0; i < n; i++)
        out[i] = -1;
    for (unsigned some = 0; some < 1u << n; some++)
        for (unsigned these = 0; count(some) == pairs && these < 1u << m; these++) {
            int names[32];
            if (count(these) != pairs)
                continue;
            const double now = cost(ends, some, levels, these, names);
            if (!(now < best))
                continue;
            best = now;
            for (size_t i = 0; i < n; i++)
                out[i] = some >> i != 0 ? names[i] : -1;
        }
}

bool gb_hierarchy_agrees(double found, double named)
{
    return found <= named * GB_SIZE_AGREES && found >= named / GB_SIZE_AGREES;
}
