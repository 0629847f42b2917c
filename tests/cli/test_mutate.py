#!/usr/bin/env python3
"""scripts/mutate.py: the mutants of a text, and their results in a small project with the same layout."""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

CODE = """\
int bounded(int at, int size);
unsigned scaled(unsigned n);

/* 1 + 1 < 3 */
int bounded(int at, int size) {
    if (at < size)
        return 1;
    return 0;
}

unsigned scaled(unsigned n) {
    return n * 2 - n;
}
"""
TEST = """\
int bounded(int at, int size);
int main(void) {
    if (!bounded(3, 4) || bounded(4, 4) || bounded(5, 4))
        return 1;
    while (bounded(2, 0))
        ;
    return 0;
}
"""
PROJECT = """\
cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES C)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
enable_testing()
add_library(small STATIC sim/count/small.c)
add_executable(small_test tests/small.c)
target_link_libraries(small_test PRIVATE small)
add_test(NAME count.small COMMAND small_test)
"""


class Mutants(unittest.TestCase):
    def changes(self, code, **options):
        from mutants import mutants
        return [(m.line, m.old, m.new) for m in mutants("a.c", code, **options)]

    def test_operators(self):
        self.assertEqual(self.changes("x = a <= b;"), [(1, "<=", "<"), (1, "<=", "<= 1 +"), (1, "<=", ">")])
        self.assertEqual(self.changes("x = a && !b;"), [(1, "&&", "||"), (1, "!", "")])
        self.assertEqual(self.changes("*p = &q; --i;"), [(1, "--", "++")])
        self.assertEqual(self.changes("const struct s *p = f(-x);"), [])

    def test_constants(self):
        self.assertEqual(self.changes("x = 0x1fu;"), [(1, "0x1fu", "0x1eu"), (1, "0x1fu", "0x20u")])
        self.assertEqual(self.changes("x = 0;"), [(1, "0", "1")])
        self.assertEqual(self.changes("bool x = true;"), [(1, "true", "false")])
        self.assertEqual(self.changes('char a[40] = "", b[40] = "";\nstatic struct s x[4][2];'), [])
        self.assertEqual(self.changes("int x = y[4];"), [(1, "4", "3"), (1, "4", "5")])
        self.assertEqual(self.changes("    x.text[4] = y;"), [(1, "4", "3"), (1, "4", "5")])

    def test_what_is_no_code(self):
        self.assertEqual(self.changes('/* a < b */ // a < b\n#include <a.h>\n#if 1 < 2\n#endif\nf("a < 1");\n'), [])
        self.assertEqual(self.changes("#define N 4\n"), [(1, "4", "3"), (1, "4", "5")])

    def test_bound_checks(self):
        code = "if (at + 1 < size)\n    x = y + 1;\nfor (i = 0; i < size; i++)\n    z = 2;\nreturn a < b;\n"
        self.assertEqual({line for line, _, _ in self.changes(code, bounds_only=True)}, {1})
        code = "if (!sim_within(at - (base), n, limit))\n    return 1;\n"
        self.assertEqual(self.changes(code, bounds_only=True),
                         [(1, "!", ""), (1, "-", "+"), (1, ")", " + 1)"), (1, ")", " - 1)")])

    def test_keys_outlive_other_changes(self):
        from mutants import mutants
        keys = {m.key for m in mutants("a.c", CODE)}
        self.assertEqual(len(keys), len(mutants("a.c", CODE)))
        self.assertEqual(keys, {m.key for m in mutants("a.c", "int more;\n" + CODE)})


class Runs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        shutil.copytree(os.path.join(arguments.source, "scripts"), self.at("scripts"))
        for path, text in [("sim/count/small.c", CODE), ("tests/small.c", TEST), ("CMakeLists.txt", PROJECT),
                           ("docs/page.md", "Kept.\n<!-- mutants -->\nold\n<!-- /mutants -->\n"),
                           ("docs/mutants.csv", "file,text,changes,kind,reason\n")]:
            os.makedirs(os.path.dirname(self.at(path)), exist_ok=True)
            with open(self.at(path), "w", encoding="utf-8") as file:
                file.write(text)
        self.quiet("cmake", "-G", "Ninja", "-S", self.folder, "-B", self.at("build-mutate"))
        self.quiet("cmake", "--build", self.at("build-mutate"))

    def at(self, path):
        return os.path.join(self.folder, path)

    def quiet(self, *command):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=self.folder)

    def mutate(self, *options, status=0):
        done = subprocess.run([sys.executable, self.at("scripts/mutate.py"), *options], cwd=self.folder, text=True,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def results(self):
        with open(self.at("build-mutate/mutants.jsonl"), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def contents(self, path):
        with open(self.at(path), "rb") as file:
            return file.read()

    def test_verdicts(self):
        objects = "build-mutate/CMakeFiles/small.dir/sim/count/small.c.o"
        before = self.contents(objects), self.contents("build-mutate/small_test"), self.contents("sim/count/small.c")
        self.mutate()
        of = {(row["line"], row["old"], row["new"]): row["status"] for row in self.results()}
        self.assertEqual(of[6, "<", "<="], "killed")  # some of them by an endless loop
        self.assertEqual(of[6, "<", ">="], "killed")
        self.assertEqual(of[6, "<", "+ 1 <"], "killed")
        self.assertEqual(of[12, "-", "+"], "survived")  # nothing calls it
        self.assertEqual(before, (self.contents(objects), self.contents("build-mutate/small_test"),
                                  self.contents("sim/count/small.c")))
        # All of them have results: nothing is left to do, unless the survivors are to run again.
        number = len(self.results())
        self.assertEqual(self.mutate().stdout, "nothing to run\n")
        self.assertIn("survived", self.mutate("--again").stdout)
        self.assertGreater(len(self.results()), number)
        self.mutate("--page", "docs/page.md")
        page = self.contents("docs/page.md").decode()
        self.assertIn("Kept.", page)
        self.assertNotIn("old\n", page)
        self.assertRegex(page, r"`- -> \+`.*untested: no reason is known")
        # A build folder without results for a file does not change what the page says about it.
        os.remove(self.at("build-mutate/mutants.jsonl"))
        self.mutate("--page", "docs/page.md")
        self.assertEqual(page, self.contents("docs/page.md").decode())

    def test_a_sample_is_repeatable(self):
        first = self.mutate("--list", "--sample", "4", "--seed", "7").stdout
        self.assertEqual(len(first.splitlines()), 4)
        self.assertEqual(first, self.mutate("--list", "--sample", "4", "--seed", "7").stdout)
        self.assertNotEqual(first, self.mutate("--list", "--sample", "4", "--seed", "8").stdout)

    def test_a_test_that_fails_anyway(self):
        with open(self.at("tests/small.c"), "w", encoding="utf-8") as file:
            file.write("int main(void) { return 1; }\n")
        self.quiet("cmake", "--build", self.at("build-mutate"))
        self.assertIn("count.small fails without any mutant", self.mutate(status=1).stderr)

    def test_nothing_is_built(self):
        self.assertIn("configure and build it first", self.mutate("-B", "nowhere", status=1).stderr)
        self.assertIn("no file of AREAS fits", self.mutate("--file", "other/*", status=1).stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True)
    arguments, rest = parser.parse_known_args()
    sys.path.insert(0, os.path.join(arguments.source, "scripts"))
    unittest.main(argv=[sys.argv[0], *rest])
