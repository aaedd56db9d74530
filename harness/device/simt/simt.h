/* The header that every .cu file of kernels/ includes: one CUDA C source, two compilers.
 *
 * With nvcc it adds almost nothing. With g++ (the cpu device) it supplies the CUDA words and a way
 * to run the threads of a block. Four ways; a kernel chooses when it is exported:
 *
 *   RANGE   elementwise code over GB_RANGE(i, n); on the CPU one contiguous loop a run of blocks
 *   FLAT    any other code without barriers: a loop over threads inside a loop over blocks
 *   PHASED  code with barriers, split by macros into regions: a thread loop a region
 *   FIBER   unchanged CUDA with __syncthreads and shuffles: one fiber a thread. Correct, slow;
 *           figures are labelled `emulated`
 *
 * In a .cu file:
 *
 *   #include "device/simt/simt.h"
 *
 *   static __global__ void triad(float *a, const float *b, const float *c, float s, size_t n)
 *   {
 *       GB_RANGE(i, n) { a[i] = b[i] + s * c[i]; }
 *   }
 *   GB_EXPORT(RANGE, triad)                  // makes the descriptor(s) of gb_fn "triad"
 *
 *   static __global__ void block_sum(const float *x, float *partial, size_t n)
 *   {
 *       GB_SHARED(float, s, 256);             // __shared__ float s[256]
 *       GB_THREADS { s[threadIdx.x] = ...; }  // one region: plain code for each thread
 *       GB_BARRIER();                         // __syncthreads
 *       for (unsigned w = 128; w > 0; w /= 2) {   // uniform control flow stays outside regions
 *           GB_THREADS { if (threadIdx.x < w) s[threadIdx.x] += s[threadIdx.x + w]; }
 *           GB_BARRIER();
 *       }
 *       GB_THREADS { if (threadIdx.x == 0) partial[blockIdx.x] = s[0]; }
 *   }
 *   GB_EXPORT(PHASED, block_sum)
 *
 *   GB_PRIVATE(float, acc);  ... GB_MY(acc)   // a thread's own value that lives across regions
 *
 * In a .c file: GB_FN_DECLARE(triad) at file scope, then GB_FN(triad) is a `const gb_fn *`.
 * A kernel that cannot run on the CPU: GB_EXPORT_CUDA_ONLY(name), GB_FN_DECLARE_CUDA_ONLY(name).
 *
 * In CUDA builds and in the checked build (GB_CHECKED) the phased macros are plain code plus
 * __syncthreads(), and the checked build runs them as fibers, so that a missing barrier is found.
 *
 * Rules for authors: 64-bit indices, cast before multiplying; elementwise through GB_RANGE;
 * barriers uniform, no return before one; no spinning on another thread; thread indices only
 * inside a region; results by tolerance; block <= 1024, grid.y/z <= 65,535, shared <= 48 KiB. */
#ifndef GB_DEVICE_SIMT_SIMT_H
#define GB_DEVICE_SIMT_SIMT_H
/* implementation: see the cpu device */
#endif
