/* report.html: the order of its sections. */
#include "reports/page/report_page.h"

#include <stdlib.h>
#include <string.h>

#include "reports/page/parts.h"

static void open_page(const gb_sheet *sheet, gb_buf *out)
{
    const json_t *run = gb_sheet_run(sheet, 0);
    const char *name = gb_sheet_text(run, "suite", "name");
    const char *started = gb_sheet_text(run, "run", "started");
    gb_buf title = {0}, line = {0};
    gb_buf_printf(&title, "%s on ", name[0] != '\0' ? name : "gpubench");
    gb_say_subject(sheet, &title);
    const char *about = gb_sheet_text(run, "suite", "title");
    if (about[0] != '\0' && strcmp(about, name) != 0) {
        gb_buf_add(&line, about);
    }
    for (size_t d = 0; d < sheet->n_devices; d++) {
        gb_buf_printf(&line, "%s%s, device: %s", line.length > 0 ? " \xc2\xb7 " : "",
                      gb_results_device_label(sheet->results, (int)d),
                      gb_results_device_kind(sheet->results, (int)d));
    }
    if (started[0] != '\0') {
        gb_buf_printf(&line, " \xc2\xb7 %.10s", started);
    }
    gb_html_open(out, title.data != NULL ? title.data : "", line.data, sheet->only_cpu);
    if (sheet->cpu && !sheet->only_cpu) {
        gb_html_paragraph(out, "banner",
                          "Figures of devices of kind cpu describe that CPU running the kernels, "
                          "not a GPU.");
    }
    out->failed |= title.failed || line.failed;
    gb_buf_free(&title);
    gb_buf_free(&line);
}

/* Pictures that belong to no benchmark of the page. */
static void other_pictures(const gb_sheet *sheet, gb_buf *out)
{
    gb_buf figures = {0};
    gb_page_pictures(sheet, "", &figures);
    if (figures.length > 0) {
        gb_html_section(out, "Overview");
        gb_buf_add(out, figures.data);
        gb_html_section_end(out);
    }
    out->failed |= figures.failed;
    gb_buf_free(&figures);
}

gb_code gb_report_page(const gb_results *results, const gb_pictures *pictures, gb_buf *out,
                       gb_error *err)
{
    gb_sheet sheet;
    gb_code code = gb_sheet_open(results, pictures, &sheet, err);
    if (code != GB_OK) {
        return code;
    }
    open_page(&sheet, out);
    gb_page_answer(&sheet, out);
    gb_page_findings(&sheet, out);
    gb_page_trust(&sheet, out);
    gb_page_expectations(&sheet, out);
    gb_page_runs(&sheet, out);
    other_pictures(&sheet, out);
    for (size_t i = 0; code == GB_OK && i < sheet.n_groups; i++) {
        code = gb_page_benchmark(&sheet, &sheet.groups[i], out, err);
    }
    gb_page_method(&sheet, out);
    gb_page_terms(&sheet, out);
    gb_page_environment(&sheet, out);
    gb_page_suite(&sheet, out);
    gb_html_close(out);
    gb_sheet_close(&sheet);
    if (code == GB_OK && out->failed) {
        code = gb_fail(err, GB_NO_MEMORY, "out of memory for the page");
    }
    return code;
}
