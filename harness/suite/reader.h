/* Reading typed things out of YAML nodes; every problem becomes a diagnostic at its node, and
 * reading goes on. Private to the suite library.
 *
 * A `label` is the key path that a message begins with ("axes.bytes"). Functions that return bool
 * return false when the thing is not usable; the diagnostic was added then (and never twice for
 * one node). */
#ifndef GB_SUITE_READER_H
#define GB_SUITE_READER_H

#include "suite/limits.h"
#include "suite/yaml_tree.h"

#define GB_MAX_NAME_CHARACTERS 200
#define GB_MAX_TEXT_CHARACTERS 1000
#define GB_MAX_BENCHMARKS 1000
#define GB_MAX_EXCLUDES 1000

typedef struct gb_reader {
    const gb_catalog *catalog;
    gb_suite *suite;
    gb_diagnostics *diagnostics; /* its `failed` also stands for memory that readers lacked */
    size_t problems; /* errors so far, also those about BAD nodes, which are not told again */
    bool *sound;     /* one a benchmark: it was read without errors; NULL: all were */
} gb_reader;

/* A text for a message: printable and short. Returns buf. */
#define GB_QUOTE_SIZE 96
const char *gb_quote(const char *text, char buf[GB_QUOTE_SIZE]);

void gb_read_error(gb_reader *reader, const gb_node *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* n zeroed items of a size; NULL sets diagnostics->failed. n = 0 gives room for one. */
void *gb_read_alloc(gb_reader *reader, size_t n, size_t size);

/* Cuts off what gb_parse_count advises, where narrower limits will be named. */
void gb_cut_advice(char *message);

/* "expected WHAT, got list" at the node (nothing for a BAD one); returns false. */
bool gb_read_unexpected(gb_reader *reader, const gb_node *node, const char *label,
                        const char *what);
/* "unknown WHAT 'word' (did you mean 'near'?)", or with all words when none is near. */
void gb_read_unknown(gb_reader *reader, const gb_node *at, const char *what, const char *word,
                     const char *const words[], size_t n);

/* A mapping with no other than these keys. */
bool gb_read_map(gb_reader *reader, const gb_node *node, const char *label,
                 const char *const keys[], size_t n);
/* The value of a key that must be there. */
gb_node *gb_read_required(gb_reader *reader, const gb_node *map, const char *label,
                          const char *key);
/* The items of a list, or the one scalar that stands for a list of one. An empty list is refused.
 */
bool gb_read_items(gb_reader *reader, gb_node *const *node, const char *label, const char *what,
                   gb_node *const **items, size_t *n);

/* Free text, as written: 1 to `most` characters, no control or bidirectional characters. The
 * caller owns *out. */
bool gb_read_text(gb_reader *reader, const gb_node *node, const char *label, size_t most,
                  char **out);
/* A word of a closed list; *index is its place. */
bool gb_read_word(gb_reader *reader, const gb_node *node, const char *label, const char *what,
                  const char *const words[], size_t n, size_t *index);

/* Numbers within inclusive limits. `range` is how a person writes the limits: "0.01% to 50%". */
bool gb_read_count(gb_reader *reader, const gb_node *node, const char *label, uint32_t min,
                   uint32_t max, uint32_t *out);
bool gb_read_duration(gb_reader *reader, const gb_node *node, const char *label, uint64_t min_ns,
                      uint64_t max_ns, uint64_t *out);
bool gb_read_percent(gb_reader *reader, const gb_node *node, const char *label, double min,
                     double max, const char *range, double *fraction);
/* A plain decimal number. */
bool gb_read_real(gb_reader *reader, const gb_node *node, const char *label, double *out);

#endif
