#!/usr/bin/env python3
"""Runs third-party clients of CUDA under `wideload prof`, and keeps docs/clients.md.

    scripts/clients.py run [CLIENT...]   runs them; docs/results/clients.json and docs/clients.md are rewritten
    scripts/clients.py                   rewrites docs/clients.md's tables from docs/results/clients.json
    scripts/clients.py --check           exits 1 when they are stale, and changes nothing

Each client gets a virtual environment of its own, with pinned versions, under --work.  A run needs the network, nvcc
in PATH for PyCUDA and CuPy, and an hour or two; what is in --work already is not run again, so an interrupted run goes
on where it was.  Each line of CAUSES says why tests fail that do: a failure that none of them knows is reported so.
"""
import argparse
import datetime
import difflib
import glob
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import xml.etree.ElementTree

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
RESULTS = os.path.join(ROOT, "docs", "results", "clients.json")
PAGE = os.path.join(ROOT, "docs", "clients.md")
TESTS = os.path.join(ROOT, "scripts", "clients")
CHUNK = 5  # test files of a suite that one process runs: a kernel's fault ends all that its process does after it

# What Numba's tests take from a file of its repository that the wheel lacks.
NUMBA_PLUGIN = '''import pytest


@pytest.fixture(scope="class")
def initialize_from_pytest_config(request):
    request.cls._dump_failed_filechecks = False
'''

CLIENTS = {
    # cuda-bindings 13.4 has no `reserved` of IPC handles, which numba-cuda pickles.
    "Numba": {
        "packages": ["numba-cuda[cu13]==0.30.4", "cuda-bindings==13.3.1", "numba==0.68.1", "pytest==9.2.0",
                     "pytest-xdist==3.8.0", "pytest-benchmark==5.3.1", "filecheck==1.0.6", "cffi==2.1.1",
                     "ml_dtypes==0.6.0", "psutil==7.2.2", "cloudpickle==3.1.2"],
        "suite": "its own tests, `numba.cuda.tests` of the wheel",
        "command": "python -m pytest --pyargs numba.cuda.tests"},
    "PyCUDA": {
        "packages": ["pycuda==2026.1", "numpy==2.4.6", "pytest==9.2.0"], "source": "pycuda==2026.1",
        "suite": "its own tests, of the source package, but five on arrays of 4 to 16 GB",
        "command": "python -m pytest test -k 'not gb and not big'"},
    "CuPy": {
        "packages": ["cupy-cuda13x==14.2.0", "cuda-python==13.4.4", "numpy==2.4.6", "pytest==9.2.0"],
        "suite": "`scripts/clients/test_cupy.py`", "command": "python -m pytest test_cupy.py"},
    "Triton": {
        "packages": ["triton==3.9.0", "cuda-python==13.4.4", "numpy==2.4.6", "pytest==9.2.0"],
        "suite": "`scripts/clients/test_triton.py`, without torch", "command": "python -m pytest test_triton.py"},
    "cuda-python": {
        "packages": ["cuda-python==13.4.4", "cuda-core==1.2.2", "nvidia-cuda-nvrtc==13.5.37",
                     "nvidia-nvjitlink==13.5.37", "numpy==2.4.6",
                     "pytest==9.2.0"],
        "suite": "`scripts/clients/test_bindings.py`", "command": "python -m pytest test_bindings.py"},
}

# Client, what the failure's name and text match, the cause in words.  "Ours": what the simulator lacks.
CAUSES = [
    ("Numba", r"test_cpu_and_cuda_(targets|reuse)|CUDAAndCPUCachingTest",
     "Numba's: numba 0.68 stamps a cached function with its source's hash, numba-cuda with its time and size"),
    ("Triton", r"PTX JIT compilation failed",
     "Ours: no `wgmma`, which Triton uses for large tiles on Hopper; with `--arch sm_86` they run"),
    ("CuPy", r"CUBLAS|CURAND|CUFFT|CuFFT|CUSOLVER|CUSPARSE",
     "NVIDIA's: cuBLAS, cuRAND, cuFFT, cuSOLVER and cuSPARSE hold machine code and a stripped runtime"),
    ("cuda-python", r"test_runtime",
     "NVIDIA's: `cuda.bindings.runtime` carries a stripped CUDA runtime; `cuda.bindings.driver` runs"),
    ("PyCUDA", r"test_recursive_launch|test_jit_link_module|dynamic parallelism",
     "Ours: no dynamic parallelism (kernels that launch kernels)"),
]


# ---------------------------------------------------------------- running


def say(text):
    print(text, file=sys.stderr, flush=True)


def call(command, **options):
    subprocess.run(command, check=True, **options)


def environment_of(work, client):
    """The client's virtual environment."""
    folder = os.path.join(work, client.lower())
    python = os.path.join(folder, "bin", "python")
    if not os.path.exists(os.path.join(folder, "ready")):
        say(f"{client}: installing {', '.join(CLIENTS[client]['packages'])}")
        call([sys.executable, "-m", "venv", folder])
        call([python, "-m", "pip", "install", "--quiet", *CLIENTS[client]["packages"]])
        with open(os.path.join(folder, "ready"), "w", encoding="utf-8"):
            pass
    return python


