#include "run/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"
#include "base/text.h"
#include "device/cuda_facts.h"
#include "kernels/kernel.h"
#include "run/measure.h"
#include "run/protocol.h"
#include "run/selftest.h"

#define JOB_LIMIT (256u << 20) /* bytes; 4,096 cases need about 2 MiB */

/* Tells the supervisor that a phase begins. */
static void report_phase(void *user, const char *phase)
{
    (void)user;
    gb_event_line event = {.kind = GB_EVENT_PHASE};
    snprintf(event.text, sizeof event.text, "%s", phase);
    gb_event_write(GB_EVENT_FD, &event, NULL);
}

static void report_failed(const gb_error *why)
{
    gb_event_line event = {.kind = GB_EVENT_FAILED, .code = why->code};
    memcpy(event.text, why->message, sizeof event.text);
    gb_event_write(GB_EVENT_FD, &event, NULL);
}

static gb_code read_job(gb_job *job, gb_error *err)
{
    gb_buf text = {0};
    char block[65536];
    gb_code code = GB_OK;
    for (;;) {
        ssize_t n = read(STDIN_FILENO, block, sizeof block);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            code = gb_fail(err, GB_IO, "job: read: %s", strerror(errno));
        if (n <= 0)
            break;
        gb_buf_add_bytes(&text, block, (size_t)n);
        if (text.length > JOB_LIMIT || text.failed) {
            code = gb_fail(err, GB_NO_MEMORY, "job: too large");
            break;
        }
    }
    if (!code)
        code = gb_job_load(text.data ? text.data : "", text.length, job, err);
    gb_buf_free(&text);
    return code;
}

static gb_code identify(const gb_job *job, const gb_job_case *c, gb_record *record, gb_error *err)
{
    gb_record_init(record);
    record->case_id = gb_text_copy(c->id);
    record->benchmark = gb_text_copy(c->benchmark);
    record->kernel = gb_text_copy(c->kernel);
    record->params = json_incref(c->args);
    snprintf(record->definition, sizeof record->definition, "%s", c->definition);
    record->device = job->device_number;
    record->replicate = job->replicate;
    record->index = c->index;
    record->order = c->order;
    record->timer = c->timer;
    record->cache = c->cache;
    return record->case_id && record->benchmark && record->kernel
               ? GB_OK
               : gb_fail(err, GB_NO_MEMORY, "%s: out of memory", c->id);
}

/* Measures one case into *record. An error means that this process must stop. */
static gb_code measure(gb_device *dev, const gb_job *job, const gb_job_case *c, uint64_t budget_ns,
                       gb_record *record, gb_error *err)
{
    gb_code code = identify(job, c, record, err);
    if (code)
        return code;
    gb_error why = {0};
    const gb_kernel *kernel = gb_kernel_find(c->kernel);
    gb_value *args = kernel ? calloc(kernel->spec.n_params + 1, sizeof *args) : NULL;
    if (!kernel) /* under --against the job comes from another build, with kernels of its own */
        gb_fail(&why, GB_UNAVAILABLE, "this build has no kernel '%s'", c->kernel);
    else if (!args)
        gb_fail(&why, GB_NO_MEMORY, "%s: out of memory", c->id);
    else
        gb_args_from_json(&kernel->spec, c->args, args, &why);
    if (why.code) {
        gb_status status = kernel ? GB_STATUS_FAILED : GB_STATUS_SKIPPED;
        code = gb_record_fail(record, status, &why);
    } else {
        /* Of the code that measures: under --against the job comes from another build. */
        gb_definition_hash(&kernel->spec, args, c->timer, c->cache, c->timer == GB_TIMER_DEVICE,
                           record->definition);
        gb_measure how = {.precision = c->precision,
                          .min_samples = c->min_samples,
                          .max_samples = c->max_samples,
                          .warmup_ns = c->warmup_ns,
                          .budget_ns = budget_ns,
                          .seed = c->seed,
                          .gate = job->gate,
                          .profile = job->profile,
                          .peak_bandwidth = gb_peak_bandwidth(&dev->info),
                          .published = job->published,
                          .data_dir = job->data_dir,
                          .progress = report_phase};
        code = gb_measure_case(dev, kernel, args, c->timer, c->cache, &how, record, err);
    }
    free(args);
    return code;
}

static gb_code run_case(gb_device *dev, const gb_job *job, size_t i, uint64_t *budget_ns,
                        gb_error *err)
{
    gb_event_line begin = {.kind = GB_EVENT_CASE, .index = i};
    gb_event_line end = {.kind = GB_EVENT_RECORD, .index = i};
    gb_error gone = {0};
    gb_code code = gb_event_write(GB_EVENT_FD, &begin, err);
    if (code)
        return code;
    if (job->kind == GB_CUDA)
        gb_device_cuda_range_begin(job->cases[i].id);
    code = measure(dev, job, &job->cases[i], *budget_ns / (job->n - i), &end.record, err);
    if (job->kind == GB_CUDA)
        gb_device_cuda_range_end();
    if (end.record.case_id) {
        uint64_t spent = gb_record_measured_ns(&end.record);
        *budget_ns -= spent < *budget_ns ? spent : *budget_ns;
        gb_code written = gb_event_write(GB_EVENT_FD, &end, &gone);
        if (!code && written) {
            *err = gone;
            code = written;
        }
    }
    gb_record_free(&end.record);
    return code;
}

