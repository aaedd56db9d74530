#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/process.h"
#include "run/device_lock.h"
#include "unit/check_main.h"

static char folder[64];

static void set_up(void)
{
    strcpy(folder, "/tmp/gpubench-lock.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    setenv("GPUBENCH_LOCK_DIR", folder, 1);
}

static void tear_down(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

/* A child that holds the lock until it is killed. */
static pid_t hold(const char *uuid)
{
    int ready[2];
    char byte;
    ck_assert_int_eq(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        gb_device_lock lock;
        gb_code code = gb_device_lock_take(uuid, 0, NULL, NULL, NULL, &lock, NULL);
        if (write(ready[1], code ? "n" : "y", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    ck_assert_int_eq(read(ready[0], &byte, 1), 1);
    ck_assert_int_eq(byte, 'y');
    close(ready[0]);
    close(ready[1]);
    return child;
}

static void end(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static void heard(void *user, long pid)
{
    *(long *)user = pid;
}

START_TEST(RES_17_the_second_run_is_refused_and_learns_who_holds_it)
{
    pid_t child = hold("GPU-1");
    gb_device_lock lock, other;
    gb_error err = {0};
    char pid[32];
    snprintf(pid, sizeof pid, "pid %d", (int)child);
    ck_assert_int_eq(gb_device_lock_take("GPU-1", 0, NULL, NULL, NULL, &lock, &err),
                     GB_DEVICE_BUSY);
    ck_assert_ptr_nonnull(strstr(err.message, pid));
    ck_assert_int_eq(lock.fd, -1);
    /* another device is free */
    ck_assert_int_eq(gb_device_lock_take("GPU-2", 0, NULL, NULL, NULL, &other, &err), GB_OK);
    gb_device_lock_release(&other);
    end(child);
}
END_TEST

START_TEST(RES_17_a_crash_releases_the_lock)
{
    end(hold("GPU-1"));
    gb_device_lock lock;
    ck_assert_int_eq(gb_device_lock_take("GPU-1", 0, NULL, NULL, NULL, &lock, NULL), GB_OK);
    gb_device_lock_release(&lock);
    gb_device_lock_release(&lock);
    ck_assert_int_eq(gb_device_lock_take("GPU-1", 0, NULL, NULL, NULL, &lock, NULL), GB_OK);
    gb_device_lock_release(&lock);
}
END_TEST

START_TEST(waiting_ends_at_its_limit)
{
    pid_t child = hold("GPU-1");
    gb_device_lock lock;
    long pid = -1;
    uint64_t began = gb_now_ns();
    ck_assert_int_eq(gb_device_lock_take("GPU-1", 300000000, NULL, heard, &pid, &lock, NULL),
                     GB_DEVICE_BUSY);
    ck_assert_uint_ge(gb_now_ns() - began, 300000000);
    ck_assert_int_eq(pid, child);
    end(child);
}
END_TEST

/* Whoever has just taken the lock has not signed it yet. */
START_TEST(a_holder_that_is_not_known_yet_is_no_pid_0)
{
    gb_device_lock lock;
    gb_error err = {0};
    char path[128], who[256];
    snprintf(path, sizeof path, "%s/gpubench.lock-GPU-1", folder);
    int fd = open(path, O_CREAT | O_RDWR, 0666);
    ck_assert_int_eq(flock(fd, LOCK_EX), 0);
    ck_assert_int_eq(gb_device_lock_take("GPU-1", 0, NULL, NULL, NULL, &lock, &err),
                     GB_DEVICE_BUSY);
    ck_assert_ptr_nonnull(strstr(err.message, "(pid unknown, by its lock in"));
    ck_assert_ptr_nonnull(strstr(err.message, folder));
    close(fd);
    ck_assert_ptr_nonnull(strstr(gb_device_lock_holder(7, who, sizeof who), "pid 7,"));
    ck_assert_ptr_nonnull(strstr(gb_device_lock_holder(0, who, sizeof who), "pid unknown,"));
}
END_TEST

START_TEST(waiting_can_be_interrupted)
{
    pid_t child = hold("GPU-1");
    gb_device_lock lock;
    volatile sig_atomic_t interrupted = 1;
    ck_assert_int_eq(
        gb_device_lock_take("GPU-1", UINT64_MAX, &interrupted, NULL, NULL, &lock, NULL),
        GB_INTERRUPTED);
    end(child);
}
END_TEST

START_TEST(the_file_serves_all_users_and_follows_no_link)
{
    gb_device_lock lock;
    gb_error err = {0};
    char path[128], target[128];
    struct stat facts;
    umask(077);
    ck_assert_int_eq(gb_device_lock_take("GPU-1", 0, NULL, NULL, NULL, &lock, NULL), GB_OK);
    snprintf(path, sizeof path, "%s/gpubench.lock-GPU-1", folder);
    ck_assert_int_eq(stat(path, &facts), 0);
    ck_assert_int_eq(facts.st_mode & 0777, 0666);
    gb_device_lock_release(&lock);
    snprintf(path, sizeof path, "%s/gpubench.lock-GPU-2", folder);
    snprintf(target, sizeof target, "%s/precious", folder);
    int fd = open(target, O_CREAT | O_WRONLY, 0600);
    ck_assert_int_eq(write(fd, "precious", 8), 8);
    close(fd);
    ck_assert_int_eq(symlink(target, path), 0);
    ck_assert_int_eq(gb_device_lock_take("GPU-2", 0, NULL, NULL, NULL, &lock, &err), GB_IO);
    ck_assert_int_eq(stat(target, &facts), 0);
    ck_assert_int_eq(facts.st_size, 8);
    snprintf(path, sizeof path, "%s/gpubench.lock-GPU-3", folder);
    ck_assert_int_eq(mkfifo(path, 0666), 0);
    ck_assert_int_eq(gb_device_lock_take("GPU-3", 0, NULL, NULL, NULL, &lock, &err), GB_IO);
    setenv("GPUBENCH_LOCK_DIR", "/no/such/folder", 1);
    ck_assert_int_eq(gb_device_lock_take("GPU-4", 0, NULL, NULL, NULL, &lock, &err), GB_IO);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *c = tcase_create("lock");
    tcase_add_checked_fixture(c, set_up, tear_down);
    tcase_add_test(c, RES_17_the_second_run_is_refused_and_learns_who_holds_it);
    tcase_add_test(c, RES_17_a_crash_releases_the_lock);
    tcase_add_test(c, waiting_ends_at_its_limit);
    tcase_add_test(c, a_holder_that_is_not_known_yet_is_no_pid_0);
    tcase_add_test(c, waiting_can_be_interrupted);
    tcase_add_test(c, the_file_serves_all_users_and_follows_no_link);
    suite_add_tcase(suite, c);
}

GB_CHECK_MAIN("device_lock", add_cases)
