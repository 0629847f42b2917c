#!/usr/bin/env python3
"""Makes the fuzz targets' first inputs out of what a release build left: PTX a kernel a file, fat binaries,
programs, records, results; headers of NumPy's files; and sparse matrices' files.

    tests/fuzz/seeds.py BUILD OUT      OUT/ptx/..., OUT/fatbin/..., OUT/elf/..., OUT/records/..., OUT/words/...,
                                       OUT/npy/..., OUT/matrix/...
"""
import glob
import gzip
import hashlib
import io
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import zipfile

LARGEST_PTX = 12000
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def keep(out, target, data):
    folder = os.path.join(out, target)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, hashlib.sha1(data).hexdigest()[:12]), "wb") as file:
        file.write(data)


def functions(text):
    """The text's head, and each function with the preceding module-scope declarations."""
    starts = [match.start() for match in re.finditer(r"(?m)^\s*(?:\.visible |\.weak )*\.(?:entry|func)\b", text)]
    if not starts:
        return text, []
    ends = []
    for start in starts:
        brace, end = text.find("\n{", start), text.find("\n}", start)
        semicolon = text.find(";", start)
        ends.append(semicolon + 1 if brace < 0 or 0 <= semicolon < brace else end + 2)
    return text[:starts[0]], [text[start:end] for start, end in zip(starts, ends)]


def keep_ptx(out, path):
    with open(path, encoding="latin-1") as file:
        text = file.read()
    text = re.sub(r"(?ms)^\s*\.section.*?^\s*}\n", "", text)
    text = re.sub(r"(?m)^//.*\n", "", text)
    head, parts = functions(text)
    calls = any("call" in part for part in parts)
    pieces = [text] if calls else [head + part for part in parts]
    for piece in pieces:
        data = piece.encode("latin-1")
        if len(data) <= LARGEST_PTX:
            keep(out, "ptx", data)
            for choice in choices(piece):
                keep(out, "ptx", data + f"\n//@{choice:x}\n".encode())


# For struct choice in ptx.c: how the kernels of a text are launched.
SHARED, HEAP, CLUSTER, THREADS, COOPERATIVE, PACKED, CHECKS, PARAMS, TEXTURE = 0, 3, 5, 7, 9, 11, 13, 16, 48
TEXTURE_PARAM = 2


def choices(text):
    """Launches in which a text reaches its point; its hash alone would rarely choose them."""
    if re.search(r"\btex\.|\btld4\.", text):  # the texture is one of the first three parameters
        for texture in range(4):
            for param in range(3):
                yield texture << TEXTURE | TEXTURE_PARAM << PARAMS + 2 * param
    if re.search(r"shared::cluster|barrier\.cluster|mbarrier", text):
        for cluster in range(4):
            yield cluster << CLUSTER
            yield cluster << CLUSTER | (1 + cluster) << SHARED
    if re.search(r"\b(malloc|free)\b", text):
        for heap in range(4):
            yield heap << HEAP
            yield heap << HEAP | 3 << PACKED


# Small kernels with what a compiler makes long ones of.
SMALL_HEAD = ".version 8.6\n.target sm_90\n.address_size 64\n"
SMALL = [
    # barriers: initialised, arrived at, waited for; a bulk copy to it, and one from it
    """.shared .align 16 .b8 s[64];
.entry k(.param .u64 p) {
.reg .b32 %r<3>; .reg .b64 %d<3>; .reg .pred %p<2>;
ld.param.u64 %d1, [p];
mbarrier.init.shared::cta.b64 [s], 96;
mbarrier.arrive.expect_tx.shared::cta.b64 %d2, [s], 16;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s+16], [%d1], 16, [s];
mbarrier.try_wait.parity.shared::cta.b64 %p1, [s], 0;
cp.async.bulk.global.shared::cta.bulk_group [%d1], [s+16], 16;
mbarrier.inval.shared::cta.b64 [s];
ret; }""",
    """.extern .shared .align 16 .b8 s[];
.entry k(.param .u64 p) {
.reg .b32 %r<5>; .reg .b64 %d<3>;
ld.param.u64 %d1, [p];
mov.u32 %r1, s;
mov.u32 %r2, 1;
mapa.shared::cluster.u32 %r3, %r1, %r2;
barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
st.shared::cluster.u32 [%r3], %r2;
ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [s];
cp.async.ca.shared.global [s], [%d1], 16;
atom.shared.add.u32 %r1, [s+4], 1;
ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [s];
barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
ret; }""",
    """.extern .func (.param .b64 r) malloc (.param .b64 n);
.extern .func free (.param .b64 a);
.entry k(.param .u64 p) {
.reg .b32 %r<3>; .reg .b64 %d<4>; .reg .pred %p<2>;
mov.u32 %r1, 0;
{ .param .b64 n; .param .b64 r; st.param.b64 [n], 24; call (r), malloc, (n); ld.param.b64 %d1, [r]; }
L: st.u32 [%d1+20], %r1;
{ .param .b64 a; st.param.b64 [a], %d1; call free, (a); }
add.u32 %r1, %r1, 1;
setp.lt.u32 %p1, %r1, 2;
@%p1 bra L;
ret; }""",
]


