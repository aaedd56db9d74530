/* An advisory lock per device, for all users and containers that share the lock directory: two
 * runs on one device would both be wrong. The kernel releases it when the process ends, however. */
#ifndef GB_RUN_DEVICE_LOCK_H
#define GB_RUN_DEVICE_LOCK_H

#include <signal.h>
#include <stdint.h>

#include "base/error.h"

typedef struct gb_device_lock {
    int fd; /* -1: not held */
} gb_device_lock;

/* $GPUBENCH_LOCK_DIR, or /tmp: TMPDIR differs between users. */
const char *gb_device_lock_directory(void);

/* Who holds a lock, for a message: "pid 123, by its lock in /tmp", or "pid unknown, ..." for pid
 * 0: whoever has just taken the lock has not signed it yet. Into buf (>= 256 bytes). */
const char *gb_device_lock_holder(long pid, char *buf, size_t size);

/* Takes the lock of device `uuid`, waiting up to wait_ns (UINT64_MAX: without limit; 0: not at
 * all). `waiting` (may be NULL) is called once when it has to wait, with the holder's pid (0:
 * unknown). GB_DEVICE_BUSY names the holder; GB_INTERRUPTED when *interrupted (may be NULL) becomes
 * non-zero; GB_IO when there can be no lock here (the caller may go on without one and say so). */
gb_code gb_device_lock_take(const char *uuid, uint64_t wait_ns,
                            const volatile sig_atomic_t *interrupted,
                            void (*waiting)(void *user, long pid), void *user, gb_device_lock *out,
                            gb_error *err);
void gb_device_lock_release(gb_device_lock *lock); /* fine with one that is not held */

#endif
