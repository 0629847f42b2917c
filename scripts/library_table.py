#!/usr/bin/env python3
"""What the library's operations are held to, and what they reach: docs/library-speed.md, from the bench's results.

    scripts/library_table.py RESULT.json... [-o PAGE.md] [--check]

The results are what scripts/library_check.sh left in its folder: library-*.json, and frameworks-*.json where it had
torch.  Each line of the table is a promise: the work, the least ratio to the best copy kernel of the same run, to the
best of the other libraries or to the aligned case, the lowest ratio that was measured and where, and whether it holds.
The last is of library-calls.json: the host time of a call to that of a bare launch, at most.

    --check   exits 1 where a promise is missed or was not measured
"""
import argparse
import json
import math
import os
import sys
import tempfile

SCHEMA, CALLS_SCHEMA = "wideload-bench/1", "wideload-calls/1"
OURS = "wideload"


def load(path):
    try:
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
    except OSError as error:
        sys.exit(f"library_table: {path}: {error.strerror}")
    except ValueError as error:
        sys.exit(f"library_table: {path}: no JSON: {error}")
    if not isinstance(result, dict) or result.get("schema") not in (SCHEMA, CALLS_SCHEMA):
        sys.exit(f"library_table: {path} is no result of `wideload bench --json`, schema {SCHEMA}, nor of calls_speed, "
                 f"schema {CALLS_SCHEMA}")
    return result


def key(row, *without):
    """What a row is of, so that others of the same work are found; blocks and unrolls are a kernel's own."""
    params = {name: value for name, value in row["params"].items()
              if name not in ("block", "unroll", *without) and value is not None}
    return row["experiment"], json.dumps(params, sort_keys=True)


class Rows:
    """The verified and timed rows of all results, each once."""

    def __init__(self, results):
        self.rows, self.groups, self.failed = [], {}, []
        self.all = [row for result in results for row in result["rows"] if row["verified"] and row["gbps"]]
        seen = set()
        for result in results:
            for row in result["rows"]:
                name = (key(row), row["kernel"], row["params"].get("block"), row["params"].get("unroll"))
                if row["verified"] is False:
                    self.failed.append(row)
                if name in seen or not row["verified"] or not row["gbps"]:
                    continue
                seen.add(name)
                self.rows.append(row)
                self.groups.setdefault(key(row), []).append(row)

    def ours(self, experiment, which=lambda params: True):
        return [row for row in self.rows
                if row["experiment"] == experiment and row["kernel"] == OURS and which(row["params"])]

    def repeated(self, experiment):
        """Ours, each as often as it was measured."""
        return [row for row in self.all if row["experiment"] == experiment and row["kernel"] == OURS]

    def beside(self, row):
        return [other for other in self.groups[key(row)] if other is not row]


def library(row):
    return row["peer"]["library"] if row["peer"] else None


# ---------------------------------------------------------------- what a row is held against: (figure, whose) or None

def best_copy(_, row):
    return (row["gbps"] / (row["pct_copy"] / 100), "copy") if row["pct_copy"] else None


def other_kernels(rows, row):
    others = [other for other in rows.beside(row) if not other["peer"]]
    return max(((other["gbps"], other["kernel"]) for other in others), default=None)


def other_libraries(rows, row):
    """Not the driver, whose copy of as many bytes does another work."""
    others = [other for other in rows.beside(row) if library(other) not in (None, "CUDA driver")]
    return max(((other["gbps"], other["kernel"]) for other in others), default=None)


def torch(rows, row):
    others = [other for other in rows.beside(row) if library(other) == "torch"]
    return max(((other["gbps"], other["kernel"]) for other in others), default=None)


def aligned(rows, row):
    """The fastest, where it was measured in several runs."""
    same = [other["gbps"] for other in rows.repeated(row["experiment"])
            if not shifted(other["params"]) and key(other, "from_shift", "to_shift") == key(row, "from_shift", "to_shift")]
    return (max(same), "aligned") if same else None


# ---------------------------------------------------------------- which rows a line is of

def shifted(params):
    return bool(params["from_shift"] or params["to_shift"])


def thin(params):
    return min(params["rows"], params["cols"]) == 3 and params["batch"] == 1


def image(params):
    """Of the images, those of N x C x HW and N x HW x C: batches, but not of squares."""
    return params["batch"] > 1 and params["rows"] != params["cols"]


def cached(params):
    return params["rows"] == params["cols"] and params["batch"] == 1 and params["rows"] <= 2048


def shape(*widths):
    return lambda params: (params["width"] in widths and not thin(params) and not image(params)
                           and not cached(params))


def square(params):
    return params["rows"] == params["cols"]


