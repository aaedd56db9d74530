/* arith on the cpu device: all its operations, what its reference can tell apart, and launches that
 * go wrong in ways in which a kernel does. */
#include "kernels/arith.h"
#include "kernels/arith_reference.h"
#include "unit/kernel_fixture.h"
#include "unit/kernel_life.h"

static void (*spoil)(void *args[]); /* NULL: nothing */
static bool of_words;               /* the constants are words, of doubles otherwise */

/* Arguments: to, ticks, n, rounds, constants. */
static gb_code spoiling_launch(gb_device *device, gb_stream *stream, const gb_fn *fn,
                               const gb_launch *launch, void *args[], gb_error *err)
{
    uint64_t n = *(uint64_t *)args[2];
    uint32_t rounds = *(uint32_t *)args[3];
    arith_words words = *(arith_words *)args[4];
    arith_doubles doubles = *(arith_doubles *)args[4];
    void *copies[5] = {args[0], args[1], &n, &rounds, of_words ? (void *)&words : (void *)&doubles};
    if (spoil != NULL)
        spoil(copies);
    return real->launch(device, stream, fn, launch, copies, err);
}

static void open_device(void)
{
    open_kernel_device();
    spoil = NULL;
}

/* What a CPU has. */
static const char *const on_cpu[] = {
    "op=add,type=fp64",  "op=mul,type=fp64",  "op=fma,type=fp64",  "op=div,type=fp64",
    "op=sqrt,type=fp64", "op=sin,type=fp64",  "op=add,type=fp32",  "op=mul,type=fp32",
    "op=fma,type=fp32",  "op=div,type=fp32",  "op=sqrt,type=fp32", "op=sin,type=fp32",
    "op=add,type=int32", "op=mul,type=int32", "op=fma,type=int32", "op=div,type=int32"};
#define ON_CPU (sizeof on_cpu / sizeof on_cpu[0])

START_TEST(KRN_02_any_number_of_threads_and_rounds)
{
    static const unsigned threads[] = {1, 15, 16, 17, 33, 300}, rounds[] = {1, 2, 9};
    static const char *const chains[] = {"one", "many"};
    for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++)
        for (size_t r = 0; r < sizeof rounds / sizeof rounds[0]; r++)
            for (size_t c = 0; c < 2; c++) {
                char text[96];
                gb_error err = {0};
                snprintf(text, sizeof text, "%s,chains=%s,threads=%u,rounds=%u", on_cpu[_i],
                         chains[c], threads[t], rounds[r]);
                ck_assert_msg(kernel_verdict(dev, "arith", text, &err) == GB_OK, "%s: %s", text,
                              err.message);
            }
}
END_TEST

START_TEST(KRN_02_a_CPU_does_not_tell_its_cycles)
{
    life l;
    gb_error err = {0};
    ck_assert_int_eq(life_begin(&l, dev, "arith", "op=add,type=fp64,chains=one,threads=1", &err),
                     GB_OK);
    ck_assert_int_eq(life_iterate(&l, &err), GB_OK);
    ck_assert_int_eq(l.kernel->verify(&l.run, &err), GB_OK);
    ck_assert(isnan(l.run.levels[gb_spec_metric(&l.kernel->spec, "cycles")]));
    life_end(&l);
}
END_TEST

START_TEST(KRN_02_the_most_rounds)
{
    char text[96];
    gb_error err = {0};
    snprintf(text, sizeof text, "%s,chains=one,threads=9,rounds=%d", on_cpu[_i], ARITH_MAX_ROUNDS);
    ck_assert_msg(kernel_verdict(dev, "arith", text, &err) == GB_OK, "%s: %s", text, err.message);
    snprintf(text, sizeof text, "%s,threads=17,rounds=%d", on_cpu[_i], ARITH_MAX_ROUNDS);
    ck_assert_msg(kernel_verdict(dev, "arith", text, &err) == GB_OK, "%s: %s", text, err.message);
}
END_TEST

static void skip_the_last(void *args[])
{
    --*(uint64_t *)args[2];
}

static void one_round_less(void *args[])
{
    --*(uint32_t *)args[3];
}

