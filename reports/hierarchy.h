/* The levels of a memory hierarchy in a ladder of latencies: pure arithmetic, no records.
 * docs/methodology.md, "The levels of memory", has the rule and why. */
#ifndef GB_REPORTS_HIERARCHY_H
#define GB_REPORTS_HIERARCHY_H

#include <stdbool.h>
#include <stddef.h>

typedef struct gb_rung {
    double bytes; /* what is read, again and again */
    double ns;    /* of one load of it, > 0 */
} gb_rung;

/* A tread: rungs that span at least GB_TREAD_WIDTH in size, at least three, of which the last takes
 * at most GB_TREAD_FLAT times as long as the first. Neighbouring treads of which the higher takes
 * less than GB_TREAD_RISE times as long are one level, as high as the wider one. A level ends where
 * a load first takes longer than on its tread by GB_TREAD_PART of the way to the next level's, or
 * GB_TREAD_MOST times as long, whichever is less: between two rungs, in proportion on logarithmic
 * axes. A single rung beyond, the last of all, may have been disturbed and is no end. */
#define GB_TREAD_WIDTH 2.0
#define GB_TREAD_FLAT 1.25
#define GB_TREAD_RISE 1.5
#define GB_TREAD_PART 0.25
#define GB_TREAD_MOST 2.0
#define GB_MOST_TREADS 12

typedef struct gb_tread {
    size_t first, last; /* its rungs */
    double ns;          /* their median */
    double end;         /* bytes at which the level ends; NAN: no rung is beyond it */
    size_t beyond;      /* the first rung beyond its end; n: none */
} gb_tread;

/* n rungs by growing size. A rung that took longer than a larger one was disturbed: it counts as
 * long as the fastest of those that are larger. Returns how many levels there are, at most
 * GB_MOST_TREADS. 0 also without memory. */
size_t gb_hierarchy_find(const gb_rung rungs[], size_t n, gb_tread out[GB_MOST_TREADS]);

/* The size at which a load first takes as long as the geometric mean of two levels': the end of a
 * level between them that has no tread. NAN: nowhere. */
double gb_hierarchy_slope(const gb_rung rungs[], size_t n, double below_ns, double above_ns);

/* A level that should be there, by name; `bytes` 0: its size is not known. */
typedef struct gb_named_level {
    const char *name;
    double bytes;
} gb_named_level;

/* Which of m named levels, in their order, each of n ends of treads is: as many as can be, so that
 * the known sizes are missed by as little as possible. out[i]: index of the name, or -1. */
void gb_hierarchy_name(const double ends[], size_t n, const gb_named_level levels[], size_t m,
                       int out[]);

/* Whether a size that was found is within this factor of the one that the system names. */
#define GB_SIZE_AGREES 1.5
bool gb_hierarchy_agrees(double found, double named);

#endif
