/* What can be known about CUDA without a CUDA runtime: the meaning of CUDA_VISIBLE_DEVICES, which
 * machine code runs on which GPU, which driver a toolkit needs, what an error number stands for.
 * Pure functions, in every build. */
#ifndef GB_DEVICE_CUDA_FACTS_H
#define GB_DEVICE_CUDA_FACTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GB_VISIBLE_MAX 64

typedef enum gb_visible_kind {
    GB_VISIBLE_INDEX, /* a number */
    GB_VISIBLE_GPU,   /* GPU-<uuid or a prefix of one> */
    GB_VISIBLE_MIG    /* MIG-<uuid>, or the older MIG-GPU-<uuid>/<instance>/<instance> */
} gb_visible_kind;

typedef struct gb_visible_entry {
    gb_visible_kind kind;
    int index;     /* of GB_VISIBLE_INDEX; -1 otherwise */
    char text[96]; /* as written, without blanks */
} gb_visible_entry;

/* How the driver reads CUDA_VISIBLE_DEVICES. */
typedef struct gb_visible {
    bool set; /* false: the variable is not set, all devices are visible */
    size_t count;
    gb_visible_entry entries[GB_VISIBLE_MAX];
    /* One sentence about what the list hides and why; "" when there is nothing to say:
     * "CUDA_VISIBLE_DEVICES is empty, which hides every device". */
    char note[256];
} gb_visible;

/* `value` NULL: not set. The driver's rules: entries are read up to the first that is not valid
 * (a negative number, a word); nothing is taken for 0; an entry that stands there twice makes the
 * list empty; numbers and UUIDs do not mix: the first of the other form ends the list. */
void gb_visible_parse(const char *value, gb_visible *out);

/* Whether code for `architectures` ("75,80,90": machine code for each, PTX for the last) runs on a
 * device of compute capability major.minor: machine code runs on the same major with an equal or
 * higher minor, PTX on everything later. Names with a letter (90a) hold for that one alone. */
bool gb_cuda_covers(const char *architectures, int major, int minor);

/* GB_NO_KERNEL_IMAGE when they do not, with both lists and the build option to change. `name` is
 * the device's. */
gb_code gb_cuda_check_covers(const char *architectures, int major, int minor, const char *name,
                             gb_error *err);

/* The oldest Linux driver branch that a toolkit's programs run with ("580" for 13.0, 525 for 12.x,
 * 450 for 11.x: NVIDIA's minor version compatibility); "" for toolkits before 11. */
const char *gb_cuda_minimum_driver(int toolkit);

/* The gb_code of a CUDA runtime error number, and whether the context is lost after it (every later
 * call would give the same error, only a new process helps). */
gb_code gb_cuda_classify(int status, bool *sticky);

/* What a user can do about it, as a clause without a full stop; "" when there is nothing to add. */
const char *gb_cuda_advice(int status);

#ifdef __cplusplus
}
#endif
#endif