static void one_round_more(void *args[])
{
    ++*(uint32_t *)args[3];
}

static void no_round(void *args[])
{
    *(uint32_t *)args[3] = 0;
}

static void next_start(void *args[])
{
    arith_words *words = args[4];
    arith_doubles *doubles = args[4];
    if (of_words)
        words->start += words->step;
    else
        doubles->start += doubles->step;
}

static void all_alike(void *args[])
{
    if (of_words)
        ((arith_words *)args[4])->step = 0;
    else
        ((arith_doubles *)args[4])->step = 0;
}

/* A round that goes on where the last one was. */
static void no_restart(void *args[])
{
    if (of_words)
        ((arith_words *)args[4])->zero = 1;
    else
        ((arith_doubles *)args[4])->zero = 1;
}

START_TEST(KRN_06_a_wrong_launch_is_noticed)
{
    static void (*const mistakes[])(void *[]) = {
        skip_the_last, one_round_less, one_round_more, no_round, next_start, all_alike, no_restart};
    const char *row = on_cpu[_i];
    char text[96];
    if (strstr(row, "fp32") != NULL)
        return;
    of_words = strstr(row, "int32") != NULL;
    snprintf(text, sizeof text, "%s,threads=1000,rounds=3", row);
    ops.launch = spoiling_launch;
    for (size_t m = 0; m < sizeof mistakes / sizeof mistakes[0]; m++) {
        gb_error err = {0};
        spoil = NULL;
        ck_assert_msg(kernel_verdict(dev, "arith", text, &err) == GB_OK, "%s", err.message);
        spoil = mistakes[m];
        ck_assert_msg(kernel_verdict(dev, "arith", text, &err) == GB_WRONG_RESULT,
                      "%s: mistake %zu was not noticed", text, m);
    }
}
END_TEST

/* All that is there, GPUs included. */
static const struct {
    arith_op op;
    arith_type type;
    uint32_t chains;
} there[] = {
    {ARITH_ADD, ARITH_FP64, 12},   {ARITH_ADD, ARITH_FP32, 12},   {ARITH_ADD, ARITH_FP16X2, 12},
    {ARITH_ADD, ARITH_BF16X2, 12}, {ARITH_ADD, ARITH_INT32, 12},  {ARITH_MUL, ARITH_FP64, 12},
    {ARITH_MUL, ARITH_FP32, 12},   {ARITH_MUL, ARITH_FP16X2, 12}, {ARITH_MUL, ARITH_BF16X2, 12},
    {ARITH_MUL, ARITH_INT32, 12},  {ARITH_FMA, ARITH_FP64, 12},   {ARITH_FMA, ARITH_FP32, 12},
    {ARITH_FMA, ARITH_FP16X2, 12}, {ARITH_FMA, ARITH_BF16X2, 12}, {ARITH_FMA, ARITH_INT32, 12},
    {ARITH_FMA, ARITH_INT8, 12},   {ARITH_DIV, ARITH_FP64, 4},    {ARITH_DIV, ARITH_FP32, 4},
    {ARITH_DIV, ARITH_INT32, 4},   {ARITH_SQRT, ARITH_FP64, 4},   {ARITH_SQRT, ARITH_FP32, 4},
    {ARITH_SIN, ARITH_FP64, 4},    {ARITH_SIN, ARITH_FP32, 4},    {ARITH_FAST_SIN, ARITH_FP32, 12},
};
#define THERE (sizeof there / sizeof there[0])

static bool apart(const arith_chain *a, const arith_chain *b, uint64_t s, uint64_t t)
{
    const arith_result x = arith_expect(a, s), y = arith_expect(b, t);
    if (arith_is_whole(a->type))
        return x.whole != y.whole;
    return fabs(x.value - y.value) > x.tolerance && fabs(x.value - y.value) > y.tolerance;
}

