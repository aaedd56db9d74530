#!/usr/bin/env python3
"""Whether nvcc makes of the kernels what their sources mean. rules.txt says what that is.

    check.py ptx  NVCC SOURCE OUT ARCHITECTURE...   compiles kernels/*.cu; rules on PTX, stack, spills
    check.py code NVCC SOURCE OUT ARCHITECTURE...   rules on the machine code of what `ptx` left in OUT
    check.py self NVCC SOURCE OUT ARCHITECTURE...   the checker itself: broken.cu and broken.txt

Exit status: 0 all hold, 1 one does not, 77 all that could be checked hold, but there is no
disassembler (the reason is on the last line)."""
import collections
import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = ("ptx", "ptx-most", "ptx-loop", "code", "code-most", "code-loop", "spills")

Rule = collections.namedtuple("Rule", "file kernel kind count pattern line")
# op: the text with its predicate; plain: without; label: what branches to it name
Instruction = collections.namedtuple("Instruction", "op plain labels")


def read_rules(path):
    rules = []
    with open(path, encoding="utf-8") as text:
        for number, line in enumerate(text, 1):
            if line.strip() == "" or line.startswith("#"):
                continue
            words = line.split(None, 3)
            if not words[2].isdigit():
                words = line.split(None, 4)
            else:  # short for: ptx COUNT
                words.insert(2, "ptx")
            if len(words) < 4 or words[2] not in KINDS:
                sys.exit(f"{path}:{number}: not a rule: {line.strip()}")
            pattern = words[4].strip() if len(words) > 4 else ""
            rules.append(Rule(*words[:4], pattern, number))
    return rules


# --- compiling and taking apart -----------------------------------------------------------------


def compile_file(nvcc, source, cu, arch, out, defines=()):
    """PTX, machine code and what ptxas says of each kernel, in OUT/ARCH."""
    folder = os.path.join(out, arch)
    os.makedirs(folder, exist_ok=True)
    stem = os.path.join(folder, os.path.splitext(os.path.basename(cu))[0])
    ptxas = os.path.join(os.path.dirname(nvcc), "ptxas")
    ptxas = ptxas if os.path.exists(ptxas) else "ptxas"
    commands = (
        [nvcc, "-std=c++17", f"-arch=compute_{arch}", "-ptx", f"-I{source}", f"-I{source}/harness",
         *defines, cu, "-o", stem + ".ptx"],
        [ptxas, "-v", f"-arch=sm_{arch}", stem + ".ptx", "-o", stem + ".cubin"])
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return stem, done.stderr


def add_instruction(kernels, name, labels, text):
    op = re.sub(r"\s+", " ", text).strip()
    if op == "NOP":  # ptxas fills the time of slow units with them
        return
    plain = re.sub(r"^@!?%?U?P?[\w]+\s+", "", op)
    kernels[name].append(Instruction(op, plain, tuple(labels)))
    labels.clear()


def ptx_kernels(path):
    """{mangled name: [Instruction]}"""
    kernels, name, labels, depth = collections.defaultdict(list), None, [], 0
    with open(path, encoding="utf-8") as text:
        for line in text:
            entry = re.search(r"\.entry\s+(\w+)", line)
            name = entry.group(1) if entry else name
            if name is None:
                continue
            label = re.match(r"\s*(\$\w+):", line)
            if label:
                labels.append(label.group(1))
            for statement in line.split(";")[:-1]:
                statement = statement.strip().lstrip("{} ")  # those of inline assembly
                if depth > 0 and re.match(r"[@a-z]", statement):
                    add_instruction(kernels, name, labels, statement)
            depth += line.count("{") - line.count("}")
            if depth == 0 and "}" in line:
                name = None
    return kernels


