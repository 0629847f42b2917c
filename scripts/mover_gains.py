#!/usr/bin/env python3
"""What each kernel module of the library gains over the next that can do the same: the problems, and docs/movers.md.

usage: mover_gains.py problems [--random N] [--seed S] [--small]      prints problems for build/mover_gains
       mover_gains.py each PROGRAM DRIVER [--random N] [--seed S] [--uses N] [--modules A,B]   the same, N that each module
                                                   (of these) takes part in; DRIVER runs nothing: build/lib/libfake_driver.so
       mover_gains.py check PROGRAM [--random N] [--seed S]          on the simulator: every kernel that can do a problem
                                                                      leaves the same bytes
       mover_gains.py table [-o PAGE] RESULT...                      makes the page of what it printed, a file a device

    (scripts/mover_gains.py problems; scripts/mover_gains.py each build/mover_gains build/lib/libfake_driver.so) |
        build/mover_gains >H200.tsv
    scripts/mover_gains.py table -o docs/movers.md docs/results/movers/h200.tsv docs/results/movers/h100.tsv

Problems are those of docs/library-speed.md, and N random ones (default 200) for each operation.  Few modules take part in
many of these, so `each` draws 30000 for each operation and keeps 18 for each module.  --small: all of a few
kilobytes, for the simulator.  A line that begins with `# ` names the device (the last), or what --capability was.
"""
import argparse
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys

from random_shapes import LARGE, SMALL, Shapes, problem

ROOT = pathlib.Path(__file__).resolve().parent.parent
WIDTHS = (1, 2, 4, 8, 16)
# A module stays if it gains so much on so many problems.
GAIN, PROBLEMS = 1.02, 3


def transpose(width, batch, rows, cols, from_ld=0, to_ld=0, from_shift=0, to_shift=0):
    return f"transpose {width} {batch} {rows} {cols} {from_ld or cols} {to_ld or rows} {from_shift} {to_shift}"


def of_the_page():
    """The rows of docs/library-speed.md: what scripts/library_check.sh measured."""
    found = []
    for path in sorted((ROOT / "docs/results/library").glob("h200-library-*.json")):
        for row in json.loads(path.read_text()).get("rows", []):
            p = row.get("params", {})
            if row.get("kernel") != "wideload" or row.get("experiment") in ("copy", "copy-any", "add-any"):
                continue
            if row["experiment"] in ("transpose-any", "permute"):
                found.append(problem(row["experiment"], p))
            elif row["experiment"] == "transpose-inplace":
                found.append(f"inplace {p['width']} {p['rows']} {p['cols']}")
            elif isinstance(p["fields"], int):
                found.append(f"{row['experiment']} {p['width']} {p['fields']} {p['size']} 0 0")
            elif "f64" in str(p["fields"]):
                found.append(f"structures {row['experiment']} 5 4 4 4 8 4 {p['size']}")
    return list(dict.fromkeys(found))


