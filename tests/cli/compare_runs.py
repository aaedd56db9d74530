"""Makes run directories for the tests of `gpubench compare`: compare_runs.py DIR SPEC.

SPEC is JSON: {"cases": {"name": [median, ...]}, "metric"?: {...}, and any key that replaces one of the
document ("complete", "devices", "run", "suite", "schema"), "edit": python statements on `document`}.
"""
import hashlib
import json
import os
import sys


def record(name, index, replicate, median, metric):
    metrics = {}
    if metric:
        metrics[metric["name"]] = {
            "value": metric.get("scale", 1.0) * median if metric.get("direct") else metric.get("work", 1.0) / median,
            "unit": metric["unit"], "better": metric["better"], "peak": None}
    return {
        "case": name, "benchmark": name.split("[")[0], "kernel": "copy", "params": {"n": index},
        "definition": hashlib.sha256(name.encode()).hexdigest(), "device": 0, "replicate": replicate,
        "index": index, "order": index, "status": "ok", "reason_code": None, "reason": None,
        "verified": True, "timer": "device", "cache": "warm", "iterations_per_sample": 64,
        "resolution_ns": 20.0, "work": {"bytes_moved": 1024},
        "time_ns": {"n": 20, "median": median}, "metrics": metrics, "flags": []}


def main():
    path, spec = sys.argv[1], json.loads(sys.argv[2], strict=False)
    records = [record(name, index, replicate, median, spec.get("metric"))
               for index, (name, medians) in enumerate(spec["cases"].items())
               for replicate, median in enumerate(medians)]
    document = {
        "schema": "gpubench-results/1", "complete": True, "hardware_fault": None,
        "tool": {"name": "gpubench", "version": "0.1.0", "git": "abc", "build": {}},
        "run": {"id": os.path.basename(path), "started": "2026-01-15T10:15:00Z", "seed": 7},
        "suite": {"name": "made up", "gates": {}, "aliases": {}}, "host": {},
        "devices": [{"id": 0, "kind": "cuda", "name": "Example 9000", "uuid": "GPU-1", "ecc": True,
                     "driver": "580.10", "runtime": "13.0"}],
        "records": records}
    for key in document:
        if key in spec:
            document[key] = spec[key]
    exec(spec.get("edit", ""), {"document": document})
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, "results.json"), "w", encoding="utf-8") as file:
        json.dump(document, file)


main()
