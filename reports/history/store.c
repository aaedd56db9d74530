/* Opening and making the file, and thin covers over SQLite's calls. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reports/history/internal.h"

#define WAIT_MS 60000
/* Of the header of a database file, https://www.sqlite.org/fileformat.html section 1.3. */
enum { HEADER = 100, AT_VERSION = 60, AT_APPLICATION = 68 };

const char *gb_history_default(void)
{
    const char *place = getenv("GPUBENCH_HISTORY");
    return place && place[0] ? place : "results/history.sqlite";
}

/* --- SQLite's calls ----------------------------------------------------------------------------
 */

gb_code gb_sql_fail(const gb_history *history, const char *doing, gb_error *err)
{
    switch (sqlite3_errcode(history->db)) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return gb_fail_at(err, GB_IN_USE, history->path, 0, 0,
                          "another process is writing to this history; try again");
    case SQLITE_NOMEM:
        return gb_fail(err, GB_NO_MEMORY, "out of memory for the history");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return gb_fail_at(
            err, GB_INVALID, history->path, 0, 0,
            "this history is damaged (%s); put a copy of it back, or move it away and "
            "add the runs again",
            sqlite3_errmsg(history->db));
    default: {
        const int number = sqlite3_system_errno(history->db);
        return gb_fail_at(err, GB_IO, history->path, 0, 0, "%s: %s%s%s", doing,
                          sqlite3_errmsg(history->db), number ? ": " : "",
                          number ? strerror(number) : "");
    }
    }
}

gb_code gb_sql_run(gb_history *history, const char *sql, gb_error *err)
{
    if (sqlite3_exec(history->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        return gb_sql_fail(history, "cannot be written", err);
    return GB_OK;
}

gb_code gb_sql_prepare(gb_history *history, const char *sql, sqlite3_stmt **out, gb_error *err)
{
    if (sqlite3_prepare_v2(history->db, sql, -1, out, NULL) != SQLITE_OK)
        return gb_sql_fail(history, "cannot be read", err);
    return GB_OK;
}

gb_code gb_sql_step(gb_history *history, sqlite3_stmt *statement, bool *row, gb_error *err)
{
    int status = sqlite3_step(statement);
    *row = status == SQLITE_ROW;
    if (status != SQLITE_ROW && status != SQLITE_DONE)
        return gb_sql_fail(history, "does not answer", err);
    return GB_OK;
}

const char *gb_sql_text(sqlite3_stmt *statement, int column)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return text ? text : "";
}

void gb_sql_bind(sqlite3_stmt *statement, int at, const char *text)
{
    sqlite3_bind_text(statement, at, text, -1, SQLITE_TRANSIENT);
}

gb_code gb_sql_begin(gb_history *history, gb_error *err)
{
    return gb_sql_run(history, "BEGIN IMMEDIATE", err);
}

gb_code gb_sql_end(gb_history *history, gb_code code, gb_error *err)
{
    if (!code)
        code = gb_sql_run(history, "COMMIT", err);
    if (code)
        sqlite3_exec(history->db, "ROLLBACK", NULL, NULL, NULL);
    return code;
}

/* --- looking at a file before SQLite does -------------------------------------------------------
 */

static uint32_t big_endian(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* Whether it is a history that this version can use; nothing is written, and no file made beside
 * one that is not ours. */
static gb_code look_at(const char *path, bool writes, gb_error *err)
{
    unsigned char header[HEADER];
    struct stat facts;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return gb_fail_at(err, GB_IO, path, 0, 0, "cannot be opened: %s", strerror(errno));
    ssize_t n = fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) ? read(fd, header, HEADER) : -1;
    close(fd);
    if (n < 0)
        return gb_fail_at(err, GB_INVALID, path, 0, 0, "is not a file that could be a history");
    if (n < HEADER || memcmp(header, "SQLite format 3", 16) != 0)
        return gb_fail_at(
            err, GB_INVALID, path, 0, 0,
            "is not a history of gpubench, or damaged from its first bytes on; it was "
            "left as it is: name another file, or move it away");
    if (big_endian(header + AT_APPLICATION) != GB_HISTORY_APPLICATION)
        return gb_fail_at(err, GB_INVALID, path, 0, 0,
                          "is a database of another program; it was left as it is: name another "
                          "file");
    uint32_t version = big_endian(header + AT_VERSION);
    if (version > (uint32_t)gb_history_version)
        return gb_fail_at(err, GB_INVALID, path, 0, 0,
                          "is of version %u and this gpubench knows up to %d; it was left as it "
                          "is: use the newer gpubench",
                          version, gb_history_version);
    if (!writes && version < (uint32_t)gb_history_version)
        return gb_fail_at(err, GB_INVALID, path, 0, 0,
                          "is of the older version %u; 'gpubench history add' brings it up to %d",
                          version, gb_history_version);
    return GB_OK;
}

/* The whole content: pages, records, order. */
static gb_code quick_check(gb_history *history, gb_error *err)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    gb_code code = gb_sql_prepare(history, "PRAGMA quick_check(1)", &statement, err);
    if (!code)
        code = gb_sql_step(history, statement, &row, err);
    if (!code && row && strcmp(gb_sql_text(statement, 0), "ok") != 0)
        code = gb_fail_at(err, GB_INVALID, history->path, 0, 0,
                          "this history is damaged (%s); put a copy of it back, or move it away "
                          "and add the runs again",
                          gb_sql_text(statement, 0));
    sqlite3_finalize(statement);
    return code;
}

