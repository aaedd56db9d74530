/* Error codes and the error record that every fallible function fills.
 *
 * A function that can fail returns a gb_code and takes a `gb_error *err` last. On GB_OK it leaves
 * *err untouched; otherwise it fills it. `err` may be NULL where the caller only needs the code.
 * Nothing in gpubench's libraries prints or exits: the command line turns errors into messages. */
#ifndef GB_BASE_ERROR_H
#define GB_BASE_ERROR_H

#include <stdarg.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* name, stable word (stands in results as reason_code; never change one) */
#define GB_CODES(X)                                                                                \
    X(GB_OK, "ok")                                                                                 \
    X(GB_INVALID, "invalid")                 /* an argument, a suite or a file is not valid */     \
    X(GB_NO_MEMORY, "no-memory")             /* host or device memory is short or refused */       \
    X(GB_IO, "io")                           /* a file, pipe or disk failed */                     \
    X(GB_UNAVAILABLE, "unavailable")         /* this device or build cannot do it: a skip */       \
    X(GB_NO_DEVICE, "no-device")             /* no usable device of the kind asked for */          \
    X(GB_NO_KERNEL_IMAGE, "no-kernel-image") /* no machine code for this compute capability */     \
    X(GB_DRIVER, "driver")                   /* driver missing, a stub, mismatched or too old */   \
    X(GB_DEVICE_BUSY, "device-busy")         /* exclusive mode, or locked by another run */        \
    X(GB_DEVICE_ERROR, "device-error")     /* a device call failed; the message has the number */  \
    X(GB_HARDWARE_FAULT, "hardware-fault") /* uncorrectable ECC and the like */                    \
    X(GB_WRONG_RESULT, "wrong-result")     /* verification failed */                               \
    X(GB_TIMEOUT, "timeout")               /* a limit in seconds was reached */                    \
    X(GB_CRASHED, "crashed")               /* the worker died on a signal */                       \
    X(GB_INTERRUPTED, "interrupted")       /* the user stopped the run */                          \
    X(GB_NO_SAMPLES, "no-samples")         /* every sample was rejected */                         \
    X(GB_NOT_READY, "not-ready")           /* asked too early (an event not reached) */            \
    X(GB_IN_USE, "in-use")                 /* another process holds this run directory */          \
    X(GB_INTERNAL, "internal")             /* a bug in gpubench */

typedef enum gb_code {
#define X(name, word) name,
    GB_CODES(X)
#undef X
} gb_code;

typedef struct gb_error {
    gb_code code;
    int device_status;  /* the CUDA (or errno-like) number behind it; 0: none */
    bool sticky;        /* the device context is lost: this process must not go on measuring */
    int line, column;   /* 1-based place in `file`; 0: none */
    char file[512];     /* the file the message speaks of; "": none */
    char message[1024]; /* one sentence, UTF-8, names the thing and what would be valid */
} gb_error;

/* The stable word of a code ("no-memory"); "internal" for a value outside the list. */
const char *gb_code_word(gb_code code);

/* Fills *err (when not NULL) with the code and the formatted message; returns `code`. Other fields
 * are reset to 0. Too long messages are cut at a UTF-8 boundary. */
gb_code gb_fail(gb_error *err, gb_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* As gb_fail, with a place in a file (line and column 1-based, 0 when unknown). */
gb_code gb_fail_at(gb_error *err, gb_code code, const char *file, int line, int column,
                   const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Puts "context: " before the message of an error that is already filled; returns err->code. */
gb_code gb_fail_context(gb_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#ifdef __cplusplus
}
#endif
#endif
