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
 *   GB_SHARED_2D(float, tile, 32, 33);        // __shared__ float tile[32][33]
 *   GB_SHARED_DYNAMIC(float, s);              // float *s: the launch's dynamic shared memory
 *
 * In a .c file: GB_FN_DECLARE(triad) at file scope, then GB_FN(triad) is a `const gb_fn *`.
 * A kernel that cannot run on the CPU: GB_EXPORT_CUDA_ONLY(name), GB_FN_DECLARE_CUDA_ONLY(name).
 *
 * In CUDA builds and in the checked build (GB_CHECKED) the phased macros are plain code plus
 * __syncthreads(), and the checked build runs them as fibers, so that a missing barrier is found.
 *
 * Rules for authors: 64-bit indices, cast before multiplying; elementwise through GB_RANGE;
 * barriers uniform, no return before one; no spinning on another thread; thread indices only
 * inside a region; results by tolerance; block <= 1024, grid.y/z <= 65,535, shared <= 48 KiB.
 * A GB_RANGE covers all of [0, n) whatever the grid is (grid-stride on CUDA); no return inside
 * GB_RANGE or GB_THREADS, `continue` ends the element or the thread's part of the region. */
#ifndef GB_DEVICE_SIMT_SIMT_H
#define GB_DEVICE_SIMT_SIMT_H

#include <stddef.h>
#include <stdint.h>

#include "device/fn.h"

#if !defined(__CUDACC__)
#include "device/simt/simt_cpu.h"
#endif

/* The macros as a GPU means them; the checked build runs the same code, one fiber a thread. */
#if defined(__CUDACC__) || defined(GB_CHECKED)
#define GB_THREADS for (bool gb_once = true; gb_once; gb_once = false)
#define GB_BARRIER() __syncthreads()
#define GB_PRIVATE(type, name) type name
#define GB_MY(name) name
#endif

#if defined(__CUDACC__)
#define GB_SHARED(type, name, count) __shared__ type name[count]
#define GB_SHARED_2D(type, name, rows, columns) __shared__ type name[rows][columns]
#define GB_RANGE(i, n)                                                                             \
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < (n);                        \
         i += (size_t)gridDim.x * blockDim.x)
extern __shared__ uint4 gb_dynamic_shared[];
#define GB_SHARED_DYNAMIC(type, name) type *name = reinterpret_cast<type *>(gb_dynamic_shared)
#define GB_EXPORT(mode, name)                                                                      \
    extern "C" {                                                                                   \
    extern const gb_cuda_code GB_CUDA_CODE_NAME(name);                                             \
    const gb_cuda_code GB_CUDA_CODE_NAME(name) = {#name, reinterpret_cast<const void *>(&name)};   \
    }
#define GB_EXPORT_CUDA_ONLY(name) GB_EXPORT(FLAT, name)
#endif

#endif
