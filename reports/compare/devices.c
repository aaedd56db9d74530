/* Which device of one run is which of the other's. */
#include <stdlib.h>
#include <string.h>

#include "reports/compare/internal.h"

/* What makes two devices units of one model. Memory is not among them: ECC takes some of it. */
static const char *const model[] = {"kind", "name", "mig", "units"};

size_t gb_results_device_count(const gb_results *results)
{
    size_t n = json_array_size(json_object_get(results->document, "devices"));
    for (size_t i = 0; i < results->n; i++) {
        size_t device = results->records[i].device < 0 ? 0 : (size_t)results->records[i].device;
        n = device >= n ? device + 1 : n;
    }
    return n;
}

static const json_t *info(const gb_results *results, size_t device)
{
    return json_array_get(json_object_get(results->document, "devices"), device);
}

/* A fact of a device; what is not there is as good as null. */
static const json_t *fact(const json_t *device, const char *key)
{
    const json_t *value = json_object_get(device, key);
    return json_is_null(value) ? NULL : value;
}

static bool same_model(const json_t *a, const json_t *b)
{
    for (size_t i = 0; i < sizeof model / sizeof model[0]; i++) {
        const json_t *x = fact(a, model[i]), *y = fact(b, model[i]);
        if ((x != NULL) != (y != NULL) || (x != NULL && !json_equal(x, y))) {
            return false;
        }
    }
    return true;
}

static bool same_unit(const json_t *a, const json_t *b)
{
    const json_t *x = fact(a, "uuid"), *y = fact(b, "uuid");
    return x != NULL && y != NULL && json_equal(x, y);
}

static void add_fact(gb_buf *out, const json_t *value)
{
    char *text = value != NULL ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    gb_buf_add(out, text != NULL ? text : "unknown");
    free(text);
}

/* "name "A" / "B", units 132 / 80": all in which they differ but for what changes by itself. */
static void add_difference(gb_buf *out, const json_t *a, const json_t *b)
{
    static const char *const keys[] = {"kind",
                                       "name",
                                       "mig",
                                       "units",
                                       "compute_capability",
                                       "ecc",
                                       "clock_khz",
                                       "memory_bytes",
                                       "memory_clock_khz",
                                       "bus_bits",
                                       "llc_bytes",
                                       "pcie_gen_max",
                                       "pcie_width_max",
                                       "driver",
                                       "runtime"};
    const char *separator = "";
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const json_t *x = fact(a, keys[i]), *y = fact(b, keys[i]);
        if ((x == NULL && y == NULL) || (x != NULL && y != NULL && json_equal(x, y))) {
            continue;
        }
        gb_buf_printf(out, "%s%s ", separator, keys[i]);
        add_fact(out, x);
        gb_buf_add(out, " / ");
        add_fact(out, y);
        separator = ", ";
    }
}

/* Gives device `b` of the second run the first free one of the baseline that `fits`. */
static void take(const gb_results *a, const gb_results *b, size_t device, bool taken[], size_t n_a,
                 bool (*fits)(const json_t *, const json_t *), gb_devices *out)
{
    for (size_t i = 0; i < n_a && out->map[device] < 0; i++) {
        if (!taken[i] && (fits == NULL || fits(info(a, i), info(b, device)))) {
            taken[i] = true;
            out->map[device] = (int)i;
        }
    }
}

gb_code gb_devices_pair(const gb_results *a, const gb_results *b, gb_devices *out, gb_buf *why,
                        gb_error *err)
{
    size_t n_a = gb_results_device_count(a);
    *out = (gb_devices){.n = gb_results_device_count(b)};
    bool *taken = calloc(n_a + 1, sizeof taken[0]);
    out->map = malloc((out->n + 1) * sizeof out->map[0]);
    if (taken == NULL || out->map == NULL) {
        free(taken);
        return gb_fail(err, GB_NO_MEMORY, "out of memory for a comparison");
    }
    for (size_t i = 0; i < out->n; i++) {
        out->map[i] = -1;
        take(a, b, i, taken, n_a, same_unit, out);
    }
    for (size_t i = 0; i < out->n; i++) {
        if (out->map[i] >= 0) {
            continue;
        }
        take(a, b, i, taken, n_a, same_model, out);
        if (out->map[i] >= 0) {
            const json_t *x = info(a, (size_t)out->map[i]), *y = info(b, i);
            bool known = fact(x, "uuid") != NULL && fact(y, "uuid") != NULL;
            out->other_unit = out->other_unit || known;
            out->unknown = out->unknown || fact(x, "kind") == NULL;
        }
    }
    for (size_t i = 0; i < out->n; i++) {
        if (out->map[i] < 0) {
            take(a, b, i, taken, n_a, NULL, out);
            if (out->map[i] >= 0) {
                gb_buf_printf(why, "%sdevice %zu: ", out->other_model ? "; " : "", i);
                add_difference(why, info(a, (size_t)out->map[i]), info(b, i));
                out->other_model = true;
            }
        }
        /* The same unit in another partition is another device. */
        else if (!same_model(info(a, (size_t)out->map[i]), info(b, i))) {
            gb_buf_printf(why, "%sdevice %zu: ", out->other_model ? "; " : "", i);
            add_difference(why, info(a, (size_t)out->map[i]), info(b, i));
            out->other_model = true;
        }
    }
    free(taken);
    return why->failed ? gb_fail(err, GB_NO_MEMORY, "out of memory for a comparison") : GB_OK;
}
