/* The cuda device: the table of operations, opening and closing, streams and events. */
#include "device/device_cuda.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "build_info.h"
#include "device/cuda_facts.h"
#include "device/numa.h"

static uint64_t now_ns(gb_device *dev)
{
    struct timespec t;
    (void)dev;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static gb_code stream_create(gb_device *dev, gb_stream **out, gb_error *err)
{
    cudaStream_t stream = NULL;
    *out = NULL;
    gb_code code = gb_cuda_bind(gb_cuda_of(dev)->index, err);
    if (code != GB_OK)
        return code;
    cudaError_t status = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (status != cudaSuccess)
        return gb_cuda_fail("cudaStreamCreateWithFlags", status, err);
    *out = (gb_stream *)stream;
    return GB_OK;
}

static void stream_destroy(gb_device *dev, gb_stream *stream)
{
    (void)dev;
    if (stream && cudaStreamDestroy((cudaStream_t)stream) != cudaSuccess)
        (void)cudaGetLastError();
}

static gb_code stream_sync(gb_device *dev, gb_stream *stream, gb_error *err)
{
    cudaError_t status = cudaStreamSynchronize((cudaStream_t)stream);
    return status == cudaSuccess
               ? GB_OK
               : gb_cuda_fail_open("cudaStreamSynchronize", status, gb_cuda_of(dev)->index, err);
}

static gb_code sync_all(gb_device *dev, gb_error *err)
{
    int index = gb_cuda_of(dev)->index;
    gb_code code = gb_cuda_bind(index, err);
    if (code != GB_OK)
        return code;
    cudaError_t status = cudaDeviceSynchronize();
    return status == cudaSuccess ? GB_OK
                                 : gb_cuda_fail_open("cudaDeviceSynchronize", status, index, err);
}

static gb_code event_create(gb_device *dev, gb_event **out, gb_error *err)
{
    cudaEvent_t event = NULL;
    *out = NULL;
    gb_code code = gb_cuda_bind(gb_cuda_of(dev)->index, err);
    if (code != GB_OK)
        return code;
    cudaError_t status = cudaEventCreate(&event); /* with timing */
    if (status != cudaSuccess)
        return gb_cuda_fail("cudaEventCreate", status, err);
    *out = (gb_event *)event;
    return GB_OK;
}

static void event_destroy(gb_device *dev, gb_event *event)
{
    (void)dev;
    if (event && cudaEventDestroy((cudaEvent_t)event) != cudaSuccess)
        (void)cudaGetLastError();
}

static gb_code event_record(gb_device *dev, gb_event *event, gb_stream *stream, gb_error *err)
{
    (void)dev;
    cudaError_t status = cudaEventRecord((cudaEvent_t)event, (cudaStream_t)stream);
    return status == cudaSuccess ? GB_OK : gb_cuda_fail("cudaEventRecord", status, err);
}

static gb_code stream_wait(gb_device *dev, gb_stream *stream, gb_event *event, gb_error *err)
{
    (void)dev;
    cudaError_t status = cudaStreamWaitEvent((cudaStream_t)stream, (cudaEvent_t)event, 0);
    return status == cudaSuccess ? GB_OK : gb_cuda_fail("cudaStreamWaitEvent", status, err);
}

/* *ns is written on success only: a call that failed gives no sample. */
static gb_code elapsed_ns(gb_device *dev, gb_event *start, gb_event *stop, double *ns,
                          gb_error *err)
{
    float ms = 0.0f;
    cudaError_t status = cudaEventSynchronize((cudaEvent_t)stop);
    if (status != cudaSuccess)
        return gb_cuda_fail_open("cudaEventSynchronize", status, gb_cuda_of(dev)->index, err);
    status = cudaEventElapsedTime(&ms, (cudaEvent_t)start, (cudaEvent_t)stop);
    if (status != cudaSuccess)
        return gb_cuda_fail("cudaEventElapsedTime", status, err);
    if (!(ms >= 0.0f))
        return gb_fail(err, GB_DEVICE_ERROR, "cudaEventElapsedTime gave %g ms", (double)ms);
    *ns = (double)ms * 1e6;
    return GB_OK;
}

static void telemetry(gb_device *dev, gb_telemetry *out)
{
    gb_cuda *cuda = gb_cuda_of(dev);
    double *const fields[] = {&out->sm_clock_mhz,   &out->memory_clock_mhz, &out->temperature_c,
                              &out->power_w,        &out->utilization,      &out->pcie_gen,
                              &out->pcie_width,     &out->throttle_reasons, &out->other_processes,
                              &out->ecc_uncorrected};
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        *fields[i] = NAN;
    if (cuda->nvml) {
        gb_nvml_read(cuda->nvml, out);
        if (!cuda->counted) { /* once a process: they take long and say little about a case */
            gb_nvml_read_slow(cuda->nvml, true, &cuda->counts);
            cuda->counted = true;
        }
        out->other_processes = cuda->counts.other_processes;
        out->ecc_uncorrected = cuda->counts.ecc_uncorrected;
    } else {
        snprintf(out->reason, sizeof out->reason, "%s", cuda->nvml_reason);
    }
}

static void cuda_close(gb_device *dev)
{
    gb_cuda *cuda = gb_cuda_of(dev);
    gb_cuda_blas_close(cuda->blas);
    gb_cuda_helpers_close(cuda);
    gb_nvml_close(cuda->nvml);
    (void)cudaGetLastError();
    free(cuda);
}

static const gb_device_ops cuda_ops = {
    .close = cuda_close,
    .now_ns = now_ns,
    .memory_info = gb_cuda_memory_info,
    .alloc = gb_cuda_alloc,
    .free = gb_cuda_free,
    .alloc_async = gb_cuda_alloc_async,
    .free_async = gb_cuda_free_async,
    .pool_trim = gb_cuda_pool_trim,
    .stream_create = stream_create,
    .stream_destroy = stream_destroy,
    .stream_sync = stream_sync,
    .sync = sync_all,
    .event_create = event_create,
    .event_destroy = event_destroy,
    .event_record = event_record,
    .stream_wait = stream_wait,
    .elapsed_ns = elapsed_ns,
    .copy = gb_cuda_copy,
    .fill = gb_cuda_fill,
    .prefetch = gb_cuda_prefetch,
    .launch = gb_cuda_launch,
    .blocks_per_unit = gb_cuda_blocks_per_unit,
    .capture_begin = gb_cuda_capture_begin,
    .capture_end = gb_cuda_capture_end,
    .graph_nodes = gb_cuda_graph_nodes,
    .graph_instantiate = gb_cuda_graph_instantiate,
    .graph_update = gb_cuda_graph_update,
    .graph_launch = gb_cuda_graph_launch,
    .graph_destroy = gb_cuda_graph_destroy,
    .gate_hold = gb_cuda_gate_hold,
    .gate_release = gb_cuda_gate_release,
    .gate_finish = gb_cuda_gate_finish,
    .flush_cache = gb_cuda_flush_cache,
    .gemm = gb_cuda_gemm,
    .sort = gb_cuda_sort,
    .telemetry = telemetry,
};

/* Makes the context, with the free memory before anything of ours is allocated. */
static gb_code open_context(gb_cuda *cuda, gb_error *err)
{
    int concurrent = 0;
    uint64_t total = 0;
    gb_code code = gb_cuda_bind(cuda->index, err);
    if (code != GB_OK)
        return code;
    cudaError_t status = cudaFree(NULL); /* up to CUDA 11 cudaSetDevice makes no context */
    if (status != cudaSuccess)
        return gb_cuda_fail_open("cudaFree", status, cuda->index, err);
    code = gb_cuda_memory_info(&cuda->base, &cuda->base.info.free_bytes, &total, err);
    if (code != GB_OK)
        return code;
    if (cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, cuda->index) !=
        cudaSuccess)
        (void)cudaGetLastError();
    cuda->concurrent_managed = concurrent != 0;
    return GB_OK;
}

