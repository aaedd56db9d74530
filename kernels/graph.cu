/* graph: one node. It counts how often it ran; a node of a chain does so only when its predecessor
 * has counted this run already, so that counters tell the order too. What it computes besides must
 * be right, otherwise it does not count either. */
#include "device/simt/simt.h"
#include "kernels/graph.h"

static __global__ void graph_node(uint32_t *counters, uint64_t node, uint32_t chained,
                                  uint32_t steps, uint32_t spun)
{
    const uint32_t mine = counters[node] + 1;
    const bool in_order = chained == 0 || counters[node - 1] == mine;
    if (in_order && gb_graph_spin(steps) == spun)
        counters[node] = mine;
}
GB_EXPORT(FLAT, graph_node)
