#include "cli/pair.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/process.h"

static const char baseline_word[] = "baseline", new_word[] = "new";

static int fail(gb_session *s, gb_code code, const gb_error *err)
{
    return gb_cli_fail(s->cli, gb_cli_status(code), err);
}

static int no_memory(gb_session *s)
{
    return gb_cli_out_of_memory(s->cli);
}

/* A program's full path; NULL: none. The caller frees. */
static char *program_at(const char *path)
{
    struct stat facts;
    bool program = stat(path, &facts) == 0 && S_ISREG(facts.st_mode) && access(path, X_OK) == 0;
    return program ? realpath(path, NULL) : NULL;
}

/* The program that --against means: the file itself, or gpubench in that folder or its bin. The
 * caller frees; NULL: none, with err filled. */
static char *find_build(const char *typed, gb_error *err)
{
    static const char *const below[] = {"gpubench", "bin/gpubench", "build/gpubench"};
    struct stat facts;
    if (stat(typed, &facts) != 0) {
        gb_fail(err, GB_INVALID, "--against %s: %s", typed,
                errno == ENOENT ? "there is no such file" : strerror(errno));
        return NULL;
    }
    if (!S_ISDIR(facts.st_mode)) {
        char *found = program_at(typed);
        if (!found)
            gb_fail(err, GB_INVALID, "--against %s: this is no program that can be run", typed);
        return found;
    }
    for (size_t i = 0; i < sizeof below / sizeof below[0]; i++) {
        char *path = gb_text_format("%s/%s", typed, below[i]);
        char *found = path ? program_at(path) : NULL;
        free(path);
        if (found)
            return found;
    }
    gb_fail(err, GB_INVALID, "--against %s: no gpubench in this folder, its bin/ or build/", typed);
    return NULL;
}

static json_t *pair_json(const char *id, const char *role)
{
    return json_pack("{s:s, s:s}", "id", id, "role", role);
}

/* The mark that tells a reader of either directory that the two were measured in turns. */
static gb_code mark(gb_session *old, gb_session *new, gb_error *err)
{
    unsigned long long random = 0;
    char id[32];
    if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
        return gb_fail(err, GB_IO, "no random number for the pair");
    snprintf(id, sizeof id, "%016llx", random);
    old->pair = pair_json(id, baseline_word);
    new->pair = pair_json(id, new_word);
    old->label = baseline_word;
    new->label = new_word;
    return old->pair && new->pair ? GB_OK : gb_fail(err, GB_NO_MEMORY, "out of memory");
}

static const char *uuid(const gb_session *s)
{
    const char *text = json_string_value(json_object_get(s->devices[0].info, "uuid"));
    return text ? text : "";
}

/* One device a side; the same one is locked once. */
static gb_code check_devices(const gb_session *mine, gb_session *other, gb_error *err)
{
    if (mine->n_devices != 1 || other->n_devices != 1)
        return gb_fail(err, GB_INVALID,
                       "two sides are measured on one device each, not on %zu and %zu: choose with "
                       "--device",
                       mine->n_devices, other->n_devices);
    bool same = strcmp(uuid(mine), uuid(other)) == 0;
    if (mine->devices[0].kind != other->devices[0].kind)
        return gb_fail(err, GB_INVALID,
                       "%s and %s: figures of a CPU and of a GPU are never judged "
                       "against each other",
                       gb_device_kind_word(other->devices[0].kind),
                       gb_device_kind_word(mine->devices[0].kind));
    if (same && other->executable == mine->executable)
        return gb_fail(err, GB_INVALID,
                       "--against-device: that is the device of --device itself; name another");
    if (!same && other->executable != mine->executable)
        return gb_fail(err, GB_INVALID,
                       "the other build finds another device (%s) than this one "
                       "(%s): choose one with --device",
                       uuid(other), uuid(mine));
    other->locked = same;
    return GB_OK;
}

