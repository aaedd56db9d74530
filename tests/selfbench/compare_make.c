/* A run directory to compare: compare_make DIR CASES REPLICATES SEED writes DIR/results.json with
 * records as a run makes them, of 60 samples each. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json.h"
#include "base/rng.h"
#include "base/text.h"
#include "record/run_dir.h"

enum { SAMPLES = 60 };

static const gb_metric_spec metrics[] = {
    {"bandwidth", "B/s", "bytes moved per second", true, GB_PER_BYTES_MOVED, -1}};

static char *one(uint32_t n, uint32_t replicate, gb_rng *rng)
{
    gb_record r;
    gb_record_init(&r);
    r.case_id = gb_text_format("copy[bytes=%u,direction=h2d,memory=pinned]", n + 1024);
    r.benchmark = gb_text_copy("copy");
    r.kernel = gb_text_copy("copy");
    r.params = json_pack("{s:I, s:s, s:s, s:i}", "bytes", (json_int_t)n + 1024, "direction", "h2d",
                         "memory", "pinned", "pieces", 1);
    snprintf(r.definition, sizeof r.definition, "%064x", n);
    snprintf(r.run_id, sizeof r.run_id, "2026-01-15T10:15:00Z-000001");
    snprintf(r.started, sizeof r.started, "2026-01-15T10:15:00Z");
    r.index = r.order = n;
    r.replicate = replicate;
    r.verified = 1;
    r.converged = true;
    snprintf(r.stopped_by, sizeof r.stopped_by, "precision");
    r.iterations_per_sample = 64;
    r.resolution_ns = 20;
    r.first_call_ns = 91000;
    r.work = (gb_work){.bytes_read = n + 1024, .bytes_moved = n + 1024, .working_set = 2 * n};
    r.samples_ns = calloc(SAMPLES, sizeof r.samples_ns[0]);
    r.n_samples = SAMPLES;
    double centre = 1000 * (1 + 0.01 * gb_rng_unit(rng));
    for (int i = 0; r.samples_ns && i < SAMPLES; i++)
        r.samples_ns[i] = centre * (1 + 0.01 * gb_rng_unit(rng));
    gb_record_summarise(&r, metrics, 1, NULL);
    r.phases_ns = json_pack("{s:f, s:f, s:f, s:f, s:f, s:f}", "setup", 1e5, "warmup", 1e8,
                            "measure", 2e7, "verify", 1e5, "teardown", 1e4, "total", 1.3e8);
    json_t *json = gb_record_json(&r, false);
    char *line = json ? gb_json_line(json) : NULL;
    json_decref(json);
    gb_record_free(&r);
    return line;
}

int main(int argc, char *argv[])
{
    if (argc != 5)
        return EXIT_FAILURE;
    uint32_t cases = (uint32_t)strtoul(argv[2], NULL, 10);
    uint32_t replicates = (uint32_t)strtoul(argv[3], NULL, 10);
    gb_rng rng = {strtoull(argv[4], NULL, 10)};
    char *path = gb_text_format("%s/results.json", argv[1]);
    (void)mkdir(argv[1], 0777); /* what cannot be made shows when the file is written */
    FILE *file = path ? fopen(path, "w") : NULL;
    free(path);
    if (!file)
        return EXIT_FAILURE;
    fprintf(file, "{\"schema\": \"gpubench-results/1\", \"complete\": true, \"tool\": {}, \"run\": "
                  "{\"id\": \"made\"}, \"suite\": {\"name\": \"made\"}, \"host\": {},\n"
                  "\"devices\": [{\"id\": 0, \"kind\": \"cuda\", \"name\": \"made up\"}],\n"
                  "\"records\": [\n");
    for (uint32_t n = 0; n < cases; n++) {
        for (uint32_t i = 0; i < replicates; i++) {
            char *line = one(n, i, &rng);
            if (!line)
                return EXIT_FAILURE;
            fprintf(file, "%s%s", n + i > 0 ? ",\n" : "", line);
            free(line);
        }
    }
    fprintf(file, "\n]}\n");
    return fclose(file) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
