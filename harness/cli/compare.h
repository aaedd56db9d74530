/* `gpubench compare` and what others need of it. */
#ifndef GB_CLI_COMPARE_H
#define GB_CLI_COMPARE_H

#include "cli/cli.h"
#include "reports/compare/compare.h"

/* Three run directories or more, or prices: machines side by side. Returns the exit status. */
int gb_cli_compare_matrix(gb_cli *cli);

/* Shows a comparison: its warnings on stderr, then the text, or one JSON document under --json;
 * writes the file that --markdown asks for, and compare.html, compare.json and compare.md into
 * `dir` (NULL: not). Returns the exit status of the comparison. */
int gb_cli_comparison_show(gb_cli *cli, const gb_comparison *comparison, const char *dir);
/* 0; 1 for a regression; 3 in gate mode for cases that are missing or failed in the new run; 5
 * under --require-decision or --strict where a case is not decided. */
int gb_cli_comparison_status(const gb_cli *cli, const gb_comparison *comparison);
/* The options of `compare` that a comparison needs, from the command line. GB_INVALID: a threshold
 * that is no percentage. */
gb_code gb_cli_compare_options(const gb_cli *cli, gb_compare_options *out, gb_error *err);

#endif
