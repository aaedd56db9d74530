# run --baseline --gate --confirm: measure, compare with earlier runs, decide.
# shellcheck shell=sh
. "$GB_SOURCE/tests/cli/lib.sh"
need_python
cat >s.yaml <<'END'
gpubench: 1
name: gated
budget: 3s
defaults: {replicates: 3, warmup: 10ms, timeout: 20s, samples: {min: 10, max: 200}}
benchmarks:
  - {name: m, kernel: misbehave, axes: {how: [paced, good]}}
END
run() { # STATUS OPTIONS...
    wanted=$1
    shift
    expect "$wanted" "$GPUBENCH_TEST" run s.yaml --device cpu --quiet "$@"
}

# CMP-22: no baseline yet is no failure, unless one is required; one that is named must be there.
expect 0 "$GPUBENCH_TEST" run s.yaml --device cpu --gate --out first
has err "no baseline: nothing was compared"
run 2 --gate --require-baseline --out x
has err "there is no --baseline"
run 6 --baseline missing --out x
has err "missing"
[ ! -e x ] || fail "it measured before it looked for the baseline"
# --gate asks for five replicates where the suite has fewer
json first/results.json 'len(d["records"]) == 10'
expect 0 "$GPUBENCH_TEST" verify first
# ... and goes on with as many
expect 0 "$GPUBENCH_TEST" run --resume first
has err "nothing to do"

# Two sessions: hints at the most, never exit 1.
run 0 --baseline first --out second --threshold 1000%
has out "two sessions, which differ"
json second/compare.json 'd["evidence"] == "sessions" and d["regression"] is False'

# What cannot be compared is found before anything is measured, and is one JSON document.
sed 's/name: m/name: other/' s.yaml >other.yaml
expect 2 "$GPUBENCH_TEST" run other.yaml --device cpu --baseline first --gate --out x --json
json out 'd["error"]["exit_code"] == 2 and "no case in common" in d["error"]["message"]'
[ ! -e x ] || fail "it measured before it looked whether there is anything to compare"
cp -r first elsewhere
python3 - <<'END'
import json
for name in ("results.json",):
    d = json.load(open("elsewhere/" + name))
    d["devices"][0]["name"] = "another cpu"
    json.dump(d, open("elsewhere/" + name, "w"))
END
expect 2 "$GPUBENCH_TEST" run s.yaml --device cpu --baseline elsewhere --out x --quiet
has err "different devices"
[ ! -e x ] || fail "it measured before it looked at the device"

# A gate that two sessions decide cannot fail by a slower case, and says so.
expect 0 "$GPUBENCH_TEST" run s.yaml --device cpu --gate --baseline first --out toothless --quiet \
    --threshold 1000%
has err "warning[gate-without-teeth]"

# A case that fails in the new run fails the gate, and is no regression.
sed 's/\[paced, good\]/[paced, good, fail]/' s.yaml >more.yaml
expect 3 "$GPUBENCH_TEST" run more.yaml --device cpu --gate --baseline first --out third --quiet
json third/compare.json 'd["regression"] is False'

# Three earlier runs or more are a measure of how runs differ; twice as slow is beyond it, and a
# repeat in fresh processes says so too.
for i in 1 2 3; do
    run 0 --out earlier$i
    set -- "$@" --baseline earlier$i
done
run 0 "$@" --confirm --out again --threshold 400%
json again/compare.json 'd["evidence"] == "baselines"'
run 2 --baseline first --threshold 3 --out y
has err "threshold"

# What differs is measured again, also by a run that had nothing left to measure, and in a place of
# its own each time.
cat >"other build" <<END
#!/bin/sh
exec python3 "$GB_SOURCE/tests/cli/other_build.py" "\$@"
END
chmod +x "other build"
sed 's/\[paced, good\]/[paced]/' s.yaml >one.yaml
OTHER_OF=$GPUBENCH_TEST OTHER_IS=faster
export OTHER_OF OTHER_IS
expect 1 "$GPUBENCH_TEST" run one.yaml --device cpu --against "./other build" --out halved
expect 0 "$GPUBENCH_TEST" run one.yaml --device cpu --baseline halved/baseline --confirm --out now
json now/compare.json '[(c["verdict"], c["confirmed"]) for c in d["cases"]] == [("suspect slower", True)]'
[ -s now/confirm/results.json ] || fail "no repeat"
expect 0 "$GPUBENCH_TEST" run --resume now --baseline halved/baseline --confirm
[ -s now/confirm-2/results.json ] || fail "no second repeat"
