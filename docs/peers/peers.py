#!/usr/bin/env python3
"""Times what torch, CuPy and JAX do instead of Wideload's kernels, at the sizes of a result of the bench.

    python3 docs/peers/peers.py RESULT.json -o WITH_PEERS.json

RESULT.json is what `wideload bench --json` wrote on this machine's GPU.  Each framework that can be imported is
given the same work at the same sizes; its rows are appended, of the same schema, so that `wideload report` and
every other reader shows all of them in one table.  README.md beside this file says what each row does.

Exit status: 0, 1 where a result was wrong or the GPU failed, 2 where the arguments or the file do not suit.
"""
import argparse
import json
import os
import sys
import tempfile

from frameworks import FRAMEWORKS, Jax, Refused, first_line
from ranks import RankFailed, Ranks, require
from timing import Batched, Graphed, Timed, measure
from work import VARIANTS, Work

SCHEMA = "wideload-bench/1"
REQUIRED = {"experiment", "kernel", "params", "verified", "bytes", "time_ms", "gbps"}
FLUSH_LEAST = 256 << 20  # bytes, where the file does not say how large the cache is


def load(path):
    try:
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise Refused(f"{path}: no JSON: {error}") from error
    schema = result.get("schema") if isinstance(result, dict) else None
    if not isinstance(schema, str) or not schema.startswith("wideload-bench/"):
        raise Refused(f"{path} is no result of `wideload bench --json`: it has no schema \"{SCHEMA}\"")
    if schema != SCHEMA:
        raise Refused(f"{path} has schema \"{schema}\", this program reads \"{SCHEMA}\": run the bench anew")
    device, rows = result.get("device"), result.get("rows")
    if not isinstance(device, dict) or not isinstance(device.get("name"), str) or not isinstance(rows, list):
        raise Refused(f"{path}: no device or no rows, as schema {SCHEMA} has them")
    if device.get("kind") != "gpu":
        raise Refused(f"{path} was made on the simulator, which has no times to compare with: run the bench on a GPU")
    return result


def launches_of(row):
    """How many calls the CUDA graph of a row with a hot cache has; 0: a row with a cold cache; None: neither."""
    if row.get("l2", "cold") == "cold":
        return 0
    return row["time_ms"]["launches"] if row["time_ms"].get("replay") == "graph" else None


def groups(result):
    """Timed rows of one experiment and size: [(experiment, params without the block, its rows, calls in a graph)]."""
    found = {}
    for row in result["rows"]:
        if not isinstance(row, dict) or not REQUIRED <= row.keys() or not isinstance(row["params"], dict):
            raise Refused(f"a row lacks what schema {SCHEMA} has")
        if row.get("time_ms") and launches_of(row) is not None and row["experiment"] in VARIANTS:
            if isinstance(row["params"].get("fields"), str):
                continue  # no framework has structures of several types
            if row["params"].get("matrix"):
                continue  # only the bench makes these matrices
            params = {**row["params"], "block": None}
            if "unroll" in params:
                params["unroll"] = None
            found.setdefault((row["experiment"], json.dumps(params), launches_of(row) > 0), []).append(row)
    return [(experiment, json.loads(params), rows, max(launches_of(row) for row in rows))
            for (experiment, params, _), rows in found.items()]


def bytes_moved(variant, params, rows):
    """By the bench's formula: the one of the row that does the same."""
    if variant == "csr2csc":
        return 4 * (params["rows"] + params["cols"] + 2 + 4 * params["nnz"])
    for row in rows:
        if row["kernel"].startswith(variant):
            return row["bytes"]
    return rows[0]["bytes"]


def new_row(framework, experiment, variant, params, rows):
    return {"experiment": experiment, "kernel": f"{framework.library.lower()}-{variant}",
            "peer": {"library": framework.library, "version": framework.version}, "params": params,
            "verified": None, "error": None, "skipped": None, "bytes": bytes_moved(variant, params, rows),
            "time_ms": None, "gbps": None, "pct_peak": None, "pct_copy": None, "gops": None, "l2": None,
            "fits_l2": None, "occupancy": None, "clocks": None, "counters": None}


def fill_row(row, variant, samples, stop, device, operations):
    median = samples.quantile(0.5)
    row["time_ms"] = {"median": median, "iqr": samples.iqr(), "min": min(samples.values), "n": len(samples.values),
                      "stop": stop, "launches": variant.launches, "replay": variant.replay}
    row["l2"] = variant.l2
    row["fits_l2"] = row["bytes"] / 4 < (device.get("l2_bytes") or 0)
    if median > 0:
        row["gbps"] = row["bytes"] / median * 1e-6
        row["gops"] = operations / median * 1e-6 if operations else None
        row["pct_peak"] = 100 * row["gbps"] / device["peak_gbps"] if device.get("peak_gbps") else None


