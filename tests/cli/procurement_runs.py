"""Makes run directories of machines for the tests of `gpubench compare` with prices:
procurement_runs.py SOURCE OUT. Nothing here was measured; make.py's statistics hold, so that
`gpubench verify` agrees with all but the one that is edited afterwards.

  a  all is well, power was read       b  one case failed, slower, no power
  c  fastest copies; edited afterwards  d  a cpu device
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "tests", "golden", "records"))
import make  # noqa: E402

MIB = 1 << 20
COPIES = [1 * MIB, 16 * MIB, 64 * MIB]
REQUESTS = [4096, 65536]
MACHINES = {  # rate of copies in B/ns, time of a request in ns, power in W, memory in GiB, TDP
    "a": {"rate": 40.0, "request": 9000.0, "power": 310.0, "memory": 80, "tdp": 700},
    "b": {"rate": 25.0, "request": 6000.0, "power": None, "memory": 48, "tdp": 300},
    "c": {"rate": 50.0, "request": 9060.0, "power": 420.0, "memory": 141, "tdp": 700},
    "d": {"rate": 10.0, "request": 90000.0, "power": None, "memory": 16, "tdp": None},
}


def case(benchmark, size):
    return f"{benchmark}[bytes={size},direction=h2d,memory=pinned]"


CLASSES = [
    {"name": "transfer-bound", "title": "Moving data between host and device", "unit": "B/s",
     "better": "higher",
     "cases": [{"case": case("copy", n), "metric": "bandwidth"} for n in COPIES]},
    {"name": "small-batch-latency", "title": "Answering a small request", "unit": "ns",
     "better": "lower",
     "cases": [{"case": case("request", n), "metric": "time"} for n in REQUESTS]},
]


def records(name, machine):
    out = []
    # A kernel that no build has: its definitions and work are not recomputed.
    common = {"kernel": "made-up", "iterations": 1}
    if machine["power"]:
        common["telemetry"] = {"power_w": machine["power"]}
    for replicate in range(3):
        factor = 1 + 0.002 * (replicate - 1)
        for index, size in enumerate(COPIES):
            if name == "b" and size == COPIES[0]:
                r = make.record(index, bytes=size, replicate=replicate, status="failed",
                                reason_code="device-error", verified=None, metrics=False,
                                reason="cudaMemcpyAsync: 700 (cudaErrorIllegalAddress)",
                                converged=False, stopped_by=None, **common)
            else:
                r = make.record(index, make.steady(size / machine["rate"] * factor), bytes=size,
                                replicate=replicate, **common)
            out.append(r)
        for index, size in enumerate(REQUESTS, len(COPIES)):
            time = machine["request"] * (1 + size / 1e6) * factor
            out.append(make.record(index, make.steady(time), bytes=size, benchmark="request",
                                   replicate=replicate, **common))
    return out


def write(out, name, machine):
    whole = make.head()
    whole["run"]["id"] = f"20260115T10150{ord(name) - ord('a')}Z-4f1d"
    whole["suite"]["name"] = "procurement"
    whole["suite"]["plots"] = []
    whole["suite"]["classes"] = CLASSES
    cpu = name == "d"
    whole["devices"] = [{
        **make.DEVICE, "kind": "cpu" if cpu else "cuda", "uuid": f"GPU-{name}",
        "name": f"Example {'CPU' if cpu else 'GPU'} {name.upper()} (test data)",
        "driver": None if cpu else "580.10" if name != "b" else "590.01",
        "memory_bytes": machine["memory"] << 30,
        "published": {"power_w": machine["tdp"]} if machine["tdp"] else None}]
    lines = records(name, machine)
    for r in lines:
        r["run_id"] = whole["run"]["id"]
    directory = os.path.join(out, name)
    make.write_run(directory, whole, lines)
    if name == "c":  # a figure that its samples do not give
        path = os.path.join(directory, "results.json")
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        document["records"][0]["metrics"]["bandwidth"]["value"] *= 1.5
        with open(path, "w", encoding="utf-8") as file:
            json.dump(document, file)


for NAME, MACHINE in MACHINES.items():
    write(sys.argv[2], NAME, MACHINE)
