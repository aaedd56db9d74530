/* matmul: every variant of the cpu device at awkward sizes, and the check of its result: right
 * products of every type pass it, and wrong ones of many kinds do not. */
#include "kernels/half.h"
#include "kernels/matmul_reference.h"

#include "unit/kernel_fixture.h"
#include "unit/kernel_life.h"

static gb_error err;

/* --- the kernel ------------------------------------------------------------------------------- */

/* GB_UNAVAILABLE: prepare says so. */
static gb_code verdict(const char *text)
{
    return kernel_verdict(dev, "matmul", text, &err);
}

static const char *const variants[] = {"naive", "tiled", "register-tiled", "vendor"};
static const char *const sizes[] = {
    "n=1",           "n=2",       "n=31",          "n=32",           "n=33",
    "n=127",         "n=128",     "n=129",         "n=257",          "n=1,m=300",
    "n=300,m=1",     "n=300,k=1", "n=1,m=1,k=999", "n=65,m=33,k=17", "n=129,m=1,k=130",
    "n=31,m=257,k=3"};
static const char *const large[] = {"n=1000", "n=1023"};

START_TEST(KRN_02_products_of_any_size)
{
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        for (int fp64 = 0; fp64 < 2; fp64++) {
            char text[128];
            snprintf(text, sizeof text, "variant=%s,type=%s,%s", variants[_i],
                     fp64 ? "fp64" : "fp32", sizes[s]);
            const gb_code code = verdict(text);
            ck_assert_msg(code == GB_OK || (_i == 3 && code == GB_UNAVAILABLE), "%s: %s", text,
                          err.message);
        }
    }
}
END_TEST

/* The naive variant takes many seconds for these. */
START_TEST(KRN_02_large_products_of_any_size)
{
    for (size_t s = 0; s < 2; s++) {
        char text[128];
        snprintf(text, sizeof text, "variant=%s,%s", variants[_i], large[s]);
        const gb_code code = verdict(text);
        ck_assert_msg(code == GB_OK || (_i == 3 && code == GB_UNAVAILABLE), "%s: %s", text,
                      err.message);
    }
}
END_TEST

/* A kernel that is given one step of k, one row or one column less than it should: what a wrong
 * bound in its code would do. Arguments: c, a, b, m, n, k. */
static int shortened;
static gb_code short_launch(gb_device *device, gb_stream *stream, const gb_fn *fn,
                            const gb_launch *launch, void *args[], gb_error *error)
{
    size_t size[3];
    for (int i = 0; i < 3; i++)
        size[i] = *(size_t *)args[3 + i] - (i == shortened);
    void *fewer[] = {args[0], args[1], args[2], &size[0], &size[1], &size[2]};
    return real->launch(device, stream, fn, launch, fewer, error);
}

/* As one thread block too few in x, or in y, would do. */
static gb_code few_blocks(gb_device *device, gb_stream *stream, const gb_fn *fn,
                          const gb_launch *launch, void *args[], gb_error *error)
{
    gb_launch fewer = *launch;
    fewer.grid[shortened]--;
    return real->launch(device, stream, fn, &fewer, args, error);
}

START_TEST(a_kernel_that_skips_a_tail_is_noticed)
{
    static const char *const products[] = {"n=150,m=140,k=130", "n=300,m=290,k=310"};
    for (size_t p = 0; p < 2; p++) {
        for (int type = 0; type < 2; type++) {
            char text[128];
            snprintf(text, sizeof text, "variant=%s,type=%s,%s", variants[_i],
                     type ? "fp64" : "fp32", products[p]);
            ops.launch = real->launch;
            ck_assert_msg(verdict(text) == GB_OK, "%s: %s", text, err.message);
            ops.launch = short_launch;
            for (shortened = 0; shortened < 3; shortened++)
                ck_assert_msg(verdict(text) == GB_WRONG_RESULT, "%s: size %d", text, shortened);
            ops.launch = few_blocks;
            for (shortened = 0; shortened < 2; shortened++)
                ck_assert_msg(verdict(text) == GB_WRONG_RESULT, "%s: grid %d", text, shortened);
        }
    }
}
END_TEST

