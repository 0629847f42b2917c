"""Each entry function of lib/ waits for the kernels before it: awaits.py SOURCE_FOLDER

lib/launch.c starts kernels early, so a kernel that did not wait would read what the one before it has yet to write.
The wait comes first, in the entry function or in the one that it begins by calling; except in functions that only
compute before it: these call a function which waits."""
import pathlib
import re
import sys

WAIT = "wl_await_earlier();"
# The entry function's first statements compute nothing from memory; this file waits, in what it calls.
FILL = "permute_fill.cuh"
LATER = {"small.cu": "small.cu", "permute_bulk.cu": "permute_bulk.cu", "permute_groups.cu": FILL, "permute_narrow.cu": FILL,
         "permute_units.cu": FILL, "permute_words.cu": FILL}
# What loads there, and what tells that a block's loads are under way: behind it other threads load, too.
LOADS = re.compile(r"\bwl_(load_rows|load_window|barrier_expect)\(")


def unawaited(path):
    """Lines of a file that waits later which load before they wait."""
    lines = [line.strip() for line in path.read_text(encoding="utf-8").split("\n")]
    lines = [line for line in lines if line and line != "if (bytes)"]
    return [line for before, line in zip(lines, lines[1:]) if LOADS.search(line) and before != WAIT]


def main():
    wrong, count = [], 0
    paths = sorted(pathlib.Path(sys.argv[1], "lib").rglob("*.cu*"))
    waits = {path.name for path in paths if WAIT in path.read_text(encoding="utf-8")}
    for path in paths:
        if path.name in LATER.values():
            wrong += [f"{path}: loads before {WAIT} {line}" for line in unawaited(path)]
        text = re.sub(r" *\\\n", "\n", path.read_text(encoding="utf-8"))  # without macros' line ends
        waiting = re.findall(r"(\w+)\([^(){};]*\)\s*\{\s*" + re.escape(WAIT), text)
        for entry in re.finditer(r"__global__[^;{]*\{\s*([^\n]*)", text):
            count += 1
            first = entry.group(1)
            if not first.startswith(WAIT) and first.split("(")[0] not in waiting and LATER.get(path.name) not in waits:
                wrong.append(f"{path}: an entry function does not begin with {WAIT}")
    if count < 30:
        wrong.append(f"only {count} entry functions found")
    print("\n".join(wrong) or f"{count} entry functions wait")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
