"""The command line: `wideload`, or `python -m wideload`."""
from __future__ import annotations

import os
import sys

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "native", "wideload")


def main() -> None:
    """Becomes the program, which gets this process's arguments, files and signals."""
    try:
        os.execv(PROGRAM, ["wideload", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"wideload: {PROGRAM}: {error.strerror}; install the package again")


if __name__ == "__main__":
    main()
