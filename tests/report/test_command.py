#!/usr/bin/env python3
"""wideload report as users meet it: the page's structure, its numbers, the charts alone, and every refusal."""
import argparse
import json
import os
import stat
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import results

arguments = None


def report(*command, environment=None, text=True):
    return subprocess.run([arguments.wideload, "report", *command], capture_output=True, text=text, timeout=240,
                          env={**os.environ, **(environment or {})}, check=False)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def file(self, name, value):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(value if isinstance(value, str) else json.dumps(value))
        return self.path(name)

    def page(self, *files):
        done = report(*files, "-o", self.path("page.html"))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        with open(self.path("page.html"), encoding="utf-8") as file:
            text = file.read()
        return text, results.Page(text)

    def own(self, name):
        return os.path.join(arguments.source, "docs", "results", name)


class Refusals(Case):
    def refused(self, status, says, *command, environment=None):
        before = sorted(os.listdir(self.folder))
        done = report(*command, environment=environment)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"\Awideload: [^\n]+\n\Z")
        for word in [says] if isinstance(says, str) else says:
            self.assertIn(word, done.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def bad(self, says, value):
        path = self.file("bad.json", value)
        self.refused(2, [path, *([says] if isinstance(says, str) else says)], path, "-o", self.path("page.html"))

    def test_arguments(self):
        self.refused(2, "needs a result")
        self.refused(2, "-o FILE", self.own("simulator.json"))
        self.refused(2, "did you mean '--svg'", self.own("simulator.json"), "--svq=x")
        self.refused(2, "empty", self.own("simulator.json"), "-o", "")

    def test_unreadable(self):
        self.refused(2, ["none.json", "No such file"], self.path("none.json"), "-o", self.path("page.html"))
        self.refused(2, [self.folder, "directory"], self.folder, "-o", self.path("page.html"))

    def test_json(self):
        self.bad(":1:", "")
        self.bad(":2:", '{"schema":\n"wideload-bench/1", "rows": [tru')
        whole = json.dumps(results.document([results.row("copy", "vec4", 4000.0)]))
        self.bad("the file is cut off", whole[:whole.rindex(",")])
        self.bad("no JSON", whole + "x")
        self.bad("\\u0000", whole.replace("vec4", "ve\\u0000c4"))
        self.bad("no JSON", whole.replace("vec4", "\\ud800"))

    def test_foreign(self):
        self.bad('no member "schema"', {"rows": []})
        self.bad('no member "schema"', [1, 2])
        self.bad('"wideload-prof/1"', {"schema": "wideload-prof/1"})
        self.bad(['"wideload-bench/2"', "newer"], {"schema": "wideload-bench/2"})
        self.bad("schema", {"schema": "wideload-bench/1" + results.EVIL})

    def test_shape(self):
        row = results.row("copy", "vec4", 4000.0)
        self.bad("no rows", results.document([]))
        self.bad("rows", results.document({"a": 1}))
        self.bad("rows[1]", results.document([row, 7]))
        self.bad("rows[0].kernel", results.document([{**row, "kernel": None}]))
        self.bad("rows[0].gbps", results.document([{**row, "gbps": "fast"}]))
        self.bad("rows[0].gbps", results.document([{**row, "gbps": -1}]))
        self.bad("rows[0].verified", results.document([{**row, "verified": 1}]))
        self.bad("rows[0].params.size", results.document([{**row, "params": {**row["params"], "size": "big"}}]))
        self.bad("rows[0].params.offset", results.document([{**row, "params": {**row["params"], "offset": 1.5}}]))
        self.bad("rows[0].time_ms.median",
                 results.document([{**row, "time_ms": {**row["time_ms"], "median": "1"}}]))
        self.bad("rows[0].clocks.throttle",
                 results.document([{**row, "clocks": {"sm_mhz": 1, "memory_mhz": 1, "throttle": [1]}}]))
        self.bad("rows[0].peer.library", results.document([{**row, "peer": {"version": "1"}}]))
        self.bad("device.name", {**results.document([row]), "device": {"kind": "gpu"}})
        self.bad("device.kind", results.document([row], {**results.DEVICE, "kind": "abacus"}))

    def test_mixed(self):
        row = results.row("copy", "vec4", 4000.0)
        first = self.file("a.json", results.document([row]))
        second = self.file("b.json", results.document([row], {**results.DEVICE, "name": "NVIDIA B200"}))
        self.refused(2, [first, second, "NVIDIA H200", "NVIDIA B200"], first, second, "-o", self.path("page.html"))
        other = self.file("c.json", results.document([row], {**results.SIMULATOR, "arch": "fermi"}))
        self.refused(2, ["fermi"], other, self.own("simulator.json"), "-o", self.path("page.html"))
        self.refused(2, ["fermi"], first, other, self.own("simulator.json"), "-o", self.path("page.html"))

    def test_gnuplot(self):
        empty = self.path("bin")
        os.mkdir(empty)
        result = self.own("simulator.json")
        page = self.path("page.html")
        self.refused(1, "gnuplot is not installed", result, "-o", page, environment={"PATH": empty})
        fake = os.path.join(empty, "gnuplot")

        def behaves(script):
            with open(fake, "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\n" + script + "\n")
            os.chmod(fake, stat.S_IRWXU)
        behaves("echo 'line 3: no such terminal' >&2; exit 1")
        self.refused(1, ["gnuplot failed", "no such terminal"], result, "-o", page, environment={"PATH": empty})
        behaves("exit 0")
        self.refused(1, "copy-ladder", result, "-o", page, environment={"PATH": empty})
        behaves("echo '<?xml ?><svg></defs>'")
        self.refused(1, "copy-ladder", result, "-o", page, environment={"PATH": empty})
        behaves("kill -9 $$")
        self.refused(1, "status 137", result, "-o", page, environment={"PATH": empty})

    def test_outputs(self):
        result = self.own("simulator.json")
        self.refused(2, ["--output", "none"], result, "-o", self.path("none/page.html"))
        self.refused(2, ["--output", "directory"], result, "-o", self.folder)
        file = self.file("file", "")
        self.refused(2, ["--svg", "not a folder"], result, "--svg", file)
        self.refused(2, ["--svg", "none"], result, "--svg", self.path("none/charts"))
        if os.path.exists("/dev/full"):
            self.refused(1, "No space left", result, "-o", "/dev/full")


    def test_one_file_twice(self):
        # In any spelling, and before anything is written.
        result = self.file("a.json", results.everything())
        os.link(result, self.path("hard"))
        os.symlink("a.json", self.path("link"))
        for name in ("a.json", "hard", "link", "./a.json"):
            self.refused(2, f"--output: {self.path(name)} is an input", result, "-o", self.path(name))
        os.mkdir(self.path("charts"))
        self.refused(2, ["--svg", "--output", "two places"], result, "--svg", self.path("charts"), "-o",
                     self.path("charts/stride-stride.svg"))
        os.symlink(result, self.path("charts/copy-ladder.svg"))
        self.refused(2, ["--svg", "copy-ladder.svg is an input"], result, "--svg", self.path("charts"), "-o",
                     self.path("page.html"))
        self.assertEqual(os.listdir(self.path("charts")), ["copy-ladder.svg"])


class Pages(Case):
    def sound(self, text, page):
        """Properties of every page."""
        self.assertEqual(page.faults, [])
        self.assertEqual(len(page.ids), len(set(page.ids)))
        self.assertLess(len(text), 3 << 20)
        self.assertNotIn("script", page.tags)
        self.assertEqual(page.headings[0], 1)
        self.assertTrue(all(b <= a + 1 for a, b in zip(page.headings, page.headings[1:])), page.headings)
        self.assertIn(("html", {"lang": "en"}), page.attributes)
        for tag, attributes in page.attributes:
            for name in ("href", "src", "xlink:href"):
                self.assertRegex(attributes.get(name) or "#", r"\A(#|data:,)")
            if (attributes.get("href") or "").startswith("#"):
                self.assertIn(attributes["href"][1:], page.ids)
            for name in ("aria-labelledby",):
                for target in (attributes.get(name) or "").split():
                    self.assertIn(target, page.ids)
            self.assertFalse([name for name in attributes if name.startswith("on")])
            if attributes.get("class") == "scroll":
                self.assertEqual(attributes["tabindex"], "0")
        self.assertNotRegex(text, r"@import|url\(|gnuplot|gpPt|rgb\(|NaN|nan\b|inf\b|~\d+~[^$]*</text>")
        for figure in page.figures:
            self.assertEqual(figure["tags"].count("svg"), 2)
            self.assertIn("figcaption", figure["tags"])
            self.assertIsNotNone(figure["table"])
            self.assertEqual(len(figure["titles"]), 2)
            self.assertTrue(all(figure["descriptions"]))
            self.assertEqual([svg["attributes"]["role"] for svg in figure["svg"]], ["img", "img"])
            for cells in figure["table"]:
                self.assertEqual(len(cells), len(figure["table"][0]))

    def figure(self, page, title):
        found = [figure for figure in page.figures if figure["titles"][0] == title]
        self.assertEqual(len(found), 1, [figure["titles"][0] for figure in page.figures])
        return found[0]

    def test_numbers(self):
        """A ladder's table has the file's numbers, and its bars match them."""
        with open(self.own("h200-transpose.json"), encoding="utf-8") as file:
            recorded = json.load(file)
        rows = recorded["rows"]
        text, page = self.page(self.own("h200-transpose.json"))
        self.sound(text, page)
        figure = self.figure(page, "transpose: bandwidth of each kernel")
        column = figure["table"][0].index("GB/s")
        self.assertEqual([(cells[0].partition(" (")[0], cells[column]) for cells in figure["table"][1:]],
                         [(row["kernel"], f"{row['gbps']:.1f}") for row in rows])
        for svg in figure["svg"]:
            for row in rows:
                self.assertIn(row["kernel"], [text.partition(" (")[0] for text in svg["texts"]])
                self.assertIn(f"{row['gbps']:.0f}", svg["texts"])
            self.assertIn(f"peak {recorded['device']['peak_gbps']:.0f}", svg["texts"])
            self.assertIn(f"copy {100 * rows[0]['gbps'] / rows[0]['pct_copy']:.0f}", svg["texts"])
        self.assertIn("Which side of a transpose should be strided, or can neither be?", page.texts)

    def test_everything(self):
        text, page = self.page(self.file("all.json", results.everything()))
        self.sound(text, page)
        titles = {figure["titles"][0] for figure in page.figures}
        for title in ("copy: bandwidth of each kernel", "copy: bandwidth by size", "copy: bandwidth by block",
                      "copy: bandwidth by unroll", "copy: occupancy by block", "read-offset: bandwidth by offset",
                      "stride: bandwidth by stride", "matmul: roofline",
                      "matmul: operations per second of each kernel"):
            self.assertIn(title, titles)
        sweep = self.figure(page, "copy: bandwidth by block")["table"]
        self.assertEqual([cells[0] for cells in sweep], ["block", "64", "128", "256", "1024"])
        self.assertEqual(sweep[4][1:], ["1275.0", "3225.0"])
        occupancy = self.figure(page, "copy: occupancy by block")["table"]
        self.assertEqual([cells[1] for cells in occupancy[1:]], ["50.0", "100.0", "100.0", "75.0"])
        transpose = self.figure(page, "transpose: bandwidth of each kernel")
        self.assertIn("cublas-geam (cuBLAS 13.1.0)", transpose["svg"][0]["texts"])
        self.assertIn("other libraries", transpose["svg"][0]["texts"])
        self.assertIn("failed", transpose["svg"][0]["texts"])
        self.assertIn("3507 (throttled)", transpose["svg"][0]["texts"])
        self.assertIn("throttled: sw_power_cap", [cell for cells in transpose["table"] for cell in cells])
        # The ladder has the cold rows; the warm ones are among all the rows.
        self.assertIn("1000.4", [cell for cells in transpose["table"] for cell in cells])
        self.assertNotIn("1100.4", [cell for cells in transpose["table"] for cell in cells])
        self.assertIn("1100.4", [cell for table in page.tables for cells in table for cell in cells])
        ladder = self.figure(page, "read-offset: bandwidth of each kernel")["table"]
        self.assertEqual([cells[ladder[0].index("GB/s")] for cells in ladder[1:]], ["3090.0", "4320.0"])
        whole = "".join(page.texts)
        self.assertIn("element 17 of output 0: 3, not 4", whole)
        self.assertIn("JAX is not installed", whole)
        self.assertIn("1 failed", whole)
        self.assertIn("sw_power_cap", whole)

    def test_peers_of_another_problem(self):
        """A peer appears next to the rungs for the same problem, and never next to others."""
        def peer(kernel, gbps, **params):
            return results.row("stride", kernel, gbps, block=None, peer={"library": "L", "version": None}, **params)
        rows = [results.row("stride", kernel, 1000 / stride, stride=stride)
                for kernel in ("load", "store") for stride in (1, 4, 32)]
        rows += [results.row("stride", "load", 77, size=1 << 24, stride=4), peer("p", 88, size=1 << 24, stride=4),
                 peer("q", 99, stride=32), peer("r", 66, size=1 << 20, stride=2)]
        text, page = self.page(self.file("beside.json", results.document(rows)))
        self.sound(text, page)
        for title, expected in (
                ("stride: bandwidth of each kernel", [("load", "31.2"), ("store", "31.2"), ("q (L)", "99.0")]),
                ("stride: bandwidth beside other libraries, size 2^24, stride 4", [("load", "77.0"), ("p (L)", "88.0")]),
                ("stride: bandwidth beside other libraries, size 2^20, stride 2", [("r (L)", "66.0")])):
            figure = self.figure(page, title)
            column = figure["table"][0].index("GB/s")
            self.assertEqual([(cells[0], cells[column]) for cells in figure["table"][1:]], expected)
            for svg in figure["svg"]:
                for name, _ in expected:
                    self.assertIn(name, svg["texts"])

    def test_copy_of_the_same_run(self):
        """The line of the best copy in a sweep comes from the sweep's rows, not from the ladder's."""
        rows = [results.row("copy", kernel, 4000, size=1 << 26, pct_copy=100.0) for kernel in ("a", "b")]
        rows += [results.row("copy", "a", 4200, unroll=unroll, pct_copy=100.0) for unroll in (1, 2, 4)]
        _, page = self.page(self.file("copies.json", results.document(rows)))
        for title, value in (("copy: bandwidth of each kernel", "4000"), ("copy: bandwidth by unroll", "4200")):
            for svg in self.figure(page, title)["svg"]:
                self.assertIn(f"copy {value}", svg["texts"])

    def test_crowded_sizes(self):
        """Sizes that would overlap get the same width; the caption names the lines that another line hides."""
        rows = []
        for kernel, speed in (("naive-row", 1000), ("naive-col", 1001), ("shared", 2000)):
            for size in ("8191x8193", "8192x8192", "16384x16384"):
                rows.append(results.row("transpose", kernel, speed, size=size))
                rows[-1]["params"].update(zip(("rows", "cols"), map(int, size.split("x"))))
        text, page = self.page(self.file("crowded.json", results.document(rows)))
        self.sound(text, page)
        figure = self.figure(page, "transpose: bandwidth by size")
        for svg in figure["svg"]:
            for size in ("8191x8193", "8192x8192", "16384x16384"):
                self.assertIn(size, svg["texts"])
        self.assertEqual([cells[0] for cells in figure["table"][1:]], ["8191x8193", "8192x8192", "16384x16384"])
        whole = "".join(page.texts)
        self.assertIn("Each size has the same width below", whole)
        self.assertIn("The lines of naive-row and naive-col coincide.", whole)
        self.assertNotIn("shared coincide", whole)

    def test_hostile_names(self):
        text, page = self.page(self.file("all.json", results.everything()))
        self.assertNotIn("<script", text)
        self.assertNotIn("<!-- -->", text)
        plain = "".join(" " if ord(c) < 32 else c for c in results.EVIL)
        cells = [cell for table in page.tables for line in table for cell in line]
        self.assertIn(plain, cells)
        self.assertIn(f"{plain} ({plain} {plain})", cells)
        self.assertTrue(any(t.startswith("<script>alert") and t.endswith("\u2026") for t in page.texts))

    def test_simulator(self):
        text, page = self.page(self.own("simulator.json"))
        self.sound(text, page)
        with open(self.own("simulator.json"), encoding="utf-8") as file:
            rows = [row for row in json.load(file)["rows"] if row["experiment"] == "transpose"]
        figure = self.figure(page, "transpose: bound of each kernel")
        self.assertEqual([(cells[0], cells[-1]) for cells in figure["table"][1:]],
                         [(row["kernel"], f"{row['counters']['bound_pct']:.1f}") for row in rows])
        self.figure(page, "shared: efficiency of shared memory of each kernel")
        self.assertNotIn("GB/s", [t for figure in page.figures for svg in figure["svg"] for t in svg["texts"]])

    def test_counters_beside_times(self):
        text, page = self.page(self.own("h200-transpose.json"), self.own("simulator.json"))
        self.sound(text, page)
        counters = [table for table in page.tables if table[0][:2] == ["kernel", "counted at"]]
        self.assertEqual(len(counters), 1)
        naive = [cells for cells in counters[0] if cells[0] == "naive-row"][0]
        self.assertEqual(naive[1:], ["size 1024x1024, block 16x16", "100.0", "25.0", "4.0", "16.0", "", "40.0"])
        self.assertIn("Wideload simulator", page.texts)
        # A peer has no counters of ours, whatever its name; another offset is another pattern.
        gpu = results.document([results.row("copy", "a", 1.5, peer={"library": "X", "version": "1"}),
                                results.row("read-offset", "b", 1.5, offset=3)])
        sim = results.document([results.row("copy", "a", None, counters=results.counters()),
                                results.row("read-offset", "b", None, offset=4, counters=results.counters())],
                               results.SIMULATOR)
        _, page = self.page(self.file("gpu.json", gpu), self.file("sim.json", sim))
        self.assertFalse([table for table in page.tables if table[0][:2] == ["kernel", "counted at"]])

    def test_joined_files(self):
        first = results.document([results.row("copy", "a", 1000.0), results.row("copy", "b", 2000.0)])
        second = results.document([results.row("copy", "b", 2500.0), results.row("add", "c", 3000.0)],
                                  {**results.DEVICE, "peak_gbps": 5000.0})
        text, page = self.page(self.file("a.json", first), self.file("b.json", second))
        self.sound(text, page)
        figure = self.figure(page, "copy: bandwidth of each kernel")
        column = figure["table"][0].index("GB/s")
        self.assertEqual([cells[column] for cells in figure["table"][1:]], ["1000.0", "2500.0"])
        self.assertIn("1 row was measured in more than one file", "".join(page.texts))

    def test_old_and_strange_members(self):
        """Files of version 0.1.0 lack members; later ones have more."""
        row = results.row("copy", "vec4", 4000.0, surprise={"a": [1]})
        for name in ("peer", "l2", "occupancy", "clocks"):
            del row[name]
        del row["params"]["unroll"]
        row["time_ms"]["stop"] = "stalled"
        value = results.document([row], news=[1])
        for name in ("command", "seed"):
            del value[name]
        for name in ("sm_mhz_max", "memory_mhz_max"):
            del value["device"][name]
        text, page = self.page(self.file("old.json", value))
        self.sound(text, page)
        self.assertIn("steady", text)
        self.assertNotIn("stalled", text)

    def test_nothing_measured(self):
        rows = [results.row("copy", "a", None, verified=None, skipped="no such thing")]
        text, page = self.page(self.file("none.json", results.document(rows)))
        self.sound(text, page)
        self.assertIn("skipped", page.figures[0]["svg"][0]["texts"])
        huge = [results.row("copy", f"k{i}", 10.0 ** (i - 5), size=1) for i in range(12)]
        text, page = self.page(self.file("huge.json", results.document(huge)))
        self.sound(text, page)

    def test_standard_output(self):
        done = report(self.own("simulator.json"), "-o", "-")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.startswith("<!DOCTYPE html>"))

    def test_same_in_every_locale(self):
        text, _ = self.page(self.own("h200-matmul.json"))
        done = report(self.own("h200-matmul.json"), "-o", "-",
                      environment={"LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8", "GNUTERM": "dumb"})
        self.assertEqual(done.stdout, text)


