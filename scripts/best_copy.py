#!/usr/bin/env python3
"""How far the best copy kernel as the ladder has it is behind the best of all widths, accesses and blocks.

usage: scripts/best_copy.py RESULT.json [--within PCT]

RESULT.json comes from one run on a GPU, so that all its rows were timed beside each other:
    wideload bench copy --kernel scalar,vec2,vec4 --unroll 1,2,4,8 --block 128,512 --size 2^28 \\
        --device gpu --json RESULT.json
The ladder's own rows are those of 128 threads a block with one access a thread, and vec4 with four, which is
vec4-unroll4's kernel.  Ends with status 1 where they are behind by more than PCT per cent (1), 2 where the file is
not such a run.
"""
import argparse
import json
import sys

OWN_BLOCK = 128  # ladder/copy/copy.c
OWN = {("scalar", 1), ("vec2", 1), ("vec4", 1), ("vec4", 4)}


def fail(text):
    print(f"best_copy: {text}", file=sys.stderr)
    sys.exit(2)


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        rows = [row for row in document["rows"] if row["experiment"] == "copy" and row["time_ms"] is not None]
        sizes = {row["params"]["size"] for row in rows}
        tried = {(row["kernel"], row["params"]["unroll"], row["params"]["block"]) for row in rows}
    except (OSError, ValueError, KeyError, TypeError) as error:
        fail(f"{path} is no result of `wideload bench --json`: {error!r}")
    if not rows:
        fail(f"{path} has no timed row of copy; run it with --device gpu")
    if len(sizes) != 1:
        fail(f"{path} has {len(sizes)} sizes; give one, which all rows are compared at")
    if len(tried) != len(rows):
        fail(f"{path} has rows that are there twice")
    return rows


def is_own(row):
    params = row["params"]
    return params["block"] == OWN_BLOCK and (params["unroll"] is None or (row["kernel"], params["unroll"]) in OWN)


def name(row):
    unroll = row["params"]["unroll"]
    return f"{row['kernel']}{f' unroll {unroll}' if unroll else ''} block {row['params']['block']}"


def main():
    parser = argparse.ArgumentParser(description="Compares the ladder's best copy with the best of a sweep.")
    parser.add_argument("result")
    parser.add_argument("--within", type=float, default=1.0, metavar="PCT")
    arguments = parser.parse_args()
    rows = read(arguments.result)
    own = [row for row in rows if is_own(row)]
    sweep = [row for row in rows if row["params"]["unroll"] is not None]
    if not own or not sweep:
        fail(f"{arguments.result} has {len(own)} of the ladder's own rows and {len(sweep)} of the sweep's; both are needed")
    best, best_own = (min(some, key=lambda row: row["time_ms"]["median"]) for some in (rows, own))
    behind = 100 * (best_own["time_ms"]["median"] / best["time_ms"]["median"] - 1)
    for title, row in ("best", best), ("ladder's best", best_own):
        print(f"{title + ':':15}{name(row)}, {row['time_ms']['median']:.4f} ms, {row['gbps']:.1f} GB/s")
    print(f"{len(sweep)} configurations; the ladder's best is {behind:.2f} % behind")
    return 1 if behind > arguments.within else 0


sys.exit(main())
