/* Which cases are points of a roofline, and what they are called there. */
#include <stdlib.h>
#include <string.h>

#include "reports/plot/roofline_panel.h"

bool gb_roof_panel_takes(const gb_roof_panel *p, const gb_row *row)
{
    return row->first->work.compute == p->compute && gb_row_flops(row) > 0 &&
           gb_row_intensity(row) > 0 && (row->flags & GB_BIT(GB_FLAG_EMULATED)) == 0 &&
           strcmp(row->first->kernel, "flops") != 0;
}

json_t *gb_roof_words(const gb_roof_panel *p)
{
    json_t *words = json_object();
    for (size_t i = 0; words != NULL && i < p->n_rows; i++) {
        const gb_row *row = &p->rows[i];
        const char *param;
        json_t *value;
        if (!gb_roof_panel_takes(p, row)) {
            continue;
        }
        json_object_foreach(row->first->params, param, value)
        {
            char *key = json_is_string(value)
                            ? gb_text_format("%s %s", row->first->benchmark, param)
                            : NULL;
            const json_t *first = key != NULL ? json_object_get(words, key) : NULL;
            if (key != NULL && first == NULL) {
                json_object_set(words, key, value);
            } else if (key != NULL && !json_equal(first, value)) {
                json_object_set_new(words, key, json_true());
            }
            free(key);
        }
    }
    return words;
}

static bool tells_apart(const json_t *words, const char *benchmark, const char *param)
{
    char *key = gb_text_format("%s %s", benchmark, param);
    bool apart = key != NULL && json_is_true(json_object_get(words, key));
    free(key);
    return apart;
}

char *gb_roof_group(const json_t *words, const gb_row *row)
{
    gb_buf text = {0};
    const char *param;
    json_t *value;
    size_t n = 0;
    gb_buf_add(&text, row->first->benchmark);
    json_object_foreach(row->first->params, param, value)
    {
        if (json_is_string(value) && tells_apart(words, row->first->benchmark, param)) {
            gb_buf_printf(&text, "%s%s", n++ == 0 ? ": " : ", ", json_string_value(value));
        }
    }
    if (text.failed) {
        gb_buf_free(&text);
    }
    return text.data;
}
