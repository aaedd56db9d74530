#include "fake_internal.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device/cuda_facts.h"
#include "fake_cuda.h"

static fake_settings settings;
static bool loaded;
static long fail_call, fail_with;
static _Atomic long own_count;
static _Atomic long *count = &own_count; /* shared by all processes of a run when there is a file */
static cudaError_t last_error, sticky_error;

static long number(const char *name, long otherwise)
{
    const char *text = getenv(name);
    return text && text[0] != '\0' ? strtol(text, NULL, 10) : otherwise;
}

/* A file of one long, mapped by every process: the n-th call of a whole run can fail. */
static void open_count_file(void)
{
    const char *path = getenv("FAKE_CUDA_COUNT_FILE");
    count = &own_count;
    if (!path)
        return;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0 && ftruncate(fd, sizeof(long)) == 0) {
        void *map = mmap(NULL, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (map != MAP_FAILED)
            count = map;
    }
    if (fd >= 0)
        close(fd);
}

static void load_copy_fault(void)
{
    const char *text = getenv("FAKE_CUDA_COPY");
    settings.copy_fault = FAKE_COPY_FINE;
    if (!text)
        return;
    if (strncmp(text, "corrupt:", 8) == 0) {
        settings.copy_fault = FAKE_COPY_CORRUPT;
        settings.copy_number = strtol(text + 8, NULL, 10);
    } else if (strcmp(text, "nothing") == 0) {
        settings.copy_fault = FAKE_COPY_NOTHING;
    } else if (strcmp(text, "hang") == 0) {
        settings.copy_fault = FAKE_COPY_HANG;
    }
}

static void load(void)
{
    const char *cc = getenv("FAKE_CUDA_CC");
    const char *elapsed = getenv("FAKE_CUDA_ELAPSED_MS");
    loaded = true;
    settings.devices = (int)number("FAKE_CUDA_DEVICES", 1);
    settings.driver = (int)number("FAKE_CUDA_DRIVER", CUDART_VERSION);
    settings.cc_major = 9;
    settings.cc_minor = 0;
    if (cc)
        (void)sscanf(cc, "%d.%d", &settings.cc_major, &settings.cc_minor);
    settings.memory = (size_t)number("FAKE_CUDA_MEMORY", 1L << 30);
    settings.pinned_limit = (size_t)number("FAKE_CUDA_PINNED_LIMIT", 1L << 40);
    settings.static_shared = (size_t)number("FAKE_CUDA_STATIC_SHARED", 0);
    settings.elapsed_ms = elapsed ? strtod(elapsed, NULL) : -1.0;
    settings.first_call_ms = number("FAKE_CUDA_FIRST_CALL_MS", 0);
    settings.resident_blocks = (int)number("FAKE_CUDA_RESIDENT_BLOCKS", 8);
    settings.fail = getenv("FAKE_CUDA_FAIL");
    settings.attributes = getenv("FAKE_CUDA_ATTRIBUTES");
    settings.kernel_error = getenv("FAKE_CUDA_KERNEL_ERROR");
    fail_call = number("FAKE_CUDA_FAIL_CALL", 0);
    fail_with = number("FAKE_CUDA_FAIL_WITH", 0);
    load_copy_fault();
    open_count_file();
}

const fake_settings *fake_get(void)
{
    if (!loaded)
        load();
    return &settings;
}

void fake_cuda_reset(void)
{
    sticky_error = cudaErrorUnknown; /* nothing runs in a lost context: what waits is dropped */
    fake_drain_all();
    load();
    last_error = sticky_error = cudaSuccess;
    atomic_store(count, 0);
}

long fake_cuda_calls(void)
{
    return atomic_load(count);
}

cudaError_t fake_fail(cudaError_t status)
{
    bool sticky = false;
    (void)gb_cuda_classify((int)status, &sticky);
    last_error = status;
    if (sticky)
        sticky_error = status;
    return status;
}

void fake_async_error(cudaError_t status)
{
    if (sticky_error == cudaSuccess)
        sticky_error = status;
}

