/* Devices and memory of the fake runtime. */
#include "fake_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/cuda_facts.h"
#include "fake_cuda.h"

typedef struct block {
    char *p;
    size_t bytes;
    int kind;
    struct block *next;
} block;

static block *blocks;
static size_t device_used, pinned_used;
static int live, wrong_releases;

/* --- leaks ------------------------------------------------------------------------------------ */

static void report_leaks(void)
{
    const char *policy = getenv("GPUBENCH_FAKE_LEAKS");
    if (live == 0 && wrong_releases == 0)
        return;
    fprintf(stderr, "fake cuda: %d objects alive at exit, %d wrong releases\n", live,
            wrong_releases);
    for (const block *b = blocks; b; b = b->next)
        fprintf(stderr, "fake cuda: %zu bytes of kind %d\n", b->bytes, b->kind);
    if (policy && strcmp(policy, "fatal") == 0)
        _exit(99);
}

void fake_count_live(int change, const char *what)
{
    static bool registered;
    if (!registered)
        registered = atexit(report_leaks) == 0;
    if (change == 0) {
        wrong_releases++;
        fprintf(stderr, "fake cuda: release of something that is not alive: %s\n", what);
    }
    live += change;
}

int fake_cuda_live(void)
{
    return live + wrong_releases;
}

/* --- memory ----------------------------------------------------------------------------------- */

static cudaError_t allocate(void **out, size_t bytes, int kind)
{
    const fake_settings *s = fake_get();
    bool on_device = kind == FAKE_DEVICE_MEMORY || kind == FAKE_MANAGED;
    size_t *used = on_device ? &device_used : &pinned_used;
    size_t limit = on_device ? s->memory : s->pinned_limit;
    if (bytes == 0) {
        *out = NULL;
        return cudaSuccess;
    }
    if (bytes > limit - *used)
        return fake_fail(cudaErrorMemoryAllocation);
    block *b = calloc(1, sizeof *b);
    void *p = NULL;
    if (!b || posix_memalign(&p, 4096, bytes) != 0) {
        free(b);
        return fake_fail(cudaErrorMemoryAllocation);
    }
    memset(p, 0xCD, bytes < 65536 ? bytes : 65536); /* nobody may count on zeros */
    *b = (block){.p = p, .bytes = bytes, .kind = kind, .next = blocks};
    blocks = b;
    *used += bytes;
    *out = p;
    fake_count_live(1, "memory");
    return cudaSuccess;
}

/* As in the real runtime, what waits in queues is finished first. It is given back whatever the
 * call returns: a caller cannot do more than ask. */
static void release(void *p, bool host)
{
    if (!p)
        return;
    if (fake_sticky() == cudaSuccess)
        fake_drain_all();
    for (block **at = &blocks; *at; at = &(*at)->next) {
        block *b = *at;
        bool is_host = b->kind == FAKE_PINNED || b->kind == FAKE_MAPPED;
        if (b->p != p || is_host != host)
            continue;
        *(is_host ? &pinned_used : &device_used) -= b->bytes;
        *at = b->next;
        free(b->p);
        free(b);
        fake_count_live(-1, "memory");
        return;
    }
    fake_count_live(0, "memory");
}

int fake_memory_kind(const void *p, size_t bytes)
{
    const char *from = p;
    for (const block *b = blocks; b; b = b->next)
        if (from >= b->p && from <= b->p + b->bytes && bytes <= (size_t)(b->p + b->bytes - from))
            return b->kind;
    return FAKE_UNKNOWN_MEMORY;
}

cudaError_t cudaMalloc(void **out, size_t bytes)
{
    cudaError_t status = fake_enter(__func__);
    if (status == cudaSuccess)
        status = fake_refuse_in_capture();
    return status == cudaSuccess ? allocate(out, bytes, FAKE_DEVICE_MEMORY) : status;
}

cudaError_t cudaMallocManaged(void **out, size_t bytes, unsigned flags)
{
    cudaError_t status = fake_enter(__func__);
    (void)flags;
    if (status == cudaSuccess)
        status = fake_refuse_in_capture();
    return status == cudaSuccess ? allocate(out, bytes, FAKE_MANAGED) : status;
}

cudaError_t cudaHostAlloc(void **out, size_t bytes, unsigned flags)
{
    cudaError_t status = fake_enter(__func__);
    if (status != cudaSuccess)
        return status;
    return allocate(out, bytes, flags & cudaHostAllocMapped ? FAKE_MAPPED : FAKE_PINNED);
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags)
{
    cudaError_t status = fake_enter(__func__);
    (void)flags;
    if (status != cudaSuccess)
        return status;
    if (fake_memory_kind(host, 1) != FAKE_MAPPED)
        return fake_fail(cudaErrorInvalidValue);
    *device = host;
    return cudaSuccess;
}

cudaError_t cudaFree(void *p)
{
    cudaError_t status = fake_enter(__func__);
    release(p, false);
    return status;
}

