/* Pieces that the forms of a matrix share: names with their doubts, figures, rows. */
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "reports/matrix/internal.h"

#define LONGEST_NAME 60

/* ---- names ---- */

/* The doubts about all of a machine's figures, as a few words each. */
static void add_tags(const gb_machine *machine, gb_buf *out)
{
    const char *separator = "";
    if (machine->cpu) {
        gb_buf_add(out, "CPU");
        separator = ", ";
    }
    if (machine->differences > 0) {
        gb_buf_printf(out, "%s%d difference%s", separator, machine->differences,
                      machine->differences == 1 ? "" : "s");
        separator = ", ";
    } else if (machine->differences < 0) {
        gb_buf_printf(out, "%sunverified", separator);
        separator = ", ";
    }
    if (machine->incomplete) {
        gb_buf_printf(out, "%sunfinished", separator);
        separator = ", ";
    }
    if (machine->fault) {
        gb_buf_printf(out, "%shardware fault", separator);
    }
}

char *gb_machine_label(const gb_machine *machine)
{
    gb_buf out = {0}, tags = {0};
    char *name = gb_text_printable(machine->name), *label = NULL;
    if (name != NULL) {
        size_t n = gb_utf8_cut(name, LONGEST_NAME);
        gb_buf_add_bytes(&out, name, n);
        gb_buf_add(&out, n < strlen(name) ? "..." : "");
        add_tags(machine, &tags);
        if (tags.length > 0) {
            gb_buf_printf(&out, " [%s]", tags.data);
        }
        out.failed = out.failed || tags.failed;
        gb_buf_take(&out, &label, NULL);
    }
    gb_buf_free(&tags);
    gb_buf_free(&out);
    free(name);
    return label;
}

void gb_machine_doubts(const gb_machine *machine, gb_buf *out)
{
    if (machine->differences > 0) {
        gb_buf_printf(out,
                      "Its results do not verify: %d difference%s between what is written and what "
                      "it follows from (gpubench verify lists them). ",
                      machine->differences, machine->differences == 1 ? "" : "s");
    } else if (machine->differences < 0) {
        gb_buf_printf(out, "Its results could not be verified%s%s. ",
                      machine->unchecked != NULL ? ": " : "",
                      machine->unchecked != NULL ? machine->unchecked : "");
    }
    if (machine->incomplete) {
        gb_buf_add(out, "The run did not finish: cases may be missing. ");
    }
    if (machine->fault) {
        gb_buf_printf(out, "The hardware failed during the run: %s. ",
                      machine->results->hardware_fault);
    }
    if (machine->cpu) {
        gb_buf_add(out, "A cpu device: its figures describe that CPU, not a GPU. ");
    }
}

/* ---- figures ---- */

const char *gb_matrix_better(const gb_matrix_class *class)
{
    return class->higher_is_better ? "higher is better" : "lower is better";
}

const char *gb_matrix_value(const gb_matrix_class *class, double value, char *buf, size_t size)
{
    if (!isfinite(value)) {
        snprintf(buf, size, "-");
        return buf;
    }
    return strcmp(class->unit, "ns") == 0 ? gb_format_ns(value, buf, size)
                                          : gb_format_rate(value, class->unit, buf, size);
}

const char *gb_matrix_performance(const gb_matrix_class *class, double value, char *buf,
                                  size_t size)
{
    if (!isfinite(value)) {
        snprintf(buf, size, "-");
        return buf;
    }
    return gb_format_rate(value, class->higher_is_better ? class->unit : "1/s", buf, size);
}

void gb_matrix_currency(const gb_matrix *m, gb_buf *out)
{
    gb_buf_printf(out, "%s%s", m->currency != NULL ? m->currency : "unit of price",
                  m->prices == GB_PRICE_HOUR ? "/h" : "");
}

void gb_matrix_price_text(const gb_matrix *m, const gb_machine *machine, gb_buf *out)
{
    char amount[40];
    if (machine->price.kind == GB_PRICE_NONE) {
        gb_buf_add(out, "- (no price given)");
        return;
    }
    gb_buf_printf(out, "%s%s%s%s", gb_print_double(machine->price.amount, amount, sizeof amount),
                  m->currency != NULL ? " " : "", m->currency != NULL ? m->currency : "",
                  machine->price.kind == GB_PRICE_HOUR ? "/h" : "");
    if (machine->price.cards > 1) {
        gb_buf_printf(out, " for %u cards (scaling assumed)", (unsigned)machine->price.cards);
    }
}

/* ---- rows ---- */

