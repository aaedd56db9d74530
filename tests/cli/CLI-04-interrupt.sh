#!/bin/sh
# One Ctrl-C ends the run with a partial report and 130, two end it at once; no child stays behind.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

need_python
N=40 TIMEOUT=60s suite s.yaml '[noisy]'
interrupt() { # NAME SIGNAL TIMES DELAY
    # Not by the shell's '&': a background job of a script ignores SIGINT, as this script itself does
    # when it is one, or under nohup.
    python3 - "$GPUBENCH_TEST" "$@" >ended <<'END'
import os, signal, subprocess, sys, time
program, out, name, times, delay = sys.argv[1:6]
def not_ignored():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
run = subprocess.Popen([program, "run", "s.yaml", "--device", "cpu", "--out", out, "--budget", "60s"],
                       stdout=open("out", "w"), stderr=open("err", "w"), preexec_fn=not_ignored)
end = time.time() + 20
while time.time() < end:
    try:
        if open(out + "/cases.jsonl").read().count("\n") >= 2:
            break
    except OSError:
        pass
    time.sleep(0.02)
began = time.time()
for i in range(int(times)):
    run.send_signal(getattr(signal, name))
    time.sleep(float(delay))
print(run.wait(timeout=20), int(time.time() - began))
END
    read -r status seconds <ended
}
interrupt once SIGINT 1 0
[ "$status" -eq 130 ] || fail "exit status $status after one SIGINT"
[ "$seconds" -le 6 ] || fail "$seconds s until it ended"
wait_for 5 no_strays || fail "a child stayed behind"
json once/results.json 'd["complete"] is False and len(d["records"]) == 40'
json once/results.json '{r["status"] for r in d["records"]} == {"ok", "not_run"}'
json once/results.json 'all(r["reason_code"] == "interrupted" for r in d["records"] if r["status"] == "not_run")'
has out 'The run is not complete'
[ "$(grep -c not_run err)" -eq 1 ] || fail "not one line for all that was not run"
interrupt twice SIGINT 2 0.1
[ "$status" -eq 130 ] || fail "exit status $status after two SIGINTs"
[ "$seconds" -le 2 ] || fail "$seconds s until it ended at once"
wait_for 5 no_strays || fail "a child stayed behind"
json twice/results.json 'd["complete"] is False and len(d["records"]) >= 2'
interrupt term SIGTERM 1 0
[ "$status" -eq 143 ] || fail "exit status $status after SIGTERM"
wait_for 5 no_strays || fail "a child stayed behind"
interrupt hup SIGHUP 1 0
[ "$status" -eq 129 ] || fail "exit status $status after SIGHUP"
# What was interrupted can be gone on with.
expect 0 "$GPUBENCH_TEST" run --resume once --budget 1s
json once/results.json 'd["complete"] is True and {r["status"] for r in d["records"]} == {"ok"}'
