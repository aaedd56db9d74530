/* One way to use the gate, for whoever takes samples. */
#ifndef GB_DEVICE_GATE_H
#define GB_DEVICE_GATE_H

#include "device/device.h"

/* The gate opens by itself after this long; such a sample is thrown away. */
#define GB_GATE_LIMIT_NS UINT64_C(1000000000)
/* Operations that may wait behind the gate at once. Drivers hold about 1,000; a host that fills the
 * queue begins to wait for the device, and a gate that it fills never opens. */
#define GB_MAX_BEHIND_GATE 512

/* Calls enqueue(context, err), which puts work on `stream` and on others that it joins to it, and
 * waits until `stream` is empty; with `gated` none of it starts before all of it is enqueued.
 * *expired: the gate opened too early. The first error is returned, with the gate open and, as
 * other streams may not have been joined then, all streams of the device synchronised. */
gb_code gb_gate_around(gb_device *dev, gb_stream *stream, bool gated,
                       gb_code (*enqueue)(void *context, gb_error *err), void *context,
                       bool *expired, gb_error *err);

#endif
