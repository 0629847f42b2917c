#!/usr/bin/env python3
"""`make`, then `make install`: everything that the install rules take from the build folder must be built by `make`'s
target.

usage: built.py NINJA BUILD-DIRECTORY SOURCE-DIRECTORY
"""
import os
import re
import subprocess
import sys


def main():
    ninja, build, source = sys.argv[1:]

    def ask(*tool):
        done = subprocess.run([ninja, "-C", build, "-t", *tool], capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    with open(os.path.join(source, "Makefile"), encoding="utf-8") as file:
        rule = re.search(r"^all:.*\n\t.*--target (\S+)", file.read(), re.MULTILINE)
    assert rule, "the Makefile's `all` names no target"
    # Every file that these commands make or use.
    makes = {os.path.join(build, word) for command in ask("commands", rule[1]) for word in command.split()}
    steps = {os.path.join(build, line.rsplit(":", 1)[0]) for line in ask("targets", "all")}

    taken = set()
    for folder, _, names in os.walk(build):
        if "cmake_install.cmake" in names:
            with open(os.path.join(folder, "cmake_install.cmake"), encoding="utf-8") as file:
                taken |= set(re.findall(rf'"({re.escape(build)}/[^"]+)"', file.read()))
    taken &= steps
    assert any(path.endswith("/wideload") for path in taken), f"no program is installed: {sorted(taken)}"
    missing = sorted(taken - makes)
    if missing:
        sys.exit(f"`make` builds the target {rule[1]}, which leaves out: " + ", ".join(missing))
    print(f"{len(taken)} files are built by {rule[1]} and installed")


if __name__ == "__main__":
    main()
