/* Launching a kernel. On the timed path, besides cudaLaunchKernel: binding the device, comparisons
 * of the shape, and a look at the runtime's last error. */
#include "device/device_cuda.h"

static void explain_launch(const gb_fn *fn, const gb_launch *launch, gb_error *err)
{
    gb_cuda_explain(err, "kernel %s, grid %ux%ux%u, block %ux%ux%u, %u bytes of shared memory",
                    fn->name, launch->grid[0], launch->grid[1], launch->grid[2], launch->block[0],
                    launch->block[1], launch->block[2], launch->shared_bytes);
}

static bool is_allowed(const gb_cuda *cuda, const void *stub, uint32_t bytes)
{
    for (size_t i = 0; i < sizeof cuda->shared_allowed / sizeof *cuda->shared_allowed; i++)
        if (cuda->shared_allowed[i].stub == stub && cuda->shared_allowed[i].bytes >= bytes)
            return true;
    return false;
}

/* Static and dynamic shared memory together against the device's limits; beyond the plain limit the
 * kernel has to ask for more. Remembered, so that only a kernel's first launch pays. */
static gb_code allow_shared(gb_cuda *cuda, const gb_fn *fn, const gb_launch *launch, gb_error *err)
{
    const gb_device_info *info = &cuda->base.info;
    const void *stub = fn->cuda->stub;
    struct cudaFuncAttributes attributes;
    if (is_allowed(cuda, stub, launch->shared_bytes))
        return GB_OK;
    cudaError_t status = cudaFuncGetAttributes(&attributes, stub);
    if (status != cudaSuccess)
        return gb_cuda_fail_open("cudaFuncGetAttributes", status, cuda->index, err);
    uint64_t total = (uint64_t)attributes.sharedSizeBytes + launch->shared_bytes;
    uint32_t limit = info->shared_per_block_optin > info->shared_per_block
                         ? info->shared_per_block_optin
                         : info->shared_per_block;
    if (limit != 0 && total > limit)
        return gb_fail(err, GB_UNAVAILABLE,
                       "kernel %s needs %zu static + %u dynamic bytes of shared memory per block; "
                       "the limit of %s is %u",
                       fn->name, attributes.sharedSizeBytes, launch->shared_bytes, info->name,
                       limit);
    if (total > info->shared_per_block) {
        status = cudaFuncSetAttribute(stub, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      (int)launch->shared_bytes);
        if (status != cudaSuccess)
            return gb_cuda_fail("cudaFuncSetAttribute", status, err);
    }
    size_t slot =
        cuda->shared_next++ % (sizeof cuda->shared_allowed / sizeof *cuda->shared_allowed);
    cuda->shared_allowed[slot].stub = stub;
    cuda->shared_allowed[slot].bytes = launch->shared_bytes;
    return GB_OK;
}

static gb_code does_not_fit(gb_cuda *cuda, const gb_fn *fn, const gb_launch *launch, gb_error *err)
{
    struct cudaFuncAttributes attributes;
    gb_code code = gb_fail(err, GB_DEVICE_ERROR, "kernel does not fit: %s has no SM for a block",
                           cuda->base.info.name);
    explain_launch(fn, launch, err);
    if (cudaFuncGetAttributes(&attributes, fn->cuda->stub) == cudaSuccess)
        gb_cuda_explain(err,
                        "%d registers a thread, %zu static + %u dynamic bytes of shared memory",
                        attributes.numRegs, attributes.sharedSizeBytes, launch->shared_bytes);
    return code;
}

gb_code gb_cuda_blocks_per_unit(gb_device *dev, const gb_fn *fn, const gb_launch *launch,
                                uint32_t *blocks, gb_error *err)
{
    gb_cuda *cuda = gb_cuda_of(dev);
    const uint32_t *b = launch->block;
    int resident = 0;
    if (!fn->cuda)
        return gb_fail(err, GB_UNAVAILABLE, "kernel %s has no code for the cuda device", fn->name);
    gb_code code = gb_cuda_bind(cuda->index, err);
    if (code == GB_OK && launch->shared_bytes > 0)
        code = allow_shared(cuda, fn, launch, err);
    if (code != GB_OK)
        return code;
    cudaError_t status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &resident, fn->cuda->stub, (int)(b[0] * b[1] * b[2]), launch->shared_bytes);
    if (status != cudaSuccess) {
        code = gb_cuda_fail_open("cudaOccupancyMaxActiveBlocksPerMultiprocessor", status,
                                 cuda->index, err);
        explain_launch(fn, launch, err);
        return code;
    }
    if (resident <= 0)
        return does_not_fit(cuda, fn, launch, err);
    *blocks = (uint32_t)resident;
    return GB_OK;
}

gb_code gb_cuda_launch(gb_device *dev, gb_stream *stream, const gb_fn *fn, const gb_launch *launch,
                       void *args[], gb_error *err)
{
    gb_cuda *cuda = gb_cuda_of(dev);
    dim3 grid = {launch->grid[0], launch->grid[1], launch->grid[2]};
    dim3 block = {launch->block[0], launch->block[1], launch->block[2]};
    if (!fn->cuda)
        return gb_fail(err, GB_UNAVAILABLE, "kernel %s has no code for the cuda device", fn->name);
    if (grid.x == 0 || grid.y == 0 || grid.z == 0 || block.x == 0 || block.y == 0 || block.z == 0) {
        gb_code code = gb_fail(err, GB_INVALID, "an empty launch does nothing");
        explain_launch(fn, launch, err);
        return code;
    }
    gb_code code = gb_cuda_bind(cuda->index, err);
    if (code == GB_OK && launch->shared_bytes > 0)
        code = allow_shared(cuda, fn, launch, err);
    if (code != GB_OK)
        return code;
    cudaError_t status = cudaLaunchKernel(fn->cuda->stub, grid, block, args, launch->shared_bytes,
                                          (cudaStream_t)stream);
    if (status == cudaSuccess)
        status = cudaPeekAtLastError();
    if (status == cudaSuccess)
        return GB_OK;
    code = gb_cuda_fail_open("cudaLaunchKernel", status, cuda->index, err);
    explain_launch(fn, launch, err);
    return code;
}
