#!/usr/bin/env python3
"""docs/check.md: its examples are the command's output, and its list agrees with compute_sanitizer.csv.

--update writes both."""
import argparse
import csv
import os
import re
import subprocess
import sys
import tempfile
import unittest

EXAMPLE = re.compile(r"^```\n\$ wideload (.*)\n(?:.*\n)*?```$", re.M)
LIST = re.compile(r"<!-- nothing -->\n(?:.*\n)*?\n")
CHECKS = {"memcheck": "memory", "racecheck": "race", "initcheck": "init", "synccheck": "sync"}


def printed(words):
    """The command's report of its findings, without what differs between machines."""
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.abspath(arguments.planted), os.path.join(folder, "planted"))
        environment = {name: value for name, value in os.environ.items() if not name.startswith("WIDELOAD_")}
        environment["ASAN_OPTIONS"] = "detect_leaks=0"
        words = [os.path.join(folder, word) if word == "planted" else word for word in words.split()]
        done = subprocess.run([os.path.abspath(arguments.wideload), *words], cwd=folder, env=environment, timeout=100,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    found = re.search(r"^=+ WIDELOAD CHECK\n.*", done.stderr, re.M | re.S)
    if done.returncode != 1 or not found:
        raise AssertionError(f"status {done.returncode}\n{done.stdout}{done.stderr}")
    text = re.sub(r"0x[0-9a-f]{9,}", "0x...", found.group())
    return re.sub(r" in \S*/|(?<=and at )\S*/", lambda m: " in " if m.group().startswith(" in") else "", text)


def example(match):
    return f"```\n$ wideload {match.group(1)}\n{printed(match.group(1)).strip()}\n```"


def nothing(_):
    rows = {}
    with open(os.path.join(arguments.source, "tests/exec/check/compute_sanitizer.csv"), encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["kind"] == "nothing":
                rows.setdefault(CHECKS[row["tool"]], []).append(row["bug"])
    table = "".join(f"| {check} | {', '.join(f'`{bug}`' for bug in rows[check])} |\n"
                    for check in CHECKS.values() if check in rows)
    return f"<!-- nothing -->\n| check | planted bugs |\n|---|---|\n{table}\n"


class Document(unittest.TestCase):
    maxDiff = None

    def test_document(self):
        path = os.path.join(arguments.source, "docs/check.md")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(len(EXAMPLE.findall(text)), 4)
        self.assertEqual(len(LIST.findall(text)), 1)
        now = LIST.sub(nothing, EXAMPLE.sub(example, text))
        if arguments.update:
            with open(path, "w", encoding="utf-8") as file:
                file.write(now)
        else:
            self.assertEqual(text, now, "docs/check.md is out of date: run this with --update")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--wideload", required=True)
    parser.add_argument("--planted", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--update", action="store_true")
    arguments, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
