#!/usr/bin/env python3
"""scripts/best_copy.py on sweeps with invented times: the best row, its lead, and invalid input."""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import unittest

arguments = None


def sweep(folder):
    """The rows of the documented command, each with 1 ms."""
    path = os.path.join(folder, "sweep.json")
    done = subprocess.run([arguments.wideload, "bench", "copy", "--kernel", "scalar,vec2,vec4", "--unroll",
                           "1,2,4,8", "--block", "128,512", "--size", "1000", "--device", "sim", "--json", path],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    for row in document["rows"]:
        row["time_ms"] = {"median": 1.0}
        row["gbps"] = 1.0
    return document


class BestCopy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "result.json")
        self.document = sweep(folder.name)

    def set_time(self, kernel, unroll, block, median):
        rows = [row for row in self.document["rows"] if row["kernel"] == kernel and row["params"]["unroll"] == unroll
                and row["params"]["block"] == block]
        self.assertEqual(len(rows), 1)
        rows[0]["time_ms"]["median"] = median

    def check(self, status, says, *options):
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump(self.document, file)
        script = os.path.join(arguments.source, "scripts", "best_copy.py")
        done = subprocess.run([sys.executable, script, self.path, *options], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertIn(says, done.stdout if status < 2 else done.stderr)

    def test_how_far_behind(self):
        self.check(0, "24 configurations; the ladder's best is 0.00 % behind")
        self.set_time("vec2", 8, 512, 0.8)
        self.set_time("vec4", 4, 128, 0.804)
        self.check(0, "0.50 % behind")
        self.check(1, "best:          vec2 unroll 8 block 512", "--within", "0.4")
        # The ladder's own kernel with another block is not one of its rows.
        self.set_time("vec4", 4, 128, 1)
        self.set_time("vec4", 4, 512, 0.8)
        self.check(1, "25.00 % behind")

    def test_what_is_refused(self):
        rows = self.document["rows"]
        self.document["rows"] = [row for row in rows if row["params"]["block"] == 512]
        self.check(2, "both are needed")
        self.document["rows"] = rows + rows[:1]
        self.check(2, "twice")
        rows[0]["params"]["size"] = 7
        self.check(2, "2 sizes")
        for row in rows:
            row["time_ms"] = None
        self.check(2, "--device gpu")
        self.document = []
        self.check(2, "no result")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--wideload", required=True)
    parser.add_argument("--source", required=True)
    arguments, rest = parser.parse_known_args()
    sys.exit(unittest.main(argv=[sys.argv[0], *rest]))
