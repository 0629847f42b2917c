#!/usr/bin/env python3
"""docs/peers/peers.py on stubs of torch, CuPy and JAX: invalid arguments, and the rows that it appends.

usage: test_peers.py SOURCE
"""
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest

source = None
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(os.path.dirname(HERE), "cli"))
import schema  # noqa: E402

HAS_NUMPY = importlib.util.find_spec("numpy") is not None


def row(experiment, kernel, size, nbytes, **params):
    members = {"size": size, "offset": None, "stride": None, "block": 128, "unroll": None, "rows": None, "cols": None,
               "nnz": None}
    return {"experiment": experiment, "kernel": kernel, "peer": None, "params": {**members, **params},
            "verified": True, "error": None, "skipped": None, "bytes": nbytes,
            "time_ms": {"median": 0.1, "iqr": 0.001, "min": 0.09, "n": 10, "stop": "spread", "launches": 1,
                        "replay": "launch"},
            "gbps": nbytes / 0.1 * 1e-6, "pct_peak": 1.0, "pct_copy": 100.0, "gops": None, "l2": "cold",
            "fits_l2": True, "occupancy": None, "clocks": None, "counters": None}


def result():
    rows = [row("copy", "scalar", 1000, 8000), row("copy", "vec4", 1000, 8000),
            {**row("copy", "driver", 1000, 8000, block=None), "peer": {"library": "CUDA driver", "version": "13.0"}},
            row("add", "scalar", 1001, 12012),
            row("read-offset", "plain", 1000, 11868, offset=11), row("read-offset", "plain", 1000, 0, offset=1000),
            row("write-offset", "plain", 1000, 11868, offset=11),
            row("stride", "load", 1000, 2000, stride=4), row("stride", "store", 1000, 2000, stride=4),
            row("layout", "aos", 500, 8000), row("layout", "soa", 500, 8000),
            row("transpose", "naive-row", "30x41", 9840, rows=30, cols=41),
            row("matmul", "naive", "7x9x5", 4 * (63 + 45 + 35)),
            row("csr-transpose", "fast", "50x40", 4 * (51 + 41 + 4 * 300), rows=50, cols=40, nnz=300),
            row("csr-transpose", "fast", "64x64", 4 * (65 + 65 + 4 * 300), rows=64, cols=64, nnz=300, matrix="rmat:5")]
    device = {"name": "NVIDIA H200", "kind": "gpu", "arch": "sm_90", "peak_gbps": 4800.0, "driver_version": 13000,
              "multiprocessors": 132, "l2_bytes": 1 << 20, "memory_bytes": 1 << 37, "sm_mhz_max": None,
              "memory_mhz_max": None}
    return {"schema": "wideload-bench/1", "version": "0.1.0", "date": None, "command": [], "seed": 1,
            "host": {"cpu": None, "cores": 2}, "device": device, "rows": rows}


