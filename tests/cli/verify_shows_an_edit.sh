#!/bin/sh
# An edited figure, suite or sample shows: exit 3 and a line that names it.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

need_python
cat >s.yaml <<'END'
gpubench: 1
name: small
budget: 1s
defaults: {replicates: 2, warmup: 1ms, samples: {min: 6, max: 20}}
benchmarks:
  - name: copy
    kernel: copy
    axes: {direction: h2d, memory: pageable, bytes: [4KiB, 64KiB, 1MiB]}
    expect: [{metric: time, max: 10s}]
  - {name: nothing, kernel: noop}
  - {name: graph, kernel: graph, axes: {measure: [capture, replay-device], length: 4}}
plots:
  - {type: curve, benchmark: copy, x: bytes, y: bandwidth}
END
expect 0 "$GPUBENCH" run s.yaml --device cpu --out r --no-plots
expect 0 "$GPUBENCH" verify r
# Edits results.json and, record for record, cases.jsonl alike; CODE sees d and each record r.
edit() { # TEXT CODE [CODE for each record]
    rm -rf e
    cp -r r e
    python3 - "$2" "${3-}" <<'END' || fail "no such edit: $*"
import json, sys
d = json.load(open("e/results.json"))
lines = [json.loads(line) for line in open("e/cases.jsonl")]
exec(sys.argv[1])
for r in d["records"] + lines:
    exec(sys.argv[2])
json.dump(d, open("e/results.json", "w"))
open("e/cases.jsonl", "w").write("".join(json.dumps(line) + "\n" for line in lines))
END
    expect 3 "$GPUBENCH" verify e
    has out "$1"
}
first='if r["case"] == d["records"][0]["case"] and r["replicate"] == 0: '
edit time_ns.median 'd["records"][0]["time_ns"]["median"] *= 0.9'
edit metrics.bandwidth 'd["records"][1]["metrics"]["bandwidth"]["value"] *= 1.1'
edit params 'd["records"][2]["params"]["bytes"] = 8192'
edit suite.sha256 'd["suite"]["text"] += "# more"'
edit 'suite.title is not' 'd["suite"]["title"] = "Other"'
edit 'fits are not' 'd["fits"][0]["bandwidth"] = 1e12'
edit 'findings are not' 'd["findings"] = [{"rule": "x", "device": 0, "text": "It is fast."}]'
edit 'expectations are not' 'd["expectations"][0]["outcome"] = "FAILED"'
edit 'no such replicate' '' "$first r['replicate'] = 7"
edit 'device 0: 2 records missing' 'd["records"] = d["records"][2:]; lines = [l for l in lines if any(l["case"] == r["case"] and l["replicate"] == r["replicate"] for r in d["records"])]'
edit 'there is no such device' '' "$first r['device'] = 5"
edit 'verified contradict' '' "$first r['verified'] = False; r['status'] = 'timeout'; r['reason'] = 'x'; r['reason_code'] = 'timeout'"
edit 'stopped_by is no reason' '' "$first r['time_ns']['stopped_by'] = 'boredom'"
edit 'gate-expired contradict' '' "$first r['time_ns']['rejected'] = 3"
edit 'gate-off contradict' '' "$first r['gated'] = not r['gated']"
edit 'order is not' '' "$first r['order'] += 1"
edit 'index is not' '' "$first r['index'] += 1"
edit 'precise enough' '' "$first r['time_ns']['converged'] = not r['time_ns']['converged']; r['flags'] = [f for f in r['flags'] if f != 'not-converged'] + ([] if r['time_ns']['converged'] else ['not-converged'])"
edit 'cache-resident contradict' '' "$first r['flags'] = [f for f in r['flags'] if f != 'cache-resident'] + ([] if 'cache-resident' in r['flags'] else ['cache-resident'])"
edit 'results.csv: line 2 is not' '' "$first r['first_call_ns'] = 1.0"
rm -rf e
cp -r r e
sed -i '3s/ok/OK/' e/results.csv
expect 3 "$GPUBENCH" verify e --json
json out 'not d["valid"] and d["differences"] == ["results.csv: line 3 is not what the records say"]'
expect 0 "$GPUBENCH" verify r --json
json out 'd["valid"] and d["differences"] == [] and d["notes"] == []'

# A run of some of the cases, one that was gone on with, one with failures: all agree.
expect 0 "$GPUBENCH" run s.yaml --device cpu --out some --filter 4096 --replicates 3 --thin 2 --set copy.bytes=4KiB,8KiB,16KiB --no-plots
expect 0 "$GPUBENCH" verify some
suite t.yaml '[good, abort, wrong, fail, huge]' 2
expect 3 "$GPUBENCH_TEST" run t.yaml --device cpu --out bad --no-plots
expect 0 "$GPUBENCH_TEST" verify bad

# Where there is nothing to check, nothing agrees.
mkdir empty
: >empty/cases.jsonl
expect 2 "$GPUBENCH" verify empty
has err 'empty: nothing to verify: no record is in it, and no results.json'
hasnt err agree
