#include "base/c_locale.h"

#include <stdio.h>

void gb_c_locale_enter(gb_c_locale *scope)
{
    /* In glibc "C" for all categories is a static object: no allocation, no failure. */
    scope->mine = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    scope->before = scope->mine ? uselocale(scope->mine) : (locale_t)0;
}

void gb_c_locale_leave(gb_c_locale *scope)
{
    if (scope->mine) {
        uselocale(scope->before);
        freelocale(scope->mine);
        scope->mine = (locale_t)0;
    }
}

int gb_vsnprintf(char *buf, size_t size, const char *format, va_list args)
{
    gb_c_locale scope;
    gb_c_locale_enter(&scope);
    int n = vsnprintf(buf, size, format, args);
    gb_c_locale_leave(&scope);
    return n;
}

int gb_snprintf(char *buf, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = gb_vsnprintf(buf, size, format, args);
    va_end(args);
    return n;
}
