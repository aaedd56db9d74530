#!/bin/sh
# `gpubench estimate`: figures that everybody knows, each with its formula; bad input; rates of a run.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

need_python
shows() { # ARGUMENTS...: stdout is exactly the text on standard input
    cat >want
    expect 0 "$GPUBENCH" estimate "$@"
    diff want out >&2 || fail "another text: estimate $*"
    [ ! -s err ] || fail "something on stderr"
}
refused() { # TEXT ARGUMENTS...
    text=$1
    shift
    expect 2 "$GPUBENCH" estimate "$@"
    has err "$text"
    lines err 1
    [ ! -s out ] || fail "output"
}

# --- text ---
shows transfer --size 64MiB --link 32GB/s <<'TEXT'
time  2.10 ms  size / bandwidth = 64 MiB / 32.0 GB/s

No measurement: nominal figures give a lower bound, without latency and packets'
headers; measured rates an estimate for copies like those that were measured.
TEXT
shows transfer --size 1GB --link 24GB/s <<'TEXT'
time  41.7 ms  size / bandwidth = 1.00 GB / 24.0 GB/s

No measurement: nominal figures give a lower bound, without latency and packets'
headers; measured rates an estimate for copies like those that were measured.
TEXT
shows bandwidth --data-rate 14Gbps --bus-width 256 <<'TEXT'
bandwidth  448 GB/s  data rate x bus width / 8 = 14 Gbps x 256 / 8

An upper bound, not a measurement: no program gets all of it.
TEXT
shows bandwidth --memory-clock 2619MHz --bus-width 5120 <<'TEXT'
bandwidth  3.35 TB/s  2 x memory clock x bus width / 8 = 2 x 2619 MHz x 5120 / 8

An upper bound, not a measurement: no program gets all of it.
TEXT
shows amdahl --parallel 90% --processors 8 <<'TEXT'
speedup on 8  4.71 x  1 / ((1 - P) + P / N) = 1 / (0.1 + 0.9 / 8)
efficiency    58.8 %  speedup / N: the share of the processors' time that is used
limit         10.0 x  1 / (1 - P) = 1 / 0.1, with any number of processors

An upper bound, not a measurement: copies, starting and waiting are not in it.
TEXT
# Shares that leave next to nothing: no digits that a double makes up, and no prefix of a factor.
shows amdahl --parallel 99.99999999999% --processors 1000 <<'TEXT'
speedup on 1000            1000 x  1 / ((1 - P) + P / N) = 1 / (1e-13 + 0.9999999999999 / 1000)
efficiency                  100 %  speedup / N: the share of the processors' time that is used
limit            10000000000000 x  1 / (1 - P) = 1 / 1e-13, with any number of processors

An upper bound, not a measurement: copies, starting and waiting are not in it.
TEXT
shows memory --parameters 7B --layers 32 --heads 32 --head-size 128 --context 4096 --batch 2 --device-memory 24GiB <<'TEXT'
weights              14.0 GB (13.0 GiB)  parameters x bytes = 7B x 2
KV cache of a token    524 kB (512 KiB)  2 x layers x KV heads x head size x bytes = 2 x 32 x 32 x 128 x 2
KV cache                4.29 GB (4 GiB)  KV cache of a token x context x batch = 512 KiB x 4096 x 2
activations          2.80 GB (2.61 GiB)  at most 20 % of the weights (rule of thumb)
total                21.1 GB (19.6 GiB)  weights + KV cache + activations
device memory          25.8 GB (24 GiB)  as given
fits                                yes  total: 21.1 GB <= 25.8 GB
largest batch                         4  (device memory - weights - activations) / KV cache of a sequence = (25.8 GB - 16.8 GB) / 2.15 GB

An estimate, not a measurement: what allocators, libraries and the CUDA context
take comes on top, and so do the scales of quantised weights.
TEXT
shows memory --parameters 7B --training --layers 32 --heads 32 --head-size 128 --context 2048 --device-memory 80GB <<'TEXT'
weights        14.0 GB (13.0 GiB)  parameters x 2 = 7B x 2 (16 bits)
gradients      14.0 GB (13.0 GiB)  parameters x 2 = 7B x 2 (16 bits)
Adam's states  84.0 GB (78.2 GiB)  parameters x 12 = 7B x 12 (weights, momentum, variance in fp32)
activations    30.6 GB (28.5 GiB)  batch x layers x context x (34 x hidden + 5 x heads x context) = 1 x 32 x 2048 x (34 x 4096 + 5 x 32 x 2048)
total            143 GB (133 GiB)  weights + gradients + Adam's states + activations
device memory  80.0 GB (74.5 GiB)  as given
fits                           no  total: 143 GB > 80.0 GB
largest batch                   0  without any sequence: 112 GB >= 80.0 GB

