/* pipeline: what is read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "kernels/base64.h"
#include "kernels/pipeline.h"

uint8_t gb_pipeline_byte(uint64_t seed, size_t index, size_t at)
{
    return (uint8_t)(gb_mix(seed + index, at / 8) >> (at % 8 * 8));
}

/* Where made file `index` begins among all bytes. */
static uint64_t made_begin(const gb_value args[], uint64_t index)
{
    const uint64_t files = args[PIPELINE_FILES].number, bytes = args[PIPELINE_BYTES].number;
    return bytes / files * index + bytes % files * index / files;
}

/* A made file: base64 without line ends in whole groups of four characters, line ends behind. */
static gb_code make_file(const gb_run *run, size_t index, size_t n, uint8_t *plain, char *text,
                         gb_error *err)
{
    gb_pipeline_state *s = run->state;
    char name[32];
    const size_t length = s->base64 ? gb_base64_room(n) : n;
    for (size_t i = 0; i < length; i++)
        plain[i] = gb_pipeline_byte(s->seed, index, i);
    if (s->base64) {
        const size_t characters = gb_base64_encode(plain, length, text);
        memset(text + characters, '\n', n - characters);
    }
    s->lengths[index] = length;
    s->expected[index] = gb_pipeline_reference(plain, length, s->rounds);
    snprintf(name, sizeof name, "%06zu", index); /* in order as names, too */
    return gb_made_files_add(&s->folder, name, s->base64 ? (const void *)text : plain, n, err);
}

static gb_code make_all(gb_run *run, gb_error *err)
{
    gb_pipeline_state *s = run->state;
    const size_t n = (size_t)run->args[PIPELINE_FILES].number;
    const size_t most = (size_t)(run->args[PIPELINE_BYTES].number / n) + 1;
    uint8_t *plain = malloc(most);
    char *text = malloc(most);
    gb_code code = plain != NULL && text != NULL
                       ? gb_made_files_open(&s->folder, err)
                       : gb_fail(err, GB_NO_MEMORY, "no memory for a file of pipeline");
    for (size_t i = 0; i < n && code == GB_OK; i++)
        code = make_file(run, i, (size_t)(made_begin(run->args, i + 1) - made_begin(run->args, i)),
                         plain, text, err);
    free(plain);
    free(text);
    return code == GB_OK ? gb_files_open(s->folder.dir, &s->files, err) : code;
}

/* --- the user's files ------------------------------------------------------------------------- */

typedef struct looking {
    gb_run *run;
    uint8_t *decoded;
} looking;

static gb_code no_base64(const gb_pipeline_state *s, size_t index, const char *content, size_t n,
                         uint8_t *to, gb_error *err)
{
    char text[160];
    size_t length, bad = n;
    gb_base64_decode(content, n, to, &length, &bad);
    if (bad < n)
        snprintf(text, sizeof text,
                 "byte %zu (0x%02x) does not belong into base64 (A-Z a-z 0-9 + / and line ends); "
                 "decode: none takes files as they are",
                 bad, (unsigned)(unsigned char)content[bad]);
    else
        snprintf(text, sizeof text,
                 "base64 that ends in the middle of a group of four characters, at byte %zu; "
                 "decode: none takes files as they are",
                 n);
    return gb_files_fail(&s->files, index, GB_INVALID, text, err);
}

static gb_code look(void *user, size_t index, const void *content, size_t n, gb_error *err)
{
    const looking *l = user;
    gb_pipeline_state *s = l->run->state;
    const uint8_t *plain = content;
    size_t length = n;
    if (s->base64) {
        length = gb_pipeline_decode_slowly(content, n, l->decoded);
        plain = l->decoded;
        if (length == SIZE_MAX)
            return no_base64(s, index, content, n, l->decoded, err);
    }
    s->lengths[index] = length;
    s->expected[index] = gb_pipeline_reference(plain, length, s->rounds);
    return GB_OK;
}

/* Whether the folder has what the arguments say, so that no other data passes for theirs. */
static gb_code is_as_said(const gb_run *run, uint64_t identity, gb_error *err)
{
    const gb_pipeline_state *s = run->state;
    const gb_value *args = run->args;
    if (s->files.n == args[PIPELINE_FILES].number &&
        s->files.bytes == args[PIPELINE_BYTES].number &&
        s->files.largest == args[PIPELINE_LARGEST].number &&
        (identity == 0 || identity == args[PIPELINE_DATA].number))
        return GB_OK;
    return gb_fail(err, GB_INVALID,
                   "%s: not the files that this case is for (%llu of %llu bytes, data %llu): they "
                   "have changed since the run began, or files, bytes, largest_file or data were "
                   "set by hand",
                   s->files.dir, (unsigned long long)args[PIPELINE_FILES].number,
                   (unsigned long long)args[PIPELINE_BYTES].number,
                   (unsigned long long)args[PIPELINE_DATA].number);
}

static gb_code open_given(gb_run *run, gb_error *err)
{
    gb_pipeline_state *s = run->state;
    gb_files_identity identity;
    if (run->data_dir == NULL)
        return gb_fail(err, GB_UNAVAILABLE,
                       "data %llu means the user's files, but there are none (gpubench run "
                       "--data-dir DIR)",
                       (unsigned long long)run->args[PIPELINE_DATA].number);
    gb_code code = gb_files_open(run->data_dir, &s->files, err);
    if (code == GB_OK)
        code = is_as_said(run, 0, err);
    if (code != GB_OK)
        return code;
    looking l = {run, malloc(s->files.largest + 1)};
    code = l.decoded != NULL ? gb_files_identify(&s->files, look, &l, &identity, err)
                             : gb_fail(err, GB_NO_MEMORY, "no memory for the largest file");
    free(l.decoded);
    return code == GB_OK ? is_as_said(run, identity.number, err) : code;
}

/* Where each file stands in its batch. */
static void place(gb_pipeline_state *s)
{
    size_t raw = 0, at = 0;
    for (size_t i = 0; i < s->files.n; i++) {
        if (i % s->batch == 0)
            raw = at = 0;
        s->raw_at[i] = raw;
        s->at[i] = at;
        raw += s->files.items[i].bytes;
        at += gb_pipeline_elements(s->lengths[i]);
    }
}

gb_code gb_pipeline_open(gb_run *run, gb_error *err)
{
    gb_pipeline_state *s = run->state;
    const size_t n = (size_t)run->args[PIPELINE_FILES].number;
    s->files.fd = -1;
    s->lengths = calloc(n, sizeof *s->lengths);
    s->raw_at = calloc(n, sizeof *s->raw_at);
    s->at = calloc(n, sizeof *s->at);
    s->expected = calloc(n, sizeof *s->expected);
    if (!s->lengths || !s->raw_at || !s->at || !s->expected)
        return gb_fail(err, GB_NO_MEMORY, "no memory for %zu files", n);
    s->made = run->args[PIPELINE_DATA].number == 0;
    gb_code code = s->made ? make_all(run, err) : open_given(run, err);
    if (code == GB_OK)
        place(s);
    if (code == GB_OK && s->uncached)
        code = gb_files_forget(&s->files, err);
    return code;
}

void gb_pipeline_close(gb_run *run)
{
    gb_pipeline_state *s = run->state;
    gb_files_close(&s->files);
    gb_made_files_remove(&s->folder);
    free(s->lengths);
    free(s->raw_at);
    free(s->at);
    free(s->expected);
}
