#!/usr/bin/env python3
"""Regenerates the result tables of README.md, docs/bench.md and the lessons, docs/experiments/, from docs/results/*.json.

A table stands between  <!-- bench:NAME [brief] [WORD...] -->  and  <!-- /bench:NAME -->.  It comes from
docs/results/NAME.json (schema wideload-bench/1, docs/schema.md), or from several files of one device: a,b,c.
A GPU's results show bandwidths, the simulator's show counters.  Words choose what is shown: experiments by their
names, kernel=a,b the kernels, across=offset (a GPU's) a column of GB/s for each offset, or block, or stride; across=kernel a column of ms for each kernel.

A table has a line a row of the bench.  A brief one leaves out launch parameters and, of several offsets, all but
the worst, one that is no multiple of a sector; a GPU's brief table has a line an experiment.  A table of one
experiment, a lesson's, leaves out its name and the counters that are 0 in every row.

Files whose names have zh-CN in them have Chinese headings over the same figures.

    scripts/readme_table.py           rewrites the files
    scripts/readme_table.py --check   exits 1 when one is stale, and changes nothing
"""
import argparse
import difflib
import glob
import json
import os
import re
import sys
import tempfile

OPENING = r"<!-- bench:(?P<name>[\w.,-]+)(?P<view>(?: [\w=,-]+)*) -->\n"
MARKER = re.compile(rf"({OPENING}).*?(<!-- /bench:(?P=name) -->)", re.DOTALL)
SECTOR_WORDS = 8

CHINESE = {
    "experiment": "实验", "kernel": "内核", "params": "参数", "size": "规模", "unit": "单位", "ms": "毫秒",
    "% of peak": "占峰值 %", "% of copy": "占拷贝 %", "best, % of peak": "最佳者占峰值 %",
    "rungs, lowest first": "各级内核，由低到高", "entries": "元素数", "floor": "下限",
    "load requests": "加载请求", "load transactions": "加载事务", "gld_efficiency %": "gld_efficiency %",
    "store requests": "存储请求", "store transactions": "存储事务", "gst_efficiency %": "gst_efficiency %",
    "shared load wavefronts": "共享内存读波前", "shared store wavefronts": "共享内存写波前",
    "atomic requests": "原子请求", "atomic transactions": "原子事务",
    "reduction requests": "归约请求", "reduction transactions": "归约事务",
    "peer load requests": "跨设备加载请求", "peer load transactions": "跨设备加载事务",
    "peer store requests": "跨设备存储请求", "peer store transactions": "跨设备存储事务",
}


def words_of(chinese):
    """What turns a heading into the file's language; one that has no Chinese (GB/s, offset 11) stays."""
    return (lambda text: CHINESE.get(text, text)) if chinese else (lambda text: text)


def number(value, digits=1):
    return "" if value is None else f"{value:.{digits}f}"


def percentage(value):
    return "" if value is None else f"{value:.4g}"


def size_text(size):
    """2^28 and 16384x16384, which are easier to read than 268435456."""
    power = isinstance(size, int) and size >= 2**16 and size & (size - 1) == 0
    return f"2^{size.bit_length() - 1}" if power else str(size)


# What the library's operations are asked; files from before they were there have none of it.
VARIANTS = ("matrix", "type", "fields", "width", "from_shift", "to_shift", "gpus")


def params(row, names=("offset", "stride", "block")):
    p = row["params"]
    size = size_text(p["size"]) + (f"@{p['order']}" if p.get("order") else "")
    names = (*VARIANTS, *names)
    return ", ".join([size] + [f"{name.replace('_', ' ')} {p[name]}" for name in names if p.get(name) is not None])


def verdict(row):
    if row["verified"]:
        return None
    return "skipped: " + row["skipped"] if row["skipped"] else "FAIL"


def copy_cell(row):
    return (number(row["pct_copy"]) + (" (L2)" if row["fits_l2"] else "")).strip()


GPU_COLUMNS = [
    ("GB/s", lambda row: number(row["gbps"])),
    ("% of peak", lambda row: number(row["pct_peak"])),
    ("% of copy", copy_cell),
]

MILLISECONDS = ("ms", lambda row: number(row["time_ms"] and row["time_ms"]["median"], 4))


def counter(name):
    return lambda row: str(row["counters"][name])


COUNTER_COLUMNS = [
    ("load requests", counter("global_load_requests")),
    ("load transactions", counter("gld_transactions")),
    ("gld_efficiency %", lambda row: percentage(row["counters"]["gld_efficiency"])),
    ("store requests", counter("global_store_requests")),
    ("store transactions", counter("gst_transactions")),
    ("gst_efficiency %", lambda row: percentage(row["counters"]["gst_efficiency"])),
    ("shared load wavefronts", counter("shared_load_transactions")),
    ("shared store wavefronts", counter("shared_store_transactions")),
]

