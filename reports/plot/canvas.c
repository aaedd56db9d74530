#include "reports/plot/canvas.h"

#include "base/units.h"
#include "reports/plot/fonts.h"
#include "reports/plot/gnuplot.h"
#include "reports/plot/picture.h"

#define SIGN 26.0 /* pixels before an entry's text */
#define GAP 18.0  /* and behind it */

/* "at screen x,y": pixels as parts of the picture, without needless digits. */
static void at(gb_canvas *c, const char *word, double x, double y)
{
    gb_buf_printf(&c->body, " %s screen %.5f,%.5f", word, x / c->width, y / c->height);
}

static int number(gb_canvas *c)
{
    c->next = c->next < 2 ? 2 : c->next;
    return c->next++;
}

void gb_canvas_text(gb_canvas *c, const char *text, double x, double y, const char *align,
                    double angle, const char *colour)
{
    gb_buf_printf(&c->body, "set label %d ", number(c));
    gb_gnuplot_quote(&c->body, text);
    at(c, "at", x, y);
    gb_buf_printf(&c->body, " %s", align);
    if (angle != 0) {
        gb_buf_printf(&c->body, " rotate by %.2f", angle);
    }
    gb_buf_printf(&c->body, " noenhanced front font ',%g' textcolor rgb '%s'\n", GB_LABEL_FONT - 1,
                  colour != NULL ? colour : "#000000");
}

void gb_canvas_line(gb_canvas *c, double x0, double y0, double x1, double y1, const char *colour,
                    double width, int dash)
{
    gb_buf_printf(&c->body, "set arrow %d", number(c));
    at(c, "from", x0, y0);
    at(c, "to", x1, y1);
    gb_buf_printf(&c->body, " nohead linewidth %g dashtype %d linecolor rgb '%s'\n", width, dash,
                  colour);
}

void gb_canvas_sign(gb_canvas *c, double x, double y, int point, double size, const char *colour)
{
    gb_buf_printf(&c->body, "set label %d ''", number(c));
    at(c, "at", x, y);
    gb_buf_printf(&c->body,
                  " front point pointtype %d pointsize %g linewidth 2 linecolor rgb '%s'\n", point,
                  size, colour);
}

void gb_canvas_rectangle(gb_canvas *c, gb_box box, int pattern, const char *colour)
{
    gb_buf_printf(&c->body, "set object %d rectangle", number(c));
    at(c, "from", box.x0, box.y0);
    at(c, "to", box.x1, box.y1);
    gb_buf_printf(&c->body, " fillstyle pattern %d border linecolor rgb '%s' fillcolor rgb '%s'\n",
                  pattern, colour, colour);
}

void gb_canvas_frame(gb_canvas *c, const gb_frame *f)
{
    gb_buf_printf(&c->body,
                  "set lmargin at screen %.5f\nset rmargin at screen %.5f\n"
                  "set bmargin at screen %.5f\nset tmargin at screen %.5f\n",
                  f->left / c->width, f->right / c->width, f->bottom / c->height,
                  f->top / c->height);
}

static void axis(gb_canvas *c, const char *which, double low, double high, bool logarithmic)
{
    char a[40], b[40];
    gb_buf_printf(&c->body, "%sset logscale %s\nset %srange [%s:%s]\n", logarithmic ? "" : "un",
                  which, which, gb_print_double(low, a, sizeof a),
                  gb_print_double(high, b, sizeof b));
}

void gb_canvas_axes(gb_canvas *c, const gb_frame *f)
{
    axis(c, "x", f->x_min, f->x_max, f->log_x);
    axis(c, "y", f->y_min, f->y_max, f->log_y);
}

void gb_canvas_clear(gb_canvas *c)
{
    gb_buf_add(&c->body, "unset label\nunset arrow\nunset object\n");
    c->next = 2;
}

static void output(const gb_canvas *c, const char *terminal, const char *more, const char *suffix,
                   const char *body, gb_buf *script)
{
    gb_buf_printf(script,
                  "set terminal %s size %d,%d noenhanced font 'sans,12'%s background '#ffffff'\n"
                  "set output 'plots/%s.%s'\nset multiplot\n%s"
                  "unset multiplot\nset output\nreset\n",
                  terminal, c->width, c->height, more, c->name, suffix, body);
}

void gb_canvas_outputs(gb_canvas *c, gb_buf *script)
{
    const char *body = c->body.data != NULL ? c->body.data : "";
    gb_buf png = {0};
    output(c, "svg", "", "svg", body, script);
    if (gb_fonts_replace(body, c->name, &png)) {
        gb_buf_add(script, GB_PICTURE_REPLACED);
    }
    /* Points of 1/72 inch at 96 to the inch, and smaller signs: made the same as in the SVG. */
    output(c, "pngcairo", " fontscale 0.75 pointscale 1.5", "png", png.data != NULL ? png.data : "",
           script);
    script->failed = script->failed || c->body.failed || png.failed;
    gb_buf_free(&png);
    gb_buf_free(&c->body);
}

/* Where the next entry begins, and the middle of its line. */
static void next_entry(gb_legend *l, double width, double *x, double *y)
{
    if (l->x > l->left && l->x + width > l->right) {
        l->x = l->left;
        l->y -= GB_LEGEND_LINE;
    }
    *x = l->x;
    *y = l->y - GB_LEGEND_LINE / 2;
    l->x += width + GAP;
}

void gb_legend_entry(gb_legend *l, const char *text, int dash, int point, const char *colour,
                     const char *text_colour)
{
    const double before = dash > 0 || point > 0 ? SIGN : 0;
    double x, y;
    next_entry(l, before + gb_text_pixels(text, GB_LABEL_FONT - 1), &x, &y);
    if (l->canvas == NULL) {
        return;
    }
    if (dash > 0) {
        gb_canvas_line(l->canvas, x, y, x + SIGN - 4, y, colour, dash == 1 ? 2 : 1.5, dash);
    }
    if (point > 0) {
        gb_canvas_sign(l->canvas, x + (SIGN - 4) / 2, y, point, 1, colour);
    }
    gb_canvas_text(l->canvas, text, x + before, y, "left", 0, text_colour);
}

void gb_legend_swatch(gb_legend *l, const char *text, int pattern, const char *colour)
{
    double x, y;
    next_entry(l, SIGN + gb_text_pixels(text, GB_LABEL_FONT - 1), &x, &y);
    if (l->canvas != NULL) {
        gb_canvas_rectangle(l->canvas, (gb_box){x, y - 6, x + SIGN - 4, y + 6}, pattern, colour);
        gb_canvas_text(l->canvas, text, x + SIGN, y, "left", 0, NULL);
    }
}
