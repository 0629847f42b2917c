#!/usr/bin/env python3
"""wideload prof --sarif: its structure, each kind of result, places as URIs, and what is said of an incomplete report."""
import json
import os
import subprocess
import urllib.parse

from command import Folder, arguments, environment, main, prof

# OASIS's schema, as far as we write it: an object's members by type, with ! where one must be there.
OBJECTS = {
    "log": {"$schema!": str, "version!": str, "runs!": ["run"]},
    "run": {"tool!": "tool", "invocations!": ["invocation"], "originalUriBaseIds!": {"": "artifact"}, "results!": ["result"]},
    "tool": {"driver!": "driver"},
    "driver": {"name!": str, "version!": str, "rules!": ["rule"]},
    "rule": {"id!": str, "shortDescription!": "message", "help!": "message"},
    "message": {"text!": str},
    "invocation": {"executionSuccessful!": bool, "toolExecutionNotifications!": ["notification"]},
    "notification": {"level!": str, "message!": "message"},
    "result": {"ruleId!": str, "ruleIndex!": int, "level!": str, "message!": "message", "locations!": ["location"],
               "relatedLocations": ["location"], "partialFingerprints!": {"": str}, "properties!": "properties"},
    "properties": {"kind!": str, "occurrences!": int, "launches!": int},
    "location": {"physicalLocation": "physical", "logicalLocations": ["logical"], "message": "message"},
    "physical": {"artifactLocation!": "artifact", "region": "region"},
    "artifact": {"uri!": str, "uriBaseId": str},
    "region": {"startLine!": int, "startColumn": int},
    "logical": {"fullyQualifiedName!": str, "decoratedName!": str, "kind!": str},
}


def violations(value, kind, where="$"):
    if isinstance(kind, list):
        for i, item in enumerate(value if isinstance(value, list) else [None]):
            yield from violations(item, kind[0], f"{where}[{i}]")
    elif isinstance(kind, dict) and "" in kind:
        for name, item in value.items():
            yield from violations(item, kind[""], f"{where}.{name}")
    elif isinstance(kind, str):
        members = {name.rstrip("!"): of for name, of in OBJECTS[kind].items()}
        if not isinstance(value, dict):
            yield f"{where} is no {kind}"
            return
        needed = {name[:-1] for name in OBJECTS[kind] if name.endswith("!")}
        yield from (f"{where}: no {name}" for name in sorted(needed - set(value)))
        yield from (f"{where}: unknown {name}" for name in sorted(set(value) - set(members)))
        for name in set(value) & set(members):
            yield from violations(value[name], members[name], f"{where}.{name}")
    elif type(value) is not kind:  # a bool is no int here
        yield f"{where} is no {kind.__name__}"


class Sarif(Folder):
    def read(self, path):
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        self.assertEqual(list(violations(document, "log")), [])
        self.assertEqual(document["version"], "2.1.0")
        [run] = document["runs"]
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        self.assertEqual(len(set(rules)), len(rules))
        for result in run["results"]:
            self.assertEqual(rules[result["ruleIndex"]], result["ruleId"])
            self.assertIn(result["level"], ("error", "warning", "note"))
            self.assertGreaterEqual(result["properties"]["occurrences"], 1)
        return run

    def run_of(self, options, *steps, **keywords):
        path = self.place("a.sarif")
        done = prof(*options, "--sarif", path, arguments.program, *steps, **keywords)
        return done, self.read(path)

    def results(self, options, *steps, **keywords):
        return self.run_of(options, *steps, **keywords)[1]["results"]

    def loaded(self, file, body, line=7):
        """The steps that run a kernel k, whose instructions are at a line of a file; None: without lines."""
        head = b".version 8.0\n.target sm_75\n.address_size 64\n"
        if file is not None:
            head += b'.file 1 "' + file + b'"\n'
            body = b"\n".join(b".loc 1 %d 3\n%s" % (line + i, text) for i, text in enumerate(body.splitlines()))
        with open(self.place("a.ptx"), "wb") as out:
            out.write(head + b".visible .entry k(.param .u64 p) {\n.reg .b64 %r; .reg .b32 %a; .shared .b32 s[64];\n"
                      b"ld.param.u64 %r, [p];\n" + body + b"\nret;\n}\n")
        return f"load={self.place('a.ptx')}", "k"


MISALIGNED = b"st.global.u64 [%r+1], %r;"


