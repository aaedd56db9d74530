/* simt_race right|broken: runs the kernels of simt_broken.cu once. In the TSan build the broken
 * ones are reported as data races, the right ones not. Prints "done" when all went well. */
#undef GB_CPU_VARIANTS
#define GB_CPU_VARIANTS 1
#undef GB_CUDA_CODE
#define GB_CUDA_CODE 0

#include <stdio.h>
#include <string.h>

#include "device/device.h"

GB_FN_DECLARE(shift)
GB_FN_DECLARE(shift_broken)
GB_FN_DECLARE(tree_sum)
GB_FN_DECLARE(tree_sum_broken)
GB_FN_DECLARE(reuse)
GB_FN_DECLARE(reuse_broken)

int main(int argc, char *argv[])
{
    const gb_fn *const right[] = {GB_FN(shift), GB_FN(tree_sum), GB_FN(reuse)};
    const gb_fn *const broken[] = {GB_FN(shift_broken), GB_FN(tree_sum_broken),
                                   GB_FN(reuse_broken)};
    const gb_fn *const *kernels = argc > 1 && strcmp(argv[1], "broken") == 0 ? broken : right;
    gb_device *dev;
    gb_stream *stream;
    gb_memory in, out;
    gb_error err;
    if (gb_device_cpu_open(2, &dev, &err) != GB_OK ||
        dev->ops->stream_create(dev, &stream, &err) != GB_OK ||
        dev->ops->alloc(dev, GB_MEM_DEVICE, 512, &in, &err) != GB_OK ||
        dev->ops->alloc(dev, GB_MEM_DEVICE, 512, &out, &err) != GB_OK)
        return 1;
    memset(in.device, 1, 512);
    gb_launch launch = {.grid = {1, 1, 1}, .block = {128, 1, 1}};
    for (int i = 0; i < 3; i++) {
        void *args[] = {&out.device, &in.device};
        if (dev->ops->launch(dev, stream, kernels[i], &launch, args, &err) != GB_OK ||
            dev->ops->stream_sync(dev, stream, &err) != GB_OK)
            return 1;
        printf("ran %s\n", kernels[i]->name);
    }
    dev->ops->free(dev, &in);
    dev->ops->free(dev, &out);
    dev->ops->close(dev);
    puts("done");
    return 0;
}
