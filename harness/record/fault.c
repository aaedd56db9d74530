/* Hardware faults. Memory that has failed once gives figures, and perhaps answers, that nothing
 * should be measured against, even when a resumed run got through: the whole run is marked. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "record/internal.h"

static bool is_fault(const gb_record *record)
{
    return record->reason_code != NULL &&
           strcmp(record->reason_code, gb_code_word(GB_HARDWARE_FAULT)) == 0;
}

gb_code gb_results_note_fault(gb_results *results, const gb_record *record, gb_error *err)
{
    if (results->hardware_fault != NULL || !is_fault(record)) {
        return GB_OK;
    }
    results->hardware_fault = gb_text_format(
        "%s, device %d, replicate %u: %s", record->case_id, record->device,
        (unsigned)record->replicate, record->reason != NULL ? record->reason : record->reason_code);
    return results->hardware_fault != NULL ? GB_OK : gb_fail(err, GB_NO_MEMORY, "out of memory");
}

gb_code gb_results_find_fault(gb_results *results, gb_error *err)
{
    gb_code code = GB_OK;
    const char *noted = json_string_value(json_object_get(results->document, "hardware_fault"));
    if (results->hardware_fault == NULL && noted != NULL) {
        results->hardware_fault = gb_text_copy(noted);
        code =
            results->hardware_fault != NULL ? GB_OK : gb_fail(err, GB_NO_MEMORY, "out of memory");
    }
    for (size_t i = 0; i < results->n && code == GB_OK; i++) {
        code = gb_results_note_fault(results, &results->records[i], err);
    }
    return code;
}

gb_code gb_results_baseline(const gb_results *results, gb_error *err)
{
    if (results->hardware_fault == NULL) {
        return GB_OK;
    }
    return gb_fail(err, GB_HARDWARE_FAULT,
                   "this run cannot serve as a baseline, as the hardware failed in it: %s",
                   results->hardware_fault);
}
