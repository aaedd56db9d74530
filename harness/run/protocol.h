/* What supervisor and worker say to each other. The job is one JSON document on the worker's
 * standard input; events are one JSON line each on its fd 3. Both sides are the same binary, yet
 * both read strictly: a worker that was hit by a stray write may say anything. */
#ifndef GB_RUN_PROTOCOL_H
#define GB_RUN_PROTOCOL_H

#include "device/device.h"
#include "device/peaks.h"
#include "device/process.h"
#include "record/record.h"

#define GB_PROTOCOL 1
#define GB_EVENT_FD GB_PROCESS_FD

/* One case as the worker needs it. In a job made by the supervisor the strings belong to the plan;
 * in one read by gb_job_load they belong to the job's JSON. */
typedef struct gb_job_case {
    const char *id, *benchmark, *kernel, *definition;
    json_t *args; /* object {parameter: value} */
    gb_timer timer;
    gb_cache cache;
    uint32_t index; /* in the suite's own order */
    uint32_t order; /* in this replicate's order */
    uint64_t seed;  /* of the test data */
    double precision;
    uint32_t min_samples, max_samples;
    uint64_t warmup_ns;
} gb_job_case;

typedef struct gb_job {
    gb_device_kind kind;
    int device_index;  /* cuda index */
    int device_number; /* index in the results' devices array */
    bool gate;         /* launches may be held back (not under --profile) */
    bool profile;      /* --profile: one iteration a case, nothing repeated */
    uint32_t replicate;
    uint64_t budget_ns;   /* measuring time of all these cases together */
    gb_peaks published;   /* of a device of this name; 0: unknown */
    const char *data_dir; /* absolute path of the user's files; NULL: none */
    gb_job_case *cases;
    size_t n;
    json_t *json; /* what a loaded job's strings point into; NULL for one that was made */
} gb_job;

/* The job as JSON. New reference; NULL on out of memory. */
json_t *gb_job_json(const gb_job *job);
/* Reads a job from text. GB_INVALID names what is wrong (another protocol version, a missing or
 * mistyped key, no case). Free with gb_job_free, which is fine with a zeroed one. */
gb_code gb_job_load(const char *text, size_t n, gb_job *out, gb_error *err);
void gb_job_free(gb_job *job);

typedef enum gb_event_kind {
    GB_EVENT_HELLO,  /* the device is open; `text`: who else uses it, "" nobody known */
    GB_EVENT_CASE,   /* case `index` of the job begins */
    GB_EVENT_PHASE,  /* a phase of the case under way begins: `text` */
    GB_EVENT_RECORD, /* case `index` ended as `record` */
    GB_EVENT_FAILED, /* this worker cannot go on: `code`, `text`; the device does not open, or its
                        context is lost */
    GB_EVENT_DONE,   /* all cases of the job have their record */
    GB_EVENTS
} gb_event_kind;

typedef struct gb_event_line {
    gb_event_kind kind;
    size_t index;     /* CASE, RECORD: place in the job's `cases` */
    char text[1024];  /* HELLO, PHASE, FAILED */
    gb_code code;     /* FAILED */
    gb_record record; /* RECORD: owned by whoever parsed the line */
} gb_event_line;

/* Writes an event as one line to `fd`, whole. GB_IO when the reader is gone. For RECORD the record
 * stays the caller's. */
gb_code gb_event_write(int fd, const gb_event_line *event, gb_error *err);
/* Reads a line (without its newline). GB_INVALID for whatever gb_event_write does not write. After
 * GB_OK on a RECORD the caller frees event->record. */
gb_code gb_event_parse(const char *line, size_t n, gb_event_line *out, gb_error *err);

/* What a record took of the suite's budget: the time of its "measure" phase, 0 when unknown. */
uint64_t gb_record_measured_ns(const gb_record *record);

#endif
