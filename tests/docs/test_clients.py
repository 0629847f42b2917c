#!/usr/bin/env python3
"""scripts/clients.py: its reading of a suite's results, and the page that it writes about them.

    test_clients.py --source FOLDER
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import unittest

arguments = None
clients = None

PAGE = """# A page
<!-- clients:table -->
old
<!-- /clients:table -->
between
<!-- clients:failures -->
<!-- /clients:failures -->
<!-- clients:skips -->
<!-- /clients:skips -->
end
"""

SUITE = """<testsuites><testsuite name="pytest">
<testcase classname=".TestA" name="good"/>
<testcase classname=".TestA" name="parts"/>
<testcase classname=".TestA" name="parts"><failure message="NOT_SUPPORTED: no dynamic parallelism&#10;more"/></testcase>
<testcase classname=".TestA" name="setup"><error message="no fixture"/></testcase>
<testcase classname=".TestB" name="other"><skipped message="a | b"/></testcase>
<testcase classname=".TestB" name="another"><skipped message="a | b"/></testcase>
</testsuite></testsuites>
"""


class Clients(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def place(self, name, text=None):
        path = os.path.join(self.folder, name)
        if text is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return path

    def summary(self):
        return clients.summary("PyCUDA", [self.place("a.xml", SUITE)], {"pycuda": "1.2", "numpy": "3", "else": "4"})

    def script(self, *options):
        return subprocess.run([sys.executable, clients.__file__, "--page", self.place("page.md"), "--results",
                               self.place("results.json"), *options], capture_output=True, text=True, check=False)

    def test_summary(self):
        summary = self.summary()
        self.assertEqual([summary[each] for each in ("passed", "failed", "skipped")], [1, 2, 2])
        self.assertEqual(summary["versions"], {"pycuda": "1.2", "numpy": "3"})
        self.assertEqual([each["test"] for each in summary["failures"]], ["TestA::parts", "TestA::setup"])
        self.assertEqual(summary["skips"], {"a | b": 2})

    def test_same_name_in_two_files(self):
        paths = [self.place("a.xml", SUITE), self.place("b.xml", SUITE)]
        self.assertEqual(clients.summary("PyCUDA", paths, {"pycuda": "1"})["passed"], 2)

    def test_page(self):
        self.place("page.md", PAGE)
        self.place("results.json", json.dumps({"schema": "wideload-clients/1", "clients": [self.summary()]}))
        done = self.script("--check")
        self.assertEqual(done.returncode, 1)
        self.assertIn("-old", done.stdout)
        self.assertEqual(self.script().returncode, 0)
        with open(self.place("page.md"), encoding="utf-8") as file:
            text = file.read()
        self.assertIn("| PyCUDA (pycuda 1.2) |", text)
        self.assertIn("| 1 | 2 | 2 |\n", text)
        self.assertIn("- **PyCUDA**, 1: Ours: no dynamic parallelism (kernels that launch kernels).\n"
                      "  - `TestA::parts`\n", text)
        self.assertIn("- **PyCUDA**, 1: Not explained yet.\n  - `TestA::setup`\n", text)
        self.assertIn("| PyCUDA | 2 | a \\| b |\n", text)
        self.assertIn("\nbetween\n", text)
        self.assertTrue(text.endswith("\nend\n"))
        self.assertEqual(self.script("--check").returncode, 0)

    def test_refused(self):
        self.place("page.md", PAGE.replace("<!-- /clients:skips -->", ""))
        done = self.script()
        self.assertEqual(done.returncode, 1)
        self.assertIn("<!-- /clients:skips -->", done.stderr)
        self.place("page.md", PAGE)
        for text, words in (("{", "results.json"), ('{"schema": "x"}', "schema 'x'"), ("[]", "results.json")):
            self.place("results.json", text)
            done = self.script()
            self.assertEqual(done.returncode, 1)
            self.assertIn(words, done.stderr)
        done = self.script("run", "no-such")
        self.assertEqual(done.returncode, 1)
        self.place("results.json", '{"schema": "wideload-clients/1", "clients": []}')
        done = self.script("run", "no-such")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no client no-such; there are Numba", done.stderr)
        with open(self.place("page.md"), encoding="utf-8") as file:
            self.assertEqual(file.read(), PAGE)

    def test_causes(self):
        # Each entry in the stored results has a cause, and each cause explains an entry.
        with open(clients.RESULTS, encoding="utf-8") as file:
            results = json.load(file)
        used = {words for client in results["clients"] for words in clients.causes(client)}
        self.assertNotIn("Not explained yet", used)
        names = {client["name"] for client in results["clients"]}
        self.assertEqual({words for name, _, words in clients.CAUSES if name in names} - used, set())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True)
    arguments, rest = parser.parse_known_args()
    sys.path.insert(0, os.path.join(arguments.source, "scripts"))
    import clients as loaded  # pylint: disable=wrong-import-position
    clients = loaded
    unittest.main(argv=[sys.argv[0], *rest])
