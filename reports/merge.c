#include "reports/merge.h"

#include <stdlib.h>
#include <string.h>

static gb_code no_memory(gb_error *err)
{
    return gb_fail(err, GB_NO_MEMORY, "out of memory for several runs in one report");
}

const char *gb_results_device_label(const gb_results *results, int device)
{
    const json_t *devices = json_object_get(results->document, "devices");
    const char *label = json_string_value(
        json_object_get(json_array_get(devices, device < 0 ? 0 : (size_t)device), "label"));
    return label != NULL ? label : gb_results_device_name(results, device);
}

static json_t *run_entry(const gb_results *run, const char *name)
{
    static const char *const keys[] = {"run", "tool", "host", "suite"};
    char *text = gb_text_escape_invalid(name);
    json_t *entry =
        text != NULL ? json_pack("{s:s, s:b}", "name", text, "complete", (int)run->complete) : NULL;
    free(text);
    json_t *path = entry != NULL && run->path != NULL ? json_string(run->path) : NULL;
    if (path != NULL && json_object_set_new(entry, "path", path) != 0) { /* where its samples are */
        json_decref(entry);
        return NULL;
    }
    for (size_t i = 0; entry != NULL && i < sizeof keys / sizeof keys[0]; i++) {
        json_t *value = json_object_get(run->document, keys[i]);
        if (value != NULL && json_object_set(entry, keys[i], value) != 0) {
            json_decref(entry);
            return NULL;
        }
    }
    return entry;
}

/* How many devices a run has: what its head names, and what its records refer to (a run that was
 * killed early may have no head). */
static size_t count_devices(const gb_results *run)
{
    size_t n = json_array_size(json_object_get(run->document, "devices"));
    for (size_t i = 0; i < run->n; i++) {
        if (run->records[i].device >= 0 && (size_t)run->records[i].device + 1 > n) {
            n = (size_t)run->records[i].device + 1;
        }
    }
    return n;
}

static bool add_devices(json_t *devices, const gb_results *run, size_t number)
{
    const json_t *own = json_object_get(run->document, "devices");
    for (size_t i = 0, n = count_devices(run); i < n; i++) {
        const json_t *given = json_array_get(own, i);
        json_t *device = json_is_object(given) ? json_copy((json_t *)given) : json_object();
        if (device == NULL ||
            json_object_set_new(device, "id", json_integer((json_int_t)json_array_size(devices))) !=
                0 ||
            json_object_set_new(device, "run", json_integer((json_int_t)number)) != 0 ||
            json_array_append(devices, device) != 0) {
            json_decref(device);
            return false;
        }
        json_decref(device);
    }
    return true;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "unknown";
}

/* How many devices have this text under a key. */
static size_t count_text(const json_t *devices, const char *key, const char *text)
{
    size_t i, n = 0;
    json_t *device;
    json_array_foreach(devices, i, device)
    {
        n += strcmp(text_of(device, key), text) == 0;
    }
    return n;
}

/* Names alone where they tell devices apart, else with the run's name, else numbered too. */
static bool label_devices(json_t *devices, const json_t *runs)
{
    size_t i;
    json_t *device;
    bool done = true;
    json_array_foreach(devices, i, device)
    {
        const char *name = text_of(device, "name");
        size_t run = (size_t)json_integer_value(json_object_get(device, "run"));
        char *label =
            count_text(devices, "name", name) == 1
                ? gb_text_copy(name)
                : gb_text_format("%s, %s", name, text_of(json_array_get(runs, run), "name"));
        done &= label != NULL && json_object_set_new(device, "label", json_string(label)) == 0;
        free(label);
    }
    for (i = 0; done && i < json_array_size(devices); i++) {
        device = json_array_get(devices, i);
        const char *label = text_of(device, "label");
        if (count_text(devices, "label", label) > 1) {
            char *numbered = gb_text_format("%s (%zu)", label, i + 1);
            done = numbered != NULL &&
                   json_object_set_new(device, "label", json_string(numbered)) == 0;
            free(numbered);
        }
    }
    return done;
}

/* Appends what a list of the document has, unless an equal entry is there. */
static bool add_plots(json_t *plots, const gb_results *run)
{
    size_t i, j;
    const json_t *list = json_object_get(json_object_get(run->document, "suite"), "plots");
    json_t *plot;
    const json_t *other;
    json_array_foreach(list, i, plot)
    {
        bool there = false;
        json_array_foreach(plots, j, other)
        {
            there = there || json_equal(plot, other);
        }
        if (!there && json_array_append(plots, plot) != 0) {
            return false;
        }
    }
    return true;
}

