/* Facts and momentary readings of the cpu device, from /proc and /sys. */
#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/text.h"
#include "device/cpu_internal.h"
#include "device/host_limits.h"

#define MAX_CPUS 4096

int gb_cpu_best_level(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("x86-64-v4"))
        return 4;
    if (__builtin_cpu_supports("x86-64-v3"))
        return 3;
#endif
    return 0;
}

/* --- the processor's name --- */

static void trim(char *text)
{
    size_t n = strlen(text);
    while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == ' '))
        text[--n] = '\0';
}

/* The value of "key : value" in /proc/cpuinfo; false when the key is not there. */
static bool cpuinfo_value(const char *text, const char *key, char *out, size_t size)
{
    size_t length = strlen(key);
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += line[0] == '\n';
        if (strncmp(line, key, length) != 0 ||
            (line[length] != ' ' && line[length] != '\t' && line[length] != ':'))
            continue;
        const char *value = strchr(line, ':');
        if (value == NULL)
            return false;
        value += 1 + strspn(value + 1, " \t");
        snprintf(out, size, "%.*s", (int)strcspn(value, "\n"), value);
        trim(out);
        return out[0] != '\0';
    }
    return false;
}

/* Arm's part numbers, from the Main ID Register as Linux prints it (implementer 0x41). Source: the
 * Technical Reference Manuals of these cores. */
static const char *arm_core(unsigned long part)
{
    static const struct {
        unsigned long part;
        const char *name;
    } cores[] = {{0xd03, "Cortex-A53"}, {0xd07, "Cortex-A57"},   {0xd08, "Cortex-A72"},
                 {0xd0b, "Cortex-A76"}, {0xd0c, "Neoverse N1"},  {0xd40, "Neoverse V1"},
                 {0xd41, "Cortex-A78"}, {0xd42, "Cortex-A78AE"}, {0xd49, "Neoverse N2"},
                 {0xd4f, "Neoverse V2"}};
    for (size_t i = 0; i < sizeof cores / sizeof cores[0]; i++)
        if (cores[i].part == part)
            return cores[i].name;
    return NULL;
}

static void cpu_name(char *out, size_t size)
{
    char text[16384], implementer[32], part[32];
    struct utsname host;
    if (gb_host_read("", "/proc/cpuinfo", text, sizeof text) > 0) {
        if (cpuinfo_value(text, "model name", out, size))
            return;
        if (cpuinfo_value(text, "CPU implementer", implementer, sizeof implementer) &&
            cpuinfo_value(text, "CPU part", part, sizeof part)) {
            const char *core =
                strtoul(implementer, NULL, 16) == 0x41 ? arm_core(strtoul(part, NULL, 16)) : NULL;
            if (core != NULL)
                snprintf(out, size, "Arm %s", core);
            else
                snprintf(out, size, "Arm implementer %s part %s", implementer, part);
            return;
        }
    }
    snprintf(out, size, "%s processor", uname(&host) == 0 ? host.machine : "unknown");
}

/* --- caches and clocks --- */

/* The first line of a file in /sys/devices/system/cpu/cpuN/. */
static bool cpu_file(int cpu, const char *file, char *out, size_t size)
{
    char path[256];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/%s", cpu, file);
    if (gb_host_read("", path, out, size) <= 0)
        return false;
    trim(out);
    return true;
}

/* "32768K", "1M" */
static uint64_t cache_size(const char *text)
{
    char *end = NULL;
    uint64_t value = strtoull(text, &end, 10);
    return value * (*end == 'K' ? 1024u : *end == 'M' ? 1024u * 1024 : 1u);
}

/* Size of a processor's cache of this level that holds data; 0: not known. */
static uint64_t level_bytes(int cpu, long level)
{
    char text[64], file[64];
    for (int index = 0; index < 10; index++) {
        snprintf(file, sizeof file, "cache/index%d/level", index);
        if (!cpu_file(cpu, file, text, sizeof text))
            break;
        if (strtol(text, NULL, 10) != level)
            continue;
        snprintf(file, sizeof file, "cache/index%d/type", index);
        if (!cpu_file(cpu, file, text, sizeof text) || strcmp(text, "Instruction") == 0)
            continue;
        snprintf(file, sizeof file, "cache/index%d/size", index);
        return cpu_file(cpu, file, text, sizeof text) ? cache_size(text) : 0;
    }
    return 0;
}

