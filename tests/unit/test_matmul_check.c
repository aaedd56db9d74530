/* matmul: the check of its result. Right products of every type pass it, and wrong ones of many
 * kinds do not. */
#include "kernels/half.h"
#include "kernels/matmul_reference.h"

#include "unit/kernel_fixture.h"

static gb_error err;

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
    TCase *checks = tcase_create("check");
    tcase_set_timeout(checks, 240);
    tcase_add_checked_fixture(checks, open_kernel_device, close_kernel_device);
    tcase_add_loop_test(checks, KRN_17_wrong_products_of_every_type_are_found, 0, 2 * MATMUL_TYPES);
    tcase_add_test(checks, a_wrong_element_is_named);
    tcase_add_loop_test(checks, KRN_17_the_tolerance_is_that_of_the_type, 0, MATMUL_TYPES);
    tcase_add_loop_test(checks, the_data_behave_as_random_numbers, 0, MATMUL_TYPES);
    suite_add_tcase(suite, checks);
}

GB_CHECK_MAIN("matmul_check", add_cases)
