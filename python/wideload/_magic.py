"""The notebook extension: ``%load_ext wideload``, then ``%%cuda`` compiles a cell and runs it without a GPU."""
from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics, cell_magic, line_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring
from IPython.display import display

from . import _parts
from ._profile import Report


def find_nvcc() -> str:
    """The compiler: of PATH, of CUDA_HOME, of /usr/local/cuda, or of the wheel nvidia-cuda-nvcc."""
    places = [os.path.join(os.environ[name], "bin") for name in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(name)]
    places += ["/usr/local/cuda/bin"]
    places += [os.path.join(path, "nvidia", folder, "bin") for path in sys.path for folder in ("cu13", "cuda_nvcc")]
    found = shutil.which("nvcc") or shutil.which("nvcc", path=os.pathsep.join(places))
    if not found:
        raise UsageError("%%cuda: there is no nvcc in PATH, CUDA_HOME or /usr/local/cuda; install CUDA's compiler")
    return found


def _libraries(nvcc: str) -> list[str]:
    """Options for CUDA's runtime: nvcc does not look where its wheels have it."""
    root = os.path.dirname(os.path.dirname(os.path.realpath(nvcc)))
    folders = [os.path.join(root, name) for name in ("lib64", "lib")]
    return [f"-L{folder}" for folder in folders if os.path.isdir(folder)]


def _unquoted(words: list[str]) -> list[str]:
    """Words of the notebook's line, which keep the quotes around them, without these."""
    return [part for word in words for part in shlex.split(word)]


@magics_class
class Wideload(Magics):
    """``%%cuda`` and ``%wideload``."""

    @magic_arguments()
    @argument("--check", help="also look for bugs: memory,race,init,sync,leak")
    @argument("--arch", help="the counting rules: sm_90, fermi, ...; see `%%wideload devices`")
    @argument("--nvcc", default="", help="further options of nvcc, in quotes: '-O1 -std=c++20'")
    @argument("--name", default="p", help="the variable that gets the report (default: p)")
    @argument("--quiet", action="store_true", help="do not show the report")
    @argument("arguments", nargs="*", help="the program's arguments")
    @cell_magic
    def cuda(self, line: str, cell: str) -> None:
        """Compiles the cell as a CUDA program, runs it without a GPU, and shows what its kernels did to memory."""
        options = parse_argstring(self.cuda, line)
        nvcc = find_nvcc()
        cell = "\n" + cell  # its first line is the notebook's second
        with tempfile.TemporaryDirectory(prefix="wideload-") as folder:
            source, program = os.path.join(folder, "cell.cu"), os.path.join(folder, "cell")
            with open(source, "w", encoding="utf-8") as file:
                file.write(cell)
            command = [nvcc, "-O3", "-lineinfo", "-gencode=arch=compute_90,code=compute_90", *_libraries(nvcc),
                       *_unquoted(_unquoted([options.nvcc])),
                       "-o", program, "cell.cu"]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
            if done.stderr or done.stdout:
                print((done.stdout + done.stderr).rstrip(), file=sys.stderr)
            if done.returncode:
                raise UsageError(f"%%cuda: nvcc failed (status {done.returncode})")
            report = self._run(folder, program, options)
            report._sources = {source: cell}
        self.shell.user_ns[options.name] = report
        if not options.quiet:
            display(report)

    @staticmethod
    def _run(folder: str, program: str, options: Any) -> Report:
        report = Report()
        command = [_parts.PROGRAM, "prof", *report._outputs(folder)]
        for name in ("check", "arch"):
            value = getattr(options, name)
            command += [f"--{name}", value] if value else []
        done = subprocess.run([*command, program, *_unquoted(options.arguments)], capture_output=True, text=True,
                              errors="replace", check=False)
        sys.stdout.write(done.stdout)
        sys.stderr.write(done.stderr)
        if not os.path.exists(os.path.join(folder, "report.json")):
            raise UsageError(f"%%cuda: {done.stderr.strip() or 'wideload prof failed'}")
        report._read(folder)
        if done.returncode and not report.findings:
            print(f"the program's exit status is {done.returncode}", file=sys.stderr)
        return report

    @line_magic
    def wideload(self, line: str) -> None:
        """Runs the command line: ``%wideload bench transpose --device sim``."""
        done = subprocess.run([_parts.PROGRAM, *shlex.split(line)], capture_output=True, text=True, errors="replace",
                              check=False)
        sys.stdout.write(done.stdout)
        sys.stderr.write(done.stderr)
        if done.returncode:
            raise UsageError(f"%wideload: exit status {done.returncode}")
