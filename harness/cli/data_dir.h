/* `--data-dir`: the user's files as what the cases of a suite read. They take the place of the
 * files that a case makes for itself: for each benchmark whose kernel has the parameters of files
 * (kernels/pipeline.h), they set `data`, `files`, `bytes`, `largest_file`, and `decode: none` where
 * a file is no base64. So they are in every record, and figures of other files are other cases. */
#ifndef GB_CLI_DATA_DIR_H
#define GB_CLI_DATA_DIR_H

#include <jansson.h>

#include "suite/suite.h"

/* Looks at all files of a folder: {"dir" (absolute), "files", "bytes", "largest_file", "left_out",
 * "data" (the number that stands for them), "sha256", "base64": whether all of them are}. GB_IO,
 * GB_INVALID (kernels/files.h; also: a path that is not UTF-8). New reference in *out. */
gb_code gb_data_look(const char *dir, json_t **out, gb_error *err);
/* GB_INVALID: one of these `--set` gives a benchmark another number or size of files than the
 * folder has. */
gb_code gb_data_allows(const gb_suite *suite, const char *const set[], size_t n, gb_error *err);
/* Sets the parameters of a suite. GB_INVALID: no benchmark of it reads files. */
gb_code gb_data_apply(const json_t *data, gb_suite *suite, gb_error *err);
/* The folder, or NULL; points into `data`, which may be NULL. */
const char *gb_data_dir(const json_t *data);
/* One line for people; the caller frees; NULL on out of memory. */
char *gb_data_text(const json_t *data);

#endif
