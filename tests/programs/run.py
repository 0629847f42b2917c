#!/usr/bin/env python3
"""Runs one program under `wideload prof` and compares its output and its launches' counters.

usage: run.py [--preload-first LIBRARY] WIDELOAD PROGRAM FOLDER

FOLDER/NAME.expected has the program's output on an H200.  FOLDER/counters.csv has Nsight Compute's counters there, one
line per launch in order, for some programs; the simulator's must be equal.  Where ptxas made other accesses than PTX
has, FOLDER/differences.csv has the figures and the reason, and both figures must match.  Each figure that differs must
be marked; FOLDER/marks.csv has the number of marked figures, and of those among them that are equal.
"""
import argparse
import csv
import difflib
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from marks import Marks  # pylint: disable=wrong-import-position

PLACE = ("program", "launch", "kernel", "grid", "block")


def rows_of(folder, table, program):
    with open(os.path.join(folder, table), encoding="utf-8") as lines:
        reader = csv.DictReader(line for line in lines if not line.startswith("#"))
        return [row for row in reader if row["program"] == program]


def bare(kernel):
    """A kernel's name without what demanglers spell differently: its type, arguments and template arguments."""
    kernel = kernel.replace("(anonymous namespace)::", "").replace("<unnamed>::", "")
    kernel = re.sub(r"<.*>", "", kernel)
    return kernel.partition("(")[0].split()[-1].rpartition("::")[2]


def run(options, name):
    with tempfile.TemporaryDirectory() as folder:
        document = os.path.join(folder, "prof.json")
        environment = dict(os.environ)
        # A sanitizer's library may only come after ours in LD_PRELOAD, and it checks that; programs may leak memory.
        sanitizer = environment.get("ASAN_OPTIONS", "")
        environment["ASAN_OPTIONS"] = f"{sanitizer}:verify_asan_link_order=0:detect_leaks=0".lstrip(":")
        if options.preload_first:
            environment["LD_PRELOAD"] = options.preload_first
        done = subprocess.run(
            [options.wideload, "prof", "--json", document, "--output", os.path.join(folder, "report"),
             options.program],
            env=environment, capture_output=True, stdin=subprocess.DEVNULL, check=False)
        launches = []
        if os.path.exists(document):
            with open(document, encoding="utf-8") as file:
                launches = json.load(file)["launches"]
        return done.returncode, done.stdout.decode(), done.stderr.decode(), launches


def compare_launches(counters, differences, launches, marks):
    """Yields a line for each difference from the records."""
    if len(counters) != len(launches):
        yield f"{len(launches)} launches, not {len(counters)}"
    told = {(row["launch"], row["counter"]): row for row in differences}
    for number, (row, launch) in enumerate(zip(counters, launches), 1):
        where = f"launch {number}, {row['kernel']}"
        shape = ("x".join(map(str, launch["grid"])), "x".join(map(str, launch["block"])))
        if (bare(launch["kernel"]), *shape) != (row["kernel"], row["grid"], row["block"]):
            yield f"{where}: {launch['kernel']} of {shape[0]} blocks of {shape[1]}, not {row['grid']} of {row['block']}"
            continue
        for counter, hardware in row.items():
            if counter in PLACE or hardware == "":
                continue
            ours = launch["metrics"][counter]
            marks.judge(number, launch, counter, ours == int(hardware))
            told_here = told.pop((row["launch"], counter), None)
            if told_here is None:
                if ours != int(hardware):
                    yield f"{where}: {counter} is {ours}, not {hardware}"
            elif (str(ours), hardware) != (told_here["simulator"], told_here["hardware"]):
                yield (f"{where}: {counter} is {ours} here and {hardware} on hardware, and differences.csv says "
                       f"{told_here['simulator']} and {told_here['hardware']}")
            elif told_here["simulator"] == told_here["hardware"]:
                yield f"{where}: {counter} does not differ, differences.csv says that it does"
    for launch, counter in told:
        yield f"differences.csv tells of launch {launch}, {counter}, which was not compared"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--preload-first")
    parser.add_argument("wideload")
    parser.add_argument("program")
    parser.add_argument("folder")
    options = parser.parse_args()
    name = os.path.basename(options.program)
    status, output, errors, launches = run(options, name)
    with open(os.path.join(options.folder, name + ".expected"), encoding="utf-8") as file:
        expected = file.read()
    wrong = [f"exit status {status}"] if status else []
    wrong += difflib.unified_diff(expected.splitlines(), output.splitlines(), "expected", "printed", lineterm="")
    counters = rows_of(options.folder, "counters.csv", name)
    if counters:
        marks = Marks()
        wrong += compare_launches(counters, rows_of(options.folder, "differences.csv", name), launches, marks)
        wrong += marks.complaints(options.folder, name)
    if wrong:
        print("\n".join(wrong))
        print(errors, end="")
    else:
        print(f"{len(launches)} launches, counters of {len(counters)} compared")
    return 1 if wrong else 0


sys.exit(main())
