#include "record/host.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/json.h"
#include "base/text.h"

/* The beginning of a file (up to 64 KiB: /proc/cpuinfo has everything in its first block) without
 * trailing white space; NULL when it cannot be read. The caller frees. */
static char *slurp(const char *root, const char *path)
{
    const size_t room = 65536;
    char *full = gb_text_format("%s%s", root, path);
    char *text = malloc(room + 1);
    int fd = full && text ? open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    size_t n = 0;
    ssize_t more = -1;
    while (fd >= 0 && n < room && (more = read(fd, text + n, room - n)) > 0) {
        n += (size_t)more;
    }
    if (fd >= 0) {
        close(fd);
    }
    free(full);
    if (fd < 0 || more < 0) {
        free(text);
        return NULL;
    }
    while (n > 0 && isspace((unsigned char)text[n - 1])) {
        n--;
    }
    text[n] = '\0';
    return text;
}

static bool exists(const char *root, const char *path)
{
    char *full = gb_text_format("%s%s", root, path);
    struct stat st;
    bool found = full && stat(full, &st) == 0;
    free(full);
    return found;
}

/* The value of the first "name<spaces><separator>value" line; NULL when there is none. The caller
 * frees. */
static char *line_value(const char *text, const char *name, char separator)
{
    size_t n = strlen(name);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *at = line + n;
        if (strncmp(line, name, n) != 0) {
            continue;
        }
        at += strspn(at, " \t");
        if (*at++ != separator) {
            continue;
        }
        at += strspn(at, " \t");
        return strndup(at, strcspn(at, "\n"));
    }
    return NULL;
}

static json_t *owned_string(char *text)
{
    json_t *json = gb_json_string(text && text[0] ? text : NULL);
    free(text);
    return json;
}

/* x86: "model name"; POWER: "cpu"; ARM has no name in /proc/cpuinfo, some device trees have. */
static json_t *cpu_json(const char *root, const char *cpuinfo)
{
    char *name = cpuinfo ? line_value(cpuinfo, "model name", ':') : NULL;
    if (!name && cpuinfo) {
        name = line_value(cpuinfo, "cpu", ':');
    }
    if (!name && cpuinfo) {
        name = line_value(cpuinfo, "Hardware", ':');
    }
    if (!name) {
        name = slurp(root, "/sys/firmware/devicetree/base/model");
    }
    return owned_string(name);
}

