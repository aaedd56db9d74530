#!/bin/sh
# kill -9 of workers at random moments costs at most a case each; kill -9 of the supervisor leaves a
# directory that can be read, verified and gone on with, and no worker.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

need_python
N=6 suite s.yaml '[noisy, slow]' 2
cat >worker.py <<'END'
import os, random, signal, subprocess, sys, time
random.seed(7)
run = subprocess.Popen([sys.argv[1], "run", "s.yaml", "--device", "cpu", "--out", "r"],
                       stdout=open("out", "w"), stderr=open("err", "w"))
kills = 0
while run.poll() is None:
    time.sleep(random.uniform(0.2, 1.2))
    for pid in os.listdir("/proc"):
        try:
            status = open("/proc/%s/status" % pid).read()
            if pid.isdigit() and "\nPPid:\t%d\n" % run.pid in status:
                os.kill(int(pid), signal.SIGKILL)
                kills += 1
        except OSError:
            pass
print(run.returncode, kills)
END
python3 worker.py "$GPUBENCH_TEST" >ended
read -r status kills <ended
[ "$kills" -ge 3 ] || fail "only $kills kills"
[ "$status" -eq 3 ] || [ "$status" -eq 0 ] || fail "exit status $status"
json r/results.json 'd["complete"] and len(d["records"]) == 24'
json r/results.json "sum(r['status'] != 'ok' for r in d['records']) <= $kills"
json r/results.json 'all("SIGKILL" in r["reason"] for r in d["records"] if r["status"] == "failed")'
json r/results.json 'not any(r["status"] == "not_run" for r in d["records"])'
sed -i "s/to: 6/to: 2/" s.yaml
for delay in 0.05 0.4 1.1; do
    "$GPUBENCH_TEST" run s.yaml --device cpu --out "s$delay" --quiet >/dev/null 2>&1 &
    run=$!
    sleep "$delay"
    kill -9 "$run"
    wait "$run"
    wait_for 5 no_strays || fail "a worker outlived its supervisor"
    [ -e "s$delay/results.json" ] || continue # killed before it began
    expect 0 "$GPUBENCH_TEST" report "s$delay" --no-plots
    has err incomplete
    expect 0 "$GPUBENCH_TEST" run --resume "s$delay" --quiet
    json "s$delay/results.json" 'd["complete"] and len(d["records"]) == 8 and {r["status"] for r in d["records"]} == {"ok"}'
    expect 0 "$GPUBENCH_TEST" verify "s$delay"
done