class Results(Sarif):
    def test_gates_and_waste(self):
        gate, waste = self.results(["--fail-if", "gld_efficiency<80"], "strided:2", "vectors",
                                   more={"GITHUB_WORKSPACE": arguments.source})
        self.assertEqual([gate["ruleId"], gate["level"]], ["fail-if", "error"])
        self.assertIn("gld_efficiency<80: gld_efficiency is 50.00%", gate["message"]["text"])
        self.assertEqual([waste["ruleId"], waste["level"]], ["waste", "warning"])
        self.assertIn("lanes 8 bytes apart", waste["message"]["text"])
        for result in gate, waste:
            [location] = result["locations"]
            self.assertEqual(location["physicalLocation"]["artifactLocation"],
                             {"uri": "tests/prof/kernels.cu", "uriBaseId": "%SRCROOT%"})
            self.assertEqual(location["physicalLocation"]["region"]["startLine"], 4)
            self.assertGreater(location["physicalLocation"]["region"]["startColumn"], 0)
            [kernel] = location["logicalLocations"]
            self.assertEqual([kernel["fullyQualifiedName"], kernel["decoratedName"]],
                             ["void strided<float>(float*, float const*, int)", "_Z7stridedIfEvPT_PKS0_i"])
        self.assertNotIn("relatedLocations", gate)

    def test_the_same_as_github(self):
        done, run = self.run_of(["--github", "--check", "memory", "--fail-if", "gld_efficiency<80"], "strided:2",
                                "out_of_bounds", "misaligned", "conflicts")
        lines = [line for line in done.stderr.splitlines() if line.startswith("::")]
        self.assertEqual([line.split()[0][2:] for line in lines], [result["level"] for result in run["results"]])
        for line, result in zip(lines, run["results"]):
            self.assertIn(result["message"]["text"], urllib.parse.unquote(line))

    def test_findings(self):
        [finding] = self.results(["--check", "memory"], *["out_of_bounds"] * 5)
        self.assertEqual([finding["ruleId"], finding["level"]], ["memory", "error"])
        self.assertEqual(finding["properties"], {"kind": "out-of-bounds", "occurrences": 160, "launches": 5})

    def test_leaks(self):
        for check, level in ("memory", "note"), ("leak", "error"):
            [leak] = self.results(["--check", check], "vectors", "leak")
            self.assertEqual([leak["ruleId"], leak["level"], leak["locations"]], ["leak", level, []])

    def test_faults(self):
        [fault] = self.results([], "_Z6beyondIiEvPT_")
        self.assertEqual([fault["ruleId"], fault["level"], fault["properties"]["kind"]], ["fault", "error", "address"])
        [location] = fault["locations"]
        self.assertEqual(location["logicalLocations"][0]["fullyQualifiedName"], "void beyond<int>(int*)")
        self.assertIn("startLine", location["physicalLocation"]["region"])

    def test_races(self):
        race = b"mov.u32 %a, %tid.x;\nst.shared.u32 [s], %a;\nld.shared.u32 %a, [s];\nst.global.u32 [%r], %a;"
        found = self.results(["--check", "race"], *self.loaded(b"/a/b.cu", race))
        self.assertTrue(found)
        for result in found:
            self.assertEqual([result["ruleId"], result["level"]], ["race", "error"])
            [other] = result["relatedLocations"]
            self.assertEqual(other["message"]["text"], "the other access")
            self.assertEqual(other["physicalLocation"]["artifactLocation"]["uri"], "file:///a/b.cu")
            self.assertIn(other["physicalLocation"]["region"]["startLine"], range(8, 11))

    def test_lines_of_ptx(self):
        # Without -lineinfo there is a kernel and no file.
        race = b"mov.u32 %a, %tid.x; st.shared.u32 [s], %a; st.global.u32 [%r], %a;"
        for check, rule, body in ("memory", "memory", MISALIGNED), ("race", "race", race):
            found = [result for result in self.results(["--check", check], *self.loaded(None, body))
                     if result["ruleId"] == rule]
            self.assertTrue(found)
            for result in found:
                for location in result["locations"] + result.get("relatedLocations", []):
                    self.assertEqual(location["logicalLocations"][0]["fullyQualifiedName"], "k")
                    self.assertRegex(location["message"]["text"], r"\APTX line \d+\Z")
                    self.assertNotIn("physicalLocation", location)

    def test_nothing(self):
        done, run = self.run_of(["--check", "memory"], "vectors")
        self.assertEqual((done.returncode, run["results"]), (0, []))
        self.assertEqual(run["invocations"], [{"executionSuccessful": True, "toolExecutionNotifications": []}])

    def test_fingerprints(self):
        # They stay when lines move, and tell accesses and kernels apart.
        def found(*steps, check="memory"):
            results = self.results(["--check", check], *steps)
            return [result["partialFingerprints"]["wideload/v1"] for result in results if result["ruleId"] == check]
        first = found(*self.loaded(b"/a.cu", MISALIGNED))
        self.assertEqual(len(first), 1)
        self.assertEqual(found(*self.loaded(b"/a.cu", MISALIGNED, line=70)), first)
        self.assertNotEqual(found("out_of_bounds"), first)


