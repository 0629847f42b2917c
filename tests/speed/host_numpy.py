#!/usr/bin/env python3
"""The host device beside NumPy: host_numpy.py HOST_SPEED [SAMPLES]

Runs host_speed, times NumPy with the same arrays, and prints a line per case and the geometric means.  NumPy writes to
an array that exists, as the library does."""
import math
import re
import subprocess
import sys
import time

import numpy

TYPES = {1: "u1", 2: "u2", 4: "u4", 8: "u8", 16: "c16"}
SUMS = {"I8": "i1", "I16": "i2", "I32": "i4", "I64": "i8", "U8": "u1", "U16": "u2", "U32": "u4", "U64": "u8", "F16": "f2",
        "F32": "f4", "F64": "f8"}


def least_time(call, samples):
    times = []
    for _ in range(samples):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return min(times)


def time_permute(width, sizes, order, samples):
    array = numpy.ones(sizes, TYPES[width])
    out = numpy.ones([sizes[d] for d in order], TYPES[width])
    return least_time(lambda: numpy.copyto(out, array.transpose(order)), samples)


def time_add(kind, count, samples):
    a, b, out = (numpy.ones(count, SUMS[kind]) for _ in range(3))
    return least_time(lambda: numpy.add(a, b, out=out), samples)


def main():
    samples = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    ran = subprocess.run([sys.argv[1], str(samples)], check=True, capture_output=True, text=True).stdout
    gains = {"matrices": [], "others": [], "sums": []}
    print(ran.splitlines()[0] + f", NumPy {numpy.__version__}")
    for line in ran.splitlines()[1:]:
        found = re.match(r"(permute|add) (\w+) ([\dx]+)(?: ([\d,]+))? +([\d.]+) GB/s .* ratio +([\d.]+) +([\d.]+) s", line)
        what, first, sizes, order, speed, ratio, taken = found.groups()
        if what == "add" and first not in SUMS:
            continue
        if what == "add":
            numpys, kind = time_add(first, int(sizes), samples), "sums"
        else:
            sizes = [int(size) for size in sizes.split("x")]
            order = [int(d) for d in order.split(",")]
            numpys, kind = time_permute(int(first), sizes, order, samples), "matrices" if len(sizes) == 2 else "others"
        gains[kind].append(numpys / float(taken))
        print(f"{line[:44]} {speed:>6} GB/s  {ratio:>5} of memcpy  {gains[kind][-1]:6.2f} x NumPy", flush=True)
    for kind, all_gains in gains.items():
        mean = math.exp(sum(map(math.log, all_gains)) / len(all_gains))
        print(f"{kind}: {mean:.2f} x NumPy in the geometric mean of {len(all_gains)}, at least {min(all_gains):.2f}")


if __name__ == "__main__":
    main()
