/* What all devices share: words, facts as JSON, and the device choice. */
#include "device/device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"

static const char *const memory_kind_words[GB_MEMORY_KINDS] = {
    [GB_MEM_DEVICE] = "device", [GB_MEM_PAGEABLE] = "pageable",
    [GB_MEM_PINNED] = "pinned", [GB_MEM_WRITE_COMBINED] = "write-combined",
    [GB_MEM_MAPPED] = "mapped", [GB_MEM_MANAGED] = "managed",
};

const char *gb_memory_kind_word(gb_memory_kind kind)
{
    return (unsigned)kind < GB_MEMORY_KINDS ? memory_kind_words[kind] : "unknown";
}

/* An integer, or null for 0 (not known) and for the mark of "no limit". */
static json_t *known(uint64_t value)
{
    return value == 0 || value > INT64_MAX ? json_null() : json_integer((json_int_t)value);
}

static json_t *known_text(const char *text)
{
    return gb_json_string(text[0] != '\0' ? text : NULL);
}

static json_t *tristate(gb_tristate value)
{
    return value == GB_UNKNOWN ? json_null() : json_boolean(value == GB_YES);
}

static json_t *grid_json(const uint32_t grid[3])
{
    if (grid[0] == 0)
        return json_null();
    json_t *array = json_array();
    for (int i = 0; i < 3; i++)
        if (array != NULL && json_array_append_new(array, json_integer(grid[i])) != 0) {
            json_decref(array);
            return NULL;
        }
    return array;
}

static json_t *kinds_json(const bool kinds[GB_MEMORY_KINDS])
{
    json_t *array = json_array();
    for (int i = 0; i < GB_MEMORY_KINDS; i++)
        if (array != NULL && kinds[i] &&
            json_array_append_new(array, json_string(memory_kind_words[i])) != 0) {
            json_decref(array);
            return NULL;
        }
    return array;
}

static json_t *compute_capability(const gb_device_info *info)
{
    char text[32];
    if (info->cc_major == 0)
        return json_null();
    snprintf(text, sizeof text, "%d.%d", info->cc_major, info->cc_minor);
    return json_string(text);
}

json_t *gb_device_info_json(const gb_device_info *info)
{
    const struct {
        const char *key;
        json_t *value;
    } rows[] = {
        {"kind", json_string(gb_device_kind_word(info->kind))},
        {"index", json_integer(info->index)},
        {"name", known_text(info->name)},
        {"uuid", known_text(info->uuid)},
        {"pci", known_text(info->pci)},
        {"driver", known_text(info->driver)},
        {"driver_version", known_text(info->driver_version)},
        {"vbios", known_text(info->vbios)},
        {"clock_policy", known_text(info->clock_policy)},
        {"runtime", known_text(info->runtime)},
        {"mig", known_text(info->mig)},
        {"numa_node", known_text(info->numa_node)},
        {"numa_bound", known_text(info->numa_bound)},
        {"compute_capability", compute_capability(info)},
        {"units", known(info->units)},
        {"warp_size", known(info->warp_size)},
        {"clock_khz", known(info->clock_khz)},
        {"memory_clock_khz", known(info->memory_clock_khz)},
        {"bus_bits", known(info->bus_bits)},
        {"memory_bytes", known(info->memory_bytes)},
        {"free_bytes", known(info->free_bytes)},
        {"llc_bytes", known(info->llc_bytes)},
        {"l1d_bytes", known(info->l1d_bytes)},
        {"l2_bytes", known(info->l2_bytes)},
        {"pinned_limit_bytes", known(info->pinned_limit_bytes)},
        {"max_threads_per_block", known(info->max_threads_per_block)},
        {"max_grid", grid_json(info->max_grid)},
        {"shared_per_block", known(info->shared_per_block)},
        {"shared_per_block_optin", known(info->shared_per_block_optin)},
        {"async_engines", known(info->async_engines)},
        {"pcie_gen_max", known(info->pcie_gen_max)},
        {"pcie_width_max", known(info->pcie_width_max)},
        {"ecc", tristate(info->ecc)},
        {"integrated", tristate(info->integrated)},
        {"memory_kinds", kinds_json(info->memory_kinds)},
        {"event_resolution_ns",
         gb_json_real(info->event_resolution_ns > 0 ? info->event_resolution_ns : NAN)},
        {"synchronous_launches", json_boolean(info->synchronous_launches)},
        {"profiler", json_boolean(info->profiler)},
    };
    json_t *object = json_object();
    bool failed = object == NULL;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) /* takes every value, come what may */
        failed |= json_object_set_new(object, rows[i].key, rows[i].value) != 0;
    if (failed) {
        json_decref(object);
        return NULL;
    }
    return object;
}

