#!/bin/sh
# A newer format is refused with both versions, a wrong type by its path, a file of another tool as
# such; what is optional may be missing.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

need_python
cases='"cases": {"x[n=1]": [100, 101, 102], "y[n=2]": [5, 5, 5]}'
made a "{$cases}"
made newer "{$cases, \"schema\": \"gpubench-results/7\"}"
expect 2 "$GPUBENCH" compare a newer
has err "format 7"
has err "up to 1"
expect 2 "$GPUBENCH" compare newer a
made typed "{$cases, \"edit\": \"document['records'][1]['time_ns']['median'] = 'fast'\"}"
expect 2 "$GPUBENCH" compare a typed
has err "records[1].time_ns.median"
made direction "{$cases, \"edit\": \"document['records'][0]['metrics'] = {'m': {'value': 1, 'unit': 'ns'}}\"}"
expect 2 "$GPUBENCH" compare a direction
has err "records[0].metrics.m.better"
mkdir other
echo '{"benchmarks": [{"name": "x", "real_time": 1}]}' >other/results.json
expect 2 "$GPUBENCH" compare a other
has err "not a results file of gpubench"
made sparse "{$cases, \"edit\": \"
for key in ('tool', 'run', 'suite', 'host', 'devices', 'hardware_fault'): del document[key]
for r in document['records']:
    for key in ('reason', 'verified', 'metrics', 'flags', 'work', 'index', 'order'): del r[key]
\"}"
expect 0 "$GPUBENCH" compare sparse sparse
has out "unknown"
