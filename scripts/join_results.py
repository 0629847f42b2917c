#!/usr/bin/env python3
"""Joins results of `wideload bench --json` that were measured one after another into one file of the same schema.

usage: scripts/join_results.py OUT.json RESULT.json RESULT.json...

All must come from one kind of machine: of equal host, device with its driver, library's version and seed.  Experiments
stand in the order in which the files first have them.  Of a case that several files have, the last one's row stays; of an
experiment, the last file's rows come first, and what only earlier files have follows the rows of its kernel.  `command` is
the files' commands one after another, `date` the last one.  Ends with status 1, and writes nothing, where files do not fit.
"""
import json
import os
import sys

SAME = ("schema", "version", "host", "device", "seed")


def fail(text):
    sys.exit(f"join_results: {text}")


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        if document["schema"] != "wideload-bench/1":
            fail(f"{path}: schema {document['schema']!r}, expected 'wideload-bench/1'")
        return document
    except (OSError, ValueError, KeyError, TypeError) as error:
        fail(f"{path} is no result of `wideload bench --json`: {error!r}")


def case(row):
    params = {name: value for name, value in row["params"].items() if value is not None}
    return json.dumps([row["experiment"], row["kernel"], params, row["l2"]], sort_keys=True)


def place(rows, row):
    """After the rows of its kernel, or at the end."""
    last = [i for i, other in enumerate(rows) if other["kernel"] == row["kernel"]]
    rows.insert(last[-1] + 1 if last else len(rows), row)


def join_rows(documents):
    experiments = dict.fromkeys(row["experiment"] for document in documents for row in document["rows"])
    for experiment in experiments:
        rows, cases = [], set()
        for document in reversed(documents):
            new = [row for row in document["rows"] if row["experiment"] == experiment and case(row) not in cases]
            for row in new:
                place(rows, row) if cases else rows.append(row)
            cases.update(case(row) for row in new)
        yield from rows


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    out, paths = sys.argv[1], sys.argv[2:]
    documents = [read(path) for path in paths]
    for path, document in zip(paths, documents):
        for name in SAME:
            if document[name] != documents[0][name]:
                fail(f"{path} has another {name} than {paths[0]}")
    joined = dict(documents[-1])
    joined["command"] = [word for document in documents for word in document["command"]]
    joined["date"] = max((document["date"] for document in documents if document["date"]), default=None)
    joined["rows"] = list(join_rows(documents))
    with open(out + ".new", "w", encoding="utf-8") as file:
        json.dump(joined, file, indent=1)
        file.write("\n")
    os.replace(out + ".new", out)


if __name__ == "__main__":
    main()