static gb_matrix_line *add_line(gb_matrix_lines *sheet, gb_matrix_line_kind kind, const char *title)
{
    if (sheet->n == sheet->capacity && !sheet->failed) {
        size_t capacity = sheet->capacity == 0 ? 16 : 2 * sheet->capacity;
        gb_matrix_line *grown = realloc(sheet->lines, capacity * sizeof grown[0]);
        sheet->failed = grown == NULL;
        sheet->lines = grown != NULL ? grown : sheet->lines;
        sheet->capacity = grown != NULL ? capacity : sheet->capacity;
    }
    if (sheet->failed) {
        return NULL;
    }
    gb_matrix_line *line = &sheet->lines[sheet->n++];
    *line = (gb_matrix_line){.kind = kind,
                             .title = gb_text_printable(title),
                             .cells = calloc(sheet->width + 1, sizeof line->cells[0]),
                             .best = calloc(sheet->width + 1, sizeof line->best[0]),
                             .sorts = calloc(sheet->width + 1, sizeof line->sorts[0])};
    sheet->failed =
        line->title == NULL || line->cells == NULL || line->best == NULL || line->sorts == NULL;
    return sheet->failed ? NULL : line;
}

static void set_cell(gb_matrix_lines *sheet, gb_matrix_line *line, size_t machine, gb_buf *text,
                     double sort, bool best)
{
    if (line != NULL) {
        gb_buf_add(text, "");
        line->cells[machine] =
            text->failed || text->data == NULL ? NULL : gb_text_printable(text->data);
        line->sorts[machine] = sort;
        line->best[machine] = best;
        sheet->failed = sheet->failed || line->cells[machine] == NULL;
    }
    gb_buf_free(text);
}

/* " +-3.1 %", or " +-?" where it is not known. */
static void add_half(double half, gb_buf *out)
{
    char text[64];
    if (isfinite(half)) {
        gb_buf_printf(out, " +-%s", gb_format_half(half, text, sizeof text));
    } else {
        gb_buf_add(out, " +-?");
    }
}

static void add_rank(unsigned rank, bool shared, size_t of, gb_buf *out)
{
    if (of > 1) {
        gb_buf_printf(out, "  #%u%s", rank, shared ? "=" : "");
    }
}

static void set_lead(const gb_matrix *m, const gb_matrix_class *class, bool price,
                     gb_matrix_lines *sheet, gb_matrix_line *line)
{
    gb_buf text = {0};
    gb_matrix_lead(m, class, price, &text);
    gb_buf_add(&text, "");
    if (line != NULL) {
        line->lead = text.failed ? NULL : gb_text_printable(text.data);
        sheet->failed = sheet->failed || line->lead == NULL;
    }
    gb_buf_free(&text);
}

static void add_value(const gb_matrix *m, const gb_matrix_class *class, gb_matrix_lines *sheet)
{
    char text[64];
    gb_buf title = {0};
    gb_buf_printf(&title, "%s (%s)", class->name, class->higher_is_better ? "higher" : "lower");
    gb_matrix_line *line = add_line(sheet, GB_LINE_VALUE, title.data != NULL ? title.data : "");
    sheet->failed = sheet->failed || title.failed;
    gb_buf_free(&title);
    for (size_t i = 0; line != NULL && i < m->n_machines; i++) {
        const gb_cell *cell = &class->cells[i];
        gb_buf out = {0};
        gb_buf_add(&out, gb_matrix_value(class, cell->value, text, sizeof text));
        if (isfinite(cell->value)) {
            add_half(cell->half, &out);
        }
        add_rank(cell->rank, cell->shared, cell->of, &out);
        if (cell->n > 0 && cell->n < cell->cases) {
            gb_buf_printf(&out, "  (%zu/%zu)", cell->n, cell->cases);
        }
        set_cell(sheet, line, i, &out, cell->value, cell->rank == 1 && cell->of > 1);
    }
    set_lead(m, class, false, sheet, line);
}

static void add_per_price(const gb_matrix *m, const gb_matrix_class *class, gb_matrix_lines *sheet)
{
    char text[64];
    gb_buf title = {0};
    gb_buf_printf(&title, "%s per ", class->name);
    gb_matrix_currency(m, &title);
    gb_matrix_line *line = add_line(sheet, GB_LINE_PER_PRICE, title.data != NULL ? title.data : "");
    sheet->failed = sheet->failed || title.failed;
    gb_buf_free(&title);
    for (size_t i = 0; line != NULL && i < m->n_machines; i++) {
        const gb_cell *cell = &class->cells[i];
        gb_buf out = {0};
        gb_buf_add(&out, gb_matrix_performance(class, cell->per_price, text, sizeof text));
        if (cell->unscaled) {
            gb_buf_printf(&out, " (%u cards make no time shorter)",
                          (unsigned)m->machines[i].price.cards);
        } else if (isfinite(cell->per_price)) {
            gb_buf_add(&out, m->machines[i].price.cards > 1 ? " (assumed)" : "");
        }
        add_rank(cell->price_rank, cell->price_shared, cell->price_of, &out);
        set_cell(sheet, line, i, &out, cell->per_price,
                 cell->price_rank == 1 && cell->price_of > 1);
    }
    set_lead(m, class, true, sheet, line);
}

