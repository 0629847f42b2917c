#!/usr/bin/env python3
"""wideload.csr_transpose() beside cuSPARSE's csr2csc (by CuPy's tocsc()) on a GPU, over matrices of twelve kinds.

usage: sparse_cupy.py [KIND...]

It needs CuPy and the installed package.  Times are medians of 9 calls by CUDA's events, each with the allocation of its
result from CuPy's pool and the call's host time.  A result that differs from cuSPARSE's ends the run.
"""
import math
import sys

import cupy
import cupyx.scipy.sparse
import wideload


def matrix(rows, cols, row, col):
    """Entries in any order, sorted by their rows."""
    order = cupy.argsort(row, kind="stable")
    row, col = row[order], col[order].astype(cupy.int32)
    pointers = cupy.zeros(rows + 1, cupy.int32)
    pointers[1:] = cupy.cumsum(cupy.bincount(row, minlength=rows))
    return cupyx.scipy.sparse.csr_matrix((cupy.random.random(col.size).astype(cupy.float32), col, pointers), shape=(rows, cols))


def uniform(rows, cols, each):
    return matrix(rows, cols, cupy.arange(rows * each) // each, cupy.random.randint(0, cols, rows * each))


def power_law(scale, each):
    """R-MAT with the usual shares of the quarters."""
    count = each << scale
    row, col = cupy.zeros(count, cupy.int64), cupy.zeros(count, cupy.int64)
    for _ in range(scale):
        share = cupy.random.random(count)
        row = 2 * row + (share > .76)
        col = 2 * col + (((share > .57) & (share <= .76)) | (share > .95))
    return matrix(1 << scale, 1 << scale, row, col)


def banded(size, width):
    row = cupy.repeat(cupy.arange(size), width)
    return matrix(size, size, row, (row + cupy.tile(cupy.arange(width), size) - width // 2) % size)


def laplacian(*sizes):
    """A point and its neighbours on a grid."""
    point, step = cupy.arange(math.prod(sizes)), 1
    row, col = [point], [point]
    for size in reversed(sizes):
        place = point // step % size
        for apart, inside in (-step, place > 0), (step, place < size - 1):
            row.append(point[inside])
            col.append(point[inside] + apart)
        step *= size
    return matrix(point.size, point.size, cupy.concatenate(row), cupy.concatenate(col))


def dense_row(size, each):
    row = cupy.concatenate([cupy.repeat(cupy.arange(size), each), cupy.full(size, size // 2)])
    return matrix(size, size, row, cupy.concatenate([cupy.random.randint(0, size, size * each), cupy.arange(size)]))


def hypersparse(size, entries):
    return matrix(size, size, cupy.random.randint(0, size, entries), cupy.random.randint(0, size, entries))


KINDS = {
    "uniform 2^20, 16 a row": lambda: uniform(1 << 20, 1 << 20, 16),
    "uniform 2^20, 64 a row": lambda: uniform(1 << 20, 1 << 20, 64),
    "uniform 2^22, 16 a row": lambda: uniform(1 << 22, 1 << 22, 16),
    "R-MAT of scale 20": lambda: power_law(20, 16),
    "R-MAT of scale 22": lambda: power_law(22, 16),
    "banded 2^20, 17 a row": lambda: banded(1 << 20, 17),
    "Laplacian of 4096^2": lambda: laplacian(4096, 4096),
    "Laplacian of 256^3": lambda: laplacian(256, 256, 256),
    "64 rows of 2^18": lambda: uniform(64, 1 << 20, 1 << 18),
    "one dense row": lambda: dense_row(1 << 20, 16),
    "1000 columns": lambda: uniform(1 << 20, 1000, 16),
    "hypersparse 2^24": lambda: hypersparse(1 << 24, 1 << 21),
}


def milliseconds(call):
    times = []
    for _ in range(11):
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        call()
        end.record()
        end.synchronize()
        times.append(cupy.cuda.get_elapsed_time(begin, end))
    return sorted(times[2:])[4]


def main():
    unknown = [kind for kind in sys.argv[1:] if kind not in KINDS]
    if unknown:
        sys.exit(f"sparse_cupy: no kind '{unknown[0]}'; there are: {', '.join(KINDS)}")
    ratios = []
    print(cupy.cuda.runtime.getDeviceProperties(0)["name"].decode(), "CuPy", cupy.__version__)
    for kind in sys.argv[1:] or KINDS:
        given = KINDS[kind]()
        ours, its = wideload.csr_transpose(given), given.tocsc()
        if not all((getattr(ours, part) == getattr(its, part)).all() for part in ("indptr", "indices", "data")):
            sys.exit(f"sparse_cupy: {kind}: the results differ")
        mine, other = milliseconds(lambda: wideload.csr_transpose(given)), milliseconds(given.tocsc)
        ratios.append(other / mine)
        print(f"{kind:24} {given.nnz:10} entries  {mine:7.3f} ms  cuSPARSE {other:7.3f} ms  {other / mine:5.2f}", flush=True)
        del given, ours, its
        cupy.get_default_memory_pool().free_all_blocks()
    print(f"geometric mean {math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}")


if __name__ == "__main__":
    main()
