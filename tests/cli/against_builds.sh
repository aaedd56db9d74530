# run --against other builds than the usual: another protocol, other kernels, none at all; and what
# becomes of a verdict when the repeat fails.
# shellcheck shell=sh
. "$GB_SOURCE/tests/cli/lib.sh"
need_python
cat >s.yaml <<'END'
gpubench: 1
name: two kernels
budget: 1s
defaults: {replicates: 3, warmup: 1ms, timeout: 20s, samples: {min: 5, max: 50}}
benchmarks:
  - {name: m, kernel: misbehave, axes: {how: [paced]}, expect: [{metric: bandwidth, min: 1 B/s}]}
  - {name: copy, kernel: copy, axes: {direction: [h2d], memory: pageable, bytes: [4KiB, 64KiB]}}
END
place="a ' \"näme
with all"
mkdir "$place"
printf '#!/bin/sh\nexec python3 "%s/tests/cli/other_build.py" "$@"\n' "$GB_SOURCE" >"$place/gpubench"
chmod +x "$place/gpubench"
export OTHER_OF="$GPUBENCH_TEST" OTHER_IS=
against() { # STATUS DIR OPTIONS...
    wanted=$1 dir=$2
    shift 2
    rm -f workers
    expect "$wanted" "$GPUBENCH_TEST" run s.yaml --device cpu --no-plots --against "./$place" --out "$dir" "$@"
}

# What cannot be asked or run is said before anything is begun, also in JSON.
OTHER_IS=protocol
against 2 x --json
has err "version 999 of the workers' protocol"
strict_json out
json out 'd["error"]["exit_code"] == 2'
: >empty && chmod +x empty && : >plain && mkdir -p folder/gpubench
for build in empty plain folder plain/x; do
    expect 2 "$GPUBENCH_TEST" run s.yaml --device cpu --against ./$build --out x --json
    strict_json out
done
has err "Not a directory"
expect 2 "$GPUBENCH_TEST" run s.yaml --device cpu --against ./plain --out x
has err "no program that can be run"
OTHER_IS=
for option in --profile --resume=x --against-device=cpu --baseline=x --confirm; do
    against 2 x $option
done
expect 2 "$GPUBENCH_TEST" run s.yaml --device cpu --gate --against-device cpu --out x
has err "neither passes or fails"
expect 2 "$GPUBENCH_TEST" run s.yaml --device cpu --profile --baseline x --out x
has err "times under a profiler are no results"
[ ! -e x ] || fail "something was begun"
# --dry-run: as many replicates as there would be
against 0 x --dry-run
has out "15 records in 5 replicates"
has err "for each of two sides"
if [ -e x ] || [ -e workers ]; then fail "--dry-run measured"; fi

# A build without that kernel has not failed, and the others are compared; what is expected of the
# figures is expected of the new ones alone.
expect 0 "$GPUBENCH_TEST" run s.yaml --device cpu --no-plots --against "$GPUBENCH" --out kernels --json
json kernels/baseline/results.json '{r["status"] for r in d["records"] if r["kernel"] == "misbehave"} == {"skipped"}'
json kernels/baseline/results.json 'all("has no kernel" in r["reason"] for r in d["records"] if r["kernel"] == "misbehave")'
json out '[c["verdict"] for c in d["cases"] if "paced" in c["case"]] == ["not compared"]'
# ... five replicates where the suite has three, and verify knows
json kernels/new/results.json 'len(d["records"]) == 15 and d["run"]["settings"]["least_replicates"] == 5'
expect 0 "$GPUBENCH_TEST" verify kernels/new
expect 0 "$GPUBENCH_TEST" verify kernels/baseline
# the same place again: said, and nothing of the other run is shown as this one's
expect 6 "$GPUBENCH_TEST" run s.yaml --device cpu --against "$GPUBENCH" --out kernels
hasnt err "results:"

OTHER_IS=definition
against 0 definition --json --filter paced
json out '{c["verdict"] for c in d["cases"]} == {"definition changed"}'
against 5 definition-2 --require-decision --filter paced

# Twice as fast before: confirmed by as many samples a case as the first time had.
OTHER_IS=faster
against 1 faster --json
json out '[(c["verdict"], c["confirmed"]) for c in d["cases"] if "paced" in c["case"]] == [("slower", True)]'
json faster/confirm/new/results.json 'd["run"]["settings"]["budget_ns"] <= 1e9 * len(d["records"]) / 15'
expect 0 "$GPUBENCH_TEST" verify faster/confirm/new
# The repeat fails: what nothing confirms is no regression, and says so.
OTHER_IS="faster dies@6"
against 6 dies --json --filter paced
json out '[(c["verdict"], c["confirmed"]) for c in d["cases"]] == [("inconclusive", False)]'
json out 'd["regression"] is False and "it was slower, but" in d["cases"][0]["reason"]'
