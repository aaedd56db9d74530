/* The place of a run directory: made where there is none, and without anything in the way. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "record/internal.h"

gb_code gb_dir_sync_parent(const char *path, gb_error *err)
{
    char *up = gb_path_join(path, "..");
    gb_code code = up ? gb_dir_sync(up, err) : gb_fail(err, GB_NO_MEMORY, "out of memory");
    free(up);
    return code;
}

/* Says why a directory cannot be made. */
static gb_code mkdir_error(const char *path, int why, gb_error *err)
{
    switch (why) {
    case ENOTDIR:
        return gb_fail_at(err, GB_IO, path, 0, 0,
                          "cannot be created: a part of the path is a file, not a directory");
    default:
        return gb_fail_at(err, GB_IO, path, 0, 0, "cannot be created: %s", strerror(why));
    }
}

/* Makes what is missing on the way to the directory, as mkdir -p does. */
static gb_code make_parents(const char *path, gb_error *err)
{
    char *part = gb_text_copy(path);
    gb_code code = part ? GB_OK : gb_fail(err, GB_NO_MEMORY, "out of memory");
    for (char *slash = part ? strchr(part + 1, '/') : NULL; code == GB_OK && slash;
         slash = strchr(slash + 1, '/')) {
        struct stat st;
        *slash = '\0';
        /* Looked for first: on a read-only disk mkdir fails also for what is there. */
        if (stat(part, &st) != 0) {
            if (mkdir(part, 0777) == 0) {
                code = gb_dir_sync_parent(part, err);
            } else if (errno != EEXIST) {
                code = mkdir_error(part, errno, err);
            }
        }
        *slash = '/';
    }
    free(part);
    return code;
}

gb_code gb_dir_make(const char *path, bool resume, bool *made, gb_error *err)
{
    struct stat st;
    *made = false;
    if (path[0] == '\0') {
        return gb_fail(err, GB_IO, "the name of the run directory is empty");
    }
    if (!resume) {
        bool there = mkdir(path, 0777) == 0;
        if (!there && errno == ENOENT) {
            gb_code code = make_parents(path, err);
            if (code != GB_OK) {
                return code;
            }
            there = mkdir(path, 0777) == 0;
        }
        if (there) {
            *made = true;
            return GB_OK;
        }
        if (errno != EEXIST) {
            return mkdir_error(path, errno, err);
        }
    }
    if (stat(path, &st) != 0) {
        return gb_fail_at(err, GB_IO, path, 0, 0, "%s",
                          resume ? "there is no such run directory to resume"
                                 : "a symbolic link that leads nowhere is in the way");
    }
    if (!S_ISDIR(st.st_mode)) {
        return gb_fail_at(err, GB_IO, path, 0, 0, "a file is in the way of the run directory");
    }
    return GB_OK;
}

/* The lock and left-over temporary files are not content. */
static bool is_content(const char *name)
{
    size_t n = strlen(name), end = strlen(GB_TEMPORARY);
    return strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && strcmp(name, ".lock") != 0 &&
           !(strncmp(name, "results.", 8) == 0 && n > end &&
             strcmp(name + n - end, GB_TEMPORARY) == 0);
}

/* A new run needs an empty directory, a resumed one a run directory (or an empty one: the run was
 * stopped before its first record). */
static gb_code check_content(const char *path, bool resume, gb_error *err)
{
    DIR *stream = opendir(path);
    if (!stream) {
        return gb_fail_at(err, GB_IO, path, 0, 0, "cannot be read: %s", strerror(errno));
    }
    char other[256] = "";
    bool lines = false, run = false;
    for (const struct dirent *entry; (entry = readdir(stream));) {
        if (is_content(entry->d_name)) {
            snprintf(other, sizeof other, "%s", entry->d_name);
            lines = lines || strcmp(entry->d_name, GB_LINES_NAME) == 0;
            run = run || lines || strcmp(entry->d_name, GB_DOCUMENT_NAME) == 0;
        }
    }
    closedir(stream);
    if (!other[0] || (resume && lines)) {
        return GB_OK;
    }
    if (resume) {
        return gb_fail_at(err, GB_IO, path, 0, 0, "nothing to resume: it holds '%s', but no %s",
                          other, GB_LINES_NAME);
    }
    return gb_fail_at(
        err, GB_IO, path, 0, 0,
        run ? "holds a run already: give another name, remove it, or go on with it by "
              "--resume (it has '%s')"
            : "not empty: give another name or an empty directory (it has '%s')",
        other);
}

/* Removes temporary files of a run that was killed, and sees that nothing but files is under the
 * names that will be written. */
static gb_code check_names(const char *path, gb_error *err)
{
    static const char *const names[] = {GB_LINES_NAME, GB_DOCUMENT_NAME, GB_TABLE_NAME};
    gb_code code = GB_OK;
    for (size_t i = 0; code == GB_OK && i < sizeof names / sizeof names[0]; i++) {
        struct stat st;
        char *file = gb_path_join(path, names[i]);
        char *temporary = file ? gb_text_format("%s" GB_TEMPORARY, file) : NULL;
        if (!temporary) {
            code = gb_fail(err, GB_NO_MEMORY, "out of memory");
        } else if (unlink(temporary) != 0 && errno != ENOENT) {
            code =
                gb_fail_at(err, GB_IO, temporary, 0, 0, "cannot be removed: %s", strerror(errno));
        } else if (stat(file, &st) == 0 && !S_ISREG(st.st_mode)) {
            code = gb_fail_at(err, GB_IO, file, 0, 0, "is in the way: not a regular file");
        }
        free(temporary);
        free(file);
    }
    return code;
}

gb_code gb_dir_prepare(const char *path, bool resume, gb_error *err)
{
    gb_code code = check_content(path, resume, err);
    return code == GB_OK ? check_names(path, err) : code;
}
