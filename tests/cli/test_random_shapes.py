#!/usr/bin/env python3
"""scripts/random_shapes.py: what it draws, and what it says of a result."""
import argparse
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest

arguments = None


def run(*words):
    script = os.path.join(arguments.source, "scripts", "random_shapes.py")
    return subprocess.run([sys.executable, script, *words], capture_output=True, text=True, check=False)


def row(experiment, size, width, gbps, pct_copy=None, order=None, library=None, error=None):
    return {"experiment": experiment, "kernel": "wideload" if not library else "peer", "error": error, "gbps": gbps,
            "peer": library and {"library": library, "version": "1"}, "pct_copy": pct_copy,
            "params": {"size": size, "order": order, "width": width}}


class Drawing(unittest.TestCase):
    def shapes(self, *words):
        done = run("draw", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = []
        for line in done.stdout.splitlines():
            match = re.fullmatch(r"(transpose-any|permute) ([0-9x]+)(?:@([0-9]+))?/([0-9]+)", line)
            self.assertTrue(match, line)
            found.append((match[1], [int(size) for size in match[2].split("x")], match[3], int(match[4])))
        return found, done.stderr

    def test_a_seed_repeats_and_none_is_new(self):
        self.assertEqual(run("draw", "--seed", "5").stdout, run("draw", "--seed", "5").stdout)
        self.assertNotEqual(run("draw").stdout, run("draw").stdout)
        stderr = run("draw", "--count", "7").stderr
        seed = re.search(r"7 shapes, seed (\d+)", stderr)[1]
        self.assertEqual(run("draw", "--count", "7", "--seed", seed).stderr, stderr)

    def test_shapes_are_as_promised(self):
        shapes, _ = self.shapes("--seed", "11", "--count", "2000")
        self.assertEqual(len(shapes), 2000)
        large = 0
        for experiment, sizes, order, width in shapes:
            volume = width * math.prod(sizes)
            self.assertTrue(2**24 <= volume <= 2**30, sizes)
            large += volume > 2**27
            self.assertLessEqual(sizes.count(2), 1, sizes)
            self.assertEqual(experiment == "permute", order is not None)
            self.assertIn(len(sizes), (2, 3) if experiment == "transpose-any" else range(2, 7))
            if order:
                self.assertEqual(sorted(order), [str(i) for i in range(len(sizes))])
                self.assertNotEqual(order, "".join(sorted(order)))
        self.assertTrue(0.42 < large / len(shapes) < 0.58, large)

    def test_every_kind_comes(self):
        shapes, _ = self.shapes("--seed", "12")
        for experiment, widths, ranks in (("transpose-any", (1, 2, 4, 8, 16), (2, 3)), ("permute", (1, 2, 4, 8, 16), range(2, 7))):
            mine = [shape for shape in shapes if shape[0] == experiment]
            self.assertTrue(100 < len(mine) < 200)
            self.assertEqual({shape[3] for shape in mine}, set(widths))
            self.assertEqual({len(shape[1]) for shape in mine}, set(ranks))
        sizes = [size for shape in shapes for size in shape[1]]
        primes = sum(size > 64 and all(size % d for d in range(2, math.isqrt(size) + 1)) for size in sizes)
        powers = sum(size > 8 and size & size - 1 == 0 for size in sizes)
        self.assertTrue(primes > 40 and powers > 100, (primes, powers))
        self.assertTrue({3, 20, 30, 224, 1000} <= set(sizes))

    def test_hot_ones_fit_the_cache(self):
        for _, sizes, _, width in self.shapes("--hot", "--seed", "4", "--count", "500")[0]:
            self.assertTrue(1 << 14 <= width * math.prod(sizes) <= 1 << 24, sizes)
        both = run("draw", "--hot", "--small")
        self.assertEqual(both.returncode, 2)
        self.assertIn("not allowed with", both.stderr)

    def test_small_ones_suit_the_simulator(self):
        for _, sizes, _, width in self.shapes("--small", "--seed", "3")[0]:
            self.assertTrue(1 << 10 <= width * math.prod(sizes) < 1 << 15, sizes)

    def test_sides_reach_their_product(self):
        sys.path.insert(0, os.path.join(arguments.source, "scripts"))
        from random_shapes import Shapes
        shapes = Shapes(random.Random(9))
        for _ in range(2000):
            elements, count = 2 ** shapes.random.uniform(16, 28), shapes.random.randrange(2, 7)
            product = math.prod(shapes.sides(count, elements))
            self.assertTrue(0.4 < product / elements < 4, (elements, product))


class Summary(unittest.TestCase):
    def summary(self, *rows, options=()):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump({"rows": rows}, file)
            file.flush()
            return run("summary", *options, file.name)

    def test_mean_worst_and_peers(self):
        rows = [row("permute", "30x40x50", 2, 1000 + i, 90 + i / 10, order=order) for i, order in
                enumerate(("021", "102", "120", "201", "210"))]
        rows += [row("transpose-any", f"{n}x7", 1, 500, 70) for n in range(20, 30)]
        rows.append(row("permute", "30x40x50", 2, 1011, order="021", library="cuTENSOR"))
        rows.append(row("permute", "30x40x50", 2, 1010, order="102", library="cuTENSOR"))
        rows.append(row("transpose-any", "20x7", 1, 250, library="torch"))
        rows.append({**row("transpose-any", "20x7", 1, 900, library="CUDA driver"), "kernel": "memcpy"})
        done = self.summary(*rows)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("15 shapes: 0.762 of a copy", done.stdout)
        self.assertIn("10 below 0.8", done.stdout)
        self.assertEqual(done.stdout.count("  0.700  transpose-any"), 10)
        self.assertIn("cuTENSOR: 0.99 times as fast over 2 shapes, behind in 1 by over 1 %", done.stdout)
        self.assertIn("0.989  permute 30x40x50@021/2", done.stdout)
        self.assertIn("torch: 2.00 times as fast over 1 shapes, behind in 0", done.stdout)
        self.assertNotIn("memcpy", done.stdout)
        self.assertNotIn("CUDA driver", done.stdout)

    def test_hot_calls_have_their_aims(self):
        rows = [row("permute", f"30x{n}x50", 2, 1000, share, order="021") for n, share in ((40, 70), (41, 59), (42, 90))]
        done = self.summary(*rows, options=["--hot"])
        self.assertIn("3 shapes: 0.719 of a copy in the geometric mean (aim 0.85), 1 below 0.6", done.stdout)

    def test_what_is_wrong_fails(self):
        done = self.summary(row("permute", "3x4", 4, None, order="10", error="out0[1]: got 1, expected 2"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("WRONG: permute 3x4@10/4 wideload out0[1]", done.stdout)

    def test_no_times(self):
        done = self.summary(row("permute", "3x4", 4, None, order="10"))
        self.assertEqual(done.returncode, 0)
        self.assertIn("no times", done.stdout)


class Problems(unittest.TestCase):
    def problems(self, *words):
        low = row("transpose-any", "5x300x7", 2, 500, 79.9)
        low["params"].update(batch=5, rows=300, cols=7)
        rows = (row("permute", "30x40x50", 4, 1000, 95, order="210"), low, row("permute", "8x9x10", 1, 700, 60, order="201"),
                row("permute", "8x9x10", 1, 100, 10, order="201", library="cuTENSOR"))
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump({"rows": rows}, file)
            file.flush()
            done = run("problems", file.name, *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()

    def test_what_is_below_is_a_problem(self):
        low = ["transpose 2 5 300 7 7 300 0 0", "permute 1 3 8 9 10 2 0 1 0 0"]
        self.assertEqual(self.problems(), low)
        self.assertEqual(self.problems("--below", "0.7"), low[1:])
        self.assertEqual(self.problems("--below", "1"), ["permute 4 3 30 40 50 2 1 0 0 0", *low])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True)
    arguments, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
