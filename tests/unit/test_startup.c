/* The kernels of the suite startup on the cpu device: memory that is not what it should be is
 * noticed, levels, refusals, and processes of their own that answer, fail or vanish. The tasks run
 * in this very program. */
#include "kernels/allocate.h"
#include "kernels/child.h"
#include "kernels/exhaust.h"
#include "unit/kernel_fixture.h"
#include "unit/kernel_life.h"
#include "unit/task_main.h"

/* What the wrappers do, and what they have seen. */
static struct {
    int allocs, frees;
    bool overlap;      /* device blocks begin 64 bytes after each other, in one piece */
    gb_memory piece;   /* that piece */
    int given;         /* blocks out of it */
    bool grants;       /* every request is granted with a page */
    gb_code refuse_as; /* what is too large is refused as this; 0: as the device does */
    uint64_t all;      /* what is free, as the wrapper says; 0: as the device does */
    uint64_t used;     /* of that */
    uint64_t page;     /* what a request is rounded up to there */
    bool no_reuse;     /* what is freed is not free again */
} spy;

static gb_code spy_alloc(gb_device *device, gb_memory_kind kind, size_t bytes, gb_memory *out,
                         gb_error *err)
{
    spy.allocs++;
    if (spy.overlap && kind == GB_MEM_DEVICE && bytes == 4096) {
        if (spy.piece.bytes == 0)
            ck_assert_int_eq(real->alloc(device, kind, 1 << 16, &spy.piece, err), GB_OK);
        *out = (gb_memory){
            .kind = kind, .bytes = bytes, .device = (char *)spy.piece.device + 64 * spy.given++};
        return GB_OK;
    }
    if (spy.grants && bytes > UINT64_C(1) << 35)
        return real->alloc(device, kind, 4096, out, err);
    if (spy.refuse_as != GB_OK && bytes > UINT64_C(1) << 35) {
        *out = (gb_memory){0};
        return gb_fail(err, spy.refuse_as, "refused by the test");
    }
    const uint64_t pages = spy.page ? (bytes + spy.page - 1) / spy.page * spy.page : bytes;
    if (spy.all > 0 && kind == GB_MEM_DEVICE && pages > spy.all - spy.used)
        return gb_fail(err, GB_NO_MEMORY, "full, says the test");
    gb_code code = real->alloc(device, kind, bytes, out, err);
    if (code == GB_OK && kind == GB_MEM_DEVICE)
        spy.used += pages;
    return code;
}

static void spy_free(gb_device *device, gb_memory *memory)
{
    spy.frees += memory->bytes > 0;
    if (spy.piece.bytes > 0 && memory->device >= spy.piece.device &&
        (char *)memory->device < (char *)spy.piece.device + spy.piece.bytes &&
        memory->bytes == 4096) {
        *memory = (gb_memory){0};
        return;
    }
    if (memory->kind == GB_MEM_DEVICE && memory->bytes > 0 && !spy.no_reuse)
        spy.used -= spy.page ? (memory->bytes + spy.page - 1) / spy.page * spy.page : memory->bytes;
    real->free(device, memory);
}

static gb_code spy_memory_info(gb_device *device, uint64_t *free, uint64_t *total, gb_error *err)
{
    if (spy.all == 0)
        return real->memory_info(device, free, total, err);
    *total = spy.all;
    *free = spy.all - spy.used;
    return GB_OK;
}

static void open_device(void)
{
    open_kernel_device();
    memset(&spy, 0, sizeof spy);
    ops.alloc = spy_alloc;
    ops.free = spy_free;
    ops.memory_info = spy_memory_info;
}

static void close_device(void)
{
    real->free(dev, &spy.piece);
    dev->ops->close(dev);
}

