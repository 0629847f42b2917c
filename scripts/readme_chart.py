#!/usr/bin/env python3
"""Draws the chart of README.md, docs/charts/*.svg, from docs/results/h200-transpose.json.

`wideload report --svg` draws it, once for light pages and once for dark ones.  KERNELS are the rungs that it shows.

    scripts/readme_chart.py --wideload build/wideload           rewrites the files
    scripts/readme_chart.py --wideload build/wideload --check   exits 1 when one is stale, and changes nothing
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

EXPERIMENT = "transpose"
KERNELS = ["naive-row", "naive-col", "shared", "shared-pad", "shared-pad-unroll", "wideload", "cublas-geam"]
FILES = ["transpose-ladder.svg", "transpose-ladder-dark.svg"]
NUMBER = re.compile(r"(\d+(?:\.\d+)?)")


def draw(wideload, results):
    """The files' texts."""
    with open(os.path.join(results, f"h200-{EXPERIMENT}.json"), encoding="utf-8") as file:
        result = json.load(file)
    result["rows"] = [row for row in result["rows"] if row["experiment"] == EXPERIMENT and row["kernel"] in KERNELS]
    missing = set(KERNELS) - {row["kernel"] for row in result["rows"]}
    if missing:
        sys.exit(f"readme_chart: the results have no row of {', '.join(sorted(missing))}")
    with tempfile.TemporaryDirectory() as folder:
        chosen = os.path.join(folder, "chosen.json")
        with open(chosen, "w", encoding="utf-8") as file:
            json.dump(result, file)
        run = subprocess.run([wideload, "report", chosen, "--svg", folder], capture_output=True, text=True, check=False)
        if run.returncode:
            sys.exit(f"readme_chart: {run.stderr.strip()}")
        texts = {}
        for name in FILES:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                texts[name] = file.read()
        return texts


def same(a, b):
    """gnuplots round differently: the charts' words and shapes are equal, places may differ by half a pixel."""
    a, b = NUMBER.split(a), NUMBER.split(b)
    return a[::2] == b[::2] and all(abs(float(x) - float(y)) <= 0.5 for x, y in zip(a[1::2], b[1::2]))


def main():
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser = argparse.ArgumentParser(description="Draws the chart of the README.")
    parser.add_argument("--wideload", required=True, help="the program, build/wideload")
    parser.add_argument("--check", action="store_true", help="exit 1 when a file is stale")
    parser.add_argument("--results", default=os.path.join(root, "docs", "results"))
    parser.add_argument("--charts", default=os.path.join(root, "docs", "charts"))
    arguments = parser.parse_args()
    stale = []
    for name, text in draw(arguments.wideload, arguments.results).items():
        path = os.path.join(arguments.charts, name)
        old = ""
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                old = file.read()
        if same(old, text):
            continue
        if arguments.check:
            stale.append(name)
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    if stale:
        sys.exit(f"readme_chart: {', '.join(stale)}: stale; run scripts/readme_chart.py --wideload build/wideload")


if __name__ == "__main__":
    main()
