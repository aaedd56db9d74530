#!/bin/sh
# Without a baseline a comparison is fine, and says so; a baseline that was given and is missing is
# an error.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

need_python
made new '{"cases": {"x[n=1]": [100, 101, 102]}}'
expect 0 "$GPUBENCH" compare new
has out "No baseline: nothing was compared or stored"
expect 0 "$GPUBENCH" compare new --json
strict_json out
json out "d['regression'] is False and d['baseline'] is None"
expect 2 "$GPUBENCH" compare new --require-baseline
has err "there is no baseline"
expect 6 "$GPUBENCH" compare missing new
has err "missing"
expect 6 "$GPUBENCH" compare new --baseline missing
expect 6 "$GPUBENCH" compare new new --baseline missing