class Places(Sarif):
    def uri(self, file, **keywords):
        run = self.run_of(["--check", "memory"], *self.loaded(file, MISALIGNED), **keywords)[1]
        [finding] = [result for result in run["results"] if result["ruleId"] == "memory"]
        artifact = finding["locations"][0]["physicalLocation"]["artifactLocation"]
        return artifact, run["originalUriBaseIds"]["%SRCROOT%"]["uri"]

    def test_relative(self):
        folder = os.path.realpath(self.folder)
        inside = {"uri": "x/a.cu", "uriBaseId": "%SRCROOT%"}
        root = f"file://{urllib.parse.quote(folder)}/"
        plain = {"cwd": folder, "more": {"GITHUB_WORKSPACE": ""}}
        for file in f"{folder}/x/a.cu", f"{folder}/y/.././x//a.cu", "x/a.cu", "./y/../x/a.cu":
            self.assertEqual(self.uri(file.encode(), **plain), (inside, root), file)
        self.assertEqual(self.uri(b"/else/../else/a.cu", **plain)[0], {"uri": "file:///else/a.cu"})
        self.assertEqual(self.uri(f"{folder}x/a.cu".encode(), **plain)[0]["uri"], f"{root[:-1]}x/a.cu")
        # In a workflow, the workspace is the root, whatever the current folder is.
        work = {"cwd": "/", "more": {"GITHUB_WORKSPACE": folder + "//"}}
        self.assertEqual(self.uri(f"{folder}/x/a.cu".encode(), **work), (inside, root))
        self.assertEqual(self.uri(b"x/a.cu", **work)[0], {"uri": "file:///x/a.cu"})

    def test_escapes(self):
        folder = os.path.realpath(self.folder)
        name = b"a b%c#d?\xe9:[1]\xc3\xa4.cu"  # the simulator records U+FFFD for what is no UTF-8
        artifact, _ = self.uri(os.fsencode(folder) + b"/" + name, cwd=folder, more={"GITHUB_WORKSPACE": ""})
        self.assertEqual(artifact["uri"], "a%20b%25c%23d%3F%EF%BF%BD%3A%5B1%5D%C3%A4.cu")

    def test_names_are_no_links(self):
        # "[words](target)" in a message would be a link, and "{0}" a placeholder.
        [gate] = [result for result in self.results(["--fail-if", "gld_efficiency<80 "], "strided:2")
                  if result["ruleId"] == "fail-if"]
        self.assertIn("gld_efficiency<80 ", gate["message"]["text"])
        path = self.place("records")
        text = "see [here](http://evil.example) {0} \u001b[31m"
        with open(path, "w", encoding="utf-8") as file:
            for record in ({"process": {"pid": 1, "parent": 0, "program": "p", "arch": "sm_90", "proved": True}},
                           {"checks": ["memory"]},
                           {"finding": {"pid": 1, "check": "memory", "kind": "out-of-bounds", "address": 1, "count": 1,
                                        "text": text, "kernel": "_Z1f\u001b"}}):
                file.write(json.dumps(record) + "\n")
        prof("--read", path, "--sarif", self.place("b.sarif"))
        [finding] = self.read(self.place("b.sarif"))["results"]
        self.assertEqual(finding["message"]["text"], text.replace("](", "] (").replace("{0}", "{{0}}"))


class Files(Sarif):
    def test_read(self):
        records = self.place("records")
        with open(records, "w", encoding="ascii"):
            pass
        library = os.path.join(os.path.dirname(os.path.abspath(arguments.wideload)), "lib", "wideload")
        steps = ["strided:2", "vectors"]
        subprocess.run([arguments.program, *steps], check=True, timeout=120,
                       env=environment({"WIDELOAD_PROF_OUT": records, "LD_LIBRARY_PATH": library}))
        self.assertEqual(prof("--read", records, "--sarif", self.place("b.sarif")).returncode, 0)
        self.assertEqual(self.read(self.place("b.sarif")), self.run_of([], *steps)[1])

    def test_places(self):
        path = self.place("a.sarif")
        for options, says in ((["--sarif", self.place("none/a")], "--sarif"), (["--sarif", ""], "empty file name"),
                              (["--sarif", "-"], "standard output"), (["--sarif", path, "--json", path], "--sarif"),
                              (["--sarif", arguments.program], "the program")):
            done = prof(*options, arguments.program, "vectors")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertRegex(done.stderr, r"\Awideload: [^\n]+\n\Z")
            self.assertIn(says, done.stderr)
        self.assertEqual(os.listdir(self.folder), [])

    def test_no_room(self):
        done = prof("--sarif", "/dev/full", arguments.program, "vectors")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"(?m)^wideload: [^\n]*/dev/full[^\n]*No space left")

    def test_incomplete(self):
        for options, steps, says in ((["--timeout", "1"], ["vectors", "endless"], "the report is incomplete"),
                                     ([], ["exit=0"], "no process opened the simulator"),
                                     (["--fail-if", "branch>9", "--kernel", "none"], ["vectors"], "no launch was there")):
            run = self.run_of(options, *steps)[1]
            [invocation] = run["invocations"]
            self.assertIs(invocation["executionSuccessful"], False)
            [notification] = invocation["toolExecutionNotifications"]
            self.assertEqual(notification["level"], "error")
            self.assertIn(says, notification["message"]["text"])

    def test_messages_of_the_driver(self):
        with open(self.place("a.ptx"), "w", encoding="ascii") as file:
            file.write(".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() { frobnicate; ret; }\n")
        run = self.run_of([], f"load={self.place('a.ptx')}", "k")[1]
        words = [(one["level"], one["message"]["text"]) for one in run["invocations"][0]["toolExecutionNotifications"]]
        self.assertTrue([text for level, text in words if level == "warning" and "frobnicate" in text], words)


if __name__ == "__main__":
    main()
