/* Arguments of a kernel from text, for tests: "direction=h2d,bytes=1024"; the rest at its default.
 */
#ifndef GB_TESTS_KERNEL_ARGS_H
#define GB_TESTS_KERNEL_ARGS_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernel.h"

#define KERNEL_ARGS_MAX 16

static inline void kernel_arg_set(const gb_kernel_spec *spec, gb_value args[], const char *name,
                                  const char *text)
{
    int at = gb_spec_param(spec, name);
    ck_assert_msg(at >= 0, "%s has no parameter %s", spec->name, name);
    const gb_param *param = &spec->params[at];
    if (param->kind != GB_PARAM_WORD) {
        args[at] = (gb_value){.number = strtoull(text, NULL, 10)};
        return;
    }
    for (size_t w = 0; param->words[w] != NULL; w++) {
        if (strcmp(param->words[w], text) == 0) {
            args[at] = (gb_value){.word = param->words[w]};
            return;
        }
    }
    ck_abort_msg("%s of %s has no word %s", name, spec->name, text);
}

/* Returns the kernel; args has room for KERNEL_ARGS_MAX. */
static inline const gb_kernel *kernel_args(const char *kernel, const char *text, gb_value args[])
{
    const gb_kernel *k = gb_kernel_find(kernel);
    ck_assert_ptr_nonnull(k);
    ck_assert_uint_le(k->spec.n_params, KERNEL_ARGS_MAX);
    for (size_t i = 0; i < k->spec.n_params; i++)
        args[i] = k->spec.params[i].default_value;
    char copy[256], *rest = copy;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *pair; (pair = strsep(&rest, ",")) != NULL;) {
        char *value = strchr(pair, '=');
        if (value == NULL)
            continue;
        *value++ = '\0';
        kernel_arg_set(&k->spec, args, pair, value);
    }
    return k;
}

#endif
