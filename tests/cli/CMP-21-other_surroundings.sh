#!/bin/sh
# Another driver is shown and warned of, and an error when asked; another model is refused with the
# fields that differ, and gives ratios when asked (DEV-14: ECC among them).
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

need_python
cases='"cases": {"x[n=1]": [100, 101, 102]}'
made a "{$cases}"
made driver "{$cases, \"edit\": \"document['devices'][0]['driver'] = '590.01'\"}"
made ecc "{$cases, \"edit\": \"document['devices'][0]['ecc'] = False\"}"
made model "{\"cases\": {\"x[n=1]\": [300, 301, 302]}, \"edit\": \"document['devices'][0].update(name='Example 5000', uuid='GPU-9')\"}"
expect 0 "$GPUBENCH" compare a driver
has err "warning[environment]"
has out 'devices[0].driver: "580.10" / "590.01"'
expect 6 "$GPUBENCH" compare a driver --strict-environment
has err "devices[0].driver"
expect 0 "$GPUBENCH" compare a ecc
has err "warning[ecc]: ECC is on in the baseline and off in the new run"
expect 2 "$GPUBENCH" compare a model
has err 'name "Example 9000" / "Example 5000"'
has err "--cross-device"
expect 0 "$GPUBENCH" compare a model --cross-device
has out "Ratios of different devices: no verdict: 1 ratio"
has out "+198.0 %"
expect 2 "$GPUBENCH" compare a model --cross-device --gate
