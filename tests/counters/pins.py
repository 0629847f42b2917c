#!/usr/bin/env python3
"""Holds the bench's counters on the simulator to pins.csv.

usage: pins.py WIDELOAD PINS.CSV

Efficiencies are compared to the digits that the table gives; everything else exactly.
"""
import csv
import json
import subprocess
import sys


def rows_of(wideload, arch, experiments):
    command = [wideload, "bench", *experiments, "--device", "sim", "--arch", arch, "--json", "-"]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    result = json.loads(done.stdout)
    assert result["device"]["arch"] == arch, result["device"]
    return {
        (row["experiment"], row["kernel"], "" if row["params"].get("offset") is None else str(row["params"]["offset"])): row
        for row in result["rows"]
    }


def main():
    wideload, table = sys.argv[1:]
    with open(table, encoding="utf-8") as lines:
        pins = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    wrong = 0
    for arch in dict.fromkeys(pin["arch"] for pin in pins):
        mine = [pin for pin in pins if pin["arch"] == arch]
        rows = rows_of(wideload, arch, list(dict.fromkeys(pin["experiment"] for pin in mine)))
        for pin in mine:
            row = rows[pin["experiment"], pin["kernel"], pin["offset"]]
            got = row["counters"][pin["counter"]]
            digits = len(pin["value"].partition(".")[2])
            if row["verified"] is not True or round(got, digits) != float(pin["value"]):
                wrong += 1
                print(f"{pin}: got {got}, verified {row['verified']}")
    print(f"{len(pins)} pins, {wrong} wrong")
    return 1 if wrong else 0


sys.exit(main())
