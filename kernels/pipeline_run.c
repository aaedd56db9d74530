/* pipeline: a pass over all files, stage by stage, and the samples.
 *
 * The host's stages are timed by its own clock, the device's by events. Serially each batch is over
 * before the next begins, and the stages come to the whole: what handing work over and hearing of
 * its end take beyond the device's own time is the launch. Doubly buffered the host works on the
 * next batch while the device works on this one: the launch is then the calls alone, and the stages
 * come to more than the whole. */
#include <math.h>
#include <string.h>

#include "kernels/affine.h"
#include "kernels/base64.h"
#include "kernels/pipeline.h"

GB_FN_DECLARE(pipeline_work)

void gb_pipeline_files_of(const gb_pipeline_state *s, size_t batch, size_t *first, size_t *end)
{
    *first = batch * s->batch;
    *end = *first + s->batch < s->files.n ? *first + s->batch : s->files.n;
}

static double now(const gb_run *run)
{
    return (double)run->dev->ops->now_ns(run->dev);
}

/* Adds the time since *last to a part; *last becomes now. */
static void lap(const gb_run *run, double *part, double *last)
{
    const double at = now(run);
    *part += at - *last;
    *last = at;
}

/* --- the host's stages ------------------------------------------------------------------------ */

static gb_code read_files(gb_pipeline_state *s, size_t first, size_t end, gb_error *err)
{
    gb_code code = GB_OK;
    for (size_t i = first; i < end && code == GB_OK; i++)
        code = gb_files_read(&s->files, i, (char *)s->raw.host + s->raw_at[i], err);
    return code;
}

static gb_code decode_files(gb_pipeline_state *s, size_t first, size_t end, gb_error *err)
{
    uint8_t *to = s->decoded.host; /* next to each other, as they are read */
    for (size_t i = first; i < end && s->base64; i++) {
        const char *text = (const char *)s->raw.host + s->raw_at[i];
        size_t length, bad;
        /* it was base64 of that length when its answer was worked out */
        if (!gb_base64_decode(text, s->files.items[i].bytes, to, &length, &bad) ||
            length != s->lengths[i])
            return gb_files_fail(&s->files, i, GB_INVALID,
                                 "the file has changed since the run began: it decodes to "
                                 "something else",
                                 err);
        to += length;
    }
    return GB_OK;
}

static void prepare_file(const uint8_t *from, size_t n, uint32_t *to)
{
    const size_t elements = gb_pipeline_elements(n);
    for (size_t i = 0; i < n; i++)
        to[i] = from[i] + 1u;
    for (size_t i = n; i < elements; i++)
        to[i] = 0;
}

static uint32_t *slot_in(const gb_pipeline_state *s, size_t batch)
{
    return (uint32_t *)s->in.host + batch % s->slots * s->slot;
}

static uint32_t *slot_out(const gb_pipeline_state *s, size_t batch)
{
    return (uint32_t *)s->out.host + batch % s->slots * (s->slot / PIPELINE_FOLD);
}

/* As often as the case says: a slower host, by work that it has anyway. */
static void prepare_files(gb_pipeline_state *s, size_t batch, size_t first, size_t end)
{
    for (uint32_t k = 0; k < s->host_work; k++) {
        const uint8_t *from = s->base64 ? s->decoded.host : s->raw.host;
        for (size_t i = first; i < end; i++) {
            prepare_file(from, s->lengths[i], slot_in(s, batch) + s->at[i]);
            from += s->lengths[i];
        }
        __asm__ volatile("" ::: "memory"); /* none of the times is left out */
    }
}

static void finish_files(gb_pipeline_state *s, size_t batch)
{
    uint64_t *answers = s->answers.host;
    size_t first, end;
    gb_pipeline_files_of(s, batch, &first, &end);
    for (size_t i = first; i < end; i++) {
        const uint32_t *sums = slot_out(s, batch) + s->at[i] / PIPELINE_FOLD;
        const size_t n = gb_pipeline_elements(s->lengths[i]) / PIPELINE_FOLD;
        uint64_t answer = PIPELINE_FNV_BASIS ^ s->lengths[i];
        for (size_t k = 0; k < n; k++)
            answer = (answer ^ sums[k]) * PIPELINE_FNV_PRIME;
        answers[i] = answer;
    }
}

static gb_code host_stages(gb_run *run, size_t batch, double parts[], double *last, gb_error *err)
{
    gb_pipeline_state *s = run->state;
    size_t first, end;
    gb_pipeline_files_of(s, batch, &first, &end);
    gb_code code = read_files(s, first, end, err);
    lap(run, &parts[PIPELINE_READ], last);
    if (code == GB_OK)
        code = decode_files(s, first, end, err);
    lap(run, &parts[PIPELINE_DECODING], last);
    if (code == GB_OK)
        prepare_files(s, batch, first, end);
    lap(run, &parts[PIPELINE_PREPARE], last);
    return code;
}

/* --- the device's ----------------------------------------------------------------------------- */

static gb_code compute(gb_run *run, uint64_t sums, gb_error *err)
{
    gb_pipeline_state *s = run->state;
    gb_affine step = gb_affine_step;
    uint32_t *to = s->device_out.device;
    const uint32_t *from = s->device_in.device;
    const gb_launch launch = gb_launch_shape(run->dev, sums, GB_BLOCK);
    return run->dev->ops->launch(run->dev, run->stream, GB_FN(pipeline_work), &launch,
                                 (void *[]){&to, &from, &sums, &s->rounds, &step.a, &step.b}, err);
}