def code_kernels(disassembler, path):
    done = subprocess.run([disassembler, "-c", path], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{disassembler} {path}: {done.stderr}")
    kernels, name, labels = collections.defaultdict(list), None, []
    for line in done.stdout.splitlines():
        section = re.match(r"\.text\.(\w+):", line)
        label = re.match(r"(\.L_\w+):", line)
        instruction = re.match(r"\s+/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;", line)
        if section:
            name = section.group(1)
        elif label:
            labels.append(label.group(1))
        elif name and instruction:
            add_instruction(kernels, name, labels, instruction.group(1).lstrip("{ "))
    return kernels


def body(kernels, name):
    prefix = f"_Z{len(name)}{name}"
    return [i for mangled in kernels if mangled == name or mangled.startswith(prefix)
            for i in kernels[mangled]]


# --- loops --------------------------------------------------------------------------------------


def control_flow(instructions):
    """[the instructions that may come next] for each instruction."""
    place = {label: at for at, i in enumerate(instructions) for label in i.labels}
    following = []
    for at, i in enumerate(instructions):
        target = re.match(r"(?:bra|BRA)\b.*?(\$L\w+|\.L_\w+)", i.plain)
        ends = re.match(r"bra\b|BRA\b|ret\b|exit\b|EXIT\b", i.plain)
        certain = ends and not i.op.startswith("@") and not re.match(r"BRA.*\bU?P\d", i.plain)
        then = [] if certain or at + 1 == len(instructions) else [at + 1]
        if target and target.group(1) in place:
            then.append(place[target.group(1)])
        following.append(then)
    return following


def reached(start, nodes, edges):
    seen, todo = set(), [start]
    while todo:
        node = todo.pop()
        for other in edges[node]:
            if other in nodes and other not in seen:
                seen.add(other)
                todo.append(other)
    return seen


def cycles(nodes, forth, back):
    """The sets of nodes in `nodes` that can all reach each other."""
    nodes, found = set(nodes), []
    for node in sorted(nodes):
        if not any(node in cycle for cycle in found):
            cycle = reached(node, nodes, forth) & reached(node, nodes, back)
            found += [cycle] if node in cycle else []
    return found


def innermost_loops(instructions):
    """Loops without a loop inside: cycles that are none any more without the place where they are
    entered. Lists of instructions as they lie in the code."""
    forth = control_flow(instructions)
    back = [[] for _ in instructions]
    for at, then in enumerate(forth):
        for other in then:
            back[other].append(at)
    todo, inner = cycles(range(len(instructions)), forth, back), []
    while todo:
        cycle = todo.pop()
        entry = min((at for at in cycle if any(b not in cycle for b in back[at])),
                    default=min(cycle))
        nested = cycles(cycle - {entry}, forth, back)
        todo += nested
        if not nested:
            inner.append([instructions[at] for at in sorted(cycle)])
    return inner


REGISTER = re.compile(r"%[a-z]+\d+|\bUR\d+|\bR\d+")
MOVE = re.compile(r"^(mov|ld\.param|U?MOV|IMAD\.MOV|U?LDCU?)\b")
# What a loop needs besides its work: counting, comparing, branching, moving registers, and bringing
# in the kernel's arguments (which lie in a constant bank, not in memory).
CONTROL = re.compile(r"^(add\.|sub\.|setp\.|bra\b|mov\.|ld\.param\."
                     r"|U?IADD3|VIADD|U?ISETP|BRA\b|U?MOV\b|IMAD\.MOV|PLOP3|U?LDCU?\b)")


def chains(loop, pattern):
    """How many groups of matching instructions need nothing of each other, in this round of the loop
    or the next. A register means what was last written to it; constants that a move brings in are
    no dependence."""
    work = {at for at, i in enumerate(loop) if pattern.search(i.plain)}
    carriers = sorted(work | {at for at, i in enumerate(loop) if MOVE.search(i.plain)})
    written = {at: REGISTER.findall(loop[at].plain)[0] for at in carriers}

    def origin(register, at):
        """The instruction that has last written the register before `at`, going round."""
        writers = [c for c in carriers if written[c] == register]
        return max([c for c in writers if c < at] or writers, default=None)

    sources = {at: {origin(r, at) for r in REGISTER.findall(loop[at].plain)[1:]} - {None}
               for at in carriers}
    for _ in carriers:  # moves that carry nothing of the work, and moves of those
        idle = {at for at in sources if at not in work and not sources[at]}
        if not idle:
            break
        sources = {at: s - idle for at, s in sources.items() if at not in idle}
    group = {at: at for at in sources}

    def root(at):
        while group[at] != at:
            at = group[at]
        return at

    for at, needed in sources.items():
        for other in needed:
            group[root(other)] = root(at)
    return len({root(at) for at in work})


def loop_complaint(instructions, count, pattern):
    """The loop with the most work: nothing but work and control, enough of it, enough chains (or,
    as "=1:60" has it, exactly so many)."""
    wanted_chains, least_share = (int(word) for word in count.lstrip("=").split(":"))
    loops = innermost_loops(instructions)
    matches = [sum(1 for i in loop if pattern.search(i.plain)) for loop in loops]
    if not matches or max(matches) == 0:
        return "no loop has such an instruction"
    loop, work = loops[matches.index(max(matches))], max(matches)
    foreign = [i.op for i in loop if not pattern.search(i.plain) and not CONTROL.search(i.plain)]
    if foreign:
        return f"in the loop there is also: {foreign[0]}"
    if 100 * work < least_share * len(loop):
        return (f"{work} of the loop's {len(loop)} instructions are the work, "
                f"at least {least_share} % are wanted")
    found = chains(loop, pattern)
    if found < wanted_chains:
        return f"{found} independent chains, at least {wanted_chains} are wanted"
    if count.startswith("=") and found > wanted_chains:
        return f"{found} independent chains, {wanted_chains} are wanted"
    return None


# --- rules --------------------------------------------------------------------------------------


def complaint(rule, instructions):
    """What is wrong, or None."""
    if not instructions:
        return "no such kernel"
    pattern = re.compile(rule.pattern)
    if rule.kind.endswith("-loop"):
        return loop_complaint(instructions, rule.count, pattern)
    found = sum(1 for i in instructions if pattern.search(i.plain) or pattern.search(i.op))
    if rule.kind.endswith("-most"):
        return (None if found <= int(rule.count) else
                f"{found} instructions match {rule.pattern}, at most {rule.count} may")
    return (None if found >= int(rule.count) else
            f"{found} instructions match {rule.pattern}, at least {rule.count} are wanted")


# A sine of the library keeps the product with a large argument on a stack; ours are small.
MAY_HAVE_STACK = re.compile(r"arith_sin_fp(32|64)")


def spill_complaints(log):
    """{mangled name: complaint or None} for every kernel that ptxas speaks of."""
    found, name = {}, None
    for line in log.splitlines():
        properties = re.search(r"Function properties for (\w+)", line)
        name = properties.group(1) if properties else name
        if "bytes stack frame" in line:
            clean = " 0 bytes spill stores, 0 bytes spill loads"
            if not MAY_HAVE_STACK.search(name):
                clean = " 0 bytes stack frame," + clean
            found[name] = None if clean in " " + line.strip() else line.strip()
    return found


class Verdicts:
    """Prints complaints and counts."""

    def __init__(self, wanted=True):
        self.wanted, self.rules, self.bad = wanted, 0, 0

    def note(self, where, wrong):
        self.rules += 1
        if (wrong is None) != self.wanted:
            self.bad += 1
            print(f"{where}: {wrong or 'holds, although the kernel is broken'}")


def check_rules(rules, kernels_of, arch, verdicts):
    for rule in rules:
        verdicts.note(f"sm_{arch} {rule.kernel} (rule {rule.line}: {rule.kind})",
                      complaint(rule, body(kernels_of(rule.file), rule.kernel)))


def of_kind(rules, prefix):
    return [rule for rule in rules if rule.kind.startswith(prefix)]


def check_spills(log, arch, verdicts):
    for name, wrong in spill_complaints(log).items():
        verdicts.note(f"sm_{arch} {name}", wrong)


def check_ptx(nvcc, source, out, archs):
    rules = of_kind(read_rules(os.path.join(HERE, "rules.txt")), "ptx")
    files = sorted(glob.glob(os.path.join(source, "kernels", "*.cu")))
    verdicts, kernels = Verdicts(), 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = {(arch, cu): pool.submit(compile_file, nvcc, source, cu, arch, out)
                for arch in archs for cu in files}
        for (arch, cu), job in jobs.items():
            stem, log = job.result()
            kernels += len(spill_complaints(log))
            check_spills(log, arch, verdicts)
            name = os.path.basename(stem)
            parsed = ptx_kernels(stem + ".ptx")
            check_rules([r for r in rules if r.file == name], lambda _, p=parsed: p, arch, verdicts)
    rules_held = verdicts.rules - kernels
    if rules_held != len(rules) * len(archs) or kernels == 0:
        sys.exit(f"{rules_held} rules were looked at, {len(rules)} for {len(archs)} architectures "
                 "are there: does a rule name a file that is not there?")
    print(f"{', '.join('sm_' + a for a in archs)}: {rules_held} rules on PTX; "
          f"{kernels} kernels without stack and spills")
    return verdicts.bad


def find_disassembler(nvcc, out):
    """nvdisasm of the toolkit, or NVIDIA's own package of it in a virtual environment in OUT.
    (path, None) or (None, why there is none)."""
    for path in (os.path.join(os.path.dirname(nvcc), "nvdisasm"), shutil.which("nvdisasm")):
        if path and os.path.exists(path):
            return path, None
    venv = os.path.join(out, "venv")
    place = os.path.join(venv, "lib", "python*", "site-packages", "nvidia", "**", "bin", "nvdisasm")
    if not glob.glob(place, recursive=True):
        for command in ([sys.executable, "-m", "venv", venv],
                        [os.path.join(venv, "bin", "pip"), "install", "--quiet", "--retries", "1",
                         "--timeout", "15", "--disable-pip-version-check", "nvidia-cuda-nvdisasm"]):
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=120,
                                      check=False)
                problem = done.stderr.strip().splitlines()[-1:] if done.returncode else None
            except (OSError, subprocess.TimeoutExpired) as error:
                problem = [str(error)]
            if problem is not None:
                return None, ("the toolkit has no nvdisasm, and the package nvidia-cuda-nvdisasm "
                              f"could not be installed: {''.join(problem)}")
    return glob.glob(place, recursive=True)[0], None


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def check_code(nvcc, source, out, archs):
    del source
    disassembler, why_not = find_disassembler(nvcc, out)
    if disassembler is None:
        skip(why_not)
    rules = of_kind(read_rules(os.path.join(HERE, "rules.txt")), "code")
    verdicts = Verdicts()
    for arch in archs:
        parsed = {name: code_kernels(disassembler, os.path.join(out, arch, name + ".cubin"))
                  for name in {rule.file for rule in rules}}
        check_rules(rules, parsed.get, arch, verdicts)
    print(f"{', '.join('sm_' + a for a in archs)}: {verdicts.rules} rules on machine code, "
          f"read with {disassembler}")
    return verdicts.bad


