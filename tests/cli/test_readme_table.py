#!/usr/bin/env python3
"""scripts/readme_table.py: its output, --check's detection of a stale README, and invalid input."""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import unittest

arguments = None

ROW = {"experiment": "copy", "kernel": "vec4", "verified": True, "error": None, "skipped": None,
       "params": {"size": 268435456, "offset": None, "stride": None, "block": 256, "rows": None, "cols": None, "nnz": None},
       "time_ms": {"median": 0.5}, "gbps": 4321.06, "pct_peak": 90.04, "pct_copy": 100.0, "gops": None, "fits_l2": False, "counters": None}
GPU = {"schema": "wideload-bench/1", "version": "0.1.0",
       "device": {"name": "NVIDIA H200", "kind": "gpu", "arch": "sm_90", "peak_gbps": 4800.0},
       "rows": [ROW, {**ROW, "verified": False, "gbps": None, "pct_peak": None, "pct_copy": None}]}


class ReadmeTable(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.readme = os.path.join(self.folder.name, "README.md")
        self.write("# Title\n<!-- bench:h200 -->\nold\n<!-- /bench:h200 -->\nrest\n")
        self.result(GPU)

    def write(self, text):
        with open(self.readme, "w", encoding="utf-8") as file:
            file.write(text)

    def result(self, document):
        with open(os.path.join(self.folder.name, "h200.json"), "w", encoding="utf-8") as file:
            json.dump(document, file)

    def run_script(self, *options):
        script = os.path.join(arguments.source, "scripts", "readme_table.py")
        return subprocess.run([sys.executable, script, "--readme", self.readme, "--results", self.folder.name,
                               *options], capture_output=True, text=True, check=False)

    def test_gpu(self):
        self.assertEqual(self.run_script("--check").returncode, 1)
        self.assertEqual(self.run_script().returncode, 0)
        with open(self.readme, encoding="utf-8") as file:
            text = file.read()
        self.assertIn("| copy | vec4 | 2^28, block 256 | 4321.1 | 90.0 | 100.0 |\n", text)
        self.assertIn("| copy | vec4 | 2^28, block 256 | FAIL |  |  |\n", text)
        self.assertNotIn("old", text)
        self.assertTrue(text.startswith("# Title\n") and text.endswith("<!-- /bench:h200 -->\nrest\n"))
        self.assertEqual(self.run_script("--check").returncode, 0)

    def test_brief(self):
        def at(kernel, gbps, **params):
            return {**ROW, "experiment": "e", "kernel": kernel, "gbps": gbps, "params": {**ROW["params"], **params}}
        uneven = [at("slow", 1000.0, offset=offset) for offset in (0, 11)]
        strided = [{**at("load", gbps, stride=stride), "experiment": "s"} for stride, gbps in ((1, 30.0), (2, 20.0))]
        self.result({**GPU, "rows": [*uneven, at("fast", 2000.0, offset=11), at("faster", 2010.0, offset=11), *strided]})
        self.write("<!-- bench:h200 brief -->\n<!-- /bench:h200 -->\n<!-- bench:h200 s -->\n<!-- /bench:h200 -->\n")
        self.assertEqual(self.run_script().returncode, 0)
        with open(self.readme, encoding="utf-8") as file:
            text = file.read()
        self.assertIn("| e | 2^28, offset 11 | GB/s | slow 1000, **fast 2000**, **faster 2010** | 90.0 |\n", text)
        self.assertIn("| s load | 2^28 | GB/s | by 1: 30, by 2: 20 | 90.0 |\n", text)
        self.assertIn("| load | 2^28, stride 2, block 256 | 0.5000 | 20.0 | 90.0 | 100.0 |\n", text)
        self.assertEqual(text.count("| e |"), 1)

    def test_chosen(self):
        shifted = [{**ROW, "experiment": "e", "kernel": kernel, "gbps": gbps, "params": {**ROW["params"], "offset": offset}}
                   for kernel, offset, gbps in (("a", 0, 5.0), ("a", 11, 4.0), ("b", 0, 3.0), ("c", 0, 2.0))]
        self.result({**GPU, "rows": shifted})
        marker = "<!-- bench:h200 e kernel=a,b across=offset -->\n<!-- /bench:h200 -->\n"
        self.write(marker)
        self.assertEqual(self.run_script().returncode, 0)
        with open(self.readme, encoding="utf-8") as file:
            text = file.read()
        self.assertIn("| kernel | offset 0, GB/s | offset 11, GB/s |\n|---|---:|---:|\n| a | 5 | 4 |\n| b | 3 |  |\n<", text)
        self.write("<!-- bench:h200 e across=kernel -->\n<!-- /bench:h200 -->\n")
        self.assertEqual(self.run_script().returncode, 0)
        with open(self.readme, encoding="utf-8") as file:
            text = file.read()
        self.assertIn("| params | entries | a, ms | b, ms | c, ms | floor, ms |\n|---|---:|---:|---:|---:|---:|\n"
                      "| 2^28, offset 0 |  | 0.5000 | 0.5000 | 0.5000 | 0.5000 |\n"
                      "| 2^28, offset 11 |  | 0.5000 |  |  | 0.5000 |\n", text)
        for word, message in (("across=colour", "mean nothing"), ("kernel=z", "no such kernel"), ("across=stride", "none")):
            self.write(f"<!-- bench:h200 e {word} -->\n<!-- /bench:h200 -->\n")
            run = self.run_script()
            self.assertEqual(run.returncode, 1)
            self.assertIn(message, run.stderr)

    def test_chinese(self):
        self.readme = os.path.join(self.folder.name, "README.zh-CN.md")
        self.write("<!-- bench:h200 -->\n<!-- /bench:h200 -->\n")
        self.assertEqual(self.run_script().returncode, 0)
        with open(self.readme, encoding="utf-8") as file:
            text = file.read()
        self.assertIn("| 实验 | 内核 | 参数 | GB/s | 占峰值 % | 占拷贝 % |\n", text)
        self.assertIn("| copy | vec4 | 2^28, block 256 | 4321.1 | 90.0 | 100.0 |\n", text)

    def test_counters_of_one(self):
        counters = {"global_load_requests": 8, "gld_transactions": 32, "gld_efficiency": 100.0, "global_store_requests": 0,
                    "gst_transactions": 0, "gst_efficiency": None, "shared_load_transactions": 0,
                    "shared_store_transactions": 0, "global_atomic_requests": 3, "global_atomic_transactions": 9,
                    "global_reduction_requests": 0, "global_reduction_transactions": 0}
        device = {"name": "Wideload simulator", "kind": "sim", "arch": "sm_90", "peak_gbps": None}
        self.result({**GPU, "device": device, "rows": [{**ROW, "counters": counters}]})
        self.write("<!-- bench:h200 copy -->\n<!-- /bench:h200 -->\n")
        self.assertEqual(self.run_script().returncode, 0)
        with open(self.readme, encoding="utf-8") as file:
            text = file.read()
        head = "load requests | load transactions | gld_efficiency % | atomic requests | atomic transactions"
        self.assertIn(f"| kernel | params | {head} |\n", text)
        self.assertIn("| vec4 | 2^28, block 256 | 8 | 32 | 100 | 3 | 9 |\n", text)

    def test_wrong(self):
        self.result({"schema": "other/1"})
        self.assertEqual(self.run_script().returncode, 1)
        self.result(GPU)
        self.write("<!-- bench:h200 -->\nno end\n")
        self.assertEqual(self.run_script().returncode, 1)
        self.write("<!-- bench:h200 brief nothing -->\n<!-- /bench:h200 -->\n")
        self.assertIn("no such experiment", self.run_script().stderr)
        self.write("<!-- bench:h200  brief -->\n<!-- /bench:h200 -->\n")
        self.assertIn("cannot be read", self.run_script().stderr)
        self.write("<!-- bench:none -->\n<!-- /bench:none -->\n")
        self.assertIn("none.json", self.run_script().stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True)
    arguments, rest = parser.parse_known_args()
    sys.exit(unittest.main(argv=[sys.argv[0], *rest]))
