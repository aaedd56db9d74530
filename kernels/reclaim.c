/* reclaim: a process that holds memory of the device is killed; when is the memory back? */
#include "kernels/reclaim.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "device/host_limits.h"

enum { BYTES };
enum { GONE, BACK, PARTS };

/* A GPU's free memory is what the driver says, and other processes move it too: what they hide is
 * tried again. A host's free memory is moved by everybody all the time; there it is asked what the
 * process itself still has (/proc/PID/statm), and that it has ended: Linux drops a process's memory
 * (exit_mm) before it reports the end (exit_notify; kernel/exit.c, do_exit). */
#define ATTEMPTS 10
#define PATIENCE_NS UINT64_C(10000000000)
#define LOOK_AGAIN_NS 20000

static const gb_param params[] = {
    [BYTES] = GB_BYTES_PARAM("bytes", UINT64_C(1) << 20, UINT64_C(1) << 36, UINT64_C(256) << 20,
                             "device memory that the process holds"),
};

static const char *const parts[] = {[GONE] = "gone", [BACK] = "back", [PARTS] = NULL};

static const gb_metric_spec metrics[] = {
    GB_TIME("process_gone", GONE, "from the signal until the process has ended"),
    GB_TIME("memory_back", BACK, "from the signal until its memory is free again"),
};

typedef struct state {
    gb_marked block;
    uint64_t bytes;
} state;

static uint64_t kept_of(const gb_value args[])
{
    return gb_mark_kept(args[BYTES].number / sizeof(uint32_t), GB_CHILD_WORDS / 2);
}

/* What the other process holds is its own: where it is refused, the case is skipped. */
static gb_code check(const gb_value args[], gb_device_kind kind, gb_need *need, gb_error *err)
{
    (void)kind, (void)err;
    *need = (gb_need){.host_bytes = gb_mark_bytes(kept_of(args))};
    return GB_OK;
}

/* Memory that the process `pid` is known to have: on cpu its resident pages, on a GPU what is in
 * use of the device by anybody. */
static gb_code in_use(gb_run *run, pid_t pid, uint64_t *bytes, gb_error *err)
{
    uint64_t free = 0, total = 0;
    if (run->dev->info.kind != GB_CPU) {
        gb_code code = run->dev->ops->memory_info(run->dev, &free, &total, err);
        *bytes = total - free;
        return code;
    }
    char path[64], text[128];
    unsigned long long size, resident;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
    if (gb_host_read("", path, text, sizeof text) < 0 ||
        sscanf(text, "%llu %llu", &size, &resident) != 2)
        return gb_fail(err, GB_UNAVAILABLE, "%s cannot be read", path);
    *bytes = resident * (uint64_t)sysconf(_SC_PAGESIZE);
    return GB_OK;
}

typedef struct seen {
    double gone, back; /* ns from the signal; NAN: not seen */
} seen;

/* Kills the process, without which `before` bytes were in use, and looks until it has ended and its
 * memory is back. */
static gb_code kill_and_look(gb_run *run, gb_child *child, uint64_t before, seen *out,
                             gb_error *err)
{
    const bool cpu = run->dev->info.kind == GB_CPU;
    const uint64_t begin = gb_now_ns();
    kill(child->process.pid, SIGKILL);
    *out = (seen){NAN, NAN};
    while (isnan(out->gone) || isnan(out->back)) {
        uint64_t now_used = 0;
        if (isnan(out->gone) && gb_process_ended(&child->process))
            out->gone = (double)(gb_now_ns() - begin);
        gb_code code = in_use(run, child->process.pid, &now_used, err);
        if (code != GB_OK)
            return code;
        if (isnan(out->back) && now_used <= before && !(cpu && isnan(out->gone)))
            out->back = (double)(gb_now_ns() - begin);
        if (gb_now_ns() - begin > PATIENCE_NS)
            break;
        nanosleep(&(struct timespec){.tv_nsec = LOOK_AGAIN_NS}, NULL);
    }
    return GB_OK;
}

