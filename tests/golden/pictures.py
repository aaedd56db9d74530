#!/usr/bin/env python3
"""Pictures are whole and not blank: every script has its SVG and PNG; the SVG is XML with lines and
texts drawn in it and no coordinate that is none; the PNG has the same size and, decoded here (the
first of each run and of each type, and those with foreign letters: it takes time), something other
than its ground on it, which letters without a font do not cover. And a script run by hand
gives the same SVG and says nothing. Titles are shown letter by letter; each picture names device,
kind and date, and says which way is better; where nothing was measured there is none.

  pictures.py OUT      OUT: what reports.py made
"""
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
import zlib

SVG = "{http://www.w3.org/2000/svg}"
WIDTHS, HEIGHTS = range(1000, 1500), range(300, 2500)
BLACK, MOST_BLACK = b"\0\0\0", 0.05  # axes and texts are 2 %; a letter without a font was 20 % and more
LEAST_PIXELS = 3000  # of 600,000: axes, texts and one marker are more
METRICS = ("curve", "bar", "ladder", "batch-curve", "roofline", "distribution")
DRAWN = ("path", "circle", "rect", "polygon", "polyline", "line", "use")


def png_pixels(path):
    """(width, height, counts by colour); ValueError when it is no whole PNG of 8 bits a channel."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise ValueError("no PNG")
    at, packed, header, palette, ended = 8, b"", None, None, False
    while at + 12 <= len(data):
        length = int.from_bytes(data[at:at + 4], "big")
        kind, body = data[at + 4:at + 8], data[at + 8:at + 8 + length]
        if zlib.crc32(kind + body) != int.from_bytes(data[at + 8 + length:at + 12 + length], "big"):
            raise ValueError(f"chunk {kind} is damaged")
        header = body if kind == b"IHDR" else header
        palette = body if kind == b"PLTE" else palette
        packed += body if kind == b"IDAT" else b""
        ended = ended or kind == b"IEND"
        at += 12 + length
    if not ended or header is None:
        raise ValueError("cut off")
    width, height = int.from_bytes(header[:4], "big"), int.from_bytes(header[4:8], "big")
    depth, kind = header[8], header[9]
    channels = {0: 1, 2: 3, 3: 1, 6: 4}.get(kind)
    if depth != 8 or channels is None or header[12] != 0:
        raise ValueError(f"depth {depth}, kind {kind}: not read here")
    raw, line = zlib.decompress(packed), width * channels
    if len(raw) != height * (line + 1):
        raise ValueError("rows are missing")
    counts, before = collections.Counter(), bytearray(line)
    for y in range(height):
        row = bytearray(raw[y * (line + 1) + 1:(y + 1) * (line + 1)])
        unfilter(raw[y * (line + 1)], row, before, channels)
        pixels = bytes(row)
        if pixels == pixels[:channels] * width:
            counts[pixels[:channels]] += width
        else:
            counts.update(pixels[i:i + channels] for i in range(0, line, channels))
        before = row
    return width, height, counts


def unfilter(how, row, up, step):
    """https://www.w3.org/TR/png-3/#9Filters"""
    if how == 0:
        return
    for i in range(len(row)):
        a = row[i - step] if i >= step else 0
        b, c = up[i], up[i - step] if i >= step else 0
        if how == 1:
            add = a
        elif how == 2:
            add = b
        elif how == 3:
            add = (a + b) // 2
        elif how == 4:
            p = a + b - c
            pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
            add = a if pa <= pb and pa <= pc else b if pb <= pc else c
        else:
            raise ValueError(f"filter {how}")
        row[i] = (row[i] + add) & 255


