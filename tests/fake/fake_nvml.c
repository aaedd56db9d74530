/* libnvidia-ml.so.1 of four GPUs, counted the other way round than CUDA counts them: NVML index i
 * is the GPU on bus 0x13 - i, CUDA's device 0 is the one on bus 0x10. Every reading carries the
 * NVML index, so that a test sees whose it is.
 *
 * FAKE_NVML_INIT=18: nvmlInit fails with that. FAKE_NVML_UNSUPPORTED="nvmlDeviceGetPowerUsage,...":
 * these return 3. FAKE_NVML_PROCESSES=n: compute processes besides the caller.
 * FAKE_NVML_APPLICATION_CLOCK=n: MHz, instead of the default 1410. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GPUS = 4, NOT_SUPPORTED = 3, NOT_FOUND = 6, TOO_SMALL = 7 };

static int gpus[GPUS];

static int index_of(void *device)
{
    return (int)((int *)device - gpus);
}

static int unsupported(const char *name)
{
    const char *list = getenv("FAKE_NVML_UNSUPPORTED");
    const char *at = list ? strstr(list, name) : NULL;
    char end = at ? at[strlen(name)] : 'x';
    return end == '\0' || end == ',' ? NOT_SUPPORTED : 0;
}

int nvmlInit_v2(void);
int nvmlShutdown(void);
const char *nvmlErrorString(int status);
int nvmlSystemGetDriverVersion(char *out, unsigned size);
int nvmlDeviceGetHandleByPciBusId_v2(const char *pci, void **device);
int nvmlDeviceGetHandleByUUID(const char *uuid, void **device);
int nvmlDeviceGetUUID(void *device, char *out, unsigned size);
int nvmlDeviceGetName(void *device, char *out, unsigned size);
int nvmlDeviceGetCurrPcieLinkGeneration(void *device, unsigned *out);
int nvmlDeviceGetCurrPcieLinkWidth(void *device, unsigned *out);
int nvmlDeviceGetMaxPcieLinkGeneration(void *device, unsigned *out);
int nvmlDeviceGetMaxPcieLinkWidth(void *device, unsigned *out);
int nvmlDeviceGetPowerUsage(void *device, unsigned *out);
int nvmlDeviceGetClockInfo(void *device, int type, unsigned *out);
int nvmlDeviceGetMaxClockInfo(void *device, int type, unsigned *out);
int nvmlDeviceGetApplicationsClock(void *device, int type, unsigned *out);
int nvmlDeviceGetDefaultApplicationsClock(void *device, int type, unsigned *out);
int nvmlDeviceGetVbiosVersion(void *device, char *out, unsigned size);
int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *out);
int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *out);
int nvmlDeviceGetUtilizationRates(void *device, unsigned out[2]);
int nvmlDeviceGetMemoryInfo(void *device, unsigned long long out[3]);
int nvmlDeviceGetEccMode(void *device, unsigned *now, unsigned *pending);
int nvmlDeviceGetTotalEccErrors(void *device, int type, int counter, unsigned long long *out);
int nvmlDeviceGetMigMode(void *device, unsigned *now, unsigned *pending);
int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, void *list);

int nvmlInit_v2(void)
{
    const char *status = getenv("FAKE_NVML_INIT");
    return status ? atoi(status) : 0;
}

int nvmlShutdown(void)
{
    return 0;
}

const char *nvmlErrorString(int status)
{
    return status == 18 ? "Driver/library version mismatch" : "Some NVML error";
}

int nvmlSystemGetDriverVersion(char *out, unsigned size)
{
    snprintf(out, size, "580.65.06");
    return unsupported(__func__);
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *pci, void **device)
{
    unsigned domain, bus, slot;
    if (sscanf(pci, "%x:%x:%x", &domain, &bus, &slot) != 3 || bus < 0x10 || bus >= 0x10 + GPUS)
        return NOT_FOUND;
    *device = &gpus[0x13 - bus];
    return unsupported(__func__);
}

int nvmlDeviceGetHandleByUUID(const char *uuid, void **device)
{
    unsigned first;
    if (sscanf(uuid, "GPU-%2x", &first) != 1 || first / 16 >= GPUS)
        return NOT_FOUND;
    *device = &gpus[GPUS - 1 - first / 16];
    return unsupported(__func__);
}

int nvmlDeviceGetUUID(void *device, char *out, unsigned size)
{
    snprintf(out, size, "GPU-of-nvml-%d", index_of(device));
    return unsupported(__func__);
}

int nvmlDeviceGetName(void *device, char *out, unsigned size)
{
    snprintf(out, size, "Fake GPU (nvml %d)", index_of(device));
    return unsupported(__func__);
}

int nvmlDeviceGetVbiosVersion(void *device, char *out, unsigned size)
{
    snprintf(out, size, "96.00.AF.00.0%d", index_of(device));
    return unsupported(__func__);
}

int nvmlDeviceGetApplicationsClock(void *device, int type, unsigned *out)
{
    const char *set = getenv("FAKE_NVML_APPLICATION_CLOCK");
    (void)device;
    (void)type;
    *out = set ? (unsigned)atoi(set) : 1410;
    return unsupported(__func__);
}

int nvmlDeviceGetDefaultApplicationsClock(void *device, int type, unsigned *out)
{
    (void)device;
    (void)type;
    *out = 1410;
    return unsupported(__func__);
}

int nvmlDeviceGetCurrPcieLinkGeneration(void *device, unsigned *out)
{
    (void)device;
    *out = 1;
    return unsupported(__func__);
}

int nvmlDeviceGetCurrPcieLinkWidth(void *device, unsigned *out)
{
    (void)device;
    *out = 16;
    return unsupported(__func__);
}

int nvmlDeviceGetMaxPcieLinkGeneration(void *device, unsigned *out)
{
    (void)device;
    *out = 4;
    return unsupported(__func__);
}

int nvmlDeviceGetMaxPcieLinkWidth(void *device, unsigned *out)
{
    (void)device;
    *out = 16;
    return unsupported(__func__);
}

int nvmlDeviceGetPowerUsage(void *device, unsigned *out)
{
    *out = 100000u + (unsigned)index_of(device) * 1000u;
    return unsupported(__func__);
}

int nvmlDeviceGetClockInfo(void *device, int type, unsigned *out)
{
    *out = (type == 1 ? 1000u : 2000u) + (unsigned)index_of(device);
    return unsupported(__func__);
}

int nvmlDeviceGetMaxClockInfo(void *device, int type, unsigned *out)
{
    *out = (type == 1 ? 1800u : 2600u) + (unsigned)index_of(device);
    return unsupported(__func__);
}

int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *out)
{
    (void)sensor;
    *out = 40u + (unsigned)index_of(device);
    return unsupported(__func__);
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *out)
{
    (void)device;
    *out = 4;
    return unsupported(__func__);
}

int nvmlDeviceGetUtilizationRates(void *device, unsigned out[2])
{
    out[0] = 50u + (unsigned)index_of(device);
    out[1] = 0;
    return unsupported(__func__);
}

int nvmlDeviceGetMemoryInfo(void *device, unsigned long long out[3])
{
    (void)device;
    out[0] = 1ull << 30;
    out[1] = 1ull << 29;
    out[2] = out[0] - out[1];
    return unsupported(__func__);
}

int nvmlDeviceGetEccMode(void *device, unsigned *now, unsigned *pending)
{
    (void)device;
    *now = *pending = 1;
    return unsupported(__func__);
}

int nvmlDeviceGetTotalEccErrors(void *device, int type, int counter, unsigned long long *out)
{
    *out = type == 1 && counter == 0 ? (unsigned long long)index_of(device) : 99;
    return unsupported(__func__);
}

int nvmlDeviceGetMigMode(void *device, unsigned *now, unsigned *pending)
{
    (void)device;
    *now = *pending = 0;
    return unsupported(__func__);
}

int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, void *list)
{
    const char *others = getenv("FAKE_NVML_PROCESSES");
    unsigned n = (others ? (unsigned)atoi(others) : 0u) + 1u;
    unsigned room = *count;
    (void)device;
    *count = n;
    if (n > room)
        return TOO_SMALL;
    for (unsigned i = 0; i < n; i++) /* 24 bytes each, the process id first */
        *(unsigned *)(void *)((char *)list + (size_t)i * 24) =
            i == n - 1 ? (unsigned)getpid() : 1000000u + i;
    return unsupported(__func__);
}
