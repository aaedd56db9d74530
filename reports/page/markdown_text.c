#include <stdlib.h>

#include "reports/page/markdown.h"

void gb_markdown_text(gb_buf *out, const char *text)
{
    static const struct {
        char c;
        const char *as;
    } escapes[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'@', "&#64;"},
                   {'#', "&#35;"}, {'|', "\\|"},  {'`', "\\`"},  {'*', "\\*"},
                   {'_', "\\_"},   {'[', "\\["},  {']', "\\]"},  {'\\', "\\\\"},
                   {'~', "\\~"},   {'\n', " "},   {'\t', " "},   {'$', "&#36;"}};
    char *whole = gb_text_escape_invalid(text);
    out->failed |= whole == NULL;
    for (const char *at = whole; at != NULL && *at != '\0';) {
        uint32_t point;
        size_t length = gb_utf8_decode(at, &point), e = 0;
        while (e < sizeof escapes / sizeof escapes[0] && escapes[e].c != *at) {
            e++;
        }
        if (e < sizeof escapes / sizeof escapes[0]) {
            gb_buf_add(out, escapes[e].as);
        } else if (!gb_utf8_unsafe(point)) {
            gb_buf_add_bytes(out, at, length);
        }
        at += length;
    }
    free(whole);
}
