/* What the rules of the history come to on made-up nights: how often they are wrong, and how soon
 * they find what is there. docs/history.md has the figures of a larger run:
 *   GPUBENCH_SIMULATE=4000 CK_FORK=no build/tests/test_history_sim
 * GPUBENCH_SIMULATE_PAST=40 begins with fewer nights than the bounds are for, and may miss them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "reports/history/judge.h"
#include "unit/check_main.h"

/* A night: run sd 1 %, and one night in twenty 10 to 30 % slower. A repeat of it by fresh processes
 * is drawn like a night of its own, with its own chance of such a spike. */
#define SD 0.01
#define SPIKES 0.05
enum { PAST = 60, FUTURE = 40, MOST = PAST + FUTURE };

typedef struct world {
    gb_rng rng;
    double nights[MOST]; /* ln, as later nights see them */
    size_t n;
    bool repeats; /* whether doubtful nights are repeated, and the repeats kept */
    uint64_t seed;
} world;

typedef struct seen {
    bool doubtful, confirmed, drift; /* slower alone */
    bool once;                       /* a single repeat agreed */
    bool plain;                      /* by the plain rule, with two repeats */
} seen;

static size_t worlds(void)
{
    const char *text = getenv("GPUBENCH_SIMULATE");
    long n = text ? atol(text) : 0;
    return n > 0 ? (size_t)n : 400;
}

/* Nights before anything happens. */
static size_t past(void)
{
    const char *text = getenv("GPUBENCH_SIMULATE_PAST");
    long n = text ? atol(text) : 0;
    return n > GB_SPIKE_NIGHTS && n < PAST ? (size_t)n : PAST;
}

static void say(const char *what, double figure)
{
    if (getenv("GPUBENCH_SIMULATE"))
        printf("%-60s %8.4f %%\n", what, 100 * figure);
}

static double normal(gb_rng *rng) /* Box & Muller 1958 */
{
    double radius = sqrt(-2 * log(1 - gb_rng_unit(rng)));
    return radius * cos(2 * 3.14159265358979323846 * gb_rng_unit(rng));
}

static double draw(world *w, double level)
{
    double value = log1p(level) + SD * normal(&w->rng);
    if (gb_rng_unit(&w->rng) < SPIKES)
        value += log1p(0.1 + 0.2 * gb_rng_unit(&w->rng));
    return value;
}

