/* Finding records by device, case and replicate. */
#include <stdlib.h>

#include "base/text.h"
#include "record/internal.h"

/* The numbers come first, so that no case id can look like another key. */
static char *make_key(int device, const char *case_id, uint32_t replicate)
{
    return gb_text_format("%d %u %s", device, (unsigned)replicate, case_id);
}

gb_code gb_index_put(json_t *index, const gb_record *record, size_t place, gb_error *err)
{
    char *key = make_key(record->device, record->case_id, record->replicate);
    /* nocheck: an id from elsewhere need not be UTF-8 */
    bool fine =
        key && json_object_set_new_nocheck(index, key, json_integer((json_int_t)place)) == 0;
    free(key);
    return fine ? GB_OK : gb_fail(err, GB_NO_MEMORY, "out of memory for an index of records");
}

bool gb_index_find(const json_t *index, int device, const char *case_id, uint32_t replicate,
                   size_t *place)
{
    char *key = make_key(device, case_id, replicate);
    const json_t *found = key ? json_object_get(index, key) : NULL;
    free(key);
    if (found && place) {
        *place = (size_t)json_integer_value(found);
    }
    return found != NULL;
}

void gb_index_remove(json_t *index, const gb_record *record)
{
    char *key = make_key(record->device, record->case_id, record->replicate);
    if (key) {
        json_object_del(index, key);
    }
    free(key);
}

json_t *gb_index_make(const gb_record records[], size_t n, gb_error *err)
{
    json_t *index = json_object();
    gb_code code = index ? GB_OK : gb_fail(err, GB_NO_MEMORY, "out of memory");
    for (size_t i = 0; code == GB_OK && i < n; i++) {
        code = gb_index_put(index, &records[i], i, err);
    }
    if (code != GB_OK) {
        json_decref(index);
        return NULL;
    }
    return index;
}
