"""Every file of lib/tuned/ with a struct wl__tuned of its own sets every member by name, and none twice in one struct.

usage: tuned.py SOURCE_DIRECTORY
"""
import pathlib
import re
import sys

folder = pathlib.Path(sys.argv[1]) / "lib/tuned"
header = re.sub(r"/\*.*?\*/", "", (folder / "tuned.h").read_text(), flags=re.S)
# Every declarator of a member: a name before a comma, a semicolon or its length.
members = {}
for body in re.findall(r"^struct \w+ \{(.*?)^\};", header, flags=re.S | re.M):
    for declaration in re.findall(r"(?:uint32_t|double|const char|\})\s*([^;{}]+);", body):
        for name in re.findall(r"\*?(\w+)(?:\[[^\]]*\])*\s*(?:,|$)", declaration):
            members[name] = members.get(name, 0) + 1
failed, files = len(members) < 100, 0
if failed:
    print(f"only {len(members)} members were found in tuned.h")
for path in sorted(folder.glob("*.c")):
    text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
    if not re.search(r"^const struct wl__tuned \w+ = \{", text, flags=re.M):
        continue
    files += 1
    for name, times in members.items():
        found = len(re.findall(rf"\.{name}\s*=", text))
        if found < times:
            print(f"{path.name} sets {name} {found} times: tuned.h has it {times} times")
            failed = True
if not files:
    print("no file has values")
sys.exit(failed or not files)
