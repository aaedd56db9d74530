#!/bin/sh
# 256 and 512 regressions are exit 1, as one is; none is 0.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

need_python
pair() { # NAME COUNT FACTOR
    python3 - "$@" "$GB_SOURCE" <<'END'
import json, subprocess, sys
name, count, factor, source = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
for side, times in (("baseline", 1.0), ("new", factor)):
    cases = {f"x[n={i}]": [100 * times * (1 + 0.0001 * k) for k in range(3)] for i in range(count)}
    spec = {"cases": cases, "run": {"id": f"{name}-{side}", "started": "2026-01-15T10:15:00Z",
                                    "pair": {"id": name, "role": side}}}
    subprocess.run([sys.executable, f"{source}/tests/cli/compare_runs.py", f"{name}-{side}", json.dumps(spec)],
                   check=True)
END
}
for count in 1 256 512; do
    pair "slower$count" "$count" 1.1
    expect 1 "$GPUBENCH" compare "slower$count-baseline" "slower$count-new"
    has out "Regression: $count slower"
done
pair same 256 1.0
expect 0 "$GPUBENCH" compare same-baseline same-new
has out "No regression: 256 same"
pair faster 256 0.9
expect 0 "$GPUBENCH" compare faster-baseline faster-new
expect 1 "$GPUBENCH" compare faster-baseline faster-new --both-directions
