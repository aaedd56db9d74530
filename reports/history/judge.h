/* The rules by which a series of nights is judged; docs/history.md has them with their reasons and
 * figures. Pure; nothing is owned.
 *
 * A night is one number: the natural logarithm of how slow the case was (ln time, or -ln of a rate,
 * in any unit), so that a larger one is always worse and a difference d means a change by e^d - 1.
 */
#ifndef GB_HISTORY_JUDGE_H
#define GB_HISTORY_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    GB_YOUNG_NIGHTS = 10,     /* no verdict before a segment has so many, tonight among them */
    GB_SPIKE_NIGHTS = 20,     /* of the segment before tonight: their median is the level */
    GB_DRIFT_NIGHTS = 60,     /* the last ones, tonight among them: change points; the noise */
    GB_SEGMENT_NIGHTS = 5,    /* the least between two change points */
    GB_PERMUTATIONS = 999,    /* so that the least p is 0.001 */
    GB_RUN_NIGHTS = 3,        /* a level that is back tonight must show in the median of these */
    GB_REPEATS = 2,           /* fresh runs that must agree before a spike is confirmed */
    GB_REFERENCE_NIGHTS = 10, /* the first ones since `accept`: the pinned reference */
    GB_REFERENCE_NOW = 5,     /* the last ones, held against it */
    GB_MAX_CHANGES = GB_DRIFT_NIGHTS / GB_SEGMENT_NIGHTS - 1
};
#define GB_SPIKE_Z 4.0
#define GB_SPIKE_CHANGE 0.03  /* ratio - 1 */
#define GB_NOISE_FLOOR 0.0025 /* of a night; smaller differences are nobody's concern */
#define GB_REPEAT_Z 2.0       /* a repeat agrees when it is beyond both, in the same direction */
#define GB_REPEAT_CHANGE 0.02
#define GB_DRIFT_CHANGE 0.01
#define GB_REFERENCE_CHANGE 0.03
/* A suite's gate can say from which change on (fraction) a benchmark counts as worse: that then
 * stands in place of GB_SPIKE_CHANGE, GB_DRIFT_CHANGE and GB_REFERENCE_CHANGE. NAN: it does not. */

/* Median and robust standard deviation (median absolute deviation x 1.4826, Rousseeuw & Croux 1993,
 * doi:10.1080/01621459.1993.10476408; not below `floor`) of n >= 1 values, at most
 * GB_DRIFT_NIGHTS of them. */
void gb_robust(const double values[], size_t n, double floor, double *median, double *sd);

/* Tonight against the nights of its segment before it. */
typedef struct gb_spike {
    bool judged;   /* there were nights enough */
    bool beyond;   /* it is one, before any confirmation */
    bool lasting;  /* not tonight's value alone, but the median of the last GB_RUN_NIGHTS */
    double centre; /* ln: the level */
    double sd;     /* of a night, ln */
    double change; /* ln: tonight - centre; > 0 is slower */
    double z;      /* change / sd */
} gb_spike;

/* `nights`: those of the segment, oldest first, tonight last; n >= 1. Beyond when either tonight,
 * with |z| > GB_SPIKE_Z, or the median of the last three nights, with |z| > GB_SPIKE_Z against the
 * standard deviation of such a median, differs by GB_SPIKE_CHANGE or more. */
void gb_spike_judge(const double nights[], size_t n, double worse, gb_spike *out);

/* Whether a repeat's value (ln) agrees with a spike that is beyond. */
bool gb_spike_agrees(const gb_spike *spike, double repeat);

/* Change points of n <= GB_DRIFT_NIGHTS nights, oldest first, by E-divisive (Matteson & James 2014,
 * doi:10.1080/01621459.2013.849605) with alpha 1: the split with the largest
 *   Q = n m / (n + m) x (2 E|X - Y| - E|X - X'| - E|Y - Y'|),
 * tested by GB_PERMUTATIONS permutations that follow from the seed, p <= 0.001, at least
 * GB_DRIFT_CHANGE between the medians of the two sides; then both sides again. Nights further than
 * 3 robust standard deviations from the median count as that far: spikes are the other rule's, and
 * a permutation test stays exact under whatever is done to all values alike. A permutation that
 * reaches Q ends a test at once, since p can no longer be 0.001.
 * Fills at[] (indices of first nights of new segments, ascending) and returns how many. */
size_t gb_drift_find(const double nights[], size_t n, double worse, uint64_t seed,
                     size_t at[GB_MAX_CHANGES]);

/* A change point with the levels (medians, ln) on both sides. */
typedef struct gb_change {
    size_t at;            /* index of the first night of the new segment */
    double before, after; /* ln */
    bool open;            /* slower, and the level now is still slower than `before` by
                             GB_DRIFT_CHANGE or more */
} gb_change;

/* The last GB_DRIFT_NIGHTS of a series since `accept`, oldest first, tonight last. */
typedef struct gb_judgement {
    gb_change changes[GB_MAX_CHANGES];
    size_t n_changes;
    size_t segment; /* index of the first night of the segment that tonight belongs to */
    gb_spike spike;
} gb_judgement;
void gb_judge(const double nights[], size_t n, double worse, uint64_t seed, gb_judgement *out);

/* The pinned reference: the level of the first nights since `accept` against that of the last ones,
 * for what creeps too slowly for a change point. */
typedef struct gb_reference {
    bool judged;
    bool beyond;  /* slower by GB_REFERENCE_CHANGE or more, and by 4 standard errors; tonight too */
    bool back;    /* it would be, but tonight is nearer the reference than the last nights' level */
    bool before;  /* it was beyond already before the last GB_RUN_NIGHTS nights */
    double level; /* ln: median of the reference nights */
    double now;   /* ln: median of the last ones */
} gb_reference;
/*   first   the GB_REFERENCE_NIGHTS first nights since `accept`
 *   last    the n <= GB_DRIFT_NIGHTS last ones, without those in `first`; >= GB_YOUNG_NIGHTS, or
 *           nothing is judged */
void gb_reference_judge(const double first[GB_REFERENCE_NIGHTS], const double last[], size_t n,
                        double worse, gb_reference *out);

#endif
