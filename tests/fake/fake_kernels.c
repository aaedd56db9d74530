/* Kernels in the fake runtime: nvcc's objects register their stubs here before main; a launch runs
 * the cpu code of the same name. */
#include "fake_internal.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device/simt/cpu_code.h"

enum { MAX_KERNELS = 1024, MAX_ARGUMENTS = 64 };

static fake_kernel kernels[MAX_KERNELS];
static size_t n_kernels;

/* --- what the objects of nvcc call ------------------------------------------------------------ */

void **__cudaRegisterFatBinary(void *binary);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
char __cudaInitModule(void **handle);
void __cudaRegisterFunction(void **handle, const char *stub, char *function, const char *name,
                            int threads, uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid,
                            int *size);
void __cudaRegisterVar(void **handle, char *host, char *address, const char *name, int ext,
                       size_t size, int constant, int global);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
cudaError_t __cudaGetKernel(void **kernel, const void *stub);
cudaError_t __cudaLaunchKernel(void *kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream);

void **__cudaRegisterFatBinary(void *binary)
{
    static void *handle;
    handle = binary;
    return &handle;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

void __cudaUnregisterFatBinary(void **handle)
{
    (void)handle;
}

char __cudaInitModule(void **handle)
{
    (void)handle;
    return 0;
}

/* "_Z5triadPfS_m" -> "triad" */
static void plain_name(const char *mangled, char *out, size_t size)
{
    char *end = NULL;
    long length = strncmp(mangled, "_Z", 2) == 0 ? strtol(mangled + 2, &end, 10) : 0;
    if (length > 0 && (size_t)length <= strlen(end))
        snprintf(out, size, "%.*s", (int)length, end);
    else
        snprintf(out, size, "%s", mangled);
}

void __cudaRegisterFunction(void **handle, const char *stub, char *function, const char *name,
                            int threads, uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid, int *size)
{
    (void)handle, (void)function, (void)threads, (void)tid, (void)bid, (void)block, (void)grid;
    (void)size;
    if (n_kernels == MAX_KERNELS)
        abort();
    kernels[n_kernels].stub = stub;
    plain_name(name, kernels[n_kernels].name, sizeof kernels[n_kernels].name);
    n_kernels++;
}

void __cudaRegisterVar(void **handle, char *host, char *address, const char *name, int ext,
                       size_t size, int constant, int global)
{
    (void)handle, (void)host, (void)address, (void)name, (void)ext, (void)size, (void)constant;
    (void)global;
}

/* The <<<>>> way of launching, which nothing here uses. */
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream)
{
    (void)grid, (void)block, (void)shared, (void)stream;
    return 1;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    (void)grid, (void)block, (void)shared, (void)stream;
    return cudaErrorMissingConfiguration;
}

cudaError_t __cudaGetKernel(void **kernel, const void *stub)
{
    (void)kernel, (void)stub;
    return cudaErrorNotSupported;
}

cudaError_t __cudaLaunchKernel(void *kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream)
{
    (void)kernel, (void)grid, (void)block, (void)args, (void)shared, (void)stream;
    return cudaErrorNotSupported;
}

fake_kernel *fake_kernel_of(const void *stub)
{
    for (size_t i = 0; i < n_kernels; i++)
        if (kernels[i].stub == stub)
            return &kernels[i];
    return NULL;
}

/* --- the device's own kernels ----------------------------------------------------------------- */

static uint64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static gb_code run_gate(const gb_launch *launch, uint64_t first, uint64_t end, void *const args[],
                        void *shared, gb_error *err)
{
    volatile uint32_t *flags = *(volatile uint32_t **)args[0];
    uint32_t ticket = *(uint32_t *)args[1];
    unsigned long long limit = *(unsigned long long *)args[2];
    uint64_t start = clock_ns();
    (void)launch, (void)first, (void)end, (void)shared, (void)err;
    while ((int32_t)(flags[0] - ticket) < 0) {
        if (clock_ns() - start > limit) {
            flags[1] = ticket;
            break;
        }
    }
    return GB_OK;
}

static gb_code run_flush(const gb_launch *launch, uint64_t first, uint64_t end, void *const args[],
                         void *shared, gb_error *err)
{
    (void)launch, (void)first, (void)end, (void)shared, (void)err;
    memset(*(void **)args[0], *(unsigned *)args[2] & 0xFF, *(size_t *)args[1] * 16);
    return GB_OK;
}

static const uint32_t gate_bytes[] = {sizeof(void *), 4, 8};
static const uint32_t flush_bytes[] = {sizeof(void *), sizeof(size_t), 4};
static const gb_cpu_code own[] = {
    {.name = "gb_gate", .n_params = 3, .param_bytes = gate_bytes, .run = run_gate},
    {.name = "gb_flush", .n_params = 3, .param_bytes = flush_bytes, .run = run_flush},
};

static const gb_cpu_code *code_of(const char *name)
{
    char symbol[160];
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(own[i].name, name) == 0)
            return &own[i];
    snprintf(symbol, sizeof symbol, "gb_cpu_code_%s_generic", name);
    return dlsym(RTLD_DEFAULT, symbol); /* the program exports its symbols */
}

/* --- launching -------------------------------------------------------------------------------- */

