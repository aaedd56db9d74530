/* The neighbour itself: `gpubench worker --task neighbour KIND INDEX UUID LOAD BYTES ROUNDS SEED`.
 * It works until it is killed; what it says is in neighbour.h. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "kernels/neighbour.h"

#define ROUND_NS UINT64_C(5000000)
#define MOST_IN_ROUND                                                                              \
    256 /* launches that wait at once: a driver's queue holds about a thousand                     \
         */

enum { UUID = GB_TASK_MORE, LOAD, BYTES, ROUNDS, SEED, ARGUMENTS };

/* Says a line whole or not at all: a listener that is busy elsewhere must not hold up the load.
 * Reports are sums, so that one may be left out. */
static void say(const char *line)
{
    const ssize_t written = write(GB_PROCESS_FD, line, strlen(line));
    (void)written;
}

static bool read_load(char *argv[], gb_load_spec *out)
{
    int kind = 0;
    while (kind < GB_LOADS && strcmp(gb_load_words[kind], argv[LOAD]) != 0)
        kind++;
    *out = (gb_load_spec){.kind = (gb_load_kind)kind,
                          .bytes = strtoull(argv[BYTES], NULL, 10),
                          .rounds = (uint32_t)strtoul(argv[ROUNDS], NULL, 10)};
    return kind < GB_LOADS && out->bytes > 0 && out->bytes % sizeof(uint32_t) == 0;
}

/* The device, which must be the one that the case is measured on. */
static gb_code open_device(char *argv[], gb_device **dev, gb_error *err)
{
    gb_code code = gb_task_open(ARGUMENTS, argv, dev, err);
    if (code == GB_OK && strcmp((*dev)->info.uuid, argv[UUID]) != 0)
        code = gb_fail(err, GB_DEVICE_ERROR, "it found device %s instead of %s", (*dev)->info.uuid,
                       argv[UUID]);
    return code;
}

static gb_code run_round(gb_run *run, gb_load *load, uint64_t iterations, gb_error *err)
{
    gb_code code = GB_OK;
    for (uint64_t i = 0; i < iterations && code == GB_OK; i++)
        code = gb_load_enqueue(run, load, err);
    return code == GB_OK ? run->dev->ops->stream_sync(run->dev, run->stream, err) : code;
}

static gb_code check_once(gb_run *run, gb_load *load, gb_error *err)
{
    gb_code code = gb_load_poison(run, load, err);
    if (code == GB_OK)
        code = run_round(run, load, 1, err);
    return code == GB_OK ? gb_load_verify(run, load, err) : code;
}

/* Ends with an error alone. */
static gb_code work(gb_run *run, gb_load *load, gb_error *err)
{
    uint64_t iterations = 1, busy_ns = 0;
    char line[128];
    say("under-way\n");
    for (uint64_t rounds = 1;; rounds++) {
        const uint64_t begin = gb_now_ns();
        gb_code code = run_round(run, load, iterations, err);
        if (code != GB_OK)
            return code;
        const uint64_t end = gb_now_ns();
        busy_ns += end - begin;
        if (end - begin < ROUND_NS / 2 && iterations < MOST_IN_ROUND)
            iterations *= 2;
        snprintf(line, sizeof line, "ran %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", rounds, busy_ns,
                 end);
        say(line);
    }
}

static int fail(const gb_error *err)
{
    char line[sizeof err->message + 64];
    snprintf(line, sizeof line, "failed %s %.400s\n", gb_code_word(err->code), err->message);
    for (char *c = line; c[0] != '\0' && c[1] != '\0'; c++)
        if (*c == '\n')
            *c = ' ';
    say(line);
    return 1;
}

static int neighbour(int argc, char *argv[])
{
    gb_error err = {0};
    gb_load_spec spec;
    gb_load load = {0};
    gb_run run = {0};
    prctl(PR_SET_NAME, "gpubench-beside");
    fcntl(GB_PROCESS_FD, F_SETFL, O_NONBLOCK);
    if (argc != ARGUMENTS || !read_load(argv, &spec)) {
        fprintf(stderr, "neighbour: KIND INDEX UUID LOAD BYTES ROUNDS SEED\n");
        return 2;
    }
    run.seed = strtoull(argv[SEED], NULL, 10);
    gb_code code = open_device(argv, &run.dev, &err);
    if (code == GB_OK)
        code = run.dev->ops->stream_create(run.dev, &run.stream, &err);
    if (code == GB_OK)
        code = gb_load_prepare(&run, &spec, &load, &err);
    if (code == GB_OK)
        code = check_once(&run, &load, &err);
    if (code == GB_OK)
        work(&run, &load, &err);
    int status = fail(&err);
    if (run.dev != NULL) {
        gb_load_free(&run, &load);
        if (run.stream != NULL)
            run.dev->ops->stream_destroy(run.dev, run.stream);
        run.dev->ops->close(run.dev);
    }
    return status;
}

const gb_task gb_task_neighbour = {"neighbour", neighbour};
