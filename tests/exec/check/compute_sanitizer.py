#!/usr/bin/env python3
"""Makes compute_sanitizer.csv of what compute_sanitizer.sh wrote on a GPU.

usage: compute_sanitizer.py RAW.TXT FOLDER >compute_sanitizer.csv; FOLDER holds the bugs_*.cuh that were compiled.

A row a planted bug: the tool, what it found first ("nothing" where it found nothing, "hangs" where it had to be
killed), and where, as lines below the bug's heading, so that a bug's rows stay right when those before it grow."""
import glob
import os
import re
import sys

KINDS = [
    (r"Invalid __\w+__ \w+ of size.*?\n.*\n.*\n=+ +(Address|Access).*misaligned", "misaligned"),
    (r"Invalid __\w+__ \w+ of size", "out-of-bounds"),
    (r"(Error|Warning): Race reported between", "race"),
    (r"Uninitialized __\w+__ memory read", "uninitialized"),
    (r"Uninitialized access", "uninitialized"),
    (r"Divergent thread\(s\) in warp", "divergent-warp"),
    (r"Divergent thread\(s\) in block", "divergent-block"),
    (r"Invalid arguments", "invalid-arguments"),
    (r"API call to cudaFree", "invalid-free"),
    (r"Leaked \d+ bytes", "leak"),
]


def headings(folder):
    """(file, line) of each bug's heading."""
    found = {}
    for path in glob.glob(os.path.join(folder, "bugs_*.cuh")):
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                heading = re.match(r"CASE (\w+)\(", line)
                if heading:
                    found[heading.group(1)] = os.path.basename(path), number
    return found


def places(text, file, heading):
    """The lines of this bug's first finding, relative to its heading: one, or two for a race."""
    report = text.split("========= \n", 1)[0]
    sides = report.split("\n=========     and ") if "Race reported" in report else [report]
    found = []
    for side in sides:
        place = re.search(r"in " + re.escape(file) + r":(\d+)", side)
        found.append(str(int(place.group(1)) - heading) if place else "")
    return (found + [""])[:2]


def main(raw, folder):
    known = headings(folder)
    with open(raw, encoding="utf-8") as file:
        text = file.read()
    print("bug,tool,kind,at,other")
    for tool, bug, body in re.findall(r"^### (\w+) bug (\w+)\n(.*?^### exit \d+)$", text, re.M | re.S):
        kind = "hangs" if body.endswith("exit 137") else "nothing"
        at, other = "", ""
        matches = [(found.start(), name) for pattern, name in KINDS for found in [re.search(pattern, body)] if found]
        if matches:
            start, kind = min(matches, key=lambda match: match[0])
            if bug in known:
                at, other = places(body[start:], *known[bug])
        print(",".join((bug, tool, kind, at, other)))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
