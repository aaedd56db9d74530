/* `gpubench devices` and `gpubench doctor`: what this machine offers. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/json.h"
#include "base/units.h"
#include "build_info.h"
#include "cli/choose.h"
#include "cli/cli.h"
#include "cli/option_rows.h"
#include "device/host_limits.h"
#include "record/host.h"
#include "run/supervise.h"

static const gb_option options[] = {GB_OPTION_JSON("as JSON"), {0}};

static const char *text(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value ? value : "unknown";
}

static void show_device(const json_t *info, const char *label, gb_buf *out)
{
    const json_t *unusable = json_object_get(info, "unusable");
    char memory[32];
    uint64_t bytes = (uint64_t)json_integer_value(json_object_get(info, "memory_bytes"));
    if (unusable) {
        gb_buf_printf(out, "%-8s not usable: %s\n", label, text(unusable, "message"));
        return;
    }
    gb_buf_printf(out, "%-8s %s, %s, %s\n", label, text(info, "name"),
                  bytes ? gb_format_bytes(bytes, memory, sizeof memory) : "memory unknown",
                  text(info, "uuid"));
}

static void show_devices(const json_t *probe, gb_buf *out)
{
    const json_t *cuda = json_object_get(probe, "cuda");
    show_device(json_object_get(probe, "cpu"), "cpu", out);
    for (size_t i = 0; i < json_array_size(cuda); i++) {
        char label[32];
        snprintf(label, sizeof label, "cuda:%zu", i);
        show_device(json_array_get(cuda, i), label, out);
    }
    if (json_array_size(cuda) == 0)
        gb_buf_printf(out, "cuda     not available: %s\n", gb_cuda_reason(probe));
}

static int finish(gb_cli *cli, gb_buf *out, json_t *json, int status)
{
    if (out->failed)
        status = gb_cli_out_of_memory(cli);
    else if (cli->json)
        gb_cli_print_json(cli, json_incref(json));
    else if (out->data)
        gb_cli_print(cli, out->data);
    json_decref(json);
    gb_buf_free(out);
    return status;
}

static int devices(gb_cli *cli)
{
    json_t *probe = NULL;
    gb_buf out = {0};
    gb_error err = {0};
    gb_code code = gb_supervise_probe(GB_EXECUTABLE, NULL, &probe, &err);
    if (code)
        return gb_cli_fail(cli, gb_exit_of_code(code), &err);
    show_devices(probe, &out);
    return finish(cli, &out, probe, GB_EXIT_OK);
}

const gb_verb gb_verb_devices = {.name = "devices",
                                 .arguments = "",
                                 .summary = "List the devices, and why cuda is missing when it is",
                                 .options = options,
                                 .function = devices};

/* The doctor's findings. */
typedef enum gb_finding { GOOD, ADVICE, BAD } gb_finding;
typedef struct doctor {
    gb_buf *out;
    json_t *list;
    bool bad;
} doctor;

