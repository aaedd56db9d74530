#!/usr/bin/env python3
"""Writes the run directories beside it: fixed records from which the golden tests make their
reports and against which the reader is tested. Run it from anywhere; its output is committed.

The statistics are computed here, apart from harness/base/stats.c, so that `gpubench verify` on
these directories compares two implementations."""
import hashlib
import json
import math
import os
import statistics
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
RUN_ID = "20260115T101500Z-4f1d"
STARTED = "2026-01-15T10:15:00Z"
COPY = {"name": "copy", "kernel": "copy",
        "axes": {"bytes": ["1MiB"], "direction": ["h2d"], "memory": ["pinned"]}}
DEVICE = {
    "id": 0, "kind": "cpu", "name": "Example CPU 9000", "uuid": "CPU-0123456789abcdef",
    "driver": None, "runtime": "8 threads, x86-64-v3", "pci": None, "mig": None,
    "compute_capability": None, "units": 8, "warp_size": 1, "clock_khz": 3000000,
    "memory_clock_khz": None, "bus_bits": None, "memory_bytes": 68719476736,
    "llc_bytes": 33554432, "ecc": None, "integrated": None,
}
HOST = {
    "cpu": "Example CPU 9000", "architecture": "x86_64", "logical_cpus": 8, "affinity": "0-7",
    "affinity_cpus": 8, "cgroup_cpus": None, "memory_bytes": 68719476736,
    "cgroup_memory_bytes": None, "kernel": "6.1.0-18-amd64",
    "os": "Debian GNU/Linux 12 (bookworm)", "numa_nodes": 1, "container": False,
    "hypervisor": False, "governor": "performance",
}


def plot(kind, benchmark="copy", x=None, y=None, series=(), title=None):
    return {"type": kind, "title": title, "benchmark": benchmark, "x": x, "y": y,
            "series": list(series), "where": {}}


# What every fixture but `names` asks for: a picture of each type that a copy can have.
PLOTS = [plot("curve", x="bytes", y="bandwidth", series=["direction", "memory"]),
         plot("bar", x="direction", y="time", series=["bytes"]),
         plot("ladder", x="bytes", y="time", series=["direction"]),
         plot("distribution")]


def suite(benchmarks, plots, title):
    """As YAML (JSON is YAML), and as results.json holds it."""
    given = [{k: v for k, v in p.items() if v} for p in plots]
    text = "gpubench: 1\nname: golden\n" + (f"title: {line(title)}\n" if title else "")
    for key, entries in (("benchmarks", benchmarks), ("plots", given)):
        text += f"{key}:\n" + "".join(f"  - {line(e)}\n" for e in entries)
    return {"name": "golden", "title": title, "file": "golden.yaml",
            "sha256": hashlib.sha256(text.encode()).hexdigest(), "text": text, "plots": plots}


def head(complete=True, benchmarks=(COPY,), plots=tuple(PLOTS), title=None, device=DEVICE):
    return {
        "schema": "gpubench-results/1", "complete": complete,
        "tool": {"name": "gpubench", "version": "0.1.0", "git": "0123456789ab",
                 "build": {"type": "Release", "compiler": "GNU 12.2.0", "flags": "-O3 -DNDEBUG",
                           "cuda": False, "cuda_toolkit": None, "cuda_architectures": None,
                           "minimum_driver": None, "portable": False, "sanitizer": None,
                           "checked_kernels": False}},
        "run": {"id": RUN_ID, "started": STARTED, "seed": 7,
                "command": ["gpubench", "run", "golden.yaml", "--device", "cpu"],
                "settings": {"device": "cpu", "replicates": None, "budget_ns": None},
                "environment": {"CUDA_LAUNCH_BLOCKING": None},
                "finished": "2026-01-15T10:15:42Z", "elapsed_ns": 42000000000},
        "suite": suite(list(benchmarks), list(plots), title),
        "host": HOST, "devices": [device],
    }


def rank(sorted_ns, percent):
    return sorted_ns[max(1, math.ceil(len(sorted_ns) * percent / 100)) - 1]


def ci95(sorted_ns):
    """Largest k with P(B <= k - 1) <= 2.5 %, B ~ Binomial(n, 1/2)."""
    n, total, k = len(sorted_ns), 0, 0
    while k < n and (total + math.comb(n, k)) * 40 <= 2 ** n:
        total += math.comb(n, k)
        k += 1
    return [sorted_ns[k - 1], sorted_ns[n - k]] if k else None


NONE = dict.fromkeys("min p5 p25 median p75 p95 p99 max mean stddev mad".split())


