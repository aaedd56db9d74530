/* What the rules of findings say of results that were made in memory. */
#ifndef GB_TESTS_FINDINGS_FIXTURE_H
#define GB_TESTS_FINDINGS_FIXTURE_H

#include "unit/reports_fixture.h"

/* A further metric of a record. */
static inline void add_metric(gb_record *r, const char *name, const char *unit, double value)
{
    gb_metric *m = &r->metrics[r->n_metrics++];
    *m = (gb_metric){.value = value, .peak = NAN};
    snprintf(m->name, sizeof m->name, "%s", name);
    snprintf(m->unit, sizeof m->unit, "%s", unit);
}

/* All findings of a rule; the caller owns them. */
static inline json_t *findings_of(const fixture *f, const char *rule)
{
    json_t *all = NULL, *one, *found = json_array();
    size_t i;
    gb_error err = {0};
    ck_assert_msg(gb_report_findings(&f->results, &all, &err) == GB_OK, "%s", err.message);
    json_array_foreach(all, i, one)
    {
        if (strcmp(json_string_value(json_object_get(one, "rule")), rule) == 0)
            json_array_append(found, one);
    }
    json_decref(all);
    return found;
}

/* The sentence of one of them; it lives as long as they do. */
static inline const char *sentence(const json_t *found, size_t which)
{
    ck_assert_uint_gt(json_array_size(found), which);
    return json_string_value(json_object_get(json_array_get(found, which), "text"));
}

static inline void silent(const fixture *f, const char *rule)
{
    json_t *found = findings_of(f, rule);
    ck_assert_msg(json_array_size(found) == 0, "%s",
                  json_array_size(found) ? sentence(found, 0) : "");
    json_decref(found);
}

/* The findings of the rule have these sentences, n of them, in this order. */
static inline void says_each(const fixture *f, const char *rule, size_t n,
                             const char *const texts[])
{
    json_t *found = findings_of(f, rule);
    ck_assert_msg(json_array_size(found) == n, "%zu of %s", json_array_size(found), rule);
    for (size_t i = 0; i < n; i++)
        ck_assert_str_eq(sentence(found, i), texts[i]);
    json_decref(found);
}

/* There is one finding of the rule, with this sentence. */
static inline void says(const fixture *f, const char *rule, const char *text)
{
    says_each(f, rule, 1, &text);
}

/* There is one finding of the rule, whose sentence has this part. */
static inline void mentions(const fixture *f, const char *rule, const char *part)
{
    json_t *found = findings_of(f, rule);
    ck_assert_msg(json_array_size(found) == 1, "%zu of %s", json_array_size(found), rule);
    ck_assert_msg(strstr(sentence(found, 0), part) != NULL, "'%s' is not in: %s", part,
                  sentence(found, 0));
    json_decref(found);
}

/* A figure of the rule's first finding: null is a NAN, true is 1. */
static inline double figure(const fixture *f, const char *rule, const char *name)
{
    json_t *found = findings_of(f, rule);
    ck_assert_uint_gt(json_array_size(found), 0);
    const json_t *value =
        json_object_get(json_object_get(json_array_get(found, 0), "figures"), name);
    ck_assert_msg(value != NULL, "no figure %s", name);
    const double result = json_is_null(value)      ? NAN
                          : json_is_boolean(value) ? json_is_true(value)
                                                   : json_number_value(value);
    json_decref(found);
    return result;
}

#endif
