/* Finding CUDA devices and reading their facts. Nothing here makes a context, except where the
 * free memory can be had in no other way. */
#include "device/device_cuda.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build_info.h"
#include "device/cuda_facts.h"
#include "device/numa.h"

int gb_device_cuda_toolkit(void)
{
    return CUDART_VERSION;
}

const char *gb_device_cuda_architectures(void)
{
    return GB_CUDA_ARCHITECTURES;
}

const char *gb_device_cuda_minimum_driver(void)
{
    return gb_cuda_minimum_driver(CUDART_VERSION);
}

gb_code gb_device_cuda_count(int *count, gb_error *err)
{
    *count = 0;
    cudaError_t status = cudaGetDeviceCount(count);
    if (status != cudaSuccess) {
        *count = 0;
        return gb_cuda_fail_open("cudaGetDeviceCount", status, -1, err);
    }
    if (*count == 0)
        return gb_cuda_fail_open("cudaGetDeviceCount", cudaErrorNoDevice, -1, err);
    return GB_OK;
}

/* An attribute, 0 when it cannot be read: one missing fact must not hide the others. A lost context
 * is another thing. */
static uint32_t attribute(enum cudaDeviceAttr which, int index)
{
    int value = 0;
    if (cudaDeviceGetAttribute(&value, which, index) != cudaSuccess) {
        (void)cudaGetLastError();
        return 0;
    }
    return value > 0 ? (uint32_t)value : 0;
}

static gb_tristate tristate(enum cudaDeviceAttr which, int index)
{
    int value = 0;
    if (cudaDeviceGetAttribute(&value, which, index) != cudaSuccess) {
        (void)cudaGetLastError();
        return GB_UNKNOWN;
    }
    return value != 0 ? GB_YES : GB_NO;
}

static void version_text(cudaError_t (*query)(int *), char *out, size_t size)
{
    int version = 0;
    if (query(&version) == cudaSuccess && version > 0)
        snprintf(out, size, "%d.%d", version / 1000, version % 1000 / 10);
    else
        (void)cudaGetLastError();
}

static void uuid_text(const unsigned char b[16], char *out, size_t size)
{
    snprintf(out, size, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
             b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13],
             b[14], b[15]);
}

/* The NUMA node of the slot, from sysfs; -1 there means that the machine has no such thing. */
static void numa_node(const struct cudaDeviceProp *prop, char *out, size_t size)
{
    char path[128];
    int node = -1;
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%04x:%02x:%02x.0/numa_node",
             (unsigned)prop->pciDomainID, (unsigned)prop->pciBusID, (unsigned)prop->pciDeviceID);
    FILE *file = fopen(path, "re");
    if (!file)
        return;
    if (fscanf(file, "%d", &node) == 1 && node >= 0)
        snprintf(out, size, "%d", node);
    fclose(file);
}

/* A variable that is set to something other than 0. */
static bool environment_on(const char *name)
{
    const char *value = getenv(name);
    return value && value[0] != '\0' && strcmp(value, "0") != 0;
}

/* Profilers inject a library into the process; their launchers say so in the environment. */
static bool profiler_attached(void)
{
    static const char *const variables[] = {"CUDA_INJECTION64_PATH", "NSYS_PROFILING_SESSION_ID",
                                            "NV_NSIGHT_INJECTION_TRANSPORT_TYPE", "COMPUTE_PROFILE",
                                            "CUDA_PROFILE"};
    static const char *const libraries[] = {"libToolsInjection", "libcuda-injection",
                                            "libsanitizer-collection", "libnvperf_target"};
    char path[256];
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (environment_on(variables[i]))
            return true;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (gb_cuda_mapped_file(libraries[i], path, sizeof path))
            return true;
    return false;
}

static void fill_limits(int index, gb_device_info *info)
{
    info->units = attribute(cudaDevAttrMultiProcessorCount, index);
    info->warp_size = attribute(cudaDevAttrWarpSize, index);
    info->clock_khz = attribute(cudaDevAttrClockRate, index);
    info->memory_clock_khz = attribute(cudaDevAttrMemoryClockRate, index);
    info->bus_bits = attribute(cudaDevAttrGlobalMemoryBusWidth, index);
    info->llc_bytes = attribute(cudaDevAttrL2CacheSize, index);
    info->max_threads_per_block = attribute(cudaDevAttrMaxThreadsPerBlock, index);
    info->max_grid[0] = attribute(cudaDevAttrMaxGridDimX, index);
    info->max_grid[1] = attribute(cudaDevAttrMaxGridDimY, index);
    info->max_grid[2] = attribute(cudaDevAttrMaxGridDimZ, index);
    info->shared_per_block = attribute(cudaDevAttrMaxSharedMemoryPerBlock, index);
    info->shared_per_block_optin = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, index);
    info->async_engines = attribute(cudaDevAttrAsyncEngineCount, index);
    info->ecc = tristate(cudaDevAttrEccEnabled, index);
    info->integrated = tristate(cudaDevAttrIntegrated, index);
}

