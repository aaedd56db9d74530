/* The noise floor of a device, as the last self-test found it: a fact of the machine that later
 * runs record. Kept in $XDG_CACHE_HOME/gpubench or ~/.cache/gpubench, a file a device. */
#ifndef GB_CLI_NOISE_H
#define GB_CLI_NOISE_H

#include <jansson.h>

/* Keeps `floor` (a number; anything else is ignored) for the device whose facts are `info`. Where
 * that cannot be written nothing is kept. */
void gb_noise_remember(const json_t *info, const json_t *floor);
/* {"noise_floor": fraction, "measured": "2026-..."} of a device; NULL: never measured. New
 * reference. */
json_t *gb_noise_recall(const json_t *info);

#endif