cudaError_t cudaFreeHost(void *p)
{
    cudaError_t status = fake_enter(__func__);
    release(p, true);
    return status;
}

cudaError_t cudaMemGetInfo(size_t *free_now, size_t *total)
{
    cudaError_t status = fake_enter(__func__);
    if (status != cudaSuccess)
        return status;
    *free_now = fake_get()->memory - device_used;
    *total = fake_get()->memory;
    return cudaSuccess;
}

/* --- the pool -------------------------------------------------------------------------------- */

/* What was freed stays with it, and counts as used, until it is trimmed or asked for again: the
 * smallest block that is large enough. */
static int gpu_of(int device);
static struct pooled {
    void *p;
    size_t bytes;
    bool in_use;
} pooled[64];
static const char pool_itself[1];

static cudaMemPool_t the_pool(void)
{
    return (cudaMemPool_t)(uintptr_t)pool_itself;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    cudaError_t status = fake_enter(__func__);
    if (status != cudaSuccess)
        return status;
    if (gpu_of(device) < 0)
        return fake_fail(cudaErrorInvalidDevice);
    *pool = the_pool();
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr which, void *value)
{
    cudaError_t status = fake_enter(__func__);
    if (status != cudaSuccess)
        return status;
    if (pool != the_pool() || which != cudaMemPoolAttrReleaseThreshold ||
        *(const unsigned long long *)value != UINT64_MAX)
        return fake_fail(cudaErrorInvalidValue);
    return cudaSuccess;
}

static struct pooled *find_pooled(size_t bytes)
{
    struct pooled *best = NULL;
    for (size_t i = 0; i < sizeof pooled / sizeof *pooled; i++) {
        struct pooled *b = &pooled[i];
        if (b->p && !b->in_use && b->bytes >= bytes && (!best || b->bytes < best->bytes))
            best = b;
    }
    for (size_t i = 0; !best && i < sizeof pooled / sizeof *pooled; i++)
        if (!pooled[i].p)
            best = &pooled[i];
    return best;
}

cudaError_t cudaMallocFromPoolAsync(void **out, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream)
{
    cudaError_t status = fake_enter(__func__);
    (void)stream;
    if (status != cudaSuccess)
        return status;
    struct pooled *b = find_pooled(bytes);
    if (pool != the_pool() || !b)
        return fake_fail(cudaErrorInvalidValue);
    if (!b->p) {
        status = allocate(&b->p, bytes, FAKE_DEVICE_MEMORY);
        if (status != cudaSuccess)
            return status;
        b->bytes = bytes;
        fake_count_live(-1, "memory of the pool"); /* the pool's own, until somebody has it */
    }
    b->in_use = true;
    fake_count_live(1, "memory");
    *out = b->p;
    return cudaSuccess;
}

cudaError_t cudaFreeAsync(void *p, cudaStream_t stream)
{
    cudaError_t status = fake_enter(__func__);
    fake_drain(stream);
    for (size_t i = 0; i < sizeof pooled / sizeof *pooled; i++) {
        if (pooled[i].p == p && pooled[i].in_use) {
            pooled[i].in_use = false;
            fake_count_live(-1, "memory");
            return status;
        }
    }
    fake_count_live(0, "memory of the pool");
    return status;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep)
{
    cudaError_t status = fake_enter(__func__);
    if (status != cudaSuccess)
        return status;
    if (pool != the_pool() || keep != 0)
        return fake_fail(cudaErrorInvalidValue);
    for (size_t i = 0; i < sizeof pooled / sizeof *pooled; i++) {
        if (!pooled[i].p || pooled[i].in_use)
            continue;
        fake_count_live(1, "memory of the pool");
        release(pooled[i].p, false);
        pooled[i] = (struct pooled){0};
    }
    return cudaSuccess;
}

/* --- devices ---------------------------------------------------------------------------------- */

static void uuid_of(int gpu, unsigned char uuid[16])
{
    for (int i = 0; i < 16; i++)
        uuid[i] = (unsigned char)(gpu * 16 + i);
}

/* Index in the machine of a visible device; -1: none. */
static int gpu_of(int device)
{
    gb_visible visible;
    int found = 0;
    int gpus = fake_get()->devices;
    gb_visible_parse(getenv("CUDA_VISIBLE_DEVICES"), &visible);
    if (!visible.set)
        return device >= 0 && device < gpus ? device : -1;
    for (size_t i = 0; i < visible.count; i++) {
        const gb_visible_entry *e = &visible.entries[i];
        int gpu = e->index;
        for (int g = 0; e->kind == GB_VISIBLE_GPU && g < gpus; g++) {
            unsigned char uuid[16];
            char text[16];
            uuid_of(g, uuid);
            snprintf(text, sizeof text, "GPU-%02x%02x%02x%02x", uuid[0], uuid[1], uuid[2], uuid[3]);
            if (strncmp(text, e->text, strlen(e->text) < 12 ? strlen(e->text) : 12) == 0)
                gpu = g;
        }
        if (gpu < 0 || gpu >= gpus)
            return -1;
        if (found++ == device)
            return gpu;
    }
    return -1;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    cudaError_t status = fake_enter(__func__);
    if (status != cudaSuccess)
        return status;
    if (fake_get()->driver < CUDART_VERSION / 1000 * 1000)
        return fake_fail(cudaErrorInsufficientDriver);
    *count = 0;
    while (gpu_of(*count) >= 0)
        ++*count;
    return *count > 0 ? cudaSuccess : fake_fail(cudaErrorNoDevice);
}

