#!/usr/bin/env python3
"""What reports must and must not say, over those of all fixtures.

  says.py GPUBENCH OUT      OUT: what reports.py made
"""
import csv
import html
import html.parser
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import reports  # noqa: E402


class Parts(html.parser.HTMLParser):
    """Cells, texts and what a page refers to."""

    def __init__(self):
        super().__init__()
        self.cells, self.texts, self.links, self.styles = [], [], [], []
        self.inside = []

    def handle_starttag(self, tag, attrs):
        if tag not in ("meta", "link", "br", "img", "input", "wbr", "use", "path", "rect", "circle"):
            self.inside.append(tag)
        if tag == "td":
            self.cells.append("")
        for key, value in attrs:
            if key in ("src", "srcset", "href", "xlink:href", "data", "poster", "action") and tag != "a":
                self.links.append(value or "")
            if key == "style":
                self.styles.append(value or "")

    def handle_endtag(self, tag):
        while self.inside and tag in self.inside and self.inside.pop() != tag:
            pass

    def handle_data(self, data):
        if "style" in self.inside:
            self.styles.append(data)
        elif "script" not in self.inside:
            self.texts.append(data)
            if "td" in self.inside:
                self.cells[-1] += data


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def pages(out):
    for folder, _, files in sorted(os.walk(out)):
        for name in sorted(files):
            if name.endswith(".html"):
                parts = Parts()
                parts.feed(read(os.path.join(folder, name)))
                yield os.path.relpath(os.path.join(folder, name), out), parts


def res_10_no_holes_in_names(_, out):
    """A name is made from parts that are known."""
    holes = re.compile(r"(?<![\w/])(None|\(null\)|undefined|-?nan|-?inf|NaN)(?![\w/])")
    for name in sorted(os.listdir(out)):
        for file in ("table.txt", "report.md", "results.csv"):
            path = os.path.join(out, name, file)
            found = holes.search(read(path)) if os.path.exists(path) else None
            if found and name != "names":  # it has such words on purpose
                yield f"{name}/{file}: '{found.group()}'"
        path = os.path.join(out, name, "results.csv")
        if os.path.exists(path):
            with open(path, encoding="utf-8", newline="") as file:
                head = next(csv.reader(file))
            if len(set(head)) != len(head) or not all(re.fullmatch(r"[a-z][a-z0-9_]*", h) for h in head):
                yield f"{name}/results.csv: columns {head}"
    for name, parts in pages(out):
        for text in parts.texts:
            if holes.search(text) and name.split(os.sep)[0] != "names":
                yield f"{name}: {text.strip()[:60]}"


def res_18_the_same_from_a_copy(gpubench, out):
    """A run directory at another place gives the same report."""
    for run in ("ok", "gpu"):
        with tempfile.TemporaryDirectory() as place:
            copy = os.path.join(place, "a copy (1)", run)
            os.makedirs(copy)
            for name in ("results.json", "cases.jsonl"):
                shutil.copy(os.path.join(out, run, name), copy)
            done = reports.run([gpubench, "report", run], os.path.dirname(copy))
            for name in ("report.md", "results.csv"):
                if read(os.path.join(copy, name)) != read(os.path.join(out, run, name)):
                    yield f"{run}: another {name}"
            if done.stdout != read(os.path.join(out, run, "table.txt")):
                yield f"{run}: another table"
            if reports.golden(copy).split("======== plots/")[1:] != \
                    reports.golden(os.path.join(out, run)).split("======== plots/")[1:]:
                yield f"{run}: other plots"


def res_20_nothing_from_elsewhere(_, out):
    """Whatever a page needs is in it."""
    for name, parts in pages(out):
        for link in parts.links:
            if not link.startswith(("#", "data:")):
                yield f"{name}: refers to {link}"
        for style in parts.styles:
            for url in re.findall(r"url\(\s*['\"]?([^'\")]*)|@import\s+['\"]([^'\"]*)", style):
                if not "".join(url).startswith(("#", "data:")):
                    yield f"{name}: a style refers to {url}"