def keep_small(out):
    for body in SMALL:
        text = SMALL_HEAD + body
        for choice in [0, *choices(text)]:
            keep(out, "ptx", f"{text}\n//@{choice:x}\n".encode())


def nvcc(*command):
    return subprocess.run(["nvcc", *command], check=False, capture_output=True).returncode == 0


def keep_compiled(out, folder):
    sources = sorted(glob.glob(os.path.join(ROOT, "tests", "**", "*.cu"), recursive=True))
    for source in sources:
        for arch in ["75", "80", "90"]:
            path = os.path.join(folder, "a.ptx")
            if nvcc("-ptx", "-O3", "-std=c++17", f"-arch=compute_{arch}", *(["-lineinfo"] if arch == "80" else []),
                    "-o", path, source):
                keep_ptx(out, path)


def keep_fatbins(out, folder):
    source, path = os.path.join(folder, "small.cu"), os.path.join(folder, "a")
    with open(source, "w", encoding="ascii") as file:
        file.write('extern "C" __global__ void k(int *p) { p[threadIdx.x] = p[threadIdx.x + 1]; }\n')
    ptx = ["-gencode", "arch=compute_75,code=compute_75"]
    for more in [[], ["--compress-mode=speed"], ["--compress-mode=size"], ["--compress-mode=balance"],
                 ["--no-compress"], ["-lineinfo"], ["-lineinfo", "--no-compress"], ["-rdc=true"],
                 ["-gencode", "arch=compute_80,code=compute_80"], ["-gencode", "arch=compute_90,code=sm_90"]]:
        if nvcc("-fatbin", *ptx, *more, "-o", path, source):
            with open(path, "rb") as file:
                keep(out, "fatbin", file.read())
    for form in [["-cubin", "-arch=sm_90"], ["-ptx", "-arch=compute_75"],
                 ["-fatbin", "-gencode", "arch=compute_90,code=sm_90"]]:
        if nvcc(*form, "-o", path, source):
            with open(path, "rb") as file:
                keep(out, "fatbin", file.read())


PROGRAMS = {  # only their symbol tables are read, so they need no libraries
    "static": "int cudaMalloc(void) { return 1; } int __cudaRegisterFatBinary(void) { return 2; }\n"
              "int cudaGetDeviceProperties_v2(void) { return 3; }\n",
    "kernels": '__attribute__((section(".nv_fatbin"))) int fatbin = 1;\n',
    "shared": "int __cudaRegisterFatBinary(void); int call(void) { return __cudaRegisterFatBinary(); }\n",
}


def keep_programs(out, folder):
    source, path = os.path.join(folder, "a.c"), os.path.join(folder, "a")
    for name, text in PROGRAMS.items():
        for form in [["-shared", "-nostdlib"], ["-nostdlib", "-static", "-Wl,-e,0"], ["-c"]]:
            with open(source, "w", encoding="ascii") as file:
                file.write(text)
            for last in [[], ["-s"]]:
                done = subprocess.run(["gcc", "-Os", "-Wl,-z,max-page-size=64,--build-id=none", *form, *last, "-o",
                                       path, source], check=False, capture_output=True)
                if done.returncode == 0:
                    with open(path, "rb") as file:
                        keep(out, "elf", file.read())
        del name
    keep(out, "elf", b"#!/bin/sh\n")


def keep_records(out, build, folder):
    runs = [["strided:8", "vectors", "vectors", "misaligned"], ["conflicts", "divergent", "strided:2", "strided:2"],
            ["out_of_bounds"], ["fork", "vectors"]]
    for steps in runs:
        for checks in ["", "memory,race,init,sync"]:
            path = os.path.join(folder, "records")
            with open(path, "wb"):
                pass
            environment = {**os.environ, "WIDELOAD_PROF_OUT": path, "WIDELOAD_CHECK": checks, "WIDELOAD_PROF_PAGE": "1",
                           "LD_LIBRARY_PATH": os.path.join(build, "lib", "wideload")}
            subprocess.run([os.path.join(build, "prof_program"), *steps], env=environment, check=False,
                           capture_output=True)
            with open(path, encoding="utf-8") as file:
                text = file.read().replace(ROOT, "").replace(folder, "").replace(build, "")
            keep(out, "records", text.encode())
    # With an account first, as the command makes the file: all but its head is zeros and left out (records.c).
    for lost, begun, ended, pid, name in [(0, 2, 2, 0, b""), (3, 9, 8, 7, b"_Z1kPi"), (1, 1, 0, 7, b"x" * 16)]:
        account = struct.pack("<8s4Qq2Qq16s", b"wlprof1", 2, lost, begun, ended, 28 if lost else 0, 0, 0, pid, name)
        keep(out, "records", account + text.encode())


