#include "kernels/affine.h"

gb_affine gb_affine_then(gb_affine first, gb_affine then)
{
    return (gb_affine){then.a * first.a, then.a * first.b + then.b};
}

gb_affine gb_affine_steps(uint64_t times)
{
    gb_affine all = {1, 0}, power = gb_affine_step;
    for (; times > 0; times /= 2) {
        if (times % 2 != 0)
            all = gb_affine_then(all, power);
        power = gb_affine_then(power, power);
    }
    return all;
}

void gb_affine_compare(gb_mismatch *bad, uint64_t at, const uint32_t *found, uint64_t count,
                       gb_affine map, uint64_t seed, uint64_t first)
{
    for (uint64_t i = 0; i < count; i++)
        gb_compare_u64(bad, at + i, gb_affine_apply(map, gb_word32(seed, first + i)), found[i], 8);
}

typedef struct checking {
    uint64_t seed;
    gb_affine all;
} checking;

static void compare(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                    size_t count)
{
    const checking *c = user;
    gb_affine_compare(bad, first, elements, count, c->all, c->seed, first);
}

gb_code gb_affine_verify(gb_run *run, const gb_memory *memory, uint64_t seed, uint64_t steps,
                         const char *what, gb_error *err)
{
    checking c = {seed, gb_affine_steps(steps)};
    const uint64_t n = memory->bytes / sizeof(uint32_t);
    return gb_memory_verify(run, memory, sizeof(uint32_t), n, compare, &c, what, err);
}
