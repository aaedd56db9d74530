#include "device/gate.h"

gb_code gb_gate_around(gb_device *dev, gb_stream *stream, bool gated,
                       gb_code (*enqueue)(void *context, gb_error *err), void *context,
                       bool *expired, gb_error *err)
{
    *expired = false;
    gb_code code = gated ? dev->ops->gate_hold(dev, stream, GB_GATE_LIMIT_NS, err) : GB_OK;
    if (code != GB_OK)
        return code;
    code = enqueue(context, err);
    if (gated)
        dev->ops->gate_release(dev);
    if (code == GB_OK)
        code = dev->ops->stream_sync(dev, stream, err);
    else
        dev->ops->sync(dev, NULL);
    if (gated) {
        const gb_code finished = dev->ops->gate_finish(dev, expired, code == GB_OK ? err : NULL);
        if (code == GB_OK)
            code = finished;
    }
    return code;
}
