#!/bin/sh
# The doctor and the cpu device have one opinion of how much memory may be locked.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

need_python
(
    # shellcheck disable=SC3045 # dash and bash have it
    ulimit -l 4096 2>/dev/null || exit 77
    "$GPUBENCH" doctor >out 2>err
    "$GPUBENCH" devices --json >list.json 2>err
) || [ $? -ne 77 ] || skip "no limit can be set"
if python3 -c 'import json; exit(json.load(open("list.json"))["cpu"]["pinned_limit_bytes"] is not None)'; then
    has out 'memlock    no limit'
else
    has out 'may be locked'
fi