/* A run's expectations, with the devices' numbers in the merged document. */
static bool add_expectations(json_t *expectations, const gb_results *run, size_t shift)
{
    size_t i;
    json_t *one;
    json_array_foreach(json_object_get(run->document, "expectations"), i, one)
    {
        json_int_t device = json_integer_value(json_object_get(one, "device"));
        json_t *copy = json_copy(one);
        if (copy == NULL ||
            json_object_set_new(copy, "device", json_integer(device + (json_int_t)shift)) != 0 ||
            json_array_append(expectations, copy) != 0) {
            json_decref(copy);
            return false;
        }
        json_decref(copy);
    }
    return true;
}

/* Fits and findings of one run say nothing about several: reports compute them anew. */
static json_t *whole_document(gb_results runs[], const char *const names[], size_t n)
{
    json_t *document = json_copy(runs[0].document);
    json_t *suite = json_copy(json_object_get(document, "suite"));
    json_t *devices = json_array(), *list = json_array(), *plots = json_array(),
           *expectations = json_array();
    suite = suite != NULL ? suite : json_object();
    bool done = document && suite && devices && list && plots && expectations;
    for (size_t i = 0; done && i < n; i++) {
        size_t shift = json_array_size(devices);
        done = json_array_append_new(list, run_entry(&runs[i], names[i])) == 0 &&
               add_expectations(expectations, &runs[i], shift) &&
               add_devices(devices, &runs[i], i) && add_plots(plots, &runs[i]);
    }
    done = done && label_devices(devices, list) && json_object_set(suite, "plots", plots) == 0 &&
           json_object_set(document, "suite", suite) == 0 &&
           json_object_set(document, "devices", devices) == 0 &&
           json_object_set(document, "runs", list) == 0 &&
           json_object_set(document, "expectations", expectations) == 0;
    if (done && n > 1) {
        json_object_del(document, "fits");
        json_object_del(document, "findings");
    }
    json_decref(suite);
    json_decref(devices);
    json_decref(list);
    json_decref(plots);
    json_decref(expectations);
    if (!done) {
        json_decref(document);
        return NULL;
    }
    return document;
}

/* Emulated threads are right in their answers and meaningless in their times. */
static bool is_emulated(const gb_results *run)
{
    for (size_t i = 0; i < run->n; i++) {
        if (run->records[i].status != GB_STATUS_OK ||
            (run->records[i].flags & GB_BIT(GB_FLAG_EMULATED)) == 0) {
            return false;
        }
    }
    return run->n > 0;
}

static gb_code check(const gb_results runs[], const char *const names[], size_t n, gb_error *err)
{
    const char *schema = NULL;
    for (size_t i = 0; i < n; i++) {
        const char *own = json_string_value(json_object_get(runs[i].document, "schema"));
        if (n > 1 && is_emulated(&runs[i])) {
            return gb_fail(err, GB_INVALID,
                           "%s has emulated cases alone: their times mean nothing beside others",
                           names[i]);
        }
        if (own != NULL && schema != NULL && strcmp(own, schema) != 0) {
            return gb_fail(err, GB_INVALID, "%s is of schema %s, the others are of %s", names[i],
                           own, schema);
        }
        schema = own != NULL ? own : schema;
    }
    return GB_OK;
}

gb_code gb_results_merge(gb_results runs[], const char *const names[], size_t n, gb_results *out,
                         gb_error *err)
{
    *out = (gb_results){.complete = true};
    gb_code code = check(runs, names, n, err);
    if (code != GB_OK) {
        return code;
    }
    size_t total = 0, shift = 0;
    for (size_t i = 0; i < n; i++) {
        total += runs[i].n;
    }
    json_t *document = whole_document(runs, names, n);
    gb_record *records = calloc(total + 1, sizeof *records);
    if (document == NULL || records == NULL) {
        json_decref(document);
        free(records);
        return no_memory(err);
    }
    out->document = document;
    out->records = records;
    for (size_t i = 0; i < n; i++) {
        size_t devices = count_devices(&runs[i]);
        for (size_t r = 0; r < runs[i].n; r++) {
            records[out->n] = runs[i].records[r];
            records[out->n++].device += (int)shift;
        }
        free(runs[i].records);
        runs[i].records = NULL;
        runs[i].n = 0;
        shift += devices;
        out->complete &= runs[i].complete;
        out->torn |= runs[i].torn;
        if (out->hardware_fault == NULL) {
            out->hardware_fault = runs[i].hardware_fault;
            runs[i].hardware_fault = NULL;
        }
    }
    return GB_OK;
}
