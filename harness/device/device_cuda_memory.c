/* Memory, copies and fills of the cuda device. */
#include "device/device_cuda.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device/host_limits.h"

#define HOST_RESERVE (UINT64_C(64) << 20) /* left to the rest of the machine */

gb_code gb_cuda_memory_info(gb_device *dev, uint64_t *free, uint64_t *total, gb_error *err)
{
    size_t free_now = 0, total_now = 0;
    gb_code code = gb_cuda_bind(gb_cuda_of(dev)->index, err);
    if (code != GB_OK)
        return code;
    cudaError_t status = cudaMemGetInfo(&free_now, &total_now);
    if (status != cudaSuccess)
        return gb_cuda_fail("cudaMemGetInfo", status, err);
    *free = free_now;
    *total = total_now;
    return GB_OK;
}

static const char *kind_text(gb_memory_kind kind)
{
    static const char *const texts[GB_MEMORY_KINDS] = {
        [GB_MEM_DEVICE] = "device allocation",
        [GB_MEM_PAGEABLE] = "pageable host allocation",
        [GB_MEM_PINNED] = "pinned host allocation",
        [GB_MEM_WRITE_COMBINED] = "write-combined host allocation",
        [GB_MEM_MAPPED] = "mapped host allocation",
        [GB_MEM_MANAGED] = "managed allocation",
    };
    return texts[kind];
}

static gb_code refused(gb_memory_kind kind, size_t bytes, const char *call, cudaError_t status,
                       gb_error *err)
{
    gb_code code = gb_cuda_fail(call, status, err);
    if (err)
        gb_fail_context(err, "%s of %zu bytes refused", kind_text(kind), bytes);
    return code;
}

static gb_code alloc_host(gb_memory_kind kind, size_t bytes, gb_memory *out, gb_error *err)
{
    unsigned flags = cudaHostAllocDefault;
    if (kind == GB_MEM_WRITE_COMBINED)
        flags = cudaHostAllocWriteCombined;
    else if (kind == GB_MEM_MAPPED)
        flags = cudaHostAllocMapped;
    cudaError_t status = cudaHostAlloc(&out->host, bytes, flags);
    if (status != cudaSuccess) {
        out->host = NULL;
        return refused(kind, bytes, "cudaHostAlloc", status, err);
    }
    if (kind != GB_MEM_MAPPED)
        return GB_OK;
    status = cudaHostGetDevicePointer(&out->device, out->host, 0);
    if (status == cudaSuccess)
        return GB_OK;
    gb_code code = refused(kind, bytes, "cudaHostGetDevicePointer", status, err);
    (void)cudaFreeHost(out->host);
    out->host = out->device = NULL;
    return code;
}

/* Asked for only when the machine has it free, so that nobody invites the out-of-memory killer;
 * each page is written once. */
static gb_code alloc_pageable(size_t bytes, gb_memory *out, gb_error *err)
{
    uint64_t total = 0, available = 0;
    gb_host_memory("", &total, &available);
    if (total > 0 && (available < HOST_RESERVE || bytes > available - HOST_RESERVE))
        return gb_fail(err, GB_NO_MEMORY,
                       "%s of %zu bytes refused: %" PRIu64 " bytes of host memory are available",
                       kind_text(GB_MEM_PAGEABLE), bytes, available);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return gb_fail(err, GB_NO_MEMORY, "%s of %zu bytes refused: %s", kind_text(GB_MEM_PAGEABLE),
                       bytes, strerror(errno));
    long page = sysconf(_SC_PAGESIZE);
    for (size_t at = 0; at < bytes; at += (size_t)page)
        ((volatile char *)memory)[at] = 0;
    out->host = memory;
    return GB_OK;
}

/* Managed memory beyond what the card has free would silently page over the bus. */
static gb_code alloc_managed(gb_device *dev, size_t bytes, gb_memory *out, gb_error *err)
{
    uint64_t free = 0, total = 0;
    gb_code code = gb_cuda_memory_info(dev, &free, &total, err);
    if (code != GB_OK)
        return code;
    if (bytes > free)
        return gb_fail(err, GB_NO_MEMORY,
                       "managed allocation of %zu bytes refused: only %" PRIu64
                       " bytes are free on the device",
                       bytes, free);
    cudaError_t status = cudaMallocManaged(&out->device, bytes, cudaMemAttachGlobal);
    if (status != cudaSuccess) {
        out->device = NULL;
        return refused(GB_MEM_MANAGED, bytes, "cudaMallocManaged", status, err);
    }
    out->host = out->device;
    return GB_OK;
}

static gb_code alloc_device(size_t bytes, gb_memory *out, gb_error *err)
{
    cudaError_t status = cudaMalloc(&out->device, bytes);
    if (status == cudaSuccess)
        return GB_OK;
    out->device = NULL;
    return refused(GB_MEM_DEVICE, bytes, "cudaMalloc", status, err);
}

