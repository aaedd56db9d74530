/* The registry of gpubench-test: all kernels of the product, and the misbehaving one. It defines
 * what kernels/registry.c defines, so that the linker never takes that one from its library. */
#include <string.h>

#include "kernels/kernel.h"

extern const gb_kernel gb_kernel_misbehave;

#define GB_KERNEL_ROW(name) &gb_kernel_##name,
const gb_kernel *const gb_kernels[] = {
#include "kernels/registry.def"
    GB_KERNEL_ROW(misbehave)};
#undef GB_KERNEL_ROW
const size_t gb_kernels_count = sizeof gb_kernels / sizeof gb_kernels[0];

#define GB_KERNEL_ROW(name) &gb_kernel_##name.spec,
static const gb_kernel_spec *const specs[] = {
#include "kernels/registry.def"
    GB_KERNEL_ROW(misbehave)};
#undef GB_KERNEL_ROW
static const gb_catalog catalog = {specs, sizeof specs / sizeof specs[0]};

const gb_kernel *gb_kernel_find(const char *name)
{
    for (size_t i = 0; i < gb_kernels_count; i++) {
        if (strcmp(gb_kernels[i]->spec.name, name) == 0)
            return gb_kernels[i];
    }
    return NULL;
}

const gb_catalog *gb_kernel_catalog(void)
{
    return &catalog;
}
