/* How to measure: `defaults:` of a suite and `measure:` of a benchmark. */
#include <string.h>

#include "base/text.h"
#include "suite/parts.h"

#define MS UINT64_C(1000000)
#define S (1000 * MS)
#define MAX_SAMPLES 1000000

static const char *const setting_keys[] = {"replicates", "samples", "precision", "warmup",
                                           "timeout",    "timer",   "cache"};
/* The last two depend on the kernel: not for defaults. */
#define N_MEASURE (sizeof setting_keys / sizeof setting_keys[0])
#define N_DEFAULTS (N_MEASURE - 2)

static void read_samples(gb_reader *reader, const gb_node *node, gb_settings *settings)
{
    static const char *const keys[] = {"min", "max"};
    if (!gb_read_map(reader, node, "samples", keys, 2))
        return;
    const gb_node *min = gb_node_get(node, "min");
    const gb_node *max = gb_node_get(node, "max");
    bool good = true;
    if (node->n == 0) {
        gb_read_error(reader, node, "samples: expected 'min' or 'max', got an empty mapping");
        return;
    }
    if (min != NULL)
        good = gb_read_count(reader, min, "samples.min", 1, MAX_SAMPLES, &settings->min_samples);
    if (max != NULL)
        good = gb_read_count(reader, max, "samples.max", 1, MAX_SAMPLES, &settings->max_samples) &&
               good;
    if (good && settings->min_samples > settings->max_samples)
        gb_read_error(reader, node, "samples: min (%u) is above max (%u)", settings->min_samples,
                      settings->max_samples);
}

static void read_settings(gb_reader *reader, const gb_node *node, gb_settings *settings)
{
    const gb_node *value = gb_node_get(node, "replicates");
    if (value != NULL)
        gb_read_count(reader, value, "replicates", 1, GB_MAX_REPLICATES, &settings->replicates);
    value = gb_node_get(node, "samples");
    if (value != NULL)
        read_samples(reader, value, settings);
    value = gb_node_get(node, "precision");
    if (value != NULL)
        gb_read_percent(reader, value, "precision", 0.0001, 0.5, "0.01% to 50%",
                        &settings->precision);
    value = gb_node_get(node, "warmup");
    if (value != NULL)
        gb_read_duration(reader, value, "warmup", 1, 600 * S, &settings->warmup_ns);
    value = gb_node_get(node, "timeout");
    if (value != NULL)
        gb_read_duration(reader, value, "timeout", MS, 24 * 3600 * S, &settings->timeout_ns);
}

void gb_read_defaults(gb_reader *reader, const gb_node *node, gb_settings *settings)
{
    if (gb_read_map(reader, node, "defaults", setting_keys, N_DEFAULTS))
        read_settings(reader, node, settings);
}

/* A word of `words` of which the kernel's mask allows some. */
static bool read_allowed(gb_reader *reader, const gb_node *node, const char *what,
                         const gb_kernel_spec *spec, unsigned mask, const char *const words[],
                         size_t n, size_t *index)
{
    if (!gb_read_word(reader, node, what, what, words, n, index))
        return false;
    if ((mask & GB_BIT(*index)) != 0)
        return true;
    gb_buf valid = {0};
    for (size_t i = 0; i < n; i++)
        if ((mask & GB_BIT(i)) != 0)
            gb_buf_printf(&valid, "%s%s", valid.length > 0 ? ", " : "", words[i]);
    gb_read_error(reader, node, "%s: kernel '%s' does not offer '%s' (valid: %s)", what, spec->name,
                  words[*index], valid.data != NULL ? valid.data : "none");
    gb_buf_free(&valid);
    return false;
}

void gb_read_measure(gb_reader *reader, const gb_node *node, gb_benchmark *out)
{
    if (!gb_read_map(reader, node, "measure", setting_keys, N_MEASURE))
        return;
    read_settings(reader, node, &out->settings);
    if (out->spec == NULL)
        return;
    const char *timers[GB_TIMERS];
    const char *caches[GB_CACHES];
    for (size_t i = 0; i < GB_TIMERS; i++)
        timers[i] = gb_timer_word((gb_timer)i);
    for (size_t i = 0; i < GB_CACHES; i++)
        caches[i] = gb_cache_word((gb_cache)i);
    size_t index;
    const gb_node *timer = gb_node_get(node, "timer");
    if (timer != NULL && out->spec->timer_of != NULL)
        gb_read_error(reader, timer,
                      "timer: the parameters of kernel '%s' decide how it is timed; leave it out",
                      out->spec->name);
    else if (timer != NULL && read_allowed(reader, timer, "timer", out->spec, out->spec->timers,
                                           timers, GB_TIMERS, &index))
        out->timer = (gb_timer)index;
    const gb_node *cache = gb_node_get(node, "cache");
    if (cache != NULL && read_allowed(reader, cache, "cache", out->spec, out->spec->caches, caches,
                                      GB_CACHES, &index))
        out->cache = (gb_cache)index;
}

void gb_read_devices(gb_reader *reader, gb_node *const *node, unsigned *mask)
{
    static const char *const words[] = {"cpu", "cuda"};
    gb_node *const *items;
    size_t n;
    if (!gb_read_items(reader, node, "devices", "a list of cpu and cuda", &items, &n))
        return;
    unsigned read = 0;
    size_t before = reader->problems;
    for (size_t i = 0; i < n; i++) {
        size_t index;
        gb_device_kind kind;
        if (!gb_read_word(reader, items[i], "devices", "device", words, 2, &index) ||
            !gb_device_kind_parse(words[index], &kind))
            continue;
        if ((read & GB_BIT(kind)) != 0)
            gb_read_error(reader, items[i], "devices: '%s' is repeated", words[index]);
        read |= GB_BIT(kind);
    }
    if (read != 0 && reader->problems == before) /* part of a list would be another one */
        *mask = read;
}
