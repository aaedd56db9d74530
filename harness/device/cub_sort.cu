/* The one place that sees CUB, the library of parallel primitives that comes with the CUDA toolkit
 * (BSD-3-Clause; LICENSES.md has its text). See cub_sort.h. */
#include "device/cub_sort.h"

#if defined(__has_include)
#if __has_include(<cub/device/device_radix_sort.cuh>)
#define HAVE_CUB 1
#endif
#endif

#ifdef HAVE_CUB
/* CUB includes <iostream>, whose only effect beyond these two is a static object that would need
 * the C++ runtime at link time, which nothing else here does. The name is that of libstdc++'s
 * guard. */
#include <istream>
#include <ostream>
#ifndef _GLIBCXX_IOSTREAM
#define _GLIBCXX_IOSTREAM 1
#endif
#include <cub/device/device_radix_sort.cuh>
#endif

cudaError_t gb_cub_sort(void *scratch, size_t *scratch_bytes, const uint32_t *from, uint32_t *to,
                        size_t n, cudaStream_t stream)
{
#ifdef HAVE_CUB
    return cub::DeviceRadixSort::SortKeys(scratch, *scratch_bytes, from, to, n, 0,
                                          8 * (int)sizeof *from, stream);
#else
    (void)scratch, (void)scratch_bytes, (void)from, (void)to, (void)n, (void)stream;
    return cudaErrorNotSupported;
#endif
}
