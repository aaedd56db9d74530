/* docs/methodology.md explains every word that a user may meet in a record. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "record/record.h"
#include "unit/check_main.h"

static char *read_page(void)
{
    gb_buf page = {0};
    char chunk[4096];
    size_t n;
    FILE *file = fopen(GB_SOURCE_DIR "/docs/methodology.md", "r");
    ck_assert_ptr_nonnull(file);
    while ((n = fread(chunk, 1, sizeof chunk, file)) > 0) {
        gb_buf_add_bytes(&page, chunk, n);
    }
    fclose(file);
    ck_assert(!page.failed && page.length > 0);
    return page.data;
}

static void explains(const char *page, const char *wanted)
{
    ck_assert_msg(strstr(page, wanted) != NULL, "docs/methodology.md has no '%s'", wanted);
}

/* A row of a table that begins with the word. */
static void has_row(const char *page, const char *word)
{
    char *row = gb_text_format("\n| `%s` |", word);
    explains(page, row);
    free(row);
}

START_TEST(every_flag_has_its_row)
{
    char *page = read_page();
    for (int flag = 0; flag < (int)GB_FLAG_COUNT; flag++) {
        has_row(page, gb_flag_word((gb_flag)flag));
    }
    free(page);
}
END_TEST

START_TEST(every_timer_cache_and_end_is_explained)
{
    static const char *const ends[] = {"precision", "max-samples", "budget", "rejections",
                                       "iteration-cap"};
    char *page = read_page();
    for (int timer = 0; timer < (int)GB_TIMERS; timer++) {
        has_row(page, gb_timer_word((gb_timer)timer));
    }
    for (int cache = 0; cache < (int)GB_CACHES; cache++) {
        char *setting = gb_text_format("`cache: %s`", gb_cache_word((gb_cache)cache));
        explains(page, setting);
        free(setting);
    }
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        has_row(page, ends[i]);
    }
    free(page);
}
END_TEST

static void add(Suite *suite)
{
    TCase *tcase = tcase_create("methodology");
    tcase_add_test(tcase, every_flag_has_its_row);
    tcase_add_test(tcase, every_timer_cache_and_end_is_explained);
    suite_add_tcase(suite, tcase);
}

GB_CHECK_MAIN("methodology", add)
