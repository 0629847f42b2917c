"""Each entry function of lib/ waits for the kernels before it: awaits.py SOURCE_FOLDER

lib/launch.c starts kernels early, so a kernel that did not wait would read what the one before it has yet to write.
The wait comes first, in the entry function or in the one that it begins by calling; except in functions that only
compute before it: these call a function which waits."""
import pathlib
import re
import sys

WAIT = "wl_await_earlier();"
# The entry function's first statements compute nothing from memory; what it calls waits.
LATER = {"small.cu"}


def main():
    wrong, count = [], 0
    for path in sorted(pathlib.Path(sys.argv[1], "lib").rglob("*.cu*")):
        text = re.sub(r" *\\\n", "\n", path.read_text(encoding="utf-8"))  # without macros' line ends
        waiting = re.findall(r"(\w+)\([^(){};]*\)\s*\{\s*" + re.escape(WAIT), text)
        for entry in re.finditer(r"__global__[^;{]*\{\s*([^\n]*)", text):
            count += 1
            first = entry.group(1)
            if not first.startswith(WAIT) and first.split("(")[0] not in waiting and not (path.name in LATER and WAIT in text):
                wrong.append(f"{path}: an entry function does not begin with {WAIT}")
    if count < 30:
        wrong.append(f"only {count} entry functions found")
    print("\n".join(wrong) or f"{count} entry functions wait")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
