"""Counts the memory accesses of the kernels that a block of Python launches, without a GPU."""
from __future__ import annotations

import csv
import json
import os
import subprocess
import tempfile
from typing import Any

from . import _html, _parts
from ._simulator import records


class ProfileError(RuntimeError):
    """The report of a profile could not be made."""


def _value(name: str, text: str) -> Any:
    """A field of the report's CSV: a number, text, or None where it is undefined."""
    if name == "uncertain":
        return text.split()
    if name == "faulted":
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text or None


class Report:
    """What kernels did: the launches of a profile, or of a program.

    Attributes
    ----------
    rows : list of dict
        one per kernel: ``launches``, ``kernel``, ``grid``, ``block``, ``gld_efficiency``, ... by nvprof's names, and
        ``uncertain``, the names of those that a GPU may count otherwise
    launches : list of dict
        one per launch, in order, with its ``metrics`` and the accesses of its source ``lines``
    findings : list of dict
        bugs, if checks were asked for
    text : str
        the report as ``wideload prof --lines`` prints it
    page : str
        the HTML page of ``wideload prof --page``, with a picture of each line's requests; "" while there is none
    """

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self.launches: list[dict[str, Any]] = []
        self.findings: list[dict[str, Any]] = []
        self.text = ""
        self.page = ""
        self._sources: dict[str, str] = {}

    def _read(self, folder: str) -> None:
        with open(os.path.join(folder, "rows.csv"), encoding="utf-8", newline="") as file:
            self.rows = [{name: _value(name, text) for name, text in row.items()} for row in csv.DictReader(file)]
        with open(os.path.join(folder, "report.json"), encoding="utf-8") as file:
            document = json.load(file)
        self.launches, self.findings = document["launches"], document.get("findings", [])
        with open(os.path.join(folder, "report.txt"), encoding="utf-8", errors="replace") as file:
            self.text = file.read()
        with open(os.path.join(folder, "page.html"), encoding="utf-8") as file:
            self.page = file.read()

    @staticmethod
    def _outputs(folder: str) -> list[str]:
        """Options of ``wideload prof`` for the files that _read() takes."""
        return ["--lines", "--output", os.path.join(folder, "report.txt"), "--csv", os.path.join(folder, "rows.csv"),
                "--json", os.path.join(folder, "report.json"), "--page", os.path.join(folder, "page.html")]

    def frame(self) -> Any:
        """The rows as a pandas DataFrame.  Raises ImportError without pandas."""
        import pandas

        return pandas.DataFrame(self.rows)

    def __str__(self) -> str:
        return self.text

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Terminals of IPython show the text."""
        printer.text(repr(self) if cycle or not self.text else self.text)

    def _repr_html_(self) -> str:
        return _html.report(self.rows, self.launches, self.findings, self._sources, self.text, self.page)


class profile(Report):
    """Profiles the kernels that its block launches, on the simulator.

        import wideload
        with wideload.profile() as p:
            kernel[grid, block](x, y)       # of Numba, CuPy, or of C behind ctypes
        print(p)                            # the table; a notebook shows it as HTML
        p.rows[0]["gld_efficiency"]
        p.frame()                           # with pandas

    It calls ``wideload.simulator(arch, check)``; what that says of CUDA libraries that are open already holds here.
    Blocks may be nested and used again; kernels of other threads count, too.  Where the block raises, the launches up to
    there are reported.
    """

    def __init__(self, arch: str | None = None, check: str | None = None) -> None:
        super().__init__()
        self._path = records(arch, check)
        self._first = 0

    def _count(self) -> int:
        """Launches recorded so far: each is a line of its own."""
        with open(self._path, "rb") as file:
            return sum(line.startswith(b'{"launch"') for line in file)

    def __enter__(self) -> "profile":
        self._first = self._count()
        return self

    def __exit__(self, *_: object) -> None:
        count = self._count() - self._first
        if not count:
            Report.__init__(self)
            self.text = "no kernel ran in this block\n"
            return
        with tempfile.TemporaryDirectory(prefix="wideload-") as folder:
            command = [_parts.PROGRAM, "prof", *self._outputs(folder), "--read", self._path,
                       "--launch-skip", str(self._first), "--launch-count", str(count)]
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
            # Status 1 with a report: the checks found something, which is in it.
            if not os.path.exists(os.path.join(folder, "report.json")):
                raise ProfileError(done.stderr.strip())
            self._read(folder)
