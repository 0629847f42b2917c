#!/usr/bin/env python3
"""Public CUDA programs whose counters under `wideload prof` are held to a GPU's, read with Nsight Compute.

    scripts/corpus.py build SRC OUT              clones what SRC lacks, compiles each program into OUT
    scripts/corpus.py count OUT COUNTED.csv      runs each under `wideload prof`
    scripts/corpus.py read OUT 1.csv 2.csv       runs each under ncu, as often as files are named
    scripts/corpus.py compare COUNTED.csv 1.csv 2.csv    says what differs; --write renews docs/counters.md

tests/corpus/programs.json lists the programs: repository and folder, sources, nvcc's flags, sed scripts that make
problems smaller, data, arguments, how many launches are read, and of some why their figures are not held.  `read` needs
Python, ncu, this script with tests/counters/nsight.py and programs.json, and OUT.  It adds to the files that it finds,
so that it can go on where it was; a program that fails or hangs is named, and what was read of it is kept.
"""
import argparse
import collections
import concurrent.futures
import csv
import glob
import io
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
LIST = os.path.join(ROOT, "tests", "corpus", "programs.json")
PAGE = os.path.join(ROOT, "docs", "counters.md")
BEGIN, END = "<!-- corpus -->\n", "<!-- /corpus -->\n"
sys.path.insert(0, os.path.join(ROOT, "tests", "counters"))
from nsight import METRICS, shape, table  # pylint: disable=wrong-import-position

COUNTERS = [name for name in METRICS if re.match(r"global_|g(ld|st)_tr|local_|shared_", name)]
PLACE = ["program", "launch", "kernel", "grid", "block"]
UNCERTAIN = "uncertain"


def say(text):
    print(text, file=sys.stderr, flush=True)


def programs_of(options):
    with open(LIST, encoding="utf-8") as file:
        document = json.load(file)
    wanted = [p for p in document["programs"] if not options.only or p["program"] in options.only]
    return document["repositories"], wanted


# ---------------------------------------------------------------- building


def fetch(repository, commit, folder):
    if not os.path.isdir(folder):
        subprocess.run(["git", "clone", "--quiet", f"https://github.com/{repository}", folder], check=True)
        subprocess.run(["git", "-C", folder, "checkout", "--quiet", commit], check=True)


