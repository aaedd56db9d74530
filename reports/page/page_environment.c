/* The environment: host, devices, their state while measuring, the build, variables, the command.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "reports/page/parts.h"

/* A JSON value as people write it; "" for null and what is no scalar. */
static const char *value_text(const json_t *value, const char *key, char *buf, size_t size)
{
    size_t length = strlen(key);
    buf[0] = '\0';
    if (json_is_string(value)) {
        snprintf(buf, size, "%s", json_string_value(value));
    } else if (json_is_boolean(value)) {
        snprintf(buf, size, "%s", json_is_true(value) ? "yes" : "no");
    } else if (json_is_integer(value) && json_integer_value(value) >= 0) {
        uint64_t number = (uint64_t)json_integer_value(value);
        if (length > 6 && strcmp(key + length - 6, "_bytes") == 0) {
            return gb_format_bytes(number, buf, size);
        }
        if (length > 4 && strcmp(key + length - 4, "_khz") == 0) {
            snprintf(buf, size, "%llu MHz", (unsigned long long)(number / 1000));
            return buf;
        }
        return gb_format_count(number, buf, size);
    } else if (json_is_real(value)) {
        gb_print_double(json_real_value(value), buf, size);
    }
    return buf;
}

typedef struct fact {
    const char *key, *name;
} fact;

static void facts(const json_t *object, const fact list[], size_t n, gb_buf *out)
{
    gb_html_facts(out);
    for (size_t i = 0; i < n; i++) {
        char text[512];
        gb_html_fact(
            out, list[i].name,
            value_text(json_object_get(object, list[i].key), list[i].key, text, sizeof text));
    }
    gb_html_facts_end(out);
}

static void host_facts(const json_t *run, gb_buf *out)
{
    static const fact list[] = {{"cpu", "processor"},
                                {"logical_cpus", "logical CPUs"},
                                {"affinity", "CPUs usable"},
                                {"cgroup_cpus", "CPU quota"},
                                {"memory_bytes", "memory"},
                                {"cgroup_memory_bytes", "memory limit"},
                                {"numa_nodes", "NUMA nodes"},
                                {"os", "system"},
                                {"kernel", "kernel"},
                                {"governor", "governor"},
                                {"hypervisor", "virtual machine"},
                                {"container", "container"}};
    facts(json_object_get(run, "host"), list, sizeof list / sizeof list[0], out);
}

/* Least and largest of a telemetry reading over a device's records, at their start and end. */
static bool range_of(const gb_results *results, int device, const char *key, double range[2])
{
    bool any = false;
    for (size_t i = 0; i < results->n; i++) {
        const json_t *telemetry = results->records[i].telemetry;
        if (results->records[i].device != device) {
            continue;
        }
        const json_t *readings[] = {json_object_get(telemetry, key),
                                    json_object_get(json_object_get(telemetry, "start"), key)};
        for (size_t r = 0; r < 2; r++) {
            if (!json_is_number(readings[r])) {
                continue;
            }
            double value = json_number_value(readings[r]);
            range[0] = any ? fmin(range[0], value) : value;
            range[1] = any ? fmax(range[1], value) : value;
            any = true;
        }
    }
    return any;
}

static void telemetry_facts(const gb_results *results, int device, gb_buf *out)
{
    static const struct {
        const char *key, *name, *unit;
    } list[] = {{"sm_clock_mhz", "clock while measuring", "MHz"},
                {"memory_clock_mhz", "memory clock while measuring", "MHz"},
                {"temperature_c", "temperature while measuring",
                 "\xc2\xb0"
                 "C"},
                {"power_w", "power while measuring", "W"},
                {"pcie_gen", "PCIe generation while measuring", ""},
                {"pcie_width", "PCIe lanes while measuring", ""},
                {"other_processes", "other processes on the device", ""}};
    gb_html_facts(out);
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        double range[2] = {0, 0};
        char text[128];
        if (!range_of(results, device, list[i].key, range)) {
            continue;
        }
        if (range[0] < range[1]) {
            snprintf(text, sizeof text, "%.0f to %.0f %s", range[0], range[1], list[i].unit);
        } else {
            snprintf(text, sizeof text, "%.0f %s", range[0], list[i].unit);
        }
        gb_html_fact(out, list[i].name, text);
    }
    gb_html_facts_end(out);
}

