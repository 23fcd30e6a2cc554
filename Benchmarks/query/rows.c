/* The year as plain rows of SQLite, indexed by their time: what a script would do.
 *
 *   rows build SERIES REPEAT START DATABASE    a row a second: time, PM2.5, PM10 in tenths
 *   rows ask DATABASE ROUNDS                   prints JSON; the first round is not counted
 *
 * The year in 500 points is asked as SQL asks it: avg, min, max grouped over all rows.
 */
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static sqlite3 *database;

static void check(int code) {
    if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return;
    fprintf(stderr, "rows: %s\n", sqlite3_errmsg(database));
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static void build(const char *series, int repeat, long start, const char *path) {
    FILE *file = fopen(series, "rb");
    if (!file) { perror(series); exit(1); }
    fseek(file, 0, SEEK_END);
    long count = ftell(file) / 4;
    rewind(file);
    uint8_t *bytes = malloc(count * 4);
    if (!bytes || fread(bytes, 4, count, file) != (size_t)count) exit(1);
    fclose(file);
    check(sqlite3_open(path, &database));
    check(sqlite3_exec(database, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
                       "CREATE TABLE samples(time INTEGER PRIMARY KEY, pm25 INT, pm10 INT); BEGIN",
                       0, 0, 0));
    sqlite3_stmt *insert;
    check(sqlite3_prepare_v2(database, "INSERT INTO samples VALUES(?,?,?)", -1, &insert, 0));
    long time = start;
    for (int round = 0; round < repeat; round++) {
        for (long row = 0; row < count; row++) {
            const uint8_t *at = bytes + row * 4;
            sqlite3_bind_int64(insert, 1, ++time);
            sqlite3_bind_int(insert, 2, at[0] | at[1] << 8);
            sqlite3_bind_int(insert, 3, at[2] | at[3] << 8);
            check(sqlite3_step(insert));
            sqlite3_reset(insert);
        }
        fprintf(stderr, "bench: rows: %d of %d\r", round + 1, repeat);
    }
    fputc('\n', stderr);
    sqlite3_finalize(insert);
    check(sqlite3_exec(database, "COMMIT", 0, 0, 0));
}

struct answer { long rows; long long sum; };

/* One look at the index; both ends in one statement would read the whole table. */
static long long edge(const char *sql) {
    sqlite3_stmt *statement;
    check(sqlite3_prepare_v2(database, sql, -1, &statement, 0));
    check(sqlite3_step(statement));
    long long time = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return time;
}

static struct answer ask(int year) {
    sqlite3_stmt *rows;
    long long start = edge("SELECT min(time) FROM samples");
    long long end = edge("SELECT max(time) FROM samples") + 1;
    const char *sql = year
        ? "SELECT (time - ?1) / ?2, sum(pm25), min(pm25), avg(pm25), max(pm25), count(*)"
          " FROM samples WHERE time >= ?1 GROUP BY 1"
        : "SELECT time, pm25 + pm10 FROM samples WHERE time >= ?1";
    check(sqlite3_prepare_v2(database, sql, -1, &rows, 0));
    sqlite3_bind_int64(rows, 1, year ? start : end - 86400);
    if (year) sqlite3_bind_int64(rows, 2, (end - start + 499) / 500);
    struct answer answer = {0, 0};
    while (sqlite3_step(rows) == SQLITE_ROW) {
        answer.rows++;
        answer.sum += sqlite3_column_int64(rows, 1);
    }
    sqlite3_finalize(rows);
    return answer;
}

static int compare(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static void measure(const char *name, int year, int rounds) {
    double times[1000];
    if (rounds > 1000) rounds = 1000;
    struct answer answer = ask(year);
    for (int round = 0; round < rounds; round++) {
        double start = now();
        ask(year);
        times[round] = now() - start;
    }
    qsort(times, rounds, sizeof *times, compare);
    printf("\"%s\": {\"milliseconds\": %.4f, \"best\": %.4f, \"rows\": %ld, \"sum\": %lld}",
           name, times[rounds / 2], times[0], answer.rows, answer.sum);
}

int main(int count, char **words) {
    if (count == 6 && !strcmp(words[1], "build")) {
        build(words[2], atoi(words[3]), atol(words[4]), words[5]);
    } else if (count == 4 && !strcmp(words[1], "ask")) {
        check(sqlite3_open_v2(words[2], &database, SQLITE_OPEN_READONLY, 0));
        int rounds = atoi(words[3]);
        printf("{");
        measure("day", 0, rounds);
        printf(", ");
        measure("year", 1, rounds < 3 ? rounds : 3);
        printf("}\n");
    } else {
        fprintf(stderr, "see the head of rows.c\n");
        return 2;
    }
    return sqlite3_close(database) != SQLITE_OK;
}
