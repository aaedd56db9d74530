#!/bin/sh
# Plots of what a filter left out are no warning; results.json stands for its directory.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

cat >s.yaml <<END
gpubench: 1
name: two
budget: 300ms
defaults: {replicates: 1, warmup: 1ms, samples: {min: 3, max: 20}}
benchmarks:
  - {name: copy, kernel: copy, axes: {direction: h2d, memory: pageable, bytes: [4KiB, 64KiB]}}
  - {name: read, kernel: stream, axes: {bytes: [4KiB, 64KiB]}}
plots:
  - {type: curve, benchmark: copy, x: bytes, y: bandwidth}
  - {type: curve, benchmark: read, x: bytes, y: bandwidth}
END
expect 0 "$GPUBENCH" run s.yaml --device cpu --out r --filter copy
hasnt err 'no data'
has_plot() { find r/plots -name "$1-*.dat" | grep -q .; }
has_plot 01 || fail "no plot of what was measured"
if has_plot 02; then fail "a plot of nothing"; fi
rm -r r/plots r/results.csv
expect 0 "$GPUBENCH" report r/results.json
has_plot 01 || fail "no plots beside results.json"
[ -s r/results.csv ] || fail "no CSV beside results.json"
expect 0 "$GPUBENCH" verify r/results.json
hasnt out note
cd r || exit 1
expect 0 "$GPUBENCH" report results.json
[ -d plots ] || fail "no plots in the folder itself"
# A run that ended before its first record.
cd "$work" || exit 1
mkdir none
: >none/cases.jsonl
expect 0 "$GPUBENCH" report none --table
has out '0 cases, as there is no record. The run is not complete.'
