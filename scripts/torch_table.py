#!/usr/bin/env python3
"""Writes the tables of docs/torch-speed.md from docs/results/torch/*.json, which scripts/torch_speed.py made on a GPU.

    scripts/torch_table.py            rewrites the page's tables
    scripts/torch_table.py --check    exits 1 when they are stale, and changes nothing
"""
import argparse
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE, RESULTS = ROOT / "docs/torch-speed.md", ROOT / "docs/results/torch"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "|".join("---" if i == 0 else "---:" for i in range(len(head))) + "|"]
    return lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]


def tables(result):
    wrong = [name for name, figures in result["speed"].items() if not figures.get("same")]
    if wrong:
        sys.exit(f"torch_table: a failed row: {wrong[0]}")
    yield f"{result['device']}, torch {result['torch']}, Python {result['python']}, wideload {result['wideload']}."
    yield ""
    yield from table(["host time of a call", "us, median", "us, least"],
                     [[f"`{name}`", *(f"{time:.1f}" for time in times)] for name, times in result["host"].items()
                      if name != "an empty lambda"])
    yield ""
    yield from table(["operation", "wideload, GB/s", "torch, GB/s", "ratio"],
                     [[name, f"{row['wideload_gbps']:.0f}", f"{row['torch_gbps']:.0f}",
                       f"{row['wideload_gbps'] / row['torch_gbps']:.2f}"] for name, row in result["speed"].items()])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail where the page would change")
    arguments = parser.parse_args()
    text = PAGE.read_text()

    def fill(match):
        result = json.loads((RESULTS / f"{match[1]}.json").read_text())
        return f"<!-- torch:{match[1]} -->\n" + "\n".join(tables(result)) + "\n<!-- /torch -->"

    fresh = re.sub(r"<!-- torch:(\w+) -->\n.*?<!-- /torch -->", fill, text, flags=re.DOTALL)
    if arguments.check and fresh != text:
        print("docs/torch-speed.md is stale: run scripts/torch_table.py", file=sys.stderr)
        return 1
    if not arguments.check:
        PAGE.write_text(fresh)
    return 0


if __name__ == "__main__":
    sys.exit(main())
