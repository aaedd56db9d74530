#!/bin/sh
# Going on with a run: nothing to do changes nothing, legs are recorded, other cases are refused.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
need_python

quick s.yaml
expect 0 "$GPUBENCH" run s.yaml --device cpu --out r --filter h2d --seed 7 --no-plots
json r/results.json 'len(d["run"]["legs"]) == 1'
cat r/results.json r/results.csv r/cases.jsonl >before
expect 0 "$GPUBENCH" run --resume r
has err 'nothing to do'
has out 'copy  ('
expect 0 "$GPUBENCH" run --resume r --filter h2d --seed 7
cat r/results.json r/results.csv r/cases.jsonl >after
cmp before after || fail "a resume without anything to do changed the results"
[ ! -e r/plots ] || fail "a resume without anything to do made plots"

for other in '--filter d2h' '--seed 8' '--replicates 2' '--thin 2' '--tag x' '--set copy.bytes=1KiB'; do
    # shellcheck disable=SC2086 # two words
    expect 2 "$GPUBENCH" run --resume r $other
    has err "--resume goes on with the run as it began: ${other%% *} is "
done

# A failure is measured again, in a second leg.
suite t.yaml '[good, abort]'
expect 3 "$GPUBENCH_TEST" run t.yaml --device cpu --out q --no-plots
cp q/results.json first.json
sleep 1.1
expect 3 "$GPUBENCH_TEST" run --resume q --no-plots
python3 - first.json q/results.json <<'END' || fail "the legs are wrong"
import json, sys
a, b = (json.load(open(name))["run"] for name in sys.argv[1:])
assert [a[k] for k in ("id", "started", "command")] == [b[k] for k in ("id", "started", "command")]
assert len(b["legs"]) == 2 and b["legs"][0] == a["legs"][0], b["legs"]
assert "--resume" in b["legs"][1]["command"]
assert b["elapsed_ns"] == sum(leg["elapsed_ns"] for leg in b["legs"]) > a["elapsed_ns"]
assert b["finished"] == b["legs"][1]["finished"] > b["legs"][0]["finished"]
END
json q/results.json 'len({r["started"] for r in d["records"]}) == 2 and len({r["run_id"] for r in d["records"]}) == 1'
