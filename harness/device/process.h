/* A child process, a worker of the supervisor or a task of a kernel (kernels/task.h): started
 * afresh from this binary in a session of its own, with pipes, and sure to end with its parent. */
#ifndef GB_DEVICE_PROCESS_H
#define GB_DEVICE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

#define GB_TAIL_BYTES 2048
#define GB_PROCESS_FD 3 /* the child's end of `events` */

typedef struct gb_process {
    pid_t pid;  /* also its process group and session; 0: none */
    int events; /* read end of its fd 3; -1: closed */
    int output; /* read end of its stdout and stderr; -1: closed */
    int ended;  /* a pidfd, readable once it has ended; -1: a kernel without them (before 5.3) */
    char tail[GB_TAIL_BYTES]; /* the last bytes of that output, in order, no NUL */
    size_t tail_n;
} gb_process;

/* Starts `executable` with `argv`. `input` (n bytes) becomes its fd 0. The child gets default
 * signal dispositions, ignores SIGINT, sits in a session of its own (a terminal's Ctrl-C reaches
 * the supervisor alone), and is killed by the kernel when the calling thread ends. GB_IO. A
 * failing exec shows as exit status 127 with the reason in the tail. */
gb_code gb_process_start(const char *executable, char *const argv[], const void *input, size_t n,
                         gb_process *out, gb_error *err);
/* Takes what the child wrote into the tail without waiting; false at end of file. */
bool gb_process_drain(gb_process *process);
/* True when the child has ended (it stays to be reaped by gb_process_end). */
bool gb_process_ended(const gb_process *process);
/* Gives the child up to `grace_ms` to end by itself, kills it and its process group, reaps it and
 * closes the pipes. *status as from waitpid; GB_TIMEOUT when even SIGKILL did not end it within
 * 10 s (a driver call that cannot be interrupted): it is left behind. */
gb_code gb_process_end(gb_process *process, int grace_ms, int *status, gb_error *err);

/* "was killed by signal 11 (SIGSEGV)" or "exited with status 3", then the last words of its output
 * when there were any. Writes into buf, returns it. */
const char *gb_process_obituary(const gb_process *process, int status, char *buf, size_t size);

/* write() until all is written or it fails. GB_IO. */
gb_code gb_write_all(int fd, const void *bytes, size_t n, gb_error *err);

/* Monotonic nanoseconds. */
uint64_t gb_now_ns(void);

#endif
