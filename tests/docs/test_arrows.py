#!/usr/bin/env python3
"""Includes must follow the arrows of docs/architecture.md.

    test_arrows.py ROOT

A file's row is the longest one that its path begins with.  The file may include its own area and the row's areas.
"""
import os
import re
import subprocess
import sys
import unittest

# area: (the areas that it may include, why no others)
RULES = {
    "base": (["include"], "base/ is the ground floor: it knows no face and no device"),
    "matrix": (["base", "include"], "matrix/ reads and writes files: it knows the library through wideload.h alone"),
    "lib": (["include"], "the library knows CUDA's driver API and its own kernels: neither the classroom nor the simulator"),
    "ladder": (["include", "lib"], "the classroom stands on the library and prints nothing"),
    "bench": (["base", "include", "ladder/ladder.h", "matrix"], "the bench sees the library through wideload.h and ladder.h alone"),
    "bench/peers": (["base", "bench", "include", "ladder/ladder.h"], "a peer is a rung: it sees what the bench sees"),
    "report": (["base", "bench", "include", "ladder/ladder.h"], "the report reads result files: it opens no device"),
    "picture": (["sim/count"], "a picture shows what the counting rules say, and needs nothing else"),
    "prof": (["base", "include", "lib/parts.h", "picture", "sim/count", "sim/cuda/record"],
             "the profiler reads records, above the simulator and beside the bench; parts.h says where the simulator lies"),
    "cli": (["base", "bench", "include", "matrix", "prof", "report"], "the command line chooses among the faces"),
    "sim/ptx": ([], "PTX text becomes a tree, which nothing else is needed for"),
    "sim/count": ([], "the counting rules are pure functions"),
    "sim/exec": (["include", "sim/count", "sim/ptx"], "the core runs kernels: it knows no CUDA call"),
    "sim/cuda": (["include", "sim/count", "sim/exec", "sim/ptx"], "the driver stands on the core"),
    "sim/cudart": (["sim/cuda/record"], "the runtime stands on any driver, so it includes none"),
}


def row_of(file):
    rows = [area for area in RULES if file.startswith(area + "/")]
    return max(rows, key=len) if rows else None


def is_within(path, area):
    return path == area or path.startswith(area + "/")


def wrong_includes(file, text):
    """What an include of the file violates, in words."""
    area = row_of(file)
    if area is None:
        return
    allowed, why = RULES[area]
    for line, included in re.findall(r'^([ \t]*#[ \t]*include[ \t]+"([^"]+)")', text, re.MULTILINE):
        path = "include/wideload.h" if included == "wideload.h" else included
        if "/" in path and not any(is_within(path, other) for other in [area, *allowed]):
            yield f"{file}: {line.strip()}: {area}/ may include {', '.join([area, *allowed])}: {why}"


class Arrows(unittest.TestCase):
    root = "."

    def files(self):
        listed = subprocess.run(["git", "-C", self.root, "ls-files", "--", "*.c", "*.h", "*.cu", "*.cuh"],
                                capture_output=True, text=True, check=False).stdout.split()
        if not listed:  # not a git clone
            for folder, _, names in os.walk(self.root):
                listed += [os.path.relpath(os.path.join(folder, name), self.root) for name in names
                           if name.endswith((".c", ".h", ".cu", ".cuh"))]
        return [file for file in listed if row_of(file)]

    def test_every_include_is_allowed(self):
        files, wrong = self.files(), []
        self.assertGreater(len(files), 400)
        for file in files:
            with open(os.path.join(self.root, file), encoding="utf-8") as source:
                wrong += wrong_includes(file, source.read())
        self.assertEqual(wrong, [], "\n" + "\n".join(wrong))

    def test_a_wrong_include_is_told_with_the_rule(self):
        wrong = list(wrong_includes("lib/copy/copy.c", '#include "lib/launch.h"\n  # include "sim/exec/sim.h"\n'))
        self.assertEqual(len(wrong), 1)
        self.assertIn('# include "sim/exec/sim.h": lib/ may include lib, include: the library knows', wrong[0])
        self.assertEqual(list(wrong_includes("report/a.c", '#include "ladder/ladder.h"\n#include "wideload.h"')), [])
        self.assertEqual(len(list(wrong_includes("report/a.c", '#include "ladder/problem.h"'))), 1)
        self.assertEqual(len(list(wrong_includes("base/text.c", '#include "basement/text.h"'))), 1)

    def test_the_rules_have_no_circle(self):
        below = {area: {row_of(other + "/") or other for other in allowed} for area, (allowed, _) in RULES.items()}
        left = set(below)
        while left:
            ground = {area for area in left if not (below[area] - {area}) & left}
            self.assertTrue(ground, f"a circle among {sorted(left)}")
            left -= ground


if __name__ == "__main__":
    Arrows.root = sys.argv.pop()
    unittest.main()
