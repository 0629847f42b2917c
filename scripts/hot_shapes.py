#!/usr/bin/env python3
"""Calls that models and solvers make with their data in the cache: lists them for `wideload bench --hot --graph`, and sums up
what it measured.

usage: hot_shapes.py list [--small]              prints a call a line: EXPERIMENT SIZE [TYPE]
       hot_shapes.py summary RESULT.json...      of `wideload bench --hot --graph --json`, peers' rows included
       hot_shapes.py keep OUT.json RESULT.json...   joins them, without what `summary` does not need
       hot_shapes.py page -o PAGE RESULT.json...    makes docs/hot.md of these, a file a device

scripts/library_check.sh runs both.  The list has a copy of as many bytes as each other call moves: `summary` compares the
call with it.  The copy is torch's where torch was timed, else the driver's, else the library's own.
"""
import argparse
import json
import math
import pathlib
import statistics
import sys

KB, MB = 1 << 10, 1 << 20
TYPES = {"f16": 2, "f32": 4}
# The aims: times as fast as torch, shares of a copy in the mean and each; and the least of torch that is not behind.
TORCH, MEAN, EACH, BEHIND = 1.9, 0.85, 0.60, 0.99

COPIES = (16 * KB, 64 * KB, 256 * KB, 1 * MB, 4 * MB, 16 * MB, 32 * MB)
SUMS = (16 * KB, 64 * KB, 256 * KB, 1 * MB, 8 * MB)  # bytes of each array
SQUARES = (64, 128, 256, 512, 1024, 2048)
# Keys of attention for the product with its queries: a batch of heads.
KEYS = ("64x512x64", "16x1024x128", "96x256x64", "32x2048x128")
# Layers from NCHW to NHWC: images, channels, pixels.  The way back is listed as well.
LAYERS = ((16, 64, 3136), (8, 256, 196), (32, 512, 49), (4, 3, 50176), (32, 3, 50176), (8, 128, 784), (1, 320, 4096))
# Embeddings, slices of vocabularies, class scores.
SLICES = ("768x197", "77x768", "1000x333", "4096x128")
# Batches of small matrices: solvers, transformations, finite elements.
MATRICES = ("1000x16x16", "4096x4x4", "256x32x32", "500x10x20", "3000x3x3")
# Attention: batch, sequence, heads, features of a head to batch, heads, sequence, features.  The way back is listed as well.
HEADS = ((8, 512, 12, 64), (1, 2048, 32, 128), (16, 197, 12, 64), (4, 1024, 16, 80), (1, 128, 40, 128))
PERMUTES = (
    ("512x8x1024@102", (2, 4)),  # tokens of a mixture of experts, gathered by expert
    ("64x64x64@210", (4, 8)), ("60x58x60@210", (4, 8)), ("100x50x40@210", (4, 8)),  # the order of a field's axes reversed
    ("8x14x4x14x4x64@013245", (2, 4)), ("8x8x7x8x7x96@013245", (2, 4)),  # windows of images
    ("4x64x2x2x56x56@014253", (2, 4)), ("1x3x4x4x128x128@014253", (2, 4)),  # channels to pixels
)
SMALL = ("copy-any 4096", "add-any 1000 f32", "add-any 1000 f16", "transpose-any 40x24/2", "transpose-any 3x16x20/4",
         "permute 2x12x3x8@0213/4")


def product(size):
    return math.prod(int(n) for n in size.split("x"))


