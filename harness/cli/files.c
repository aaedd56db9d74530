/* What the verbs write besides run directories. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "reports/page/html.h"

gb_code gb_cli_make_directory(const char *path, gb_error *err)
{
    gb_code code = GB_OK;
    char *part = gb_text_copy(path);
    if (!part)
        return gb_fail(err, GB_NO_MEMORY, "out of memory");
    if (!path[0])
        code = gb_fail(err, GB_IO, "the name of the directory is empty");
    for (char *at = part; !code && *at;) {
        struct stat facts;
        char *slash = strchr(at + 1, '/');
        if (slash)
            *slash = '\0';
        /* Looked for first: on a read-only disk mkdir fails also for what is there. */
        int why = 0;
        if (stat(part, &facts) == 0)
            why = S_ISDIR(facts.st_mode) ? 0 : ENOTDIR;
        else if (mkdir(part, 0777))
            why = errno;
        if (why)
            code = gb_fail_at(err, GB_IO, part, 0, 0, "cannot be made: %s", strerror(why));
        if (!slash)
            break;
        *slash = '/';
        at = slash;
    }
    free(part);
    return code;
}

gb_code gb_cli_write_json(const char *path, json_t *json, gb_error *err)
{
    gb_buf text = {0};
    char *dump = json ? json_dumps(json, JSON_INDENT(1) | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(json);
    gb_buf_printf(&text, "%s\n", dump ? dump : "");
    gb_code code = dump && !text.failed ? gb_page_write(path, &text, err)
                                        : gb_fail(err, GB_NO_MEMORY, "out of memory");
    free(dump);
    gb_buf_free(&text);
    return code;
}

gb_code gb_cli_write_text(const char *dir, const char *name, const gb_buf *text, gb_error *err)
{
    char *path = gb_text_format("%s/%s", dir, name);
    gb_code code =
        path ? gb_page_write(path, text, err) : gb_fail(err, GB_NO_MEMORY, "out of memory");
    free(path);
    return code;
}
