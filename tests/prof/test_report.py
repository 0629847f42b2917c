#!/usr/bin/env python3
"""wideload prof's report about a program: figures, names, gates and findings."""
import csv
import json
import os
import re
import signal
import subprocess
import sys

from command import Folder, arguments, environment, main, prof, ran
import terminal


class Figures(Folder):
    def test_table(self):
        # Compared as a whole; --update rewrites it.
        done = ran("strided:8", "strided:2", "vectors", "misaligned", "conflicts")
        report = done.stderr.replace(arguments.program, "PROGRAM")
        golden = os.path.join(arguments.source, "tests", "prof", "table.exact")
        if arguments.update:
            with open(golden, "w", encoding="utf-8") as file:
                file.write(report)
        with open(golden, encoding="utf-8") as file:
            self.assertEqual(report, file.read())
        for line in report.splitlines():
            self.assertLessEqual(len(line), 100)
            self.assertEqual(line, line.rstrip())

    def in_terminal(self, columns, *command):
        """The output to a terminal with that many columns."""
        status, text = terminal.shown([arguments.wideload, "prof", *command], "stderr", columns, env=environment())
        self.assertEqual(status, 0)
        return text.decode().replace("\r\n", "\n")

    def test_names_of_templates(self):
        # Distinguishing arguments of kernels; if they do not fit, one line per name.
        kernels = ["_Z32a_kernel_with_a_rather_long_nameI1A1CEvv", "_Z32a_kernel_with_a_rather_long_nameI1B1CEvv"]
        with open(self.place("a.ptx"), "w", encoding="ascii") as file:
            file.write(".version 8.0\n.target sm_75\n.address_size 64\n" +
                       "".join(f".visible .entry {kernel}() {{ ret; }}\n" for kernel in kernels))
        command = [arguments.program, f"load={self.place('a.ptx')}", *kernels]
        name = "a_kernel_with_a_rather_long_name"
        wide, narrow = self.in_terminal(100, *command), self.in_terminal(50, *command)
        self.assertRegex(wide, rf"(?m)^{name}<A, \.\.> +1 +0 .*\n{name}<B, \.\.> +1 +0 ")
        self.assertRegex(narrow, rf"(?m)^  kernel\n +runs .*\n  {name}<A, \.\.>\n +1 +0 .*\n  {name}<B, \.\.>\n +1 +0 ")
        for line in narrow.splitlines()[1:]:
            self.assertLessEqual(len(line), 50)

    def test_lines(self):
        done = prof("--lines", arguments.program, "strided:2", "vectors", "conflicts")
        self.assertRegex(done.stderr, r"ld\.global\.v4\.[fu]32 +16 +1 +16\.00 +100 ")
        self.assertRegex(done.stderr, r"(?m)^ +4 +ld\.global\.f32 +4 +1 +8\.00 +50 .*out\[i\] = in\[i \* stride\];$")
        self.assertIn("lanes 8 bytes apart: each 32-byte sector brings 16 useful bytes", done.stderr)
        for line in done.stderr.replace(arguments.source, "SOURCE").splitlines():
            self.assertLessEqual(len(line), 100)

    def test_long_name(self):
        # The name of a program in a deep folder gets its own line; the rest of the heading follows below.
        folder = os.path.join(self.folder, "a" * 60, "b" * 60)
        os.makedirs(folder)
        program = os.path.join(folder, "program")
        os.symlink(arguments.program, program)
        report = prof("--each", program, "strided:2").stderr.replace(program, "PROGRAM")
        self.assertIn("wideload prof: PROGRAM:\n1 launch; counting rules sm_90\n", report)

    def test_long_metrics(self):
        # Two launches with the longest names and large numbers: shortened only if necessary.
        names = ["l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio",
                 "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"]
        with open(self.place("a.ptx"), "w", encoding="ascii") as file:
            file.write(".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry busy(.param .u64 p) {\n"
                       ".reg .b32 %r<2>;\n.reg .pred %p;\nmov.u32 %r1, 0;\nL: add.u32 %r1, %r1, 1;\n"
                       "setp.lt.u32 %p, %r1, 4000000;\n@%p bra L;\nret;\n}\n")
        done = prof("--metrics", ",".join([*names, "thread_inst_executed"]), arguments.program,
                    f"load={self.place('a.ptx')}", "busy")
        for line in done.stderr.splitlines():
            self.assertLessEqual(len(line), 100)
        self.assertRegex(done.stderr, r"(?m)^  thread_inst_executed .* 384\.00M  ?384\.00M  ?384\.00M$")
        self.assertIn(names[0], done.stderr)
        self.assertIn("\n  runs: 1\n", done.stderr)
        done = prof("--metrics", "thread_inst_executed", arguments.program, f"load={self.place('a.ptx')}", "busy")
        self.assertRegex(done.stderr, r"384\d{6}")

    def test_very_long_name(self):
        # A kernel's long name: lines keep their width, its ends are shown, and files have all of it.
        name = "k" + "x" * 10000 + "y"
        with open(self.place("a.ptx"), "w", encoding="ascii") as file:
            file.write(f".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry {name}(.param .u64 p) {{\n"
                       ".reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\nst.global.u64 [%rd1], %rd1;\nret;\n}\n")
        steps = [f"load={self.place('a.ptx')}", name]
        for options in [[], ["--lines"], ["--each"], ["--metrics", "all"], ["--fail-if", "gst_efficiency>1"]]:
            done, document = self.profiled(options, *steps)
            self.assertEqual(document["launches"][0]["kernel"], name)
            self.assertRegex(done.stderr, r"kxxxxx.*\.\.")
            for line in done.stderr.splitlines():
                self.assertLessEqual(len(line), 100)
        # A fault's line and address are not lost after the name.
        with open(self.place("a.ptx"), "r+", encoding="ascii") as file:
            text = file.read().replace("[%rd1], %rd1", "[1 << 60], %rd1")
            file.seek(0)
            file.write(text)
        done = ran(*steps)
        self.assertIn("thread (0,0,0)", re.sub(r"\s+", " ", done.stderr))

    def test_many_launches(self):
        # Each record once, in whatever order the launches alternate.
        path = self.place("a.json")
        steps = [f"strided:{stride}" for stride in range(1, 101)] * 5
        done = prof("--json", path, arguments.program, *steps)
        self.assertEqual(done.returncode, 0)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(len(json.load(file)["launches"]), 500)

    def test_json(self):
        sys.path.insert(0, os.path.join(arguments.source, "tests", "cli"))
        import schema  # pylint: disable=import-outside-toplevel
        _, document = self.profiled(["--lines"], "strided:2", "divergent", "out_of_bounds")
        with open(os.path.join(arguments.source, "docs", "wideload-prof-1.schema.json"), encoding="utf-8") as file:
            self.assertEqual(list(schema.violations(document, json.load(file))), [])
        self.assertEqual([launch["kernel"] for launch in document["launches"]],
                         ["void strided<float>(float*, float const*, int)", "divergent", "out_of_bounds"])
        strided, divergent, faulty = document["launches"]
        self.assertEqual(strided["metrics"]["gld_transactions"], 8)
        self.assertEqual(strided["metrics"]["gld_efficiency"], 50)
        self.assertEqual((strided["grid"], strided["block"]), ([1, 1, 1], [32, 1, 1]))
        access, = [line for line in strided["lines"] if line["access"].startswith("ld")]
        self.assertEqual((access["stride"], access["bytes"], access["transactions_per_request"]), (8, 4, 8))
        # Lanes diverge at one branch, and at the loop's whenever some of them leave it.
        self.assertGreater(divergent["metrics"]["divergent_branch"], 1)
        self.assertLess(divergent["metrics"]["branch_efficiency"], 100)
        self.assertEqual(faulty["fault"]["kind"], "address")

    def test_every_fault_is_reported(self):
        for kernel, kind in (("trapping", "stop"), ("asserting", "assert"), ("out_of_bounds", "address")):
            _, document = self.profiled([], kernel)
            launch, = document["launches"]
            self.assertEqual((launch["kernel"], launch["fault"]["kind"]), (kernel, kind))

    def test_outside(self):
        # Ten lanes read past the end of the only allocation, within its page.
        done, document = self.profiled([], "strided:6144")
        words = r"10 accesses outside any allocation, at kernels\.cu:4 \(ld\.global\.f32\): "
        self.assertEqual(done.returncode, 0)
        self.assertRegex(re.sub(r"\n +", " ", done.stderr), "note: strided<float>: " + words)
        self.assertRegex(document["launches"][0]["notes"][0], words)
        _, document = self.profiled([], "strided:4096")
        self.assertEqual(document["launches"][0]["notes"], [])
        done = prof("--check", "memory", arguments.program, "strided:6144")
        self.assertEqual(done.returncode, 1)
        self.assertIn("out of bounds", done.stderr)
        self.assertNotIn("note:", done.stderr)

    def test_selection(self):
        steps = ["vectors", "strided:2", "vectors", "strided:4", "strided:8"]
        _, document = self.profiled(["--kernel", "strided", "--launch-skip", "1", "--launch-count", "1",
                                     "--metrics", "gld_transactions"], *steps)
        self.assertEqual([launch["metrics"] for launch in document["launches"]], [{"gld_transactions": 16}])
        done = prof("--kernel", "none like this", arguments.program, *steps)
        self.assertIn("none of its 5 launches", done.stderr)

    def test_fork(self):
        # As with CUDA, a child may use the driver if its parent has not.
        _, document = self.profiled([], "fork", "vectors", "strided:2")
        names = [launch["kernel"].split("(")[0] for launch in document["launches"]]
        self.assertEqual(names, ["vectors", "void strided<float>"])

    def test_processes_side_by_side(self):
        path = self.place("a.json")
        steps = " ".join(["strided:2 vectors strided:4"] * 100)
        done = prof("--json", path, "/bin/sh", "-c", f"for i in 1 2 3 4; do {arguments.program} {steps} & done; wait")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("record", done.stderr)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(len(json.load(file)["launches"]), 1200)

    def test_repeats(self):
        _, document = self.profiled([], *["strided:2", "vectors", "strided:4"] * 50)
        self.assertEqual([launch["metrics"]["gld_transactions"] for launch in document["launches"]], [8, 16, 16] * 50)

    def test_graphs(self):
        # Each of a graph's kernels is a launch, each time the graph runs; a mere capture is none.
        _, document = self.profiled([], "capture", "strided:2", "vectors", "replay=3")
        self.assertEqual([launch["metrics"]["gld_transactions"] for launch in document["launches"]], [8, 16] * 3)
        _, document = self.profiled([], "capture", "strided:2", "replay=0")
        self.assertEqual(document["launches"], [])

    def test_arch(self):
        done = prof("--arch", "fermi", "--metrics", "gld_efficiency", arguments.program, "misaligned")
        self.assertIn("counting rules fermi (not held against hardware)", done.stderr)
        self.assertRegex(done.stderr, r"gld_efficiency +50\.00%")

    def test_csv(self):
        path = self.place("a.csv")
        prof("--csv", path, "--each", arguments.program, "strided:2", "strided:8")
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file, strict=True))
        self.assertEqual([row["gld_transactions"] for row in rows], ["8", "32"])
        self.assertEqual(rows[0]["kernel"], "void strided<float>(float*, float const*, int)")

    def test_peers(self):
        # Columns and words for what crosses to another device, only if something does.
        path = self.place("a.json")
        command = ["--each", "--json", path, arguments.program, "strided:8", "peer", "strided:8", "divergent"]
        done = prof(*command, more={"WIDELOAD_SIM_DEVICES": "2"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"peer ld +peer st")
        self.assertIn("peer st: those of stores, atomics and reductions that go to", re.sub(r"\s+", " ", done.stderr))
        with open(path, encoding="utf-8") as file:
            own, far, atomics = [row["metrics"] for row in json.load(file)["launches"]]
        names = [f"peer_{kind}_{what}" for kind in ("load", "store", "atomic") for what in ("requests", "transactions")]
        self.assertEqual([own[name] for name in names], [0, 0, 0, 0, 0, 0])
        self.assertEqual([far[name] for name in names], [1, 32, 1, 4, 0, 0])
        self.assertEqual(atomics["peer_atomic_requests"], 1)
        self.assertEqual(atomics["peer_atomic_transactions"], atomics["global_reduction_transactions"])
        self.assertEqual(atomics["peer_load_transactions"], atomics["gld_transactions"])
        self.assertNotIn("peer", ran("strided:8").stderr)

    def test_devices(self):
        # A launch's device, where there are others than the first.
        path = self.place("a.json")
        command = ["--each", "--json", path, arguments.program, "strided:8", "switch", "strided:8", "strided:8"]
        done = prof(*command, more={"WIDELOAD_SIM_DEVICES": "2"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r" # +dev +grid")
        self.assertRegex(done.stderr, r"strided\S* +3 +1 +1 +32 ")
        with open(path, encoding="utf-8") as file:
            self.assertEqual([launch["device"] for launch in json.load(file)["launches"]], [0, 1, 1])
        self.assertNotIn("dev", prof("--each", arguments.program, "strided:8").stderr)

    def test_metrics_help(self):
        done = prof("--metrics", "help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("\n  gld_efficiency\n  smsp__sass_average_data_bytes_per_sector", done.stdout)


class Marks(Folder):
    """Figures that may differ from a GPU's: a small array, which ptxas may keep in registers, and copies that are not
        counted as stores there."""
    PTX = (".version 8.0\n.target sm_80\n.address_size 64\n"
           ".visible .entry arrays(.param .u64 p) {\n.reg .b64 %rd<4>;\n.reg .b32 %r<4>;\n"
           ".local .align 4 .b8 own[16];\n.shared .align 16 .b8 tile[1024];\n"
           "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd1, %rd1, %rd2;\n"
           "mov.u64 %rd3, own;\nand.b64 %rd2, %rd2, 12;\nadd.u64 %rd3, %rd3, %rd2;\n"
           "st.local.u32 [%rd3], %r1;\nld.local.u32 %r2, [%rd3];\nst.global.u32 [%rd1], %r2;\n"
           "mov.u32 %r3, tile;\nshl.b32 %r1, %r1, 2;\nadd.u32 %r3, %r3, %r1;\n"
           "cp.async.ca.shared.global [%r3], [%rd1], 4;\ncp.async.wait_all;\nret;\n}\n"
           ".visible .entry plain(.param .u64 p) {\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\n"
           "st.global.u64 [%rd1], %rd1;\nret;\n}\n")

    def setUp(self):
        super().setUp()
        with open(self.place("a.ptx"), "w", encoding="ascii") as file:
            file.write(self.PTX)
        self.steps = [f"load={self.place('a.ptx')}", "arrays"]

    def test_tables(self):
        done = ran(*self.steps)
        self.assertRegex(done.stderr, r"(?m)^\*? *arrays .* ~\d+ ")
        self.assertIn(" ~: may differ from a GPU's, see the notes.", re.sub(r"\s+", " ", done.stderr))
        report = re.sub(r"\s+", " ", done.stderr)
        self.assertIn("note: arrays: ~ local, at PTX line 16 (st.local.u32): ptxas may keep arrays of local", report)
        self.assertIn("note: arrays: ~ kind, at PTX line 22 (cp.async.", report)
        # Another figure of the same row has no mark, nor has a kernel without doubts.
        self.assertNotIn("~", ran("vectors").stderr)
        lines = prof("--lines", arguments.program, *self.steps).stderr
        self.assertRegex(lines, r"(?m)^ .* st\.local\.u32 ~ ")
        self.assertRegex(lines, r"(?m)^ .* st\.global\.u32 +4 ")
        listed = prof("--metrics", "gst_transactions,local_load_requests", arguments.program, *self.steps).stderr
        self.assertRegex(listed, r"(?m)^ +\d+ +gst_transactions |^ +gst_transactions ")
        self.assertRegex(listed, r"(?m) ~local_load_requests ")
        self.assertNotIn("~gst_transactions", listed)

    def test_files(self):
        sys.path.insert(0, os.path.join(arguments.source, "tests", "cli"))
        import schema  # pylint: disable=import-outside-toplevel
        path = self.place("a.csv")
        _, document = self.profiled(["--csv", path], *self.steps, "plain")
        with open(os.path.join(arguments.source, "docs", "wideload-prof-1.schema.json"), encoding="utf-8") as file:
            self.assertEqual(list(schema.violations(document, json.load(file))), [])
        arrays, plain = document["launches"]
        uncertain = arrays["uncertain"]
        self.assertEqual(uncertain["local_load_transactions"], ["local"])
        self.assertEqual(uncertain["shared_store_transactions"], ["kind"])
        for name in ["gst_transactions", "global_store_requests", "inst_executed", "shared_load_transactions"]:
            self.assertNotIn(name, uncertain)
        self.assertLess(set(uncertain), set(arrays["metrics"]))
        self.assertEqual({line["access"]: line["uncertain"] for line in arrays["lines"] if line["uncertain"]},
                         {"st.local.u32": ["local"], "ld.local.u32": ["local"], "cp.async.shared.global": ["kind"]})
        self.assertEqual(plain["uncertain"], {})
        self.assertTrue(any(note.startswith("~ local, at ") for note in arrays["notes"]))
        with open(path, newline="", encoding="utf-8") as file:
            rows = {row["kernel"]: row["uncertain"].split() for row in csv.DictReader(file, strict=True)}
        self.assertEqual(rows["arrays"], list(uncertain))
        self.assertEqual([names for kernel, names in rows.items() if kernel != "arrays"], [[]])
        # By the requested names.
        name = "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum"
        _, document = self.profiled(["--metrics", f"{name},gst_transactions"], *self.steps)
        self.assertEqual(document["launches"][0]["uncertain"], {name: ["local"]})

    def test_gates(self):
        command = [arguments.program, *self.steps]
        done = prof("--fail-if", "local_load_requests>0", *command)
        self.assertEqual(done.returncode, 3)
        self.assertIn("FAIL local_load_requests>0: local_load_requests is 1 (~ may differ from a GPU's: local): arrays",
                      done.stderr)
        done = prof("--fail-if", "local_load_requests>9", *command)
        self.assertEqual(done.returncode, 0)
        self.assertIn("note local_load_requests>9: local_load_requests is 1 (~ may differ from a GPU's: local): arrays",
                      done.stderr)
        done = prof("--fail-if", "gst_transactions>9", *command)
        self.assertEqual((done.returncode, "gst_transactions>9" in done.stderr), (0, False))


class Names(Folder):
    def test_not_ascii(self):
        # nvcc writes the folder as "jos\\303\\251".
        folder = self.place("jos\u00e9")
        os.mkdir(folder)
        with open(os.path.join(folder, "a.cu"), "w", encoding="utf-8") as file:
            file.write("// one\nthe line that is told;\n")
        with open(self.place("a.ptx"), "w", encoding="ascii") as file:
            name = os.path.join(self.folder, "jos\\303\\251", "a.cu")
            file.write(f'.version 8.0\n.target sm_75\n.address_size 64\n.file 1 "{name}"\n'
                       ".visible .entry k(.param .u64 p) {\n.reg .b64 %r;\nld.param.u64 %r, [p];\n"
                       ".loc 1 2 1\nst.global.u64 [%r], %r;\nret;\n}\n")
        done, document = self.profiled(["--lines"], f"load={self.place('a.ptx')}", "k")
        self.assertIn("the line that is told", done.stderr)
        self.assertEqual(document["launches"][0]["lines"][0]["file"], os.path.join(folder, "a.cu"))

    def test_not_text(self):
        # File names may be any bytes; the output is valid text.
        folder = os.fsencode(self.folder)
        program = os.path.join(folder, b"pro\xe9\xffgram \xe2\x82")
        os.symlink(arguments.program, program)
        source = os.path.join(folder, b"a\xe9.cu")
        with open(source, "wb") as file:
            file.write(b"// caf\xe9\n")
        with open(self.place("a.ptx"), "wb") as file:
            file.write(b'.version 8.0\n.target sm_75\n.address_size 64\n.file 1 "' + source + b'"\n'
                       b".visible .entry k(.param .u64 p) {\n.reg .b64 %r;\nld.param.u64 %r, [p];\n"
                       b".loc 1 1 1\nst.global.u64 [%r+1], %r;\nret;\n}\n")
        files = [self.place(name) for name in ("a.json", "a.csv", "a.txt")]
        for check in ([], ["--check", "memory"]):
            done = subprocess.run([arguments.wideload, "prof", *check, "--lines", "--json", files[0], "--csv", files[1],
                                   "--output", files[2], program, f"load={self.place('a.ptx')}", "k"],
                                  env=environment(), capture_output=True, check=False, timeout=120)
            done.stderr.decode()
            texts = []
            for path in files:
                with open(path, encoding="utf-8") as file:
                    texts.append(file.read())
            self.assertIn("pro\ufffd\ufffdgram", json.loads(texts[0])["program"])
            self.assertTrue(json.loads(texts[0])["complete"])
            self.assertIn("a\ufffd.cu", texts[2])
        self.assertEqual(done.returncode, 1)
        self.assertIn("ERROR SUMMARY: 1 error", texts[2])
        self.assertEqual(prof("--json", os.path.join(folder, b"no\xff", b"a"), "/bin/true").returncode, 2)


class Gates(Folder):
    def test_gates(self):
        steps = [arguments.program, "strided:2", "vectors", "exit=9"]
        done = prof("--fail-if", "gld_efficiency<80", *steps)
        self.assertEqual(done.returncode, 3)
        self.assertIn("FAIL gld_efficiency<80: gld_efficiency is 50.00%: void strided<float>", done.stderr)
        self.assertNotIn("vectors(float4", done.stderr[done.stderr.index("FAIL"):])
        self.assertEqual(prof("--fail-if", "gld_efficiency<50", *steps).returncode, 9)
        self.assertEqual(prof("--fail-if", "gld_efficiency<50", "--fail-if", "branch==0", *steps).returncode, 3)
        self.assertEqual(prof("--fail-if", "gld_efficiency<80", "--kernel", "vectors", *steps).returncode, 9)
        # Nothing of this kind happened, so nothing is wrong with it.
        self.assertEqual(prof("--fail-if", "shared_efficiency<80", *steps).returncode, 9)

    def test_a_crash_or_a_timeout_is_the_status(self):
        # docs/prof.md: after a signal, the command ends with the same one; a passed gate is reported nevertheless.
        for steps, status in [(["crash"], -signal.SIGSEGV), ([f"kill={int(signal.SIGTERM)}"], -signal.SIGTERM)]:
            done = prof("--fail-if", "gld_efficiency<80", arguments.program, "strided:2", *steps)
            self.assertEqual(done.returncode, status)
            self.assertIn("FAIL gld_efficiency<80", done.stderr)
        for steps in [["sleep"], ["term", "sleep"]]:  # ended by the signal, and by itself because of it
            done = prof("--timeout", "1", "--fail-if", "gld_efficiency<80", arguments.program, "strided:2", *steps)
            self.assertEqual(done.returncode, 124)
            self.assertIn("FAIL gld_efficiency<80", done.stderr)

    def test_a_gate_without_launches_fails(self):
        done = prof("--fail-if", "gld_efficiency<80", "--kernel", "renamed", arguments.program, "vectors")
        self.assertEqual(done.returncode, 3)
        self.assertEqual(prof("--fail-if", "gld_efficiency<80", "/bin/true").returncode, 3)

    def test_github(self):
        done = prof("--github", "--fail-if", "gld_efficiency<80", arguments.program, "strided:2",
                    more={"GITHUB_WORKSPACE": arguments.source})
        lines = [line for line in done.stderr.splitlines() if line.startswith("::")]
        self.assertRegex(lines[0], r"^::error file=tests/prof/kernels\.cu,line=4,col=\d+::gld_efficiency<80: ")
        self.assertRegex(lines[1], r"^::warning file=tests/prof/kernels\.cu,line=4,col=\d+::.*lanes 8 bytes apart")

    def test_check(self):
        # A checking simulator reports that; one that does not check is not mistaken for one that found nothing.
        done = prof("--check", "memory", arguments.program, "vectors")
        if "nothing was checked" in done.stderr:
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, r"\Awideload: [^\n]+\n\Z")
        else:
            self.assertIn("ERROR SUMMARY: 0 errors", done.stderr)
            done = prof("--check", "memory", arguments.program, "out_of_bounds")
            self.assertEqual(done.returncode, 1)
            self.assertIn("kernels.cu:", done.stderr)

    def test_names_of_faults(self):
        # As they were written, also where the simulator truncated them.
        types = "7pair_ofI21another_pair_of_typesIifES1_IS0_IfdEiEE"
        for kernel, name in [("_Z6beyondIiEvPT_", "beyond<int>"), (f"_Z6astrayI{types}EvPi", "astray<..>")]:
            done, document = self.profiled(["--github"], kernel)
            self.assertIn(f"! launch 1 faulted, so its figures are partial: kernel {name}, ",
                          " ".join(done.stderr.split()))
            self.assertNotIn("_Z", done.stderr)
            self.assertRegex(document["launches"][0]["fault"]["text"], rf"^kernel {name}, ")

    def test_hints_of_faults(self):
        # Names the check that explains a fault, if it is off.
        with open(self.place("a.ptx"), "w", encoding="ascii") as file:
            file.write(".version 8.0\n.target sm_75\n.address_size 64\n"
                       ".visible .entry waits() { bar.sync 1, 64; ret; }\n"
                       ".visible .entry traps() { trap; ret; }\n"
                       ".visible .entry strays() { .reg .b64 a; .reg .b32 r; mov.u64 a, 2; ld.global.u32 r, [a]; ret; }")
        for kernel, check in ("waits", "sync"), ("strays", "memory"), ("traps", None):
            command = [arguments.program, f"load={self.place('a.ptx')}", kernel]
            self.assertEqual(re.findall(r"run with --check (\w+)", prof(*command).stderr), [check] if check else [])
            self.assertNotIn("run with", prof("--check", "memory,sync", *command).stderr)

    def test_undefined(self):
        # A plain report names the check for tolerated errors: a shuffle from exited lanes, half a warp's barrier.
        start = ".reg .pred p; .reg .b32 a, b; mov.u32 a, %tid.x; setp.ge.u32 p, a, 20;"
        with open(self.place("a.ptx"), "w", encoding="ascii") as file:
            file.write(".version 8.0\n.target sm_75\n.address_size 64\n"
                       f".visible .entry exited() {{ {start} @p ret; shfl.sync.down.b32 b, a, 1, 31, -1; ret; }}\n"
                       f".visible .entry named() {{ {start} @p ret; shfl.sync.down.b32 b, a, 1, 31, 0xfffff; ret; }}\n"
                       f".visible .entry half() {{ {start} @p bra L; bar.sync 0; L: add.u32 a, a, 1; ret; }}\n"
                       f".visible .entry whole() {{ {start} @p ret; bar.sync 0; ret; }}\n")
        for kernel, undefined in ("exited", True), ("named", False), ("half", True), ("whole", False):
            command = [arguments.program, f"load={self.place('a.ptx')}", kernel]
            self.assertEqual("run with --check sync" in " ".join(prof(*command).stderr.split()), undefined, kernel)
            self.assertEqual(prof("--check", "sync", *command).returncode, undefined)

    def test_bugs_of_several_launches(self):
        # A bug is reported once, to every reader, with its number of occurrences.
        done, document = self.profiled(["--check", "memory", "--github"], *["out_of_bounds"] * 5, "vectors")
        self.assertEqual(done.returncode, 1)
        self.assertIn("ERROR SUMMARY: 1 error\n", done.stderr)
        self.assertIn("=========     160 times in 5 launches\n", done.stderr)
        self.assertEqual(len(re.findall(r"^::error .*\(160 times in 5 launches\)$", done.stderr, re.M)), 1)
        [finding] = document["findings"]
        self.assertEqual([finding[name] for name in ("kind", "level", "times", "launches")],
                         ["out-of-bounds", "error", 160, 5])

    def test_leaks(self):
        # Leaked memory is a note, and an error if that check is requested.
        for check, status, level, annotation in [("memory", 3, "note", "notice"), ("leak", 1, "error", "error"),
                                                 ("race,memory,leak", 1, "error", "error")]:
            done, document = self.profiled(["--check", check, "--github"], "vectors", "leak", "exit=3")
            self.assertEqual(done.returncode, status)
            self.assertRegex(done.stderr, r"========= allocation #\d+ \(0x[0-9a-f]+, 100 bytes\) was never freed\n")
            self.assertIn(f"ERROR SUMMARY: {int(status == 1)} error", done.stderr)
            self.assertEqual("LEAK SUMMARY: 1 leak, no error without --check leak\n" in done.stderr, status == 3)
            self.assertRegex(done.stderr, rf"(?m)^::{annotation}::allocation #\d+ ")
            [finding] = document["findings"]
            self.assertEqual([finding["kind"], finding["level"], finding["launches"]], ["leak", level, 0])
        done = prof("--check", "race", arguments.program, "vectors", "leak")
        self.assertEqual(done.returncode, 0)
        self.assertNotIn("never freed", done.stderr)


if __name__ == "__main__":
    main()