int gb_pair_prepare(gb_session *mine, gb_pair *out)
{
    const gb_args *args = &mine->cli->args;
    gb_error err = {0};
    gb_code code = GB_OK;
    *out = (gb_pair){.mine = mine, .other = gb_session_sibling(mine)};
    if (args->against) {
        out->executable = find_build(args->against, &err);
        code = out->executable
                   ? gb_supervise_build(out->executable, &gb_cli_interrupts, &out->other.tool, &err)
                   : err.code;
        out->other.executable = out->executable;
    } else {
        out->other.device = args->against_device;
    }
    if (!code)
        code = mark(&out->other, mine, &err);
    if (code)
        return fail(mine, code, &err);
    int status = gb_session_devices(&out->other);
    if (status)
        return status;
    code = check_devices(mine, &out->other, &err);
    return code ? fail(mine, code, &err) : GB_EXIT_OK;
}

/* Opens both run directories below the pair's. */
static int open_sides(gb_pair *pair)
{
    char *paths[2] = {gb_text_format("%s/%s", pair->dir, baseline_word),
                      gb_text_format("%s/%s", pair->dir, new_word)};
    int status = paths[0] && paths[1] ? GB_EXIT_OK : no_memory(pair->mine);
    pair->other.out = paths[0];
    pair->mine->out = paths[1];
    /* The side of a shared device holds its lock; two devices are locked in their order, so that
     * two such runs never wait for each other. */
    bool turned =
        !pair->other.locked && pair->other.devices[0].index < pair->mine->devices[0].index;
    if (!status)
        status = gb_session_open(turned ? &pair->other : pair->mine);
    if (!status)
        status = gb_session_open(turned ? pair->mine : &pair->other);
    pair->other.out = pair->mine->out = NULL;
    free(paths[0]);
    free(paths[1]);
    return status;
}

int gb_pair_measure(gb_pair *pair, const char *dir)
{
    gb_session *sides[2] = {&pair->other, pair->mine};
    gb_results *results[2] = {&pair->old, &pair->new};
    gb_supervise how[2];
    gb_place places[2];
    const gb_plan *plans[2];
    gb_error err = {0};
    gb_code code = GB_OK;
    pair->dir = dir ? gb_text_copy(dir) : NULL;
    if (!dir)
        code = gb_session_place(pair->mine, &pair->dir, &err);
    if (code || !pair->dir)
        return code ? fail(pair->mine, code, &err) : no_memory(pair->mine);
    int status = open_sides(pair);
    if (status)
        return status;
    pair->begun = true;
    uint64_t began = gb_now_ns();
    for (int i = 0; i < 2; i++) {
        how[i] = gb_session_side(sides[i], 0, &places[i]);
        sides[i]->outcome.strict = sides[i]->cli->args.strict;
        plans[i] = sides[i]->plans[sides[i]->devices[0].kind];
    }
    code = gb_supervise_alternate(how, plans, 2, &err);
    for (int i = 0; i < 2; i++) {
        gb_progress_end(&sides[i]->progress);
        /* An error is said once. */
        int ended =
            gb_session_measured(sides[i], i && code != GB_INTERRUPTED ? GB_OK : code, &err, began);
        if (i && code && code != GB_INTERRUPTED)
            sides[i]->outcome.error = code;
        if (!ended)
            ended = gb_session_conclude(sides[i], results[i]);
        if (i == 0) /* what is expected of the figures is expected of the new side's */
            sides[i]->outcome.expectation_failed = false;
        pair->status =
            gb_exit_worse(pair->status, ended ? ended : gb_exit_of_run(&sides[i]->outcome));
    }
    return GB_EXIT_OK;
}

int gb_pair_repeat(const gb_pair *first, const gb_list *cases, const char *dir, gb_pair *out)
{
    gb_error err = {0};
    *out = (gb_pair){.repeat = true, .mine = calloc(1, sizeof *out->mine)};
    if (!out->mine)
        return no_memory(first->mine);
    gb_code code = gb_session_repeat(first->mine, cases, out->mine, &err);
    if (!code)
        code = gb_session_repeat(&first->other, cases, &out->other, &err);
    if (!code)
        code = mark(&out->other, out->mine, &err);
    return code ? fail(first->mine, code, &err) : gb_pair_measure(out, dir);
}

void gb_pair_free(gb_pair *pair)
{
    gb_session_free_sibling(&pair->other, pair->repeat);
    if (pair->repeat && pair->mine) {
        gb_session_free_sibling(pair->mine, true);
        free(pair->mine);
    }
    gb_results_free(&pair->old);
    gb_results_free(&pair->new);
    free(pair->executable);
    free(pair->dir);
    *pair = (gb_pair){0};
}