gb_code gb_cuda_read_info(int index, gb_device_info *info, gb_error *err)
{
    struct cudaDeviceProp prop;
    memset(info, 0, sizeof *info);
    memset(&prop, 0, sizeof prop);
    cudaError_t status = cudaGetDeviceProperties(&prop, index);
    if (status != cudaSuccess)
        return gb_cuda_fail_open("cudaGetDeviceProperties", status, index, err);
    info->kind = GB_CUDA;
    info->index = index;
    snprintf(info->name, sizeof info->name, "%.*s", (int)sizeof prop.name, prop.name);
    unsigned char uuid[16];
    memcpy(uuid, &prop.uuid, sizeof uuid);
    uuid_text(uuid, info->uuid, sizeof info->uuid);
    snprintf(info->pci, sizeof info->pci, "%08x:%02x:%02x.0", (unsigned)prop.pciDomainID,
             (unsigned)prop.pciBusID, (unsigned)prop.pciDeviceID);
    version_text(cudaDriverGetVersion, info->driver, sizeof info->driver);
    version_text(cudaRuntimeGetVersion, info->runtime, sizeof info->runtime);
    numa_node(&prop, info->numa_node, sizeof info->numa_node);
    gb_numa_describe("", info->numa_node, info->numa_bound, sizeof info->numa_bound);
    info->cc_major = prop.major;
    info->cc_minor = prop.minor;
    info->memory_bytes = prop.totalGlobalMem;
    fill_limits(index, info);
    info->pinned_limit_bytes = UINT64_MAX;
    for (int kind = 0; kind < GB_MEMORY_KINDS; kind++)
        info->memory_kinds[kind] = true;
    info->memory_kinds[GB_MEM_MAPPED] = attribute(cudaDevAttrCanMapHostMemory, index) != 0;
    info->memory_kinds[GB_MEM_MANAGED] = attribute(cudaDevAttrManagedMemory, index) != 0;
    info->event_resolution_ns = 500;
    info->synchronous_launches = environment_on("CUDA_LAUNCH_BLOCKING");
    info->profiler = profiler_attached();
    return GB_OK;
}

gb_code gb_cuda_check_index(int index, gb_error *err)
{
    int count = 0;
    gb_code code = gb_device_cuda_count(&count, err);
    if (code != GB_OK)
        return code;
    if (index < 0 || index >= count)
        return gb_fail(err, GB_NO_DEVICE, "device cuda:%d: only %d available (cuda:0%s%d)", index,
                       count, count > 1 ? " to cuda:" : "", count - 1);
    return GB_OK;
}

gb_code gb_device_cuda_info(int index, gb_device_info *out, gb_error *err)
{
    char reason[128];
    gb_code code = gb_cuda_check_index(index, err);
    if (code == GB_OK)
        code = gb_cuda_read_info(index, out, err);
    if (code != GB_OK)
        return code;
    gb_nvml *nvml = gb_nvml_open(out->pci, out->uuid, reason, sizeof reason);
    if (nvml)
        gb_nvml_info(nvml, out);
    gb_nvml_close(nvml);
    if (out->free_bytes == 0) { /* costs a context, so only without NVML */
        size_t free = 0, total = 0;
        code = gb_cuda_bind(index, err);
        if (code != GB_OK)
            return code;
        cudaError_t status = cudaMemGetInfo(&free, &total);
        if (status != cudaSuccess)
            return gb_cuda_fail_open("cudaMemGetInfo", status, index, err);
        out->free_bytes = free;
    }
    return GB_OK;
}

gb_code gb_cuda_bind(int index, gb_error *err)
{
    static _Thread_local int current = -1;
    if (current == index)
        return GB_OK;
    cudaError_t status = cudaSetDevice(index);
    if (status != cudaSuccess)
        return gb_cuda_fail_open("cudaSetDevice", status, index, err);
    current = index;
    return GB_OK;
}
