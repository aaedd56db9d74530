#include "kernels/stability_load.h"

#include "kernels/affine.h"
#include "kernels/common.h"

GB_FN_DECLARE(overlap_work)

const char *const gb_load_words[GB_LOADS + 1] = {"compute", "memory", "launch", "copies", NULL};

uint64_t gb_load_elements(const gb_load_spec *spec)
{
    static const uint64_t most[GB_LOADS] = {
        GB_LOAD_COMPUTE_BYTES,
        UINT64_MAX,
        GB_LOAD_LAUNCH_BYTES,
        UINT64_MAX,
    };
    const uint64_t bytes = spec->bytes < most[spec->kind] ? spec->bytes : most[spec->kind];
    return bytes / sizeof(uint32_t);
}

uint32_t gb_load_rounds(const gb_load_spec *spec)
{
    return spec->kind == GB_LOAD_COMPUTE ? spec->rounds : spec->kind == GB_LOAD_COPIES ? 0 : 1;
}

void gb_load_need(const gb_load_spec *spec, gb_device_kind kind, gb_need *need)
{
    const uint64_t bytes = gb_load_elements(spec) * sizeof(uint32_t);
    *need = (gb_need){.device_bytes = 2 * bytes};
    if (spec->kind != GB_LOAD_COPIES)
        return;
    need->device_bytes = bytes;
    if (kind == GB_CPU)
        need->host_bytes = 2 * bytes;
    else
        need->pinned_bytes = 2 * bytes;
}

gb_code gb_load_prepare(gb_run *run, const gb_load_spec *spec, gb_load *out, gb_error *err)
{
    gb_device *dev = run->dev;
    const bool copies = spec->kind == GB_LOAD_COPIES;
    const gb_memory_kind host = dev->info.kind == GB_CPU ? GB_MEM_PAGEABLE : GB_MEM_PINNED;
    const gb_memory_kind kind = copies ? host : GB_MEM_DEVICE;
    *out = (gb_load){.spec = *spec,
                     .n = gb_load_elements(spec),
                     .seed = run->seed,
                     .rounds = gb_load_rounds(spec)};
    const size_t bytes = (size_t)out->n * sizeof(uint32_t);
    gb_code code = dev->ops->alloc(dev, kind, bytes, &out->in, err);
    if (code == GB_OK)
        code = dev->ops->alloc(dev, kind, bytes, &out->out, err);
    if (code == GB_OK && copies)
        code = dev->ops->alloc(dev, GB_MEM_DEVICE, bytes, &out->buffer, err);
    return code == GB_OK ? gb_memory_write(run, &out->in, sizeof(uint32_t), out->n, gb_make_words32,
                                           &out->seed, err)
                         : code;
}

static gb_code enqueue_copies(gb_run *run, gb_load *load, gb_error *err)
{
    const gb_device_ops *ops = run->dev->ops;
    gb_code code = ops->copy(run->dev, run->stream, load->buffer.device, load->in.host,
                             load->in.bytes, GB_COPY_H2D, err);
    return code == GB_OK ? ops->copy(run->dev, run->stream, load->out.host, load->buffer.device,
                                     load->out.bytes, GB_COPY_D2H, err)
                         : code;
}

gb_code gb_load_enqueue(gb_run *run, gb_load *load, gb_error *err)
{
    if (load->spec.kind == GB_LOAD_COPIES)
        return enqueue_copies(run, load, err);
    gb_affine step = gb_affine_step;
    /* 4 elements a thread on a GPU; the kernel covers all of them whatever the grid is */
    const gb_launch launch = gb_launch_shape(run->dev, (load->n + 3) / 4, GB_BLOCK);
    return run->dev->ops->launch(
        run->dev, run->stream, GB_FN(overlap_work), &launch,
        (void *[]){&load->out.device, &load->in.device, &load->n, &load->rounds, &step.a, &step.b},
        err);
}

gb_code gb_load_poison(gb_run *run, const gb_load *load, gb_error *err)
{
    gb_code code = gb_memory_poison(run, &load->out, err);
    return code == GB_OK && load->buffer.bytes > 0 ? gb_memory_poison(run, &load->buffer, err)
                                                   : code;
}

gb_code gb_load_verify(gb_run *run, const gb_load *load, gb_error *err)
{
    static const char *const what[GB_LOADS] = {
        [GB_LOAD_COMPUTE] = "stability: array after all steps",
        [GB_LOAD_MEMORY] = "stability: array after one pass",
        [GB_LOAD_LAUNCH] = "stability: array after a launch",
        [GB_LOAD_COPIES] = "stability: array that was copied to the device and back",
    };
    return gb_affine_verify(run, &load->out, load->seed, load->rounds, what[load->spec.kind], err);
}

void gb_load_free(gb_run *run, gb_load *load)
{
    gb_memory *const all[] = {&load->buffer, &load->out, &load->in};
    for (size_t i = 0; i < GB_COUNT(all); i++)
        run->dev->ops->free(run->dev, all[i]);
}
