/* The run directory: made and checked before anything is measured, then written so that whatever
 * stops the run, what was finished before stays and nothing half-written looks whole. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/text.h"
#include "record/internal.h"

static const char lines_name[] = "cases.jsonl";
static const char document_name[] = "results.json";
static const char table_name[] = "results.csv";

struct gb_run_dir {
    char *path;
    char *lines_path;
    gb_lock lock;
    int fd;          /* cases.jsonl, for appending */
    bool torn;       /* its last line was cut off */
    bool begun;      /* the head was written */
    json_t *done;    /* index of the records that need not be taken again */
    char run_id[64]; /* of the head, for the records to come */
    char started[32];
};

const char *gb_run_dir_path(const gb_run_dir *dir)
{
    return dir->path;
}

bool gb_run_dir_torn(const gb_run_dir *dir)
{
    return dir->torn;
}

/* ---- opening -------------------------------------------------------------------------------- */

/* fsync of the directory that holds `path`, so that a new run directory survives a power cut. */
static gb_code sync_parent(const char *path, gb_error *err)
{
    char *up = gb_path_join(path, "..");
    gb_code code = up ? gb_dir_sync(up, err) : gb_fail(err, GB_NO_MEMORY, "out of memory");
    free(up);
    return code;
}

/* Says why a directory cannot be made. */
static gb_code mkdir_error(const char *path, int why, gb_error *err)
{
    switch (why) {
    case ENOTDIR:
        return gb_fail_at(err, GB_IO, path, 0, 0,
                          "cannot be created: a part of the path is a file, not a directory");
    default:
        return gb_fail_at(err, GB_IO, path, 0, 0, "cannot be created: %s", strerror(why));
    }
}

/* Makes what is missing on the way to the directory, as mkdir -p does. */
static gb_code make_parents(const char *path, gb_error *err)
{
    char *part = gb_text_copy(path);
    gb_code code = part ? GB_OK : gb_fail(err, GB_NO_MEMORY, "out of memory");
    for (char *slash = part ? strchr(part + 1, '/') : NULL; code == GB_OK && slash;
         slash = strchr(slash + 1, '/')) {
        struct stat st;
        *slash = '\0';
        /* Looked for first: on a read-only disk mkdir fails also for what is there. */
        if (stat(part, &st) != 0) {
            if (mkdir(part, 0777) == 0) {
                code = sync_parent(part, err);
            } else if (errno != EEXIST) {
                code = mkdir_error(part, errno, err);
            }
        }
        *slash = '/';
    }
    free(part);
    return code;
}

/* Makes the directory, or sees that it is one. *made: it is new. */
static gb_code make_directory(const char *path, bool resume, bool *made, gb_error *err)
{
    struct stat st;
    *made = false;
    if (path[0] == '\0') {
        return gb_fail(err, GB_IO, "the name of the run directory is empty");
    }
    if (!resume) {
        bool there = mkdir(path, 0777) == 0;
        if (!there && errno == ENOENT) {
            gb_code code = make_parents(path, err);
            if (code != GB_OK) {
                return code;
            }
            there = mkdir(path, 0777) == 0;
        }
        if (there) {
            *made = true;
            return GB_OK;
        }
        if (errno != EEXIST) {
            return mkdir_error(path, errno, err);
        }
    }
    if (stat(path, &st) != 0) {
        return gb_fail_at(err, GB_IO, path, 0, 0, "%s",
                          resume ? "there is no such run directory to resume"
                                 : "a symbolic link that leads nowhere is in the way");
    }
    if (!S_ISDIR(st.st_mode)) {
        return gb_fail_at(err, GB_IO, path, 0, 0, "a file is in the way of the run directory");
    }
    return GB_OK;
}

/* The lock and left-over temporary files are not content. */
static bool is_content(const char *name)
{
    size_t n = strlen(name), end = strlen(GB_TEMPORARY);
    return strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && strcmp(name, ".lock") != 0 &&
           !(strncmp(name, "results.", 8) == 0 && n > end &&
             strcmp(name + n - end, GB_TEMPORARY) == 0);
}

/* A new run needs an empty directory, a resumed one a run directory (or an empty one: the run was
 * stopped before its first record). */
