"""torch's transpose of a matrix that lies on several GPUs by rows: pack, all_to_all_single of NCCL, unpack.

A process per GPU.  This one tells them what to do and hears from each, through a pipe per rank, so that it never
waits for a rank that is no longer there."""
import datetime
import multiprocessing
import socket
import time
from multiprocessing.connection import wait

from frameworks import Torch, first_line
from timing import Timed
from work import ELEMENTS, Work, share

ANSWER_S = 300  # the longest that a rank may take for one command, or to begin
END_S = 10
SWEEPS = 16  # through the flush buffer before a sample, as many as the bench's


class RankFailed(RuntimeError):
    """One line that names the rank."""


class Transpose:
    """A call that makes this rank's rows of the transpose of its rows of a matrix.  Ranks call it together."""

    def __init__(self, torch, matrix, work):
        ranks, self.rank = work.params["gpus"], work.params["rank"]
        self.torch, self.matrix = torch, matrix
        self.rows = [len(share(work.params["rows"], ranks, i)) for i in range(ranks)]
        self.cols = [len(share(work.params["cols"], ranks, i)) for i in range(ranks)]
        self.result = matrix.new_empty((self.cols[self.rank], sum(self.rows)))
        # What each rank is sent, and what comes from each: all behind one another.
        self.sent_counts = [self.rows[self.rank] * each for each in self.cols]
        self.received_counts = [self.cols[self.rank] * each for each in self.rows]
        self.sent = matrix.new_empty((sum(self.sent_counts),))
        self.received = matrix.new_empty((sum(self.received_counts),))

    def exchange(self):
        """NCCL has neither int16 nor complex128: each goes as two of another type."""
        half = {2: self.torch.uint8, 16: self.torch.int64}.get(self.sent.element_size())
        buffers, counts = [self.received, self.sent], [self.received_counts, self.sent_counts]
        if half:
            buffers, counts = [array.view(half) for array in buffers], [[2 * n for n in each] for each in counts]
        self.torch.distributed.all_to_all_single(*buffers, *counts)

    def __call__(self):
        mine = self.rows[self.rank]
        for to, columns in zip(self.sent.split(self.sent_counts), self.matrix.split(self.cols, dim=1)):
            to.view((columns.shape[1], mine)).copy_(columns.t())
        self.exchange()
        pieces = self.received.split(self.received_counts)
        pieces = [piece.view((self.cols[self.rank], each)) for piece, each in zip(pieces, self.rows)]
        self.torch.cat(pieces, dim=1, out=self.result)


class Exchange(Timed):
    """What a rank verifies and times."""

    def __init__(self, framework, work, flush_bytes):
        self.framework, self.work, self.flush = framework, work, framework.flush_buffer(flush_bytes)
        self.token = framework.put(work.np.zeros(1, work.np.float32))
        self.call = Transpose(framework.torch, framework.put(work.inputs[0]), work)
        self.outputs = [self.call.result]
        self.begin, self.end = framework.event(), framework.event()
        self.value = 0

    def check(self):
        return self.work.wrong(self.results())

    def sample(self):
        self.enqueue()
        return self.collect()

    def enqueue(self):
        """As the bench's: the sweeps are long enough for the host to enqueue the rest, and the ranks begin together."""
        self.value = (self.value + 1) % 256
        for _ in range(SWEEPS):
            self.framework.fill(self.flush, self.value)
        self.framework.torch.distributed.all_reduce(self.token)
        self.begin.record()
        self.call()
        self.end.record()


def commands(connection):
    """Until the end, or until nobody is there to ask."""
    try:
        while command := connection.recv():
            yield command
    except EOFError:
        pass


def serve(connection, port, params, seed, flush_bytes):
    """A rank: it answers one command after another, each by whether it could, and with what or why not."""
    try:
        import numpy
        framework = Torch(params["rank"])
        distributed = framework.torch.distributed
        distributed.init_process_group("nccl", init_method=f"tcp://127.0.0.1:{port}", rank=params["rank"],
                                       world_size=params["gpus"], timeout=datetime.timedelta(seconds=ANSWER_S))
        exchange = Exchange(framework, Work(numpy, "redistribute", params, seed), flush_bytes)
        connection.send((True, None))
        for command in commands(connection):
            connection.send((True, getattr(exchange, command)()))
        distributed.destroy_process_group()
    except Exception as error:  # what fails, does so in errors of many kinds
        connection.send((False, first_line(error)))


def free_port():
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        return made.getsockname()[1]


def require(framework, params):
    """NotImplementedError: what torch cannot do here."""
    if params["width"] not in ELEMENTS:
        raise NotImplementedError(f"torch has no type of {params['width']} bytes")
    count, distributed = framework.torch.cuda.device_count(), framework.torch.distributed
    if count < params["gpus"]:
        raise NotImplementedError(f"{params['gpus']} GPUs are needed, and torch finds {count}")
    if not (distributed.is_available() and distributed.is_nccl_available()):
        raise NotImplementedError("this torch was built without NCCL")


class Ranks:
    """All ranks, from `with` to its end: together a variant that can be verified and timed as others are."""
    l2 = "cold"
    replay = "launch"
    launches = 1

    def __init__(self, params, seed, flush_bytes):
        context, port = multiprocessing.get_context("spawn"), free_port()
        self.connections, self.processes = [], []
        for rank in range(params["gpus"]):
            here, there = context.Pipe()
            arguments = there, port, {**params, "rank": rank}, seed, flush_bytes
            self.connections.append(here)
            self.processes.append(context.Process(target=serve, args=arguments, daemon=True))
            self.processes[-1].start()
            there.close()  # so that the pipe ends with the rank

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.tell(None)
            for process in self.processes:
                process.join(END_S)
        for process in self.processes:
            process.kill()
            process.join()
        for connection in self.connections:
            connection.close()

    def tell(self, command):
        for connection in self.connections:
            try:
                connection.send(command)
            except OSError:
                pass  # its answer, or that there is none, says why

    def answer(self, rank):
        """Whether the rank could, and with what or why not."""
        try:
            return self.connections[rank].recv()
        except (EOFError, OSError):
            self.processes[rank].join(END_S)
            return False, f"it ended with status {self.processes[rank].exitcode}, and without a word"

    def answers(self):
        """Of all ranks, in their order.  The first that fails ends the wait: the others may wait for it for ever."""
        until, left, values = time.monotonic() + ANSWER_S, dict(enumerate(self.connections)), {}
        while left:
            ready = wait(left.values(), max(0, until - time.monotonic()))
            answers = {rank: self.answer(rank) for rank, connection in left.items() if connection in ready}
            failed = [f"rank {rank}: {value}" for rank, (good, value) in answers.items() if not good]
            if not ready:
                failed = [f"no answer within {ANSWER_S} s of rank " + ", ".join(map(str, left))]
            if failed:
                raise RankFailed("; ".join(failed))
            values.update((rank, value) for rank, (_, value) in answers.items())
            left = {rank: connection for rank, connection in left.items() if rank not in values}
        return [values[rank] for rank in range(len(values))]

    def wrong(self):
        """The first wrong place in words, or None.  To be asked once, first."""
        self.answers()  # all have begun
        self.tell("check")
        found = [f"rank {i}: {wrong}" for i, wrong in enumerate(self.answers()) if wrong]
        return found[0] if found else None

    def enqueue(self):
        self.tell("sample")

    def collect(self):
        return max(self.answers())