/* Size of the last-level caches that the processors have, each counted once. */
static uint64_t llc_bytes(const int cpus[], unsigned n)
{
    char size_text[64], level_text[64], shared[1024], file[64];
    uint64_t total = 0;
    for (unsigned i = 0; i < n; i++) {
        long best = 0;
        uint64_t bytes = 0;
        int first = cpus[i];
        for (int index = 0; index < 10; index++) {
            snprintf(file, sizeof file, "cache/index%d/level", index);
            if (!cpu_file(cpus[i], file, level_text, sizeof level_text))
                break;
            snprintf(file, sizeof file, "cache/index%d/size", index);
            long level = strtol(level_text, NULL, 10);
            if (level <= best || !cpu_file(cpus[i], file, size_text, sizeof size_text))
                continue;
            snprintf(file, sizeof file, "cache/index%d/shared_cpu_list", index);
            best = level;
            bytes = cache_size(size_text);
            first = cpus[i];
            if (cpu_file(cpus[i], file, shared, sizeof shared))
                for (unsigned j = 0; j < i; j++) { /* counted with an earlier processor? */
                    char other[1024];
                    if (cpu_file(cpus[j], file, other, sizeof other) && strcmp(other, shared) == 0)
                        first = cpus[j];
                }
        }
        if (first == cpus[i])
            total += bytes;
    }
    return total;
}

static uint64_t max_clock_khz(const int cpus[], unsigned n)
{
    uint64_t best = 0;
    char text[64];
    for (unsigned i = 0; i < n; i++)
        if (cpu_file(cpus[i], "cpufreq/cpuinfo_max_freq", text, sizeof text)) {
            uint64_t khz = strtoull(text, NULL, 10);
            best = khz > best ? khz : best;
        }
    return best;
}

/* --- identity --- */

/* "CPU-" and half a SHA-256 of the machine's id and the processors of this process. */
static void make_uuid(const int cpus[], unsigned n, char *out, size_t size)
{
    char id[256], hex[65];
    gb_buf text = {0};
    if (gb_host_read("", "/etc/machine-id", id, sizeof id) <= 1 &&
        gb_host_read("", "/var/lib/dbus/machine-id", id, sizeof id) <= 1 &&
        gethostname(id, sizeof id) != 0)
        id[0] = '\0';
    id[sizeof id - 1] = '\0';
    gb_buf_printf(&text, "%s", id);
    for (unsigned i = 0; i < n; i++)
        gb_buf_printf(&text, " %d", cpus[i]);
    if (text.failed) {
        out[0] = '\0';
    } else {
        gb_sha256_hex(text.data, text.length, hex);
        snprintf(out, size, "CPU-%.32s", hex);
    }
    gb_buf_free(&text);
}

/* The smallest step between two readings of the clock that differ. */
static double event_resolution_ns(void)
{
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 2000; i++) {
        uint64_t a = gb_monotonic_ns(), b = gb_monotonic_ns();
        if (b > a && b - a < best)
            best = b - a;
    }
    return best == UINT64_MAX ? 0.0 : (double)best;
}

static const char *instruction_set(void)
{
#if !defined(__x86_64__)
    static struct utsname host;
    return uname(&host) == 0 ? host.machine : "unknown";
#elif defined(GB_CPU_VARIANTS) && GB_CPU_VARIANTS > 1
    int level = gb_cpu_best_level();
    return level == 4 ? "x86-64-v4" : level == 3 ? "x86-64-v3" : "x86-64";
#else
    return "x86-64";
#endif
}

void gb_cpu_fill_info(unsigned threads, gb_device_info *out)
{
    int cpus[MAX_CPUS];
    unsigned n = gb_host_cpus(cpus, MAX_CPUS);
    gb_error ignored;
    *out = (gb_device_info){
        .kind = GB_CPU,
        .units = threads,
        .warp_size = 1,
        .clock_khz = max_clock_khz(cpus, n),
        .llc_bytes = llc_bytes(cpus, n),
        .l1d_bytes = n > 0 ? level_bytes(cpus[0], 1) : 0,
        .l2_bytes = n > 0 ? level_bytes(cpus[0], 2) : 0,
        .pinned_limit_bytes = gb_host_memlock_limit(),
        .max_threads_per_block = 1024,
        .max_grid = {INT32_MAX, 65535, 65535},
        .shared_per_block = 48 * 1024,
        .shared_per_block_optin = 48 * 1024,
        .event_resolution_ns = event_resolution_ns(),
    };
    cpu_name(out->name, sizeof out->name);
    make_uuid(cpus, n, out->uuid, sizeof out->uuid);
    snprintf(out->runtime, sizeof out->runtime, "%u thread%s, %s%s", threads,
             threads == 1 ? "" : "s", instruction_set(),
#ifdef GB_CHECKED
             ", checked"
#else
             ""
#endif
    );
    out->memory_kinds[GB_MEM_DEVICE] = true;
    out->memory_kinds[GB_MEM_PAGEABLE] = true;
    out->memory_kinds[GB_MEM_PINNED] = true;
    gb_cpu_memory_info(NULL, &out->free_bytes, &out->memory_bytes, &ignored);
}

