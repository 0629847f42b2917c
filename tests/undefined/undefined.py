#!/usr/bin/env python3
"""What becomes of what CUDA leaves undefined: on hardware, and on the simulator.

usage: undefined.py record PROGRAM [CASE...]          each case on this machine's GPU, a line each
       undefined.py compare WIDELOAD PROGRAM FOLDER   the simulator's outcomes against FOLDER's h200.txt

A line is a case's name, " | " and its outcome: "ok" and what the kernel wrote, the error's name, or "hangs".
FOLDER's differences.txt has each outcome of the simulator that is another one, and why: a difference that is not there fails,
and so does one that is there and no longer differs.
"""
import concurrent.futures
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from sanitized import sanitized  # pylint: disable=wrong-import-position

SECONDS = 5  # limit for a kernel that hangs on a GPU
PATIENCE = 8  # on the simulator, where only one loops forever
# Errors that plain mode tolerates with a note, and that a check reports as a finding.
CHECKED = {
    "shuffle_two_places a=16 b=3": "sync",
    "shuffle_trips a=2 b=5": "sync",
    "shuffle_rows a=20 b=70": "sync",
    "ballot_trips a=2 b=5": "sync",
    "dynamic_load_4 <1,1> shared=100 a=124": "memory",
    "dynamic_vector shared=100 a=96": "memory",
    "static_load a=127": "memory",
    "static_store a=-1": "memory",
    "local_load a=16": "memory",
    "local_load a=-1": "memory",
    "parameter_load a=32": "memory",
    "constant_load a=1048576": "memory",
    "global_load_4 <1,1> pinned=1000 a=65536": "memory",
}


def outcome(command, environment, seconds):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=seconds,
                              env=environment, check=False)
    except subprocess.TimeoutExpired:
        return "hangs"
    # A deadlock, or the command's own limit.
    if done.returncode == 124 or done.stdout.strip() == "cudaErrorLaunchTimeout":
        return "hangs"
    if done.returncode:
        return f"status {done.returncode} {done.stderr.strip()}"
    return " / ".join(done.stdout.strip().split("\n"))


def outcomes(prefix, program, names, jobs, environment=None, seconds=None):
    def one(name):
        return name, outcome([*prefix, program, name], environment, seconds)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return dict(pool.map(one, names))


def listed(*command):
    names = subprocess.run([*command, "list"], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    return list(dict.fromkeys(names))


def record(program, *names):
    found = outcomes([], program, list(names) or listed(program), 12, seconds=SECONDS)
    # Kernels that hang prevent others from using the GPU, so that these seem to hang too.
    again = [name for name, what in found.items() if what == "hangs"]
    found.update(outcomes([], program, again, 3, seconds=SECONDS))
    for name, what in found.items():
        print(f"{name} | {what}")
    return 0


def table(path):
    with open(path, encoding="utf-8") as lines:
        return [line.rstrip("\n").split(" | ") for line in lines if not line.startswith("#")]


def compare(wideload, program, folder):
    # A sanitizer's library must be loaded first, and complains otherwise.
    environment = sanitized({**os.environ, "WIDELOAD_THREADS": "1"})
    hardware = {name: what for name, what in table(os.path.join(folder, "h200.txt"))}
    known = {name: what for name, what, _ in table(os.path.join(folder, "differences.txt"))}
    prof = [wideload, "prof", "--output", os.devnull, f"--timeout={PATIENCE}"]
    # Without CUDA's libraries only prof can load the program.
    names = listed(*prof, program)
    wrong = 0

    def tell(text):
        nonlocal wrong
        wrong += 1
        print(text)
    for name in sorted(set(names) ^ set(hardware)):
        tell(f"{name}: not both in the program and in h200.txt")
    jobs = os.cpu_count() or 1
    found = outcomes(prof, program, names, jobs, environment)
    for name, what in found.items():
        if what != known.get(name, hardware.get(name)):
            tell(f"{name}: {what}\n    hardware: {hardware.get(name)}\n    known: {known.get(name)}")
        elif name in known and what == hardware.get(name):
            tell(f"{name} no longer differs")
    for name in set(known) - set(names):
        tell(f"{name} is in differences.txt alone")
    for name, check in CHECKED.items():
        plain = subprocess.run([wideload, "prof", program, name], capture_output=True, text=True, env=environment,
                               check=False)
        if plain.returncode or "note: " not in plain.stderr:
            tell(f"{name}: the plain report has no note: status {plain.returncode}\n{plain.stderr}")
        checked = subprocess.run([wideload, "prof", f"--check={check}", program, name], capture_output=True, text=True,
                                 env=environment, check=False)
        said = {"memory": "out of bounds", "sync": "deadlock"}[check]
        if checked.returncode != 1 or said not in checked.stderr:
            tell(f"{name}: --check {check} does not find it: status {checked.returncode}\n{checked.stderr}")
    print(f"{len(names)} cases, {len(known)} of them not as on hardware, {wrong} wrong")
    return 1 if wrong or not names else 0


if __name__ == "__main__":
    commands = {"record": record, "compare": compare}
    if len(sys.argv) < 3 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    sys.exit(commands[sys.argv[1]](*sys.argv[2:]))
