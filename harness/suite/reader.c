#include "suite/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"

/* No number with a unit is longer; longer texts are not looked at. */
#define LONGEST_NUMBER 100
/* Characters of a word times number of candidates up to which a near one is searched. */
#define MOST_TO_SEARCH 20000
/* So many valid words are listed even where one of them is near. */
#define FEW_WORDS 6

const char *gb_quote(const char *text, char buf[GB_QUOTE_SIZE])
{
    /* Cut first: printing a text of a megabyte only to cut it would be slow. */
    char head[GB_QUOTE_SIZE];
    size_t n = strnlen(text, sizeof head - 1);
    memcpy(head, text, n);
    head[n] = '\0';
    bool cut = text[n] != '\0';
    if (cut)
        head[gb_utf8_cut(head, n - 1)] = '\0';
    char *shown = gb_text_printable(head);
    size_t length = shown != NULL ? strlen(shown) : 0;
    size_t kept = shown != NULL ? gb_utf8_cut(shown, GB_QUOTE_SIZE - 8) : 0;
    snprintf(buf, GB_QUOTE_SIZE, "%.*s%s", (int)kept, shown != NULL ? shown : "",
             cut || kept < length ? "..." : "");
    free(shown);
    return buf;
}

void gb_read_error(gb_reader *reader, const gb_node *at, const char *format, ...)
{
    reader->problems++;
    if (at->type == GB_NODE_BAD)
        return;
    va_list args;
    va_start(args, format);
    gb_diagnostics_vadd(reader->diagnostics, at->line, at->column, format, args);
    va_end(args);
}

void *gb_read_alloc(gb_reader *reader, size_t n, size_t size)
{
    void *memory = calloc(n > 0 ? n : 1, size);
    if (memory == NULL)
        reader->diagnostics->failed = true;
    return memory;
}

static const char *type_word(const gb_node *node)
{
    switch (node->type) {
    case GB_NODE_LIST:
        return "list";
    case GB_NODE_MAP:
        return "mapping";
    default:
        break;
    }
    if (node->type == GB_NODE_BAD || node->null)
        return "nothing";
    if (node->quoted)
        return "text";
    double number;
    if (node->length < LONGEST_NUMBER && gb_parse_number(node->text, &number, NULL) == GB_OK)
        return "number";
    return "text";
}

bool gb_read_unexpected(gb_reader *reader, const gb_node *node, const char *label, const char *what)
{
    gb_read_error(reader, node, "%s: expected %s, got %s", label, what, type_word(node));
    return false;
}

/* In a word of three letters another letter makes another word: gpu is no misspelt cpu. A swap, or
 * a letter too many or too few, may still be a slip. */
static bool far_all_the_same(const char *word, const char *near)
{
    int counts[256] = {0};
    size_t n = strlen(word);
    if (n > 3 || strlen(near) != n || gb_text_equal_nocase(word, near))
        return false;
    for (size_t i = 0; i < n; i++) {
        counts[(unsigned char)word[i]]++;
        counts[(unsigned char)near[i]]--;
    }
    for (size_t i = 0; i < 256; i++)
        if (counts[i] != 0)
            return true;
    return false;
}

void gb_read_unknown(gb_reader *reader, const gb_node *at, const char *what, const char *word,
                     const char *const words[], size_t n)
{
    char quoted[GB_QUOTE_SIZE];
    gb_quote(word, quoted);
    /* Not for the thousandth error, which nobody will see, and not among too much. */
    bool search = strnlen(word, MOST_TO_SEARCH) * n < MOST_TO_SEARCH &&
                  reader->diagnostics->n < GB_DIAGNOSTICS_SHOWN;
    const char *near = search ? gb_text_nearest(word, words, n) : NULL;
    if (near != NULL && far_all_the_same(word, near))
        near = NULL;
    if (near != NULL && n > FEW_WORDS) {
        gb_read_error(reader, at, "unknown %s '%s' (did you mean '%s'?)", what, quoted, near);
        return;
    }
    gb_buf list = {0};
    for (size_t i = 0; i < n && i < 40; i++)
        gb_buf_printf(&list, "%s%s", i > 0 ? ", " : "", words[i]);
    if (n > 40)
        gb_buf_printf(&list, " and %zu more", n - 40);
    if (list.failed)
        reader->diagnostics->failed = true;
    else if (near != NULL)
        gb_read_error(reader, at, "unknown %s '%s' (did you mean '%s'? valid: %s)", what, quoted,
                      near, list.data);
    else
        gb_read_error(reader, at, "unknown %s '%s' (valid: %s)", what, quoted,
                      n > 0 ? list.data : "none");
    gb_buf_free(&list);
}

bool gb_read_map(gb_reader *reader, const gb_node *node, const char *label,
                 const char *const keys[], size_t n)
{
    if (node->type != GB_NODE_MAP)
        return gb_read_unexpected(reader, node, label, "a mapping");
    for (size_t i = 0; i < node->n; i++) {
        const gb_node *key = node->items[2 * i];
        size_t k = 0;
        while (k < n && strcmp(keys[k], key->text) != 0)
            k++;
        if (k == n)
            gb_read_unknown(reader, key, "key", key->text, keys, n);
    }
    return true;
}

gb_node *gb_read_required(gb_reader *reader, const gb_node *map, const char *label, const char *key)
{
    gb_node *value = gb_node_get(map, key);
    bool misspelt = false; /* told as an unknown key */
    for (size_t i = 0; value == NULL && map->type == GB_NODE_MAP && i < map->n; i++)
        misspelt = misspelt || gb_text_nearest(map->items[2 * i]->text, &key, 1) != NULL;
    if (value == NULL && !map->incomplete && !misspelt)
        gb_read_error(reader, map, "%s: the key '%s' is missing", label, key);
    return value;
}

