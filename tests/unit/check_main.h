/* main() of a unit test: GB_CHECK_MAIN("name", add_cases) runs one Check suite. CK_FORK=no runs it
 * in one process (under sanitizers and debuggers). Exit status 1 when any test failed. A test has a
 * minute unless it asks for more: Check's own 4 s are short on a busy machine under a sanitizer. */
#ifndef GB_TESTS_CHECK_MAIN_H
#define GB_TESTS_CHECK_MAIN_H

#include <check.h>
#include <stdlib.h>

#define GB_CHECK_MAIN(name, add)                                                                   \
    int main(void)                                                                                 \
    {                                                                                              \
        GB_CHECK_RUN(name, add)                                                                    \
    }

/* The same for a program that kernels may start again (task_main.h, to be included too). */
#define GB_CHECK_TASK_MAIN(name, add)                                                              \
    int main(int argc, char *argv[])                                                               \
    {                                                                                              \
        if (task_main(argc, argv, NULL))                                                           \
            return gb_task_main(argv[3], argc - 4, argv + 4);                                      \
        GB_CHECK_RUN(name, add)                                                                    \
    }

#define GB_CHECK_RUN(name, add)                                                                    \
    setenv("CK_DEFAULT_TIMEOUT", "60", 0);                                                         \
    Suite *suite = suite_create(name);                                                             \
    add(suite);                                                                                    \
    SRunner *runner = srunner_create(suite);                                                       \
    srunner_run_all(runner, CK_NORMAL);                                                            \
    int failed = srunner_ntests_failed(runner);                                                    \
    int ran = srunner_ntests_run(runner);                                                          \
    srunner_free(runner);                                                                          \
    return failed == 0 && ran > 0 ? EXIT_SUCCESS : EXIT_FAILURE;

#endif
