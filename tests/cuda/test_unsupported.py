#!/usr/bin/env python3
"""test_unsupported.py DOCUMENT ENTRIES.c... -- OBJECT...

docs/driver.md must list exactly the functions of cuda.h and cuda_runtime_api.h that the simulator does not define
itself: those that the generated stubs call unsupported and that no object file defines.
"""
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SIM = HERE.parent.parent / "sim"


def names(path):
    lines = (line.split() for line in path.read_text().splitlines())
    return {words[0] for words in lines if words and not words[0].startswith("#")}


def newer():
    """The functions newer than CUDA 13.0: a separate section in the runtime's list."""
    runtime = (SIM / "cudart/names.txt").read_text()
    section = runtime[runtime.index("# of CUDA 13.1 to 13.5") : runtime.index("# that differ")]
    return names(SIM / "cuda/newer.txt") | {line for line in section.splitlines() if line and line[0] != "#"}


def main():
    document, *rest = sys.argv[1:]
    entries, objects = rest[: rest.index("--")], rest[rest.index("--") + 1 :]
    stand_ins = set()
    for path in entries:
        stand_ins |= set(re.findall(r'return (?:entry|runtime)_unsupported\("(\w+)"\)', Path(path).read_text()))
    symbols = subprocess.run(["nm", "--defined-only"] + objects, capture_output=True, text=True, check=True).stdout
    # The runtime's own are named rt_cuda..., and its exports jump to them.
    defined = set(re.findall(r" T (?:rt_(?=cuda)|(?!cuda))(cu\w+)", symbols))
    missing = {name for name in stand_ins - defined - newer() if not name.startswith("__")}
    listed = set(re.findall(r"`(cu\w+)`", "".join(line.rsplit("|", 2)[1] for line in Path(document).read_text().splitlines()
                                                  if line.startswith("| "))))
    assert len(stand_ins) > 150 and len(defined) > 500
    for name in sorted(missing - listed):
        print(f"{name} is not supported, and {document} does not say so")
    for name in sorted(listed - missing):
        print(f"{document} lists {name}, which is there")
    return missing != listed


if __name__ == "__main__":
    sys.exit(main())
