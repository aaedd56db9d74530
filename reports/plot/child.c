#include "reports/plot/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A locale with '.' and UTF-8: in plain C gnuplot cannot convert its degree sign to the locale's
 * ASCII and warns about it with every script that sets an encoding. Where it is unknown (before
 * glibc 2.35, without its file) gnuplot stays in C. */
#define CHILD_LOCALE "C.UTF-8"

/* In the child: becomes the program. A failed exec sends errno through `report`. */
static void become(const char *const argv[], const char *dir, int output, int report)
{
    int null = open("/dev/null", O_RDONLY);
    if (null >= 0 && dup2(null, 0) == 0 && dup2(output, 1) == 1 && dup2(output, 2) == 2 &&
        (dir == NULL || chdir(dir) == 0) && setenv("LC_ALL", CHILD_LOCALE, 1) == 0) {
        signal(SIGPIPE, SIG_DFL);
        execvp(argv[0], (char *const *)argv);
    }
    int error = errno;
    if (write(report, &error, sizeof error) < 0) {
        _exit(126);
    }
    _exit(127);
}

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Reads what the child prints until it closes the pipe; false when the time is over. About `most`
 * bytes are kept. */
static bool drain(int fd, int64_t deadline, size_t most, gb_buf *output)
{
    char chunk[4096];
    for (;;) {
        int64_t left = deadline - now_ms();
        struct pollfd p = {.fd = fd, .events = POLLIN};
        int ready = left > 0 ? poll(&p, 1, (int)left) : 0;
        if (ready == 0) {
            return false;
        }
        if (ready < 0 && errno == EINTR) {
            continue;
        }
        ssize_t got = ready < 0 ? -1 : read(fd, chunk, sizeof chunk);
        if (got <= 0) {
            return true;
        }
        if (output->length < most) {
            gb_buf_add_bytes(output, chunk, (size_t)got);
        }
    }
}

/* The last line or so of what it printed, for a message. */
static const char *tail(const gb_buf *output)
{
    if (output->data == NULL) {
        return "no output";
    }
    const char *text = output->length > 300 ? output->data + output->length - 300 : output->data;
    while (((unsigned char)*text & 0xC0) == 0x80) {
        text++; /* not into the middle of a character */
    }
    return text;
}

static gb_code judge(pid_t pid, int exec_errno, bool in_time, const char *what, const char *program,
                     int timeout_s, const gb_buf *output, gb_error *err)
{
    int status = 0;
    if (!in_time) {
        kill(pid, SIGKILL);
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (exec_errno != 0) {
        return gb_fail(err, GB_UNAVAILABLE, "%s not found (%s)", program, strerror(exec_errno));
    }
    if (!in_time) {
        return gb_fail(err, GB_TIMEOUT, "%s did not end within %d s", what, timeout_s);
    }
    if (WIFSIGNALED(status)) {
        return gb_fail(err, GB_IO, "%s died on signal %d", what, WTERMSIG(status));
    }
    if (WEXITSTATUS(status) != 0) {
        return gb_fail(err, GB_IO, "%s ended with status %d: %s", what, WEXITSTATUS(status),
                       tail(output));
    }
    return GB_OK;
}

gb_code gb_child_run(const char *what, const char *const argv[], const char *dir, int timeout_s,
                     size_t most, gb_buf *output, gb_error *err)
{
    int out[2], report[2];
    if (pipe2(out, O_CLOEXEC) != 0) {
        return gb_fail(err, GB_IO, "cannot make a pipe: %s", strerror(errno));
    }
    if (pipe2(report, O_CLOEXEC) != 0) {
        close(out[0]);
        close(out[1]);
        return gb_fail(err, GB_IO, "cannot make a pipe: %s", strerror(errno));
    }
    gb_code code;
    pid_t pid = fork();
    if (pid == 0) {
        become(argv, dir, out[1], report[1]);
    }
    close(out[1]);
    close(report[1]);
    if (pid < 0) {
        code = gb_fail(err, GB_IO, "cannot start %s: %s", argv[0], strerror(errno));
    } else {
        int exec_errno = 0;
        ssize_t got;
        do {
            got = read(report[0], &exec_errno, sizeof exec_errno);
        } while (got < 0 && errno == EINTR);
        if (got != (ssize_t)sizeof exec_errno) {
            exec_errno = 0; /* closed by a successful exec */
        }
        bool in_time = drain(out[0], now_ms() + (int64_t)timeout_s * 1000, most, output);
        code = judge(pid, exec_errno, in_time, what, argv[0], timeout_s, output, err);
    }
    close(out[0]);
    close(report[0]);
    return code;
}
