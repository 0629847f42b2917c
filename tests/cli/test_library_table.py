#!/usr/bin/env python3
"""scripts/library_table.py: the rows that each promise is compared with, the verdicts, and invalid input."""
import argparse
import glob
import copy
import json
import os
import subprocess
import sys
import tempfile
import unittest

arguments = None

DEVICE = {"name": "NVIDIA H200", "kind": "gpu", "arch": "sm_90", "peak_gbps": 4814.0}


def row(experiment, kernel, gbps, library=None, pct_copy=98.0, **params):
    members = {"size": 2**28, "offset": None, "stride": None, "block": None, "unroll": None, "rows": None, "cols": None,
               "nnz": None, "width": None, "type": None, "fields": None, "order": None, "from_shift": None,
               "to_shift": None, "batch": None}
    return {"experiment": experiment, "kernel": kernel, "peer": library and {"library": library, "version": "1"},
            "params": {**members, **params}, "verified": True, "gbps": gbps, "pct_copy": None if library else pct_copy}


def matrix(gbps, batch, rows, cols, width, **members):
    size = f"{rows}x{cols}" if batch == 1 else f"{batch}x{rows}x{cols}"
    return row("transpose-any", "wideload", gbps, size=size, batch=batch, rows=rows, cols=cols, width=width, **members)


def peer_of(other, library, gbps):
    return {**copy.deepcopy(other), "kernel": f"{library}-kernel", "peer": {"library": library, "version": "1"},
            "gbps": gbps, "pct_copy": None}


def everything():
    """Rows that keep every promise."""
    rows = [row("copy", "vec4", 4000.0, block=128), row("copy", "wideload", 4000.0)]
    rows += [row("copy-any", "wideload", 3900.0, from_shift=shift, to_shift=0, pct_copy=97.5) for shift in (0, 1)]
    for kind in ("f32", "f16", "i8"):
        rows += [row("add-any", "wideload", 4000.0 - 100 * shift, type=kind, from_shift=shift, to_shift=0)
                 for shift in (0, 1)]
        rows.append(peer_of(rows[-2], "torch", 3999.0))
    matrices = [matrix(3900.0, 1, 8191, 8193, 4), matrix(3900.0, 1, 8192, 8192, 1),
                matrix(3900.0, 1, 3, 2**20, 16), matrix(3000.0, 1, 2048, 2048, 4), matrix(3900.0, 64, 3, 50176, 2)]
    rows += matrices + [peer_of(matrices[0], "cuBLAS", 3500.0), peer_of(matrices[3], "cuBLAS", 2900.0)]
    rows += [row("transpose-inplace", "wideload", 3900.0, size="64x64", rows=64, cols=64, width=4),
             row("transpose-inplace", "wideload", 2100.0, size="63x65", rows=63, cols=65, width=4, pct_copy=55.0)]
    for experiment in ("deinterleave", "interleave"):
        rows += [row(experiment, "wideload", 3900.0, fields=fields, width=1) for fields in (3, "f32x3+f64+i32")]
    rows += [row("permute", "wideload", 3900.0, size="9x8x7", order="210", width=4, pct_copy=share)
             for share in (97.0,)]
    rows.append(peer_of(rows[-1], "torch", 900.0))
    return rows


