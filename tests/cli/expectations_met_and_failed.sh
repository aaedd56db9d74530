#!/bin/sh
# `expect:` of a suite: one that does not hold is exit 1 and shows both values; one that holds is
# exit 0.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

need_python
with_bounds() { # FILE BOUNDS
    cat >"$1" <<END
gpubench: 1
name: expectations
budget: 1s
defaults: {replicates: 1, warmup: 1ms, samples: {min: 3, max: 20}}
benchmarks:
  - name: copy
    kernel: copy
    axes: {direction: h2d, memory: pageable, bytes: [4KiB, 4MiB]}
    expect:
      - {metric: time, of: {bytes: 4MiB}, over: {bytes: 4KiB}, $2}
END
}
with_bounds bad.yaml 'max: 1.0'
with_bounds good.yaml 'min: 1.0'

expect 1 "$GPUBENCH" run bad.yaml --device cpu --no-plots --out bad
json bad/results.json 'len(d["expectations"]) == 1 and d["expectations"][0]["outcome"] == "FAILED"'
json bad/results.json '(lambda e: e["of"] > e["over"] > 0)(d["expectations"][0])'
# the ratio and both times, in the table too
has out "expected copy: time"
grep -E 'FAILED: [0-9.]+ = [0-9.]+ [a-z]+ / [0-9.]+ [a-z]+' out >/dev/null ||
    fail "the table does not show both values"

expect 0 "$GPUBENCH" run good.yaml --device cpu --no-plots --out good
json good/results.json 'd["expectations"][0]["outcome"] == "met"'
