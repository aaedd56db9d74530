#include "suite/yaml_tabs.h"

#include <stdlib.h>
#include <string.h>

static bool blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

/* Length of the white space at `at`. */
static size_t blanks(const char *line, size_t length, size_t at)
{
    size_t n = 0;
    while (at + n < length && blank(line[at + n]))
        n++;
    return n;
}

static bool replace(char *text, size_t n)
{
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        any = any || text[i] == '\t';
        text[i] = ' ';
    }
    return any;
}

/* Replaces the separating tabs at the beginning of a line; whether there were any. */
static bool patch_line(char *line, size_t length)
{
    size_t lead = blanks(line, length, 0);
    if (lead == length || line[lead] == '#')
        return replace(line, lead);
    if (memchr(line, '\t', lead) != NULL)
        return false;
    bool any = false;
    size_t at = lead;
    while (at < length && strchr("-?:", line[at]) != NULL) {
        size_t n = blanks(line, length, at + 1);
        if (n == 0)
            break;
        any = replace(line + at + 1, n) || any;
        at += 1 + n;
    }
    return any;
}

char *gb_tabs_patch(const gb_source *source, bool *no_memory)
{
    if (source->n == 0 || memchr(source->bytes, '\t', source->n) == NULL)
        return NULL;
    char *copy = malloc(source->n);
    if (copy == NULL) {
        *no_memory = true;
        return NULL;
    }
    memcpy(copy, source->bytes, source->n);
    bool any = false;
    for (size_t i = 0; i < source->n_lines; i++)
        any = patch_line(copy + source->lines[i], gb_source_line_length(source, (int)i + 1)) || any;
    if (any)
        return copy;
    free(copy);
    return NULL;
}

int gb_tabs_indentation(const gb_source *source, int line)
{
    size_t length = gb_source_line_length(source, line);
    if (length == 0)
        return 0;
    const char *text = source->bytes + source->lines[line - 1];
    size_t lead = blanks(text, length, 0);
    const char *tab = memchr(text, '\t', lead);
    return tab != NULL && lead < length ? (int)(tab - text) + 1 : 0;
}

int gb_tabs_before(const gb_source *source, int line, int column)
{
    size_t begin = source->lines[line - 1];
    size_t at = gb_source_offset(source, line, column);
    int tab = 0;
    while (at > begin && blank(source->bytes[at - 1])) {
        at--;
        column--;
        if (source->bytes[at] == '\t')
            tab = column;
    }
    return tab;
}
