#include "device/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"

#define KILL_PATIENCE_MS 10000
#define FIRST_FREE_FD 10 /* the parent's ends stay clear of the child's 0-3 */

gb_code gb_write_all(int fd, const void *bytes, size_t n, gb_error *err)
{
    const char *at = bytes;
    while (n > 0) {
        ssize_t written = write(fd, at, n);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            int number = errno;
            gb_fail(err, GB_IO, "write: %s", strerror(number));
            if (err)
                err->device_status = number;
            return GB_IO;
        }
        at += written;
        n -= (size_t)written;
    }
    return GB_OK;
}

uint64_t gb_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Moves *fd to 10 or above, close-on-exec. */
static bool move_up(int *fd)
{
    int high = fcntl(*fd, F_DUPFD_CLOEXEC, FIRST_FREE_FD);
    if (high < 0)
        return false;
    close(*fd);
    *fd = high;
    return true;
}

static bool make_pipe(int ends[2])
{
    if (pipe2(ends, O_CLOEXEC)) {
        ends[0] = ends[1] = -1;
        return false;
    }
    return move_up(&ends[0]) && move_up(&ends[1]) && fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
}

/* A file in memory, so that a large job never blocks on a child that does not read it. */
static int make_input(const void *bytes, size_t n)
{
    int fd = memfd_create("gpubench-job", MFD_CLOEXEC);
    if (fd >= 0 && (!move_up(&fd) || gb_write_all(fd, bytes, n, NULL) || lseek(fd, 0, SEEK_SET))) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* In the child between fork and exec: only async-signal-safe calls. */
static _Noreturn void become(const char *executable, char *const argv[], pid_t parent, int input,
                             int output, int events)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    for (int signal_number = 1; signal_number < NSIG; signal_number++)
        sigaction(signal_number, &action, NULL);
    action.sa_handler = SIG_IGN;
    sigaction(SIGINT, &action, NULL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it ended before prctl took hold */
        _exit(127);
    dup2(input, 0);
    dup2(output, 1);
    dup2(output, 2);
    dup2(events, 3);
    execv(executable, argv);
    static const char text[] = "cannot start a worker: ";
    const char *why = strerrordesc_np(errno);
    if (write(2, text, sizeof text - 1) < 0 || (why && write(2, why, strlen(why)) < 0))
        _exit(126);
    _exit(127);
}

gb_code gb_process_start(const char *executable, char *const argv[], const void *input, size_t n,
                         gb_process *out, gb_error *err)
{
    *out = (gb_process){.events = -1, .output = -1, .ended = -1};
    int events[2] = {-1, -1}, output[2] = {-1, -1};
    pid_t parent = getpid(), child = -1;
    int job = make_input(input, n);
    gb_code code = GB_OK;
    if (job < 0 || !make_pipe(events) || !make_pipe(output) || (child = fork()) < 0) {
        /* EINVAL: no descriptor as high as FIRST_FREE_FD may be open. */
        bool few = errno == EINVAL || errno == EMFILE;
        code = gb_fail(err, GB_IO, "cannot start a worker: %s",
                       few ? "too few files may be open at once (ulimit -n; 64 are enough)"
                           : strerror(errno));
    } else if (child == 0) {
        become(executable, argv, parent, job, output[1], events[1]);
    } else {
        out->pid = child;
        out->ended = (int)syscall(SYS_pidfd_open, child, 0); /* always close-on-exec */
        out->events = events[0];
        out->output = output[0];
        events[0] = output[0] = -1;
    }
    const int fds[] = {job, events[0], events[1], output[0], output[1]};
    for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++) {
        if (fds[i] >= 0)
            close(fds[i]);
    }
    return code;
}

static void tail_add(gb_process *process, const char *bytes, size_t n)
{
    if (n >= GB_TAIL_BYTES) {
        bytes += n - GB_TAIL_BYTES;
        n = GB_TAIL_BYTES;
        process->tail_n = 0;
    }
    if (process->tail_n + n > GB_TAIL_BYTES) {
        size_t drop = process->tail_n + n - GB_TAIL_BYTES;
        memmove(process->tail, process->tail + drop, process->tail_n - drop);
        process->tail_n -= drop;
    }
    memcpy(process->tail + process->tail_n, bytes, n);
    process->tail_n += n;
}

