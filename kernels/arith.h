/* What both sides of `arith` know: the chains, and the constants of their steps.
 *
 * A chain does ARITH_STEPS operations a round, each with the result of the one before. Then its
 * value is added to the thread's sum, and it begins anew: first + zero * value, where zero is an
 * argument, so that the new round waits for the old one too. All values are known: exactly, or
 * (roots and sines) within a bound that is smaller than what one step changes (arith_reference.h).
 */
#ifndef GB_KERNELS_ARITH_H
#define GB_KERNELS_ARITH_H

#include <stdint.h>

/* Operations of a chain in a round, two at a time. The whole numbers of add and fma, which grow by
 * one a pair, stay within the 256 that bf16 has. */
#define ARITH_STEPS 256
/* Chains of a thread that do not depend on each other: of operations that are one instruction (as
 * those of flops: fma.h), and of those that are many, of which a loop holds few. */
#define ARITH_SMALL_CHAINS 12
#define ARITH_LARGE_CHAINS 4
/* On the CPU so many threads with several chains are one iteration of the loop: 64 bytes of fp32.
 */
#define ARITH_PACK 16
/* Rounds at most: the sum of so many values of fp32 still tells one of them. */
#define ARITH_MAX_ROUNDS 512

/* Chain c of thread t begins at start + step * ARITH_PLACE(t, c). */
#define ARITH_PLACE(thread, chain) ((uint32_t)((thread) % 8u) + (uint32_t)(chain))
#define ARITH_PLACES 8 /* threads that differ */

#define ARITH_CONSTANTS(T)                                                                         \
    {                                                                                              \
        T start, step, zero, a, b, c, d;                                                           \
    }
typedef struct arith_doubles ARITH_CONSTANTS(double) arith_doubles;
typedef struct arith_floats ARITH_CONSTANTS(float) arith_floats;
typedef struct arith_words ARITH_CONSTANTS(uint32_t) arith_words;

#endif
