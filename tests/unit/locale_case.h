/* Lets a test program run under the locale of its environment, and makes sure that it does:
 * comma_locale.sh sets GB_TEST_COMMA. */
#ifndef GB_TESTS_LOCALE_CASE_H
#define GB_TESTS_LOCALE_CASE_H

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "unit/check_main.h"

START_TEST(RES_09_the_locale_is_the_one_asked_for)
{
    char text[16];
    snprintf(text, sizeof text, "%.1f", 1.5);
    ck_assert_str_eq(text, getenv("GB_TEST_COMMA") ? "1,5" : "1.5");
}
END_TEST

static inline void use_environment_locale(TCase *tcase)
{
    setlocale(LC_ALL, getenv("GB_TEST_COMMA") ? "" : "C");
    tcase_add_test(tcase, RES_09_the_locale_is_the_one_asked_for);
}

#endif
