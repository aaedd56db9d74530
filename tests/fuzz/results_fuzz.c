/* libFuzzer target: any bytes as results.json and as cases.jsonl. Neither crashes, leaks or hangs,
 * and what was read can be written and read again with the same content.
 *
 * Built with clang -fsanitize=fuzzer (target fuzz_results, see results.cmake) it explores; without,
 * with GB_FUZZ_REPLAY, its main runs the files and directories it is given (ctest). */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "record/internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "broken: %s\n", what);
        abort();
    }
}

/* JSON -> record -> JSON -> record -> JSON: the last two are the same. */
static void round_trip(const gb_record *record)
{
    gb_record again;
    json_t *first = gb_record_json(record, true);
    must(first != NULL, "a record that was read can be written");
    must(gb_record_from_json(first, "record", &again, NULL) == GB_OK, "and read again");
    json_t *second = gb_record_json(&again, true);
    must(json_equal(first, second), "with the same content");
    json_decref(first);
    json_decref(second);
    gb_record_free(&again);
}

static void use(gb_results *results)
{
    for (size_t i = 0; i < results->n && i < 16; i++) {
        gb_error err;
        gb_record *r = &results->records[i];
        round_trip(r);
        gb_record_check(r, &err);
        gb_record_summarise_time(r, &err);
    }
    gb_records_sort(results->records, results->n);
    char *csv =
        gb_results_csv(json_object_get(results->document, "devices"), results->records, results->n);
    must(csv != NULL, "a table can be made of it");
    free(csv);
    gb_results_free(results);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gb_results results = {0};
    gb_error err;
    if (gb_results_parse("fuzz", (const char *)data, size, &results, &err) == GB_OK) {
        use(&results);
    }
    if (size == 0) {
        return 0; /* fmemopen may refuse it */
    }
    FILE *stream = fmemopen((void *)(uintptr_t)data, size, "r");
    must(stream != NULL, "fmemopen");
    uint64_t whole;
    results = (gb_results){0};
    if (gb_lines_read(stream, "fuzz", true, &results, &whole, &err) == GB_OK) {
        must(whole <= size, "no more whole lines than bytes");
        use(&results);
    } else {
        gb_results_free(&results);
    }
    fclose(stream);
    return 0;
}

#ifdef GB_FUZZ_REPLAY
#include <dirent.h>

static size_t replay(const char *path)
{
    DIR *stream = opendir(path);
    size_t done = 0;
    if (stream) {
        for (const struct dirent *entry; (entry = readdir(stream));) {
            char *inner = entry->d_name[0] != '.' ? gb_path_join(path, entry->d_name) : NULL;
            done += inner ? replay(inner) : 0;
            free(inner);
        }
        closedir(stream);
        return done;
    }
    char *bytes = NULL;
    size_t n = 0;
    must(gb_file_read(path, &bytes, &n, NULL) == GB_OK, path);
    /* whole, and cut at a few places */
    for (size_t part = 1; part <= 8; part++) {
        LLVMFuzzerTestOneInput((const uint8_t *)bytes, n * part / 8);
    }
    free(bytes);
    return 1;
}

int main(int argc, char **argv)
{
    size_t done = 0;
    for (int i = 1; i < argc; i++) {
        done += replay(argv[i]);
    }
    printf("%zu files replayed\n", done);
    return done > 0 ? 0 : 1;
}
#endif
