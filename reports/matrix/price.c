/* What the command line says about machines and classes: prices and weights. */
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "reports/matrix/internal.h"

/* A word as a message shows it: printable, and not longer than a line. The caller frees. */
static char *shown(const char *word)
{
    char *safe = gb_text_printable(word);
    if (safe != NULL && strlen(safe) > 200) {
        safe[gb_utf8_cut(safe, 200)] = '\0';
    }
    return safe;
}

/* A path without "./" before it. */
static const char *plain(const char *path)
{
    while (path[0] == '.' && path[1] == '/') {
        path += 2;
    }
    return path;
}

/* Whether a word means the machine by its run's path, or by the path's last part. */
static bool means(const gb_matrix *m, const gb_machine *machine, const char *word)
{
    const char *path = plain(m->runs[machine->run].path);
    word = plain(word);
    size_t last, k = gb_matrix_path_length(word);
    const char *part = gb_matrix_last_part(path, &last);
    return gb_matrix_same_path(path, word) || (last == k && memcmp(part, word, k) == 0);
}

static void list_machines(const gb_matrix *m, const char *word, gb_buf *out)
{
    const char *separator = "";
    for (size_t i = 0; i < m->n_machines; i++) {
        if (word != NULL && !means(m, &m->machines[i], word)) {
            continue;
        }
        char *name = shown(m->machines[i].name);
        gb_buf_printf(out, "%s%s", separator, name != NULL ? name : "");
        separator = ", ";
        free(name);
    }
}

static gb_code no_machine(const gb_matrix *m, const char *word, gb_error *err)
{
    const char **names = calloc(m->n_machines + 1, sizeof names[0]);
    gb_buf list = {0};
    char *safe = shown(word);
    if (names == NULL || safe == NULL) {
        free(names);
        free(safe);
        return gb_fail(err, GB_NO_MEMORY, "out of memory for a message");
    }
    for (size_t i = 0; i < m->n_machines; i++) {
        names[i] = m->machines[i].name;
    }
    const char *near = strlen(word) < 200 ? gb_text_nearest(word, names, m->n_machines) : NULL;
    char *hint = near != NULL ? shown(near) : NULL;
    list_machines(m, NULL, &list);
    gb_code code =
        hint != NULL
            ? gb_fail(err, GB_INVALID, "no machine is called '%s' (did you mean '%s'?)", safe, hint)
            : gb_fail(err, GB_INVALID, "no machine is called '%s'; there are: %s", safe,
                      list.data != NULL ? list.data : "none");
    gb_buf_free(&list);
    free(hint);
    free(safe);
    free(names);
    return code;
}

gb_code gb_matrix_find(const gb_matrix *matrix, const char *word, size_t *index, gb_error *err)
{
    size_t found = 0;
    for (size_t i = 0; i < matrix->n_machines; i++) {
        if (strcmp(matrix->machines[i].name, word) == 0) {
            *index = i;
            return GB_OK;
        }
    }
    for (size_t i = 0; i < matrix->n_machines; i++) {
        if (word[0] != '\0' && means(matrix, &matrix->machines[i], word)) {
            *index = i;
            found++;
        }
    }
    if (found == 1) {
        return GB_OK;
    }
    if (found == 0) {
        return no_machine(matrix, word, err);
    }
    gb_buf list = {0};
    char *safe = shown(word);
    list_machines(matrix, word, &list);
    gb_code code = gb_fail(err, GB_INVALID, "'%s' may be any of: %s", safe != NULL ? safe : "",
                           list.data != NULL ? list.data : "");
    gb_buf_free(&list);
    free(safe);
    return code;
}

/* "2.10/h", "30000", "240000:8"; false: not of that form. */
static bool parse_price(const char *text, gb_price *out, gb_error *why)
{
    char number[64];
    uint64_t cards = 1;
    size_t n = strcspn(text, "/:");
    const char *rest = text + n;
    gb_fail(why, GB_INVALID,
            "a price is 2.10/h or 30000, with :N behind it when it is for N cards");
    *out = (gb_price){.kind = GB_PRICE_PURCHASE};
    if (n == 0 || n >= sizeof number) {
        return false;
    }
    memcpy(number, text, n);
    number[n] = '\0';
    if (strncmp(rest, "/h", 2) == 0) {
        out->kind = GB_PRICE_HOUR;
        rest += 2;
    }
    if (*rest == ':') {
        if (gb_parse_count(rest + 1, &cards, NULL) != GB_OK) {
            return false;
        }
        rest += strlen(rest);
    }
    if (*rest != '\0' || gb_parse_number(number, &out->amount, NULL) != GB_OK) {
        return false;
    }
    if (!(out->amount > 0)) {
        gb_fail(why, GB_INVALID, "a price is above 0");
        return false;
    }
    if (cards < 1 || cards > 100000) {
        gb_fail(why, GB_INVALID, "a price is for 1 to 100000 cards");
        return false;
    }
    out->cards = (uint32_t)cards;
    return true;
}

