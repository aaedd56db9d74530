/* The parts of an HTML page: one file, no network, light and dark, fine without JavaScript. Calls
 * append to `out`; an out-of-memory shows in out->failed. Texts are escaped here. */
#ifndef GB_PAGE_HTML_H
#define GB_PAGE_HTML_H

#include "base/text.h"

/* Text with & < > " ' escaped; control and bidirectional characters are left out, line ends and
 * tabs stay; what is not UTF-8 becomes U+FFFD. */
void gb_html_text(gb_buf *out, const char *text);

/* From the doctype to <main>, with style, title, a line below it ("AMD EPYC, device: cpu ..."), and
 * the banner for pages of a CPU's figures when `cpu`; the title then says so too. */
void gb_html_open(gb_buf *out, const char *title, const char *subtitle, bool cpu);
/* From </main> to the end, with the script; fills the list of contents from the sections. */
void gb_html_close(gb_buf *out);

/* <section id=...><h2>; the id is made from the title and unique in the page. */
void gb_html_section(gb_buf *out, const char *title);
void gb_html_section_end(gb_buf *out);
void gb_html_heading(gb_buf *out, const char *title); /* <h3> within a section */

/* A paragraph; `class_name` may be NULL or one of the style's words (lead, dim, ok, warn, bad,
 * banner). */
void gb_html_paragraph(gb_buf *out, const char *class_name, const char *text);
/* Text as it is, in a fixed-width type. */
void gb_html_pre(gb_buf *out, const char *text);
/* A part that is folded until it is asked for (and open in print). */
void gb_html_details(gb_buf *out, const char *summary);
void gb_html_details_end(gb_buf *out);
/* Numbered sentences. */
void gb_html_list(gb_buf *out);
void gb_html_item(gb_buf *out, const char *text);
void gb_html_list_end(gb_buf *out);
/* Names with values; a fact whose value is NULL or "" is left out. */
void gb_html_facts(gb_buf *out);
void gb_html_fact(gb_buf *out, const char *name, const char *value);
void gb_html_facts_end(gb_buf *out);

/* A table that sorts by every column and filters (with JavaScript), readable without. Cells are
 * given row by row; `sort` orders the cells of a column of numbers (NAN: last). `class_name` may be
 * NULL or words of the style, separated by blanks: ok, warn, bad, dim, num (right-aligned), text
 * (long: broken into lines), wrap (broken where the table has no room). */
typedef struct gb_html_column {
    const char *title;
    bool number; /* right-aligned, sorts by value */
} gb_html_column;
void gb_html_table(gb_buf *out, const char *caption, const gb_html_column columns[], size_t n);
void gb_html_row(gb_buf *out);
void gb_html_cell(gb_buf *out, const char *text, double sort, const char *class_name);
void gb_html_row_end(gb_buf *out);
void gb_html_table_end(gb_buf *out);

/* DIR/plots/NAME.svg inline as a figure whose colours follow the page's scheme: the drawing's black
 * and white become the text's and the ground's colour, its ids unique. `title` is its name, `what`
 * what it shows, for those who do not see it, `caption` stands below (these two may be ""). Nothing
 * is added after an error: GB_IO when it cannot be read or is cut off, GB_INVALID when it holds
 * anything but a drawing, GB_NO_MEMORY. */
gb_code gb_html_picture(gb_buf *out, const char *dir, const char *name, const char *title,
                        const char *what, const char *caption, gb_error *err);

/* Writes a page or other text whole (temporary file + rename). GB_IO, GB_NO_MEMORY. */
gb_code gb_page_write(const char *path, const gb_buf *text, gb_error *err);

#endif
