#include "suite/selection.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "suite/reader.h"

gb_code gb_selector_open(gb_selector *selector, const gb_selection *selection, gb_error *err)
{
    selector->selection = selection;
    for (size_t i = 0; i < selection->n_filters; i++)
        if (selection->filters[i][0] == '\0')
            return gb_fail(err, GB_INVALID,
                           "an empty filter selects nothing; leave it out to "
                           "select everything");
    for (size_t i = 0; i < selection->n_tags; i++)
        if (selection->tags[i][0] == '\0')
            return gb_fail(err, GB_INVALID, "an empty tag selects nothing");
    selector->filter_matched = calloc(selection->n_filters + 1, sizeof(bool));
    selector->tag_matched = calloc(selection->n_tags + 1, sizeof(bool));
    if (selector->filter_matched == NULL || selector->tag_matched == NULL)
        return gb_fail(err, GB_NO_MEMORY, "no memory for a selection");
    return GB_OK;
}

void gb_selector_close(gb_selector *selector)
{
    free(selector->filter_matched);
    free(selector->tag_matched);
    memset(selector, 0, sizeof *selector);
}

bool gb_selector_takes(gb_selector *selector, const gb_benchmark *benchmark, const char *id,
                       const char *written)
{
    const gb_selection *s = selector->selection;
    bool by_filter = s->n_filters == 0;
    for (size_t i = 0; i < s->n_filters; i++) {
        bool matches =
            gb_text_matches(s->filters[i], id) || gb_text_matches(s->filters[i], written);
        selector->filter_matched[i] = selector->filter_matched[i] || matches;
        by_filter = by_filter || matches;
    }
    bool by_tag = s->n_tags == 0;
    for (size_t i = 0; i < s->n_tags; i++) {
        bool matches = false;
        for (size_t k = 0; k < benchmark->n_tags && !matches; k++)
            matches = strcmp(benchmark->tags[k], s->tags[i]) == 0;
        selector->tag_matched[i] = selector->tag_matched[i] || matches;
        by_tag = by_tag || matches;
    }
    return by_filter && by_tag;
}

/* "(did you mean 'x'?)" or the words that there are. */
static gb_code nothing_matches(const char *what, const char *word, const char *kind_of_words,
                               const char *const words[], size_t n, gb_error *err)
{
    char quoted[GB_QUOTE_SIZE];
    char near_quoted[GB_QUOTE_SIZE];
    gb_quote(word, quoted);
    const char *near = strlen(word) < 100 ? gb_text_nearest(word, words, n) : NULL;
    if (near != NULL && strcmp(near, word) == 0)
        return gb_fail(err, GB_INVALID,
                       "%s '%s' matches no case: nothing of that runs on this kind "
                       "of device",
                       what, quoted);
    if (near != NULL)
        return gb_fail(err, GB_INVALID, "%s '%s' matches no case (did you mean '%s'?)", what,
                       quoted, gb_quote(near, near_quoted));
    gb_buf list = {0};
    gb_buf_add(&list, "");
    for (size_t i = 0; i < n && i < 10; i++)
        gb_buf_printf(&list, "%s'%s'", i > 0 ? ", " : "", gb_quote(words[i], near_quoted));
    if (n > 10)
        gb_buf_printf(&list, " and %zu more", n - 10);
    gb_code code = gb_fail(err, GB_INVALID, "%s '%s' matches no case; %s: %s", what, quoted,
                           kind_of_words, n > 0 && !list.failed ? list.data : "none");
    gb_buf_free(&list);
    return code;
}

static gb_code no_filter_match(const gb_suite *suite, const char *filter, gb_error *err)
{
    const char **names = calloc(suite->n_benchmarks + 1, sizeof *names);
    if (names == NULL)
        return gb_fail(err, GB_NO_MEMORY, "no memory for a message");
    for (size_t i = 0; i < suite->n_benchmarks; i++)
        names[i] = suite->benchmarks[i].name;
    gb_code code = nothing_matches("filter", filter, "benchmarks", names, suite->n_benchmarks, err);
    free(names);
    return code;
}

static gb_code no_tag_match(const gb_suite *suite, const char *tag, gb_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < suite->n_benchmarks; i++)
        n += suite->benchmarks[i].n_tags;
    const char **tags = calloc(n + 1, sizeof *tags);
    if (tags == NULL)
        return gb_fail(err, GB_NO_MEMORY, "no memory for a message");
    n = 0;
    for (size_t i = 0; i < suite->n_benchmarks; i++) {
        for (size_t k = 0; k < suite->benchmarks[i].n_tags; k++) {
            const char *candidate = suite->benchmarks[i].tags[k];
            size_t same = 0;
            while (same < n && strcmp(tags[same], candidate) != 0)
                same++;
            if (same == n)
                tags[n++] = candidate;
        }
    }
    gb_code code = nothing_matches("tag", tag, "tags", tags, n, err);
    free(tags);
    return code;
}

gb_code gb_selector_check(const gb_selector *selector, const gb_suite *suite, gb_device_kind kind,
                          size_t n_cases, gb_error *err)
{
    const gb_selection *s = selector->selection;
    for (size_t i = 0; i < s->n_filters; i++)
        if (!selector->filter_matched[i])
            return no_filter_match(suite, s->filters[i], err);
    for (size_t i = 0; i < s->n_tags; i++)
        if (!selector->tag_matched[i])
            return no_tag_match(suite, s->tags[i], err);
    if (n_cases > 0)
        return GB_OK;
    if (s->n_filters + s->n_tags > 0)
        return gb_fail(err, GB_INVALID, "no case has both a filter and a tag of those given");
    return gb_fail(err, GB_INVALID, "suite '%s' has no case for %s", suite->name,
                   gb_device_kind_word(kind));
}