cudaError_t fake_sticky(void)
{
    return sticky_error;
}

/* FAKE_CUDA_FAIL: "cudaMalloc=2,cudaMemcpyAsync:3=1": every call, or the k-th of that name. */
static long failure_of(const char *call)
{
    static struct {
        char name[48];
        long calls;
    } seen[64];
    size_t i = 0;
    size_t length = strlen(call);
    if (!settings.fail)
        return 0;
    while (i < 63 && seen[i].name[0] != '\0' && strcmp(seen[i].name, call) != 0)
        i++;
    snprintf(seen[i].name, sizeof seen[i].name, "%s", call);
    seen[i].calls++;
    for (const char *at = settings.fail; at; at = strchr(at, ',')) {
        char *end;
        at += *at == ',';
        if (strncmp(at, call, length) != 0 || (at[length] != '=' && at[length] != ':'))
            continue;
        if (at[length] == '=')
            return strtol(at + length + 1, NULL, 10);
        if (strtol(at + length + 1, &end, 10) == seen[i].calls && *end == '=')
            return strtol(end + 1, NULL, 10);
    }
    return 0;
}

/* FAKE_CUDA_TRACE: a file that gets a line a call, its number and its name. */
static void trace(long n, const char *call)
{
    const char *path = getenv("FAKE_CUDA_TRACE");
    FILE *file = path ? fopen(path, "ae") : NULL;
    if (!file)
        return;
    fprintf(file, "%ld %s\n", n, call);
    fclose(file);
}

cudaError_t fake_enter(const char *call)
{
    fake_get();
    long n = atomic_fetch_add(count, 1) + 1;
    trace(n, call);
    long failure = failure_of(call);
    if (sticky_error != cudaSuccess)
        return fake_fail(sticky_error);
    if (n == fail_call)
        failure = fail_with;
    return failure != 0 ? fake_fail((cudaError_t)failure) : cudaSuccess;
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t status = sticky_error != cudaSuccess ? sticky_error : last_error;
    last_error = cudaSuccess;
    return status;
}

cudaError_t cudaPeekAtLastError(void)
{
    return sticky_error != cudaSuccess ? sticky_error : last_error;
}

static const struct {
    int number;
    const char *name, *text;
} errors[] = {
    {0, "cudaSuccess", "no error"},
    {1, "cudaErrorInvalidValue", "invalid argument"},
    {2, "cudaErrorMemoryAllocation", "out of memory"},
    {9, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {34, "cudaErrorStubLibrary", "CUDA driver is a stub library"},
    {35, "cudaErrorInsufficientDriver",
     "CUDA driver version is insufficient for CUDA runtime version"},
    {46, "cudaErrorDevicesUnavailable", "CUDA-capable device(s) is/are busy or unavailable"},
    {98, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {100, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {101, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {209, "cudaErrorNoKernelImageForDevice",
     "no kernel image is available for execution on the device"},
    {214, "cudaErrorECCUncorrectable", "uncorrectable ECC error encountered"},
    {400, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {600, "cudaErrorNotReady", "device not ready"},
    {700, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {702, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
    {719, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {801, "cudaErrorNotSupported", "operation not supported"},
    {803, "cudaErrorSystemDriverMismatch",
     "system has unsupported display driver / cuda driver "
     "combination"},
    {900, "cudaErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"},
    {901, "cudaErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during "
     "capture"},
    {904, "cudaErrorStreamCaptureUnjoined", "capturing stream has unjoined work"},
    {905, "cudaErrorStreamCaptureIsolation",
     "dependency created on uncaptured work in another "
     "stream"},
    {910, "cudaErrorGraphExecUpdateFailure",
     "the graph update was not performed because it "
     "included changes which violated constraints"},
    {999, "cudaErrorUnknown", "unknown error"},
};

const char *cudaGetErrorName(cudaError_t status)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].number == (int)status)
            return errors[i].name;
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t status)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].number == (int)status)
            return errors[i].text;
    return "unrecognized error code";
}
