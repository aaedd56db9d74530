#!/usr/bin/env python3
"""The figures that pictures show, read back from their data files and computed again from results.json
and cases.jsonl, apart from the program: every point of the records is there, and no other.

  readback.py OUT      OUT: what reports.py made
"""
import collections
import json
import math
import os
import statistics
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import reports  # noqa: E402

TOLERANCE = 1e-9
MOST_SERIES = {"batch-curve": 3}


class Wrong(Exception):
    """A picture does not show what the records say."""


# ---- the records ----

def student_95(df):
    """t with P(|T| <= t) = 95 %, by Simpson's rule and bisection."""
    scale = math.gamma((df + 1) / 2) / math.sqrt(df * math.pi) / math.gamma(df / 2)

    def within(t, n=2000):
        def density(x):
            return scale * (1 + x * x / df) ** (-(df + 1) / 2)
        h = t / n
        inner = sum((4 if i % 2 else 2) * density(i * h) for i in range(1, n))
        return 2 * h / 3 * (density(0) + inner + density(t))
    low, high = 0.0, 700.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if within(middle) < 0.95 else (low, middle)
    return low


STUDENT = {df: student_95(df) for df in (1, 2)}


class Case:
    """The replicates of one case on one device."""

    def __init__(self, records):
        self.records = records
        self.ok = [r for r in records if r["status"] == "ok"]
        self.first = records[0]
        self.params = self.first["params"]

    def value(self, metric):
        if metric == "time":
            values = [r["time_ns"]["median"] for r in self.ok]
        else:
            values = [r["metrics"].get(metric, {}).get("value") for r in self.ok]
        values = [v for v in values if v]
        return math.exp(statistics.fmean(map(math.log, values))) if values else None

    def half(self):
        """Half of the 95 % interval between replicates, one step of the timer at least, as a fraction."""
        logs = [math.log(r["time_ns"]["median"]) for r in self.ok if r["time_ns"]["median"]]
        if len(logs) < 2 or len(logs) < len(self.ok):
            return 0.0
        t = STUDENT.get(len(logs) - 1) or student_95(len(logs) - 1)
        steps = [(r["resolution_ns"] or 0) / (r["iterations_per_sample"] or 1) / r["time_ns"]["median"] for r in self.ok]
        return max(math.expm1(t * statistics.stdev(logs) / math.sqrt(len(logs))), *steps)

    def percentile(self, name):
        values = [r["time_ns"][name] for r in self.ok if r["time_ns"][name]]
        return math.exp(statistics.fmean(map(math.log, values))) if values else None


class Run:
    """One run directory, or several as one (`more`): their devices one after the other."""

    def __init__(self, directory, more=()):
        with open(os.path.join(directory, "results.json"), encoding="utf-8") as file:
            self.document = json.load(file)
        lines = {}
        with open(os.path.join(directory, "cases.jsonl"), encoding="utf-8") as file:
            records = [json.loads(text) for text in file if text.endswith("\n")]
        for r in records:
            lines[r["device"], r["case"], r["replicate"]] = r
        listed = self.document["records"] if self.document["complete"] else list(lines.values())
        for other in map(Run, more):
            shift = len(self.document["devices"])
            self.document["devices"] = self.document["devices"] + other.document["devices"]
            moved = [{**r, "device": r["device"] + shift} for r in other.listed]
            listed = listed + moved
            for (device, case, replicate), r in other.samples.items():
                lines[device + shift, case, replicate] = r
        self.listed, self.samples = listed, lines
        cases = collections.defaultdict(list)
        for r in sorted(listed, key=lambda r: (r["device"], r["index"], r["replicate"])):
            cases[r["device"], r["case"]].append(r)
        self.cases = [Case(group) for group in cases.values()]
        self.plots = self.document["suite"].get("plots", [])

    def of(self, plot):
        return [c for c in self.cases if c.first["benchmark"] == plot["benchmark"]]


# ---- data files ----

def words(line):
    """The words of a row; one in quotes is the last, and a comment may follow."""
    before, quote, rest = line.partition('"')
    return before.split() + [rest.split('"')[0]] if quote else line.split("#")[0].split()


def blocks(path):
    """[(comment lines, rows of words)], a block each."""
    out = []
    with open(path, encoding="utf-8") as file:
        for text in file.read().split("\n\n\n"):
            lines = text.strip("\n").split("\n")
            rows = [words(line) for line in lines if line and not line.startswith("#")]
            out.append(([line for line in lines if line.startswith("#")], rows))
    return out


def close(a, b):
    return a == b or (a is not None and b is not None and
                      abs(a - b) <= TOLERANCE * max(abs(a), abs(b)))


def number(word):
    value = float(word)
    return None if math.isnan(value) else value