ATOMIC_COLUMNS = [
    ("atomic requests", counter("global_atomic_requests")),
    ("atomic transactions", counter("global_atomic_transactions")),
    ("reduction requests", counter("global_reduction_requests")),
    ("reduction transactions", counter("global_reduction_transactions")),
]


PEER_COLUMNS = [
    ("peer load requests", counter("peer_load_requests")),
    ("peer load transactions", counter("peer_load_transactions")),
    ("peer store requests", counter("peer_store_requests")),
    ("peer store transactions", counter("peer_store_transactions")),
]


def columns_of(rows, gpu, alone):
    """Headings, and what a row shows under them."""
    if not gpu:
        columns = COUNTER_COLUMNS
        if alone:
            columns = columns + ATOMIC_COLUMNS
            # Files from before there were several devices lack them.
            columns = columns + PEER_COLUMNS * all("peer_load_requests" in row["counters"] for row in rows if row["counters"])
        seen = [row for row in rows if not verdict(row)]
        return [(head, cell) for head, cell in columns if not alone or any(cell(row) not in ("0", "") for row in seen)]
    if not alone:
        return GPU_COLUMNS
    if any(row["gops"] for row in rows):
        return [MILLISECONDS, ("GOP/s", lambda row: number(row["gops"], 0))]
    # What crosses links has no share of the memory's peak.
    return [MILLISECONDS] + [(head, cell) for head, cell in GPU_COLUMNS if any(cell(row) for row in rows)]


def grid(head, texts, lines):
    """Markdown: the first columns hold text, the others figures."""
    rule = "|" + "---|" * texts + "---:|" * (len(head) - texts)
    return "\n".join(["| " + " | ".join(head) + " |", rule, *("| " + " | ".join(line) + " |" for line in lines)])


def line_a_row(rows, gpu, brief, alone, say):
    """A line for each row of the bench."""
    columns = columns_of(rows, gpu, alone)
    texts = ["kernel", "params"] if alone else ["experiment", "kernel", "params"]
    lines = []
    for row in rows:
        fault = verdict(row)
        figures = [fault] + [""] * (len(columns) - 1) if fault else [cell(row) for _, cell in columns]
        where = params(row, ("offset", "stride")) if brief else params(row)
        lines.append([] if alone else [row["experiment"]])
        lines[-1] += [row["kernel"], where] + figures
    return grid([say(head) for head in texts + [head for head, _ in columns]], len(texts), lines)


def line_a_kernel(rows, across, say):
    """Bandwidths, a column for each value that the parameter `across` takes."""
    values = list(dict.fromkeys(row["params"][across] for row in rows))
    if None in values:
        sys.exit(f"readme_table: across={across}: a row has none")
    cells = {}
    for row in rows:
        cells.setdefault(row["kernel"], {})[row["params"][across]] = verdict(row) or number(row["gbps"], 0)
    head = [say("kernel")] + [f"{across} {value}, GB/s" for value in values]
    return grid(head, 1, [[kernel] + [mine.get(value, "") for value in values] for kernel, mine in cells.items()])


def floor(rows):
    """Milliseconds of the fastest copy that moves as many bytes as the case's kernels have to."""
    times = [row["time_ms"]["median"] * row["pct_copy"] / 100 for row in rows if row["time_ms"] and row["pct_copy"]]
    return number(min(times, default=None), 4)


def line_a_case(rows, say):
    """Milliseconds, a column for each kernel, and the floor."""
    kernels = list(dict.fromkeys(row["kernel"] for row in rows))
    cases = {}
    for row in rows:
        cases.setdefault((params(row, ("offset", "stride")), row["params"]["nnz"]), []).append(row)
    lines = []
    for (where, entries), mine in cases.items():
        cells = {row["kernel"]: "FAIL" if row["error"] else MILLISECONDS[1](row) for row in mine}
        lines.append([where, str(entries or "")] + [cells.get(kernel, "") for kernel in kernels] + [floor(mine)])
    times = [f"{name}, {say('ms')}" for name in kernels + [say("floor")]]
    return grid([say("params"), say("entries")] + times, 1, lines)


def worst_offsets(rows):
    """Of the rows that differ in the offset alone, those at offsets that are no multiple of a sector, if any are."""
    uneven = {row["experiment"] for row in rows if (row["params"]["offset"] or 0) % SECTOR_WORDS}
    return [row for row in rows if row["experiment"] not in uneven or row["params"]["offset"] % SECTOR_WORDS]


def line_an_experiment(rows, say):
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
    head = ["experiment", "size", "unit", "rungs, lowest first", "best, % of peak"]
    return grid([say(text) for text in head], 4, lines)


