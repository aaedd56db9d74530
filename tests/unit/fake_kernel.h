/* A kernel for the fake device: it launches nothing real, but its output is checked like that of a
 * true one. */
#ifndef GB_TESTS_FAKE_KERNEL_H
#define GB_TESTS_FAKE_KERNEL_H

#include "kernels/kernel.h"
#include "unit/fake_device.h"

typedef struct fake_kernel_options {
    gb_need need;
    gb_work work;
    bool no_gate;
    bool own_sample;      /* takes samples itself: exactly body_ns an iteration, one launch */
    unsigned bulk;        /* with own_sample: so many samples are taken at once; 0: one by one */
    unsigned parts_after; /* with own_sample: so many of its parts lie after the whole */
    bool copies;          /* iterations are copies, not launches */
    gb_code prepare_code; /* what prepare returns after allocating */
    gb_code verify_code;
} fake_kernel_options;

/* The kernel under these options; valid until the next call. One parameter, `n`. Metrics:
 * bandwidth (bytes moved), rate (items) and flops. */
const gb_kernel *fake_kernel(const fake_kernel_options *options);
extern const gb_value fake_args[1];
/* How often the kernel's functions were called since fake_kernel. */
extern unsigned fake_prepared, fake_released, fake_verified;

#endif
