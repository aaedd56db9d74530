/* chase on the cpu device: it ends where the ring leads, launch after launch; a step too few, a
 * launch that did nothing and a link that leads elsewhere are noticed; what it says of its work. */
#include "kernels/chase.h"
#include "kernels/common.h"
#include "unit/kernel_fixture.h"
#include "unit/kernel_life.h"

#define MIB (UINT64_C(1) << 20)

/* What is done to one launch of many. */
static struct {
    int at;       /* the launch, from 0; -1: none */
    int64_t more; /* steps */
    bool nothing; /* it has no effect */
} spoil;
static int launches;
static gb_memory nodes;

static gb_code spoiled_launch(gb_device *device, gb_stream *stream, const gb_fn *fn,
                              const gb_launch *launch, void *args[], gb_error *err)
{
    if (launches++ != spoil.at)
        return real->launch(device, stream, fn, launch, args, err);
    if (spoil.nothing)
        return GB_OK;
    uint64_t steps = *(uint64_t *)args[2] + (uint64_t)spoil.more;
    return real->launch(device, stream, fn, launch, (void *[]){args[0], args[1], &steps}, err);
}

static gb_code spy_alloc(gb_device *device, gb_memory_kind kind, size_t bytes, gb_memory *out,
                         gb_error *err)
{
    gb_code code = real->alloc(device, kind, bytes, out, err);
    if (bytes > sizeof(chase_place))
        nodes = *out;
    return code;
}

static void open_device(void)
{
    open_kernel_device();
    ops.launch = spoiled_launch;
    ops.alloc = spy_alloc;
    spoil.at = -1;
}

static void set_link(uint64_t node, uint64_t width, uint64_t to)
{
    char *base = nodes.device;
    const uint64_t link = (uint64_t)(uintptr_t)base + to * width;
    memcpy(base + node * width, &link, sizeof link);
}

static uint64_t link_of(uint64_t node, uint64_t width)
{
    const char *base = nodes.device;
    uint64_t link;
    memcpy(&link, base + node * width, sizeof link);
    return (link - (uint64_t)(uintptr_t)base) / width;
}

/* A case's life with `iterations`, and its last look back. `spoiled` counts launches from the first
 * iteration on. `cut`: a node's link leads to itself from then on. */
static gb_code outcome(const char *text, int iterations, int spoiled, bool cut, gb_error *err)
{
    life l;
    spoil.at = -1;
    gb_code code = life_begin(&l, dev, "chase", text, err);
    if (code == GB_OK)
        code = l.kernel->reset(&l.run, err);
    ck_assert_msg(code == GB_OK, "%s: %s", text, err->message);
    launches = 0;
    spoil.at = spoiled;
    const uint64_t node = l.args[gb_spec_param(&l.kernel->spec, "node")].number;
    if (cut)
        set_link(link_of(0, node), node, link_of(0, node));
    for (int i = 0; i < iterations && code == GB_OK; i++)
        code = life_iterate(&l, err);
    if (code == GB_OK)
        code = l.kernel->verify(&l.run, err);
    if (code == GB_OK)
        code = l.kernel->reset(&l.run, err); /* looks back at all of them, and at the links */
    life_end(&l);
    return code;
}

static const char *const cases[] = {"bytes=16,node=8,steps=1",
                                    "bytes=2048,steps=1",
                                    "bytes=2048,steps=15",
                                    "bytes=2048,steps=16",
                                    "bytes=2048,steps=17",
                                    "bytes=2176,steps=1000",
                                    "bytes=65536",
                                    "bytes=3145728,steps=5000",
                                    "bytes=42240,node=4224",
                                    "bytes=33556480,node=2097280",
                                    "bytes=4000,node=1000"};

START_TEST(a_chase_ends_where_the_ring_leads)
{
    for (int iterations = 1; iterations <= 5; iterations += 2) {
        gb_error err = {0};
        ck_assert_msg(outcome(cases[_i], iterations, -1, false, &err) == GB_OK, "%s: %s", cases[_i],
                      err.message);
    }
}
END_TEST

START_TEST(a_step_too_few_or_too_many_is_noticed)
{
    for (int d = -1; d <= 1; d += 2)
        for (int at = 0; at < 3; at++) {
            gb_error err = {0};
            spoil.more = d;
            spoil.nothing = false;
            ck_assert_msg(outcome("bytes=4096,steps=100", 3, at, false, &err) == GB_WRONG_RESULT,
                          "launch %d, %d steps more", at, d);
            ck_assert_ptr_nonnull(strstr(err.message, "node, links followed and cycles"));
        }
}
END_TEST

/* The last one: what follows on one would start from poison. Also after steps that lead once
 * around, where it stands right then. */