static void find(doctor *d, gb_finding finding, const char *what, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void find(doctor *d, gb_finding finding, const char *what, const char *format, ...)
{
    static const char *const words[] = {"ok", "note", "bad"};
    gb_buf line = {0};
    va_list args;
    va_start(args, format);
    gb_buf_vprintf(&line, format, args);
    va_end(args);
    const char *message = line.data ? line.data : "";
    gb_buf_printf(d->out, "%-5s %-10s %s\n", words[finding], what, message);
    json_array_append_new(d->list, json_pack("{s:s, s:s, s:o}", "finding", words[finding], "what",
                                             what, "message", gb_json_string(message)));
    d->bad = d->bad || finding == BAD;
    gb_buf_free(&line);
}

static void check_devices(doctor *d, const json_t *probe)
{
    const json_t *cpu = json_object_get(probe, "cpu"), *cuda = json_object_get(probe, "cuda");
    if (json_object_get(cpu, "unusable"))
        find(d, BAD, "cpu", "%s", text(json_object_get(cpu, "unusable"), "message"));
    else
        find(d, GOOD, "cpu", "%s (%s)", text(cpu, "name"), text(cpu, "runtime"));
    for (size_t i = 0; i < json_array_size(cuda); i++) {
        const json_t *info = json_array_get(cuda, i), *why = json_object_get(info, "unusable");
        if (why)
            find(d, BAD, "cuda", "cuda:%zu: %s", i, text(why, "message"));
        else
            find(d, GOOD, "cuda", "cuda:%zu: %s, driver for CUDA %s, runtime %s", i,
                 text(info, "name"), text(info, "driver"), text(info, "runtime"));
    }
    const json_t *error = json_object_get(probe, "cuda_error");
    const char *code = json_is_object(error) ? text(error, "code") : "";
    bool mismatch = json_integer_value(json_object_get(error, "status")) == 803;
    if (json_array_size(cuda) == 0)
        find(d, mismatch || strcmp(code, gb_code_word(GB_DEVICE_BUSY)) == 0 ? BAD : ADVICE, "cuda",
             "not available: %s", gb_cuda_reason(probe));
}

static void check_library(doctor *d, const char *what, const char *const names[], const char *use)
{
    for (size_t i = 0; names[i]; i++) {
        void *library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
        if (library) {
            dlclose(library);
            find(d, GOOD, what, "%s", names[i]);
            return;
        }
    }
    find(d, ADVICE, what, "not found: %s", use);
}

static bool on_path(const char *program)
{
    const char *path = getenv("PATH");
    while (path && *path) {
        const char *colon = strchr(path, ':');
        size_t n = colon ? (size_t)(colon - path) : strlen(path);
        char *file = gb_text_format("%.*s/%s", (int)n, path, program);
        bool there = file && access(file, X_OK) == 0;
        free(file);
        if (there)
            return true;
        path = colon ? colon + 1 : NULL;
    }
    return false;
}

static void check_limits(doctor *d, const json_t *host)
{
    /* What the cpu device goes by: CAP_IPC_LOCK lifts the limit. */
    const uint64_t lock = gb_host_memlock_limit();
    struct sysinfo memory;
    char size[2][32];
    if (lock != UINT64_MAX)
        find(d, lock < (64u << 20) ? ADVICE : GOOD, "memlock",
             "%s may be locked; larger pinned copies on the cpu device are skipped (ulimit -l)",
             gb_format_bytes(lock, size[0], sizeof size[0]));
    else
        find(d, GOOD, "memlock", "no limit");
    if (sysinfo(&memory) == 0)
        find(d, GOOD, "memory", "%s free of %s",
             gb_format_bytes(memory.freeram * memory.mem_unit, size[0], sizeof size[0]),
             gb_format_bytes(memory.totalram * memory.mem_unit, size[1], sizeof size[1]));
    const json_t *quota = json_object_get(host, "cgroup_cpus");
    if (json_is_number(quota))
        find(d, GOOD, "cgroup", "%.3g cpus allowed", json_number_value(quota));
    const char *governor = json_string_value(json_object_get(host, "governor"));
    if (!governor)
        find(d, ADVICE, "governor", "unknown: clocks may change while measuring");
    else
        find(d, strcmp(governor, "performance") == 0 ? GOOD : ADVICE, "governor", "%s%s", governor,
             strcmp(governor, "performance") == 0 ? "" : ": clocks change while measuring");
    double load = 0;
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    if (getloadavg(&load, 1) == 1)
        find(d, load > 0.5 * (double)cpus ? ADVICE : GOOD, "load", "%.2f on %ld cpus%s", load, cpus,
             load > 0.5 * (double)cpus ? ": others work here, expect disturbed figures" : "");
}

static int doctor_main(gb_cli *cli)
{
    static const char *const nvml[] = {"libnvidia-ml.so.1", NULL};
    static const char *const cublas[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11",
                                         NULL};
    static const char *const openblas[] = {"libopenblas.so.0", NULL};
    gb_buf out = {0};
    gb_error err = {0};
    json_t *probe = NULL, *host = gb_host_json();
    doctor d = {&out, json_array(), false};
    gb_code code = gb_supervise_probe(GB_EXECUTABLE, NULL, &probe, &err);
    if (code)
        find(&d, BAD, "devices", "%s", err.message);
    else
        check_devices(&d, probe);
    if (GB_HAVE_CUDA) {
        check_library(&d, "nvml", nvml, "no clocks, temperatures and other users of a GPU");
        check_library(&d, "cublas", cublas, "cases that need it are skipped");
    }
    check_library(&d, "openblas", openblas, "cases that need it are skipped");
    find(&d, on_path("gnuplot") ? GOOD : ADVICE, "gnuplot", "%s",
         on_path("gnuplot") ? "found" : "not found: no plots (measuring does not need it)");
    check_limits(&d, host);
    json_decref(host);
    json_decref(probe);
    return finish(cli, &out, json_pack("{s:o}", "findings", d.list),
                  d.bad ? GB_EXIT_ENVIRONMENT : GB_EXIT_OK);
}

const gb_verb gb_verb_doctor = {
    .name = "doctor",
    .arguments = "",
    .summary = "Say what works here, what does not, and what disturbs measurements",
    .details = "Exit status 6 when something that is there does not work.",
    .options = options,
    .function = doctor_main};