def table(results, words, chinese):
    device = results[0]["device"]
    gpu = device["kind"] == "gpu"
    brief = words[:1] == ["brief"]
    named = [word for word in words[brief:] if "=" not in word]
    options = dict(word.split("=", 1) for word in words if "=" in word)
    kernels = options.pop("kernel", "").split(",") if "kernel" in options else []
    across = options.pop("across", None)
    if options or (across and not (gpu and across in ("offset", "stride", "block", "kernel"))):
        sys.exit(f"readme_table: a marker has words that mean nothing: {' '.join(words)}")
    rows = [row for result in results for row in result["rows"] if not named or row["experiment"] in named]
    unknown = set(named) - {row["experiment"] for row in rows}
    if unknown:
        sys.exit(f"readme_table: no such experiment in these results: {', '.join(sorted(unknown))}")
    unknown = set(kernels) - {row["kernel"] for row in rows}
    if unknown:
        sys.exit(f"readme_table: no such kernel in these rows: {', '.join(sorted(unknown))}")
    rows = [row for row in rows if not kernels or row["kernel"] in kernels]
    if brief:
        rows = worst_offsets(rows)
    say = words_of(chinese)
    if across == "kernel":
        text = line_a_case(rows, say)
    elif across:
        text = line_a_kernel(rows, across, say)
    elif gpu and brief:
        text = line_an_experiment(rows, say)
    else:
        text = line_a_row(rows, gpu, brief, len(named) == 1, say)
    return caption(results[0], gpu, chinese) + "\n\n" + text + "\n"


def caption(result, gpu, chinese):
    device, version = result["device"], result["version"]
    if not gpu and chinese:
        return f"Wideload 模拟器，计数规则 {device['arch']}，wideload {version}；每个内核启动一次。"
    if not gpu:
        return f"{device['name']}, counting rules {device['arch']}, wideload {version}; one launch each."
    peak = f"{device['peak_gbps']:.0f} GB/s" if device["peak_gbps"] else None
    if chinese:
        return f"{device['name']}（{device['arch']}），峰值 {peak or '未知'}，wideload {version}；均为中位数。"
    return f"{device['name']} ({device['arch']}), peak {peak or 'unknown'}, wideload {version}; medians."


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


def regenerate(text, results, chinese):
    def replace(match):
        loaded = [load(os.path.join(results, name + ".json")) for name in match["name"].split(",")]
        if any(result["device"] != loaded[0]["device"] for result in loaded):
            sys.exit(f"readme_table: {match['name']}: results of several devices in one table")
        return match[1] + table(loaded, match["view"].split(), chinese) + match[4]
    opened = [match["name"] for match in re.finditer(OPENING, text)]
    whole = [match["name"] for match in MARKER.finditer(text)]
    if opened != whole:
        sys.exit(f"readme_table: a marker is not closed: {sorted(set(opened) - set(whole)) or opened}")
    if "<!-- bench:" in re.sub(OPENING, "", text):
        sys.exit("readme_table: a marker that cannot be read: <!-- bench:NAME [brief] [WORD...] -->")
    return MARKER.sub(replace, text)


def write_beside(path, text):
    """The file is replaced whole or not at all."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=os.path.dirname(path) or ".", delete=False) as file:
        file.write(text)
    os.chmod(file.name, os.stat(path).st_mode & 0o777)
    os.replace(file.name, path)


def main():
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser = argparse.ArgumentParser(description="Regenerates the result tables of the documents.")
    parser.add_argument("--check", action="store_true", help="exit 1 when one is stale")
    parser.add_argument("--readme", metavar="FILE", help="this document only")
    parser.add_argument("--results", default=os.path.join(root, "docs", "results"))
    arguments = parser.parse_args()
    patterns = ("README*.md", "docs/bench.md", "docs/zh-CN/*.md", "docs/experiments/**/*.md")
    documents = [path for pattern in patterns for path in glob.glob(os.path.join(root, pattern), recursive=True)]
    paths = [arguments.readme] if arguments.readme else documents
    stale = []
    for path in sorted(paths):
        name = os.path.relpath(path, root)
        with open(path, encoding="utf-8") as file:
            old = file.read()
        new = regenerate(old, arguments.results, "zh-CN" in name)
        if new == old:
            continue
        if arguments.check:
            difference = difflib.unified_diff(old.splitlines(), new.splitlines(), name, "regenerated", lineterm="")
            print("\n".join(list(difference)[:20]), file=sys.stderr)
            stale.append(name)
        else:
            write_beside(path, new)
    if stale:
        sys.exit(f"readme_table: {', '.join(stale)}: stale; run scripts/readme_table.py")


if __name__ == "__main__":
    main()
