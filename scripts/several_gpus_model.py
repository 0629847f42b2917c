#!/usr/bin/env python3
"""Predicts a distributed transpose on 4 to 1,024 GPUs from what two were measured at: docs/notes/several-gpus.md.

    scripts/several_gpus_model.py            rewrites the page's tables
    scripts/several_gpus_model.py --check    exits 1 when they are stale, and changes nothing

Sizes are in bytes, times in seconds, rates in bytes per second and way.
"""
import argparse
import pathlib
import re
import sys

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs/notes/several-gpus.md"
GIB, MB, GB, US = 2**30, 1e6, 1e9, 1e-6

# Measured on two H100 with NVLink: bytes that cross per way, and their rate.
MEASURED = {
    "copy engine": [(2**26, 382), (2**28, 391), (2**30, 394)],
    "`wl_redistribute`": [(2**26, 328), (2**28, 359), (2**30, 368)],
    "NCCL's all-to-all alone": [(2**26, 206), (2**28, 261), (2**30, 307), (2**28, 239), (2**30, 305), (2**32, 311)],
}
HOST_CALL = 4 * US  # measured: what a call of the library costs the host

# Assumed.
NODE = 8               # GPUs of a node, all on one switch
NIC = 0.9 * 50 * GB    # a NIC of 400 Gb/s for each GPU, of which a tenth is lost to heads and to others' traffic
MESSAGE = 5 * US       # what each message costs a NIC's queue
MEMORY = 2700 * GB     # reads and writes together, of an H100: 0.8 of its peak
CHUNK = 8 * 2**20      # of what is packed, sent and unpacked

STRONG = 64 * GIB      # of the whole matrix: 131072 x 131072 f32
WEAK = 4 * GIB         # of each GPU's part


def fit(points):
    """Latency and rate, so that time = latency + bytes / rate; the relative errors' squares are least."""
    weighed = [(1 / time, size / time) for size, time in points]
    aa, ab, bb = (sum(p[i] * p[j] for p in weighed) for i, j in ((0, 0), (0, 1), (1, 1)))
    a, b = (sum(p[i] for p in weighed) for i in (0, 1))
    determinant = aa * bb - ab * ab
    return (bb * a - ab * b) / determinant, determinant / (aa * b - ab * a)


FITS = {name: fit([(size, size / (rate * GB)) for size, rate in points]) for name, points in MEASURED.items()}


class Call:
    """A transpose of a square matrix of so many bytes, each GPU's part an even share of its rows."""

    def __init__(self, gpus, total):
        self.gpus, part = gpus, total / gpus
        self.piece = part / gpus
        near = min(gpus, NODE)
        self.near, self.far = (near - 1) * self.piece, (gpus - near) * self.piece
        latency, self.link = FITS["`wl_redistribute`"]
        self.nccl = FITS["NCCL's all-to-all alone"][0]
        self.parts = {"NVLink": latency + self.near / self.link, "memory": (2 * part + 4 * self.far) / MEMORY}
        if gpus <= NODE:
            self.parts["host"] = gpus * gpus * HOST_CALL
        else:
            self.parts["network"] = self.far / NIC
            self.parts["messages"] = (gpus - NODE) * MESSAGE
        self.sent = self.near + self.far

    def staging(self):
        """The first chunk is packed, and the last one unpacked, while nothing crosses."""
        return self.nccl + 2 * 2 * min(CHUNK, self.piece) / MEMORY if self.gpus > NODE else 0

    def seconds(self):
        """Parts work at the same time, but a NIC's messages and their bytes take turns."""
        network = self.parts.get("network", 0) + self.parts.get("messages", 0)
        rest = max(value for name, value in self.parts.items() if name not in ("network", "messages"))
        return max(network, rest) + self.staging()

    def two_steps(self):
        """Within nodes first, so that a NIC sends one message to each other node, of NODE pieces."""
        if self.gpus <= NODE:
            return self.seconds()
        far = (self.gpus // NODE - 1) * MESSAGE + self.far / NIC
        near = self.parts["NVLink"] + self.far * (NODE - 1) / NODE / self.link
        memory = self.parts["memory"] + 2 * self.far / MEMORY
        return max(far, near, memory) + self.staging()

    def limit(self):
        return max(self.parts, key=self.parts.get)


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|---" + "|---:" * (len(head) - 1) + "|"]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def milliseconds(seconds):
    return f"{1e3 * seconds:.3g}"


def size_text(size):
    return f"{size / 2**20:.0f} MiB" if size >= 2**20 else f"{size / 2**10:.0f} KiB"


def fits():
    rows = []
    for name, points in MEASURED.items():
        latency, rate = FITS[name]
        for size, measured in points:
            fitted = size / (latency + size / rate) / GB
            rows.append([name, f"{size / MB:.0f}", str(measured), f"{fitted:.0f}", f"{latency / US:.0f}",
                         f"{rate / GB:.0f}"])
            name = ""
    return table(["", "MB that cross", "measured, GB/s", "fitted, GB/s", "latency, us", "rate, GB/s"], rows)


def predictions(total):
    rows = []
    for gpus in (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024):
        call = Call(gpus, total(gpus))
        rows.append([str(gpus), size_text(call.piece), f"{call.sent / GIB:.2f}", f"{call.far / call.sent:.2f}",
                     milliseconds(call.seconds()), f"{call.sent / call.seconds() / GB:.0f}", call.limit(),
                     milliseconds(call.two_steps())])
    return table(["GPUs", "piece", "GiB that a GPU sends", "of it between nodes", "ms", "GB/s per GPU", "what limits",
                  "in two steps, ms"], rows)


TABLES = {
    "fits": fits,
    "weak": lambda: predictions(lambda gpus: gpus * WEAK),
    "strong": lambda: predictions(lambda gpus: STRONG),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail where the page would change")
    arguments = parser.parse_args()
    text = PAGE.read_text()
    marker = r"<!-- model:(\w+) -->\n.*?<!-- /model -->"
    if sorted(re.findall(marker, text, flags=re.DOTALL)) != sorted(TABLES):
        sys.exit(f"several_gpus_model: {PAGE.name} has not each of the tables {', '.join(TABLES)} once")

    def fill(match):
        return "\n".join([f"<!-- model:{match[1]} -->", *TABLES[match[1]](), "<!-- /model -->"])

    fresh = re.sub(marker, fill, text, flags=re.DOTALL)
    if arguments.check and fresh != text:
        print(f"docs/notes/{PAGE.name} is stale: run scripts/several_gpus_model.py", file=sys.stderr)
        return 1
    if not arguments.check:
        PAGE.write_text(fresh)
    return 0


if __name__ == "__main__":
    sys.exit(main())
