/* Makes a history of SERIES x NIGHTS for scripts/selfbench: the tables by the library itself, the
 * rows in one statement.
 *   history_make FILE SERIES NIGHTS */
#include <stdio.h>
#include <stdlib.h>

#include <sqlite3.h>

#include "reports/history/history.h"

/* Noise from a multiplicative hash of series and night; every tenth series became 3 % slower 30
 * nights ago, so that the permutation tests of those go to their end. */
static const char rows[] =
    "PRAGMA synchronous = OFF; BEGIN;"
    "INSERT INTO environments VALUES (1, 'host', 'GPU-1', '550', '12.4', '', '6.1', '', '0.1.0');"
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)"
    " INSERT INTO runs SELECT i, 'run-' || i, 1600000000 + i * 86400, 'made', '', 1, NULL FROM n;"
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)"
    " INSERT INTO series SELECT i, 'case[n=' || i || ']', 'definition-' || i, 'Example GPU', "
    "'cuda',"
    " '', 'on', 'time', 'ns', 0, NULL FROM n;"
    "INSERT INTO points SELECT s.id, r.started, r.id, r.id, 1,"
    " 1000.0 * (1 + ((s.id * 2654435761 + r.id * 40503 * 69069) %% 65521 / 65521.0 - 0.5) * 0.03)"
    " * (CASE WHEN s.id %% 10 = 0 AND r.id > %d - 30 THEN 1.03 ELSE 1 END),"
    " 1000.0, 0.005, 5, 'ok', '', '' FROM series s, runs r ORDER BY s.id, r.id;"
    "COMMIT;";

int main(int argc, char *argv[])
{
    gb_history *history = NULL;
    gb_error err = {0};
    sqlite3 *db = NULL;
    if (argc != 4)
        return 2;
    if (gb_history_open(argv[1], GB_HISTORY_CREATE, &history, &err) != GB_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    gb_history_close(history);
    int series = atoi(argv[2]), nights = atoi(argv[3]);
    char *sql = sqlite3_mprintf(rows, nights, series, nights);
    int status = sqlite3_open(argv[1], &db);
    if (status == SQLITE_OK)
        status = sqlite3_exec(db, sql, NULL, NULL, NULL);
    if (status != SQLITE_OK)
        fprintf(stderr, "%s\n", sqlite3_errmsg(db));
    sqlite3_close(db);
    sqlite3_free(sql);
    return status != SQLITE_OK;
}
