/* startup: what the kernel (startup.c) and its process (startup_task.c) agree on. Host code alone:
 * the device code is allocate.cu. */
#ifndef GB_KERNELS_STARTUP_H
#define GB_KERNELS_STARTUP_H

#include "kernels/allocate.h"
#include "kernels/child.h"

/* Numbers that the task is given. */
enum { STARTUP_GIVEN_CALL, STARTUP_GIVEN_BYTES, STARTUP_GIVEN_SEED, STARTUP_GIVEN };
/* What is called: our own kernel, or a product of the vendor's BLAS. */
typedef enum startup_call { STARTUP_LAUNCH, STARTUP_BLAS } startup_call;

/* Moments that the task reports (gb_child_answer.at_ns). */
enum {
    STARTUP_AT_MAIN,    /* its first line of code */
    STARTUP_AT_OPEN,    /* the device is open */
    STARTUP_AT_MEMORY,  /* memory is allocated, inputs are there */
    STARTUP_AT_FIRST,   /* the first call is done */
    STARTUP_AT_CHECKED, /* its result is back at the host and right */
    STARTUP_AT_AGAIN,   /* before the second call */
    STARTUP_AT_SECOND,  /* it is done */
    STARTUP_MARKS
};

/* Of a matrix of the product. Its values are whole numbers so small that every order of additions
 * is exact in each type. */
#define STARTUP_SIDE 64
/* Calls after the second: their median is the steady one. */
#define STARTUP_STEADY 31

/* Words at each end of the result that are kept: together at most GB_CHILD_WORDS. */
#define STARTUP_KEPT 1024

/* Value i of the first (0) or second (1) matrix: -4 .. 4. */
float gb_startup_value(uint64_t seed, int matrix, uint64_t i);
/* The product's element, exactly. */
float gb_startup_product(uint64_t seed, uint64_t row, uint64_t column);

extern const gb_task gb_startup_task;

#endif