PROMISES = [
    # work, experiments, rows, held against, its words, at least, geometric mean in place of the lowest
    ("copy, aligned", ["copy"], None, other_kernels, "best copy kernel", 0.99, False),
    ("copy, any byte shift of either side", ["copy-any"], shifted, best_copy, "copy", 0.97, False),
    ("add f32, f16, i8", ["add-any"], lambda p: not shifted(p), torch, "torch.add", 1.00, False),
    ("add, shifted by elements", ["add-any"], shifted, aligned, "the aligned", 0.97, False),
    ("transpose 4, 8, 16 B", ["transpose-any"], shape(4, 8, 16), best_copy, "copy", 0.97, False),
    ("transpose 4, 8, 16 B", ["transpose-any"], shape(4, 8, 16), other_libraries, "the best peer", 1.00, False),
    ("transpose 1, 2 B", ["transpose-any"], shape(1, 2), best_copy, "copy", 0.95, False),
    ("transpose N x 3 and 3 x N, every width", ["transpose-any"], thin, best_copy, "copy", 0.95, False),
    ("transpose 2048 x 2048 f32, in L2", ["transpose-any"], cached, other_libraries, "the best peer", 1.00, False),
    ("NCHW to NHWC and back, 2 and 4 B", ["transpose-any"], image, best_copy, "copy", 0.95, False),
    ("transpose in place, square", ["transpose-inplace"], square, best_copy, "copy", 0.90, False),
    ("transpose in place, 8191 x 8193", ["transpose-inplace"], lambda p: not square(p), best_copy, "copy", 0.50,
     False),
    ("deinterleave, equal fields, every width", ["deinterleave"], lambda p: isinstance(p["fields"], int), best_copy,
     "copy", 0.95, False),
    ("interleave, equal fields, every width", ["interleave"], lambda p: isinstance(p["fields"], int), best_copy,
     "copy", 0.95, False),
    ("structures {f32 x 3, f64, i32}, both ways", ["deinterleave", "interleave"],
     lambda p: isinstance(p["fields"], str), best_copy, "copy", 0.95, False),
    ("permute, each case", ["permute"], None, best_copy, "copy", 0.90, False),
    ("permute, geometric mean", ["permute"], None, best_copy, "copy", 0.95, True),
    ("permute, each case", ["permute"], None, other_libraries, "the best peer", 1.00, False),
]


def where(row):
    """"8191x8193, width 4", as the bench's options take it."""
    params = row["params"]
    size = params["size"]
    if isinstance(size, int) and size >= 2**16 and size & (size - 1) == 0:
        size = f"2^{size.bit_length() - 1}"
    text = f"{size}@{params['order']}" if params.get("order") else str(size)
    for name, title in (("type", ""), ("fields", "fields "), ("width", "width ")):
        if params.get(name) is not None:
            text += f", {title}{params[name]}"
    if params.get("from_shift") is not None:
        text += f", from +{params['from_shift']} to +{params['to_shift']}"
    return text


def shown(ratio):
    """In thousandths, rounded down: what is shown as the target has reached it."""
    return math.floor(1000 * ratio + 1e-9) / 1000


class Line:
    """A promise with what was measured for it."""

    def __init__(self, rows, promise):
        self.work, experiments, which, against, self.words, self.target, self.mean = promise
        self.measured = []
        for experiment in experiments:
            for row in rows.ours(experiment, which or (lambda params: True)):
                reference = against(rows, row)
                if reference:
                    self.measured.append((row["gbps"] / reference[0], row, reference))
        self.measured.sort(key=lambda item: item[0])
        self.ratio = None
        if self.measured and self.mean:
            self.ratio = math.exp(sum(math.log(ratio) for ratio, *_ in self.measured) / len(self.measured))
        elif self.measured:
            self.ratio = self.measured[0][0]

    def holds(self):
        return self.ratio is not None and shown(self.ratio) >= self.target

    def cells(self):
        if self.ratio is None:
            return [self.work, f"{self.target:.2f} of {self.words}", "0", "", "", "not measured"]
        missed = sum(shown(ratio) < self.target for ratio, *_ in self.measured)
        place = "" if self.mean else where(self.measured[0][1])
        verdict = "yes" if self.holds() else "**no**" if self.mean else f"**no**: {missed} below"
        return [self.work, f"{self.target:.2f} of {self.words}", str(len(self.measured)), f"{shown(self.ratio):.3f}", place,
                verdict]

    def details(self):
        rows = [[row["experiment"], where(row), f"{row['gbps']:.0f}", f"{reference[0]:.0f}", reference[1],
                 f"{shown(ratio):.3f}"] for ratio, row, reference in self.measured]
        head = ["experiment", "of", "GB/s", "held against, GB/s", "which is", "ratio"]
        return (f"<details><summary>{self.work}: at least {self.target:.2f} of {self.words}, every row</summary>\n\n"
                + grid(head, [True, True, False, False, True, False], rows) + "\n</details>\n")


