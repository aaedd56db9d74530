/* A second process on the device: it works and says so, it ends with whoever started it, and one
 * that does not do its work is found out, each with a reason. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/neighbour.h"
#include "unit/check_main.h"
#include "unit/kernel_args.h"

#define PATIENCE_NS UINT64_C(60000000000) /* for a busy machine */

static gb_device *dev;
static char folder[64], script[128];

static void set_up(void)
{
    gb_error err = {0};
    strcpy(folder, "/tmp/gpubench neighbour.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(script, sizeof script, "%s/neighbour", folder);
    ck_assert_msg(gb_device_cpu_open(0, &dev, &err) == GB_OK, "%s", err.message);
}

static void tear_down(void)
{
    dev->ops->close(dev);
    remove(script);
    ck_assert_int_eq(rmdir(folder), 0);
}

/* A program that does as `lines` say in place of a neighbour. */
static const char *pretend(const char *lines)
{
    FILE *file = fopen(script, "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "#!/bin/sh\n%s\n", lines);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_int_eq(chmod(script, 0700), 0);
    return script;
}

static gb_code start(const char *program, gb_load_kind kind, gb_neighbour *out, gb_error *err)
{
    const gb_load_spec load = {kind, 1 << 20, 16};
    return gb_neighbour_start(program, &dev->info, &load, 7, PATIENCE_NS, out, err);
}

static gb_neighbour begin(const char *program, gb_load_kind kind)
{
    gb_neighbour b;
    gb_error err = {0};
    ck_assert_msg(start(program, kind, &b, &err) == GB_OK, "%s", err.message);
    return b;
}

static void refused(const char *program, gb_code code, const char *text)
{
    gb_neighbour b;
    gb_error err = {0};
    const gb_code found = start(program, GB_LOAD_COMPUTE, &b, &err);
    ck_assert_msg(found == code, "%s: %s", gb_code_word(found), err.message);
    ck_assert_msg(strstr(err.message, text) != NULL, "%s", err.message);
    ck_assert_int_eq(b.process.pid, 0); /* nothing is left behind */
}

static void wait_for_rounds(gb_neighbour *b, uint64_t rounds)
{
    gb_error err = {0};
    while (b->rounds < rounds) {
        ck_assert_msg(gb_neighbour_listen(b, &err) == GB_OK, "%s", err.message);
        usleep(1000);
    }
}

START_TEST(it_works_all_the_time_with_every_load)
{
    gb_error err = {0};
    gb_neighbour b = begin(GB_PROGRAM, (gb_load_kind)_i);
    ck_assert_uint_gt(b.rounds, 0);
    ck_assert_int_eq(gb_neighbour_watch(&b, &err), GB_OK);
    const uint64_t busy = b.busy_ns;
    wait_for_rounds(&b, b.rounds + 20);
    ck_assert_uint_gt(b.busy_ns, busy);
    const gb_code code = gb_neighbour_check(&b, gb_now_ns(), &err);
    ck_assert_msg(code == GB_OK, "%s", err.message);
    const pid_t pid = b.process.pid;
    gb_neighbour_end(&b);
    ck_assert_int_eq(kill(pid, 0), -1);
    gb_neighbour_end(&b);
}
END_TEST

START_TEST(a_killed_one_is_missed)
{
    gb_error err = {0};
    gb_neighbour b = begin(GB_PROGRAM, GB_LOAD_COMPUTE);
    ck_assert_int_eq(kill(b.process.pid, SIGKILL), 0);
    gb_code code = GB_OK;
    while ((code = gb_neighbour_listen(&b, &err)) == GB_OK)
        usleep(1000);
    ck_assert_int_eq(code, GB_CRASHED);
    ck_assert_msg(strstr(err.message, "the neighbour was killed by signal 9 (SIGKILL)") != NULL,
                  "%s", err.message);
    ck_assert_int_eq(gb_neighbour_listen(&b, &err), GB_CRASHED);
    ck_assert_int_eq(gb_neighbour_check(&b, 0, &err), GB_CRASHED);
}
END_TEST

START_TEST(one_that_is_stopped_stands_still)
{
    gb_error err = {0};
    gb_neighbour b = begin(GB_PROGRAM, GB_LOAD_COMPUTE);
    ck_assert_int_eq(gb_neighbour_watch(&b, &err), GB_OK);
    ck_assert_int_eq(kill(b.process.pid, SIGSTOP), 0);
    b.silence_ns = 300000000;
    ck_assert_int_eq(gb_neighbour_check(&b, gb_now_ns() + 60000000000u, &err), GB_TIMEOUT);
    ck_assert_msg(strstr(err.message, "the neighbour stands still") != NULL, "%s", err.message);
    gb_neighbour_end(&b);
}
END_TEST

START_TEST(one_that_breaks_before_it_works_says_why)
{
    refused(pretend("echo no such luck >&2; exit 3"), GB_CRASHED,
            "the neighbour exited with status 3; its last words: no such luck, before it was under "
            "way");
    refused(pretend("kill -SEGV $$"), GB_CRASHED, "killed by signal 11 (SIGSEGV)");
    refused(pretend("echo failed no-memory no room for two >&3; exit 1"), GB_UNAVAILABLE,
            "the neighbour: no room for two");
    refused(pretend("echo failed device-busy it is in exclusive mode >&3"), GB_UNAVAILABLE,
            "the neighbour: it is in exclusive mode");
    refused(pretend("echo failed wrong-result 3 elements are wrong >&3"), GB_WRONG_RESULT,
            "the neighbour: 3 elements are wrong");
    refused(pretend("echo failed internal surprise >&3"), GB_DEVICE_ERROR, "surprise");
    refused(pretend("echo hello >&3; sleep 60"), GB_INTERNAL, "the neighbour said 'hello'");
    refused("/no/such/program", GB_CRASHED, "No such file");
    refused(NULL, GB_UNAVAILABLE, "does not start tasks");
}
END_TEST

/* It may claim to be under way: without a round of work it is not. */
START_TEST(one_that_never_works_is_not_waited_for_for_ever)
{
    static const char *const idle[] = {"sleep 60", "echo under-way >&3; sleep 60"};
    for (int i = 0; i < 2; i++) {
        gb_neighbour b;
        gb_error err = {0};
        const gb_load_spec load = {GB_LOAD_COMPUTE, 1 << 20, 16};
        ck_assert_int_eq(
            gb_neighbour_start(pretend(idle[i]), &dev->info, &load, 7, 300000000, &b, &err),
            GB_TIMEOUT);
        ck_assert_str_eq(err.message, "the neighbour was not under way after 0.3 s");
        ck_assert_int_eq(b.process.pid, 0);
    }
}
END_TEST

/* Two reports, of the first and of the second round: `busy` of `time` ns between them. */
static gb_code judge(const char *busy, const char *time, uint64_t until_ns, gb_error *err)
{
    char lines[200];
    snprintf(lines, sizeof lines,
             "echo under-way >&3; echo ran 1 0 1000 >&3; sleep 0.5\n"
             "echo ran 2 %s %s >&3; sleep 60",
             busy, time);
    gb_neighbour b = begin(pretend(lines), GB_LOAD_COMPUTE);
    ck_assert_int_eq(gb_neighbour_watch(&b, err), GB_OK);
    gb_code code = gb_neighbour_check(&b, until_ns, err);
    gb_neighbour_end(&b);
    return code;
}

START_TEST(one_that_idles_is_found_out)
{
    gb_error err = {0};
    ck_assert_int_eq(judge("8890000000", "10000001000", 9000000000, &err), GB_DEVICE_ERROR);
    ck_assert_msg(strstr(err.message, "at work for 88 % of the time; at least 90 % are needed") !=
                      NULL,
                  "%s", err.message);
    ck_assert_int_eq(judge("9001000000", "10000001000", 9000000000, &err), GB_OK);
    /* what a scheduler may do to it is no idleness */
    ck_assert_int_eq(judge("101000000", "200001000", 150000000, &err), GB_OK);
    ck_assert_int_eq(judge("99000000", "200001000", 150000000, &err), GB_DEVICE_ERROR);
}
END_TEST

START_TEST(it_works_on_the_very_device)
{
    gb_neighbour b;
    gb_error err = {0};
    gb_device_info other = dev->info;
    const gb_load_spec load = {GB_LOAD_COMPUTE, 1 << 20, 16};
    snprintf(other.uuid, sizeof other.uuid, "CPU-another");
    ck_assert_int_eq(gb_neighbour_start(GB_PROGRAM, &other, &load, 7, PATIENCE_NS, &b, &err),
                     GB_DEVICE_ERROR);
    ck_assert_msg(strstr(err.message, "instead of CPU-another") != NULL, "%s", err.message);
}
END_TEST

/* Whoever started it is killed without a chance to clean up; the orphan comes to this process. */
START_TEST(it_ends_with_the_process_that_started_it)
{
    int ends[2], status;
    pid_t neighbour = 0;
    ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    ck_assert_int_eq(pipe(ends), 0);
    const pid_t worker = fork();
    if (worker == 0) {
        gb_neighbour b;
        if (start(GB_PROGRAM, GB_LOAD_MEMORY, &b, NULL) != GB_OK ||
            write(ends[1], &b.process.pid, sizeof b.process.pid) < 0)
            _exit(1);
        for (;;)
            pause();
    }
    ck_assert_int_eq(read(ends[0], &neighbour, sizeof neighbour), sizeof neighbour);
    ck_assert_int_eq(kill(neighbour, 0), 0);
    ck_assert_int_eq(kill(worker, SIGKILL), 0);
    ck_assert_int_eq(waitpid(worker, &status, 0), worker);
    ck_assert_int_eq(waitpid(neighbour, &status, 0), neighbour);
    ck_assert(WIFSIGNALED(status));
    close(ends[0]);
    close(ends[1]);
}
END_TEST

/* A case as the measuring loop leads it, with `program` as the neighbour. *why: the first error. */
static gb_code measure(const char *program, int samples, gb_error *why)
{
    gb_value args[KERNEL_ARGS_MAX];
    const gb_kernel *k = kernel_args("stability", "beside=compute,bytes=65536,rounds=4", args);
    gb_run run = {.dev = dev, .args = args, .timer = GB_TIMER_ROUNDTRIP, .seed = 7};
    gb_sample sample;
    gb_tasks.program = program;
    ck_assert_int_eq(dev->ops->stream_create(dev, &run.stream, NULL), GB_OK);
    gb_code code = k->prepare(&run, why);
    for (int i = 0; i < samples && code == GB_OK; i++)
        code = k->sample(&run, 1, &sample, why);
    if (code == GB_OK)
        code = k->reset(&run, why);
    if (code == GB_OK)
        code = k->enqueue(&run, why);
    if (code == GB_OK)
        code = dev->ops->stream_sync(dev, run.stream, why);
    if (code == GB_OK)
        code = k->verify(&run, why);
    k->release(&run);
    dev->ops->stream_destroy(dev, run.stream);
    return code;
}

START_TEST(a_case_is_good_with_its_neighbour_alone)
{
    gb_error err = {0};
    gb_code code = measure(GB_PROGRAM, 100, &err);
    ck_assert_msg(code == GB_OK, "%s", err.message);
    code = measure(pretend("echo under-way >&3; echo ran 1 0 1000 >&3; sleep 0.5; exit 5"), 2000000,
                   &err);
    ck_assert_msg(code == GB_CRASHED && strstr(err.message, "exited with status 5") != NULL,
                  "%s: %s", gb_code_word(code), err.message);
    /* it says that it ends a round long after the samples, and that it idled all along */
    code = measure(pretend("echo under-way >&3; echo ran 1 0 1000 >&3; sleep 0.5\n"
                           "echo ran 2 1 9000000000000000000 >&3; sleep 60"),
                   100, &err);
    ck_assert_msg(code == GB_DEVICE_ERROR && strstr(err.message, "at work for 0 %") != NULL,
                  "%s: %s", gb_code_word(code), err.message);
    code = measure(NULL, 1, &err);
    ck_assert_int_eq(code, GB_UNAVAILABLE);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tc = tcase_create("neighbour");
    tcase_set_timeout(tc, 240);
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_loop_test(tc, it_works_all_the_time_with_every_load, 0, GB_LOADS);
    tcase_add_test(tc, a_killed_one_is_missed);
    tcase_add_test(tc, one_that_is_stopped_stands_still);
    tcase_add_test(tc, one_that_breaks_before_it_works_says_why);
    tcase_add_test(tc, one_that_never_works_is_not_waited_for_for_ever);
    tcase_add_test(tc, one_that_idles_is_found_out);
    tcase_add_test(tc, it_works_on_the_very_device);
    tcase_add_test(tc, it_ends_with_the_process_that_started_it);
    tcase_add_test(tc, a_case_is_good_with_its_neighbour_alone);
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("neighbour", add_cases)