gb_code gb_cuda_alloc(gb_device *dev, gb_memory_kind kind, size_t bytes, gb_memory *out,
                      gb_error *err)
{
    gb_cuda *cuda = gb_cuda_of(dev);
    memset(out, 0, sizeof *out);
    if (bytes == 0 || (unsigned)kind >= GB_MEMORY_KINDS)
        return gb_fail(err, GB_INVALID, "an allocation of %zu bytes is not possible", bytes);
    if (!dev->info.memory_kinds[kind])
        return gb_fail(err, GB_UNAVAILABLE, "%s has no %s memory", dev->info.name,
                       gb_memory_kind_word(kind));
    gb_code code = gb_cuda_bind(cuda->index, err);
    if (code != GB_OK)
        return code;
    if (kind == GB_MEM_DEVICE)
        code = alloc_device(bytes, out, err);
    else if (kind == GB_MEM_PAGEABLE)
        code = alloc_pageable(bytes, out, err);
    else if (kind == GB_MEM_MANAGED)
        code = alloc_managed(dev, bytes, out, err);
    else
        code = alloc_host(kind, bytes, out, err);
    if (code == GB_OK) {
        out->kind = kind;
        out->bytes = bytes;
    }
    return code;
}

void gb_cuda_free(gb_device *dev, gb_memory *memory)
{
    cudaError_t status = cudaSuccess;
    (void)dev;
    if (memory->bytes == 0)
        return;
    if (memory->kind == GB_MEM_PAGEABLE)
        (void)munmap(memory->host, memory->bytes);
    else if (memory->kind == GB_MEM_DEVICE || memory->kind == GB_MEM_MANAGED)
        status = cudaFree(memory->device);
    else
        status = cudaFreeHost(memory->host);
    if (status != cudaSuccess)
        (void)cudaGetLastError(); /* an error of earlier work; the next sync reports it */
    memset(memory, 0, sizeof *memory);
}

gb_code gb_cuda_copy(gb_device *dev, gb_stream *stream, void *to, const void *from, size_t bytes,
                     gb_copy direction, gb_error *err)
{
    static const enum cudaMemcpyKind kinds[] = {
        [GB_COPY_H2D] = cudaMemcpyHostToDevice,
        [GB_COPY_D2H] = cudaMemcpyDeviceToHost,
        [GB_COPY_D2D] = cudaMemcpyDeviceToDevice,
        [GB_COPY_H2H] = cudaMemcpyHostToHost,
    };
    (void)dev;
    cudaError_t status = cudaMemcpyAsync(to, from, bytes, kinds[direction], (cudaStream_t)stream);
    if (status == cudaSuccess)
        return GB_OK;
    gb_code code = gb_cuda_fail("cudaMemcpyAsync", status, err);
    gb_cuda_explain(err, "copying %zu bytes", bytes);
    return code;
}

gb_code gb_cuda_fill(gb_device *dev, gb_stream *stream, void *to, int byte, size_t bytes,
                     gb_error *err)
{
    (void)dev;
    cudaError_t status = cudaMemsetAsync(to, byte, bytes, (cudaStream_t)stream);
    if (status == cudaSuccess)
        return GB_OK;
    gb_code code = gb_cuda_fail("cudaMemsetAsync", status, err);
    gb_cuda_explain(err, "filling %zu bytes", bytes);
    return code;
}

gb_code gb_cuda_prefetch(gb_device *dev, gb_stream *stream, const gb_memory *memory, bool to_device,
                         gb_error *err)
{
    gb_cuda *cuda = gb_cuda_of(dev);
    if (memory->kind != GB_MEM_MANAGED)
        return gb_fail(err, GB_INVALID, "only managed memory can be prefetched, this is %s",
                       gb_memory_kind_word(memory->kind));
    if (!cuda->concurrent_managed)
        return gb_fail(err, GB_UNAVAILABLE, "%s cannot prefetch managed memory", dev->info.name);
#if CUDART_VERSION >= 13000
    struct cudaMemLocation place;
    memset(&place, 0, sizeof place);
    place.type = to_device ? cudaMemLocationTypeDevice : cudaMemLocationTypeHost;
    place.id = to_device ? cuda->index : 0;
    cudaError_t status =
        cudaMemPrefetchAsync(memory->device, memory->bytes, place, 0, (cudaStream_t)stream);
#else
    cudaError_t status =
        cudaMemPrefetchAsync(memory->device, memory->bytes,
                             to_device ? cuda->index : cudaCpuDeviceId, (cudaStream_t)stream);
#endif
    return status == cudaSuccess ? GB_OK : gb_cuda_fail("cudaMemPrefetchAsync", status, err);
}
