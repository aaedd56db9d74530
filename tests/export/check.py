#!/usr/bin/python3
"""gpubench export, read back by readers that are not ours where this machine has them: Python's csv
and XML parsers, junitparser, promtool, google-benchmark's compare.py. Prints what it read with
what, and a closing line.

    check.py GPUBENCH RECORDS   (RECORDS: tests/golden/records)"""
import csv
import io
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

GPUBENCH, RECORDS = sys.argv[1], sys.argv[2]
COMPARE = "/usr/share/benchmark/compare.py"
failures, checks, absent = [], 0, set()


def check(condition, what):
    global checks
    checks += 1
    if not condition:
        failures.append(what)
        print("FAILED:", what)


def export(run, form, *options):
    done = subprocess.run([GPUBENCH, "export", run, "--to", form, *options], capture_output=True)
    check(done.returncode == 0, f"{run} {form}: exit status {done.returncode}")
    return done.stdout.decode("utf-8")


def strict(text):
    """JSON without NaN and without a key twice."""
    def unique(pairs):
        keys = [k for k, _ in pairs]
        assert len(keys) == len(set(keys)), keys
        return dict(pairs)

    def refuse(word):
        raise ValueError(word)
    return json.loads(text, parse_constant=refuse, object_pairs_hook=unique)


def cases(run):
    """case -> its records"""
    found = {}
    document = json.load(open(os.path.join(run, "results.json"), encoding="utf-8"))
    if not document["complete"]:  # what there is stands in the lines, the last of which may be torn
        lines = open(os.path.join(run, "cases.jsonl"), encoding="utf-8").read().split("\n")
        document["records"] = [json.loads(line) for line in lines[:-1] if line]
    for record in document["records"]:
        found.setdefault((record["device"], record["case"]), []).append(record)
    return document, found


def good(records):
    return all(r["status"] == "ok" for r in records)


