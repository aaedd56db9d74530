#!/bin/sh
# Without a usable GPU: auto takes the cpu and says why in one line, exit 0; --device cuda is exit 4
# and one line; devices lists the cpu and the reason.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

need_python
expect 0 "$GPUBENCH" devices --json
cp out devices.json
python3 -c 'import json; d = json.load(open("devices.json")); exit(any("unusable" not in c for c in d["cuda"]))' ||
    skip "this machine has a GPU"
quick s.yaml
expect 0 "$GPUBENCH" run s.yaml --out r --progress never
[ "$(grep -c 'no cuda device: ' err)" -eq 1 ] || fail "not one line why the cpu is used"
lines err 2 # that, and where the results are
json r/results.json 'd["devices"][0]["kind"] == "cpu" and d["complete"]'
for device in cuda cuda:0 cuda:7 cuda:GPU-1234 all; do
    expect 4 "$GPUBENCH" run s.yaml --device "$device" --out no
    lines err 1
    has err 'no cuda device'
    [ ! -s out ] || fail "output for $device"
    [ ! -e no ] || fail "a directory was made for nothing"
done
expect 0 "$GPUBENCH" devices
has out 'cpu '
has out 'not available: '
