#!/usr/bin/env python3
"""Writes docs/explorer.html from picture/explorer/template.html, with picture/ and sim/count/ as WebAssembly in it.

    scripts/explorer.py           rewrites the page; needs clang and wasm-ld (Debian: clang, lld)
    scripts/explorer.py --check   exits 1 when it is stale, and changes nothing

Without the compilers that made the page, --check compares all but the WebAssembly.
"""
import argparse
import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "docs", "explorer.html")
SOURCES = ["picture/explorer/entry.c", "picture/explorer/libc.c",
           *(f"picture/{name}.c" for name in "blocks figures remedy sentence shared style svg text".split()),
           *(f"sim/count/{name}.c" for name in "rules global shared local split".split())]
OPTIONS = ["--target=wasm32", "-std=c11", "-Os", "-ffreestanding", "-nostdlib", "-fvisibility=hidden",
           "-mbulk-memory", "-I.", "-isystem", "picture/explorer/include", "-Wl,--no-entry", "-Wl,--strip-all",
           "-Wl,-z,stack-size=65536"]


def compilers():
    """The versions of clang and wasm-ld in one line; None if one is missing."""
    versions = []
    for program in ("clang", "wasm-ld"):
        if not shutil.which(program):
            return None
        run = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
        found = re.search(r"(?:clang version|LLD) (\d+(?:\.\d+)+)", run.stdout)
        if not found:
            return None
        versions.append(f"{program} {found.group(1)}")
    return ", ".join(versions)


def compile_wasm():
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "explorer.wasm")
        run = subprocess.run(["clang", *OPTIONS, *SOURCES, "-o", out], cwd=ROOT, capture_output=True, text=True,
                             check=False)
        if run.returncode:
            sys.exit(f"explorer: clang cannot compile the page's WebAssembly:\n{run.stderr.strip()}")
        with open(out, "rb") as file:
            return base64.b64encode(file.read()).decode()


def fill(versions, wasm):
    """The page's text.  The browser runs only the script that the policy names by its hash."""
    with open(os.path.join(ROOT, "picture", "explorer", "template.html"), encoding="utf-8") as file:
        text = file.read()
    script = re.search(r"<script>(.*?)</script>", text, re.DOTALL).group(1)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return text.replace("@HASH@", digest).replace("@COMPILERS@", versions).replace("@WASM@", wasm)


def made_by(page):
    """The compilers and the WebAssembly that a page names."""
    found = re.search(r'<script id="wasm" type="text/plain" data-made-by="(.*?)">(.*?)</script>', page)
    return found.groups() if found else (None, None)


def main():
    parser = argparse.ArgumentParser(description="Writes docs/explorer.html.")
    parser.add_argument("--check", action="store_true", help="exit 1 when the page is stale")
    arguments = parser.parse_args()
    versions = compilers()
    if not arguments.check:
        if not versions:
            sys.exit("explorer: clang or wasm-ld is not installed (Debian: clang, lld)")
        with open(PAGE + ".new", "w", encoding="utf-8") as file:
            file.write(fill(versions, compile_wasm()))
        os.replace(PAGE + ".new", PAGE)
        return
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    before, wasm = made_by(page)
    if before is None or page != fill(before, compile_wasm() if before == versions else wasm):
        sys.exit("explorer: docs/explorer.html: stale; run scripts/explorer.py")
    if before != versions:
        print(f"explorer: made by {before}, which are not here: the WebAssembly was not compared")


if __name__ == "__main__":
    main()