typedef struct launching {
    const gb_cpu_code *code;
    gb_launch launch;
    int error; /* the kernel ends with this one */
    size_t offsets[MAX_ARGUMENTS];
    max_align_t args[];
} launching;

static void run_kernel(const fake_op *op)
{
    const launching *l = op->data;
    void *args[MAX_ARGUMENTS];
    void *shared = NULL;
    gb_error err = {0};
    for (uint32_t i = 0; i < l->code->n_params; i++)
        args[i] = (char *)(uintptr_t)l->args + l->offsets[i];
    if (l->error != 0) {
        fake_async_error((cudaError_t)l->error);
        return;
    }
    if (l->launch.shared_bytes > 0 && posix_memalign(&shared, 64, l->launch.shared_bytes) != 0)
        abort();
    uint64_t blocks = (uint64_t)l->launch.grid[0] * l->launch.grid[1] * l->launch.grid[2];
    if (l->code->run(&l->launch, 0, blocks, args, shared, &err) != GB_OK) {
        fprintf(stderr, "fake cuda: %s: %s\n", l->code->name, err.message);
        fake_async_error(cudaErrorLaunchFailure);
    }
    free(shared);
}

/* FAKE_CUDA_KERNEL_ERROR: "triad=700": the kernel of that name fails while it runs. */
static int kernel_error(const char *name)
{
    const char *text = fake_get()->kernel_error;
    size_t length = strlen(name);
    if (!text || strncmp(text, name, length) != 0 || text[length] != '=')
        return 0;
    return (int)strtol(text + length + 1, NULL, 10);
}

/* Loading a module at its kernel's first launch takes its time on the host. */
static void first_launch(fake_kernel *kernel)
{
    long ms = fake_get()->first_call_ms;
    struct timespec pause = {ms / 1000, ms % 1000 * 1000000};
    if (!kernel->used && ms > 0)
        nanosleep(&pause, NULL);
    kernel->used = true;
}

static bool valid_launch(dim3 grid, dim3 block, size_t shared)
{
    uint64_t threads = (uint64_t)block.x * block.y * block.z;
    return threads >= 1 && threads <= 1024 && grid.x >= 1 && grid.y >= 1 && grid.z >= 1 &&
           grid.x <= 2147483647u && grid.y <= 65535 && grid.z <= 65535 && shared <= 101376;
}

cudaError_t cudaLaunchKernel(const void *stub, dim3 grid, dim3 block, void **args, size_t shared,
                             cudaStream_t stream)
{
    cudaError_t status = fake_enter(__func__);
    if (status != cudaSuccess)
        return status;
    fake_kernel *kernel = fake_kernel_of(stub);
    if (!kernel)
        return fake_fail(cudaErrorInvalidDeviceFunction);
    if (!valid_launch(grid, block, shared))
        return fake_fail(cudaErrorInvalidConfiguration);
    const gb_cpu_code *code = code_of(kernel->name);
    if (!code || code->n_params > MAX_ARGUMENTS) {
        fprintf(stderr, "fake cuda: no cpu code for kernel %s\n", kernel->name);
        return fake_fail(cudaErrorNotSupported);
    }
    first_launch(kernel);
    size_t bytes = 0;
    launching head = {
        .code = code,
        .launch = {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, (uint32_t)shared},
        .error = kernel_error(kernel->name)};
    for (uint32_t i = 0; i < code->n_params; i++) {
        head.offsets[i] = bytes;
        bytes += (code->param_bytes[i] + 15u) & ~(size_t)15;
    }
    launching *all = calloc(1, sizeof *all + bytes);
    if (!all)
        abort();
    memcpy(all, &head, sizeof head);
    for (uint32_t i = 0; i < code->n_params; i++)
        memcpy((char *)all->args + head.offsets[i], args[i], code->param_bytes[i]);
    status = fake_enqueue(stream, run_kernel, OP_KERNEL, true, all, sizeof *all + bytes);
    free(all);
    return status;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *out, const void *stub)
{
    cudaError_t status = fake_enter(__func__);
    if (status != cudaSuccess)
        return status;
    if (!fake_kernel_of(stub))
        return fake_fail(cudaErrorInvalidDeviceFunction);
    memset(out, 0, sizeof *out);
    out->sharedSizeBytes = fake_get()->static_shared;
    out->maxThreadsPerBlock = 1024;
    out->numRegs = 32;
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *stub,
                                                          int threads, size_t shared)
{
    cudaError_t status = fake_enter(__func__);
    if (status != cudaSuccess)
        return status;
    if (!fake_kernel_of(stub))
        return fake_fail(cudaErrorInvalidDeviceFunction);
    (void)threads;
    /* 100 KiB an SM, and 1 KiB of it for the system a block, as with compute capability 8.6. */
    const int most = fake_get()->resident_blocks, fit = (int)(102400 / (shared + 1024));
    *blocks = shared > 0 && fit < most ? fit : most;
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *stub, enum cudaFuncAttribute attribute, int value)
{
    cudaError_t status = fake_enter(__func__);
    (void)attribute;
    if (status != cudaSuccess)
        return status;
    if (!fake_kernel_of(stub))
        return fake_fail(cudaErrorInvalidDeviceFunction);
    return (size_t)value + fake_get()->static_shared <= 101376 ? cudaSuccess
                                                               : fake_fail(cudaErrorInvalidValue);
}
