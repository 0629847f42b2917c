#!/usr/bin/env python3
"""Figures in the documentation that count the contents of a file.

    test_counts.py --source FOLDER
"""
import argparse
import collections
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from marks import recorded  # pylint: disable=wrong-import-position

arguments = None


def lines(*path):
    with open(os.path.join(arguments.source, *path), encoding="utf-8") as file:
        return file.read().splitlines()


class Counts(unittest.TestCase):
    def test_instructions(self):
        """docs/instructions.md: single-instruction kernels, by the kind of record."""
        words = collections.Counter(line.split()[1] for line in lines("tests", "exec", "conformance", "h200.txt"))
        approximate = {line.split()[0] for line in lines("tests", "exec", "conformance", "h200-approximate.txt")
                       if line and not line.startswith("#")}
        refused, unrecorded = words.pop("refused"), words.pop("unrecorded")
        expected = [sum(words.values()), len(approximate), refused, unrecorded]
        page = "\n".join(lines("docs", "instructions.md"))
        told = [int(number) for number in re.findall(r"^\| (\d+) \|", page, re.M)]
        self.assertEqual(told, expected)
        self.assertIn(f"Of {sum(expected)} kernels", page)
        self.assertIn(f"The {expected[0]} are the hashes", page)

    def test_marks(self):
        """docs/counters.md: at most one in three marked launches is equal, and so are public programs' figures."""
        page = "\n".join(lines("docs", "counters.md"))

        def numbers(row):
            found = re.search(rf"^\| {row} \| ([\d |]+) \|$", page, re.M)
            return [int(cell) for cell in found[1].split("|")]

        sums = {}
        for folder in ("counters", "programs"):
            for program, counts in recorded(os.path.join(arguments.source, "tests", folder)).items():
                row = "flow" if program == "flow" else folder
                sums[row] = [a + b for a, b in zip(sums.get(row, [0] * 4), counts)]
        launches, whole, marked, needless, *figures = numbers(r"all \d+")
        equal, differ, vary, marked_equal, marked_differ, marked_vary = figures
        self.assertEqual((differ, vary), (0, 0))
        self.assertGreaterEqual(whole + marked - needless, launches)
        self.assertGreater(equal, 9000)
        corpus = [marked, needless, marked_equal + marked_differ + marked_vary, marked_equal]
        rows = {"public programs": corpus, "`tests/programs`": sums["programs"],
                "the five programs": sums["counters"], "`flow`[^|]*": sums["flow"]}
        for name, counts in rows.items():
            self.assertEqual(numbers(name)[1:], counts, name)
        total = [sum(counts) for counts in zip(*rows.values())]
        self.assertEqual(numbers("all")[1:], total)
        self.assertLessEqual(3 * total[1], total[0])
        self.assertLessEqual(3 * corpus[3], corpus[2])

    def test_changelog(self):
        """The newest release is the header's version; it has at most 15 entries, of one line each."""
        header = "\n".join(lines("include", "wideload.h"))
        version = re.search(r'WL_VERSION_STRING "(.*)"', header)[1]
        releases = re.split(r"^## ", "\n".join(lines("CHANGELOG.md")), flags=re.M)[1:]
        self.assertRegex(releases[0], rf"\A{re.escape(version)} \(\d{{4}}-\d\d-\d\d\)\n")
        entries = [line for line in releases[0].splitlines()[1:] if line]
        self.assertLessEqual(len(entries), 15)
        self.assertTrue(all(line.startswith("- **") for line in entries))

    def test_samples(self):
        """docs/samples.md: complete, and its first table counts the second."""
        rows = [line for line in lines("docs", "samples.md") if line.startswith("|")]
        for row in rows:
            self.assertTrue(row.endswith("|"), row)
        cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]] for row in rows]
        told = {row[0]: int(row[1]) for row in cells if len(row) == 2 and row[1].isdigit()}
        samples = [row for row in cells if len(row) == 6][2:]
        self.assertEqual(len({row[0] for row in samples}), len(samples))
        self.assertEqual(collections.Counter(re.sub(r":.*| \(.*", "", row[2]) for row in samples), told)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True)
    arguments, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
