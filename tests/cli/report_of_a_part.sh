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
[ -s r/plots/01-*.dat ] || fail "no plot of what was measured"
[ ! -e r/plots/02-*.dat ] || fail "a plot of nothing"
rm -r r/plots r/results.csv
expect 0 "$GPUBENCH" report r/results.json
[ -s r/plots/01-*.dat ] || fail "no plots beside results.json"
[ -s r/results.csv ] || fail "no CSV beside results.json"
expect 0 "$GPUBENCH" verify r/results.json
hasnt out note
cd r || exit 1
expect 0 "$GPUBENCH" report results.json
[ ! -e results.json/plots ] || fail
