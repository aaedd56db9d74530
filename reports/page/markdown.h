/* What all Markdown that is written here needs. */
#ifndef GB_PAGE_MARKDOWN_H
#define GB_PAGE_MARKDOWN_H

#include "base/text.h"

/* Text that stays text: nothing in it becomes markup, a link, a mention or a new row. Control and
 * bidirectional characters are left out; bytes that are not UTF-8 are shown as \xNN. */
void gb_markdown_text(gb_buf *out, const char *text);

#endif
