#include "cli/forms.h"

#include <stdlib.h>

#include "reports/page/html.h"

static gb_code write_markdown(const gb_forms *forms, const char *path, gb_error *err)
{
    gb_buf text = {0};
    gb_code code = forms->markdown(forms->what, &text, err);
    if (!code)
        code = gb_page_write(path, &text, err);
    gb_buf_free(&text);
    return code;
}

/* NAME.json, NAME.md and NAME.html with its plots. */
static gb_code write_all(gb_cli *cli, const gb_forms *forms, const char *dir, gb_error *err)
{
    gb_buf notes = {0};
    json_t *document = NULL;
    char *json = gb_text_format("%s/%s.json", dir, forms->name);
    char *markdown = gb_text_format("%s/%s.md", dir, forms->name);
    gb_code code = json && markdown ? GB_OK : gb_fail(err, GB_NO_MEMORY, "out of memory");
    if (!code)
        code = gb_cli_make_directory(dir, err);
    if (!code)
        code = forms->json(forms->what, &document, err);
    if (!code)
        code = gb_cli_write_json(json, document, err);
    if (!code)
        code = write_markdown(forms, markdown, err);
    if (!code)
        code = forms->page(forms->what, dir, &notes, err);
    if (!code)
        gb_cli_warn_lines(cli, "plots", &notes);
    if (!code)
        gb_cli_note(cli, "written: %s/%s.html, %s.md, %s.json", dir, forms->name, forms->name,
                    forms->name);
    gb_buf_free(&notes);
    free(json);
    free(markdown);
    return code;
}

int gb_cli_show(gb_cli *cli, const gb_forms *forms, const char *dir)
{
    gb_error err = {0};
    gb_buf text = {0};
    json_t *json = NULL;
    gb_cli_warn_all(cli, forms->warnings);
    gb_code code = cli->json ? forms->json(forms->what, &json, &err)
                             : forms->text(cli, forms->what, &text, &err);
    if (!code && cli->args.markdown)
        code = write_markdown(forms, cli->args.markdown, &err);
    if (!code && dir)
        code = write_all(cli, forms, dir, &err);
    if (code) /* the error is the one JSON document then */
        json_decref(json);
    else if (cli->json)
        gb_cli_print_json(cli, json);
    else
        gb_cli_print(cli, text.data);
    gb_buf_free(&text);
    return code ? gb_cli_fail(cli, gb_exit_of_code(code), &err) : GB_EXIT_OK;
}
