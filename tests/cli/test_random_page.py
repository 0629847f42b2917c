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
    return {"experiment": "permute", "kernel": kernel, "peer": library and {"library": library, "version": "1"}, "error": error,
            "gbps": gbps, "pct_copy": share, "params": {"size": size, "width": 4, "order": order}}


def bound(sizes, order, graphs, blocks):
    problem = f"permute 4 {len(sizes)} {' '.join(sizes)} {' '.join(order)} 0 0"
    return f"{problem}\t1000\t9.0\t10.0\t11.0\t{graphs}\t{blocks}\t1x2 near 64\n"


class Page(unittest.TestCase):
    def test_page_is_of_the_results(self):
        results = sorted(pathlib.Path(arguments.source, "docs/results/random").glob("*.json"))
        self.assertTrue(results)
        with tempfile.TemporaryDirectory() as folder:
            made = pathlib.Path(folder, "page.md")
            done = run("page", "-o", made, *results)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(made.read_text(), pathlib.Path(arguments.source, "docs/random-shapes.md").read_text())

    def page(self, rows, bounds):
        """Keeps what a check left, and makes the page of that."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for i, some in enumerate((rows[:1], rows[1:])):
                (folder / f"{i}.json").write_text(json.dumps({"device": {"name": "Some GPU"}, "rows": some}))
            (folder / "bounds.tsv").write_text("".join(bounds) + "# 2 problems: 0.8 of a copy\n")
            done = run("keep", folder / "gpu-77", folder / "0.json", folder / "1.json", folder / "bounds.tsv")
            self.assertEqual(done.returncode, 0, done.stderr)
            kept = json.loads((folder / "gpu-77.json").read_text())["rows"]
            done = run("page", "-o", folder / "page.md", folder / "gpu-77.json")
            return kept, done, (folder / "page.md").read_text() if done.returncode == 0 else ""

    def test_what_it_says(self):
        rows = [row("30x40x50", "210", 3000, 90), row("31x41", "10", 2000, 50), row("31x41", "10", 2500, kernel="memcpy"),
                row("31x41", "10", 2100, library="cuTENSOR"), row("30x40x50", "210", 1000, library="cuTENSOR"),
                row("30x40x50", "210", None, library="cuBLAS")]
        kept, done, page = self.page(rows, [bound(("31", "41"), "10", 0.51, 0.64), bound(("30", "40", "50"), "210", 0.92, 0.88)])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(kept), 5)
        self.assertIn("## Some GPU", page)
        self.assertIn("`SEED=77 COUNT=2 ", page)
        self.assertIn("All have 0.671 of `wl_copy`, and 0.800 of `cudaMemcpy`. cuTENSOR takes 1.69 times as long over the 2 that it has, "
                      "and is ahead by more than 1 % in 1.\n", page)
        # The bound is the better of the two by graphs.
        self.assertIn("\n| permutations of 4 B | 2 | 0.671 | 0.500 | 1 | 0.685 | 0.767 |\n", page)
        self.assertIn("\n| permute `31x41@10/4` | 0.500 | 0.510 | 0.640 |\n", page)
        self.assertNotIn("30x40x50", page)

    def test_wrong_results_make_no_page(self):
        _, done, _ = self.page([row("31x41", "10", 2000, 50), row("30x40", "10", 100, error="out0[1]: got 1, expected 2")], [])
        self.assertEqual(done.returncode, 1)
        self.assertIn("wrong: ('permute', '30x40@10/4', 'wideload', 'out0[1]", done.stderr)

    def test_what_is_missing_has_a_message(self):
        with tempfile.TemporaryDirectory() as name:
            result, made = pathlib.Path(name, "gpu-1.json"), pathlib.Path(name, "page.md")
            for text, message in ((None, "No such file"), ("{", "no result"), ("{}", "no result"),
                                  ('{"device": {"name": "GPU"}, "rows": []}', "no times"),
                                  (json.dumps({"device": {"name": "GPU"}, "rows": [row("31x41", "10", 2000, 50)]}),
                                   "gpu-1.tsv: No such file")):
                if text is not None:
                    result.write_text(text)
                done = run("page", "-o", made, result)
                self.assertEqual(done.returncode, 1)
                self.assertRegex(done.stderr, f"^random_page: .*{message}")
                self.assertFalse(made.exists())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True)
    arguments, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
