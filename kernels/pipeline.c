/* pipeline: files, one batch after the other, through all stages of a job. pipeline_run.c has the
 * stages. */
#include "kernels/pipeline.h"

#include <stdlib.h>

#include "kernels/base64.h"

static const char *const schedule_words[] = {"serial", "double-buffered", NULL};
static const char *const source_words[] = {"cached", "uncached", NULL};
static const char *const decode_words[] = {"base64", "none", NULL};

static const gb_param params[] = {
    [PIPELINE_SCHEDULE] =
        GB_WORD_PARAM("schedule", schedule_words, "serial",
                      "one batch after the other, or the host at work on the next one while the "
                      "device has this one"),
    [PIPELINE_SOURCE] =
        GB_WORD_PARAM("source", source_words, "cached",
                      "files are in the system's page cache, or have to come from where they are "
                      "stored"),
    [PIPELINE_DECODE] = GB_WORD_PARAM("decode", decode_words, "base64",
                                      "what files hold: base64, or the bytes themselves"),
    [PIPELINE_BATCH] =
        GB_COUNT_PARAM("batch", "files", 1, 65536, 64, "files that go through the stages together"),
    [PIPELINE_HOST_WORK] = GB_COUNT_PARAM("host_work", "times", 1, 1024, 1,
                                          "how often the host prepares each batch: a slower host"),
    [PIPELINE_ROUNDS] = GB_COUNT_PARAM("rounds", "multiply-adds", 1, UINT64_C(1) << 20, 16,
                                       "multiply-adds on each byte, which make the kernel's time"),
    [PIPELINE_FILES] =
        GB_COUNT_PARAM("files", "files", 1, GB_FILES_MOST, 256, "files that are read in a pass"),
    [PIPELINE_BYTES] = GB_BYTES_PARAM("bytes", 1, UINT64_C(1) << 40, UINT64_C(4) << 20,
                                      "of all of them together, as they are stored"),
    [PIPELINE_LARGEST] = GB_BYTES_PARAM("largest_file", 0, GB_FILE_LARGEST, 0,
                                        "of the user's files; 0: all are of one size"),
    [PIPELINE_DATA] =
        GB_COUNT_PARAM("data", NULL, 0, GB_FILES_IDENTITY - 1, 0,
                       "which files of the user's they are (set by --data-dir, from "
                       "their names and contents); 0: files that are made for the case"),
};

static const char *const parts[] = {
    [PIPELINE_READ] = "read",           [PIPELINE_DECODING] = "decode",
    [PIPELINE_PREPARE] = "prepare",     [PIPELINE_COPY_IN] = "copy_in",
    [PIPELINE_LAUNCH] = "launch",       [PIPELINE_COMPUTE] = "compute",
    [PIPELINE_COPY_OUT] = "copy_out",   [PIPELINE_FINISH] = "finish",
    [PIPELINE_ON_DEVICE] = "on_device", [PIPELINE_PARTS] = NULL};

static const gb_metric_spec metrics[] = {
    GB_ITEM_RATE("throughput", GB_WHOLE,
                 "files over the time of a pass, from the first file's opening to the last answer"),
    GB_BANDWIDTH("bytes of the files over that time"),
    GB_GAIN("device_busy", "%", GB_PART_SHARE, PIPELINE_ON_DEVICE,
            "share of that time in which the device copies or computes, by its events"),
};

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t decoded(const gb_value args[], uint64_t bytes)
{
    return gb_word_index(decode_words, args[PIPELINE_DECODE]) == 0 ? gb_base64_room(bytes) : bytes;
}

gb_pipeline_sizes gb_pipeline_sizes_of(const gb_value args[])
{
    const uint64_t files = args[PIPELINE_FILES].number, bytes = args[PIPELINE_BYTES].number;
    const uint64_t batch = least(args[PIPELINE_BATCH].number, files), mean = bytes / files;
    const uint64_t longer = bytes % files; /* made files have the mean length or one byte more */
    const uint64_t largest =
        args[PIPELINE_LARGEST].number > 0 ? args[PIPELINE_LARGEST].number : mean + (longer > 0);
    const uint64_t elements = batch * gb_pipeline_elements(decoded(args, largest));
    const bool made = args[PIPELINE_DATA].number == 0;
    return (gb_pipeline_sizes){
        .raw = least(batch * largest, bytes),
        .decoded = least(batch * decoded(args, largest), decoded(args, bytes)),
        .elements = elements == 0 ? PIPELINE_FOLD
                                  : least(elements, gb_pipeline_elements(decoded(args, bytes) +
                                                                         files * PIPELINE_FOLD)),
        .all = made ? longer * gb_pipeline_elements(decoded(args, mean + 1)) +
                          (files - longer) * gb_pipeline_elements(decoded(args, mean))
                    : 0,
    };
}