/* A verification proves that every step was done when the result without one is another. */
START_TEST(the_result_depends_on_each_step_round_and_chain)
{
    for (uint32_t rounds = 1; rounds <= ARITH_MAX_ROUNDS; rounds *= 8)
        for (uint32_t chains = 1; chains <= there[_i].chains; chains += there[_i].chains - 1) {
            const arith_chain right = {.op = there[_i].op,
                                       .type = there[_i].type,
                                       .chains = chains,
                                       .rounds = rounds,
                                       .steps = ARITH_STEPS};
            for (int more = -1; more <= 1; more += 2) {
                arith_chain wrong = right;
                wrong.steps = (uint32_t)((int)right.steps + more);
                ck_assert(apart(&right, &wrong, 3, 3));
                wrong = right;
                wrong.rounds = (uint32_t)((int)right.rounds + more);
                ck_assert(apart(&right, &wrong, 3, 3));
            }
            for (uint64_t t = 1; t < ARITH_PLACES; t++)
                ck_assert(apart(&right, &right, 0, t));
        }
}
END_TEST

/* Against arithmetic written out. */
START_TEST(known_values)
{
    arith_chain c = {ARITH_ADD, ARITH_FP32, 1, 1, ARITH_STEPS};
    ck_assert_double_eq(arith_expect(&c, 0).value, -120 + 128); /* 128 times 3 - 2 */
    ck_assert_double_eq(arith_expect(&c, 13).value, -120 + 5 + 128);
    c.type = ARITH_BF16X2; /* two chains */
    ck_assert_double_eq(arith_expect(&c, 0).value, 8 + 9);
    c = (arith_chain){ARITH_FMA, ARITH_FP16X2, 12, 2, ARITH_STEPS};
    ck_assert_double_eq(arith_expect(&c, 0).value, 2 * (12 * (8 + 9) + 2 * 66));
    c = (arith_chain){ARITH_SQRT, ARITH_FP64, 1, 1, ARITH_STEPS};
    ck_assert_double_eq_tol(arith_expect(&c, 0).value, sqrt(1 + 128 * 0.75), 1e-13);
    c = (arith_chain){ARITH_MUL, ARITH_FP64, 1, 1, ARITH_STEPS};
    ck_assert_double_eq_tol(arith_expect(&c, 0).value, pow(1.25 * 0.8125, 128), 1e-12);
    c = (arith_chain){ARITH_DIV, ARITH_FP64, 1, 1, ARITH_STEPS};
    ck_assert_double_eq_tol(arith_expect(&c, 0).value, pow(1.53125 / 1.5, 128), 1e-12);
    /* F(1) = 1, F(2) = 3 and so on, 256 steps: the last x and the last y. */
    c = (arith_chain){ARITH_ADD, ARITH_INT32, 1, 1, ARITH_STEPS};
    uint32_t x = 1, y = 3;
    for (int i = 0; i < 128; i++) {
        x += y;
        y += x;
    }
    ck_assert_uint_eq(arith_expect(&c, 0).whole, x + y);
    /* One step of 1, 2, 3, 4 by -59, -81, 107, 127 (a, from its lowest byte) and b. */
    c = (arith_chain){ARITH_FMA, ARITH_INT8, 1, 1, 1};
    const arith_numbers *k = arith_numbers_of(c.op, c.type);
    ck_assert_uint_eq((uint32_t)k->start, 0x01020304);
    ck_assert_uint_eq((uint32_t)k->a, 0x7f6bafc5);
    ck_assert_uint_eq(arith_expect(&c, 0).whole,
                      (uint32_t)k->b + (uint32_t)(4 * -59 + 3 * -81 + 2 * 107 + 1 * 127));
}
END_TEST

static gb_work counted(const char *text)
{
    gb_need need;
    return life_work("arith", text, GB_CUDA, &need);
}

