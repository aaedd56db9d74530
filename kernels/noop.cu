/* noop: an empty kernel. */
#include "device/simt/simt.h"