/* --- making one ---------------------------------------------------------------------------------
 */

gb_code gb_history_folders(const char *path, gb_error *err)
{
    char *copy = gb_text_copy(path);
    gb_code code = copy ? GB_OK : gb_fail(err, GB_NO_MEMORY, "out of memory");
    for (char *slash = copy ? strchr(copy + 1, '/') : NULL; !code && slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(copy, 0777) != 0 && errno != EEXIST)
            code = gb_fail_at(err, GB_IO, copy, 0, 0, "cannot be made: %s", strerror(errno));
        *slash = '/';
    }
    free(copy);
    return code;
}

/* Removes what processes that were killed while making this history have left. */
static void sweep(const char *path)
{
    glob_t found;
    char *pattern = gb_text_format("%s.tmp-*", path);
    if (pattern && glob(pattern, GLOB_NOSORT, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            long pid = strtol(strrchr(found.gl_pathv[i], '-') + 1, NULL, 10);
            if (pid > 0 && kill((pid_t)pid, 0) != 0 && errno == ESRCH)
                unlink(found.gl_pathv[i]);
        }
        globfree(&found);
    }
    free(pattern);
}

/* Makes an empty history under a temporary name and gives it its name when it is whole; when
 * another process was faster, its file stays. */
static gb_code make(const char *path, gb_error *err)
{
    gb_history made = {0};
    char setup[64];
    gb_code code = gb_history_folders(path, err);
    if (code)
        return code;
    sweep(path);
    made.path = gb_text_format("%s.tmp-%ld", path, (long)getpid());
    if (!made.path)
        return gb_fail(err, GB_NO_MEMORY, "out of memory");
    unlink(made.path);
    if (sqlite3_open_v2(made.path, &made.db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) !=
        SQLITE_OK)
        code = gb_sql_fail(&made, "cannot be made", err);
    sqlite3_snprintf(sizeof setup, setup, "PRAGMA application_id = %d", GB_HISTORY_APPLICATION);
    if (!code)
        code = gb_sql_run(&made, setup, err);
    if (!code)
        code = gb_history_migrate(&made, err);
    if (!code)
        code = gb_sql_run(&made, "PRAGMA journal_mode = WAL", err);
    sqlite3_close(made.db);
    if (!code && link(made.path, path) != 0 && errno != EEXIST)
        code = gb_fail_at(err, GB_IO, path, 0, 0, "cannot be made: %s", strerror(errno));
    unlink(made.path);
    free(made.path);
    return code;
}

/* --- opening ------------------------------------------------------------------------------------
 */

/* Whether this process may write the file and into its folder, where SQLite makes files beside it.
 */
