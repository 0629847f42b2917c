"""`wideload prof`'s promise: figures that differ from a GPU's are marked, and few others are."""
import csv
import os

COUNTS = ("launches", "whole", "marked", "equal")


def recorded(folder):
    """By program: launches with a mark, those of them equal in all, figures with a mark, those of them equal."""
    with open(os.path.join(folder, "marks.csv"), newline="", encoding="utf-8") as lines:
        rows = csv.DictReader(line for line in lines if not line.startswith("#"))
        return {row["program"]: tuple(int(row[count]) for count in COUNTS) for row in rows}


class Marks:
    """For one program."""

    def __init__(self):
        self.seen = {}  # by launch: a list of (marked, same)
        self.wrong = []

    def judge(self, number, launch, metric, same):
        marked = metric in launch["uncertain"]
        self.seen.setdefault(number, []).append((marked, same))
        if not same and not marked:
            self.wrong.append(f"launch {number}: {metric} is not the hardware's and has no mark")

    def counts(self):
        launches = [seen for seen in self.seen.values() if any(marked for marked, _ in seen)]
        figures = [same for seen in launches for marked, same in seen if marked]
        whole = sum(all(same for _, same in seen) for seen in launches)
        return len(launches), whole, len(figures), sum(figures)

    def complaints(self, folder, program):
        wrong, told = list(self.wrong), recorded(folder).get(program, (0, 0, 0, 0))
        if self.counts() != told:
            wrong.append(f"{program},{','.join(map(str, self.counts()))} are the marks; marks.csv has "
                         f"{','.join(map(str, told))}")
        return wrong
