#!/bin/sh
# --profile: one checked and one measured iteration a case, nothing held back, nothing else on the
# timeline.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

need_python
quick s.yaml
expect 0 "$GPUBENCH" run s.yaml --device cpu --no-plots --out p --profile
json p/results.json 'd["run"]["settings"]["profile"] is True and len(d["records"]) == 4'
json p/results.json 'all(r["status"] == "ok" and r["verified"] for r in d["records"])'
json p/results.json 'all(r["time_ns"]["n"] == 1 for r in d["records"])'
json p/results.json 'all(r["iterations_per_sample"] == 1 for r in d["records"])'
json p/results.json 'not any(r["gated"] for r in d["records"])'

# Its times are no results, and nothing is made of them.
json p/results.json 'all("profiled" in r["flags"] for r in d["records"])'
json p/results.json 'd["fits"] == [] and d["findings"] == []'
has out 'Measured for a profiler: the times below are no results.'
hasnt out 'What to remember'
cat >e.yaml <<'END'
gpubench: 1
name: e
budget: 1s
benchmarks:
  - name: l
    kernel: noop
    expect: [{metric: time, max: 1ns}]
END
expect 0 "$GPUBENCH" run e.yaml --device cpu --no-plots --out e --profile
json e/results.json '[(x["outcome"], x["value"]) for x in d["expectations"]] == [("skipped", None)]'
hasnt out 'FAILED'
expect 0 "$GPUBENCH" verify e
# Nor by what compares runs.
expect 0 "$GPUBENCH" run e.yaml --device cpu --no-plots --replicates 3 --out f --profile
expect 1 "$GPUBENCH" run e.yaml --device cpu --no-plots --replicates 3 --out g
expect 3 "$GPUBENCH" compare f --baseline g --gate
has out 'no figure'
has out 'profiled: its times are no results'
hasnt out 'Regression'
expect 2 "$GPUBENCH" history add e --history nights.sqlite
has err 'was measured for a profiler: its times are no results'
