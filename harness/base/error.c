#include "base/error.h"

#include <stdio.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/text.h"

const char *gb_code_word(gb_code code)
{
    static const char *const words[] = {
#define X(name, word) word,
        GB_CODES(X)
#undef X
    };
    size_t i = (size_t)code;
    return i < sizeof words / sizeof words[0] ? words[i] : "internal";
}

/* Room for a whole message and its context, so that the cut can look past the end. */
enum { DRAFT = 4 * sizeof((gb_error *)0)->message };

static void set_message(gb_error *err, const char draft[DRAFT])
{
    size_t n = gb_utf8_cut(draft, sizeof err->message - 1);
    memcpy(err->message, draft, n);
    err->message[n] = '\0';
}

static void fill(gb_error *err, gb_code code, const char *file, int line, int column,
                 const char *format, va_list args)
{
    char draft[DRAFT]; /* formatted before the reset: an argument may point into *err */
    char place[sizeof err->file] = "";
    gb_vsnprintf(draft, sizeof draft, format, args);
    if (file) {
        size_t n = gb_utf8_cut(file, sizeof place - 1);
        memcpy(place, file, n);
        place[n] = '\0';
    }
    *err = (gb_error){.code = code, .line = line, .column = column};
    memcpy(err->file, place, sizeof place);
    set_message(err, draft);
}

gb_code gb_fail(gb_error *err, gb_code code, const char *format, ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        fill(err, code, NULL, 0, 0, format, args);
        va_end(args);
    }
    return code;
}

gb_code gb_fail_at(gb_error *err, gb_code code, const char *file, int line, int column,
                   const char *format, ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        fill(err, code, file, line, column, format, args);
        va_end(args);
    }
    return code;
}

gb_code gb_fail_context(gb_error *err, const char *format, ...)
{
    if (!err) {
        return GB_INTERNAL; /* the code is in the record that the caller does not have */
    }
    char draft[DRAFT];
    va_list args;
    va_start(args, format);
    int n = gb_vsnprintf(draft, sizeof draft / 2, format, args);
    va_end(args);
    size_t used = n < 0 ? 0 : strlen(draft);
    snprintf(draft + used, sizeof draft - used, ": %s", err->message);
    set_message(err, draft);
    return err->code;
}