def fill_ranks(row, ranks, options, rows):
    wrong = ranks.wrong()
    row["verified"], row["error"] = wrong is None, wrong
    if wrong is None:
        [(samples, stop)] = measure([ranks], options)
        fill_row(row, ranks, samples, stop, {}, 0)  # what crosses has no share of the memory's peak
        row["fits_l2"] = rows[0].get("fits_l2")


def run_ranks(framework, flush_bytes, group, options):
    """The row of several GPUs, whose processes this one only tells what to do."""
    experiment, params, rows, _ = group
    row = new_row(framework, experiment, experiment, params, rows)
    try:
        require(framework, params)
        with Ranks(params, options.seed, flush_bytes) as ranks:
            fill_ranks(row, ranks, options, rows)
    except NotImplementedError as error:
        row["skipped"] = first_line(error)
    except RankFailed as error:
        row["verified"], row["error"] = False, str(error)
    return row


def bind(framework, work, flush, launches):
    """The work as the framework is timed at it; launches: calls in a graph, or 0."""
    if launches and work.variant not in framework.captured:
        raise NotImplementedError(f"{framework.library}'s call is not captured in a graph")
    if launches:
        return Graphed(framework, work, launches)
    return (Batched if isinstance(framework, Jax) else Timed)(framework, work, flush)


def run_group(np, frameworks, flushes, group, result, options):
    """The new rows of one experiment and size."""
    experiment, params, rows, launches = group
    made, timed = [], []
    for variant in VARIANTS[experiment]:
        work = Work(np, variant, params, options.seed)
        for framework in frameworks:
            if variant not in framework.variants:
                continue
            row = new_row(framework, experiment, variant, params, rows)
            made.append(row)
            try:
                bound = bind(framework, work, flushes.get(framework), launches)
                wrong = work.wrong(bound.results())
            except Exception as error:  # what a framework cannot do, it says in errors of many kinds
                row["skipped"] = first_line(error)
                continue
            row["verified"], row["error"] = wrong is None, wrong
            if wrong is None:
                timed.append((row, bound, work.operations))
    measured = measure([bound for _, bound, _ in timed], options)
    for (row, bound, operations), (samples, stop) in zip(timed, measured):
        fill_row(row, bound, samples, stop, result["device"], operations)
    timed.clear()
    for framework in frameworks:
        framework.release()
    return made


def open_frameworks(names, device):
    chosen = names or list(FRAMEWORKS)
    opened, reasons = [], []
    for name in chosen:
        try:
            framework = FRAMEWORKS[name]()
        except ImportError as error:
            reasons.append(f"{name} cannot be imported ({first_line(error)})")
            continue
        except Refused as error:
            reasons.append(str(error))
            continue
        if framework.device != device:
            raise Refused(f"the file is of {device}, this machine's first GPU is {framework.device}: "
                          "ratios between devices say nothing")
        opened.append(framework)
    if names and reasons:
        raise Refused("; ".join(reasons))
    if not opened:
        raise Refused("there is no framework to time: " + "; ".join(reasons))
    return opened


def figure(value, digits):
    return "" if value is None else f"{value:.{digits}f}"


def put_table(result):
    names_of = ("size", "order", "type", "fields", "width", "gpus", "from_shift", "to_shift", "offset", "stride")
    title = ["experiment", "kernel", *(name.replace("_", " ") for name in names_of), "", "ms", "IQR%", "n", "GB/s", "% peak", "GOP/s"]
    lines = [title]
    for row in result["rows"]:
        params, timing = row["params"], row.get("time_ms")
        status = {True: "ok", False: "FAIL", None: "skip"}[row["verified"]]
        line = [row["experiment"], row["kernel"]] + ["" if params.get(name) is None else str(params[name])
                                                     for name in names_of] + [status]
        if timing:
            iqr = 100 * timing["iqr"] / timing["median"] if timing["median"] > 0 else None
            line += [figure(timing["median"], 4), figure(iqr, 1), str(timing["n"]), figure(row["gbps"], 1),
                     figure(row["pct_peak"], 1), figure(row["gops"], 1)]
        lines.append(line + [""] * (len(title) - len(line)))
    shown = [c for c in range(len(title)) if any(line[c] for line in lines[1:])]
    widths = {c: max(len(line[c]) for line in lines) for c in shown}
    for line in lines:
        print("  ".join(line[c].ljust(widths[c]) if c < 2 else line[c].rjust(widths[c]) for c in shown).rstrip())


