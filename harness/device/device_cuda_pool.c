/* Memory in the order of a stream: the device's default memory pool (CUDA programming guide,
 * "Stream Ordered Memory Allocator"). It keeps what is given back until it is trimmed, as
 * frameworks have it do; by itself it would hand all of it to the system at the next
 * synchronisation. */
#include "device/device_cuda.h"

#include <string.h>

/* The pool, made ready at the first use. */
static gb_code pool_of(gb_cuda *cuda, cudaMemPool_t *out, gb_error *err)
{
    int supported = 0;
    unsigned long long all = UINT64_MAX;
    gb_code code = gb_cuda_bind(cuda->index, err);
    if (code != GB_OK)
        return code;
    *out = cuda->pool;
    if (cuda->pool != NULL)
        return GB_OK;
    if (cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, cuda->index) !=
        cudaSuccess)
        (void)cudaGetLastError();
    if (!supported)
        return gb_fail(err, GB_UNAVAILABLE, "%s has no memory in the order of a stream",
                       cuda->base.info.name);
    cudaMemPool_t pool = NULL;
    cudaError_t status = cudaDeviceGetDefaultMemPool(&pool, cuda->index);
    if (status != cudaSuccess)
        return gb_cuda_fail("cudaDeviceGetDefaultMemPool", status, err);
    status = cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all);
    if (status != cudaSuccess)
        return gb_cuda_fail("cudaMemPoolSetAttribute", status, err);
    *out = cuda->pool = pool;
    return GB_OK;
}

gb_code gb_cuda_alloc_async(gb_device *dev, gb_stream *stream, size_t bytes, gb_memory *out,
                            gb_error *err)
{
    cudaMemPool_t pool;
    memset(out, 0, sizeof *out);
    if (bytes == 0)
        return gb_fail(err, GB_INVALID, "an allocation of 0 bytes is not possible");
    gb_code code = pool_of(gb_cuda_of(dev), &pool, err);
    if (code != GB_OK)
        return code;
    cudaError_t status = cudaMallocFromPoolAsync(&out->device, bytes, pool, (cudaStream_t)stream);
    if (status != cudaSuccess) {
        out->device = NULL;
        code = gb_cuda_fail("cudaMallocFromPoolAsync", status, err);
        gb_fail_context(err, "device allocation of %zu bytes refused", bytes);
        return code;
    }
    out->kind = GB_MEM_DEVICE;
    out->bytes = bytes;
    return GB_OK;
}

gb_code gb_cuda_free_async(gb_device *dev, gb_stream *stream, gb_memory *memory, gb_error *err)
{
    void *device = memory->device;
    (void)dev;
    memset(memory, 0, sizeof *memory);
    if (device == NULL)
        return GB_OK;
    cudaError_t status = cudaFreeAsync(device, (cudaStream_t)stream);
    return status == cudaSuccess ? GB_OK : gb_cuda_fail("cudaFreeAsync", status, err);
}

gb_code gb_cuda_pool_trim(gb_device *dev, gb_error *err)
{
    cudaMemPool_t pool;
    gb_code code = pool_of(gb_cuda_of(dev), &pool, err);
    if (code != GB_OK)
        return code;
    cudaError_t status = cudaMemPoolTrimTo(pool, 0);
    return status == cudaSuccess ? GB_OK : gb_cuda_fail("cudaMemPoolTrimTo", status, err);
}