def summary(ns, iterations, rejected, converged, stopped_by, shape):
    time = {"n": len(ns), "rejected": rejected, **NONE, "ci95": None, "outliers": 0, "modes": None,
            "mode_counts": None, "converged": converged, "stopped_by": stopped_by}
    if ns:
        s, single = sorted(ns), iterations == 1
        middle = statistics.median(s)
        time.update(min=s[0], max=s[-1], median=middle, p25=rank(s, 25), p75=rank(s, 75),
                    mean=statistics.fmean(s), mad=statistics.median(abs(x - middle) for x in s),
                    ci95=ci95(s))
        time["stddev"] = statistics.stdev(s) if len(s) > 1 else None
        time["p5"] = rank(s, 5) if len(s) >= 20 else None
        time["p95"] = rank(s, 95) if single and len(s) >= 20 else None
        time["p99"] = rank(s, 99) if single and len(s) >= 1000 else None
    time.update(shape)
    return {key: float(value) if key in NONE and value is not None else value
            for key, value in time.items()}


def record(index=0, ns=(), bytes=1048576, direction="h2d", memory="pinned", benchmark="copy",
           kernel="copy", case=None, status="ok", reason_code=None, reason=None, verified=True,
           iterations=1, resolution=20.0, replicate=0, flags=(), rejected=0, converged=True,
           stopped_by="precision", shape=(), parts=None, metrics=True, telemetry=None):
    params = {"bytes": bytes, "direction": direction, "memory": memory}
    ns = [float(x) for x in ns]
    time = summary(ns, iterations, rejected, converged, stopped_by, dict(shape))
    value = bytes * 1e9 / time["median"] if time["median"] else None
    bandwidth = {"value": value, "unit": "B/s", "better": "higher", "peak": None}
    if value is None:
        bandwidth["reason"] = "below timer resolution" if ns else "no samples"
    total = 150e6 + sum(ns) * iterations
    return {
        "run_id": RUN_ID, "started": STARTED,
        "case": case or f"{benchmark}[bytes={bytes},direction={direction},memory={memory}]",
        "benchmark": benchmark, "kernel": kernel, "params": params,
        "definition": hashlib.sha256(json.dumps([kernel, params]).encode()).hexdigest(),
        "device": 0, "replicate": replicate, "index": index, "order": index, "status": status,
        "reason_code": reason_code, "reason": reason, "verified": verified,
        "timer": "device", "cache": "warm", "gated": True, "iterations_per_sample": iterations,
        "resolution_ns": resolution, "first_call_ns": 91000.0 if ns else None,
        "work": {"bytes_read": bytes, "bytes_written": bytes, "bytes_moved": bytes,
                 "bytes_sectors": 0, "flops": 0, "items": 1, "working_set": 2 * bytes,
                 "ceiling": "link"},
        "time_ns": time, "metrics": {"bandwidth": bandwidth} if metrics else {},
        "flags": list(flags), "parts_ns": parts,
        "phases_ns": {"setup": 1e6, "warmup": 1e8, "measure": sum(ns) * iterations,
                      "verify": 2e6, "teardown": 5e5, "total": total} if status != "skipped" else None,
        "telemetry": telemetry, "samples_ns": ns,
    }


def steady(centre, n=60, spread=0.003):
    """n samples that scatter evenly by `spread` around `centre`, in a fixed order."""
    return [round(centre * (1 + spread * ((i * 37) % n - (n - 1) / 2) / n), 3) for i in range(n)]


def failed(index, **more):
    return record(index, bytes=2097152, status="failed", reason_code="device-error", verified=None,
                  reason="cudaMemcpyAsync: 700 (cudaErrorIllegalAddress): an illegal memory access",
                  metrics=False, converged=False, stopped_by=None, **more)


def skipped(index, **more):
    return record(index, memory="managed", status="skipped", reason_code="unavailable",
                  reason="managed memory is not there on the cpu device", verified=None,
                  metrics=False, converged=False, stopped_by=None, **more)


def ok():
    """Three sizes, three replicates; copies in both directions."""
    out = []
    for replicate in range(3):
        index = 0
        for direction in ("h2d", "d2h"):
            for size in (1048576, 4194304, 16777216):
                centre = (2000 + size / 25) * (1 + 0.002 * replicate)
                out.append(record(index, steady(centre), bytes=size, direction=direction,
                                  replicate=replicate))
                index += 1
    return out


def mixed():
    """Three ok, one failed, one skipped: aggregates are over three, and say so."""
    good = [record(i, steady(2000 + size / 25), bytes=size)
            for i, size in enumerate((1048576, 4194304, 16777216))]
    return good + [failed(3), skipped(4)]


