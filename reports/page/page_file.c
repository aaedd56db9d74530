/* Files of a page: the pictures that go into it, and the page itself. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reports/page/html.h"
#include "reports/page/svg.h"
#include "reports/plot/gnuplot.h"

#define FIGURE "<figure id=\"plot-"

static gb_code read_whole(const char *path, gb_buf *text, gb_error *err)
{
    char part[1 << 14];
    size_t n;
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return gb_fail_at(err, GB_IO, path, 0, 0, "cannot be read: %s", strerror(errno));
    }
    while ((n = fread(part, 1, sizeof part, file)) > 0) {
        gb_buf_add_bytes(text, part, n);
    }
    bool failed = ferror(file) != 0;
    fclose(file);
    if (failed) {
        return gb_fail_at(err, GB_IO, path, 0, 0, "cannot be read");
    }
    return text->failed ? gb_fail(err, GB_NO_MEMORY, "out of memory for a picture") : GB_OK;
}

/* The number of the next picture in a page, from 1. */
static unsigned next_number(const gb_buf *out)
{
    unsigned n = 1;
    for (const char *at = out->data; at != NULL && (at = strstr(at, FIGURE)) != NULL; n++) {
        at += strlen(FIGURE);
    }
    return n;
}

gb_code gb_html_picture(gb_buf *out, const char *dir, const char *name, const char *title,
                        const char *what, const char *caption, gb_error *err)
{
    gb_buf text = {0}, drawing = {0};
    char prefix[32];
    unsigned number = next_number(out);
    char *path = gb_text_format("%s/plots/%s.svg", dir, name);
    gb_code code = path != NULL ? read_whole(path, &text, err)
                                : gb_fail(err, GB_NO_MEMORY, "out of memory for a picture");
    if (code == GB_OK && !gb_picture_whole(path)) {
        code = gb_fail_at(err, GB_IO, path, 0, 0, "is not whole");
    }
    snprintf(prefix, sizeof prefix, "p%u-", number);
    if (code == GB_OK) {
        code = gb_svg_inline(text.data, text.length, prefix, title, what, &drawing, err);
        if (code == GB_INVALID) {
            gb_fail_context(err, "%s", path);
        }
    }
    if (code == GB_OK) {
        gb_buf_printf(out,
                      FIGURE "%u\"><div class=\"scroll\" role=\"region\" tabindex=\"0\" "
                             "aria-label=\"Plot %u: ",
                      number, number);
        gb_html_text(out, title);
        gb_buf_add(out, "\">");
        gb_buf_add(out, drawing.data);
        gb_buf_add(out, "</div>");
        if (caption != NULL && caption[0] != '\0') {
            gb_buf_add(out, "<figcaption>");
            gb_html_text(out, caption);
            gb_buf_add(out, "</figcaption>");
        }
        gb_buf_add(out, "</figure>\n");
    }
    free(path);
    gb_buf_free(&text);
    gb_buf_free(&drawing);
    return code;
}

gb_code gb_page_write(const char *path, const gb_buf *text, gb_error *err)
{
    if (text->failed || text->data == NULL) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for %s", path);
    }
    char *temporary = gb_text_format("%s.tmp", path);
    if (temporary == NULL) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for %s", path);
    }
    gb_code code = GB_OK;
    FILE *file = fopen(temporary, "we");
    bool written = file != NULL && fwrite(text->data, 1, text->length, file) == text->length &&
                   fflush(file) == 0 && fsync(fileno(file)) == 0;
    int why = errno;
    if (file != NULL && fclose(file) != 0 && written) {
        why = errno;
        written = false;
    }
    if (written && rename(temporary, path) != 0) {
        why = errno;
        written = false;
    }
    if (!written) {
        code = gb_fail_at(err, GB_IO, path, 0, 0, "cannot be written: %s", strerror(why));
        if (file != NULL) {
            unlink(temporary);
        }
    }
    free(temporary);
    return code;
}
