/* Peaks that vendors publish, from configs/gpus/: one file a model, chosen by the device's name. */
#ifndef GB_CLI_PUBLISHED_H
#define GB_CLI_PUBLISHED_H

#include <jansson.h>

#include "base/error.h"

/* Reads one file: {"file": name, "names": [...], "peaks": {"bandwidth": B/s, "fp32": FLOP/s, ...},
 * "power_w": W or null, "sources": {"bandwidth": text, ...}}. `bytes` ends with a NUL behind `n`.
 * GB_INVALID names the file, the line and what is wrong; GB_NO_MEMORY. New reference in *out. */
gb_code gb_published_parse(const char *file, const char *bytes, size_t n, json_t **out,
                           gb_error *err);

/* The first file beside the program (configs/gpus of the source tree or the installation) that
 * lists `device`; *out is NULL when none does. A file that is wrong is an error only when no other
 * one matches. New reference in *out. */
gb_code gb_published_find(const char *device, json_t **out, gb_error *err);

#endif
