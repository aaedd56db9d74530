#include "cli/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

#define NS_PER_S 1000000000u
#define MOST_OPTIONS 64

typedef struct parser {
    const gb_option *const *tables;
    size_t n_tables;
    int argc, at;
    char *const *argv;
    gb_args *args;
    gb_error *err;
} parser;

static void *field(const parser *p, const gb_option *option)
{
    return (char *)p->args + option->offset;
}

static gb_code list_add(gb_list *list, const char *item, gb_error *err)
{
    const char **more = realloc(list->items, (list->n + 1) * sizeof *more);
    if (!more)
        return gb_fail(err, GB_NO_MEMORY, "out of memory for the arguments");
    list->items = more;
    list->items[list->n++] = item;
    return GB_OK;
}

static const gb_option *find(const parser *p, const char *name, size_t n, char letter)
{
    for (size_t t = 0; t < p->n_tables; t++) {
        for (const gb_option *o = p->tables[t]; o->name; o++) {
            if (letter ? o->letter == letter
                       : strlen(o->name) == n && strncmp(o->name, name, n) == 0)
                return o;
        }
    }
    return NULL;
}

static gb_code unknown(const parser *p, const char *given, size_t n)
{
    const char *names[MOST_OPTIONS];
    char word[64];
    size_t count = 0;
    for (size_t t = 0; t < p->n_tables; t++) {
        for (const gb_option *o = p->tables[t]; o->name && count < MOST_OPTIONS; o++)
            names[count++] = o->name;
    }
    while (n > 0 && *given == '-') {
        given++;
        n--;
    }
    snprintf(word, sizeof word, "%.*s", (int)n, given);
    const char *near = gb_text_nearest(word, names, count);
    const char *argument = p->argv[p->at];
    if (near)
        return gb_fail(p->err, GB_INVALID, "unknown option '%s' (did you mean '--%s'?)", argument,
                       near);
    return gb_fail(p->err, GB_INVALID, "unknown option '%s'", argument);
}

static gb_code set_word(const parser *p, const gb_option *o, const char *value)
{
    gb_buf valid = {0};
    size_t n = 0;
    for (; o->words[n]; n++) {
        if (strcmp(value, o->words[n]) == 0) {
            *(const char **)field(p, o) = o->words[n];
            gb_buf_free(&valid);
            return GB_OK;
        }
        gb_buf_printf(&valid, "%s%s", n ? ", " : "", o->words[n]);
    }
    const char *near = gb_text_nearest(value, o->words, n);
    gb_fail(p->err, GB_INVALID, "--%s: '%s' is not one of %s%s%s%s", o->name, value,
            valid.data ? valid.data : "", near ? " (did you mean '" : "", near ? near : "",
            near ? "'?)" : "");
    gb_buf_free(&valid);
    return GB_INVALID;
}

/* A number with a unit of its dimension; NULL: a kind of another sort. */
typedef gb_code parse_unit(const char *text, uint64_t *out, gb_error *err);
static parse_unit *parser_of(gb_option_kind kind)
{
    switch (kind) {
    case GB_OPT_BYTES:
        return gb_parse_bytes;
    case GB_OPT_BANDWIDTH:
        return gb_parse_bandwidth;
    case GB_OPT_DATA_RATE:
        return gb_parse_data_rate;
    case GB_OPT_CLOCK:
        return gb_parse_clock;
    case GB_OPT_PARAMETERS:
        return gb_parse_parameters;
    default:
        return NULL;
    }
}

static gb_code set_share(const parser *p, const gb_option *o, const char *value)
{
    gb_share *share = field(p, o);
    gb_error why = {0};
    gb_code code = gb_parse_share(value, &share->value, &why);
    share->given = !code;
    return code ? gb_fail(p->err, GB_INVALID, "--%s: %s", o->name, why.message) : GB_OK;
}

static gb_code set_number(const parser *p, const gb_option *o, const char *value)
{
    gb_number *number = field(p, o);
    gb_error why = {0};
    gb_code code;
    parse_unit *parse = parser_of(o->kind);
    if (parse) {
        code = parse(value, &number->value, &why);
    } else if (o->kind == GB_OPT_COUNT) {
        code = gb_parse_count(value, &number->value, &why);
        if (code || number->value < o->min || number->value > o->max)
            return gb_fail(p->err, GB_INVALID, "--%s: '%s' is not a whole number from %llu to %llu",
                           o->name, value, (unsigned long long)o->min, (unsigned long long)o->max);
    } else if (o->kind == GB_OPT_SECONDS && !gb_parse_count(value, &number->value, NULL)) {
        code = number->value > UINT64_MAX / NS_PER_S
                   ? gb_fail(&why, GB_INVALID, "'%s' seconds are too many", value)
                   : GB_OK;
        number->value *= NS_PER_S;
    } else {
        char low[32], high[32];
        code = gb_parse_duration(value, &number->value, &why);
        if (!code && o->max && (number->value < o->min || number->value > o->max))
            code = gb_fail(&why, GB_INVALID, "%s is out of range; allowed: %s to %s", value,
                           gb_write_duration(o->min, low), gb_write_duration(o->max, high));
    }
    number->given = !code;
    return code ? gb_fail(p->err, GB_INVALID, "--%s: %s", o->name, why.message) : GB_OK;
}

