#!/bin/sh
# A filter that matches nothing in either run is an error that names what is near; runs without a
# case in common are one too (CMP-01).
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

need_python
made a '{"cases": {"copy[n=1]": [100, 101, 102], "launch[n=2]": [5, 5, 5]}}'
made other '{"cases": {"sort[n=1]": [100, 101, 102]}}'
expect 0 "$GPUBENCH" compare a a --filter launch
expect 2 "$GPUBENCH" compare a a --filter lauch
has err "did you mean 'launch'"
[ -s out ] && fail "something on stdout"
expect 2 "$GPUBENCH" compare a other
has err "no case in common: 2 in the baseline, 1 in the new run"
expect 2 "$GPUBENCH" compare a other --json
strict_json out
