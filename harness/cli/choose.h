/* Which devices a run uses: from what the user said, what the suite allows and what is there. */
#ifndef GB_CLI_CHOOSE_H
#define GB_CLI_CHOOSE_H

#include <jansson.h>

#include "base/text.h"
#include "device/device.h"

#define GB_MAX_DEVICES 64

typedef struct gb_chosen {
    gb_device_kind kind;
    int index;
    json_t *info; /* facts, borrowed from the probe */
} gb_chosen;

/*   said      the word of --device, NULL: auto, or what the suite lists
 *   allowed   mask of kinds that the suite is for
 *   listed    whether the suite names its kinds (`devices:`); then without --device each kind
 *             that is there is used
 *   probe     from gb_supervise_probe
 * Fills out[0..*n) (room for GB_MAX_DEVICES) and *note with one line the user should read (""
 * none): why the cpu was taken. Pure. Errors: GB_INVALID (not a device word, a kind the suite is
 * not for), GB_NO_DEVICE (nothing there, with the reason), GB_DEVICE_BUSY and GB_DRIVER (there is
 * something, but the environment is at fault: exit 6). */
gb_code gb_choose_devices(const char *said, unsigned allowed, bool listed, const json_t *probe,
                          gb_chosen out[], size_t *n, gb_buf *note, gb_error *err);

/* Why cuda cannot be used, as one sentence without full stop; NULL when it can. Borrowed. */
const char *gb_cuda_reason(const json_t *probe);

#endif
