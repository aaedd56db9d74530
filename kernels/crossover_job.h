/* The jobs of the kernel crossover, host side: what one has to say, and what they share.
 * crossover.c has the table and the life of a case; crossover_numbers.c, crossover_images.c,
 * crossover_rows.c and crossover_sort.c have the jobs. */
#ifndef GB_KERNELS_CROSSOVER_JOB_H
#define GB_KERNELS_CROSSOVER_JOB_H

#include "kernels/common.h"
#include "kernels/crossover.h"
#include "kernels/matmul_reference.h"

/* `count` elements of `size` bytes; count 0: there is no such array. */
typedef struct crossover_array {
    size_t size;
    uint64_t count;
} crossover_array;

/* What a job needs at a size n, and the work that it is. */
typedef struct crossover_shape {
    crossover_array in[2], out;
    crossover_array table;   /* stays where it is needed: no part of what is copied */
    crossover_array scratch; /* of the GPU's code */
    uint64_t flops, items;
    uint64_t bytes; /* read and written, each once */
    gb_compute compute;
} crossover_shape;

typedef struct crossover_state crossover_state;

typedef struct crossover_job {
    const char *word;
    uint64_t max_n; /* all sizes are far below 2^63 then */
    void (*shape)(uint64_t n, crossover_shape *out);
    /* What the test data and the reference need, before the arrays are filled; NULL: nothing. */
    gb_code (*begin)(gb_run *run, crossover_state *s, gb_error *err);
    /* Elements of the inputs and of the table, as a gb_make_fn with the state as its user. */
    gb_make_fn make_in[2], make_table;
    /* Instead of make_in, into memory of the host or of the device. */
    gb_code (*fill)(gb_run *run, crossover_state *s, const gb_memory *a, const gb_memory *b,
                    gb_error *err);
    /* One iteration over s->at: a processor's own code, with `plain_bytes` of memory for itself
     * (NULL: none), which returns when it is done or leaves its last step on the stream; the GPU's
     * code, on the stream. */
    size_t (*plain_bytes)(const crossover_state *s);
    gb_code (*cpu)(gb_run *run, crossover_state *s, gb_error *err);
    gb_code (*gpu)(gb_run *run, crossover_state *s, gb_error *err);
    /* Copies what the job has found to the host, where that is not all of `out`. */
    gb_code (*fetch)(gb_run *run, crossover_state *s, gb_error *err);
    /* The reference, element by element, with the state as its user; or of all at once. */
    gb_compare_fn compare_out, compare_scratch;
    gb_code (*check)(gb_run *run, crossover_state *s, const gb_memory *out, gb_error *err);
} crossover_job;

extern const crossover_job crossover_matmul, crossover_add, crossover_reduce, crossover_blur,
    crossover_resize, crossover_filter, crossover_lookup, crossover_sort;

struct crossover_state {
    const crossover_job *job;
    crossover_shape shape;
    uint64_t n, seed;
    bool gpu;                       /* runs the GPU's code */
    bool copies;                    /* each iteration copies in and out */
    gb_memory host_in[2], host_out; /* the program's own arrays */
    gb_memory in[2], out, table, scratch;
    struct { /* what the code works on: of the host, or of the device */
        void *in[2], *out;
    } at;
    uint32_t workers; /* threads of a processor */
    void *plain;      /* plain_bytes, aligned to 64 */

    matmul_reference product; /* matmul */
    uint64_t sum;             /* reduce: of all numbers, in 32nds */
    uint32_t *expected;       /* filter: the rows that pass, [n_expected] */
    uint64_t n_expected;      /* (n at most) */
    crossover_slot *slots;    /* lookup: the table */
    size_t gpu_scratch;       /* sort: bytes that the library asked for */
};

/* Parts into which a processor cuts n elements: one a worker, none of less than `least` elements,
 * for which handing over would cost more than it gains. */
uint32_t crossover_parts(const crossover_state *s, uint64_t n, uint64_t least);

/* Runs a processor's kernel, a part a worker, and returns when it is done. */
gb_code crossover_on_cpu(gb_run *run, const gb_fn *fn, uint32_t parts, void *args[], gb_error *err);
/* Enqueues a GPU's kernel of `blocks` blocks of x * y threads. */
gb_code crossover_on_gpu(gb_run *run, const gb_fn *fn, uint64_t blocks, uint32_t x, uint32_t y,
                         void *args[], gb_error *err);

#endif