def put_anchor(result, made):
    """The driver's copy is in both runs: how far they can be laid beside each other."""
    for row in made:
        if row["experiment"] != "copy" or row["gbps"] is None or row["l2"] != "cold":
            continue
        for other in result["rows"]:
            same = other["kernel"] == "driver" and other["params"]["size"] == row["params"]["size"]
            if same and other["experiment"] == "copy" and other["gbps"]:
                change = 100 * (row["gbps"] / other["gbps"] - 1)
                print(f"{row['kernel']} is the driver's copy as well: {change:+.1f} % of the bench's figure")


def write(path, result):
    text = json.dumps(result, indent=1) + "\n"
    if path == "-":
        sys.stdout.write(text)
        return
    try:
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=os.path.dirname(path) or ".", delete=False) as file:
            file.write(text)
        os.chmod(file.name, 0o644)
        os.replace(file.name, path)
    except OSError as error:
        raise Refused(f"{path} cannot be written: {error.strerror}") from error


def positive(text):
    value = float(text)
    if not value > 0:
        raise ValueError
    return value


def count(text):
    value = int(text)
    if value < 1:
        raise ValueError
    return value


def names(text):
    chosen = text.split(",")
    for name in chosen:
        if name not in FRAMEWORKS:
            raise argparse.ArgumentTypeError(f"no framework '{name}': give some of {','.join(FRAMEWORKS)}")
    return chosen


def parse(arguments):
    parser = argparse.ArgumentParser(description="Appends rows of torch, CuPy and JAX to a result of the bench.")
    parser.add_argument("result", metavar="RESULT.json", help="what `wideload bench --json` wrote on this GPU")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="the result with the new rows; - is "
                        "standard output, without the table")
    parser.add_argument("--frameworks", type=names, metavar="LIST", help="of torch,cupy,jax; those that can be "
                        "imported where none are named")
    parser.add_argument("--samples", type=count, metavar="N", help="exactly so many samples a row")
    parser.add_argument("--time", type=positive, default=15, metavar="SECONDS", help="at most so long a row (15)")
    parser.add_argument("--every", type=count, default=1, metavar="N", help="only the first of each N sizes (1)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the inputs (1)")
    return parser.parse_args(arguments)


def run(options):
    result = load(options.result)
    work = groups(result)[::options.every]
    if not work:
        raise Refused(f"{options.result} has no row timed with a cold cache, or hot in a CUDA graph, that a framework has a counterpart of")
    folder = os.path.dirname(options.output) or "."
    if options.output != "-" and not os.access(folder, os.W_OK):
        raise Refused(f"{options.output} cannot be written: {folder} is no folder to write into")
    try:
        import numpy
    except ImportError as error:
        raise Refused("numpy, which verifies every result, cannot be imported: install it") from error
    frameworks = open_frameworks(options.frameworks, result["device"]["name"])
    size = max(FLUSH_LEAST, 2 * (result["device"].get("l2_bytes") or 0))
    flushes = {framework: framework.flush_buffer(size) for framework in frameworks if not isinstance(framework, Jax)}
    libraries = {framework.library for framework in frameworks}
    result["rows"] = [row for row in result["rows"] if (row.get("peer") or {}).get("library") not in libraries]
    made = []
    for group in work:
        if group[0] != "redistribute":
            made += run_group(numpy, frameworks, flushes, group, result, options)
            continue
        for framework in frameworks:
            if "redistribute" in framework.variants:
                made.append(run_ranks(framework, size, group, options))
    experiments = [row["experiment"] for row in result["rows"]]
    result["rows"] = sorted(result["rows"] + made, key=lambda row: experiments.index(row["experiment"]))
    write(options.output, result)
    if options.output != "-":
        put_table(result)
        put_anchor(result, made)
    failed = [row for row in made if row["verified"] is False]
    for row in made:
        if row["verified"] is not True:
            where = f"{row['experiment']}/{row['kernel']} size {row['params']['size']}"
            said = f"FAIL {where}: {row['error']}" if row["error"] else f"skipped {where}: {row['skipped']}"
            print(f"peers.py: {said}", file=sys.stderr)
    return 1 if failed else 0


def main():
    options = parse(sys.argv[1:])
    try:
        return run(options)
    except Refused as error:
        print(f"peers.py: {error}", file=sys.stderr)
        return 2
    except RuntimeError as error:  # what the frameworks raise when the device fails
        print(f"peers.py: the GPU failed: {first_line(error)}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
