/* pipeline: what its files share. A job reads files and has an answer for each: in batches they are
 *
 *   read      by name into memory
 *   decoded   from base64, or taken as they are
 *   prepared  each byte becomes a number of 4 bytes (itself + 1), a file is filled up with zeros to
 *             a multiple of PIPELINE_FOLD elements, files stand one after the other
 *   copied in, worked on, copied out:  `rounds` steps x -> a x + b on each element (affine.h), then
 *             the sum of PIPELINE_FOLD neighbours, weighted 1, 3, 5, ...
 *   finished  a file's sums become its answer: FNV-1a over them, begun with the file's length
 *
 * pipeline.c holds the row and the memory, pipeline_run.c the stages, pipeline_files.c what is read
 * and pipeline_check.c what should come of it. */
#ifndef GB_KERNELS_PIPELINE_H
#define GB_KERNELS_PIPELINE_H

#define PIPELINE_FOLD 16
#define PIPELINE_WEIGHT(i) (2u * (uint32_t)(i) + 1u)

#if !defined(__cplusplus)

#include "kernels/common.h"
#include "kernels/files.h"
#include "kernels/made_files.h"

enum {
    PIPELINE_SCHEDULE,
    PIPELINE_SOURCE,
    PIPELINE_DECODE,
    PIPELINE_BATCH,
    PIPELINE_HOST_WORK,
    PIPELINE_ROUNDS,
    PIPELINE_FILES,
    PIPELINE_BYTES,
    PIPELINE_LARGEST,
    PIPELINE_DATA
};

/* Parts of a sample, by their index in the spec: the stages, and the device's three together. */
enum {
    PIPELINE_READ,
    PIPELINE_DECODING,
    PIPELINE_PREPARE,
    PIPELINE_COPY_IN,
    PIPELINE_LAUNCH,
    PIPELINE_COMPUTE,
    PIPELINE_COPY_OUT,
    PIPELINE_FINISH,
    PIPELINE_ON_DEVICE,
    PIPELINE_PARTS
};

#define PIPELINE_SLOTS 2 /* a batch being prepared and one on the device */
#define PIPELINE_MARKS 4 /* before the copy in, after it, after the kernel, after the copy out */
#define PIPELINE_FNV_BASIS UINT64_C(0xcbf29ce484222325)
#define PIPELINE_FNV_PRIME UINT64_C(0x100000001b3)

typedef struct gb_pipeline_state {
    uint64_t seed;
    bool base64, uncached, doubled;
    uint32_t rounds, host_work, slots;
    size_t batch, batches; /* files of a batch; the last may have fewer */
    bool made;             /* the files are those of this case, not the user's */
    gb_made_files folder;
    gb_files files;
    /* where a file stands in the staging memory of its batch: bytes and elements */
    size_t *lengths; /* of each file, decoded: known once it was checked */
    size_t *raw_at, *at;
    gb_memory raw, decoded; /* of one batch */
    gb_memory in, out;      /* of the host, a slot for each batch under way */
    gb_memory device_in, device_out;
    size_t slot; /* elements of a slot of `in` */
    gb_memory answers;
    uint64_t *expected;
    gb_event *marks[PIPELINE_SLOTS][PIPELINE_MARKS];
} gb_pipeline_state;

/* Sizes that follow from the arguments alone: of made files as they are, of the user's at most. */
typedef struct gb_pipeline_sizes {
    uint64_t raw;      /* bytes of the files of a batch */
    uint64_t decoded;  /* bytes that they decode to */
    uint64_t elements; /* of a batch, a multiple of PIPELINE_FOLD */
    uint64_t all;      /* elements of all batches; 0: unknown */
} gb_pipeline_sizes;
gb_pipeline_sizes gb_pipeline_sizes_of(const gb_value args[]);

static inline size_t gb_pipeline_elements(size_t decoded)
{
    return (decoded + PIPELINE_FOLD - 1) / PIPELINE_FOLD * PIPELINE_FOLD;
}
/* The files [*first, *end) of a batch. */
void gb_pipeline_files_of(const gb_pipeline_state *s, size_t batch, size_t *first, size_t *end);

/* pipeline_files.c: the files, made or the user's, with what is expected of each. */
gb_code gb_pipeline_open(gb_run *run, gb_error *err);
void gb_pipeline_close(gb_run *run);
/* Byte `at` of made file `index` before it was encoded. */
uint8_t gb_pipeline_byte(uint64_t seed, size_t index, size_t at);

/* pipeline_run.c */
gb_code gb_pipeline_enqueue(gb_run *run, gb_error *err);
gb_code gb_pipeline_sample(gb_run *run, uint64_t iterations, gb_sample *out, gb_error *err);

/* pipeline_check.c. The answer that a file's bytes should have, computed in another way than the
 * stages do: a closed form in place of the steps. */
uint64_t gb_pipeline_reference(const uint8_t *bytes, size_t n, uint32_t rounds);
/* Decodes base64 character by character; the length, or SIZE_MAX where it is none. */
size_t gb_pipeline_decode_slowly(const char *text, size_t n, uint8_t *to);
gb_code gb_pipeline_check_answers(gb_run *run, gb_error *err);
gb_code gb_pipeline_verify(gb_run *run, gb_error *err);

#endif
#endif
