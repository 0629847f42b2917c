#!/usr/bin/env python3
"""The lessons' pictures: each lesson has one, they are fresh, they are XML, and a stale file is detected."""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

arguments = None


def pictures(*words):
    return subprocess.run([sys.executable, os.path.join(arguments.source, "scripts", "lesson_pictures.py"), "--draw",
                           arguments.draw, *words], capture_output=True, text=True, check=False)


class Pictures(unittest.TestCase):
    def test_fresh(self):
        run = pictures("--check")
        self.assertEqual((run.returncode, run.stderr), (0, ""))

    def test_every_lesson(self):
        for folder in ("docs/experiments", "docs/experiments/zh-CN"):
            for page in glob.glob(os.path.join(arguments.source, folder, "*.md")):
                if os.path.basename(page) == "README.md":
                    continue
                with open(page, encoding="utf-8") as file:
                    shown = re.findall(r'(?:src|srcset)="(\S+)"', file.read())
                self.assertEqual(len(shown), 2, page)
                for name in shown:
                    path = os.path.join(os.path.dirname(page), name)
                    root = xml.etree.ElementTree.parse(path).getroot()
                    self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
                    self.assertEqual(os.path.basename(path).endswith("-dark.svg"), name == shown[0])

    def test_stale(self):
        with tempfile.TemporaryDirectory() as folder:
            for part in ("charts", "experiments"):
                shutil.copytree(os.path.join(arguments.source, "docs", part), os.path.join(folder, "docs", part))
            self.assertEqual(pictures("--check", "--root", folder).returncode, 0)
            for path, old, new in (("docs/charts/lesson-stride-dark.svg", "</svg>", " </svg>"),
                                   ("docs/experiments/zh-CN/shared.md", "html#space=shared", "html#space=global")):
                with open(os.path.join(folder, path), encoding="utf-8") as file:
                    text = file.read()
                self.assertIn(old, text)
                with open(os.path.join(folder, path), "w", encoding="utf-8") as file:
                    file.write(text.replace(old, new))
                run = pictures("--check", "--root", folder)
                self.assertEqual(run.returncode, 1)
                self.assertIn(f"{path}: stale", run.stderr)
                self.assertEqual(pictures("--root", folder).returncode, 0)
                self.assertEqual(pictures("--check", "--root", folder).returncode, 0)

    def test_arguments(self):
        """picture_draw refuses what is no request."""
        lanes = [str(4 * lane) for lane in range(32)]
        for words, error in (([], "usage"), (["sm_1", "global", "load", "4", "ffffffff", *lanes], "usage"),
                             (["sm_90", "global", "load", "4", "0", *lanes], "usage"),
                             (["sm_90", "global", "load", "3", "ffffffff", *lanes], "usage"),
                             (["sm_90", "global", "load", "8", "ffffffff", *lanes], "lane 1: address '4'"),
                             (["sm_90", "global", "load", "4", "1", "x", *lanes[1:]], "lane 0: address 'x'")):
            run = subprocess.run([arguments.draw, *words], capture_output=True, text=True, check=False)
            self.assertEqual((run.returncode, run.stdout), (2, ""))
            self.assertIn(error, run.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--draw", required=True)
    parser.add_argument("--source", required=True)
    arguments, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0]] + rest)
