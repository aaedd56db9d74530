/* Made-up runs and a history of them in a folder of its own. */
#ifndef GB_TESTS_HISTORY_FIXTURE_H
#define GB_TESTS_HISTORY_FIXTURE_H

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reports/history/history.h"
#include "unit/check_main.h"
#include "unit/reports_fixture.h"

static char folder[200], path[300];
static gb_error err;

static inline void set_up(void)
{
    snprintf(folder, sizeof folder, "/tmp/gpubench-history.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/sub/history.sqlite", folder);
    err = (gb_error){0};
}

static inline int remove_one(const char *name, const struct stat *facts, int kind,
                             struct FTW *where)
{
    (void)facts, (void)kind, (void)where;
    return remove(name);
}

static inline void tear_down(void)
{
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* --- made-up runs
 * --------------------------------------------------------------------------------- */

static const double noise[10] = {0.2, -0.9, 1.3, -0.1, 0.6, -1.5, 0.9, -0.4, -0.7, 1.1};

typedef struct made {
    fixture f;
} made;

static inline void open_run(made *m, int night, const char *prefix, const char *driver)
{
    char id[64];
    snprintf(id, sizeof id, "%s-%03d", prefix, night);
    fixture_open(&m->f, "cuda", "[]");
    json_t *document = m->f.results.document;
    char when[32];
    gb_history_time(1700000000 + 86400 * (int64_t)night, when);
    json_object_set_new(document, "run", json_pack("{s:s, s:s}", "id", id, "started", when));
    json_object_set_new(document, "host", json_pack("{s:s, s:s}", "cpu", "Example", "kernel", "6"));
    json_object_set_new(document, "tool", json_pack("{s:s, s:s}", "version", "0", "git", "abc"));
    json_t *device = json_array_get(json_object_get(document, "devices"), 0);
    json_object_set_new(device, "driver", json_string(driver));
    json_object_set_new(device, "uuid", json_string("GPU-1"));
    json_object_set_new(device, "ecc", json_true());
}

/* A case in three replicates: a time in ns, or a rate when `rate`. */
static inline void add_case(made *m, const char *name, double value, bool rate)
{
    for (uint32_t r = 0; r < 3; r++) {
        double one = value * (1 + 0.001 * ((double)r - 1));
        gb_record *record =
            fixture_add(&m->f, name, "copy", "{\"bytes\": 4096}", (uint32_t)m->f.results.n / 3, r,
                        rate ? 1e9 / one : one, rate ? one : (double)NAN);
        memset(record->definition, 'd', 64);
    }
}

static inline gb_code add_to(gb_history *history, const gb_results *results, const char *repeat_of,
                             gb_history_added *added)
{
    gb_history_add_options options = {.repeat_of = repeat_of};
    return gb_history_add(history, results, &options, added, &err);
}

/* A night with one case "t" (a time) at 1000 ns x factor. */
static inline void add_night(gb_history *history, int night, double factor, const char *driver)
{
    made m;
    gb_history_added added;
    open_run(&m, night, "run", driver);
    add_case(&m, "t", 1000 * factor * (1 + 0.01 * noise[night % 10]), false);
    ck_assert_msg(add_to(history, &m.f.results, NULL, &added) == GB_OK, "%s", err.message);
    ck_assert(!added.already);
    fixture_close(&m.f);
}

static inline gb_history *open_new(void)
{
    gb_history *history = NULL;
    ck_assert_msg(gb_history_open(path, GB_HISTORY_CREATE, &history, &err) == GB_OK, "%s",
                  err.message);
    return history;
}

static inline gb_history_report checked(gb_history *history, const char *run)
{
    gb_history_report report;
    gb_history_check_options options = {.run = run};
    ck_assert_msg(gb_history_check(history, &options, &report, &err) == GB_OK, "%s", err.message);
    return report;
}

/* Thirty nights at one level and ten at another, as a time or a rate. */
static inline gb_history_report step_of(gb_history *history, double factor, bool rate)
{
    for (int night = 0; night < 40; night++) {
        made m;
        gb_history_added added;
        double value = 1000 * (night < 30 ? 1 : factor) * (1 + 0.005 * noise[night % 10]);
        open_run(&m, night, "run", night < 30 ? "550.54" : "560.28");
        add_case(&m, "x", value, rate);
        ck_assert_int_eq(add_to(history, &m.f.results, NULL, &added), GB_OK);
        fixture_close(&m.f);
    }
    return checked(history, NULL);
}

static inline gb_night_verdict verdict_of(gb_history *history, const char *run)
{
    gb_history_report report = checked(history, run);
    ck_assert_uint_eq(report.n, 1);
    gb_night_verdict verdict = report.items[0].verdict;
    gb_history_report_free(&report);
    return verdict;
}

static inline size_t nights_of(gb_history *history, const char *name)
{
    gb_series_list one;
    ck_assert_msg(gb_history_find(history, name, NULL, &one, &err) == GB_OK, "%s", err.message);
    size_t n = one.items[0].nights;
    gb_series_list_free(&one);
    return n;
}

#endif
