/* The device lock as the options of `run` and `selftest` want it. */
#ifndef GB_CLI_LOCK_H
#define GB_CLI_LOCK_H

#include "cli/cli.h"
#include "run/device_lock.h"

/* Takes the lock of a device under --wait-device and --no-wait, saying once that it waits. Where
 * there can be no lock at all a warning is printed and GB_OK returned. */
gb_code gb_cli_lock_device(gb_cli *cli, const char *uuid, gb_device_lock *out, gb_error *err);

#endif
