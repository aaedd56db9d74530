/* Numbers with '.' whatever the process's locale: printf, strtod and jansson follow LC_NUMERIC. */
#ifndef GB_BASE_C_LOCALE_H
#define GB_BASE_C_LOCALE_H

#include <locale.h>
#include <stdarg.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Puts the calling thread into the "C" locale until gb_c_locale_leave; pairs may nest. */
typedef struct gb_c_locale {
    locale_t mine, before;
} gb_c_locale;
void gb_c_locale_enter(gb_c_locale *scope);
void gb_c_locale_leave(gb_c_locale *scope);

/* As snprintf and vsnprintf, in the "C" locale. */
int gb_snprintf(char *buf, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int gb_vsnprintf(char *buf, size_t size, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

#ifdef __cplusplus
}
#endif
#endif
