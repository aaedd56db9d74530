#include "reports/plot/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void gb_gnuplot_quote(gb_buf *script, const char *text)
{
    gb_buf_add(script, "'");
    for (const char *p = text; *p != '\0'; p++) {
        if (*p == '\'') {
            /* Two in a row stand for one, but gnuplot (5.4) loses count when a string begins with
             * them or when two such pairs follow each other. */
            gb_buf_add(script, "'.\"'\".'");
        } else if ((unsigned char)*p < 0x20 || *p == 0x7f) {
            gb_buf_add(script, " ");
        } else if (*p == '>' && p - text >= 2 && p[-1] == ']' && p[-2] == ']') {
            gb_buf_add(script, "\xe2\x80\x8b>"); /* "]]>" is no XML; gnuplot escapes no '>' */
        } else {
            gb_buf_add_bytes(script, p, 1);
        }
    }
    gb_buf_add(script, "'");
}

/* A locale with '.' and UTF-8: in plain C gnuplot cannot convert its degree sign to the locale's
 * ASCII and warns about it with every script that sets an encoding. Where it is unknown (before
 * glibc 2.35, without its file) gnuplot stays in C. */
#define GNUPLOT_LOCALE "C.UTF-8"

/* In the child: becomes gnuplot. A failed exec sends errno through `report`. */
static void become_gnuplot(const char *gnuplot, const char *dir, const char *const scripts[],
                           size_t n, int output, int report)
{
    const char **argv = calloc(n + 2, sizeof *argv);
    int null = open("/dev/null", O_RDONLY);
    if (argv != NULL && null >= 0 && dup2(null, 0) == 0 && dup2(output, 1) == 1 &&
        dup2(output, 2) == 2 && chdir(dir) == 0 && setenv("LC_ALL", GNUPLOT_LOCALE, 1) == 0) {
        argv[0] = gnuplot;
        for (size_t i = 0; i < n; i++) {
            argv[i + 1] = scripts[i];
        }
        signal(SIGPIPE, SIG_DFL);
        execvp(gnuplot, (char *const *)argv);
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

/* Reads what the child prints until it closes the pipe; false when the time is over. At most 64 KiB
 * are kept. */
static bool drain(int fd, int64_t deadline, gb_buf *output)
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
        if (output->length < 65536) {
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

static gb_code judge(pid_t pid, int exec_errno, bool in_time, const char *gnuplot, int timeout_s,
                     const gb_buf *output, gb_error *err)
{
    int status = 0;
    if (!in_time) {
        kill(pid, SIGKILL);
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (exec_errno != 0) {
        return gb_fail(err, GB_UNAVAILABLE, "%s not found (%s)", gnuplot, strerror(exec_errno));
    }
    if (!in_time) {
        return gb_fail(err, GB_TIMEOUT, "gnuplot did not end within %d s", timeout_s);
    }
    if (WIFSIGNALED(status)) {
        return gb_fail(err, GB_IO, "gnuplot died on signal %d", WTERMSIG(status));
    }
    if (WEXITSTATUS(status) != 0) {
        return gb_fail(err, GB_IO, "gnuplot ended with status %d: %s", WEXITSTATUS(status),
                       tail(output));
    }
    return GB_OK;
}

gb_code gb_gnuplot_run(const char *gnuplot, const char *dir, const char *const scripts[], size_t n,
                       int timeout_s, gb_buf *output, gb_error *err)
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
        become_gnuplot(gnuplot, dir, scripts, n, out[1], report[1]);
    }
    close(out[1]);
    close(report[1]);
    if (pid < 0) {
        code = gb_fail(err, GB_IO, "cannot start %s: %s", gnuplot, strerror(errno));
    } else {
        int exec_errno = 0;
        ssize_t got;
        do {
            got = read(report[0], &exec_errno, sizeof exec_errno);
        } while (got < 0 && errno == EINTR);
        if (got != (ssize_t)sizeof exec_errno) {
            exec_errno = 0; /* closed by a successful exec */
        }
        bool in_time = drain(out[0], now_ms() + (int64_t)timeout_s * 1000, output);
        code = judge(pid, exec_errno, in_time, gnuplot, timeout_s, output, err);
    }
    close(out[0]);
    close(report[0]);
    return code;
}

bool gb_picture_whole(const char *path)
{
    static const char svg_end[] = "</svg>", png_end[] = "IEND";
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return false;
    }
    char end[64] = {0};
    size_t n = 0;
    if (fseek(file, -16, SEEK_END) == 0) {
        n = fread(end, 1, sizeof end, file);
    }
    fclose(file);
    return n > 0 && (memmem(end, n, svg_end, sizeof svg_end - 1) != NULL ||
                     memmem(end, n, png_end, sizeof png_end - 1) != NULL);
}
