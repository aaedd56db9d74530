/* How each machine was measured: facts from the heads of the runs. */
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "reports/matrix/internal.h"

const gb_fact gb_matrix_facts[] = {
    {"run", {"run", "id"}, true},
    {"started", {"run", "started"}, true},
    {"suite", {"suite", "name"}, false},
    {"suite file (sha256)", {"suite", "sha256"}, false},
    {"gpubench", {"tool", "version"}, false},
    {"build", {"tool", "git"}, false},
    {"driver", {"device", "driver"}, false},
    {"runtime", {"device", "runtime"}, false},
    {"compute capability", {"device", "compute_capability"}, false},
    {"multiprocessors or threads", {"device", "units"}, false},
    {"ECC", {"device", "ecc"}, false},
    {"MIG", {"device", "mig"}, false},
    {"clock, kHz", {"device", "clock_khz"}, false},
    {"noise floor (selftest)", {"device", "selftest", "noise_floor"}, false},
    {"host CPU", {"host", "cpu"}, false},
    {"kernel", {"host", "kernel"}, false},
    {"operating system", {"host", "os"}, false},
    {"container", {"host", "container"}, false},
    {NULL, {NULL}, false}};

char *gb_machine_fact(const gb_machine *machine, const gb_fact *fact)
{
    const json_t *value = machine->results->document;
    if (strcmp(fact->path[0], "device") == 0) {
        value = json_array_get(json_object_get(value, "devices"), (size_t)machine->device);
    } else {
        value = json_object_get(value, fact->path[0]);
    }
    for (size_t i = 1; i < 3 && fact->path[i] != NULL; i++) {
        value = json_object_get(value, fact->path[i]);
    }
    if (value == NULL || json_is_null(value)) {
        return gb_text_copy("");
    }
    if (json_is_string(value)) {
        return gb_text_printable(json_string_value(value));
    }
    if (json_is_real(value)) { /* the noise floor is the only fraction among them */
        char percent[32];
        return gb_text_copy(gb_format_percent(json_real_value(value), percent, sizeof percent));
    }
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    char *safe = text != NULL ? gb_text_printable(text) : NULL;
    free(text);
    return safe;
}