START_TEST(a_launch_without_effect_is_noticed)
{
    static const char *const texts[] = {"bytes=4096,steps=100", "bytes=4096,steps=32"};
    for (size_t t = 0; t < 2; t++)
        for (int iterations = 1; iterations <= 3; iterations++) {
            gb_error err = {0};
            spoil.nothing = true;
            ck_assert_msg(outcome(texts[t], iterations, iterations - 1, false, &err) ==
                              GB_WRONG_RESULT,
                          "%s: launch %d", texts[t], iterations);
        }
}
END_TEST

START_TEST(a_link_that_leads_elsewhere_is_noticed)
{
    gb_error err = {0};
    /* so few steps that none of them comes by */
    ck_assert_int_eq(outcome("bytes=1048576,steps=1", 1, -1, true, &err), GB_WRONG_RESULT);
    ck_assert_ptr_nonnull(strstr(err.message, "chase: links: 1 of "));
    ck_assert_int_eq(outcome("bytes=4096,steps=100", 1, -1, true, &err), GB_WRONG_RESULT);
    ck_assert_ptr_nonnull(strstr(err.message, "links followed"));
}
END_TEST

START_TEST(pages_are_large_ones_whatever_the_size)
{
    gb_need need;
    life_work("chase", "bytes=2048", GB_CPU, &need);
    ck_assert_uint_eq(need.device_bytes, 2 * MIB + 2 * sizeof(chase_place));
    life_work("chase", "bytes=2048", GB_CUDA, &need);
    ck_assert_uint_eq(need.device_bytes, 2048 + 2 * sizeof(chase_place));
    life_work("chase", "space=host,bytes=2048", GB_CUDA, &need);
    ck_assert_uint_eq(need.pinned_bytes, 2048);
    gb_error err = {0};
    ck_assert_msg(outcome("bytes=2048,steps=17", 1, -1, false, &err) == GB_OK, "%s", err.message);
    ck_assert_uint_eq(nodes.bytes, 2 * MIB);
}
END_TEST

START_TEST(work_is_a_link_a_step)
{
    gb_need need;
    gb_work w = life_work("chase", "bytes=42240,node=4224,steps=7", GB_CPU, &need);
    ck_assert_uint_eq(w.items, 7);
    ck_assert_uint_eq(w.bytes_read, 56);
    ck_assert_uint_eq(w.bytes_moved, 56);
    ck_assert_uint_eq(w.working_set, 10 * 128);
    ck_assert_int_eq(w.ceiling, GB_CEILING_NONE);
    w = life_work("chase", "space=host,bytes=4096", GB_CUDA, &need);
    ck_assert_int_eq(w.ceiling, GB_CEILING_LINK); /* so no cache of the device counts */
    w = life_work("chase", "bytes=4096,node=8", GB_CPU, &need);
    ck_assert_uint_eq(w.working_set, 4096);
}
END_TEST

START_TEST(what_cannot_be_is_refused_with_the_reason)
{
    static const struct {
        const char *args;
        gb_code cpu, cuda;
        const char *part;
    } rows[] = {
        {"bytes=1000,node=100", GB_INVALID, GB_INVALID, "no multiple of 8"},
        {"bytes=1000,node=128", GB_INVALID, GB_INVALID, "multiple of node"},
        {"bytes=128,node=128", GB_INVALID, GB_INVALID, "2 to 4294967295 nodes"},
        {"bytes=274877906944,node=8", GB_INVALID, GB_INVALID, "2 to 4294967295 nodes"},
        {"space=shared,bytes=49280", GB_INVALID, GB_INVALID, "49152 of a block's shared memory"},
        {"space=shared,bytes=49152", GB_UNAVAILABLE, GB_OK, "no shared memory"},
        {"space=host", GB_UNAVAILABLE, GB_OK, "without a bus"},
    };
    for (size_t i = 0; i < GB_COUNT(rows); i++) {
        life_answers("chase", rows[i].args, GB_CPU, rows[i].cpu, rows[i].part);
        life_answers("chase", rows[i].args, GB_CUDA, rows[i].cuda, rows[i].part);
    }
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tc = tcase_create("chase");
    tcase_add_checked_fixture(tc, open_device, close_kernel_device);
    tcase_add_loop_test(tc, a_chase_ends_where_the_ring_leads, 0, (int)GB_COUNT(cases));
    tcase_add_test(tc, a_step_too_few_or_too_many_is_noticed);
    tcase_add_test(tc, a_launch_without_effect_is_noticed);
    tcase_add_test(tc, a_link_that_leads_elsewhere_is_noticed);
    tcase_add_test(tc, pages_are_large_ones_whatever_the_size);
    tcase_add_test(tc, work_is_a_link_a_step);
    tcase_add_test(tc, what_cannot_be_is_refused_with_the_reason);
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("chase", add_cases)