class Peers(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def written(self, document):
        with open(self.path("in.json"), "w", encoding="utf-8") as file:
            file.write(document if isinstance(document, str) else json.dumps(document))
        return self.path("in.json")

    def peers(self, *arguments, stubs=True, before=None, **environment):
        env = {**os.environ, **environment, "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "80"}
        # Hides the machine's own frameworks.
        env["PYTHONPATH"] = os.path.join(HERE, "stubs" if stubs else "absent")
        program = os.path.join(source, "docs", "peers", "peers.py")
        return subprocess.run([sys.executable, *(before or [program]), *arguments], env=env, capture_output=True,
                              text=True, timeout=120, check=False)

    def refused(self, says, *arguments, **environment):
        done = self.peers(*arguments, **environment)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertEqual(done.stdout, "")
        lines = done.stderr.strip().splitlines()
        self.assertIn(says, lines[-1])
        if "usage:" not in lines[0]:
            self.assertEqual(len(lines), 1, done.stderr)
        self.assertFalse(os.path.exists(self.path("out.json")))

    def test_arguments(self):
        good = self.written(result())
        self.refused("required: RESULT.json")
        self.refused("no framework 'numpy'", good, "-o", self.path("out.json"), "--frameworks", "numpy")
        self.refused("invalid count value: '0'", good, "-o", self.path("out.json"), "--samples", "0")
        self.refused("invalid count value: '0'", good, "-o", self.path("out.json"), "--every", "0")
        self.refused("invalid positive value: 'nan'", good, "-o", self.path("out.json"), "--time", "nan")
        self.refused("is no folder to write into", good, "-o", self.path("no/such/out.json"))

    def test_files(self):
        out = self.path("out.json")
        self.refused("no.json cannot be read: No such file", self.path("no.json"), "-o", out)
        for text, says in (("{", "no JSON"), ("[]", "no result of"), ("{}", "no result of"),
                           ('{"schema": "other/1"}', "no result of"),
                           ('{"schema": "wideload-bench/2"}', 'has schema "wideload-bench/2"'),
                           ('{"schema": "wideload-bench/1"}', "no device or no rows")):
            with self.subTest(text=text):
                self.refused(says, self.written(text), "-o", out)
        document = result()
        document["rows"].append({"experiment": "copy"})
        self.refused("a row lacks", self.written(document), "-o", out)
        document = result()
        document["device"]["kind"] = "sim"
        self.refused("made on the simulator", self.written(document), "-o", out)
        document = result()
        document["rows"] = [{**entry, "l2": "hot"} for entry in document["rows"]]
        self.refused("no row timed with a cold cache, or hot in a CUDA graph", self.written(document), "-o", out)

    @unittest.skipUnless(HAS_NUMPY, "numpy is not here")
    def test_frameworks_that_are_not_there(self):
        good, out = self.written(result()), self.path("out.json")
        self.refused("CuPy finds no GPU: cudaErrorInsufficientDriver: no driver", good, "-o", out, STUB_GPU="none")
        self.refused("this machine's first GPU is NVIDIA A10", good, "-o", out, STUB_GPU="NVIDIA A10")

    @unittest.skipUnless(HAS_NUMPY, "numpy is not here")
    def test_some_sizes(self):
        before = result()
        done = self.peers(self.written(before), "-o", self.path("out.json"), "--samples", "3", "--every", "1000",
                          "--frameworks", "torch")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("out.json"), encoding="utf-8") as file:
            made = json.load(file)["rows"]
        self.assertEqual({entry["experiment"] for entry in made if entry not in before["rows"]},
                         {before["rows"][0]["experiment"]})

    @unittest.skipUnless(HAS_NUMPY, "numpy is not here")
    def test_rows(self):
        before = result()
        done = self.peers(self.written(before), "-o", self.path("out.json"), "--samples", "3")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("out.json"), encoding="utf-8") as file:
            after = json.load(file)
        with open(os.path.join(source, "docs", "wideload-bench-1.schema.json"), encoding="utf-8") as file:
            self.assertEqual(list(schema.violations(after, json.load(file))), [])
        ours = [entry for entry in after["rows"] if entry in before["rows"]]
        self.assertEqual(ours, before["rows"])
        new = {(entry["kernel"], entry["params"]["offset"]): entry for entry in after["rows"]
               if entry not in before["rows"]}
        self.assertEqual(len(new), len(after["rows"]) - len(ours))
        self.assertFalse([entry for entry in new.values() if entry["params"].get("matrix")])
        for framework, library in (("torch", "torch"), ("cupy", "CuPy"), ("jax", "JAX")):
            entry = new[framework + "-add", None]
            self.assertEqual(entry["peer"]["library"], library)
            self.assertEqual((entry["bytes"], entry["time_ms"]["n"], entry["time_ms"]["stop"]), (12012, 3, "count"))
            self.assertEqual(entry["l2"], "hot" if framework == "jax" else "cold")
            self.assertIsNone(entry["pct_copy"])
            self.assertIsNone(entry["params"]["block"])
            self.assertAlmostEqual(entry["gbps"], 12012 / entry["time_ms"]["median"] * 1e-6)
            for variant, offset in (("copy", None), ("read-offset", 11), ("read-offset", 1000), ("load", None),
                                    ("aos", None), ("soa", None), ("transpose", None)):
                entry = new[f"{framework}-{variant}", offset]
                self.assertIs(entry["verified"], True, entry)
        for kernel, offset in (("torch-write-offset", 11), ("torch-store", None), ("torch-csr2csc", None),
                               ("cupy-csr2csc", None), ("cupy-matmul", None), ("jax-matmul", None)):
            self.assertIs(new[kernel, offset]["verified"], True)
        self.assertIsNotNone(new["cupy-matmul", None]["gops"])
        self.assertNotIn(("jax-store", None), new)
        self.assertIn("not implemented for 'Int'", new["torch-matmul", None]["skipped"])
        self.assertIsNone(new["torch-matmul", None]["time_ms"])
        self.assertIn("cupy-transpose", done.stdout)
        self.assertIn("torch-copy is the driver's copy as well", done.stdout)
        # The second time, the rows replace the first ones.
        done = self.peers(self.path("out.json"), "-o", "-", "--samples", "2", "--frameworks", "cupy")
        self.assertEqual(done.returncode, 0, done.stderr)
        again = json.loads(done.stdout)
        self.assertEqual(len(again["rows"]), len(after["rows"]))

    @unittest.skipUnless(HAS_NUMPY, "numpy is not here")
    def test_operations(self):
        """The library's operations with widths, types, shifts, fields and orders, and rows that no framework has."""
        rows = [row("copy-any", "wideload", 1001, 2002, from_shift=1, to_shift=3)]
        rows += [row("add-any", "wideload", 999, 1, type=kind, from_shift=shift, to_shift=2 * shift)
                 for kind in ("i8", "u16", "i32", "u64", "f16", "bf16", "f32", "f64") for shift in (0, 1)]
        for width in (1, 2, 4, 8, 16):
            rows += [row("transpose-any", "wideload", "3x7x11", 1, batch=3, rows=7, cols=11, width=width),
                     row("deinterleave", "wideload", 101, 1, fields=3, width=width),
                     row("interleave", "wideload", 101, 1, fields=5, width=width),
                     row("permute", "wideload", "3x5x7x2", 1, order="3102", width=width)]
        rows.append(row("interleave", "wideload", 101, 1, fields="f32x3+f64+i32"))
        done = self.peers(self.written({**result(), "rows": rows}), "-o", self.path("out.json"), "--samples", "2",
                          "--frameworks", "torch,cupy")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("out.json"), encoding="utf-8") as file:
            after = json.load(file)["rows"]
        new = [entry for entry in after if entry["peer"]]
        self.assertEqual(len(new), 2 * (len(rows) - 1))
        for entry in new:
            if (entry["params"].get("type"), entry["peer"]["library"]) == ("bf16", "CuPy"):
                self.assertEqual(entry["skipped"], "CuPy has no bf16")
            else:
                self.assertIs(entry["verified"], True, entry)
        done = self.peers(self.written({**result(), "rows": rows[:2]}), "-o", self.path("out.json"), "--samples", "2",
                          "--frameworks", "cupy", STUB_WRONG="cupy")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("FAIL add-any/cupy-typed-add size 999: out0[0]: got", done.stderr)

    def redistribute(self, *rows, frameworks="torch", **environment):
        """The new rows for rows of redistribute with these params; and how the program ended."""
        before = {**result(), "rows": [{**row("redistribute", "wideload", f"{params['rows']}x{params['cols']}", 1234,
                                              **params), "pct_peak": None, "fits_l2": False} for params in rows]}
        done = self.peers(self.written(before), "-o", self.path("out.json"), "--samples", "3", "--frameworks",
                          frameworks, **environment)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        with open(self.path("out.json"), encoding="utf-8") as file:
            after = json.load(file)
        with open(os.path.join(source, "docs", "wideload-bench-1.schema.json"), encoding="utf-8") as file:
            self.assertEqual(list(schema.violations(after, json.load(file))), [])
        self.assertEqual(after["rows"][:len(rows)], before["rows"])
        return after["rows"][len(rows):], done

    @unittest.skipUnless(HAS_NUMPY, "numpy is not here")
    def test_several_gpus(self):
        sizes = [{"rows": 33, "cols": 17, "width": 1, "gpus": 2}, {"rows": 10, "cols": 77, "width": 2, "gpus": 3},
                 {"rows": 41, "cols": 5, "width": 4, "gpus": 3}, {"rows": 3, "cols": 10, "width": 8, "gpus": 2},
                 {"rows": 8, "cols": 8, "width": 16, "gpus": 3}, {"rows": 2, "cols": 1, "width": 4, "gpus": 3}]
        new, done = self.redistribute(*sizes, frameworks="torch,cupy,jax")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([entry["params"]["rows"] for entry in new], [size["rows"] for size in sizes])
        for entry in new:
            self.assertEqual((entry["kernel"], entry["peer"]["library"], entry["verified"], entry["bytes"], entry["l2"]),
                             ("torch-redistribute", "torch", True, 1234, "cold"), entry)
            self.assertEqual((entry["time_ms"]["n"], entry["time_ms"]["stop"], entry["pct_peak"], entry["fits_l2"]),
                             (3, "count", None, False))
            self.assertAlmostEqual(entry["gbps"], 1234 / entry["time_ms"]["median"] * 1e-6)

    @unittest.skipUnless(HAS_NUMPY, "numpy is not here")
    def test_several_gpus_that_torch_cannot_use(self):
        good = {"rows": 8, "cols": 8, "width": 4, "gpus": 3}
        for environment, says in (({"STUB_GPUS": "2"}, "3 GPUs are needed, and torch finds 2"),
                                  ({"STUB_NCCL": "none"}, "this torch was built without NCCL")):
            [entry], done = self.redistribute(good, **environment)
            self.assertEqual((done.returncode, entry["skipped"], entry["verified"], entry["time_ms"]), (0, says, None, None))
            self.assertIn(f"skipped redistribute/torch-redistribute size 8x8: {says}", done.stderr)

    def test_width_that_torch_lacks(self):
        sys.path.append(os.path.join(source, "docs", "peers"))
        from ranks import require
        with self.assertRaisesRegex(NotImplementedError, "torch has no type of 3 bytes"):
            require(None, {"width": 3, "gpus": 2})

    @unittest.skipUnless(HAS_NUMPY, "numpy is not here")
    def test_ranks_that_fail(self):
        """In the exchange that is verified, or in a sample.  The next size has its row all the same."""
        sizes = [{"rows": 9, "cols": 8, "width": 4, "gpus": 2}, {"rows": 8, "cols": 9, "width": 4, "gpus": 3}]
        start = f"import sys; sys.path.append({os.path.join(source, 'docs', 'peers')!r}); import peers, ranks; "
        for how, says in (("wrong:1", r"rank 1: out0\[35\]: got"), ("raises:1", "rank 1: NCCL error: unhandled system error$"),
                          ("raises:3", "rank 1: NCCL error"), ("dies:1", "rank 1: it ended with status -9|rank 0: "),
                          ("hangs:1", "no answer within 4 s of rank 0, 1")):
            with self.subTest(how=how):
                brief = ["-c", start + "ranks.ANSWER_S = 4; sys.exit(peers.main())"] if how == "hangs:1" else None
                tried = sizes if how == "raises:1" else sizes[:1]
                new, done = self.redistribute(*tried, before=brief, STUB_RANK=how)
                self.assertEqual((done.returncode, len(new)), (1, len(tried)), done.stderr)
                self.assertRegex(new[0]["error"], says)
                self.assertIn(f"FAIL redistribute/torch-redistribute size 9x8: {new[0]['error']}", done.stderr)
                for entry in new:
                    self.assertEqual((entry["verified"], entry["time_ms"], entry["gbps"]), (False, None, None))

    def graphs(self, rows, frameworks, **environment):
        """The new rows, by experiment and kernel, for rows of graphs of 20 calls with a hot cache; and the exit status."""
        hot = [{**entry, "l2": "hot", "time_ms": {**entry["time_ms"], "launches": 20, "replay": "graph"}} for entry in rows]
        before = {**result(), "rows": hot}
        done = self.peers(self.written(before), "-o", self.path("out.json"), "--samples", "3", "--frameworks", frameworks,
                          **environment)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        with open(self.path("out.json"), encoding="utf-8") as file:
            after = json.load(file)
        with open(os.path.join(source, "docs", "wideload-bench-1.schema.json"), encoding="utf-8") as file:
            self.assertEqual(list(schema.violations(after, json.load(file))), [])
        new = {(entry["experiment"], entry["kernel"]): entry for entry in after["rows"] if entry not in hot}
        return new, done

    @unittest.skipUnless(HAS_NUMPY, "numpy is not here")
    def test_hot_graphs(self):
        rows = [row("copy-any", "wideload", 1001, 2002, from_shift=0, to_shift=0),
                row("add-any", "wideload", 999, 1, type="f32", from_shift=0, to_shift=0),
                row("transpose-any", "wideload", "3x7x11", 1, batch=3, rows=7, cols=11, width=2),
                row("permute", "wideload", "3x5x7x2", 1, order="0213", width=4)]
        new, done = self.graphs(rows + result()["rows"], "torch,cupy,jax")
        self.assertEqual(done.returncode, 0, done.stderr)
        for library in "torch", "cupy":
            for key in (("copy-any", "shifted-copy"), ("add-any", "typed-add"), ("transpose-any", "any-transpose"),
                        ("permute", "permute"), ("copy", "copy"), ("layout", "soa"), ("read-offset", "read-offset")):
                entry = new[key[0], f"{library}-{key[1]}"]
                self.assertIs(entry["verified"], True, entry)
                self.assertEqual((entry["l2"], entry["time_ms"]["replay"], entry["time_ms"]["launches"],
                                  entry["time_ms"]["n"]), ("hot", "graph", 20, 3))
        self.assertEqual(new["copy", "jax-copy"]["skipped"], "JAX's call is not captured in a graph")
        self.assertIsNone(new["copy", "jax-copy"]["time_ms"])
        self.assertEqual(new["csr-transpose", "torch-csr2csc"]["skipped"], "torch's call is not captured in a graph")

    @unittest.skipUnless(HAS_NUMPY, "numpy is not here")
    def test_both_caches(self):
        """Rows with a cold cache and hot graphs of the same size do not mix."""
        cold = row("add", "scalar", 1001, 12012)
        hot = {**cold, "l2": "hot", "time_ms": {**cold["time_ms"], "launches": 7, "replay": "graph"}}
        done = self.peers(self.written({**result(), "rows": [cold, hot]}), "-o", "-", "--samples", "2", "--frameworks", "torch")
        self.assertEqual(done.returncode, 0, done.stderr)
        new = [entry for entry in json.loads(done.stdout)["rows"] if entry["peer"]]
        self.assertEqual({(entry["l2"], entry["time_ms"]["replay"], entry["time_ms"]["launches"]) for entry in new},
                         {("cold", "launch", 1), ("hot", "graph", 7)})

    @unittest.skipUnless(HAS_NUMPY, "numpy is not here")
    def test_graphs_that_fail(self):
        rows = [row("add", "scalar", 1001, 12012)]
        new, done = self.graphs(rows, "torch", STUB_GRAPH="refused")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(new["add", "torch-add"]["skipped"], "CUDA error: operation not permitted when stream is capturing")
        # What is verified is what the replay wrote.
        new, done = self.graphs(rows, "torch", STUB_GRAPH="idle")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIs(new["add", "torch-add"]["verified"], False)
        self.assertIn("FAIL add/torch-add size 1001: out0[0]: got", done.stderr)
        new, done = self.graphs(rows, "cupy", STUB_WRONG="cupy")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIs(new["add", "cupy-add"]["verified"], False)

    def test_time_of_a_graph(self):
        """A time is one call's; the replay before the first event does not count."""
        sys.path.append(os.path.join(source, "docs", "peers"))
        from timing import Graphed
        clock = [0]

        class Event:
            def record(self):
                self.at = clock[0]

        class Framework:
            def synchronize(self):
                pass

            def elapsed(self, begin, end):
                return end.at - begin.at

        def replay():
            clock[0] += 60
        variant = Graphed.__new__(Graphed)
        variant.framework, variant.begin, variant.end = Framework(), Event(), Event()
        variant.launches, variant.replayed = 20, replay
        variant.enqueue()
        self.assertEqual((variant.collect(), clock[0]), (3, 120))

    @unittest.skipUnless(HAS_NUMPY, "numpy is not here")
    def test_wrong(self):
        done = self.peers(self.written(result()), "-o", self.path("out.json"), "--samples", "2", "--frameworks",
                          "cupy", STUB_WRONG="cupy")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("FAIL add/cupy-add size 1001: out0[0]: got", done.stderr)
        with open(self.path("out.json"), encoding="utf-8") as file:
            rows = {entry["kernel"]: entry for entry in json.load(file)["rows"]}
        self.assertIs(rows["cupy-add"]["verified"], False)
        self.assertIsNone(rows["cupy-add"]["time_ms"])
        self.assertIsNone(rows["cupy-add"]["gbps"])
        self.assertIs(rows["cupy-copy"]["verified"], True)


if __name__ == "__main__":
    source = sys.argv.pop(1)
    unittest.main()
