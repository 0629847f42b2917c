"""Shared by the tests of the `wideload prof` command: how it is run, and the options that name the inputs."""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

arguments = argparse.Namespace()


def environment(more=None):
    # A sanitizer's library must be loaded first, and complains otherwise.
    return {**os.environ, "ASAN_OPTIONS": "verify_asan_link_order=0:handle_segv=0", **(more or {})}


def prof(*words, more=None, command=None, **options):
    return subprocess.run([command or arguments.wideload, "prof", *words], capture_output=True, text=True,
                          env=environment(more), timeout=120, check=False, **options)


def ran(*steps, **keywords):
    return prof(arguments.program, *steps, **keywords)


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def place(self, name):
        return os.path.join(self.folder, name)

    def text(self, name):
        with open(self.place(name), encoding="utf-8") as file:
            return file.read()

    def profiled(self, options, *steps):
        """The JSON document of a run."""
        path = self.place("a.json")
        done = prof(*options, "--json", path, arguments.program, *steps)
        with open(path, encoding="utf-8") as file:
            return done, json.load(file)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--wideload", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--refused", nargs="*", default=[], help="a stripped program, one with a strange instruction")
    parser.add_argument("--static", help="a program that is linked statically, with kernels")
    parser.add_argument("--source", required=True)
    parser.add_argument("--update", action="store_true")
    _, rest = parser.parse_known_args(namespace=arguments)
    # Under a short name, so that the output does not depend on this folder.
    with tempfile.TemporaryDirectory() as short:
        built, arguments.program = os.path.abspath(arguments.program), os.path.join(short, "program")
        os.symlink(built, arguments.program)
        sys.exit(unittest.main("__main__", argv=[sys.argv[0], *rest], exit=False).result.wasSuccessful() is False)
