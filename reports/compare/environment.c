/* What differs around two runs: the build, the host, the driver. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "reports/compare/internal.h"

/* A fact that may differ: where it stands, and whether it can move the figures by itself. The
 * version and revision of gpubench are what many comparisons are about: they are listed. */
typedef struct field {
    const char *object, *inner, *key;
    bool matters;
} field;
static const field fields[] = {
    {"tool", NULL, "version", false},
    {"tool", NULL, "git", false},
    {"tool", "build", "type", true},
    {"tool", "build", "compiler", true},
    {"tool", "build", "flags", true},
    {"tool", "build", "cuda_toolkit", true},
    {"tool", "build", "cuda_architectures", true},
    {"tool", "build", "portable", true},
    {"tool", "build", "sanitizer", true},
    {"tool", "build", "checked_kernels", true},
    {"suite", NULL, "sha256", false},
    {"host", NULL, "cpu", true},
    {"host", NULL, "kernel", true},
    {"host", NULL, "os", false},
    {"host", NULL, "hypervisor", true},
    {"host", NULL, "container", true},
    {"host", NULL, "governor", true},
    {"host", NULL, "logical_cpus", true},
    {"host", NULL, "affinity", true},
    {"host", NULL, "cgroup_cpus", true},
    {"host", NULL, "numa_nodes", true},
};
static const char *const device_fields[] = {
    "driver",           "runtime",      "compute_capability", "ecc", "memory_bytes", "clock_khz",
    "memory_clock_khz", "pcie_gen_max", "pcie_width_max",     "uuid"};

gb_code gb_compare_warn(gb_comparison *c, gb_error *err, const char *code, const char *format, ...)
{
    gb_buf text = {0};
    va_list args;
    va_start(args, format);
    gb_buf_vprintf(&text, format, args);
    va_end(args);
    json_t *entry = text.failed ? NULL
                                : json_pack("{s:s, s:o}", "code", code, "text",
                                            gb_json_string(text.data != NULL ? text.data : ""));
    gb_buf_free(&text);
    if (entry == NULL || json_array_append_new(c->warnings, entry) != 0) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for a comparison");
    }
    return GB_OK;
}

/* Null for what is not there: older versions wrote less. */
static json_t *value_of(const json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    return value != NULL ? json_incref(value) : json_null();
}

/* Adds the field when the two differ. Takes both references. */
static gb_code add(gb_comparison *c, const char *name, json_t *a, json_t *b, bool matters,
                   gb_error *err)
{
    bool differ = a != NULL && b != NULL && !json_equal(a, b);
    if (!differ) {
        json_decref(a);
        json_decref(b);
        return a != NULL && b != NULL
                   ? GB_OK
                   : gb_fail(err, GB_NO_MEMORY, "out of memory for a comparison");
    }
    json_t *entry = json_pack("{s:s, s:o, s:o, s:b}", "field", name, "a", a, "b", b, "matters",
                              matters ? 1 : 0);
    return entry != NULL && json_array_append_new(c->environment, entry) == 0
               ? GB_OK
               : gb_fail(err, GB_NO_MEMORY, "out of memory for a comparison");
}

static gb_code add_fields(gb_comparison *c, gb_error *err)
{
    gb_code code = GB_OK;
    for (size_t i = 0; code == GB_OK && i < sizeof fields / sizeof fields[0]; i++) {
        const field *f = &fields[i];
        const json_t *x = json_object_get(c->a->document, f->object);
        const json_t *y = json_object_get(c->b->document, f->object);
        x = f->inner != NULL ? json_object_get(x, f->inner) : x;
        y = f->inner != NULL ? json_object_get(y, f->inner) : y;
        char name[96];
        snprintf(name, sizeof name, "%s.%s%s%s", f->object, f->inner != NULL ? f->inner : "",
                 f->inner != NULL ? "." : "", f->key);
        code = add(c, name, value_of(x, f->key), value_of(y, f->key), f->matters, err);
    }
    return code;
}