static gb_code set_value(const parser *p, const gb_option *o, const char *value)
{
    if (!value[0] && o->kind != GB_OPT_LIST)
        return gb_fail(p->err, GB_INVALID, "--%s: the value is empty", o->name);
    switch (o->kind) {
    case GB_OPT_TEXT:
        *(const char **)field(p, o) = value;
        return GB_OK;
    case GB_OPT_WORD:
        return set_word(p, o, value);
    case GB_OPT_LIST:
        return list_add(field(p, o), value, p->err);
    case GB_OPT_SHARE:
        return set_share(p, o, value);
    default:
        return set_number(p, o, value);
    }
}

/* The next argument as a value. One that looks like an option is not taken: whoever means it
 * writes --option=-value; a negative number is taken, to be refused with the range. */
static const char *next_value(parser *p)
{
    if (p->at + 1 >= p->argc)
        return NULL;
    const char *next = p->argv[p->at + 1];
    if (next[0] == '-' && next[1] && !(next[1] >= '0' && next[1] <= '9'))
        return NULL;
    p->at++;
    return next;
}

static gb_code parse_option(parser *p)
{
    const char *argument = p->argv[p->at];
    bool is_long = argument[1] == '-';
    const char *name = argument + (is_long ? 2 : 1);
    const char *equals = is_long ? strchr(name, '=') : NULL;
    size_t n = equals ? (size_t)(equals - name) : strlen(name);
    const gb_option *o = find(p, name, n, is_long ? '\0' : name[0]);
    if (!o)
        return unknown(p, argument, is_long ? n + 2 : n + 1);
    const char *value = equals ? equals + 1 : NULL;
    if (!is_long && name[1])
        value = name + 1;
    if (o->kind == GB_OPT_FLAG) {
        if (value)
            return gb_fail(p->err, GB_INVALID, "--%s takes no value, but '%s' gives one", o->name,
                           argument);
        *(bool *)field(p, o) = true;
        return GB_OK;
    }
    if (!value)
        value = next_value(p);
    if (!value)
        return gb_fail(p->err, GB_INVALID, "--%s needs a value: --%s %s", o->name, o->name,
                       o->argument);
    return set_value(p, o, value);
}

gb_code gb_options_parse(const gb_option *const tables[], size_t n_tables, int argc,
                         char *const argv[], const char *what, size_t min, size_t max,
                         gb_args *args, gb_error *err)
{
    *args = (gb_args){0};
    parser p = {tables, n_tables, argc, 0, argv, args, err};
    bool options = true;
    gb_code code = GB_OK;
    for (; !code && p.at < argc; p.at++) {
        const char *argument = argv[p.at];
        if (options && strcmp(argument, "--") == 0)
            options = false;
        else if (options && argument[0] == '-' && argument[1])
            code = parse_option(&p);
        else
            code = list_add(&args->words, argument, err);
    }
    if (code || args->help)
        return code;
    if (args->words.n < min)
        return gb_fail(err, GB_INVALID, "%s is missing", what);
    if (args->words.n > max)
        return gb_fail(err, GB_INVALID, "surplus argument '%s'", args->words.items[max]);
    return GB_OK;
}

void gb_args_free(gb_args *args)
{
    gb_list *lists[] = {&args->silence, &args->set,       &args->filter,
                        &args->tag,     &args->baseline,  &args->to,
                        &args->price,   &args->confirmed, &args->words};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        free(lists[i]->items);
    *args = (gb_args){0};
}

void gb_options_help(const gb_option table[], gb_buf *out)
{
    for (const gb_option *o = table; o->name; o++) {
        char left[64];
        char letter[8] = "    ";
        if (o->letter)
            snprintf(letter, sizeof letter, "-%c, ", o->letter);
        snprintf(left, sizeof left, "%s--%s%s%s", letter, o->name, o->argument ? " " : "",
                 o->argument ? o->argument : "");
        gb_buf_printf(out, "  %-26s %s\n", left, o->help);
    }
}