START_TEST(KRN_08_an_operation_is_one_whatever_it_is_made_of)
{
    gb_work w = counted("op=add,type=fp32,threads=1000,rounds=3");
    ck_assert_uint_eq(w.items, UINT64_C(1000) * 3 * 256 * 12);
    ck_assert_uint_eq(w.flops, w.items);
    ck_assert_int_eq(w.compute, GB_COMPUTE_FP32);
    ck_assert(w.items_are_operations);
    w = counted("op=fma,type=bf16x2,threads=1000,rounds=3"); /* two numbers a register */
    ck_assert_uint_eq(w.items, UINT64_C(1000) * 3 * 256 * 12 * 2);
    ck_assert_uint_eq(w.flops, 2 * w.items);
    ck_assert_int_eq(w.compute, GB_COMPUTE_BF16);
    w = counted("op=fma,type=int8,threads=7"); /* four bytes a word */
    ck_assert_uint_eq(w.items, UINT64_C(7) * 256 * 12 * 4);
    w = counted("op=fma,type=fp16x2,chains=one,threads=1"); /* both wait for the pair before */
    ck_assert_uint_eq(w.items, 256);
    ck_assert_uint_eq(w.flops, 256 * 2 * 2);
    w = counted("op=div,type=fp64,threads=7");
    ck_assert_uint_eq(w.items, UINT64_C(7) * 256 * 4);
    ck_assert_int_eq(w.compute, GB_COMPUTE_NONE);
    w = counted("op=fma,type=fp32,chains=one,threads=1,rounds=512"); /* keeps no unit busy */
    ck_assert_uint_eq(w.items, 512 * 256);
    ck_assert_int_eq(w.compute, GB_COMPUTE_NONE);
    ck_assert_int_eq(counted("op=add,type=int32").compute, GB_COMPUTE_NONE);
    ck_assert_int_eq(counted("op=mul,type=int32").compute, GB_COMPUTE_INT32);
    ck_assert_int_eq(counted("op=fast-sin").compute, GB_COMPUTE_SPECIAL);
}
END_TEST

START_TEST(what_is_not_there_is_said)
{
    static const struct {
        const char *text;
        gb_device_kind kind;
        gb_code code;
        const char *part;
    } cases[] = {
        {"op=sqrt,type=int32", GB_CUDA, GB_INVALID, "no sqrt of int32"},
        {"op=add,type=int8", GB_CUDA, GB_INVALID, "no add of int8"},
        {"op=fast-sin,type=fp64", GB_CUDA, GB_INVALID, "no fast-sin of fp64"},
        {"op=div,type=fp16x2", GB_CPU, GB_INVALID, "no div of fp16x2"},
        {"op=fma,type=int8", GB_CPU, GB_UNAVAILABLE, "four products of bytes"},
        {"op=mul,type=bf16x2", GB_CPU, GB_UNAVAILABLE, "packed halves"},
        {"op=fast-sin", GB_CPU, GB_UNAVAILABLE, "instruction of a GPU"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        life_answers("arith", cases[i].text, cases[i].kind, cases[i].code, cases[i].part);
    size_t n = 0;
    for (unsigned op = 0; op < ARITH_OPS; op++)
        for (unsigned type = 0; type < ARITH_TYPES; type++) {
            const gb_kernel_spec *spec = &gb_kernel_find("arith")->spec;
            char text[64];
            snprintf(text, sizeof text, "op=%s,type=%s", spec->params[0].words[op],
                     spec->params[1].words[type]);
            n += life_check("arith", text, GB_CUDA, NULL) == GB_OK;
        }
    ck_assert_uint_eq(n, THERE);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tc = tcase_create("arith");
    tcase_set_timeout(tc, 240);
    tcase_add_checked_fixture(tc, open_device, close_kernel_device);
    tcase_add_loop_test(tc, KRN_02_any_number_of_threads_and_rounds, 0, (int)ON_CPU);
    tcase_add_test(tc, KRN_02_a_CPU_does_not_tell_its_cycles);
    tcase_add_loop_test(tc, KRN_02_the_most_rounds, 0, (int)ON_CPU);
    tcase_add_loop_test(tc, KRN_06_a_wrong_launch_is_noticed, 0, (int)ON_CPU);
    tcase_add_loop_test(tc, the_result_depends_on_each_step_round_and_chain, 0, (int)THERE);
    tcase_add_test(tc, known_values);
    tcase_add_test(tc, KRN_08_an_operation_is_one_whatever_it_is_made_of);
    tcase_add_test(tc, what_is_not_there_is_said);
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("arith", add_cases)
