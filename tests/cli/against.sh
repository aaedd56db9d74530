# run --against: two builds measured in turns, what differs measured again, and a verdict.
# shellcheck shell=sh
. "$GB_SOURCE/tests/cli/lib.sh"
need_python
cat >paced.yaml <<'END'
gpubench: 1
name: paced
budget: 6s
defaults: {replicates: 8, warmup: 20ms, timeout: 20s, samples: {min: 20, max: 400}}
benchmarks:
  - {name: m, kernel: misbehave, axes: {how: [paced, good]}}
END

# The same program twice: whatever this machine does to both, nothing is slower for sure.
cp "$GPUBENCH_TEST" "same program"
expect 0 "$GPUBENCH_TEST" run paced.yaml --device cpu --against "./same program" --out same
has out "measured in turn"
json same/compare.json 'd["evidence"] == "interleaved" and d["regression"] is False'
json same/new/results.json 'd["run"]["pair"]["role"] == "new" and d["complete"]'
json same/baseline/results.json 'd["run"]["pair"]["role"] == "baseline"'
a=$(python3 -c 'import json; print(json.load(open("same/new/results.json"))["run"]["pair"]["id"])')
json same/baseline/results.json "d['run']['pair']['id'] == '$a'"
for file in html md json; do [ -s same/compare.$file ] || fail "no compare.$file"; done

# A folder stands for the program in it, and every replicate of one side has its twin.
mkdir folder && cp "$GPUBENCH_TEST" folder/gpubench
expect 0 "$GPUBENCH_TEST" run paced.yaml --device cpu --against folder --replicates 3 --budget 1s --out twins
for side in new baseline; do lines twins/$side/cases.jsonl 6; done

# One that takes 10 % longer. A busy machine may hide it from a first look, not from three.
for try in 1 2 3; do
    status=0
    "$GPUBENCH_TEST_SLOW" run paced.yaml --device cpu --against "$GPUBENCH_TEST" --out slow$try \
        --json >out 2>err || status=$?
    [ "$status" -eq 1 ] && break
    [ "$status" -eq 0 ] || fail "exit status $status"
done
[ "$status" -eq 1 ] || fail "10 % slower, and nobody saw it"
json out '[c["verdict"] for c in d["cases"] if "paced" in c["case"]] == ["slower"]'
json out '[c["confirmed"] for c in d["cases"] if "paced" in c["case"]] == [True]'
json out '[0.05 < abs(c["change"]) < 0.2 for c in d["cases"] if "paced" in c["case"]] == [True]'
[ -s "slow$try/confirm/new/results.json" ] || fail "the repeat has no run directory"
# The verdict comes from the two directories alone, too.
expect 1 "$GPUBENCH_TEST" compare "slow$try/baseline" "slow$try/new"
has out "slower"

# What cannot be alternated with.
expect 2 "$GPUBENCH_TEST" run paced.yaml --device cpu --against nowhere --out x1
has err "there is no such file"
expect 2 "$GPUBENCH_TEST" run paced.yaml --device cpu --against /bin/true --out x2
has err "no gpubench that could be asked"
mkdir empty
expect 2 "$GPUBENCH_TEST" run paced.yaml --device cpu --against empty --out x3
has err "no gpubench in this folder"
expect 2 "$GPUBENCH_TEST" run paced.yaml --device cpu --against-device cpu --out x4
has err "name another"
expect 2 "$GPUBENCH_TEST" run paced.yaml --against folder --baseline same/new
has err "exclude each other"
expect 2 "$GPUBENCH_TEST" run paced.yaml --confirm
has err "--baseline"
for place in x1 x2 x3 x4; do
    [ ! -e $place/new ] || fail "$place was begun"
done

# A full place or a signal leaves no verdict behind.
expect 6 "$GPUBENCH_TEST" run paced.yaml --device cpu --against folder --out /dev/null/x
