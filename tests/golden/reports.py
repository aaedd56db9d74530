#!/usr/bin/env python3
"""Reports of fixed records, made anew and held against what they were.

  reports.py make GPUBENCH PLAN_TOOL OUT   copies or makes every fixture into OUT and reports on it
  reports.py compare OUT                   against expected/; a diff for what is different
  reports.py update OUT                    makes that the expected one
  reports.py verify GPUBENCH OUT           gpubench verify accepts what is made up for real cases

After a change that is meant: cmake --build BUILD --target golden_update, and read `git diff`.

A golden is one text a fixture: the terminal's table, notes on stderr, report.md, report.html and, of
every plot, script and data. Of the page stands what a reader gets: style, script and drawings are
left out, as other tests look at them and as drawings differ from one gnuplot to the next."""
import difflib
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
RECORDS = os.path.join(HERE, "records")
EXPECTED = os.path.join(HERE, "expected")
FIXED = sorted(e.name for e in os.scandir(RECORDS) if os.path.exists(os.path.join(e, "cases.jsonl")))
MADE_UP = ["gpu", "gpu2", "many", "bimodal"]
# Several runs in one report, by the name of the result.
TOGETHER = {"both": ["gpu", "gpu2"]}
# What a PNG can show depends on the fonts of the machine: here on none but Latin ones.
FONTS = "#!/bin/sh\necho 'TrueType 20-24f 2000-206f'\n"
COMPARED = FIXED + ["gpu", "bimodal"] + list(TOGETHER)


def run(command, cwd, **more):
    environment = {**os.environ, "LC_ALL": "C", "NO_COLOR": "1", "COLUMNS": "100",
                   "PATH": os.path.join(cwd, "bin") + os.pathsep + os.environ["PATH"]}
    return subprocess.run(command, cwd=cwd, env=environment, check=False, text=True,
                          encoding="utf-8", stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)


def report(gpubench, out, name, arguments):
    done = run([gpubench, "report", *arguments], out)
    for kind, text in (("table", done.stdout), ("notes", done.stderr)):
        with open(os.path.join(out, name, kind + ".txt"), "w", encoding="utf-8") as file:
            file.write(text)
    # A report on failed cases is a report: 3 says that there are some.
    if done.returncode not in (0, 3):
        print(f"{name}: gpubench report ended with {done.returncode}\n{done.stderr}")
    return done.returncode in (0, 3)


def make(gpubench, plan_tool, out):
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(os.path.join(out, "bin"))
    with open(os.path.join(out, "bin", "fc-list"), "w", encoding="utf-8") as file:
        file.write(FONTS)
        os.chmod(file.fileno(), 0o755)
    for name in FIXED:
        shutil.copytree(os.path.join(RECORDS, name), os.path.join(out, name))
    made_up = os.path.join(RECORDS, "made_up.py")
    subprocess.run([sys.executable, made_up, plan_tool, out, *MADE_UP], check=True)
    good = all([report(gpubench, out, name, [name]) for name in FIXED + MADE_UP])
    for name, runs in TOGETHER.items():
        os.makedirs(os.path.join(out, name))
        good &= report(gpubench, out, name, [*runs, "--out", name])
    print(f"reports: {len(FIXED) + len(MADE_UP) + len(TOGETHER)} made in {out}")
    return 0 if good else 1


def normal(text):
    """Without what changes from build to build."""
    text = re.sub(r"gpubench \d+\.\d+\.\d+(\s*\([^)]*\))?", "gpubench VERSION", text)
    return re.sub(r"[ \t]+$", "", text, flags=re.M)


def figures(text):
    """Nine digits of each figure: the last ones differ from one C library to the next."""
    return normal(re.sub(r"-?\d+\.\d{6,}(?:e[-+]?\d+)?", lambda m: f"{float(m.group()):.9g}", text))


def page(text):
    for tag, rest in (("style", ""), ("script", ""), ("svg", " role=img")):
        text = re.sub(rf"(?s)<{tag}\b[^>]*>.*?</{tag}>", f"<{tag}{rest}>...</{tag}>", text)
    return text


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def kept(name, file):
    """Whether a plot's file is part of the golden. All data are computed again by readback.py; here
    are those of small fixtures, to be read."""
    if name in TOGETHER or not file.endswith((".gp", ".dat")):
        return False
    return file.endswith(".gp") or name == "flagged" or not ("distribution" in file or "flagged" in file)


def golden(directory):
    name = os.path.basename(directory)
    parts = [("table.txt", normal), ("notes.txt", normal), ("report.md", normal),
             ("report.html", lambda text: normal(page(text)))]
    if name in TOGETHER:  # what it has beyond those of its runs
        parts = parts[1:3]
    plots = os.path.join(directory, "plots")
    if os.path.isdir(plots):
        parts += [("plots/" + file, figures) for file in sorted(os.listdir(plots)) if kept(name, file)]
    out = []
    for file, make_normal in parts:
        path = os.path.join(directory, file)
        if os.path.exists(path):
            text = make_normal(read(path))
            out.append(f"======== {file}\n{text}" + ("" if text.endswith("\n") else "\n"))
    return "".join(out)


def compare(out):
    different = 0
    for name in COMPARED:
        found = golden(os.path.join(out, name))
        path = os.path.join(EXPECTED, name + ".txt")
        wanted = read(path) if os.path.exists(path) else ""
        if found == wanted:
            continue
        different += 1
        diff = list(difflib.unified_diff(wanted.splitlines(), found.splitlines(),
                                         f"expected/{name}.txt", "now", lineterm="", n=2))
        print("\n".join(line[:240] for line in diff[:80]))
        if len(diff) > 80:
            print(f"... and {len(diff) - 80} lines more")
    extra = {e[:-4] for e in os.listdir(EXPECTED)} - set(COMPARED)
    if extra:
        print(f"expected/ has more: {', '.join(sorted(extra))}")
    print(f"goldens: {len(COMPARED)} compared, {different} different")
    return 1 if different or extra else 0


def update(out):
    os.makedirs(EXPECTED, exist_ok=True)
    for name in COMPARED:
        with open(os.path.join(EXPECTED, name + ".txt"), "w", encoding="utf-8", newline="") as file:
            file.write(golden(os.path.join(out, name)))
    print(f"goldens: {len(COMPARED)} written to {EXPECTED}")
    return 0


def verify(gpubench, out):
    wrong = 0
    for name in MADE_UP:
        done = run([gpubench, "verify", name], out)
        if done.returncode != 0:
            wrong += 1
            print(f"{name}:\n{done.stdout[:2000]}{done.stderr}")
    print(f"verify: {len(MADE_UP)} run directories, {wrong} refused")
    return 1 if wrong else 0


def main():
    verbs = {"make": (make, 3), "compare": (compare, 1), "update": (update, 1), "verify": (verify, 2)}
    function, n = verbs.get(sys.argv[1] if len(sys.argv) > 1 else "", (None, 0))
    if function is None or len(sys.argv) != n + 2:
        print(__doc__, file=sys.stderr)
        return 2
    if not shutil.which("gnuplot"):
        print("skipped: no gnuplot")
        return 77
    return function(*map(os.path.abspath, sys.argv[2:]))


if __name__ == "__main__":
    sys.exit(main())