def calls():
    """The calls, as lines: (experiment, size, type or "")."""
    lines = [("copy-any", str(size), "") for size in COPIES]
    lines += [("add-any", str(size // width), kind) for kind, width in TYPES.items() for size in SUMS]
    sizes = [f"{n}x{n}/{width}" for n in SQUARES for width in (1, 2, 4, 8) if n * n * width >= 8 * KB]
    sizes += [f"{size}/{width}" for size in KEYS + SLICES for width in (2, 4)]
    sizes += [f"{n}x{rows}x{cols}/{width}" for n, c, hw in LAYERS for rows, cols in ((c, hw), (hw, c)) for width in (2, 4)]
    sizes += [f"{size}/{width}" for size in MATRICES for width in (4, 8)]
    lines += [("transpose-any", size, "") for size in sizes]
    sizes = [f"{b}x{first}x{second}x{d}@0213/{width}" for b, s, h, d in HEADS for first, second in ((s, h), (h, s))
             for width in (2, 4)]
    sizes += [f"{size}/{width}" for size, widths in PERMUTES for width in widths]
    return lines + [("permute", size, "") for size in sizes]


def small_calls():
    return [tuple((text.split() + [""])[:3]) for text in SMALL]


def copied(call):
    """Half the bytes that the call moves: the size of a copy that moves as many."""
    experiment, size, kind = call
    if experiment == "copy-any":
        return int(size)
    if experiment == "add-any":
        return int(size) * TYPES[kind] * 3 // 2
    sizes, width = size.split("/")
    return product(sizes.split("@")[0]) * int(width)


def with_copies(lines):
    sizes = sorted({copied(call) for call in lines} - {copied(call) for call in lines if call[0] == "copy-any"})
    return lines + [("copy-any", str(size), "") for size in sizes]


def show(arguments):
    for call in with_copies(small_calls() if arguments.small else calls()):
        print(" ".join(call).rstrip())
    return 0


def key(row):
    """The row's call as the list has it."""
    params = row["params"]
    size = str(params["size"]) + ("@" + params["order"] if params.get("order") else "")
    return row["experiment"], size + (f"/{params['width']}" if params.get("width") else ""), params.get("type") or ""


def read(paths):
    """By call: milliseconds by library, of graphs with a hot cache; and the rows that are wrong."""
    times, wrong = {}, []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            rows = json.load(file)["rows"]
        for row in rows:
            timing = row.get("time_ms")
            if row.get("error"):
                wrong.append((*filter(None, key(row)), row["kernel"], row["error"]))
            elif timing and (row["l2"], timing["replay"]) == ("hot", "graph"):
                name = row["peer"]["library"] if row.get("peer") else row["kernel"]
                best = times.setdefault(key(row), {})
                best[name] = min(timing["median"], best.get(name, math.inf))
    return times, wrong


def copy_of(times, size):
    """Milliseconds of a copy of so many bytes: torch's, the driver's or the library's; None: there is none."""
    rows = times.get(("copy-any", str(size), ""), {})
    return next((rows[name] for name in ("torch", "CUDA driver", "wideload") if name in rows), None)


def met(right):
    return "met" if right else "MISSED"


def figure(value, digits):
    return "-" if value is None else f"{value:.{digits}f}"


def put_table(lines):
    title = ("call", "wideload us", "torch", "CuPy", "cuTENSOR", "copy", "torch/wideload", "copy/wideload")
    rows = [title]
    for call, (ours, peers, copy) in lines:
        ratios = (peers["torch"] and peers["torch"] / ours, copy and copy / ours)
        rows.append((" ".join(call).rstrip(), *(figure(ms and 1e3 * ms, 2) for ms in (ours, *peers.values(), copy)),
                     *(figure(ratio, 3) for ratio in ratios)))
    widths = [max(len(row[i]) for row in rows) for i in range(len(title))]
    for row in rows:
        print("  ".join(cell.rjust(width) if i else cell.ljust(width) for i, (cell, width) in enumerate(zip(row, widths))))


def put_totals(lines):
    print(f"\n{len(lines)} calls")
    torch = [peers["torch"] / ours for _, (ours, peers, _) in lines if peers["torch"]]
    if torch:
        mean, behind = statistics.geometric_mean(torch), sum(ratio < BEHIND for ratio in torch)
        print(f"torch: {mean:.3f} times as fast in the geometric mean of {len(torch)} (aim {TORCH}: {met(mean >= TORCH)}); "
              f"behind in {behind} (< {BEHIND}; aim none: {met(not behind)})")
    for name in "CuPy", "cuTENSOR":
        ratios = [peers[name] / ours for _, (ours, peers, _) in lines if peers[name]]
        if ratios:
            print(f"{name}: {statistics.geometric_mean(ratios):.3f} times as fast in the geometric mean of {len(ratios)}; "
                  f"behind in {sum(ratio < BEHIND for ratio in ratios)}")
    copies = [copy / ours for _, (ours, _, copy) in lines if copy]
    if copies:
        mean, low = statistics.geometric_mean(copies), sum(ratio < EACH for ratio in copies)
        print(f"copy: {mean:.3f} of a copy in the geometric mean of {len(copies)} (aim {MEAN}: {met(mean >= MEAN)}); "
              f"the least is {min(copies):.3f}, {low} below {EACH} (aim none: {met(not low)})")


def lines_of(times):
    """[(call, (the library's time, peers' times, a copy's))]: copies that are no calls are there for their times."""
    lines = []
    for call in dict.fromkeys(calls() + small_calls()):
        rows = times.get(call, {})
        if "wideload" in rows:
            peers = {name: rows.get(name) for name in ("torch", "CuPy", "cuTENSOR")}
            lines.append((call, (rows["wideload"], peers, copy_of(times, copied(call)))))
    return lines


def keep(arguments):
    """A row a line, the fastest of each call and library.  Of copies that are no calls only torch's stays."""
    head, rows, wanted = None, {}, set(calls())
    for path in arguments.results:
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
        for row in result.pop("rows"):
            library = row["peer"]["library"] if row.get("peer") else None
            kept = library == "torch" or (key(row) in wanted and (library or row["kernel"] == "wideload"))
            if not kept or not row.get("time_ms"):
                continue
            best = rows.setdefault((key(row), library), row)
            if row["time_ms"]["median"] < best["time_ms"]["median"]:
                rows[key(row), library] = row
        head = head or json.dumps(result)[:-1]
    text = head + ', "rows": [\n' + ",\n".join(map(json.dumps, rows.values())) + "\n]}\n"
    pathlib.Path(arguments.out).write_text(text, encoding="utf-8")
    return 0


def page(arguments):
    devices, cells = [], {}
    for path in arguments.results:
        name = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))["device"]["name"]
        times, _ = read([path])
        devices.append((name, lines_of(times)))
        for call, (ours, peers, copy) in devices[-1][1]:
            cells.setdefault(call, {})[name] = (figure(1e3 * ours, 2), *(figure(peer and peer / ours, 2) for peer in (
                peers["torch"], peers["CuPy"], copy)))
    out = ["# Small calls in CUDA graphs", "",
           "Generated by `scripts/hot_shapes.py page` from `docs/results/hot/`; not written by hand.", "",
           "Each call stands 20 times in a graph, which is replayed with a warm cache: `scripts/library_check.sh build OUT hot`.",
           "*us* is the library's time of a call; the others are how many times that torch, CuPy and a copy of as many bytes by",
           "torch take. [notes/small.md](notes/small.md) says what makes the library fast here, and what was tried.", ""]
    for name, lines in devices:
        torch = [peers["torch"] / ours for _, (ours, peers, _) in lines if peers["torch"]]
        copies = [copy / ours for _, (ours, _, copy) in lines if copy]
        if torch and copies:
            out.append(f"- {name}: torch takes {statistics.geometric_mean(torch):.2f} times as long in the geometric mean of "
                       f"{len(torch)} calls, {min(torch):.2f} times at least; a copy {statistics.geometric_mean(copies):.2f} times, "
                       f"{min(copies):.2f} at least ({sum(ratio < EACH for ratio in copies)} below {EACH:.1f}).")
        cutensor = [peers["cuTENSOR"] / ours for _, (ours, peers, _) in lines if peers["cuTENSOR"]]
        if cutensor:
            out[-1] += (f" cuTENSOR takes {statistics.geometric_mean(cutensor):.2f} times as long in the geometric mean of "
                        f"{len(cutensor)}, {min(cutensor):.2f} times at least.")
    out += ["", "| call | " + " | ".join(f"{name}: us | torch | CuPy | copy" for name, _ in devices) + " |",
            "|---|" + "---:|" * (4 * len(devices))]
    for call, by_device in cells.items():
        columns = [cell for name, _ in devices for cell in by_device.get(name, ("",) * 4)]
        out.append(f"| `{' '.join(call).rstrip()}` | " + " | ".join(columns) + " |")
    pathlib.Path(arguments.output).write_text("\n".join(out) + "\n", encoding="utf-8")
    return 0


def summary(arguments):
    times, wrong = read(arguments.results)
    for problem in wrong:
        print("WRONG:", *problem)
    lines = lines_of(times)
    if not lines:
        print("hot_shapes: no times" + ("" if wrong else "; the simulator has none"))
        return 1 if wrong else 0
    # Those nearest to torch are first; those without torch's time are last.
    put_table(sorted(lines, key=lambda line: (line[1][1]["torch"] or math.inf) / line[1][0]))
    put_totals(lines)
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("list")
    command.add_argument("--small", action="store_true")
    command.set_defaults(run=show)
    command = commands.add_parser("summary")
    command.add_argument("results", nargs="+")
    command.set_defaults(run=summary)
    command = commands.add_parser("keep")
    command.add_argument("out")
    command.add_argument("results", nargs="+")
    command.set_defaults(run=keep)
    command = commands.add_parser("page")
    command.add_argument("-o", "--output", required=True)
    command.add_argument("results", nargs="+")
    command.set_defaults(run=page)
    arguments = parser.parse_args()
    return arguments.run(arguments)


if __name__ == "__main__":
    sys.exit(main())