class Large(Case):
    """Memory grows with the input's size, not with its square: each of these took 0.7 to 2 GB."""

    def made(self, document, *more):
        path = self.file("large.json", document)
        process = subprocess.Popen([arguments.wideload, "report", path, *more, "-o", self.path("page.html")],
                                   stderr=subprocess.PIPE)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        self.assertEqual((status, process.stderr.read()), (0, b""))
        process.stderr.close()
        self.assertLess(usage.ru_maxrss, 400 << 10)

    def test_words(self):
        row = results.row("copy", "vec4", 4000.0)
        self.made(results.document([row], command=["x"] * 70000))
        row["clocks"]["throttle"] = ["x"] * 70000
        self.made(results.document([row]))

    def test_rows(self):
        # Sanitizers take more than ten times as long.
        most = 500 if os.environ.get("WIDELOAD_ASAN") else 4000
        self.made(results.document([results.row("copy", "vec4", 4000.0, size=1000 + i) for i in range(most)]))
        self.made(results.document([results.row("copy", f"k{i}", 4000.0, size=1 << 20) for i in range(most // 2)]))

    def test_names(self):
        # Names that lead to the same id, a peer per problem, and the same rows again from another file.
        rows = [results.row("@" * i, "k", 4000.0) for i in range(1, 60)]
        rows += [results.row("copy", "k", 1.0, size=i, peer={"library": "a", "version": "1"}) for i in range(1, 60)]
        rows.append(results.row("copy", "own", 1.0, size=1000))
        self.made(results.document(rows), self.file("again.json", results.document(rows)))
        with open(self.path("page.html"), encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(text.count('<h2 id="in_x'), 59)
        self.assertIn("119 rows were measured in more than one file", text)


class Charts(Case):
    def test_alone(self):
        charts = self.path("charts")
        for _ in range(2):  # the folder may already exist
            done = report(self.file("all.json", results.everything()), "--svg", charts)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        names = set(os.listdir(charts))
        self.assertLessEqual({"copy-ladder.svg", "copy-size.svg", "copy-block.svg", "copy-block-occupancy.svg",
                              "stride-stride.svg", "transpose-ladder.svg", "matmul-roofline.svg",
                              "copy-ladder-ladder.svg", "copy-ladder-2-ladder.svg"}, names)
        light = {name for name in names if not name.endswith("-dark.svg")}
        self.assertEqual(names - light, {name[:-4] + "-dark.svg" for name in light})
        for name in names:
            self.assertRegex(name, r"\A[a-z0-9-]{1,80}\.svg\Z")
            root = xml.etree.ElementTree.parse(os.path.join(charts, name)).getroot()
            self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
            kinds = {element.tag.split("}")[1] for element in root.iter()}
            self.assertLessEqual(kinds, {"svg", "title", "desc", "rect", "g", "path", "polygon", "text"})
            with open(os.path.join(charts, name), encoding="utf-8") as file:
                self.assertNotIn("var(", file.read())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--wideload", required=True)
    parser.add_argument("--source", required=True)
    arguments, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