An estimate, not a measurement: what allocators, libraries and the CUDA context
take comes on top, and so do the scales of quantised weights.
TEXT
shows tokens --parameters 8B --precision int4 --memory-bandwidth 936GB/s <<'TEXT'
weights  4.00 GB (3.73 GiB)  parameters x bytes = 8B x 0.5
a step              4.27 ms  weights / bandwidth = 4.00 GB / 936 GB/s
tokens               234 /s  batch / step = 1 / 4.27 ms

Without the KV cache: it needs --layers, --heads (or --kv-heads), --head-size and --context.
An upper bound, not a measurement: arithmetic, launches, reading the prompt and
the scales of quantised weights are not in it; with a large batch arithmetic is
the limit instead.
TEXT
# Every part says that it is none.
for part in 'memory --parameters 1B' 'transfer --size 1GB --pcie 4x16' 'bandwidth --data-rate 1Gbps --bus-width 8' \
    'tokens --parameters 1B --memory-bandwidth 1GB/s' 'amdahl --parallel 0.5'; do
    # shellcheck disable=SC2086
    expect 0 "$GPUBENCH" estimate $part
    grep -qi 'no\(t a\)\? measurement' out || fail "no claim: $part"
    # shellcheck disable=SC2086
    expect 0 "$GPUBENCH" estimate $part --json
    strict_json out
    json out 'd["kind"] in ("estimate", "lower bound", "upper bound") and "measurement" in d["claim"]'
    json out 'd["results"] and set(d["results"]) == set(d["formulas"])'
done

# --- fits: yes, only without the activations, no ---
fits() { # WORD SIZE
    expect 0 "$GPUBENCH" estimate memory --parameters 7B --device-memory "$2" --json
    json out "d['results']['fits'] == '$1'"
}
fits yes 16.8GB
fits tight 16799999999B
fits tight 14GB
fits no 13999999999B

# --- JSON: exact numbers, units in the names ---
expect 0 "$GPUBENCH" estimate memory --json --parameters 70B --precision int4 --layers 80 --heads 64 --kv-heads 8 \
    --head-size 128 --context 4096 --batch 4 --device-memory 80GB
json out 'd["estimate"] == "memory" and d["inputs"]["device_memory_bytes"] == 80 * 10**9 and d["inputs"]["batch"] == 4'
json out 'd["results"]["weights_bytes"] == 35 * 10**9 and d["results"]["kv_token_bytes"] == 327680'
json out 'd["results"]["kv_bytes"] == 4 * 1342177280 and d["results"]["largest_batch"] == 28'
json out 'd["results"]["total_bytes"] == 42 * 10**9 + d["results"]["kv_bytes"] and d["results"]["fits"] == "yes"'
expect 0 "$GPUBENCH" estimate memory --json --parameters 1.5B --training --layers 48 --heads 25 --head-size 64 \
    --context 1024 --recompute full
json out 'sum(d["results"][k + "_bytes"] for k in ("weights", "gradients", "optimizer")) == 24 * 10**9'
json out 'd["results"]["activations_bytes"] == 48 * 1024 * 1600 * 2 and d["inputs"]["training"] is True'
expect 0 "$GPUBENCH" estimate transfer --json --size 64MiB --pcie 4x16
json out 'd["inputs"] == {"size_bytes": 2**26, "pcie": "4x16"} and d["measured"] == []'
json out 'abs(d["results"]["time_ns"] - 2**26 / (16 * 16 * 128 / 130 / 8)) < 1'
expect 0 "$GPUBENCH" estimate bandwidth --json --data-rate 14Gbps --bus-width 256
json out 'd["inputs"] == {"data_rate_bits_per_s": 14 * 10**9, "bus_width_bits": 256}'
json out 'd["results"]["bandwidth_bytes_per_s"] == 448e9'
expect 0 "$GPUBENCH" estimate amdahl --json --parallel 100% --processors 16
json out 'd["results"] == {"speedup": 16, "efficiency": 1, "limit": None} and "1 / 0" in d["formulas"]["limit"]'
expect 0 "$GPUBENCH" estimate tokens --json --parameters 7B --layers 32 --heads 32 --head-size 128 --context 4096 \
    --batch 8 --memory-bandwidth 3.35TB/s