def build_one(program, source, out):
    """Builds in a patched copy beside the program's folder, so that relative includes are found."""
    name, folder = program["program"], os.path.join(source, program["folder"])
    place = os.path.join(out, name)
    os.makedirs(place, exist_ok=True)
    copy = tempfile.mkdtemp(prefix=os.path.basename(folder), dir=os.path.dirname(folder))
    try:
        shutil.copytree(folder, copy, dirs_exist_ok=True)
        for pattern, script in program.get("patch", {}).items():
            for file in glob.glob(os.path.join(copy, pattern)):
                subprocess.run(["sed", "-i", "-E", script, file], check=True)
        command = ["nvcc", "-w", "-O3", "-arch=sm_90", "-cudart", "shared", *shlex.split(program.get("flags", "")),
                   "-o", os.path.abspath(os.path.join(place, "program")), *program["sources"].split()]
        done = subprocess.run(command, cwd=copy, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode:
            return done.stderr or done.stdout
        subprocess.run(["strip", os.path.join(place, "program")], check=True)
        for file in program.get("data", []):
            shutil.copy(os.path.join(copy, file), place)
        if "setup" in program:
            subprocess.run(["bash", "-c", program["setup"]], cwd=place, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        return str(error)
    finally:
        shutil.rmtree(copy)
    return None


def build(options):
    repositories, programs = programs_of(options)
    folders = {name: os.path.join(options.source, name.split("/")[1]) for name in repositories}
    for name in sorted({program["repository"] for program in programs}):
        fetch(name, repositories[name], folders[name])
    missing = [p for p in programs if not os.path.exists(os.path.join(options.out, p["program"], "program"))]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        errors = list(pool.map(lambda p: build_one(p, folders[p["repository"]], options.out), missing))
    for program, error in zip(missing, errors):
        if error:
            say(f"{program['program']}: does not build: {error}")
    return 1 if any(errors) else 0


# ---------------------------------------------------------------- running


class Rows:
    """A table that is written program by program."""

    def __init__(self, path, columns):
        self.path, self.columns = path, columns
        fresh = not os.path.exists(path) or not os.path.getsize(path)
        self.done = set() if fresh else {row["program"] for row in table(path)}
        if fresh:
            self.append([dict(zip(columns, columns))])

    def append(self, rows):
        with open(self.path, "a", newline="", encoding="utf-8") as file:
            csv.DictWriter(file, self.columns, extrasaction="ignore", lineterminator="\n").writerows(rows)


def run(command, place, timeout):
    """Exit status, or None where the program, and all that it started, had to be killed."""
    with open(os.path.join(place, "log"), "wb") as log, subprocess.Popen(
            command, cwd=place, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True) as process:
        try:
            return process.wait(timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return None


def why(place, status):
    with open(os.path.join(place, "log"), encoding="utf-8", errors="replace") as file:
        lines = file.read().strip().splitlines()
    return ("it hung" if status is None else f"status {status}") + (f": {lines[-1]}" if lines else "")


def launch_row(program, number, kernel, grid, block, counters):
    return {"program": program["program"], "launch": number, "kernel": kernel, "grid": "x".join(map(str, grid)),
            "block": "x".join(map(str, block)), **counters}


def marks(launch):
    """The metrics of a launch that wideload says may not be hardware's."""
    return launch.get(UNCERTAIN) or {}


def counted(program, place, options):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "prof.json")
        command = [os.path.abspath(options.wideload), "prof", "--each", "--json", path,
                   f"--launch-count={program['launches']}",
                   "--output", os.path.join(folder, "report"), "./program", *shlex.split(program.get("arguments", ""))]
        status = run(command, place, options.timeout)
        if status or not os.path.exists(path):
            return None, why(place, status)
        with open(path, encoding="utf-8") as file:
            launches = json.load(file)["launches"]
    faults = [launch["fault"]["text"] for launch in launches if "fault" in launch]
    if faults:
        return None, faults[0]
    return [launch_row(program, i, launch["kernel"], launch["grid"], launch["block"],
                       {**launch["metrics"], UNCERTAIN: " ".join(sorted(marks(launch)))})
            for i, launch in enumerate(launches, 1)], None


def readings(text):
    """The rows of ncu's raw page: its lines begin where the table does, and a line of units follows the names."""
    start = re.search(r'^"ID",', text, re.MULTILINE)
    rows = list(csv.DictReader(io.StringIO(text[start.start():]))) if start else []
    return [row for row in rows if (row["ID"] or "").isdigit()]


def read_one(program, place, options):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "ncu.csv")
        command = [options.ncu, "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none",
                   "--cache-control", "none", "--metrics", ",".join(METRICS[name] for name in COUNTERS),
                   "--launch-count", str(program["launches"]), "--log-file", path,
                   "./program", *shlex.split(program.get("arguments", ""))]
        status = run(command, place, options.timeout)
        text = ""
        if os.path.exists(path):
            with open(path, encoding="utf-8", errors="replace") as file:
                text = file.read()
    rows = [launch_row(program, i, row["Kernel Name"], shape(row["Grid Size"]), shape(row["Block Size"]),
                       {name: row.get(METRICS[name], "").replace(",", "") for name in COUNTERS})
            for i, row in enumerate(readings(text), 1)]
    error = None
    if status or not rows:
        error = "; ".join([why(place, status), *(line for line in text.splitlines() if line.startswith("==ERROR=="))])
    return rows, error


def run_all(options, path, one, columns):
    """Returns the number of programs without rows."""
    rows, failed = Rows(path, columns), 0
    for program in programs_of(options)[1]:
        if program["program"] in rows.done:
            continue
        if time.monotonic() + options.timeout / 4 > options.end:
            say(f"{path}: no time is left for {program['program']} and what follows")
            return failed + 1
        place, began = os.path.join(options.out, program["program"]), time.monotonic()
        if not os.path.exists(os.path.join(place, "program")):
            found, error = None, "it is not built"
        else:
            found, error = one(program, place, options)
        rows.append(found or [])
        failed += not found
        words = [f"{len(found or [])} launches", f"{time.monotonic() - began:.1f} s", *([error] if error else [])]
        say(f"{program['program']}: {', '.join(words)}")
    return failed


def count(options):
    options.end = float("inf")
    return 1 if run_all(options, options.counted, counted, [*PLACE, *COUNTERS, UNCERTAIN]) else 0


def read(options):
    options.end = time.monotonic() + options.limit
    # The runtime that the programs were linked to may lie beside them.
    library = os.path.join(os.path.abspath(options.out), "lib")
    os.environ["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, [library, os.environ.get("LD_LIBRARY_PATH")]))
    failed = [run_all(options, path, read_one, [*PLACE, *COUNTERS]) for path in options.readings]
    return 1 if any(failed) else 0


# ---------------------------------------------------------------- comparing


def bare(kernel):
    """The function's name alone: demanglers write types, scopes and arguments in their own ways."""
    kernel = kernel.replace("(anonymous namespace)::", "").replace("<unnamed>::", "")
    while re.search(r"<[^<>]*>", kernel):
        kernel = re.sub(r"<[^<>]*>", "", kernel)
    return kernel.partition("(")[0].split()[-1].rpartition("::")[2]


def same_launch(ours, theirs):
    return (bare(ours["kernel"]), ours["grid"], ours["block"]) == (
        bare(theirs["kernel"]), theirs["grid"], theirs["block"])


def judged(ours, theirs):
    """Yields (counter, kind, figures) of one launch; kind is "equal", "differ", or "vary" between the readings."""
    for name in COUNTERS:
        figures = [int(float(row[name])) for row in theirs if row[name] not in ("", "n/a")]
        if figures:
            kind = "vary" if len(set(figures)) > 1 else "equal" if figures[0] == int(ours[name]) else "differ"
            yield name, kind, figures


def by_program(path):
    programs = collections.OrderedDict()
    for row in table(path):
        programs.setdefault(row["program"], []).append(row)
    return programs


def compare_program(name, ours, hardware, tally):
    """Adds to the tally: figures by (marked, kind), launches, launches with a mark, and launches equal in all."""
    if any(len(rows) != len(ours) for rows in hardware):
        print(f"{name}: {len(ours)} launches, {', '.join(str(len(rows)) for rows in hardware)} on hardware")
        tally["broken"] += 1
    for row, *theirs in zip(ours, *hardware):
        where = f"{name}, launch {row['launch']}, {bare(row['kernel'])}"
        wrong = [other for other in theirs if not same_launch(row, other)]
        if wrong:
            other = wrong[0]
            print(f"{where}: on hardware {bare(other['kernel'])} of {other['grid']} blocks of {other['block']}")
            # Where the host goes by what is marked, it may make other launches.
            tally["broken"] += not row[UNCERTAIN]
            continue
        marked, kinds = row[UNCERTAIN].split(), set()
        for counter, kind, figures in judged(row, theirs):
            tally[counter in marked, kind] += 1
            kinds.add((counter in marked, kind))
            if kind != "equal" or counter in marked:
                print(f"{where}: {'marked ' * (counter in marked)}{counter} {row[counter]}, hardware "
                      f"{' or '.join(map(str, dict.fromkeys(figures)))} ({kind})")
        whole = all(kind == "equal" for _, kind in kinds)
        tally["launches"] += 1
        tally["marked"] += bool(marked)
        tally["whole"] += whole
        tally["needless"] += bool(marked) and whole
    return tally


KINDS = [(marked, kind) for marked in (False, True) for kind in ("equal", "differ", "vary")]
HEADING = ("| program | launches | equal in all | with a mark | and equal in all | figures equal | differ | vary "
           "| marked and equal | differ | vary |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n")


def line(name, tally):
    cells = [tally["launches"], tally["whole"], tally["marked"], tally["needless"], *(tally[kind] for kind in KINDS)]
    return f"| {name} | " + " | ".join(map(str, cells)) + " |\n"


def renew(text, made):
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"{PAGE} has no {BEGIN.strip()} and {END.strip()}")
    return before + begin + made + end + after


def compare(options):
    undetermined = {p["program"]: p["undetermined"] for p in programs_of(options)[1] if "undetermined" in p}
    ours, hardware = by_program(options.counted), [by_program(path) for path in options.readings]
    page, total, held = HEADING, collections.Counter(), 0
    for name, rows in ours.items():
        read_of_it = [reading[name] for reading in hardware if name in reading]
        if name in undetermined:
            print(f"{name}: {undetermined[name]}")
            continue
        if not read_of_it:
            print(f"{name}: not read on hardware")
            continue
        tally = compare_program(name, rows, read_of_it, collections.Counter())
        page, held = page + line(f"`{name}`", tally), held + 1
        total += tally
    page += line(f"all {held}", total)
    print(page, end="")
    if options.write:
        with open(PAGE, encoding="utf-8") as file:
            text = renew(file.read(), page)
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(text)
    return 1 if total["broken"] or total[False, "differ"] or total[False, "vary"] or not held else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    built = commands.add_parser("build", help="compile the programs")
    built.add_argument("source", metavar="SRC", help="a folder of clones, by the repositories' names")
    built.add_argument("--jobs", "-j", type=int, default=os.cpu_count(), help="compilers at a time")
    counts = commands.add_parser("count", help="run them under wideload prof")
    counts.add_argument("--wideload", default=os.path.join(ROOT, "build", "wideload"), help="(build/wideload)")
    reads = commands.add_parser("read", help="run them under Nsight Compute, on a GPU")
    reads.add_argument("--ncu", default="ncu", help="Nsight Compute's command")
    reads.add_argument("--limit", type=float, default=float("inf"), help="seconds for all of it")
    for command in (built, counts, reads):
        command.add_argument("out", metavar="OUT", help="a folder per program, with what it needs")
        command.add_argument("--only", nargs="*", metavar="PROGRAM", help="these alone")
    for command in (counts, reads):
        command.add_argument("--timeout", type=float, default=60, help="seconds for a program (60)")
    held = commands.add_parser("compare", help="hold one to the other; status 1 where an unmarked figure differs")
    held.add_argument("--write", action="store_true", help="renew the table in docs/counters.md")
    held.set_defaults(only=None)
    for command in (counts, held):
        command.add_argument("counted", metavar="COUNTED.csv", help="the simulator's counters")
    for command in (reads, held):
        command.add_argument("readings", nargs="+", metavar="READING.csv", help="the hardware's, a file a reading")
    options = parser.parse_args()
    return {"build": build, "count": count, "read": read, "compare": compare}[options.command](options)


if __name__ == "__main__":
    sys.exit(main())
