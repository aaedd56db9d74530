# scripts/nightly: a night from beginning to end, a regression, and trouble that is none.
# shellcheck shell=sh
. "$GB_SOURCE/tests/cli/lib.sh"
need_python
command -v bash >/dev/null || skip "bash is not there"
unset GITHUB_ACTIONS GITHUB_STEP_SUMMARY GPUBENCH_HISTORY
cat >paced.yaml <<'END'
gpubench: 1
name: paced
budget: 3s
defaults: {replicates: 5, warmup: 20ms, timeout: 20s, samples: {min: 20, max: 400}}
benchmarks:
  - {name: m, kernel: misbehave, axes: {how: [paced]}}
END
night() { # STATUS PROGRAM OPTIONS...
    wanted=$1 program=$2
    shift 2
    expect "$wanted" bash "$GB_SOURCE/scripts/nightly" --gpubench "$program" --device cpu \
        --out "the nights" "$@"
}

# The first night: everything is there, and nothing to judge yet.
night 0 "$GPUBENCH_TEST" --prometheus "gpu.prom" paced.yaml
run=$(echo the\ nights/*Z/paced)
for file in results.json results.csv report.html report.md check.txt check.json exports/junit.xml \
    exports/gpubench.prom exports/google-benchmark.json; do
    [ -s "$run/$file" ] || fail "no $file"
done
has out "too few nights"
has gpu.prom 'gpubench_time_seconds{suite="paced"'
grep -c '^# TYPE gpubench_time_seconds' gpu.prom >count
has count 1

# Fourteen nights before it, as that one was.
python3 - "$run" <<'END'
import copy, datetime, json, os, random, sys
real = json.load(open(os.path.join(sys.argv[1], "results.json"), encoding="utf-8"))
random.seed(1)
for n in range(14):
    d = copy.deepcopy(real)
    d["run"]["id"] = f"earlier-{n:02d}"
    d["run"]["started"] = (datetime.datetime(2026, 1, 1) + datetime.timedelta(days=n)).strftime("%Y-%m-%dT%H:%M:%SZ")
    night = random.gauss(1, 0.004)
    for r in d["records"]:
        r["flags"] = []
        for key in ("min", "p5", "p25", "median", "p75", "p95", "max", "mean"):
            if r["time_ns"].get(key) is not None:
                r["time_ns"][key] *= night
        for m in r["metrics"].values():
            m["value"] /= night
    os.makedirs(f"earlier/{n:02d}")
    json.dump(d, open(f"earlier/{n:02d}/results.json", "w", encoding="utf-8"))
END
expect 0 "$GPUBENCH" history add --history "the nights/history.sqlite" earlier/*

# 10 % slower: it stands out, two fresh runs agree, and GitHub is told.
GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=$work/steps.md
export GITHUB_ACTIONS GITHUB_STEP_SUMMARY
for try in 1 2 3; do # a busy machine may hide it once
    status=0
    bash "$GB_SOURCE/scripts/nightly" --gpubench "$GPUBENCH_TEST_SLOW" --device cpu --out "the nights" \
        paced.yaml >out 2>err || status=$?
    [ "$status" -eq 1 ] && break
    [ "$status" -eq 0 ] || fail "try $try: exit status $status"
done
[ "$status" -eq 1 ] || fail "10 % slower, and nobody was woken"
has out '::error title=paced.yaml%3A m[how=paced]'
grep -q '^::error.*::[+-][0-9.]* %25 .*usually' out || fail "the annotation has no figure"
has steps.md "repeats agree"
has steps.md "# gpubench, "
unset GITHUB_ACTIONS GITHUB_STEP_SUMMARY

# Trouble of the machine is no regression: no device, no disk, no such suite, a torn history.
expect 4 bash "$GB_SOURCE/scripts/nightly" --gpubench "$GPUBENCH_TEST" --device cuda:7 --out other paced.yaml
has other/*Z/summary.md "No verdict"
expect 6 bash "$GB_SOURCE/scripts/nightly" --gpubench "$GPUBENCH_TEST" --device cpu --out /dev/null/x paced.yaml
echo "this is no database, and not by a long way" >torn.sqlite
night 6 "$GPUBENCH_TEST" --history torn.sqlite paced.yaml
has torn.sqlite "this is no database"
expect 3 bash "$GB_SOURCE/scripts/nightly" --gpubench "$GPUBENCH_TEST" --device cpu --out bad paced.yaml -- --set m.how=fail
night 2 "$GPUBENCH_TEST" nosuch.yaml
night 2 "$GPUBENCH_TEST" --keep none paced.yaml
expect 2 bash "$GB_SOURCE/scripts/nightly" --keep

# Only the last nights' folders stay; the history keeps all.
night 0 "$GPUBENCH_TEST" --keep 1 --history fresh.sqlite paced.yaml
set -- the\ nights/20*Z*
[ $# -eq 1 ] || fail "$# nights were kept"