/* Bytes of the memory on the device, and of one slot of the pinned one. */
static uint64_t staged_bytes(const gb_pipeline_sizes *z)
{
    return (z->elements + z->elements / PIPELINE_FOLD) * sizeof(uint32_t);
}

static uint32_t slots_of(const gb_value args[])
{
    return 1 + gb_word_index(schedule_words, args[PIPELINE_SCHEDULE]);
}

/* Pinned where copies need it; on a CPU all are alike, and few systems let a process pin much. */
static gb_memory_kind staging_kind(gb_device_kind kind)
{
    return kind == GB_CPU ? GB_MEM_PAGEABLE : GB_MEM_PINNED;
}

static gb_code check(const gb_value args[], gb_device_kind kind, gb_need *need, gb_error *err)
{
    const unsigned long long files = args[PIPELINE_FILES].number,
                             bytes = args[PIPELINE_BYTES].number;
    const bool made = args[PIPELINE_DATA].number == 0;
    *need = (gb_need){0};
    if (made && args[PIPELINE_LARGEST].number > 0)
        return gb_fail(err, GB_INVALID,
                       "largest_file is of the user's files (gpubench run "
                       "--data-dir DIR); others are all of one size");
    if (made && (bytes / files < 64 || bytes / files >= GB_FILE_LARGEST))
        return gb_fail(err, GB_INVALID,
                       "%llu bytes in %llu files are %llu each (valid: 64 bytes to 1 GiB a file)",
                       bytes, files, bytes / files);
    if (slots_of(args) > 1 && args[PIPELINE_BATCH].number >= files)
        return gb_fail(err, GB_UNAVAILABLE,
                       "%llu files are a single batch: there is no next one to work on meanwhile",
                       files);
    const gb_pipeline_sizes z = gb_pipeline_sizes_of(args);
    need->device_bytes = staged_bytes(&z);
    need->host_bytes = z.raw + files * sizeof(uint64_t);
    if (staging_kind(kind) == GB_MEM_PINNED)
        need->pinned_bytes = slots_of(args) * staged_bytes(&z);
    else
        need->host_bytes += slots_of(args) * staged_bytes(&z);
    if (gb_word_index(decode_words, args[PIPELINE_DECODE]) == 0)
        need->host_bytes += z.decoded;
    return GB_OK;
}

static void work(const gb_value args[], gb_device_kind kind, gb_work *out)
{
    gb_need need;
    const uint64_t files = args[PIPELINE_FILES].number, bytes = args[PIPELINE_BYTES].number;
    const gb_pipeline_sizes z = gb_pipeline_sizes_of(args);
    check(args, kind, &need, NULL);
    *out = (gb_work){
        .bytes_read = bytes,
        .bytes_written = files * sizeof(uint64_t),
        .bytes_moved = bytes,
        .flops = 2 * z.all * (args[PIPELINE_ROUNDS].number + 1), /* the steps, and the sum */
        .items = files,
        .working_set = need.device_bytes + need.pinned_bytes + need.host_bytes,
    };
}

/* --- the life of a case ----------------------------------------------------------------------- */

