/* Values of kernel parameters in a suite: single ones, axes and conditions. Private to the suite
 * library. */
#ifndef GB_SUITE_VALUES_H
#define GB_SUITE_VALUES_H

#include "suite/reader.h"

/* One value by the parameter's rules (units, range, words). */
bool gb_read_value(gb_reader *reader, const gb_node *node, const char *label, const gb_param *param,
                   gb_value *out);

/* An axis' values: a scalar, a list, a range, or one of those per device kind. Fills axis->values
 * and axis->n, which gb_axis_clear frees. */
bool gb_read_axis(gb_reader *reader, gb_node *const *node, const char *label, const gb_param *param,
                  gb_axis *axis);
void gb_axis_clear(gb_axis *axis);

/* A number from text that stands in `node` (all of it, or what follows a comparison). */
bool gb_read_number(gb_reader *reader, const gb_node *node, const char *text, const char *label,
                    const gb_param *param, uint64_t *out);
/* A list of values, or one of them. The caller frees *values. */
bool gb_read_list(gb_reader *reader, gb_node *const *node, const char *label, const gb_param *param,
                  gb_value **values, size_t *n);

/* Conditions (conditions.c): what a parameter is compared with in exclude and expect: a value, a
 * list, or "<", "<=", ">" or
 * ">=" and a number. */
bool gb_read_condition(gb_reader *reader, gb_node *const *node, const char *label,
                       const gb_param *param, gb_condition *out);
/* A mapping of parameters to conditions, without the keys in `skip`. */
bool gb_read_conditions(gb_reader *reader, const gb_node *map, const char *label,
                        const gb_kernel_spec *spec, const char *skip, gb_condition **out,
                        size_t *n);
void gb_conditions_free(gb_condition *conditions, size_t n);

bool gb_value_equal(gb_value a, gb_value b);
/* A value as one would write it in a suite: "64MiB", "5ms", "h2d". Returns buf. */
const char *gb_value_written(const gb_param *param, gb_value value, char buf[32]);
/* Names of a kernel's parameters, for messages; owned by the caller (free), n_params of them. */
const char **gb_param_names(gb_reader *reader, const gb_kernel_spec *spec);

#endif