json_t *gb_telemetry_json(const gb_telemetry *telemetry)
{
    const struct {
        const char *key;
        double value;
    } rows[] = {
        {"sm_clock_mhz", telemetry->sm_clock_mhz},
        {"memory_clock_mhz", telemetry->memory_clock_mhz},
        {"temperature_c", telemetry->temperature_c},
        {"power_w", telemetry->power_w},
        {"utilization", telemetry->utilization},
        {"pcie_gen", telemetry->pcie_gen},
        {"pcie_width", telemetry->pcie_width},
        {"throttle_reasons", telemetry->throttle_reasons},
        {"other_processes", telemetry->other_processes},
        {"ecc_uncorrected", telemetry->ecc_uncorrected},
    };
    json_t *object = json_object();
    bool failed = object == NULL;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        failed |= json_object_set_new(object, rows[i].key, gb_json_real(rows[i].value)) != 0;
    failed |= json_object_set_new(object, "reason", known_text(telemetry->reason)) != 0;
    if (failed) {
        json_decref(object);
        return NULL;
    }
    return object;
}

static gb_code unknown_device(const char *text, gb_error *err)
{
    char *shown = gb_text_printable(text);
    gb_fail(err, GB_INVALID, "unknown device '%s'; valid: auto, cpu, cuda, cuda:N, cuda:UUID, all",
            shown != NULL ? shown : "?");
    free(shown);
    return GB_INVALID;
}

/* A whole number without sign, space or redundant zero. */
static bool parse_index(const char *text, int *out)
{
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 4 || text[digits] != '\0' || (digits > 1 && text[0] == '0'))
        return false;
    *out = (int)strtol(text, NULL, 10);
    return true;
}

/* "GPU-..." or "MIG-..." or the beginning of one. */
static bool looks_like_uuid(const char *text)
{
    if (strncmp(text, "GPU-", 4) != 0 && strncmp(text, "MIG-", 4) != 0)
        return false;
    static const char valid[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-/";
    return text[strspn(text, valid)] == '\0';
}

gb_code gb_device_choice_parse(const char *text, gb_device_choice *out, gb_error *err)
{
    gb_device_choice choice = {.kind = GB_CHOICE_AUTO};
    if (strcmp(text, "auto") == 0) {
        choice.kind = GB_CHOICE_AUTO;
    } else if (strcmp(text, "cpu") == 0) {
        choice.kind = GB_CHOICE_CPU;
    } else if (strcmp(text, "all") == 0) {
        choice.kind = GB_CHOICE_ALL;
    } else if (strcmp(text, "cuda") == 0) {
        choice.kind = GB_CHOICE_CUDA;
    } else if (strncmp(text, "cuda:", 5) == 0 && parse_index(text + 5, &choice.index)) {
        choice.kind = GB_CHOICE_CUDA_INDEX;
    } else if (strncmp(text, "cuda:", 5) == 0 && looks_like_uuid(text + 5) &&
               strlen(text + 5) < sizeof choice.uuid) {
        choice.kind = GB_CHOICE_CUDA_UUID;
        strcpy(choice.uuid, text + 5);
    } else {
        return unknown_device(text, err);
    }
    *out = choice;
    return GB_OK;
}
