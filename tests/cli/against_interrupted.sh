# Signals while two sides are measured in turns, and while what differs is measured again: the exit
# status is the signal's, and --json gives one document.
# shellcheck shell=sh
. "$GB_SOURCE/tests/cli/lib.sh"
need_python
cat >s.yaml <<'END'
gpubench: 1
name: s
budget: 1s
defaults: {replicates: 5, warmup: 1ms, timeout: 20s, samples: {min: 5, max: 50}}
benchmarks:
  - {name: m, kernel: misbehave, axes: {how: [paced]}}
END
printf '#!/bin/sh\nexec python3 "%s/tests/cli/other_build.py" "$@"\n' "$GB_SOURCE" >other
chmod +x other
export OTHER_OF="$GPUBENCH_TEST" OTHER_IS
run() { # STATUS IS DIR: the other build's workers send the signals
    OTHER_IS=$2
    rm -f workers
    # Not ignored, however this script was started.
    expect "$1" python3 -c '
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$GPUBENCH_TEST" run s.yaml --device cpu --no-plots \
        --against ./other --out "$3" --json
    strict_json out
    wait_for 5 no_strays || fail "$2: a child stayed behind"
}
for when in 1 2 5; do
    run 130 SIGINT@$when once-$when
    json out 'd["error"]["kind"] == "interrupted" and d["error"]["exit_code"] == 130'
    for side in baseline new; do
        json once-$when/$side/results.json 'd["complete"] is False and len(d["records"]) == 5'
    done
    [ ! -e once-$when/compare.json ] || fail "a verdict on half a measurement"
done
run 143 SIGTERM@2 term
run 130 SIGINT+SIGINT@2 twice
# In the repeat: the comparison is there, and nothing confirms it.
run 130 "faster SIGINT@7" repeat
json out '[(c["verdict"], c["confirmed"]) for c in d["cases"]] == [("inconclusive", False)]'
json out 'd["regression"] is False and "the repeat came to nothing" in d["cases"][0]["reason"]'
json repeat/confirm/new/results.json 'd["complete"] is False'