gb_code gb_device_cuda_open(int index, gb_device **out, gb_error *err)
{
    *out = NULL;
    gb_cuda *cuda = calloc(1, sizeof *cuda);
    if (!cuda)
        return gb_fail(err, GB_NO_MEMORY, "out of memory for the device");
    cuda->base.ops = &cuda_ops;
    cuda->index = index;
    gb_code code = gb_cuda_check_index(index, err);
    if (code == GB_OK)
        code = gb_cuda_read_info(index, &cuda->base.info, err);
    if (code == GB_OK)
        code = gb_cuda_check_covers(GB_CUDA_ARCHITECTURES, cuda->base.info.cc_major,
                                    cuda->base.info.cc_minor, cuda->base.info.name, err);
    if (code != GB_OK)
        goto fail;
    gb_numa_bind("", cuda->base.info.numa_node); /* before the context starts its threads */
    cuda->nvml = gb_nvml_open(cuda->base.info.pci, cuda->base.info.uuid, cuda->nvml_reason,
                              sizeof cuda->nvml_reason);
    if (cuda->nvml)
        gb_nvml_info(cuda->nvml, &cuda->base.info);
    code = open_context(cuda, err);
    if (code != GB_OK)
        goto fail;
    code = gb_cuda_helpers_open(cuda, err);
    if (code != GB_OK)
        goto fail;
    *out = &cuda->base;
    return GB_OK;
fail:
    if (cuda->gate_memory.bytes > 0)
        gb_cuda_helpers_close(cuda);
    gb_nvml_close(cuda->nvml);
    free(cuda);
    return code;
}
