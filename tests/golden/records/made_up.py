#!/usr/bin/env python3
"""Writes run directories with MADE-UP figures of GPUs: what the reports look like for them, without
one. Used by tests alone; nothing here was measured.

  made_up.py PLAN_TOOL OUT NAME...      NAME: gpu gpu2 many bimodal

PLAN_TOOL (tests/golden/plan_dump.c) says which cases a suite has, with their definitions and counted
work. The times are formulas whose constants have the size that data sheets and others' published
measurements give for data-centre GPUs (configs/gpus/*.yaml names the data sheets), with a scatter of
a seeded generator. Statistics come from make.py, apart from harness/base/stats.c."""
import json
import math
import os
import random
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import make  # noqa: E402

SUITES = os.path.join(HERE, "..", "suites")
SEED = 7
KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
LANE = 32e9 * 128 / 130 / 8 / 2  # PCIe 4, bytes per second and lane

# Two devices. Rates in B/s and FLOP/s, times in ns.
GPUS = {
    "gpu": {
        "name": "Made-up GPU (test data)", "uuid": "GPU-00000000-made-up", "units": 132,
        "clock_khz": 1980000, "llc_bytes": 60 * MIB, "memory_bytes": 141 * GIB, "gen": 5,
        "link": 55e9, "link_ns": 4200, "pageable": 9e9, "pageable_ns": 6500,
        "dram": 4.2e12, "cache": 8.5e12, "peak_dram": 4.8e12, "start_ns": 2300,
        "peak": {"fp64": 33.5e12, "fp32": 66.9e12, "fp16": 133.8e12},
        "submit_ns": 1900, "next_ns": 2300, "wait_ns": 5600, "node_ns": 1250,
        "host": "Made-up host (test data)", "ecc": True, "driver": "550.54.15",
    },
    "gpu2": {
        "name": "Made-up GPU 2 (test data)", "uuid": "GPU-00000000-made-up-2", "units": 142,
        "clock_khz": 2520000, "llc_bytes": 96 * MIB, "memory_bytes": 48 * GIB, "gen": 4,
        "link": 26e9, "link_ns": 5100, "pageable": 7e9, "pageable_ns": 7200,
        "dram": 0.80e12, "cache": 4.4e12, "peak_dram": 0.864e12, "start_ns": 1700,
        "peak": {"fp64": 1.43e12, "fp32": 91.6e12, "fp16": 91.6e12},
        "submit_ns": 1600, "next_ns": 1600, "wait_ns": 5200, "node_ns": 900,
        "host": "Made-up host (test data)", "ecc": False, "driver": "550.54.15",
    },
}
GPUS["many"] = dict(GPUS["gpu"], uuid="GPU-00000000-made-up-many")
GPUS["bimodal"] = dict(GPUS["gpu"], uuid="GPU-00000000-made-up-bimodal")


# What goes wrong in gpu2: a rate above the peak, and a case that took too long.
IMPLAUSIBLE = ("gpu2", "memory", {"op": "dot", "type": "fp32"})
TIMEOUT = ("gpu2", "product", {"variant": "naive", "n": 4096})


def is_the(name, case, which):
    return (name, case["benchmark"]) == which[:2] and \
        all(case["params"][k] == v for k, v in which[2].items())


# ---- how long an iteration takes ----

def smooth(a, b):
    """Two costs of which the larger one decides, with a rounded edge."""
    return (a ** 4 + b ** 4) ** 0.25


def memory_ns(gpu, moved, working_set):
    """From the cache to memory: what does not fit comes from memory."""
    out = max(0.0, 1 - (0.9 * gpu["llc_bytes"] / max(working_set, 1)) ** 2)
    rate = 1 / (out / gpu["dram"] + (1 - out) / gpu["cache"])
    return gpu["start_ns"] * 0.2 + moved / rate * 1e9


def copy_ns(gpu, p, work):
    if p["memory"] == "pageable":
        slower = 1.25 if p["direction"] == "d2h" else 1.0
        return gpu["pageable_ns"] * slower + work["bytes_moved"] / gpu["pageable"] * 1e9 * slower
    slower = {"h2d": 1.0, "d2h": 1.03}.get(p["direction"], 1.05)
    kind = {"write-combined": 0.97, "mapped": 1.1, "managed": 3.0}.get(p["memory"], 1.0)
    return gpu["link_ns"] + work["bytes_moved"] / gpu["link"] * 1e9 * slower * kind


