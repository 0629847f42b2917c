"""Where the package's parts are: in native/ beside this file, as in a build's folder."""
from __future__ import annotations

import os

_NATIVE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "native")

PROGRAM = os.path.join(_NATIVE, "wideload")
LIBRARIES = os.path.join(_NATIVE, "lib")
