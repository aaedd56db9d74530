/* Files of a run directory: read whole, or replaced whole. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "record/internal.h"

char *gb_path_join(const char *dir, const char *name)
{
    size_t n = strlen(dir);
    return gb_text_format("%s%s%s", dir, n > 0 && dir[n - 1] == '/' ? "" : "/", name);
}

static gb_code io_error(gb_error *err, const char *path, const char *what)
{
    gb_code code = errno == ENOMEM ? GB_NO_MEMORY : GB_IO;
    return gb_fail_at(err, code, path, 0, 0, "%s%s", what, strerror(errno));
}

/* A FIFO in the place of a file must not block, hence O_NONBLOCK. */
gb_code gb_file_open(const char *path, FILE **out, gb_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return io_error(err, path, "");
    }
    struct stat st;
    FILE *stream = NULL;
    gb_code code = GB_OK;
    if (fstat(fd, &st) != 0) {
        code = io_error(err, path, "");
    } else if (!S_ISREG(st.st_mode)) {
        code = gb_fail_at(err, GB_IO, path, 0, 0, "not a regular file");
    } else if (!(stream = fdopen(fd, "r"))) {
        code = io_error(err, path, "");
    }
    if (code != GB_OK) {
        close(fd);
        return code;
    }
    *out = stream;
    return GB_OK;
}

gb_code gb_file_read(const char *path, char **bytes, size_t *n, gb_error *err)
{
    FILE *stream;
    gb_code code = gb_file_open(path, &stream, err);
    if (code != GB_OK) {
        return code;
    }
    char *data = NULL;
    size_t length = 0, capacity = 0;
    struct stat st;
    if (fstat(fileno(stream), &st) == 0 && st.st_size > 0) {
        capacity = (size_t)st.st_size;
    }
    do {
        if (!data || length == capacity) {
            capacity = data ? 2 * capacity : capacity + 1;
            char *more = realloc(data, capacity + 1);
            if (!more) {
                code = gb_fail_at(err, GB_NO_MEMORY, path, 0, 0, "no memory for its %zu bytes",
                                  capacity);
                goto done;
            }
            data = more;
        }
        length += fread(data + length, 1, capacity - length, stream);
    } while (length == capacity);
    if (ferror(stream)) {
        code = io_error(err, path, "");
        goto done;
    }
    data[length] = '\0';
    *bytes = data;
    *n = length;
    data = NULL;
done:
    free(data);
    fclose(stream);
    return code;
}

gb_code gb_file_sync(int fd, const char *path, gb_error *err)
{
    if (fsync(fd) != 0 && errno != EINVAL && errno != ENOTSUP) {
        return io_error(err, path, "");
    }
    return GB_OK;
}

gb_code gb_dir_sync(const char *path, gb_error *err)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return errno == EACCES ? GB_OK : io_error(err, path, ""); /* writable, not readable */
    }
    gb_code code = gb_file_sync(fd, path, err);
    close(fd);
    return code;
}

gb_code gb_replace_begin(gb_replace *file, const char *dir, const char *name, gb_error *err)
{
    *file = (gb_replace){.dir = gb_text_copy(dir), .path = gb_path_join(dir, name)};
    file->temporary = file->path ? gb_text_format("%s" GB_TEMPORARY, file->path) : NULL;
    if (!file->dir || !file->temporary) {
        return gb_replace_end(file, gb_fail(err, GB_NO_MEMORY, "out of memory"), err);
    }
    /* Only the holder of the lock writes, so that one name is enough and a left-over is ours. */
    int fd = open(file->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    file->stream = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!file->stream) {
        gb_code code = io_error(err, file->path, "cannot be written: ");
        if (fd >= 0) {
            close(fd);
        }
        return gb_replace_end(file, code, err);
    }
    return GB_OK;
}

gb_code gb_replace_end(gb_replace *file, gb_code code, gb_error *err)
{
    bool opened = file->stream != NULL;
    if (opened) {
        if (code == GB_OK && (fflush(file->stream) != 0 || ferror(file->stream))) {
            code = io_error(err, file->path, "cannot be written: ");
        }
        if (code == GB_OK) {
            code = gb_file_sync(fileno(file->stream), file->path, err);
        }
        if (fclose(file->stream) != 0 && code == GB_OK) {
            code = io_error(err, file->path, "cannot be written: ");
        }
        if (code == GB_OK && rename(file->temporary, file->path) != 0) {
            code = io_error(err, file->path, "cannot be replaced: ");
        }
        if (code != GB_OK) {
            unlink(file->temporary);
        } else {
            code = gb_dir_sync(file->dir, err);
        }
    }
    free(file->dir);
    free(file->path);
    free(file->temporary);
    *file = (gb_replace){0};
    return code;
}
