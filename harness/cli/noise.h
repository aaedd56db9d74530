/* The noise floor of a device, as the last self-test found it: a fact of the machine that later
 * runs record. Kept in $XDG_CACHE_HOME/gpubench or ~/.cache/gpubench, a file a device. */
#ifndef GB_CLI_NOISE_H
#define GB_CLI_NOISE_H

#include <jansson.h>

#include "base/text.h"

/* Keeps the noise floor of a self-test's result for the device whose facts are `info`, with the
 * time of day. Not where a check failed (`ok` is not true) or there is no floor: a floor found by
 * timers that are wrong means nothing. Where it cannot be written nothing is kept. */
void gb_noise_remember(const json_t *info, const json_t *result);
/* Above this a floor hides differences that matter: findings quote by itself what is known to 10 %.
 */
#define GB_NOISE_HIGH 0.10
/* Appends a line that warns of a self-test's noise floor that is higher; nothing where it is not,
 * or is not remembered. */
void gb_noise_warning(const char *name, const json_t *result, gb_buf *text);
/* {"noise_floor": fraction, "measured": "2026-..."} of a device; NULL: never measured. New
 * reference. */
json_t *gb_noise_recall(const json_t *info);

#endif
