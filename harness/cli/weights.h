/* `--weights FILE`: how much each class of work counts, as YAML. */
#ifndef GB_CLI_WEIGHTS_H
#define GB_CLI_WEIGHTS_H

#include "reports/matrix/matrix.h"

/* Reads "memory-bound: 3\ncompute-bound: 1\n" and weighs the classes of the matrix. GB_INVALID with
 * file, line and column: not YAML, no mapping, an unknown class (with the nearest), no number above
 * 0; GB_IO; GB_NO_MEMORY. */
gb_code gb_cli_weights(const char *path, gb_matrix *matrix, gb_error *err);

#endif
