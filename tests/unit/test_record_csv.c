/* results.csv. */
#include "unit/locale_case.h"
#include "unit/record_sample.h"

#include "base/units.h"

/* A parsed table: cells[row][column]. */
typedef struct table {
    char *cells[64][128];
    size_t rows, columns[64];
} table;

/* RFC 4180, strictly: CRLF ends a row, quotes only around a whole cell. */
static void parse(const char *text, table *out)
{
    memset(out, 0, sizeof *out);
    while (*text) {
        gb_buf cell = {0};
        gb_buf_add(&cell, "");
        if (*text == '"') {
            for (text++; *text != '"' || text[1] == '"'; text++) {
                ck_assert_int_ne(*text, '\0');
                text += *text == '"';
                gb_buf_add_bytes(&cell, text, 1);
            }
            text++;
        } else {
            size_t n = strcspn(text, ",\r\n\"");
            gb_buf_add_bytes(&cell, text, n);
            text += n;
        }
        ck_assert(out->rows < 64 && out->columns[out->rows] < 128);
        out->cells[out->rows][out->columns[out->rows]++] = cell.data;
        if (*text == ',') {
            text++;
        } else {
            ck_assert_msg(strncmp(text, "\r\n", 2) == 0, "a row ends in: %.10s", text);
            text += 2;
            out->rows++;
        }
    }
}

static void free_table(table *t)
{
    for (size_t r = 0; r < t->rows; r++) {
        for (size_t c = 0; c < t->columns[r]; c++) {
            free(t->cells[r][c]);
        }
    }
}

static const char *at(const table *t, size_t row, const char *column)
{
    for (size_t c = 0; c < t->columns[0]; c++) {
        if (strcmp(t->cells[0][c], column) == 0) {
            return t->cells[row][c];
        }
    }
    ck_abort_msg("no column %s", column);
}

START_TEST(RES_08_names_come_back_from_csv_and_no_column_moves)
{
    static const char *const names[] = {
        "a,b",   "say \"x\", y", "line\nbreak", "=1+1", "@here",  "-dash",
        "+plus", "'quoted'",     "\tx",         "",     "ümläut", "NaN_Infinity_test"};
    enum { N = sizeof names / sizeof names[0] };
    gb_record records[N];
    for (size_t i = 0; i < N; i++) {
        sample_record(&records[i], names[i], 1024, 0, 8, 1000);
        json_object_set_new(records[i].params, "mode", json_string(names[i]));
    }
    char *text = gb_results_csv(NULL, records, N);
    table *t = malloc(sizeof *t);
    parse(text, t);
    ck_assert_uint_eq(t->rows, N + 1);
    for (size_t i = 0; i < N; i++) {
        ck_assert_uint_eq(t->columns[i + 1], t->columns[0]);
        static const char *const columns[] = {"benchmark", "param_mode"};
        for (size_t k = 0; k < 2; k++) {
            const char *cell = at(t, i + 1, columns[k]);
            ck_assert(!cell[0] || !strchr("=+-@\t\r", cell[0]));  /* no spreadsheet runs it */
            ck_assert_str_eq(cell + (cell[0] == '\''), names[i]); /* the documented way back */
        }
        gb_record_free(&records[i]);
    }
    free_table(t);
    free(t);
    free(text);
}
END_TEST

START_TEST(RES_09_numbers_have_points_and_stay_numbers)
{
    gb_record r;
    sample_record(&r, "copy", 1024, 0, 8, 1234.5);
    json_object_set_new(r.params, "offset", json_integer(-3));
    char *text = gb_results_csv(NULL, &r, 1);
    table *t = malloc(sizeof *t);
    parse(text, t);
    ck_assert_str_eq(at(t, 1, "time_ns_min"), "1234.5");
    ck_assert_str_eq(at(t, 1, "param_offset"), "-3"); /* a number, not a formula */
    char *end;
    const char *median = at(t, 1, "time_ns_median");
    ck_assert_double_eq(gb_strtod(median, &end), r.time.median);
    ck_assert_str_eq(end, "");
    free_table(t);
    free(t);
    free(text);
    gb_record_free(&r);
}
END_TEST

