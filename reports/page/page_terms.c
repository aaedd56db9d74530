/* "Terms": what the words and flags of a report mean, each in a sentence. */
#include <string.h>

#include "reports/findings.h"
#include "reports/page/parts.h"

typedef struct term {
    const char *term, *meaning;
} term;

static const term terms[] = {
    {"case", "One combination of a benchmark's parameters."},
    {"replicate", "A case measured again in a fresh process."},
    {"sample", "One reading of the timer: of one iteration, or of several in a row."},
    {"CI, 95 % interval, \xc2\xb1",
     "Confidence interval: computed like this from other runs of the same thing, 95 of 100 such "
     "intervals would hold the true value. Here between replicates where nothing else is said."},
    {"median, p95, p99",
     "Of the samples, sorted: the middle one; what 95 or 99 of 100 do not exceed."},
    {"MAD",
     "Median absolute deviation from the median: a spread that single far samples do not move."},
    {"bandwidth", "Bytes moved, counted, over time. GB is 10^9 bytes, GiB 2^30."},
    {"of peak", "A rate over the device's theoretical one."},
    {"roof", "A rate that no kernel can exceed: of the memory, of a cache, of the arithmetic."},
    {"ridge",
     "Operations a byte at which the roofs of memory and arithmetic meet: left of it memory is the "
     "limit, right of it arithmetic."},
    {"knee", GB_KNEE_RULE},
    {"fit, t = a + n / b", "A copy's time as a latency a and n bytes at a rate b."},
    {"warm, cold", "The data were just used and may lie in a cache; they were driven out of it."},
    {"noise floor",
     "By how much two measurements of the same thing differ on this machine (gpubench selftest)."},
};

/* Words of a kernel's cases, on the page where it was measured. */
static const struct {
    const char *kernel;
    term term;
} of_kernels[] = {
    {"chase",
     {"latency", "From the start of one load to its value, with no other load under way."}},
    {"chase",
     {"up to about", "The size from which on a load takes a quarter of the way to the next level's "
                     "time longer, or "
                     "twice as long: the end of a level, by the fastest samples."}},
    {"chase",
     {"the system says",
      "The size of a cache that the operating system or the driver names; both agree within a "
      "factor of 1.5."}},
    {"startup",
     {"first call, steady call",
      "Of a fresh process: the first launch or product, and one after many."}},
    {"fragment", {"usable", "The largest block of memory that can be had, of all that is free."}},
    {"pipeline",
     {"serial, double-buffered",
      "One batch after the other; the host at the next batch while the device has one."}},
    {"pipeline", {"device busy", "The part of the time in which the device copies or computes."}},
    {"crossover",
     {"end to end, compute only",
      "From arrays of the program to a result there, copies included; with the data on the device "
      "before and after."}},
    {"stability",
     {"slowest second",
      "The largest of the medians of as many windows of samples as the case lasted seconds."}},
    {"stability", {"beside", "While a second process has work on the same device."}},
};

static bool was_measured(const gb_sheet *sheet, const char *kernel)
{
    for (size_t i = 0; i < sheet->table.n; i++) {
        if (gb_row_usable(&sheet->table.rows[i], kernel)) {
            return true;
        }
    }
    return false;
}

void gb_page_terms(const gb_sheet *sheet, gb_buf *out)
{
    uint32_t flags = 0;
    bool apart = false, above = false;
    for (size_t i = 0; i < sheet->table.n; i++) {
        flags |= sheet->table.rows[i].flags;
        apart = apart || gb_row_apart(&sheet->table.rows[i]);
        above = above || gb_row_above_peak(&sheet->table.rows[i]);
    }
    gb_html_section(out, "Terms");
    gb_html_facts(out);
    for (size_t i = 0; i < sizeof terms / sizeof terms[0]; i++) {
        gb_html_fact(out, terms[i].term, terms[i].meaning);
    }
    for (size_t i = 0; i < sizeof of_kernels / sizeof of_kernels[0]; i++) {
        gb_html_fact(out, of_kernels[i].term.term,
                     was_measured(sheet, of_kernels[i].kernel) ? of_kernels[i].term.meaning : NULL);
    }
    gb_html_fact(out, GB_APART_WORD, apart ? GB_APART_MEANING : NULL);
    gb_html_fact(out, GB_ABOVE_PEAK_WORD, above ? GB_ABOVE_PEAK_MEANING : NULL);
    for (int f = 0; f < GB_FLAG_COUNT; f++) {
        gb_html_fact(out, gb_flag_word((gb_flag)f),
                     (flags & GB_BIT(f)) != 0 ? gb_flag_meaning((gb_flag)f) : NULL);
    }
    gb_html_facts_end(out);
    gb_html_section_end(out);
}