static gb_code check_content(const char *path, bool resume, gb_error *err)
{
    DIR *stream = opendir(path);
    if (!stream) {
        return gb_fail_at(err, GB_IO, path, 0, 0, "cannot be read: %s", strerror(errno));
    }
    char other[256] = "";
    bool lines = false, run = false;
    for (const struct dirent *entry; (entry = readdir(stream));) {
        if (is_content(entry->d_name)) {
            snprintf(other, sizeof other, "%s", entry->d_name);
            lines = lines || strcmp(entry->d_name, lines_name) == 0;
            run = run || lines || strcmp(entry->d_name, document_name) == 0;
        }
    }
    closedir(stream);
    if (!other[0] || (resume && lines)) {
        return GB_OK;
    }
    if (resume) {
        return gb_fail_at(err, GB_IO, path, 0, 0, "nothing to resume: it holds '%s', but no %s",
                          other, lines_name);
    }
    return gb_fail_at(
        err, GB_IO, path, 0, 0,
        run ? "holds a run already: give another name, remove it, or go on with it by "
              "--resume (it has '%s')"
            : "not empty: give another name or an empty directory (it has '%s')",
        other);
}

/* Removes temporary files of a run that was killed, and sees that nothing but files is under the
 * names that will be written. */
static gb_code check_names(const char *path, gb_error *err)
{
    static const char *const names[] = {lines_name, document_name, table_name};
    gb_code code = GB_OK;
    for (size_t i = 0; code == GB_OK && i < sizeof names / sizeof names[0]; i++) {
        struct stat st;
        char *file = gb_path_join(path, names[i]);
        char *temporary = file ? gb_text_format("%s" GB_TEMPORARY, file) : NULL;
        if (!temporary) {
            code = gb_fail(err, GB_NO_MEMORY, "out of memory");
        } else if (unlink(temporary) != 0 && errno != ENOENT) {
            code =
                gb_fail_at(err, GB_IO, temporary, 0, 0, "cannot be removed: %s", strerror(errno));
        } else if (stat(file, &st) == 0 && !S_ISREG(st.st_mode)) {
            code = gb_fail_at(err, GB_IO, file, 0, 0, "is in the way: not a regular file");
        }
        free(temporary);
        free(file);
    }
    return code;
}

/* Notes whether a record need not be taken again. */
static gb_code note_record(gb_run_dir *dir, const gb_record *record, gb_error *err)
{
    if (record->status == GB_STATUS_OK || record->status == GB_STATUS_SKIPPED) {
        return gb_index_put(dir->done, record, 0, err);
    }
    gb_index_remove(dir->done, record);
    return GB_OK;
}

/* Reads what there is, and mends the end of the file: a torn line is cut off, a whole one that only
 * lacks its newline gets it. */
static gb_code take_up(gb_run_dir *dir, gb_error *err)
{
    gb_results results = {0};
    FILE *stream = NULL;
    uint64_t whole = 0;
    struct stat st;
    gb_code code = gb_file_open(dir->lines_path, &stream, err);
    if (code == GB_OK) {
        code = gb_lines_read(stream, dir->lines_path, false, &results, &whole, err);
    }
    for (size_t i = 0; code == GB_OK && i < results.n; i++) {
        code = note_record(dir, &results.records[i], err);
    }
    if (code == GB_OK && fstat(dir->fd, &st) == 0 && (uint64_t)st.st_size > whole) {
        dir->torn = results.torn;
        bool mended =
            results.torn ? ftruncate(dir->fd, (off_t)whole) == 0 : write(dir->fd, "\n", 1) == 1;
        if (!mended) {
            code = gb_fail_at(err, GB_IO, dir->lines_path, 0, 0, "cannot be written: %s",
                              strerror(errno));
        }
    }
    if (stream) {
        fclose(stream);
    }
    gb_results_free(&results);
    return code;
}

static gb_code open_lines(gb_run_dir *dir, gb_error *err)
{
    dir->fd = open(dir->lines_path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (dir->fd < 0) {
        return gb_fail_at(err, GB_IO, dir->lines_path, 0, 0, "cannot be written: %s",
                          strerror(errno));
    }
    gb_code code = take_up(dir, err);
    if (code == GB_OK) {
        code = gb_file_sync(dir->fd, dir->lines_path, err);
    }
    return code;
}

gb_code gb_run_dir_open(const char *path, bool resume, gb_run_dir **out, gb_error *err)
{
    bool made;
    gb_code code = make_directory(path, resume, &made, err);
    if (code != GB_OK) {
        return code;
    }
    gb_run_dir *dir = calloc(1, sizeof *dir);
    if (!dir) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory");
    }
    dir->fd = dir->lock.fd = -1;
    dir->path = gb_text_copy(path);
    dir->lines_path = gb_path_join(path, lines_name);
    dir->done = json_object();
    if (!dir->path || !dir->lines_path || !dir->done) {
        code = gb_fail(err, GB_NO_MEMORY, "out of memory");
        goto done;
    }
    /* Locked first, looked at then: two runs that start at once do not both find it empty. */
    code = gb_lock_take(path, &dir->lock, err);
    if (code == GB_OK) {
        code = check_content(path, resume, err);
    }
    if (code == GB_OK) {
        code = check_names(path, err);
    }
    if (code == GB_OK) {
        code = open_lines(dir, err);
    }
    if (code == GB_OK) {
        code = gb_dir_sync(path, err);
    }
    if (code == GB_OK && made) {
        code = sync_parent(path, err);
    }
done:
    if (code != GB_OK) {
        gb_run_dir_close(dir);
        return code;
    }
    *out = dir;
    return GB_OK;
}