/* One process. *out has NANs where other processes hid what happened. */
static gb_code attempt(gb_run *run, seen *out, gb_error *err)
{
    state *s = run->state;
    gb_child child = {.process = {.events = -1, .output = -1, .ended = -1}};
    gb_child_answer answer;
    uint64_t before = 0, held = 0;
    const uint64_t given[RECLAIM_GIVEN] = {
        [RECLAIM_GIVEN_BYTES] = s->bytes, [RECLAIM_GIVEN_SEED] = run->seed};
    *out = (seen){NAN, NAN};
    gb_code code = GB_OK;
    if (run->dev->info.kind != GB_CPU) /* a process that is not there yet has none */
        code = in_use(run, 0, &before, err);
    if (code == GB_OK)
        code =
            gb_child_start(run, gb_reclaim_task.name, given, RECLAIM_GIVEN, &child, &answer, err);
    if (code == GB_OK)
        code = in_use(run, child.process.pid, &held, err);
    if (code == GB_OK) {
        memcpy(s->block.ends.host, answer.words, s->block.ends.bytes);
        if (held >= before + s->bytes)
            code = kill_and_look(run, &child, before, out, err);
    }
    const gb_code ended = gb_child_end(&child, 0, code == GB_OK ? err : NULL);
    return code != GB_OK ? code : ended;
}

static gb_code once(gb_run *run, gb_sample *out, gb_error *err)
{
    const state *s = run->state;
    for (int i = 0; i < ATTEMPTS; i++) {
        seen t;
        gb_code code = attempt(run, &t, err);
        if (code == GB_OK && (isnan(t.gone) || isnan(t.back)))
            continue;
        out->parts[GONE] += t.gone;
        out->parts[BACK] += t.back;
        out->ns += fmax(t.gone, t.back);
        return code;
    }
    return gb_fail(err, GB_UNAVAILABLE,
                   "%" PRIu64 " bytes that a process holds, and gives back with its end, cannot be "
                   "told from what other processes do (%d attempts)",
                   s->bytes, ATTEMPTS);
}

static gb_code prepare(gb_run *run, gb_error *err)
{
    state *s = gb_state_new(run, sizeof *s, "reclaim", err);
    if (s == NULL)
        return GB_NO_MEMORY;
    s->bytes = run->args[BYTES].number;
    s->block = (gb_marked){.once = once,
                           .parts = PARTS,
                           .words = s->bytes / sizeof(uint32_t),
                           .kept = kept_of(run->args)};
    return gb_marked_alloc(run, &s->block, err);
}

static gb_code verify(gb_run *run, gb_error *err)
{
    const state *s = run->state;
    return gb_marked_check(run, &s->block, "reclaim: words that the process held", err);
}

const gb_kernel gb_kernel_reclaim = {
    .spec =
        {
            .name = "reclaim",
            .source = "kernels/allocate.cu",
            .version = 1,
            .summary = "from the kill of a process to the return of the memory that it held",
            .lesson =
                "A worker that hangs or is out of memory is killed, and another takes its place. "
                "The system then takes back what the dead one held: page by page on a host, "
                "through the driver on a GPU, which has to stop what still runs there and tear a "
                "context down. Until that is done the successor finds the memory in use and may be "
                "refused, so that whoever restarts workers should wait for so long, or look.",
            .picture =
                "The time grows with what was held, from a floor that is the end of the process "
                "itself. Where the memory comes back with the end of the process, both bars are "
                "equal; where it comes later, a successor that starts at once may be refused. "
                "A GPU adds the context's end, some tens to hundreds of milliseconds.",
            GB_TABLES(params, metrics, check, gb_work_one),
            .parts = parts,
            GB_TIMED_BY_HOST,
        },
    GB_LIFE(prepare, gb_marked_enqueue, gb_marked_reset, verify, gb_marked_release),
    .sample = gb_marked_sample,
};