def access_ns(gpu, p, work):
    sectors = work["bytes_sectors"] or work["bytes_moved"]
    base = memory_ns(gpu, max(sectors, work["bytes_moved"]), work["working_set"])
    return base * (2.4 if p["pattern"] == "random" and work["working_set"] > gpu["llc_bytes"] else 1)


def divergence_ns(gpu, p, work):
    paths = p["ways"] if p["split"] == "lane" else 1
    return smooth(memory_ns(gpu, work["bytes_moved"], work["working_set"]),
                  work["flops"] / (0.8 * gpu["peak"]["fp32"]) * 1e9 * paths * 2)


def launch_ns(gpu, p, timer):
    each = {"call": "submit_ns", "device": "next_ns", "roundtrip": "wait_ns"}[timer]
    return gpu[each] + gpu["next_ns"] * (p["launches"] - 1)


def graph_ns(gpu, p, work):
    n = work["items"]
    return {
        "capture": 4000 + 900 * n, "instantiate": 15000 + 1500 * n, "first-launch": 12000 + 300 * n,
        "update": 3000 + 400 * n, "launch-api": 3200 + 12 * n, "replay-device": gpu["node_ns"] * n,
        "replay-roundtrip": 6500 + gpu["node_ns"] * n, "eager-api": gpu["submit_ns"] * n,
        "eager-device": gpu["next_ns"] * n, "eager-roundtrip": gpu["wait_ns"] + gpu["next_ns"] * (n - 1),
    }[p["measure"]]


def batch_parts(gpu, p, work):
    values = p["batch"] * p["width"] * 4
    rate = gpu["peak"]["fp32"] * (0.6 if p["math"] == "vendor" else 0.12)
    weights = 2 * p["width"] * p["hidden"] * 4
    compute = 6000 + smooth(weights / gpu["cache"] * 1e9, work["flops"] / rate * 1e9)
    parts = {"copy_in": gpu["link_ns"] + values / gpu["link"] * 1e9, "launch": 4 * gpu["submit_ns"],
             "compute": compute, "copy_out": gpu["link_ns"] + values / gpu["link"] * 1.03e9}
    parts["on_device"] = parts["copy_in"] + compute + parts["copy_out"]
    return parts


def time_ns(gpu, case):
    """The time of a case, and that of its parts (or None)."""
    p, work, kernel = case["params"], case["work"], case["kernel"]
    if kernel == "copy":
        return copy_ns(gpu, p, work), None
    if kernel == "stream":
        return memory_ns(gpu, work["bytes_moved"], work["working_set"]), None
    if kernel == "access":
        return access_ns(gpu, p, work), None
    if kernel == "divergence":
        return divergence_ns(gpu, p, work), None
    if kernel == "launch":
        ns = launch_ns(gpu, p, case["timer"])
        return ns, {{"call": "submit", "device": "back_to_back",
                     "roundtrip": "round_trip"}[case["timer"]]: ns}
    if kernel == "graph":
        return graph_ns(gpu, p, work), None
    if kernel == "batch":
        parts = batch_parts(gpu, p, work)
        return gpu["wait_ns"] + parts["on_device"] + 0.3 * parts["launch"], parts
    if kernel == "flops":
        compute = {"fp64": "fp64", "fp32": "fp32"}.get(p["type"], "fp16")
        return 1500 + (work["flops"] or work["items"] * 2) / (0.97 * gpu["peak"][compute]) * 1e9, None
    if kernel == "intensity":
        return smooth(memory_ns(gpu, work["bytes_moved"], work["working_set"]),
                      work["flops"] / (0.93 * gpu["peak"]["fp32"]) * 1e9), None
    if kernel == "matmul":
        share = {"naive": 0.07, "tiled": 0.13, "register-tiled": 0.5, "vendor": 0.78}[p["variant"]]
        return 4000 + work["flops"] / (share * gpu["peak"]["fp32"]) * 1e9, None
    raise SystemExit(f"made_up.py: no formula for kernel {kernel}")