void gb_run_dir_close(gb_run_dir *dir)
{
    if (!dir) {
        return;
    }
    if (dir->fd >= 0) {
        struct stat st;
        if (!dir->begun && fstat(dir->fd, &st) == 0 && st.st_size == 0) {
            unlink(dir->lines_path); /* nothing came of it: the name is free for the next try */
        }
        close(dir->fd);
    }
    gb_lock_release(&dir->lock);
    json_decref(dir->done);
    free(dir->lines_path);
    free(dir->path);
    free(dir);
}

bool gb_run_dir_has(const gb_run_dir *dir, int device, const char *case_id, uint32_t replicate)
{
    return gb_index_find(dir->done, device, case_id, replicate, NULL);
}

/* ---- records -------------------------------------------------------------------------------- */

/* All or nothing: when the line does not fit, the file ends where it ended before. One write()
 * takes it whole unless the disk is nearly full or a limit is near; the next one then says which.
 */
static gb_code append_bytes(gb_run_dir *dir, const char *bytes, size_t n, gb_error *err)
{
    off_t before = lseek(dir->fd, 0, SEEK_END);
    size_t written = 0;
    while (before >= 0 && written < n) {
        ssize_t more = write(dir->fd, bytes + written, n - written);
        if (more < 0 && errno != EINTR) {
            break;
        }
        written += more > 0 ? (size_t)more : 0;
    }
    if (before >= 0 && written == n) {
        return gb_file_sync(dir->fd, dir->lines_path, err);
    }
    int why = errno;
    bool whole = before >= 0 && ftruncate(dir->fd, before) == 0;
    return gb_fail_at(err, GB_IO, dir->lines_path, 0, 0, "the record cannot be written: %s; %s",
                      strerror(why),
                      whole ? "those before are whole" : "a torn line may be at the end");
}

/* The line of a record. What could not be read back is refused now, not after hours. */
static gb_code record_line(const gb_run_dir *dir, const gb_record *record, gb_buf *line,
                           gb_error *err)
{
    gb_record again;
    gb_error why;
    char *text = NULL;
    if (!record->case_id) {
        return gb_fail(err, GB_INTERNAL, "a record without a case");
    }
    gb_code code = GB_OK;
    json_t *json = gb_record_json(record, true);
    if (!json || (dir->run_id[0] &&
                  (gb_json_set(json, "run_id", gb_json_string(dir->run_id), NULL) != GB_OK ||
                   gb_json_set(json, "started", gb_json_string(dir->started), NULL) != GB_OK))) {
        code = gb_fail(err, GB_NO_MEMORY, "out of memory for a record");
        goto done;
    }
    code = gb_record_from_json(json, "record", &again, &why);
    if (code != GB_OK) {
        code = gb_fail(err, code == GB_INVALID ? GB_INTERNAL : code, "%s: %s", record->case_id,
                       why.message);
        goto done;
    }
    gb_record_free(&again);
    text = gb_json_line(json);
    if (text) {
        gb_buf_add(line, text);
        gb_buf_add(line, "\n");
    }
    if (!text || line->failed) {
        code = gb_fail(err, GB_NO_MEMORY, "out of memory for a record");
    }
done:
    free(text);
    json_decref(json);
    return code;
}

gb_code gb_run_dir_append(gb_run_dir *dir, const gb_record *record, gb_error *err)
{
    gb_buf line = {0};
    gb_code code = record_line(dir, record, &line, err);
    if (code == GB_OK) {
        code = append_bytes(dir, line.data, line.length, err);
    }
    if (code == GB_OK) {
        code = note_record(dir, record, err);
    }
    gb_buf_free(&line);
    return code;
}

/* ---- results -------------------------------------------------------------------------------- */

