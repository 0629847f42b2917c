#!/usr/bin/env python3
"""The times of small calls: draws the sweep, and fits struct wl__tuned_small (lib/tuned/) to what was measured.

usage: latency_fit.py sweep [--most MB]          prints problems for `build/mover_gains --hot yes`
       latency_fit.py fit RESULT...              prints the values, and how well they fit

    scripts/latency_fit.py sweep | build/mover_gains --hot yes --rounds 30 >docs/results/latency/h200.tsv
    scripts/latency_fit.py fit docs/results/latency/*.tsv

The sweep has 1 KB to 64 MB by factors of 2 and, at each size and width, matrices, batches and permutations that tiles
fit well or badly.  It has random calls too, of 16 KB to 16 MB, as random_shapes.py draws them.
"""
import argparse
import math
import pathlib
import random
import statistics
import sys

import random_shapes

DRAWN = 550  # random calls
SECTOR, VECTOR = 32, 16
FEW, NARROW = 8, 32  # streams: one thread holds a vector of each, or tiles of lines would be nearly empty


def drawn(count):
    """Problems of random calls with their data in the cache."""
    shapes = random_shapes.Shapes(random.Random(16), random_shapes.HOT)
    for i in range(count):
        if i % 2:
            width, sizes, order = shapes.permute()
            yield f"permute {width} {len(sizes)} {' '.join(map(str, (*sizes, *order)))} 0 0"
        else:
            width, batch, rows, cols = shapes.transpose()
            yield f"transpose {width} {batch} {rows} {cols} {cols} {rows} 0 0"


