#!/usr/bin/env python3
"""test_choices.py PROGRAM LIBRARIES FOLDER

Compares the simulator's choice from each fat binary in choices.txt with that table, through cuModuleLoadData and
through the runtime, for each device of the table.
"""
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from sanitized import sanitized  # noqa: E402

DEVICES = ["sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"]
NONE = "error 209"  # CUDA_ERROR_NO_BINARY_FOR_GPU, cudaErrorNoKernelImageForDevice


def run(command, libraries, device):
    environment = sanitized(dict(os.environ, LD_LIBRARY_PATH=f"{libraries}/wideload", WIDELOAD_ARCH=device))
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


def main():
    program, libraries, folder = sys.argv[1:]
    files, programs = {}, {}
    for line in (HERE / "choices.txt").read_text().splitlines():
        if line.startswith("#"):
            continue
        name, _, *rest = line.split()
        expected, options = rest[: len(DEVICES)], rest[len(DEVICES) :]
        (programs if "-rdc=true" in options else files)[name] = [NONE if e == "none" else e for e in expected]
    assert len(files) > 60
    wrong = 0
    for column, device in enumerate(DEVICES):
        taken = run([program] + [f"{folder}/{name}.fatbin" for name in files], libraries, device)
        got = dict(line.split(" ", 1) for line in taken.splitlines())
        wanted = {name: f"{expected[column]} {expected[column]}" for name, expected in files.items()}
        for name, expected in programs.items():
            if os.path.exists(f"{folder}/{name}"):
                wanted[name] = expected[column]
                got[name] = run([f"{folder}/{name}"], libraries, device).strip()
        for name, expected in wanted.items():
            if got.get(name) != expected:
                print(f"{name} as {device}: {got.get(name)}, expected {expected}")
                wrong += 1
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