/* The document without its records. New reference; NULL on out of memory. */
static json_t *head_json(const gb_head *head, bool complete, const char *hardware_fault)
{
    json_t *document = json_pack("{s:s,s:b,s:s?}", "schema", GB_RESULTS_SCHEMA, "complete",
                                 complete, "hardware_fault", hardware_fault);
    const struct {
        const char *key;
        json_t *value;
    } parts[] = {{"tool", head->tool},
                 {"run", head->run},
                 {"suite", head->suite},
                 {"host", head->host},
                 {"devices", head->devices}};
    bool failed = !document;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i].value && json_object_set(document, parts[i].key, parts[i].value) != 0) {
            failed = true;
        }
    }
    if (head->extra && json_object_update_missing(document, head->extra) != 0) {
        failed = true;
    }
    if (failed) {
        json_decref(document);
        return NULL;
    }
    return document;
}

/* The document with one record a line: jansson writes each part, and a file of thousands of records
 * needs no tree of its own in memory. */
static gb_code write_document(FILE *stream, const json_t *head, const gb_record records[], size_t n,
                              gb_error *err)
{
    gb_code code = GB_OK;
    char *text = gb_json_line(head);
    if (!text) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for results.json");
    }
    text[strlen(text) - 1] = '\0'; /* the closing brace comes after the records */
    fprintf(stream, "%s,\"records\":[", text);
    free(text);
    for (size_t i = 0; i < n; i++) {
        json_t *json = gb_record_json(&records[i], false);
        text = json ? gb_json_line(json) : NULL;
        json_decref(json);
        if (!text) {
            code = gb_fail(err, GB_NO_MEMORY, "out of memory for results.json");
            break;
        }
        fprintf(stream, "%s\n%s", i > 0 ? "," : "", text);
        free(text);
    }
    fputs("\n]}\n", stream);
    return code;
}

static gb_code replace_document(const gb_run_dir *dir, const gb_head *head, bool complete,
                                const gb_results *results, gb_error *err)
{
    gb_replace file;
    json_t *json = head_json(head, complete, results->hardware_fault);
    if (!json) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for results.json");
    }
    gb_code code = gb_replace_begin(&file, dir->path, document_name, err);
    if (code == GB_OK) {
        code = write_document(file.stream, json, results->records, results->n, err);
        code = gb_replace_end(&file, code, err);
    }
    json_decref(json);
    return code;
}

static gb_code replace_table(const gb_run_dir *dir, const gb_head *head, const gb_results *results,
                             gb_error *err)
{
    gb_replace file;
    char *text = gb_results_csv(head->devices, results->records, results->n);
    if (!text) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for results.csv");
    }
    gb_code code = gb_replace_begin(&file, dir->path, table_name, err);
    if (code == GB_OK) {
        fputs(text, file.stream);
        code = gb_replace_end(&file, GB_OK, err);
    }
    free(text);
    return code;
}

static gb_code write_results(const gb_run_dir *dir, const gb_head *head, bool complete, bool table,
                             gb_error *err)
{
    gb_results results = {0};
    FILE *stream = NULL;
    uint64_t whole;
    gb_code code = gb_file_open(dir->lines_path, &stream, err);
    if (code == GB_OK) {
        code = gb_lines_read(stream, dir->lines_path, false, &results, &whole, err);
        fclose(stream);
    }
    if (code == GB_OK) {
        gb_records_sort(results.records, results.n);
        if (table) {
            code = replace_table(dir, head, &results, err);
        }
    }
    if (code == GB_OK) { /* last: when it says complete, all is there */
        code = replace_document(dir, head, complete, &results, err);
    }
    gb_results_free(&results);
    return code;
}

gb_code gb_run_dir_begin(gb_run_dir *dir, const gb_head *head, gb_error *err)
{
    const char *id = json_string_value(json_object_get(head->run, "id"));
    /* Of a run that was gone on with: when this leg of it began. */
    const json_t *legs = json_object_get(head->run, "legs");
    size_t n = json_array_size(legs);
    const json_t *leg = n > 0 ? json_array_get(legs, n - 1) : head->run;
    const char *started = json_string_value(json_object_get(leg, "started"));
    snprintf(dir->run_id, sizeof dir->run_id, "%s", id ? id : "");
    snprintf(dir->started, sizeof dir->started, "%s", started ? started : "");
    /* A table of an earlier session would pass for one of this. */
    char *table = gb_path_join(dir->path, table_name);
    gb_code code = GB_OK;
    if (!table) {
        code = gb_fail(err, GB_NO_MEMORY, "out of memory");
    } else if (unlink(table) != 0 && errno != ENOENT) {
        code = gb_fail_at(err, GB_IO, table, 0, 0, "cannot be removed: %s", strerror(errno));
    }
    free(table);
    if (code == GB_OK) {
        dir->begun = true;
        code = write_results(dir, head, false, false, err);
    }
    return code;
}

gb_code gb_run_dir_finish(gb_run_dir *dir, const gb_head *head, bool complete, gb_error *err)
{
    return write_results(dir, head, complete, true, err);
}