static bool may_write(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? gb_text_format("%.*s/", (int)(slash - path), path) : gb_text_copy(".");
    bool may = folder && access(path, W_OK) == 0 && access(folder, W_OK) == 0;
    free(folder);
    return may;
}

/* Whether there is a journal that has something in it: then the file alone is not all. */
static bool has_journal(const char *path)
{
    struct stat facts;
    char *journal = gb_text_format("%s-wal", path);
    bool has = !journal || (stat(journal, &facts) == 0 && facts.st_size > 0);
    free(journal);
    return has;
}

/* For who may not write: files that SQLite made beside the database would stay there as theirs, and
 * keep its owner out. Without a journal there it can be read as it is. */
static gb_code open_fixed(gb_history *history, gb_error *err)
{
    gb_buf uri = {0};
    gb_buf_add(&uri, "file:");
    for (const char *c = history->path; *c; c++) {
        if (strchr("%?#", *c))
            gb_buf_printf(&uri, "%%%02X", (unsigned char)*c);
        else
            gb_buf_add_bytes(&uri, c, 1);
    }
    gb_buf_add(&uri, "?immutable=1");
    sqlite3_close(history->db);
    history->db = NULL;
    gb_code code = uri.failed ? gb_fail(err, GB_NO_MEMORY, "out of memory") : GB_OK;
    if (!code && sqlite3_open_v2(uri.data, &history->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
                                 NULL) != SQLITE_OK)
        code = gb_sql_fail(history, "cannot be opened", err);
    gb_buf_free(&uri);
    return code;
}

static gb_code start(gb_history *history, gb_history_mode mode, gb_error *err)
{
    if (mode == GB_HISTORY_READ && !may_write(history->path)) {
        if (has_journal(history->path))
            return gb_fail_at(err, GB_IN_USE, history->path, 0, 0,
                              "another process is writing to this history, or was killed while it "
                              "did, and this user may not: try again, or let its owner read it "
                              "once ('gpubench history list')");
        gb_code fixed = open_fixed(history, err);
        return fixed ? fixed : quick_check(history, err);
    }
    /* Also for reading: only then does SQLite clear away, at the end, the files that it makes
     * beside the database. */
    if (sqlite3_open_v2(history->path, &history->db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
        return gb_sql_fail(history, "cannot be opened", err);
    sqlite3_busy_timeout(history->db, WAIT_MS);
    gb_code code = GB_OK;
    if (mode == GB_HISTORY_READ)
        code = gb_sql_run(history, "PRAGMA query_only = ON", err);
    if (!code)
        code = quick_check(history, err);
    if (!code && mode != GB_HISTORY_READ)
        code = gb_sql_run(history, "PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL", err);
    if (!code && mode != GB_HISTORY_READ)
        code = gb_history_migrate(history, err);
    return code;
}

gb_code gb_history_open(const char *path, gb_history_mode mode, gb_history **out, gb_error *err)
{
    *out = NULL;
    gb_code code = GB_OK;
    struct stat facts;
    if (stat(path, &facts) != 0 && errno == ENOENT) {
        code = mode == GB_HISTORY_CREATE
                   ? make(path, err)
                   : gb_fail_at(err, GB_IO, path, 0, 0,
                                "there is no such history; 'gpubench history add DIR' begins one");
    }
    if (!code)
        code = look_at(path, mode != GB_HISTORY_READ, err);
    if (code)
        return code;
    gb_history *history = calloc(1, sizeof *history);
    if (!history || !(history->path = gb_text_copy(path))) {
        free(history);
        return gb_fail(err, GB_NO_MEMORY, "out of memory for the history");
    }
    code = start(history, mode, err);
    if (code)
        gb_history_close(history);
    else
        *out = history;
    return code;
}

void gb_history_close(gb_history *history)
{
    if (!history)
        return;
    for (size_t i = 0; i < history->n_environments; i++)
        gb_environment_free(&history->environments[i]);
    free(history->environments);
    sqlite3_close(history->db);
    free(history->path);
    free(history);
}
