#!/bin/sh
# On a terminal one line is redrawn, unless the environment says that it cannot be.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

need_python
quick s.yaml
terminal() { # VARIABLE=VALUE: what a run writes to a terminal, into out
    python3 - "$GPUBENCH" "$1" "$2" >out <<'END'
import os, pty, sys
name, value = sys.argv[2].split("=", 1)
os.environ[name] = value
child, fd = pty.fork()
if child == 0:
    os.execv(sys.argv[1], ["gpubench", "run", "s.yaml", "--device", "cpu", "--out", sys.argv[3]])
try:
    while True:
        data = os.read(fd, 65536)
        if not data:
            break
        os.write(1, data)
except OSError:
    pass
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
END
}
escape=$(printf '\033')
terminal TERM=xterm a || fail "exit status"
has out "${escape}[K"
for setting in TERM=dumb CI=true NO_COLOR=1; do
    terminal "$setting" "$setting" || fail "exit status under $setting"
    [ "$setting" = CI=true ] || hasnt out "$escape"
    hasnt out "${escape}[K"
    [ "$(grep -c '^\[' out)" -eq 4 ] || fail "not a line a case under $setting"
done
