#!/bin/sh
# No nvidia-smi, no gnuplot, no PATH at all: everything still works.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

quick_plot s.yaml
expect 0 env PATH= "$GPUBENCH" run s.yaml --device cpu --out r --progress never
[ "$(grep -c '^warning' err)" -eq 1 ] || fail "not one warning about gnuplot"
has err 'warning[plots]'
expect 0 env PATH= "$GPUBENCH" devices
expect 0 env PATH= "$GPUBENCH" doctor
expect 0 env PATH= "$GPUBENCH" report r
expect 0 env PATH= "$GPUBENCH" report r --silence plots
hasnt err warning
# (the lock's folder aside, or it would wait for whoever measures on this machine)
expect 0 env -i GPUBENCH_LOCK_DIR="$GPUBENCH_LOCK_DIR" "$GPUBENCH" run s.yaml --device cpu --out empty --no-plots
