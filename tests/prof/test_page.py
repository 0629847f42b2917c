#!/usr/bin/env python3
"""`wideload prof --page`: the pictures show what the counters say, names are text, and the page's size is bounded.

    test_page.py --wideload PROGRAM --program prof_program --source FOLDER
"""
import html.parser
import json
import os
import random
import re
import subprocess
import unittest

import command
from command import arguments, prof

VOID = {"meta", "link", "br", "img", "input"}


class Element:
    def __init__(self, tag, attributes, parent):
        self.tag, self.attributes, self.parent = tag, attributes, parent
        self.children = []

    def text(self):
        return "".join(c if isinstance(c, str) else c.text() for c in self.children)

    def all(self, tag=None, **wanted):
        """The elements below this one with the tag, and with these words among an attribute's."""
        found = []
        for child in self.children:
            if isinstance(child, str):
                continue
            if tag in (None, child.tag) and all(value in (child.attributes.get(name.rstrip("_")) or "").split()
                                                for name, value in wanted.items()):
                found.append(child)
            found += child.all(tag, **wanted)
        return found


class Parser(html.parser.HTMLParser):
    """A tree; every element must be closed in its turn."""

    def __init__(self):
        super().__init__()
        self.at = self.root = Element("", {}, None)

    def handle_starttag(self, tag, attrs):
        element = Element(tag, dict(attrs), self.at)
        self.at.children.append(element)
        if tag not in VOID and not self.get_starttag_text().endswith("/>"):
            self.at = element

    def handle_startendtag(self, tag, attrs):
        self.at.children.append(Element(tag, dict(attrs), self.at))

    def handle_endtag(self, tag):
        assert tag == self.at.tag, f"</{tag}> closes <{self.at.tag}> in line {self.getpos()[0]}"
        self.at = self.at.parent

    def handle_data(self, data):
        self.at.children.append(data)


def parse(text):
    parser = Parser()
    parser.feed(text)
    parser.close()
    assert parser.at is parser.root, f"<{parser.at.tag}> is not closed"
    return parser.root


def number(text):
    return float(text.replace(",", "").rstrip(" %"))


def figures(access):
    names, values = access.all("dt"), access.all("dd")
    return {name.text(): number(value.text()) for name, value in zip(names, values)}


def drawn(svg):
    """Sectors, or wavefronts, that a picture has."""
    boxes = svg.all("path", class_="s") + svg.all("path", class_="w")
    return sum(path.attributes["d"].count("M") for path in boxes if "k" not in path.attributes["class"].split())


def process(program="/p"):
    return json.dumps({"process": {"pid": 7, "parent": 1, "program": program, "arch": "sm_90", "proved": True}}) + "\n"


def line(number_, file="/nowhere/a.cu", **more):
    counters = {"global_load_requests": 10, "gld_transactions": 320, "gld_useful_bytes": 1280, "gld_moved_bytes": 10240,
                "inst_executed": 10, "thread_inst_executed": 320}
    kinds = [{"space": "global", "requests": 10, "transactions": 32, "moved": 10240, "useful": 1280,
              "block": [number_, 0, 0], "warp": 3, "access": "load", "bytes": 4, "mask": 0xffffffff,
              "address": 1 << 30, "stride": 128 + 32 * number_}]
    return {"file": file, "line": number_, "column": 1, "op": "ld.global.f32", "bytes": 4, "stride": 128,
            "counters": counters, "kinds": kinds, **more}


def launch(number_, kernel, lines, arrays=()):
    counters = {name: sum(one["counters"].get(name, 0) for one in lines) for name in lines[0]["counters"]}
    return json.dumps({"launch": {"pid": 7, "number": number_, "kernel": kernel, "grid": [1, 1, 1], "block": [32, 1, 1],
                                  "arch": "sm_90", "proved": True, "counters": counters, "lines": lines,
                                  "arrays": list(arrays)}}) + "\n"


