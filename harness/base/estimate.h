/* Arithmetic before measuring: what a model needs, what a link or a memory can do at most. Pure.
 *
 * Bounds and rules of thumb, never measurements. Sizes are whole bytes; a product that does not fit
 * in 64 bits is GB_INVALID. Arguments are positive unless said otherwise. */
#ifndef GB_BASE_ESTIMATE_H
#define GB_BASE_ESTIMATE_H

#include <stdint.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- A transformer's memory
 * -----------------------------------------------------------------------
 */

/* Number formats, by the bits of a value; what quantised formats keep beside it (scales, zero
 * points) is not counted. */
typedef enum gb_precision {
    GB_FP32,
    GB_FP16,
    GB_BF16,
    GB_FP8,
    GB_INT8,
    GB_INT4,
    GB_PRECISIONS
} gb_precision;
extern const char *const gb_precision_words[]; /* "fp32", ...; NULL-terminated, by the enum */
unsigned gb_precision_bits(gb_precision precision);

/* The shape of a decoder. `hidden` of the formulas is heads x head_size. */
typedef struct gb_shape {
    uint64_t layers;
    uint64_t heads;     /* of attention */
    uint64_t kv_heads;  /* of keys and values: heads / group size where they are shared (GQA) */
    uint64_t head_size; /* values a head */
    uint64_t context;   /* tokens of a sequence */
} gb_shape;

/* n values of a format: n x bits / 8, up to a whole byte. */
gb_code gb_estimate_values(uint64_t n, gb_precision precision, uint64_t *bytes, gb_error *err);

/* KV cache of one token: 2 x layers x KV heads x head size values, a key and a value each (NVIDIA,
 * Mastering LLM Techniques: Inference Optimization, 2023). A sequence has `context` of them. */
gb_code gb_estimate_kv_token(const gb_shape *shape, gb_precision precision, uint64_t *bytes,
                             gb_error *err);

/* What a forward pass needs beside weights and KV cache: up to 20 % of the weights, a rule of thumb
 * (Q. Anthony, S. Biderman, H. Schoelkopf, Transformer Math 101, EleutherAI 2023). */
#define GB_INFERENCE_OVERHEAD_PERCENT 20
uint64_t gb_estimate_overhead(uint64_t weights_bytes);

/* Training with Adam in mixed precision, bytes a parameter: weights and gradients in 16 bits, and
 * in fp32 the optimizer's copy of the weights, momentum and variance (S. Rajbhandari et al., ZeRO:
 * Memory Optimizations Toward Training Trillion Parameter Models, SC 2020). */
#define GB_ADAM_WEIGHTS 2
#define GB_ADAM_GRADIENTS 2
#define GB_ADAM_OPTIMIZER 12

/* Which activations are kept for the backward pass, 16-bit, of one sequence s in one layer of
 * hidden size h with a attention heads, in bytes (V. Korthikanti et al., Reducing Activation
 * Recomputation in Large Transformer Models, MLSys 2023): none       s h (34 + 5 a s / h) selective
 * 34 s h     attention is computed again, as kernels that fuse it do anyway full       2 s h only
 * the layer's input is kept */
typedef enum gb_recompute {
    GB_KEEP_ALL,
    GB_KEEP_ATTENTION_INPUTS,
    GB_KEEP_LAYER_INPUTS
} gb_recompute;
extern const char *const gb_recompute_words[]; /* "none", "selective", "full"; NULL-terminated */
/* Of one sequence in all layers. */
gb_code gb_estimate_activations(const gb_shape *shape, gb_recompute recompute, uint64_t *bytes,
                                gb_error *err);

/* Sequences that fit: (memory - fixed) / each, rounded down; 0 when not even `fixed` does. */
uint64_t gb_estimate_batch(uint64_t memory, uint64_t fixed, uint64_t each);

/* --- Rates and times
 * ------------------------------------------------------------------------------
 */

/* t = latency + n / bandwidth, ns (R. W. Hockney and C. R. Jesshope, Parallel Computers 2, 1988).
 * `latency_ns` 0: a lower bound. Bandwidth in B/s. */
double gb_estimate_copy_ns(uint64_t bytes, double latency_ns, double bandwidth);

/* One direction of a PCI Express link, B/s: lanes x transfer rate x coding (8b/10b in generations 1
 * and 2, 128b/130b in 3 to 5, 242 of 256 bytes of a flit in 6; PCI Express base specification).
 * Packets' headers come off that. NAN for a generation not known, or no lanes. */
#define GB_PCIE_GENERATIONS 6
double gb_pcie_bandwidth(unsigned generation, unsigned lanes);

/* A memory's theoretical bandwidth, B/s: bits a second and pin x bus width in bits / 8 (NVIDIA,
 * CUDA C++ Best Practices Guide, Theoretical Bandwidth Calculation). */
double gb_memory_bandwidth(double bits_per_s, double bus_bits);
/* Transfers a clock of memories at double data rate, as the clock that CUDA and NVML report. */
#define GB_DOUBLE_DATA_RATE 2

/* Decoding, steps a second at most: each step reads all weights once, and the KV cache of every
 * sequence of the batch; each sequence gets a token a step (R. Pope et al., Efficiently Scaling
 * Transformer Inference, MLSys 2023). */
double gb_estimate_steps(double bandwidth, uint64_t weights_bytes, uint64_t kv_bytes);

/* G. M. Amdahl, AFIPS 1967: 1 / ((1 - parallel) + parallel / processors), and its limit for any
 * number of processors, 1 / (1 - parallel); INFINITY where all is parallel. `parallel` > 0, <= 1:
 * the share of the time on one processor. */
double gb_amdahl_serial(double parallel); /* 1 - parallel, to the 16 decimals that it is known to */
double gb_amdahl(double parallel, double processors);
double gb_amdahl_limit(double parallel);

#ifdef __cplusplus
}
#endif
#endif
