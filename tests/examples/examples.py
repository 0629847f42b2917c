#!/usr/bin/env python3
"""Runs the commands in the examples' table: each must print the figures next to it, and each program must be right.

usage: examples.py WIDELOAD SOURCE PROGRAMS
"""
import glob
import os
import re
import shlex
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from sanitized import sanitized  # pylint: disable=wrong-import-position

wideload, source, programs = (os.path.abspath(path) for path in sys.argv[1:4])


def rows():
    """Yields (command, figures) from the table."""
    with open(os.path.join(source, "examples", "README.md"), encoding="utf-8") as file:
        for line in file:
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if len(cells) == 4 and cells[2].startswith("`--"):
                yield shlex.split(cells[2].strip("`")), [figure.strip() for figure in cells[3].split(",")]


def prof(command):
    # A sanitizer's library must be loaded first, and complains otherwise.
    environment = sanitized({**os.environ, "LC_ALL": "C"})
    return subprocess.run([wideload, "prof", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          cwd=programs, env=environment, check=False)


class Examples(unittest.TestCase):
    def test_table(self):
        names = set()
        for command, figures in rows():
            with self.subTest(command=" ".join(command)):
                names.add(next(word[2:] for word in command if word.startswith("./")))
                done = prof(command)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(done.stdout, "right\n")
                for figure in figures:
                    name, value = figure.split()
                    # The value appears alone, and all launches have the same.
                    found = re.findall(rf"{re.escape(name)} +([\d.]+%?)(?: +([\d.]+%?) +([\d.]+%?))?", done.stderr)
                    self.assertTrue(found, f"{name} is not in:\n{done.stderr}")
                    for values in found:
                        self.assertEqual(values[0], value, done.stderr)
        written = {os.path.basename(path)[:-3] for path in glob.glob(os.path.join(source, "examples", "*.cu"))}
        self.assertEqual(names, written, "the table names every example")

    def shown(self, path):
        """The reports in a file: (command, output)."""
        with open(os.path.join(source, path), encoding="utf-8") as file:
            # Fences come in pairs: every second piece is a block.
            for block in re.split(r"^```.*\n", file.read(), flags=re.M)[1::2]:
                for found in re.finditer(r"^\$ wideload prof ([^\n]*)\n(.*?)(?=^\$ |\Z)", block, re.S | re.M):
                    yield shlex.split(found[1]), found[2]

    def test_shown(self):
        # The lines shown must be printed; a report may be shortened.
        for path in ("README.md", "examples/README.md"):
            reports = list(self.shown(path))
            self.assertTrue(reports)
            for command, text in reports:
                done = prof(command)
                printed = (done.stdout + done.stderr).splitlines()
                for line in text.splitlines():
                    self.assertIn(line, printed, f"{path} shows of {command} what is not printed")

    def test_shapes(self):
        # Sizes with odd remainders: right to the last element.
        for command in ("./readSegmentUnroll 1", "./sumArrays 1", "./sumArrays 1000003", "./transpose 2 61 43 7 5",
                        "./transpose 4 61 43 7 5", "./transpose 5 203 43 16 16", "./transposeShared 33 1",
                        "./matmulShared 33 1 65", "./matmulShared 40 64 7", "./sparseTranspose 3 5 15",
                        "./sparseTranspose 1 300 7"):
            done = prof(command.split())
            self.assertEqual(done.returncode, 0, command + done.stdout)
            # Except for figures that may differ from a GPU's.
            self.assertNotRegex(done.stderr, r"note:(?! \w+: ~)", command)

    def test_bad_arguments(self):
        for command in ("./readSegment -1", "./transpose 8", "./transpose 6 64 32", "./transposeShared 0",
                        "./sparseTranspose 2 2 5"):
            self.assertEqual(prof(command.split()).returncode, 2, command)


sys.exit(unittest.main(argv=sys.argv[:1], exit=False).result.wasSuccessful() is False)
