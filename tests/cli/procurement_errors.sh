#!/bin/sh
# Prices, weights and options that are refused, and runs without classes; never exit status 1.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

need_python
python3 "$GB_SOURCE/tests/cli/procurement_runs.py" "$GB_SOURCE" . || fail "no runs"
refused() { # TEXT ARGUMENTS...: exit 2, and stderr says it
    text=$1
    shift
    expect 2 "$GPUBENCH" compare a b c "$@"
    has err "$text"
    lines out 0
}
refused "no machine is called 'x'; there are: a, b, c" --price x=1/h
refused "price 'a=-2/h': a price is above 0" --price a=-2/h
refused "price 'a=0': a price is above 0" --price a=0
refused "a price is 2.10/h or 30000" --price a=cheap
refused "say which machine" --price 2.10/h
refused "'b=30000' is a purchase price and the price of a is hourly" --price a=2/h --price b=30000
refused "has a price already" --price a=2/h --price ./a=2/h
refused "--gate is for comparing one run with another" --gate
refused "--currency takes a short text" --currency "far too long to be one"
printf 'transfer-bond: 1\n' >w.yaml
refused "w.yaml:1:1: unknown class 'transfer-bond' (did you mean 'transfer-bound'?)" --weights w.yaml
printf 'transfer-bound: -1\n' >w.yaml
refused "a weight is above 0" --weights w.yaml
printf 'transfer-bound: lots\n' >w.yaml
refused "w.yaml:1:17: class 'transfer-bound': a weight is a number above 0" --weights w.yaml
printf -- '- 1\n' >w.yaml
refused "weights are a mapping" --weights w.yaml
: >w.yaml
refused "w.yaml: the file is empty; weights are a mapping of classes" --weights w.yaml
printf '# none\n' >w.yaml
refused "w.yaml: the file is empty; weights are a mapping of classes" --weights w.yaml
printf 'transfer-bound: 1\ntransfer-bound: 2\n' >w.yaml
refused "w.yaml:2:1" --weights w.yaml
expect 6 "$GPUBENCH" compare a b c --weights missing.yaml
has err "missing.yaml"
expect 6 "$GPUBENCH" compare a b missing
expect 2 "$GPUBENCH" compare a b a/
has err "is given twice"
made old '{"cases": {"x[n=1]": [100, 101, 102]}}'
made older '{"cases": {"x[n=1]": [100, 101, 102]}}'
expect 2 "$GPUBENCH" compare old older --price old=1
has err "measure suites/procurement.yaml"
expect 2 "$GPUBENCH" compare a b c --json --price x=1/h
json out 'd["error"]["exit_code"] == 2'
# One of them without classes: a gap, and the others as they were.
expect 0 "$GPUBENCH" compare a c old
has out "old [unverified]"
has out "has no case of this class"
has err "warning[suite]"
