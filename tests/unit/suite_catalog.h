/* A small catalog of kernels for the tests of the suite library, and short ways to read suites. */
#ifndef GB_TESTS_SUITE_CATALOG_H
#define GB_TESTS_SUITE_CATALOG_H

#include "suite/suite.h"

/*   copy    direction, memory, bytes (1B to 64GiB); bandwidth; managed memory not on cpu
 *   tile    n, block (1 to 1024, must divide n), tile (1 to 64); flops; device and roundtrip only
 *   arrays  elements, type (f32, f64): three arrays whose size is computed with overflow checks
 *   wait    delay (a duration, 1us to 10s); warm cache, roundtrip only
 *   noop    nothing at all
 *   host    on cpu only; level (0 to 8)
 *   request batch, type; parts copy_in (of f32 alone; metric copying) and compute; bandwidth
 *   big     a, b, c, d, e, f: 1 to 1000000 each */
const gb_catalog *test_catalog(void);

/* Parses a text as "t.yaml". The diagnostics as they are printed ("" when there are none), which
 * the caller frees; *suite (may be NULL) gets the suite, or NULL. */
char *test_parse(const char *text, gb_suite **suite);
char *test_parse_bytes(const char *bytes, size_t n, gb_suite **suite);
/* A suite that must be valid; ends the test when it is not. */
gb_suite *test_suite(const char *text);

/* ck_assert that text is read with exactly this first line of diagnostics ("" for none). */
void test_first_line(const char *text, const char *expected);
/* ... that some diagnostic contains a text. */
void test_complains(const char *text, const char *part);

#endif
