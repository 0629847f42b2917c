"""`wideload sparse-transpose` beside SciPy: its files, read by both."""
import subprocess

import numpy as np
import pytest

sparse = pytest.importorskip("scipy.sparse")
scipy_io = pytest.importorskip("scipy.io")

TYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "c8", "c16"]
OF_TEXT = {"b": "i8", "i": "i8", "u": "i8", "f": "f8", "c": "c16"}  # what a .mtx says of a type


def transpose(source, target):
    done = subprocess.run(["wideload", "sparse-transpose", source, target], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def random_matrix(generator, dtype):
    """Each place at most once, as SciPy adds up what comes twice."""
    rows, cols = (int(2 ** generator.uniform(0, 8)) for _ in range(2))
    entries = int(generator.integers(0, min(rows * cols, 2000) + 1))
    places = generator.choice(rows * cols, entries, replace=False)
    values = np.frombuffer(generator.bytes(entries * np.dtype(dtype).itemsize), np.uint8).copy()
    values = (values & 1).view("?") if dtype == "?" else values.view(dtype)
    if values.dtype.kind in "fc":
        values[np.isnan(values)] = 0.1  # each NaN is "nan" in text
        if generator.random() < .5:
            values = generator.standard_normal(entries).astype(dtype)
    return sparse.coo_array((values, divmod(places, cols)), shape=(rows, cols))


def expect_equal(found, matrix):
    """In rows, which SciPy sorts by columns."""
    expected = matrix.tocsr()
    expected.sort_indices()
    found = found.tocsr()
    assert found.shape == expected.shape and found.dtype == expected.dtype
    assert np.array_equal(found.indptr, expected.indptr) and np.array_equal(found.indices, expected.indices)
    assert found.data.tobytes() == expected.data.tobytes()


@pytest.mark.parametrize("dtype", TYPES)
def test_archives(dtype, tmp_path):
    generator = np.random.default_rng(TYPES.index(dtype))
    source, target = tmp_path / "a.npz", tmp_path / "b.npz"
    for form in "csr", "csc", "coo":
        for make in getattr(sparse, form + "_array"), getattr(sparse, form + "_matrix"):
            matrix = make(random_matrix(generator, dtype))
            sparse.save_npz(source, matrix, compressed=bool(generator.integers(2)))
            transpose(source, target)
            found = sparse.load_npz(target)
            assert found.format == "csr" and isinstance(found, sparse.sparray) == isinstance(matrix, sparse.sparray)
            expect_equal(found, matrix.T)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("end", ["mtx", "mtx.gz"])
def test_text_of_archives(dtype, end, tmp_path):
    generator = np.random.default_rng(100 + TYPES.index(dtype))
    matrix = random_matrix(generator, dtype)
    sparse.save_npz(tmp_path / "a.npz", matrix)
    transpose(tmp_path / "a.npz", tmp_path / f"b.{end}")
    found = scipy_io.mmread(tmp_path / f"b.{end}", spmatrix=False)
    # A float of 32 bits has the shortest text that is it, and no other float of 32 bits.
    expect_equal(found.astype(dtype), matrix.T)
    assert found.dtype == ("u8" if dtype == "u8" else OF_TEXT[np.dtype(dtype).kind])


@pytest.mark.parametrize("dtype", ["i8", "u8", "f8", "c16"])
def test_text(dtype, tmp_path):
    generator = np.random.default_rng(200 + TYPES.index(dtype))
    for end in "mtx", "npz":
        scipy_io.mmwrite(tmp_path / "a.mtx", random_matrix(generator, dtype))
        source = scipy_io.mmread(tmp_path / "a.mtx", spmatrix=False)  # mmwrite() rounds some floats
        target = tmp_path / f"b.{end}"
        transpose(tmp_path / "a.mtx", target)
        expect_equal(scipy_io.mmread(target, spmatrix=False) if end == "mtx" else sparse.load_npz(target), source.T)


@pytest.mark.parametrize("field, symmetry", [
    ("real", "symmetric"), ("real", "skew-symmetric"), ("integer", "symmetric"), ("integer", "skew-symmetric"),
    ("complex", "symmetric"), ("complex", "hermitian"), ("pattern", "symmetric"), ("pattern", "general")])
def test_symmetry(field, symmetry, tmp_path):
    generator = np.random.default_rng(300)
    places = [(row, col) for row in range(1, 40) for col in range(1, row + (symmetry != "skew-symmetric")) if generator.random() < .2]
    numbers = {"real": 1, "integer": 1, "pattern": 0, "complex": 2}[field]
    lines = ""
    for row, col in places:
        values = generator.integers(-9, 9, numbers) if field == "integer" else generator.standard_normal(numbers)
        lines += " ".join(map(str, [row, col, *values.tolist()])) + "\n"
    (tmp_path / "a.mtx").write_text(f"%%MatrixMarket matrix coordinate {field} {symmetry}\n39 39 {len(places)}\n{lines}")
    transpose(tmp_path / "a.mtx", tmp_path / "b.mtx")
    expect_equal(scipy_io.mmread(tmp_path / "b.mtx", spmatrix=False), scipy_io.mmread(tmp_path / "a.mtx", spmatrix=False).T)
