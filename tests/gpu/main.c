/* gpubench-device-test [DEVICE]: cpu (default), cuda or cuda:N. Exit status 1 when a test failed, 4
 * without such a device. */
#include <stdlib.h>
#include <string.h>

#include "gpu/device_test.h"
#include "unit/task_main.h"

static gb_code open_device(const char *word, gb_device **dev, gb_error *err)
{
    gb_device_choice choice;
    gb_code code = gb_device_choice_parse(word, &choice, err);
    if (code != GB_OK) {
        return code;
    }
    if (choice.kind == GB_CHOICE_CUDA || choice.kind == GB_CHOICE_CUDA_INDEX) {
        return gb_device_cuda_open(choice.kind == GB_CHOICE_CUDA ? 0 : choice.index, dev, err);
    }
    if (choice.kind == GB_CHOICE_CPU) {
        return gb_device_cpu_open(0, dev, err);
    }
    return gb_fail(err, GB_INVALID, "'%s': give cpu, cuda or cuda:N", word);
}

int main(int argc, char **argv)
{
    gb_device *dev = NULL;
    gb_error err = {0};
    int passed = 0, failed = 0, skipped = 0;
    if (task_main(argc, argv, gb_device_cuda_open)) {
        return gb_task_main(argv[3], argc - 4, argv + 4);
    }
    if (open_device(argc > 1 ? argv[1] : "cpu", &dev, &err) != GB_OK) {
        fprintf(stderr, "gpubench-device-test: %s\n", err.message);
        return err.code == GB_INVALID ? 2 : 4;
    }
    printf("device: %s %s\n", gb_device_kind_word(dev->info.kind), dev->info.name);
    for (const gb_named_test *test = gb_device_tests; test->name != NULL; test++) {
        err = (gb_error){0};
        gb_code code = test->run(dev, &err);
        const char *word = code == GB_OK ? "ok" : code == GB_UNAVAILABLE ? "skipped" : "FAILED";
        printf("%-8s%s%s%s\n", word, test->name, code == GB_OK ? "" : ": ",
               code == GB_OK ? "" : err.message);
        fflush(stdout);
        passed += code == GB_OK;
        skipped += code == GB_UNAVAILABLE;
        failed += code != GB_OK && code != GB_UNAVAILABLE;
        if (err.sticky) {
            printf("the context is lost; nothing further was tested\n");
            break;
        }
    }
    if (!err.sticky) {
        gb_test_all_kernels(dev, stdout, &passed, &failed, &skipped);
    }
    dev->ops->close(dev);
    printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    return failed > 0 || passed == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
