#!/bin/sh
# What cannot be held against anything is never passed over in silence.
. "${GB_SOURCE:?}/tests/cli/lib.sh"

with() { # EXPECTATIONS
    cat >s.yaml <<END
gpubench: 1
name: s
budget: 200ms
defaults: {replicates: 1, warmup: 1ms, samples: {min: 3, max: 20}}
benchmarks:
  - name: copy
    kernel: copy
    axes: {direction: h2d, memory: [pageable, managed], bytes: [4KiB, 64KiB]}
    expect: [$1]
END
}
with '{metric: bandwidth, where: {bytes: 1KiB}, min: 1}'
expect 2 "$GPUBENCH" check s.yaml
has err "s.yaml:9:14: error: expect: 'where' matches no case (benchmark 'copy')"

# A copy in one direction has no part for the other: it would be unknown whenever it runs.
with '{metric: bandwidth_h2d, where: {memory: pageable, bytes: 4KiB}, min: 1}'
expect 2 "$GPUBENCH" check s.yaml
has err "expect: copy[bytes=4096,direction=h2d,memory=pageable] can have no value of 'bandwidth_h2d' on cpu"

# A case that failed has no value.
suite m.yaml '[good, abort]'
cat >>m.yaml <<END
    expect: [{metric: time, max: 1m}]
END
expect 3 "$GPUBENCH_TEST" run m.yaml --device cpu --out unknown --no-plots
has out 'unknown: m[how=abort,n=1] has no value of time'

# Skipped on this device, or not selected: said, and no failure.
with '{metric: time, of: {memory: managed}, over: {memory: pageable}, max: 1000}'
expect 0 "$GPUBENCH" run s.yaml --device cpu --out skipped --no-plots
has out 'skipped: copy[bytes=4096,direction=h2d,memory=managed] is skipped on this device'
expect 0 "$GPUBENCH" run s.yaml --device cpu --filter pageable --out selected --no-plots
has out 'skipped: this run has no two cases that it compares'
