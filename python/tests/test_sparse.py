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


def test_kinds_of_matrices():
    dense = np.array([[0, 1.5, 2], [3, 0, 0]])
    for matrix in sparse.csr_matrix(dense), sparse.csr_array(dense), sparse.csr_array((5, 3)), sparse.csr_array((1, 1)):
        expect_transposed(wideload.csr_transpose(matrix), matrix)
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
