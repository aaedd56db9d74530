/* Two sides measured in turns: this build and another one, or two devices of this host. */
#ifndef GB_CLI_PAIR_H
#define GB_CLI_PAIR_H

#include "cli/session.h"

typedef struct gb_pair {
    gb_session *mine;    /* "new": prepared, with its devices chosen; borrowed */
    gb_session other;    /* "baseline": shares suite and lists with it */
    char *executable;    /* of another build; owned; NULL: the same */
    bool repeat;         /* `mine` is owned, and the plans are its own */
    char *dir;           /* DIR/baseline and DIR/new are run directories; owned */
    bool begun;          /* ... and something stands in them */
    gb_results old, new; /* what was measured */
    int status;          /* the worse of the two runs' */
} gb_pair;

/* Finds the other side: the build that --against names (a gpubench, or a folder with one), or the
 * device of --against-device. Returns GB_EXIT_OK, or the status after having printed why. */
int gb_pair_prepare(gb_session *mine, gb_pair *out);
/* Measures both in turns below `dir`; NULL: a new place under results/. Only `cases` (ids; NULL:
 * all), as a repeat of an earlier pair, whose devices stay locked. */
int gb_pair_measure(gb_pair *pair, const char *dir);
int gb_pair_repeat(const gb_pair *first, const gb_list *cases, const char *dir, gb_pair *out);
void gb_pair_free(gb_pair *pair);

#endif
