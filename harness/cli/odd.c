#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session.h"
#include "reports/report.h"

#define ODD 0.03
#define FEWEST 3

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double values[], size_t n)
{
    qsort(values, n, sizeof *values, by_value);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static const gb_row *row_of(const gb_table *table, const char *case_id, int device)
{
    for (size_t i = 0; i < table->n; i++) {
        const gb_record *r = table->rows[i].first;
        if (r->device == device && strcmp(r->case_id, case_id) == 0)
            return &table->rows[i];
    }
    return NULL;
}

/* ln of a device's time over the median device's, for every case that all devices have; written
 * into logs[device * table->n + k]. Returns how many cases there are. */
static size_t spread(const gb_table *table, size_t devices, double logs[])
{
    size_t k = 0;
    double times[GB_MAX_DEVICES], sorted[GB_MAX_DEVICES];
    for (size_t i = 0; i < table->n; i++) {
        const gb_record *r = table->rows[i].first;
        if (r->device != 0)
            continue;
        size_t have = 0;
        for (size_t d = 0; d < devices; d++) {
            const gb_row *row = row_of(table, r->case_id, (int)d);
            if (row && row->time_ns > 0)
                sorted[have++] = times[d] = row->time_ns;
        }
        if (have < devices)
            continue;
        double middle = median(sorted, devices);
        for (size_t d = 0; d < devices; d++)
            logs[d * table->n + k] = log(times[d] / middle);
        k++;
    }
    return k;
}

bool gb_odd_device(const gb_results *results, int *device, double *ratio)
{
    gb_table table;
    size_t devices = json_array_size(json_object_get(results->document, "devices"));
    if (devices < FEWEST || devices > GB_MAX_DEVICES || gb_table_make(results, &table, NULL))
        return false;
    double *logs = calloc(devices * table.n + 1, sizeof *logs);
    size_t cases = logs ? spread(&table, devices, logs) : 0;
    double most = 0;
    for (size_t d = 0; d < devices && cases > 0; d++) {
        double middle = median(logs + d * table.n, cases);
        if (fabs(middle) > fabs(most)) {
            most = middle;
            *device = (int)d;
        }
    }
    *ratio = exp(most);
    free(logs);
    gb_table_free(&table);
    return fabs(most) > log(1 + ODD);
}
