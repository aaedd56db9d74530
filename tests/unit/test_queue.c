/* The server in virtual time: against queueing theory, and how it forms batches. */
#include "kernels/queue.h"

#include <math.h>
#include <stdlib.h>

#include "unit/check_main.h"

#define MILLION 1000000

static gb_queue_request *requests_at(uint64_t seed, double rate, int mixed, size_t n)
{
    gb_queue_request *r = calloc(n, sizeof *r);
    ck_assert_ptr_nonnull(r);
    gb_queue_arrivals(seed, rate, mixed, r, n);
    return r;
}

static double constant(void *user, const gb_queue_batch *batch)
{
    (void)batch;
    return *(const double *)user;
}

static double mean_wait(const gb_queue_request *r, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += r[i].begin - r[i].arrival;
    return sum / (double)n;
}

/* M/D/1: Poisson arrivals, constant service s, one server. Mean waiting time rho s / (2 (1 - rho)),
 * the Pollaczek-Khinchine formula for a service time without variance (Kleinrock, Queueing Systems
 * 1, 1975, section 5.6). */
START_TEST(waiting_agrees_with_queueing_theory)
{
    static const double loads[] = {0.3, 0.6, 0.8};
    const gb_queue_policy one = {.most_items = 1};
    for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i++) {
        double service = 50000; /* ns */
        gb_queue_request *r = requests_at(7, loads[i] * 1e9 / service, 0, MILLION);
        ck_assert_uint_eq(gb_queue_serve(r, MILLION, &one, constant, &service), MILLION);
        const double theory = loads[i] * service / (2 * (1 - loads[i]));
        const double found = mean_wait(r, MILLION);
        ck_assert_msg(fabs(found - theory) <= 0.02 * theory, "load %g: %g ns, theory says %g",
                      loads[i], found, theory);
        free(r);
    }
}
END_TEST

static double exponential(void *user, const gb_queue_batch *batch)
{
    (void)batch;
    return -50000 * log1p(-gb_rng_unit(user));
}

/* M/M/1: exponential service; rho s / (1 - rho). A server that ignored the spread of its service
 * times would pass the test above and fail here. */
START_TEST(waiting_agrees_with_theory_for_random_service_too)
{
    const gb_queue_policy one = {.most_items = 1};
    gb_rng rng = {99};
    gb_queue_request *r = requests_at(7, 0.6e9 / 50000, 0, MILLION);
    gb_queue_serve(r, MILLION, &one, exponential, &rng);
    const double theory = 0.6 * 50000 / (1 - 0.6);
    ck_assert_double_eq_tol(mean_wait(r, MILLION), theory, 0.02 * theory);
    free(r);
}
END_TEST

START_TEST(arrivals_are_poisson_and_seeded)
{
    gb_queue_request *a = requests_at(7, 1000, 1, 100000), *b = requests_at(7, 2000, 1, 100000);
    gb_queue_request *other = requests_at(8, 1000, 1, 100000);
    double sum = 0, squares = 0, before = 0;
    unsigned sizes[GB_QUEUE_MIXED + 1] = {0};
    for (size_t i = 0; i < 100000; i++) {
        const double gap = (a[i].arrival - before) / 1e6; /* mean 1 */
        ck_assert_double_ge(gap, 0);
        sum += gap;
        squares += gap * gap;
        before = a[i].arrival;
        ck_assert(a[i].items >= 1 && a[i].items <= GB_QUEUE_MIXED);
        sizes[a[i].items]++;
        /* twice the rate: the same pattern in half of the time */
        ck_assert_double_eq_tol(a[i].arrival, 2 * b[i].arrival, 1e-6 * a[i].arrival);
        ck_assert_uint_eq(a[i].items, b[i].items);
    }
    /* mean 1, second moment 2; standard errors 0.003 and 0.014 */
    ck_assert_double_eq_tol(sum / 100000, 1, 0.013);
    ck_assert_double_eq_tol(squares / 100000, 2, 0.06);
    for (int i = 1; i <= GB_QUEUE_MIXED; i++) /* 12500 each, standard deviation 105 */
        ck_assert_msg(sizes[i] > 12000 && sizes[i] < 13000, "%u of size %d", sizes[i], i);
    ck_assert(other[0].arrival != a[0].arrival);
    free(a);
    free(b);
    free(other);
}
END_TEST

static double per_item(void *user, const gb_queue_batch *batch)
{
    const double *cost = user; /* of a batch, of an item */
    return cost[0] + cost[1] * batch->items;
}

/* Every request is answered once, in its order, by batches that hold what they may. */
START_TEST(nobody_is_lost_and_nobody_overtakes)
{
    static const gb_queue_policy policies[] = {{8, 0}, {8, 300000}, {17, 0}, {17, 1e6}, {64, 5e4}};
    double cost[] = {40000, 9000};
    for (size_t p = 0; p < sizeof policies / sizeof policies[0]; p++) {
        for (double rate = 500; rate < 100000; rate *= 3) {
            enum { N = 3000 };
            gb_queue_request *r = requests_at(3, rate, 1, N);
            uint32_t batches = gb_queue_serve(r, N, &policies[p], per_item, cost);
            uint32_t items = 0, sum = 0;
            double busy_until = 0;
            for (size_t i = 0; i < N; i++) {
                const int begins = i == 0 || r[i].batch != r[i - 1].batch;
                ck_assert_uint_eq(r[i].batch, i == 0 ? 0 : r[i - 1].batch + (uint32_t)begins);
                items = begins ? r[i].items : items + r[i].items;
                sum += (uint32_t)begins;
                ck_assert_uint_le(items, policies[p].most_items);
                ck_assert(r[i].begin >= r[i].arrival && r[i].end > r[i].begin);
                if (begins) { /* one batch at a time; never later than asked for when free */
                    ck_assert_double_ge(r[i].begin, busy_until);
                    ck_assert_double_le(r[i].begin,
                                        fmax(busy_until, r[i].arrival + policies[p].wait));
                    busy_until = r[i].end;
                } else {
                    ck_assert(r[i].begin == r[i - 1].begin && r[i].end == r[i - 1].end);
                }
            }
            ck_assert_uint_eq(sum, batches);
            ck_assert_uint_eq(r[N - 1].batch + 1, batches);
            free(r);
        }
    }
}
END_TEST

