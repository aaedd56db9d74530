/* From nights to what the judge takes. */
#include <math.h>

#include "base/rng.h"
#include "reports/history/internal.h"

/* FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/): a seed that each series has to itself, so
 * that an unlucky order of permutations is not unlucky for all of them. */
static uint64_t hash(uint64_t seed, const char *text)
{
    for (; *text; text++)
        seed = (seed ^ (unsigned char)*text) * 0x100000001B3u;
    return seed;
}

static gb_code judge_reference(gb_history *history, const gb_series *series, int64_t accepted,
                               gb_window *window, gb_error *err)
{
    gb_nights nights;
    double first[GB_REFERENCE_NIGHTS];
    size_t n = 0, later = 0;
    int64_t end = INT64_MIN;
    /* Failed nights among the first are left out, which few of them are. */
    gb_code code = gb_history_nights_from(history, series->id, accepted, 3 * GB_REFERENCE_NIGHTS,
                                          &nights, err);
    if (code)
        return code;
    for (size_t i = 0; i < nights.n && n < GB_REFERENCE_NIGHTS; i++) {
        if (!nights.items[i].judged)
            continue;
        first[n++] = gb_history_badness(series, nights.items[i].level);
        end = nights.items[i].started;
    }
    gb_nights_free(&nights);
    if (n < GB_REFERENCE_NIGHTS)
        return GB_OK;
    while (later < window->n && window->nights[later]->started <= end)
        later++;
    gb_reference_judge(first, window->ln + later, window->n - later, series->worse,
                       &window->reference);
    return GB_OK;
}

gb_code gb_history_window(gb_history *history, const gb_series *series, const gb_nights *nights,
                          gb_window *out, gb_error *err)
{
    int64_t accepted, until = nights->n > 0 ? nights->items[nights->n - 1].started : 0;
    *out = (gb_window){.reference = {.level = NAN, .now = NAN}};
    gb_code code = gb_history_accepted(history, series->id, until, &accepted, err);
    if (code)
        return code;
    size_t first = nights->n;
    for (size_t n = 0; first > 0 && n < GB_DRIFT_NIGHTS; first--) {
        const gb_night *night = &nights->items[first - 1];
        if (night->started < accepted)
            break;
        n += night->judged;
    }
    for (size_t i = first; i < nights->n; i++) {
        const gb_night *night = &nights->items[i];
        if (!night->judged)
            continue;
        /* Tonight counts as it was measured: whether it is a spike is the question. */
        out->ln[out->n] =
            gb_history_badness(series, i + 1 == nights->n ? night->value : night->level);
        out->nights[out->n++] = night;
    }
    if (out->n == 0)
        return GB_OK;
    uint64_t seed =
        hash(hash(hash(0xCBF29CE484222325u, series->definition), series->case_id), series->device);
    gb_judge(out->ln, out->n, series->worse, seed, &out->judgement);
    return out->n >= 2 * GB_YOUNG_NIGHTS ? judge_reference(history, series, accepted, out, err)
                                         : GB_OK;
}
