/* Taking the records out of a results.json one by one. A tree of 20,000 records costs twice the
 * time that parsing each by itself and dropping it at once does: memory that is used again stays in
 * the cache. jansson parses everything; only the way to the array is found here. */
#include <string.h>

#include "base/c_locale.h"
#include "record/internal.h"

static size_t skip_space(const char *text, size_t n, size_t at)
{
    while (at < n && strchr(" \t\r\n", text[at]) && text[at]) {
        at++;
    }
    return at;
}

/* Past the string that begins at `at`; n when it does not end. */
static size_t skip_string(const char *text, size_t n, size_t at)
{
    for (at++; at < n && text[at] != '"'; at++) {
        at += text[at] == '\\';
    }
    return at < n ? at + 1 : n;
}

size_t gb_split_find(const char *text, size_t n)
{
    static const char key[] = "\"records\"";
    int depth = 0;
    for (size_t at = 0; at < n;) {
        if (text[at] == '"') {
            size_t end = skip_string(text, n, at);
            bool match = depth == 1 && end - at == sizeof key - 1 &&
                         memcmp(text + at, key, sizeof key - 1) == 0;
            at = end;
            if (!match) {
                continue;
            }
            size_t colon = skip_space(text, n, at);
            size_t open = colon < n && text[colon] == ':' ? skip_space(text, n, colon + 1) : n;
            if (open < n && text[open] == '[') {
                return open + 1;
            }
            continue;
        }
        depth += text[at] == '{' || text[at] == '[';
        depth -= text[at] == '}' || text[at] == ']';
        at++;
    }
    return 0;
}

json_t *gb_split_next(const char *text, size_t n, size_t *at, bool first)
{
    json_error_t why;
    gb_c_locale scope;
    size_t from = skip_space(text, n, *at);
    if (!first && from < n && text[from] == ',') {
        from++;
    } else if (!first || (from < n && text[from] == ']')) {
        *at = from;
        return NULL;
    }
    gb_c_locale_enter(&scope);
    json_t *json =
        json_loadb(text + from, n - from, JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK, &why);
    gb_c_locale_leave(&scope);
    *at = json ? from + (size_t)why.position : n;
    return json;
}
