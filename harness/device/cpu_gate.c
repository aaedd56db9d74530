/* The gate of the cpu device: an operation that keeps a stream's queue until the host lets go. */
#include <errno.h>
#include <time.h>

#include "device/cpu_internal.h"

gb_code gb_cpu_gate_hold(gb_device *dev, gb_stream *stream, uint64_t limit_ns, gb_error *err)
{
    gb_cpu *cpu = gb_cpu_of(dev);
    if (gb_cpu_capturing(stream) != NULL)
        return gb_fail(err, GB_INVALID, "a gate on a stream that is capturing a graph");
    pthread_mutex_lock(&cpu->lock);
    bool in_use = cpu->gate.in_use;
    if (!in_use) {
        cpu->gate.in_use = true;
        cpu->gate.released = cpu->gate.expired = false;
    }
    pthread_mutex_unlock(&cpu->lock);
    if (in_use)
        return gb_fail(err, GB_INVALID, "a gate is held already; a device has one at a time");
    gb_op op = {.kind = GB_OP_GATE, .gate = {limit_ns}};
    gb_code code = gb_cpu_enqueue(stream, &op, err);
    if (code != GB_OK)
        cpu->gate.in_use = false;
    return code;
}

void gb_cpu_hold_gate(gb_cpu *cpu, const gb_op *op)
{
    uint64_t end = gb_monotonic_ns() + op->gate.limit_ns;
    struct timespec limit = {.tv_sec = (time_t)(end / 1000000000u),
                             .tv_nsec = (long)(end % 1000000000u)};
    pthread_mutex_lock(&cpu->lock);
    atomic_fetch_add(&cpu->waiters, 1);
    int status = 0;
    while (!cpu->gate.released && status != ETIMEDOUT)
        status = pthread_cond_timedwait(&cpu->progress, &cpu->lock, &limit);
    cpu->gate.expired = !cpu->gate.released;
    atomic_fetch_sub(&cpu->waiters, 1);
    pthread_mutex_unlock(&cpu->lock);
}

void gb_cpu_gate_release(gb_device *dev)
{
    gb_cpu *cpu = gb_cpu_of(dev);
    pthread_mutex_lock(&cpu->lock);
    cpu->gate.released = true;
    pthread_cond_broadcast(&cpu->progress);
    pthread_mutex_unlock(&cpu->lock);
}

gb_code gb_cpu_gate_finish(gb_device *dev, bool *expired, gb_error *err)
{
    gb_cpu *cpu = gb_cpu_of(dev);
    pthread_mutex_lock(&cpu->lock);
    bool in_use = cpu->gate.in_use;
    *expired = cpu->gate.expired;
    cpu->gate.in_use = false;
    pthread_mutex_unlock(&cpu->lock);
    return in_use ? GB_OK : gb_fail(err, GB_INVALID, "no gate was held");
}