static void add_per_watt(const gb_matrix *m, const gb_matrix_class *class, gb_matrix_lines *sheet)
{
    char text[64];
    char *title = gb_text_format("%s per W", class->name);
    gb_matrix_line *line = add_line(sheet, GB_LINE_PER_WATT, title != NULL ? title : "");
    sheet->failed = sheet->failed || title == NULL;
    free(title);
    for (size_t i = 0; line != NULL && i < m->n_machines; i++) {
        const gb_cell *cell = &class->cells[i];
        gb_buf out = {0};
        gb_buf_add(&out, gb_matrix_performance(class, cell->per_watt, text, sizeof text));
        if (isfinite(cell->watts)) {
            gb_buf_printf(&out, " at %.0f W", cell->watts);
        } else {
            gb_buf_add(&out, cell->n > 0 ? " (power not read)" : "");
        }
        set_cell(sheet, line, i, &out, cell->per_watt, false);
    }
}

static void add_prices(const gb_matrix *m, gb_matrix_lines *sheet)
{
    gb_matrix_line *line = add_line(sheet, GB_LINE_PRICE, "price");
    for (size_t i = 0; line != NULL && i < m->n_machines; i++) {
        gb_buf out = {0};
        const gb_price *price = &m->machines[i].price;
        gb_matrix_price_text(m, &m->machines[i], &out);
        set_cell(sheet, line, i, &out, price->kind == GB_PRICE_NONE ? (double)NAN : price->amount,
                 false);
    }
    for (size_t i = 0; i < m->n_classes; i++) {
        add_per_price(m, &m->classes[i], sheet);
    }
}

static void add_scores(const gb_matrix *m, gb_matrix_lines *sheet)
{
    gb_matrix_line *line =
        add_line(sheet, GB_LINE_SCORE, "score by the weights (1: best in each class)");
    for (size_t i = 0; line != NULL && i < m->n_machines; i++) {
        gb_buf out = {0};
        const gb_machine *machine = &m->machines[i];
        gb_rank rank = machine->score_rank;
        if (isfinite(machine->score)) {
            gb_buf_printf(&out, "%.3f", machine->score);
            add_half(machine->score_half, &out);
            add_rank(rank.rank, rank.shared, rank.of, &out);
        } else {
            gb_buf_add(&out, "withheld");
        }
        set_cell(sheet, line, i, &out, machine->score, rank.rank == 1 && rank.of > 1);
    }
}

static void add_hardware(const gb_matrix *m, gb_matrix_lines *sheet)
{
    char text[64];
    gb_matrix_line *device = add_line(sheet, GB_LINE_FACT, "device");
    for (size_t i = 0; device != NULL && i < m->n_machines; i++) {
        gb_buf out = {0};
        gb_buf_printf(&out, "%s (%s)", m->machines[i].model, m->machines[i].kind);
        set_cell(sheet, device, i, &out, (double)NAN, false);
    }
    gb_matrix_line *memory = add_line(sheet, GB_LINE_FACT, "memory");
    for (size_t i = 0; memory != NULL && i < m->n_machines; i++) {
        double bytes = m->machines[i].memory_bytes;
        gb_buf out = {0};
        gb_buf_add(&out,
                   isnan(bytes) ? "unknown" : gb_format_bytes((uint64_t)bytes, text, sizeof text));
        set_cell(sheet, memory, i, &out, bytes, false);
    }
    gb_matrix_line *tdp = add_line(sheet, GB_LINE_FACT, "TDP (published)");
    for (size_t i = 0; tdp != NULL && i < m->n_machines; i++) {
        double watts = m->machines[i].tdp_w;
        gb_buf out = {0};
        if (isnan(watts)) {
            gb_buf_add(&out, "unknown");
        } else {
            gb_buf_printf(&out, "%.0f W", watts);
        }
        set_cell(sheet, tdp, i, &out, watts, false);
    }
}

gb_code gb_matrix_lines_make(const gb_matrix *m, gb_matrix_lines *out, gb_error *err)
{
    bool watts = false;
    *out = (gb_matrix_lines){.width = m->n_machines};
    for (size_t i = 0; i < m->n_classes; i++) {
        add_value(m, &m->classes[i], out);
        for (size_t k = 0; k < m->n_machines; k++) {
            watts = watts || isfinite(m->classes[i].cells[k].watts);
        }
    }
    if (m->weighted) {
        add_scores(m, out);
    }
    if (m->prices != GB_PRICE_NONE) {
        add_prices(m, out);
    }
    for (size_t i = 0; watts && i < m->n_classes; i++) {
        add_per_watt(m, &m->classes[i], out);
    }
    add_hardware(m, out);
    if (!out->failed) {
        return GB_OK;
    }
    gb_matrix_lines_free(out);
    return gb_fail(err, GB_NO_MEMORY, "out of memory for a matrix");
}

void gb_matrix_lines_free(gb_matrix_lines *sheet)
{
    for (size_t i = 0; i < sheet->n; i++) {
        gb_matrix_line *line = &sheet->lines[i];
        for (size_t k = 0; line->cells != NULL && k < sheet->width; k++) {
            free(line->cells[k]);
        }
        free(line->title);
        free(line->lead);
        free(line->cells);
        free(line->best);
        free(line->sorts);
    }
    free(sheet->lines);
    *sheet = (gb_matrix_lines){0};
}