static double median3(double a, double b, double c)
{
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* The rule without what was added to it: level and noise from the last 20 nights, tonight alone. */
static void plain_rule(const double nights[], size_t n, gb_spike *out)
{
    gb_robust(nights + n - 1 - GB_SPIKE_NIGHTS, GB_SPIKE_NIGHTS, GB_NOISE_FLOOR, &out->centre,
              &out->sd);
    out->change = nights[n - 1] - out->centre;
    out->beyond =
        fabs(out->change) > GB_SPIKE_Z * out->sd && fabs(expm1(out->change)) >= GB_SPIKE_CHANGE;
}

/* A night at a level: measured, judged, repeated when in doubt. */
static seen night(world *w, double level, bool drift)
{
    gb_judgement j = {0};
    seen out = {0};
    w->nights[w->n++] = draw(w, level);
    size_t from = w->n > GB_DRIFT_NIGHTS ? w->n - GB_DRIFT_NIGHTS : 0;
    if (drift)
        gb_judge(w->nights + from, w->n - from, NAN, w->seed, &j);
    else
        gb_spike_judge(w->nights + from, w->n - from, NAN, &j.spike);
    for (size_t i = 0; i < j.n_changes; i++)
        out.drift |= j.changes[i].open;
    gb_spike plain = {0};
    if (drift)
        plain_rule(w->nights, w->n, &plain);
    if (!j.spike.beyond && !plain.beyond)
        return out;
    double a = draw(w, level), b = draw(w, level);
    out.plain = plain.beyond && plain.change > 0 && gb_spike_agrees(&plain, a) &&
                gb_spike_agrees(&plain, b);
    out.doubtful = j.spike.beyond;
    if (!out.doubtful)
        return out;
    out.once = j.spike.change > 0 && gb_spike_agrees(&j.spike, a);
    out.confirmed = out.once && gb_spike_agrees(&j.spike, b);
    if (w->repeats)
        w->nights[w->n - 1] = median3(w->nights[w->n - 1], a, b);
    return out;
}

static void begin(world *w, size_t index, bool repeats)
{
    w->seed = gb_rng_derive(20260115, index);
    w->rng = (gb_rng){gb_rng_derive(w->seed, 1)};
    w->n = 0;
    w->repeats = repeats;
    for (size_t n = past(); w->n < n;)
        night(w, 0, false);
}

START_TEST(nothing_changed)
{
    static world w;
    size_t n = worlds(), checks = 0, doubtful = 0, spikes = 0, once = 0, drifts = 0;
    for (size_t i = 0; i < n; i++) {
        begin(&w, i, true);
        for (int k = 0; k < FUTURE; k++, checks++) {
            seen s = night(&w, 0, true);
            doubtful += s.doubtful;
            spikes += s.confirmed;
            once += s.once;
            drifts += s.drift;
        }
    }
    double all = (double)checks;
    say("nothing changed: nights that must be repeated", (double)doubtful / all);
    say("nothing changed: slower nights, confirmed", (double)spikes / all);
    say("nothing changed: slower nights, had one repeat been enough", (double)once / all);
    say("nothing changed: slower levels", (double)drifts / all);
    ck_assert(doubtful > 0);
    ck_assert_msg((double)spikes / all < 0.001, "%zu of %zu", spikes, checks);
    ck_assert_msg((double)drifts / all < 0.002, "%zu of %zu", drifts, checks);
}
END_TEST

/* What counts as found. */
typedef enum counted { LEVELS, NIGHTS_AND_LEVELS, PLAIN_RULE } counted;

/* Share of worlds in which a change was found after each of some nights; `ramp` nights until it is
 * there whole. */
static void found(double level, int ramp, int nights, counted what, bool repeats, double share[])
{
    static world w;
    size_t n = worlds();
    size_t hits[FUTURE] = {0};
    for (size_t i = 0; i < n; i++) {
        bool done = false;
        begin(&w, n + i, repeats);
        for (int k = 0; k < nights; k++) {
            double part = ramp > 0 ? fmin(1, (k + 1.0) / ramp) : 1;
            if (!done) {
                seen s = night(&w, level * part, true);
                done = what == PLAIN_RULE ? s.plain
                       : what == LEVELS   ? s.drift
                                          : s.drift || s.confirmed;
            }
            hits[k] += done;
        }
    }
    for (int k = 0; k < nights; k++)
        share[k] = (double)hits[k] / (double)n;
}

START_TEST(a_step_of_5_percent)
{
    double share[3];
    found(0.05, 0, 3, NIGHTS_AND_LEVELS, true, share);
    say("+5 %: found on the first night", share[0]);
    say("+5 %: found within two nights", share[1]);
    say("+5 %: found within three nights", share[2]);
    ck_assert_msg(share[0] >= 0.70, "%g", share[0]);
    ck_assert_msg(share[2] >= 0.99, "%g", share[2]);
}
END_TEST

START_TEST(a_step_of_2_percent)
{
    double share[10];
    found(0.02, 0, 10, LEVELS, true, share);
    say("+2 % at once: found within five nights", share[4]);
    say("+2 % at once: found within ten nights", share[9]);
    ck_assert_msg(share[9] >= 0.85, "%g", share[9]);
}
END_TEST

/* Without bounds, hence only when asked for: what to expect of changes that come slowly, and
 * without repeats (docs/history.md). */
START_TEST(what_else)
{
    double share[20];
    found(0.02, 5, 20, LEVELS, true, share);
    say("+2 % over five nights: found within ten", share[9]);
    say("+2 % over five nights: found within fifteen", share[14]);
    say("+2 % over five nights: found within twenty", share[19]);
    found(0.02, 10, 20, LEVELS, true, share);
    say("+2 % over ten nights: found within twenty", share[19]);
    found(0.05, 0, 3, PLAIN_RULE, false, share);
    say("+5 % by the plain rule: found on the first night", share[0]);
    say("+5 % by the plain rule: found within three nights", share[2]);
    found(0.02, 0, 20, LEVELS, false, share);
    say("+2 % at once, doubtful nights not repeated: within ten", share[9]);
    say("+2 % at once, doubtful nights not repeated: within twenty", share[19]);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tc = tcase_create("simulation");
    tcase_set_timeout(tc, 3600);
    tcase_add_test(tc, nothing_changed);
    tcase_add_test(tc, a_step_of_5_percent);
    tcase_add_test(tc, a_step_of_2_percent);
    if (getenv("GPUBENCH_SIMULATE"))
        tcase_add_test(tc, what_else);
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("history simulation", add_cases)
