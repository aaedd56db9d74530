/* Launches on the cpu device at the limits of grid, block and shared memory. */
#include "unit/device_fixture.h"

GB_FN_DECLARE(index_flat)

START_TEST(KRN_01_limits_of_a_launch_are_errors_with_grid_and_block)
{
    const struct {
        uint32_t grid[3], block[3], shared;
        const char *part;
    } rows[] = {
        {{0, 1, 1}, {1, 1, 1}, 0, "a grid of 0 blocks"},
        {{1, 0, 1}, {1, 1, 1}, 0, "grid (1, 0, 1), block (1, 1, 1)"},
        {{1, 1, 1}, {0, 1, 1}, 0, "a block of 0 threads"},
        {{1, 1, 1}, {1025, 1, 1}, 0, "at most 1024 threads"},
        {{1, 1, 1}, {32, 33, 1}, 0, "block (32, 33, 1)"},
        {{1, 1, 1}, {1, 1, 65}, 0, "block.z is at most 64"},
        {{1, 1, 1}, {65536, 65536, 65536}, 0, "at most 1024 threads"},
        {{1, 65536, 1}, {1, 1, 1}, 0, "at most 65535"},
        {{1, 1, 65536}, {1, 1, 1}, 0, "grid (1, 1, 65536)"},
        {{0x80000000u, 1, 1}, {1, 1, 1}, 0, "grid.x is at most"},
        {{1, 1, 1}, {1, 1, 1}, 49153, "49153 bytes of shared memory"},
    };
    gb_memory m = device_memory(1024 * 4);
    memset(m.device, 0, 1024 * 4);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        REFUSED(launch_3d(GB_FN(index_flat), rows[i].grid, rows[i].block, rows[i].shared,
                          (void *[]){&m.device}),
                GB_INVALID, rows[i].part);
    OK(launch_3d(GB_FN(index_flat), (uint32_t[3]){1, 1, 1}, (uint32_t[3]){1024, 1, 1}, 49152,
                 (void *[]){&m.device}));
    OK(sync_stream());
    for (int i = 0; i < 1024; i++)
        ck_assert_uint_eq(((unsigned *)m.device)[i], 1);
    dev->ops->free(dev, &m);
}
END_TEST

START_TEST(KRN_01_one_block_more_than_65535_runs)
{
    gb_memory m = device_memory(65537u * 4);
    memset(m.device, 0, 65537u * 4);
    OK(launch(GB_FN(index_flat), 65537, 1, (void *[]){&m.device}));
    OK(sync_stream());
    for (size_t i = 0; i < 65537; i++)
        ck_assert_uint_eq(((unsigned *)m.device)[i], 1);
    dev->ops->free(dev, &m);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *c = tcase_create("launches");
    tcase_add_checked_fixture(c, open_device, close_device);
    tcase_set_timeout(c, 120);
    tcase_add_test(c, KRN_01_limits_of_a_launch_are_errors_with_grid_and_block);
    tcase_add_test(c, KRN_01_one_block_more_than_65535_runs);
    suite_add_tcase(suite, c);
}

GB_CHECK_MAIN("device_cpu_launches", add_cases)
