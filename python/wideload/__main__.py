"""The command line: `wideload`, or `python -m wideload`."""
from __future__ import annotations

import os
import sys

from ._parts import PROGRAM


def main() -> None:
    """Becomes the program, which gets this process's arguments, files and signals."""
    try:
        os.execv(PROGRAM, ["wideload", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"wideload: {PROGRAM}: {error.strerror}; install the package again")


if __name__ == "__main__":
    main()
