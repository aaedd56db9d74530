# scripts/nightly in trouble: signals, programs that are killed, two suites of one name, a summary that
# cannot be written or is too long, other nights at work, a history of a later version.
# shellcheck shell=sh
. "$GB_SOURCE/tests/cli/lib.sh"
need_python
command -v bash >/dev/null || skip "bash is not there"
unset GITHUB_ACTIONS GITHUB_STEP_SUMMARY GPUBENCH_HISTORY
mkdir a b
TIMEOUT=60s suite a/s.yaml '[good]'
TIMEOUT=60s suite b/s.yaml '[paced]'
night() { # STATUS OUT OPTIONS...
    wanted=$1 out=$2
    shift 2
    expect "$wanted" bash "$GB_SOURCE/scripts/nightly" --gpubench "${PROGRAM:-$GPUBENCH_TEST}" --device cpu \
        --out "$out" "$@"
}

# Two suites of one name, an invalid one between them: both are measured, none in the other's folder.
echo nonsense >bad.yaml
night 2 names a/s.yaml bad.yaml b/s.yaml --prometheus all.prom
json names/*Z/s/results.json 'd["records"][0]["params"]["how"] == "good"'
json names/*Z/s-2/results.json 'd["records"][0]["params"]["how"] == "paced"'
grep -o '^[^#]*} ' all.prom | sort | uniq -d >twice
[ ! -s twice ] || fail "a series twice: $(cat twice)"

# A program that is killed after a regression of the first suite is no verdict: 6, never 1.
cat >killed <<END
#!/bin/sh
case "\$*" in *b/s.yaml*) kill -9 \$\$ ;; esac
"$GPUBENCH_TEST" "\$@" || exit
case "\$1" in run) exit 1 ;; esac
END
# one that ends with 1 and has measured nothing
printf '#!/bin/sh\nexit 1\n' >empty
chmod +x killed empty
PROGRAM=./killed night 6 "of killed" a/s.yaml b/s.yaml
has of\ killed/*Z/summary.md "No verdict: gpubench run ended with exit status 137."
PROGRAM=./empty night 6 "of empty" a/s.yaml

# The program is the file that is named, whatever PATH has by its name; a folder is none.
cp "$GPUBENCH_TEST" gpubench-here
PROGRAM=gpubench-here night 0 "of a bare name" a/s.yaml
PROGRAM=a night 2 "of a folder" a/s.yaml
has err "--gpubench: a cannot be run"

# A disk that fills up is trouble of the machine.
mkdir disk
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=120k none disk 2>/dev/null; then
    status=0
    bash "$GB_SOURCE/scripts/nightly" --gpubench "$GPUBENCH_TEST" --device cpu --out disk/nights a/s.yaml \
        >out 2>err || status=$?
    umount disk
    [ "$status" -eq 6 ] || fail "exit status $status on a full disk"
    has err "No space left"
fi

# An expectation that is not met counts, and GitHub is told; what is in a name stays in its place.
GITHUB_ACTIONS=true
export GITHUB_ACTIONS
mkdir 'x,y:50%'
sed 's/kernel: misbehave/kernel: misbehave\n    expect: [{metric: bandwidth, min: 1000 TB\/s}]/' a/s.yaml >'x,y:50%/s.yaml'
night 1 expects 'x,y:50%/s.yaml'
has out '::error title=x%2Cy%3A50%25/s.yaml%3A an expectation was not met::expected '
has expects/*Z/summary.md 'PB/s'
has expects/*Z/summary.md ': FAILED: '
suite f.yaml '[good, fail]'
night 3 "of failed" f.yaml
has out '::error title=f.yaml%3A a case failed or was wrong::  failed: m[how=fail'
has of\ failed/*Z/summary.md 'failed: m[how=fail'
# A page that cannot be written is left out; one that is full is cut, and says so.
GITHUB_STEP_SUMMARY=/dev/full/x
export GITHUB_STEP_SUMMARY
night 0 unwritten a/s.yaml
has err "left out"
GITHUB_STEP_SUMMARY=$work/page.md
cat >long <<END
#!/bin/sh
"$GPUBENCH_TEST" "\$@" || exit
case "\$1" in run) for d; do if [ -f "\$d/report.md" ]; then seq 300000 >>"\$d/report.md"; fi; done ;; esac
END
chmod +x long
PROGRAM=./long night 0 "of long" a/s.yaml b/s.yaml
[ "$(wc -c <page.md)" -lt 1048576 ] || fail "more than GitHub shows"
has page.md "Cut here"
has page.md "## b/s.yaml"
unset GITHUB_ACTIONS GITHUB_STEP_SUMMARY

# A case whose name begins like an option is repeated all the same.
sed 's/name: m$/name: -dash/' a/s.yaml >dash.yaml
cat >dash <<END
#!/bin/sh
case "\$*" in *"--names suspect"*) echo "-dash[how=good,n=1]" && exit ;; esac
exec "$GPUBENCH_TEST" "\$@"
END
chmod +x dash
PROGRAM=./dash night 0 "of dash" dash.yaml
for i in 1 2; do
    json of\ dash/*Z/dash/repeat-$i/results.json '[r["case"] for r in d["records"]] == ["-dash[how=good,n=1]"]'
done

# Only folders that a night has made and finished are pruned.
mkdir -p "keep/2020-Zebra" keep/2021-01-01T00.00.00Z keep/2022-01-01T00.00.00Z keep/2023-01-01T00.00.00Z
for old in 2022 2023; do echo "# a night" >keep/$old-01-01T00.00.00Z/summary.md; done
: >keep/2023-01-01T00.00.00Z/.unfinished
night 0 keep --keep 1 a/s.yaml
if [ ! -d keep/2020-Zebra ] || [ ! -d keep/2021-01-01T00.00.00Z ]; then fail "pruned what is none of its own"; fi
[ -d keep/2023-01-01T00.00.00Z ] || fail "pruned a night that another is at work on"
[ ! -e keep/2022-01-01T00.00.00Z ] || fail "nothing was pruned"

# Two nights at once on one history: both are in it.
for i in 1 2; do
    bash "$GB_SOURCE/scripts/nightly" --gpubench "$GPUBENCH_TEST" --device cpu --out both a/s.yaml \
        >"both$i" 2>&1 &
    eval "pid$i=\$!"
done
# shellcheck disable=SC2154
wait "$pid1" || fail "the first of two: $(cat both1)"
# shellcheck disable=SC2154
wait "$pid2" || fail "the second of two: $(cat both2)"
expect 0 "$GPUBENCH" history list --history both/history.sqlite --json
json out '[s["nights"] for s in d] == [2]'

# A history of a later version: no verdict, and it stays as it was.
python3 -c '
import sqlite3
c = sqlite3.connect("both/history.sqlite")
c.execute("PRAGMA user_version = 999")
c.execute("PRAGMA journal_mode = DELETE")
c.commit()'
cksum both/history.sqlite >before
night 6 later --history both/history.sqlite a/s.yaml
cksum both/history.sqlite | cmp - before || fail "the history was changed"

# What can be seen before anything is measured is seen then, in one line that names it.
early() { # TEXT OUT OPTIONS...
    text=$1
    shift
    night 6 "$@" a/s.yaml
    lines err 1
    has err "nightly: $text"
    has err "; nothing was measured"
    if ls -d "$1"/*Z >found 2>&1; then fail "a night was begun: $(cat found)"; fi
}
early "--history: " later --history both/history.sqlite
early "--prometheus: there is no folder no/where" early --prometheus no/where/gpu.prom
early "--prometheus: a is a folder" early --prometheus a
early "--history: there is no folder no/where" early --history no/where/h.sqlite
early "--out: a/s.yaml/x cannot be made: Not a directory" a/s.yaml/x
head -c 5000 /dev/urandom >damaged
early "--history: " early --history damaged
cp names/history.sqlite torn
python3 -c '
f = open("torn", "r+b")
f.seek(4096)
f.write(b"x" * 20480)'
early "--history: " early --history torn

# An export that fails hides no verdict: both are said. Where all was well, it is the status.
cat >mute <<END
#!/bin/sh
case "\$1" in export) exit 6 ;; esac
exec "$GPUBENCH_TEST" "\$@"
END
chmod +x mute
PROGRAM=./mute night 6 mute1 a/s.yaml
has mute1/*Z/summary.md "The verdicts above came to exit status 0. Not exported: mute1/"
PROGRAM=./mute night 3 mute3 f.yaml
has mute3/*Z/summary.md "The verdicts above came to exit status 3. Not exported: mute3/"
# A folder that is gone in the meantime: no words of the shell's.
mkdir gone
cat >rid <<END
#!/bin/sh
case "\$1" in export) rm -rf gone ;; esac
exec "$GPUBENCH_TEST" "\$@"
END
chmod +x rid
PROGRAM=./rid night 6 rid6 a/s.yaml --prometheus gone/gpu.prom
has rid6/*Z/summary.md "Not exported: gone/gpu.prom."
hasnt err "line "

# The summary of an invalid suite has its message from the beginning.
cp a/s.yaml wrong.yaml
echo 'nonsense: [1, 2, 3]' >>wrong.yaml
sed -i 's/^budget/bugdet/; s/warmup/warmpu/' wrong.yaml
night 2 wrong wrong.yaml
has err "nightly: wrong.yaml is invalid and will not be measured: wrong.yaml:"
has wrong/*Z/summary.md "wrong.yaml:3:1: error: unknown key 'bugdet'"

# SIGTERM and SIGINT to the script alone: passed on, the partial report is there, no child is left.
N=40 TIMEOUT=60s suite slow.yaml '[slow]'
for end in TERM:143 INT:130; do
    name=${end%:*}
    python3 - "$GB_SOURCE/scripts/nightly" "$GPUBENCH_TEST" "$name" >ended <<'END'
import glob, os, signal, subprocess, sys, time
script, program, name = sys.argv[1:4]
night = subprocess.Popen(["bash", script, "--gpubench", program, "--device", "cpu", "--out", name, "slow.yaml", "a/s.yaml"],
                         stdout=open("out", "w"), stderr=open("err", "w"), start_new_session=True,
                         preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
end = time.time() + 30
while time.time() < end and not any(open(f).read().count("\n") for f in glob.glob(name + "/*Z/slow/cases.jsonl")):
    time.sleep(0.05)
night.send_signal(getattr(signal, "SIG" + name))
print(night.wait(timeout=20))
END
    [ "$(cat ended)" = "${end#*:}" ] || fail "SIG$name: exit status $(cat ended)"
    has "$(echo "$name"/*Z/summary.md)" "Interrupted by a signal, exit status ${end#*:}: slow.yaml was under way. Not measured: a/s.yaml."
    has err "nightly: interrupted, exit status ${end#*:}; what there is: $name/"
    wait_for 5 no_strays || fail "SIG$name: a child stayed behind"
    json "$(echo "$name"/*Z/slow/results.json)" 'd["complete"] is False and len(d["records"]) == 40'
done
