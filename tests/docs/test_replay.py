#!/usr/bin/env python3
"""scripts/replay.py: its figures next to a text's, and the refusal of documents that do not fit."""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import unittest

arguments = None

PARAMS = {"size": 4096, "offset": 0, "stride": None, "block": 512, "rows": None, "cols": None, "nnz": None}
ROW = {"experiment": "read-offset", "kernel": "plain", "params": PARAMS, "verified": True, "skipped": None,
       "bytes": 49152, "time_ms": {"median": 0.5}, "gbps": 98.304, "gops": None, "counters": None}
SHIFTED = {**ROW, "params": {**PARAMS, "offset": 11}, "time_ms": {"median": 0.6}}
RESULT = {"schema": "wideload-bench/1", "version": "0.1.0", "device": {"kind": "gpu"}, "rows": [ROW, SHIFTED]}
SECTION = {"name": "reads", "results": ["times"], "large": [], "rules": "fermi", "experiment": "read-offset",
           "kernel": "plain", "size": 4096, "large_size": None, "block": 512, "figures": [
               {"case": "0", "offset": 0, "quantity": "time_ms", "value": 1.0},
               {"case": "11", "offset": 11, "quantity": "time_ms", "value": 2.0, "against": 0},
               {"case": "11", "offset": 11, "quantity": "gld_efficiency", "value": 49.81},
               {"case": "128", "offset": 128, "quantity": "time_ms", "value": None}]}


class Replay(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.write("figures.json", json.dumps({"sections": [SECTION]}))
        self.write("times.json", json.dumps(RESULT))
        self.write("replay.md", "# Title\n<!-- replay:reads -->\nold\n<!-- /replay:reads -->\nrest\n")

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def run_script(self, *options, wideload=None):
        def path(name):
            return os.path.join(self.folder, name)
        script = os.path.join(arguments.source, "scripts", "replay.py")
        return subprocess.run([sys.executable, script, "--wideload", wideload or arguments.wideload, "--document",
                               path("replay.md"), "--figures", path("figures.json"), "--results", self.folder,
                               *options], capture_output=True, text=True, check=False)

    def test_table(self):
        self.assertEqual(self.run_script("--check").returncode, 1)
        run = self.run_script()
        self.assertEqual(run.returncode, 0, run.stderr)
        with open(os.path.join(self.folder, "replay.md"), encoding="utf-8") as file:
            text = file.read()
        self.assertTrue(text.startswith("# Title\n") and text.endswith("rest\n") and "old" not in text)
        self.assertIn("| 0 | ms | 1.000 (0.0 GB/s) |  | 0.500 (98.3 GB/s) |\n", text)
        self.assertIn("| 11 | ms | 2.000 (0.0 GB/s, × 2.00) |  | 0.600 (98.3 GB/s, × 1.20) |\n", text)
        self.assertIn("| 11 | `gld_efficiency` | 49.81 | 50.06 | 80.04 |\n", text)
        self.assertIn("| 128 | ms |  |  | not measured |\n", text)
        self.assertEqual(self.run_script("--check").returncode, 0)

    def test_failed_row(self):
        self.write("times.json", json.dumps({**RESULT, "rows": [{**ROW, "verified": False, "time_ms": None}]}))
        self.assertEqual(self.run_script().returncode, 0)
        with open(os.path.join(self.folder, "replay.md"), encoding="utf-8") as file:
            self.assertIn("| 0 | ms | 1.000 (0.0 GB/s) |  | FAIL |\n", file.read())

    def test_wrong(self):
        self.assertIn("status", self.run_script(wideload="/bin/false").stderr)
        self.write("times.json", "{")
        self.assertIn("no JSON", self.run_script().stderr)
        self.write("replay.md", "<!-- replay:reads -->\nnot closed\n")
        self.assertIn("markers", self.run_script().stderr)
        self.write("replay.md", "nothing\n")
        self.assertIn("markers", self.run_script().stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--wideload", required=True)
    parser.add_argument("--source", required=True)
    arguments, rest = parser.parse_known_args()
    sys.exit(unittest.main(argv=[sys.argv[0], *rest]))
