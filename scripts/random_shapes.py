#!/usr/bin/env python3
"""Random transposes and permutations: draws them for `wideload bench`, and sums up what it measured.

usage: random_shapes.py draw [--count N] [--seed S] [--hot | --small]   prints a shape a line: EXPERIMENT SIZE
       random_shapes.py summary [--hot] RESULT.json...          of `wideload bench --json`, peers' rows included
       random_shapes.py problems RESULT.json... [--below SHARE] the shapes below, as `tile_bound` reads them

With --hot the arrays have 16 KB to 16 MB, for `wideload bench --hot --graph`, and the aims are those of hot_shapes.py.

scripts/library_check.sh runs them, and scripts/mover_gains.py draws its problems with Shapes.  No choice of the library
can be fitted to shapes that are new in each run.  The seed is printed to standard error, so that a run can be repeated.
"""
import argparse
import json
import math
import random
import statistics
import sys

import hot_shapes

WIDTHS = (1, 2, 4, 8, 16)
# Counts that programs have: channels, heads, images, batches.
USUAL = (3, 5, 6, 7, 10, 12, 14, 16, 20, 24, 28, 30, 49, 50, 56, 64, 77, 80, 96, 100, 112, 128, 192, 196, 197, 224, 256, 320, 384,
         400, 500, 512, 640, 768, 784, 1000, 1024, 1536, 2048, 3072, 4096, 5000, 8192, 10000)
# The aims: shares of a copy, in the mean and each; and how much slower than a peer.
MEAN, EACH, BEHIND = 0.95, 0.80, 1.01
# Bytes of an array, from the least to the most, by their logarithms.
LARGE, HOT, SMALL = (24, 30), (14, 24), (10, 14)


def is_prime(n):
    return n > 1 and all(n % divisor for divisor in range(2, math.isqrt(n) + 1))


