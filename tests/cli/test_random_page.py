#!/usr/bin/env python3
"""scripts/random_page.py: docs/random-shapes.md is of the kept results, and what it says of others."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

arguments = None


def run(*words):
    script = os.path.join(arguments.source, "scripts", "random_page.py")
    return subprocess.run([sys.executable, script, *map(str, words)], capture_output=True, text=True, check=False)


def row(size, order, gbps, share=None, kernel="wideload", library=None, error=None):
    return {"experiment": "permute", "kernel": "peer" if library else kernel, "peer": library and {"library": library, "version": "1"}, "error": error,
            "gbps": gbps, "pct_copy": share, "params": {"size": size, "width": 4, "order": order}}


def shape(size, order, gbps, share, driver):
    """The library's row and that of the driver's copy."""
    return [row(size, order, gbps, share), row(size, order, driver, kernel="memcpy")]


def bound(sizes, order, graphs, blocks):
    problem = f"permute 4 {len(sizes)} {' '.join(sizes)} {' '.join(order)} 0 0"
    return f"{problem}\t1000\t9.0\t10.0\t11.0\t{graphs}\t{blocks}\t1x2 near 64\n"


SMALL, LARGE = shape("31x41", "10", 2000, 50, 2500), shape("30x40x50", "210", 3000, 90, 3000)
BOUNDS = [bound(("31", "41"), "10", 0.51, 0.64), bound(("30", "40", "50"), "210", 0.92, 0.88), "# 2 problems: 0.8 of a copy\n"]


class Page(unittest.TestCase):
    def test_page_is_of_the_results(self):
        folders = sorted(pathlib.Path(arguments.source, "docs/results/random").iterdir())
        self.assertTrue(folders)
        with tempfile.TemporaryDirectory() as folder:
            made = pathlib.Path(folder, "page.md")
            done = run("-o", made, *folders)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(made.read_text(), pathlib.Path(arguments.source, "docs/random-shapes.md").read_text())

    def page(self, *parts, bounds=tuple(BOUNDS), names=("Some GPU", "Some GPU")):
        """The page of some rows in each file, or the message that there is in its place."""
        with tempfile.TemporaryDirectory() as name:
            folder, made = pathlib.Path(name, "gpu-77"), pathlib.Path(name, "page.md")
            folder.mkdir()
            for i, part in enumerate(parts):
                text = part if isinstance(part, str) else json.dumps({"device": {"name": names[i]}, "rows": part})
                (folder / f"random-{i}.json").write_text(text)
            if bounds is not None:
                (folder / "bounds.tsv").write_text("".join(bounds))
            made.write_text("before")
            done = run("-o", made, folder)
            self.assertEqual(sorted(path.name for path in made.parent.iterdir()), ["gpu-77", "page.md"])
            if done.returncode == 0:
                return made.read_text()
            self.assertEqual((done.returncode, made.read_text()), (1, "before"))
            self.assertRegex(done.stderr, "^random_page: [^\\n]*\\n$")
            return done.stderr

    def test_what_it_says(self):
        peers = [row("31x41", "10", 2100, library="cuTENSOR"), row("30x40x50", "210", 1000, library="cuTENSOR"),
                 row("30x40x50", "210", None, library="cuBLAS")]
        page = self.page(LARGE, SMALL + peers)
        self.assertIn("## Some GPU", page)
        self.assertIn("`SEED=77 COUNT=2 ", page)
        self.assertIn("All have 0.671 of `wl_copy`, and 0.894 of `cudaMemcpy`. cuTENSOR takes 1.69 times as long over the 2 that it has, "
                      "and is ahead by more than 1 % in 1.\n", page)
        # The bound is the better of the two by graphs.
        self.assertIn("\n| permutations of 4 B | 2 | 0.671 | 0.500 | 1 | 0.685 | 0.767 |\n", page)
        self.assertIn("\n| permute `31x41@10/4` | 0.500 | 0.510 | 0.640 |\n", page)
        self.assertNotIn("30x40x50", page)

    def test_nothing_lost_makes_a_page(self):
        self.assertIn("gpu-77: wrong: ('permute', '30x40@10/4', 'wideload', 'out0[1]",
                      self.page(SMALL, [row("30x40", "10", 100, error="out0[1]: got 1, expected 2")]))
        self.assertIn("gpu-77: no time of 30x40", self.page(SMALL, [row("30x40", "10", None)]))
        self.assertIn("gpu-77: no time of 31x41", self.page([SMALL[0], row("31x41", "10", None, kernel="memcpy")]))
        self.assertIn("bounds.tsv: no bound of permute 4 3 30 40 50 2 1 0 0 0", self.page(SMALL, LARGE, bounds=BOUNDS[:1]))
        self.assertIn("bounds.tsv: No such file", self.page(SMALL, bounds=None))
        self.assertIn("has none", self.page())
        self.assertIn("has Some GPU, Some other", self.page(SMALL, LARGE, names=("Some GPU", "Some other")))
        self.assertIn("no times", self.page([]))
        for text in "{", "{}", "[]", '{"device": {"name": "GPU"}, "rows": [{}]}':
            self.assertIn("gpu-77: not what library_check.sh left", self.page(text))
        self.assertIn("not what", self.page(SMALL, bounds=[BOUNDS[0].replace("0.51", "-")]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True)
    arguments, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
