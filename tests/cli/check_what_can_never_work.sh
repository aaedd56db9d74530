#!/bin/sh
# A metric that no case can have is no metric to expect, to judge by or to draw.
# shellcheck source=tests/cli/lib.sh
. "${GB_SOURCE:?}/tests/cli/lib.sh"

cat >bad.yaml <<'END'
gpubench: 1
name: bad
benchmarks:
  - name: l
    kernel: launch
    axes: {launches: [1, 2]}
    measure: {timer: roundtrip}
    gate: {metric: submit}
    expect: [{metric: submit, max: 1s}, {metric: round_trip, max: 1s}]
  - name: f
    kernel: flops
    axes: {type: [int32, fp32]}
    expect:
      - {metric: flop_rate, max: 1e15}
      - {metric: flop_rate, of: {type: int32}, over: {type: fp32}, max: 1}
      - {metric: flop_rate, where: {type: fp32}, max: 1e15}
      - {metric: fma_rate, of: {type: int32}, over: {type: fp32}, max: 100}
  - name: c
    kernel: copy
    axes: {direction: bidirectional, memory: pinned, bytes: [1KiB, 1MiB]}
    measure: {timer: roundtrip}
plots:
  - {type: roofline, benchmark: l}
  - {type: roofline, benchmark: f}
  - {type: curve, benchmark: l, x: launches, y: submit}
  - {type: curve, benchmark: l, x: launches, y: round_trip}
  - {type: bar, benchmark: f, x: type, y: flop_rate}
  - {type: curve, benchmark: c, x: bytes, y: bandwidth_h2d}
  - {type: roofline, benchmark: k}
END
expect 2 "$GPUBENCH" check bad.yaml
has err "bad.yaml:4:11: error: gate: no case of benchmark 'l' can have a value of 'submit'"
has err "bad.yaml:9:14: error: expect: l[launches=1] can have no value of 'submit' on cpu"
has err "bad.yaml:14:9: error: expect: f[type=int32] can have no value of 'flop_rate' on cpu"
has err "bad.yaml:15:9: error: expect: f[type=int32] can have no value of 'flop_rate' on cpu"
has err "bad.yaml:23:5: error: plots: type 'roofline' needs operations and bytes; benchmark 'l'"
has err "bad.yaml:25:5: error: plots: no case of benchmark 'l' can have a value of 'submit'"
has err "bad.yaml:28:5: error: plots: no case of benchmark 'c' can have a value of 'bandwidth_h2d'"
has err "bad.yaml:29:33: error: unknown benchmark 'k'" # and nothing about the first one
[ "$(grep -c ': error: ' err)" -eq 8 ] || fail "more or fewer than 8 errors"

# What is not counted has no value in the records either, and says why.
need_python
cat >none.yaml <<'END'
gpubench: 1
name: none
budget: 200ms
defaults: {replicates: 1, warmup: 1ms, samples: {min: 3, max: 20}}
benchmarks:
  - {name: f, kernel: flops, axes: {type: int32, threads: 64, rounds: 1}}
END
expect 0 "$GPUBENCH" run none.yaml --device cpu --out none --no-plots
json none/results.json 'd["records"][0]["metrics"]["flop_rate"]["value"] is None'
why='the case does no floating-point operations'
json none/results.json "d['records'][0]['metrics']['flop_rate']['reason'] == '$why'"