def centre(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def near(a, b):
    return math.isclose(a, b, rel_tol=1e-9)


def csv_file(run):
    document, _ = cases(run)
    rows = list(csv.reader(io.StringIO(export(run, "csv"), newline="")))
    check(len({len(row) for row in rows}) == 1, f"{run}: rows of different length")
    names = [row[rows[0].index("case")] for row in rows[1:]]
    undo = [name[1:] if name.startswith("'") else name for name in names]
    check(sorted(undo) == sorted(r["case"] for r in document["records"]), f"{run}: csv cases")


def junit_file(run, tmp):
    document, found = cases(run)
    text = export(run, "junit")
    root = junit_shape(text)
    check(root.tag == "testsuites", "junit root")
    seen, bad, skipped = [], 0, 0
    for suite in root:
        tests = suite.findall("testcase")
        check(int(suite.get("tests")) == len(tests), "junit: tests")
        for kind, name in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            check(int(suite.get(kind)) == sum(t.find(name) is not None for t in tests),
                  f"junit: {kind}")
        if suite.get("name") != "expectations":
            seen += [t.get("name") for t in tests]
            bad += sum(t.find("failure") is not None or t.find("error") is not None for t in tests)
            skipped += sum(t.find("skipped") is not None for t in tests)
    # XML has no way to hold control characters; the fixtures' names have none.
    check(sorted(seen) == sorted(c for _, c in found), f"{run}: junit cases")
    worst = [sorted({r["status"] for r in records}) for records in found.values()]
    check(bad == sum(any(s in ("failed", "wrong", "timeout", "not_run") for s in w)
                     for w in worst), f"{run}: junit failures")
    try:
        import junitparser
    except ImportError:
        absent.add("junitparser")
        return
    path = os.path.join(tmp, "junit.xml")
    open(path, "w", encoding="utf-8").write(text)
    parsed = junitparser.JUnitXml.fromfile(path)
    check(sum(len(list(suite)) for suite in parsed) ==
          len(found) + len(document.get("expectations", [])), f"{run}: junitparser")


def prometheus_file(run):
    document, found = cases(run)
    text = export(run, "prometheus")
    values = [line for line in text.splitlines() if line.startswith("gpubench_time_seconds{")]
    ok = [records for records in found.values() if good(records)
          and all(r["time_ns"]["median"] for r in records)]
    check(len(values) == len(ok), f"{run}: prometheus times {len(values)} of {len(ok)}")
    for line, records in zip(values, ok):
        want = centre([r["time_ns"]["median"] for r in records]) * 1e-9
        check(near(float(line.rsplit(" ", 1)[1]), want), f"{run}: {line}")
    if shutil.which("promtool") is None:
        absent.add("promtool")
        return
    done = subprocess.run(["promtool", "check", "metrics"], input=text.encode(),
                          capture_output=True)
    check(done.returncode == 0, f"{run}: promtool: {done.stdout.decode()}{done.stderr.decode()}")


def github_files(run):
    _, found = cases(run)
    names = set()
    for form, higher in (("github-smaller", False), ("github-bigger", True)):
        entries = strict(export(run, form))
        for entry in entries:
            check(set(entry) == {"name", "unit", "value", "range", "extra"}, "github: keys")
            check(entry["name"] not in names, f"github: {entry['name']} twice")
            names.add(entry["name"])
        for (_, case), records in found.items():
            for name, metric in records[0]["metrics"].items():
                mine = [e for e in entries if e["name"] == f"{case} {name}"]
                values = [r["metrics"][name]["value"] for r in records if name in r["metrics"]]
                wanted = good(records) and all(values) and \
                    (metric["better"] == "higher") == higher
                check(len(mine) == wanted, f"{run}: {form} {case} {name}")
                if mine and wanted:
                    check(near(mine[0]["value"], centre(values)), f"{run}: {form} {case} {name}")


def counters(runs, records, what):
    """The rates of a case, under the names that google-benchmark's tools know."""
    known = {"B/s": "bytes_per_second", "1/s": "items_per_second"}
    mine = [r for r in runs if r["name"] == records[0]["case"]]
    check(len(mine) == len(records), f"{what}: google runs of {records[0]['case']}")
    for one, record in zip(mine, records):
        taken = set()
        for name, metric in record["metrics"].items():
            counter = known.get(metric["unit"], name)
            counter = name if counter in taken else counter
            taken.add(counter)
            check(metric["value"] is None or near(one[counter], metric["value"]), f"{what}: google {counter}")


def google_file(run, tmp):
    _, found = cases(run)
    text = export(run, "google-benchmark")
    document = strict(text)
    runs = document["benchmarks"]
    wanted = sum(len(records) if good(records) else 1 for records in found.values())
    check(len(runs) == wanted, f"{run}: google runs")
    check(all(r["time_unit"] == "ns" and r["run_type"] == "iteration" for r in runs), "google")
    for records in (records for records in found.values() if good(records)):
        counters(runs, records, run)
    scipy = subprocess.run(["/usr/bin/python3", "-c", "import scipy"], capture_output=True)
    if not os.path.exists(COMPARE) or scipy.returncode != 0:
        absent.add("google-benchmark's compare.py")
        return
    if all("error_occurred" in r for r in runs):
        return  # its compare.py needs a figure
    path = os.path.join(tmp, "google.json")
    open(path, "w", encoding="utf-8").write(text)
    done = subprocess.run(["/usr/bin/python3", COMPARE, "--no-color", "benchmarks", path, path],
                          capture_output=True)
    check(done.returncode == 0 and b"+0.0000" in done.stdout,
          f"{run}: compare.py: {done.stderr.decode()[-500:]}")


def junit_shape(text):
    """As Jenkins' schema has it (junit-10.xsd of its xUnit plugin): which children, in which order."""
    shapes = ([], ["system-out"], ["failure"], ["error"], ["skipped"], ["failure", "system-out"])
    root = ElementTree.fromstring(text.encode())
    for suite in root:
        tags = [child.tag for child in suite]
        check(tags in (["testcase"] * len(tags), ["properties"] + ["testcase"] * (len(tags) - 1)),
              f"junit: children of a suite: {tags}")
        for test in suite.findall("testcase"):
            check([child.tag for child in test] in shapes, "junit: children of a test")
            check({"name", "classname", "time"} <= set(test.attrib), "junit: attributes of a test")
            for bad in test.findall("failure") + test.findall("error"):
                check(set(bad.attrib) == {"type", "message"}, "junit: attributes of a failure")
    names = [(t.get("classname"), t.get("name")) for t in root.iter("testcase")]
    check(len(names) == len(set(names)), "junit: two tests of one name")
    return root


def write(tmp, name, document):
    folder = os.path.join(tmp, name)
    os.makedirs(folder)
    json.dump(document, open(os.path.join(folder, "results.json"), "w", encoding="utf-8"))
    return folder


def made_of(run, change):
    """A copy of a complete run's document, changed."""
    document = json.load(open(os.path.join(run, "results.json"), encoding="utf-8"))
    change(document)
    return document


def two_devices(run, tmp):
    """A run of two devices: no format takes one device's figures for another's."""
    def twice(document):
        other = json.loads(json.dumps(document["devices"][0]))
        other.update(id=1, index=1, uuid="another")
        document["devices"].append(other)
        document["records"] += [dict(r, device=1) for r in document["records"]]
    document = made_of(run, twice)
    folder = write(tmp, "two devices", document)
    for form in ("github-smaller", "github-bigger"):
        names = [entry["name"] for entry in strict(export(folder, form))]
        check(names and len(names) == len(set(names)), f"two devices, {form}: {names}")
    runs = strict(export(folder, "google-benchmark"))["benchmarks"]
    families = {(r["name"], r["family_index"]) for r in runs}
    check(len({name for name, _ in families}) == len(families) > 1, "two devices: google")
    junit_shape(export(folder, "junit"))
    series = [line.rsplit(" ", 1)[0] for line in export(folder, "prometheus").splitlines()]
    series = [one for one in series if not one.startswith("#")]
    check(len(series) == len(set(series)), "two devices: prometheus")


def slower_and_odd(run, tmp):
    """What is slower than the baseline fails, with its figures; of another unit, nothing does."""
    def replicated(document, role, factor):
        first = [r for r in document["records"] if r["status"] == "ok"][0]
        document["run"]["pair"] = {"id": "0123456789abcdef", "role": role}
        document["run"]["id"] = role
        document["records"] = []
        for i in range(5):
            record = json.loads(json.dumps(first))
            record["replicate"] = i
            for key, value in record["time_ns"].items():
                if isinstance(value, float):
                    record["time_ns"][key] = value * factor * (1 + i / 5000)
            for metric in record["metrics"].values():
                metric["value"] /= factor * (1 + i / 5000)
            document["records"].append(record)
    old = write(tmp, "old", made_of(run, lambda d: replicated(d, "baseline", 1)))
    new = made_of(run, lambda d: replicated(d, "new", 1.2))
    root = junit_shape(export(write(tmp, "new", new), "junit", "--baseline", old))
    check([f.get("type") for f in root.iter("failure")] == ["regression"], "junit: slower")
    lines = export(os.path.join(tmp, "new"), "prometheus", "--baseline", old).splitlines()
    check([x.rsplit(" ", 1)[1] for x in lines if x.startswith("gpubench_regressions{")] == ["1"],
          "prometheus: slower")
    new["devices"][0]["uuid"] = "another unit"
    write(tmp, "unit", new)
    root = junit_shape(export(os.path.join(tmp, "unit"), "junit", "--baseline", old))
    check(not list(root.iter("failure")), "junit: another unit fails")
    hostile(new, tmp)
    new["records"][0].update(status="failed", reason_code="crashed", reason="a\ufffeb\uffff\x01<&\"c")
    folder = write(tmp, "odd", new)  # one of five replicates failed: the case has no figure
    for form in ("github-smaller", "github-bigger"):
        check(strict(export(folder, form)) == [], f"{form}: a case that failed")
    failed = strict(export(folder, "google-benchmark"))["benchmarks"]
    check([r["error_message"] for r in failed] == [new["records"][0]["reason"]], "google: reason")
    text = export(folder, "junit")
    check(not set(text) & {"\ufffe", "\uffff", "\x01"}, "junit: what is no character of XML")
    check(any("<&\"c" in f.get("message") for f in junit_shape(text).iter("failure")), "junit: reason")


def rates(run, tmp):
    """Bytes, items, and a second rate of a unit."""
    def more(document):
        metric = next(iter(document["records"][0]["metrics"].values()))
        for record in document["records"]:
            if record["status"] == "ok":
                record["metrics"]["requests"] = dict(metric, unit="1/s", value=1250.0)
                record["metrics"]["answers"] = dict(metric, unit="1/s", value=1200.0)
    folder = write(tmp, "rates", made_of(run, more))
    runs = strict(export(folder, "google-benchmark"))["benchmarks"]
    _, found = cases(folder)
    for records in (records for records in found.values() if good(records)):
        counters(runs, records, "rates")
    check({(r["items_per_second"], r["answers"]) for r in runs if "error_occurred" not in r} ==
          {(1250.0, 1200.0)}, "google: rates")


def hostile(document, tmp):
    """What somebody wrote into a name, a start, a metric's name or a unit stays text."""
    document = json.loads(json.dumps(document))
    document["suite"]["name"] = 'a "b\\c\nd'
    document["run"]["started"] = 'a"><b>\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4'
    for record in document["records"]:
        metric = dict(next(iter(record["metrics"].values())))
        record["metrics"] = {"a\nb 1": dict(metric, unit="B/s"), "<c>": dict(metric, unit="&<")}
    folder = write(tmp, "hostile", document)
    root = junit_shape(export(folder, "junit"))
    check("<c>" in "".join(root.itertext()) and "&<" in "".join(root.itertext()), "junit: a unit")
    lines = export(folder, "prometheus").splitlines()
    for line in lines:
        check(line.startswith(("# HELP gpubench_", "# TYPE gpubench_", "gpubench_")), line)
    series = [line for line in lines if not line.startswith("#")]
    check(series and all(r'suite="a \"b\\c\nd"' in line for line in series), "prometheus: escapes")


def usage(run, tmp):
    def fails(status, text, *arguments):
        done = subprocess.run([GPUBENCH, "export", *arguments], capture_output=True)
        check(done.returncode == status and text.encode() in done.stderr,
              f"{arguments}: {done.returncode} {done.stderr.decode()}")
    fails(2, "--to FORMAT is missing", run)
    fails(2, "did you mean 'junit'", run, "--to", "junitt")
    fails(2, "several formats need a folder", run, "--to", "csv", "--to", "junit")
    fails(6, "nowhere", "nowhere", "--to", "csv")
    out = os.path.join(tmp, "all of them")
    done = subprocess.run([GPUBENCH, "export", run, "--out", out] + [
        a for f in ("csv", "junit", "prometheus", "github-smaller", "github-bigger",
                    "google-benchmark") for a in ("--to", f)], capture_output=True)
    check(done.returncode == 0, done.stderr.decode())
    check(sorted(os.listdir(out)) == ["benchmark-bigger.json", "benchmark-smaller.json",
                                      "google-benchmark.json", "gpubench.prom", "junit.xml",
                                      "results.csv"], f"files: {os.listdir(out)}")


def main():
    with tempfile.TemporaryDirectory() as tmp:
        for name in sorted(os.listdir(RECORDS)):
            run = os.path.join(RECORDS, name)
            if not os.path.exists(os.path.join(run, "results.json")):
                continue
            csv_file(run)
            junit_file(run, tmp)
            prometheus_file(run)
            github_files(run)
            google_file(run, tmp)
        two_devices(os.path.join(RECORDS, "ok"), tmp)
        rates(os.path.join(RECORDS, "ok"), tmp)
        slower_and_odd(os.path.join(RECORDS, "ok"), tmp)
        usage(os.path.join(RECORDS, "ok"), tmp)
    for what in sorted(absent):
        print(f"not read by {what}: it is not on this machine")
    print(f"exports: {checks} checks, {len(failures)} failures")
    return 1 if failures else 0


sys.exit(main())
