/* All rules, and which kernel's cases each is about. */
#include <string.h>

#include "reports/findings.h"

static const struct {
    const char *rule, *kernel;
} kernels[] = {
    {"launch-in-cached-reads", "noop"},
    {"order-of-access", "access"},
    {"pinned-against-pageable", "copy"},
    {"many-small-copies", "copy"},
    {"latency-dominates", "copy"},
    {"both-ways", "copy"},
    {"link-below-maximum", "copy"},
    {"stride-waste", "access"},
    {"cache-against-memory", "stream"},
    {"memory-levels", "chase"},
    {"sparse-pages", "chase"},
    {"shared-latency", "chase"},
    {"bus-latency", "chase"},
    {"transpose-tiles", "transpose"},
    {"bank-conflicts", "bank"},
    {"launch", "launch"},
    {"many-launches", "launch"},
    {"graph-break-even", "graph"},
    {"residency", "residency"},
    {"larger-than-the-device", "overlap"},
    {"overlap", "overlap"},
    {"copies-or-none", "overlap"},
    {"ridge", "intensity"},
    {"memory-bound", "intensity"},
    {"type-rates", "arith"},
    {"operation-prices", "arith"},
    {"operations-in-flight", "arith"},
    {"tensor-units", "arith"},
    {"crossover", "crossover"},
    {"crossover-half", "crossover"},
    {"tiled-product", "matmul"},
    {"vendor-product", "matmul"},
    {"tensor-product", "matmul"},
    {"decode-bound", "decode"},
    {"decode-quantised", "decode"},
    {"prefill", "matmul"},
    {"search-batch", "search"},
    {"fused-rows", "rows"},
    {"gathered-rows", "embedding"},
    {"batch-knee", "batch"},
    {"serving-limit", "serving"},
    {"serving-batch", "serving"},
    {"serving-padding", "serving"},
    {"first-call", "startup"},
    {"where-the-start-goes", "startup"},
    {"allocation-pool", "allocate"},
    {"memory-in-holes", "fragment"},
    {"refused-cleanly", "exhaust"},
    {"memory-returns", "reclaim"},
    {"pipeline-stage", "pipeline"},
    {"pipeline-batch", "pipeline"},
    {"pipeline-overlap", "pipeline"},
    {"pipeline-idle", "pipeline"},
    {"divergence", "divergence"},
    {"sorted-data", "divergence"},
    {"early-exit", "divergence"},
    {"one-lane", "divergence"},
    {"atomic-contention", "atomics"},
    {"atomic-padding", "atomics"},
    {"atomic-shared", "atomics"},
    {"enough-in-flight", "occupancy"},
    {"more-in-flight", "occupancy"},
    {"steadiness", "stability"},
    {"interference", "stability"},
};

const char *gb_finding_rule(size_t i)
{
    return i < sizeof kernels / sizeof kernels[0] ? kernels[i].rule : NULL;
}

const char *gb_finding_kernel(const char *rule)
{
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        if (strcmp(kernels[i].rule, rule) == 0) {
            return kernels[i].kernel;
        }
    }
    return NULL;
}