START_TEST(arguments_that_do_not_go_together)
{
    static const struct {
        const char *text;
        gb_device_kind kind;
        gb_code code;
        const char *says;
    } cases[] = {
        {"variant=naive,type=fp16", GB_CUDA, GB_INVALID, "it has fp32 and fp64"},
        {"variant=tiled,type=tf32", GB_CUDA, GB_INVALID, "it has fp32 and fp64"},
        {"variant=wmma,type=fp32", GB_CUDA, GB_INVALID, "it has fp16 and bf16"},
        {"variant=wmma,type=fp64", GB_CPU, GB_INVALID, "it has fp16 and bf16"},
        {"variant=wmma,type=bf16", GB_CPU, GB_UNAVAILABLE, "tensor cores"},
        {"variant=vendor,type=tf32", GB_CPU, GB_UNAVAILABLE, "OpenBLAS"},
        {"variant=vendor,type=fp16", GB_CPU, GB_UNAVAILABLE, "not fp16"},
        {"variant=vendor,type=fp16", GB_CUDA, GB_OK, ""},
        {"variant=wmma,type=bf16", GB_CUDA, GB_OK, ""},
        {"variant=vendor,type=fp64,n=65536", GB_CPU, GB_OK, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        gb_value args[KERNEL_ARGS_MAX];
        const gb_kernel *k = kernel_args("matmul", cases[i].text, args);
        gb_need need;
        err = (gb_error){0};
        ck_assert_msg(k->spec.check(args, cases[i].kind, &need, &err) == cases[i].code, "%s",
                      cases[i].text);
        ck_assert_msg(strstr(err.message, cases[i].says) != NULL, "%s", err.message);
    }
}
END_TEST

START_TEST(work_is_counted_from_the_sizes)
{
    gb_value args[KERNEL_ARGS_MAX];
    gb_work work;
    gb_need need;
    const gb_kernel *k = kernel_args("matmul", "variant=vendor,type=bf16,n=5,m=3,k=7", args);
    k->spec.work(args, GB_CUDA, &work);
    ck_assert_uint_eq(work.flops, 2 * 5 * 3 * 7);
    ck_assert_uint_eq(work.bytes_read, 2 * (3 * 7 + 7 * 5));
    ck_assert_uint_eq(work.bytes_written, 2 * 3 * 5);
    ck_assert_uint_eq(work.bytes_moved, work.bytes_read + work.bytes_written);
    ck_assert_int_eq(work.compute, GB_COMPUTE_BF16_TENSOR);
    kernel_args("matmul", "variant=vendor,type=fp64,n=65536", args);
    k->spec.work(args, GB_CUDA, &work);
    ck_assert_uint_eq(work.flops, UINT64_C(1) << 49);
    ck_assert_int_eq(work.compute, GB_COMPUTE_FP64_TENSOR);
    ck_assert_int_eq(k->spec.check(args, GB_CUDA, &need, NULL), GB_OK);
    ck_assert_uint_eq(need.device_bytes, UINT64_C(3) << 35);
    kernel_args("matmul", "variant=tiled,type=fp64,n=4", args);
    k->spec.work(args, GB_CUDA, &work);
    ck_assert_uint_eq(work.flops, 2 * 64);
    ck_assert_int_eq(work.compute, GB_COMPUTE_FP64);
}
END_TEST

static gb_code no_blas(gb_device *device, gb_stream *stream, gb_gemm_type type, int m, int n, int k,
                       const void *a, const void *b, void *c, gb_error *error)
{
    (void)device, (void)stream, (void)type, (void)m, (void)n, (void)k, (void)a, (void)b, (void)c;
    return gb_fail(error, GB_UNAVAILABLE, "no library here");
}

START_TEST(a_missing_library_is_a_reason_to_skip)
{
    ops.gemm = no_blas;
    ck_assert_int_eq(verdict("variant=vendor,n=8"), GB_UNAVAILABLE);
    ck_assert_str_eq(err.message, "no library here");
    ck_assert_int_eq(verdict("variant=tiled,n=8"), GB_OK);
}
END_TEST

START_TEST(tensor_cores_before_8_0_have_no_bf16)
{
    gb_value args[KERNEL_ARGS_MAX];
    const gb_kernel *k = kernel_args("matmul", "variant=wmma,type=bf16,n=16", args);
    gb_run run = {.dev = dev, .args = args, .seed = 7};
    ck_assert_int_eq(dev->ops->stream_create(dev, &run.stream, &err), GB_OK);
    for (int major = 7; major < 9; major++) {
        dev->info.kind = GB_CUDA;
        dev->info.cc_major = major;
        dev->info.cc_minor = 5;
        const gb_code code = k->prepare(&run, &err);
        ck_assert_int_eq(code, major < 8 ? GB_UNAVAILABLE : GB_OK);
        if (major < 8)
            ck_assert_msg(strstr(err.message, "this GPU has 7.5") != NULL, "%s", err.message);
        k->release(&run);
    }
    dev->ops->stream_destroy(dev, run.stream);
}
END_TEST

/* --- the check -------------------------------------------------------------------------------- */

static double load(matmul_type type, const void *matrix, size_t i)
{
    if (type == MATMUL_FP64)
        return ((const double *)matrix)[i];
    if (type == MATMUL_FP32 || type == MATMUL_TF32)
        return (double)((const float *)matrix)[i];
    return gb_half_decode(((const uint16_t *)matrix)[i],
                          type == MATMUL_FP16 ? GB_FP16_EXPONENT : GB_BF16_EXPONENT);
}

static void store(matmul_type type, void *matrix, size_t i, double value)
{
    if (type == MATMUL_FP64)
        ((double *)matrix)[i] = value;
    else if (type == MATMUL_FP32 || type == MATMUL_TF32)
        ((float *)matrix)[i] = (float)value;
    else
        ((uint16_t *)matrix)[i] =
            gb_half_encode(value, type == MATMUL_FP16 ? GB_FP16_EXPONENT : GB_BF16_EXPONENT);
}

/* A product on the cpu device, whose memory a test may write to. */
typedef struct product {
    gb_run run;
    matmul_reference r;
    gb_memory a, b, c;
    double *exact; /* [m n] */
} product;

static void multiply(product *p)
{
    const matmul_reference *r = &p->r;
    for (size_t i = 0; i < r->m; i++)
        for (size_t l = 0; l < r->k; l++)
            for (size_t j = 0; j < r->n; j++)
                p->exact[i * r->n + j] += load(r->type, p->a.device, i * r->k + l) *
                                          load(r->type, p->b.device, l * r->n + j);
}

static void write_product(product *p)
{
    for (size_t i = 0; i < p->r.m * p->r.n; i++)
        store(p->r.type, p->c.device, i, p->exact[i]);
}

static product make_product(matmul_type type, uint64_t m, uint64_t n, uint64_t k)
{
    product p = {.run = {.dev = dev}, .r = {.type = type, .m = m, .n = n, .k = k, .seed = 11}};
    const size_t size = matmul_type_bytes(type);
    ck_assert_int_eq(real->stream_create(dev, &p.run.stream, &err), GB_OK);
    ck_assert_int_eq(real->alloc(dev, GB_MEM_DEVICE, m * k * size, &p.a, &err), GB_OK);
    ck_assert_int_eq(real->alloc(dev, GB_MEM_DEVICE, k * n * size, &p.b, &err), GB_OK);
    ck_assert_int_eq(real->alloc(dev, GB_MEM_DEVICE, m * n * size, &p.c, &err), GB_OK);
    ck_assert_msg(matmul_reference_make(&p.run, &p.r, &p.a, &p.b, &err) == GB_OK, "%s",
                  err.message);
    p.exact = calloc(m * n, sizeof *p.exact);
    ck_assert_ptr_nonnull(p.exact);
    multiply(&p);
    write_product(&p);
    return p;
}

static void free_product(product *p)
{
    matmul_reference_free(&p->r);
    real->free(dev, &p->a);
    real->free(dev, &p->b);
    real->free(dev, &p->c);
    real->stream_destroy(dev, p->run.stream);
    free(p->exact);
}

static gb_code judge(product *p)
{
    return matmul_reference_check(&p->run, &p->r, &p->c, &err);
}

static void swap(product *p, size_t i, size_t j)
{
    const double at_i = load(p->r.type, p->c.device, i), at_j = load(p->r.type, p->c.device, j);
    store(p->r.type, p->c.device, i, at_j);
    store(p->r.type, p->c.device, j, at_i);
}

enum wrong {
    RIGHT,
    COLUMNS,     /* two columns exchanged */
    ROWS,        /* two rows exchanged */
    LAST_STEP,   /* the last product of each sum is missing */
    FIRST_TWICE, /* the first one was added twice */
    LAST_ROW,    /* never written */
    LAST_COLUMN, /* never written */
    ZERO,
    A_NAN,
    ONE_ROW,  /* of half the size */
    NEGATIVE, /* one element in the middle, of the other sign */
    WRONGS
};

static void spoil(product *p, enum wrong wrong)
{
    const size_t m = p->r.m, n = p->r.n, k = p->r.k;
    const matmul_type type = p->r.type;
    void *c = p->c.device;
    const size_t middle = m / 2 * n + n / 3;
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < n; j++) {
            const size_t at = i * n + j, l = wrong == LAST_STEP ? k - 1 : 0;
            const double one =
                load(type, p->a.device, i * k + l) * load(type, p->b.device, l * n + j);
            if (wrong == LAST_STEP || wrong == FIRST_TWICE)
                store(type, c, at, p->exact[at] + (wrong == LAST_STEP ? -one : one));
            if (wrong == ZERO)
                store(type, c, at, 0);
            if (wrong == COLUMNS && j == 3)
                swap(p, at, at + 1);
            if (wrong == ROWS && i == 5)
                swap(p, at, at + n);
            if ((wrong == LAST_ROW && i == m - 1) || (wrong == LAST_COLUMN && j == n - 1))
                memset((char *)c + at * matmul_type_bytes(type), 0xFF, matmul_type_bytes(type));
            if (wrong == ONE_ROW && i == m / 2 + 1)
                store(type, c, at, p->exact[at] / 2);
        }
    }
    if (wrong == A_NAN)
        store(type, c, middle, NAN);
    if (wrong == NEGATIVE) /* where it is not small by chance */
        for (size_t j = 0; j < n; j++)
            if (fabs(p->exact[m / 2 * n + j]) > sqrt((double)k) / 2) {
                store(type, c, m / 2 * n + j, -p->exact[m / 2 * n + j]);
                return;
            }
}

