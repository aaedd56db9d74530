/* Writes a run directory with records of every kind, for results_schema.py: record_writer DIR. */
#include "record/host.h"
#include "unit/record_sample.h"

static gb_head full_head(void)
{
    gb_head head = sample_head("20260115T101500Z-000001");
    json_decref(head.tool);
    head.tool = json_pack("{s:s,s:s,s:s,s:{s:s,s:s,s:s,s:b,s:s,s:s,s:s,s:b,s:n,s:b}}", "name",
                          "gpubench", "version", "0.1.0", "git", "abc", "build", "type", "Release",
                          "compiler", "GNU 12", "flags", "-O3", "cuda", 1, "cuda_toolkit", "13.0",
                          "cuda_architectures", "80,90", "minimum_driver", "580", "portable", 0,
                          "sanitizer", "checked_kernels", 0);
    json_object_del(head.run, "exit");
    json_object_set_new(head.run, "environment", json_object());
    json_object_set_new(head.run, "finished", json_string("2026-01-15T10:16:00Z"));
    json_decref(head.host);
    head.host = gb_host_json();
    json_t *device = json_array_get(head.devices, 0);
    json_t *unknown = json_pack("{s:n,s:n,s:n}", "uuid", "driver", "runtime");
    json_object_update_missing(device, unknown);
    json_decref(unknown);
    head.extra = json_pack("{s:[],s:[]}", "fits", "findings");
    return head;
}

static void make(gb_record *r, int kind)
{
    static const char *const names[] = {"plain",       "zero",           "one",   "none",    "skip",
                                        "bad\xff\xfe", "\"quoted\"\\\n", "wrong", "not run", "odd"};
    gb_error why;
    size_t n = kind == 2 ? 1 : kind == 3 || kind == 4 || kind == 8 ? 0 : 40;
    sample_record(r, names[kind], 1024, 0, n, kind == 1 ? 0 : 2e5);
    r->index = (uint32_t)kind;
    if (kind == 4 || kind == 8) {
        gb_record_free(r);
        gb_record_init(r);
        r->case_id = gb_text_copy(names[kind]);
        r->benchmark = gb_text_copy(names[kind]);
        r->kernel = gb_text_copy("copy");
        r->params = json_object();
        gb_fail(&why, kind == 4 ? GB_UNAVAILABLE : GB_INTERRUPTED, "never \xff started");
        gb_record_fail(r, kind == 4 ? GB_STATUS_SKIPPED : GB_STATUS_NOT_RUN, &why);
    } else if (kind == 7) {
        gb_fail(&why, GB_WRONG_RESULT, "3 of 4 are wrong");
        gb_record_fail(r, GB_STATUS_WRONG, &why);
        r->verified = 0;
    } else if (kind == 9) {
        r->samples_ns[7] = 9e15;
        r->work.flops = UINT64_MAX; /* null */
        r->first_call_ns = INFINITY;
        r->flags = GB_BIT(GB_FLAG_COUNT) - 1;
        r->parts_ns = json_pack("{s:f}", "part", 1.0);
        r->phases_ns = json_pack("{s:I}", "total", (json_int_t)5);
        r->telemetry = json_pack("{s:n}", "power_w");
        gb_record_summarise(r, sample_metrics, 1, NULL);
    }
}

int main(int argc, char **argv)
{
    gb_run_dir *dir = NULL;
    gb_error err = {0};
    gb_code code = argc == 2 ? gb_run_dir_open(argv[1], false, &dir, &err) : GB_INVALID;
    gb_head head = full_head();
    if (code == GB_OK) {
        code = gb_run_dir_begin(dir, &head, &err);
    }
    for (int kind = 0; code == GB_OK && kind < 10; kind++) {
        gb_record r;
        make(&r, kind);
        code = gb_run_dir_append(dir, &r, &err);
        gb_record_free(&r);
    }
    if (code == GB_OK) {
        code = gb_run_dir_finish(dir, &head, true, &err);
    }
    gb_run_dir_close(dir);
    gb_head_free(&head);
    if (code != GB_OK) {
        fprintf(stderr, "record_writer: %s %s\n", err.file, err.message);
    }
    return code == GB_OK ? 0 : 1;
}
