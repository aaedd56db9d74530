/* A matrix as a page: what somebody decides by on the first screen, what it rests on below. */
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "reports/matrix/internal.h"
#include "reports/page/html.h"
#include "reports/plot/pictures.h"

static gb_code no_memory(gb_error *err)
{
    return gb_fail(err, GB_NO_MEMORY, "out of memory for a page");
}

/* A table with a first column of words, with `lead` one for who leads, and one a machine. */
static gb_code open_table(const gb_matrix *m, const char *caption, const char *first, bool lead,
                          bool number, gb_buf *out, gb_error *err)
{
    gb_html_column *columns = calloc(m->n_machines + 2, sizeof columns[0]);
    char **labels = calloc(m->n_machines + 1, sizeof labels[0]);
    bool good = columns != NULL && labels != NULL;
    size_t n = 0;
    if (good) {
        columns[n++] = (gb_html_column){first, false};
    }
    if (good && lead) {
        columns[n++] = (gb_html_column){"who leads", false};
    }
    for (size_t i = 0; good && i < m->n_machines; i++) {
        labels[i] = gb_machine_label(&m->machines[i]);
        columns[n++] = (gb_html_column){labels[i], number};
        good = labels[i] != NULL;
    }
    if (good) {
        gb_html_table(out, caption, columns, n);
    }
    for (size_t i = 0; labels != NULL && i < m->n_machines; i++) {
        free(labels[i]);
    }
    free(labels);
    free(columns);
    return good ? GB_OK : no_memory(err);
}

/* "40.0 GB/s +-0.23 % #2 (2/3)" as a cell that may be broken, but not within a figure: before the
 * interval, the rank and what is in brackets. */
static void breakable(const char *text, gb_buf *out)
{
    gb_buf_add(out, "");
    for (const char *at = text; *at != '\0'; at++) {
        if (strncmp(at, "+-", 2) == 0) {
            gb_buf_add(out, "\xc2\xb1");
            at++;
        } else if (*at == ' ' && at[1] == ' ') {
            continue; /* the columns of a text */
        } else if (*at == ' ' && strncmp(at + 1, "+-", 2) != 0 && at[1] != '#' && at[1] != '(') {
            gb_buf_add(out, "\xc2\xa0");
        } else {
            gb_buf_add_bytes(out, at, 1);
        }
    }
}

static void add_figure(const gb_matrix_line *line, size_t machine, gb_buf *out)
{
    gb_buf text = {0};
    breakable(line->cells[machine], &text);
    gb_html_cell(out, text.data != NULL ? text.data : "", line->sorts[machine],
                 line->best[machine] ? "num wrap ok" : "num wrap");
    out->failed = out->failed || text.failed;
    gb_buf_free(&text);
}

/* The lines of a sheet from one kind to another. */
static gb_code add_lines(const gb_matrix *m, const gb_matrix_lines *sheet, const char *caption,
                         gb_matrix_line_kind from, gb_matrix_line_kind to, gb_buf *out,
                         gb_error *err)
{
    size_t n = 0;
    bool lead = false;
    for (size_t i = 0; i < sheet->n; i++) {
        bool in = sheet->lines[i].kind >= from && sheet->lines[i].kind <= to;
        n += in;
        lead = lead || (in && sheet->lines[i].lead != NULL);
    }
    gb_code code = n > 0 ? open_table(m, caption, "what", lead, true, out, err) : GB_OK;
    for (size_t i = 0; code == GB_OK && i < sheet->n; i++) {
        const gb_matrix_line *line = &sheet->lines[i];
        if (line->kind < from || line->kind > to) {
            continue;
        }
        gb_html_row(out);
        gb_html_cell(out, line->title, (double)NAN, "wrap");
        if (lead) {
            gb_html_cell(out, line->lead != NULL ? line->lead : "", (double)NAN, "wrap ok");
        }
        for (size_t k = 0; k < m->n_machines; k++) {
            add_figure(line, k, out);
        }
        gb_html_row_end(out);
    }
    if (code == GB_OK && n > 0) {
        gb_html_table_end(out);
    }
    return code;
}

