#!/usr/bin/env python3
"""Mutation testing: changes one operator, constant or bound at a time and sees whether a test notices.

    scripts/mutate.py [-B build-mutate] [--file PATTERN] [--text TEXT] [--sample N] [--again] ...
    scripts/mutate.py --page docs/mutation.md

Each mutant of AREAS below is compiled by the build folder's own commands, what links it is linked again, and the tests of
its area run until one fails.  The source tree is only read: a changed file lies in the build folder and is found before
the real one.  A mutant is
    killed      a test failed, crashed or ran out of time
    survived    all tests of its area passed
    same        it compiles to the object that it was, at -O1 or -O3: nothing changed
    invalid     it does not compile
Every result is a line of mutants.jsonl in the build folder, and a mutant that has one is not run again.

    cmake --preset release -B build-mutate && cmake --build build-mutate && scripts/mutate.py --file 'sim/count/*'
"""
import argparse
import collections
import fnmatch
import glob
import json
import os
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time

from mutants import mutants

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
REASONS = os.path.join(ROOT, "docs", "mutants.csv")

# Files, whether only their bound checks are changed, and the tests (ctest's names) that touch them.  The first row that
# fits a file is its row; without tests a file is left out.
AREAS = [
    ("sim/count/*", False, r"count\.|picture\.(drawn|words)$|texture\.fetch$"),
    ("lib/arguments.c", False, r"lib_(arguments|faults|pointers|context|add|copy|capture|steady)$"),
    ("bench/verify*", False, r"bench_(verify|moves|wrong|peers)$"),
    # Computing instructions and the formats of numbers: conformance.h200 holds them, and there are no bounds in them.
    ("sim/exec/lanes/ops_*", True, None),
    ("sim/exec/lanes/lanes*", True, None),
    ("sim/exec/lanes/[bfhian]*.h", True, None),
    ("sim/exec/in*.h", True, None),
    ("sim/exec/run/call.h", True, None),
    ("sim/exec/lanes/number.c", True, None),
    ("sim/exec/matrix/matrix_d*", True, None),
    ("sim/exec/*matrix*", True, r"matrix\.(mma|h200|programs\.90)$|exec\.(hostile\w*|limits|undefined|forms|lowering)$"),
    ("sim/exec/texture/fetch*", True, r"texture\.|check\.(bugs|clean)$"),
    ("sim/exec/*texture*", True, r"texture\.|cuda_memory$|check\.(bugs|clean)$"),
    ("sim/exec/run/printf.c", True, r"device\.print\.90$|exec\.(?!mutations)|cuda_services$"),
    ("sim/exec/run/heap.c", True, r"device\.heap\.90$|exec\.(?!mutations)|cuda_services$"),
    ("sim/exec/lower/lower*", True, r"exec\.(?!mutations)|ptx\.(errors|memory)$|device\.pipeline\.90$|cuda_module$"
                              r"|counters\.(atomics|bulk|clusters)_static$|conformance\.h200$"),
    ("sim/exec/check/*", True, r"check\.(bugs|clean|document|inplace_\w+|order|places|units|written)$|exec\.(?!mutations)"
                          r"|cuda_(bounds|ipc|launch)$"),
    ("sim/exec/*", True, r"exec\.(?!mutations)|memory$|memory\.|check\.(bugs|clean)$|device\.(heap|pipeline)\.90$"
                         r"|cuda_(launch|fault|bounds|services|cluster|module|memory|ipc\w*|tensor_map)$"
                         r"|counters\.(flow|(atomics|bulk|clusters)_static)$|device\.grid\.90$"),
    ("sim/cuda/check.c", True, r"check\.(bugs|clean|document)$|cuda_(environment|ipc|leaks|memory)$"),
    ("sim/cuda/module/machine.c", True, r"cuda_|fuzz\.elf$|cudart_(stripped|compiled)$|programs\.function_attributes$"),
    ("sim/cuda/record/profile_text.c", True, r"prof_(text|recording)$"),
    ("sim/cuda/record/profile_sites.c", True, r"prof_(sites|report)$"),
    ("sim/cuda/record/profile*", True, r"prof_(recording|report)$|cuda_recorder$"),
    ("sim/cuda/record/records.c", True, r"prof_command$|cuda_recorder$"),
    ("sim/cuda/module/host_object.c", True, r"cuda_(link|objects)$"),
    ("sim/cuda/module/architecture.c", True, r"cuda_(objects|fatbin|fatbin_edges|module)$"),
    ("sim/cuda/launch/legacy.c", True, r"cuda_deprecated$"),
    ("sim/cuda/memory/batch.c", True, r"cuda_deprecated$|cudart_memory_static$"),
    ("sim/cuda/*", True, r"cuda_|h200_describe$|cudart_(array|basic|device|launch|memory|error|graph|stream)_static$"),
]


