#!/usr/bin/env python3
"""Makes the notebooks of docs/notebooks from the lessons of docs/experiments and the programs of examples/.

  scripts/lesson_notebooks.py            writes them
  scripts/lesson_notebooks.py --check    fails if one is not what the lessons would give

A lesson's commands on the simulator become cells that run; those for a GPU stay text.  Tables of results are left out, as
the cells show them.  Lessons with a textbook's program get it as a %%cuda cell.
"""
import argparse
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LESSONS, NOTEBOOKS, EXAMPLES = ROOT / "docs/experiments", ROOT / "docs/notebooks", ROOT / "examples"

# A lesson's program, its arguments, and what to look at.
PROGRAMS = {
    "add": ("sumArrays", "", "How many requests does the vectorised kernel make?"),
    "csr-transpose": ("sparseTranspose", "", "Which line's accesses are scattered?"),
    "layout": ("simpleMathAoS", "", "Every second word: what share of each sector is wanted?"),
    "matmul": ("matmulShared", "", "Which loads leave shared memory?"),
    "read-offset": ("readSegment", "11", "Change the offset to 0, 8 and 11: how many sectors does a request touch?"),
    "shared": ("transposeShared", "1024 1024", "The column's passes, without the word of padding and with it."),
    "transpose": ("transpose", "2", "Try 2 (by rows) and 3 (by columns): which side is strided?"),
    "write-offset": ("writeSegment", "11", "Change the offset to 0, 8 and 11: what do the stores touch?"),
}


def markdown(text):
    return {"cell_type": "markdown", "metadata": {}, "source": text.strip("\n").splitlines(keepends=True)}


def code(text):
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [],
            "source": text.strip("\n").splitlines(keepends=True)}


def commands(block):
    """Cells of a lesson's shell commands: comments become text, and so do commands for a GPU."""
    cells, comment = [], ""
    for line in block.strip().splitlines():
        if line.startswith("#"):
            comment += line.lstrip("# ") + " "
            continue
        command = line.replace("build/wideload", "wideload", 1)
        if "--device gpu" in command:
            cells.append(markdown(f"{comment}\n\nOn a GPU: `{command}`".strip()))
        else:
            if comment:
                cells.append(markdown(comment))
            cells.append(code("%" + command))
        comment = ""
    return cells


def program(name):
    """The cells of a lesson's textbook program."""
    file, given, question = PROGRAMS[name]
    text = (EXAMPLES / f"{file}.cu").read_text()
    check = (EXAMPLES / "check.h").read_text().split("#define EXAMPLES_CHECK_H\n")[1].rsplit("#endif")[0]
    text = text.replace('#include "check.h"\n', check)
    text = re.sub(r"^// nvcc .*\n(//.*\n)*", "", text, flags=re.M)  # how to compile it
    return [markdown(f"## The textbooks' program\n{question} Change it and run it again: the line that wastes most is "
                     f"marked. (It needs `nvcc`, and no GPU. From [examples/{file}.cu](../../examples/{file}.cu).)"),
            code(f"%%cuda {given}".strip() + "\n" + text)]


def section(title, text):
    """The cells of a section: its text, with its shell blocks as cells."""
    cells, rest = [], f"## {title}\n" + re.sub(r"<!-- bench:.*?<!-- /bench:\S+ -->\n*", "", text, flags=re.S)
    for part in re.split(r"(```sh\n.*?```)", rest, flags=re.S):
        if part.startswith("```sh"):
            cells += commands(part[len("```sh"):-len("```")])
        elif part.strip():
            cells.append(markdown(part))
    return cells


def notebook(path):
    text = re.sub(r"^English \| .*\n", "", path.read_text(), flags=re.M)
    text = re.sub(r"\]\((?!http|\.\./)([^)]+)\)", r"](../experiments/\1)", text)
    head, *sections = re.split(r"^## ", text, flags=re.M)
    cells = [markdown(head), code("%load_ext wideload")]
    for each in sections:
        title, body = each.split("\n", 1)
        if title == "On an H200":
            cells.append(markdown(f"## On an H200\n[The lesson](../experiments/{path.name}) has the times."))
            continue
        if title == "Why" and path.stem in PROGRAMS:
            cells += program(path.stem)
        cells += section(title, body)
    for i, cell in enumerate(cells):
        cell["id"] = f"{path.stem}-{i}"
    return {"cells": cells, "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python",
                                                        "name": "python3"}}, "nbformat": 4, "nbformat_minor": 5}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail where a notebook would change")
    arguments = parser.parse_args()
    wanted = {f"{path.stem}.ipynb": json.dumps(notebook(path), indent=1, ensure_ascii=False) + "\n"
              for path in sorted(LESSONS.glob("*.md")) if path.stem != "README"}
    if arguments.check:
        there = {path.name: path.read_text() for path in NOTEBOOKS.glob("*.ipynb")}
        stale = sorted(name for name in wanted.keys() | there.keys() if wanted.get(name) != there.get(name))
        if stale:
            print("stale notebooks: " + ", ".join(stale) + "; run scripts/lesson_notebooks.py", file=sys.stderr)
        return bool(stale)
    NOTEBOOKS.mkdir(exist_ok=True)
    for name, text in wanted.items():
        (NOTEBOOKS / name).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