static void add_list(const gb_notes *notes, gb_buf *out)
{
    if (notes->n == 0) {
        return;
    }
    gb_html_list(out);
    for (size_t i = 0; i < notes->n; i++) {
        gb_html_item(out, notes->items[i]);
    }
    gb_html_list_end(out);
    out->failed = out->failed || notes->failed;
}

/* The first screen. */
static gb_code add_answer(const gb_matrix *m, const gb_matrix_lines *sheet, gb_buf *out,
                          gb_error *err)
{
    gb_buf text = {0};
    gb_notes doubts = {0};
    size_t i, gaps = 0;
    const json_t *warning;
    gb_html_section(out, "In short");
    gb_matrix_summary(m, &text);
    gb_html_paragraph(out, "lead", text.data != NULL ? text.data : "");
    out->failed = out->failed || text.failed;
    gb_buf_free(&text);
    gb_code code = add_lines(m, sheet,
                             "Geometric mean over the cases that all have, \xc2\xb1 95 % between "
                             "replicates; # rank, = shared; "
                             "(2/3): so many cases count; (higher), (lower): which is better",
                             GB_LINE_VALUE, GB_LINE_VALUE, out, err);
    if (code == GB_OK && m->prices != GB_PRICE_NONE) {
        code = add_lines(m, sheet, "What it gives for its price: performance of rates, 1 / time",
                         GB_LINE_PRICE, GB_LINE_PER_PRICE, out, err);
    }
    if (code == GB_OK && m->weighted) {
        gb_matrix_weights(m, &text);
        code = add_lines(m, sheet, text.data != NULL ? text.data : "", GB_LINE_SCORE, GB_LINE_SCORE,
                         out, err);
        gb_buf_free(&text);
    }
    gb_matrix_doubts(m, &doubts);
    for (i = 0; i < doubts.n; i++) {
        gb_html_paragraph(out, "banner", doubts.items[i]);
    }
    json_array_foreach(m->warnings, i, warning)
    {
        gb_html_paragraph(out, "warn", json_string_value(json_object_get(warning, "text")));
    }
    for (i = 0; i < m->n_classes; i++) {
        for (size_t k = 0; k < m->n_machines; k++) {
            gaps += m->classes[i].cells[k].gap != NULL;
        }
    }
    if (gaps > 0) {
        gb_buf_printf(&text, "%zu figure%s missing: \"Left out\" says why.", gaps,
                      gaps == 1 ? " is" : "s are");
        gb_html_paragraph(out, "warn", text.data);
        gb_buf_free(&text);
    }
    out->failed = out->failed || doubts.failed;
    gb_notes_free(&doubts);
    gb_html_section_end(out);
    return code;
}

static gb_code add_details(const gb_matrix *m, const gb_matrix_lines *sheet, gb_buf *out,
                           gb_error *err)
{
    gb_notes leaders = {0}, left = {0};
    for (size_t i = 0; i < m->n_classes; i++) {
        gb_matrix_leaders(m, &m->classes[i], &leaders);
    }
    gb_html_section(out, "Who leads, and by how much");
    add_list(&leaders, out);
    gb_html_paragraph(out, "dim", gb_matrix_rule);
    gb_html_section_end(out);
    gb_html_section(out, "Power, memory, device");
    gb_code code = add_lines(m, sheet, "Power as it was read during the cases that count",
                             GB_LINE_PER_WATT, GB_LINE_PER_WATT, out, err);
    if (code == GB_OK) {
        code = add_lines(m, sheet, "What the device is", GB_LINE_FACT, GB_LINE_FACT, out, err);
    }
    gb_html_section_end(out);
    gb_matrix_left_out(m, &left);
    if (left.n > 0) {
        gb_html_section(out, "Left out");
        gb_html_paragraph(
            out, NULL,
            "Only cases count that are ok, and defined alike, on every machine of the "
            "same kind of device that has an ok case of the class at all.");
        add_list(&left, out);
        gb_html_section_end(out);
    }
    gb_notes_free(&leaders);
    gb_notes_free(&left);
    return code;
}

