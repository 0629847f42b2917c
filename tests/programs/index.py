#!/usr/bin/env python3
"""The list of programs in README.md, made from the first comment of each.  --write updates it, --check compares it."""
import os
import re
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
README = os.path.join(FOLDER, "README.md")
BEGIN, END = "<!-- programs -->\n", "<!-- /programs -->\n"


def heading(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        found = re.match(r"/\* (.*?) ?\*/", file.read(), re.DOTALL)
    assert found, f"{name} does not begin with a comment that says what it is"
    return " ".join(re.sub(r"\n \* ", " ", found.group(1)).split())


def table():
    names = sorted(n[:-3] for n in os.listdir(FOLDER) if n.endswith(".cu") and not n.endswith("_other.cu"))
    rows = "".join(f"| `{name}` | {heading(name + '.cu').replace('|', chr(92) + '|')} |\n" for name in names)
    return f"{len(names)} programs:\n\n| program | what it is |\n|---|---|\n{rows}"


def main():
    with open(README, encoding="utf-8") as file:
        text = file.read()
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    renewed = before + BEGIN + table() + END + after
    if sys.argv[1:] == ["--write"]:
        with open(README, "w", encoding="utf-8") as file:
            file.write(renewed)
    elif renewed != text:
        print("README.md does not list the programs as they are: tests/programs/index.py --write")
        return 1
    return 0


sys.exit(main())
