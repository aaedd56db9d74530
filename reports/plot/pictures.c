#include "reports/plot/pictures.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reports/plot/gnuplot.h"
#include "reports/plot/picture.h"

#define GNUPLOT_TIMEOUT_S 120

static const char *const suffixes[] = {".svg", ".png"};
#define N_SUFFIXES (sizeof suffixes / sizeof suffixes[0])

/* The first line of a script: how to run it, and how a later report knows that it is ours. */
#define FIRST_LINE "# gpubench made this; from the run directory: gnuplot plots/%s.gp\n"

static gb_code no_memory(gb_error *err)
{
    return gb_fail(err, GB_NO_MEMORY, "out of memory for the plots");
}

gb_code gb_pictures_open(const char *dir, gb_pictures *out, gb_error *err)
{
    *out = (gb_pictures){.dir = gb_text_copy(dir)};
    char *folder = gb_text_format("%s/plots", dir);
    gb_code code = GB_OK;
    if (out->dir == NULL || folder == NULL) {
        code = no_memory(err);
    } else if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        code = gb_fail(err, GB_IO, "cannot make %s: %s", folder, strerror(errno));
    }
    free(folder);
    if (code != GB_OK) {
        gb_pictures_free(out);
    }
    return code;
}

void gb_pictures_free(gb_pictures *pictures)
{
    for (size_t i = 0; i < pictures->n; i++) {
        free(pictures->items[i].name);
        free(pictures->items[i].title);
        free(pictures->items[i].group);
        free(pictures->items[i].note);
        free(pictures->items[i].what);
        free(pictures->items[i].left_out);
    }
    free(pictures->items);
    free(pictures->dir);
    *pictures = (gb_pictures){0};
}

static char *file_path(const char *dir, const char *name, const char *suffix)
{
    return gb_text_format("%s/plots/%s%s", dir, name, suffix);
}

/* `first` and `text`, one behind the other. */
static gb_code write_file(const char *dir, const char *name, const char *suffix, const char *first,
                          const gb_buf *text, gb_error *err)
{
    char *path = file_path(dir, name, suffix);
    if (path == NULL || first == NULL || text->failed) {
        free(path);
        return no_memory(err);
    }
    FILE *file = fopen(path, "we");
    bool written = file != NULL && fputs(first, file) >= 0 &&
                   fwrite(text->data, 1, text->length, file) == text->length;
    int why = errno;
    if (file != NULL && fclose(file) != 0 && written) {
        why = errno;
        written = false;
    }
    gb_code code =
        written ? GB_OK : gb_fail(err, GB_IO, "cannot write %s: %s", path, strerror(why));
    free(path);
    return code;
}

static gb_code grow(gb_pictures *pictures, gb_error *err)
{
    if (pictures->n < pictures->capacity) {
        return GB_OK;
    }
    size_t capacity = pictures->capacity > 0 ? pictures->capacity * 2 : 8;
    gb_drawn *items = realloc(pictures->items, capacity * sizeof *items);
    if (items == NULL) {
        return no_memory(err);
    }
    pictures->items = items;
    pictures->capacity = capacity;
    return GB_OK;
}

gb_code gb_pictures_add(gb_pictures *pictures, const char *name, const char *title,
                        const char *group, const char *note, const gb_buf *script,
                        const gb_buf *data, gb_error *err)
{
    gb_code code = grow(pictures, err);
    char *first = gb_text_format(FIRST_LINE, name);
    if (code == GB_OK) {
        code = write_file(pictures->dir, name, ".dat", "", data, err);
    }
    if (code == GB_OK) {
        code = write_file(pictures->dir, name, ".gp", first, script, err);
    }
    free(first);
    if (code != GB_OK) {
        return code;
    }
    gb_drawn *item = &pictures->items[pictures->n++];
    *item = (gb_drawn){.name = gb_text_copy(name),
                       .title = gb_text_copy(title),
                       .group = gb_text_copy(group != NULL ? group : ""),
                       .note = gb_text_copy(note != NULL ? note : ""),
                       .replaced = strstr(script->data, GB_PICTURE_REPLACED) != NULL};
    return item->name && item->title && item->group && item->note ? GB_OK : no_memory(err);
}

/* Whether both pictures are whole; removes those that are not, and says so. */
static bool check_pictures(const char *dir, const char *name, gb_buf *notes)
{
    size_t whole = 0;
    for (size_t i = 0; i < N_SUFFIXES; i++) {
        char *path = file_path(dir, name, suffixes[i]);
        if (path == NULL) {
            continue;
        }
        if (gb_picture_whole(path)) {
            whole++;
        } else {
            unlink(path);
            gb_buf_printf(notes, "plots: %s was not written whole; its script is %s/plots/%s.gp\n",
                          path, dir, name);
        }
        free(path);
    }
    return whole == N_SUFFIXES;
}

static void remove_file(const char *dir, const char *name, const char *suffix)
{
    char *path = file_path(dir, name, suffix);
    if (path != NULL) {
        unlink(path);
    }
    free(path);
}