# ---- samples and their statistics ----

def samples(rng, case, ns, n):
    """n samples around ns: evenly spread; requests have a tail, as services do."""
    at = [(i + 0.5) / n for i in range(n)]
    if case["kernel"] == "batch":
        out = [ns * (1 + 0.06 * (u - 0.5)) if u < 0.97 else ns * (1.05 + 14 * (u - 0.97)) for u in at]
    else:
        out = [ns * (1 + 0.006 * (u - 0.5)) for u in at]
    rng.shuffle(out)
    if out[0] == max(out):
        out[0], out[1] = out[1], out[0]
    return [round(x, 3) for x in out]


def two_modes(rng, ns, n):
    """Seven tenths at 1.4 times the time of the others, mixed."""
    out = [ns * ((1 if i % 10 < 3 else 1.4) + 0.006 * rng.random()) for i in range(n)]
    rng.shuffle(out)
    return [round(x, 3) for x in out]


def shape(ns, resolution, iterations):
    """Outliers and modes by the rules of docs/methodology.md."""
    s, n = sorted(ns), len(ns)
    middle = statistics.median(s)
    least = max(resolution / iterations, 0.02 * middle)
    low, high = make.rank(s, 25), make.rank(s, 75)
    width = max(1.5 * (high - low), least)
    out = {"outliers": sum(x < low - width or x > high + width for x in s)}
    side = max(math.ceil(n / 10), 2)
    gap, split = max((s[i] - s[i - 1], i) for i in range(side, n - side + 1))
    a, b = statistics.median(s[:split]), statistics.median(s[split:])
    spread = statistics.median([abs(x - a) for x in s[:split]] + [abs(x - b) for x in s[split:]])
    if gap > max(5 * (1 + 20 / n) * spread, least):
        out.update(modes=[a, b], mode_counts=[split, n - split])
    return out


def metrics(gpu, case, time, parts):
    out = {}
    work = case["work"]
    per = {"nothing": None, "ns_item": None, "bytes_sectors": work["bytes_sectors"] or
           work["bytes_moved"], **{k: work[k] for k in ("bytes_moved", "bytes_read", "bytes_written",
                                                       "flops", "items")}}
    for m in case["metrics"]:
        ns = time["median"] if m["part"] is None else (parts or {}).get(m["part"])
        entry = {"value": None, "unit": m["unit"], "better": m["better"], "peak": peak(gpu, work, m)}
        if ns is None:
            entry["reason"] = "the sample has no such part"
        elif m["per"] == "nothing":
            entry["value"] = ns
        elif m["per"] == "ns_item":
            entry["value"] = ns / work["items"] if work["items"] else None
        else:
            entry["value"] = per[m["per"]] * 1e9 / ns
        if entry["value"] is None:
            entry.setdefault("reason", "no items are counted")
        out[m["name"]] = entry
    return out


def peak(gpu, work, metric):
    if metric["per"] == "flops" and work["flops"] > 0:
        return gpu["peak"].get(work["compute"])
    if metric["per"] in ("bytes_moved", "bytes_read", "bytes_written"):
        return {"memory": gpu["peak_dram"], "link": link_peak(gpu)}.get(work["ceiling"])
    return None


def link_peak(gpu):
    return LANE * 16 * (2 if gpu["gen"] == 5 else 1)


def flags(gpu, case, time, values, resolution, iterations):
    work, out = case["work"], []
    if time["median"] * iterations < 100 * resolution:
        out.append("below-resolution")
    resident = case["cache"] == "warm" and 0 < work["working_set"] <= gpu["llc_bytes"] and \
        work["ceiling"] != "link"
    if resident:
        out.append("cache-resident")
    cached = work["ceiling"] == "memory" and work["working_set"] < 4 * gpu["llc_bytes"]
    if any(m["peak"] and m["value"] and m["value"] > 1.02 * m["peak"] and
           not (cached and m["unit"] == "B/s") for m in values.values()):
        out.append("implausible")
    if not time["converged"]:
        out.append("not-converged")
    if time["outliers"] > 0.05 * time["n"]:
        out.append("outliers")
    if time["modes"]:
        out.append("bimodal")
    if case["timer"] == "device" and not case["gated"]:
        out.append("gate-off")
    return out


