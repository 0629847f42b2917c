#!/usr/bin/env python3
"""Regenerates README.md's result tables from docs/results/*.json.

A table stands between  <!-- bench:NAME [brief] [EXPERIMENT...] -->  and  <!-- /bench:NAME -->.  It comes from
docs/results/NAME.json (schema wideload-bench/1, docs/schema.md), or from several files of one device: a,b,c.
A GPU's results show bandwidths, the simulator's show counters.  Experiments named are the only ones shown.

A table has a line a row of the bench.  A brief one leaves out launch parameters and, of several offsets, all but
the worst, one that is no multiple of a sector; a GPU's brief table has a line an experiment.

    scripts/readme_table.py           rewrites README.md
    scripts/readme_table.py --check   exits 1 when README.md is stale, and changes nothing
"""
import argparse
import difflib
import json
import os
import re
import sys
import tempfile

OPENING = r"<!-- bench:(?P<name>[\w.,-]+)(?P<view>(?: [\w-]+)*) -->\n"
MARKER = re.compile(rf"({OPENING}).*?(<!-- /bench:(?P=name) -->)", re.DOTALL)
SECTOR_WORDS = 8


def number(value, digits=1):
    return "" if value is None else f"{value:.{digits}f}"


def percentage(value):
    return "" if value is None else f"{value:.4g}"


def size_text(size):
    """2^28 and 16384x16384, which are easier to read than 268435456."""
    power = isinstance(size, int) and size >= 2**16 and size & (size - 1) == 0
    return f"2^{size.bit_length() - 1}" if power else str(size)


def params(row, names=("offset", "stride", "block")):
    p = row["params"]
    return ", ".join([size_text(p["size"])] + [f"{name} {p[name]}" for name in names if p[name] is not None])


def verdict(row):
    if row["verified"]:
        return None
    return "skipped: " + row["skipped"] if row["skipped"] else "FAIL"


def gpu_cells(row):
    copy = number(row["pct_copy"])
    if row["fits_l2"]:
        copy += " (L2)"
    return [number(row["gbps"]), number(row["pct_peak"]), copy.strip()]


def counter_cells(row):
    c = row["counters"]
    cells = [str(c["global_load_requests"]), str(c["gld_transactions"]), percentage(c["gld_efficiency"]),
             str(c["global_store_requests"]), str(c["gst_transactions"]), percentage(c["gst_efficiency"])]
    return cells + [str(c["shared_load_transactions"]), str(c["shared_store_transactions"])]


COUNTER_HEAD = ["load requests", "load transactions", "gld_efficiency %", "store requests", "store transactions",
                "gst_efficiency %", "shared load wavefronts", "shared store wavefronts"]


def grid(head, texts, lines):
    """Markdown: the first columns hold text, the others figures."""
    rule = "|" + "---|" * texts + "---:|" * (len(head) - texts)
    return "\n".join(["| " + " | ".join(head) + " |", rule, *("| " + " | ".join(line) + " |" for line in lines)])


def line_a_row(rows, gpu, brief):
    """A line for each row of the bench."""
    head = ["experiment", "kernel", "params"] + (["GB/s", "% of peak", "% of copy"] if gpu else COUNTER_HEAD)
    lines = []
    for row in rows:
        fault = verdict(row)
        figures = [fault] + [""] * (len(head) - 4) if fault else (gpu_cells if gpu else counter_cells)(row)
        where = params(row, ("offset", "stride")) if brief else params(row)
        lines.append([row["experiment"], row["kernel"], where] + figures)
    return grid(head, 3, lines)


def worst_offsets(rows):
    """Of the rows that differ in the offset alone, those at offsets that are no multiple of a sector, if any are."""
    uneven = {row["experiment"] for row in rows if (row["params"]["offset"] or 0) % SECTOR_WORDS}
    return [row for row in rows if row["experiment"] not in uneven or row["params"]["offset"] % SECTOR_WORDS]


