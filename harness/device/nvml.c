#include "device/nvml.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The few symbols of libnvidia-ml.so.1 that are used, declared here: its header is no part of the
 * CUDA toolkit everywhere, and the ABI is stable. Numbers are those of nvml.h. */
typedef int (*plain_fn)(void);
typedef const char *(*error_string_fn)(int);
typedef int (*system_text_fn)(char *, unsigned);
typedef int (*find_fn)(const char *, void **);
typedef int (*text_fn)(void *, char *, unsigned);
typedef int (*number_fn)(void *, unsigned *);
typedef int (*of_type_fn)(void *, int, unsigned *);
typedef int (*pair_fn)(void *, unsigned *, unsigned *);
typedef int (*mask_fn)(void *, unsigned long long *);
typedef int (*ecc_fn)(void *, int, int, unsigned long long *);
typedef int (*child_fn)(void *, unsigned, void **);
typedef struct utilization {
    unsigned gpu, memory;
} utilization;
typedef int (*utilization_fn)(void *, utilization *);
typedef struct memory_use {
    unsigned long long total, free, used;
} memory_use;
typedef int (*memory_fn)(void *, memory_use *);
typedef struct process_info { /* nvmlProcessInfo_v2_t, the layout of _v2 and _v3 of the call */
    unsigned pid;
    unsigned long long used;
    unsigned gpu_instance, compute_instance;
} process_info;
typedef int (*processes_fn)(void *, unsigned *, process_info *);

enum { NVML_OK = 0, NVML_TOO_SMALL = 7, NVML_MISMATCH = 18 };
enum { CLOCK_SM = 1, CLOCK_MEMORY = 2 };
enum { MAX_PROCESSES = 256 };

struct gb_nvml {
    void *opened;
    void *device; /* the physical GPU */
    void *mig;    /* the MIG device that is ours; NULL: none */
    bool mig_mode;
    plain_fn shutdown;
    system_text_fn driver_version;
    text_fn uuid, name, vbios;
    number_fn pcie_gen, pcie_width, pcie_gen_max, pcie_width_max, power;
    of_type_fn clock, clock_max, clock_set, clock_default, temperature;
    mask_fn throttle;
    utilization_fn utilization;
    memory_fn memory;
    pair_fn ecc_mode;
    ecc_fn ecc_errors;
    processes_fn processes;
};

/* Converts dlsym's object pointer to a function pointer without a cast that ISO C lacks. */
#define FIND(nvml, field, symbol)                                                                  \
    do {                                                                                           \
        void *address_ = dlsym((nvml)->opened, symbol);                                            \
        memcpy(&(nvml)->field, &address_, sizeof address_);                                        \
    } while (0)

static void find_symbols(gb_nvml *n)
{
    FIND(n, shutdown, "nvmlShutdown");
    FIND(n, driver_version, "nvmlSystemGetDriverVersion");
    FIND(n, uuid, "nvmlDeviceGetUUID");
    FIND(n, name, "nvmlDeviceGetName");
    FIND(n, vbios, "nvmlDeviceGetVbiosVersion");
    FIND(n, pcie_gen, "nvmlDeviceGetCurrPcieLinkGeneration");
    FIND(n, pcie_width, "nvmlDeviceGetCurrPcieLinkWidth");
    FIND(n, pcie_gen_max, "nvmlDeviceGetMaxPcieLinkGeneration");
    FIND(n, pcie_width_max, "nvmlDeviceGetMaxPcieLinkWidth");
    FIND(n, power, "nvmlDeviceGetPowerUsage");
    FIND(n, clock, "nvmlDeviceGetClockInfo");
    FIND(n, clock_max, "nvmlDeviceGetMaxClockInfo");
    FIND(n, clock_set, "nvmlDeviceGetApplicationsClock");
    FIND(n, clock_default, "nvmlDeviceGetDefaultApplicationsClock");
    FIND(n, temperature, "nvmlDeviceGetTemperature");
    FIND(n, throttle, "nvmlDeviceGetCurrentClocksThrottleReasons");
    if (!n->throttle)
        FIND(n, throttle, "nvmlDeviceGetCurrentClocksEventReasons"); /* its newer name */
    FIND(n, utilization, "nvmlDeviceGetUtilizationRates");
    FIND(n, memory, "nvmlDeviceGetMemoryInfo");
    FIND(n, ecc_mode, "nvmlDeviceGetEccMode");
    FIND(n, ecc_errors, "nvmlDeviceGetTotalEccErrors");
    FIND(n, processes, "nvmlDeviceGetComputeRunningProcesses_v3");
    if (!n->processes)
        FIND(n, processes, "nvmlDeviceGetComputeRunningProcesses_v2");
}

