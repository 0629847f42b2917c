#!/usr/bin/env python3
"""Compares wideload prof's figures for a program with Nsight Compute's on an H200, launch by launch.

usage: programs.py WIDELOAD FOLDER NAME PROGRAM [ARGUMENT...]

FOLDER has NAME.csv, the hardware's counters; NAME.expected, the program's output, with # for times and what depends on
them; and differences.csv, every figure that differs from the hardware's, with its cause.  A figure that differs and is
not listed fails, and so does a listed one that no longer differs.  Each must be marked, except where arbitration
changed the hardware's.  marks.csv has the number of marked figures, and of those among them that are equal.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from nsight import ARBITRATED, METRICS, plain, shape, table  # pylint: disable=wrong-import-position
from marks import Marks  # pylint: disable=wrong-import-position
from sanitized import sanitized  # pylint: disable=wrong-import-position


def profiled(wideload, command):
    # A sanitizer's library must be loaded first, and complains otherwise.
    environment = sanitized({**os.environ})
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "report.json")
        done = subprocess.run([wideload, "prof", "--output", os.path.join(folder, "report"), "--json", path, *command],
                              stdout=subprocess.PIPE, text=True, env=environment, check=True)
        with open(path, encoding="utf-8") as file:
            return done.stdout, json.load(file)


def masked(output):
    return re.sub(r" +[\d.]+ ms.*", " # ms", output)


def differences(rows, launches, marks):
    """Yields (launch, kernel, metric, ours, the hardware's) for each difference."""
    for number, (row, launch) in enumerate(zip(rows, launches), 1):
        if (plain(row["kernel"]) != plain(launch["kernel"]) or shape(row["grid"]) != launch["grid"]
                or shape(row["block"]) != launch["block"]):
            yield number, plain(row["kernel"]), "kernel", plain(launch["kernel"]), plain(row["kernel"])
        for ours, name in METRICS.items():
            exact = name in row
            name = name if exact else ARBITRATED.get(ours)
            if name not in row:
                continue
            got, wanted = launch["metrics"][ours], row[name]
            # Without accesses there is no efficiency; Nsight Compute prints 0.
            got = 0 if got is None else round(got, len(wanted.partition(".")[2]))
            if exact:
                marks.judge(number, launch, ours, got == float(wanted))
            if got != float(wanted):
                yield number, plain(row["kernel"]), ours, str(got), wanted


def main():
    wideload, folder, name, *command = sys.argv[1:]
    output, document = profiled(wideload, command)
    rows = table(os.path.join(folder, name + ".csv"))
    known = {(int(row["launch"]), row["kernel"], row["metric"], row["ours"], row["hardware"])
             for row in table(os.path.join(folder, "differences.csv")) if row["program"] == name}
    marks = Marks()
    found = set(differences(rows, document["launches"], marks))
    complaints = marks.complaints(folder, name)
    for what, those in (("is not the hardware's", found - known), ("no longer differs so", known - found)):
        for launch, kernel, metric, ours, hardware in sorted(those):
            print(f"launch {launch}, {kernel}: {metric} {what}: {ours}, hardware {hardware}")
    with open(os.path.join(folder, name + ".expected"), encoding="utf-8") as file:
        same_output = masked(output) == file.read()
    if not same_output:
        print(f"the output is not that of {name}.expected:\n{masked(output)}", end="")
    if len(rows) != len(document["launches"]):
        print(f"{len(document['launches'])} launches, on hardware {len(rows)}")
    print("".join(f"{text}\n" for text in complaints), end="")
    print(f"{len(rows)} launches, {len(found)} figures differ, marks {marks.counts()}")
    right = rows and found == known and same_output and not complaints
    return 0 if right and len(rows) == len(document["launches"]) else 1


sys.exit(main())
