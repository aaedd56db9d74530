/* A suite from a path: a file, or a pipe whose writer may be late or missing. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "suite/diagnostics.h"

/* One byte more than may be, so that too much shows. */
#define READ_AT_MOST (GB_SUITE_MAX_BYTES + 1)

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static gb_code cannot_open(const char *what, int number, gb_error *err)
{
    if (number == ENOENT)
        return gb_fail(err, GB_INVALID, "no such file");
    if (number == EACCES || number == EPERM)
        return gb_fail(err, GB_INVALID, "permission denied");
    return gb_fail(err, GB_INVALID, "%s: %s", what, strerror(number));
}

/* Waits until fd can be read or its writers are gone. A pipe that never had a writer shows neither:
 * reading it would look like an empty file. */
static gb_code wait_readable(int fd, int64_t deadline, int timeout_ms, gb_error *err)
{
    for (;;) {
        int64_t left = deadline - now_ms();
        struct pollfd entry = {.fd = fd, .events = POLLIN};
        int ready = poll(&entry, 1, left > 0 ? (int)left : 0);
        if (ready > 0)
            return GB_OK;
        if (ready == 0)
            return gb_fail(err, GB_INVALID,
                           "nothing more to read within %.1f s; is anything "
                           "writing to this pipe?",
                           timeout_ms / 1000.0);
        if (errno != EINTR)
            return cannot_open("cannot wait for it", errno, err);
    }
}

static gb_code read_all(int fd, bool regular, int timeout_ms, char *bytes, size_t *n, gb_error *err)
{
    int64_t deadline = now_ms() + timeout_ms;
    while (*n < READ_AT_MOST) {
        gb_code code = regular ? GB_OK : wait_readable(fd, deadline, timeout_ms, err);
        if (code != GB_OK)
            return code;
        ssize_t got = read(fd, bytes + *n, READ_AT_MOST - *n);
        if (got == 0)
            return GB_OK;
        if (got > 0)
            *n += (size_t)got;
        else if (errno != EINTR && errno != EAGAIN)
            return cannot_open("cannot read it", errno, err);
    }
    return GB_OK;
}

/* The bytes of a path; GB_INVALID says what is wrong with the file as a whole. */
static gb_code read_path(const char *path, int timeout_ms, char *bytes, size_t *n, gb_error *err)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return cannot_open("cannot open it", errno, err);
    struct stat status;
    gb_code code;
    if (fstat(fd, &status) != 0)
        code = cannot_open("cannot look at it", errno, err);
    else if (S_ISDIR(status.st_mode))
        code = gb_fail(err, GB_INVALID, "is a directory, not a suite file");
    else
        code = read_all(fd, S_ISREG(status.st_mode), timeout_ms, bytes, n, err);
    close(fd);
    return code;
}

gb_code gb_suite_load(const char *path, int timeout_ms, const gb_catalog *catalog, gb_suite **out,
                      gb_diagnostics *diagnostics, gb_error *err)
{
    *out = NULL;
    size_t n = 0;
    char *bytes = malloc(READ_AT_MOST);
    diagnostics->file = gb_text_copy(path);
    if (bytes == NULL || diagnostics->file == NULL) {
        free(bytes);
        return gb_fail(err, GB_NO_MEMORY, "no memory to read '%s'", path);
    }
    gb_error problem = {0};
    gb_code code = read_path(path, timeout_ms, bytes, &n, &problem);
    if (code == GB_OK) {
        code = gb_suite_parse(path, bytes, n, catalog, out, diagnostics, err);
    } else {
        gb_diagnostics_add(diagnostics, 0, 0, "%s", problem.message);
        code = gb_fail(err, code, "%s: %s", path, problem.message);
    }
    free(bytes);
    return code;
}