/* One life of a case; `run` is left for a look at its levels. */
static gb_code verdict(const char *kernel, const char *text, gb_run *run, gb_error *err)
{
    static gb_value args[KERNEL_ARGS_MAX];
    const gb_kernel *k = kernel_args(kernel, text, args);
    *run = (gb_run){.dev = dev, .args = args, .timer = k->spec.default_timer, .seed = 7};
    ck_assert_int_eq(dev->ops->stream_create(dev, &run->stream, err), GB_OK);
    gb_code code = k->prepare(run, err);
    if (code == GB_OK)
        code = k->reset(run, err);
    if (code == GB_OK)
        code = k->enqueue(run, err);
    if (code == GB_OK)
        code = k->verify(run, err);
    k->release(run);
    dev->ops->stream_destroy(dev, run->stream);
    return code;
}

static void right(const char *kernel, const char *text)
{
    gb_run run;
    gb_error err = {0};
    ck_assert_msg(verdict(kernel, text, &run, &err) == GB_OK, "%s: %s", text, err.message);
}

/* --- allocate --------------------------------------------------------------------------------- */

START_TEST(blocks_that_overlap_are_wrong)
{
    gb_run run;
    gb_error err = {0};
    right("allocate", "bytes=4096,blocks=3");
    spy.overlap = true;
    ck_assert_int_eq(verdict("allocate", "bytes=4096,blocks=3", &run, &err), GB_WRONG_RESULT);
    spy.given = 0;
    right("allocate", "bytes=4096,blocks=1");
}
END_TEST

/* A refusal in the middle gives all back that was granted, and is an error of the case. */
START_TEST(what_was_granted_before_a_refusal_is_given_back)
{
    gb_run run;
    gb_error err = {0};
    spy.all = 10000;
    ck_assert_int_eq(verdict("allocate", "bytes=4096,blocks=3", &run, &err), GB_NO_MEMORY);
    ck_assert_uint_eq(spy.used, 0);
    ck_assert_str_eq(err.message, "full, says the test");
}
END_TEST

/* From the second time on the device is asked no more; all goes back in the end. */
START_TEST(a_cache_asks_the_device_once)
{
    gb_value args[KERNEL_ARGS_MAX];
    gb_error err = {0};
    gb_sample sample;
    const gb_kernel *k = kernel_args("allocate", "way=cached,bytes=5000,blocks=4,rounds=9", args);
    gb_run run = {.dev = dev, .args = args, .timer = GB_TIMER_CALL, .seed = 7};
    ck_assert_int_eq(dev->ops->stream_create(dev, &run.stream, &err), GB_OK);
    ck_assert_int_eq(k->prepare(&run, &err), GB_OK);
    spy.allocs = spy.frees = 0;
    ck_assert_int_eq(k->enqueue(&run, &err), GB_OK);
    ck_assert_int_eq(spy.allocs, 4);
    ck_assert_int_eq(k->sample(&run, 3, &sample, &err), GB_OK);
    ck_assert_int_eq(spy.allocs, 4);
    ck_assert_int_eq(spy.frees, 0);
    ck_assert(sample.ns > 0 && isnan(sample.parts[ALLOCATE_PART_ALLOCATE]));
    k->release(&run);
    ck_assert_int_eq(spy.frees, 4 + 1); /* and the result's */
    ck_assert_uint_eq(spy.used, 0);
    dev->ops->stream_destroy(dev, run.stream);
}
END_TEST