def png_size(path):
    """(width, height) of a PNG that ends as one should; ValueError."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:8] != b"\x89PNG\r\n\x1a\n" or data[-8:-4] != b"IEND":
        raise ValueError("no whole PNG")
    return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")


def blank(path):
    width, height, counts = png_pixels(path)
    drawn = width * height - counts.most_common(1)[0][1]
    if counts[BLACK] > MOST_BLACK * width * height:
        return [f"is covered: {counts[BLACK]} pixels are black"]
    if drawn < LEAST_PIXELS or len(counts) < 8:
        return [f"is nearly blank: {drawn} pixels of {len(counts)} colours"]
    return []


def svg_size(root):
    box = root.get("viewBox", "").split()
    return tuple(int(float(v)) for v in box[2:]) if len(box) == 4 else None


def check_svg(root):
    problems = []
    if root.tag != SVG + "svg":
        return ["is no SVG"]
    shapes = sum(1 for e in root.iter() if e.tag in [SVG + d for d in DRAWN])
    texts = ["".join(e.itertext()).strip() for e in root.iter(SVG + "text")]
    if shapes < 10 or len([t for t in texts if t]) < 5:
        problems.append(f"is nearly blank: {shapes} shapes, {len(texts)} texts")
    for e in root.iter():
        for key, value in e.attrib.items():
            if re.search(r"(?i)\b(nan|inf)\b", value) and not key.endswith(("href", "id")):
                problems.append(f"{e.tag.removeprefix(SVG)} has {key}='{value[:40]}'")
    for text in texts:
        if re.fullmatch(r"(?i)-?(nan|inf)\b.*", text):
            problems.append(f"shows '{text}'")
    return problems


def spoken(path):
    """The texts of an SVG."""
    return ["".join(e.itertext()).strip() for e in ElementTree.parse(path).getroot().iter(SVG + "text")]


def says(path, run, kind, title):
    """What every picture tells: of which device, what kind of device, when, and which way is better;
    the title as it was written."""
    texts = spoken(path)
    whole = "\n".join(texts).replace("\u200b", "")
    devices = run["devices"]
    problems = []
    for device in devices:
        if device["name"][:20] not in whole:
            problems.append(f"does not name {device['name']}")
    if run["run"]["started"][:10] not in whole:
        problems.append("has no date")
    if devices[0]["kind"] == "cpu" and "not of a GPU" not in whole:
        problems.append("does not say that it shows a CPU's figures")
    if kind in METRICS and not re.search(r"(higher|lower) is better", whole):
        problems.append("does not say which way is better")
    if title is not None and len(title) < 60 and title not in whole.split("\n"):
        problems.append(f"does not show its title as it is: {title}")
    return problems


def told_apart(path):
    """Series with a name in the legend have different signs: colour, point, dash or pattern."""
    seen, problems = {}, []
    with open(path, encoding="utf-8") as file:
        svg = file.read().split("set terminal pngcairo")[0].rsplit("\nplot ", 1)[-1]
    for entry in svg.split(", \\\n"):
        title = re.search(r" title ('.*')", entry)
        look = tuple(re.findall(r"(?:pointtype|dashtype|pattern|color rgb) \S+", entry))
        if title and look:
            if look in seen and seen[look] != title.group(1):
                problems.append(f"{title.group(1)[:40]} looks like {seen[look][:40]}")
            seen[look] = title.group(1)
    return problems


def contrast(colour):
    """WCAG 2.2, against white."""
    channels = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 1.05 / (0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] + 0.05)


def pale(path):
    """Colours (greys are grids and axes) that are hard to see on white."""
    with open(path, encoding="utf-8") as file:
        colours = set(re.findall(r"color rgb '(#[0-9a-fA-F]{6})'", file.read()))
    return [f"{c} has contrast {contrast(c):.2f} on white, least 3" for c in sorted(colours)
            if len({c[1:3], c[3:5], c[5:7]}) > 1 and contrast(c) < 3]


def by_hand(directory, script):
    """gnuplot plots/x.gp in a copy of the directory's scripts and data."""
    with tempfile.TemporaryDirectory() as place:
        shutil.copytree(os.path.join(directory, "plots"), os.path.join(place, "plots"))
        svg = os.path.join(place, "plots", script[:-3] + ".svg")
        with open(svg, "rb") as file:
            before = file.read()
        os.remove(svg)
        done = subprocess.run(["gnuplot", "plots/" + script], cwd=place, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env={**os.environ, "LC_ALL": "C.UTF-8"})
        try:
            with open(svg, "rb") as file:
                same = file.read() == before
        except FileNotFoundError:
            same = False
    problems = [] if same else ["gnuplot by hand gives another picture"]
    return problems + ([f"gnuplot says: {done.stdout.strip()[:200]}"] if done.stdout.strip() else [])


def document(directory):
    path = os.path.join(directory, "results.json")
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def check_pair(path, decode):
    root = ElementTree.parse(path + ".svg").getroot()
    problems = check_svg(root)
    size = png_size(path + ".png")
    if size != svg_size(root) or size[0] not in WIDTHS or size[1] not in HEIGHTS:
        problems.append(f"is {svg_size(root)} as SVG and {size} as PNG")
    return problems + (blank(path + ".png") if decode else [])


def check(directory, decoded):
    plots, problems = os.path.join(directory, "plots"), []
    scripts = sorted(f for f in os.listdir(plots) if f.endswith(".gp"))
    run = document(directory)
    asked = run["suite"]["plots"] if run else []
    for i, script in enumerate(scripts):
        name = script[:-3]
        number = name.split("-")[0]
        plot = asked[int(number) - 1] if run and number.isdigit() else {}
        kind, title = plot.get("type"), plot.get("title")
        path = os.path.join(plots, name)
        try:
            foreign = title is not None and not title.isascii()
            found = check_pair(path, i == 0 or foreign or kind not in decoded) + \
                told_apart(path + ".gp") + pale(path + ".gp")
            # A distribution's title goes on with the name of its case.
            found += says(path + ".svg", run, kind, title if kind in METRICS[:-2] else None) if run else []
        except (OSError, ValueError, ElementTree.ParseError) as error:
            found = [str(error)]
        decoded.add(kind)
        if i == 0 and not found:
            found = by_hand(directory, script)
        problems += [f"{name}: {p}" for p in found]
    if run and run["complete"] and not any(r["status"] == "ok" for r in run["records"]) and \
            os.listdir(plots):
        problems.append("nothing was measured, but there are pictures")
    return len(scripts), problems


def main():
    out, n, wrong, decoded = sys.argv[1], 0, 0, set()
    for name in sorted(os.listdir(out)):
        directory = os.path.join(out, name)
        if os.path.isdir(os.path.join(directory, "plots")):
            looked, problems = check(directory, decoded)
            n += looked
            wrong += len(problems)
            for problem in problems:
                print(f"{name}: {problem}")
    print(f"pictures: {n} of two kinds, {wrong} problems")
    return 1 if wrong or n == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
