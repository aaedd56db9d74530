#include "device/cuda_facts.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads one entry as the driver does. Returns false when it is none; `why` says so then. */
static bool parse_entry(const char *text, gb_visible_entry *out, const char **why)
{
    snprintf(out->text, sizeof out->text, "%s", text);
    out->index = -1;
    if (strncmp(text, "MIG-", 4) == 0 && text[4] != '\0') {
        out->kind = GB_VISIBLE_MIG;
        return true;
    }
    if (strncmp(text, "GPU-", 4) == 0 && text[4] != '\0') {
        out->kind = GB_VISIBLE_GPU;
        return true;
    }
    out->kind = GB_VISIBLE_INDEX;
    const char *digits = text[0] == '+' || text[0] == '-' ? text + 1 : text;
    size_t length = strlen(digits);
    if (length == 0 || strspn(digits, "0123456789") != length) {
        *why = length == 0 ? "is empty" : "is no device";
        return false;
    }
    if (text[0] == '-') {
        *why = "ends the list";
        return false;
    }
    if (length > 9) {
        *why = "is no device";
        return false;
    }
    out->index = (int)strtol(digits, NULL, 10);
    return true;
}

static bool same_entry(const gb_visible_entry *a, const gb_visible_entry *b)
{
    if (a->kind != b->kind)
        return false;
    return a->kind == GB_VISIBLE_INDEX ? a->index == b->index : strcmp(a->text, b->text) == 0;
}

/* Copies the next comma-separated piece without blanks around it; returns what follows the comma,
 * NULL after the last one. Pieces that do not fit are cut: no device has so long a name. */
static const char *next_piece(const char *from, char *piece, size_t size)
{
    const char *comma = strchr(from, ',');
    const char *end = comma ? comma : from + strlen(from);
    while (from < end && isspace((unsigned char)*from))
        from++;
    while (end > from && isspace((unsigned char)end[-1]))
        end--;
    size_t length = (size_t)(end - from);
    if (length >= size)
        length = size - 1;
    memcpy(piece, from, length);
    piece[length] = '\0';
    return comma ? comma + 1 : NULL;
}

static void add_entry(gb_visible *out, const gb_visible_entry *entry, bool *done)
{
    for (size_t i = 0; i < out->count; i++) {
        if (same_entry(&out->entries[i], entry)) {
            snprintf(out->note, sizeof out->note,
                     "CUDA_VISIBLE_DEVICES names '%s' twice, which hides every device",
                     entry->text);
            out->count = 0;
            *done = true;
            return;
        }
    }
    if (out->count == GB_VISIBLE_MAX) {
        snprintf(out->note, sizeof out->note, "CUDA_VISIBLE_DEVICES has more than %d entries",
                 GB_VISIBLE_MAX);
        *done = true;
        return;
    }
    out->entries[out->count++] = *entry;
}

void gb_visible_parse(const char *value, gb_visible *out)
{
    memset(out, 0, sizeof *out);
    if (!value)
        return;
    out->set = true;
    if (value[strspn(value, " \t")] == '\0') {
        snprintf(out->note, sizeof out->note,
                 "CUDA_VISIBLE_DEVICES is empty, which hides every device");
        return;
    }
    bool done = false;
    while (value && !done) {
        gb_visible_entry entry;
        char piece[sizeof entry.text];
        const char *why = NULL;
        value = next_piece(value, piece, sizeof piece);
        if (parse_entry(piece, &entry, &why)) {
            bool other_form = out->count > 0 && (out->entries[0].kind == GB_VISIBLE_INDEX) !=
                                                    (entry.kind == GB_VISIBLE_INDEX);
            if (!other_form) {
                add_entry(out, &entry, &done);
                continue;
            }
            why = "is of another form than the entries before it";
        }
        snprintf(out->note, sizeof out->note, "'%s' in CUDA_VISIBLE_DEVICES %s%s", piece, why,
                 out->count == 0 ? ", so every device is hidden"
                                 : "; it and what follows are hidden");
        done = true;
    }
}

bool gb_cuda_covers(const char *architectures, int major, int minor)
{
    int device = major * 10 + minor;
    const char *at = architectures;
    while (*at != '\0') {
        char *end;
        long value = strtol(at, &end, 10);
        if (end == at)
            return false;
        bool exact = isalpha((unsigned char)*end) != 0;
        while (isalnum((unsigned char)*end))
            end++;
        bool last = *end == '\0';
        if (exact ? value == device : value / 10 == major && value % 10 <= minor)
            return true;
        if (last)
            return !exact && value <= device;
        at = end + 1;
    }
    return false;
}

