#!/usr/bin/env python3
"""Makes docs/pictures.md and docs/charts/example-*.svg: of each example the line that wastes most, as its page has it.

The programs of examples/ run under `wideload prof --page`; what is shown is the top of their pages.

    scripts/example_pictures.py --wideload build/wideload --programs build/tests/examples [--check]

With --check it changes nothing, and exits 1 when a file is stale.
"""
import argparse
import html
import os
import re
import subprocess
import sys
import tempfile

from lesson_pictures import put, themed

# What to run, and what the program is about.
PROGRAMS = [
    ("readSegment 11", "It reads arrays 11 elements off their beginning."),
    ("readSegmentReadOnly 11", "The same through the read-only cache, which moves sectors alike."),
    ("readSegmentUnroll 11", "The same, four elements a thread: as many sectors, in flight at once."),
    ("writeSegment 11", "It writes 11 elements off."),
    ("simpleMathAoS", "It reads and writes an array of structures, field by field."),
    ("simpleMathSoA", "The same work on a structure of arrays."),
    ("sumArrays", "It adds arrays, four elements by one access."),
    ("transpose 2", "It reads rows and writes columns."),
    ("transposeShared 1024 1024", "It transposes through a tile in shared memory, without padding."),
    ("matmulShared", "It multiplies matrices by tiles whose rows begin anywhere."),
    ("sparseTranspose", "It counts, sums up and scatters the entries of a sparse matrix."),
]
HEAD = """# What is wrong, as a picture
`wideload prof --page page.html PROGRAM` shows each line's requests of memory ([prof.md](prof.md), *The page*). Here is the
top of the page of each program in [examples](../examples/README.md): its worst kernel, the line that wastes most, and what
that line's typical request looks like. The lanes of a warp are above the sectors that they touch, or above the banks and
wavefronts of shared memory. What is used of them is filled in.

`scripts/example_pictures.py` makes this page, and a test compares it with what the programs do.
"""


def run(wideload, programs, command):
    """The page's text."""
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "page.html")
        program, *rest = command.split()
        # One thread, so that atomics come in one order.
        done = subprocess.run([wideload, "prof", "--page", page, os.path.join(programs, program), *rest], text=True,
                              capture_output=True, env={**os.environ, "WIDELOAD_THREADS": "1"}, check=False)
        if done.returncode:
            sys.exit(f"example_pictures: {command}: {done.stdout}{done.stderr}")
        with open(page, encoding="utf-8") as file:
            return file.read()


def plain(markup):
    return html.unescape(re.sub(r"<[^>]*>", "", markup)).strip()


def top(page):
    """The first kernel's name, verdict, code, sentence, and the files of its picture."""
    section = page[page.index("<section"):page.index("</section>")]
    found = re.search(r'<h2[^>]*>(.*?)</h2>.*?<div class="verdict[^"]*">\s*<p>(.*?)</p>\s*<pre>(.*?)</pre>.*?'
                      r'(<svg.*?</svg>)', section, re.DOTALL)
    kernel, verdict, code, picture = found.groups()
    sentence = html.unescape(re.search(r'aria-label="([^"]*)"', picture)[1])
    style = "".join(line + "\n" for line in re.search(r"<style>(.*?)</style>", page, re.DOTALL)[1].splitlines()
                    if ".wlp" in line)
    return plain(kernel), plain(verdict), plain(code), sentence, themed(style, picture)


def make(wideload, programs):
    """The files' texts by their paths in docs/."""
    texts = {}
    parts = [HEAD]
    for command, about in PROGRAMS:
        kernel, verdict, code, sentence, pictures = top(run(wideload, programs, command))
        name = f"charts/example-{command.split()[0]}"
        texts[name + ".svg"], texts[name + "-dark.svg"] = pictures
        parts.append(f"## {command}\n{about} In `{kernel}`: {verdict[0].lower() + verdict[1:]}\n```c\n{code}\n```\n"
                     f'<picture>\n  <source media="(prefers-color-scheme: dark)" srcset="{name}-dark.svg">\n'
                     f'  <img alt="{sentence}" src="{name}.svg">\n</picture>\n\n{sentence}\n')
    texts["pictures.md"] = "\n".join(parts)
    return texts


def main():
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser = argparse.ArgumentParser(description="Makes docs/pictures.md.")
    parser.add_argument("--wideload", required=True, help="the program, build/wideload")
    parser.add_argument("--programs", required=True, help="the folder with the examples, build/tests/examples")
    parser.add_argument("--docs", default=os.path.join(root, "docs"))
    parser.add_argument("--check", action="store_true", help="exit 1 when a file is stale")
    arguments = parser.parse_args()
    stale = put(make(arguments.wideload, arguments.programs), arguments.docs, arguments.check)
    if stale and arguments.check:
        sys.exit(f"example_pictures: {', '.join(stale)}: stale; run scripts/example_pictures.py --wideload build/wideload "
                 "--programs build/tests/examples")


if __name__ == "__main__":
    main()