/* Flag words of x86; other architectures do not say. */
static json_t *hypervisor_json(const char *cpuinfo)
{
    char *flags = cpuinfo ? line_value(cpuinfo, "flags", ':') : NULL;
    if (!flags) {
        return json_null();
    }
    bool found = false;
    char *rest = NULL;
    for (char *word = strtok_r(flags, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        found = found || strcmp(word, "hypervisor") == 0;
    }
    free(flags);
    return json_boolean(found);
}

/* Adds "affinity": "0-3,8" and "affinity_cpus": 5. */
static int add_affinity(json_t *host)
{
    gb_buf list = {0};
    size_t count = 0;
    int failed = 0;
    cpu_set_t *set = NULL;
    size_t size = 0;
    size_t cpus = 1024;
    for (; cpus <= 1u << 20; cpus *= 2) { /* the kernel's mask may be longer than 1024 */
        size = CPU_ALLOC_SIZE(cpus);
        set = CPU_ALLOC(cpus);
        if (!set || sched_getaffinity(0, size, set) == 0) {
            break;
        }
        CPU_FREE(set);
        set = NULL;
    }
    for (size_t i = 0; set && i < cpus; i++) {
        if (!CPU_ISSET_S(i, size, set)) {
            continue;
        }
        size_t end = i;
        while (end + 1 < cpus && CPU_ISSET_S(end + 1, size, set)) {
            end++;
        }
        gb_buf_printf(&list, end > i ? "%s%zu-%zu" : "%s%zu", list.length ? "," : "", i, end);
        count += end - i + 1;
        i = end;
    }
    if (set) {
        CPU_FREE(set);
    }
    failed |= json_object_set_new(host, "affinity", gb_json_string(list.failed ? NULL : list.data));
    failed |= json_object_set_new(host, "affinity_cpus",
                                  count ? json_integer((json_int_t)count) : json_null());
    gb_buf_free(&list);
    return failed;
}

/* This process's group in a hierarchy ("" for version 2, "cpu" ... for version 1). The caller
 * frees; NULL when it is in none. */
static char *cgroup_of(const char *root, const char *controller)
{
    char *text = slurp(root, "/proc/self/cgroup");
    char *found = NULL, *rest = NULL;
    char *line = text ? strtok_r(text, "\n", &rest) : NULL;
    for (; line && !found; line = strtok_r(NULL, "\n", &rest)) {
        char *names = strchr(line, ':');
        char *path = names ? strchr(names + 1, ':') : NULL;
        if (!path) {
            continue;
        }
        *path++ = '\0';
        char *inner = NULL;
        bool mine = controller[0] == '\0' && names[1] == '\0';
        for (char *n = strtok_r(names + 1, ",", &inner); n; n = strtok_r(NULL, ",", &inner)) {
            mine = mine || strcmp(n, controller) == 0;
        }
        found = mine ? gb_text_copy(path) : NULL;
    }
    free(text);
    return found;
}

/* The smallest limit on the way from this process's group up to the root of the hierarchy, which a
 * container may see as "/". `read_limit` gives NAN where a group has none. */
static double smallest_limit(const char *root, const char *controller, const char *mount,
                             double (*read_limit)(const char *root, const char *group))
{
    double smallest = NAN;
    char *group = cgroup_of(root, controller);
    while (group) {
        char *path = gb_text_format("%s%s", mount, strcmp(group, "/") == 0 ? "" : group);
        double limit = path ? read_limit(root, path) : NAN;
        smallest = limit < smallest || isnan(smallest) ? limit : smallest;
        free(path);
        char *slash = strrchr(group, '/');
        if (!slash || group[1] == '\0') {
            break;
        }
        slash[slash == group ? 1 : 0] = '\0';
    }
    free(group);
    return smallest;
}

/* A number in a file of a group; NAN when there is none ("max", no file). */
static double group_number(const char *root, const char *group, const char *name, size_t skip)
{
    char *path = gb_text_format("%s/%s", group, name);
    char *text = path ? slurp(root, path) : NULL;
    double value = NAN;
    if (text) {
        char *at = text, *end;
        for (size_t i = 0; i < skip; i++) {
            at += strcspn(at, " ");
            at += strspn(at, " ");
        }
        long long number = strtoll(at, &end, 10);
        value = end > at ? (double)number : NAN;
    }
    free(text);
    free(path);
    return value;
}

static double cpu_limit_v2(const char *root, const char *group)
{
    double quota = group_number(root, group, "cpu.max", 0);
    double period = group_number(root, group, "cpu.max", 1);
    return period > 0 ? quota / period : NAN;
}

static double cpu_limit_v1(const char *root, const char *group)
{
    double quota = group_number(root, group, "cpu.cfs_quota_us", 0);
    double period = group_number(root, group, "cpu.cfs_period_us", 0);
    return quota > 0 && period > 0 ? quota / period : NAN; /* -1: none */
}

static double memory_limit_v2(const char *root, const char *group)
{
    return group_number(root, group, "memory.max", 0);
}

static double memory_limit_v1(const char *root, const char *group)
{
    double limit = group_number(root, group, "memory.limit_in_bytes", 0);
    return limit < 0x1p60 ? limit : NAN; /* "none" is 2^63 less a page */
}

static json_t *cgroup_cpus_json(const char *root)
{
    double cpus = smallest_limit(root, "", "/sys/fs/cgroup", cpu_limit_v2);
    if (isnan(cpus)) {
        cpus = smallest_limit(root, "cpu", "/sys/fs/cgroup/cpu", cpu_limit_v1);
    }
    return gb_json_real(cpus);
}

static json_t *cgroup_memory_json(const char *root)
{
    double bytes = smallest_limit(root, "", "/sys/fs/cgroup", memory_limit_v2);
    if (isnan(bytes)) {
        bytes = smallest_limit(root, "memory", "/sys/fs/cgroup/memory", memory_limit_v1);
    }
    return isnan(bytes) ? json_null() : json_integer((json_int_t)bytes);
}

static json_t *memory_json(const char *root)
{
    char *text = slurp(root, "/proc/meminfo");
    char *value = text ? line_value(text, "MemTotal", ':') : NULL;
    long long kib = value ? strtoll(value, NULL, 10) : 0;
    free(value);
    free(text);
    return kib > 0 ? json_integer((json_int_t)kib * 1024) : json_null();
}

/* PRETTY_NAME="Debian GNU/Linux 12 (bookworm)" */
static json_t *os_json(const char *root)
{
    char *text = slurp(root, "/etc/os-release");
    char *value = text ? line_value(text, "PRETTY_NAME", '=') : NULL;
    free(text);
    if (value && (value[0] == '"' || value[0] == '\'')) {
        memmove(value, value + 1, strlen(value));
        value[strcspn(value, "\"'")] = '\0';
    }
    return owned_string(value);
}

static json_t *numa_json(const char *root)
{
    char *path = gb_text_format("%s/sys/devices/system/node", root);
    DIR *stream = path ? opendir(path) : NULL;
    int nodes = 0;
    for (const struct dirent *entry; stream && (entry = readdir(stream));) {
        nodes += strncmp(entry->d_name, "node", 4) == 0 && isdigit((unsigned char)entry->d_name[4]);
    }
    if (stream) {
        closedir(stream);
    }
    free(path);
    return nodes ? json_integer(nodes) : json_null();
}

/* The kind of container as far as there are hints; false without any hint, which proves nothing
 * (some containers hide well); null where even /proc cannot be read. */
static json_t *container_json(const char *root)
{
    static const char *const files[][2] = {{"/.dockerenv", "docker"},
                                           {"/run/.containerenv", "podman"},
                                           {"/.singularity.d", "singularity"}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        if (exists(root, files[i][0])) {
            return json_string(files[i][1]);
        }
    }
    static const char *const words[] = {"docker", "kubepods", "containerd", "libpod", "lxc"};
    char *text = slurp(root, "/proc/1/cgroup");
    json_t *found = text ? json_false() : json_null();
    for (size_t i = 0; text && i < sizeof words / sizeof words[0]; i++) {
        if (strstr(text, words[i])) {
            found = json_string(words[i]);
            break;
        }
    }
    free(text);
    return found;
}

static json_t *logical_cpus_json(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? json_integer(n) : json_null();
}

json_t *gb_host_json_at(const char *root)
{
    json_t *host = json_object();
    if (!host) {
        return NULL;
    }
    struct utsname name;
    const char *machine = uname(&name) == 0 ? name.machine : NULL;
    char *cpuinfo = slurp(root, "/proc/cpuinfo");
    int failed = json_object_set_new(host, "cpu", cpu_json(root, cpuinfo));
    failed |= json_object_set_new(host, "architecture", gb_json_string(machine));
    failed |= json_object_set_new(host, "logical_cpus", logical_cpus_json());
    failed |= add_affinity(host);
    failed |= json_object_set_new(host, "cgroup_cpus", cgroup_cpus_json(root));
    failed |= json_object_set_new(host, "memory_bytes", memory_json(root));
    failed |= json_object_set_new(host, "cgroup_memory_bytes", cgroup_memory_json(root));
    failed |= json_object_set_new(host, "kernel",
                                  owned_string(slurp(root, "/proc/sys/kernel/osrelease")));
    failed |= json_object_set_new(host, "os", os_json(root));
    failed |= json_object_set_new(host, "numa_nodes", numa_json(root));
    failed |= json_object_set_new(host, "container", container_json(root));
    failed |= json_object_set_new(host, "hypervisor", hypervisor_json(cpuinfo));
    failed |= json_object_set_new(
        host, "governor",
        owned_string(slurp(root, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")));
    free(cpuinfo);
    if (failed) {
        json_decref(host);
        return NULL;
    }
    return host;
}

json_t *gb_host_json(void)
{
    return gb_host_json_at("");
}