json out 'abs(d["results"]["tokens_per_s"] - 8 * 3.35e12 / (14e9 + 8 * 2**31)) < 1e-6'

# --- bad input: what is wrong and what is valid ---
refused "which of memory, transfer, bandwidth, tokens, amdahl"
refused "did you mean 'memory'" memry
refused "--parameters is missing" memory
refused "'7b' has an unknown unit 'b' (did you mean 'B'?)" memory --parameters 7b
refused "a number of parameters is 1 to" memory --parameters 0
refused "signs are not accepted" memory --parameters -7B
refused "weights (parameters x bytes): 9223372036854775807 x 4 does not fit in 64 bits" memory \
    --parameters 9223372036854775807 --precision fp32
refused "KV cache of a token (2 x layers x KV heads x head size x bytes): " \
    memory --parameters 7B --layers 9223372036854775807 --heads 9 --head-size 9 --context 9
refused "KV cache of a sequence (that of a token x context): " \
    memory --parameters 7B --layers 9223372036854 --heads 9 --head-size 9 --context 9223372036854
refused "KV cache (that of a sequence x batch): " tokens --memory-bandwidth 1GB/s --parameters 7B \
    --layers 9223372036854 --heads 9 --head-size 9 --context 9 --batch 9223372036854
refused "weights + activations: " memory --parameters 9223372036854775807
refused "Adam's states (parameters x bytes): " memory --training --parameters 9223372036854775807 \
    --layers 9 --heads 9 --head-size 9 --context 9
refused "activations of a sequence (of layers, heads, head size and context): " memory --training --parameters 1B \
    --layers 100000000000000000 --heads 1 --head-size 1 --context 9
refused "these are missing: --heads (or --kv-heads), --head-size, --context" memory --parameters 7B --layers 32
refused "this is missing: --context" memory --parameters 7B --layers 32 --kv-heads 8 --head-size 128
refused "--layers: '0' is not a whole number from 1" memory --parameters 7B --layers 0
refused "must be a multiple" memory --parameters 7B --layers 1 --heads 7 --kv-heads 2 --head-size 8 --context 8
refused "is not one of fp32, fp16, bf16, fp8, int8, int4" memory --parameters 7B --precision fp17
refused "--batch is of the KV cache" memory --parameters 7B --batch 2
refused "fp16 or bf16" memory --parameters 7B --training --precision int4
refused "--recompute is about training" memory --parameters 7B --recompute full
refused "'80G' is ambiguous: write 80GB (1000) or 80GiB (1024)" memory --parameters 7B --device-memory 80G
refused "--size is missing" transfer --link 1GB/s
refused "--link is missing" transfer --size 1GB
refused "exclude each other" transfer --size 1GB --link 1GB/s --pcie 4x16
refused "'4x3' is no link" transfer --size 1GB --pcie 4x3
refused "'7x16' is no link" transfer --size 1GB --pcie 7x16
refused "'04x16' is no link" transfer --size 1GB --pcie 04x16
refused "has no unit" transfer --size 1GB --link 32
refused "--data-rate is missing" bandwidth --bus-width 256
refused "--bus-width is missing" bandwidth --memory-clock 877MHz
refused "exclude each other" bandwidth --memory-clock 877MHz --data-rate 1Gbps --bus-width 8
refused "--parallel is missing" amdahl --processors 4
refused "'0' is not a share" amdahl --parallel 0
refused "'110%' is not a share" amdahl --parallel 110%
refused "--processors: '0'" amdahl --parallel 0.5 --processors 0
refused "--memory-bandwidth is missing" tokens --parameters 7B
expect 2 "$GPUBENCH" estimate transfer --size 1GB --json
json out 'd["error"]["exit_code"] == 2 and "--link is missing" in d["error"]["message"]'

