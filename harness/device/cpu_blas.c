/* The matrix product of the cpu device: OpenBLAS, opened at first use, so that the program starts
 * where it is missing. */
#include <dlfcn.h>
#include <pthread.h>

#include "device/cpu_internal.h"

/* From cblas.h: CblasRowMajor and CblasNoTrans. */
enum { ROW_MAJOR = 101, NO_TRANS = 111 };

typedef void sgemm_fn(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
                      const float *a, int lda, const float *b, int ldb, float beta, float *c,
                      int ldc);
typedef void dgemm_fn(int order, int trans_a, int trans_b, int m, int n, int k, double alpha,
                      const double *a, int lda, const double *b, int ldb, double beta, double *c,
                      int ldc);

static struct {
    pthread_once_t once;
    sgemm_fn *sgemm;
    dgemm_fn *dgemm;
    void (*set_threads)(int threads);
} blas = {.once = PTHREAD_ONCE_INIT};

/* POSIX lets a void * from dlsym become a function pointer; ISO C needs this detour. */
static void find(void *library, const char *name, void *function)
{
    *(void **)function = dlsym(library, name);
}

static void open_blas(void)
{
    static const char *const names[] = {"libopenblas.so.0", "libopenblas.so"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (library == NULL)
            continue;
        find(library, "cblas_sgemm", &blas.sgemm);
        find(library, "cblas_dgemm", &blas.dgemm);
        find(library, "openblas_set_num_threads", &blas.set_threads);
        if (blas.sgemm != NULL && blas.dgemm != NULL)
            return;
        blas.sgemm = NULL;
        dlclose(library);
    }
}

gb_code gb_cpu_gemm(gb_device *dev, gb_stream *stream, gb_gemm_type type, int m, int n, int k,
                    const void *a, const void *b, void *c, gb_error *err)
{
    (void)dev;
    if (type != GB_GEMM_FP32 && type != GB_GEMM_FP64)
        return gb_fail(err, GB_UNAVAILABLE,
                       "the cpu device multiplies matrices of FP32 and FP64 alone: OpenBLAS has "
                       "no TF32, FP16 or BF16");
    if (m <= 0 || n <= 0 || k <= 0)
        return gb_fail(err, GB_INVALID, "matrix product of %d x %d x %d", m, n, k);
    pthread_once(&blas.once, open_blas);
    if (blas.sgemm == NULL)
        return gb_fail(err, GB_UNAVAILABLE,
                       "OpenBLAS (libopenblas.so.0 with cblas_sgemm and cblas_dgemm) was not "
                       "found");
    gb_op op = {.kind = GB_OP_GEMM, .gemm = {type, m, n, k, a, b, c}};
    return gb_cpu_enqueue(stream, &op, err);
}

void gb_cpu_do_gemm(gb_cpu *cpu, const gb_op *op)
{
    if (blas.set_threads != NULL)
        blas.set_threads((int)gb_pool_threads(cpu->pool));
    int m = op->gemm.m, n = op->gemm.n, k = op->gemm.k;
    if (op->gemm.type == GB_GEMM_FP64)
        blas.dgemm(ROW_MAJOR, NO_TRANS, NO_TRANS, m, n, k, 1.0, op->gemm.a, k, op->gemm.b, n, 0.0,
                   op->gemm.c, n);
    else
        blas.sgemm(ROW_MAJOR, NO_TRANS, NO_TRANS, m, n, k, 1.0f, op->gemm.a, k, op->gemm.b, n, 0.0f,
                   op->gemm.c, n);
}