def line_an_experiment(rows):
    """Its rungs' bandwidths, lowest rung first; operations a second where those say more.  Bold is what comes
    within 1 % of the best.  A rung that strides has a line of its own, with its strides as rungs."""
    groups = {}
    for row in rows:
        strided = row["params"]["stride"] is not None
        title = row["experiment"] + (" " + row["kernel"] if strided else "")
        groups.setdefault((title, strided), []).append(row)
    lines = []
    for (title, strided), mine in groups.items():
        unit = "gops" if any(row["gops"] for row in mine) else "gbps"
        best = max((row for row in mine if not verdict(row)), key=lambda row: row[unit], default=None)
        rungs = []
        for row in mine:
            name = f"by {row['params']['stride']}:" if strided else row["kernel"]
            text = f"{name} {verdict(row) or number(row[unit], 0)}"
            bold = not strided and not verdict(row) and row[unit] >= 0.99 * best[unit]
            rungs.append(f"**{text}**" if bold else text)
        peak = number(best["pct_peak"]) if best and unit == "gbps" else ""
        lines.append([title, params(mine[0], ("offset",)), "GOP/s" if unit == "gops" else "GB/s",
                      ", ".join(rungs), peak])
    return grid(["experiment", "size", "unit", "rungs, lowest first", "best, % of peak"], 4, lines)


def table(results, words):
    device = results[0]["device"]
    gpu = device["kind"] == "gpu"
    brief = words[:1] == ["brief"]
    chosen = words[1:] if brief else words
    rows = [row for result in results for row in result["rows"] if not chosen or row["experiment"] in chosen]
    unknown = set(chosen) - {row["experiment"] for row in rows}
    if unknown:
        sys.exit(f"readme_table: no such experiment in these results: {', '.join(sorted(unknown))}")
    if brief:
        rows = worst_offsets(rows)
    text = line_an_experiment(rows) if gpu and brief else line_a_row(rows, gpu, brief)
    return caption(results[0], gpu) + "\n\n" + text + "\n"


def caption(result, gpu):
    device = result["device"]
    if not gpu:
        return f"{device['name']}, counting rules {device['arch']}, wideload {result['version']}; one launch each."
    peak = f"peak {device['peak_gbps']:.0f} GB/s" if device["peak_gbps"] else "peak unknown"
    return f"{device['name']} ({device['arch']}), {peak}, wideload {result['version']}; medians."


def load(path):
    try:
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
    except OSError as error:
        sys.exit(f"readme_table: {path}: {error.strerror}")
    except ValueError as error:
        sys.exit(f"readme_table: {path}: no JSON: {error}")
    if result.get("schema") != "wideload-bench/1":
        sys.exit(f"readme_table: {path}: schema {result.get('schema')!r}, expected 'wideload-bench/1'")
    return result


def regenerate(text, results):
    def replace(match):
        loaded = [load(os.path.join(results, name + ".json")) for name in match["name"].split(",")]
        if any(result["device"] != loaded[0]["device"] for result in loaded):
            sys.exit(f"readme_table: {match['name']}: results of several devices in one table")
        return match[1] + table(loaded, match["view"].split()) + match[4]
    opened = [match["name"] for match in re.finditer(OPENING, text)]
    whole = [match["name"] for match in MARKER.finditer(text)]
    if opened != whole:
        sys.exit(f"readme_table: a marker is not closed: {sorted(set(opened) - set(whole)) or opened}")
    if "<!-- bench:" in re.sub(OPENING, "", text):
        sys.exit("readme_table: a marker that cannot be read: <!-- bench:NAME [brief] [EXPERIMENT...] -->")
    return MARKER.sub(replace, text)


def write_beside(path, text):
    """The file is replaced whole or not at all."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=os.path.dirname(path) or ".", delete=False) as file:
        file.write(text)
    os.chmod(file.name, os.stat(path).st_mode & 0o777)
    os.replace(file.name, path)


def main():
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser = argparse.ArgumentParser(description="Regenerates README.md's result tables.")
    parser.add_argument("--check", action="store_true", help="exit 1 when the README is stale")
    parser.add_argument("--readme", default=os.path.join(root, "README.md"))
    parser.add_argument("--results", default=os.path.join(root, "docs", "results"))
    arguments = parser.parse_args()
    with open(arguments.readme, encoding="utf-8") as file:
        old = file.read()
    new = regenerate(old, arguments.results)
    if arguments.check:
        if new != old:
            difference = difflib.unified_diff(old.splitlines(), new.splitlines(), "README.md", "regenerated", lineterm="")
            print("\n".join(list(difference)[:20]), file=sys.stderr)
            sys.exit("readme_table: README.md is stale; run scripts/readme_table.py")
    elif new != old:
        write_beside(arguments.readme, new)


if __name__ == "__main__":
    main()