def flagged():
    n = 40
    slow = [90000.0] + steady(44000, n - 1)
    drift = steady(44000, n // 2) + steady(48000, n // 2)
    modes = steady(44000, n // 2) + steady(60000, n // 2)
    bimodal = [modes[i // 2 + (i % 2) * (n // 2)] for i in range(n)]
    outliers = [44000.0 * (1.5 if i in (5, 15, 25) else 1) + i for i in range(n)]
    low, high = sorted(bimodal)[:n // 2], sorted(bimodal)[n // 2:]
    late = sorted(drift)
    return [
        record(0, slow, bytes=1048576, flags=["slow-first-sample"], shape={"outliers": 1}),
        record(1, drift, bytes=2097152, flags=["drift", "bimodal"],
               shape={"modes": [statistics.median(late[:n // 2]),
                                statistics.median(late[n // 2:])],
                      "mode_counts": [n // 2, n // 2]}),
        record(2, bimodal, bytes=4194304, flags=["bimodal", "gate-expired"], rejected=2,
               shape={"modes": [statistics.median(low), statistics.median(high)],
                      "mode_counts": [n // 2, n // 2]}),
        record(3, outliers, bytes=8388608, flags=["outliers", "not-converged"], converged=False,
               stopped_by="budget", shape={"outliers": 3}),
        record(4, steady(44000, n), bytes=16777216, flags=["cache-resident", "implausible"]),
        record(5, steady(900, n), bytes=4096, flags=["below-resolution"]),
    ]


# Names that break quoting, markup and spreadsheets.
NAMES = ['a,b', 'say "x", y', "NaN_Infinity_test", "=1+1", "@here", "-dash", "+plus",
         "`back`tick`", "ümläut ß 日本 😀", "<b>&amp;</b>", "'quoted'", "a_b^c{d}\\e|f",
         "<script>window.__xss = 1</script>", '"><img src=x onerror="window.__xss = 2">',
         "</title></style></script><h1>out</h1>", "<!-- comment", "a_long_name_" * 12, "]]> &#60;i&#62;", "$(id) %s %n"]
HOSTILE = "<img src=x onerror='window.__xss = 3'> & \"quoted\" `id` |pipe|"


def names():
    """One case a name; the last has failed with a reason that is no better."""
    out = [record(i, steady(44000 + 100 * i, 20), benchmark=text) for i, text in enumerate(NAMES)]
    out[-1] = failed(len(NAMES) - 1, benchmark=NAMES[-1])
    out[-1]["reason"] = f"nothing is well: {HOSTILE}"
    return out


def names_head():
    return head(benchmarks=[{**COPY, "name": n} for n in NAMES], title=HOSTILE,
                device={**DEVICE, "name": f"Example CPU {HOSTILE}"},
                plots=[plot("curve", n, "bytes", "bandwidth", ["memory"], n) for n in NAMES])


RUNS = {
    "ok": ok(),
    "mixed": mixed(),
    "failed": [failed(0), record(1, steady(44000), status="wrong", reason_code="wrong-result",
                                 verified=False, metrics=False,
                                 reason="3 of 262144 elements are wrong: at 17 expected 2, found 3")],
    "skipped": [skipped(0)],
    "flagged": flagged(),
    "one-sample": [record(0, [44000], converged=False, stopped_by="budget",
                          flags=["not-converged"])],
    "zero-time": [record(0, [0, 0, 0], flags=["below-resolution", "not-converged"],
                         converged=False, stopped_by="max-samples")],
    "no-samples": [record(0, status="failed", reason_code="no-samples", rejected=50, verified=True,
                          reason="no sample was accepted: 50 taken and rejected",
                          flags=["gate-expired"], converged=False, stopped_by="budget"),
                   record(1, steady(44000), bytes=2097152)],
    "names": names(),
}


def line(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def write_run(directory, whole, records):
    """cases.jsonl with the samples, in the order measured, and results.json without, by case."""
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, "cases.jsonl"), "w", encoding="utf-8") as out:
        out.writelines(line(r) + "\n" for r in records)
    entries = [{k: v for k, v in r.items() if k != "samples_ns"} for r in records]
    entries.sort(key=lambda r: (r["device"], r["index"], r["replicate"]))
    text = line({**whole, "records": []})
    with open(os.path.join(directory, "results.json"), "w", encoding="utf-8") as out:
        out.write(text[:-2] + "\n" + ",\n".join(line(e) for e in entries) + "\n]}\n")


def main():
    for name, records in RUNS.items():
        write_run(os.path.join(HERE, name), names_head() if name == "names" else head(), records)
    # A run that was stopped: an early head, and a torn last line.
    directory = os.path.join(HERE, "incomplete")
    os.makedirs(directory, exist_ok=True)
    lines = [line(r) for r in RUNS["mixed"]]
    with open(os.path.join(directory, "cases.jsonl"), "w", encoding="utf-8") as out:
        out.write("\n".join(lines[:2]) + "\n" + lines[2][:400])
    early = head(False)
    del early["run"]["finished"], early["run"]["elapsed_ns"]
    with open(os.path.join(directory, "results.json"), "w", encoding="utf-8") as out:
        out.write(line({**early, "records": []}) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