/* An older picture must not be taken for the new one. */
static void remove_older(const char *dir, const char *name)
{
    for (size_t i = 0; i < N_SUFFIXES; i++) {
        remove_file(dir, name, suffixes[i]);
    }
}

/* --- pictures of an older report -------------------------------------------------------------- */

/* Whether a script was written by gb_pictures_add under this name. */
static bool is_ours(int folder, const char *file, const char *name)
{
    char begin[512];
    struct stat facts;
    char *first = gb_text_format(FIRST_LINE, name);
    int fd = openat(folder, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool ours = false;
    if (first != NULL && fd >= 0 && fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode)) {
        size_t length = strlen(first);
        ours = length <= sizeof begin && read(fd, begin, length) == (ssize_t)length &&
               memcmp(begin, first, length) == 0;
    }
    if (fd >= 0) {
        close(fd);
    }
    free(first);
    return ours;
}

static bool is_known(const gb_pictures *pictures, const char *name)
{
    for (size_t i = 0; i < pictures->n; i++) {
        if (strcmp(pictures->items[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* "03-...", "flagged-1-...": what a report calls its pictures (plots.c, distribution_flagged.c).
 * Those of a comparison have other names. */
static bool is_reports_name(const char *name)
{
    size_t digits = strspn(name, "0123456789");
    return (digits >= 2 && name[digits] == '-') || strncmp(name, "flagged-", 8) == 0;
}

void gb_pictures_remove_stale(const char *dir, const gb_pictures *pictures)
{
    char *path = gb_text_format("%s/plots", dir);
    DIR *folder = path != NULL ? opendir(path) : NULL;
    for (const struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        char name[sizeof entry->d_name];
        if (dot == NULL || strcmp(dot, ".gp") != 0) {
            continue;
        }
        snprintf(name, sizeof name, "%.*s", (int)(dot - entry->d_name), entry->d_name);
        if (is_reports_name(name) && !is_known(pictures, name) &&
            is_ours(dirfd(folder), entry->d_name, name)) {
            remove_older(dir, name);
            remove_file(dir, name, ".dat");
            remove_file(dir, name, ".gp"); /* last: without it the others would not be known */
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
    free(path);
}

/* --- drawing ---------------------------------------------------------------------------------- */

/* One gnuplot process over the scripts from `start`. Returns where to go on: n when done. */
static size_t draw_from(gb_pictures *all, const char *const scripts[], size_t start,
                        const char *gnuplot, gb_buf *notes)
{
    gb_buf output = {0};
    gb_error err = {0};
    size_t n = all->n, i = start;
    gb_code code = gb_gnuplot_run(gnuplot, all->dir, scripts + start, n - start, GNUPLOT_TIMEOUT_S,
                                  &output, &err);
    if (code == GB_UNAVAILABLE) {
        gb_buf_printf(notes, "plots skipped: %s\n", err.message);
        i = n;
    } else if (code == GB_OK) {
        for (; i < n; i++) {
            all->items[i].whole = check_pictures(all->dir, all->items[i].name, notes);
        }
    } else {
        /* It stopped at the first script that failed: those before it are drawn. */
        while (i < n && check_pictures(all->dir, all->items[i].name, &output)) {
            all->items[i++].whole = true;
        }
        if (i < n) {
            gb_buf_printf(notes, "plots: %s (script: %s/%s)\n", err.message, all->dir, scripts[i]);
            i++;
        }
        /* Not for each of the others a wait as long as this one. */
        if (code == GB_TIMEOUT && i == start + 1 && i < n) {
            gb_buf_printf(notes, "plots: %zu more not tried\n", n - i);
            i = n;
        }
    }
    gb_buf_free(&output);
    return i;
}

static void note_replaced(const gb_pictures *pictures, gb_buf *notes)
{
    size_t n = 0;
    for (size_t i = 0; i < pictures->n; i++) {
        n += pictures->items[i].whole && pictures->items[i].replaced;
    }
    if (n > 0) {
        gb_buf_printf(notes,
                      "plots: '?' stands in %zu PNG%s for letters that no font here has; the SVG%s "
                      "them\n",
                      n, n == 1 ? "" : "s", n == 1 ? " has" : "s have");
    }
}

void gb_pictures_draw(gb_pictures *pictures, const char *gnuplot, gb_buf *notes)
{
    size_t n = pictures->n;
    char **scripts = calloc(n + 1, sizeof *scripts);
    bool failed = scripts == NULL;
    for (size_t i = 0; !failed && i < n; i++) {
        scripts[i] = gb_text_format("plots/%s.gp", pictures->items[i].name);
        failed = scripts[i] == NULL;
        remove_older(pictures->dir, pictures->items[i].name);
    }
    if (failed) {
        gb_buf_add(notes, "plots: out of memory\n");
    }
    for (size_t i = 0; !failed && i < n;) {
        i = draw_from(pictures, (const char *const *)scripts, i, gnuplot, notes);
    }
    note_replaced(pictures, notes);
    for (size_t i = 0; scripts != NULL && i < n; i++) {
        free(scripts[i]);
    }
    free(scripts);
}