static bool find_device(gb_nvml *n, const char *pci, const char *uuid, int *status)
{
    struct {
        void *opened;
        find_fn by_pci, by_uuid;
    } s = {.opened = n->opened};
    FIND(&s, by_pci, "nvmlDeviceGetHandleByPciBusId_v2");
    FIND(&s, by_uuid, "nvmlDeviceGetHandleByUUID");
    *status = -1;
    if (s.by_pci && pci[0] != '\0' && (*status = s.by_pci(pci, &n->device)) == NVML_OK)
        return true;
    return s.by_uuid && uuid[0] != '\0' && (*status = s.by_uuid(uuid, &n->device)) == NVML_OK;
}

/* Finds which MIG device of the GPU has the UUID that CUDA gave. */
static void find_mig(gb_nvml *n, const char *uuid)
{
    struct {
        void *opened;
        pair_fn mode;
        number_fn count;
        child_fn child;
    } s = {.opened = n->opened};
    FIND(&s, mode, "nvmlDeviceGetMigMode");
    FIND(&s, count, "nvmlDeviceGetMaxMigDeviceCount");
    FIND(&s, child, "nvmlDeviceGetMigDeviceHandleByIndex");
    unsigned current = 0, pending = 0, count = 0;
    if (!s.mode || s.mode(n->device, &current, &pending) != NVML_OK || current != 1)
        return;
    n->mig_mode = true;
    if (!s.count || !s.child || !n->uuid || s.count(n->device, &count) != NVML_OK)
        return;
    const char *hex = strchr(uuid, '-'); /* "GPU-..." and "MIG-..." differ only before this */
    for (unsigned i = 0; i < count && hex; i++) {
        void *child = NULL;
        char name[96] = "";
        if (s.child(n->device, i, &child) != NVML_OK ||
            n->uuid(child, name, sizeof name) != NVML_OK)
            continue;
        if (strncmp(name, "MIG-", 4) == 0 && strcmp(name + 3, hex) == 0)
            n->mig = child;
    }
}

gb_nvml *gb_nvml_open(const char *pci, const char *uuid, char *reason, size_t size)
{
    struct {
        void *opened;
        plain_fn init;
        error_string_fn text;
    } s = {0};
    int status = 0;
    gb_nvml *n = calloc(1, sizeof *n);
    if (!n) {
        snprintf(reason, size, "NVML: out of memory");
        return NULL;
    }
    s.opened = n->opened = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!n->opened) {
        snprintf(reason, size, "NVML: libnvidia-ml.so.1 was not found");
        goto fail;
    }
    FIND(&s, init, "nvmlInit_v2");
    FIND(&s, text, "nvmlErrorString");
    find_symbols(n);
    if (!s.init || !n->shutdown) {
        snprintf(reason, size, "NVML: libnvidia-ml.so.1 lacks nvmlInit_v2");
        goto fail;
    }
    status = s.init();
    if (status != NVML_OK) {
        snprintf(reason, size, "NVML: nvmlInit_v2: %d (%s)%s", status,
                 s.text ? s.text(status) : "?",
                 status == NVML_MISMATCH ? "; reboot or reload the driver" : "");
        goto fail;
    }
    if (!find_device(n, pci, uuid, &status)) {
        snprintf(reason, size, "NVML: no GPU %s: %d (%s)", pci, status,
                 s.text ? s.text(status) : "?");
        n->shutdown();
        goto fail;
    }
    find_mig(n, uuid);
    return n;
fail:
    if (n->opened)
        dlclose(n->opened);
    free(n);
    return NULL;
}

void gb_nvml_close(gb_nvml *nvml)
{
    if (!nvml)
        return;
    nvml->shutdown();
    dlclose(nvml->opened);
    free(nvml);
}

static void mig_profile(gb_nvml *n, char *out, size_t size)
{
    char name[96] = "";
    const char *at = NULL;
    if (!n->mig_mode)
        return;
    if (n->mig && n->name && n->name(n->mig, name, sizeof name) == NVML_OK)
        at = strstr(name, "MIG "); /* "NVIDIA H100 80GB HBM3 MIG 1g.10gb" */
    snprintf(out, size, "%s", at ? at + 4 : "unknown profile");
}

static uint64_t max_khz(gb_nvml *n, int which)
{
    unsigned mhz = 0;
    if (!n->clock_max || n->clock_max(n->device, which, &mhz) != NVML_OK)
        return 0;
    return (uint64_t)mhz * 1000;
}

