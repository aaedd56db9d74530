#include "kernels/queue.h"

#include <math.h>

uint32_t gb_queue_shape_items(gb_queue_shape shape, uint32_t items, uint32_t most_items)
{
    uint32_t bucket = 1;
    switch (shape) {
    case GB_SHAPE_PADDED:
        return most_items;
    case GB_SHAPE_BUCKETED:
        while (bucket < items && bucket < most_items)
            bucket *= 2;
        return bucket < most_items ? bucket : most_items;
    case GB_SHAPE_EXACT:
        break;
    }
    return items;
}

void gb_queue_arrivals(uint64_t seed, double rate, int mixed, gb_queue_request requests[], size_t n)
{
    gb_rng gaps = {gb_rng_derive(seed, 0)}, sizes = {gb_rng_derive(seed, 1)};
    double units = 0; /* mean gaps */
    for (size_t i = 0; i < n; i++) {
        units -= log1p(-gb_rng_unit(&gaps));
        requests[i] = (gb_queue_request){.arrival = units * 1e9 / rate, .items = 1};
        if (mixed)
            requests[i].items = 1 + (uint32_t)gb_rng_below(&sizes, GB_QUEUE_MIXED);
    }
}

gb_queue_batch gb_queue_next(const gb_queue_request requests[], size_t n, size_t first, double free,
                             const gb_queue_policy *policy)
{
    gb_queue_batch batch = {.first = first};
    double due = requests[first].arrival + policy->wait;
    uint32_t items = 0;
    size_t fit = first; /* the first request that has no room */
    while (fit < n && requests[fit].items <= policy->most_items - items)
        items += requests[fit++].items;
    /* It shows that a batch is full when the last item that fits arrives, or a request that does
     * not. After the last request of all nobody knows that no more will come. */
    if (items == policy->most_items)
        due = fmin(due, requests[fit - 1].arrival);
    else if (fit < n)
        due = fmin(due, requests[fit].arrival);
    batch.begin = fmax(free, due);
    for (batch.end = first; batch.end < fit && requests[batch.end].arrival <= batch.begin;)
        batch.items += requests[batch.end++].items;
    return batch;
}

void gb_queue_answer(gb_queue_request requests[], const gb_queue_batch *batch, uint32_t number,
                     double begin, double end)
{
    for (size_t i = batch->first; i < batch->end; i++) {
        requests[i].begin = begin;
        requests[i].end = end;
        requests[i].batch = number;
    }
}

uint32_t gb_queue_serve(gb_queue_request requests[], size_t n, const gb_queue_policy *policy,
                        gb_queue_service service, void *user)
{
    uint32_t batches = 0;
    double free = 0;
    for (size_t first = 0; first < n;) {
        const gb_queue_batch batch = gb_queue_next(requests, n, first, free, policy);
        free = batch.begin + service(user, &batch);
        gb_queue_answer(requests, &batch, batches++, batch.begin, free);
        first = batch.end;
    }
    return batches;
}
