#include "cli/lock.h"

static void waiting(void *user, long pid)
{
    const gb_cli *cli = user;
    char who[256];
    gb_cli_say(cli, "the device is in use by another run (%s); waiting for it",
               gb_device_lock_holder(pid, who, sizeof who));
}

gb_code gb_cli_lock_device(gb_cli *cli, const char *uuid, gb_device_lock *out, gb_error *err)
{
    const gb_args *args = &cli->args;
    uint64_t wait = args->wait_ns.given ? args->wait_ns.value : UINT64_MAX;
    if (args->no_wait)
        wait = 0;
    gb_code code = gb_device_lock_take(uuid, wait, &gb_cli_interrupts, waiting, cli, out, err);
    if (code != GB_IO)
        return code;
    gb_cli_warn(cli, "no-lock", "%s; other runs on this device cannot be kept away", err->message);
    return GB_OK;
}
