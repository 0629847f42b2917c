"""A stub of torch.distributed between processes on this machine.  Rank 0 passes on what the ranks send.

STUB_RANK=dies:2: what rank 1 does in its second exchange, which is hangs, raises or wrong as well; STUB_NCCL=none:
built without NCCL."""
import os
import signal
import time
from multiprocessing.connection import Client, Listener

import numpy

_rank = _size = _others = None
_exchanges = 0


def is_available():
    return True


def is_nccl_available():
    return os.environ.get("STUB_NCCL") != "none"


def _reach(address, until):
    while True:
        try:
            return Client(address)
        except ConnectionRefusedError:
            if time.monotonic() > until:
                raise
            time.sleep(0.01)


def init_process_group(backend, init_method, rank, world_size, timeout):
    global _rank, _size, _others
    assert backend == "nccl" and init_method.startswith("tcp://127.0.0.1:")
    _size, _rank, address = world_size, rank, ("127.0.0.1", int(init_method.rsplit(":", 1)[1]))
    if rank:
        _others = [_reach(address, time.monotonic() + timeout.total_seconds())]
        _others[0].send(rank)
        return
    with Listener(address, backlog=world_size) as listener:
        arrived = [listener.accept() for _ in range(world_size - 1)]
    _others = [other for _, other in sorted(((other.recv(), other) for other in arrived), key=lambda one: one[0])]


def destroy_process_group():
    for other in _others:
        other.close()


def _all_to_all(pieces):
    """What each rank sends to this one."""
    if _rank:
        _others[0].send(pieces)
        return _others[0].recv()
    sent = [pieces] + [other.recv() for other in _others]
    received = [[pieces[to] for pieces in sent] for to in range(len(sent))]
    for other, mine in zip(_others, received[1:]):
        other.send(mine)
    return received[0]


def _fail():
    """Whether what comes is to be wrong."""
    global _exchanges
    _exchanges += 1
    how, _, when = os.environ.get("STUB_RANK", ":0").partition(":")
    if _rank != 1 or _exchanges != int(when):
        return False
    if how == "raises":
        raise RuntimeError("NCCL error: unhandled system error\nsecond line")
    if how == "dies":
        os.kill(os.getpid(), signal.SIGKILL)
    if how == "hangs":
        time.sleep(600)
    return how == "wrong"


def all_to_all_single(output, input, output_split_sizes, input_split_sizes):
    assert output.dtype in ("uint8", "int32", "int64"), "NCCL has no such type"
    assert sum(output_split_sizes) == len(output) and sum(input_split_sizes) == len(input)
    wrong = _fail()
    pieces = numpy.split(input.array, numpy.cumsum(input_split_sizes)[:-1])
    received = _all_to_all(pieces)
    assert [len(piece) for piece in received] == output_split_sizes
    output.array[...] = numpy.concatenate(received)
    if wrong:
        output.array[-1] += 1


def all_reduce(tensor):
    assert tensor.dtype == "float32"
    _all_to_all([None] * _size)
