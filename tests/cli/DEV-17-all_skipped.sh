#!/bin/sh
# A case that the device cannot run is skipped with its reason; a run of nothing else is no success.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

need_python
cat >s.yaml <<END
gpubench: 1
name: skips
budget: 1s
defaults: {replicates: 2, warmup: 1ms}
benchmarks:
  - {name: copy, kernel: copy, axes: {direction: [h2d, d2h], memory: managed, bytes: 4KiB}}
END
expect 6 "$GPUBENCH" run s.yaml --device cpu --out r
json r/results.json 'len(d["records"]) == 4 and all(r["status"] == "skipped" and r["reason"] and r["reason_code"] == "unavailable" for r in d["records"])'
has out '2 skipped'
[ "$(grep -c 'gpubench: error: nothing was measured: all records are skipped on this device' err)" -eq 1 ] ||
    fail "not one line that says why exit 6"
# Where one case went well, the skipped ones are no error.
sed 's/memory: managed/memory: [managed, pageable]/' s.yaml >t.yaml
expect 0 "$GPUBENCH" run t.yaml --device cpu --out t
hasnt err 'nothing was measured'
