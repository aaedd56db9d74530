#include "run/device_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "device/process.h"

const char *gb_device_lock_directory(void)
{
    const char *dir = getenv("GPUBENCH_LOCK_DIR");
    return dir && dir[0] ? dir : "/tmp";
}

/* Opens the lock file of all users. It is opened before it is created: in a sticky directory
 * Linux refuses O_CREAT on a file of somebody else (fs.protected_regular). */
static int open_shared(const char *path)
{
    for (int tries = 0; tries < 3; tries++) {
        int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        if (fd >= 0 || errno != ENOENT)
            return fd;
        fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (fd >= 0) {
            if (fchmod(fd, 0666)) { /* whatever the umask */
                close(fd);
                return -1;
            }
            return fd;
        }
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

static long holder(int fd)
{
    char text[32] = "";
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    return n > 0 ? strtol(text, NULL, 10) : 0;
}

const char *gb_device_lock_holder(long pid, char *buf, size_t size)
{
    if (pid > 0)
        snprintf(buf, size, "pid %ld, by its lock in %.200s", pid, gb_device_lock_directory());
    else
        snprintf(buf, size, "pid unknown, by its lock in %.200s", gb_device_lock_directory());
    return buf;
}

static void sign(int fd)
{
    char text[32];
    int n = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    /* Only a help for whoever waits: the lock holds without it. */
    if (ftruncate(fd, 0) || pwrite(fd, text, (size_t)n, 0) != n)
        return;
}

static gb_code wait_for(int fd, const char *uuid, uint64_t wait_ns,
                        const volatile sig_atomic_t *interrupted,
                        void (*waiting)(void *user, long pid), void *user, gb_error *err)
{
    const struct timespec pause = {0, 100000000};
    char who[256];
    uint64_t began = gb_now_ns();
    bool said = false;
    for (;;) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return GB_OK;
        if (errno != EWOULDBLOCK && errno != EINTR)
            return gb_fail(err, GB_IO, "device %s cannot be locked: %s", uuid, strerror(errno));
        if (interrupted && *interrupted)
            return gb_fail(err, GB_INTERRUPTED, "interrupted while waiting for device %s", uuid);
        if (gb_now_ns() - began >= wait_ns)
            return gb_fail(err, GB_DEVICE_BUSY, "device %s is in use by another run (%s)", uuid,
                           gb_device_lock_holder(holder(fd), who, sizeof who));
        if (!said && waiting)
            waiting(user, holder(fd));
        said = true;
        nanosleep(&pause, NULL);
    }
}

gb_code gb_device_lock_take(const char *uuid, uint64_t wait_ns,
                            const volatile sig_atomic_t *interrupted,
                            void (*waiting)(void *user, long pid), void *user, gb_device_lock *out,
                            gb_error *err)
{
    out->fd = -1;
    char name[128];
    gb_text_filename(uuid, name, sizeof name);
    char *path = gb_text_format("%s/gpubench.lock-%s", gb_device_lock_directory(), name);
    if (!path)
        return gb_fail(err, GB_NO_MEMORY, "out of memory");
    struct stat facts;
    gb_code code = GB_OK;
    int fd = open_shared(path);
    if (fd < 0)
        code = gb_fail(err, GB_IO, "%s: %s", path, strerror(errno));
    else if (fstat(fd, &facts) || !S_ISREG(facts.st_mode))
        code = gb_fail(err, GB_IO, "%s: not a regular file", path);
    else
        code = wait_for(fd, uuid, wait_ns, interrupted, waiting, user, err);
    if (code && fd >= 0)
        close(fd);
    if (!code) {
        sign(fd);
        out->fd = fd;
    }
    free(path);
    return code;
}

void gb_device_lock_release(gb_device_lock *lock)
{
    if (lock->fd >= 0)
        close(lock->fd);
    lock->fd = -1;
}