class LibraryTable(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, rows, **members):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"schema": "wideload-bench/1", "version": "0.1.0", "date": "2026-11-22T03:00:00Z",
                       "device": DEVICE, "rows": rows, **members}, file)
        return path

    def table(self, *words):
        script = os.path.join(arguments.source, "scripts", "library_table.py")
        return subprocess.run([sys.executable, script, *words], capture_output=True, text=True, check=False)

    def calls(self, *ratios, **members):
        rows = [{"call": f"wl_call{i}", "of": "32 fields", "arrays": 33, "ns": 3000.0 * ratio, "bare_ns": 3000.0, "n": 300}
                for i, ratio in enumerate(ratios)]
        device = {name: DEVICE[name] for name in ("name", "kind", "arch")}
        return self.write("calls.json", rows, schema="wideload-calls/1", device=device, **members)

    def lines(self, rows, *words, calls=(1.05, 1.2)):
        done = self.table(self.write("a.json", rows), self.calls(*calls), *words)
        return done.returncode, done.stdout.splitlines()

    def test_all_hold(self):
        status, lines = self.lines(everything(), "--check")
        self.assertEqual([line for line in lines if not line.endswith("yes")], [])
        self.assertEqual(status, 0)
        page = os.path.join(self.folder.name, "page.md")
        self.assertEqual(self.table(self.write("a.json", everything()), self.calls(1.05, 1.1), "-o", page).returncode, 0)
        with open(page, encoding="utf-8") as file:
            text = file.read()
        self.assertIn(f"{len(lines)} of {len(lines)} hold.", text)
        self.assertIn("| transpose 4, 8, 16 B | 0.97 of copy | 1 | 0.980 | 8191x8193, width 4 | yes |", text)
        self.assertIn("| permute | 9x8x7@210, width 4 | 3900 | 900 | torch-kernel | 4.333 |", text)
        self.assertIn("| a call of 1 Ki elements, host time | at most 1.20 of a bare launch | 2 | 1.100 | "
                      "wl_call1, 32 fields | yes |", text)
        self.assertIn("| wl_call0 | 32 fields | 3150 | 3000 | 1.050 |", text)
        self.assertIn("2026-11-22", text)

    def missed(self, says, change):
        rows = everything()
        change(rows)
        status, lines = self.lines(rows, "--check")
        self.assertEqual(status, 1)
        bad = [line for line in lines if not line.endswith("yes")]
        self.assertEqual(len(bad), 1, bad)
        self.assertIn(says, bad[0])

    def test_each_is_held(self):
        def set_row(match, **members):
            def change(rows):
                found = [entry for entry in rows if match(entry)]
                self.assertTrue(found)
                for entry in found:
                    entry.update(members)
            return change

        def ours(experiment, **params):
            return lambda entry: (entry["experiment"] == experiment and entry["kernel"] == "wideload"
                                  and all(entry["params"][name] == value for name, value in params.items()))
        self.missed("copy, aligned  0.99 of best copy kernel  1  0.987", set_row(ours("copy"), gbps=3950.0))
        self.missed("any byte shift", set_row(ours("copy-any", from_shift=1), pct_copy=96.99))
        self.missed("torch.add  3  0.987  2^28, f16", lambda rows: [
            entry.update(gbps=4050.0) for entry in rows
            if entry["params"]["type"] == "f16" and (entry["peer"] or {}).get("library") == "torch"])
        self.missed("add, shifted by elements  0.97 of the aligned  3  0.950  2^28, i8, from +1 to +0",
                    set_row(ours("add-any", type="i8", from_shift=1), gbps=3800.0))
        self.missed("transpose 4, 8, 16 B  0.97 of copy", set_row(ours("transpose-any", cols=8193), pct_copy=96.0))
        self.missed("the best peer  1  0.971  8191x8193",
                    set_row(ours("transpose-any", cols=8193), gbps=3400.0))
        self.missed("transpose 1, 2 B", set_row(ours("transpose-any", width=1), pct_copy=94.0))
        self.missed("N x 3 and 3 x N", set_row(ours("transpose-any", rows=3, width=16), pct_copy=94.0))
        self.missed("in L2", set_row(ours("transpose-any", rows=2048), gbps=2800.0))
        self.missed("NCHW", set_row(ours("transpose-any", batch=64), pct_copy=94.0))
        self.missed("in place, square", set_row(ours("transpose-inplace", rows=64), pct_copy=89.0))
        self.missed("in place, 8191", set_row(ours("transpose-inplace", rows=63), pct_copy=49.0))
        self.missed("deinterleave, equal", set_row(ours("deinterleave", fields=3), pct_copy=94.0))
        self.missed("interleave, equal", set_row(ours("interleave", fields=3), pct_copy=94.0))
        self.missed("structures", set_row(ours("interleave", fields="f32x3+f64+i32"), pct_copy=94.0))
        self.missed("geometric mean  0.95 of copy  1  0.940", set_row(ours("permute"), pct_copy=94.0))
        self.missed("permute, each case  1.00 of the best peer", set_row(ours("permute"), gbps=800.0))

    def test_calls(self):
        status, lines = self.lines(everything(), "--check", calls=(1.1, 1.2001, 1.3))
        self.assertEqual(status, 1)
        self.assertTrue(lines[-1].endswith("3  1.300  wl_call2, 32 fields  no: 2 above"), lines[-1])
        done = self.table(self.write("a.json", everything()), "--check")
        self.assertEqual(done.returncode, 1)
        self.assertIn("host time  at most 1.20 of a bare launch  0  not measured", done.stdout)
        done = self.table(self.calls(1.1))
        self.assertEqual((done.returncode, done.stdout), (1, ""))

    def test_unmeasured_and_wrong(self):
        rows = [entry for entry in everything() if entry["experiment"] != "copy"]
        status, lines = self.lines(rows)
        self.assertEqual((status, sum(line.endswith("not measured") for line in lines)), (0, 1))
        self.assertEqual(self.lines(rows, "--check")[0], 1)
        # A wrong row has no figure, and no promise holds with it.
        rows = everything() + [{**matrix(None, 1, 5, 7, 4), "verified": False}]
        self.assertEqual(self.lines(rows, "--check")[0], 1)

    def test_joined(self):
        """The same row in two files counts once; a framework's file adds its rows next to it."""
        rows = everything()
        first = self.write("a.json", [entry for entry in rows if not entry["peer"]])
        done = self.table(first, self.write("b.json", rows), self.calls(1.1), "--check")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("copy, aligned  0.99 of best copy kernel  1  ", done.stdout)

    def test_refused(self):
        good = self.write("a.json", everything())
        for path, says in ((self.write("sim.json", everything(), device={**DEVICE, "kind": "sim"}), "no times"),
                           (self.write("new.json", [], schema="wideload-bench/2"), "is no result"),
                           (os.path.join(self.folder.name, "none.json"), "No such file")):
            done = self.table(path)
            self.assertEqual(done.returncode, 1)
            self.assertIn(says, done.stderr)
        for other in ({"name": "A10"}, {"memory_bytes": 1}):
            done = self.table(good, self.write("b.json", everything(), device={**DEVICE, **other}))
            self.assertIn("several devices", done.stderr)
            self.assertEqual(done.returncode, 1)

    def test_the_page_is_what_the_results_give(self):
        docs = os.path.join(arguments.source, "docs")
        results = sorted(glob.glob(os.path.join(docs, "results", "library", "*.json")))
        self.assertTrue(results)
        page = os.path.join(self.folder.name, "page.md")
        self.assertEqual(self.table(*results, "-o", page).returncode, 0)
        with open(page, encoding="utf-8") as made, open(os.path.join(docs, "library-speed.md"), encoding="utf-8") as kept:
            self.assertEqual(kept.read(), made.read(), "scripts/library_table.py docs/results/library/*.json "
                                                       "-o docs/library-speed.md")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True)
    arguments, rest = parser.parse_known_args()
    sys.exit(unittest.main(argv=[sys.argv[0], *rest]))
