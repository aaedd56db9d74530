#include "cli/noise.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/units.h"
#include "cli/head.h"

/* The file's path, its folder made when `make`; NULL when there is no place. The caller frees. */
static char *place(const json_t *info, bool make)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const char *uuid = json_string_value(json_object_get(info, "uuid"));
    char name[128];
    char *base = NULL, *path = NULL;
    if (!uuid)
        return NULL;
    if (cache && cache[0] == '/')
        base = gb_text_copy(cache);
    else if (home && home[0] == '/')
        base = gb_text_format("%s/.cache", home);
    gb_text_filename(uuid, name, sizeof name);
    char *folder = base ? gb_text_format("%s/gpubench", base) : NULL;
    if (folder) {
        if (make) { /* what cannot be made shows when the file is written */
            (void)!mkdir(base, 0700);
            (void)!mkdir(folder, 0777);
        }
        path = gb_text_format("%s/selftest-%s.json", folder, name);
    }
    free(base);
    free(folder);
    return path;
}

void gb_noise_remember(const json_t *info, const json_t *result)
{
    char now[32];
    const json_t *floor = json_object_get(result, "noise_floor");
    bool good = json_is_true(json_object_get(result, "ok")) && json_is_number(floor);
    char *path = good ? place(info, true) : NULL;
    gb_utc_now(now);
    json_t *json =
        path ? json_pack("{s:f, s:s}", "noise_floor", json_number_value(floor), "measured", now)
             : NULL;
    if (json)
        json_dump_file(json, path, JSON_INDENT(1));
    json_decref(json);
    free(path);
}

void gb_noise_warning(const char *name, const json_t *result, gb_buf *text)
{
    char percent[32];
    const double floor = json_number_value(json_object_get(result, "noise_floor"));
    if (!json_is_true(json_object_get(result, "ok")) || !(floor > GB_NOISE_HIGH))
        return;
    gb_buf_printf(text,
                  "the noise floor of %s is %s: later runs here can tell no difference below a "
                  "factor of %.2f from nothing, their findings leave such differences out, and a "
                  "comparison of two sessions calls them the same; when nothing else uses the "
                  "machine, run gpubench selftest again\n",
                  name, gb_format_percent(floor, percent, sizeof percent), 1 + floor);
}

json_t *gb_noise_recall(const json_t *info)
{
    json_error_t why;
    char *path = place(info, false);
    json_t *json = path ? json_load_file(path, 0, &why) : NULL;
    free(path);
    if (json && !json_is_number(json_object_get(json, "noise_floor"))) {
        json_decref(json);
        json = NULL;
    }
    return json;
}
