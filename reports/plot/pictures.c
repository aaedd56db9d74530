#include "reports/plot/pictures.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reports/plot/gnuplot.h"

#define GNUPLOT_TIMEOUT_S 120

static const char *const suffixes[] = {".svg", ".png"};
#define N_SUFFIXES (sizeof suffixes / sizeof suffixes[0])

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
    }
    free(pictures->items);
    free(pictures->dir);
    *pictures = (gb_pictures){0};
}

static gb_code write_file(const char *dir, const char *name, const char *suffix, const gb_buf *text,
                          gb_error *err)
{
    char *path = gb_text_format("%s/plots/%s%s", dir, name, suffix);
    if (path == NULL || text->failed) {
        free(path);
        return no_memory(err);
    }
    FILE *file = fopen(path, "w");
    gb_code code = GB_OK;
    bool written = file != NULL && fwrite(text->data, 1, text->length, file) == text->length;
    if (file == NULL || (fclose(file) != 0) || !written) {
        code = gb_fail(err, GB_IO, "cannot write %s: %s", path, strerror(errno));
    }
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
    if (code == GB_OK) {
        code = write_file(pictures->dir, name, ".dat", data, err);
    }
    if (code == GB_OK) {
        code = write_file(pictures->dir, name, ".gp", script, err);
    }
    if (code != GB_OK) {
        return code;
    }
    gb_drawn *item = &pictures->items[pictures->n++];
    *item = (gb_drawn){.name = gb_text_copy(name),
                       .title = gb_text_copy(title),
                       .group = gb_text_copy(group != NULL ? group : ""),
                       .note = gb_text_copy(note != NULL ? note : "")};
    return item->name && item->title && item->group && item->note ? GB_OK : no_memory(err);
}

/* Whether both pictures are whole; removes those that are not, and says so. */
static bool check_pictures(const char *dir, const char *name, gb_buf *notes)
{
    size_t whole = 0;
    for (size_t i = 0; i < N_SUFFIXES; i++) {
        char *path = gb_text_format("%s/plots/%s%s", dir, name, suffixes[i]);
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

/* An older picture must not be taken for the new one. */
static void remove_older(const char *dir, const char *name)
{
    for (size_t i = 0; i < N_SUFFIXES; i++) {
        char *old = gb_text_format("%s/plots/%s%s", dir, name, suffixes[i]);
        if (old != NULL) {
            unlink(old);
        }
        free(old);
    }
}

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
    }
    gb_buf_free(&output);
    return i;
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
    for (size_t i = 0; scripts != NULL && i < n; i++) {
        free(scripts[i]);
    }
    free(scripts);
}
