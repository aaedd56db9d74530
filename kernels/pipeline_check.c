/* pipeline: what should come of the files, and whether it did. */
#include <stdlib.h>
#include <string.h>

#include "kernels/affine.h"
#include "kernels/pipeline.h"

uint64_t gb_pipeline_reference(const uint8_t *bytes, size_t n, uint32_t rounds)
{
    const gb_affine all = gb_affine_steps(rounds);
    uint64_t answer = PIPELINE_FNV_BASIS ^ n;
    for (size_t i = 0; i < n; i += PIPELINE_FOLD) {
        uint32_t sum = 0;
        for (size_t k = 0; k < PIPELINE_FOLD; k++) {
            const uint32_t element = i + k < n ? bytes[i + k] + 1u : 0u;
            sum += PIPELINE_WEIGHT(k) * gb_affine_apply(all, element);
        }
        answer = (answer ^ sum) * PIPELINE_FNV_PRIME;
    }
    return answer;
}

size_t gb_pipeline_decode_slowly(const char *text, size_t n, uint8_t *to)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t characters = 0, pads = 0, length = 0;
    uint32_t bits = 0;
    for (size_t i = 0; i < n; i++) {
        const char *found;
        if (strchr("\r\n\t ", text[i]) != NULL && text[i] != '\0')
            continue;
        if (text[i] == '=') {
            pads++;
            bits <<= 6;
        } else if (text[i] != '\0' && pads == 0 && (found = strchr(alphabet, text[i])) != NULL) {
            bits = bits << 6 | (uint32_t)(found - alphabet);
        } else {
            return SIZE_MAX;
        }
        if (++characters % 4 != 0)
            continue;
        if (pads > 2)
            return SIZE_MAX;
        for (size_t k = 0; k < 3 - pads; k++)
            to[length++] = (uint8_t)(bits >> (16 - 8 * k));
        bits = 0;
        if (pads > 0) /* only blanks from here on */
            for (i++; i < n; i++)
                if (text[i] == '\0' || strchr("\r\n\t ", text[i]) == NULL)
                    return SIZE_MAX;
    }
    return characters % 4 == 0 ? length : SIZE_MAX;
}

gb_code gb_pipeline_check_answers(gb_run *run, gb_error *err)
{
    const gb_pipeline_state *s = run->state;
    const uint64_t *found = s->answers.host;
    gb_mismatch bad = {0};
    for (size_t i = 0; i < s->files.n; i++)
        gb_compare_u64(&bad, i, s->expected[i], found[i], 16);
    return gb_mismatch_result(&bad, "pipeline: answers", s->files.n, sizeof *found, err);
}

/* --- what made files leave in the memory on the way ------------------------------------------- */

static uint32_t element(const gb_pipeline_state *s, size_t file, size_t at)
{
    return at < s->lengths[file] ? gb_pipeline_byte(s->seed, file, at) + 1u : 0u;
}

static uint32_t in_value(const gb_pipeline_state *s, size_t file, size_t at)
{
    return element(s, file, at);
}

static uint32_t out_value(const gb_pipeline_state *s, size_t file, size_t at)
{
    const gb_affine all = gb_affine_steps(s->rounds);
    uint32_t sum = 0;
    for (size_t k = 0; k < PIPELINE_FOLD; k++)
        sum += PIPELINE_WEIGHT(k) * gb_affine_apply(all, element(s, file, at * PIPELINE_FOLD + k));
    return sum;
}

static uint32_t decoded_value(const gb_pipeline_state *s, size_t file, size_t at)
{
    return gb_pipeline_byte(s->seed, file, at);
}

/* A made file's bytes as they lie on disk: base64 by its definition, a character from six bits. */
static uint32_t raw_value(const gb_pipeline_state *s, size_t file, size_t at)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (!s->base64)
        return gb_pipeline_byte(s->seed, file, at);
    if (at >= s->lengths[file] / 3 * 4)
        return '\n';
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; k++)
        bits = bits << 8 | gb_pipeline_byte(s->seed, file, at / 4 * 3 + k);
    return (uint8_t)alphabet[bits >> (18 - at % 4 * 6) & 63];
}

