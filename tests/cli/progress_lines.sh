#!/bin/sh
# Without a terminal: a line for each case of each replicate, counted up to the total.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

quick s.yaml 3
expect 0 "$GPUBENCH" run s.yaml --device cpu --out r --no-plots
grep -c '^\[[0-9]*/12\] ok copy\[.*(replicate [123] of 3): ' err | grep -qx 12 || fail "not 12 lines"
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
    has err "[$i/12] ok"
done
expect 0 "$GPUBENCH" run s.yaml --device cpu --out q --no-plots --replicates 1 --filter h2d
has err '[2/2] ok'
hasnt err 'replicate'
