"""Sparse transposes beside SciPy's."""
import numpy as np
import pytest
import wideload

sparse = pytest.importorskip("scipy.sparse")


def random_matrix(generator, dtype, index):
    rows, cols = (int(2 ** generator.uniform(0, 12)) for _ in range(2))
    entries = int(generator.integers(0, 5000))
    counts = np.bincount(generator.integers(0, rows, entries), minlength=rows)
    pointers = np.concatenate([[0], np.cumsum(counts)]).astype(index)
    values = np.frombuffer(generator.bytes(entries * np.dtype(dtype).itemsize), np.uint8).view(dtype)
    # Places may come twice, and in any order.
    return sparse.csr_array((values, generator.integers(0, cols, entries).astype(index), pointers), shape=(rows, cols))


def expect_transposed(found, matrix):
    """SciPy's conversion is stable, too: all three arrays are equal."""
    expected = matrix.tocsc()
    assert type(found) is type(matrix) and found.shape == matrix.shape[::-1]
    for part in "indptr", "indices", "data":
        mine, its = getattr(found, part), getattr(expected, part)
        assert mine.dtype == its.dtype and mine.tobytes() == its.tobytes(), part


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.float32, np.float64, np.complex128])
def test_random_matrices(dtype, index):
    generator = np.random.default_rng(np.dtype(dtype).num * 10 + np.dtype(index).num)
    for _ in range(60):
        matrix = random_matrix(generator, dtype, index)
        expect_transposed(wideload.csr_transpose(matrix), matrix)
        expect_transposed(wideload.csr_transpose(matrix, check=True), matrix)


def test_kinds_of_matrices():
    dense = np.array([[0, 1.5, 2], [3, 0, 0]])
    for matrix in sparse.csr_matrix(dense), sparse.csr_array(dense), sparse.csr_array((5, 3)), sparse.csr_array((1, 1)):
        for check in False, True:
            expect_transposed(wideload.csr_transpose(matrix, check=check), matrix)
    longer = sparse.csr_array(dense)  # SciPy allows room behind the entries
    longer.data, longer.indices = np.append(longer.data, 9), np.append(longer.indices, np.int32(9))
    assert (wideload.csr_transpose(longer).toarray() == dense.T).all()
    backwards = sparse.csr_array(dense)
    backwards.data = backwards.data[::-1].copy()[::-1]
    assert (wideload.csr_transpose(backwards).toarray() == dense.T).all()
    assert "host-counts" in wideload.explain()


def test_what_is_refused():
    dense = np.eye(3)
    for wrong in dense, sparse.csc_array(dense), sparse.coo_array(dense), None:
        with pytest.raises(TypeError, match="^matrix: .*in rows"):
            wideload.csr_transpose(wrong)
    matrix = sparse.csr_array(dense)
    matrix.indices = matrix.indices.astype(np.int64)
    with pytest.raises(TypeError, match="^matrix.indices: type i8, and matrix.indptr i4"):
        wideload.csr_transpose(matrix)
    matrix = sparse.csr_array(dense)
    matrix.indices = matrix.indices[:2]
    with pytest.raises(ValueError, match="^matrix.indices: 2 elements; the matrix has 3 entries"):
        wideload.csr_transpose(matrix)
    matrix = sparse.csr_array(dense)
    matrix.data = matrix.data.astype(np.longdouble).view(np.uint8)[:3].reshape(3, 1)
    with pytest.raises(ValueError, match="^matrix.data: 2 dimensions"):
        wideload.csr_transpose(matrix)


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_checked_data(index):
    """One wrong number, where SciPy does not look.  Unchecked, it does no harm."""
    def spoiled(part, at, value):
        indices, pointers = np.array([0, 3, 1, 2, 0, 3], index), np.array([0, 2, 2, 5, 6], index)
        matrix = sparse.csr_array((np.arange(6.0), indices, pointers), shape=(4, 4))
        assert matrix.indptr.dtype == index
        getattr(matrix, part)[at] = value
        return matrix

    for part, at, value, words in (
            ("indices", 0, 4, r"matrix\.indices\[0\] is 4; the columns are 0 to 3"),
            ("indices", 5, -1, r"matrix\.indices\[5\] is -1; the columns are 0 to 3"),
            ("indptr", 0, 1, r"matrix\.indptr\[0\] is 1; the first row begins at 0"),
            ("indptr", 2, 1, r"matrix\.indptr\[2\] is 1, less than indptr\[1\], which is 2"),
            ("indptr", 3, 7, r"matrix\.indptr\[3\] is 7; there are 6 entries")):
        with pytest.raises(ValueError, match=f"^{words}$"):
            wideload.csr_transpose(spoiled(part, at, value), check=True)
        assert wideload.csr_transpose(spoiled(part, at, value)).shape == (4, 4)
    expect_transposed(wideload.csr_transpose(spoiled("data", 0, 7), check=True), spoiled("data", 0, 7))
    for value, words in (7, "^matrix.indices: 6 elements; the matrix has 7 entries"), (-1, "^matrix.indptr: ends with -1"):
        for check in False, True:
            with pytest.raises(ValueError, match=words):
                wideload.csr_transpose(spoiled("indptr", 4, value), check=check)


def test_other_failures_of_the_check(monkeypatch):
    """Failures of the call itself stay the library's."""
    class Refusing:
        wl_csr_check = staticmethod(lambda *_: 6)

        def __getattr__(self, name):
            return getattr(wideload._library, name)

    monkeypatch.setattr(wideload._sparse, "_library", Refusing())
    with pytest.raises(wideload.Error) as caught:
        wideload.csr_transpose(sparse.csr_array(np.eye(2)), check=True)
    assert caught.value.name == "WL_ERROR_DRIVER"