typedef struct staging {
    const char *what;
    const gb_memory *memory;
    size_t size, slots;
    uint32_t (*value)(const gb_pipeline_state *s, size_t file, size_t at);
} staging;

static size_t extent(const gb_pipeline_state *s, const staging *t, size_t file)
{
    if (t->value == raw_value)
        return s->files.items[file].bytes;
    if (t->value == decoded_value)
        return s->lengths[file];
    const size_t elements = gb_pipeline_elements(s->lengths[file]);
    return t->value == in_value ? elements : elements / PIPELINE_FOLD;
}

/* What a batch left in a slot from element `covered` on; where it ends. */
static size_t compare_batch(const gb_pipeline_state *s, const staging *t, const void *slot,
                            size_t first_index, size_t batch, size_t covered, gb_mismatch *bad)
{
    size_t first, end, at = 0;
    gb_pipeline_files_of(s, batch, &first, &end);
    for (size_t f = first; f < end; f++) {
        const size_t n = extent(s, t, f);
        for (size_t i = at < covered ? (covered - at < n ? covered - at : n) : 0; i < n; i++)
            gb_compare_u64(bad, first_index + at + i, t->value(s, f, i),
                           t->size == 1 ? ((const uint8_t *)slot)[at + i]
                                        : ((const uint32_t *)slot)[at + i],
                           (int)(2 * t->size));
        at += n;
    }
    return at > covered ? at : covered;
}

/* The last batch of each slot, what longer ones before it left behind it, then the poison. */
static gb_code compare_staging(const gb_pipeline_state *s, const staging *t, const void *bytes,
                               gb_error *err)
{
    const size_t room = t->memory->bytes / t->size / t->slots;
    gb_mismatch bad = {0};
    for (size_t slot = 0; slot < t->slots; slot++) {
        const uint8_t *here = (const uint8_t *)bytes + slot * room * t->size;
        size_t covered = 0;
        for (size_t k = s->batches; k-- > 0;)
            if (k % t->slots == slot)
                covered = compare_batch(s, t, here, slot * room, k, covered, &bad);
        for (; covered < room; covered++)
            gb_compare_u64(&bad, slot * room + covered, t->size == 1 ? UINT8_MAX : UINT32_MAX,
                           t->size == 1 ? here[covered] : ((const uint32_t *)here)[covered],
                           (int)(2 * t->size));
    }
    return gb_mismatch_result(&bad, t->what, room * t->slots, t->size, err);
}

static gb_code check_staging(gb_run *run, const staging *t, gb_error *err)
{
    const gb_device_ops *ops = run->dev->ops;
    const gb_pipeline_state *s = run->state;
    if (t->memory->host != NULL)
        return compare_staging(s, t, t->memory->host, err);
    void *copy = malloc(t->memory->bytes);
    if (copy == NULL)
        return gb_fail(err, GB_NO_MEMORY, "no memory to check pipeline");
    gb_code code = ops->copy(run->dev, run->stream, copy, t->memory->device, t->memory->bytes,
                             GB_COPY_D2H, err);
    if (code == GB_OK)
        code = ops->stream_sync(run->dev, run->stream, err);
    if (code == GB_OK)
        code = compare_staging(s, t, copy, err);
    free(copy);
    return code;
}

/* Every answer; and of made files, whose bytes can be made again, all that lies on the way. */
gb_code gb_pipeline_verify(gb_run *run, gb_error *err)
{
    const gb_pipeline_state *s = run->state;
    const staging all[] = {
        {"pipeline: files as read", &s->raw, 1, 1, raw_value},
        {"pipeline: decoded bytes", &s->decoded, 1, 1, decoded_value},
        {"pipeline: prepared elements", &s->in, 4, s->slots, in_value},
        {"pipeline: elements on the device", &s->device_in, 4, 1, in_value},
        {"pipeline: sums on the device", &s->device_out, 4, 1, out_value},
        {"pipeline: sums on the host", &s->out, 4, s->slots, out_value},
    };
    gb_code code = gb_pipeline_check_answers(run, err);
    for (size_t i = 0; i < GB_COUNT(all) && code == GB_OK && s->made; i++)
        if (all[i].memory->bytes > 0)
            code = check_staging(run, &all[i], err);
    return code;
}
