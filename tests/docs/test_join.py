#!/usr/bin/env python3
"""scripts/join_results.py.

    test_join.py --source FOLDER
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import unittest

arguments = None


def row(experiment, kernel, offset, mark):
    return {"experiment": experiment, "kernel": kernel, "params": {"size": 64, "offset": offset, "stride": None},
            "l2": "cold", "mark": mark}


def result(rows, command, **others):
    return {"schema": "wideload-bench/1", "version": "0.1.0", "date": others.pop("date", None), "command": command,
            "seed": 1, "host": {"cores": 4}, "device": {"name": "a", "driver_version": 13000}, "rows": rows, **others}


class Join(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def join(self, *results):
        paths = [os.path.join(self.folder.name, f"{i}.json") for i in range(len(results))]
        for path, document in zip(paths, results):
            with open(path, "w", encoding="utf-8") as file:
                json.dump(document, file)
        self.out = os.path.join(self.folder.name, "out.json")
        script = os.path.join(arguments.source, "scripts", "join_results.py")
        return subprocess.run([sys.executable, script, self.out, *paths], capture_output=True, text=True)

    def test_order(self):
        old = result([row("copy", "one", None, 1), row("copy", "driver", None, 1), row("stride", "load", None, 1)],
                     ["bench", "copy", "stride"], date="2026-01-01T00:00:00Z")
        for kernel_row in old["rows"]:
            del kernel_row["params"]["stride"]  # older files have fewer members
        rest = result([row("offset", "one", 128, 2), row("offset", "two", 128, 2)], ["bench", "offset"])
        new = result([row("offset", "one", 0, 3), row("offset", "two", 0, 3), row("copy", "one", None, 3),
                      row("copy", "ours", None, 3), row("copy", "driver", None, 3)], ["bench", "offset", "copy"],
                     date="2026-01-02T00:00:00Z")
        done = self.join(old, rest, new)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.out, encoding="utf-8") as file:
            joined = json.load(file)
        self.assertEqual([(r["experiment"], r["kernel"], r["params"]["offset"], r["mark"]) for r in joined["rows"]], [
            ("copy", "one", None, 3), ("copy", "ours", None, 3), ("copy", "driver", None, 3),
            ("stride", "load", None, 1),
            ("offset", "one", 0, 3), ("offset", "one", 128, 2), ("offset", "two", 0, 3), ("offset", "two", 128, 2)])
        self.assertEqual(joined["date"], "2026-01-02T00:00:00Z")
        self.assertEqual(joined["command"], ["bench", "copy", "stride", "bench", "offset", "bench", "offset", "copy"])

    def test_refused(self):
        one = result([row("copy", "one", None, 1)], ["bench"])
        for name, other in ("device", {"name": "a", "driver_version": 12080}), ("seed", 2), ("version", "0.2.0"):
            done = self.join(one, result([], ["bench"], **{name: other}))
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(f"another {name}", done.stderr)
            self.assertFalse(os.path.exists(self.out))
        self.assertIn("expected 'wideload-bench/1'", self.join(one, dict(one, schema="wideload-calls/1")).stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True)
    arguments, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
