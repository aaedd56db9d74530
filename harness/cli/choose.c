#include "cli/choose.h"

#include <stdio.h>
#include <string.h>

/* cudaErrorSystemDriverMismatch, and NVML's name for the same: the kernel module and the user-space
 * driver are of different versions. There is a device; the machine needs a reboot. */
#define DRIVER_MISMATCH 803

static const char *text(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value ? value : "";
}

static bool usable(const json_t *info)
{
    return json_is_object(info) && !json_object_get(info, "unusable");
}

static json_t *cuda_at(const json_t *probe, size_t i)
{
    return json_array_get(json_object_get(probe, "cuda"), i);
}

static size_t cuda_count(const json_t *probe)
{
    return json_array_size(json_object_get(probe, "cuda"));
}

/* The error object that explains why no cuda device can be used: the runtime's, or that of the
 * first device that is there but unusable. NULL when one is usable. */
static const json_t *cuda_problem(const json_t *probe)
{
    const json_t *first = NULL;
    for (size_t i = 0; i < cuda_count(probe); i++) {
        json_t *info = cuda_at(probe, i);
        if (usable(info))
            return NULL;
        if (!first)
            first = json_object_get(info, "unusable");
    }
    const json_t *error = json_object_get(probe, "cuda_error");
    return json_is_object(error) ? error : first;
}

const char *gb_cuda_reason(const json_t *probe)
{
    for (size_t i = 0; i < cuda_count(probe); i++) {
        if (usable(cuda_at(probe, i)))
            return NULL;
    }
    const char *why = text(cuda_problem(probe), "message");
    return why[0] ? why : "there is none";
}

static gb_code add(gb_chosen out[], size_t *n, gb_device_kind kind, int index, json_t *info)
{
    if (*n < GB_MAX_DEVICES)
        out[(*n)++] = (gb_chosen){kind, index, info};
    return GB_OK;
}

static gb_code add_cpu(const json_t *probe, gb_chosen out[], size_t *n, gb_error *err)
{
    json_t *info = json_object_get(probe, "cpu");
    if (!usable(info))
        return gb_fail(err, GB_NO_DEVICE, "the cpu device does not work: %s",
                       text(json_object_get(info, "unusable"), "message"));
    return add(out, n, GB_CPU, 0, info);
}

/* The usable cuda devices, all or the first. */
static gb_code add_cuda(const json_t *probe, bool all, gb_chosen out[], size_t *n, gb_error *err)
{
    size_t before = *n;
    for (size_t i = 0; i < cuda_count(probe) && (all || *n == before); i++) {
        if (usable(cuda_at(probe, i)))
            add(out, n, GB_CUDA, (int)i, cuda_at(probe, i));
    }
    if (*n > before)
        return GB_OK;
    const json_t *problem = cuda_problem(probe);
    gb_code code = GB_NO_DEVICE;
    if (strcmp(text(problem, "code"), gb_code_word(GB_DEVICE_BUSY)) == 0)
        code = GB_DEVICE_BUSY;
    else if (json_integer_value(json_object_get(problem, "status")) == DRIVER_MISMATCH)
        code = GB_DRIVER;
    return gb_fail(err, code, "no cuda device: %s", gb_cuda_reason(probe));
}

static gb_code add_index(const json_t *probe, int index, gb_chosen out[], size_t *n, gb_error *err)
{
    size_t count = cuda_count(probe);
    if (count == 0)
        return add_cuda(probe, false, out, n, err);
    json_t *info = cuda_at(probe, (size_t)index);
    if (!info && count == 1)
        return gb_fail(err, GB_NO_DEVICE, "no device cuda:%d: only cuda:0 is available", index);
    if (!info)
        return gb_fail(err, GB_NO_DEVICE, "no device cuda:%d: cuda:0 to cuda:%zu are available",
                       index, count - 1);
    if (!usable(info))
        return gb_fail(err, GB_NO_DEVICE, "device cuda:%d: %s", index,
                       text(json_object_get(info, "unusable"), "message"));
    return add(out, n, GB_CUDA, index, info);
}