/* Small ones are compared in full, large ones by their rows' sums. A single wrong element of a
 * large one may hide in the sum where C has only 8 or 11 bits, as the header says. */
START_TEST(KRN_17_wrong_products_of_every_type_are_found)
{
    const matmul_type type = (matmul_type)(_i % MATMUL_TYPES);
    const bool is_large = _i >= MATMUL_TYPES;
    product p = is_large ? make_product(type, 300, 260, 200) : make_product(type, 37, 41, 43);
    for (int wrong = RIGHT; wrong < WRONGS; wrong++) {
        if (wrong == NEGATIVE && is_large && (type == MATMUL_FP16 || type == MATMUL_BF16))
            continue;
        write_product(&p);
        spoil(&p, (enum wrong)wrong);
        const gb_code want = wrong == RIGHT ? GB_OK : GB_WRONG_RESULT;
        const gb_code code = judge(&p);
        ck_assert_msg(code == want, "type %d, large %d, wrong %d: %d", type, is_large, wrong, code);
    }
    free_product(&p);
}
END_TEST

START_TEST(a_wrong_element_is_named)
{
    product p = make_product(MATMUL_FP32, 300, 260, 200);
    float *c = p.c.device;
    c[123 * 260 + 45] = 1e6f;
    ck_assert_int_eq(judge(&p), GB_WRONG_RESULT);
    ck_assert_msg(strstr(err.message, "the sums of 1 of 300 rows are wrong; in the ") ==
                      err.message,
                  "%s", err.message);
    ck_assert_msg(strstr(err.message, "1 of ") != NULL, "%s", err.message);
    ck_assert_msg(strstr(err.message, "element 32025 (byte offset 128100): expected ") != NULL,
                  "%s", err.message);
    ck_assert_msg(strstr(err.message, "found 1000000") != NULL, "%s", err.message);
    ck_assert_int_eq(matmul_reference_check(&p.run, &p.r, &p.c, NULL), GB_WRONG_RESULT);
    free_product(&p);
}
END_TEST

