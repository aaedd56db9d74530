/* The vendor's matrix product: cuBLAS, opened when it is first needed, so that the program starts
 * fast and runs where cuBLAS is not installed. */
#include "device/device_cuda.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Declared here so that the build needs no cuBLAS; the numbers are those of cublas_api.h and
 * library_types.h, the same from CUDA 11 on. */
enum { BLAS_OK = 0, BLAS_NO_MEMORY = 3, BLAS_NO_ARCH = 8, BLAS_NOT_SUPPORTED = 15 };
enum { OP_N = 0, GEMM_DEFAULT = -1 };
enum { R_32F = 0, R_64F = 1, R_16F = 2, R_16BF = 14 };
enum { COMPUTE_32F = 68, COMPUTE_64F = 70, COMPUTE_32F_FAST_TF32 = 77 };
enum { MATH_DEFAULT = 0, MATH_TF32 = 3, MATH_NO_REDUCED_PRECISION_REDUCTION = 16 };

typedef int (*create_fn)(void **);
typedef int (*destroy_fn)(void *);
typedef int (*stream_fn)(void *, cudaStream_t);
typedef int (*math_fn)(void *, int);
typedef int (*gemm_fn)(void *, int, int, int, int, int, const void *, const void *, int, int,
                       const void *, int, int, const void *, void *, int, int, int, int);

struct gb_cuda_blas {
    void *library, *handle;
    create_fn create;
    destroy_fn destroy;
    stream_fn set_stream;
    math_fn set_math;
    gemm_fn gemm;
};

static const struct {
    int element, compute, math;
} modes[] = {
    [GB_GEMM_FP64] = {R_64F, COMPUTE_64F, MATH_DEFAULT},
    [GB_GEMM_FP32] = {R_32F, COMPUTE_32F, MATH_DEFAULT}, /* no TF32: that is asked for by name */
    [GB_GEMM_TF32] = {R_32F, COMPUTE_32F_FAST_TF32, MATH_TF32},
    [GB_GEMM_FP16] = {R_16F, COMPUTE_32F, MATH_NO_REDUCED_PRECISION_REDUCTION},
    [GB_GEMM_BF16] = {R_16BF, COMPUTE_32F, MATH_NO_REDUCED_PRECISION_REDUCTION},
};

/* The toolkit's own major version first; others work too, for streams are the driver's. */
static void *open_library(void)
{
    static const char *const places[] = {"", "/usr/local/cuda/lib64/"};
    static const int majors[] = {CUDART_VERSION / 1000, 13, 12, 11, 0};
    for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
        for (size_t i = 0; i < sizeof majors / sizeof *majors; i++) {
            char name[64];
            if (majors[i] > 0)
                snprintf(name, sizeof name, "%slibcublas.so.%d", places[p], majors[i]);
            else
                snprintf(name, sizeof name, "%slibcublas.so", places[p]);
            void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
            if (library)
                return library;
        }
    }
    return NULL;
}

static bool find(void *library, const char *symbol, void *function)
{
    void *address = dlsym(library, symbol);
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

static gb_code blas_fail(const char *call, int status, gb_error *err)
{
    gb_code code = GB_DEVICE_ERROR;
    if (status == BLAS_NO_MEMORY)
        code = GB_NO_MEMORY;
    else if (status == BLAS_NOT_SUPPORTED || status == BLAS_NO_ARCH)
        code = GB_UNAVAILABLE;
    gb_fail(err, code, "%s: cuBLAS status %d", call, status);
    /* the CUDA error behind it, if there is one, says more */
    cudaError_t behind = cudaGetLastError();
    if (behind != cudaSuccess) {
        bool sticky = false;
        gb_error cause;
        gb_cuda_fail(call, behind, &cause);
        sticky = cause.sticky;
        gb_cuda_explain(err, "%s", cause.message);
        if (err) {
            err->device_status = (int)behind;
            err->sticky = sticky;
        }
    } else if (err) {
        err->device_status = status;
    }
    return code;
}

static gb_code blas_open(gb_cuda *cuda, gb_error *err)
{
    gb_code code = GB_OK;
    gb_cuda_blas *blas = calloc(1, sizeof *blas);
    if (!blas)
        return gb_fail(err, GB_NO_MEMORY, "out of memory for cuBLAS");
    blas->library = open_library();
    if (!blas->library) {
        code = gb_fail(err, GB_UNAVAILABLE,
                       "cuBLAS is not installed (libcublas.so.13, .12 or .11 was not found)");
        goto fail;
    }
    if (!find(blas->library, "cublasCreate_v2", &blas->create) ||
        !find(blas->library, "cublasDestroy_v2", &blas->destroy) ||
        !find(blas->library, "cublasSetStream_v2", &blas->set_stream) ||
        !find(blas->library, "cublasSetMathMode", &blas->set_math) ||
        !find(blas->library, "cublasGemmEx", &blas->gemm)) {
        code = gb_fail(err, GB_UNAVAILABLE, "the cuBLAS that was found lacks a function: %s",
                       dlerror());
        goto fail;
    }
    int status = blas->create(&blas->handle);
    if (status != BLAS_OK) {
        blas->handle = NULL;
        code = blas_fail("cublasCreate", status, err);
        goto fail;
    }
    cuda->blas = blas;
    return GB_OK;
fail:
    gb_cuda_blas_close(blas);
    return code;
}

void gb_cuda_blas_close(gb_cuda_blas *blas)
{
    if (!blas)
        return;
    if (blas->handle)
        (void)blas->destroy(blas->handle);
    if (blas->library)
        dlclose(blas->library);
    free(blas);
}

gb_code gb_cuda_gemm(gb_device *dev, gb_stream *stream, gb_gemm_type type, int m, int n, int k,
                     const void *a, const void *b, void *c, gb_error *err)
{
    static const float one_f = 1.0f, zero_f = 0.0f;
    static const double one_d = 1.0, zero_d = 0.0;
    gb_cuda *cuda = gb_cuda_of(dev);
    gb_code code = gb_cuda_bind(cuda->index, err);
    if (code == GB_OK && !cuda->blas)
        code = blas_open(cuda, err);
    if (code != GB_OK)
        return code;
    const gb_cuda_blas *blas = cuda->blas;
    bool is_double = type == GB_GEMM_FP64;
    int element = modes[type].element;
    int status = blas->set_stream(blas->handle, (cudaStream_t)stream);
    if (status != BLAS_OK)
        return blas_fail("cublasSetStream", status, err);
    status = blas->set_math(blas->handle, modes[type].math);
    if (status != BLAS_OK)
        return blas_fail("cublasSetMathMode", status, err);
    /* cuBLAS is column-major; a row-major matrix is its own transpose there, and
     * (A B)^T = B^T A^T: the operands change places. */
    status =
        blas->gemm(blas->handle, OP_N, OP_N, n, m, k, is_double ? (const void *)&one_d : &one_f, b,
                   element, n, a, element, k, is_double ? (const void *)&zero_d : &zero_f, c,
                   element, n, modes[type].compute, GEMM_DEFAULT);
    return status == BLAS_OK ? GB_OK : blas_fail("cublasGemmEx", status, err);
}