/* Variables such as CUDA_MODULE_LOADING, whichever of them either run recorded. */
static gb_code add_variables(gb_comparison *c, gb_error *err)
{
    const json_t *x = json_object_get(json_object_get(c->a->document, "run"), "environment");
    const json_t *y = json_object_get(json_object_get(c->b->document, "run"), "environment");
    json_t *names = json_object();
    json_object_update(names, (json_t *)(uintptr_t)x);
    json_object_update(names, (json_t *)(uintptr_t)y);
    gb_code code = names != NULL ? GB_OK : gb_fail(err, GB_NO_MEMORY, "out of memory");
    const char *name;
    json_t *unused;
    json_object_foreach(names, name, unused)
    {
        char full[96];
        snprintf(full, sizeof full, "run.environment.%.60s", name);
        if (code == GB_OK) {
            code = add(c, full, value_of(x, name), value_of(y, name), true, err);
        }
    }
    json_decref(names);
    return code;
}

/* ECC takes memory and bandwidth; a card that does not tell is a third state, not "off". */
static gb_code check_ecc(gb_comparison *c, const json_t *a, const json_t *b, gb_error *err)
{
    static const char *const words[] = {"off", "on", "unknown"};
    const json_t *x = json_object_get(a, "ecc"), *y = json_object_get(b, "ecc");
    int ecc_a = json_is_boolean(x) ? json_is_true(x) : 2;
    int ecc_b = json_is_boolean(y) ? json_is_true(y) : 2;
    const char *kind = json_string_value(json_object_get(b, "kind"));
    bool gpu = kind != NULL && strcmp(kind, "cpu") != 0;
    if (ecc_a == ecc_b && !(gpu && ecc_a == 2)) {
        return GB_OK;
    }
    return gb_compare_warn(c, err, "ecc",
                           "ECC is %s in the baseline and %s in the new run: it changes usable "
                           "memory and bandwidth",
                           words[ecc_a], words[ecc_b]);
}

static gb_code add_devices(gb_comparison *c, const gb_devices *devices, gb_error *err)
{
    gb_code code = GB_OK;
    const json_t *all_a = json_object_get(c->a->document, "devices");
    const json_t *all_b = json_object_get(c->b->document, "devices");
    for (size_t i = 0; code == GB_OK && i < devices->n; i++) {
        if (devices->map[i] < 0) {
            continue;
        }
        const json_t *x = json_array_get(all_a, (size_t)devices->map[i]);
        const json_t *y = json_array_get(all_b, i);
        for (size_t k = 0; code == GB_OK && k < sizeof device_fields / sizeof device_fields[0];
             k++) {
            char name[96];
            snprintf(name, sizeof name, "devices[%zu].%s", i, device_fields[k]);
            code = add(c, name, value_of(x, device_fields[k]), value_of(y, device_fields[k]),
                       strcmp(device_fields[k], "uuid") != 0, err);
        }
        if (code == GB_OK) {
            code = check_ecc(c, x, y, err);
        }
    }
    return code;
}

gb_code gb_compare_environment(gb_comparison *c, const gb_devices *devices, gb_error *err)
{
    gb_code code = add_fields(c, err);
    if (code == GB_OK) {
        code = add_variables(c, err);
    }
    if (code == GB_OK) {
        code = add_devices(c, devices, err);
    }
    gb_buf names = {0};
    size_t i;
    const json_t *entry;
    json_array_foreach(c->environment, i, entry)
    {
        if (json_is_true(json_object_get(entry, "matters"))) {
            gb_buf_printf(&names, "%s%s", names.length > 0 ? ", " : "",
                          json_string_value(json_object_get(entry, "field")));
        }
    }
    if (code == GB_OK && names.failed) {
        code = gb_fail(err, GB_NO_MEMORY, "out of memory for a comparison");
    }
    if (code == GB_OK && names.length > 0) {
        code = c->options.strict_environment
                   ? gb_fail(err, GB_UNAVAILABLE,
                             "the two runs had other surroundings, which --strict-environment "
                             "refuses: %s",
                             names.data)
                   : gb_compare_warn(c, err, "environment",
                                     "the two runs had other surroundings: %s", names.data);
    }
    gb_buf_free(&names);
    return code;
}
