"""Checks docs/library.md against the library: its code compiles, in C and C++, its programs run on the simulator,
it uses no name that the header lacks, and every function that the header has.

usage: manual.py SOURCE LIBRARY_FOLDER CUDA_INCLUDE C_COMPILER CXX_COMPILER [FLAGS...]     (no C++: CXX_COMPILER is "")"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

source, libraries, cuda, cc, cxx = sys.argv[1:6]
flags = [word for words in sys.argv[6:] for word in words.split()]
page = (pathlib.Path(source) / "docs/library.md").read_text()
header = (pathlib.Path(source) / "include/wideload.h").read_text()
wrong = []
done = {"compiled": 0, "run": 0}


def run(what, command, **more):
    found = subprocess.run(command, capture_output=True, text=True, check=False, **more)
    if found.returncode:
        wrong.append(f"{what}: exit status {found.returncode}\n{found.stdout}{found.stderr}")
    return not found.returncode


def compile_block(what, language, text, folder):
    compiler = cxx if language == "c++" else cc
    if not compiler:
        return
    path = pathlib.Path(folder) / ("block.cpp" if language == "c++" else "block.c")
    # Functions appear alone on the page, because their declarations would only repeat them.
    path.write_text(text if "<wideload.h>" in text else f"#include <wideload.h>\n\n{text}")
    # {0} for all members is C; C++ has {}.
    standard = ["-std=c++11", "-Wno-missing-field-initializers"] if language == "c++" else ["-std=c11"]
    if not run(what, [compiler, *standard, "-Wall", "-Wextra", "-Wpedantic", "-Werror", *flags, "-I", f"{source}/include",
                      "-isystem", cuda, "-c", path, "-o", f"{folder}/block.o"]):
        return
    done["compiled"] += 1
    if "int main(" in text and run(what, [compiler, *flags, f"{folder}/block.o", "-o", f"{folder}/program", "-L",
                                          libraries, "-lwideload", f"-Wl,-rpath,{libraries}"]):
        run(what, [f"{folder}/program"], env={**os.environ, "WIDELOAD_DEVICE": "sim"})
        done["run"] += 1


with tempfile.TemporaryDirectory() as folder:
    for number, (language, text) in enumerate(re.findall(r"^```(\w+)\n(.*?)^```$", page, re.S | re.M)):
        what = f"docs/library.md, block {number + 1} ({language})"
        if language == "c":
            compile_block(what, "c", text, folder)
            compile_block(what + " in C++", "c++", text, folder)
        elif language == "cpp":
            compile_block(what, "c++", text, folder)
        elif language == "python":
            compile(text, what, "exec")

known = set(re.findall(r"\bwl_\w+|\bWL_\w+", header))
known |= {f"WL_TYPE_{name}" for name in re.findall(r"^ +X\((\w+), \d+, \d+\)", header, re.M)}
known |= {f"WL_ERROR_{name}" for name in re.findall(r"^ +X\((\w+), \d+, \"", header, re.M)}
for name in sorted(set(re.findall(r"\bwl_\w+|\bWL_\w+", page)) - known - {"wl_", "WL_", "wl__"}):
    wrong.append(f"docs/library.md names {name}, which the header lacks")
for name in re.findall(r"^WL_API\b[^;(]*?\b(wl_\w+)\(", re.sub(r"/\*.*?\*/", "", header, flags=re.S), re.M):
    if not re.search(rf"\b{name}\b", page) and name != "wl_fill":
        wrong.append(f"docs/library.md does not name {name}")
if done["compiled"] < 8 or done["run"] < 2:
    wrong.append(f"only {done['compiled']} blocks were compiled and {done['run']} programs run")
print("\n".join(wrong))
sys.exit(1 if wrong else 0)