cudaError_t cudaSetDevice(int device)
{
    cudaError_t status = fake_enter(__func__);
    if (status != cudaSuccess)
        return status;
    return gpu_of(device) >= 0 ? cudaSuccess : fake_fail(cudaErrorInvalidDevice);
}

cudaError_t cudaDriverGetVersion(int *version)
{
    cudaError_t status = fake_enter(__func__);
    if (status == cudaSuccess)
        *version = fake_get()->driver;
    return status;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    cudaError_t status = fake_enter(__func__);
    if (status == cudaSuccess)
        *version = CUDART_VERSION;
    return status;
}

/* FAKE_CUDA_ATTRIBUTES: "13=0,36=!801": attribute 13 reads 0, 36 fails with 801. */
static bool overridden(int which, int *value, cudaError_t *status)
{
    const char *at = fake_get()->attributes;
    for (; at && *at != '\0'; at = strchr(at, ',')) {
        char *end;
        at += *at == ',';
        if (strtol(at, &end, 10) != which || *end != '=')
            continue;
        *status = end[1] == '!' ? (cudaError_t)strtol(end + 2, NULL, 10) : cudaSuccess;
        *value = end[1] == '!' ? 0 : (int)strtol(end + 1, NULL, 10);
        return true;
    }
    return false;
}

static const struct {
    enum cudaDeviceAttr which;
    int value;
} attributes[] = {
    {cudaDevAttrMaxThreadsPerBlock, 1024},
    {cudaDevAttrMaxGridDimX, 2147483647},
    {cudaDevAttrMaxGridDimY, 65535},
    {cudaDevAttrMaxGridDimZ, 65535},
    {cudaDevAttrMaxSharedMemoryPerBlock, 49152},
    {cudaDevAttrMaxSharedMemoryPerBlockOptin, 101376},
    {cudaDevAttrWarpSize, 32},
    {cudaDevAttrClockRate, 1500000},
    {cudaDevAttrMemoryClockRate, 2000000},
    {cudaDevAttrGlobalMemoryBusWidth, 512},
    {cudaDevAttrL2CacheSize, 1 << 20},
    {cudaDevAttrMultiProcessorCount, 4},
    {cudaDevAttrIntegrated, 0},
    {cudaDevAttrCanMapHostMemory, 1},
    {cudaDevAttrComputeMode, 0},
    {cudaDevAttrEccEnabled, 1},
    {cudaDevAttrAsyncEngineCount, 2},
    {cudaDevAttrManagedMemory, 1},
    {cudaDevAttrConcurrentManagedAccess, 1},
    {cudaDevAttrMemoryPoolsSupported, 1},
};

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr which, int device)
{
    cudaError_t status = fake_enter(__func__);
    if (status != cudaSuccess)
        return status;
    if (gpu_of(device) < 0)
        return fake_fail(cudaErrorInvalidDevice);
    if (overridden((int)which, value, &status))
        return status == cudaSuccess ? status : fake_fail(status);
    if (which == cudaDevAttrComputeCapabilityMajor || which == cudaDevAttrComputeCapabilityMinor) {
        *value = which == cudaDevAttrComputeCapabilityMajor ? fake_get()->cc_major
                                                            : fake_get()->cc_minor;
        return cudaSuccess;
    }
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        if (attributes[i].which == which) {
            *value = attributes[i].value;
            return cudaSuccess;
        }
    }
    return fake_fail(cudaErrorInvalidValue);
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
    cudaError_t status = fake_enter(__func__);
    if (status != cudaSuccess)
        return status;
    int gpu = gpu_of(device);
    if (gpu < 0)
        return fake_fail(cudaErrorInvalidDevice);
    memset(prop, 0, sizeof *prop);
    snprintf(prop->name, sizeof prop->name, "Fake GPU %d", gpu);
    unsigned char uuid[16];
    uuid_of(gpu, uuid);
    memcpy(&prop->uuid, uuid, sizeof uuid);
    prop->totalGlobalMem = fake_get()->memory;
    prop->major = fake_get()->cc_major;
    prop->minor = fake_get()->cc_minor;
    prop->pciDomainID = 0;
    prop->pciBusID = 0x10 + gpu;
    prop->pciDeviceID = 0;
    return cudaSuccess;
}