def res_21_unit_and_figure_belong_together(_, out):
    """Three significant digits, so that nothing that was measured reads 0.00 of a larger unit."""
    figure = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?) (ns|us|ms|s|[kMGT]?B/s|[kMGT]?FLOP/s|[kMGT]?/s)(?!\w)")
    looked = 0
    for name, parts in pages(out):
        texts = [(name, cell.strip()) for cell in parts.cells]
        texts += [(name, line) for line in read(os.path.join(out, os.path.dirname(name), "report.md")).split("\n")]
        for where, text in texts:
            for number, unit in figure.findall(text):
                looked += 1
                digits = number.replace(".", "").lstrip("0")
                zero = float(number) == 0
                if zero and "." in number or not zero and "." in number and len(digits) < 3:
                    yield f"{where}: {number} {unit}"
                if float(number) >= 10000 and unit not in ("s", "TB/s", "TFLOP/s", "T/s"):
                    yield f"{where}: {number} {unit} asks for a larger unit"
    if looked < 2000:
        yield f"only {looked} figures were found"


def res_22_incomplete_sets_say_so(_, out):
    """Where not everything was measured, table, page and Markdown say how much."""
    said = {"mixed": ("3 ok", "1 failed", "1 skipped"), "failed": ("1 failed", "1 wrong"),
            "skipped": ("1 skipped",), "names": ("18 ok", "1 failed")}
    for run, counts in said.items():
        table = read(os.path.join(out, run, "table.txt"))
        yield from (f"{run}/table.txt: not '{c}'" for c in counts if c not in table)
        total = sum(int(c.split()[0]) for c in counts)
        done = int(counts[0].split()[0]) if counts[0].endswith("ok") else 0
        markdown = read(os.path.join(out, run, "report.md"))
        parts = Parts()
        parts.feed(read(os.path.join(out, run, "report.html")))
        for name, text in (("report.md", markdown), ("report.html", " ".join(parts.texts))):
            if not re.search(rf"\b{total} cases?\b|\b{done} of {total}\b|\b(no|0) of {total}\b", text, re.I):
                yield f"{run}/{name}: does not say how many of {total} were measured"
            for count in (c for c in counts if not c.endswith("ok")):
                number, word = count.split()
                if not re.search(rf"\b{number} (of {total} cases? |cases? )?(were |was |are |is |gave )?{word}", text):
                    yield f"{run}/{name}: not '{count}'"


def plots_say_what_they_leave_out(_, out):
    """What a warning says of a picture stands below it and in report.md too."""
    seen = 0
    for name in sorted(os.listdir(out)):
        path = os.path.join(out, name, "notes.txt")
        for plot, text in re.findall(r"plots: (\d\d-[^:]*): (.*)", read(path) if os.path.exists(path) else ""):
            if not os.path.exists(os.path.join(out, name, "plots", f"{plot}.svg")):
                continue  # nothing was left to draw
            words = re.sub(r"\W+", " ", text)
            for file in ("report.html", "report.md"):
                seen += 1
                if words not in re.sub(r"\W+", " ", html.unescape(read(os.path.join(out, name, file)))):
                    yield f"{name}/{file}: not there: {text}"
    if seen < 10:
        yield "no fixture leaves anything out"


CHECKS = (plots_say_what_they_leave_out, res_10_no_holes_in_names, res_18_the_same_from_a_copy, res_20_nothing_from_elsewhere,
          res_21_unit_and_figure_belong_together, res_22_incomplete_sets_say_so)


def main():
    gpubench, out = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    wrong = 0
    for check in CHECKS:
        problems = list(dict.fromkeys(check(gpubench, out)))
        wrong += len(problems)
        print(f"{check.__name__}: {len(problems)} problems")
        for problem in problems[:12]:
            print("  " + problem)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
