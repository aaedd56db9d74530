/* The peer of scripts/selfbench on a CPU: STREAM's copy and triad (J. McCalpin,
 * https://www.cs.virginia.edu/stream/) as plain C with OpenMP.
 *
 *   stream_peer copy|triad BYTES_PER_ARRAY ROUNDS   prints the median ns of an iteration */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void copy(double *restrict a, const double *restrict b, size_t n)
{
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; i++) {
        a[i] = b[i];
    }
}

static void triad(double *restrict a, const double *restrict b, const double *restrict c, double s,
                  size_t n)
{
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; i++) {
        a[i] = b[i] + s * c[i];
    }
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: stream_peer copy|triad BYTES_PER_ARRAY ROUNDS\n");
        return 2;
    }
    size_t n = strtoull(argv[2], NULL, 10) / sizeof(double), rounds = strtoull(argv[3], NULL, 10);
    double *a = aligned_alloc(4096, n * sizeof *a), *b = aligned_alloc(4096, n * sizeof *b);
    double *c = aligned_alloc(4096, n * sizeof *c);
    uint64_t *ns = calloc(rounds, sizeof *ns);
    if (a == NULL || b == NULL || c == NULL || ns == NULL || rounds == 0 || n == 0) {
        fprintf(stderr, "stream_peer: no memory or bad sizes\n");
        return 1;
    }
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; i++) { /* first touch by the thread that uses it */
        a[i] = 0;
        b[i] = (double)(i % 1000) * 0.5;
        c[i] = (double)(i % 777) * 0.25;
    }
    for (size_t r = 0; r < rounds; r++) {
        uint64_t start = now_ns();
        if (strcmp(argv[1], "copy") == 0) {
            copy(a, b, n);
        } else {
            triad(a, b, c, 3.0, n);
        }
        ns[r] = now_ns() - start;
    }
    qsort(ns, rounds, sizeof *ns, by_value);
    double check = a[n / 2]; /* the result is used */
    printf("%" PRIu64 "\n", ns[rounds / 2]);
    fprintf(stderr, "%g\n", check);
    free(a);
    free(b);
    free(c);
    free(ns);
    return 0;
}
