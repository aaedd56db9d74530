#!/usr/bin/env python3
"""Fails each runtime call of a whole run, one run a call, and looks at what becomes of the run.

A run of the tiny suite makes much the same calls every time; a trace tells them. In a row of more than
four equal calls (a batch of launches) the first two and the last stand for all. Each call fails
twice, with errors that take turns; --all fails every call with every error (an hour).

Whatever fails: no crash, no hang, nothing left alive, an exit status out of the documented ones,
valid results; a record that is not ok says call, number and case; the others have results, or
say that they were not run.
"""
import argparse
import collections
import concurrent.futures
import os
import re
import struct
import sys
import tempfile

from program import EXITS, STATUSES, Run, values

ERRORS = [2, 35, 46, 100, 209, 214, 600, 700, 702, 719, 999]


def trace(folder):
    """Names of the calls of a run in which nothing fails; [0] is the first call."""
    path = os.path.join(folder, "trace")
    with Run("tiny", FAKE_CUDA_TRACE=path,
             FAKE_CUDA_COUNT_FILE=os.path.join(folder, "count")) as run:
        assert run.status == 0 and run.statuses() == ["ok"] * 7, (run.status, run.err)
    with open(path, encoding="ascii") as file:
        rows = [line.split() for line in file]
    assert [int(n) for n, _ in rows] == list(range(1, len(rows) + 1)), "numbers of calls"
    return [name for _, name in rows]


def chosen(names):
    """Numbers of the calls to fail, from 1."""
    out, start = [], 0
    for i in range(1, len(names) + 1):
        if i < len(names) and names[i] == names[start]:
            continue
        row = list(range(start + 1, i + 1))
        out += row if len(row) <= 4 else row[:2] + row[-1:]
        start = i
    return out


def problems(run, error):
    """What is wrong with a run in which a call failed; "" when all is as it must be."""
    if run.status not in EXITS:
        return f"exit status {run.status}: {run.err[-500:]}"
    if "fake cuda:" in run.err:
        return "leak: " + run.err[-500:]
    if run.results is None:
        # no device could be used at all: then stderr says why
        return "" if run.status in (4, 6) and f"{error}" in run.err else f"no results: {run.err}"
    if len(run.records) != 7 or not run.results["complete"]:
        return f"{len(run.records)} records"
    bad = [r for r in run.records.values() if r["status"] != "ok"]
    for record in bad:
        if record["status"] not in STATUSES or not record["reason"] or not record["reason_code"]:
            return f"{record['case']}: {record['status']} without a reason"
        if values(record):
            return f"{record['case']}: {record['status']} with figures"
        if record["status"] in ("failed", "skipped", "wrong") and (
                not re.search(rf"cuda\w+: {error} \(cudaError", record["reason"])):
            return f"{record['case']}: reason without call and number: {record['reason']}"
    if any(r["status"] in ("failed", "wrong") for r in bad) and run.status == 0:
        return "a case failed, exit status 0"
    if sum(r["status"] == "failed" for r in bad) > 1:
        return f"{len(bad)} cases failed through one call"
    if not bad and run.status not in (0, 4, 6) and run.status != 3:
        return f"all is well, exit status {run.status}"
    return ""


def fail(number, name, error):
    """What is wrong, and what became of the run."""
    outcome = "no end"
    reached = True
    with tempfile.TemporaryDirectory(prefix="gpubench-count-") as folder:
        try:
            count = os.path.join(folder, "count")
            with Run("tiny", FAKE_CUDA_COUNT_FILE=count,
                     FAKE_CUDA_FAIL_CALL=number, FAKE_CUDA_FAIL_WITH=error) as run:
                wrong = problems(run, error)
                # How often work is enqueued while clocks are read depends on the time it takes: a
                # run may end before it has made as many calls as the traced one.
                with open(count, "rb") as file:
                    reached = struct.unpack("l", file.read())[0] >= number
                outcome = f"exit {run.status}" + (
                    "" if run.results is None else ", all ok" if set(run.statuses()) == {"ok"}
                    else ", not all ok")
        except Exception as problem:  # a hang among them: the run did not end in time
            wrong = f"{type(problem).__name__}: {problem}"
    text = f"call {number} ({name}) failing with {error}: {wrong}" if wrong else ""
    return text, outcome if reached or wrong else "call not reached"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gpubench-trace-") as folder:
        names = trace(folder)
    numbers = list(range(1, len(names) + 1)) if arguments.all else chosen(names)
    jobs = []
    for i, n in enumerate(numbers):
        errors = ERRORS if arguments.all else [ERRORS[i % len(ERRORS)],
                                               ERRORS[(i + len(ERRORS) // 2) % len(ERRORS)]]
        jobs += [(n, names[n - 1], error) for error in errors]
    # a run mostly waits, for its workers to start and to end
    with concurrent.futures.ThreadPoolExecutor(max_workers=4 * (os.cpu_count() or 2)) as pool:
        answers = list(pool.map(lambda job: fail(*job), jobs))
    found = [text for text, _ in answers if text]
    outcomes = collections.Counter(outcome for _, outcome in answers)
    print(f"{len(names)} calls in a run, {len(numbers)} of them failed in {len(jobs)} runs")
    for outcome, count in sorted(outcomes.items()):
        print(f"{count:6} {outcome}")
    if outcomes["exit 3, not all ok"] < (len(jobs) - outcomes["call not reached"]) // 2:
        found.append("most failing calls had no effect: does the fake runtime still fail them?")
    for text in found:
        print(text)
    print(f"{len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
