#!/usr/bin/env python3
"""Looks at HTML pages in a headless browser.

  pages.py [--shots DIR] DIR_OR_PAGE...

Every *.html below the directories is a page. One browser session serves for all of them. Exit status
1 when anything is wrong, 77 when there is no browser here. A deliberately bad page (bad.html) is
looked at first: each check has to find fault with it."""
import argparse
import base64
import json
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import webdriver  # noqa: E402

MAX_BYTES = 2_000_000
MAX_PRINTED = 4_000_000  # bytes of PDF: hatched bars once made 30 MB
WIDTHS = (360, 1440)
LOCAL = ("file:", "data:", "about:", "blob:")
with open(os.path.join(HERE, "checks.js"), encoding="utf-8") as file:
    CHECKS = file.read()


class Page:
    """A page under test: what is wrong with it, by check, and how much each check looked at."""

    def __init__(self, browser, path):
        self.browser, self.path = browser, path
        self.problems, self.looked = {}, {}

    def note(self, check, problems, looked=1):
        self.problems.setdefault(check, []).extend(problems)
        self.looked[check] = self.looked.get(check, 0) + looked

    def inside(self, expression):
        return self.browser.run(CHECKS + "\nreturn " + expression)

    def check(self, name, label=None, suffix=""):
        found = self.inside(f"checks.{name}()")
        self.note(label or name, [p + suffix for p in found["problems"]], found["looked"])

    def messages(self):
        bad = [m["message"] for m in self.browser.log("browser")
               if m["level"] in ("WARNING", "SEVERE")]
        self.note("console", bad)
        self.note("network", [f"asks for {url}" for url in self.browser.requests()
                              if not url.startswith(LOCAL)])


def look_at(page):
    """All checks, in an order in which none disturbs the next."""
    browser = page.browser
    browser.scripts(True)
    browser.media()
    browser.width(1440)
    browser.log("browser"), browser.requests()
    browser.open(page.path)
    page.check("structure")
    for width in WIDTHS:
        browser.width(width)
        page.check("overflow", suffix=f" at {width} px")
        if width == max(WIDTHS):
            page.check("firstTables", suffix=f" at {width} px")
    browser.run(CHECKS + "\nchecks.unfold()")
    for width in WIDTHS:
        browser.width(width)
        page.check("overflow", suffix=f" at {width} px, unfolded")
    for scheme in ("light", "dark"):
        browser.media(scheme=scheme)
        page.check("contrast", suffix=f", {scheme}")
        page.check("dataColours", suffix=f", {scheme}")
    browser.media()
    page.check("sorting")
    page.check("filtering")
    keyboard(page)
    theme(page)
    size = os.path.getsize(page.path)
    page.note("size", [f"{size} bytes, at most {MAX_BYTES}"] if size > MAX_BYTES else [])
    complete(page)
    printed(page)
    without_scripts(page)
    page.messages()


def keyboard(page):
    """Tab reaches a button that sorts and shows that it did; Enter presses it."""
    browser = page.browser
    if not browser.run("return document.querySelectorAll('th button').length"):
        return
    browser.open(page.path)
    for _ in range(400):
        browser.press("Tab", 9)
        if browser.run("return document.activeElement.matches('th button')"):
            break
    state = """
      const b = document.activeElement, s = getComputedStyle(b);
      return [b.matches('th button'), b.matches('th button') && b.closest('th').getAttribute('aria-sort'),
              s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 1]"""
    reached, before, ring = browser.run(state)
    if not reached:
        page.note("keyboard", ["Tab reaches no button that sorts"])
        return
    browser.press("Enter", 13, "\r")
    after = browser.run(state)[1]
    problems = [] if after == "ascending" else [f"Enter: aria-sort from {before} to {after}"]
    page.note("keyboard", problems + ([] if ring else ["the focus cannot be seen"]))


def theme(page):
    """The button for light and dark changes the ground, and back."""
    browser = page.browser
    ground = "return getComputedStyle(document.body).backgroundColor"
    if not browser.run("return document.querySelectorAll('button.scheme').length"):
        return
    seen = [browser.run(ground)]
    for _ in range(2):
        browser.run("document.querySelector('button.scheme').click()")
        seen.append(browser.run(ground))
    wrong = seen[0] == seen[1] or seen[0] != seen[2]
    page.note("theme", [f"grounds: {', '.join(seen)}"] if wrong else [])
    browser.run("document.querySelector('button.scheme').click()")
    page.check("contrast", suffix=", dark by the button")
    browser.run("try { localStorage.clear() } catch (e) { }")