def telemetry(gpu, throttled):
    reading = {"sm_clock_mhz": gpu["clock_khz"] / 1000 * (0.8 if throttled else 1),
               "memory_clock_mhz": 3201.0, "temperature_c": 88.0 if throttled else 61.0,
               "power_w": 690.0 if throttled else 420.0, "utilization": 100.0,
               "pcie_gen": float(gpu["gen"]), "pcie_width": 16.0,
               "throttle_reasons": 64.0 if throttled else 0.0, "other_processes": 0.0,
               "ecc_uncorrected": 0.0 if gpu["ecc"] else None, "reason": None}
    return {**reading, "start": {**reading, "temperature_c": 58.0, "throttle_reasons": 0.0,
                                 "sm_clock_mhz": gpu["clock_khz"] / 1000}}


def unmeasured(identity, case, status, code, reason):
    return {**identity, "status": status, "reason_code": code, "reason": reason, "verified": None,
            "iterations_per_sample": 0, "resolution_ns": None, "first_call_ns": None,
            "work": case["work"], "time_ns": make.summary([], 1, 0, False, None, {}), "metrics": {},
            "flags": [], "parts_ns": None, "phases_ns": None, "telemetry": None, "samples_ns": []}


def record(name, gpu, head, case, index, order, replicate):
    rng = random.Random(f"{name}/{case['case']}/{replicate}")
    out = {"run_id": head["run"]["id"], "started": head["run"]["started"], "case": case["case"],
           "benchmark": case["benchmark"], "kernel": case["kernel"], "params": case["params"],
           "definition": case["definition"], "device": 0, "replicate": replicate, "index": index,
           "order": order, "timer": case["timer"], "cache": case["cache"], "gated": case["gated"]}
    if case["status"] != "ok":
        return unmeasured(out, case, "skipped", case["status"], case["reason"])
    if is_the(name, case, TIMEOUT):
        return unmeasured(out, case, "timeout", "timeout",
                          "the case was still running after 60 s and was ended")
    ns, parts = time_ns(gpu, case)
    if is_the(name, case, IMPLAUSIBLE):
        ns = case["work"]["bytes_moved"] / (1.07 * gpu["peak_dram"]) * 1e9
    scatter = math.exp(rng.gauss(0, 0.0015))
    single = case["timer"] != "device" or not case["gated"]
    iterations = 1 if single else max(1, min(512, int(200e3 / ns)))
    n = max(case["min_samples"], 40)
    taken = two_modes(rng, ns * scatter, n) if name == "bimodal" else samples(rng, case, ns * scatter, n)
    resolution = 32.0 if case["timer"] == "device" else 20.0
    time = make.summary(taken, iterations, 0, True, "precision", shape(taken, resolution, iterations))
    half = (time["ci95"][1] - time["ci95"][0]) / 2 / time["median"]
    time["converged"] = half <= case["precision"]
    time["stopped_by"] = "precision" if time["converged"] else "budget"
    parts = {k: (round(parts[k] * scatter, 3) if k in parts else None)
             for k in case["parts"]} if parts else None
    # A launch's only part is the whole sample.
    if case["kernel"] == "launch":
        parts = {k: (time["median"] if v is not None else None) for k, v in parts.items()}
    values = metrics(gpu, case, time, parts)
    throttled = case["kernel"] == "flops" and case["params"]["type"] == "fp16x2" and replicate == 2
    measure = sum(taken) * iterations
    return {**out, "status": "ok", "reason_code": None, "reason": None, "verified": True,
            "iterations_per_sample": iterations, "resolution_ns": resolution,
            "first_call_ns": round(ns * 3 + 40000, 1), "work": case["work"], "time_ns": time,
            "metrics": values,
            "flags": flags(gpu, case, time, values, resolution, iterations) + ["throttled"] * throttled,
            "parts_ns": parts,
            "phases_ns": {"setup": 2e6, "warmup": 1e8, "measure": measure, "verify": 3e6,
                          "teardown": 1e6, "total": 1.06e8 + measure},
            "telemetry": telemetry(gpu, throttled), "samples_ns": taken}