static gb_code allocate(gb_run *run, gb_error *err)
{
    gb_pipeline_state *s = run->state;
    const gb_pipeline_sizes z = gb_pipeline_sizes_of(run->args);
    const gb_memory_kind kind = staging_kind(run->dev->info.kind);
    const size_t in = (size_t)z.elements * sizeof(uint32_t), out = in / PIPELINE_FOLD;
    const struct {
        gb_memory *memory;
        gb_memory_kind kind;
        size_t bytes;
    } all[] = {
        {&s->raw, GB_MEM_PAGEABLE, (size_t)z.raw},
        {&s->decoded, GB_MEM_PAGEABLE, s->base64 ? (size_t)z.decoded : 0},
        {&s->answers, GB_MEM_PAGEABLE, s->files.n * sizeof(uint64_t)},
        {&s->in, kind, s->slots * in},
        {&s->out, kind, s->slots * out},
        {&s->device_in, GB_MEM_DEVICE, in},
        {&s->device_out, GB_MEM_DEVICE, out},
    };
    gb_code code = GB_OK;
    s->slot = (size_t)z.elements;
    for (size_t i = 0; i < GB_COUNT(all) && code == GB_OK; i++)
        if (all[i].bytes > 0)
            code = run->dev->ops->alloc(run->dev, all[i].kind, all[i].bytes, all[i].memory, err);
    for (size_t i = 0; i < s->slots; i++)
        for (size_t k = 0; k < PIPELINE_MARKS && code == GB_OK; k++)
            code = run->dev->ops->event_create(run->dev, &s->marks[i][k], err);
    return code;
}

static gb_code prepare(gb_run *run, gb_error *err)
{
    const gb_value *args = run->args;
    gb_pipeline_state *s = gb_state_new(run, sizeof *s, "pipeline", err);
    if (s == NULL)
        return GB_NO_MEMORY;
    s->seed = run->seed;
    s->base64 = gb_word_index(decode_words, args[PIPELINE_DECODE]) == 0;
    s->uncached = gb_word_index(source_words, args[PIPELINE_SOURCE]) == 1;
    s->slots = slots_of(args);
    s->doubled = s->slots > 1;
    s->rounds = (uint32_t)args[PIPELINE_ROUNDS].number;
    s->host_work = (uint32_t)args[PIPELINE_HOST_WORK].number;
    s->batch = (size_t)args[PIPELINE_BATCH].number;
    gb_code code = gb_pipeline_open(run, err);
    s->batches = (s->files.n + s->batch - 1) / s->batch;
    return code == GB_OK ? allocate(run, err) : code;
}

static gb_code reset(gb_run *run, gb_error *err)
{
    gb_pipeline_state *s = run->state;
    const gb_memory *const all[] = {&s->raw, &s->decoded,   &s->answers,   &s->in,
                                    &s->out, &s->device_in, &s->device_out};
    gb_code code = GB_OK;
    for (size_t i = 0; i < GB_COUNT(all) && code == GB_OK; i++)
        if (all[i]->bytes > 0)
            code = gb_memory_poison(run, all[i], err);
    return code;
}

static void release(gb_run *run)
{
    gb_pipeline_state *s = run->state;
    if (s == NULL)
        return;
    for (size_t i = 0; i < PIPELINE_SLOTS; i++)
        for (size_t k = 0; k < PIPELINE_MARKS; k++)
            if (s->marks[i][k] != NULL)
                run->dev->ops->event_destroy(run->dev, s->marks[i][k]);
    gb_pipeline_close(run);
    gb_state_free(run, (gb_memory *[]){&s->raw, &s->decoded, &s->answers, &s->in, &s->out,
                                       &s->device_in, &s->device_out, NULL});
}

const gb_kernel gb_kernel_pipeline = {
    .spec =
        {
            .name = "pipeline",
            .source = "kernels/pipeline.cu",
            .version = 1,
            .summary = "files through all stages of a job, from their names to an answer for each",
            .lesson =
                "A job is not its kernel. Its files are read, decoded and brought into the form "
                "that the device takes; then come copy, launch and kernel, and the answers are "
                "made from what comes back. A faster device shortens the part that it does itself "
                "and nothing else: where that is a tenth, ten percent is all there is to gain. "
                "With two sets of buffers the host works on the next batch while the device has "
                "this one, so that at best the longer of the two sides is left. A host that "
                "cannot keep up leaves the device idle, however fast that is.",
            .picture =
                "Shares of the stages: with one file a batch opening files and launching are long; "
                "in large batches what is done for each byte takes over, decoding above all. "
                "Uncached, reading may be most of it. Double buffering takes off at most the "
                "shorter side. The device's busy share stays level while the host keeps up and "
                "falls as one over the host's work from there on. On the cpu device both sides "
                "share the cores, so that it gains little where the kernel uses all of them.",
            GB_TABLES(params, metrics, check, work),
            .parts = parts,
            GB_TIMED_BY_HOST,
        },
    GB_LIFE(prepare, gb_pipeline_enqueue, reset, gb_pipeline_verify, release),
    .sample = gb_pipeline_sample,
};