static void check_batch(gb_queue_batch b, size_t end, uint32_t items, double begin)
{
    ck_assert_uint_eq(b.end, end);
    ck_assert_uint_eq(b.items, items);
    ck_assert_double_eq_tol(b.begin, begin, 1e-9);
}

START_TEST(a_batch_is_formed_by_size_or_by_time)
{
    const gb_queue_request r[] = {{.arrival = 10, .items = 1},  {.arrival = 20, .items = 2},
                                  {.arrival = 30, .items = 3},  {.arrival = 40, .items = 2},
                                  {.arrival = 500, .items = 1}, {.arrival = 510, .items = 1}};
    const gb_queue_policy greedy = {8, 0}, six = {6, 100}, seven = {7, 100}, late = {8, 25};
    check_batch(gb_queue_next(r, 6, 0, 0, &greedy), 1, 1, 10);  /* free: at once */
    check_batch(gb_queue_next(r, 6, 0, 25, &greedy), 2, 3, 25); /* busy: what has come meanwhile */
    check_batch(gb_queue_next(r, 6, 0, 0, &six), 3, 6, 30);     /* full by the last item */
    check_batch(gb_queue_next(r, 6, 0, 0, &seven), 3, 6, 40);   /* full: the fourth does not fit */
    check_batch(gb_queue_next(r, 6, 0, 35, &six), 3, 6, 35);
    check_batch(gb_queue_next(r, 6, 0, 0, &late), 3, 6, 35); /* the first has waited 25 */
    check_batch(gb_queue_next(r, 6, 0, 0, &(gb_queue_policy){8, 30}), 4, 8, 40);
    check_batch(gb_queue_next(r, 6, 0, 600, &late), 4, 8, 600); /* late, but no larger */
    check_batch(gb_queue_next(r, 6, 4, 0, &seven), 6, 2, 600);  /* the end is not known */
}
END_TEST

/* The same arrivals: more load never waits less, a slower server neither. */
START_TEST(waiting_grows_with_the_rate_and_the_service)
{
    const gb_queue_policy one = {.most_items = 1};
    double last = 0;
    for (double rate = 1000; rate <= 64000; rate *= 2) {
        double service = 20000, slower = 25000;
        gb_queue_request *r = requests_at(5, rate, 0, 20000);
        gb_queue_serve(r, 20000, &one, constant, &service);
        const double wait = mean_wait(r, 20000);
        ck_assert_double_gt(wait, last);
        last = wait;
        gb_queue_serve(r, 20000, &one, constant, &slower);
        ck_assert_double_gt(mean_wait(r, 20000), wait);
        free(r);
    }
}
END_TEST

/* One stall of the server: all that were due meanwhile have it in their latency, though the server
 * sends nothing while it stands. (With latencies counted from the begin of the service one request
 * of 1000 would show it.) */
static double stalling(void *user, const gb_queue_batch *batch)
{
    (void)user;
    return batch->first == 200 ? 100e6 : 10000;
}

START_TEST(a_stalled_server_cannot_hide_it)
{
    const gb_queue_policy one = {.most_items = 1};
    gb_queue_request *r = requests_at(5, 1000, 0, 1000);
    gb_queue_serve(r, 1000, &one, stalling, NULL);
    unsigned late = 0, long_services = 0;
    for (size_t i = 0; i < 1000; i++) {
        late += r[i].end - r[i].arrival > 10e6;
        long_services += r[i].end - r[i].begin > 10e6;
    }
    ck_assert_uint_eq(long_services, 1);
    ck_assert_msg(late > 60 && late < 130, "%u are late", late); /* about 90 in 90 ms */
    free(r);
}
END_TEST

START_TEST(padding_is_never_less_work)
{
    for (uint32_t most = 1; most <= 100; most++) {
        for (uint32_t items = 1; items <= most; items++) {
            const uint32_t exact = gb_queue_shape_items(GB_SHAPE_EXACT, items, most);
            const uint32_t bucket = gb_queue_shape_items(GB_SHAPE_BUCKETED, items, most);
            const uint32_t padded = gb_queue_shape_items(GB_SHAPE_PADDED, items, most);
            ck_assert_uint_eq(exact, items);
            ck_assert(exact <= bucket && bucket <= padded);
            ck_assert_uint_eq(padded, most);
            ck_assert(bucket == most || ((bucket & (bucket - 1)) == 0 && bucket < 2 * items));
        }
    }
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tests = tcase_create("queue");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, waiting_agrees_with_queueing_theory);
    tcase_add_test(tests, waiting_agrees_with_theory_for_random_service_too);
    tcase_add_test(tests, arrivals_are_poisson_and_seeded);
    tcase_add_test(tests, nobody_is_lost_and_nobody_overtakes);
    tcase_add_test(tests, a_batch_is_formed_by_size_or_by_time);
    tcase_add_test(tests, waiting_grows_with_the_rate_and_the_service);
    tcase_add_test(tests, a_stalled_server_cannot_hide_it);
    tcase_add_test(tests, padding_is_never_less_work);
    suite_add_tcase(suite, tests);
}

GB_CHECK_MAIN("queue", add_cases)