# ---- a run directory ----

def head(name, gpu, suite):
    number = list(GPUS).index(name)
    run_id = f"20260115T10150{number}Z-made-up-{name}"
    whole = make.head()
    whole["tool"]["build"].update(cuda=True, cuda_toolkit="12.4", cuda_architectures="75-real;90",
                                  minimum_driver="525.60.13")
    whole["run"].update(id=run_id, started=f"2026-01-15T10:15:0{number}Z", seed=SEED,
                        command=["gpubench", "run", f"{name}.yaml", "--device", "cuda"],
                        settings={"device": "cuda", "replicates": None, "budget_ns": None})
    whole["suite"] = suite
    whole["host"] = {**make.HOST, "cpu": gpu["host"], "numa_nodes": 2}
    whole["devices"] = [{
        "id": 0, "kind": "cuda", "name": gpu["name"], "uuid": gpu["uuid"], "driver": gpu["driver"],
        "runtime": "12.4", "pci": "0000:01:00.0", "mig": None, "compute_capability": "9.0",
        "units": gpu["units"], "warp_size": 32, "clock_khz": gpu["clock_khz"],
        "memory_clock_khz": 3201000, "bus_bits": 6144, "memory_bytes": gpu["memory_bytes"],
        "llc_bytes": gpu["llc_bytes"], "ecc": gpu["ecc"], "integrated": False,
        "pcie_gen_max": gpu["gen"], "pcie_width_max": 16,
        "peaks": {"bandwidth": gpu["peak_dram"], **gpu["peak"]}, "published": None,
        "selftest": {"noise_floor": 0.004, "measured": "2026-01-15T09:00:00Z"},
    }]
    return whole


def plan(tool, name, directory):
    if name == "many":
        path = os.path.join(directory, "many.yaml")
        with open(path, "w", encoding="utf-8") as out:
            out.write(many_suite())
    else:
        path = os.path.join(SUITES, "bimodal.yaml" if name == "bimodal" else "gpu.yaml")
    made = json.loads(subprocess.run([tool, path, "cuda", str(SEED)], check=True,
                                     stdout=subprocess.PIPE).stdout)
    made["suite"]["file"] = os.path.basename(path)
    return made


def many_suite():
    """500 cases and 20 plots."""
    lines = ["gpubench: 1", "name: many",
             'title: "MADE UP: 500 cases and 20 plots for tests of the reports"',
             "defaults: {replicates: 3, samples: {min: 20, max: 2000}}", "benchmarks:"]
    for i in range(20):
        kind = ("pinned", "pageable", "write-combined", "mapped", "pinned")[i % 5]
        lines.append(f"  - {{name: copies-{i + 1:02}, kernel: copy, axes: {{direction: "
                     f"{('h2d', 'd2h')[i // 5 % 2]}, memory: {kind}, pieces: {i // 10 + 1}, "
                     "bytes: {from: 1MiB, to: 25MiB, step: 1MiB}}}")
    lines.append("plots:")
    lines += [f"  - {{type: curve, benchmark: copies-{i + 1:02}, x: bytes, y: bandwidth}}"
              for i in range(20)]
    return "\n".join(lines) + "\n"


def write(tool, out, name):
    directory = os.path.join(out, name)
    os.makedirs(directory, exist_ok=True)
    planned, gpu = plan(tool, name, directory), GPUS[name]
    whole = head(name, gpu, planned["suite"])
    places = [{case: place for place, case in enumerate(order)} for order in planned["orders"]]
    records = [record(name, gpu, whole, case, index, places[r][index], r)
               for r in range(len(places)) for index, case in enumerate(planned["cases"])
               if r < case["replicates"]]
    records.sort(key=lambda r: (r["replicate"], r["order"]))
    make.write_run(directory, whole, records)


def main():
    if len(sys.argv) < 4 or any(name not in GPUS for name in sys.argv[3:]):
        print(__doc__, file=sys.stderr)
        return 2
    for name in sys.argv[3:]:
        write(sys.argv[1], sys.argv[2], name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
