"""The shared library exports what its header declares with WL_API, and its soname has the version.

usage: symbols.py LIBRARY SOURCE_FOLDER"""
import pathlib
import re
import subprocess
import sys


def declared(header):
    text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
    return set(re.findall(r"^WL_API\b[^;(]*?\b(wl_\w+)\(", text, flags=re.M))


def exported(library):
    out = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True)
    return {line.split()[-1].split("@")[0] for line in out.stdout.splitlines()}


def main():
    library, source = sys.argv[1], pathlib.Path(sys.argv[2])
    public = declared(source / "include/wideload.h")
    names = exported(library)
    wrong = [f"{name}: exported, but not declared with WL_API" for name in sorted(names - public)]
    wrong += [f"{name}: declared with WL_API, but not exported" for name in sorted(public - names)]
    wrong += [f"{name}: a public name is wl_ and no wl__" for name in sorted(public) if name.startswith("wl__")]
    undefined = subprocess.run(["nm", "-D", "--undefined-only", library], check=True, capture_output=True, text=True)
    wrong += [f"{line.split()[-1]}: used, but defined nowhere"
              for line in undefined.stdout.splitlines() if line.split()[-1].startswith("wl_")]
    if len(public) < 20:
        wrong.append(f"only {len(public)} public declarations were found")
    # The shared library contains no kernel of the ladder.
    carried = set(re.findall(rb"wl_(\w+)", pathlib.Path(library).read_bytes()))
    ladder = re.findall(r"\bKERNEL\((\w+)\)", (source / "ladder/kernels.def").read_text())
    wrong += [f"{name}: a kernel of the ladder, in the library" for name in ladder if name.encode() in carried]
    if len(ladder) < 30:
        wrong.append(f"only {len(ladder)} kernels of the ladder were found")
    major = re.search(r"WL_VERSION_MAJOR +(\d+)", (source / "include/wideload.h").read_text()).group(1)
    dynamic = subprocess.run(["readelf", "-d", library], check=True, capture_output=True, text=True).stdout
    if f"[libwideload.so.{major}]" not in dynamic:
        wrong.append(f"the soname is not libwideload.so.{major}")
    print("\n".join(wrong))
    return 1 if wrong else 0


sys.exit(main())
