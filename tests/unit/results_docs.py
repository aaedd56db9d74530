#!/usr/bin/env python3
"""Every word that the code can write is in the schema, and every key and word of the schema in
docs/results-format.md. Usage: results_docs.py SOURCE_DIR"""
import json
import os
import re
import sys


def read(*path):
    with open(os.path.join(sys.argv[1], *path), encoding="utf-8") as file:
        return file.read()


def words(text, table):
    """The words of an X-macro table: X(NAME, "word", ...)."""
    body = re.search(r"#define %s\(X\)(.*?[^\\])\n" % table, text, re.S).group(1)
    return set(re.findall(r'X\(\s*\w+,\s*"([^"]+)"', body))


def keys(schema):
    """All property names of a schema, however deep."""
    found = set(schema.get("properties", {}))
    for value in schema.values():
        for inner in value.values() if isinstance(value, dict) else []:
            if isinstance(inner, dict):
                found |= keys(inner)
    return found


def main():
    schema = json.loads(read("configs", "schemas", "results-1.json"))
    doc = read("docs", "results-format.md")
    record = schema["$defs"]["record"]["properties"]
    wrong = []
    for table, header, enum in (
            ("GB_FLAGS", "record/record.h", record["flags"]["items"]["enum"]),
            ("GB_CODES", "base/error.h", record["reason_code"]["enum"] + ["ok"])):
        known = words(read("harness", *header.split("/")), table)
        if len(known) < 10:
            wrong.append(f"{table}: only {len(known)} words found")
        wrong += [f"{header}: '{word}' is not in the schema" for word in known - set(enum)]
        wrong += [f"schema: '{word}' is not in {header}" for word in set(enum) - known - {None}]
        wrong += [f"docs: no `{word}`" for word in known - {"ok"} if f"`{word}`" not in doc]
    wrong += [f"docs: no `{key}`" for key in sorted(keys(schema)) if f"`{key}`" not in doc]
    print("\n".join(wrong) or f"{len(keys(schema))} keys documented")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
