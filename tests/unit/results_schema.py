#!/usr/bin/env python3
"""Holds run directories against configs/schemas/results-1.json, strictly: no NaN, no duplicate keys
(RES-01, RES-05). Usage: results_schema.py SCHEMA DIRECTORY...; exit status 77 without the
jsonschema module (Debian: python3-jsonschema).

With --mutate FIXTURE as the last arguments it also breaks that fixture in many ways, each of which
the schema must refuse: a schema that lets everything pass would be no test."""
import copy
import json
import os
import sys

try:
    from jsonschema import Draft202012Validator
except ImportError:
    print("skipped: no Python module jsonschema (Debian: python3-jsonschema)")
    sys.exit(77)

MISSING = object()
# path in the document (or, after "line", in a line of cases.jsonl), and what it becomes
MUTATIONS = [
    ("schema", "gpubench-results/2"), ("complete", 1), ("records", {}), ("devices", []),
    ("tool.version", MISSING), ("tool.git", MISSING), ("tool.build.compiler", MISSING),
    ("tool.build.flags", MISSING), ("tool.build.type", MISSING),
    ("tool.build.cuda_toolkit", MISSING), ("tool.build.cuda_architectures", MISSING),
    ("devices.0.driver", MISSING), ("devices.0.runtime", MISSING), ("devices.0.kind", "gpu"),
    ("run.id", MISSING), ("run.started", "yesterday"), ("run.finished", None),
    ("suite.sha256", "abc"), ("host.cpu", 7), ("host.memory_bytes", "64 GiB"),
    ("records.0.case", MISSING), ("records.0.params.bytes", 1.5), ("records.0.params.x", None),
    ("records.0.definition", "xyz"), ("records.0.status", "fine"), ("records.0.reason", "why"),
    ("records.0.verified", False), ("records.0.timer", "sundial"), ("records.0.new", 1),
    ("records.0.work.flops", -1), ("records.0.work.bytes_moved", 2**63),
    ("records.0.time_ns.stddev", MISSING), ("records.0.time_ns.median", None),
    ("records.0.time_ns.median", -1), ("records.0.time_ns.ci95", [1]), ("records.0.time_ns.n", 0),
    ("records.0.metrics.bandwidth.value", None), ("records.0.metrics.bandwidth.unit", ""),
    ("records.0.flags", ["drift", "drift"]), ("records.0.flags", ["unheard-of"]),
    ("records.0.phases_ns.setup", -1), ("records.0.samples_ns", [1]),
    ("records.3.reason", None), ("records.3.reason_code", "bad luck"),
    ("records.4.time_ns.n", 3),
    ("line.samples_ns", MISSING), ("line.samples_ns", [1, None]), ("line.samples_ns.0", -1),
]


def refuse(constant):
    raise ValueError(f"{constant} is no JSON")


def unique(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError(f"duplicate keys: {keys}")
    return dict(pairs)


def strict(text):
    return json.loads(text, parse_constant=refuse, object_pairs_hook=unique)


def complain(where, validator, value):
    errors = list(validator.iter_errors(value))
    for error in errors[:5]:
        print(f"{where}: {'.'.join(map(str, error.absolute_path))}: {error.message[:300]}")
    return bool(errors)


def read(directory, name):
    with open(os.path.join(directory, name), encoding="utf-8") as file:
        return file.read()


def check(directory, document, line):
    bad = False
    results = strict(read(directory, "results.json"))
    bad |= complain(f"{directory}/results.json", document, results)
    text = read(directory, "cases.jsonl")
    lines = text.split("\n")
    if not results["complete"]:
        lines = lines[:-1]  # may be torn
    for number, one in enumerate(filter(None, lines), 1):
        bad |= complain(f"{directory}/cases.jsonl:{number}", line, strict(one))
    return bad


def mutated(value, path, to):
    value = copy.deepcopy(value)
    at = value
    *way, last = [int(key) if key.isdigit() else key for key in path.split(".")]
    for key in way:
        at = at[key]
    if to is MISSING:
        del at[last]
    else:
        at[last] = to
    return value


def mutate(directory, document, line):
    results = strict(read(directory, "results.json"))
    one = strict(read(directory, "cases.jsonl").split("\n")[0])
    bad = False
    for path, to in MUTATIONS:
        if path.startswith("line."):
            fine = line.is_valid(mutated(one, path[5:], to))
        else:
            fine = document.is_valid(mutated(results, path, to))
        if fine:
            print(f"the schema lets pass: {path} = {'missing' if to is MISSING else to}")
            bad = True
    return bad


def main(arguments):
    schema = strict(read(os.path.dirname(arguments[0]), os.path.basename(arguments[0])))
    Draft202012Validator.check_schema(schema)
    document = Draft202012Validator(schema)
    line = Draft202012Validator({"$ref": "#/$defs/line", "$defs": schema["$defs"]})
    bad = False
    if "--mutate" in arguments:
        bad |= mutate(arguments[arguments.index("--mutate") + 1], document, line)
        arguments = arguments[:arguments.index("--mutate")]
    for directory in arguments[1:]:
        bad |= check(directory, document, line)
    print(f"{len(arguments) - 1} run directories checked")
    return 1 if bad or len(arguments) < 2 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
