#!/bin/sh
# gpubench never locks clocks, and the results say so; there is no option that would.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

need_python
quick s.yaml
expect 0 "$GPUBENCH" run s.yaml --device cpu --out r
json r/results.json 'd["run"]["clocks"] == "as-found"'
expect 0 "$GPUBENCH" run --help
hasnt out lock-clocks
expect 2 "$GPUBENCH" run s.yaml --require-locked