bool gb_read_items(gb_reader *reader, gb_node *const *node, const char *label, const char *what,
                   gb_node *const **items, size_t *n)
{
    const gb_node *list = *node;
    if (list->type == GB_NODE_SCALAR && !list->null) {
        *items = node;
        *n = 1;
        return true;
    }
    if (list->type != GB_NODE_LIST)
        return gb_read_unexpected(reader, list, label, what);
    if (list->n == 0) {
        gb_read_error(reader, list, "%s: the list is empty; expected %s", label, what);
        return false;
    }
    *items = list->items;
    *n = list->n;
    return true;
}

bool gb_read_text(gb_reader *reader, const gb_node *node, const char *label, size_t most,
                  char **out)
{
    if (node->type != GB_NODE_SCALAR)
        return gb_read_unexpected(reader, node, label, "text");
    if (node->length == 0) {
        gb_read_error(reader, node, "%s: expected text, got %s", label,
                      node->quoted ? "empty text" : "nothing");
        return false;
    }
    size_t characters = 0;
    for (size_t i = 0; i < node->length && characters <= most; characters++) {
        uint32_t point;
        i += gb_utf8_decode(node->text + i, &point);
        if (gb_utf8_unsafe(point)) {
            gb_read_error(reader, node,
                          "%s: the text contains the control or direction character U+%04X", label,
                          (unsigned)point);
            return false;
        }
    }
    if (characters > most) {
        gb_read_error(reader, node, "%s: the text is longer than %zu characters", label, most);
        return false;
    }
    *out = gb_text_copy(node->text);
    if (*out == NULL)
        reader->diagnostics->failed = true;
    return *out != NULL;
}

bool gb_read_word(gb_reader *reader, const gb_node *node, const char *label, const char *what,
                  const char *const words[], size_t n, size_t *index)
{
    if (node->type != GB_NODE_SCALAR)
        return gb_read_unexpected(reader, node, label, "a word");
    for (size_t i = 0; i < n; i++) {
        if (strcmp(words[i], node->text) == 0) {
            *index = i;
            return true;
        }
    }
    if (node->null)
        return gb_read_unexpected(reader, node, label, "a word");
    gb_read_unknown(reader, node, what, node->text, words, n);
    return false;
}

void gb_cut_advice(char *message)
{
    char *last = NULL;
    for (char *at = strstr(message, ": write "); at != NULL; at = strstr(at + 1, ": write "))
        last = at;
    if (last != NULL)
        *last = '\0';
}

/* A scalar short enough to be a number; `plain`: one that must not be quoted. */
static bool number_text(gb_reader *reader, const gb_node *node, const char *label, const char *what,
                        bool plain)
{
    char quoted[GB_QUOTE_SIZE];
    if (node->type != GB_NODE_SCALAR || node->null)
        return gb_read_unexpected(reader, node, label, what);
    if (node->length >= LONGEST_NUMBER) {
        gb_read_error(reader, node, "%s: '%s' is too long for %s", label,
                      gb_quote(node->text, quoted), what);
        return false;
    }
    if (plain && node->quoted) {
        gb_read_error(reader, node, "%s: '%s' is quoted text; expected %s, without quotes", label,
                      gb_quote(node->text, quoted), what);
        return false;
    }
    return true;
}

bool gb_read_count(gb_reader *reader, const gb_node *node, const char *label, uint32_t min,
                   uint32_t max, uint32_t *out)
{
    gb_error error;
    uint64_t value;
    if (!number_text(reader, node, label, "a whole number", true))
        return false;
    if (gb_parse_count(node->text, &value, &error) != GB_OK) {
        gb_cut_advice(error.message);
        gb_read_error(reader, node, "%s: %s; allowed: %" PRIu32 " to %" PRIu32, label,
                      error.message, min, max);
        return false;
    }
    if (value < min || value > max) {
        gb_read_error(reader, node,
                      "%s: %" PRIu64 " is out of range; allowed: %" PRIu32 " to %" PRIu32, label,
                      value, min, max);
        return false;
    }
    *out = (uint32_t)value;
    return true;
}

bool gb_read_duration(gb_reader *reader, const gb_node *node, const char *label, uint64_t min_ns,
                      uint64_t max_ns, uint64_t *out)
{
    gb_error error;
    char low[32];
    char high[32];
    if (!number_text(reader, node, label, "a duration such as 100ms", false))
        return false;
    if (gb_parse_duration(node->text, out, &error) != GB_OK) {
        gb_read_error(reader, node, "%s: %s", label, error.message);
        return false;
    }
    if (*out >= min_ns && *out <= max_ns)
        return true;
    gb_read_error(reader, node, "%s: %s is out of range; allowed: %s to %s", label, node->text,
                  gb_write_duration(min_ns, low), gb_write_duration(max_ns, high));
    return false;
}

bool gb_read_percent(gb_reader *reader, const gb_node *node, const char *label, double min,
                     double max, const char *range, double *fraction)
{
    gb_error error;
    if (!number_text(reader, node, label, "a percentage such as 3%", false))
        return false;
    if (gb_parse_percent(node->text, fraction, &error) != GB_OK) {
        gb_read_error(reader, node, "%s: %s", label, error.message);
        return false;
    }
    if (*fraction >= min && *fraction <= max)
        return true;
    gb_read_error(reader, node, "%s: %s is out of range; allowed: %s", label, node->text, range);
    return false;
}

bool gb_read_real(gb_reader *reader, const gb_node *node, const char *label, double *out)
{
    gb_error error;
    if (!number_text(reader, node, label, "a number", true))
        return false;
    if (gb_parse_number(node->text, out, &error) == GB_OK)
        return true;
    gb_read_error(reader, node, "%s: %s", label, error.message);
    return false;
}
