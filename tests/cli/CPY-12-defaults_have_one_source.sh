#!/bin/sh
# What describe says about defaults is what a default run records.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

need_python
cat >s.yaml <<END
gpubench: 1
name: defaults
benchmarks:
  - {name: copy, kernel: copy, axes: {bytes: 4KiB, memory: pageable}}
END
expect 0 "$GPUBENCH" describe copy
cp out described
expect 0 "$GPUBENCH" run s.yaml --device cpu --out r --budget 1s
json r/results.json '[r["replicate"] for r in d["records"]] == [0, 1, 2]'
cat >check.py <<'END'
import json, re
text = open("described").read()
params = json.load(open("r/results.json"))["records"][0]["params"]
for name in ("direction", "pieces"):
    said = re.search(r"^  %s .*\n.*default (\S+);" % name, text, re.M).group(1)
    assert str(params[name]) == said, (name, params[name], said)
END
python3 check.py || fail "the description and the record disagree"
