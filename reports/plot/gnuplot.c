#include "reports/plot/gnuplot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/plot/child.h"

void gb_gnuplot_quote(gb_buf *script, const char *text)
{
    gb_buf_add(script, "'");
    for (const char *p = text; *p != '\0'; p++) {
        if (*p == '\'') {
            /* Two in a row stand for one, but gnuplot (5.4) loses count when a string begins with
             * them or when two such pairs follow each other. */
            gb_buf_add(script, "'.\"'\".'");
        } else if ((unsigned char)*p < 0x20 || *p == 0x7f) {
            gb_buf_add(script, " ");
        } else if (*p == '>' && p - text >= 2 && p[-1] == ']' && p[-2] == ']') {
            gb_buf_add(script, "\xe2\x80\x8b>"); /* "]]>" is no XML; gnuplot escapes no '>' */
        } else {
            gb_buf_add_bytes(script, p, 1);
        }
    }
    gb_buf_add(script, "'");
}

gb_code gb_gnuplot_run(const char *gnuplot, const char *dir, const char *const scripts[], size_t n,
                       int timeout_s, gb_buf *output, gb_error *err)
{
    const char **argv = calloc(n + 2, sizeof *argv);
    if (argv == NULL) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for the plots");
    }
    argv[0] = gnuplot;
    for (size_t i = 0; i < n; i++) {
        argv[i + 1] = scripts[i];
    }
    gb_code code = gb_child_run("gnuplot", argv, dir, timeout_s, 65536, output, err);
    free(argv);
    return code;
}

bool gb_picture_whole(const char *path)
{
    static const char svg_end[] = "</svg>", png_end[] = "IEND";
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return false;
    }
    char end[64] = {0};
    size_t n = 0;
    if (fseek(file, -16, SEEK_END) == 0) {
        n = fread(end, 1, sizeof end, file);
    }
    fclose(file);
    return n > 0 && (memmem(end, n, svg_end, sizeof svg_end - 1) != NULL ||
                     memmem(end, n, png_end, sizeof png_end - 1) != NULL);
}