def die(text):
    sys.exit(f"mutate: {text}")


def area_of(file):
    return next((row for row in AREAS if fnmatch.fnmatch(file, row[0])), None)


class Build:
    """A build folder: what compiles a file, what links it, and how it is put back as it was."""

    def __init__(self, folder, flags):
        self.folder, self.flags = os.path.abspath(folder), flags.split()
        self.work = os.path.join(self.folder, "mutants")
        self.saved, self.overlay = os.path.join(self.work, "saved"), os.path.join(self.work, "overlay")
        try:
            with open(os.path.join(self.folder, "compile_commands.json"), encoding="utf-8") as file:
                commands = json.load(file)
            self.inputs = self.read_edges()
        except OSError as error:
            die(f"{error.filename}: {error.strerror}: configure and build it first, see --help")
        self.commands, self.link_commands, self.linked, self.optimized = {}, {}, set(), None
        for command in commands:
            words = shlex.split(command["command"])
            self.commands[words[words.index("-o") + 1]] = (words, os.path.relpath(command["file"], ROOT))
        self.includes = self.read_dependencies()
        if os.path.exists(self.saved):  # a run was interrupted
            self.linked = {name for name in self.inputs if os.path.exists(os.path.join(self.folder, name))}
        self.restore()

    def read_edges(self):
        """Of each archive, library and program what it is linked from."""
        with open(os.path.join(self.folder, "build.ninja"), encoding="utf-8") as file:
            text = file.read().replace("$\n", "")
        edges = {}
        for outputs, rule, inputs in re.findall(r"^build ([^:\n]+): (\S+)([^\n]*)", text, re.MULTILINE):
            if "_LINKER_" in rule:
                edges[re.split(r" \|| ", outputs)[0]] = set(inputs.split("||")[0].split())
        return edges

    def read_dependencies(self):
        """Of each object the files of this tree that it was made from."""
        text = subprocess.run(["ninja", "-C", self.folder, "-t", "deps"], text=True, capture_output=True).stdout
        includes, current = {}, None
        for line in text.splitlines():
            if line and not line.startswith(" "):
                current = includes.setdefault(line.split(": #deps")[0], set())
            elif line.strip():
                current.add(os.path.relpath(os.path.join(self.folder, line.strip()), ROOT))
        return includes

    def objects(self, file):
        """The objects that a file is compiled into; a test's own sources are no part of what is tested."""
        return [name for name, (_, source) in self.commands.items()
                if file in (source, *self.includes.get(name, ())) and not source.startswith("tests/")]

    def users(self, objects):
        """What is linked from objects: (archives, libraries and programs)."""
        archives = {name for name, inputs in self.inputs.items() if name.endswith(".a") and inputs & set(objects)}
        return archives, {name for name, inputs in self.inputs.items()
                          if not name.endswith(".a") and inputs & (archives | set(objects))}

    def compile(self, name, flags):
        """Compiles an object with the changed file; its bytes, or None where it cannot be compiled."""
        words, source = self.commands[name]
        output = os.path.join(self.work, "object.o")
        words = [words[0], "-iquote", self.overlay, f"-ffile-prefix-map={self.overlay}={ROOT}", *words[1:], *flags, "-w"]
        words[words.index("-o") + 1] = output
        changed = os.path.join(self.overlay, source)
        if os.path.exists(changed):
            words[words.index(os.path.join(ROOT, source))] = changed
        if subprocess.run(words, cwd=self.folder, stderr=subprocess.DEVNULL, check=False).returncode:
            return None
        with open(output, "rb") as file:
            return file.read()

    def compile_changed(self, file, text, names, flags):
        shutil.rmtree(self.overlay, ignore_errors=True)
        path = os.path.join(self.overlay, file)
        os.makedirs(os.path.dirname(path))
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        made = {}
        for name in names:
            made[name] = self.compile(name, flags)
            if made[name] is None:
                return None
        return made

    def same_optimized(self, file, source, changed, names):
        """Whether the optimizer makes the same of both texts; self.optimized is what it made of the first."""
        flags = [*self.flags, "-O3"]
        self.optimized = self.optimized or self.compile_changed(file, source, names, flags)
        return self.compile_changed(file, changed, names, flags) == self.optimized

    def put(self, name, contents):
        """Puts an object in its place.  It keeps its time: ninja takes it for what it was."""
        path, saved = os.path.join(self.folder, name), os.path.join(self.saved, name)
        if not os.path.exists(saved):
            os.makedirs(os.path.dirname(saved), exist_ok=True)
            shutil.copy2(path, saved + ".part")
            os.replace(saved + ".part", saved)
        with open(path, "wb") as file:
            file.write(contents)
        shutil.copystat(saved, path)

    def link(self, names):
        """Links again, by ninja's own commands; an error is one of the folder, not of the mutant."""
        for name in names:
            if name not in self.link_commands:
                self.link_commands[name] = subprocess.run(
                    ["ninja", "-C", self.folder, "-t", "commands", "-s", name], text=True, capture_output=True,
                    check=True).stdout
            done = subprocess.run(self.link_commands[name], shell=True, cwd=self.folder, text=True, capture_output=True)
            self.linked.add(name)
            if done.returncode:
                die(f"{name} cannot be linked:\n{done.stderr}")

    def restore(self):
        """Puts back what is saved and links again what was linked with mutants."""
        names = [os.path.relpath(path, self.saved)
                 for path in glob.glob(os.path.join(self.saved, "**", "*.o"), recursive=True)]
        for name in names:
            shutil.copy2(os.path.join(self.saved, name), os.path.join(self.folder, name))
        archives, finals = self.users(names)
        self.link(sorted(archives) + sorted(finals & self.linked))
        self.linked = set()
        shutil.rmtree(self.work, ignore_errors=True)
        os.makedirs(self.work)


