"""Results as a bench could have written them, made for the tests; and a parser for the page."""
import copy
import html.parser
import re

EVIL = ("<script>alert(\"x\")</script> @home 'q' `rm` {\\bf x} ~1~ $a \"end\" &amp; \u6f22\u5b57 \x01\t]]> "
        "<!-- --> " + "long-" * 30)

DEVICE = {"name": "NVIDIA H200", "kind": "gpu", "arch": "sm_90", "peak_gbps": 4814.304, "driver_version": 13000,
          "multiprocessors": 132, "l2_bytes": 62914560, "memory_bytes": 150109880320, "sm_mhz_max": 1980,
          "memory_mhz_max": 3201}
SIMULATOR = {**DEVICE, "name": "Wideload simulator", "kind": "sim", "peak_gbps": None, "sm_mhz_max": None,
             "memory_mhz_max": None, "memory_bytes": 18957385728}


def document(rows, device=None, **members):
    return {"schema": "wideload-bench/1", "version": "0.1.0", "date": "2026-11-21T09:05:55Z",
            "host": {"cpu": "a processor", "cores": 16}, "device": copy.deepcopy(device or DEVICE), "rows": rows,
            "command": ["bench", "--size=2^28"], "seed": 1, **members}


def row(experiment, kernel, gbps, size=1 << 28, block=128, offset=None, stride=None, unroll=None, **members):
    work = 1 << 31
    made = {"experiment": experiment, "kernel": kernel,
            "params": {"size": size, "offset": offset, "stride": stride, "block": block, "unroll": unroll,
                       "rows": None, "cols": None, "nnz": None},
            "peer": None, "verified": True, "error": None, "skipped": None, "bytes": work,
            "time_ms": None, "gbps": gbps, "pct_peak": None, "pct_copy": None, "gops": None, "fits_l2": None,
            "l2": None, "occupancy": None, "clocks": None, "counters": None}
    if gbps is not None:
        median = work / gbps / 1e6
        made["time_ms"] = {"median": median, "iqr": median / 50, "min": median * 0.98, "n": 40, "stop": "spread",
                           "launches": 1, "replay": "launch"}
        made.update(pct_peak=100 * gbps / 4814.304, pct_copy=100 * gbps / 4300, fits_l2=False, l2="cold",
                    clocks={"sm_mhz": 1980, "memory_mhz": 3201, "throttle": []})
    made.update(members)
    return made


def counters(**members):
    return {"gld_efficiency": 100.0, "gst_efficiency": 25.0, "gld_transactions_per_request": 4.0,
            "gst_transactions_per_request": 16.0, "shared_efficiency": None, "bound_pct": 40.0,
            "gld_moved_bytes": 4194304, "gst_moved_bytes": 16777216, **members}


def everything():
    """Every kind of row at once: sweeps, peers, failures, throttling, malicious names."""
    rows = []
    for kernel, speed in (("scalar", 1700), ("vec4", 4300)):
        for block, occupancy in ((64, 50), (128, 100), (256, 100), (1024, 75)):
            rows.append(row("copy", kernel, speed * occupancy / 100, block=block,
                            occupancy={"blocks": 8, "warps": 64, "pct": occupancy}))
        for power in range(10, 31, 2):
            if power != 28:
                rows.append(row("copy", kernel, min(speed, 10 + (1 << power) / 1e4), size=1 << power))
        for unroll in (1, 2, 4, 8):
            rows.append(row("copy", kernel, speed - 10 * unroll, unroll=unroll))
    rows.append(row("copy", "driver", 4225.5, block=None, peer={"library": "CUDA driver", "version": "13.0"}))
    for offset in range(33):
        for kernel, speed in (("plain", 3150), ("unroll4", 4380)):
            rows.append(row("read-offset", kernel, speed - (60 if offset % 8 else 0), offset=offset, block=512))
    for stride in (1, 2, 4, 8, 16, 32):
        for kernel in ("load", "store"):
            rows.append(row("stride", kernel, 2600 / stride, stride=stride, block=256))
    square = {"size": "16384x16384", "block": "32x8"}
    for kernel, speed in (("naive-row", 1000.4), ("shared", 1766.1), ("shared-pad-unroll", 3973.2)):
        rows.append(row("transpose", kernel, speed, **square))
        rows.append(row("transpose", kernel, speed * 1.1, **square, l2="hot"))
    throttled = row("transpose", "shared-pad", 3506.7, **square)
    throttled["clocks"]["throttle"] = ["sw_power_cap"]
    rows.append(throttled)
    rows.append(row("transpose", "wrong", None, **square, verified=False, error="element 17 of output 0: 3, not 4"))
    rows.append(row("transpose", "cublas-geam", 3890.3, **square, peer={"library": "cuBLAS", "version": "13.1.0"}))
    rows.append(row("transpose", "jax-transpose", None, **square, verified=None, skipped="JAX is not installed",
                    peer={"library": "JAX", "version": None}))
    for kernel, speed in (("naive", 3000), ("register-tile", 30542)):
        rows.append(row("matmul", kernel, speed / 1365, size="8192x8192x8192", block="16x16", gops=speed))
    rows.append(row(EVIL, EVIL, 4100.5))
    rows.append(row(EVIL, EVIL, 90.5, peer={"library": EVIL, "version": EVIL}))
    rows.append(row("copy ladder", "a", 100.0))
    rows.append(row("copy-ladder", "a", 0.25))
    return document(rows, command=["bench", EVIL])


class Page(html.parser.HTMLParser):
    """The parts of a page that tests examine: its elements, ids, text by element, figures with their tables."""
    VOID = {"meta", "link", "br", "rect"}

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.stack, self.faults, self.ids, self.tags, self.attributes = [], [], [], [], []
        self.headings, self.figures, self.tables, self.texts = [], [], [], []
        self.feed(text)
        self.close()
        if self.stack:
            self.faults.append(f"not closed: {self.stack}")

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if len(attributes) != len(attrs):
            self.faults.append(f"an attribute twice: {attrs}")
        self.tags.append(tag)
        self.attributes.append((tag, attributes))
        if "id" in attributes:
            self.ids.append(attributes["id"])
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag == "figure":
            self.figures.append({"tags": [], "table": None, "titles": [], "descriptions": [], "svg": []})
        if self.figures and "figure" in self.stack:
            self.figures[-1]["tags"].append(tag)
            if tag == "svg":
                self.figures[-1]["svg"].append({"attributes": attributes, "texts": []})
        if tag == "table":
            self.tables.append([])
            if "figure" in self.stack:
                self.figures[-1]["table"] = self.tables[-1]
        if tag == "tr":
            self.tables[-1].append([])
        if tag in ("td", "th"):
            self.tables[-1][-1].append("")
        if tag not in self.VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.stack.pop()

    def handle_endtag(self, tag):
        if not self.stack or self.stack.pop() != tag:
            self.faults.append(f"</{tag}> at {self.getpos()}")

    def handle_data(self, data):
        self.texts.append(data)
        if not self.stack:
            return
        if self.stack[-1] in ("td", "th"):
            self.tables[-1][-1][-1] += data
        if "figure" in self.stack and "svg" in self.stack:
            figure = self.figures[-1]
            if self.stack[-1] == "title":
                figure["titles"].append(data)
            elif self.stack[-1] == "desc":
                figure["descriptions"].append(data)
            elif self.stack[-1] == "text":
                figure["svg"][-1]["texts"].append(data)
