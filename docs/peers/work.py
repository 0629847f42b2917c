"""What is asked of a framework: inputs, and what must come of them, on the host."""
POISON = 0x5A  # every byte of an output before it is verified
BLOCK = 1 << 18  # elements of a matrix that are made at once: a cache holds them

# What the frameworks do in each experiment.
VARIANTS = {"copy": ["copy"], "add": ["add"], "read-offset": ["read-offset"], "write-offset": ["write-offset"],
            "stride": ["load", "store"], "layout": ["aos", "soa"], "transpose": ["transpose"],
            "matmul": ["matmul"], "csr-transpose": ["csr2csc"],
            "copy-any": ["shifted-copy"], "add-any": ["typed-add"], "transpose-any": ["any-transpose"],
            "deinterleave": ["deinterleave"], "interleave": ["interleave"], "permute": ["permute"],
            "redistribute": ["redistribute"]}

# An element of so many bytes; frameworks have no others.
ELEMENTS = {1: "uint8", 2: "int16", 4: "int32", 8: "int64", 16: "complex128"}
TYPES = {"i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16",
         "u32": "uint32", "u64": "uint64", "f16": "float16", "bf16": "uint16", "f32": "float32", "f64": "float64"}


def anything(np, shape, width, seed, stream):
    """Elements of any bits, but that no complex number has a NaN: some frameworks compare them."""
    count = 1
    for size in shape:
        count *= size
    rng = np.random.default_rng([seed, stream])
    if width == 16:
        return rng.integers(-2**52, 2**52, 2 * count).astype(np.float64).view(np.complex128).reshape(shape)
    words = rng.integers(0, 2**64, -(-count * width // 8), dtype=np.uint64)
    return words.view(np.uint8)[:count * width].view(ELEMENTS[width]).reshape(shape)


def share(total, count, i):
    """Which of `total` rows the i-th of `count` devices has: the first ones have one more where they must."""
    each, more = divmod(total, count)
    return range(each * i + min(i, more), each * (i + 1) + min(i + 1, more))


def addends(np, n, kind, seed, stream):
    """Of a type: any integers; floats of either sign from 1/8 up to 32."""
    if kind == "f32":
        return floats(np, n, seed, stream)
    bits = anything(np, (n,), np.dtype(TYPES[kind]).itemsize, seed, stream)
    masks = {"f16": (0x9FFF, 0x3000), "bf16": (0x83FF, 0x3E00), "f64": (0x807FFFFFFFFFFFFF, 0x3FC0000000000000)}
    if kind in masks:
        bits = bits.view(np.dtype(f"uint{8 * bits.itemsize}"))
        keep, base = (bits.dtype.type(mask) for mask in masks[kind])
        bits = (bits & keep) + base
    return bits.view(TYPES[kind])


def total(np, a, b, kind):
    """a + b, rounded once."""
    if kind != "bf16":
        with np.errstate(over="ignore"):
            return a + b
    def widened(array):
        return (array.astype(np.uint32) << np.uint32(16)).view(np.float32)
    bits = (widened(a) + widened(b)).view(np.uint32)
    return ((bits + np.uint32(0x7FFF) + (bits >> np.uint32(16) & np.uint32(1))) >> np.uint32(16)).astype(np.uint16)


def floats(np, n, seed, stream):
    """Integers of 1 .. 2^24 as floats, unique among 2^24 neighbours: their sums are rounded alike everywhere."""
    out = np.empty(n, np.float32)
    rng = np.random.default_rng([seed, stream])
    for first in range(0, n, 1 << 24):
        x = np.arange(min(1 << 24, n - first), dtype=np.uint32) ^ np.uint32(rng.integers(1 << 24))
        x = ((x ^ (x >> np.uint32(12))) * np.uint32(0x9E6C63)) & np.uint32(0xFFFFFF)
        x = ((x ^ (x >> np.uint32(11))) * np.uint32(0x5A2D4D)) & np.uint32(0xFFFFFF)
        out[first:first + len(x)] = (x ^ (x >> np.uint32(12))) + np.uint32(1)
    return out


def integers(np, shape, seed, stream):
    return np.random.default_rng([seed, stream]).integers(-2**31, 2**31, shape, dtype=np.int32)


def product(np, a, b):
    """a @ b modulo 2^32, from halves of 16 bits whose products float64 adds exactly."""
    low, high = (a & 0xFFFF).astype(np.float64), (a.view(np.uint32) >> np.uint32(16)).astype(np.float64)
    low_b, high_b = (b & 0xFFFF).astype(np.float64), (b.view(np.uint32) >> np.uint32(16)).astype(np.float64)
    cross = (high @ low_b).astype(np.uint64) + (low @ high_b).astype(np.uint64)
    return ((low @ low_b).astype(np.uint64) + (cross << np.uint64(16))).astype(np.uint32).view(np.int32)


def sparse(np, rows, cols, nnz, seed):
    """A matrix of so many entries: rows uneven, some empty, columns ascending within a row."""
    rng = np.random.default_rng([seed, 3])
    weights = rng.random(rows) * (rng.random(rows) > 0.125)
    if not weights.any():
        weights[:] = 1
    lengths = np.minimum(rng.multinomial(nnz, weights / weights.sum()), cols)
    while (left := nnz - int(lengths.sum())) > 0:
        room = np.flatnonzero(lengths < cols)[:left]
        lengths[room] += 1
    starts = np.concatenate([[0], np.cumsum(lengths)])
    row = np.repeat(np.arange(rows), lengths)
    j, length = np.arange(nnz) - starts[row], lengths[row]
    low, high = j * cols // length, (j + 1) * cols // length
    columns = low + (rng.random(nnz) * (high - low)).astype(np.int64)
    return starts.astype(np.int32), columns.astype(np.int32), floats(np, nnz, seed, 2)


class Work:
    """One variant at one size: inputs, and what each output must be, on the host."""

    def __init__(self, np, variant, params, seed):
        self.np, self.variant, self.params = np, variant, params
        self.offset, self.stride = params.get("offset") or 0, params.get("stride") or 1
        self.shifts = params.get("from_shift") or 0, params.get("to_shift") or 0
        self.type, self.order = params.get("type"), [int(digit) for digit in params.get("order") or ""]
        self.operations = 0
        getattr(self, "make_" + variant.replace("-", "_"))(params["size"], seed)

    def untouched(self, n):
        return self.np.full(4 * n, POISON, self.np.uint8).view(self.np.float32)

    def make_copy(self, n, seed):
        self.inputs = [floats(self.np, n, seed, 0)]
        self.expected = [self.inputs[0]]

    def make_add(self, n, seed):
        self.inputs = [floats(self.np, n, seed, 0), floats(self.np, n, seed, 1)]
        self.expected = [self.inputs[0] + self.inputs[1]]

    def make_read_offset(self, n, seed):
        self.make_add(n, seed)
        count, total = max(n - self.offset, 0), self.expected[0]
        self.expected = [self.untouched(n)]
        self.expected[0][:count] = total[self.offset:]

    def make_write_offset(self, n, seed):
        self.make_add(n, seed)
        count, total = max(n - self.offset, 0), self.expected[0]
        self.expected = [self.untouched(n)]
        self.expected[0][self.offset:] = total[:count]

    def make_load(self, n, seed):
        self.inputs, self.expected = [floats(self.np, n, seed, 0)], [self.untouched(n)]
        taken = self.inputs[0][::self.stride]
        self.expected[0][:len(taken)] = taken

    def make_store(self, n, seed):
        self.inputs, self.expected = [floats(self.np, n, seed, 0)], [self.untouched(n)]
        self.expected[0][::self.stride] = self.inputs[0][:-(-n // self.stride)]

    def make_aos(self, n, seed):
        self.inputs = [floats(self.np, 2 * n, seed, 0).reshape(n, 2)]
        self.expected = [self.inputs[0] + self.np.array([10, 20], self.np.float32)]

    def make_soa(self, n, seed):
        self.inputs = [floats(self.np, n, seed, 0), floats(self.np, n, seed, 1)]
        self.expected = [self.inputs[0] + self.np.float32(10), self.inputs[1] + self.np.float32(20)]

    def make_transpose(self, _, seed):
        rows, cols = self.params["rows"], self.params["cols"]
        self.inputs = [floats(self.np, rows * cols, seed, 0).reshape(rows, cols)]
        self.expected = [self.np.ascontiguousarray(self.inputs[0].T)]

    def make_matmul(self, size, seed):
        m, n, k = (int(part) for part in size.split("x"))
        self.operations = 2 * m * n * k
        self.inputs = [integers(self.np, (m, n), seed, 0), integers(self.np, (n, k), seed, 1)]
        self.expected = [product(self.np, *self.inputs)]

    def make_csr2csc(self, _, seed):
        rows, cols, nnz = (self.params[name] for name in ("rows", "cols", "nnz"))
        starts, columns, values = sparse(self.np, rows, cols, nnz, seed)
        order = self.np.argsort(columns, kind="stable")
        row = self.np.repeat(self.np.arange(rows, dtype=self.np.int32), self.np.diff(starts))
        ends = self.np.cumsum(self.np.bincount(columns, minlength=cols)).astype(self.np.int32)
        self.inputs = [starts, columns, values]
        self.expected = [self.np.concatenate([self.np.zeros(1, self.np.int32), ends]), row[order], values[order]]

    def poisoned(self, shape, dtype):
        return self.np.full(shape, 0, dtype) if 0 in shape else self.np.frombuffer(
            bytes([POISON]) * (self.np.dtype(dtype).itemsize * shape[0]), dtype).copy()

    def make_shifted_copy(self, n, seed):
        begin, to = self.shifts
        self.inputs = [anything(self.np, (n + begin,), 1, seed, 0)]
        self.expected = [self.poisoned((n + to,), self.np.uint8)]
        self.expected[0][to:] = self.inputs[0][begin:]

    def make_typed_add(self, n, seed):
        begin, to = self.shifts
        self.inputs = [addends(self.np, n + begin, self.type, seed, 0), addends(self.np, n, self.type, seed, 1)]
        self.expected = [self.poisoned((n + to,), TYPES[self.type])]
        self.expected[0][to:] = total(self.np, self.inputs[0][begin:], self.inputs[1], self.type)

    def make_permuted(self, shape, order, seed):
        self.order = order
        self.inputs = [anything(self.np, shape, self.params["width"], seed, 0)]
        self.expected = [self.np.ascontiguousarray(self.inputs[0].transpose(order))]

    def make_permute(self, size, seed):
        self.make_permuted(tuple(int(part) for part in str(size).split("x")), self.order, seed)

    def make_any_transpose(self, _, seed):
        shape = tuple(self.params[name] for name in ("batch", "rows", "cols"))
        self.make_permuted(shape, [0, 2, 1], seed)

    def make_deinterleave(self, n, seed):
        self.make_permuted((n, self.params["fields"]), [1, 0], seed)

    def make_interleave(self, n, seed):
        self.make_permuted((self.params["fields"], n), [1, 0], seed)

    def make_redistribute(self, _, seed):
        """A rank's rows of the matrix, and of its transpose.  The whole would be too much for each of many ranks."""
        rows, cols, width, ranks, rank = (self.params[name] for name in ("rows", "cols", "width", "gpus", "rank"))
        own, wanted = share(rows, ranks, rank), share(cols, ranks, rank)
        self.inputs = [self.np.empty((len(own), cols), ELEMENTS[width])]
        self.expected = [self.np.empty((len(wanted), rows), ELEMENTS[width])]
        step = max(1, BLOCK // cols)
        for first in range(0, rows, step):
            block = anything(self.np, (min(step, rows - first), cols), width, seed, first)
            self.expected[0][:, first:first + step] = block[:, wanted.start:wanted.stop].T
            begin, end = max(first, own.start), min(first + step, own.stop)
            if begin < end:
                self.inputs[0][begin - own.start:end - own.start] = block[begin - first:end - first]

    def wrong(self, results):
        """The first wrong place in words; None when every element is right, bit for bit."""
        results = [self.np.ascontiguousarray(result) for result in results]
        if self.variant == "csr2csc" and len(results[1]) == len(self.expected[1]):
            # The order within a column is free.
            column = self.np.repeat(self.np.arange(len(self.expected[0]) - 1), self.np.diff(self.expected[0]))
            order = self.np.lexsort((results[1], column))
            results = [results[0], results[1][order], results[2][order]]
        for i, (result, expected) in enumerate(zip(results, self.expected)):
            if result.shape != expected.shape:
                return f"out{i}: shape {result.shape}, expected {expected.shape}"
            if expected.dtype == self.np.int32 and result.dtype != expected.dtype:
                result = result.astype(self.np.int64).astype(self.np.int32)
            differ = result.reshape(-1).view(self.np.uint8) != expected.reshape(-1).view(self.np.uint8)
            if differ.any():
                at = int(self.np.argmax(differ)) // expected.itemsize
                return f"out{i}[{at}]: got {result.flat[at]}, expected {expected.flat[at]}"
        return None
