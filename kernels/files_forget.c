/* Files out of the page cache. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "kernels/files.h"

/* File systems whose contents live in memory, or in a cache of their own that cannot be asked. The
 * numbers are those of linux/magic.h, ZFS's its own. */
static const struct {
    long type;
    const char *why;
} keepers[] = {
    {0x01021994, "it lies on tmpfs, in memory: reads there are never uncached"},
    {0x858458f6, "it lies on ramfs, in memory: reads there are never uncached"},
    {0x2fc12fc1, "it lies on ZFS, which has a cache of its own that does not forget single files"},
};

typedef enum outcome { GONE, STAYS, FAILED } outcome;

/* Whether no page of an open file is in memory. */
static outcome look(int fd, size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = (bytes + page - 1) / page;
    outcome found = FAILED;
    unsigned char *resident = malloc(pages);
    void *map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
    if (map != MAP_FAILED && resident != NULL && mincore(map, bytes, resident) == 0) {
        found = GONE;
        for (size_t i = 0; i < pages; i++)
            if ((resident[i] & 1) != 0)
                found = STAYS;
    }
    if (map != MAP_FAILED)
        munmap(map, bytes);
    free(resident);
    return found;
}

/* Pages that are not written yet cannot be forgotten: first they are written without waiting for
 * the file system's journal, and where that was not enough with it. */
static outcome forget(int fd, size_t bytes)
{
    outcome found = STAYS;
    for (int attempt = 0; attempt < 2 && found == STAYS; attempt++) {
        if (attempt == 0)
            sync_file_range(fd, 0, 0,
                            SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
                                SYNC_FILE_RANGE_WAIT_AFTER);
        else
            fdatasync(fd);
        posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
        found = look(fd, bytes);
    }
    return found;
}

static gb_code refuse(const gb_files *files, size_t i, outcome found, gb_error *err)
{
    return gb_files_fail(files, i, GB_UNAVAILABLE,
                         found == STAYS
                             ? "it stays in the page cache, or only its owner may see that it does "
                               "not: reads would not be known to be uncached"
                             : "whether it is in the page cache cannot be seen here",
                         err);
}

gb_code gb_files_forget(const gb_files *files, gb_error *err)
{
    struct statfs where;
    if (fstatfs(files->fd, &where) == 0)
        for (size_t k = 0; k < sizeof keepers / sizeof keepers[0]; k++)
            if ((unsigned long)where.f_type == (unsigned long)keepers[k].type)
                return gb_files_fail(files, 0, GB_UNAVAILABLE, keepers[k].why, err);
    for (size_t i = 0; i < files->n; i++) {
        if (files->items[i].bytes == 0)
            continue;
        const int fd = openat(files->fd, files->items[i].name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (fd < 0)
            return gb_files_fail(files, i, GB_IO, strerror(errno), err);
        const outcome found = forget(fd, files->items[i].bytes);
        close(fd);
        if (found != GONE)
            return refuse(files, i, found, err);
    }
    return GB_OK;
}
