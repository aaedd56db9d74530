"""Runs the program on the fake CUDA runtime; what the other scripts here share.

GPUBENCH_FAKE is the program, FAKE_FOLDER where the fake libraries lie, GB_SOURCE the source tree
(set by ctest). A fake GPU's event pairs always last 1 ms unless a test says otherwise, so that the
number of runtime calls in a run does not depend on the machine.
"""
import json
import os
import shutil
import subprocess
import tempfile

PROGRAM = os.environ["GPUBENCH_FAKE"]
FOLDER = os.environ["FAKE_FOLDER"]
SUITES = os.path.join(os.environ["GB_SOURCE"], "tests/fake/suites")
EXITS = {0, 1, 2, 3, 4, 5, 6}
STATUSES = {"ok", "failed", "wrong", "skipped", "timeout", "not_run"}


class Run:
    """One `gpubench run`: .status, .out, .err, .results (None when there is no file), .records."""

    def __init__(self, suite, device="cuda", arguments=(), **settings):
        self.folder = tempfile.mkdtemp(prefix="gpubench-fake-")
        self.directory = os.path.join(self.folder, "run")
        command = ["run", "--device", device, "--seed", "1", "--no-plots", "--progress", "never",
                   "-o", self.directory, *arguments, os.path.join(SUITES, suite + ".yaml")]
        # a lock folder of its own: runs of one fake GPU need not wait for each other
        done = call(command, **{"GPUBENCH_LOCK_DIR": self.folder, **settings})
        self.status, self.out, self.err = done.returncode, done.stdout, done.stderr
        path = os.path.join(self.directory, "results.json")
        self.results = None
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.results = json.load(file)
        self.records = {r["case"]: r for r in self.results["records"]} if self.results else {}

    def of(self, part):
        """The record of the only case whose name has this text."""
        found = [r for case, r in self.records.items() if part in case]
        assert len(found) == 1, (part, list(self.records))
        return found[0]

    def statuses(self):
        return sorted(r["status"] for r in self.records.values())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)


def environment(**settings):
    env = {k: v for k, v in os.environ.items()
           if not k.startswith(("FAKE_", "CUDA_", "GPUBENCH_"))}
    env.update({"LD_LIBRARY_PATH": FOLDER + "/lib", "GPUBENCH_FAKE_LEAKS": "fatal",
                "FAKE_CUDA_ELAPSED_MS": "1", "LC_ALL": "C"})
    for name, value in settings.items():
        if value is None:
            env.pop(name, None)
        else:
            env[name] = str(value)
    return env


def call(arguments, **settings):
    return subprocess.run([PROGRAM, *arguments], env=environment(**settings), text=True,
                          capture_output=True, timeout=100, check=False)


def values(record):
    """All metric values of a record that are not null."""
    metrics = record["metrics"] or {}
    return [m["value"] for m in metrics.values() if m["value"] is not None]
