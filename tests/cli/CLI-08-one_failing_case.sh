#!/bin/sh
# A case that fails, hangs, crashes, lies or floods costs itself: the others are measured, the exit
# status is 3, --fail-fast stops, and no process stays behind.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

need_python
TIMEOUT=1s suite s.yaml '[good, crash, abort, exit, hang, stubborn, wrong, fail, lost, slow, noisy, garbage, stray, spawn, huge]' 2
expect 3 "$GPUBENCH_TEST" run s.yaml --device cpu --out r --json
python3 -m json.tool <out >/dev/null || fail "stdout is not one JSON document"
wait_for 5 no_strays || fail "a process stayed behind"
cat >check.py <<'END'
import json
expected = dict(good="ok", slow="ok", noisy="ok", garbage="ok", spawn="ok", crash="failed",
                abort="failed", exit="failed", fail="failed", lost="failed", stray="failed",
                wrong="wrong", hang="timeout", stubborn="timeout", huge="skipped")
d = json.load(open("r/results.json"))
seen = {}
for r in d["records"]:
    seen.setdefault(r["params"]["how"], []).append(r)
assert d["complete"] and set(seen) == set(expected), seen.keys()
for how, records in seen.items():
    assert [r["replicate"] for r in records] == [0, 1], how
    for r in records:
        assert r["status"] == expected[how], (how, r["status"], r["reason"])
        assert r["status"] == "ok" or r["reason"] and r["reason_code"], how
def reason(how):
    return seen[how][0]["reason"]
assert "signal 11 (SIGSEGV)" in reason("crash")
assert "signal 6 (SIGABRT)" in reason("abort") and "these are my last words" in reason("abort")
assert "exited with status 7" in reason("exit")
assert "1 s" in reason("hang") and "phase" in reason("hang")
assert seen["crash"][0]["reason_code"] == "crashed" and seen["hang"][0]["reason_code"] == "timeout"
assert "700" in reason("fail") and "700" in reason("lost")
END
python3 check.py || fail "records"
expect 3 "$GPUBENCH_TEST" run s.yaml --device cpu --out f --fail-fast
json f/results.json 'len(d["records"]) == 30'
json f/results.json 'sum(r["status"] in ("failed", "wrong", "timeout") for r in d["records"]) == 1'
json f/results.json 'any(r["status"] == "not_run" and "fail-fast" in r["reason"] for r in d["records"])'
