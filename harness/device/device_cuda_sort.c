/* The vendor's sort: CUB, built in. */
#include "device/cub_sort.h"
#include "device/device_cuda.h"

gb_code gb_cuda_sort(gb_device *dev, gb_stream *stream, const uint32_t *from, uint32_t *to,
                     size_t n, void *scratch, size_t *scratch_bytes, gb_error *err)
{
    gb_cuda *cuda = gb_cuda_of(dev);
    gb_code code = gb_cuda_bind(cuda->index, err);
    if (code != GB_OK)
        return code;
    cudaError_t status = gb_cub_sort(scratch, scratch_bytes, from, to, n, (cudaStream_t)stream);
    if (status == cudaSuccess)
        return GB_OK;
    if (status == cudaErrorNotSupported)
        return gb_fail(err, GB_UNAVAILABLE, "this build has no CUB; its CUDA toolkit lacked it");
    return gb_cuda_fail_open("cub::DeviceRadixSort::SortKeys", status, cuda->index, err);
}
