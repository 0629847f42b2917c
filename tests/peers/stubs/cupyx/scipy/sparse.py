"""A stub of CuPy's sparse matrices."""
import numpy


class csr_matrix:
    def __init__(self, parts, shape):
        self.data, self.indices, self.indptr = parts
        self.shape = shape

    def tocsc(self):
        # Entries of a column from its last row up, because their order is free.
        row = numpy.repeat(numpy.arange(self.shape[0], dtype=numpy.int32), numpy.diff(self.indptr))
        order = numpy.lexsort((-row, self.indices))
        starts = numpy.cumsum(numpy.bincount(self.indices, minlength=self.shape[1]))
        result = csr_matrix((self.data[order], row[order], numpy.concatenate([[0], starts])), self.shape)
        return result