BLOCKS = {("copy", "scalar"): 256, ("copy", "vec4"): 256, ("copy", "driver"): None, ("read-offset", "plain"): 512}


def keep_results(out):
    """Rows that are also in results.c's plan."""
    for path in sorted(glob.glob(os.path.join(ROOT, "docs", "results", "*.json"))):
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        rows = [row for row in document["rows"] if (row["experiment"], row["kernel"]) in BLOCKS]
        for row in rows:
            row["params"].update(size=1048576, block=BLOCKS[row["experiment"], row["kernel"]])
        for kept in [rows[:1], rows[-2:], rows[:3]]:
            document["rows"] = kept
            keep(out, "results", json.dumps(document).encode())


WORDS = [["gld_efficiency<80", "gst_efficiency >= 12.5 %", "inst_executed==0", "a", "<1", "branch_efficiency!=1e3"],
         ["all", "gld_efficiency,gst_efficiency", "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct",
          "gld_eficiency", ","],
         ["0", "12", "18446744073709551615", "1e9", "-1", "0.5", "99999999999999999999"],
         ["memory,race", "init", " sync , memory", "memroy"],
         ["_Z7stridedIfEvPT_PKS0_i", "void a::(anonymous namespace)::b<int (*)(c)>(d)", "operator()(int)", "k",
          "_ZN1aclEv", "_ZNK3cub11InequalityWIiEEclIiEEbi"],
         ["fermi", "sm_90", "fermi-l2", "sm_9O"]]


def keep_words(out):
    for number, texts in enumerate(WORDS):
        for text in texts:
            keep(out, "words", bytes([number]) + text.encode())


HEADERS = ["{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }   \n", "{'descr': '|S5', 'fortran_order': True, 'shape': ()}",
           "{'descr': '<M8[25s]', 'fortran_order': False, 'shape': (2,)}", "{'descr': '|O', 'fortran_order': False, 'shape': (2,)}",
           "{'descr': [('a', '|i1'), ('', '|V3'), (('t', 'b'), '<c16', (2, 3)), (\"it's\", [('\\xe9\\u4e2d', '<U2')])], "
           "'fortran_order': True, 'shape': (7, 1, 5, 3), }", "{'shape': (10L, 0), 'descr': '>u8', 'fortran_order': False}"]


def keep_headers(out):
    for number, text in enumerate(HEADERS):
        version = 1 + number % 3
        data = text.encode("latin-1" if version < 3 else "utf-8")
        keep(out, "npy", b"\x93NUMPY" + struct.pack("<BBH" if version == 1 else "<BBI", version, 0, len(data)) + data)


def npy(descr, shape, data):
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text + data


def keep_matrices(out):
    for field, symmetry, entry in (("real", "general", "1.5"), ("real", "symmetric", "-2e-3"), ("integer", "skew-symmetric", "-7"),
                                   ("complex", "hermitian", "0.30000000000000004 1e300"), ("pattern", "symmetric", ""),
                                   ("unsigned-integer", "general", "18446744073709551615"), ("real", "general", "inf")):
        text = f"%%MatrixMarket matrix coordinate {field} {symmetry}\n% a comment\n\n3 3 2\n2 1 {entry}\r\n 3\t1 {entry}"
        keep(out, "matrix", text.encode())
        keep(out, "matrix", gzip.compress(text.encode(), mtime=0))
    for form, index, value in ("csr", "<i4", "<f8"), ("csc", "<i8", "|i1"), ("coo", "<i4", "<c16"), ("csr", ">i4", ">f4"), ("coo", "<u4", "|b1"):
        def numbers(*items, code="iq"[index[2] == "8"], order=index[0]):
            return npy(index, f"({len(items)},)", struct.pack(f"{order}{len(items)}{code}", *items))
        arrays = [npy("|S3", "()", form.encode()), npy("<i8", "(2,)", struct.pack("<2q", 3, 3)), numbers(0, 1, 1, 2), numbers(2, 0),
                  npy(value, "(2,)", bytes(range(60, 60 + 2 * int(value[2:])))), numbers(1, 0), numbers(0, 2), npy("|b1", "()", b"\1")]
        if form == "coo":
            arrays[2] = arrays[3] = b""
        keep(out, "matrix", b"\0" + b"".join(struct.pack("<H", len(array)) + array for array in arrays))
        for method in zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED:
            file = io.BytesIO()
            with zipfile.ZipFile(file, "w", method) as archive:
                for name, array in zip(("format", "shape", "indptr", "indices", "data", "row", "col"), arrays):
                    archive.writestr(zipfile.ZipInfo(name + ".npy"), array, method)
            keep(out, "matrix", file.getvalue())


def main():
    build, out = (os.path.abspath(path) for path in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        keep_compiled(out, folder)
        keep_small(out)
        keep_fatbins(out, folder)
        keep_programs(out, folder)
        keep_records(out, build, folder)
    keep_results(out)
    keep_words(out)
    keep_headers(out)
    keep_matrices(out)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main()