/* Rounding is allowed, ten times as much is not. */
START_TEST(KRN_17_the_tolerance_is_that_of_the_type)
{
    static const double unit[MATMUL_TYPES] = {0x1p-24, 0x1p-24, 0x1p-11, 0x1p-8, 0x1p-53};
    const matmul_type type = (matmul_type)_i;
    product p = make_product(type, 20, 20, 100);
    const double typical = 10.0 / 3; /* sqrt(k) / 3 */
    const double off =
        unit[type] < 0x1p-20 ? unit[type] / 2 : 0; /* storing 16 bits rounds already */
    for (size_t i = 0; i < 400; i++)
        store(type, p.c.device, i, p.exact[i] * (1 + (i % 2 ? off : -off)));
    ck_assert_msg(judge(&p) == GB_OK, "%s", err.message);
    const double sums = 8 * 108 * (type == MATMUL_FP64 ? 0x1p-53 : 0x1p-24) / 3;
    store(type, p.c.device, 7, p.exact[7] + 10 * (typical * unit[type] + sums) + sums * 40);
    ck_assert_int_eq(judge(&p), GB_WRONG_RESULT);
    free_product(&p);
}
END_TEST

/* The tolerances rest on it: zero-mean, uniform, independent, never zero. */
START_TEST(the_data_behave_as_random_numbers)
{
    const matmul_type type = (matmul_type)_i;
    const uint64_t k = 64, n = 300;
    product p = make_product(type, n, n, k);
    double sum = 0, squares = 0, a = 0, a_squares = 0;
    for (size_t i = 0; i < n * n; i++) {
        sum += p.exact[i];
        squares += p.exact[i] * p.exact[i];
    }
    for (size_t i = 0; i < n * k; i++) {
        const double value = load(type, p.a.device, i);
        ck_assert(value != 0 && fabs(value) < 1);
        a += value;
        a_squares += value * value;
    }
    ck_assert_double_eq_tol(a / (double)(n * k), 0, 0.02);
    ck_assert_double_eq_tol(a_squares / (double)(n * k), 1.0 / 3, 0.01);
    ck_assert_double_eq_tol(sum / (double)(n * n), 0, 0.1);
    ck_assert_double_eq_tol(squares / (double)(n * n), (double)k / 9, (double)k / 9 * 0.05);
    free_product(&p);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tc = tcase_create("matmul");
    tcase_set_timeout(tc, 240);
    tcase_add_checked_fixture(tc, open_kernel_device, close_kernel_device);
    tcase_add_loop_test(tc, KRN_02_products_of_any_size, 0, 4);
    tcase_add_loop_test(tc, KRN_02_large_products_of_any_size, 1, 4);
    tcase_add_loop_test(tc, a_kernel_that_skips_a_tail_is_noticed, 0, 3);
    tcase_add_test(tc, arguments_that_do_not_go_together);
    tcase_add_test(tc, work_is_counted_from_the_sizes);
    tcase_add_test(tc, a_missing_library_is_a_reason_to_skip);
    tcase_add_test(tc, tensor_cores_before_8_0_have_no_bf16);
    suite_add_tcase(suite, tc);
    TCase *checks = tcase_create("check");
    tcase_set_timeout(checks, 240);
    tcase_add_checked_fixture(checks, open_kernel_device, close_kernel_device);
    tcase_add_loop_test(checks, KRN_17_wrong_products_of_every_type_are_found, 0, 2 * MATMUL_TYPES);
    tcase_add_test(checks, a_wrong_element_is_named);
    tcase_add_loop_test(checks, KRN_17_the_tolerance_is_that_of_the_type, 0, MATMUL_TYPES);
    tcase_add_loop_test(checks, the_data_behave_as_random_numbers, 0, MATMUL_TYPES);
    suite_add_tcase(suite, checks);
}

GB_CHECK_MAIN("matmul", add_cases)
