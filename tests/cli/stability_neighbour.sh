#!/bin/sh
# A case beside a second process on the device: measured with it, refused without it, and nobody is
# left behind, whatever becomes of the worker and of the run.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

need_python
cat >s.yaml <<'END'
gpubench: 1
name: beside
budget: 2s
defaults: {replicates: 1, warmup: 1ms, samples: {min: 3, max: 1000000}, precision: 20%}
benchmarks:
  - name: b
    kernel: stability
    axes: {work: [compute, launch], beside: [none, compute, memory, copies], bytes: 256KiB, rounds: 16, duration: 50ms}
END
expect 0 "$GPUBENCH" run s.yaml --device cpu --out r --quiet --no-plots
json r/results.json '{r["status"] for r in d["records"]} == {"ok"} and len(d["records"]) == 8'
# 50 ms and no more than what is under way then, of which much may be waiting on a busy machine
json r/results.json 'all(r["phases_ns"]["measure"] >= 5e7 for r in d["records"])'
expect 0 "$GPUBENCH" verify r
[ -z "$(strays)" ] || fail "processes are left: $(strays)"

neighbour() { # its process id
    for pid in $(strays); do
        if [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = gpubench-beside ]; then
            echo "$pid"
            return 0
        fi
    done
    return 1
}

# One that dies during the case: the case fails with that reason, the others go on.
"$GPUBENCH" run s.yaml --device cpu --out killed --quiet --no-plots --filter 'b*work=compute*' \
    --set b.beside=compute,none --set b.duration=3s >out 2>err &
run=$!
wait_for 60 neighbour >/dev/null || fail "no neighbour"
sleep 1
kill -9 "$(neighbour)"
wait "$run"
[ $? -eq 3 ] || fail "a case without its neighbour is no failure"
json killed/results.json '"the neighbour was killed by signal 9 (SIGKILL)" in [r["reason"] for r in d["records"] if r["status"] == "failed"][0]'
json killed/results.json '[r["reason_code"] for r in d["records"] if r["status"] == "failed"] == ["crashed"]'
json killed/results.json 'sum(r["status"] == "ok" for r in d["records"]) == 1'

# A run that is killed takes all with it.
"$GPUBENCH" run s.yaml --device cpu --out gone --quiet --no-plots --set b.beside=memory \
    --set b.duration=30s >out 2>err &
run=$!
wait_for 60 neighbour >/dev/null || fail "no neighbour"
kill -9 "$run"
wait "$run"
wait_for 10 no_strays || fail "left behind: $(strays)"
