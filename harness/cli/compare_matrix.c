#include "cli/compare.h"

int gb_cli_compare_matrix(gb_cli *cli)
{
    gb_error err;
    gb_fail(&err, GB_INVALID,
            "compare needs one baseline and one new run; give further earlier runs by --baseline");
    return gb_cli_fail(cli, GB_EXIT_USAGE, &err);
}
