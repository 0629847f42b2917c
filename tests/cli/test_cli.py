#!/usr/bin/env python3
"""The program as users meet it: exit statuses, one-line messages, help, and files that are whole or absent."""
import argparse
import csv
import io
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import schema
import terminal

arguments = None
# A run of all experiments takes several times as long with sanitizers: one of each kind is enough for them.
SANITIZED = bool(os.environ.get("WIDELOAD_ASAN"))


def wideload(*command, environment=None, **options):
    env = {**os.environ, "WIDELOAD_DEVICE": "sim", **(environment or {})}
    return subprocess.run([arguments.wideload, *command], capture_output=True, text=True, env=env, timeout=240,
                          check=False, **options)


class Errors(unittest.TestCase):
    def refused(self, status, says, *command, **options):
        done = wideload(*command, **options)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"\Awideload: [^\n]+\n\Z")
        self.assertIn(says, done.stderr)

    def test_host_device(self):
        self.refused(2, "the device 'host' runs no kernels", "bench", "copy", "--size", "1", "--device", "host")

    def test_commands(self):
        self.refused(2, "no command given")
        self.refused(2, "did you mean 'bench'?", "bnech")
        self.refused(2, "unknown command 'zzzzzzzzz'; see", "zzzzzzzzz")
        self.refused(2, "did you mean '--version'?", "--verison")
        self.refused(2, "did you mean 'list'?", "help", "lists")
        self.refused(2, "one command", "help", "bench", "list")

    def test_options(self):
        self.refused(2, "unknown option '--kernal': did you mean '--kernel'?", "bench", "--kernal=x")
        self.refused(2, "unknown option '-x'", "bench", "-x")
        self.refused(2, "'--size' needs a value", "bench", "--size")
        self.refused(2, "'--hot' takes no value", "bench", "--hot=1")
        self.refused(2, "ambiguous", "bench", "--s")
        self.refused(2, "unexpected argument 'x'", "devices", "x")

    def test_names(self):
        self.refused(2, "did you mean 'transpose'?", "bench", "trnaspose")
        self.refused(2, "did you mean 'matmul'?", "list", "matmull")
        self.refused(2, "did you mean 'naive-row'?", "bench", "transpose", "--kernel", "naive-rwo")
        self.refused(2, "did you mean 'sim'?", "bench", "copy", "--device", "sin")
        self.refused(2, "gpu:0", "bench", "copy", "--device", "gpu:")
        self.refused(2, "sim:0", "bench", "copy", "--device", "sim:one")
        self.refused(1, "there is no sim:1", "bench", "copy", "--device", "sim:1")
        self.refused(2, "did you mean 'fermi'?", "bench", "copy", "--arch", "fremi")

    def test_sizes(self):
        for text, says in [("-1", "negative"), ("", "not a size"), ("1.5", "not a size"), ("ten", "no size"),
                           ("1KiB", "not a size"), ("2^64", "64 bits"), ("99999999999999999999", "64 bits"),
                           ("2^31x2^31x2^31", "2^60"), ("1x1x1x1x1x1x1x1x1", "more than 8 extents"), ("1x2x3x4", "copy takes N"),
                           ("8x8", "copy takes N"), ("8@0", "takes no order"), ("8/4", "has no width"),
                           ("heads", "no size 'heads'"),
                           ("2^50", "memory")]:
            self.refused(2, says, "bench", "copy", "--size", text)
        self.refused(2, "matmul takes N or MxNxK", "bench", "matmul", "--size", "8x8")
        self.refused(2, "transpose takes N or RxC", "bench", "transpose", "--size", "8x8x8")

    def test_text_sizes(self):
        by_name, by_number = (wideload("bench", "transpose", "--kernel", "naive-row", "--size", size, "--csv", "-")
                              for size in ("text,8", "1024x1024,8"))
        self.assertEqual(by_name.returncode, 0)
        self.assertIn("1024", by_name.stdout)
        self.assertEqual(by_name.stdout, by_number.stdout)
        self.refused(2, "did you mean 'text'?", "bench", "copy", "--size", "texts")

    def test_lists(self):
        self.refused(2, "--offset", "bench", "read-offset", "--offset", "1,,2")
        self.refused(2, "negative", "bench", "read-offset", "--offset", "0,-1")
        self.refused(2, "--offset", "bench", "copy", "--offset", "1")
        self.refused(2, "--stride", "bench", "stride", "--stride", "0")
        self.refused(2, "2048 threads", "bench", "copy", "--block", "2048")
        self.refused(2, "fixes its block", "bench", "shared", "--block", "64")
        self.refused(2, "--peak", "bench", "copy", "--peak", "nan")
        for text, says in [("32:0", "backwards"), ("0:8:0", "never end"), ("0:8:x2", "stays 0"), ("1:8:x1", "never end"),
                           ("0:9999", "4096 values"), (":", "not a range"), ("0:1:2:3", "not a range"), ("0:2^64", "64 bits")]:
            self.refused(2, says, "bench", "read-offset", "--offset", text)
        self.refused(2, "single numbers", "bench", "transpose", "--size", "8x8:16x16")
        self.refused(2, "100000 rows", "bench", "read-offset", "--offset", "0:4000", "--size", "1:100")
        self.refused(2, "has 3 accesses per thread; there are 1,2,4,8", "bench", "copy", "--unroll", "1,3")
        self.refused(2, "its own number of accesses", "bench", "transpose", "--unroll", "2")
        self.refused(2, "--samples", "bench", "copy", "--samples", "0")

    def test_graph(self):
        self.refused(2, "--graph: only a hot cache can be timed as a graph; give --hot as well", "bench", "copy", "--size", "1000",
                     "--graph")
        self.refused(2, "'--graph' takes no value", "bench", "--hot", "--graph=20")
        done = wideload("bench", "copy", "--size", "1000", "--hot", "--graph")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_variants(self):
        self.refused(2, "not 3", "bench", "transpose-any", "--width", "3")
        self.refused(2, "--width: none of the chosen", "bench", "transpose", "--width", "4")
        self.refused(2, "did you mean 'f32'?", "bench", "add-any", "--type", "f31")
        self.refused(2, "1 to 256 fields", "bench", "interleave", "--fields", "0")
        self.refused(2, "no type 'f33'", "bench", "deinterleave", "--fields", "f32+f33")
        self.refused(2, "each of its dimensions", "bench", "permute", "--order", "0,1,1")
        self.refused(2, "has 2 dimensions and the size has 3", "bench", "permute", "--size", "4x5x6", "--order", "10")
        self.refused(2, "did you mean 'banded'?", "bench", "csr-transpose", "--matrix", "band")
        self.refused(2, "--matrix: none of the chosen", "bench", "copy", "--matrix", "rmat")
        self.refused(2, "a power of two, not 1000x1000", "bench", "csr-transpose", "--matrix", "rmat", "--size", "1000")
        self.refused(2, "16777216 rows of uniform:256 are too many", "bench", "csr-transpose", "--matrix", "uniform:256@2^24")
        self.refused(2, "--to-shift: none of the chosen", "bench", "add", "--to-shift", "1")
        self.refused(2, "give one", "bench", "copy", "--bytes", "1Mi", "--size", "4")
        self.refused(2, "give --size", "bench", "permute", "--bytes", "1Mi")
        self.refused(2, "transpose-any takes N, RxC or BxRxC", "bench", "transpose-any", "--size", "1x2x3x4")

    def test_several_devices(self):
        self.refused(2, "--gpus: 1 is not within 2 .. 16 devices", "bench", "redistribute", "--gpus", "1")
        self.refused(2, "--gpus: 17 is not within 2 .. 16 devices", "bench", "redistribute", "--gpus", "17")
        self.refused(2, "--gpus: none of the chosen", "bench", "copy", "--gpus", "2")
        self.refused(2, "3 devices are needed from sim:14 on, and there are 2: the simulator has at most 16", "bench",
                     "redistribute", "--gpus", "3", "--device", "sim:14")
        self.refused(2, "--gpus: 3 devices are needed, and there are 2: the simulator has 2, by WIDELOAD_SIM_DEVICES", "bench",
                     "redistribute", "--gpus", "3", environment={"WIDELOAD_SIM_DEVICES": "2"})
        one = {"WIDELOAD_SIM_DEVICES": "1"}
        self.refused(2, "gpus 2: 2 devices are needed, and there is 1: the simulator has 1", "bench", "redistribute",
                     environment=one)
        done = wideload("bench", "copy", "redistribute", "--size", "64", "--json", "-", environment=one)
        self.assertEqual(done.returncode, 0, done.stderr)
        skipped = {(row["experiment"], bool(row["skipped"])) for row in json.loads(done.stdout)["rows"]}
        self.assertEqual(skipped, {("copy", False), ("redistribute", True)})
        for device, gpus in ("sim", "3"), ("sim:1", "2"):
            done = wideload("bench", "redistribute", "--gpus", gpus, "--device", device, "--size", "64", "--json", "-")
            self.assertEqual(done.returncode, 0, done.stderr)
            rows = {row["kernel"]: row for row in json.loads(done.stdout)["rows"]}
            self.assertEqual({row["params"]["gpus"] for row in rows.values()}, {int(gpus)})
            self.assertGreater(rows["store"]["counters"]["peer_store_transactions"], 0)
            self.assertEqual(rows["store"]["counters"]["peer_load_transactions"], 0)

    def test_places(self):
        self.refused(2, "--json: /no/such/folder/a.json cannot be written", "bench", "copy", "--size", "1",
                     "--json", "/no/such/folder/a.json")
        self.refused(2, "--csv: / cannot be written", "bench", "copy", "--size", "1", "--csv", "/")
        self.refused(2, "two places", "bench", "copy", "--size", "1", "--csv", "-", "--json", "-")

    def test_one_file_twice(self):
        # In any spelling, whether it exists or not.
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a")
            os.symlink("a", os.path.join(folder, "link"))
            os.symlink(folder, os.path.join(folder, "folder"))
            spellings = [path, os.path.join(folder, ".", "a"), os.path.join(folder, "folder", "a"),
                         os.path.join(folder, "link"), os.path.relpath(path)]
            for present in (False, True):
                for other in spellings:
                    self.refused(2, "two places", "bench", "copy", "--size", "1", "--csv", path, "--json", other)
                if not present:
                    with open(path, "w", encoding="utf-8") as file:
                        file.write("{}")
                    os.link(path, os.path.join(folder, "hard"))
                    spellings.append(os.path.join(folder, "hard"))
            for other in spellings:
                self.refused(2, "the file of --compare", "bench", "copy", "--compare", path, "--json", other)
            self.assertEqual(sorted(os.listdir(folder)), ["a", "folder", "hard", "link"])
            with open(path, "a", encoding="utf-8") as file:
                done = subprocess.run([arguments.wideload, "bench", "copy", "--size", "1", "--json", path],
                                      stdout=file, stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn("where standard output goes", done.stderr)
            self.assertEqual(open(path, encoding="utf-8").read(), "{}")
        for one, other in (("/dev/stdout", "/dev/stdout"), ("-", "/dev/stdout"), ("/proc/self/fd/1", "/dev/fd/1")):
            self.refused(2, "two places", "bench", "copy", "--size", "1", "--csv", one, "--json", other)
        self.assertEqual(wideload("bench", "copy", "--size", "1", "--csv", "/dev/null", "--json", "/dev/null").returncode, 0)

    def test_names_of_standard_output(self):
        for name in ("-", "/dev/stdout", "/dev/fd/1"):
            done = wideload("bench", "copy", "--size", "1", "--json", name)
            self.assertEqual(done.returncode, 0)
            json.loads(done.stdout)
            with tempfile.TemporaryFile("w+", encoding="utf-8") as file:
                subprocess.run([arguments.wideload, "bench", "copy", "--size", "1", "--json", name], stdout=file,
                               env={**os.environ, "WIDELOAD_DEVICE": "sim"}, check=True)
                file.seek(0)
                json.load(file)

    def test_closed_output(self):
        for command in (["list"], ["devices"], ["--help"], ["bench", "copy", "--size", "1"]):
            for redirection in (">&-", ">/dev/full"):
                done = subprocess.run(["/bin/sh", "-c", f'exec "$@" {redirection}', "sh", arguments.wideload, *command],
                                      capture_output=True, text=True, check=False,
                                      env={**os.environ, "WIDELOAD_DEVICE": "sim"})
                self.assertEqual(done.returncode, 1, command)
                self.assertIn("standard output cannot be written", done.stderr)

    def test_size_limit(self):
        # If a file may not grow that large, this is an error like any other, and no file is left.
        with tempfile.TemporaryDirectory() as folder:
            for option in ("--json", "--csv", "--markdown"):
                done = wideload("bench", "copy", "--size", "1", option, os.path.join(folder, "a"),
                                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16)))
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("File too large", done.stderr)
                self.assertEqual(os.listdir(folder), [])

    def test_names_that_are_no_text(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(os.fsencode(folder), b"a\xff\xe9.json")
            self.assertEqual(wideload("bench", "copy", "--size", "1", "--json", path).returncode, 0)
            with open(path, encoding="utf-8") as file:
                self.assertTrue(json.load(file)["command"][-1].endswith("/a\ufffd\ufffd.json"))
            done = wideload("report", path, "-o", "-", path)
            self.assertEqual(done.returncode, 0)
            self.assertIn("a\ufffd\ufffd.json", done.stdout)
            self.refused(2, "\ufffd", "bench", "copy", "--json", path + b"/x")

    @unittest.skipIf(os.path.exists("/dev/nvidiactl"), "a GPU is here")
    def test_no_gpu(self):
        self.refused(1, "gpu", "bench", "copy", "--size", "1", "--device", "gpu")


class Help(unittest.TestCase):
    def test_help(self):
        for command in [["--help"], ["help"], ["help", "bench"], ["bench", "--help"], ["list", "--help"],
                        ["devices", "--help"], ["help", "devices"]]:
            done = wideload(*command)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("Usage: wideload", done.stdout)
            for line in done.stdout.splitlines():
                self.assertLessEqual(len(line), 100)

    def test_version(self):
        with open(os.path.join(arguments.source, "include", "wideload.h"), encoding="utf-8") as file:
            version = re.search(r'WL_VERSION_STRING "(.*)"', file.read())[1]
        for command in [["--version"], ["bench", "--version"], ["list", "--version"], ["devices", "--version"]]:
            done = wideload(*command)
            self.assertEqual((done.returncode, done.stdout), (0, f"wideload {version}\n"))

    def test_list(self):
        done = wideload("list")
        self.assertEqual(done.returncode, 0)
        for name in ["copy", "add", "read-offset", "write-offset", "stride", "layout", "transpose", "shared",
                     "matmul", "csr-transpose", "copy-any", "add-any", "transpose-any", "transpose-inplace",
                     "deinterleave", "interleave", "permute", "redistribute"]:
            self.assertRegex(done.stdout, rf"(?m)^{name}: ")
        for line in done.stdout.splitlines():
            self.assertLessEqual(len(line), 100, line)

    def test_devices(self):
        done = wideload("devices")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^sim +sim ")
        self.assertRegex(done.stdout, r"(?m)^host +host .* GiB +unknown$")
        self.assertRegex(done.stdout, r"(?s)--arch\): .*fermi.*sm_90")
        self.assertNotIn("sim:", done.stdout)
        done = wideload("devices", environment={"WIDELOAD_SIM_DEVICES": "3"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^sim +sim .*\nsim:1 +sim .*\nsim:2 +sim .*\n\n")
        done = wideload("devices", environment={"WIDELOAD_SIM_DEVICES": "17"})
        self.assertEqual(done.returncode, 1)
        self.assertIn("WIDELOAD_SIM_DEVICES: '17' is not a number of devices (1 to 16)", done.stderr)


class Terminal(unittest.TestCase):
    def shown(self, columns, *command):
        """The program's output to a terminal of that width."""
        env = {**os.environ, "WIDELOAD_DEVICE": "sim"}
        status, text = terminal.shown([arguments.wideload, *command], "stdout", columns, stderr=subprocess.DEVNULL, env=env)
        self.assertEqual(status, 0)
        return text.decode()

    def test_width(self):
        command = ["bench", "transpose", "matmul", "read-offset", "--kernel", "shared-pad-unroll,shared,tile-square,plain",
                   "--size", "100" if SANITIZED else "600"]
        for columns, most in [(80, 80), (0, 100)] if SANITIZED else [(80, 80), (100, 100), (300, 100), (0, 100)]:
            with self.subTest(columns=columns):
                lines = self.shown(columns, *command).splitlines()
                self.assertEqual(sum(" ok " in line for line in lines), 6)
                self.assertLessEqual(max(map(len, lines)), most)
        self.assertLessEqual(max(map(len, self.shown(80, "list").splitlines())), 80)
        self.assertLessEqual(max(map(len, self.shown(80, "devices").splitlines())), 80)


    def test_summary(self):
        """A run of all experiments ends with one screen: a line for each, and the place of the rest."""
        names = re.findall(r"(?m)^([a-z-]+): ", wideload("list").stdout)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "all.md")
            for columns, most in [(80, 80)] if SANITIZED else [(80, 80), (120, 120), (0, 100)]:
                with self.subTest(columns=columns):
                    lines = self.shown(columns, "bench", "--size", "100", "--markdown", path).splitlines()
                    summary = lines[max(i for i, line in enumerate(lines) if line.startswith("Summary")):]
                    self.assertLessEqual(len(summary), 25)
                    self.assertLessEqual(max(map(len, summary)), most)
                    found = [re.match(r"[a-z-]+", line)[0] for line in summary if re.match(r"[a-z-]+[ /]", line)]
                    self.assertEqual([name for name in found if name != "experiment" and name in names], names)
                    self.assertIn(path, "".join(summary))
                    self.assertTrue(os.path.getsize(path))
        self.assertNotIn("Summary", wideload("bench", "copy", "--size", "100").stdout)
        self.assertNotIn("Summary", wideload("bench", "--size", "8", "--csv", "-").stdout)


class Readme(unittest.TestCase):
    def test_console(self):
        """The README's terminal output is what the program prints."""
        with open(os.path.join(arguments.source, "README.md"), encoding="utf-8") as file:
            blocks = re.findall(r"```console\n\$ build/wideload ([^\n]+)\n(.*?)```", file.read(), re.DOTALL)
        self.assertTrue(blocks)
        for command, shown in blocks:
            done = wideload(*command.split(), environment={"WIDELOAD_ARCH": ""})
            self.assertEqual((done.returncode, done.stdout), (0, shown), command)


class Results(unittest.TestCase):
    def check_schema(self, document):
        with open(os.path.join(arguments.source, "docs", "wideload-bench-1.schema.json"), encoding="utf-8") as file:
            self.assertEqual(list(schema.violations(document, json.load(file))), [])

    def test_table_and_json(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "all.json")
            done = wideload("bench", "--size", "100", "--json", path)
            with open(path, encoding="utf-8") as file:
                self.every_row(json.load(file), path)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertNotIn("\033", done.stdout)
        self.assertNotIn("FAIL", done.stdout)
        for line in done.stdout.splitlines():
            self.assertLessEqual(len(line), 100, line)

    def test_bulk_copies(self):
        # Kernels fed by bulk copies: no loads, and the sectors of a copy of the array.
        command = ("bench", "permute", "--kernel", "wideload", "--order", "021", "--width", "4", "--size", "96x80x128",
                   "--csv", "-")
        row, = csv.DictReader(io.StringIO(wideload(*command).stdout))
        self.assertEqual((row["order"], row["width"]), ("021", "4"))
        self.assertEqual([row[name] for name in ("gld_transactions", "bulk_load_transactions", "gst_transactions",
                                                 "bulk_load_useful_bytes", "bound_pct")],
                         ["0", "122880", "122880", str(4 * 96 * 80 * 128), "100"])
        table = wideload(*command[:-2])
        self.assertIn(" bulk ld ", table.stdout)
        self.assertNotIn(" bulk st ", table.stdout)
        # A sanitizer's library must be loaded first, and complains otherwise.
        environment = {"ASAN_OPTIONS": "verify_asan_link_order=0:detect_leaks=0:handle_segv=0"}
        profiled = wideload("prof", arguments.wideload, *command[:-2], environment=environment)
        self.assertRegex(profiled.stderr, r" st % +bulk +sh wave.*\n(.*\n)*[ *]*wl_transpose_matrices4 .* 100 122880 ")
        self.assertNotIn("bulk", wideload("bench", "copy", "--kernel", "scalar", "--size", "1000").stdout)

    def every_row(self, document, path):
        self.check_schema(document)
        self.assertEqual(document["command"], ["bench", "--size", "100", "--json", path])
        self.assertEqual(document["seed"], 1)
        self.assertEqual(len({row["experiment"] for row in document["rows"]}), 18)
        for row in document["rows"]:
            self.assertIs(row["verified"], True, row)
            self.assertIsNone(row["time_ms"])
            self.assertIsNone(row["gbps"])
            self.assertIsNotNone(row["counters"])

    def test_edge_sizes(self):
        for size in ["0", "1", "31", "33"]:
            done = wideload("bench", "--size", size)
            self.assertEqual((done.returncode, done.stderr), (0, ""), size)

    def test_sweep(self):
        with tempfile.TemporaryDirectory() as folder:
            old, flat = os.path.join(folder, "old.json"), os.path.join(folder, "a.csv")
            command = ["bench", "copy", "write-offset", "--kernel", "scalar,plain", "--size", "0,1,33,1Ki:4Ki:x2",
                       "--offset", "0:9:3", "--unroll", "2,8", "--block", "64:128:64"]
            done = wideload(*command, "--json", old, "--csv", flat)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            with open(old, encoding="utf-8") as file:
                document = json.load(file)
            self.check_schema(document)
            self.assertTrue(all(row["verified"] for row in document["rows"]))
            params = [(row["experiment"], *(row["params"][name] for name in ("size", "block", "unroll", "offset")))
                      for row in document["rows"]]
            self.assertEqual(params, [(experiment, size, block, unroll, offset)
                                      for experiment, offsets in (("copy", [None]), ("write-offset", [0, 3, 6, 9]))
                                      for size in (0, 1, 33, 1024, 2048, 4096) for block in (64, 128)
                                      for unroll in (2, 8) for offset in offsets])
            with open(flat, newline="", encoding="utf-8") as file:
                self.assertEqual([int(row["unroll"]) for row in csv.DictReader(file)], [row[3] for row in params])
            for title in "write-offset: ", "copy: ":
                self.assertEqual(len(re.findall(f"^{title}", done.stdout, re.M)), 1)
            self.assertEqual(re.findall("^size ([0-9]+)", done.stdout, re.M), 2 * ["0", "1", "33", "1024", "2048", "4096"])
            done = wideload(*command, "--compare", old)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"{len(params)} of {len(params)} rows within", done.stdout)
            # An earlier run without unroll has the rows without it.
            for row in document["rows"]:
                del row["params"]["unroll"]
            with open(old, "w", encoding="utf-8") as file:
                json.dump(document, file)
            self.assertIn(f"0 of 0 rows within 0 %: 0 worse, 0 better; {len(params)} have no match",
                          " ".join(wideload(*command, "--compare", old).stdout.split()))
            done = wideload("bench", "copy", "--kernel", "scalar", "--size", "1Ki", "--block", "64", "--compare", old)
            self.assertIn("1 of 1 rows within", done.stdout)

    def test_operations(self):
        """The parameters of the library's operations are in each row, in JSON as in CSV, and in one table."""
        with tempfile.TemporaryDirectory() as folder:
            path, flat = os.path.join(folder, "a.json"), os.path.join(folder, "a.csv")
            done = wideload("bench", "transpose-any", "interleave", "permute", "copy-any", "--kernel", "memcpy",
                            "--size", "9", "--width", "2,16", "--fields", "3,f32x3+f64+i32", "--order", "10",
                            "--from-shift", "0,3", "--to-shift", "1", "--json", path, "--csv", flat)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            with open(path, encoding="utf-8") as file:
                document = json.load(file)
            self.check_schema(document)
            names = ("size", "batch", "width", "fields", "order", "from_shift", "to_shift")
            params = [(row["experiment"], *(row["params"][name] for name in names)) for row in document["rows"]]
            self.assertEqual(params, [
                ("copy-any", 9, None, None, None, None, 0, 1), ("copy-any", 9, None, None, None, None, 3, 1),
                ("transpose-any", "9x9", 1, 2, None, None, None, None),
                ("transpose-any", "9x9", 1, 16, None, None, None, None),
                ("interleave", 9, None, 2, 3, None, None, None),
                ("interleave", 9, None, None, "f32x3+f64+i32", None, None, None),
                ("interleave", 9, None, 16, 3, None, None, None),
                ("permute", "9x9", None, 2, None, "10", None, None),
                ("permute", "9x9", None, 16, None, "10", None, None)])
            with open(flat, newline="", encoding="utf-8") as file:
                for line, row in zip(csv.DictReader(file), params):
                    self.assertEqual([line[name] for name in names], ["" if value is None else str(value) for value in row[1:]])
            self.assertEqual(len(re.findall("^size 9", done.stdout, re.M)), 4)
            self.assertEqual(len(re.findall("^kernel ", done.stdout, re.M)), 4)
            done = wideload("bench", "transpose-any", "--kernel", "memcpy", "--size", "9", "--width", "16", "--compare", path)
            self.assertIn("1 of 1 rows within", done.stdout)

    def test_matrices(self):
        """The kind of a sparse matrix is in its row, its table and its comparison, but the default one's not in files."""
        with tempfile.TemporaryDirectory() as folder:
            path, flat = os.path.join(folder, "a.json"), os.path.join(folder, "a.csv")
            command = ("bench", "csr-transpose", "--kernel", "fast", "--size", "64")
            done = wideload(*command, "--matrix", "uneven,rmat:4,uniform:3@9x8", "--json", path, "--csv", flat)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            with open(path, encoding="utf-8") as file:
                document = json.load(file)
            self.check_schema(document)
            params = [(row["params"]["size"], row["params"]["matrix"]) for row in document["rows"]]
            self.assertEqual(params, [("64x64", None), ("64x64", "rmat:4"), ("9x8", "uniform:3")])
            with open(flat, newline="", encoding="utf-8") as file:
                self.assertEqual([line["matrix"] for line in csv.DictReader(file)], ["", "rmat:4", "uniform:3"])
            self.assertIn("size 9x8, 27 entries, matrix uniform:3", done.stdout)
            for matrix, rows in (("rmat:4,uniform:3@9x8", "2 of 2 rows within"), ("uneven", "1 of 1 rows within"),
                                 ("rmat:5", "have no match")):
                self.assertIn(rows, wideload(*command, "--matrix", matrix, "--compare", path).stdout)

    def test_matrix_files(self):
        """Columns that do not ascend, entries of one place, the other side of a symmetric matrix, and wrong files."""
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ("a.mtx", "b.mtx", "c.mtx", "d.txt")]
            texts = ("real general\n3 70 6\n2 70 1.5\n2 1 2\n2 30 3\n2 70 4\n1 1 5\n3 3 6\n",
                     "pattern symmetric\n40 40 3\n1 1\n40 2\n7 3\n", "real general\n3 3 1\n4 1 1\n", "")
            for path, text in zip(paths, texts):
                with open(path, "w", encoding="utf-8") as file:
                    file.write("%%MatrixMarket matrix coordinate " + text)
            command = ("bench", "csr-transpose", "--size", "9", "--device", "sim")
            done = wideload(*command, "--matrix", f"{paths[0]},uniform:2,{paths[1]}", "--json", "-")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            rows = [row for row in json.loads(done.stdout)["rows"] if row["kernel"] == "fast"]
            params = [[row["params"][name] for name in ("matrix", "size", "nnz")] for row in rows]
            self.assertEqual(params, [["a.mtx", "3x70", 5], ["uniform:2", "9x9", 18], ["b.mtx", "40x40", 5]])
            self.assertTrue(all(row["verified"] for row in json.loads(done.stdout)["rows"]))
            for matrix, status, says in ((paths[2], 1, "c.mtx"), (paths[3], 2, "d.txt"), ("none.mtx", 2, "none.mtx"),
                                         (folder + "/", 2, folder)):
                done = wideload(*command, "--matrix", matrix)
                self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (status, "", 1), done.stderr)
                self.assertIn(says, done.stderr)

    def test_csv(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.csv")
            done = wideload("bench", "copy", "transpose", "--size", "64", "--csv", path, "--json", "-")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            document = json.loads(done.stdout)
            self.assertEqual(os.listdir(folder), ["a.csv"])
            with open(path, newline="", encoding="utf-8") as file:
                rows = list(csv.DictReader(io.StringIO(file.read()), strict=True))
            self.assertEqual(len(rows), len(document["rows"]))
            for flat, row in zip(rows, document["rows"]):
                self.assertNotIn(None, flat)
                self.assertEqual(flat["kernel"], row["kernel"])
                self.assertEqual(int(flat["gld_transactions"]), row["counters"]["gld_transactions"])

    def test_nothing_half_written(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.json")
            done = wideload("bench", "copy", "--size", "64", "--json", path, "--csv", os.path.join(folder, "no/b"))
            self.assertEqual(done.returncode, 2)
            self.assertEqual(os.listdir(folder), [])
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([arguments.wideload, "bench", "copy", "--size", "64"], stdout=full,
                                      stderr=subprocess.PIPE, text=True, check=False,
                                      env={**os.environ, "WIDELOAD_DEVICE": "sim"})
            self.assertEqual(done.returncode, 1)
            self.assertIn("standard output", done.stderr)

    def test_compare(self):
        with tempfile.TemporaryDirectory() as folder:
            old = os.path.join(folder, "old.json")
            command = ["bench", "copy", "--size", "1000"]
            self.assertEqual(wideload(*command, "--json", old).returncode, 0)
            done = wideload(*command, "--compare", old)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("6 of 6 rows within 0 % (100.0 %): 0 worse, 0 better\n", done.stdout)
            with open(old, encoding="utf-8") as file:
                document = json.load(file)
            document["rows"][0]["counters"]["gld_transactions"] -= 1
            with open(old, "w", encoding="utf-8") as file:
                json.dump(document, file)
            done = wideload(*command, "--compare", old)
            self.assertEqual((done.returncode, done.stderr), (3, ""))
            self.assertRegex(done.stdout, r"copy/scalar +128 +gld_transactions +124 +125 +1\.0081 +WORSE")
            self.assertEqual(wideload(*command, "--compare", old, "--tolerance", "1%").returncode, 0)
            # The comparison does not write to the results' standard output.
            done = wideload(*command, "--compare", old, "--csv", "-")
            self.assertEqual(done.returncode, 3)
            self.assertEqual(len(list(csv.DictReader(io.StringIO(done.stdout), strict=True))), 6)
            self.assertIn("WORSE", done.stderr)
            done = wideload(*command, "--compare", old, "--arch", "fermi")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("ratios between devices", done.stderr)
            # A refused comparison writes nothing.
            done = wideload(*command, "--compare", old + "x", "--json", os.path.join(folder, "new.json"))
            self.assertEqual(done.returncode, 2)
            self.assertEqual(os.listdir(folder), ["old.json"])
        done = wideload("bench", "copy", "--tolerance", "1")
        self.assertEqual(done.returncode, 2)
        self.assertIn("without --compare", done.stderr)
        for text in "-1", "nan", "x", "":
            done = wideload("bench", "copy", "--compare", "x", "--tolerance", text)
            self.assertEqual(done.returncode, 2)
            self.assertIn("not a percentage", done.stderr)

    def test_markdown(self):
        done = wideload("bench", "copy", "read-offset", "--size", "1000", "--offset", "0,1500", "--markdown", "-")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        tables = [line for line in done.stdout.splitlines() if line.startswith("|")]
        self.assertEqual(len(tables), 2 * 2 + 6 + 14)
        self.assertIn("| scalar | 128 | 100 | ok | 32 | 125 | 100 |", done.stdout)
        for line in tables:
            self.assertIn(line.count("|"), (13, 14))

    def test_arch(self):
        done = wideload("bench", "read-offset", "--kernel", "plain", "--offset", "11", "--arch", "fermi", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["device"]["arch"], "fermi")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--wideload", required=True)
    parser.add_argument("--source", required=True)
    arguments, rest = parser.parse_known_args()
    sys.exit(unittest.main(argv=[sys.argv[0], *rest]))