static void add_case(const gb_matrix *m, const gb_matrix_class *class, const gb_class_case *c,
                     gb_buf *out)
{
    gb_buf title = {0};
    gb_buf_printf(&title, "%s: %s", c->case_id, c->metric);
    char *safe = gb_text_printable(title.data != NULL ? title.data : "");
    gb_html_row(out);
    gb_html_cell(out, safe != NULL ? safe : "", (double)NAN, "text");
    for (size_t i = 0; i < m->n_machines; i++) {
        const gb_point *p = &c->points[i];
        char value[64];
        gb_buf cell = {0};
        if (p->ok) {
            gb_buf_add(&cell, gb_matrix_value(class, p->value, value, sizeof value));
            gb_buf_add(&cell, p->common ? "" : " (left out)");
        } else {
            gb_buf_add(&cell, p->declared && p->why != NULL ? p->why : "-");
        }
        gb_html_cell(out, cell.data != NULL ? cell.data : "", p->value,
                     p->common ? "num"
                     : p->ok   ? "num dim"
                               : "dim text");
        out->failed = out->failed || cell.failed;
        gb_buf_free(&cell);
    }
    gb_html_row_end(out);
    out->failed = out->failed || title.failed || safe == NULL;
    gb_buf_free(&title);
    free(safe);
}

static gb_code add_cases(const gb_matrix *m, gb_buf *out, gb_error *err)
{
    gb_code code = GB_OK;
    gb_html_section(out, "Cases of each class");
    for (size_t i = 0; code == GB_OK && i < m->n_classes; i++) {
        const gb_matrix_class *class = &m->classes[i];
        gb_buf title = {0};
        gb_buf_printf(&title, "%s: %s (%zu cases)", class->name, class->title, class->n_cases);
        gb_html_details(out, title.data != NULL ? title.data : "");
        code = open_table(m, gb_matrix_better(class), "case and metric", false, true, out, err);
        for (size_t k = 0; code == GB_OK && k < class->n_cases; k++) {
            add_case(m, class, &class->cases[k], out);
        }
        if (code == GB_OK) {
            gb_html_table_end(out);
        }
        gb_html_details_end(out);
        out->failed = out->failed || title.failed;
        gb_buf_free(&title);
    }
    gb_html_section_end(out);
    return code;
}

static gb_code add_method(const gb_matrix *m, gb_buf *out, gb_error *err)
{
    gb_html_section(out, "How it was measured");
    gb_html_paragraph(out, NULL,
                      "Each machine was measured by itself, in fresh processes (replicates). The "
                      "interval of a figure comes from how far its replicates differ within that "
                      "one session; sessions differ by more. gpubench changes no clocks and no "
                      "settings. What differs between the machines is marked.");
    gb_code code = open_table(m, "Surroundings", "what", false, false, out, err);
    for (const gb_fact *fact = gb_matrix_facts; code == GB_OK && fact->title != NULL; fact++) {
        char *first = gb_machine_fact(&m->machines[0], fact);
        bool differs = false, any = false;
        for (size_t i = 0; first != NULL && i < m->n_machines; i++) {
            char *other = gb_machine_fact(&m->machines[i], fact);
            any = any || (other != NULL && other[0] != '\0');
            differs = differs || other == NULL || strcmp(first, other) != 0;
            free(other);
        }
        if (any) {
            gb_html_row(out);
            gb_html_cell(out, fact->title, (double)NAN, NULL);
        }
        for (size_t i = 0; any && i < m->n_machines; i++) {
            char *text = gb_machine_fact(&m->machines[i], fact);
            bool hash = strcmp(fact->path[1], "sha256") == 0;
            if (text != NULL && hash && strlen(text) > 12) {
                text[12] = '\0'; /* enough to see that it is another */
            }
            gb_html_cell(out, text != NULL && text[0] != '\0' ? text : "unknown", (double)NAN,
                         differs && !fact->own ? "warn" : NULL);
            out->failed = out->failed || text == NULL;
            free(text);
        }
        if (any) {
            gb_html_row_end(out);
        }
        out->failed = out->failed || first == NULL;
        free(first);
    }
    if (code == GB_OK) {
        gb_html_table_end(out);
    }
    gb_html_section_end(out);
    return code;
}

