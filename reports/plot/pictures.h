/* Pictures of one report: each a gnuplot script and its data under DIR/plots, all drawn by ONE
 * gnuplot process as SVG and PNG. Run by hand from DIR, `gnuplot plots/NAME.gp` gives the same
 * files. */
#ifndef GB_REPORTS_PICTURES_H
#define GB_REPORTS_PICTURES_H

#include "base/text.h"

typedef struct gb_drawn {
    char *name;     /* DIR/plots/NAME.{gp,dat,svg,png}; owned */
    char *title;    /* the picture's name; owned */
    char *group;    /* the benchmark that it is of; "" for none; owned */
    char *note;     /* a sentence below the picture; "" for none; owned */
    char *what;     /* what it shows, in sentences, for the blind; NULL for nothing; owned */
    char *left_out; /* what it does not show, in sentences; NULL for nothing; owned */
    bool whole;     /* both pictures were drawn whole */
    bool replaced;  /* letters are missing in the PNG (fonts.h) */
} gb_drawn;

/* Zero-initialise; free with gb_pictures_free. */
typedef struct gb_pictures {
    char *dir; /* owned */
    gb_drawn *items;
    size_t n, capacity;
} gb_pictures;

/* Makes DIR/plots. GB_IO, GB_NO_MEMORY. */
gb_code gb_pictures_open(const char *dir, gb_pictures *out, gb_error *err);

/* Writes script and data of a picture called `name` (a file name, gb_text_filename) and keeps it
 * for gb_pictures_draw. Texts are copied; group and note may be NULL. GB_IO, GB_NO_MEMORY. */
gb_code gb_pictures_add(gb_pictures *pictures, const char *name, const char *title,
                        const char *group, const char *note, const gb_buf *script,
                        const gb_buf *data, gb_error *err);

/* Draws all of them with one gnuplot process (path or name of the program); when one fails, goes
 * on with those behind it. Pictures that are not whole are removed. *notes gets a line for each
 * thing a user should know. */
void gb_pictures_draw(gb_pictures *pictures, const char *gnuplot, gb_buf *notes);

/* Removes from DIR/plots what an older report left there: NAME.{gp,dat,svg,png} where NAME
 * begins with a plot's number or "flagged-", `pictures` has no NAME, and the first line of NAME.gp
 * is the one that gb_pictures_add writes. Other files stay. What cannot be removed stays too. */
void gb_pictures_remove_stale(const char *dir, const gb_pictures *pictures);

void gb_pictures_free(gb_pictures *pictures); /* leaves it zeroed */

#endif