static uint32_t number_or_0(gb_nvml *n, number_fn query)
{
    unsigned value = 0;
    return query && query(n->device, &value) == NVML_OK ? value : 0;
}

/* Application clocks alone: NVML sets locked clocks (nvidia-smi -lgc) but does not tell them. */
static void clock_policy(gb_nvml *n, char *out, size_t size)
{
    unsigned set = 0, usual = 0;
    if (!n->clock_set || !n->clock_default || n->clock_set(n->device, CLOCK_SM, &set) != NVML_OK ||
        n->clock_default(n->device, CLOCK_SM, &usual) != NVML_OK)
        return;
    if (set == usual)
        snprintf(out, size, "default");
    else
        snprintf(out, size, "application clock %u MHz, default %u MHz", set, usual);
}

void gb_nvml_info(gb_nvml *n, gb_device_info *info)
{
    unsigned current = 0, pending = 0;
    memory_use memory;
    if (!n->driver_version ||
        n->driver_version(info->driver_version, sizeof info->driver_version) != NVML_OK)
        info->driver_version[0] = '\0';
    if (!n->vbios || n->vbios(n->device, info->vbios, sizeof info->vbios) != NVML_OK)
        info->vbios[0] = '\0';
    clock_policy(n, info->clock_policy, sizeof info->clock_policy);
    mig_profile(n, info->mig, sizeof info->mig);
    if (n->mig && n->uuid(n->mig, info->uuid, sizeof info->uuid) != NVML_OK)
        info->uuid[0] = '\0';
    info->pcie_gen_max = number_or_0(n, n->pcie_gen_max);
    info->pcie_width_max = number_or_0(n, n->pcie_width_max);
    if (n->ecc_mode && n->ecc_mode(n->device, &current, &pending) == NVML_OK)
        info->ecc = current == 1 ? GB_YES : GB_NO;
    if (!n->mig_mode && n->memory && n->memory(n->device, &memory) == NVML_OK)
        info->free_bytes = memory.free;
    if (info->clock_khz == 0)
        info->clock_khz = max_khz(n, CLOCK_SM);
    if (info->memory_clock_khz == 0)
        info->memory_clock_khz = max_khz(n, CLOCK_MEMORY);
}

static double number(gb_nvml *n, number_fn query)
{
    unsigned value = 0;
    return query && query(n->device, &value) == NVML_OK ? (double)value : NAN;
}

static double of_type(gb_nvml *n, of_type_fn query, int type)
{
    unsigned value = 0;
    return query && query(n->device, type, &value) == NVML_OK ? (double)value : NAN;
}

static double other_processes(gb_nvml *n, bool own)
{
    process_info list[MAX_PROCESSES];
    unsigned count = MAX_PROCESSES;
    if (!n->processes)
        return NAN;
    int status = n->processes(n->device, &count, list);
    if (status != NVML_OK && status != NVML_TOO_SMALL)
        return NAN;
    /* Inside a container process ids may be those of another namespace: with a context of our
     * own, one entry is ours whatever its number. */
    for (unsigned i = 0; status == NVML_OK && i < count && !own; i++)
        own = list[i].pid == (unsigned)getpid();
    return (double)(own && count > 0 ? count - 1 : count);
}

void gb_nvml_read(gb_nvml *n, gb_telemetry *out)
{
    utilization use;
    unsigned long long mask = 0;
    out->sm_clock_mhz = of_type(n, n->clock, CLOCK_SM);
    out->pcie_gen = number(n, n->pcie_gen);
    out->pcie_width = number(n, n->pcie_width);
    out->memory_clock_mhz = of_type(n, n->clock, CLOCK_MEMORY);
    out->throttle_reasons =
        n->throttle && n->throttle(n->device, &mask) == NVML_OK ? (double)mask : NAN;
    out->power_w = number(n, n->power) / 1000.0; /* milliwatts */
    out->temperature_c = of_type(n, n->temperature, 0);
    out->utilization =
        n->utilization && n->utilization(n->device, &use) == NVML_OK ? (double)use.gpu : NAN;
}

void gb_nvml_read_slow(gb_nvml *n, bool own, gb_telemetry *out)
{
    unsigned long long errors = 0;
    out->other_processes = other_processes(n, own);
    out->ecc_uncorrected = /* uncorrected, volatile */
        n->ecc_errors && n->ecc_errors(n->device, 1, 0, &errors) == NVML_OK ? (double)errors : NAN;
}
