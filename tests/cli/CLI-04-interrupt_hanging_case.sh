#!/bin/sh
# Ctrl-C while a case hangs and ignores every signal that can be ignored.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

need_python
TIMEOUT=60s suite s.yaml '[stubborn]'
python3 - "$GPUBENCH_TEST" >ended <<'END'
import os, pty, signal, sys, time
child, fd = pty.fork()
if child == 0:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # this script may ignore it (nohup, a background job)
    os.execv(sys.argv[1], ["gpubench", "run", "s.yaml", "--device", "cpu", "--out", "r"])
os.set_blocking(fd, False)
time.sleep(1.5)
began = time.time()
os.write(fd, b"\x03")  # a real Ctrl-C: the terminal signals its foreground process group
while True:
    try:
        os.read(fd, 65536)
    except BlockingIOError:
        time.sleep(0.05)
    except OSError:
        break
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), int(time.time() - began))
END
read -r status seconds <ended
[ "$status" -eq 130 ] || fail "exit status $status"
[ "$seconds" -le 8 ] || fail "$seconds s until it ended"
wait_for 5 no_strays || fail "the hanging worker stayed behind"
json r/results.json 'd["records"][0]["status"] == "not_run"'
