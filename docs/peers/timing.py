"""How a framework's calls are verified and timed: the bench's method."""
import random
import time

from work import POISON

JAX_BATCH_S = 0.02


def typed_add(framework, work, inputs, out):
    """out[to:] = a[from:] + b, of the type that the bits are of."""
    a, b, to = (framework.typed(array, work.type) for array in (*inputs, out))
    begin, shift = work.shifts
    return lambda: framework.add(a[begin:], b, to[shift:])


def bound_call(framework, work):
    """A function that does the work once, and the outputs that it writes; None: it returns new ones."""
    variant, offset, stride = work.variant, work.offset, work.stride
    inputs = [framework.put(array) for array in work.inputs]
    if variant == "csr2csc":
        return framework.csr(*inputs, (work.params["rows"], work.params["cols"])), None
    outputs = [framework.empty(array) for array in work.expected]
    if work.type:
        return typed_add(framework, work, inputs, outputs[0]), outputs
    a, out = inputs[0], outputs[0]
    b = inputs[1] if len(inputs) > 1 else None
    n = len(a)
    count = max(n - offset, 0)

    def layout_soa():
        framework.add(a, 10, out)
        framework.add(b, 20, outputs[1])

    calls = {
        "copy": lambda: framework.copy(out, a),
        "add": lambda: framework.add(a, b, out),
        "read-offset": lambda: framework.add(a[offset:], b[offset:], out[:count]),
        "write-offset": lambda: framework.add(a[:count], b[:count], out[offset:]),
        "load": lambda: framework.copy(out[:-(-n // stride)], a[::stride]),
        "store": lambda: framework.copy(out[::stride], a[:-(-n // stride)]),
        "soa": layout_soa,
        "transpose": lambda: framework.copy(out, framework.transposed(a)),
        "matmul": lambda: framework.matmul(a, b, out),
        "shifted-copy": lambda: framework.copy(out[work.shifts[1]:], a[work.shifts[0]:]),
    }
    for moved in ("any-transpose", "deinterleave", "interleave", "permute"):
        calls[moved] = lambda: framework.copy(out, framework.permuted(a, work.order))
    if variant == "aos":
        steps = framework.put(work.np.array([10, 20], work.np.float32))
        calls["aos"] = lambda: framework.add(a, steps, out)
    return calls[variant], outputs


class Timed:
    """A variant of a framework with events."""
    l2 = "cold"
    replay = "launch"
    launches = 1

    def __init__(self, framework, work, flush):
        self.framework, self.flush = framework, flush
        self.call, self.outputs = bound_call(framework, work)
        self.begin, self.end = framework.event(), framework.event()
        self.value = 0

    def results(self):
        for output in self.outputs or []:
            self.framework.fill(output, POISON)
        made = self.call()
        self.framework.synchronize()
        return [self.framework.get(array) for array in self.outputs or made]

    def enqueue(self):
        """The sweep through the flush buffer is long enough for the host to enqueue the rest."""
        self.value = (self.value + 1) % 256
        self.framework.fill(self.flush, self.value)
        self.begin.record()
        self.call()
        self.end.record()

    def collect(self):
        self.framework.synchronize()
        return self.framework.elapsed(self.begin, self.end)


class Graphed(Timed):
    """The same in one CUDA graph of as many calls as the bench's."""
    l2 = "hot"
    replay = "graph"

    def __init__(self, framework, work, launches):
        super().__init__(framework, work, None)
        self.launches = launches
        self.replayed = framework.graph(self.call, launches)

    def results(self):
        """What the replay writes is verified."""
        for output in self.outputs:
            self.framework.fill(output, POISON)
        self.replayed()
        self.framework.synchronize()
        return [self.framework.get(array) for array in self.outputs]

    def enqueue(self):
        """The replay before it is not timed: it fills the cache, and is long enough for the host to enqueue the rest."""
        self.replayed()
        self.begin.record()
        self.replayed()
        self.end.record()

    def collect(self):
        return super().collect() / self.launches


class Batched:
    """A variant of JAX."""
    l2 = "hot"
    replay = "launch"

    def __init__(self, framework, work, flush):
        del flush
        self.framework = framework
        self.function = framework.function(work.variant, work.params)
        self.work, self.inputs = work, [framework.put(array) for array in work.inputs]
        self.launches, self.ms = 1, 0.0

    def run(self, launches):
        begin = time.perf_counter()
        for _ in range(launches):
            result = self.function(*self.inputs)
        self.framework.jax.block_until_ready(result)
        return result, (time.perf_counter() - begin) / launches

    def results(self):
        result, _ = self.run(1)
        results = [self.framework.get(array) for array in (result if isinstance(result, tuple) else (result,))]
        seconds = min(self.run(1)[1] for _ in range(3))
        self.launches = max(1, min(100, int(JAX_BATCH_S / max(seconds, 1e-9))))
        if self.work.variant in ("read-offset", "load"):
            # What a formula leaves untouched does not exist in a result of its own.
            whole = self.work.untouched(len(self.work.expected[0]))
            whole[:len(results[0])] = results[0]
            results[0] = whole
        return results

    def enqueue(self):
        self.ms = 1e3 * self.run(self.launches)[1]

    def collect(self):
        return self.ms


class Samples:
    """The bench's rules: at least 10 samples and 0.5 s, until the spread is under 0.5 % or stops falling."""

    def __init__(self, count, most_s):
        self.count, self.most_s = count, most_s
        self.values, self.elapsed_s, self.next_check, self.last_spread = [], 0.0, 0, 0.0

    def quantile(self, q):
        values = sorted(self.values)
        position = q * (len(values) - 1)
        below = int(position)
        above = min(below + 1, len(values) - 1)
        return values[below] + (position - below) * (values[above] - values[below])

    def iqr(self):
        return self.quantile(0.75) - self.quantile(0.25)

    def stop(self):
        n = len(self.values)
        if self.count:
            return "count" if n >= self.count else None
        if n >= 10 and self.elapsed_s >= 0.5 and n >= self.next_check:
            median = self.quantile(0.5)
            spread = self.iqr() / median if median > 0 else 0
            if spread < 0.005:
                return "spread"
            if 0 < 0.98 * self.last_spread < spread:
                return "steady"
            self.last_spread, self.next_check = spread, n + n // 2
        return "time" if self.elapsed_s >= self.most_s else None


def measure(variants, options):
    """[(samples, why sampling ended)], the variants interleaved in random order."""
    order, shuffle = list(range(len(variants))), random.Random(options.seed)
    samples = [Samples(options.samples, options.time) for _ in variants]
    ends = [None] * len(variants)
    for variant in variants:  # warm
        variant.enqueue()
        variant.collect()
    while order:
        shuffle.shuffle(order)
        begin = time.perf_counter()
        for i in order:
            variants[i].enqueue()
        figures = [variants[i].collect() for i in order]
        share = (time.perf_counter() - begin) / len(order)
        for i, figure in zip(order, figures):
            samples[i].values.append(figure)
            samples[i].elapsed_s += share
            ends[i] = samples[i].stop()
        order = [i for i in order if not ends[i]]
    return list(zip(samples, ends))
