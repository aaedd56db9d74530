/* A run's plots written into a folder and read back. */
#ifndef GB_TESTS_PLOTS_FIXTURE_H
#define GB_TESTS_PLOTS_FIXTURE_H

#include <sys/stat.h>
#include <unistd.h>

#include "reports/plot/gnuplot.h"
#include "reports/plot/plots.h"
#include "unit/reports_fixture.h"

/* A fresh folder with a name that hurts; removed by the operating system's cleaning of /tmp. */
static inline void make_dir(char dir[128], const char *name)
{
    char base[] = "/tmp/gb-plots-XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(base));
    snprintf(dir, 128, "%s/%s", base, name);
    ck_assert_int_eq(mkdir(dir, 0777), 0);
}

static inline char *slurp(const char *dir, const char *name)
{
    char path[512];
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