gb_code gb_matrix_price(gb_matrix *matrix, const char *text, gb_error *err)
{
    const char *equals = strrchr(text, '='); /* paths may have some, prices have none */
    gb_error why = {0};
    gb_price price;
    size_t index = 0;
    char *safe = shown(text);
    char *word = equals != NULL ? gb_text_format("%.*s", (int)(equals - text), text) : NULL;
    gb_code code = GB_OK;
    if (safe == NULL || (equals != NULL && word == NULL)) {
        code = gb_fail(err, GB_NO_MEMORY, "out of memory");
    } else if (word == NULL) {
        code = gb_fail(err, GB_INVALID, "price '%s': say which machine it is of, as in R1=2.10/h",
                       safe);
    } else if (!parse_price(equals + 1, &price, &why)) {
        code = gb_fail(err, GB_INVALID, "price '%s': %s", safe, why.message);
    } else if (gb_matrix_find(matrix, word, &index, &why) != GB_OK) {
        code = gb_fail(err, why.code, "price '%s': %s", safe, why.message);
    } else if (matrix->machines[index].price.kind != GB_PRICE_NONE) {
        code = gb_fail(err, GB_INVALID, "price '%s': that machine has a price already", safe);
    } else if (matrix->prices != GB_PRICE_NONE && matrix->prices != price.kind) {
        size_t other = 0;
        while (matrix->machines[other].price.kind == GB_PRICE_NONE) {
            other++;
        }
        code = gb_fail(err, GB_INVALID,
                       "'%s' is %s and the price of %s is %s: hourly and purchase prices cannot be "
                       "compared; give all of them alike",
                       safe, price.kind == GB_PRICE_HOUR ? "hourly" : "a purchase price",
                       matrix->machines[other].name,
                       price.kind == GB_PRICE_HOUR ? "a purchase price" : "hourly");
    } else {
        matrix->machines[index].price = price;
        matrix->prices = price.kind;
    }
    free(safe);
    free(word);
    return code;
}

gb_code gb_matrix_weigh(gb_matrix *matrix, const char *class_name, double weight, gb_error *err)
{
    gb_matrix_class *class = NULL;
    const char **names = calloc(matrix->n_classes + 1, sizeof names[0]);
    char *safe = shown(class_name);
    gb_code code = GB_OK;
    for (size_t i = 0; names != NULL && i < matrix->n_classes; i++) {
        names[i] = matrix->classes[i].name;
        class = strcmp(names[i], class_name) == 0 ? &matrix->classes[i] : class;
    }
    if (names == NULL || safe == NULL) {
        code = gb_fail(err, GB_NO_MEMORY, "out of memory");
    } else if (class == NULL) {
        const char *near =
            strlen(class_name) < 200 ? gb_text_nearest(class_name, names, matrix->n_classes) : NULL;
        gb_buf list = {0};
        for (size_t i = 0; i < matrix->n_classes; i++) {
            gb_buf_printf(&list, "%s%s", i > 0 ? ", " : "", names[i]);
        }
        code = near != NULL
                   ? gb_fail(err, GB_INVALID, "unknown class '%s' (did you mean '%s'?)", safe, near)
                   : gb_fail(err, GB_INVALID, "unknown class '%s'; there are: %s", safe,
                             list.data != NULL ? list.data : "none");
        gb_buf_free(&list);
    } else if (!isnan(class->weight)) {
        code = gb_fail(err, GB_INVALID, "class '%s' has a weight already", safe);
    } else if (!(weight > 0 && isfinite(weight))) {
        code =
            gb_fail(err, GB_INVALID,
                    "class '%s': a weight is above 0; leave a class out that does not count", safe);
    } else {
        class->weight = weight;
        matrix->weighted = true;
    }
    free(names);
    free(safe);
    return code;
}