def sweep(arguments):
    lines = []
    size = 1024
    while size <= arguments.most << 20:
        for width in random_shapes.WIDTHS:
            n = size // width
            side = max(2, math.isqrt(n))
            for rows, cols in ((side, side), (max(2, side // 4), side * 4), (side | 1, max(3, n // (side | 1)) | 1)):
                lines.append(f"transpose {width} 1 {rows} {cols} {cols} {rows} 0 0")
            for rows, cols in ((16, 16), (10, 20), (3, 31)):
                batch = n // (rows * cols)
                if batch > 1:
                    lines.append(f"transpose {width} {batch} {rows} {cols} {cols} {rows} 0 0")
            edge = max(2, round(n ** (1 / 3)))
            for a, b, c in ((edge, edge, edge), (edge // 4 * 4 or 2, edge, edge // 4 * 4 or 2)):
                lines.append(f"permute {width} 3 {a} {b} {c} 2 1 0 0 0")
            edge = max(2, round(n ** (1 / 4)))
            lines.append(f"permute {width} 4 {edge} {edge + 1} {edge} {edge + 2} 2 0 3 1 0 0")
        size *= 2
    lines += drawn(DRAWN)
    print("\n".join(dict.fromkeys(lines)))
    return 0


def describe(problem, others):
    """Width, elements, and the kind of others by lib/transpose/movers.c and lib/permute/movers.c."""
    words = problem.split()
    numbers = [int(word) for word in words[1:]]
    width = numbers[0]
    if words[0] != "transpose":
        rank = numbers[1]
        sizes, order = numbers[2:2 + rank], numbers[2 + rank:2 + 2 * rank]
        quick = width == 4 and width * (sizes[-1] | sizes[order[-1]]) % VECTOR == 0
        return width, math.prod(sizes), "tiles" if quick else "moved"
    batch, rows, cols = numbers[1:4]
    places = width * (rows | cols) | (width * rows * cols if batch > 1 else 0)
    fewer = min(rows, cols)
    if fewer <= NARROW and "leave" in others:  # interleave, deinterleave
        kind = "vectors" if fewer <= FEW else "torn"
    elif fewer <= NARROW:
        kind = "torn" if width == 1 else "tiles"
    elif width in (4, 8) and places % VECTOR == 0 and width * rows % SECTOR == 0:
        kind = "vectors"
    else:
        kind = "torn" if width <= 4 and places % VECTOR else "tiles"
    return width, batch * rows * cols, kind


def read(paths):
    rows = []
    for path in paths:
        try:
            text = pathlib.Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            sys.exit(f"latency_fit: {path} cannot be read: {error}")
        for line in text.splitlines():
            if line.count("\t") == 5:
                problem, module, others, small, without, same = line.split("\t")
                if same != "same":
                    sys.exit(f"latency_fit: {path}: {problem}: {module} and {others} leave different bytes")
                rows.append((problem, *describe(problem, others), float(small), float(without)))
    return rows


def line_through(rows):
    """first + per_million * elements, of the least relative error."""
    # The normal equations of first / t + per_million * n / t = 1.
    weighted = [(1 / (1000 * row[4]), row[2] * 1e-6 / (1000 * row[4])) for row in rows]
    aa, ab, bb = (sum(w[i] * w[j] for w in weighted) for i, j in ((0, 0), (0, 1), (1, 1)))
    a, b = (sum(w[i] for w in weighted) for i in (0, 1))
    first, per_million = (a * bb - b * ab) / (aa * bb - ab * ab), (b * aa - a * ab) / (aa * bb - ab * ab)
    errors = [abs(first * w[0] + per_million * w[1] - 1) for w in weighted]
    return first, per_million, statistics.mean(errors), max(errors)


def best_others(rows, estimate):
    """The time of others at which choosing by the estimate loses least; and the loss in the mean and at most."""
    def losses(others):
        return [(small if estimate(n) < others else without) / min(small, without) for _, _, n, _, small, without in rows]
    candidates = sorted(estimate(row[2]) + 1 for row in rows)
    best = min([0, *candidates], key=lambda others: statistics.geometric_mean(losses(others)))
    return best, statistics.geometric_mean(losses(best)), max(losses(best))


def fit(arguments):
    rows = read(arguments.results)
    large, most = arguments.large, arguments.fitted
    parts = [[row for row in rows if row[2] < large], [row for row in rows if large <= row[2] < most]]
    if min(map(len, parts)) < 2:
        sys.exit(f"latency_fit: too few times in these files: give what `build/mover_gains --hot yes` printed for the sweep")
    lines = [line_through(part) for part in parts]
    out = [f"{len(rows)} problems", f".large = {large}",
           f".first = {{{lines[0][0]:.0f}, {lines[1][0]:.0f}}}", f".per_million = {{{lines[0][1]:.0f}, {lines[1][1]:.0f}}}"]
    for name, (_, _, mean, worst) in zip(("below large", f"from large to {most}"), lines):
        out.append(f"    {name}: the estimate is off by {100 * mean:.0f} % in the mean, {100 * worst:.0f} % at most")

    def estimate(n):
        first, per_million, *_ = lines[n >= large]
        return first + per_million * n * 1e-6
    for kind in ("vectors", "tiles", "torn", "moved"):
        some = [row for row in rows if row[3] == kind]
        if not some:
            continue
        others, mean, worst = best_others(some, estimate)
        out.append(f".{kind} = {others:.0f}")
        out.append(f"    {len(some)} problems: the choice takes {100 * (mean - 1):.1f} % longer than the best one in the mean, "
                   f"{100 * (worst - 1):.0f} % at most")
    print("\n".join(out))
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("sweep")
    command.add_argument("--most", type=int, default=64, metavar="MB")
    command.set_defaults(run=sweep)
    command = commands.add_parser("fit")
    command.add_argument("--large", type=int, default=128000, help="elements from which on boxes are larger")
    command.add_argument("--fitted", type=int, default=1500000, help="elements up to which the line is fitted")
    command.add_argument("results", nargs="+")
    command.set_defaults(run=fit)
    arguments = parser.parse_args()
    return arguments.run(arguments)


if __name__ == "__main__":
    sys.exit(main())