class Calls:
    """The promise of what a call costs the host, beside a bare launch of an empty kernel."""
    work, target = "a call of 1 Ki elements, host time", 1.20

    def __init__(self, results):
        self.measured = sorted(((row["ns"] / row["bare_ns"], row) for result in results for row in result["rows"]),
                               key=lambda item: -item[0])

    @staticmethod
    def shown(ratio):
        """Rounded up: what is shown as the target has reached it."""
        return math.ceil(1000 * ratio - 1e-9) / 1000

    def holds(self):
        return bool(self.measured) and self.shown(self.measured[0][0]) <= self.target

    def cells(self):
        aim = f"at most {self.target:.2f} of a bare launch"
        if not self.measured:
            return [self.work, aim, "0", "", "", "not measured"]
        above = sum(self.shown(ratio) > self.target for ratio, _ in self.measured)
        ratio, row = self.measured[0]
        return [self.work, aim, str(len(self.measured)), f"{self.shown(ratio):.3f}", f"{row['call']}, {row['of']}",
                f"**no**: {above} above" if above else "yes"]

    def details(self):
        rows = [[row["call"], row["of"], f"{row['ns']:.0f}", f"{row['bare_ns']:.0f}", f"{self.shown(ratio):.3f}"]
                for ratio, row in self.measured]
        return (f"<details><summary>{self.work}: at most {self.target:.2f} of cuLaunchKernel of an empty kernel, every "
                "row</summary>\n\n"
                + grid(["call", "of", "ns", "cuLaunchKernel, ns", "ratio"], [True, True, False, False, False], rows)
                + "\n</details>\n")


def grid(head, texts, lines):
    rule = "|" + "".join("---|" if text else "---:|" for text in texts)
    return "\n".join(["| " + " | ".join(head) + " |", rule, *("| " + " | ".join(line) + " |" for line in lines)])


def page(results, rows, calls):
    device = results[0]["device"]
    lines = [*(Line(rows, promise) for promise in PROMISES), calls]
    dates = sorted(result["date"] for result in results if result["date"])
    peers = sorted({f"{row['peer']['library']} {row['peer']['version'] or ''}".strip() for row in rows.rows if row["peer"]})
    kept = sum(line.holds() for line in lines)
    text = ["# How fast the library is", "",
            "Generated by `scripts/library_table.py` from what `scripts/library_check.sh build OUT` measured; not "
            "written by hand.", "",
            f"{device['name']} ({device['arch']}), peak {device['peak_gbps'] or 0:.0f} GB/s, wideload "
            f"{results[0]['version']}, {dates[-1][:10] if dates else 'no date'}; beside it: {', '.join(peers)}.", "",
            "Each figure is the lowest ratio of medians with a cold L2 cache among the rows of its line: bandwidth by "
            "the bytes that",
            "must move, each read once and written once, held against the best copy kernel of the same run at as many "
            "bytes (`wl_copy` is",
            "one of them, but on its own line), against other libraries at the same work, or against the same call with "
            "aligned arrays.",
            "A row is timed only after every element of its result was compared. The last line is of time that calls take "
            "of the host,",
            "one after another, at most.", "",
            f"{kept} of {len(lines)} hold.", "",
            grid(["work", "held to", "rows", "worst", "where", "holds"], [True, True, False, False, True, True],
                 [line.cells() for line in lines]), ""]
    if rows.failed:
        text += ["Wrong results, which have no time: "
                 + "; ".join(f"{row['experiment']}/{row['kernel']} {where(row)}" for row in rows.failed) + ".", ""]
    text += [line.details() for line in lines if line.measured]
    return "\n".join(text), lines


def write(path, text):
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=os.path.dirname(path) or ".", delete=False) as file:
        file.write(text)
    os.chmod(file.name, 0o644)
    os.replace(file.name, path)


def main():
    parser = argparse.ArgumentParser(description="What the library's operations are held to, and what they reach.")
    parser.add_argument("results", metavar="RESULT.json", nargs="+")
    parser.add_argument("-o", "--output", metavar="PAGE.md", help="the whole page; without it, the table is printed")
    parser.add_argument("--check", action="store_true", help="exit 1 where a promise is missed or was not measured")
    options = parser.parse_args()
    results = [load(path) for path in options.results]
    # What calls cost is told with less of the device than the bench tells.
    devices = {json.dumps(result["device"], sort_keys=True) for result in results if result["schema"] == SCHEMA}
    names = {tuple(result["device"][name] for name in ("name", "kind", "arch")) for result in results}
    if len(devices) > 1 or len(names) > 1:
        sys.exit("library_table: results of several devices: ratios between devices say nothing")
    if results[0]["device"]["kind"] != "gpu":
        sys.exit("library_table: the simulator has no times: run scripts/library_check.sh on a GPU")
    calls = Calls([result for result in results if result["schema"] == CALLS_SCHEMA])
    results = [result for result in results if result["schema"] == SCHEMA]
    if not results:
        sys.exit("library_table: no result of `wideload bench --json`")
    rows = Rows(results)
    text, lines = page(results, rows, calls)
    if options.output:
        write(options.output, text)
    else:
        for line in lines:
            print("  ".join(cell.replace("*", "") for cell in line.cells() if cell))
    if options.check and (rows.failed or not all(line.holds() for line in lines)):
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
