/* Which cases of a plan a class of the suite means. */
#ifndef GB_SUITE_CLASSES_H
#define GB_SUITE_CLASSES_H

#include "suite/plan.h"

/* Whether one entry of a class means a planned case of a kind: it belongs to the benchmark, what
 * `where` asks holds, and it has the metric, or is skipped, so that reports can say so. */
bool gb_class_takes(const gb_suite *suite, const gb_class_part *part, const gb_case *c,
                    gb_device_kind kind);

/* The metric of one entry, "time" included. */
const gb_metric_spec *gb_class_metric(const gb_suite *suite, const gb_class_part *part);

#endif
