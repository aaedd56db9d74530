/* What makes a figure doubtful: one list for report.html, report.md and the verdict. */
#include <math.h>
#include <string.h>

#include "reports/page/parts.h"

/* A wider +- than this between replicates is said. */
#define WIDE 0.10

static bool is_partly(const gb_row *row, uint32_t flags)
{
    (void)flags;
    return gb_row_partly(row);
}

bool gb_row_has_flag(const gb_row *row, uint32_t flags)
{
    return gb_row_measured(row) && (row->flags & flags) != 0;
}

static bool is_wide(const gb_row *row, uint32_t flags)
{
    (void)flags;
    return gb_row_measured(row) && row->plus_minus > WIDE;
}

static bool is_apart(const gb_row *row, uint32_t flags)
{
    (void)flags;
    return gb_row_apart(row);
}

static bool is_single(const gb_row *row, uint32_t flags)
{
    (void)flags;
    return gb_row_measured(row) && row->n_ok == 1;
}

/* In this order; flags of the classes "bad" and "warn" stand before the last three. */
static const struct {
    const char *what, *class_name, *meaning;
    bool (*passes)(const gb_row *, uint32_t);
} kinds[] = {
    {"incomplete", "bad", "some replicates have no figure: what is shown is from the others",
     is_partly},
    {"wide \xc2\xb1", "warn",
     "replicates, fresh processes with the same work, differ by more than 10 %", is_wide},
    {GB_APART_WORD, "warn", GB_APART_MEANING, is_apart},
    {"no \xc2\xb1", "warn", "a single replicate: how far another process would be off is not known",
     is_single},
};
#define KINDS (sizeof kinds / sizeof kinds[0])

bool gb_row_doubtful(const gb_row *row)
{
    for (size_t k = 0; k < KINDS; k++) {
        if (kinds[k].passes(row, 0)) {
            return true;
        }
    }
    for (int f = 0; f < GB_FLAG_COUNT; f++) {
        if (strcmp(gb_flag_class((gb_flag)f), "dim") != 0 && gb_row_has_flag(row, GB_BIT(f))) {
            return true;
        }
    }
    return false;
}

void gb_doubt_about(const gb_sheet *sheet, const char *what, const char *class_name,
                    const char *meaning, bool (*passes)(const gb_row *, uint32_t), uint32_t flags,
                    gb_doubt_taker take, gb_buf *out)
{
    gb_buf where = {0};
    size_t all = 0;
    gb_buf_add(&where, "");
    for (size_t g = 0; g < sheet->n_groups; g++) {
        size_t n = 0;
        for (size_t i = 0; i < sheet->groups[g].n; i++) {
            n += passes(sheet->groups[g].rows[i], flags);
        }
        if (n > 0) {
            gb_buf_printf(&where, "%s%s %zu", all > 0 ? ", " : "", sheet->groups[g].benchmark, n);
        }
        all += n;
    }
    if (all > 0) {
        take(out, what, class_name, all, meaning, where.data != NULL ? where.data : "");
    }
    out->failed |= where.failed;
    gb_buf_free(&where);
}

static void of_flags(const gb_sheet *sheet, const char *class_name, gb_doubt_taker take,
                     gb_buf *out)
{
    for (int f = 0; f < GB_FLAG_COUNT; f++) {
        if (strcmp(gb_flag_class((gb_flag)f), class_name) == 0) {
            gb_doubt_about(sheet, gb_flag_word((gb_flag)f), class_name, gb_flag_meaning((gb_flag)f),
                           gb_row_has_flag, GB_BIT(f), take, out);
        }
    }
}

void gb_doubts_of_figures(const gb_sheet *sheet, gb_doubt_taker take, gb_buf *out)
{
    for (size_t k = 0; k < KINDS; k++) {
        if (k == 1) {
            of_flags(sheet, "bad", take, out);
            of_flags(sheet, "warn", take, out);
        }
        gb_doubt_about(sheet, kinds[k].what, kinds[k].class_name, kinds[k].meaning, kinds[k].passes,
                       0, take, out);
    }
    if (sheet->tally.nameless > 0) {
        take(out, "left out", "warn", sheet->tally.nameless,
             "values of metrics without a name or a unit", "");
    }
}

static bool is_above_peak(const gb_row *row, uint32_t flags)
{
    (void)flags;
    return gb_row_above_peak(row);
}

void gb_remarks_on_figures(const gb_sheet *sheet, gb_doubt_taker take, gb_buf *out)
{
    of_flags(sheet, "dim", take, out);
    gb_doubt_about(sheet, GB_ABOVE_PEAK_WORD, "dim", GB_ABOVE_PEAK_MEANING, is_above_peak, 0, take,
                   out);
}
