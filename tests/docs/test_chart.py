#!/usr/bin/env python3
"""The README's chart: it matches the results, both READMEs show it, and a stale one is detected."""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

arguments = None


def chart(*words):
    return subprocess.run([sys.executable, os.path.join(arguments.source, "scripts", "readme_chart.py"), "--wideload",
                           arguments.wideload, *words], capture_output=True, text=True, check=False)


def read(*path):
    with open(os.path.join(arguments.source, *path), encoding="utf-8") as file:
        return file.read()


class Chart(unittest.TestCase):
    def test_fresh(self):
        run = chart("--check")
        self.assertEqual((run.returncode, run.stderr), (0, ""))

    def test_shown(self):
        """A page has both pictures, and the light one is the default."""
        for page in ("README.md", "README.zh-CN.md"):
            text = read(page)
            dark, light = re.search(r'<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="(.*?)">\s*'
                                    r'<img [^>]*src="(.*?)"[^>]*>\s*</picture>', text).groups()
            self.assertEqual((dark, light), ("docs/charts/transpose-ladder-dark.svg", "docs/charts/transpose-ladder.svg"))

    def test_figures(self):
        result = json.loads(read("docs", "results", "h200-transpose.json"))
        rows = {row["kernel"]: row["gbps"] for row in result["rows"]}
        texts = re.findall(r"<text[^>]*>(.*?)</text>", read("docs", "charts", "transpose-ladder.svg"), re.DOTALL)
        texts = [re.sub(r"<.*?>", "", text).strip() for text in texts]
        for kernel in ("naive-row", "wideload"):
            self.assertIn(kernel, texts)
            self.assertIn(f"{rows[kernel]:.0f}", texts)

    def test_stale(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(os.path.join(arguments.source, "docs", "results"), os.path.join(folder, "results"))
            path = os.path.join(folder, "results", "h200-transpose.json")
            with open(path, encoding="utf-8") as file:
                result = json.load(file)
            for row in result["rows"]:
                if row["kernel"] == "shared":
                    row["gbps"] += 100
            with open(path, "w", encoding="utf-8") as file:
                json.dump(result, file)
            run = chart("--check", "--results", os.path.join(folder, "results"))
            self.assertEqual(run.returncode, 1)
            self.assertIn("transpose-ladder-dark.svg: stale", run.stderr)
            charts = os.path.join(folder, "charts")
            os.mkdir(charts)
            results = "--results", os.path.join(folder, "results"), "--charts", charts
            self.assertEqual(chart(*results).returncode, 0)
            self.assertEqual(chart("--check", *results).returncode, 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--wideload", required=True)
    parser.add_argument("--source", required=True)
    arguments, rest = parser.parse_known_args()
    sys.exit(unittest.main(argv=[sys.argv[0], *rest]))
