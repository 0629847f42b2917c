#!/usr/bin/env python3
"""Every rung of the ladder, run by the program on the simulator, is right at sizes that fit no block, warp or
vector, at offsets that pass the end, at the least, an odd and the largest block, and with every number of
accesses a thread.

usage: test_sizes.py WIDELOAD

The bench compares every element itself; here each row has to be there, verified and not skipped.
"""
import json
import re
import subprocess
import sys

ELEMENTWISE = ["copy", "add", "read-offset", "write-offset", "stride", "layout", "shared"]
MATRICES = ["transpose", "csr-transpose"]
STRIDES = [1, 7]
BLOCKS = [32, 96, 1024]
UNROLLS = [1, 2, 4, 8]


def cases():
    """Yields (experiments, size, offsets, blocks, unrolls), where none of the last two means each rung's own."""
    for size in [0, 1, 31, 33, 1000, 2**20 + 7]:
        yield ELEMENTWISE, str(size), [0, 11, size + 5], [], []
    yield ["copy", "add", "read-offset", "write-offset"], "0,1,2,31,33,1000,8191,8193", [0, 1, 11, 8200], [], UNROLLS
    for size in ["1x1", "1x4097", "4097x1", "33x65", "1000x1777"]:
        yield MATRICES, size, [], [], []
    for size in ["1x1x1", "1x4097x3", "33x65x31", "100x129x257"]:
        yield ["matmul"], size, [], [], []
    yield ELEMENTWISE, "100003", [0, 11, 100008], BLOCKS, UNROLLS
    yield MATRICES, "333x100", [], BLOCKS, []
    yield ["matmul"], "33x65x31", [], BLOCKS, []


def ladder(wideload):
    """{experiment: {rung: {what of it can be chosen: block, unroll}}}, as `wideload list` tells it."""
    listed = subprocess.run([wideload, "list"], stdout=subprocess.PIPE, text=True, check=True).stdout
    experiments = {}
    for line in listed.splitlines():
        if heading := re.match(r"([a-z-]+): ", line):
            rungs = experiments.setdefault(heading[1], {})
        elif name := re.match(r"  ([a-z][\w-]*) ", line):
            rung = name[1]
            rungs[rung] = {"block": True, "unroll": False}
        elif line.startswith("       "):
            rungs[rung]["block"] &= "(fixed)" not in line
            rungs[rung]["unroll"] |= "; unroll " in line
    return experiments


def expected(rungs, experiment, size, offsets, blocks, unrolls):
    variants = {"read-offset": len(offsets), "write-offset": len(offsets), "stride": len(STRIDES)}
    each = sum((len(blocks) or 1 if has["block"] else 1) * (len(unrolls) or 1 if has["unroll"] else 1)
               for has in rungs.values())
    return len(size.split(",")) * variants.get(experiment, 1) * each


def run(wideload, experiments, size, offsets, blocks, unrolls):
    command = [wideload, "bench", *experiments, "--device", "sim", "--size", size, "--json", "-"]
    for option, values in [("--offset", offsets), ("--stride", STRIDES if "stride" in experiments else []),
                           ("--block", blocks), ("--unroll", unrolls)]:
        if values:
            command += [option, ",".join(map(str, values))]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if not done.stdout:
        sys.exit(f"{' '.join(command)}: status {done.returncode} and no result")
    return done.returncode, json.loads(done.stdout)["rows"]


def main():
    wideload = sys.argv[1]
    rungs = ladder(wideload)
    known = {name for experiments, *_ in cases() for name in experiments}
    complaints = [f"{name} is tried at no size" for name in rungs if name not in known]
    total = 0
    for experiments, size, offsets, blocks, unrolls in cases():
        status, rows = run(wideload, experiments, size, offsets, blocks, unrolls)
        total += len(rows)
        if status:
            complaints.append(f"{' '.join(experiments)} at {size}: status {status}")
        for experiment in experiments:
            found = sum(row["experiment"] == experiment for row in rows)
            wanted = expected(rungs[experiment], experiment, size, offsets, blocks, unrolls)
            if found != wanted:
                complaints.append(f"{experiment} at {size}: {found} rows, not {wanted}")
        complaints += [f"{row['experiment']} {row['kernel']} {row['params']}: {row['error'] or row['skipped']}"
                       for row in rows if row["verified"] is not True]
    print("\n".join(complaints + [f"{total} rows, {len(complaints)} complaints"]))
    return 1 if complaints or not total else 0


sys.exit(main())