gb_code gb_cuda_check_covers(const char *architectures, int major, int minor, const char *name,
                             gb_error *err)
{
    if (gb_cuda_covers(architectures, major, minor))
        return GB_OK;
    return gb_fail(err, GB_NO_KERNEL_IMAGE,
                   "built for %s; device is %d.%d (%s); rebuild with "
                   "-DGPUBENCH_CUDA_ARCHITECTURES=%d%d",
                   architectures, major, minor, name, major, minor);
}

const char *gb_cuda_minimum_driver(int toolkit)
{
    /* "CUDA Toolkit and Minimum Required Driver Version for CUDA Minor Version Compatibility",
     * release notes of the CUDA toolkit. */
    if (toolkit >= 13000)
        return "580";
    if (toolkit >= 12000)
        return "525.60.13";
    return toolkit >= 11000 ? "450.80.02" : "";
}

/* Error numbers by what they mean for a run; all others are GB_DEVICE_ERROR, not sticky. Source:
 * enum cudaError in driver_types.h, whose comments say after which ones the process must go. */
static const struct {
    short from, to;
    gb_code code;
    bool sticky;
    const char *advice;
} classes[] = {
    {2, 2, GB_NO_MEMORY, false, ""},
    {3, 3, GB_DRIVER, false, "the driver could not be initialised; see dmesg"},
    {4, 4, GB_DEVICE_ERROR, true, ""},
    {34, 34, GB_DRIVER, false,
     "the toolkit's link-time stub of libcuda was loaded in place of "
     "the driver's; take the stubs folder out of LD_LIBRARY_PATH"},
    {35, 35, GB_DRIVER, false, ""},
    {36, 36, GB_UNAVAILABLE, false, "this call needs a newer driver"},
    {46, 46, GB_DEVICE_BUSY, false, "the device is in use by another process"},
    {98, 98, GB_NO_KERNEL_IMAGE, false, ""},
    {100, 101, GB_NO_DEVICE, false, ""},
    {127, 127, GB_DRIVER, false, "the runtime could not start; see dmesg"},
    {200, 200, GB_NO_KERNEL_IMAGE, false, ""},
    {201, 201, GB_DEVICE_ERROR, true, ""},
    {209, 209, GB_NO_KERNEL_IMAGE, false, ""},
    {214, 214, GB_HARDWARE_FAULT, true,
     "uncorrectable memory error; reset the GPU or reboot, "
     "and have it checked when it comes back"},
    {216, 216, GB_DEVICE_BUSY, false, "the device is in use by another process"},
    {218, 218, GB_NO_KERNEL_IMAGE, false, ""},
    {220, 220, GB_HARDWARE_FAULT, true, "uncorrectable NVLink error; reset the GPU or reboot"},
    {221, 223, GB_NO_KERNEL_IMAGE, false, "the driver cannot compile this build's PTX"},
    {226, 226, GB_HARDWARE_FAULT, true, "contained memory error; start the process again"},
    {600, 600, GB_NOT_READY, false, ""},
    {700, 700, GB_DEVICE_ERROR, true, ""},
    {702, 702, GB_DEVICE_ERROR, true,
     "the kernel ran into the time limit of a device with a "
     "display"},
    {709, 710, GB_DEVICE_ERROR, true, ""},
    {714, 719, GB_DEVICE_ERROR, true, ""},
    {721, 721, GB_DEVICE_ERROR, true, ""},
    {801, 801, GB_UNAVAILABLE, false, ""},
    {802, 802, GB_DRIVER, false, "the system is not ready; is nvidia-fabricmanager running?"},
    {803, 804, GB_DRIVER, false, "the driver's parts do not match; reboot or reload the driver"},
    {805, 806, GB_DRIVER, false, "the MPS server does not answer"},
    {807, 809, GB_DEVICE_BUSY, false, "the MPS server takes no more clients now"},
    {810, 810, GB_DRIVER, true, "the MPS server ended this client"},
    {909, 909, GB_TIMEOUT, false, ""},
    {999, 999, GB_DEVICE_ERROR, true, "see dmesg for the driver's message"},
};

gb_code gb_cuda_classify(int status, bool *sticky)
{
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        if (status >= classes[i].from && status <= classes[i].to) {
            *sticky = classes[i].sticky;
            return classes[i].code;
        }
    }
    *sticky = false;
    return status == 0 ? GB_OK : GB_DEVICE_ERROR;
}

const char *gb_cuda_advice(int status)
{
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (status >= classes[i].from && status <= classes[i].to)
            return classes[i].advice;
    return "";
}