def same_rows(found, wanted):
    """Whether two lists of rows hold the same figures, in this order."""
    return len(found) == len(wanted) and all(
        len(a) == len(b) and all(close(x, y) if isinstance(y, (float, int, type(None))) else x == y
                                 for x, y in zip(a, b)) for a, b in zip(found, wanted))


def series_of(run, plot, x):
    """The cases of a plot by series, each by growing x."""
    groups = collections.OrderedDict()
    for case in run.of(plot):
        if x in case.params:
            rest = {k: v for k, v in case.params.items() if k != x}
            key = (case.first["device"], json.dumps(rest, sort_keys=True))
            groups.setdefault(key, []).append(case)
    return groups


def match(found, groups, limit):
    """Each block has the rows of one series, and no series is left over but beyond the limit: then
    those of all devices, where that leaves any."""
    groups = {key: rows for key, rows in groups.items() if rows}
    devices = len({device for device, _ in groups})
    if len(groups) > limit >= devices:
        limit -= limit % devices
    drawn = collections.Counter()
    for comments, rows in found:
        for key, wanted in groups.items():
            if same_rows(rows, wanted):
                drawn[key[0]] += 1
                del groups[key]
                break
        else:
            near = next(iter(groups.values()), None)
            raise Wrong(f"{comments[:1]}: no series has the rows {rows[:2]}...; one is {near and near[:2]}...")
    if groups and len(found) < limit:
        raise Wrong(f"{len(groups)} series are not drawn, for example {next(iter(groups))}")
    if groups and len(set(drawn.values())) > 1 and limit >= devices:
        raise Wrong(f"of the devices' series are drawn: {dict(drawn)}")
    return sum(len(rows) for _, rows in found)


def numbers(found):
    return [(comments, [[number(w) for w in row] for row in rows]) for comments, rows in found]


# ---- the types of pictures ----

def with_interval(case, metric):
    y, half = case.value(metric), case.half()
    return [y, y / (1 + half), y * (1 + half)] if y else None


def read_curve(run, plot, found):
    groups = {}
    for key, cases in series_of(run, plot, plot["x"]).items():
        rows = [[c.params[plot["x"]], *with_interval(c, plot["y"])] for c in cases
                if c.value(plot["y"]) and c.params[plot["x"]] > 0]
        groups[key] = sorted(rows)
    return match(numbers(found), groups, 10)


def read_bar(run, plot, found):
    x, everything = plot["x"], series_of(run, plot, plot["x"])
    drawn = [c for cases in everything.values() for c in cases if c.value(plot["y"])]
    drawn.sort(key=lambda c: (c.first["index"], c.first["device"]))
    values = list(dict.fromkeys(c.params[x] for c in drawn))
    values = sorted(values) if all(isinstance(v, int) for v in values) else values
    groups = {}
    for key, cases in everything.items():
        rows = [[values.index(c.params[x]), *with_interval(c, plot["y"])] for c in cases
                if c.value(plot["y"])]
        groups[key] = sorted(rows)
    # The last word is the value of x as people read it.
    texts = {}
    for comments, rows in found:
        for row in rows:
            if texts.setdefault(row[0], row[4]) != row[4]:
                raise Wrong(f"group {row[0]} is both {texts[row[0]]} and {row[4]}")
            value = values[int(row[0])]
            if isinstance(value, str) and value != row[4]:
                raise Wrong(f"group {row[0]} is {value}, not {row[4]}")
    return match(numbers([(c, [row[:4] for row in rows]) for c, rows in found]), groups, 10)


def read_batch_curve(run, plot, found):
    groups = {}
    for key, cases in series_of(run, plot, "batch").items():
        rows = [[c.params["batch"], *with_interval(c, "throughput"), c.value("time"),
                 c.percentile("p95"), c.percentile("p99")] for c in cases if c.value("throughput")]
        groups[key] = sorted(rows, key=lambda row: row[0])
    return match(numbers(found), groups, MOST_SERIES["batch-curve"])


def read_phases(run, plot, found):
    """A part's time is the mean of its shares over the replicates, of the case's time; bars laid end
    to end from 0."""
    cases = [c for c in run.of(plot) if c.value("time") and
             any(v for r in c.ok for v in (r["parts_ns"] or {}).values())]

    def share(case, part):
        shares = [r["parts_ns"].get(part) / r["time_ns"]["median"] for r in case.ok
                  if r["parts_ns"] and r["parts_ns"].get(part)]
        return statistics.fmean(shares) if shares else None
    n, ends = 0, collections.defaultdict(float)
    for comments, rows in numbers(found):
        part = comments[0].removeprefix("# ")
        if len(rows[0]) != 7:  # the marks of the wholes
            continue
        wanted = [[share(c, part) * c.value("time"), c.value("time")] for c in cases
                  if share(c, part)]
        for row in rows:
            n += 1
            drawn, whole = row[5:]
            if part != "other" and not any(same_rows([row[5:]], [w]) for w in wanted):
                raise Wrong(f"{part}: no case has {drawn} of {whole}")
            width = row[2] - row[1]
            if not close(row[1], ends[row[0]]) or not (
                    abs(width - 100 * drawn / whole) < 1e-6 or close(width, drawn)):
                raise Wrong(f"{part}: from {row[1]} to {row[2]} for {drawn} of {whole}")
            ends[row[0]] = row[2]
        if part != "other" and len(rows) != min(len(wanted), 40):
            raise Wrong(f"{part}: {len(rows)} of {len(wanted)} cases")
    return n


