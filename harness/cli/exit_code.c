#include "cli/exit_code.h"

int gb_exit_worse(int a, int b)
{
    static const int order[] = {GB_EXIT_TERMINATED, GB_EXIT_HUNG_UP,    GB_EXIT_INTERRUPTED,
                                GB_EXIT_USAGE,      GB_EXIT_NO_DEVICE,  GB_EXIT_ENVIRONMENT,
                                GB_EXIT_CASE,       GB_EXIT_REGRESSION, GB_EXIT_STRICT,
                                GB_EXIT_OK};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        if (a == order[i] || b == order[i])
            return order[i];
    }
    return a;
}

int gb_exit_of_code(gb_code code)
{
    switch (code) {
    case GB_OK:
        return GB_EXIT_OK;
    case GB_INVALID:
        return GB_EXIT_USAGE;
    case GB_NO_DEVICE:
    case GB_NO_KERNEL_IMAGE:
        return GB_EXIT_NO_DEVICE;
    case GB_WRONG_RESULT:
    case GB_HARDWARE_FAULT:
        return GB_EXIT_CASE;
    case GB_INTERRUPTED:
        return GB_EXIT_INTERRUPTED;
    default:
        return GB_EXIT_ENVIRONMENT;
    }
}

int gb_exit_of_run(const gb_outcome *outcome)
{
    const size_t *counts = outcome->counts;
    size_t bad = counts[GB_STATUS_FAILED] + counts[GB_STATUS_WRONG] + counts[GB_STATUS_TIMEOUT];
    int status = gb_exit_of_code(outcome->error);
    if (outcome->interrupted)
        status = outcome->interrupted;
    if (bad > 0)
        status = gb_exit_worse(status, GB_EXIT_CASE);
    else if (counts[GB_STATUS_OK] == 0 || counts[GB_STATUS_NOT_RUN] > 0)
        status = gb_exit_worse(status, GB_EXIT_ENVIRONMENT);
    if (outcome->expectation_failed)
        status = gb_exit_worse(status, GB_EXIT_REGRESSION);
    if (outcome->strict && outcome->unsteady)
        status = gb_exit_worse(status, GB_EXIT_STRICT);
    return status;
}

const char *gb_exit_word(int status)
{
    switch (status) {
    case GB_EXIT_OK:
        return "ok";
    case GB_EXIT_REGRESSION:
        return "regression";
    case GB_EXIT_USAGE:
        return "usage";
    case GB_EXIT_CASE:
        return "case";
    case GB_EXIT_NO_DEVICE:
        return "no-device";
    case GB_EXIT_STRICT:
        return "strict";
    case GB_EXIT_INTERRUPTED:
    case GB_EXIT_TERMINATED:
    case GB_EXIT_HUNG_UP:
        return "interrupted";
    default:
        return "environment";
    }
}
