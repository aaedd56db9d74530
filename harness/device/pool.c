#include "device/pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device/host_limits.h"
#include "device/simt/fiber.h"

#define MAX_THREADS 4096u
/* How long a worker waits spinning. Longer than the gap between two launches of a measurement
 * (waking a sleeping thread costs tens of microseconds), short enough to leave processors alone
 * while nothing is measured. */
#define SPIN_NS 200000u
#define POLITE_NS 3000u /* after which it lets others go first */

typedef struct worker {
    gb_pool *pool;
    unsigned index; /* 1 .. threads - 1 */
    int cpu;
    pthread_t thread;
} worker;

struct gb_pool {
    unsigned threads;
    bool spin; /* not when there are more threads than processors */
    int home;  /* the processor left free for the caller; -1: workers are not pinned */
    cpu_set_t worker_cpus;
    worker *workers;
    unsigned started;
    pthread_mutex_t turn; /* held during a run */

    /* The job. Written by the caller before `word` announces it. */
    void (*work)(void *context, uint64_t first, uint64_t end);
    void *context;
    uint64_t items, part; /* part: how much a worker fetches at once; 0: even split */
    unsigned participants;

    /* generation << 16 | participants: tells a worker whether the job concerns it without a look
     * at the job, which may be the next one already */
    _Alignas(64) atomic_uint_fast64_t word;
    _Alignas(64) atomic_uint_fast64_t next;
    _Alignas(64) atomic_uint pending;
    _Alignas(64) atomic_uint sleepers;
    atomic_bool stop;
    pthread_mutex_t sleep_lock;
    pthread_cond_t wake;
};

uint64_t gb_monotonic_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void do_share(gb_pool *pool, unsigned index)
{
    if (pool->part == 0) {
        uint64_t whole = pool->items / pool->participants, rest = pool->items % pool->participants;
        uint64_t first = whole * index + (index < rest ? index : rest);
        pool->work(pool->context, first, first + whole + (index < rest));
        return;
    }
    for (;;) {
        uint64_t first = atomic_fetch_add_explicit(&pool->next, pool->part, memory_order_relaxed);
        if (first >= pool->items)
            return;
        uint64_t left = pool->items - first;
        pool->work(pool->context, first, first + (left < pool->part ? left : pool->part));
    }
}

/* Waits until the word differs from `seen`. */
static uint64_t await_word(gb_pool *pool, uint64_t seen)
{
    uint64_t word = atomic_load_explicit(&pool->word, memory_order_acquire);
    if (pool->spin && word == seen) {
        const uint64_t start = gb_monotonic_ns();
        uint64_t waited = 0;
        while (word == seen && waited < SPIN_NS) {
            for (int i = 0; i < 32 && word == seen; i++) {
                gb_pause();
                word = atomic_load_explicit(&pool->word, memory_order_acquire);
            }
            waited = gb_monotonic_ns() - start;
            if (word == seen && waited > POLITE_NS)
                sched_yield(); /* the caller may have come to this processor */
        }
    }
    if (word != seen)
        return word;
    pthread_mutex_lock(&pool->sleep_lock);
    atomic_fetch_add(&pool->sleepers, 1);
    while ((word = atomic_load(&pool->word)) == seen && !atomic_load(&pool->stop))
        pthread_cond_wait(&pool->wake, &pool->sleep_lock);
    atomic_fetch_sub(&pool->sleepers, 1);
    pthread_mutex_unlock(&pool->sleep_lock);
    return word;
}

static void *worker_main(void *argument)
{
    worker *self = argument;
    gb_pool *pool = self->pool;
    uint64_t seen = 0;
    while (!atomic_load_explicit(&pool->stop, memory_order_acquire)) {
        uint64_t word = await_word(pool, seen);
        if (word == seen)
            continue; /* stop */
        seen = word;
        if (self->index >= (word & 0xffff))
            continue;
        do_share(pool, self->index);
        atomic_fetch_sub_explicit(&pool->pending, 1, memory_order_release);
    }
    gb_fiber_thread_exit();
    return NULL;
}

static void announce(gb_pool *pool, uint64_t word)
{
    atomic_store(&pool->word, word);
    if (atomic_load(&pool->sleepers) > 0) {
        pthread_mutex_lock(&pool->sleep_lock);
        pthread_cond_broadcast(&pool->wake);
        pthread_mutex_unlock(&pool->sleep_lock);
    }
}

/* A caller that sits where a worker is pinned would take turns with it, because neither can see
 * that a processor is free. It goes there, and keeps its right to be anywhere. */
