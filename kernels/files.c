#include "kernels/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

static gb_code folder_fail(const char *dir, gb_code code, const char *message, gb_error *err)
{
    char *shown = gb_text_printable(dir);
    gb_fail(err, code, "%s: %s", shown != NULL ? shown : "a folder", message);
    free(shown);
    return code;
}

gb_code gb_files_fail(const gb_files *files, size_t index, gb_code code, const char *message,
                      gb_error *err)
{
    char *path = gb_text_format("%s/%s", files->dir, files->items[index].name);
    folder_fail(path != NULL ? path : "a file", code, message, err);
    free(path);
    return code;
}

static gb_code has_changed(const gb_files *files, size_t index, gb_error *err)
{
    return gb_files_fail(files, index, GB_INVALID, "the file has changed since the run began", err);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const gb_file *)a)->name, ((const gb_file *)b)->name);
}

/* Adds a directory entry, unless it is nothing to read. */
static gb_code add(gb_files *files, size_t *room, const char *name, gb_error *err)
{
    struct stat facts;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return GB_OK;
    if (files->n == *room) {
        *room = *room > 0 ? 2 * *room : 256;
        gb_file *grown = realloc(files->items, *room * sizeof *grown);
        if (grown == NULL)
            return gb_fail(err, GB_NO_MEMORY, "no memory for the names of files");
        files->items = grown;
    }
    gb_file *file = &files->items[files->n];
    *file = (gb_file){.name = gb_text_copy(name)};
    if (file->name == NULL)
        return gb_fail(err, GB_NO_MEMORY, "no memory for the names of files");
    files->n++;
    if (fstatat(files->fd, name, &facts, AT_SYMLINK_NOFOLLOW) != 0)
        return gb_files_fail(files, files->n - 1, GB_IO, strerror(errno), err);
    if (name[0] == '.' || !S_ISREG(facts.st_mode)) {
        files->n--;
        files->left_out++;
        free(file->name);
        return GB_OK;
    }
    if ((uint64_t)facts.st_size > GB_FILE_LARGEST)
        return gb_files_fail(files, files->n - 1, GB_INVALID,
                             "larger than 1 GiB, the most that gpubench takes of one file", err);
    if (files->n > GB_FILES_MOST)
        return folder_fail(files->dir, GB_INVALID,
                           "more than 100000 files, the most that gpubench takes", err);
    file->bytes = (uint64_t)facts.st_size;
    file->changed = facts.st_mtim;
    files->bytes += file->bytes;
    if (file->bytes > files->largest)
        files->largest = file->bytes;
    return GB_OK;
}

static gb_code list(gb_files *files, gb_error *err)
{
    size_t room = 0;
    gb_code code = GB_OK;
    const int fd = openat(files->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = fd < 0 ? NULL : fdopendir(fd);
    if (stream == NULL) {
        folder_fail(files->dir, GB_IO, strerror(errno), err);
        if (fd >= 0)
            close(fd);
        return GB_IO;
    }
    errno = 0;
    for (struct dirent *e; code == GB_OK && (e = readdir(stream)) != NULL; errno = 0)
        code = add(files, &room, e->d_name, err);
    if (code == GB_OK && errno != 0)
        code = folder_fail(files->dir, GB_IO, strerror(errno), err);
    closedir(stream);
    return code;
}

gb_code gb_files_open(const char *dir, gb_files *out, gb_error *err)
{
    *out = (gb_files){.fd = -1, .dir = gb_text_copy(dir)};
    if (out->dir == NULL)
        return gb_fail(err, GB_NO_MEMORY, "no memory for the name of a folder");
    out->fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (out->fd < 0)
        return folder_fail(dir, GB_IO, errno == ENOTDIR ? "not a folder" : strerror(errno), err);
    const gb_code code = list(out, err);
    if (code != GB_OK)
        return code;
    if (out->n == 0)
        return folder_fail(
            dir, GB_INVALID,
            "no files in it (folders in it, symbolic links and hidden files are left out)", err);
    if (out->bytes == 0)
        return folder_fail(dir, GB_INVALID, "all files in it are empty", err);
    qsort(out->items, out->n, sizeof *out->items, by_name);
    return GB_OK;
}

void gb_files_close(gb_files *files)
{
    for (size_t i = 0; i < files->n; i++)
        free(files->items[i].name);
    free(files->items);
    free(files->dir);
    if (files->dir != NULL && files->fd >= 0)
        close(files->fd);
    *files = (gb_files){.fd = -1};
}

/* Whether the file behind a descriptor is as it was. */
static bool is_same(const gb_file *file, int fd)
{
    struct stat facts;
    return fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) &&
           (uint64_t)facts.st_size == file->bytes && facts.st_mtim.tv_sec == file->changed.tv_sec &&
           facts.st_mtim.tv_nsec == file->changed.tv_nsec;
}

gb_code gb_files_read(const gb_files *files, size_t index, void *to, gb_error *err)
{
    const gb_file *file = &files->items[index];
    size_t done = 0;
    ssize_t n = 1;
    /* whoever has put a pipe or a link there meanwhile makes nobody wait or follow */
    const int fd = openat(files->fd, file->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd < 0)
        return errno == ENOENT || errno == ELOOP
                   ? has_changed(files, index, err)
                   : gb_files_fail(files, index, GB_IO, strerror(errno), err);
    if (!is_same(file, fd)) {
        close(fd);
        return has_changed(files, index, err);
    }
    while (done < file->bytes && n > 0) {
        n = read(fd, (char *)to + done, file->bytes - done);
        if (n < 0 && errno == EINTR)
            n = 1;
        else if (n > 0)
            done += (size_t)n;
    }
    const int why = errno;
    close(fd);
    if (n < 0)
        return gb_files_fail(files, index, GB_IO, strerror(why), err);
    return done == file->bytes ? GB_OK : has_changed(files, index, err);
}

/* A line a file: its name, as long as it is, then the length and the hash of what is in it. */
static gb_code add_line(const gb_files *files, size_t i, void *content, gb_files_look look,
                        void *user, gb_buf *lines, gb_error *err)
{
    const gb_file *file = &files->items[i];
    char hex[65];
    gb_code code = gb_files_read(files, i, content, err);
    if (code != GB_OK)
        return code;
    gb_sha256_hex(content, file->bytes, hex);
    gb_buf_printf(lines, "%zu %s %" PRIu64 " %s\n", strlen(file->name), file->name, file->bytes,
                  hex);
    return look != NULL ? look(user, i, content, file->bytes, err) : GB_OK;
}

gb_code gb_files_identify(const gb_files *files, gb_files_look look, void *user,
                          gb_files_identity *out, gb_error *err)
{
    gb_buf lines = {0};
    gb_code code = GB_OK;
    void *content = malloc(files->largest + 1);
    if (content == NULL)
        code = gb_fail(err, GB_NO_MEMORY, "no memory for the largest file");
    for (size_t i = 0; i < files->n && code == GB_OK; i++)
        code = add_line(files, i, content, look, user, &lines, err);
    if (code == GB_OK && lines.failed)
        code = gb_fail(err, GB_NO_MEMORY, "no memory for the hash of the files");
    if (code == GB_OK) {
        char first[14];
        gb_sha256_hex(lines.data, lines.length, out->sha256);
        memcpy(first, out->sha256, 13); /* 52 bits */
        first[13] = '\0';
        out->number = strtoull(first, NULL, 16);
        if (out->number == 0)
            out->number = 1;
    }
    gb_buf_free(&lines);
    free(content);
    return code;
}
