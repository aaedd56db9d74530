/* Names of device functions: how a .c file refers to a kernel that a .cu file exports.
 *
 *   GB_FN_DECLARE(triad)             at file scope; afterwards
 *   GB_FN(triad)                     is a `const gb_fn *` for the launch operation of a device
 *   GB_FN_DECLARE_CUDA_ONLY(triad)   for GB_EXPORT_CUDA_ONLY: no cpu code
 *   GB_FN_DECLARE_CPU_ONLY(triad)    for code between #if !defined(__CUDACC__) and #endif
 *
 * A kernel is compiled once with nvcc and once per instruction-set variant of the cpu device, each
 * time with another name for its descriptor, so that all link into one binary. GB_CPU_VARIANTS
 * says how many variants the build has (1: generic; 3: generic, v3, v4), GB_CUDA_CODE whether
 * nvcc's objects are there. */
#ifndef GB_DEVICE_FN_H
#define GB_DEVICE_FN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gb_launch {
    uint32_t grid[3], block[3];
    uint32_t shared_bytes; /* dynamic */
} gb_launch;

/* One device function as each device kind sees it. NULL: not built for that kind. */
typedef struct gb_cpu_code gb_cpu_code; /* device/simt/cpu_code.h */
typedef struct gb_cuda_code {
    const char *name;
    const void *stub; /* what cudaLaunchKernel takes */
} gb_cuda_code;
typedef struct gb_fn {
    const char *name;
    const gb_cpu_code *const *cpu; /* one per instruction-set variant, best last; NULL-terminated */
    const gb_cuda_code *cuda;
} gb_fn;

#ifdef __cplusplus
}
#endif

/* Names of descriptors; simt/simt.h defines what these declare. */
#define GB_CUDA_CODE_NAME(name) gb_cuda_code_##name
#define GB_CPU_CODE_NAME(name, variant) GB_CPU_CODE_NAME_(name, variant)
#define GB_CPU_CODE_NAME_(name, variant) gb_cpu_code_##name##_##variant

#if !defined(GB_CPU_VARIANTS) || GB_CPU_VARIANTS == 1
#define GB_FN_CPU_DECLARE_(name) extern const gb_cpu_code GB_CPU_CODE_NAME(name, generic);
#define GB_FN_CPU_LIST_(name) &GB_CPU_CODE_NAME(name, generic), 0
#else
#define GB_FN_CPU_DECLARE_(name)                                                                   \
    extern const gb_cpu_code GB_CPU_CODE_NAME(name, generic);                                      \
    extern const gb_cpu_code GB_CPU_CODE_NAME(name, v3);                                           \
    extern const gb_cpu_code GB_CPU_CODE_NAME(name, v4);
#define GB_FN_CPU_LIST_(name)                                                                      \
    &GB_CPU_CODE_NAME(name, generic), &GB_CPU_CODE_NAME(name, v3), &GB_CPU_CODE_NAME(name, v4), 0
#endif

#if defined(GB_CUDA_CODE) && GB_CUDA_CODE
#define GB_FN_CUDA_DECLARE_(name) extern const gb_cuda_code GB_CUDA_CODE_NAME(name);
#define GB_FN_CUDA_POINTER_(name) &GB_CUDA_CODE_NAME(name)
#else
#define GB_FN_CUDA_DECLARE_(name)
#define GB_FN_CUDA_POINTER_(name) 0
#endif

#define GB_FN_DECLARE(name)                                                                        \
    GB_FN_CPU_DECLARE_(name)                                                                       \
    GB_FN_CUDA_DECLARE_(name)                                                                      \
    static const gb_cpu_code *const gb_fn_cpu_##name[] = {GB_FN_CPU_LIST_(name)};                  \
    static const gb_fn gb_fn_##name                                                                \
        __attribute__((unused)) = {#name, gb_fn_cpu_##name, GB_FN_CUDA_POINTER_(name)};
#define GB_FN_DECLARE_CUDA_ONLY(name)                                                              \
    GB_FN_CUDA_DECLARE_(name)                                                                      \
    static const gb_fn gb_fn_##name __attribute__((unused)) = {#name, 0, GB_FN_CUDA_POINTER_(name)};
#define GB_FN_DECLARE_CPU_ONLY(name)                                                               \
    GB_FN_CPU_DECLARE_(name)                                                                       \
    static const gb_cpu_code *const gb_fn_cpu_##name[] = {GB_FN_CPU_LIST_(name)};                  \
    static const gb_fn gb_fn_##name __attribute__((unused)) = {#name, gb_fn_cpu_##name, 0};
#define GB_FN(name) (&gb_fn_##name)

#endif