def check_self(nvcc, _, out, archs):
    """Every rule of broken.txt holds for broken.cu, and fails with -DBROKEN."""
    disassembler, why_not = find_disassembler(nvcc, out)
    rules = read_rules(os.path.join(HERE, "broken.txt"))
    missing = set(KINDS) - {rule.kind for rule in rules}
    bad = 0
    for kind in missing:
        bad += 1
        print(f"broken.txt has no rule of kind {kind}")
    for arch in archs:
        for defines in ((), ("-DBROKEN",)):
            verdicts = Verdicts(wanted=not defines)
            stem, log = compile_file(nvcc, HERE, os.path.join(HERE, "broken.cu"), arch,
                                     os.path.join(out, "broken" if defines else "whole"), defines)
            parsed = {"ptx": ptx_kernels(stem + ".ptx")}
            if disassembler is not None:
                parsed["code"] = code_kernels(disassembler, stem + ".cubin")
            for of, kernels in parsed.items():
                check_rules(of_kind(rules, of), lambda _, k=kernels: k, arch, verdicts)
            spills = spill_complaints(log)
            for rule in of_kind(rules, "spills"):
                verdicts.note(f"sm_{arch} {rule.kernel} (spills)", next(
                    wrong for name, wrong in spills.items() if rule.kernel in name))
            bad += verdicts.bad
    if bad == 0 and disassembler is None:
        skip(f"rules on PTX hold for whole kernels and fail for broken ones, but {why_not}")
    print(f"{', '.join('sm_' + a for a in archs)}: {len(rules)} rules hold for whole kernels "
          "and fail for broken ones" if not bad else f"{bad} failures")
    return bad


def main():
    what, nvcc, source, out, *archs = sys.argv[1:]
    check = {"ptx": check_ptx, "code": check_code, "self": check_self}[what]
    return 1 if check(os.path.realpath(nvcc), source, out, archs) else 0


if __name__ == "__main__":
    sys.exit(main())
