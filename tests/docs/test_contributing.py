#!/usr/bin/env python3
"""Everything that CONTRIBUTING.md names exists: commands, make targets, presets, tests, paths and identifiers.

    test_contributing.py --source FOLDER --build FOLDER --ctest PROGRAM --wideload PROGRAM
"""
import argparse
import glob
import json
import os
import re
import subprocess
import sys
import unittest

arguments = None
SOURCES = ("*.c", "*.h", "*.cu", "*.awk", "*.py")


def read(*path):
    with open(os.path.join(arguments.source, *path), encoding="utf-8") as file:
        return file.read()


def spans():
    """The text in backquotes, each on a single line."""
    return [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", read("CONTRIBUTING.md"))]


class Contributing(unittest.TestCase):
    def test_targets(self):
        targets = set(re.findall(r"^([a-z-]+)\s*:", read("Makefile"), re.MULTILINE))
        named = {word for span in spans() if span.split()[0] == "make" for word in span.split()[1:]}
        self.assertLessEqual(named, targets)
        self.assertGreater(len(named), 7)

    def test_presets(self):
        """Exactly the existing ones are named."""
        text = read("CONTRIBUTING.md")
        presets = {preset["name"] for preset in json.loads(read("CMakePresets.json"))["configurePresets"]
                   if not preset.get("hidden")}
        listed = set(re.findall(r"`(\w+)`", re.search(r"The presets are ([^.]+)\.", text)[1]))
        self.assertEqual(listed, presets)
        self.assertLessEqual(set(re.findall(r"--preset (\w+)", text)), presets)

    def test_tests(self):
        named = {match for span in spans() for match in re.findall(r"ctest --test-dir build -R (\S+)", span)}
        self.assertTrue(named)
        for name in sorted(named | {"lib_rungs", "bench_sizes"}):
            shown = subprocess.run([arguments.ctest, "--test-dir", arguments.build, "-N", "-R", name],
                                   capture_output=True, text=True, check=True).stdout
            self.assertNotIn("Total Tests: 0", shown, name)

    def test_commands(self):
        for span in spans():
            words = span.split()
            if words[0] == "build/wideload" and len(words) > 1:
                subprocess.run([arguments.wideload, words[1], "--help"], capture_output=True, check=True)

    def test_paths(self):
        """Words with a slash, or with a file's ending.  Placeholders match anything."""
        made = ("build/", "OUT/")
        named = set(re.findall(r"\]\(([^)]+)\)", read("CONTRIBUTING.md")))
        for span in spans():
            for word in span.split():
                word = word.strip('"')
                if ("/" in word or re.search(r"\w\.(md|c|h|py|sh|txt|csv|cmake)$", word)) and not word.startswith(made):
                    named.add(word)
        self.assertGreater(len(named), 40)
        for word in sorted(named - {"cuda.h"}):
            self.assertTrue(glob.glob(os.path.join(arguments.source, re.sub(r"<\w+>", "*", word))), word)

    def test_identifiers(self):
        """Names in the code: with an underscore, or a leading capital; a trailing one makes it a prefix."""
        named = {word for span in spans() for word in re.findall(r"\b[A-Za-z]\w*_\w*\b", span)
                 if "/" not in span and not span.startswith(("ctest", "make"))}
        named -= {"wl_", "MNEMONIC"}
        self.assertIn("bench_reference_of", named)
        texts = "\n".join(read(os.path.relpath(path, arguments.source))
                          for folder in ("lib", "ladder", "bench", "sim", "include", "tests", "cli", "prof")
                          for pattern in SOURCES
                          for path in glob.glob(os.path.join(arguments.source, folder, "**", pattern), recursive=True))
        tests = subprocess.run([arguments.ctest, "--test-dir", arguments.build, "-N"], capture_output=True, text=True,
                               check=True).stdout
        for name in sorted(named):
            self.assertTrue(name in texts or name in tests, name)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for option in ("source", "build", "ctest", "wideload"):
        parser.add_argument("--" + option, required=True)
    arguments, rest = parser.parse_known_args()
    sys.exit(unittest.main(argv=[sys.argv[0], *rest]))
