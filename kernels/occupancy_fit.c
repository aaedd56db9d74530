#include "kernels/occupancy_fit.h"

#include "kernels/occupancy.h"

/* Shared memory is given out in such pieces, or smaller ones. */
#define PIECE 256

typedef struct search {
    gb_device *dev;
    const gb_fn *fn;
    gb_launch launch; /* its shared memory is what is tried */
} search;

static gb_code resident(search *s, uint32_t shared_bytes, uint32_t *blocks, gb_error *err)
{
    s->launch.shared_bytes = shared_bytes;
    return s->dev->ops->blocks_per_unit(s->dev, s->fn, &s->launch, blocks, err);
}

/* The least shared memory with which at most `wanted` blocks are resident; more are without any.
 * The largest size is asked for first, so that a device has allowed all others. */
static gb_code spoil(search *s, uint32_t wanted, uint32_t *blocks, gb_error *err)
{
    const gb_device_info *info = &s->dev->info;
    uint32_t low = 0, high = info->shared_per_block_optin > info->shared_per_block
                                 ? info->shared_per_block_optin
                                 : info->shared_per_block;
    gb_code code = resident(s, high, blocks, err);
    while (code == GB_OK && *blocks <= wanted && high - low > PIECE) {
        const uint32_t middle = low + (high - low) / 2;
        uint32_t found = 0;
        code = resident(s, middle, &found, err);
        if (found <= wanted) {
            high = middle;
            *blocks = found;
        } else {
            low = middle;
        }
    }
    s->launch.shared_bytes = high;
    return code;
}

gb_code occupancy_fit_warps(gb_device *dev, const gb_fn *fn, uint32_t warps, occupancy_fit *out,
                            gb_error *err)
{
    const uint32_t block_warps =
        warps > 0 && warps < OCCUPANCY_BLOCK_WARPS ? warps : OCCUPANCY_BLOCK_WARPS;
    search s = {.dev = dev, .fn = fn, .launch = {.grid = {1, 1, 1}, .block = {0, 1, 1}}};
    uint32_t full = 0, most = 0, blocks = 0;
    s.launch.block[0] = OCCUPANCY_BLOCK_WARPS * OCCUPANCY_GROUP;
    gb_code code = resident(&s, 0, &full, err);
    s.launch.block[0] = block_warps * OCCUPANCY_GROUP;
    if (code == GB_OK)
        code = resident(&s, 0, &most, err);
    blocks = most;
    if (code == GB_OK && warps > most * block_warps)
        return gb_fail(err, GB_UNAVAILABLE,
                       "warps: %s holds %u warps of this code on an SM, not %u (its registers, its "
                       "blocks or its threads are used up)",
                       dev->info.name, most * block_warps, warps);
    if (code == GB_OK && warps > 0 && warps < most * block_warps)
        code = spoil(&s, warps / block_warps, &blocks, err);
    if (code != GB_OK)
        return code;
    if (warps > 0 && warps != blocks * block_warps)
        return gb_fail(
            err, GB_UNAVAILABLE,
            "warps: with blocks of %u bytes of shared memory %s holds %u warps on an SM, "
            "not %u",
            s.launch.shared_bytes, dev->info.name, blocks * block_warps, warps);
    s.launch.grid[0] = blocks * dev->info.units;
    if (dev->info.max_grid[0] > 0 && s.launch.grid[0] > dev->info.max_grid[0])
        s.launch.grid[0] = dev->info.max_grid[0];
    *out = (occupancy_fit){s.launch, blocks * block_warps, full * OCCUPANCY_BLOCK_WARPS};
    return GB_OK;
}
