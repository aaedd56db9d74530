#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/units.h"
#include "cli/estimate.h"

#define EXACT 1e-4 /* nobody needs to know what is off by less */

const char *gb_sheet_size(uint64_t bytes, char *buf)
{
    char decimal[32], binary[32];
    if (bytes < 1000)
        snprintf(buf, 64, "%s", gb_format_bytes(bytes, binary, sizeof binary));
    else
        snprintf(buf, 64, "%s (%s)", gb_format_rate((double)bytes, "B", decimal, sizeof decimal),
                 gb_format_bytes(bytes, binary, sizeof binary));
    return buf;
}

const char *gb_sheet_exact_size(uint64_t bytes, char *buf)
{
    if (bytes % 1000 == 0 && bytes % 1024 != 0)
        return gb_format_rate((double)bytes, "B", buf, 32);
    return gb_format_bytes(bytes, buf, 32);
}

static void set(gb_sheet *sheet, json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value)) /* of NULL, too */
        sheet->failed = true;
}

static bool several_devices(const gb_sheet *sheet)
{
    return json_array_size(json_object_get(sheet->run.document, "devices")) > 1;
}

const char *gb_sheet_theory(const gb_sheet *sheet)
{
    return several_devices(sheet) ? " (theory of the run's first device)"
                                  : " (theory of the run's device)";
}

/* Where the rate is from, on the first of its lines: "fit of benchmark to-device (off by 3.2 %)",
 * with the device where there are several. */
static char *origin(const gb_sheet *sheet)
{
    const gb_measured_rate *rate = sheet->rate;
    const char *device = gb_results_device_name(&sheet->run, rate->device);
    const bool named = several_devices(sheet);
    char off[32];
    if (sheet->rate_lines > 0)
        return gb_text_copy("");
    if (rate->off < EXACT)
        snprintf(off, sizeof off, "under 0.01 %%");
    else
        gb_format_half(rate->off, off, sizeof off);
    return gb_text_format("%s (%s %s)%s%s", rate->from, rate->latency_ns > 0 ? "off by" : "+-", off,
                          named ? ", " : "", named ? device : "");
}

/* Names in results may hold anything. */
static void add_cell(gb_sheet *sheet, gb_ink ink, const char *text)
{
    char *printable = gb_text_printable(text ? text : "");
    sheet->failed |= !printable;
    gb_grid_add(&sheet->lines, ink, printable ? printable : "");
    free(printable);
}

static void add_line(gb_sheet *sheet, const char *key, json_t *value, const char *label,
                     const char *shown, const char *formula, va_list args)
{
    json_t *group = sheet->rate && json_array_size(sheet->measured)
                        ? json_array_get(sheet->measured, json_array_size(sheet->measured) - 1)
                        : NULL;
    gb_buf text = {0};
    gb_buf_vprintf(&text, formula, args);
    char *name = sheet->rate ? gb_text_format("%s, measured %s", label, sheet->rate->what) : NULL;
    char *from = sheet->rate ? origin(sheet) : NULL;
    sheet->failed |= text.failed || (sheet->rate && (!name || !from || !group));
    set(sheet, group ? json_object_get(group, "results") : sheet->results, key, value);
    set(sheet, group ? json_object_get(group, "formulas") : sheet->formulas, key,
        gb_json_string(text.data));
    add_cell(sheet, GB_PLAIN, name ? name : label);
    add_cell(sheet, GB_BOLD, shown);
    add_cell(sheet, GB_PLAIN, text.data);
    add_cell(sheet, GB_DIM, from);
    sheet->rate_lines++;
    free(name);
    free(from);
    gb_buf_free(&text);
}

void gb_sheet_line(gb_sheet *sheet, const char *key, json_t *value, const char *label,
                   const char *shown, const char *formula, ...)
{
    va_list args;
    va_start(args, formula);
    add_line(sheet, key, value, label, shown, formula, args);
    va_end(args);
}

void gb_sheet_bytes(gb_sheet *sheet, const char *key, const char *label, uint64_t bytes,
                    const char *formula, ...)
{
    char shown[64];
    va_list args;
    json_t *value = bytes <= INT64_MAX ? json_integer((json_int_t)bytes) : json_real((double)bytes);
    va_start(args, formula);
    add_line(sheet, key, value, label, gb_sheet_size(bytes, shown), formula, args);
    va_end(args);
}

/* Says once whose rates they are. */
static void name_device(gb_sheet *sheet, int device)
{
    const bool cpu = strcmp(gb_results_device_kind(&sheet->run, device), "cpu") == 0;
    const json_t *last = json_array_get(sheet->measured, json_array_size(sheet->measured) - 1);
    const json_t *number = json_object_get(last, "device_id");
    if (!number || json_integer_value(number) != device)
        gb_sheet_note(sheet, "Measured on %s%s.", gb_results_device_name(&sheet->run, device),
                      cpu ? " (cpu), which says nothing of a GPU" : "");
}

void gb_sheet_rate(gb_sheet *sheet, const gb_measured_rate *rate, uint64_t bytes)
{
    char least[32], most[32];
    sheet->rate = rate;
    sheet->rate_lines = 0;
    if (!rate)
        return;
    name_device(sheet, rate->device);
    const bool outside = bytes > 0 && (bytes < rate->least || bytes > rate->most);
    json_t *group =
        json_pack("{s:s, s:s, s:s, s:i, s:s, s:s, s:o, s:o, s:o, s:o, s:b, s:o, s:o}", "what",
                  rate->what, "from", rate->from, "kind", sheet->measured_kind, "device_id",
                  rate->device, "device", gb_results_device_name(&sheet->run, rate->device),
                  "device_kind", gb_results_device_kind(&sheet->run, rate->device), "latency_ns",
                  gb_json_real(rate->latency_ns > 0 ? rate->latency_ns : (double)NAN),
                  "bandwidth_bytes_per_s", gb_json_real(rate->bandwidth), "off_by",
                  gb_json_real(rate->off), "theory_bytes_per_s", gb_json_real(rate->theory),
                  "extrapolated", outside, "results", json_object(), "formulas", json_object());
    if (json_array_append_new(sheet->measured, group))
        sheet->failed = true;
    if (outside)
        gb_sheet_note(sheet, "%s: extrapolated, as %s to %s were measured.", rate->what,
                      gb_format_bytes(rate->least, least, sizeof least),
                      gb_format_bytes(rate->most, most, sizeof most));
}

void gb_sheet_note(gb_sheet *sheet, const char *format, ...)
{
    gb_buf text = {0};
    va_list args;
    va_start(args, format);
    gb_buf_vprintf(&text, format, args);
    va_end(args);
    char *printable = gb_text_printable(text.data ? text.data : "");
    sheet->failed |= text.failed || !printable;
    gb_buf_printf(&sheet->notes, "%s\n", printable ? printable : "");
    free(printable);
    gb_buf_free(&text);
}
