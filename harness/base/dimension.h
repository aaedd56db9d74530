/* The units of each dimension: what the parsers accept and the printers scale to; inside base only.
 */
#ifndef GB_BASE_DIMENSION_H
#define GB_BASE_DIMENSION_H

#include <stdbool.h>
#include <stdint.h>

typedef struct gb_unit {
    const char *word; /* "": a bare number */
    uint64_t factor;  /* to the base unit */
    bool printed;     /* whether the printer scales to it */
} gb_unit;

typedef struct gb_dimension {
    const char *what;     /* "a size" */
    const char *base;     /* "bytes": what it must be whole in */
    const char *smallest; /* unit of the range in messages */
    const char *units;    /* for messages */
    const char *example;
    const gb_unit *table; /* ascending among the printed ones; ends with a NULL word */
} gb_dimension;

extern const gb_dimension gb_bytes_dimension, gb_time_dimension, gb_bandwidth_dimension,
    gb_data_rate_dimension, gb_clock_dimension, gb_parameters_dimension;

#endif
