"""What `wideload prof` promises: a figure that is not a GPU's is marked, and few others are."""
import csv
import os


def recorded(folder, program):
    with open(os.path.join(folder, "marks.csv"), newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(line for line in lines if not line.startswith("#")):
            if row["program"] == program:
                return int(row["marked"]), int(row["equal"])
    return 0, 0


class Marks:
    """Of one program: what was marked, and what of that is equal after all."""

    def __init__(self):
        self.marked = self.equal = 0
        self.wrong = []

    def judge(self, where, launch, metric, same):
        marked = metric in launch["uncertain"]
        self.marked += marked
        self.equal += marked and same
        if not same and not marked:
            self.wrong.append(f"{where}: {metric} is not the hardware's and has no mark")

    def complaints(self, folder, program):
        """FOLDER/marks.csv says how many figures are marked, and how many of those are equal after all."""
        marked, equal = recorded(folder, program)
        wrong = list(self.wrong)
        if (self.marked, self.equal) != (marked, equal):
            wrong.append(f"{self.marked} figures are marked, {self.equal} of them equal the hardware's all the same; "
                         f"marks.csv says {marked} and {equal}")
        return wrong
