/* What a verb compared, in all its forms: text, JSON, Markdown, a page. */
#ifndef GB_CLI_FORMS_H
#define GB_CLI_FORMS_H

#include "cli/cli.h"

typedef struct gb_forms {
    const void *what;       /* what the functions below get */
    const char *name;       /* of its files: NAME.html, NAME.md, NAME.json */
    const json_t *warnings; /* array of {"code", "text"}; borrowed */
    gb_code (*text)(const gb_cli *cli, const void *what, gb_buf *out, gb_error *err);
    gb_code (*json)(const void *what, json_t **out, gb_error *err);
    gb_code (*markdown)(const void *what, gb_buf *out, gb_error *err);
    gb_code (*page)(const void *what, const char *dir, gb_buf *notes, gb_error *err);
} gb_forms;

/* Its warnings on stderr, then the text, or one JSON document under --json; the file that
 * --markdown asks for, and NAME.html, NAME.json and NAME.md in `dir` (NULL: not). Returns
 * GB_EXIT_OK, or the status after having printed why. */
int gb_cli_show(gb_cli *cli, const gb_forms *forms, const char *dir);

#endif
