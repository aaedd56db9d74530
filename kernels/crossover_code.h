/* crossover: what its device code shares. The same jobs for a processor and for a GPU, each as it
 * is done well there: crossover_numbers.cu, crossover_images.cu, crossover_rows.cu and
 * crossover_sort.cu, beside the host code of the same names.
 *
 * The processor's kernels are named _cpu: plain loops, compiled once for each instruction set, a
 * part of the work a block (FLAT, blocks of one thread); none of them is an emulated GPU kernel.
 * The others are the GPU's; on a processor they run for tests alone (parameter `code`). The product
 * of matrices and the GPU's sort are libraries and not here. */
#ifndef GB_KERNELS_CROSSOVER_CODE_H
#define GB_KERNELS_CROSSOVER_CODE_H

#include "device/simt/simt.h"
#include "kernels/crossover.h"

#if !defined(__CUDACC__)
/* The part of [0, n) that is part number `part` of `parts`, in whole groups of 64. */
struct crossover_part {
    size_t first, end;
};
static __device__ __forceinline__ crossover_part part_of(size_t n, uint32_t part, uint32_t parts)
{
    const size_t each = ((n + parts - 1) / parts + 63) / 64 * 64;
    const size_t first = part * each < n ? part * each : n;
    return {first, n - first < each ? n : first + each};
}
#endif

/* For each part, or tile, that this block has. */
#define CROSSOVER_PARTS(part, parts)                                                               \
    for (uint32_t part = blockIdx.x; part < (parts); part += gridDim.x)

#endif
