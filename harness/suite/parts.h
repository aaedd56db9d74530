/* The parts of a suite, each read by its own function. Private to the suite library; see reader.h
 * for how errors are told. All of them fill *out as far as they can; gb_suite_free frees it. */
#ifndef GB_SUITE_PARTS_H
#define GB_SUITE_PARTS_H

#include "suite/reader.h"

/* `defaults:` and the settings among the keys of `measure:`; keys that are not there stay. */
void gb_read_defaults(gb_reader *reader, const gb_node *node, gb_settings *settings);
/* `measure:` of a benchmark whose spec is known or NULL. */
void gb_read_measure(gb_reader *reader, const gb_node *node, gb_benchmark *out);

/* `devices:`: a mask. */
void gb_read_devices(gb_reader *reader, gb_node *const *node, unsigned *mask);

/* One entry of `benchmarks:`. */
void gb_read_benchmark(gb_reader *reader, const gb_node *node, const gb_settings *defaults,
                       gb_benchmark *out);
/* A metric's name: its index, -1 for time. */
bool gb_read_metric(gb_reader *reader, const gb_node *node, const char *label,
                    const gb_kernel_spec *spec, int *out);
/* One entry of `expect:`. */
void gb_read_expect(gb_reader *reader, const gb_node *node, const gb_kernel_spec *spec,
                    gb_expect *out);
/* A benchmark's name where another part of the suite refers to it; the benchmarks are read already.
 * NULL after an error. */
const gb_benchmark *gb_read_reference(gb_reader *reader, const gb_node *node, const char *label,
                                      size_t *index);
/* One entry of `classes:`; the benchmarks are read already. */
void gb_read_class(gb_reader *reader, const gb_node *node, gb_class *out);
void gb_class_free(gb_class *class);
/* One entry of `plots:`; the suite's benchmarks are read already. */
void gb_read_plot(gb_reader *reader, const gb_node *node, gb_plot *out);

/* What only shows when all is read. Names first: of benchmarks and their aliases, none twice,
 * ignoring case. */
void gb_check_names(gb_reader *reader);
/* Then, for benchmarks without errors of their own: excludes that match nothing or leave nothing,
 * counts of cases, ids that occur twice, combinations that a kernel refuses. GB_OK also when there
 * were diagnostics; GB_NO_MEMORY. */
gb_code gb_check_cases(gb_reader *reader, gb_error *err);
/* Of those: expectations that no case of any kind of device can ever meet. GB_INVALID: too much
 * work; GB_NO_MEMORY. */
gb_code gb_check_expects(gb_reader *reader, const gb_benchmark *benchmark, uint64_t *work,
                         gb_error *err);
/* Classes: a name twice, units or directions that differ, entries that no case of any kind can
 * meet (work NULL: not looked for). Takes from *work as the others. GB_OK also when there were
 * diagnostics; GB_NO_MEMORY. */
gb_code gb_check_classes(gb_reader *reader, uint64_t *work, gb_error *err);

/* Gates and plots of metrics that no case of any kind of device can have, and plots whose `where`
 * no case meets. As gb_check_expects. */
gb_code gb_check_metrics(gb_reader *reader, const gb_benchmark *benchmark, uint64_t *work,
                         gb_error *err);
/* Whether a case's kernel takes its arguments on a kind of device. */
bool gb_case_runs(const gb_benchmark *benchmark, const gb_value args[], gb_device_kind kind);
/* Whether a case that runs may have a value of a metric. */
bool gb_case_has_metric(const gb_benchmark *benchmark, const gb_value args[], gb_device_kind kind,
                        int metric);

#endif
