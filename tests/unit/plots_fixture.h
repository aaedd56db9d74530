/* A run's plots written into a folder and read back. */
#ifndef GB_TESTS_PLOTS_FIXTURE_H
#define GB_TESTS_PLOTS_FIXTURE_H

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reports/plot/gnuplot.h"
#include "reports/plot/plots.h"
#include "unit/reports_fixture.h"

#define PLOTS_FOLDER "gb-plots-" /* /tmp/gb-plots-PID-XXXXXX, of the process that runs the test */

static inline void remove_folders(int pid)
{
    char command[64];
    snprintf(command, sizeof command, "rm -rf /tmp/" PLOTS_FOLDER "%d-*", pid);
    if (system(command) != 0) {
        fprintf(stderr, "not done: %s\n", command);
    }
}

static inline void remove_own_folders(void)
{
    remove_folders(getpid());
}

/* Those of processes that are no more: a test that was killed could not clean up. */
static inline void remove_dead_folders(void)
{
    DIR *folder = opendir("/tmp");
    int pid, last = 0;
    for (const struct dirent *e; folder != NULL && (e = readdir(folder)) != NULL;) {
        if (sscanf(e->d_name, PLOTS_FOLDER "%d-", &pid) == 1 && pid != last && kill(pid, 0) != 0 &&
            errno == ESRCH) {
            remove_folders(pid);
            last = pid;
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
}

/* A fresh folder with a name that hurts, removed when the test's process ends. */
static inline void make_dir(char dir[128], const char *name)
{
    static int owner;
    char base[64];
    if (owner != getpid()) {
        owner = getpid();
        remove_dead_folders();
        ck_assert_int_eq(atexit(remove_own_folders), 0);
    }
    snprintf(base, sizeof base, "/tmp/" PLOTS_FOLDER "%d-XXXXXX", owner);
    ck_assert_ptr_nonnull(mkdtemp(base));
    snprintf(dir, 128, "%s/%s", base, name);
    ck_assert_int_eq(mkdir(dir, 0777), 0);
}

static inline char *slurp(const char *dir, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/plots/%s", dir, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return NULL;
    }
    gb_buf text = {0};
    char chunk[4096];
    size_t n;
    while ((n = fread(chunk, 1, sizeof chunk, file)) > 0) {
        gb_buf_add_bytes(&text, chunk, n);
    }
    fclose(file);
    return text.data;
}

static inline void plot(const fixture *f, const char *dir, const char *gnuplot, gb_buf *notes)
{
    gb_error err = {0};
    ck_assert_msg(gb_report_plots(&f->results, dir, gnuplot, NULL, notes, &err) == GB_OK, "%s",
                  err.message);
}

static inline bool have_gnuplot(void)
{
    return system("command -v gnuplot >/dev/null 2>&1") == 0;
}

static inline bool exists(const char *dir, const char *name)
{
    char *text = slurp(dir, name);
    bool there = text != NULL;
    free(text);
    return there;
}

/* The names of the files of the only plot, without suffix. */
static inline void plot_name(const char *dir, char name[200])
{
    char *command = gb_text_format("cd '%s/plots' && ls *.gp", dir);
    FILE *ls = popen(command, "r");
    free(command);
    ck_assert_ptr_nonnull(fgets(name, 200, ls));
    pclose(ls);
    name[strcspn(name, "\n")] = '\0';
    *strrchr(name, '.') = '\0';
}

/* The text of the only plot's file with that suffix. */
static inline char *read_suffix(const char *dir, const char *suffix)
{
    char name[200], file[256];
    plot_name(dir, name);
    snprintf(file, sizeof file, "%s%s", name, suffix);
    char *text = slurp(dir, file);
    ck_assert_msg(text != NULL, "%s", file);
    return text;
}

/* A run with one plot, a folder for it, and what is written there. */
typedef struct drawing {
    fixture f;
    char dir[128];
    gb_buf notes;
    char *script, *data;
} drawing;

static inline void drawing_open(drawing *d, const char *kind, const char *plots_json)
{
    *d = (drawing){.script = NULL};
    make_dir(d->dir, "run");
    fixture_open(&d->f, kind, plots_json);
}

/* Writes script and data, without a gnuplot to draw them, and reads them. */
static inline void drawing_write(drawing *d)
{
    plot(&d->f, d->dir, "true", &d->notes);
    d->script = read_suffix(d->dir, ".gp");
    d->data = read_suffix(d->dir, ".dat");
}

static inline void drawing_close(drawing *d)
{
    free(d->script);
    free(d->data);
    gb_buf_free(&d->notes);
    fixture_close(&d->f);
}

static inline void ck_no_files(const char *dir)
{
    char *command = gb_text_format("test -z \"$(ls '%s/plots')\"", dir);
    ck_assert_int_eq(system(command), 0);
    free(command);
}

/* Nothing but that letters have no font here, which depends on the machine. */
static inline void ck_no_notes_but_fonts(const gb_buf *notes)
{
    static const char *const fonts = "plots: '?' stands in 1 PNG for letters that no font here "
                                     "has; the SVG has them\n";
    ck_assert_msg(notes->length == 0 || strcmp(notes->data, fonts) == 0, "%s", notes->data);
}

static inline void ck_pictures_whole(const char *dir)
{
    char name[200], path[600];
    plot_name(dir, name);
    snprintf(path, sizeof path, "%s/plots/%s.svg", dir, name);
    ck_assert_msg(gb_picture_whole(path), "%s", path);
    snprintf(path, sizeof path, "%s/plots/%s.png", dir, name);
    ck_assert_msg(gb_picture_whole(path), "%s", path);
}

#endif