START_TEST(the_cache_gives_only_what_is_of_the_size)
{
    gb_block_cache cache = {0};
    gb_memory a, b;
    gb_error err = {0};
    ck_assert_int_eq(gb_block_cache_take(&cache, dev, GB_MEM_PAGEABLE, 500, &a, &err), GB_OK);
    ck_assert_uint_eq(a.bytes, 512);
    const void *where = a.host;
    gb_block_cache_give(&cache, dev, &a);
    ck_assert_uint_eq(a.bytes, 0);
    ck_assert_int_eq(gb_block_cache_take(&cache, dev, GB_MEM_PAGEABLE, 513, &b, &err), GB_OK);
    ck_assert_ptr_ne(b.host, where);
    ck_assert_int_eq(gb_block_cache_take(&cache, dev, GB_MEM_DEVICE, 500, &a, &err), GB_OK);
    ck_assert_ptr_ne(a.device, where);
    gb_block_cache_give(&cache, dev, &a);
    ck_assert_int_eq(gb_block_cache_take(&cache, dev, GB_MEM_PAGEABLE, 100, &a, &err), GB_OK);
    ck_assert_ptr_eq(a.host, where);
    ck_assert_uint_eq(cache.hits, 1);
    ck_assert_uint_eq(cache.misses, 3);
    gb_block_cache_give(&cache, dev, &a);
    gb_block_cache_give(&cache, dev, &b);
    gb_block_cache_empty(&cache, dev);
    ck_assert_int_eq(spy.frees, 3);
    ck_assert_int_eq(gb_block_cache_take(&cache, dev, GB_MEM_PAGEABLE, 0, &a, &err), GB_INVALID);
}
END_TEST

START_TEST(what_goes_together)
{
    gb_value args[KERNEL_ARGS_MAX];
    gb_need need;
    const gb_kernel *k = kernel_args("allocate", "way=stream,memory=pinned", args);
    ck_assert_int_eq(k->spec.check(args, GB_CUDA, &need, NULL), GB_INVALID);
    k = kernel_args("allocate", "way=stream", args);
    ck_assert_int_eq(k->spec.check(args, GB_CUDA, &need, NULL), GB_OK);
    ck_assert_int_eq(k->spec.check(args, GB_CPU, &need, NULL), GB_UNAVAILABLE);
    k = kernel_args("fragment", "allocator=driver", args);
    ck_assert_int_eq(k->spec.check(args, GB_CUDA, &need, NULL), GB_OK);
    ck_assert_int_eq(k->spec.check(args, GB_CPU, &need, NULL), GB_UNAVAILABLE);
    k = kernel_args("fragment", "budget_bytes=16384,block_bytes=8192", args);
    ck_assert_int_eq(k->spec.check(args, GB_CPU, &need, NULL), GB_INVALID);
    k = kernel_args("exhaust", "how=filled", args);
    ck_assert_int_eq(k->spec.check(args, GB_CUDA, &need, NULL), GB_UNAVAILABLE);
}
END_TEST

/* --- fragment --------------------------------------------------------------------------------- */

static double usable(const char *text)
{
    gb_run run;
    gb_error err = {0};
    ck_assert_msg(verdict("fragment", text, &run, &err) == GB_OK, "%s: %s", text, err.message);
    return run.levels[0];
}

/* Of 16 blocks 8 are gone: one of them is all that can be had. */
START_TEST(every_other_block_gone)
{
    ck_assert_double_eq(usable("budget_bytes=65536,block_bytes=4096"), 100.0 / 8);
    ck_assert_double_eq(usable("budget_bytes=65536,block_bytes=4096,allocator=best-fit"),
                        100.0 / 8);
    ck_assert_double_eq(usable("budget_bytes=131072,block_bytes=4096"), 100.0 / 16);
}
END_TEST

/* The same history everywhere, so that the shares are the same, and between one step and all. */
START_TEST(a_history_has_one_outcome)
{
    const double first = usable("budget_bytes=262144,block_bytes=16384,pattern=churn");
    ck_assert_double_eq(usable("budget_bytes=262144,block_bytes=16384,pattern=churn"), first);
    ck_assert(first > 0 && first < 100);
    const double scaled = usable("budget_bytes=524288,block_bytes=32768,pattern=churn");
    ck_assert_double_eq(scaled, first); /* sizes are counted in eighths of a block */
}
END_TEST

/* A driver that maps pages of any place gives all that is free; one whose page holds two blocks, or
 * that takes other memory of the device instead of the holes, does not. */
