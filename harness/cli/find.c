#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

#define SUFFIX ".yaml"

static bool is_suite(const char *name)
{
    size_t n = strlen(name);
    return n > strlen(SUFFIX) && name[0] != '.' && strcmp(name + n - strlen(SUFFIX), SUFFIX) == 0;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* A suite of that file name is there already: earlier folders win. */
static bool known(const gb_list *list, const char *name)
{
    for (size_t i = 0; i < list->n; i++) {
        if (strcmp(base_name(list->items[i]), name) == 0)
            return true;
    }
    return false;
}

static bool add(gb_list *list, char *path)
{
    const char **more = path ? realloc(list->items, (list->n + 1) * sizeof *more) : NULL;
    if (!more) {
        free(path);
        return false;
    }
    list->items = more;
    list->items[list->n++] = path;
    return true;
}

static bool scan(gb_list *list, const char *folder)
{
    DIR *dir = opendir(folder);
    bool good = true;
    for (struct dirent *entry; dir && good && (entry = readdir(dir));) {
        if (is_suite(entry->d_name) && !known(list, entry->d_name))
            good = add(list, gb_text_format("%s/%s", folder, entry->d_name));
    }
    if (dir)
        closedir(dir);
    return good;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(base_name(*(const char *const *)a), base_name(*(const char *const *)b));
}

gb_code gb_find_suites(gb_list *out, gb_error *err)
{
    static const char *const beside[] = {"suites", "../suites", "../share/gpubench/suites"};
    char self[PATH_MAX] = "";
    ssize_t n = readlink(GB_EXECUTABLE, self, sizeof self - 1);
    char *slash = n > 0 ? strrchr(self, '/') : NULL;
    *out = (gb_list){0};
    bool good = scan(out, "suites");
    if (slash)
        *slash = '\0';
    for (size_t i = 0; slash && good && i < sizeof beside / sizeof beside[0]; i++) {
        char *folder = gb_text_format("%s/%s", self, beside[i]);
        char *real = folder ? realpath(folder, NULL) : NULL;
        good = folder && (!real || scan(out, real));
        free(real);
        free(folder);
    }
    if (out->n > 0)
        qsort(out->items, out->n, sizeof *out->items, by_name);
    return good ? GB_OK : gb_fail(err, GB_NO_MEMORY, "out of memory");
}

void gb_find_free(gb_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        free((char *)list->items[i]);
    free(list->items);
    *list = (gb_list){0};
}

char *gb_find_suite(const char *typed)
{
    /* A file of that name is meant; a folder cannot be, where there is a suite called so. */
    struct stat facts;
    if (strchr(typed, '/') || (stat(typed, &facts) == 0 && !S_ISDIR(facts.st_mode)))
        return gb_text_copy(typed);
    gb_list suites = {0};
    char *found = NULL;
    char *name = is_suite(typed) ? gb_text_copy(typed) : gb_text_format("%s" SUFFIX, typed);
    if (name && !gb_find_suites(&suites, NULL)) {
        for (size_t i = 0; i < suites.n && !found; i++) {
            if (strcmp(base_name(suites.items[i]), name) == 0)
                found = gb_text_copy(suites.items[i]);
        }
    }
    gb_find_free(&suites);
    free(name);
    return found ? found : gb_text_copy(typed);
}

gb_code gb_find_nothing(const char *typed, gb_error *err)
{
    gb_list suites;
    gb_buf list = {0};
    const char **names = NULL;
    const char *near = NULL;
    if (!gb_find_suites(&suites, NULL))
        names = calloc(suites.n + 1, sizeof *names);
    for (size_t i = 0; names && i < suites.n; i++) {
        const char *name = base_name(suites.items[i]);
        char *copy = gb_text_format("%.*s", (int)(strlen(name) - strlen(SUFFIX)), name);
        names[i] = copy ? copy : gb_text_copy("");
        gb_buf_printf(&list, "%s%s", i ? ", " : "", names[i] ? names[i] : "");
    }
    if (names && strlen(typed) < 100)
        near = gb_text_nearest(typed, names, suites.n);
    gb_fail(err, GB_INVALID,
            "'%s': no such file, and no suite of that name%s%s%s; there are: %s (looked for in "
            "./suites and in suites, ../suites and ../share/gpubench/suites beside the program)",
            typed, near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "",
            list.data ? list.data : "none");
    for (size_t i = 0; names && i < suites.n; i++)
        free((char *)names[i]);
    free(names);
    gb_buf_free(&list);
    gb_find_free(&suites);
    return GB_INVALID;
}
