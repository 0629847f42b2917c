"""Cases made by hypothesis: arrays of any type, rank, order and strides, in memory that is checked to its last byte."""
from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

NUMBERS = [np.dtype(code) for code in "bBhHiIlLqQefdFD"]
PADDED = np.dtype([("a", "i1"), ("b", "f8"), ("c", "i2")], align=True)
PACKED = np.dtype([("x", "f4"), ("y", "u1"), ("z", ">i8")])
NESTED = np.dtype([("point", [("x", "f8"), ("y", "f8")]), ("tags", "u2", (2, 3)), ("name", "S5")])
TYPES = [*NUMBERS, *(np.dtype(code) for code in (
    "?", "g", "G", "M8[ns]", "m8[s]", "S1", "S3", "S7", "S17", "U1", "U2", "V1", "V5", "V16", "V33", "V100",
    ">i2", ">i4", ">f8", ">c16", ">U3", "V0")), PACKED, NESTED]

MARGIN = 64


SHAPES = [st.lists(st.sampled_from((1, 2, 3, 4, 5, 8, 17, 33, 64, 100, 255, 0)), max_size=rank) for rank in range(9)]
# How an array lies in memory: two bytes per dimension and two more.
LAYOUT = st.binary(min_size=18, max_size=18)
SEED = st.integers(0, 1 << 30)


def sizes(draw, most: int = 6000, least_rank: int = 0, rank_max: int = 8) -> tuple[int, ...]:
    """A shape: small in most dimensions, seldom empty, now and then as large as tiles are."""
    shape = []
    for size in draw(SHAPES[rank_max]) or [2] * least_rank:
        shape.append(size if size <= most else 1)
        most //= max(1, shape[-1])
    return tuple(shape)


def layout(how: bytes, shape: tuple[int, ...], width: int, is_input: bool) -> tuple[tuple[int, ...], int, int]:
    """Strides in bytes, the bytes that the array spans, and where its element at index 0 lies in these."""
    rank = len(shape)
    strides, step, first = [0] * rank, max(1, width), 0
    plain = how[16] % 2 == 0
    order = list(range(rank))[::-1]
    if how[16] % 4 >= 2:
        order.sort(key=lambda dimension: how[8 + dimension])
    for dimension in order:
        if not plain:
            kind = how[dimension] % 10
            if kind == 9 and is_input:
                continue  # broadcast
            if kind in (7, 8):
                step *= kind - 5
            elif kind == 6:
                step += width
            elif kind == 5:
                step += 1  # elements that are aligned to nothing
        stride = -step if not plain and how[dimension] >= 192 else step
        strides[dimension] = stride
        if shape[dimension] > 1:
            if stride < 0:
                first += (shape[dimension] - 1) * step
            step *= shape[dimension]
    return tuple(strides), step + first + width, first


def random_bytes(seed: int, count: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, count, np.uint8)


def array(draw, shape: tuple[int, ...], dtype: np.dtype, is_input: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """An array of random bytes, and the memory that it lies in."""
    how = draw(LAYOUT)
    strides, span, first = layout(how, shape, dtype.itemsize, is_input)
    offset = MARGIN + (0, 0, 0, 0, 1, 2, 4, 8)[how[17] % 8]
    memory = random_bytes(draw(SEED), offset + span + MARGIN)
    if dtype == bool:
        memory &= 1
    return np.ndarray(shape, dtype, memory, offset + first, strides), memory


def in_copy(memory: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same array in a copy of its memory."""
    other = memory.copy()
    offset = x.__array_interface__["data"][0] - memory.__array_interface__["data"][0]
    return np.ndarray(x.shape, x.dtype, other, offset, x.strides), other


def same_bytes(a: np.ndarray, b: np.ndarray) -> bool:
    return type(a) is type(b) and a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()
