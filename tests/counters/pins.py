#!/usr/bin/env python3
"""Compares the bench's counters on the simulator with the hardware's and with the texts' figures.

usage: pins.py WIDELOAD PINS.CSV HARDWARE.CSV [EXPERIMENT-TO-LEAVE-OUT...]

PINS.CSV has one line per figure, HARDWARE.CSV one per row of the bench.  Efficiencies are compared to the digits in the
table; everything else exactly.
"""
import csv
import json
import subprocess
import sys


def table(name):
    with open(name, encoding="utf-8") as lines:
        return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def read_pins(pins_name, hardware_name):
    """Yields (arch, (experiment, kernel, offset, stride), counter, value as written)."""
    for pin in table(pins_name):
        yield pin["arch"], (pin["experiment"], pin["kernel"], pin["offset"], ""), pin["counter"], pin["value"]
    for row in table(hardware_name):
        key = (row.pop("experiment"), row.pop("kernel"), row.pop("offset"), row.pop("stride"))
        for counter, value in row.items():
            if value:
                yield "sm_90", key, counter, value


def run_bench(wideload, arch, experiments):
    command = [wideload, "bench", *experiments, "--device", "sim", "--arch", arch, "--json", "-"]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    result = json.loads(done.stdout)
    assert result["device"]["arch"] == arch, result["device"]

    def text(value):
        return "" if value is None else str(value)

    return {
        (row["experiment"], row["kernel"], text(row["params"]["offset"]), text(row["params"]["stride"])): row
        for row in result["rows"]
    }


def main():
    wideload, pins_name, hardware_name, *left_out = sys.argv[1:]
    pins = [pin for pin in read_pins(pins_name, hardware_name) if pin[1][0] not in left_out]
    wrong = 0
    for arch in dict.fromkeys(pin[0] for pin in pins):
        mine = [pin for pin in pins if pin[0] == arch]
        rows = run_bench(wideload, arch, list(dict.fromkeys(pin[1][0] for pin in mine)))
        for _, key, counter, value in mine:
            row = rows[key]
            got = row["counters"][counter]
            digits = len(value.partition(".")[2])
            # Without accesses there is no efficiency; Nsight Compute prints 0.
            same = round(got, digits) == float(value) if got is not None else float(value) == 0
            if row["verified"] is not True or not same:
                wrong += 1
                print(f"{arch} {' '.join(key)}: {counter} is {got}, not {value} (verified: {row['verified']})")
    print(f"{len(pins)} figures, {wrong} wrong" + "".join(f", without {name}" for name in left_out))
    return 1 if wrong or not pins else 0


sys.exit(main())
