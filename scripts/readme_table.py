#!/usr/bin/env python3
"""Regenerates README.md's result tables from docs/results/*.json.

A table stands between  <!-- bench:NAME -->  and  <!-- /bench:NAME -->  and comes from docs/results/NAME.json
(schema wideload-bench/1, docs/schema.md).  A GPU's results show bandwidths, the simulator's show counters.

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

MARKER = re.compile(r"(<!-- bench:(?P<name>[\w.-]+) -->\n).*?(<!-- /bench:(?P=name) -->)", re.DOTALL)


def number(value, digits=1):
    return "" if value is None else f"{value:.{digits}f}"


def percentage(value):
    return "" if value is None else f"{value:.4g}"


def params(row):
    p = row["params"]
    texts = [str(p["size"])]
    for name in ("offset", "stride", "block"):
        if p[name] is not None:
            texts.append(f"{name} {p[name]}")
    return ", ".join(texts)


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


def table(result):
    gpu = result["device"]["kind"] == "gpu"
    head = ["experiment", "kernel", "params"]
    if gpu:
        head += ["GB/s", "% of peak", "% of copy"]
        cells = gpu_cells
    else:
        head += ["load requests", "load transactions", "gld_efficiency %", "store requests", "store transactions",
                 "gst_efficiency %", "shared load wavefronts", "shared store wavefronts"]
        cells = counter_cells
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * 3 + "---:|" * (len(head) - 3)]
    for row in result["rows"]:
        fault = verdict(row)
        figures = [fault] + [""] * (len(head) - 4) if fault else cells(row)
        lines.append("| " + " | ".join([row["experiment"], row["kernel"], params(row)] + figures) + " |")
    return caption(result, gpu) + "\n\n" + "\n".join(lines) + "\n"


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
        return match[1] + table(load(os.path.join(results, match["name"] + ".json"))) + match[3]
    opened = re.findall(r"<!-- bench:([\w.-]+) -->", text)
    whole = [match["name"] for match in MARKER.finditer(text)]
    if opened != whole:
        sys.exit(f"readme_table: a marker is not closed: {sorted(set(opened) - set(whole)) or opened}")
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
