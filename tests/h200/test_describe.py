#!/usr/bin/env python3
"""test_describe.py PROGRAM FATBIN LIBRARIES

Compares the simulator's description of its device with an H200's (h200.txt), except where differences.txt gives a
reason.  A reason that explains nothing is an error too.  No simulated device reports 0 where programs divide.
"""
import fnmatch
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from sanitized import sanitized  # noqa: E402

DEVICES = ["fermi", "fermi-l2", "kepler", "maxwell", "pascal", "sm_70", "sm_72", "sm_75", "sm_80", "sm_86", "sm_87", "sm_89",
           "sm_90", "sm_100", "sm_120"]
DIVISORS = ["CLOCK_RATE", "MEMORY_CLOCK_RATE", "GLOBAL_MEMORY_BUS_WIDTH", "MULTIPROCESSOR_COUNT", "WARP_SIZE", "L2_CACHE_SIZE",
            "MAX_THREADS_PER_BLOCK", "MAX_THREADS_PER_MULTIPROCESSOR", "MAX_BLOCKS_PER_MULTIPROCESSOR", "ASYNC_ENGINE_COUNT",
            "MAX_SHARED_MEMORY_PER_BLOCK", "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR", "MAX_REGISTERS_PER_BLOCK",
            "MAX_REGISTERS_PER_MULTIPROCESSOR", "SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO", "TEXTURE_ALIGNMENT",
            "COMPUTE_CAPABILITY_MAJOR"]


def facts(text):
    return dict(line.split(" ", 1) for line in text.splitlines())


def ask(program, fatbin, libraries, device):
    environment = sanitized(dict(os.environ, LD_LIBRARY_PATH=f"{libraries}/wideload", WIDELOAD_ARCH=device))
    done = subprocess.run([program, fatbin], env=environment, capture_output=True, text=True, check=True)
    return facts(done.stdout)


def main():
    program, fatbin, libraries = sys.argv[1:]
    wanted = facts((HERE / "h200.txt").read_text())
    reasons = [line.split()[0] for line in (HERE / "differences.txt").read_text().splitlines() if not line.startswith("#")]
    used, wrong = set(), 0
    assert len(wanted) > 1500
    for device in DEVICES:
        got = ask(program, fatbin, libraries, device)
        for name in DIVISORS:
            value = next(v for k, v in got.items() if k.startswith("attribute.") and k.endswith("." + name))
            if int(value) <= 0:
                print(f"{device}: {name} is {value}")
                wrong += 1
        if device != "sm_90":
            continue
        for name in sorted(wanted):
            if wanted[name] == got.get(name):
                continue
            matching = {pattern for pattern in reasons if fnmatch.fnmatchcase(name, pattern)}
            used |= matching
            if not matching:
                print(f"{name}: {got.get(name)}, an H200: {wanted[name]}")
                wrong += 1
    for pattern in reasons:
        if pattern not in used:
            print(f"differences.txt: {pattern}: there is no such difference")
            wrong += 1
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