START_TEST(CPY_09_memory_kind_direction_and_device_are_in_every_row)
{
    gb_results results;
    ck_assert_int_eq(gb_results_load(FIXTURES "mixed", false, &results, NULL), GB_OK);
    char *text =
        gb_results_csv(json_object_get(results.document, "devices"), results.records, results.n);
    table *t = malloc(sizeof *t);
    parse(text, t);
    ck_assert_uint_eq(t->rows, 6);
    for (size_t i = 1; i < t->rows; i++) {
        ck_assert_contains(at(t, i, "case"), "memory=");
        ck_assert_contains(at(t, i, "case"), "direction=h2d");
        ck_assert_str_eq(at(t, i, "param_memory"), i == 5 ? "managed" : "pinned");
        ck_assert_str_eq(at(t, i, "param_direction"), "h2d");
        ck_assert_str_eq(at(t, i, "device_kind"), "cpu");
        ck_assert_str_eq(at(t, i, "device_name"), "Example CPU 9000");
        ck_assert_str_eq(at(t, i, "run_id"), "20260115T101500Z-4f1d"); /* RES-13 */
        bool ok = strcmp(at(t, i, "status"), "ok") == 0;
        ck_assert_int_eq(ok, i <= 3);
        ck_assert_int_eq(at(t, i, "bandwidth_bytes_per_s")[0] != '\0', ok); /* n/a is empty */
        ck_assert_int_eq(at(t, i, "time_ns_median")[0] != '\0', ok);
        ck_assert_int_eq(at(t, i, "reason")[0] == '\0', ok);
    }
    free_table(t);
    free(t);
    free(text);
    gb_results_free(&results);
}
END_TEST

START_TEST(records_with_other_metrics_and_parts_share_a_table)
{
    static const gb_metric_spec other[] = {{"rate", "1/s", "", true, GB_PER_ITEMS, -1},
                                           {"gap", "ns", "", false, GB_PER_NOTHING, -1},
                                           {"odd", "m/s", "", true, GB_PER_ITEMS, -1},
                                           {"busy", "%", "", true, GB_PART_SHARE, 0},
                                           {"cycles", "cycles", "", false, GB_PER_NOTHING, -1}};
    gb_record r[2];
    sample_record(&r[0], "copy", 1024, 0, 8, 1000);
    sample_record(&r[1], "launch", 1024, 0, 8, 1000);
    r[1].work.items = 1;
    r[1].parts_ns = json_pack("{s:f,s:n}", "enqueue", 12.5, "wait");
    gb_record_summarise(&r[1], other, 5, NULL);
    r[1].flags = GB_BIT(GB_FLAG_DRIFT) | GB_BIT(GB_FLAG_GATE_OFF);
    char *text = gb_results_csv(NULL, r, 2);
    table *t = malloc(sizeof *t);
    parse(text, t);
    ck_assert_uint_eq(t->columns[1], t->columns[0]);
    ck_assert_uint_eq(t->columns[2], t->columns[0]);
    ck_assert_str_ne(at(t, 1, "bandwidth_bytes_per_s"), "");
    ck_assert_str_eq(at(t, 2, "bandwidth_bytes_per_s"), "");
    ck_assert_str_ne(at(t, 2, "rate_per_s"), "");
    ck_assert_str_ne(at(t, 2, "gap_ns"), "");
    ck_assert_str_ne(at(t, 2, "busy_percent"), "");
    ck_assert_str_ne(at(t, 2, "odd_m/s"), "");
    ck_assert_str_ne(at(t, 2, "cycles"), ""); /* said once */
    ck_assert_str_eq(at(t, 2, "part_ns_enqueue"), "12.5");
    ck_assert_str_eq(at(t, 2, "part_ns_wait"), "");
    ck_assert_str_eq(at(t, 2, "flags"), "drift gate-off");
    free_table(t);
    free(t);
    free(text);
    gb_record_free(&r[0]);
    gb_record_free(&r[1]);
}
END_TEST

START_TEST(no_records_give_a_header_alone)
{
    char *text = gb_results_csv(NULL, NULL, 0);
    table *t = malloc(sizeof *t);
    parse(text, t);
    ck_assert_uint_eq(t->rows, 1);
    ck_assert_str_eq(t->cells[0][0], "run_id");
    for (size_t c = 0; c < t->columns[0]; c++) { /* every name once */
        for (size_t k = 0; k < c; k++) {
            ck_assert_str_ne(t->cells[0][c], t->cells[0][k]);
        }
    }
    free_table(t);
    free(t);
    free(text);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tcase = tcase_create("csv");
    use_environment_locale(tcase);
    tcase_add_test(tcase, RES_08_names_come_back_from_csv_and_no_column_moves);
    tcase_add_test(tcase, RES_09_numbers_have_points_and_stay_numbers);
    tcase_add_test(tcase, CPY_09_memory_kind_direction_and_device_are_in_every_row);
    tcase_add_test(tcase, records_with_other_metrics_and_parts_share_a_table);
    tcase_add_test(tcase, no_records_give_a_header_alone);
    suite_add_tcase(suite, tcase);
}

GB_CHECK_MAIN("record csv", add_cases)
