/* What a kernel's own verification says of a build of that kernel: a shared library, made by
 * mutate.py from its sources with a mistake in them.
 *   kernel_verdict LIBRARY KERNEL ARGUMENTS...
 * ARGUMENTS is one case ("variant=tiled,n=33"); the first that is found wrong ends the program with
 * 1 and its reason on stdout; 0: all are right, 2: it could not be tried. SKIP_LAUNCHES=1 in the
 * environment lets every launch succeed without effect. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/task_main.h"
#include "kernels/kernel.h"

#define MAX_ARGS 16

static gb_device_ops ops;
static const gb_device_ops *real;

/* Memory of kinds that a processor lacks: any will do for the kernels that reach into it. */
static gb_code allocate(gb_device *dev, gb_memory_kind kind, size_t bytes, gb_memory *out,
                        gb_error *err)
{
    const bool both = kind == GB_MEM_MAPPED || kind == GB_MEM_MANAGED;
    gb_code code = real->alloc(dev, both ? GB_MEM_DEVICE : kind, bytes, out, err);
    if (code == GB_OK && both)
        out->host = out->device;
    return code;
}

static gb_code no_launch(gb_device *dev, gb_stream *stream, const gb_fn *fn,
                         const gb_launch *launch, void *args[], gb_error *err)
{
    (void)dev, (void)stream, (void)fn, (void)launch, (void)args, (void)err;
    return GB_OK;
}

static gb_code open_device(gb_device **dev, gb_error *err)
{
    gb_code code = gb_device_cpu_open(3, dev, err);
    if (code != GB_OK)
        return code;
    real = (*dev)->ops;
    ops = *real;
    ops.alloc = allocate;
    if (getenv("SKIP_LAUNCHES") != NULL)
        ops.launch = no_launch;
    (*dev)->ops = &ops;
    /* Small grids, so that blocks have to go on with a second share. */
    (*dev)->info.max_grid[0] = 2;
    return GB_OK;
}

static bool parse(const gb_kernel_spec *spec, char *text, gb_value args[])
{
    for (size_t i = 0; i < spec->n_params; i++)
        args[i] = spec->params[i].default_value;
    for (char *pair; (pair = strsep(&text, ",")) != NULL;) {
        char *value = strchr(pair, '=');
        if (value == NULL)
            return false;
        *value++ = '\0';
        const int at = gb_spec_param(spec, pair);
        if (at < 0)
            return false;
        const char *const *words = spec->params[at].words;
        if (spec->params[at].kind != GB_PARAM_WORD) {
            args[at] = (gb_value){.number = strtoull(value, NULL, 10)};
            continue;
        }
        while (*words != NULL && strcmp(*words, value) != 0)
            words++;
        if (*words == NULL)
            return false;
        args[at] = (gb_value){.word = *words};
    }
    return true;
}

/* One life: prepare, reset, one iteration, verify. */
static gb_code try_case(gb_device *dev, const gb_kernel *k, const gb_value args[], gb_error *err)
{
    gb_run run = {.dev = dev, .args = args, .seed = 7};
    run.timer = gb_spec_timer(&k->spec, args, k->spec.default_timer);
    gb_code code = dev->ops->stream_create(dev, &run.stream, err);
    if (code != GB_OK)
        return code;
    code = k->prepare(&run, err);
    if (code == GB_OK)
        code = k->reset(&run, err);
    if (code == GB_OK)
        code = dev->ops->sync(dev, err);
    if (code == GB_OK)
        code = k->enqueue(&run, err);
    if (code == GB_OK)
        code = dev->ops->sync(dev, err);
    if (code == GB_OK)
        code = k->verify(&run, err);
    k->release(&run);
    dev->ops->stream_destroy(dev, run.stream);
    return code;
}

int main(int argc, char *argv[])
{
    char name[64];
    gb_error err = {0};
    gb_device *dev;
    if (task_main(argc, argv, NULL))
        return gb_task_main(argv[3], argc - 4, argv + 4);
    /* (Asking for it also brings all that the kernels call into this program.) */
    if (argc < 4 || gb_kernel_find(argv[2]) == NULL) {
        printf("usage: kernel_verdict LIBRARY KERNEL ARGUMENTS...\n");
        return 2;
    }
    snprintf(name, sizeof name, "gb_kernel_%s", argv[2]);
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    const gb_kernel *k = library != NULL ? dlsym(library, name) : NULL;
    if (k == NULL) {
        printf("%s\n", dlerror());
        return 2;
    }
    if (open_device(&dev, &err) != GB_OK) {
        printf("%s\n", err.message);
        return 2;
    }
    int status = 0;
    for (int i = 3; i < argc && status == 0; i++) {
        gb_value args[MAX_ARGS];
        char *text = strdup(argv[i]);
        if (text == NULL || k->spec.n_params > MAX_ARGS || !parse(&k->spec, text, args)) {
            printf("%s: no arguments of %s\n", argv[i], argv[2]);
            status = 2;
        } else if (try_case(dev, k, args, &err) != GB_OK) {
            printf("%s: %s\n", argv[i], err.message);
            status = err.code == GB_UNAVAILABLE || err.code == GB_NO_MEMORY ? 2 : 1;
        }
        free(text);
    }
    real->close(dev);
    dlclose(library);
    return status;
}
