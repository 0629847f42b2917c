#!/usr/bin/env python3
"""The program runs every rung of the ladder on the simulator: at sizes that fit no block, warp or vector, at offsets
past the end, with the smallest, an odd and the largest block, and with every number of accesses per thread.

usage: test_sizes.py WIDELOAD

The bench compares every element itself; here each row must be present, verified and not skipped.
"""
import json
import re
import subprocess
import sys

ELEMENTWISE = ["copy", "add", "read-offset", "write-offset", "stride", "layout", "shared"]
MATRICES = ["transpose", "csr-transpose", "redistribute"]
# The library's operations, with the options tested at every size and the number of variants that these make.
OPERATIONS = {
    "copy-any": (["--from-shift", "0,1,3,15", "--to-shift", "0,2,5"], 12),
    "add-any": (["--type", "i8,i16,i32,i64,u8,u16,u32,u64,f16,bf16,f32,f64", "--from-shift", "0,1", "--to-shift", "0,3"], 48),
    "transpose-any": (["--width", "1,2,4,8,16"], 5),
    "transpose-inplace": (["--width", "1,2,4,8,16"], 5),
    "deinterleave": (["--width", "1,2,4,8,16", "--fields", "1:5,8,17,i8+f32x3+f64,packed:i8+i16+f64"], 37),
    "interleave": (["--width", "1,2,4,8,16", "--fields", "1:5,8,17,i8+f32x3+f64,packed:i8+i16+f64"], 37),
    "permute": (["--width", "1,2,4,8,16"], 5),
}
OPERATION_SIZES = {
    "transpose-any": ["1", "1x4097", "4097x1", "33x65", "3x100x7", "5x64x64", "2x3x1000", "257x129"],
    "transpose-inplace": ["1", "1x4097", "64", "33x65", "100x3", "129"],
    "permute": ["1@0", "33x65@10", "17x9x33@210", "17x9x33@102", "8x6x9x4@0213", "5x7x3x2x11@41203", "4x3x5x4x3x4@230451",
                "2x3x2x2x3x2x3x2@76543210", "1x7x1x9@3120"],
}
STRIDES = [1, 7]
BLOCKS = [32, 96, 1024]
UNROLLS = [1, 2, 4, 8]


def cases():
    """Yields (experiments, size, offsets, blocks, unrolls); None in the last two means each rung's own."""
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
    """{experiment: {rung: {its options: block, unroll}}}, from `wideload list`."""
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


def check_matrices(wideload, rungs):
    """The same for csr-transpose and matrices of each kind."""
    command = [wideload, "bench", "csr-transpose", "--device", "sim", "--matrix", "twelve-small", "--json", "-"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    rows = json.loads(done.stdout)["rows"] if done.stdout else []
    complaints = [f"{row['kernel']} {row['params']}: {row['error'] or row['skipped']}" for row in rows if row["verified"] is not True]
    if done.returncode or len(rows) != 12 * len(rungs["csr-transpose"]):
        complaints.append(f"twelve-small: status {done.returncode}, {len(rows)} rows")
    return complaints, len(rows)


def check_operations(wideload, rungs):
    """Errors of the library's operations, and the number of rows."""
    complaints, total = [], 0
    for name, (options, variants) in OPERATIONS.items():
        sizes = OPERATION_SIZES.get(name, ["0", "1", "7", "33", "1000", "4099"])
        command = [wideload, "bench", name, "--device", "sim", "--size", ",".join(sizes), *options, "--json", "-"]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        rows = json.loads(done.stdout)["rows"] if done.stdout else []
        total += len(rows)
        if done.returncode or len(rows) != len(sizes) * variants * len(rungs[name]):
            complaints.append(f"{name}: status {done.returncode}, {len(rows)} rows")
        complaints += [f"{name} {row['kernel']} {row['params']}: {row['error'] or row['skipped']}"
                       for row in rows if row["verified"] is not True]
    return complaints, total


def main():
    wideload = sys.argv[1]
    rungs = ladder(wideload)
    known = {name for experiments, *_ in cases() for name in experiments} | set(OPERATIONS)
    complaints = [f"{name} is tried at no size" for name in rungs if name not in known]
    found, total = check_operations(wideload, rungs)
    complaints += found
    found, more = check_matrices(wideload, rungs)
    complaints += found
    total += more
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