START_TEST(a_drivers_pages_decide_what_can_be_had)
{
    const char text[] = "budget_bytes=65536,block_bytes=4096,allocator=driver";
    spy.all = 1 << 20;
    spy.page = 4096;
    ck_assert_double_eq(usable(text), 100);
    ck_assert_uint_eq(spy.used, 0);
    spy.page = 512;
    ck_assert_double_eq(
        usable("budget_bytes=65536,block_bytes=4096,allocator=driver,pattern=churn"), 100);
    spy.page = 6000; /* what filling took is the bound, not the sum of the sizes */
    ck_assert(usable(text) == 100);
    ck_assert_uint_eq(spy.used, 0);
    spy.no_reuse = true;
    ck_assert_double_eq(usable(text), 0);
}
END_TEST

/* --- exhaust ---------------------------------------------------------------------------------- */

START_TEST(a_request_for_too_much_that_is_granted_is_wrong)
{
    gb_run run;
    gb_error err = {0};
    right("exhaust", "bytes=4096");
    spy.grants = true;
    spy.all = UINT64_C(1) << 40;
    ck_assert_int_eq(verdict("exhaust", "bytes=4096", &run, &err), GB_WRONG_RESULT);
    ck_assert_ptr_nonnull(strstr(err.message, "were granted"));
    spy.grants = false;
    spy.refuse_as = GB_DEVICE_ERROR;
    ck_assert_int_eq(verdict("exhaust", "bytes=4096", &run, &err), GB_WRONG_RESULT);
    ck_assert_ptr_nonnull(strstr(err.message, "device-error: refused by the test"));
    spy.refuse_as = GB_NO_MEMORY;
    right("exhaust", "bytes=4096");
}
END_TEST

START_TEST(a_bounded_process_is_refused_and_goes_on)
{
    gb_value args[KERNEL_ARGS_MAX];
    gb_need need;
    const gb_kernel *k = kernel_args("exhaust", "how=filled", args);
    if (k->spec.check(args, GB_CPU, &need, NULL) == GB_UNAVAILABLE) /* a sanitizer */
        return;
    right("exhaust", "how=filled,bytes=1048576");
}
END_TEST

/* --- processes of their own ------------------------------------------------------------------- */

/* Parts follow each other: together they are no longer than the whole, but for later calls. */
START_TEST(a_process_answers_with_its_steps)
{
    life l;
    gb_error err = {0};
    gb_sample sample;
    ck_assert_int_eq(life_begin(&l, dev, "startup", "bytes=4100", &err), GB_OK);
    ck_assert_int_eq(l.kernel->reset(&l.run, &err), GB_OK);
    ck_assert_int_eq(l.kernel->sample(&l.run, 1, &sample, &err), GB_OK);
    ck_assert_int_eq(l.kernel->verify(&l.run, &err), GB_OK);
    double sum = 0;
    ck_assert_int_eq(gb_spec_first_after(&l.kernel->spec), 5);
    for (int p = 0; p < gb_spec_first_after(&l.kernel->spec); p++) {
        ck_assert(sample.parts[p] > 0);
        sum += sample.parts[p];
    }
    ck_assert_double_eq_tol(sum, sample.ns, 1); /* these are the whole */
    life_end(&l);
}
END_TEST

START_TEST(a_wrong_word_of_a_process_is_noticed)
{
    static const char *const cases[][2] = {{"startup", "call=launch,bytes=40000"},
                                           {"startup", "call=blas"},
                                           {"reclaim", "bytes=1048576"}};
    life l;
    gb_error err = {0};
    ck_assert_int_eq(life_begin(&l, dev, cases[_i][0], cases[_i][1], &err), GB_OK);
    ck_assert_int_eq(l.kernel->reset(&l.run, &err), GB_OK);
    ck_assert_int_eq(l.kernel->verify(&l.run, &err), GB_WRONG_RESULT); /* nothing ran */
    gb_code code = l.kernel->enqueue(&l.run, &err);
    if (code != GB_UNAVAILABLE) { /* no BLAS on this machine */
        ck_assert_msg(code == GB_OK, "%s", err.message);
        ck_assert_int_eq(l.kernel->verify(&l.run, &err), GB_OK);
        l.run.seed = 8; /* another run's answer */
        ck_assert_int_eq(l.kernel->verify(&l.run, &err), GB_WRONG_RESULT);
    }
    life_end(&l);
}
END_TEST

