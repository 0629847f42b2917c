#!/usr/bin/env python3
"""The program with rungs that are wrong on purpose: each fault is reported, gets no figure, and gives status 1."""
import json
import os
import re
import subprocess
import sys
import unittest

program = None


def bench(fault, *options, gpu=True, **environment):
    env = {**os.environ, "FAKE_FAULT": fault, "FAKE_GPU": "1" if gpu else "", **environment}
    return subprocess.run([program, "bench", "copy", "--size", "1000", "--samples", "3", *options], env=env,
                          capture_output=True, text=True, timeout=60, check=False)


class Wrong(unittest.TestCase):
    def test_right(self):
        done = bench("right")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertNotIn("FAIL", done.stdout)
        self.assertIn("0.5000", done.stdout)

    def test_graphs(self):
        done = bench("right", "--hot", "--graph", "--json", "-")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for row in json.loads(done.stdout)["rows"]:
            self.assertEqual((row["l2"], row["time_ms"]["replay"], row["time_ms"]["launches"]), ("hot", "graph", 20))
        done = bench("right", "--hot", "--graph", "--json", "-", FAKE_NO_GRAPHS="1")
        self.assertEqual(done.returncode, 1)
        says = "no CUDA graph of 20 calls can be recorded: no graphs"
        self.assertIn(f"wideload: FAIL copy/scalar size 1000 block 256: {says}\n", done.stderr)
        for row in json.loads(done.stdout)["rows"]:
            self.assertEqual((row["verified"], row["error"], row["time_ms"], row["gbps"]), (False, says, None, None))
        # Without --graph, calls that cannot be recorded are launched one by one, and the row says so.
        done = bench("right", "--hot", "--json", "-", FAKE_NO_GRAPHS="1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual({row["time_ms"]["replay"] for row in json.loads(done.stdout)["rows"]}, {"launch"})

    def test_several_devices(self):
        def several(*options, **environment):
            command = [program, "bench", "redistribute", "--size", "64", "--samples", "3", "--peers", "none", *options]
            return subprocess.run(command, env={**os.environ, "FAKE_GPU": "1", **environment}, capture_output=True,
                                  text=True, timeout=60, check=False)
        done = several("--gpus", "3")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("gpus 3", done.stdout)
        done = several("--gpus", "2", FAKE_NO_PEER_ACCESS="1")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "wideload: --gpus: device 0 has no peer access to device 1\n")
        done = several(FAKE_NO_PEER_ACCESS="1")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"nothing to run: .* gpus 2: device 0 has no peer access to device 1\n")
        done = several(FAKE_FAULT="last-wrong")
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAIL redistribute/wideload size 64x64 width 4, gpus 2: out0[4095]: got", done.stderr)

    def test_faults(self):
        for fault, says in (("never-writes", "out0[0]: never written"), ("one-wrong", "out0[3]: got"),
                            ("last-wrong", "out0[999]: got"), ("nan", "out0[3]: got 0x7fc00000"),
                            ("past-end", "past its end was overwritten"),
                            ("before-start", "before its start was overwritten"),
                            ("input-changed", "an input was changed")):
            for gpu in True, False:
                with self.subTest(fault=fault, gpu=gpu):
                    done = bench(fault, gpu=gpu)
                    self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                    self.assertEqual(done.stdout.count("FAIL"), 3)
                    self.assertRegex(done.stderr, r"wideload: FAIL copy/scalar size 1000 block 256: [^\n]*" + re.escape(says))
                    self.assertIn("3 of 3 rows failed", done.stderr)
                    rows = json.loads(bench(fault, "--json", "-", gpu=gpu).stdout)["rows"]
                    self.assertEqual(len(rows), 3)
                    for row in rows:
                        self.assertIs(row["verified"], False)
                        for figure in "time_ms", "gbps", "pct_copy", "counters":
                            self.assertIsNone(row[figure])


if __name__ == "__main__":
    program = sys.argv.pop(1)
    unittest.main()
