#!/usr/bin/env python3
"""Regenerates the tables of docs/replay.md: the teaching texts' figures, each beside ours.

A table stands between  <!-- replay:NAME -->  and  <!-- /replay:NAME -->; docs/replay/figures.json has a section of
each name.  A section's members hold for all its figures, unless a figure has one of its own:

    experiment, kernel, offset, block   which row of the bench
    size, large_size                    the text's size, and one far beyond today's L2 cache (null: none)
    rules                               the simulator's counting rules for the text's GPU (null: none are claimed)
    results, large                      files of docs/results/ with the times at either size
    quantity, value                     a member of the row and the text's figure (null: it has none)
    says                                the text's words, where it has no figure
    against                             number of the figure in the section that this one is a ratio to

Counters come from the simulator, which is run; times from docs/results/, made by scripts/replay_gpu.sh and
scripts/gpu_check.sh.  A row that is in no file was not measured, and the table says so.

    scripts/replay.py [--wideload PROGRAM]           rewrites docs/replay.md
    scripts/replay.py [--wideload PROGRAM] --check   exits 1 when it is stale, and changes nothing
"""
import argparse
import difflib
import json
import os
import re
import subprocess
import sys

from readme_table import grid, load, number, percentage, size_text, verdict, write_beside

MARKER = re.compile(r"(<!-- replay:(?P<name>[\w-]+) -->\n).*?(<!-- /replay:(?P=name) -->)", re.DOTALL)
TODAY = "sm_90"
UNITS = {"time_ms": "ms", "gbps": "GB/s", "pct_peak": "% of peak", "occupancy": "occupancy, %"}


def counted(quantity):
    return quantity in ("gld_efficiency", "gst_efficiency", "gld_transactions", "gst_transactions")


def same_row(row, figure, size):
    params = row["params"]
    return (row["experiment"] == figure["experiment"] and row["kernel"] == figure["kernel"] and params["size"] == size
            and params["offset"] == figure.get("offset") and params["block"] == figure.get("block"))


def find(rows, figure, size):
    return next((row for row in rows if same_row(row, figure, size)), None)


