#!/bin/sh
# The ladder on this machine: L1 and L2 as large as sysfs says, within a factor of 1.5, and a last cache
# with a size. Others on the machine make single steps slower, never faster: three replicates, of which
# the fastest counts, and up to three more runs when the first one found other levels (a neighbour may
# keep a cache busy for all of one).
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

need_python
caches=/sys/devices/system/cpu/cpu0/cache
[ -r "$caches/index0/size" ] || skip "sysfs knows no caches here"
if "$GPUBENCH" --version | grep -q sanitize; then skip "a sanitizer's own work is in each step"; fi
expect 0 "$GPUBENCH" devices
grep -q checked out && skip "a checked build"

# The suite's, without those between and beyond that take longest to make.
sizes=2KiB,4KiB,8KiB,16KiB,24KiB,32KiB,40KiB,48KiB,56KiB,64KiB,80KiB,96KiB,112KiB,128KiB,160KiB,192KiB,256KiB
sizes=$sizes,320KiB,384KiB,512KiB,640KiB,768KiB,896KiB,1MiB,1.25MiB,1.5MiB,1.75MiB,2MiB,2.5MiB,3MiB,4MiB,6MiB
sizes=$sizes,8MiB,12MiB,16MiB,24MiB,32MiB,64MiB,96MiB,128MiB,256MiB

# levels DIR: what the finding says, one line a problem; none: all is well
levels() {
    python3 - "$1/results.json" <<'END'
import json, sys
d = json.load(open(sys.argv[1], encoding="utf-8"))
facts = d["devices"][0]
found = [f["figures"]["levels"] for f in d["findings"] if f["rule"] == "memory-levels"]
if len(found) != 1:
    sys.exit(f"{len(found)} findings of the levels")
levels = {level["level"]: level for level in found[0]}
for name, key in (("L1", "l1d_bytes"), ("L2", "l2_bytes")):
    if facts[key] is None:
        continue
    if name not in levels:
        print(f"{name} is missing: {list(levels)}")
    elif levels[name]["system_bytes"] != facts[key]:
        print(f"{name} is held against {levels[name]['system_bytes']}, not {facts[key]}")
    elif not levels[name]["end_bytes"] or not 1 / 1.5 <= levels[name]["end_bytes"] / facts[key] <= 1.5:
        print(f"{name} ends at {levels[name]['end_bytes']}, sysfs says {facts[key]}")
if (facts["llc_bytes"] or 0) > (facts["l2_bytes"] or 0) > 0 and "memory" in levels:
    last = levels.get("the last cache")
    if not last or not last["end_bytes"]:
        print(f"the last cache has no effective size: {list(levels)}")
END
}

for try in 1 2 3 4; do
    expect 0 "$GPUBENCH" run "$GB_SOURCE/suites/latency.yaml" --device cpu --out "r$try" --quiet --no-plots \
        --filter 'ladder*' --budget 15s --set "ladder.bytes=$sizes"
    levels "r$try" >problems || fail "no levels"
    [ -s problems ] || break
done
[ -s problems ] && fail "after $try runs: $(cat problems)"
expect 0 "$GPUBENCH" verify "r$try"
json "r$try/results.json" '{r["status"] for r in d["records"]} <= {"ok", "skipped"}'
json "r$try/results.json" 'all(r["metrics"]["cycles"]["value"] is None for r in d["records"])'