static gb_code add_uuid(const json_t *probe, const char *uuid, gb_chosen out[], size_t *n,
                        gb_error *err)
{
    size_t count = cuda_count(probe), found = 0, at = 0;
    if (count == 0)
        return add_cuda(probe, false, out, n, err);
    for (size_t i = 0; i < count; i++) {
        if (strncmp(text(cuda_at(probe, i), "uuid"), uuid, strlen(uuid)) == 0) {
            at = i;
            found++;
        }
    }
    if (found != 1)
        return gb_fail(err, found ? GB_INVALID : GB_NO_DEVICE,
                       "%s cuda device has a UUID like '%s'", found ? "more than one" : "no", uuid);
    return add_index(probe, (int)at, out, n, err);
}

/* auto: the first usable cuda device, otherwise the cpu with one line that says why. */
static gb_code add_auto(unsigned allowed, const json_t *probe, gb_chosen out[], size_t *n,
                        gb_buf *note, gb_error *err)
{
    if (!(allowed & GB_BIT(GB_CPU))) {
        gb_code code = add_cuda(probe, false, out, n, err);
        if (code)
            gb_fail_context(err, "this suite has cases on cuda alone");
        return code;
    }
    if (allowed & GB_BIT(GB_CUDA) && !add_cuda(probe, false, out, n, NULL))
        return GB_OK;
    gb_code code = add_cpu(probe, out, n, err);
    if (!code && allowed & GB_BIT(GB_CUDA))
        gb_buf_printf(note, "measuring on the cpu (%s): no cuda device: %s",
                      text(out[0].info, "name"), gb_cuda_reason(probe));
    return code;
}

/* Every kind that the suite lists and that is there. */
static gb_code add_listed(unsigned allowed, const json_t *probe, gb_chosen out[], size_t *n,
                          gb_buf *note, gb_error *err)
{
    gb_code code = GB_OK;
    if (allowed & GB_BIT(GB_CUDA) && add_cuda(probe, false, out, n, NULL))
        gb_buf_printf(note, "measuring on the cpu alone: no cuda device: %s",
                      gb_cuda_reason(probe));
    if (allowed & GB_BIT(GB_CPU))
        code = add_cpu(probe, out, n, err);
    return code;
}

gb_code gb_choose_devices(const char *said, unsigned allowed, bool listed, const json_t *probe,
                          gb_chosen out[], size_t *n, gb_buf *note, gb_error *err)
{
    gb_device_choice choice = {.kind = GB_CHOICE_AUTO};
    gb_code code = said ? gb_device_choice_parse(said, &choice, err) : GB_OK;
    *n = 0;
    if (code)
        return code;
    unsigned wanted = choice.kind == GB_CHOICE_AUTO  ? allowed
                      : choice.kind == GB_CHOICE_CPU ? GB_BIT(GB_CPU)
                                                     : GB_BIT(GB_CUDA);
    if (!(wanted & allowed))
        return gb_fail(err, GB_INVALID, "this suite is for %s only, --device says '%s'",
                       allowed & GB_BIT(GB_CPU) ? "cpu" : "cuda", said);
    switch (choice.kind) {
    case GB_CHOICE_CPU:
        return add_cpu(probe, out, n, err);
    case GB_CHOICE_CUDA:
    case GB_CHOICE_ALL:
        return add_cuda(probe, choice.kind == GB_CHOICE_ALL, out, n, err);
    case GB_CHOICE_CUDA_INDEX:
        return add_index(probe, choice.index, out, n, err);
    case GB_CHOICE_CUDA_UUID:
        return add_uuid(probe, choice.uuid, out, n, err);
    default:
        return !said && listed && allowed == GB_ANY_DEVICE
                   ? add_listed(allowed, probe, out, n, note, err)
                   : add_auto(allowed, probe, out, n, note, err);
    }
}
