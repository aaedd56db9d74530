/* Every kernel of the registry, verified with every combination of its words and a few sizes. */
#include <stdlib.h>
#include <string.h>

#include "gpu/device_test.h"

#define MAX_PARAMS 16
/* Of a kernel with more, so many of them, spread evenly over all, are tried: parameters multiply.
 */
#define MOST_COMBINATIONS 100

/* Values to try for a parameter: every word, or the smallest, odd and middling numbers. */
static size_t candidates(const gb_param *p, gb_value out[], size_t room)
{
    static const uint64_t numbers[] = {1, 2, 31, 33, 1000, 1025, 65536, 1000003, 4194304};
    size_t n = 0;
    for (size_t w = 0; p->kind == GB_PARAM_WORD && p->words[w] != NULL && n < room; w++) {
        out[n++] = (gb_value){.word = p->words[w]};
    }
    /* Secondary numbers (stride, offset, pieces) have small ranges or small defaults. */
    bool size = (p->kind == GB_PARAM_BYTES && p->max > 65536) || p->default_value.number >= 1024;
    for (size_t i = 0; p->kind != GB_PARAM_WORD && i < sizeof numbers / sizeof numbers[0]; i++) {
        bool wanted = size ? i != 1 : i < 3;
        if (wanted && numbers[i] >= p->min && numbers[i] <= p->max && n < room) {
            out[n++] = (gb_value){.number = numbers[i]};
        }
    }
    /* The default too, unless it is one of the large sizes that would only take time. */
    bool wants_default = p->kind != GB_PARAM_WORD && p->default_value.number <= 4096;
    for (size_t i = 0; i < n; i++) {
        wants_default = wants_default && out[i].number != p->default_value.number;
    }
    if (n == 0 || (wants_default && n < room)) {
        out[n++] = p->default_value;
    }
    return n;
}

/* Of one iteration; some kernels do thousands of operations an element. Under a sanitizer a CPU
 * takes ten times as long for one, which shows no more than a shorter one does. */
static uint64_t max_flops(gb_device_kind kind)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    const uint64_t cpu = UINT64_C(20000000);
#else
    const uint64_t cpu = UINT64_C(200000000);
#endif
    return kind == GB_CPU ? cpu : UINT64_C(20000000000);
}

static bool affordable(const gb_kernel *k, const gb_value args[], gb_device_kind kind,
                       const gb_need *need)
{
    gb_work work = {0};
    k->spec.work(args, kind, &work);
    return need->device_bytes + need->pinned_bytes < UINT64_C(1) << 30 &&
           work.flops <= max_flops(kind);
}

/* One run as the measuring loop does it: poison, one iteration, check. Also: without the iteration
 * the check must fail, otherwise it proves nothing. */
static gb_code verify_once(gb_device *dev, const gb_kernel *k, const gb_value args[], gb_error *err)
{
    gb_run run = {.dev = dev, .args = args, .seed = 42};
    run.timer = gb_spec_timer(&k->spec, args, k->spec.default_timer);
    gb_code code = dev->ops->stream_create(dev, &run.stream, err);
    if (code != GB_OK) {
        return code;
    }
    gb_code prepared = k->prepare(&run, err);
    code = prepared;
    code = code ? code : k->reset(&run, err);
    code = code ? code : dev->ops->stream_sync(dev, run.stream, err);
    gb_work work = {0};
    k->spec.work(args, dev->info.kind, &work);
    if (code == GB_OK && work.bytes_written > 0 && k->verify(&run, NULL) == GB_OK) {
        code = gb_fail(err, GB_INTERNAL, "the check passes although nothing ran");
    }
    code = code ? code : k->enqueue(&run, err);
    code = code ? code : dev->ops->stream_sync(dev, run.stream, err);
    code = code ? code : k->verify(&run, err);
    k->release(&run);
    dev->ops->stream_destroy(dev, run.stream);
    gb_code after = dev->ops->sync(dev, code == GB_OK ? err : NULL);
    return code != GB_OK ? code : after;
}

static void say_failure(const gb_kernel *k, const gb_value args[], const gb_error *err, FILE *out)
{
    fprintf(out, "FAILED  kernel %s", k->spec.name);
    for (size_t i = 0; i < k->spec.n_params; i++) {
        char text[64];
        fprintf(out, " %s=%s", k->spec.params[i].name,
                gb_value_text(&k->spec.params[i], args[i], text, sizeof text));
    }
    fprintf(out, ": %s\n", err->message);
}

/* The i-th combination that is tried of `total`: a stride by the golden ratio, which has no common
 * divisor with the total, comes to all values of each parameter soon (Knuth, The Art of Computer
 * Programming 3, section 6.4). */
static size_t stride_of(size_t total)
{
    size_t stride = (size_t)((double)total * 0.6180339887) | 1;
    for (;; stride += 2) {
        size_t a = stride, b = total;
        while (b != 0) {
            const size_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1) {
            return stride;
        }
    }
}

static bool test_kernel(gb_device *dev, const gb_kernel *k, FILE *out, int *passed, int *failed,
                        int *skipped)
{
    gb_value values[MAX_PARAMS][16], args[MAX_PARAMS];
    size_t n[MAX_PARAMS], total = 1, count = k->spec.n_params;
    int before = *passed, bad = *failed, skips = *skipped;
    for (size_t p = 0; p < count; p++) {
        n[p] = candidates(&k->spec.params[p], values[p], 16);
        total *= n[p];
    }
    const size_t stride = total > 1 ? stride_of(total) : 1;
    for (size_t i = 0, tried = 0; i < total && tried < MOST_COMBINATIONS; i++) {
        size_t rest = i * stride % total;
        for (size_t p = 0; p < count; rest /= n[p], p++) {
            args[p] = values[p][rest % n[p]];
        }
        gb_need need = {0};
        gb_error err = {0};
        gb_code code = k->spec.check(args, dev->info.kind, &need, &err);
        if (code == GB_OK && affordable(k, args, dev->info.kind, &need)) {
            tried++;
            code = verify_once(dev, k, args, &err);
            *passed += code == GB_OK;
            *skipped += code == GB_UNAVAILABLE || code == GB_NO_MEMORY;
            if (code != GB_OK && code != GB_UNAVAILABLE && code != GB_NO_MEMORY) {
                say_failure(k, args, &err, out);
                ++*failed;
            }
            if (err.sticky) {
                return false;
            }
        }
    }
    if (*passed == before && *failed == bad && *skipped == skips) {
        fprintf(out, "FAILED  kernel %s: no combination of parameters was tried\n", k->spec.name);
        ++*failed;
    } else if (*failed == bad) {
        fprintf(out, "ok      kernel %s: %d combinations of parameters verified\n", k->spec.name,
                *passed - before);
    }
    return true;
}

void gb_test_all_kernels(gb_device *dev, FILE *out, int *passed, int *failed, int *skipped)
{
    for (size_t i = 0; i < gb_kernels_count; i++) {
        if (!test_kernel(dev, gb_kernels[i], out, passed, failed, skipped)) {
            fprintf(out, "the context is lost; nothing further was tested\n");
            return;
        }
        fflush(out);
    }
}
