/* Errors of the CUDA runtime: one message form, one classification, and for those that come up
 * when a device is looked for, what a user needs to know about them. */
#include "device/device_cuda.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build_info.h"
#include "device/cuda_facts.h"

gb_code gb_cuda_fail(const char *call, cudaError_t status, gb_error *err)
{
    bool sticky = false;
    gb_code code = gb_cuda_classify((int)status, &sticky);
    gb_fail(err, code, "%s: %d (%s: %s)", call, (int)status, cudaGetErrorName(status),
            cudaGetErrorString(status));
    if (err) {
        err->device_status = (int)status;
        err->sticky = sticky;
    }
    const char *advice = gb_cuda_advice((int)status);
    if (advice[0] != '\0')
        gb_cuda_explain(err, "%s", advice);
    (void)cudaGetLastError(); /* a failure that is not sticky must not show up in the next call */
    return code;
}

void gb_cuda_explain(gb_error *err, const char *format, ...)
{
    gb_error full;
    char more[sizeof err->message];
    va_list args;
    if (!err)
        return;
    va_start(args, format);
    vsnprintf(more, sizeof more, format, args);
    va_end(args);
    full = *err;
    gb_fail(&full, err->code, "%s; %s", err->message, more);
    memcpy(err->message, full.message, sizeof err->message);
}

bool gb_cuda_mapped_file(const char *part, char *path, size_t size)
{
    char line[4352];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "re");
    if (!maps)
        return false;
    while (!found && fgets(line, sizeof line, maps)) {
        char *name = strchr(line, '/');
        if (!name || !strstr(name, part))
            continue;
        name[strcspn(name, "\n")] = '\0';
        snprintf(path, size, "%s", name);
        found = true;
    }
    fclose(maps);
    return found;
}

/* Where the loaded libcuda lies. The runtime may have closed it again after the stub refused; the
 * same search then finds the same file. */
static void explain_stub(gb_error *err)
{
    char path[512];
    void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (gb_cuda_mapped_file("/libcuda.so", path, sizeof path))
        gb_cuda_explain(err, "loaded: %s", path);
    else
        gb_cuda_explain(err, "its path is not known");
    if (library)
        dlclose(library);
}

static void explain_versions(gb_error *err)
{
    int driver = 0, runtime = 0;
    (void)cudaRuntimeGetVersion(&runtime);
    if (cudaDriverGetVersion(&driver) != cudaSuccess)
        driver = 0;
    if (driver == 0)
        gb_cuda_explain(err,
                        "no driver found (in a container: start it with GPU access); this build "
                        "(CUDA runtime %d.%d) needs driver %s or later",
                        runtime / 1000, runtime % 1000 / 10, gb_device_cuda_minimum_driver());
    else
        gb_cuda_explain(err,
                        "the driver supports CUDA %d.%d, this build has CUDA runtime %d.%d and "
                        "needs driver %s or later",
                        driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10,
                        gb_device_cuda_minimum_driver());
}

static void explain_compute_mode(int index, gb_error *err)
{
    static const char *const modes[] = {"default", "exclusive thread", "prohibited",
                                        "exclusive process"};
    int mode = -1;
    if (index < 0 || cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, index) != cudaSuccess ||
        mode < 0 || mode > 3)
        gb_cuda_explain(err, "its compute mode is not known");
    else
        gb_cuda_explain(err, "compute mode: %s%s", modes[mode],
                        mode == 0 ? "" : " (nvidia-smi -c DEFAULT lets processes share it)");
}

static void explain_visible(gb_error *err)
{
    gb_visible visible;
    gb_visible_parse(getenv("CUDA_VISIBLE_DEVICES"), &visible);
    if (visible.note[0] != '\0')
        gb_cuda_explain(err, "%s", visible.note);
    else if (visible.set)
        gb_cuda_explain(err, "CUDA_VISIBLE_DEVICES is '%s'", getenv("CUDA_VISIBLE_DEVICES"));
}

static void explain_architectures(int index, gb_error *err)
{
    int major = 0, minor = 0;
    if (index < 0 ||
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, index) != cudaSuccess ||
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, index) != cudaSuccess) {
        gb_cuda_explain(err, "built for %s", GB_CUDA_ARCHITECTURES);
        return;
    }
    gb_cuda_explain(err,
                    "built for %s; device is %d.%d; rebuild with "
                    "-DGPUBENCH_CUDA_ARCHITECTURES=%d%d",
                    GB_CUDA_ARCHITECTURES, major, minor, major, minor);
}

gb_code gb_cuda_fail_open(const char *call, cudaError_t status, int index, gb_error *err)
{
    gb_error local;
    if (!err)
        err = &local;
    gb_code code = gb_cuda_fail(call, status, err);
    if (status == cudaErrorStubLibrary)
        explain_stub(err);
    else if (status == cudaErrorInsufficientDriver)
        explain_versions(err);
    else if (code == GB_DEVICE_BUSY)
        explain_compute_mode(index, err);
    else if (code == GB_NO_DEVICE)
        explain_visible(err);
    else if (code == GB_NO_KERNEL_IMAGE)
        explain_architectures(index, err);
    (void)cudaGetLastError();
    return code;
}
