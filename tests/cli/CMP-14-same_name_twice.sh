#!/bin/sh
# Two records of one case, device and replicate are an error that names the case and the file: no
# pairing by chance.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

need_python
cases='"cases": {"x[n=1]": [100, 101, 102]}'
made a "{$cases}"
made twice "{$cases, \"edit\": \"document['records'].append(dict(document['records'][0]))\"}"
expect 2 "$GPUBENCH" compare a twice
has err "twice/results.json"
has err "x[n=1]"
expect 2 "$GPUBENCH" compare twice a