# --- beside what a run measured ---
made 'a run' '{"cases": {"up[0]": [1], "up[1]": [1], "up[2]": [1], "up[3]": [1], "memory[read]": [1, 1]}, "edit": "
import copy
d = document
d[\"devices\"][0].update(memory_bytes=80 * 10**9, llc_bytes=50 * 10**6, pcie_gen_max=4, pcie_width_max=16,
                         peaks={\"bandwidth\": 2e12})
for r in d[\"records\"]:
    i = r[\"index\"]
    if i < 4:
        n = 4096 * 16**i
        r[\"params\"] = {\"bytes\": n, \"direction\": \"h2d\", \"memory\": \"pinned\", \"pieces\": 1}
        r[\"time_ns\"][\"median\"] = 10000 + n / 25
    else:
        r.update(kernel=\"stream\", params={\"op\": \"read\"},
                 work={\"bytes_moved\": 4 * 10**8, \"working_set\": 4 * 10**8})
        r[\"time_ns\"][\"median\"] = 222222
        r[\"metrics\"] = {\"bandwidth\": {\"value\": 1.8e12, \"unit\": \"B/s\", \"better\": \"higher\", \"peak\": None}}
"}'
expect 0 "$GPUBENCH" estimate transfer --size 64MiB --run 'a run'
has out "time                       2.13 ms  size / bandwidth = 64 MiB / 31.5 GB/s (theory of the run's device)"
has out "time, measured h2d pinned  2.69 ms  latency + size / bandwidth = 10.0 us + 64 MiB / 25.0 GB/s"
has out "fit of benchmark up (off by under 0.01 %)"
has out "Measured on Example 9000."
has out "h2d pinned: extrapolated, as 4 KiB to 16 MiB were measured."
expect 0 "$GPUBENCH" estimate transfer --size 1MiB --link 50GB/s --run 'a run/results.json' --json
json out 'abs(d["measured"][0]["results"]["time_ns"] - (10000 + 2**20 / 25)) < 1'
json out 'd["measured"][0]["extrapolated"] is False and d["measured"][0]["device_kind"] == "cuda"'
json out 'abs(d["results"]["time_ns"] - 2**20 / 50) < 1'
json out 'd["kind"] == "lower bound" and d["measured"][0]["kind"] == "estimate"'
expect 0 "$GPUBENCH" estimate tokens --parameters 9B --run 'a run'
has out "nominal figures give an upper bound, measured"
hasnt out "An upper bound, not a measurement"
has out "measured read"
has out "memory[read]"
expect 0 "$GPUBENCH" estimate tokens --parameters 9B --run 'a run' --json
json out 'abs(d["results"]["tokens_per_s"] - 2e12 / 18e9) < 1e-6'
json out 'abs(d["measured"][0]["results"]["tokens_per_s"] - 1.8e12 / 18e9) < 1e-6'
expect 0 "$GPUBENCH" estimate bandwidth --run 'a run' --json
json out 'd["kind"] == "upper bound" and d["measured"][0]["kind"] == "measurement"'
json out 'd["measured"][0]["latency_ns"] is None and "measured rates are what" in d["claim"]'
json out 'd["results"]["bandwidth_bytes_per_s"] == 2e12 and abs(d["measured"][0]["results"]["of_theory"] - 0.9) < 1e-9'
expect 0 "$GPUBENCH" estimate bandwidth --data-rate 20Gbps --bus-width 960 --run 'a run' --json
json out 'd["results"]["bandwidth_bytes_per_s"] == 2.4e12 and abs(d["measured"][0]["results"]["of_theory"] - 0.75) < 1e-9'
expect 0 "$GPUBENCH" estimate memory --parameters 40B --run 'a run'
has out "Example 9000"
has out "tight"
refused "exclude each other" memory --parameters 7B --run 'a run' --device-memory 1GB
expect 0 "$GPUBENCH" estimate bandwidth --run 'a run'
has out "Nominal figures are an upper bound, of which no program gets all"
hasnt out "not a measurement"
# On a cpu copies go through its caches: what was measured there says nothing of sizes beyond them.
python3 - 'a run' cpu <<'PYTHON'
import json, os, sys
d = json.load(open(sys.argv[1] + "/results.json", encoding="utf-8"))
d["devices"][0].update(kind="cpu", pcie_gen_max=None, pcie_width_max=None)
os.mkdir(sys.argv[2])
json.dump(d, open(sys.argv[2] + "/results.json", "w", encoding="utf-8"))
d["devices"][0]["peaks"] = None
os.mkdir(sys.argv[2] + "2")
json.dump(d, open(sys.argv[2] + "2/results.json", "w", encoding="utf-8"))
d["devices"][0]["llc_bytes"] = 4 * 2**20
os.mkdir(sys.argv[2] + "3")
json.dump(d, open(sys.argv[2] + "3/results.json", "w", encoding="utf-8"))
PYTHON
refused "h2d pinned: no rate for 1.00 GB: copies of at most 16 MiB were measured, mostly in the last cache (47.7 MiB)" \
    transfer --size 1GB --run cpu
expect 0 "$GPUBENCH" estimate transfer --size 1GB --link 10GB/s --run cpu --json
json out 'd["measured"] == [] and "h2d pinned: no rate for 1.00 GB" in d["notes"][0] and d["kind"] == "lower bound"'
expect 0 "$GPUBENCH" estimate transfer --size 16MiB --run cpu --json # as large as one that was measured
json out 'd["results"] == {} and d["kind"] == "estimate" and d["measured"][0]["extrapolated"] is False'
expect 0 "$GPUBENCH" estimate transfer --size 20MiB --run cpu --json # that still fits into the cache
json out 'd["measured"][0]["extrapolated"] is True and len(d["measured"]) == 1'
expect 0 "$GPUBENCH" estimate transfer --size 1GB --run cpu3 # 16 MiB are beyond that one
has out "extrapolated, as 4 KiB to 16 MiB were measured"
expect 0 "$GPUBENCH" estimate bandwidth --run cpu2 --json # nothing nominal
json out 'd["results"] == {} and d["kind"] == "measurement"'
# Several devices: each rate says whose it is, the smallest memory counts; names cannot do harm.
python3 - 'a run' two <<'PYTHON'
import copy, json, os, sys
d = json.load(open(sys.argv[1] + "/results.json", encoding="utf-8"))
d["devices"].append(dict(d["devices"][0], id=1, name="Other \x1b[31m9000", memory_bytes=40 * 10**9))
for record in copy.deepcopy(d["records"]):
    record["device"] = 1
    record["time_ns"]["median"] *= 2
    d["records"].append(record)
os.mkdir(sys.argv[2])
json.dump(d, open(sys.argv[2] + "/results.json", "w", encoding="utf-8"))
PYTHON
expect 0 "$GPUBENCH" estimate transfer --size 1MiB --run two
has out "(off by under 0.01 %), Example 9000"
has out "theory of the run's first device"
has out "(off by under 0.01 %), Other \\x1B[31m9000"
has out "Measured on Example 9000."
hasnt out "$(printf '\033')"
expect 0 "$GPUBENCH" estimate transfer --size 1MiB --run two --json
json out '[m["device_id"] for m in d["measured"]] == [0, 1] and len(d["notes"]) == 2'
json out 'd["measured"][1]["results"]["time_ns"] > 1.99 * d["measured"][0]["results"]["time_ns"]'
expect 0 "$GPUBENCH" estimate memory --parameters 20B --run two --json
json out 'd["results"]["device_memory_bytes"] == 40 * 10**9 and d["results"]["fits"] == "tight"'
# A run without what is needed: the nominal figure stands, or an error says what would help.
made bare '{"cases": {"m": [1]}}'
refused "suites/pcie.yaml has" transfer --size 1GB --run bare
refused "suites/memory.yaml has" tokens --parameters 7B --run bare
refused "suites/memory.yaml has" bandwidth --run bare
refused "does not say how much memory" memory --parameters 7B --run bare
expect 0 "$GPUBENCH" estimate tokens --parameters 7B --memory-bandwidth 1TB/s --run bare
has out "No measured rate"
made profiled '{"cases": {"m": [1]}, "edit": "document[\"records\"][0][\"flags\"] = [\"profiled\"]"}'
refused "under a profiler" transfer --size 1GB --link 1GB/s --run profiled
expect 6 "$GPUBENCH" estimate transfer --size 1GB --run nowhere

# --- from the table: help, completion, manual ---
expect 0 "$GPUBENCH" estimate --help
for part in memory transfer bandwidth tokens amdahl; do
    has out "estimate $part"
done
expect 0 "$GPUBENCH" help estimate tokens
has out "--memory-bandwidth RATE"
expect 0 "$GPUBENCH" completion bash
has out "estimate) words="
has out "--kv-heads"
expect 0 "$GPUBENCH" help --man
has out ".SS estimate transfer"
