"""Puts mistakes into the kernels and asks their own verification (mutations.txt has the list).

  mutate.py SOURCE VERDICT CXX CC CFLAGS [KERNEL...]

VERDICT is the program of verdict.c; CFLAGS what C needs to compile (one argument). For each kernel:
all its cases are right as it is, plainly and in the checked build with the threads of a block in
three orders; launches without effect, each mistake of the list, and the checked build without any
one of its barriers are found wrong by at least one case. Prints one line a mutant that was not
found, and exits with 1 then.
"""
import concurrent.futures
import glob
import os
import re
import shlex
import subprocess
import sys
import tempfile

BARRIER = re.compile(r"GB_BARRIER\(\);|__syncthreads\(\);")
ORDERS = ("forward", "reverse", "random:1")


def read_list(path):
    """{kernel: [arguments]}, [(kernel, kind, sed)], {kernel: whose device code it works with}"""
    cases, mistakes, code = {}, [], {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            words = line.rstrip("\n").split(" ", 2)
            if line.startswith("#") or len(words) < 3:
                continue
            if words[0] == "case":
                cases.setdefault(words[1], []).append(words[2])
            elif words[0] == "code":
                code[words[1]] = words[2]
            else:
                mistakes.append((words[1], words[0], words[2]))
    mistakes += [(kernel, kind, sed) for kernel, owner in code.items()
                 for name, kind, sed in mistakes if name == owner]
    return cases, mistakes, code


def device_code(source, kernel):
    """{path: text} of the .cu files that the kernel's row names."""
    with open(f"{source}/kernels/{kernel}.c", encoding="utf-8") as file:
        pattern = re.search(r'\.source = "([^"]+)"', file.read()).group(1)
    texts = {}
    for path in sorted(glob.glob(f"{source}/{pattern}")):
        with open(path, encoding="utf-8") as file:
            texts[path] = file.read()
    return texts


class Tester:
    def __init__(self, source, verdict, cxx, cc, cflags, folder, code):
        self.source, self.verdict, self.cxx, self.cc = source, verdict, cxx, cc
        self.folder = folder
        self.flags = ["-fPIC", "-w", "-D_GNU_SOURCE", "-DGB_CPU_VARIANTS=1", "-DGB_CUDA_CODE=0",
                      f"-I{source}", f"-I{source}/harness"] + shlex.split(cflags)
        self.host, self.device, self.texts = {}, {}, {}
        self.code = code

    def run(self, command, **options):
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", check=False, timeout=300, **options)

    def prepare(self, kernel):
        self.texts[kernel] = device_code(self.source, kernel)
        self.host[kernel] = self.host_objects(kernel)
        if len(self.texts[kernel]) > 1:  # what a mistake in one file leaves as it is in the others
            for checked in (False, True):
                for cu, text in self.texts[kernel].items():
                    self.device[kernel, cu, checked] = (
                        self.compile(f"{kernel}.{checked}", cu, text, checked)
                        or sys.exit(f"{cu} does not compile"))

    def host_objects(self, kernel):
        """The C files of the kernel, and of the one whose device code it works with, which refer to
        the one variant that is compiled here."""
        names = {kernel, self.code.get(kernel, kernel)}
        files = [f for name in names for f in sorted(glob.glob(f"{self.source}/kernels/{name}*.c"))
                 if re.fullmatch(rf"{name}(_\w+)?\.c", os.path.basename(f))]
        made = []
        for file in files:
            made.append(os.path.join(self.folder, f"{kernel}.{os.path.basename(file)}.o"))
            done = self.run([self.cc, "-std=gnu11", "-O1", *self.flags, "-c", file, "-o", made[-1]])
            if done.returncode != 0:
                sys.exit(f"{file}: {done.stdout}")
        return made

    def compile(self, name, cu, text, checked):
        """An object of `text`, which stands for the file cu; None: it does not compile."""
        path = os.path.join(self.folder, f"{name}.{os.path.basename(cu)}")
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        done = self.run([self.cxx, "-x", "c++", "-std=gnu++17", "-O1", "-fno-exceptions",
                         "-fno-rtti", "-fno-math-errno", "-DGB_CPU_VARIANT=generic",
                         *(["-DGB_CHECKED=1"] if checked else []), *self.flags, "-c", path, "-o",
                         path + ".o"])
        if done.returncode != 0:
            print(f"{name}: {done.stdout}")
            return None
        return path + ".o"

    def build(self, kernel, name, changed, checked):
        """A library of the kernel with the texts of `changed` in the place of its files'; None: it
        does not compile."""
        made = [self.compile(name, cu, text, checked) for cu, text in changed.items()]
        if None in made:
            return None
        kept = [self.device[kernel, cu, checked] for cu in self.texts[kernel] if cu not in changed]
        library = os.path.join(self.folder, f"{name}.so")
        done = self.run([self.cxx, "-shared", "-Wl,-Bsymbolic", *made, *kept, *self.host[kernel],
                         "-o", library])
        for path in made:
            os.remove(path)
        if done.returncode != 0:
            print(f"{name}: {done.stdout}")
            return None
        return library

    def says(self, library, kernel, cases, **environment):
        """0: right; 1: wrong (a crash too: it is noticed); 2: could not be tried"""
        # Shared memory of the checked build is thread-local, and of a library that comes late.
        environment["GLIBC_TUNABLES"] = "glibc.rtld.optional_static_tls=1000000"
        done = self.run([self.verdict, library, kernel, *cases],
                        env={**os.environ, **environment})
        return done.returncode if done.returncode in (0, 2) else 1, done.stdout


def barriers(text):
    """Places of barriers that a processor comes across."""
    gpu_alone = [m.span() for m in re.finditer(r"(?ms)^#if defined\(__CUDACC__\)$.*?^#(else|endif)", text)]
    return [m.span() for m in BARRIER.finditer(text)
            if not any(a <= m.start() < b for a, b in gpu_alone)]


def without_barrier(text, place):
    return text[:place[0]] + "(void)0;" + text[place[1]:]


def with_mistake(texts, sed):
    """{path: text} of the files that the sed command changes."""
    done = {cu: subprocess.run(["sed", sed], input=text, capture_output=True, text=True,
                               check=True).stdout for cu, text in texts.items()}
    return {cu: text for cu, text in done.items() if text != texts[cu]}


def jobs_of(tester, kernel, cases, mistakes):
    """(name, changed device code, checked, runs: [(cases, environment, right?)], any or all)"""
    texts = tester.texts[kernel]
    wrong = [(cases, {}, False)]
    jobs = [(f"{kernel}.as_it_is", texts, False, [(cases, {}, True)], all),
            (f"{kernel}.as_it_is_checked", texts, True,
             [(cases, {"GPUBENCH_FIBERS": order}, True) for order in ORDERS], all),
            (f"{kernel}.no_launch", texts, False,
             [([case], {"SKIP_LAUNCHES": "1"}, False) for case in cases], all)]
    for number, (_, kind, sed) in enumerate(m for m in mistakes if m[0] == kernel):
        changed = with_mistake(texts, sed)
        if not changed:
            sys.exit(f"mutations.txt: {kernel}: nothing changes: {sed}")
        jobs.append((f"{kernel}.{kind}_{number}", changed, False, wrong, any))
    places = [(cu, place) for cu, text in texts.items() for place in barriers(text)]
    for number, (cu, place) in enumerate(places):
        jobs.append((f"{kernel}.barrier_{number}", {cu: without_barrier(texts[cu], place)}, True,
                     [(cases, {"GPUBENCH_FIBERS": order}, False) for order in ORDERS], any))
    return jobs


def try_job(tester, kernel, job):
    """None, or what is wrong with the verification."""
    name, changed, checked, runs, enough = job
    library = tester.build(kernel, name, changed, checked)
    if library is None:
        return f"{name}: does not compile"
    results = []
    for cases, environment, right in runs:
        code, output = tester.says(library, kernel, cases, **environment)
        if code == 2:
            return f"{name}: {output.strip()}"
        results.append((code == 0) == right)
        if enough is any and results[-1]:
            break
    os.remove(library)
    if enough(results):
        return None
    return f"{name}: " + ("is found wrong: " + output.strip() if runs[0][2] else "is not noticed")


def main():
    source, verdict, cxx, cc, cflags = sys.argv[1:6]
    cases, mistakes, code = read_list(os.path.join(source, "tests/kernels/mutations.txt"))
    wanted = sys.argv[6:] or sorted(cases)
    covered = {cu for kernel in set(cases) - set(code) for cu in device_code(source, kernel)}
    uncovered = set(glob.glob(f"{source}/kernels/*.cu")) - covered
    if uncovered:
        sys.exit(f"mutations.txt has nothing of {', '.join(sorted(uncovered))}")
    bad, count = [], 0
    with tempfile.TemporaryDirectory() as folder:
        tester = Tester(source, verdict, cxx, cc, cflags, folder, code)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for kernel in wanted:
                tester.prepare(kernel)
            jobs = [(kernel, job) for kernel in wanted
                    for job in jobs_of(tester, kernel, cases[kernel], mistakes)]
            for result in pool.map(lambda one: try_job(tester, *one), jobs):
                count += 1
                bad += [result] if result else []
    print("\n".join(bad + [f"{count} builds of {len(wanted)} kernels, {len(bad)} not as they should be"]))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
