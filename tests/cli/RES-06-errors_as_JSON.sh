#!/bin/sh
# With --json an error is a JSON object with kind, message and exit code on standard output.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

need_python
quick s.yaml
printf 'gpubench: 1\nnam: x\n' >bad.yaml
error() { # STATUS ARGUMENTS...
    expected=$1
    expect "$@"
    json out "list(d) == ['error'] and d['error']['exit_code'] == $expected"
    json out "all(d['error'][key] for key in ('kind', 'code', 'message'))"
    [ -s err ] || fail "nothing on stderr"
}
error 2 "$GPUBENCH" run missing.yaml --json
error 2 "$GPUBENCH" run bad.yaml --json
error 2 "$GPUBENCH" check bad.yaml --json
json out '[(i["file"], i["line"], i["column"], i["severity"], i["hint"]) for i in d["error"]["diagnostics"]][1] == ("bad.yaml", 2, 1, "error", "did you mean '"'name'"'?")'
json out 'len(d["error"]["diagnostics"]) == d["error"]["message"].count(": error: ") > 1'
json out 'all(i["message"] in d["error"]["message"] for i in d["error"]["diagnostics"])'
cat >hints.yaml <<END
gpubench: 1
name: x
defaults: {replicates: 0}
benchmarks:
  - {name: a, kernel: copy, axes: {memory: no}, expect: [{metric: bandwidth, min: 10GB}]}
END
expect 2 "$GPUBENCH" check hints.yaml --json
json out '[i["hint"].split()[0] for i in d["error"]["diagnostics"]] == ["allowed:", "valid:", "write"]'
: >empty.yaml
error 2 "$GPUBENCH" check empty.yaml --json
json out '[(i["line"], i["column"], i["hint"]) for i in d["error"]["diagnostics"]] == [(None, None, None)]'
error 2 "$GPUBENCH" check s.yaml bad.yaml bad.yaml --json
error 2 "$GPUBENCH" run s.yaml --json --nonsense
error 2 "$GPUBENCH" run --json s.yaml --replicates 0
error 2 "$GPUBENCH" run s.yaml --json --filter nothing --device cpu
error 2 "$GPUBENCH" run s.yaml --json --device cup
error 6 "$GPUBENCH" run s.yaml --json --device cpu --out s.yaml/run
: >file
error 6 "$GPUBENCH" run s.yaml --json --device cpu --out file