class Page(command.Folder):
    def read(self, records, *options):
        """The text of the page of these records."""
        with open(self.place("records"), "wb") as file:
            file.write(records if isinstance(records, bytes) else records.encode())
        done = prof("--read", self.place("records"), "--page", self.place("a.html"), *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.text("a.html")

    def check_nothing_is_loaded(self, root):
        for element in root.all():
            self.assertNotIn(element.tag, {"script", "img", "iframe", "object", "embed", "video", "base", "form"})
            for name, value in element.attributes.items():
                self.assertFalse(name.startswith("on"), name)
                self.assertNotIn(name, {"src", "srcset", "action", "background"})
                if name.endswith("href"):
                    self.assertTrue(value.startswith("#") or value == "data:,", value)
        self.assertNotIn("url(", "".join(style.text() for style in root.all("style")))
        policy = [meta.attributes["content"] for meta in root.all("meta") if "http-equiv" in meta.attributes]
        self.assertTrue(policy[0].startswith("default-src 'none'"))

    def test_pictures_and_counters(self):
        """Of each access the page has the JSON's figures, and its pictures as many sectors as its requests took."""
        path, page = self.place("a.json"), self.place("a.html")
        done = prof("--json", path, "--page", page, arguments.program, "strided:8", "strided:8", "strided:2", "vectors",
                    "misaligned", "conflicts", "divergent")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        root = parse(self.text("a.html"))
        self.check_nothing_is_loaded(root)
        seen = pictures = 0
        for section in root.all("section"):
            kernel = section.all("h2")[0].text()
            lines = [one for run in document["launches"] for one in run["lines"]
                     if run["kernel"].split("(")[0].split()[-1] == kernel]
            for spot in section.all("details", class_="hit"):
                place = int(spot.all("span", class_="no")[0].text())
                for access in spot.all("div", class_="access"):
                    op, heading = access.all("code")[0].text(), access.all("h4")[0].text()
                    same = [one for one in lines if one["line"] == place and one["access"] == op and
                            (not one["stride"] or f"lanes {abs(one['stride'])} bytes" in heading)]
                    told = figures(access)
                    self.assertTrue(same, (kernel, place, op))
                    self.assertEqual(told["requests"], sum(one["requests"] for one in same))
                    self.assertEqual(told.get("sectors", 0), sum(one["transactions"] for one in same))
                    self.assertEqual(told.get("wavefronts", 0), sum(one["wavefronts"] for one in same))
                    self.assertEqual(told.get("wavefronts above the least", 0), sum(one["conflicts"] for one in same))
                    pictures += self.check_kinds(access, told)
                    seen += 1
        self.assertEqual(seen, sum(len({(one["line"], one["access"], one["stride"])
                                        for run in document["launches"] if run["kernel"] == name for one in run["lines"]})
                                   for name in {run["kernel"] for run in document["launches"]}))
        self.assertGreater(pictures, 10)

    def check_kinds(self, access, told):
        """Kinds add up to the figures, and pictures draw as many transactions as their kind has."""
        transactions = told.get("sectors", 0) + told.get("wavefronts", 0)
        rows = [[number(cell.text()) for cell in row.all("td")[:2]] for row in access.all("tr")[1:]]
        if rows:
            self.assertEqual(sum(row[1] for row in rows), told["requests"])
            self.assertEqual(sum(row[0] * row[1] for row in rows), transactions)
        else:
            rows = [[transactions / told["requests"], told["requests"]]]
        drawings = access.all("figure", class_="request")
        self.assertTrue(drawings)
        wanted = [max(rows, key=lambda row: (row[1], row[0]))[0], max(row[0] for row in rows)]
        for drawing, transactions in zip(drawings, wanted):
            svg = drawing.all("svg")[0]
            self.assertEqual(drawn(svg), transactions)
            self.assertTrue({f"{transactions:.0f} {unit}{s}" for unit in ("sector", "wavefront") for s in ("", "s")} &
                            {text.text() for text in svg.all("text")})
            self.assertEqual(svg.attributes["role"], "img")
            self.assertIn(svg.attributes["aria-label"], drawing.all("figcaption")[0].text())
        return len(drawings)

    def test_records_add_up(self):
        """Kinds and arrays are all of what the counters count."""
        records = self.place("records")
        with open(records, "w", encoding="utf-8"):
            pass
        library = os.path.join(os.path.dirname(os.path.abspath(arguments.wideload)), "lib", "wideload")
        subprocess.run([arguments.program, "strided:8", "vectors", "misaligned", "conflicts", "divergent"], check=True,
                       env=command.environment({"LD_LIBRARY_PATH": library, "WIDELOAD_PROF_OUT": records,
                                                "WIDELOAD_PROF_PAGE": "1"}), capture_output=True)
        with open(records, encoding="utf-8") as file:
            launches = [record["launch"] for record in map(json.loads, file) if "launch" in record]
        self.assertEqual(len(launches), 5)
        for run in launches:
            for one in run["lines"]:
                counters, kinds = one["counters"], one.get("kinds", [])
                for of, wanted in ((lambda kind: kind["requests"], "requests"),
                                   (lambda kind: kind["requests"] * kind["transactions"], "transactions")):
                    counted = sum(value for name, value in counters.items() if name.endswith(wanted))
                    self.assertEqual(sum(map(of, kinds)), counted, (run["kernel"], one["line"], one["op"]))
            moved = {way: sum(sum(array.get(way + "_moved", [])) for array in run["arrays"]) for way in ("read", "written")}
            counters = run["counters"]
            self.assertEqual(moved["read"], counters.get("gld_moved_bytes", 0))
            atomics = counters.get("global_atomic_transactions", 0) + counters.get("global_reduction_transactions", 0)
            self.assertEqual(moved["written"], counters.get("gst_moved_bytes", 0) + 32 * atomics)

    def test_array_words(self):
        def words(**cells):
            text = self.read(process() + launch(1, "k", [line(1)], [
                {"serial": 1, "address": 1 << 30, "size": 1024, "cell": 512, **cells}]) + json.dumps({"array": {
                    "pid": 7, "serial": 1, "address": 1 << 30, "size": 1024, "kind": "device", "name": "table"}}) + "\n")
            array = parse(text).all("div", class_="array")[0]
            self.assertIn("table 1 KiB, device memory", array.text())
            svg, caption = array.all("svg")[0], array.all("figcaption")[0].text()
            self.assertEqual((svg.attributes["role"], svg.attributes["aria-label"]), ("img", caption))
            return caption
        self.assertEqual(words(read_useful=[512, 512], read_moved=[4096, 4096]),
                         "k: reads each byte once, and moves each 8 times.")
        self.assertEqual(words(read_useful=[8192, 8192], read_moved=[8192, 8192], written_useful=[512], written_moved=[512]),
                         "k: reads each byte 16 times; writes each byte once, in 50 % of the array. A tile in shared memory or "
                         "registers, or a larger one, can save such re-reads.")
        self.assertEqual(words(read_useful=[512, 5120], read_moved=[512, 5120]),
                         "k: reads each byte 5.5 times on average, from once to 10 times. A tile in shared memory or "
                         "registers, or a larger one, can save such re-reads.")
        self.assertEqual(words(written_useful=[128, 128], written_moved=[512, 512]),
                         "k: writes 25 % of the bytes, and moves each once.")

    def test_variables_have_names(self):
        """The records have a module's variables as PTX names them, and the page as C++ does."""
        with open(self.place("a.ptx"), "w", encoding="ascii") as file:
            file.write(""".version 8.0
.target sm_75
.address_size 64
.global .align 4 .b8 unused[16];
.global .align 4 .b8 _ZN3lut5tableE[4096];
.global .attribute(.managed) .align 4 .b8 managed[2048];
.visible .entry look_up(.param .u64 out) {
    .reg .b32 %r<4>;
    .reg .b64 %rd<5>;
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd1, %r1, 4;
    mov.u64 %rd2, _ZN3lut5tableE;
    add.s64 %rd2, %rd2, %rd1;
    ld.global.u32 %r2, [%rd2];
    mov.u64 %rd3, managed;
    add.s64 %rd3, %rd3, %rd1;
    ld.global.u32 %r3, [%rd3];
    add.s32 %r2, %r2, %r3;
    ld.param.u64 %rd4, [out];
    add.s64 %rd4, %rd4, %rd1;
    st.global.u32 [%rd4], %r2;
    ret;
}
""")
        done = prof("--page", self.place("a.html"), arguments.program, f"load={self.place('a.ptx')}", "look_up")
        self.assertEqual(done.returncode, 0, done.stderr)
        headings = [array.all("h3")[0].text() for array in parse(self.text("a.html")).all("div", class_="array")]
        self.assertEqual(len(headings), 3)
        self.assertIn("lut::table 4 KiB, device memory", headings)
        self.assertIn("managed 2 KiB, managed memory", headings)

    def test_places(self):
        """An array without a name has the place that allocated it, or else its number."""
        def name(**more):
            text = self.read(process() + launch(1, "k", [line(1)], [
                {"serial": 3, "address": 1 << 30, "size": 512, "cell": 512, "read_moved": [512]}]) + json.dumps({"array": {
                    "pid": 7, "serial": 3, "address": 1 << 30, "size": 512, "kind": "managed", **more}}) + "\n")
            return parse(text).all("div", class_="array")[0].all("h3")[0].text()
        frames = [{"module": "/nowhere/libpeculiar.so", "offset": 12}]
        self.assertEqual(name(frames=frames), "Allocated at libpeculiar.so 512 bytes, managed memory")
        self.assertEqual(name(frames=frames, name="table"), "table 512 bytes, managed memory")
        self.assertEqual(name(frames=[]), "Allocation 3 512 bytes, managed memory")

    def test_arrays_that_are_not_shown(self):
        """Arrays beyond the most are counted, and what lies in none is added up over processes."""
        def text(arrays):
            lost = [{"serial": 0, "address": 0, "size": 0, "cell": 1, "read_moved": [512]}]
            shown = [{"serial": serial, "address": serial << 30, "size": 512, "cell": 512, "read_moved": [512]}
                     for serial in range(1, arrays + 1)]
            runs = [launch(1, "k", [line(1)], lost + shown), launch(1, "k", [line(1)], lost)]
            page = parse(self.read("".join(process().replace('"pid": 7', f'"pid": {pid}') +
                                           run.replace('"pid": 7', f'"pid": {pid}') for pid, run in enumerate(runs, 7))))
            self.assertEqual(len(page.all("div", class_="array")), min(arrays, 16))
            return page.text()
        self.assertEqual(text(16).count("Requests moved 1 KiB elsewhere"), 1)
        self.assertNotIn("not shown", text(16))
        self.assertIn("1 more array that moves less is not shown.", text(17))
        self.assertIn("2 more arrays that move less are not shown.", text(18))
        self.assertEqual(text(0).count("Requests moved 1 KiB elsewhere"), 1)

    def test_lines_that_no_source_has(self):
        """Line 0, which is of the compiler's own code, and lines past the end; the others stand among their neighbours."""
        source = self.place("a.cu")
        with open(source, "w", encoding="utf-8") as file:
            file.write("".join(f"line {i}\n" for i in range(1, 301)))
        text = self.read(process() + launch(1, "k", [line(n, source) for n in (0, 150, 152, 290, 300, 302, 4294967295)]))
        page = parse(text)
        self.assertLess(len(text), 100_000)
        code = {row.all("span", class_="no")[0].text(): row.all("code")[0].text() for row in page.all("div", class_="l")}
        self.assertEqual(code, {f"{n}": f"line {n}" for n in (148, 149, 151, 153, 154, 288, 289, *range(291, 300))})
        self.assertEqual([spot.all("code")[0].text() for spot in page.all("details", class_="hit")],
                         ["", "line 150", "line 152", "line 290", "line 300", "", ""])
        self.assertEqual([gap.text() for gap in page.all("p", class_="gap")], ["lines 155 to 287 are not shown"])

    def test_names_are_text(self):
        """Whatever programs, kernels, files, variables and sources are called."""
        wild = "<script>alert(1)</script>\"'&amp;<!--]]>\u202e\x01"
        source = self.place("<b>\"'.cu")
        with open(source, "wb") as file:
            file.write(b"first\n</code><script>x()</script> \xff\xfe\x80 '\"&lt;\n" + b"x" * 100000 + b"\nlast\n")
        lines = [line(2, source), line(3, source, op=wild, function=wild), line(1, None, ptx_line=4, op="o" * 100000)]
        del lines[2]["file"]
        array = {"serial": 1, "address": 1 << 30, "size": 1024, "cell": 512, "read_useful": [1], "read_moved": [32]}
        records = process(wild) + launch(1, wild, lines, [array]) + launch(2, "k" * 100000, lines) + json.dumps(
            {"array": {"pid": 7, "serial": 1, "address": 1, "size": 1024, "kind": wild, "name": wild}}) + "\n" + "".join(
            json.dumps(record) + "\n" for record in (
                {"error": {"pid": 7, "text": wild}}, {"checks": ["memory"]},
                {"finding": {"check": wild, "kind": wild, "count": 1, "text": wild, "kernel": wild, "file": source, "line": 1,
                             "block": [0, 0, 0], "thread": [1, 0, 0]}}))
        text = self.read(records)
        root = parse(text)
        self.check_nothing_is_loaded(root)
        self.assertLess(len(text), 120000)
        self.assertIn("</code><script>x()</script>", root.text())
        self.assertIn("\ufffd", root.text())
        self.assertNotIn("\x01", text)
        self.assertEqual(root.all("h2")[0].text(), "<script>")
        self.assertIn("<script>alert(1)</script>", root.all("div", class_="array")[0].text())

    def test_program_name(self):
        """A program whose name is no UTF-8."""
        program = os.path.join(os.fsencode(self.folder), b"\xff<b>")
        os.symlink(arguments.program, program)
        subprocess.run([arguments.wideload, "prof", "--page", self.place("a.html"), program, "vectors"],
                       env=command.environment(), check=True, capture_output=True)
        self.assertIn("\ufffd<b>", parse(self.text("a.html")).all("h1")[0].text())

    def test_size(self):
        """20 kernels of many lines stay under 2 MB, as do hundreds; what is left out is said."""
        draw = random.Random(1)
        lines = [line(3 * i + 1) for i in range(120)]
        for n, one in enumerate(lines):  # the largest pictures: scattered lanes, and in shared memory many wavefronts
            one["kinds"] = [{**one["kinds"][0], "space": space, "transactions": transactions, "offsets": [
                unit * place for place in draw.sample(range(1 << 12), 32)]}
                            for space, transactions, unit in (("global", 32, 96), ("shared", 31 + n % 2, 128))]
            for kind in one["kinds"]:
                del kind["stride"]
        arrays = [{"serial": serial, "address": serial << 30, "size": 65536, "cell": 512, "read_useful": noise, "read_moved": [
            2 * times for times in noise], "written_useful": noise, "written_moved": noise}
                  for serial in range(1, 40) for noise in [[draw.randrange(1 << 20) for _ in range(128)]]]
        for kernels, count, words in ((20, 120, "more lines with accesses"), (300, 20, "more kernels have no section")):
            text = self.read(process() + "".join(launch(i + 1, f"kernel{i}", lines[:count], arrays if i < 20 else [])
                                                 for i in range(kernels)))
            self.assertLess(len(text), 2_000_000)
            self.assertIn(words, text)
            self.assertIn("arrays that move less are not shown", text)
            self.assertGreater(len(parse(text).all("figure", class_="request")), 100 if kernels == 20 else 40)

    def test_many_faults(self):
        fault = {"kind": "address", "text": "astray", "kernel": "k", "file": "/nowhere/a.cu", "line": 9}
        run = json.loads(launch(1, "k", [line(4)]))
        run["launch"]["fault"] = fault
        same = "".join(json.dumps({"launch": {"pid": 7, "number": n, "same": 1}}) + "\n" for n in range(2, 5001))
        text = self.read(process() + json.dumps(run) + "\n" + same)
        self.assertIn("4950 more like these", text)
        self.assertLess(len(text), 60000)

    def test_marks(self):
        """Findings stand at their lines, doubts have their words, and a fault is said."""
        doubtful = line(4, doubts=["order"])
        fault = {"kind": "address", "text": "astray", "kernel": "k", "file": "/nowhere/a.cu", "line": 9}
        run = json.loads(launch(1, "k", [doubtful]))
        run["launch"]["fault"] = fault
        text = self.read(process() + json.dumps(run) + "\n" + "".join(json.dumps(record) + "\n" for record in (
            {"checks": ["race"]}, {"finding": {"check": "memory", "kind": "leak", "count": 1, "text": "#1 leaks"}},
            {"finding": {"check": "race", "kind": "r", "count": 1, "text": "a race", "kernel": "k", "file": "/nowhere/a.cu",
                         "line": 4, "other": {"file": "/nowhere/a.cu", "line": 7}}})))
        root = parse(text)
        spots = {spot.all("span", class_="no")[0].text(): spot for spot in root.all("details", class_="hit")}
        self.assertEqual(sorted(spots), ["4", "7", "9"])
        self.assertIn("~", spots["4"].all("summary")[0].text())
        self.assertIn("the order in which threads come to an atomic", spots["4"].text())
        self.assertIn("a race", spots["4"].text())
        self.assertIn("The other place is a.cu:4.", spots["7"].text())
        self.assertIn("astray", spots["9"].text())
        self.assertIn("its figures are partial", root.text())
        self.assertIn("The checks found 1 bug.", root.text())
        self.assertIn("1 allocation was never freed", root.text())

    def test_without_pictures(self):
        """What has no picture says so, and what was counted by other rules is not drawn."""
        plain = line(4)
        del plain["kinds"]
        texture = line(5, op="tex.2d", counters={"texture_load_requests": 3, "texture_load_transactions": 6})
        del texture["kinds"]
        wrong = line(6)
        wrong["kinds"][0]["transactions"] = 31
        cluster = line(7)
        cluster["kinds"][0]["space"] = "cluster"
        text = self.read(process() + launch(1, "k", [plain, texture, wrong, cluster]))
        spots = [spot.text() for spot in parse(text).all("details", class_="hit")]
        for spot, words in zip(spots, ("no example of a request", "Texture fetches have figures and no picture",
                                       "counted by rules that this program does not have",
                                       "other blocks' shared memory have figures and no picture")):
            self.assertIn(words, spot)
        for spot in (spots[0], spots[2]):
            self.assertIn("lanes 128 bytes apart: each 32-byte sector brings 4 useful bytes", spot)
        self.assertEqual(parse(text).all("svg", role="img"), [])

    def test_lines_of_a_cache(self):
        """Rules that move whole lines are told of in lines."""
        done = prof("--arch", "fermi", "--page", self.place("a.html"), arguments.program, "strided:64")
        self.assertEqual(done.returncode, 0, done.stderr)
        load, store = parse(self.text("a.html")).all("div", class_="access")[:2]
        self.assertEqual((figures(load)["lines per request"], figures(store)["sectors per request"]), (32, 4))
        self.assertIn("32 lines where 1 would do", load.text())

    def test_nothing_ran(self):
        text = self.read(process())
        self.assertIn("No launch was recorded", parse(text).text())
        torn = self.read(process() + launch(1, "k", [line(4)]) + "torn\n")
        self.assertIn("1 record is damaged", re.sub(r"\s+", " ", parse(torn).text()))

    def test_options(self):
        """The file is refused where it is another one, and appears whole or not at all."""
        for words, said in ((["--page", "-"], "--page: standard output is the program's"), (["--page", ""], "--page: an empty"),
                            (["--page", self.place("x"), "--json", self.place("x")], "both go to"),
                            (["--page", self.place("no/a.html")], "--page: ")):
            done = prof(*words, arguments.program, "vectors")
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)
        self.assertEqual(os.listdir(self.folder), [])
        done = prof("--page", "/dev/full", arguments.program, "vectors")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(os.listdir(self.folder), [])


if __name__ == "__main__":
    command.main()