static void device_facts(const gb_sheet *sheet, int device, gb_buf *out)
{
    static const fact list[] = {{"name", "name"},
                                {"kind", "kind"},
                                {"uuid", "UUID"},
                                {"pci", "PCI address"},
                                {"driver", "driver"},
                                {"driver_version", "driver version"},
                                {"vbios", "firmware (VBIOS)"},
                                {"clock_policy", "clock policy"},
                                {"runtime", "runtime"},
                                {"compute_capability", "compute capability"},
                                {"units", "SMs or threads"},
                                {"clock_khz", "clock, at most"},
                                {"memory_clock_khz", "memory clock, at most"},
                                {"bus_bits", "memory bus, bits"},
                                {"memory_bytes", "memory"},
                                {"llc_bytes", "last cache"},
                                {"ecc", "ECC"},
                                {"mig", "MIG"},
                                {"pcie_gen_max", "PCIe generation, at most"},
                                {"pcie_width_max", "PCIe lanes, at most"}};
    const json_t *info =
        json_array_get(json_object_get(sheet->results->document, "devices"), (size_t)device);
    gb_html_heading(out, gb_results_device_label(sheet->results, device));
    facts(info, list, sizeof list / sizeof list[0], out);
    telemetry_facts(sheet->results, device, out);
}

/* The words of the command line, and the variables that were set. */
static void command_facts(const json_t *run, gb_buf *out)
{
    const json_t *words = json_object_get(json_object_get(run, "run"), "command");
    gb_buf command = {0};
    for (size_t i = 0; i < json_array_size(words); i++) {
        const char *word = json_string_value(json_array_get(words, i));
        gb_buf_printf(&command, "%s%s", i > 0 ? " " : "", word != NULL ? word : "");
    }
    char seed[64];
    gb_html_facts(out);
    gb_html_fact(out, "command", command.data);
    gb_html_fact(out, "started", gb_sheet_text(run, "run", "started"));
    gb_html_fact(out, "seed",
                 value_text(json_object_get(json_object_get(run, "run"), "seed"), "seed", seed,
                            sizeof seed));
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(json_object_get(run, "run"), "environment"), name, value)
    {
        gb_html_fact(out, name, json_string_value(value));
    }
    gb_html_facts_end(out);
    out->failed |= command.failed;
    gb_buf_free(&command);
}

static void build_facts(const json_t *run, gb_buf *out)
{
    static const fact list[] = {{"type", "build"},
                                {"compiler", "compiler"},
                                {"flags", "flags"},
                                {"cuda", "cuda device built in"},
                                {"cuda_toolkit", "CUDA toolkit"},
                                {"cuda_architectures", "architectures"},
                                {"sanitizer", "sanitizer"},
                                {"checked_kernels", "checked kernels"}};
    const json_t *tool = json_object_get(run, "tool");
    char version[160];
    snprintf(version, sizeof version, "%.60s (%.60s)", gb_sheet_text(run, "tool", "version"),
             gb_sheet_text(run, "tool", "git"));
    gb_html_facts(out);
    gb_html_fact(out, "gpubench", version);
    gb_html_facts_end(out);
    facts(json_object_get(tool, "build"), list, sizeof list / sizeof list[0], out);
}

void gb_page_environment(const gb_sheet *sheet, gb_buf *out)
{
    gb_html_section(out, "Environment");
    for (size_t r = 0; r < sheet->tally.runs; r++) {
        const json_t *run = gb_sheet_run(sheet, r);
        const char *name = json_string_value(json_object_get(run, "name"));
        if (sheet->tally.runs > 1) {
            gb_html_details(out, name != NULL ? name : "run");
        }
        for (size_t d = 0;
             d < json_array_size(json_object_get(sheet->results->document, "devices")); d++) {
            if (gb_sheet_run_of(sheet, (int)d) == r) {
                device_facts(sheet, (int)d, out);
            }
        }
        gb_html_heading(out, "Host");
        host_facts(run, out);
        gb_html_heading(out, "Program");
        build_facts(run, out);
        gb_html_heading(out, "Command");
        command_facts(run, out);
        if (sheet->tally.runs > 1) {
            gb_html_details_end(out);
        }
    }
    gb_html_section_end(out);
}

void gb_page_suite(const gb_sheet *sheet, gb_buf *out)
{
    gb_html_section(out, "The suite as written");
    for (size_t r = 0; r < sheet->tally.runs; r++) {
        const json_t *run = gb_sheet_run(sheet, r);
        const char *text = gb_sheet_text(run, "suite", "text");
        const char *file = gb_sheet_text(run, "suite", "file");
        const char *hash = gb_sheet_text(run, "suite", "sha256");
        bool again = false;
        for (size_t before = 0; before < r; before++) {
            again = again ||
                    strcmp(gb_sheet_text(gb_sheet_run(sheet, before), "suite", "text"), text) == 0;
        }
        if (again || text[0] == '\0') {
            continue;
        }
        gb_buf title = {0};
        gb_buf_printf(&title, "%s%s%s", file[0] != '\0' ? file : "suite",
                      hash[0] != '\0' ? ", SHA-256 " : "", hash);
        gb_html_details(out, title.data != NULL ? title.data : "suite");
        gb_html_pre(out, text);
        gb_html_details_end(out);
        gb_buf_free(&title);
    }
    gb_html_section_end(out);
}