START_TEST(a_process_that_does_not_answer_is_an_error)
{
    gb_child child;
    static gb_child_answer answer;
    gb_error err = {0};
    gb_run run = {.dev = dev};
    ck_assert_int_eq(gb_child_start(&run, "no-such-task", NULL, 0, &child, &answer, &err),
                     GB_CRASHED);
    ck_assert_str_eq(err.message, "a process of our own did not answer: it exited with status 2; "
                                  "its last words: no task 'no-such-task'");
    ck_assert_int_eq(gb_child_end(&child, 1000, &err), GB_OK);
    const uint64_t numbers[] = {UINT64_C(1) << 60};
    ck_assert_int_eq(gb_child_start(&run, "reclaim", numbers, 1, &child, &answer, &err),
                     GB_NO_MEMORY);
    ck_assert_ptr_nonnull(strstr(err.message, "in a process of its own: device allocation of"));
    ck_assert_int_eq(gb_child_end(&child, 1000, &err), GB_OK);
    gb_tasks.program = NULL;
    ck_assert_int_eq(gb_child_start(&run, "reclaim", numbers, 1, &child, &answer, &err),
                     GB_UNAVAILABLE);
    ck_assert_int_eq(gb_child_end(&child, 1000, &err), GB_OK);
}
END_TEST

/* It has ended and has no memory any more, both by what the system says. */
START_TEST(a_killed_process_gives_its_memory_back)
{
    life l;
    gb_error err = {0};
    gb_sample sample;
    ck_assert_int_eq(life_begin(&l, dev, "reclaim", "bytes=16777216", &err), GB_OK);
    ck_assert_msg(l.kernel->sample(&l.run, 2, &sample, &err) == GB_OK, "%s", err.message);
    ck_assert(sample.parts[0] > 0 && sample.parts[1] >= sample.parts[0]);
    ck_assert(sample.ns == sample.parts[1]);
    life_end(&l);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *memory = tcase_create("memory");
    tcase_set_timeout(memory, 200);
    tcase_add_checked_fixture(memory, open_device, close_device);
    tcase_add_test(memory, blocks_that_overlap_are_wrong);
    tcase_add_test(memory, what_was_granted_before_a_refusal_is_given_back);
    tcase_add_test(memory, a_cache_asks_the_device_once);
    tcase_add_test(memory, the_cache_gives_only_what_is_of_the_size);
    tcase_add_test(memory, what_goes_together);
    tcase_add_test(memory, every_other_block_gone);
    tcase_add_test(memory, a_history_has_one_outcome);
    tcase_add_test(memory, a_drivers_pages_decide_what_can_be_had);
    tcase_add_test(memory, a_request_for_too_much_that_is_granted_is_wrong);
    suite_add_tcase(suite, memory);
    TCase *processes = tcase_create("processes");
    tcase_set_timeout(processes, 200);
    tcase_add_checked_fixture(processes, open_device, close_device);
    tcase_add_test(processes, a_bounded_process_is_refused_and_goes_on);
    tcase_add_test(processes, a_process_answers_with_its_steps);
    tcase_add_loop_test(processes, a_wrong_word_of_a_process_is_noticed, 0, 3);
    tcase_add_test(processes, a_process_that_does_not_answer_is_an_error);
    tcase_add_test(processes, a_killed_process_gives_its_memory_back);
    suite_add_tcase(suite, processes);
}

GB_CHECK_TASK_MAIN("startup", add_cases)