gb_code gb_device_cpu_info(gb_device_info *out, gb_error *err)
{
    (void)err;
    gb_cpu_fill_info(gb_host_threads(""), out);
    return GB_OK;
}

/* --- readings --- */

/* Mean of what the allowed processors run at now, from cpufreq or, failing that, /proc/cpuinfo. */
static double clock_mhz(void)
{
    int cpus[MAX_CPUS];
    unsigned n = gb_host_cpus(cpus, MAX_CPUS);
    double sum = 0.0;
    unsigned known = 0;
    char text[64];
    for (unsigned i = 0; i < n; i++)
        if (cpu_file(cpus[i], "cpufreq/scaling_cur_freq", text, sizeof text)) {
            sum += (double)strtoull(text, NULL, 10) / 1000.0;
            known++;
        }
    char info[16384];
    if (known == 0 && gb_host_read("", "/proc/cpuinfo", info, sizeof info) > 0 &&
        cpuinfo_value(info, "cpu MHz", text, sizeof text)) {
        sum = (double)strtoull(text, NULL, 10); /* whole MHz: no decimal point, no locale */
        known = sum > 0.0;
    }
    return known > 0 ? sum / known : NAN;
}

/* The hottest reading of a processor's sensor (hwmon: coretemp, k10temp, cpu_thermal). */
static double temperature_c(void)
{
    double best = NAN;
    DIR *directory = opendir("/sys/class/hwmon");
    if (directory == NULL)
        return NAN;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        char path[512], text[64];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "/sys/class/hwmon/%s/name", entry->d_name);
        if (gb_host_read("", path, text, sizeof text) <= 0)
            continue;
        trim(text);
        if (strcmp(text, "coretemp") != 0 && strcmp(text, "k10temp") != 0 &&
            strcmp(text, "cpu_thermal") != 0)
            continue;
        snprintf(path, sizeof path, "/sys/class/hwmon/%s/temp1_input", entry->d_name);
        if (gb_host_read("", path, text, sizeof text) <= 0)
            continue;
        double celsius = (double)strtoll(text, NULL, 10) / 1000.0;
        if (!(celsius <= best))
            best = celsius;
    }
    closedir(directory);
    return best;
}

/* Busy share of all processors of the host since the last call, in percent. */
static double utilization(gb_cpu *cpu)
{
    char text[512];
    uint64_t field[8] = {0}; /* user nice system idle iowait irq softirq steal */
    if (gb_host_read("", "/proc/stat", text, sizeof text) <= 0 ||
        sscanf(text,
               "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
               " %" SCNu64 " %" SCNu64,
               &field[0], &field[1], &field[2], &field[3], &field[4], &field[5], &field[6],
               &field[7]) < 4)
        return NAN;
    uint64_t total = 0;
    for (int i = 0; i < 8; i++)
        total += field[i];
    uint64_t busy = total - field[3] - field[4];
    uint64_t new_total = total - cpu->load.total, new_busy = busy - cpu->load.busy;
    bool first = cpu->load.total == 0;
    cpu->load.total = total;
    cpu->load.busy = busy;
    return first || new_total == 0 ? NAN : 100.0 * (double)new_busy / (double)new_total;
}

void gb_cpu_telemetry(gb_device *dev, gb_telemetry *out)
{
    *out = (gb_telemetry){
        .sm_clock_mhz = clock_mhz(),
        .memory_clock_mhz = NAN,
        .temperature_c = temperature_c(),
        .power_w = NAN,
        .utilization = utilization(gb_cpu_of(dev)),
        .pcie_gen = NAN,
        .pcie_width = NAN,
        .throttle_reasons = NAN,
        .other_processes = NAN,
        .ecc_uncorrected = NAN,
    };
    snprintf(out->reason, sizeof out->reason,
             "a processor: /proc and /sys give clock, temperature and load, no more%s",
             isnan(out->temperature_c) ? " (here no temperature)" : "");
}
