/* The lock of a run directory: flock on DIR/.lock, which holds the pid for the message. The kernel
 * releases it when its holder dies, however it dies. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "record/internal.h"

/* The pid in the file; 0 when there is none (yet). */
static long read_pid(int fd)
{
    char text[32];
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    return strtol(text, NULL, 10);
}

/* Says who holds the lock. Its holder may be between taking the lock and writing its pid, while the
 * file still has that of a run that was killed: so give it 20 ms, and wait up to 0.3 s for a pid
 * that is alive. One of another container is never seen alive and is named all the same. */
static gb_code in_use(int fd, const char *dir, gb_error *err)
{
    long pid = 0;
    for (int i = 0; i < 15; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
        pid = read_pid(fd);
        if (pid > 0 && (kill((pid_t)pid, 0) == 0 || errno == EPERM)) {
            break;
        }
    }
    if (pid <= 0) {
        return gb_fail_at(err, GB_IN_USE, dir, 0, 0, "in use by another process");
    }
    return gb_fail_at(err, GB_IN_USE, dir, 0, 0, "in use by pid %ld", pid);
}

/* Whether the locked file is still the one under its name: its last holder may have removed it
 * between our open and our flock. */
static bool still_there(int fd, const char *path)
{
    struct stat mine, named;
    return fstat(fd, &mine) == 0 && stat(path, &named) == 0 && mine.st_ino == named.st_ino &&
           mine.st_dev == named.st_dev;
}

static gb_code write_pid(int fd, const char *path, gb_error *err)
{
    char text[32];
    int n = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    if (ftruncate(fd, 0) != 0 || pwrite(fd, text, (size_t)n, 0) != n) {
        return gb_fail_at(err, GB_IO, path, 0, 0, "cannot be written: %s", strerror(errno));
    }
    return GB_OK;
}

gb_code gb_lock_take(const char *dir, gb_lock *lock, gb_error *err)
{
    *lock = (gb_lock){.path = gb_path_join(dir, ".lock"), .fd = -1};
    if (!lock->path) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory");
    }
    gb_code code = GB_OK;
    while (code == GB_OK) {
        int fd = open(lock->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (fd < 0) {
            code = gb_fail_at(err, GB_IO, dir, 0, 0, "cannot be written to: %s", strerror(errno));
        } else if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
            code = errno == EWOULDBLOCK ? in_use(fd, dir, err)
                                        : gb_fail_at(err, GB_IO, lock->path, 0, 0,
                                                     "cannot be locked: %s", strerror(errno));
            close(fd);
        } else if (!still_there(fd, lock->path)) {
            close(fd);
        } else {
            lock->fd = fd;
            code = write_pid(fd, lock->path, err);
            break;
        }
    }
    if (code != GB_OK) {
        gb_lock_release(lock);
    }
    return code;
}

void gb_lock_release(gb_lock *lock)
{
    if (lock->fd >= 0) {
        unlink(lock->path); /* while it is held, so that nobody removes a lock of another's */
        close(lock->fd);
    }
    free(lock->path);
    *lock = (gb_lock){.fd = -1};
}