def samples_of(run, case):
    """All samples of a case with their place from 1, a replicate after the other."""
    out = []
    for r in case.records:
        out += run.samples[r["device"], r["case"], r["replicate"]]["samples_ns"]
    return dict(enumerate(out, 1))


def read_distribution(run, plot, found):
    """Samples stand where they were taken, all of them are in the histogram or counted as outside,
    medians, intervals and modes are those of the records."""
    where = plot.get("where") or {}
    case = next(c for c in run.of(plot) if c.ok and
                all(c.params[k] in v for k, v in where.items()))
    return read_samples(run, case, found)


def read_samples(run, case, found):
    samples, n, outside, bars, steps = samples_of(run, case), 0, {}, [], set()
    times = [r["time_ns"] for r in case.records if r["time_ns"]["n"]]
    for comments, rows in numbers(found):
        what = comments[1].removeprefix("# ")
        n += len(rows)
        if what == "order ns":
            steps.add(int(comments[0].split()[-1]))
        if what in ("order ns", "order edge ns"):
            for row in rows:
                if not close(row[-1], samples.get(int(row[0]))):
                    raise Wrong(f"sample {row[0]} is {samples.get(int(row[0]))}, not {row[-1]}")
            if what == "order edge ns":
                outside.update((row[0], row[2]) for row in rows)
        elif what == "from to median low high":
            wanted = [[t["median"], *(t["ci95"] or [t["median"]] * 2)] for t in times]
            if not same_rows([row[2:] for row in rows], wanted):
                raise Wrong("medians or intervals are not those of the records")
        elif what == "from to ns":
            if not same_rows([row[2:] for row in rows],
                             [[m] for t in times for m in t["modes"] or ()]):
                raise Wrong("modes are not those of the records")
        elif what == "from to count":
            bars = rows
        else:
            raise Wrong(f"a block of '{what}'")
    inside = [v for k, v in samples.items() if k not in outside]
    if round(sum(b[2] for b in bars)) != len(inside):
        raise Wrong(f"the histogram holds {sum(b[2] for b in bars)} samples of {len(inside)}")
    for low, high, count in bars:
        slack = 1e-9 * high
        least = sum(low + slack < v < high - slack for v in inside)
        most = sum(low - slack <= v <= high + slack for v in inside)
        if not least <= count <= most:
            raise Wrong(f"{count} samples from {low} to {high}, not {least}")
    if not steps or any(s < 1 or s > max(1, len(samples) / 100) for s in steps):
        raise Wrong(f"one of every {steps} samples of {len(samples)} is drawn")
    return n


def measured_roofs(cases, llc, compute):
    """The best of what is far beyond the last cache, of what is well inside, and of arithmetic."""
    streams = [(c.first["work"]["working_set"], c.value("bandwidth")) for c in cases
               if c.first["kernel"] == "stream" and c.params["op"] in ("read", "dot", "triad") and
               not any("implausible" in r["flags"] for r in c.records)]
    kinds = [[rate for size, rate in streams if size >= 4 * llc],
             [rate for size, rate in streams if size <= 0.4 * llc],
             [c.first["work"]["flops"] * 1e9 / c.value("time") for c in cases
              if c.first["kernel"] == "flops" and c.first["work"]["compute"] == compute]]
    return [max(rates) for rates in kinds if rates]


