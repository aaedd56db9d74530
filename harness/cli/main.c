#include "cli/cli.h"

int main(int argc, char *argv[])
{
    return gb_cli_main(argc, argv);
}