class Test:
    def __init__(self, entry, build):
        properties = {item["name"]: item["value"] for item in entry.get("properties", [])}
        self.name, self.command = entry["name"], entry["command"]
        self.folder = properties.get("WORKING_DIRECTORY", build.folder)
        self.environment = dict(item.split("=", 1) for item in properties.get("ENVIRONMENT", []))
        self.programs = {os.path.relpath(word, build.folder) for word in self.command if os.path.isabs(word)}
        self.seconds = self.processor = self.runs = self.kills = 0

    def passes(self, seconds, processor):
        """Whether it passes within so many seconds, none of its processes taking more of the processor."""

        def alone():
            os.setsid()
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_CPU, (processor, processor))
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 32, 1 << 32))
            with open("/proc/self/oom_score_adj", "w", encoding="ascii") as score:
                score.write("1000")  # one that takes all memory goes before anything else

        child = subprocess.Popen(self.command, cwd=self.folder, env={**os.environ, **self.environment},
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                 preexec_fn=alone)
        try:
            return child.wait(seconds) == 0
        except subprocess.TimeoutExpired:
            return False
        finally:
            try:
                os.killpg(child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            child.wait()


def read_tests(build):
    done = subprocess.run(["ctest", "--test-dir", build.folder, "--show-only=json-v1"], text=True, capture_output=True)
    if done.returncode:
        die(f"ctest: {done.stderr}")
    return {entry["name"]: Test(entry, build) for entry in json.loads(done.stdout)["tests"] if "command" in entry}


class Results:
    """mutants.jsonl: one line a mutant that was run."""

    def __init__(self, path):
        self.path, self.of = path, {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                for line in file:
                    if line.endswith("\n"):  # the last of an interrupted run may be cut off
                        row = json.loads(line)
                        self.of[row["key"]] = row

    def add(self, mutant, status, by, seconds):
        row = {"key": mutant.key, "file": mutant.file, "line": mutant.line, "text": mutant.text, "old": mutant.old,
               "new": mutant.new, "column": mutant.column, "status": status, "by": by, "seconds": round(seconds, 2)}
        self.of[mutant.key] = row
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


def all_mutants(pattern):
    """{file: its mutants} of the files that a pattern fits."""
    found = {}
    for folder in ("sim/count", "sim/exec", "sim/cuda", "lib", "bench"):
        for path in sorted(glob.glob(os.path.join(ROOT, folder, "**", "*.[ch]"), recursive=True)):
            file = os.path.relpath(path, ROOT)
            area = area_of(file)
            if area and area[2] and fnmatch.fnmatch(file, pattern):
                with open(path, encoding="utf-8") as text:
                    found[file] = mutants(file, text.read(), bounds_only=area[1])
    return {file: changes for file, changes in found.items() if changes}


class Run:
    def __init__(self, build, tests, results):
        self.build, self.tests, self.results = build, tests, results
        self.timed = set()
        self.counts = collections.Counter()

    def touching(self, file):
        """The tests of a file's area, each timed once as it is without mutants."""
        pattern = re.compile(area_of(file)[2])
        tests = [test for test in self.tests.values() if pattern.match(test.name)]
        for test in tests:
            if test.name not in self.timed:
                start, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
                if not test.passes(600, 600):
                    die(f"the test {test.name} fails without any mutant: build everything that it needs")
                test.seconds = time.monotonic() - start
                test.processor = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
                self.timed.add(test.name)
        return tests

    def file(self, file, changes):
        build, tests = self.build, self.touching(file)
        with open(os.path.join(ROOT, file), encoding="utf-8") as text:
            source = text.read()
        names = build.objects(file)
        archives, finals = build.users(names)
        loaded = {name for name in finals if ".so" in name}
        plain = build.compile_changed(file, source, names, build.flags)
        build.optimized = None
        if not names or plain is None:
            die(f"{file} is compiled into nothing")
        for test in tests:
            test.runs = test.kills = 0
        last = None
        try:
            for mutant in changes:
                start = time.monotonic()
                made = build.compile_changed(file, mutant.apply(source), names, build.flags)
                by = None
                if made is None:
                    status = "invalid"
                elif made == plain:
                    status = "same"
                else:
                    for name, contents in made.items():
                        build.put(name, contents)
                    build.link(sorted(archives))
                    status, by = self.verdict(tests, last, finals, loaded)
                    last = by or last
                    if status == "survived" and build.same_optimized(file, source, mutant.apply(source), names):
                        status = "same"
                self.results.add(mutant, status, by.name if by else None, time.monotonic() - start)
                self.counts[status] += 1
                print(f"{file}:{mutant.line}:{mutant.column}: {mutant.old} -> {mutant.new or 'nothing'}: {status}"
                      + (f" by {by.name}" if by else f": {mutant.text}" if status == "survived" else ""), flush=True)
        finally:
            build.restore()

    def verdict(self, tests, last, finals, loaded):
        """Runs the likeliest killers for their time first: the last one, then by what they killed of this file."""
        order = sorted(tests, key=lambda test: (test is not last,
                                                (test.seconds + .1) * (test.runs + 1) / (test.kills + .2)))
        build, linked = self.build, set()
        for test in order:
            # A test that has the object in itself loads no library, unless its command names one.
            itself = os.path.relpath(test.command[0], build.folder) in finals
            needed = ((set() if itself else loaded) | test.programs & finals) - linked
            build.link(sorted(needed))
            linked |= needed
            test.runs += 1
            if not test.passes(10 * test.seconds + 30, int(3 * test.processor) + 2):
                test.kills += 1
                return "killed", test
        return "survived", None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-B", "--build", default="build-mutate", help="build folder, built (build-mutate)")
    parser.add_argument("--flags", default="-O1", help="added to the compiler's flags for mutants (-O1)")
    parser.add_argument("--file", default="*", help="files that this pattern fits, all of AREAS without it")
    parser.add_argument("--text", default="", help="mutants of lines with this text alone")
    parser.add_argument("--sample", type=int, metavar="N", help="N mutants at random instead of all")
    parser.add_argument("--seed", type=int, default=1, help="which sample (1)")
    parser.add_argument("--again", action="store_true", help="runs the survivors again")
    parser.add_argument("--list", action="store_true", help="prints the mutants that would be run")
    parser.add_argument("--page", metavar="FILE", help="writes the table of the results and the survivors")
    options = parser.parse_args()

    results = Results(os.path.join(options.build, "mutants.jsonl"))
    found = all_mutants(options.file)
    if not found:
        die(f"no file of AREAS fits {options.file}")
    if options.page:
        from mutation_page import write
        return write(options.page, found, results.of, REASONS, die)
    if options.sample is not None:
        every = [mutant for changes in found.values() for mutant in changes]
        chosen = set(random.Random(options.seed).sample(every, min(options.sample, len(every))))
        found = {file: [mutant for mutant in changes if mutant in chosen] for file, changes in found.items()}

    def wanted(mutant):
        row = results.of.get(mutant.key)
        return options.text in mutant.text and \
            (row is None or (options.again and row["status"] == "survived"))

    found = {file: list(filter(wanted, changes)) for file, changes in found.items()}
    found = {file: changes for file, changes in found.items() if changes}
    if options.list:
        for changes in found.values():
            for mutant in changes:
                print(f"{mutant.file}:{mutant.line}:{mutant.column}: {mutant.old} -> {mutant.new}: {mutant.text}")
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # and so put the folder back
    build = Build(options.build, options.flags)
    run = Run(build, read_tests(build), results)
    for file, changes in found.items():
        run.file(file, changes)
    print(", ".join(f"{number} {status}" for status, number in sorted(run.counts.items())) or "nothing to run")


if __name__ == "__main__":
    main()