def read_roofline(run, plot, found):
    """Every point is a case at its counted operations over its bytes; the sweep is there whole; lines
    go through roofs that the records or the device's facts give."""
    points = {}
    for case in run.cases:
        work, time = case.first["work"], case.value("time")
        moved = (work["bytes_read"] or 0) + (work["bytes_written"] or 0)
        if time and work["flops"] and moved:
            points[case.first["device"], case.first["case"]] = (
                work["flops"] / moved, work["flops"] * 1e9 / time, case)
    compute = next(c.first["work"]["compute"] for c in run.of(plot) if c.ok)
    roofs = {"theory": [], "measured": []}
    for i, device in enumerate(run.document["devices"]):
        cases = [c for c in run.cases if c.first["device"] == i]
        roofs["theory"] += [device["peaks"]["bandwidth"], device["peaks"].get(compute)]
        roofs["measured"] += measured_roofs(cases, device["llc_bytes"], compute)
    n, seen = 0, set()
    for comments, rows in numbers(found):
        label = comments[0]
        kind = next((k for k, word in (("theory", " theoretical"), ("theory", " published"),
                                       ("measured", " measured")) if word in label), None)
        for row in rows:
            x, y = row[:2]
            n += 1
            if kind:
                if not any(close(y, r) or abs(y / x - r) <= 1e-6 * r for r in roofs[kind] if r):
                    raise Wrong(f"{label}: no roof goes through {x}, {y}; roofs {roofs[kind]}")
                continue
            hit = next((k for k, p in points.items() if close(x, p[0]) and close(y, p[1])), None)
            if hit is None:
                raise Wrong(f"{label}: no case is at {x}, {y}")
            seen.add(hit)
    missing = [k for k, p in points.items() if p[2].first["benchmark"] == plot["benchmark"] and
               k not in seen]
    if missing:
        raise Wrong(f"not drawn: {missing[:3]}")
    return n


READERS = {"curve": read_curve, "ladder": read_curve, "bar": read_bar,
           "batch-curve": read_batch_curve, "phases": read_phases, "roofline": read_roofline,
           "distribution": read_distribution}


def check(directory, run):
    """Returns (pictures, points); Wrong."""
    pictures, points, tampered = 0, 0, set()
    plots = os.path.join(directory, "plots")
    files = sorted(os.listdir(plots)) if os.path.isdir(plots) else []
    data = [f for f in files if f.endswith(".dat")]
    for i, plot in enumerate(run.plots):
        name = next((f for f in data if f.startswith(f"{i + 1:02}-")), None)
        if name is None:
            if any(c.ok for c in run.of(plot)) and drawable(run, plot):
                raise Wrong(f"plot {i + 1}, a {plot['type']} of {plot['benchmark']}, was not drawn")
            continue
        data.remove(name)
        found = blocks(os.path.join(plots, name))
        try:
            points += READERS[plot["type"]](run, plot, found)
        except Wrong as wrong:
            raise Wrong(f"{name}: {wrong}") from None
        pictures += 1
        if plot["type"] not in tampered:
            notices_tampering(run, plot, found)
            tampered.add(plot["type"])
    for name in [f for f in data if f.startswith("flagged-")]:
        points += read_flagged(run, blocks(os.path.join(plots, name)), name)
        pictures += 1
        data.remove(name)
    if data:
        raise Wrong(f"{', '.join(data)}: the suite asks for no such picture")
    return pictures, points


def notices_tampering(run, plot, found):
    """A row whose figures are a thousandth too large must be found. (The last block: the first ones
    of a roofline are roofs, through which any point of theirs goes.)"""
    which = 0 if plot["type"] == "distribution" else -1
    comments, rows = found[which]
    if len(rows[0]) == 2 and plot["type"] == "phases":
        which, (comments, rows) = 0, found[0]
    changed = [repr(float(w) * 1.001 + 0.001) if i and w != "NaN" else w for i, w in enumerate(rows[0][:4])]
    copy = list(found)
    copy[which] = (comments, [changed + rows[0][4:], *rows[1:]])
    try:
        READERS[plot["type"]](run, plot, copy)
    except Wrong:
        return
    raise Wrong(f"a changed figure of a {plot['type']} was not noticed: {changed}")


def read_flagged(run, found, name):
    """The picture of some case that is flagged bimodal or drift."""
    reasons = []
    for case in run.cases:
        if any({"bimodal", "drift"} & set(r["flags"]) for r in case.records):
            try:
                return read_samples(run, case, found)
            except Wrong as wrong:
                reasons.append(f"{case.first['case']}: {wrong}")
    raise Wrong(f"{name}: no flagged case has these samples ({'; '.join(reasons)[:300]})")


def drawable(run, plot):
    return any(c.value(plot["y"] or "time") for c in run.of(plot))


def main():
    out, total, wrong = sys.argv[1], collections.Counter(), 0
    for name in sorted(os.listdir(out)):
        directory = os.path.join(out, name)
        runs = [os.path.join(out, r) for r in reports.TOGETHER.get(name, [name])]
        if not os.path.exists(os.path.join(runs[0], "results.json")):
            continue
        try:
            pictures, points = check(directory, Run(runs[0], runs[1:]))
        except Wrong as reason:
            print(f"{name}: {reason}")
            wrong += 1
            continue
        total.update(pictures=pictures, points=points)
        print(f"{name}: {pictures} pictures, {points} points")
    print(f"readback: {total['pictures']} pictures, {total['points']} points, {wrong} runs wrong")
    return 1 if wrong or total["pictures"] == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
