#!/bin/sh
# An edited figure, suite or sample shows: exit 3 and a line that names it.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

need_python
quick s.yaml
expect 0 "$GPUBENCH" run s.yaml --device cpu --out r
expect 0 "$GPUBENCH" verify r
edit() { # EXPRESSION of python that changes d
    cp r/results.json kept
    python3 -c '
import json, sys
d = json.load(open("r/results.json"))
exec(sys.argv[1])
json.dump(d, open("r/results.json", "w"))' "$1"
    expect 3 "$GPUBENCH" verify r
    [ -s out ] || fail "no line about: $1"
    mv kept r/results.json
}
edit 'd["records"][0]["time_ns"]["median"] *= 0.9'
edit 'd["records"][1]["metrics"]["bandwidth"]["value"] *= 1.1'
edit 'd["records"][2]["params"]["bytes"] = 8192'
edit 'd["suite"]["text"] += "# more"'
expect 0 "$GPUBENCH" verify r