static void go_home(const gb_pool *pool)
{
    cpu_set_t before, home;
    int at = sched_getcpu();
    if (pool->home < 0 || at < 0 || at == pool->home || at >= CPU_SETSIZE ||
        !CPU_ISSET((size_t)at, &pool->worker_cpus) ||
        pthread_getaffinity_np(pthread_self(), sizeof before, &before) != 0)
        return;
    CPU_ZERO(&home);
    CPU_SET((size_t)pool->home, &home);
    if (pthread_setaffinity_np(pthread_self(), sizeof home, &home) == 0)
        pthread_setaffinity_np(pthread_self(), sizeof before, &before);
}

void gb_pool_run(gb_pool *pool, uint64_t items, bool even,
                 void (*work)(void *context, uint64_t first, uint64_t end), void *context)
{
    if (items == 0)
        return;
    if (items == 1 || pool->threads == 1) {
        work(context, 0, items);
        return;
    }
    pthread_mutex_lock(&pool->turn);
    go_home(pool);
    unsigned participants = items < pool->threads ? (unsigned)items : pool->threads;
    uint64_t part = items / ((uint64_t)participants * 16);
    pool->work = work;
    pool->context = context;
    pool->items = items;
    pool->participants = participants;
    pool->part = even ? 0 : (part > 0 ? part : 1);
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    atomic_store_explicit(&pool->pending, participants - 1, memory_order_relaxed);
    uint64_t word = atomic_load_explicit(&pool->word, memory_order_relaxed);
    announce(pool, ((word >> 16) + 1) << 16 | participants);
    do_share(pool, 0);
    for (unsigned turns = 0; atomic_load_explicit(&pool->pending, memory_order_acquire) > 0;
         turns++)
        if (turns < 4096 && pool->spin)
            gb_pause();
        else
            sched_yield(); /* the worker that is missing may need this processor */
    pthread_mutex_unlock(&pool->turn);
}

unsigned gb_pool_threads(const gb_pool *pool)
{
    return pool->threads;
}

static gb_code start_worker(gb_pool *pool, unsigned index, int cpu, gb_error *err)
{
    worker *w = &pool->workers[index];
    *w = (worker){.pool = pool, .index = index, .cpu = cpu};
    int status = pthread_create(&w->thread, NULL, worker_main, w);
    if (status != 0)
        return gb_fail(err, GB_NO_MEMORY, "worker thread %u of the cpu device: %s", index,
                       strerror(status));
    pool->started = index;
    if (cpu >= 0 && cpu < CPU_SETSIZE) { /* best effort: unpinned workers are right, only slower */
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET((size_t)cpu, &set);
        if (pthread_setaffinity_np(w->thread, sizeof set, &set) == 0)
            CPU_SET((size_t)cpu, &pool->worker_cpus);
    }
    return GB_OK;
}

gb_code gb_pool_create(unsigned threads, gb_pool **out, gb_error *err)
{
    *out = NULL;
    if (threads == 0)
        threads = gb_host_threads("");
    if (threads > MAX_THREADS)
        return gb_fail(err, GB_INVALID, "%u threads for the cpu device; at most %u", threads,
                       MAX_THREADS);
    int cpus[MAX_THREADS];
    unsigned n = gb_host_cpus(cpus, MAX_THREADS);
    gb_pool *pool = aligned_alloc(64, (sizeof *pool + 63) / 64 * 64);
    worker *workers = calloc(threads, sizeof *workers);
    if (pool == NULL || workers == NULL) {
        free(pool);
        free(workers);
        return gb_fail(err, GB_NO_MEMORY, "no memory for the threads of the cpu device");
    }
    memset(pool, 0, sizeof *pool);
    pool->threads = threads;
    pool->spin = threads <= n && threads <= gb_host_threads("");
    pool->home = threads <= n && cpus[0] < CPU_SETSIZE ? cpus[0] : -1;
    pool->workers = workers;
    pthread_mutex_init(&pool->turn, NULL);
    pthread_mutex_init(&pool->sleep_lock, NULL);
    pthread_cond_init(&pool->wake, NULL);

    /* Signals belong to the program's own threads. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    gb_code code = GB_OK;
    for (unsigned i = 1; i < threads && code == GB_OK; i++)
        code = start_worker(pool, i, threads <= n ? cpus[i] : -1, err);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (code != GB_OK) {
        gb_pool_destroy(pool);
        return code;
    }
    *out = pool;
    return GB_OK;
}

void gb_pool_destroy(gb_pool *pool)
{
    if (pool == NULL)
        return;
    pthread_mutex_lock(&pool->sleep_lock);
    atomic_store(&pool->stop, true);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->sleep_lock);
    announce(pool, 1); /* no participants but the caller: for those that spin */
    for (unsigned i = 1; i <= pool->started; i++)
        pthread_join(pool->workers[i].thread, NULL);
    pthread_mutex_destroy(&pool->turn);
    pthread_mutex_destroy(&pool->sleep_lock);
    pthread_cond_destroy(&pool->wake);
    free(pool->workers);
    free(pool);
}
