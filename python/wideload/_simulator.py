"""Puts the simulator in CUDA's place, in the running process.

The simulator is a CUDA driver.  Once it is loaded under the name ``libcuda.so.1``, whatever asks for CUDA gets it: Numba,
CuPy, or a module with kernels of its own.
"""
from __future__ import annotations

import atexit
import ctypes
import os
import subprocess
import tempfile

from . import _parts

# The file of this process's records; None: the simulator does not record here.
_records: str | None = None
# What it was opened with; None: by `wideload prof`.
_settings: tuple[str | None, str | None] | None = None


def _open_drivers() -> list[str]:
    """The CUDA drivers that this process has loaded."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        paths = {line.split(maxsplit=5)[5].strip() for line in maps if line.count("/")}
    names = ("libcuda.so", "libwideload-sim.so")
    return sorted(path for path in paths if os.path.basename(path).startswith(names))


def _environment(arch: str | None, check: str | None) -> dict[str, str]:
    """What ``wideload prof`` sets for a program: its compilers, the libraries' folder, rules and checks."""
    options = ["--output", os.devnull, "--page", os.devnull]  # of each profile there is a page
    options += ["--arch", arch] if arch else []
    # A check that nothing ran under is a failure (status 1), and a wrong name a usage error (status 2).
    options += ["--check", check] if check else []
    done = subprocess.run([_parts.PROGRAM, "prof", *options, "env", "-0"], capture_output=True, check=False)
    if done.returncode not in (0, 1) or not done.stdout:
        raise ValueError(done.stderr.decode(errors="replace").strip() or "wideload prof failed")
    pairs = (os.fsdecode(pair).partition("=") for pair in done.stdout.split(b"\0") if pair)
    wanted = {name: value for name, _, value in pairs}
    return {name: value for name, value in wanted.items() if os.environ.get(name) != value}


def _remove(path: str, owner: int) -> None:
    """Removes the records at exit, but not at that of a forked child."""
    if os.getpid() == owner:
        os.unlink(path)


def records(arch: str | None = None, check: str | None = None) -> str:
    """The path of this process's records, after simulator(arch, check) if need be."""
    simulator(arch, check)
    assert _records
    return _records


def simulator(arch: str | None = None, check: str | None = None) -> None:
    """Makes the simulator this process's CUDA driver, and that of the processes which it starts.

    Call it before anything opens CUDA: import Numba, CuPy or torch afterwards, or at least use no GPU before.  Under
    ``wideload prof python ...`` it is so from the beginning, and the call does nothing.

    arch
        the counting rules, as ``wideload devices`` lists them: ``"sm_90"`` (the default), ``"fermi"``, ...
    check
        checks to run, apart by commas: ``"memory,race,init,sync,leak"``

    Raises RuntimeError if a CUDA driver is open already, ValueError for unknown rules or checks.  A second call with
    other arguments is a RuntimeError, too.
    """
    global _records, _settings
    if not _records and os.environ.get("WIDELOAD_PROF_OUT"):
        _records, _settings = os.environ["WIDELOAD_PROF_OUT"], None
    if _records:
        if (arch or check) and not _settings:
            raise RuntimeError("this process runs under `wideload prof`: give it --arch and --check")
        if (arch or check) and (arch, check) != _settings:
            raise RuntimeError(f"the simulator is open with arch={_settings[0]!r}, check={_settings[1]!r}: "
                               "they cannot change in a process")
        return
    if drivers := _open_drivers():
        raise RuntimeError(f"CUDA is open already ({drivers[0]}): call wideload.simulator() before anything uses it, or "
                           "run `wideload prof python ...`")
    wanted = _environment(arch, check)
    handle, path = tempfile.mkstemp(prefix="wideload-prof-")
    os.close(handle)
    atexit.register(_remove, path, os.getpid())
    os.environ.update(wanted)
    os.environ["WIDELOAD_PROF_OUT"] = path
    # A library that is open under a name is what dlopen() gives for that name.  The runtime comes after the driver, as it
    # asks whether that is the simulator.
    for name in ("wideload/libcuda.so.1", "libwideload-cudart.so", "wideload/libcudart.so.12", "wideload/libcudart.so.13"):
        ctypes.CDLL(os.path.join(_parts.LIBRARIES, name), mode=ctypes.RTLD_GLOBAL)
    _records, _settings = path, (arch, check)