bool gb_process_drain(gb_process *process)
{
    char block[4096];
    /* Bounded, so that a child that writes without end cannot keep its supervisor here. */
    for (int i = 0; i < 64 && process->output >= 0; i++) {
        ssize_t n = read(process->output, block, sizeof block);
        if (n > 0)
            tail_add(process, block, (size_t)n);
        else if (n == 0 || (errno != EINTR && errno != EAGAIN))
            return false;
        else if (errno == EAGAIN)
            return true;
    }
    return process->output >= 0;
}

bool gb_process_ended(const gb_process *process)
{
    siginfo_t info = {0};
    if (waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOHANG | WNOWAIT))
        return errno != EINTR;
    return info.si_pid == process->pid;
}

static bool wait_ended(const gb_process *process, int ms)
{
    uint64_t deadline = gb_now_ns() + (uint64_t)ms * 1000000u;
    struct timespec pause = {0, 200000};
    while (!gb_process_ended(process)) {
        if (gb_now_ns() >= deadline)
            return false;
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 20000000)
            pause.tv_nsec *= 2;
    }
    return true;
}

gb_code gb_process_end(gb_process *process, int grace_ms, int *status, gb_error *err)
{
    *status = 0;
    if (process->pid <= 0)
        return GB_OK;
    gb_code code = GB_OK;
    /* The group is killed in any case, before the leader is reaped: its number is still ours. */
    wait_ended(process, grace_ms);
    kill(-process->pid, SIGKILL);
    kill(process->pid, SIGKILL);
    if (wait_ended(process, KILL_PATIENCE_MS)) {
        while (waitpid(process->pid, status, 0) < 0 && errno == EINTR)
            continue;
    } else {
        code = gb_fail(err, GB_TIMEOUT, "worker %d does not end, not even on SIGKILL",
                       (int)process->pid);
    }
    gb_process_drain(process);
    int *const fds[] = {&process->events, &process->output, &process->ended};
    for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++) {
        if (*fds[i] >= 0)
            close(*fds[i]);
        *fds[i] = -1;
    }
    process->pid = 0;
    return code;
}

/* The last lines of the output, at most 400 bytes, on one line. The caller frees. */
static char *last_words(const gb_process *process)
{
    char text[401];
    size_t n = process->tail_n, start = n > 400 ? n - 400 : 0;
    if (start > 0) { /* from the start of a line, if one begins there */
        const char *line = memchr(process->tail + start, '\n', n - start - 1);
        start = line ? (size_t)(line - process->tail) + 1 : start;
    }
    size_t length = 0;
    for (size_t i = start; i < n; i++) {
        char c = process->tail[i];
        bool space = c == '\n' || c == ' ' || c == '\t' || c == '\0';
        if (!space)
            text[length++] = c;
        else if (length > 0 && text[length - 1] != ' ')
            text[length++] = ' ';
    }
    while (length > 0 && text[length - 1] == ' ')
        length--;
    text[length] = '\0';
    return length > 0 ? gb_text_printable(text) : NULL;
}

const char *gb_process_obituary(const gb_process *process, int status, char *buf, size_t size)
{
    char how[128];
    if (WIFSIGNALED(status)) {
        const char *name = sigabbrev_np(WTERMSIG(status));
        snprintf(how, sizeof how, "was killed by signal %d (%s%s)", WTERMSIG(status),
                 name ? "SIG" : "unknown", name ? name : "");
    } else {
        snprintf(how, sizeof how, "exited with status %d", WEXITSTATUS(status));
    }
    char *words = last_words(process);
    if (words)
        snprintf(buf, size, "%s; its last words: %s", how, words);
    else
        snprintf(buf, size, "%s", how);
    free(words);
    return buf;
}
