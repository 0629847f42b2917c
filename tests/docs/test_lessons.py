#!/usr/bin/env python3
"""The lessons, the bench's page and the README: they describe the program correctly, in both languages.

The rungs are those of `wideload list`; each command of the bench runs, at a small size on the simulator; links are
valid; a page and its translation have the same commands and the same figures.
"""
import argparse
import glob
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

arguments = None

SMALL = {"matmul": "20x33x17", "transpose": "40x70", "csr-transpose": "40x70", "transpose-any": "40x70",
         "transpose-inplace": "40x70", "permute": "9", "redistribute": "40x70"}


def read(path):
    with open(os.path.join(arguments.source, path), encoding="utf-8") as file:
        return file.read()


def lessons():
    """Paths of the English pages, including the index."""
    return sorted(os.path.relpath(path, arguments.source)
                  for path in glob.glob(os.path.join(arguments.source, "docs", "experiments", "*.md")))


def translation(page):
    if page == "README.md":
        return "README.zh-CN.md"
    return os.path.join(os.path.dirname(page), "zh-CN", os.path.basename(page))


def pages():
    """Every page that has a translation."""
    return ["README.md", "docs/bench.md"] + lessons()


def blocks(text):
    """A page's code without its comments, which are translated."""
    code = re.findall(r"^```(\w*)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    def bare(language, line):
        mark = {"sh": r"(^|\s)#\s.*", "python": r"(^|\s)#\s.*", "": r"   .*$"}.get(language, r"/\*.*?\*/")
        return re.sub(mark, "", line).rstrip()
    return [(language, [bare(language, line) for line in body.splitlines() if bare(language, line)])
            for language, body in code]


def tables(text):
    """The generated tables: marker, and lines without the caption and the heading."""
    found = re.findall(r"<!-- bench:(.*?) -->\n(.*?)<!-- /bench:", text, re.DOTALL)
    return [(marker, [line for line in body.splitlines() if line.startswith("|")][1:]) for marker, body in found]


def commands(text):
    for language, lines in blocks(text):
        for line in "\n".join(lines).replace("\\\n", " ").splitlines():
            words = shlex.split(line) if language == "sh" else []
            if words[:2] == ["build/wideload", "bench"]:
                yield words[1:]


def small(words):
    """The same command on the simulator, at a small size."""
    experiment, result, skip = words[1], [], False
    for word, following in zip(words, words[1:] + [None]):
        if skip:
            skip = False
        elif word == "twelve":
            result.append("twelve-small")
        elif word in ("--size", "--bytes", "--device"):
            skip = following is not None
        else:
            result.append(word)
    return result + ["--device", "sim", "--size", SMALL.get(experiment, "3001")]


class Lessons(unittest.TestCase):
    def program(self, words, folder):
        return subprocess.run([arguments.wideload, *words], cwd=folder, capture_output=True, text=True, check=False)

    def test_rungs(self):
        listed = self.program(["list"], None).stdout
        experiments = dict(re.findall(r"^(\S+): (.*)$", listed, re.MULTILINE))
        self.assertEqual(sorted(experiments), sorted(os.path.basename(page)[:-3] for page in lessons()
                                                     if not page.endswith("README.md")))
        for name, question in experiments.items():
            mine = listed.split(f"{name}: {question}\n", 1)[1].split("\n\n", 1)[0] + "\n"
            rungs = re.findall(r"^  ([a-z][\w-]*) +(\S.*)\n +block ", mine, re.MULTILINE)
            page = read(f"docs/experiments/{name}.md")
            self.assertTrue(page.startswith(f"# {name}: {question}\n"), name)
            self.assertEqual(re.findall(r"^\| `(\S+)` \| (.*) \|$", page, re.MULTILINE), rungs, name)
            chinese = read(f"docs/experiments/zh-CN/{name}.md")
            self.assertEqual(re.findall(r"^\| `(\S+)` \|", chinese, re.MULTILINE), [kernel for kernel, _ in rungs])

    def test_commands(self):
        """Each command of the bench runs, verified, at a small size; commands that differ only in size run once."""
        ran = set()
        with tempfile.TemporaryDirectory() as folder:
            for page in pages():
                for words in commands(read(page)):
                    if "--compare" in words:
                        continue
                    key = tuple(small(words))
                    if key in ran:
                        continue
                    ran.add(key)
                    run = self.program(small(words), folder)
                    self.assertEqual(run.returncode, 0, f"{page}: {words}: {run.stderr}")
        self.assertGreater(len(ran), 25)

    def test_sizes(self):
        """The sizes that test_commands replaces are valid for their experiment: an unknown kernel stops the command
                after they were read and before anything runs."""
        for page in lessons():
            for words in commands(read(page)):
                if "--size" in words:
                    size = words[words.index("--size") + 1]
                    run = self.program(["bench", words[1], "--device", "sim", "--size", size, "--kernel", "none"], None)
                    self.assertEqual(run.returncode, 2)
                    self.assertIn("none", run.stderr, f"{page}: {words}")

    def test_links(self):
        others = [os.path.relpath(path, arguments.source) for pattern in ("*.md", "docs/*.md", "docs/notes/*.md")
                  for path in glob.glob(os.path.join(arguments.source, pattern))]
        documents = sorted({*pages(), *map(translation, pages()), *others})
        for page in documents:
            for target in re.findall(r"\]\(([^)\s]+)\)", read(page)):
                if re.match(r"[a-z]+:", target):
                    continue
                path, _, anchor = target.partition("#")
                whole = os.path.normpath(os.path.join(arguments.source, os.path.dirname(page), path or os.path.basename(page)))
                self.assertTrue(os.path.exists(whole), f"{page}: {target}")
                if anchor and not path.endswith(".html"):
                    titles = re.findall(r"^#+ (.*)$", read(os.path.relpath(whole, arguments.source)), re.MULTILINE)
                    self.assertIn(anchor, [title.lower().replace(" ", "-") for title in titles], f"{page}: {target}")

    def test_readme(self):
        """It stays short enough to be read in full."""
        for page in ("README.md", "README.zh-CN.md"):
            self.assertLessEqual(len(read(page).splitlines()), 160, page)

    def test_languages(self):
        for page in pages():
            english, chinese = read(page), read(translation(page))
            self.assertEqual(blocks(chinese), blocks(english), f"{translation(page)}: other code than {page}")
            self.assertEqual(tables(chinese), tables(english), f"{translation(page)}: other figures than {page}")
            for text, other in ((english, translation(page)), (chinese, page)):
                place = os.path.relpath(other, os.path.dirname(page if text is english else translation(page)) or ".")
                self.assertIn(f"]({place})", "\n".join(text.splitlines()[:3]), f"{page}: no link to {other}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--wideload", required=True)
    parser.add_argument("--source", required=True)
    arguments, rest = parser.parse_known_args()
    sys.exit(unittest.main(argv=[sys.argv[0], *rest]))
