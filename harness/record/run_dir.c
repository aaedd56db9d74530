/* The run directory: opened before anything is measured (run_dir_place.c), then written so that
 * whatever stops the run, what was finished before stays and nothing half-written looks whole
 * (run_dir_results.c). */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/text.h"
#include "record/internal.h"

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
    gb_code code = gb_dir_make(path, resume, &made, err);
    if (code != GB_OK) {
        return code;
    }
    gb_run_dir *dir = calloc(1, sizeof *dir);
    if (!dir) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory");
    }
    dir->fd = dir->lock.fd = -1;
    dir->path = gb_text_copy(path);
    dir->lines_path = gb_path_join(path, GB_LINES_NAME);
    dir->done = json_object();
    if (!dir->path || !dir->lines_path || !dir->done) {
        code = gb_fail(err, GB_NO_MEMORY, "out of memory");
        goto done;
    }
    /* Locked first, looked at then: two runs that start at once do not both find it empty. */
    code = gb_lock_take(path, &dir->lock, err);
    if (code == GB_OK) {
        code = gb_dir_prepare(path, resume, err);
    }
    if (code == GB_OK) {
        code = open_lines(dir, err);
    }
    if (code == GB_OK) {
        code = gb_dir_sync(path, err);
    }
    if (code == GB_OK && made) {
        code = gb_dir_sync_parent(path, err);
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
    char *table = gb_path_join(dir->path, GB_TABLE_NAME);
    gb_code code = GB_OK;
    if (!table) {
        code = gb_fail(err, GB_NO_MEMORY, "out of memory");
    } else if (unlink(table) != 0 && errno != ENOENT) {
        code = gb_fail_at(err, GB_IO, table, 0, 0, "cannot be removed: %s", strerror(errno));
    }
    free(table);
    if (code == GB_OK) {
        dir->begun = true;
        code = gb_results_write(dir->path, dir->lines_path, head, false, false, err);
    }
    return code;
}

gb_code gb_run_dir_finish(gb_run_dir *dir, const gb_head *head, bool complete, gb_error *err)
{
    return gb_results_write(dir->path, dir->lines_path, head, complete, true, err);
}