/* ---- pictures ---- */

static gb_code write_pictures(const gb_matrix *m, gb_pictures *pictures, gb_error *err)
{
    gb_code code = GB_OK;
    for (size_t i = 0; code == GB_OK && i < m->n_classes; i++) {
        char name[128], file[160];
        gb_buf script = {0}, data = {0};
        size_t shown = 0;
        gb_text_filename(m->classes[i].name, name, sizeof name);
        snprintf(file, sizeof file, "class-%s", name);
        code = gb_matrix_picture(m, &m->classes[i], file, &script, &data, &shown, err);
        if (code == GB_OK && shown > 0) {
            code = gb_pictures_add(pictures, file, m->classes[i].title, m->classes[i].name, NULL,
                                   &script, &data, err);
        }
        if (code == GB_OK && shown > 0) {
            gb_buf what = {0};
            gb_matrix_picture_describe(m, &m->classes[i], &what);
            pictures->items[pictures->n - 1].what = what.data;
        }
        gb_buf_free(&script);
        gb_buf_free(&data);
    }
    return code;
}

/* Draws the plots and adds them; without gnuplot the page has none, and *notes says so. */
static gb_code add_pictures(const gb_matrix *m, const char *dir, const char *gnuplot, gb_buf *notes,
                            gb_buf *out, gb_error *err)
{
    gb_pictures pictures = {0};
    gb_code code = gb_pictures_open(dir, &pictures, err);
    if (code == GB_OK) {
        code = write_pictures(m, &pictures, err);
    }
    if (code == GB_OK && pictures.n > 0) {
        gb_pictures_draw(&pictures, gnuplot, notes);
        gb_html_section(out, "Pictures");
        for (size_t i = 0; code == GB_OK && i < pictures.n; i++) {
            const gb_drawn *drawn = &pictures.items[i];
            if (drawn->whole) {
                code = gb_html_picture(out, dir, drawn->name, drawn->title,
                                       drawn->what != NULL ? drawn->what : "", "", err);
            }
        }
        gb_html_section_end(out);
    }
    gb_pictures_free(&pictures);
    return code;
}

static char *subtitle_of(const gb_matrix *m)
{
    const char *suite = json_string_value(
        json_object_get(json_object_get(m->machines[0].results->document, "suite"), "name"));
    char *text =
        gb_text_format("%zu machines, suite %s", m->n_machines, suite != NULL ? suite : "unknown");
    char *safe = text != NULL ? gb_text_printable(text) : NULL;
    free(text);
    return safe;
}

gb_code gb_matrix_page(const gb_matrix *matrix, const char *dir, const char *gnuplot, gb_buf *notes,
                       gb_error *err)
{
    gb_buf out = {0};
    gb_matrix_lines sheet = {0};
    bool cpu = true;
    char *path = gb_text_format("%s/procurement.html", dir), *subtitle = subtitle_of(matrix);
    gb_code code = path != NULL && subtitle != NULL ? gb_matrix_lines_make(matrix, &sheet, err)
                                                    : no_memory(err);
    for (size_t i = 0; i < matrix->n_machines; i++) {
        cpu = cpu && matrix->machines[i].cpu;
    }
    if (code == GB_OK) {
        gb_html_open(&out, "Machines by class of work", subtitle, cpu);
        code = add_answer(matrix, &sheet, &out, err);
    }
    if (code == GB_OK) {
        code = add_details(matrix, &sheet, &out, err);
    }
    if (code == GB_OK) {
        code = add_pictures(matrix, dir, gnuplot, notes, &out, err);
    }
    if (code == GB_OK) {
        code = add_cases(matrix, &out, err);
    }
    if (code == GB_OK) {
        code = add_method(matrix, &out, err);
    }
    if (code == GB_OK) {
        gb_html_close(&out);
        code = out.failed ? no_memory(err) : gb_page_write(path, &out, err);
    }
    gb_matrix_lines_free(&sheet);
    gb_buf_free(&out);
    free(subtitle);
    free(path);
    return code;
}