def numba_chunks(python, work):
    found = subprocess.run([python, "-c", "import numba_cuda; print(numba_cuda.__path__[0])"], check=True,
                           capture_output=True, text=True).stdout.strip()
    base = os.path.join(found, "numba", "cuda", "tests")
    files = sorted(os.path.relpath(path, base) for path in glob.glob(f"{base}/*/test_*.py"))
    plugin = os.path.join(work, "plugin")
    os.makedirs(plugin, exist_ok=True)
    with open(os.path.join(plugin, "wideload_numba.py"), "w", encoding="utf-8") as file:
        file.write(NUMBA_PLUGIN)
    options = ["--pyargs", "-o", "consider_namespace_packages=true", "-p", "wideload_numba", "-n", "1",
               "--benchmark-disable"]
    for i in range(0, len(files), CHUNK):
        names = ["numba.cuda.tests." + path[:-3].replace("/", ".") for path in files[i:i + CHUNK]]
        yield [*options, *names], {"PYTHONPATH": plugin}


def source_of(python, work, package):
    """The folder of a package's source, unpacked."""
    folder = os.path.join(work, "source")
    name = package.split("==", maxsplit=1)[0]
    if not glob.glob(f"{folder}/{name}-*.tar.gz"):
        call([python, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", name, "-d", folder, package])
    archive = glob.glob(f"{folder}/{name}-*.tar.gz")[0]
    if not os.path.isdir(archive[:-len(".tar.gz")]):
        with tarfile.open(archive) as file:
            file.extractall(folder, filter="data")
    return archive[:-len(".tar.gz")]


def chunks(client, python, work):
    if client == "Numba":
        yield from numba_chunks(python, work)
    elif "source" in CLIENTS[client]:
        for path in sorted(glob.glob(os.path.join(source_of(python, work, CLIENTS[client]["source"]), "test", "test_*"))):
            yield ["-k", "not gb and not big", path], {}
    else:
        yield [os.path.join(TESTS, CLIENTS[client]["command"].rsplit(" ", maxsplit=1)[1])], {}


def run(client, work, wideload):
    python = environment_of(work, client)
    out = os.path.join(work, "results", client.lower())
    os.makedirs(out, exist_ok=True)
    for number, (options, more) in enumerate(chunks(client, python, work)):
        base = os.path.join(out, f"{number:03}")
        if os.path.exists(f"{base}.xml"):
            continue
        say(f"{client}: {options[-1]}")
        with open(f"{base}.log", "w", encoding="utf-8") as log:
            subprocess.run([wideload, "prof", "--output", f"{base}.prof", "--", python, "-m", "pytest", "-q", "-p",
                            "no:cacheprovider", "-o", "junit_family=xunit1", "--junitxml", f"{base}.part", *options], stdout=log, cwd=out,
                           stderr=subprocess.STDOUT, check=False, env={**os.environ, **more})
        if not os.path.exists(f"{base}.part"):
            sys.exit(f"{sys.argv[0]}: {client}: {base}.log says why no result was written")
        os.replace(f"{base}.part", f"{base}.xml")
    versions = json.loads(subprocess.run([python, "-m", "pip", "list", "--format", "json"], check=True,
                                         capture_output=True, text=True).stdout)
    return summary(client, sorted(glob.glob(f"{out}/*.xml")), {each["name"]: each["version"] for each in versions})


def outcome(case):
    """passed, failed or skipped, and the text's first line that says why."""
    for part in case:
        kind = {"failure": "failed", "error": "failed", "skipped": "skipped"}.get(part.tag)
        if kind:
            lines = (part.get("message") or "").strip().splitlines()
            return kind, " ".join(lines)[:300]
    return "passed", ""


def summary(client, files, versions):
    """The client's entry of the JSON.  A test with subtests is one test, which fails once."""
    tests = {}
    for path in files:
        for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
            name = f"{case.get('classname').lstrip('.')}::{case.get('name')}"
            name = re.sub(r"^[\w.]*/?", "", name) if "/" in name else name
            kind, text = outcome(case)
            key = (path, case.get("file"), name)
            if key not in tests or kind == "failed":
                tests[key] = (kind, text)
    counts = {kind: sum(1 for each in tests.values() if each[0] == kind) for kind in ("passed", "failed", "skipped")}
    named = [package.split("==", maxsplit=1)[0].split("[", maxsplit=1)[0] for package in CLIENTS[client]["packages"]]
    return {"name": client, "versions": {name: versions[name] for name in named if name in versions}, **counts,
            "failures": sorted(({"test": name, "text": text} for (*_, name), (kind, text) in tests.items()
                                if kind == "failed"), key=lambda each: each["test"]),
            "skips": count(text for kind, text in tests.values() if kind == "skipped")}


def count(texts):
    counted = {}
    for text in texts:
        counted[text] = counted.get(text, 0) + 1
    return dict(sorted(counted.items()))


# ---------------------------------------------------------------- the page


def cause(client, failure):
    for name, pattern, words in CAUSES:
        if name == client and re.search(pattern, f"{failure['test']} {failure['text']}"):
            return words
    return "Not explained yet"


def causes(client):
    """Cause -> the names of the tests that fail for it."""
    found = {}
    for failure in client["failures"]:
        found.setdefault(cause(client["name"], failure), []).append(failure["test"])
    return dict(sorted(found.items()))


def cell(text):
    return text.replace("|", "\\|").replace("\n", " ")


def table(results):
    lines = ["| client | what is run | passed | failed | skipped |", "|---|---|---:|---:|---:|"]
    for client in results["clients"]:
        name = next(iter(client["versions"].items()))
        lines.append(f"| {client['name']} ({name[0]} {name[1]}) | {CLIENTS[client['name']]['suite']}: "
                     f"`wideload prof {CLIENTS[client['name']]['command']}` | {client['passed']} | {client['failed']} | "
                     f"{client['skipped']} |")
    return "\n".join(lines) + "\n"


def failures(results):
    lines = []
    for client in results["clients"]:
        for words, names in causes(client).items():
            lines.append(f"- **{client['name']}**, {len(names)}: {words}.")
            lines += [f"  - `{name}`" for name in names]
    return "\n".join(lines) + "\n" if lines else "None.\n"


def skips(results):
    lines = ["| client | tests | the client's own reason |", "|---|---:|---|"]
    for client in results["clients"]:
        for text, number in sorted(client["skips"].items(), key=lambda each: (-each[1], each[0])):
            lines.append(f"| {client['name']} | {number} | {cell(text) or 'none given'} |")
    return "\n".join(lines) + "\n"


def page(text, results, path):
    """The page with its tables made anew."""
    for name, make in (("table", table), ("failures", failures), ("skips", skips)):
        opening, closing = f"<!-- clients:{name} -->\n", f"<!-- /clients:{name} -->"
        if text.count(opening) != 1 or text.count(closing) != 1:
            sys.exit(f"{sys.argv[0]}: {path}: it needs one {opening.strip()} and one {closing}")
        before, rest = text.split(opening)
        text = before + opening + make(results) + closing + rest.split(closing, maxsplit=1)[1]
    return text


def write(path, text):
    """Beside the file first, so that it is never half-written."""
    with tempfile.NamedTemporaryFile("w", dir=os.path.dirname(path), delete=False, encoding="utf-8") as file:
        file.write(text)
    os.chmod(file.name, 0o644)
    os.replace(file.name, path)


def load(path):
    try:
        with open(path, encoding="utf-8") as file:
            results = json.load(file)
        if results["schema"] != "wideload-clients/1":
            sys.exit(f"{sys.argv[0]}: {path}: schema {results['schema']!r}, and this script reads wideload-clients/1")
        return results
    except FileNotFoundError:
        return {"schema": "wideload-clients/1", "clients": []}
    except (ValueError, KeyError, TypeError) as error:
        sys.exit(f"{sys.argv[0]}: {path}: {error!r}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", nargs="?", choices=["run"])
    parser.add_argument("clients", nargs="*", metavar="CLIENT", help=f"of {', '.join(CLIENTS)}; all when none is named")
    parser.add_argument("--check", action="store_true", help="exit 1 when docs/clients.md is stale")
    parser.add_argument("--page", default=PAGE, metavar="FILE", help="instead of docs/clients.md")
    parser.add_argument("--results", default=RESULTS, metavar="FILE", help="instead of docs/results/clients.json")
    parser.add_argument("--work", default=os.path.join(ROOT, "build", "clients"), metavar="FOLDER",
                        help="environments and logs (default: build/clients)")
    parser.add_argument("--wideload", default=os.path.join(ROOT, "build", "wideload"), metavar="PROGRAM",
                        help="the command to run (default: build/wideload)")
    arguments = parser.parse_args()
    results = load(arguments.results)
    if arguments.action:
        unknown = [name for name in arguments.clients if name not in CLIENTS]
        if unknown:
            parser.error(f"no client {', '.join(unknown)}; there are {', '.join(CLIENTS)}")
        kept = {client["name"]: client for client in results["clients"]}
        for name in arguments.clients or CLIENTS:
            kept[name] = run(name, os.path.abspath(arguments.work), os.path.abspath(arguments.wideload))
            results = {"schema": "wideload-clients/1", "date": datetime.date.today().isoformat(),
                       "python": sys.version.split()[0], "clients": [kept[each] for each in CLIENTS if each in kept]}
            write(arguments.results, json.dumps(results, indent=1) + "\n")
    with open(arguments.page, encoding="utf-8") as file:
        old = file.read()
    new = page(old, results, arguments.page)
    if arguments.check:
        sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), new.splitlines(True), arguments.page, "regenerated"))
        return new != old
    if new != old:
        write(arguments.page, new)
    return 0


if __name__ == "__main__":
    sys.exit(main())