void gb_describe_use(const char *name, const gb_telemetry *now, char *text, size_t size)
{
    text[0] = '\0';
    if (now->other_processes > 0)
        snprintf(text, size, "%s is shared with %.0f other process%s: expect disturbed figures",
                 name, now->other_processes, now->other_processes > 1 ? "es" : "");
    else if (now->utilization > 50)
        snprintf(text, size, "%s is already %.0f %% busy: expect disturbed figures", name,
                 now->utilization);
}

/* When memory runs out, the kernel should end the worker (one case) before the supervisor. */
static void volunteer_for_oom(void)
{
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    gb_write_all(fd, "500", 3, NULL);
    close(fd);
}

int gb_worker_main(void)
{
    gb_error err = {0};
    gb_job job = {0};
    gb_device *dev = NULL;
    prctl(PR_SET_NAME, "gpubench-worker");
    volunteer_for_oom();
    gb_code code = read_job(&job, &err);
    if (!code)
        code = job.kind == GB_CPU ? gb_device_cpu_open(0, &dev, &err)
                                  : gb_device_cuda_open(job.device_index, &dev, &err);
    if (code)
        goto done;
    gb_event_line hello = {.kind = GB_EVENT_HELLO};
    gb_telemetry now = {0};
    dev->ops->telemetry(dev, &now);
    /* Later workers would take what this run itself did a moment ago for another's. */
    if (job.replicate > 0)
        now.utilization = NAN;
    gb_describe_use(dev->info.name, &now, hello.text, sizeof hello.text);
    code = gb_event_write(GB_EVENT_FD, &hello, &err);
    uint64_t budget_ns = job.budget_ns;
    for (size_t i = 0; !code && i < job.n; i++)
        code = run_case(dev, &job, i, &budget_ns, &err);
    if (!code)
        code = gb_event_write(GB_EVENT_FD, &(gb_event_line){.kind = GB_EVENT_DONE}, &err);
done:
    if (code)
        report_failed(&err);
    if (dev)
        dev->ops->close(dev);
    gb_job_free(&job);
    return code ? 1 : 0;
}

static json_t *error_json(const gb_error *err)
{
    return json_pack("{s:s, s:i, s:o}", "code", gb_code_word(err->code), "status",
                     err->device_status, "message", gb_json_string(err->message));
}

/* Facts of one cuda device; an unusable one carries its reason under "unusable". */
static json_t *cuda_json(int index)
{
    gb_error err = {0};
    gb_device_info info = {0};
    gb_code code = gb_device_cuda_info(index, &info, &err);
    if (code)
        return json_pack("{s:i, s:o}", "index", index, "unusable", error_json(&err));
    const gb_peaks theory = gb_peaks_theory(&info);
    json_t *json = gb_device_info_json(&info);
    if (json && gb_cuda_check_covers(gb_device_cuda_architectures(), info.cc_major, info.cc_minor,
                                     info.name, &err))
        json_object_set_new(json, "unusable", error_json(&err));
    if (json)
        json_object_set_new(json, "peaks", gb_peaks_json(&theory));
    return json;
}

int gb_worker_answer(json_t *json)
{
    char *line = json ? gb_json_line(json) : NULL;
    json_decref(json);
    gb_code code = line ? gb_write_all(GB_EVENT_FD, line, strlen(line), NULL) : GB_NO_MEMORY;
    free(line);
    return code ? 1 : 0;
}

int gb_worker_selftest(const char *kind_word, const char *index)
{
    gb_error err = {0};
    gb_device *dev = NULL;
    gb_device_kind kind;
    gb_selftest_check checks[GB_SELFTEST_CHECKS] = {0};
    prctl(PR_SET_NAME, "gpubench-selftest");
    if (!gb_device_kind_parse(kind_word, &kind))
        return 1;
    gb_code code = kind == GB_CPU ? gb_device_cpu_open(0, &dev, &err)
                                  : gb_device_cuda_open(atoi(index), &dev, &err);
    if (!code)
        code = gb_selftest_run(dev, NULL, NULL, checks, &err);
    int status = gb_worker_answer(code ? json_pack("{s:o}", "error", error_json(&err))
                                       : gb_selftest_json(checks, GB_SELFTEST_CHECKS, NULL));
    if (dev)
        dev->ops->close(dev);
    return status;
}

int gb_worker_probe(bool cuda)
{
    gb_error err = {0};
    gb_device_info info = {0};
    int count = 0;
    prctl(PR_SET_NAME, "gpubench-probe");
    gb_code code = gb_device_cpu_info(&info, &err);
    json_t *cpu =
        code ? json_pack("{s:o}", "unusable", error_json(&err)) : gb_device_info_json(&info);
    json_t *list = json_array();
    json_t *why = json_null();
    if (cuda) {
        code = gb_device_cuda_count(&count, &err);
        if (code)
            why = error_json(&err);
        for (int i = 0; !code && i < count; i++)
            json_array_append_new(list, cuda_json(i));
    }
    return gb_worker_answer(
        json_pack("{s:o, s:o, s:o}", "cpu", cpu, "cuda", list, "cuda_error", why));
}