def complete(page):
    """A report has a row for each case of its run."""
    lines = os.path.join(os.path.dirname(page.path), "cases.jsonl")
    if os.path.basename(page.path) != "report.html" or not os.path.exists(lines):
        return
    with open(lines, encoding="utf-8") as file:
        records = [json.loads(line) for line in file if line.endswith("\n")]
    cases = {(r["case"], r["device"]) for r in records}
    rows = page.browser.run("return [...document.querySelectorAll('tbody tr')].length")
    page.note("complete", [f"{rows} rows for {len(cases)} cases"] if rows < len(cases) else [],
              len(cases))


def missing(texts, others):
    """Texts that are visible in the one and not in the other."""
    there = {}
    for text, visible in others:
        there[text] = there.get(text, 0) + visible
    out = []
    for text, visible in texts:
        if visible:
            there[text] = there.get(text, 0) - 1
            if there[text] < 0:
                out.append(text)
    return out


def printed(page):
    browser = page.browser
    browser.open(page.path)
    screen = page.inside("(checks.unfold(), checks.readable())")
    browser.open(page.path)
    browser.media("print")
    page.note("print", [f"not printed: {t}" for t in missing(screen, page.inside("checks.readable()"))],
              len(screen))
    found = page.inside("checks.contrast()")
    page.note("print", [p + ", print" for p in found["problems"]])
    size = len(base64.b64decode(browser.cdp("Page.printToPDF", printBackground=True)["data"]))
    page.note("print", [f"printed it has {size} bytes"] if size > MAX_PRINTED else [])
    browser.media()
    page.screen = screen


def without_scripts(page):
    browser = page.browser
    browser.scripts(False)
    browser.open(page.path)
    plain = page.inside("(checks.unfold(), checks.readable())")
    page.note("no scripts", [f"not there: {t}" for t in missing(page.screen, plain)], len(plain))
    hidden = browser.run("return [...document.querySelectorAll('tbody tr')]"
                         ".filter((r) => !r.checkVisibility()).length")
    page.note("no scripts", [f"{hidden} rows are hidden"] if hidden else [])
    browser.scripts(True)


def shots(page, directory):
    browser = page.browser
    name = "-".join(page.path.split(os.sep)[-2:]).removesuffix(".html")
    for width, scheme in ((1440, "light"), (1440, "dark"), (360, "light")):
        browser.width(width)
        browser.media(scheme=scheme)
        browser.open(page.path)
        browser.screenshot(os.path.join(directory, f"{name}-{width}-{scheme}.png"))


# What the checks must find on the bad page.
EXPECTED = {
    "console": ("a warning", "an error"), "network": ("http://127.0.0.1:9/remote.js",),
    "contrast": ("Pale text",), "dataColours": ("data colour",), "overflow": ("px wide in 360",),
    "firstTables": ("a table of the first section",),
    "structure": ("there 2 times", "img without alt", "svg without", "is not described", "h3 after h1", "to nowhere",
                  "attribute onclick", "ran as a script"),
    "sorting": ("no button", "aria-sort is none", "is sorted as"),
    "filtering": ("leaves rows",), "print": ("not printed: Pale text",),
    "keyboard": ("Enter: aria-sort",), "no scripts": ("not there: Only scripts",),
}


def self_check(browser):
    page = Page(browser, os.path.join(HERE, "bad.html"))
    look_at(page)
    return [f"the bad page passes '{check}': '{text}' was not found"
            for check, texts in EXPECTED.items() for text in texts
            if not any(text in p for p in page.problems.get(check, []))]


def find(places):
    for place in places:
        if os.path.isfile(place):
            yield os.path.abspath(place)
        for folder, _, files in sorted(os.walk(place)):
            for name in sorted(files):
                if name.endswith(".html"):
                    yield os.path.abspath(os.path.join(folder, name))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--shots", help="folder for pictures of the pages")
    parser.add_argument("places", nargs="+")
    args = parser.parse_args()
    paths = list(find(args.places))
    if not paths:
        print("browser: no page to look at")
        return 1
    start, wrong, looked = time.monotonic(), 0, 0
    try:
        browser = webdriver.Browser()
    except webdriver.Missing as reason:
        print(f"skipped: {reason}")
        return 77
    with browser:
        for problem in self_check(browser):
            print(problem)
            wrong += 1
        for path in paths:
            page = Page(browser, path)
            look_at(page)
            found = [f"  {check}: {p}" for check, ps in page.problems.items() for p in ps]
            looked += sum(page.looked.values())
            wrong += len(found)
            counts = ", ".join(f"{n} {check}" for check, n in page.looked.items())
            print(f"{os.path.relpath(path)}: {len(found)} problems ({counts})")
            for line in found:
                print(line[:300])
            if args.shots:
                os.makedirs(args.shots, exist_ok=True)
                shots(page, args.shots)
    print(f"browser: {len(paths)} pages, {looked} things looked at, {wrong} problems, "
          f"{time.monotonic() - start:.1f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