class Shapes:
    """Arrays of LARGE, HOT or SMALL sizes, as many in each octave."""

    def __init__(self, generator, octaves=LARGE):
        self.random, self.octaves, self.small = generator, octaves, octaves == SMALL

    def bytes(self):
        return 2 ** self.random.uniform(*self.octaves)

    def like(self, n, style):
        """A size of this style near n."""
        if style == "power":
            return 2 ** max(1, round(math.log2(n)))
        if style == "usual" and n <= 1.2 * USUAL[-1]:
            return min(USUAL, key=lambda usual: abs(math.log(usual / n)))
        n = max(3, round(n))
        if style == "even" and n > 24:
            step = self.random.choice((4, 8, 16, 32))
            return max(step, n // step * step)
        while style == "prime" and not is_prime(n):
            n += 1
        return n

    def style(self):
        return self.random.choice(("power", "power", "usual", "usual", "prime", "even", "any"))

    def sides(self, count, elements, least=3.0):
        """So many sizes whose product is about `elements`; at most one of them is 2."""
        shares = [self.random.expovariate(1) for _ in range(count)]
        room = math.log(elements / least ** count)
        sizes = []
        for i, share in enumerate(shares):
            left = elements / math.prod(sizes)
            aim = left if i == count - 1 else min(least * math.exp(room * share / sum(shares)), left / least ** (count - 1 - i))
            size = self.like(max(aim, least), self.style())
            sizes.append(size if size > 2 or 2 not in sizes else 3)
        self.random.shuffle(sizes)
        return sizes

    def fits(self, width, sizes):
        least, most = self.octaves
        return 2 ** least <= width * math.prod(sizes) <= 2 ** (most + self.small / 2)

    def transpose(self):
        """(width, batch, rows, cols): a third are one matrix, a third batches, a third have one short side."""
        width = self.random.choice(WIDTHS)
        elements, kind = self.bytes() / width, self.random.randrange(3)
        if kind == 0:
            sizes = [1, *self.sides(2, elements, 32.0 if not self.small else 3.0)]
        elif kind == 1:
            sizes = self.sides(3, elements)
        else:
            short = self.like(self.random.uniform(3, 64 if not self.small else 12), self.style())
            batch = self.random.choice((1, 1, self.like(2 ** self.random.uniform(2, 5), self.style())))
            long = self.like(max(3, elements / short / batch), self.style())
            sizes = [batch, *self.random.choice(((short, long), (long, short)))]
        return (width, *sizes) if self.fits(width, sizes) else self.transpose()

    def permute(self, ranks=(2, 3, 3, 4, 4, 5, 6)):
        """(width, sizes, order): the order is any but one that moves nothing."""
        width, rank = self.random.choice(WIDTHS), self.random.choice(ranks)
        sizes, order = self.sides(rank, self.bytes() / width), list(range(rank))
        while order == sorted(order):
            self.random.shuffle(order)
        return (width, sizes, order) if self.fits(width, sizes) else self.permute(ranks)


def line(shapes):
    if shapes.random.random() < 0.5:
        width, batch, rows, cols = shapes.transpose()
        return f"transpose-any {f'{batch}x' if batch > 1 else ''}{rows}x{cols}/{width}"
    width, sizes, order = shapes.permute()
    return f"permute {'x'.join(map(str, sizes))}@{''.join(map(str, order))}/{width}"


def draw(arguments):
    seed = random.SystemRandom().randrange(1 << 31) if arguments.seed is None else arguments.seed
    shapes, lines = Shapes(random.Random(seed), SMALL if arguments.small else HOT if arguments.hot else LARGE), {}
    while len(lines) < arguments.count:
        lines[line(shapes)] = None
    print(f"random_shapes: {len(lines)} shapes, seed {seed}", file=sys.stderr)
    print("\n".join(lines))
    return 0


def name(params):
    order = "@" + params["order"] if params.get("order") else ""
    return f"{params['size']}{order}/{params['width']}"


def read(paths):
    """By shape: the library's share of a copy, and each peer's time as a share of the library's."""
    shapes, wrong = {}, []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            rows = json.load(file)["rows"]
        for row in rows:
            key = (row["experiment"], name(row["params"]))
            if row.get("error"):
                wrong.append((*key, row["kernel"], row["error"]))
            elif row.get("gbps"):
                peer = row["peer"]["library"] if row.get("peer") and row["kernel"] != "memcpy" else row["kernel"]
                shapes.setdefault(key, {})[peer] = row
    return {key: rows for key, rows in shapes.items() if "wideload" in rows}, wrong


def summary(arguments):
    shapes, wrong = read(arguments.results)
    for problem in wrong:
        print("WRONG:", *problem)
    if not shapes:
        print("random_shapes: no times" + ("" if wrong else "; the simulator has none"))
        return 1 if wrong else 0
    shares = {key: rows["wideload"]["pct_copy"] / 100 for key, rows in shapes.items() if rows["wideload"].get("pct_copy")}
    if shares:
        aim, each = (hot_shapes.MEAN, hot_shapes.EACH) if arguments.hot else (MEAN, EACH)
        mean, low = statistics.geometric_mean(shares.values()), sum(share < each for share in shares.values())
        print(f"{len(shares)} shapes: {mean:.3f} of a copy in the geometric mean (aim {aim}), {low} below {each}; the worst:")
        for key in sorted(shares, key=shares.get)[:10]:
            print(f"  {shares[key]:.3f}  {' '.join(key)}")
    for peer in sorted({peer for rows in shapes.values() for peer in rows} - {"wideload", "memcpy"}):
        ratios = {key: rows["wideload"]["gbps"] / rows[peer]["gbps"] for key, rows in shapes.items() if peer in rows}
        behind = sorted((key for key in ratios if ratios[key] * BEHIND < 1), key=ratios.get)
        print(f"{peer}: {statistics.geometric_mean(ratios.values()):.2f} times as fast over {len(ratios)} shapes, "
              f"behind in {len(behind)} by over {(BEHIND - 1) * 100:.0f} %")
        for key in behind[:10]:
            print(f"  {ratios[key]:.3f}  {' '.join(key)}")
    return 1 if wrong else 0


def problem(experiment, params):
    """A result's transpose or permutation as tests/speed/mover_gains.c and tile_bound.c read it."""
    if experiment == "permute":
        sizes = params["size"].split("x")
        return f"permute {params['width']} {len(sizes)} {' '.join(sizes)} {' '.join(params['order'])} 0 0"
    batch, rows, cols = params["batch"], params["rows"], params["cols"]
    return f"transpose {params['width']} {batch} {rows} {cols} {cols} {rows} 0 0"


def problems(arguments):
    shapes, _ = read(arguments.results)
    for (experiment, _), rows in shapes.items():
        share = rows["wideload"].get("pct_copy")
        if share and share / 100 < arguments.below:
            print(problem(experiment, rows["wideload"]["params"]))
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("draw")
    command.add_argument("--count", type=int, default=300)
    command.add_argument("--seed", type=int)
    sizes = command.add_mutually_exclusive_group()
    sizes.add_argument("--hot", action="store_true")
    sizes.add_argument("--small", action="store_true")
    command.set_defaults(run=draw)
    command = commands.add_parser("summary")
    command.add_argument("--hot", action="store_true")
    command.add_argument("results", nargs="+")
    command.set_defaults(run=summary)
    command = commands.add_parser("problems")
    command.add_argument("results", nargs="+")
    command.add_argument("--below", type=float, default=EACH)
    command.set_defaults(run=problems)
    arguments = parser.parse_args()
    return arguments.run(arguments)


if __name__ == "__main__":
    sys.exit(main())
