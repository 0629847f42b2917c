"""The tables of docs/mutation.md, from the results of scripts/mutate.py and the reasons in docs/mutants.csv.

A row of docs/mutants.csv gives the reason why mutants live: file, the line's text or * for every line, the changes
(`old -> new`, several with ` ; `, * for all), kind and reason.  Kinds:
    equivalent   no input tells the mutant from the program
    speed        the same results by another way: only the time changes
    unreached    no test can get there (the reason says why)
    untested     nothing stands in the way of a test; there is none yet
The first two cannot die and are left out of the share.  A reason whose mutants all died is an error: it is out of date.

Of a file without results the page keeps the rows that it has.
"""
import collections
import csv
import fnmatch
import os
import re
import tempfile

MARKER = re.compile(r"(<!-- mutants -->\n).*?(<!-- /mutants -->)", re.DOTALL)
ALIVE_FOR_GOOD = ("equivalent", "speed")


def read_reasons(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def change(row):
    return f"{row['old']} -> {row['new']}".strip()


def fits(reason, row):
    return fnmatch.fnmatchcase(row["file"], reason["file"]) and reason["text"] in ("*", row["text"]) and \
        (reason["changes"] == "*" or change(row) in [one.strip() for one in reason["changes"].split(" ; ")])


def cell(text):
    return text.replace("|", "\\|")


def percent(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "-"


COUNTS = ("mutants", "run", "killed", "same", "equivalent", "lives")
COUNTED = re.compile(r"\| `([^`]+)` \|((?: \d+ \|){6})")
SURVIVOR = re.compile(r"\| `([^`]+)` \| `")


def read_page(text):
    """The rows that a page has, of files: (their counts, the lines of their survivors)."""
    counts, lines = {}, collections.defaultdict(list)
    for line in text.splitlines():
        counted, survivor = COUNTED.match(line), SURVIVOR.match(line)
        if counted:
            numbers = map(int, counted.group(2).replace("|", " ").split())
            counts[counted.group(1)] = collections.Counter(dict(zip(COUNTS, numbers)))
        elif survivor:
            lines[survivor.group(1)].append(line)
    return counts, lines


def summary(found, rows, kind_of, earlier):
    lines = ["| file | mutants | run | killed | same object | equivalent | survived | killed of those that can be |",
             "|---|--:|--:|--:|--:|--:|--:|--:|"]
    total = collections.Counter()

    def line(name, count):
        can = count["killed"] + count["lives"]
        return (f"| {name} | {count['mutants']} | {count['run']} | {count['killed']} | {count['same']} "
                f"| {count['equivalent']} | {count['lives']} | {percent(count['killed'], can)} |")

    for file, changes in found.items():
        count = collections.Counter(mutants=len(changes))
        for row in rows[file]:
            status = row["status"]
            count["run"] += 1
            if status == "survived":
                status = "equivalent" if kind_of(row) in ALIVE_FOR_GOOD else "lives"
            count[status] += 1
        count["mutants"] -= count["invalid"]
        count["run"] -= count["invalid"]
        if not rows[file]:
            count = earlier.get(file, count)
        if count["run"]:
            lines.append(line(f"`{file}`", count))
            total += count
    return lines + [line("**all**", total)]


def survivors(rows, kind_of, earlier):
    """One line a reason and text; those without a reason are said to have none."""
    lines = ["| file | line | changes | why it lives |", "|---|---|---|---|"]
    for file in rows:
        groups = collections.OrderedDict()
        for row in rows[file]:
            if row["status"] == "survived":
                reason = kind_of(row, whole=True)
                why = f"{reason['kind']}: {reason['reason']}" if reason else "untested: no reason is known"
                groups.setdefault((row["text"], why), []).append(change(row))
        for (text, why), changes in groups.items():
            shown = ", ".join(f"`{cell(one)}`" for one in dict.fromkeys(changes))
            lines.append(f"| `{file}` | `{cell(text)}` | {shown} | {cell(why)} |")
        if not rows[file]:
            lines += earlier[file]
    return lines


def write(page, found, results, reasons_path, die):
    reasons = read_reasons(reasons_path)
    rows = {file: [results[mutant.key] for mutant in changes if mutant.key in results]
            for file, changes in found.items()}

    def kind_of(row, whole=False):
        reason = next((reason for reason in reasons if fits(reason, row)), None)
        return reason if whole else reason and reason["kind"]

    every = [row for file in rows for row in rows[file]]
    for reason in reasons:
        fitting = [row for row in every if fits(reason, row)]
        if fitting and all(row["status"] == "killed" for row in fitting):
            die(f"{reasons_path}: all mutants of '{reason['text']}' in {reason['file']} died: the reason is out of date")
    with open(page, encoding="utf-8") as file:
        old = file.read()
    if not MARKER.search(old):
        die(f"{page}: no <!-- mutants --> for the tables to go to")
    counts, lines = read_page(old)
    text = "\n".join(summary(found, rows, kind_of, counts)) + "\n\n## What survives\n" + \
        "\n".join(survivors(rows, kind_of, lines)) + "\n"
    new = MARKER.sub(lambda match: match.group(1) + text + match.group(2), old)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=os.path.dirname(os.path.abspath(page)),
                                     delete=False) as out:
        out.write(new)
    os.chmod(out.name, 0o644)
    os.replace(out.name, page)