/* Puts a batch on the stream. The memory on the device belongs to whichever batch is there: the
 * stream's order keeps the next one out. */
static gb_code submit(gb_run *run, size_t batch, gb_error *err)
{
    gb_pipeline_state *s = run->state;
    const gb_device_ops *ops = run->dev->ops;
    gb_event **marks = s->marks[batch % s->slots];
    size_t first, end;
    gb_pipeline_files_of(s, batch, &first, &end);
    const size_t n = s->at[end - 1] + gb_pipeline_elements(s->lengths[end - 1]);
    const size_t sums = n / PIPELINE_FOLD;
    gb_code code = ops->event_record(run->dev, marks[0], run->stream, err);
    if (code == GB_OK && n > 0)
        code = ops->copy(run->dev, run->stream, s->device_in.device, slot_in(s, batch),
                         n * sizeof(uint32_t), GB_COPY_H2D, err);
    if (code == GB_OK)
        code = ops->event_record(run->dev, marks[1], run->stream, err);
    if (code == GB_OK && n > 0)
        code = compute(run, sums, err);
    if (code == GB_OK)
        code = ops->event_record(run->dev, marks[2], run->stream, err);
    if (code == GB_OK && n > 0)
        code = ops->copy(run->dev, run->stream, slot_out(s, batch), s->device_out.device,
                         sums * sizeof(uint32_t), GB_COPY_D2H, err);
    return code == GB_OK ? ops->event_record(run->dev, marks[3], run->stream, err) : code;
}

/* Waits for a batch; *device: how long the device was at it. */
static gb_code collect(gb_run *run, size_t batch, double parts[], double *device, gb_error *err)
{
    static const int stages[] = {PIPELINE_COPY_IN, PIPELINE_COMPUTE, PIPELINE_COPY_OUT};
    const gb_pipeline_state *s = run->state;
    gb_event *const *marks = s->marks[batch % s->slots];
    gb_code code = GB_OK;
    *device = 0;
    for (int i = PIPELINE_MARKS - 2; i >= 0 && code == GB_OK; i--) { /* the last first: it waits */
        double ns = 0;
        code = run->dev->ops->elapsed_ns(run->dev, marks[i], marks[i + 1], &ns, err);
        parts[stages[i]] += ns;
        *device += ns;
    }
    parts[PIPELINE_ON_DEVICE] += *device;
    return code;
}

/* --- a pass ----------------------------------------------------------------------------------- */

static gb_code serially(gb_run *run, double parts[], gb_error *err)
{
    gb_pipeline_state *s = run->state;
    gb_code code = GB_OK;
    for (size_t k = 0; k < s->batches && code == GB_OK; k++) {
        double last = now(run), handed_over = 0, device = 0;
        code = host_stages(run, k, parts, &last, err);
        if (code == GB_OK)
            code = submit(run, k, err);
        if (code == GB_OK)
            code = collect(run, k, parts, &device, err);
        lap(run, &handed_over, &last);
        parts[PIPELINE_LAUNCH] += fmax(handed_over - device, 0); /* two clocks */
        if (code == GB_OK)
            finish_files(s, k);
        lap(run, &parts[PIPELINE_FINISH], &last);
    }
    return code;
}

static gb_code take_back(gb_run *run, size_t batch, double parts[], gb_error *err)
{
    double device;
    const gb_code code = collect(run, batch, parts, &device, err);
    double last = now(run); /* the wait is no stage */
    if (code == GB_OK)
        finish_files(run->state, batch);
    lap(run, &parts[PIPELINE_FINISH], &last);
    return code;
}

/* A batch is taken back after the next one was handed over, so that the device has work. */
static gb_code doubly_buffered(gb_run *run, double parts[], gb_error *err)
{
    gb_pipeline_state *s = run->state;
    gb_code code = GB_OK;
    for (size_t k = 0; k < s->batches && code == GB_OK; k++) {
        double last = now(run);
        code = host_stages(run, k, parts, &last, err);
        if (code == GB_OK)
            code = submit(run, k, err);
        lap(run, &parts[PIPELINE_LAUNCH], &last);
        if (code == GB_OK && k > 0)
            code = take_back(run, k - 1, parts, err);
    }
    return code == GB_OK ? take_back(run, s->batches - 1, parts, err) : code;
}

static gb_code pass(gb_run *run, double parts[], double *ns, gb_error *err)
{
    gb_pipeline_state *s = run->state;
    gb_code code = s->uncached ? gb_files_forget(&s->files, err) : GB_OK;
    const double begin = now(run);
    if (code == GB_OK)
        code = s->doubled ? doubly_buffered(run, parts, err) : serially(run, parts, err);
    *ns += now(run) - begin;
    return code;
}

/* From the first file's opening to the last file's answer. Each answer is checked, untimed. */
gb_code gb_pipeline_sample(gb_run *run, uint64_t iterations, gb_sample *out, gb_error *err)
{
    gb_pipeline_state *s = run->state;
    gb_code code = GB_OK;
    *out = gb_sample_of(PIPELINE_PARTS);
    for (uint64_t i = 0; i < iterations && code == GB_OK; i++) {
        memset(s->answers.host, 0xff, s->answers.bytes);
        code = pass(run, out->parts, &out->ns, err);
        if (code == GB_OK)
            code = gb_pipeline_check_answers(run, err);
    }
    return code;
}

gb_code gb_pipeline_enqueue(gb_run *run, gb_error *err)
{
    double parts[PIPELINE_PARTS] = {0}, ns = 0;
    return pass(run, parts, &ns, err);
}
