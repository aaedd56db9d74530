/* The gate: a one-thread kernel that holds its stream until the host says go, or a limit has
 * passed, so that what lies behind it is launched before any of it runs. And the cache flush. */
#include "device/device_cuda.h"

#include <string.h>

#include "device/device_cuda_kernels.h"

#define FLUSH_BLOCK 256u
#define FLUSH_ELEMENT 16u                    /* bytes: uint4 */
#define FLUSH_UNKNOWN_L2 ((size_t)256 << 20) /* bytes to write when the L2's size is unknown */

static gb_gate_flags *flags_of(gb_cuda *cuda)
{
    return cuda->gate_memory.host;
}

static gb_code start(gb_cuda *cuda, const void *stub, dim3 grid, dim3 block, void *args[],
                     gb_stream *stream, gb_error *err)
{
    cudaError_t status = cudaLaunchKernel(stub, grid, block, args, 0, (cudaStream_t)stream);
    if (status == cudaSuccess)
        status = cudaPeekAtLastError();
    return status == cudaSuccess ? GB_OK
                                 : gb_cuda_fail_open("cudaLaunchKernel", status, cuda->index, err);
}

static gb_code start_gate(gb_cuda *cuda, gb_stream *stream, uint64_t limit_ns, gb_error *err)
{
    dim3 one = {1, 1, 1};
    void *flags = cuda->gate_memory.device;
    uint32_t ticket = cuda->gate_ticket;
    unsigned long long limit = limit_ns;
    void *args[] = {&flags, &ticket, &limit};
    return start(cuda, gb_cuda_gate_stub, one, one, args, stream, err);
}

gb_code gb_cuda_gate_hold(gb_device *dev, gb_stream *stream, uint64_t limit_ns, gb_error *err)
{
    gb_cuda *cuda = gb_cuda_of(dev);
    if (dev->info.synchronous_launches)
        return gb_fail(err, GB_UNAVAILABLE,
                       "no gate under CUDA_LAUNCH_BLOCKING: launching it would wait for it");
    gb_code code = gb_cuda_bind(cuda->index, err);
    if (code != GB_OK)
        return code;
    cuda->gate_ticket++;
    return start_gate(cuda, stream, limit_ns, err);
}

void gb_cuda_gate_release(gb_device *dev)
{
    gb_cuda *cuda = gb_cuda_of(dev);
    if (flags_of(cuda))
        flags_of(cuda)->released = cuda->gate_ticket;
}

gb_code gb_cuda_gate_finish(gb_device *dev, bool *expired, gb_error *err)
{
    gb_cuda *cuda = gb_cuda_of(dev);
    (void)err;
    *expired = flags_of(cuda)->expired == cuda->gate_ticket;
    return GB_OK;
}

gb_code gb_cuda_flush_cache(gb_device *dev, gb_stream *stream, gb_error *err)
{
    gb_cuda *cuda = gb_cuda_of(dev);
    if (cuda->flush_memory.bytes == 0)
        return gb_fail(err, GB_NO_MEMORY,
                       "no device memory for the cache flush (twice the L2 of %s)", dev->info.name);
    gb_code code = gb_cuda_bind(cuda->index, err);
    if (code != GB_OK)
        return code;
    void *buffer = cuda->flush_memory.device;
    size_t n = cuda->flush_memory.bytes / FLUSH_ELEMENT;
    unsigned round = cuda->flush_round++;
    void *args[] = {&buffer, &n, &round};
    dim3 block = {FLUSH_BLOCK, 1, 1};
    dim3 grid = {dev->info.units > 0 ? dev->info.units * 8 : 1024, 1, 1};
    return start(cuda, gb_cuda_flush_stub, grid, block, args, stream, err);
}

gb_code gb_cuda_helpers_open(gb_cuda *cuda, gb_error *err)
{
    gb_device *dev = &cuda->base;
    gb_error local;
    size_t flush_bytes =
        dev->info.llc_bytes > 0 ? 2 * (size_t)dev->info.llc_bytes : FLUSH_UNKNOWN_L2;
    gb_code code =
        gb_cuda_alloc(dev, GB_MEM_MAPPED, sizeof(gb_gate_flags), &cuda->gate_memory, err);
    if (code != GB_OK)
        return code;
    memset(cuda->gate_memory.host, 0, sizeof(gb_gate_flags));
    code = gb_cuda_alloc(dev, GB_MEM_DEVICE, flush_bytes, &cuda->flush_memory, &local);
    if (code != GB_OK && code != GB_NO_MEMORY) {
        if (err)
            *err = local;
        return code;
    }
    /* Loads the code of both now: loading it behind a held gate would wait for the gate. Ticket 0
     * is open from the start. */
    code = start_gate(cuda, NULL, 1000000, err);
    if (code == GB_OK && cuda->flush_memory.bytes > 0)
        code = gb_cuda_flush_cache(dev, NULL, err);
    if (code != GB_OK)
        return code;
    cudaError_t status = cudaDeviceSynchronize();
    return status == cudaSuccess
               ? GB_OK
               : gb_cuda_fail_open("cudaDeviceSynchronize", status, cuda->index, err);
}

void gb_cuda_helpers_close(gb_cuda *cuda)
{
    gb_cuda_gate_release(&cuda->base); /* nothing may wait for a gate that nobody will open */
    (void)cudaDeviceSynchronize();
    gb_cuda_free(&cuda->base, &cuda->flush_memory);
    gb_cuda_free(&cuda->base, &cuda->gate_memory);
}
