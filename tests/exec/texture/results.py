#!/usr/bin/env python3
"""Holds what texture fetches return to what an H200 returned, case by case.

usage: results.py WIDELOAD PROBE RESULTS          compares; ends with status 1 where a case differs
       results.py --record DUMP... RESULTS        writes RESULTS from what probe.cu wrote on a GPU; of a second dump,
                                                  the simulator's, come the cases that are known to differ

RESULTS has a line a case: its name, the status of making the texture object, how many words, their FNV-1a hash; and
`differs` behind those of filtered fetches and the like whose last bits are the hardware's own (docs/counters.md).
"""
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
from sanitized import sanitized  # pylint: disable=wrong-import-position

NAME = 72


def cases(path):
    with open(path, "rb") as file:
        data = file.read()
    at = 0
    while at < len(data):
        name = data[at:at + NAME].rstrip(b"\0").decode()
        status, count = struct.unpack_from("<ii", data, at + NAME)
        at += NAME + 8
        words = data[at:at + 4 * count]
        at += 4 * count
        value = 0xcbf29ce484222325
        for byte in words:
            value = (value ^ byte) * 0x100000001b3 & 0xffffffffffffffff
        yield name, f"{status} {count} {value:016x}"


def record(hardware, ours, path):
    known = dict(cases(ours))
    with open(path, "w", encoding="ascii") as file:
        for name, text in cases(hardware):
            file.write(f"{name} {text}{'' if known.get(name) == text else ' differs'}\n")


def compare(wideload, probe, path):
    with tempfile.TemporaryDirectory() as folder:
        dump = os.path.join(folder, "dump")
        done = subprocess.run([wideload, "prof", "--output", os.devnull, probe, dump], stderr=subprocess.PIPE, text=True,
                              env=sanitized({**os.environ}),
                              timeout=500, check=False)
        if done.returncode:
            sys.exit(f"{probe} ended with status {done.returncode}: {done.stderr}")
        ours = dict(cases(dump))
    equal = excused = wrong = 0
    with open(path, encoding="ascii") as file:
        for line in file:
            name, _, text = line.rstrip("\n").partition(" ")
            if text.endswith(" differs"):
                excused += 1
            elif ours.pop(name, None) == text:
                equal += 1
            else:
                wrong += 1
                print(f"{name}: not an H200's {text}")
    print(f"{equal} cases equal an H200's, {excused} are filtered in hardware's own precision, {wrong} differ")
    sys.exit(1 if wrong or not equal else 0)


if __name__ == "__main__":
    if len(sys.argv) != (5 if "--record" in sys.argv else 4):
        sys.exit(__doc__)
    if sys.argv[1] == "--record":
        record(*sys.argv[2:])
    else:
        compare(*sys.argv[1:])
