/* Records and directories for the tests of harness/record. */
#ifndef GB_TESTS_RECORD_SAMPLE_H
#define GB_TESTS_RECORD_SAMPLE_H

#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "record/run_dir.h"
#include "unit/check_main.h"

#define FIXTURES GB_SOURCE_DIR "/tests/golden/records/"

static const gb_metric_spec sample_metrics[] = {
    {"bandwidth", "B/s", "bytes moved per second", true, GB_PER_BYTES_MOVED, -1}};

/* An ok record of `bytes` with n samples around `centre` ns, summarised. */
static inline void sample_record(gb_record *r, const char *benchmark, uint64_t bytes,
                                 uint32_t replicate, size_t n, double centre)
{
    gb_record_init(r);
    r->case_id = gb_text_format("%s[bytes=%llu]", benchmark, (unsigned long long)bytes);
    r->benchmark = gb_text_copy(benchmark);
    r->kernel = gb_text_copy("copy");
    r->params = json_pack("{s:I}", "bytes", (json_int_t)bytes);
    memset(r->definition, 'a', 64);
    r->replicate = replicate;
    r->verified = 1;
    r->converged = true;
    strcpy(r->stopped_by, "precision");
    r->iterations_per_sample = 4;
    r->resolution_ns = 20;
    r->first_call_ns = 91000;
    r->work = (gb_work){.bytes_read = bytes, .bytes_moved = bytes, .working_set = 2 * bytes};
    r->n_samples = n;
    r->samples_ns = malloc((n ? n : 1) * sizeof r->samples_ns[0]);
    for (size_t i = 0; i < n; i++) {
        r->samples_ns[i] = centre * (1 + 0.001 * (double)(i * 37 % 11));
    }
    gb_record_summarise(r, sample_metrics, 1, NULL);
}

static inline gb_head sample_head(const char *run_id)
{
    static const char text[] = "gpubench: 1\nname: sample\n";
    char hex[65];
    gb_sha256_hex(text, sizeof text - 1, hex);
    return (gb_head){
        .tool = json_pack("{s:s,s:s,s:{s:s,s:s,s:s,s:n,s:n,s:b}}", "version", "0.1.0", "git", "abc",
                          "build", "compiler", "GNU 12", "flags", "-O3", "type", "Release",
                          "toolkit", "architectures", "portable", 0),
        .run = json_pack("{s:s,s:s,s:n,s:i,s:{},s:[s,s],s:n}", "id", run_id, "started",
                         "2026-01-15T10:15:00Z", "finished", "seed", 7, "settings", "command",
                         "gpubench", "run", "exit"),
        .suite = json_pack("{s:s,s:n,s:s,s:s,s:s}", "name", "sample", "title", "file", "s.yaml",
                           "sha256", hex, "text", text),
        .host = json_object(),
        .devices = json_pack("[{s:i,s:s,s:s}]", "id", 0, "kind", "cpu", "name", "Example, CPU")};
}

/* A fresh directory under TMPDIR; removed by remove_tree. */
static inline void make_tree(char path[], size_t size)
{
    const char *base = getenv("TMPDIR");
    snprintf(path, size, "%s/gpubench-record-XXXXXX", base && base[0] ? base : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(path));
}

static inline int remove_entry(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type, (void)at;
    return remove(path);
}

static inline void remove_tree(const char *path)
{
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static inline void write_file(const char *path, const char *text, size_t n)
{
    FILE *stream = fopen(path, "w");
    ck_assert_ptr_nonnull(stream);
    ck_assert_uint_eq(fwrite(text, 1, n, stream), n);
    ck_assert_int_eq(fclose(stream), 0);
}

/* The whole file; the caller frees. */
static inline char *read_file(const char *path)
{
    FILE *stream = fopen(path, "r");
    ck_assert_msg(stream != NULL, "%s is missing", path);
    gb_buf buf = {0};
    char block[4096];
    for (size_t n; (n = fread(block, 1, sizeof block, stream)) > 0;) {
        gb_buf_add_bytes(&buf, block, n);
    }
    fclose(stream);
    gb_buf_add(&buf, "");
    return buf.data;
}

/* Joined into one of a few buffers that take turns. */
static inline const char *in(const char *dir, const char *name)
{
    static char buffers[4][4096];
    static unsigned turn;
    char *buf = buffers[turn++ % 4];
    snprintf(buf, sizeof buffers[0], "%s/%s", dir, name);
    return buf;
}

/* The value at a path of keys, "time_ns.median"; it must be there. */
static inline json_t *walk(const json_t *json, const char *path)
{
    char copy[128], *rest = NULL;
    snprintf(copy, sizeof copy, "%s", path);
    for (char *key = strtok_r(copy, ".", &rest); key; key = strtok_r(NULL, ".", &rest)) {
        json = json_object_get(json, key);
        ck_assert_msg(json != NULL, "%s: no key %s", path, key);
    }
    return (json_t *)(uintptr_t)json;
}

#define ck_assert_contains(text, part)                                                             \
    ck_assert_msg(strstr(text, part) != NULL, "'%s' is not in: %s", part, text)

#endif