class Draw:
    """Sizes of 1 to 256 MB (small: 1 to 32 KB), as often small as large; half of them even."""

    def __init__(self, seed, small):
        self.random = random.Random(seed)
        self.shapes = Shapes(self.random, SMALL if small else LARGE)
        self.small = small

    def bytes(self):
        return int(2 ** (self.random.uniform(10, 15) if self.small else self.random.uniform(20, 28)))

    def side(self, most):
        side = max(2, int(2 ** self.random.uniform(1, max(1.1, most))))
        even = self.random.choice((1, 1, 1, 2, 4, 16, 32, 64, 128))
        return max(2, side // even * even)

    def shift(self, width):
        return self.random.choice((0, 0, 0, 1, 3, 16 // width, 32 // width))

    def transpose(self):
        width, elements = self.random.choice(WIDTHS), 0
        elements = self.bytes() // width
        top = elements.bit_length() - 1
        rows = self.side(self.random.choice((5, 8, top - 5, top - 1)))
        cols = self.side(min(top, max(1.1, top - rows.bit_length() + 1)))
        if self.random.random() < 0.3:
            cols = min(cols, self.side(8))
        batch = max(1, elements // (rows * cols))
        if self.random.random() < 0.5:
            cols, batch = max(2, elements // rows), 1
        if self.random.random() < 0.3:
            rows, cols = cols, rows
        gap = self.random.choice((0, 0, 0, 1, 8, 32))
        return transpose(width, batch, rows, cols, cols + gap, rows + self.random.choice((0, 0, 0, gap, 4)),
                         self.shift(width), self.shift(width))

    def permute(self):
        width, rank = self.random.choice((1, 2, 4, 4, 8, 8, 16)), self.random.choice((3, 3, 3, 4, 4, 5))
        sizes = self.shapes.sides(rank, self.bytes() / width)
        order = list(range(rank))
        while order == sorted(order):
            self.random.shuffle(order)
        shift = self.random.choice(((0, 0), (0, 0), (self.shift(width), self.shift(width))))
        return f"permute {width} {rank} {' '.join(map(str, sizes))} {' '.join(map(str, order))} {shift[0]} {shift[1]}"

    def inplace(self):
        width = self.random.choice(WIDTHS)
        side = max(40, int((self.bytes() // width) ** 0.5))
        side = side // self.random.choice((1, 1, 16, 64)) * self.random.choice((1, 1, 16)) or side
        side = max(40, min(side, 16384))
        return f"inplace {width} {side} {max(33, side + self.random.choice((0, 0, 0, 1, 2, -2, 8, -13, 300)))}"

    def far(self):
        """In place, far from square: the driver that runs nothing cannot launch what does these."""
        width, ratio = self.random.choice(WIDTHS), 2 ** self.random.uniform(1, 12)
        elements = 2 ** self.random.uniform(20, 28) / width
        sides = [max(33, int((elements * ratio) ** 0.5)), max(33, int((elements / ratio) ** 0.5))]
        self.random.shuffle(sides)
        return f"inplace {width} {sides[0]} {sides[1]}"

    def streams(self):
        width, fields = self.random.choice(WIDTHS), self.random.choice((2, 3, 4, 5, 7, 8, 9, 12, 17, 20, 31, 32, 48, 64, 96))
        shift = self.random.choice(((0, 0), (0, 0), (1, 0), (0, 1), (3, 5)))
        n = max(1, self.bytes() // (width * fields)) // self.random.choice((1, 32)) * self.random.choice((1, 32)) or 64
        return f"{self.random.choice(('deinterleave', 'interleave'))} {width} {fields} {n} {shift[0]} {shift[1]}"

    def structures(self):
        fields = [self.random.choice((1, 2, 4, 4, 8, 12)) for _ in range(self.random.randint(2, 20))]
        way = self.random.choice(("deinterleave", "interleave"))
        return f"structures {way} {len(fields)} {' '.join(map(str, fields))} {max(1, self.bytes() // sum(fields))}"

    def copy(self):
        unit = self.random.choice((1, 1, 2, 4, 4, 8, 16))
        row = unit * max(1, int(2 ** self.random.uniform(2, 12)) // unit)
        pitch, shift = row + unit * self.random.choice((0, 1, 3, 8)), unit * self.random.choice((0, 1, 3))
        return f"copy {row} {max(2, self.bytes() // row)} {pitch if self.random.random() < .5 else row} " \
               f"{row + unit * self.random.choice((1, 2, 5))} {shift} {unit * self.random.choice((0, 1))}"


def problems(arguments):
    draw = Draw(arguments.seed, arguments.small)
    lines = [] if arguments.small else of_the_page()
    for kind in (draw.transpose, draw.permute, draw.inplace, draw.streams, draw.structures, draw.copy):
        lines += [kind() for _ in range(arguments.random)]
    print(f"mover_gains: {len(lines)} problems, seed {arguments.seed}", file=sys.stderr)
    print("\n".join(lines))


def each(arguments):
    draw, uses = Draw(arguments.seed, False), {}
    kinds = (draw.transpose, draw.permute, draw.inplace, draw.streams, draw.structures, draw.copy)
    text = "".join(kind() + "\n" for kind in kinds for _ in range(arguments.random))
    only = ["--modules", arguments.modules] if arguments.modules else []
    done = subprocess.run([arguments.program, "--dry", "yes", *only], input=text, capture_output=True, text=True,
                          check=False, env={**os.environ, "WIDELOAD_SIM_LIBRARY": arguments.driver})
    if done.returncode:
        print(done.stderr, end="", file=sys.stderr)
        return done.returncode
    for line in done.stdout.splitlines():
        problem, _, module = line.partition("\t")
        uses.setdefault(module, []).append(problem)
    chosen = {}
    wanted = arguments.modules.split(",") if arguments.modules else modules()
    for module in filter(uses.get, wanted):
        draw.random.shuffle(uses[module])
        chosen.update(dict.fromkeys(uses[module][:arguments.uses]))
    if not arguments.modules:
        chosen.update(dict.fromkeys(draw.far() for _ in range(len(WIDTHS) * arguments.uses)))
    print(f"mover_gains: {len(chosen)} problems, seed {arguments.seed}; never used: "
          f"{' '.join(module for module in wanted if module not in uses) or 'none'}", file=sys.stderr)
    print("\n".join(chosen))
    return 0


def check(arguments):
    """Of devices from the newest to the oldest."""
    draw, failed = Draw(arguments.seed, True), 0
    kinds = (draw.transpose, draw.permute, draw.inplace, draw.streams, draw.structures, draw.copy)
    text = "".join(kind() + "\n" for kind in kinds for _ in range(arguments.random))
    for capability in (90, 80, 75):
        done = subprocess.run([arguments.program, "--device", "sim", "--arena", "2", "--rounds", "1", "--repeats", "1",
                               "--capability", str(capability)], input=text, capture_output=True, text=True, check=False)
        rows = [line.split("\t") for line in done.stdout.splitlines() if line.count("\t") == 5]
        wrong = [row for row in rows if row[5] != "same"]
        compared = sum(row[2] != "-" for row in rows)
        print(f"{capability}: {len(rows)} uses of {len({row[1] for row in rows})} modules, {compared} compared with others")
        for row in wrong:
            print(f"    {row[0]}: {row[1]} and {row[2]} leave different bytes")
        print(done.stderr, end="")
        failed |= bool(wrong or done.returncode or done.stderr or compared < len(rows) // 4)
    return 1 if failed else 0


def read(path):
    device, rows = path, []
    for line in open(path, encoding="utf-8"):
        if line.startswith("# "):
            device = line[2:].strip()
        elif line.count("\t") == 5:
            problem, module, others, own, without, same = line.rstrip("\n").split("\t")
            rows.append((problem, module, others, float(own), float(without), same))
    return device, rows


def modules():
    """Of lib/movers.def: name and source."""
    return [line[len("MODULE("):].split(",")[0] for line in (ROOT / "lib/movers.def").read_text().splitlines()
            if line.startswith("MODULE(")]


def table(arguments):
    devices = [read(path) for path in arguments.results]
    wrong = [(device, row) for device, rows in devices for row in rows if row[5] == "DIFFERENT"]
    for device, row in wrong:
        print(f"mover_gains: {device}: {row[0]}: {row[1]} and {row[2]} leave different bytes", file=sys.stderr)
    out = ["# What each kernel gains", "",
           "Generated by `scripts/mover_gains.py` from what `build/mover_gains` measured; not written by hand.", "",
           "Each problem was timed as the library chooses and once more without each kernel module that took part, so that the",
           "next one that applies did the work. *Used* is in how many problems, *gained* in how many of them it was at least",
           f"{(GAIN - 1) * 100:.0f} % faster than that, *mean* (geometric) and *best* are the ratios of times. *Only* counts problems that nothing else",
           f"can do. A module goes that gains on fewer than {PROBLEMS} problems; some others went that are slower, or hardly faster, in",
           "the mean. Those marked as removed were measured before they went. `copy_any`, `add*` and `transpose_any` are",
           "the floors, which any problem can fall to; `fields_few` saves host time: its kernels have less to hand over at launch.",
           "Modules without a use do what no problem of this page asks for: `copy_strided*`, `sort*`, `ranges*`, `check`, `add*`;",
           "[notes/sparse.md](notes/sparse.md) has the sparse ones' times. Nor did any fall to `inplace_elements`. A mean below 1",
           "says that the choice errs. Two such errors were mended by these figures: thin matrices with gaps are no longer for",
           "`transpose_elements`, and copies of less than 4 MiB not for `copy_seams`.",
           "", "| module | " + " | ".join(f"{device}: used | gained | mean | best | only" for device, _ in devices) + " |",
           "|---|" + "---:|" * (5 * len(devices))]
    kept, measured = modules(), {row[1] for _, rows in devices for row in rows}
    for module in kept + sorted(measured - set(kept)):
        cells = []
        for _, rows in devices:
            own = [row for row in rows if row[1] == module]
            gains = [row[4] / row[3] for row in own if row[2] != "-" and row[3] > 0]
            only = sum(row[2] == "-" for row in own)
            cells += [str(len(own)), str(sum(gain >= GAIN for gain in gains)),
                      f"{statistics.geometric_mean(gains):.3f}" if gains else "", f"{max(gains):.2f}" if gains else "", str(only)]
        out.append(f"| {module}{'' if module in kept else ' (removed)'} | " + " | ".join(cells) + " |")
    text = "\n".join(out) + "\n"
    if arguments.output:
        pathlib.Path(arguments.output).write_text(text)
    else:
        print(text, end="")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("problems")
    command.add_argument("--random", type=int, default=200)
    command.add_argument("--seed", type=int, default=1)
    command.add_argument("--small", action="store_true")
    command.set_defaults(run=problems)
    command = commands.add_parser("each")
    command.add_argument("program")
    command.add_argument("driver")
    command.add_argument("--random", type=int, default=30000)
    command.add_argument("--seed", type=int, default=7)
    command.add_argument("--uses", type=int, default=18)
    command.add_argument("--modules")
    command.set_defaults(run=each)
    command = commands.add_parser("check")
    command.add_argument("program")
    command.add_argument("--random", type=int, default=60)
    command.add_argument("--seed", type=int, default=1)
    command.set_defaults(run=check)
    command = commands.add_parser("table")
    command.add_argument("-o", "--output")
    command.add_argument("results", nargs="+")
    command.set_defaults(run=table)
    arguments = parser.parse_args()
    return arguments.run(arguments)


if __name__ == "__main__":
    sys.exit(main())