def simulate(wideload, figures, rules):
    """Rows of the simulator for what a section asks of it."""
    def values(member):
        return ",".join(dict.fromkeys(str(figure[member]) for figure in figures if figure.get(member) is not None))
    options = [f"--{name}={values(name)}" for name in ("kernel", "offset", "block", "size") if values(name)]
    if figures[0]["experiment"] == "transpose":
        options = [option for option in options if not option.startswith("--block")]
    command = [wideload, "bench", figures[0]["experiment"], "--device=sim", f"--arch={rules}", *options, "--json=-"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        sys.exit(f"replay: {' '.join(command)}: status {run.returncode}: {run.stderr.strip()}")
    return json.loads(run.stdout)["rows"]


def value_of(row, quantity):
    if quantity == "time_ms":
        return row["time_ms"] and row["time_ms"]["median"]
    if quantity == "occupancy":
        return row["occupancy"] and row["occupancy"]["pct"]
    return row["counters"][quantity] if counted(quantity) else row[quantity]


def show(quantity, value, base=None, rate=None):
    """A figure; a time with its ratio to another one and with the bandwidth that it means."""
    if quantity != "time_ms":
        return str(value) if quantity.endswith("transactions") else percentage(value)
    notes = [f"{rate:.0f} GB/s" if rate >= 100 else f"{rate:.1f} GB/s"] if rate else []
    notes += [f"× {value / base:.2f}"] if base else []
    digits = number(value, 3 if value >= 0.1 else 4)
    return digits + (f" ({', '.join(notes)})" if notes else "")


class Section:
    def __init__(self, section, results, wideload):
        shared = {key: value for key, value in section.items() if key not in ("figures", "name")}
        self.figures = [{**shared, **figure} for figure in section["figures"]]
        self.rules = section["rules"]
        self.small = [row for name in section["results"] for row in self.rows(results, name)]
        self.large = [row for name in section["large"] for row in self.rows(results, name)]
        simulated = [f for f in self.figures if counted(f["quantity"]) or f["quantity"] == "occupancy"]
        self.then = simulate(wideload, simulated, self.rules) if simulated and self.rules else []
        self.now = simulate(wideload, simulated, TODAY) if simulated else []

    @staticmethod
    def rows(results, name):
        path = os.path.join(results, name + ".json")
        return load(path)["rows"] if os.path.exists(path) else []

    def cell(self, rows, figure, size):
        row = find(rows, figure, size)
        if row is None or verdict(row):
            return (verdict(row) if row else None) or "not measured"
        quantity, base = figure["quantity"], None
        if "against" in figure:
            other = find(rows, self.figures[figure["against"]], size)
            base = value_of(other, quantity) if other else None
        value = value_of(row, quantity)
        rate = row["gbps"] if quantity == "time_ms" and not row["gops"] else None
        return "not measured" if value is None else show(quantity, value, base, rate)

    def text_cell(self, figure):
        """The text's time means a bandwidth, too: by the bytes of the row that replays it."""
        quantity, value = figure["quantity"], figure["value"]
        if value is None:
            return figure.get("says", "")
        base = self.figures[figure["against"]]["value"] if "against" in figure else None
        row = find(self.small + self.now, figure, figure["size"])
        rate = row["bytes"] / value / 1e6 if row and quantity == "time_ms" else None
        return show(quantity, value, base, rate)

    def line(self, figure):
        quantity = figure["quantity"]
        cells = [figure["case"], UNITS.get(quantity, f"`{quantity}`"), self.text_cell(figure)]
        if self.rules:
            cells.append(self.cell(self.then, figure, figure["size"]) if counted(quantity) else "")
        simulated = counted(quantity) or quantity == "occupancy"
        cells.append(self.cell(self.now if simulated else self.small, figure, figure["size"]))
        if self.large_size():
            cells.append("" if simulated else self.cell(self.large, figure, figure["large_size"]))
        return cells

    def large_size(self):
        return self.figures[0]["large_size"]

    def table(self):
        head = ["case", "figure", "the text"]
        head += [f"simulator, rules {self.rules}"] if self.rules else []
        head += [f"today, {size_text(self.figures[0]['size'])}"]
        head += [f"today, {size_text(self.large_size())}"] if self.large_size() else []
        return grid(head, 2, [self.line(figure) for figure in self.figures]) + "\n"


def regenerate(text, sections, results, wideload):
    wanted = [match["name"] for match in MARKER.finditer(text)]
    if wanted != re.findall(r"<!-- replay:(\S*)", text) or sorted(wanted) != sorted(sections):
        sys.exit(f"replay: the document's markers are {wanted}, the sections {sorted(sections)}")
    return MARKER.sub(lambda m: m[1] + Section(sections[m["name"]], results, wideload).table() + m[3], text)


def main():
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser = argparse.ArgumentParser(description="Regenerates the tables of docs/replay.md.")
    parser.add_argument("--check", action="store_true", help="exit 1 when it is stale")
    parser.add_argument("--wideload", default=os.path.join(root, "build", "wideload"), help="build/wideload")
    parser.add_argument("--document", default=os.path.join(root, "docs", "replay.md"))
    parser.add_argument("--figures", default=os.path.join(root, "docs", "replay", "figures.json"))
    parser.add_argument("--results", default=os.path.join(root, "docs", "results"))
    arguments = parser.parse_args()
    with open(arguments.document, encoding="utf-8") as file:
        old = file.read()
    with open(arguments.figures, encoding="utf-8") as file:
        sections = {section["name"]: section for section in json.load(file)["sections"]}
    new = regenerate(old, sections, arguments.results, arguments.wideload)
    if arguments.check and new != old:
        difference = difflib.unified_diff(old.splitlines(), new.splitlines(), "replay.md", "regenerated", lineterm="")
        print("\n".join(list(difference)[:20]), file=sys.stderr)
        sys.exit("replay: docs/replay.md is stale; run scripts/replay.py")
    if new != old:
        write_beside(arguments.document, new)


if __name__ == "__main__":
    main()
