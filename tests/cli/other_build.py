"""Another build for `run --against`, made of this one: its workers are those of the program in
OTHER_OF, and what differs is said by OTHER_IS, words with blanks between:

    protocol     speaks another version of the workers' protocol
    definition   its kernels are of another version
    faster       its times are half of what they were
    dies@N       from its Nth worker on, workers end before their first word
    SIGINT@N     its Nth worker sends that signal to whoever started it (SIGINT+SIGINT@N: twice)
"""
import json
import os
import signal
import subprocess
import sys
import time

words = os.environ["OTHER_IS"].split()
program = os.environ["OTHER_OF"]


def counted():
    """How many workers this build has had, this one included."""
    with open("workers", "a+", encoding="utf-8") as file:
        file.write("x")
        file.seek(0)
        return len(file.read())


def changed(event):
    record = event.get("record", {})
    if "definition" in words and "definition" in record:
        record["definition"] = record["definition"][::-1]
    if "faster" in words and record.get("time_ns"):
        for key, value in record["time_ns"].items():
            if isinstance(value, float) and key not in ("cv", "mad"):
                record["time_ns"][key] = value / 2
        for metric in (m for m in record["metrics"].values() if m["value"] is not None):
            metric["value"] *= 2 if metric["better"] == "higher" else 0.5
    return event


if sys.argv[1:] != ["worker"]:
    if "protocol" in words and sys.argv[1:] == ["worker", "--build"]:
        os.write(3, b'{"protocol": 999, "tool": {"version": "9"}}\n')
        sys.exit(0)
    os.execv(program, [program] + sys.argv[1:])
number = counted()
for word in words:
    what, _, when = word.partition("@")
    if what == "dies" and number >= int(when):
        sys.exit(7)
    if what.startswith("SIG") and number == int(when):
        for name in what.split("+"):
            os.kill(os.getppid(), getattr(signal, name))
            time.sleep(0.1)
out = os.fdopen(os.dup(3), "w", encoding="utf-8")
reading, writing = os.pipe()
os.dup2(writing, 3)
os.close(writing)
with subprocess.Popen([program, "worker"], pass_fds=(3,)) as worker:
    os.close(3)
    for line in os.fdopen(reading, encoding="utf-8"):
        out.write(json.dumps(changed(json.loads(line))) + "\n")
        out.flush()
sys.exit(worker.returncode)
