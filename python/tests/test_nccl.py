"""Redistributions between processes, without NCCL: by stand-ins for communicators, for the library's functions and for NCCL."""
import os
import sys
from types import SimpleNamespace

import pytest

import wideload
from test_redistribute import simulated, simulated_processes
from wideload import Box, _nccl


class Backend:
    """As torch's ProcessGroupNCCL: its communicator is looked for on the current device."""

    def __init__(self, kind, comm):
        self.kind, self.comm, self.barriers, self.asked = kind, comm, [], []

    def name(self):
        return self.kind

    def _comm_ptr(self):
        self.asked.append(list(Torch.device_now))
        return self.comm


class OldBackend:
    """As that of torch 2.7."""

    def name(self):
        return "nccl"


class Group:
    def __init__(self, backend, bound=None):
        self.backend, self.bound_device_id = backend, bound

    def _get_backend(self, device):
        if self.backend is None:
            raise RuntimeError("No backend type associated with device type cuda")
        self.asked = device
        return self.backend


class Torch:
    """What is used of torch."""
    __version__ = "2.7.1"
    device_now = []

    class cuda:
        class device:
            def __init__(self, number):
                self.number = number

            def __enter__(self):
                Torch.device_now = [self.number]

            def __exit__(self, *_):
                Torch.device_now = []

        @staticmethod
        def current_device():
            return 3

    class distributed:
        @staticmethod
        def barrier(group, device_ids):
            group.backend.barriers += device_ids
            group.backend.comm = 0x5000

    @staticmethod
    def device(kind, number):
        return f"{kind}:{number}"


@pytest.fixture
def torch(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", Torch)


def test_process_groups(torch):
    backend = Backend("nccl", 0x4000)
    group = Group(backend)
    assert _nccl.communicator(group, None) == (0x4000, "gpu:3") and group.asked == "cuda:3" and not backend.barriers
    assert _nccl.communicator(group, "cuda:2") == (0x4000, "gpu:2") and group.asked == "cuda:2"
    assert _nccl.communicator(Group(backend, "cuda:1"), None) == (0x4000, "gpu:1")
    assert _nccl.communicator(Group(SimpleNamespace(wrapped_pg=backend)), 0) == (0x4000, "gpu:0")


def test_made_by_a_barrier(torch):
    """torch makes communicators late."""
    backend = Backend("nccl", 0)
    assert _nccl.communicator(Group(backend), 2) == (0x5000, "gpu:2")
    assert backend.barriers == [2] and backend.asked == [[2], [2]]


@pytest.mark.parametrize("group, device", [(Group(Backend("gloo", 0)), None), (Group(None), None),
                                           (Group(Backend("nccl", 1)), "cpu")])
def test_groups_without_nccl(torch, group, device):
    with pytest.raises(ValueError, match=f"^group: a process group without NCCL on {'host' if device else 'gpu:3'}"):
        _nccl.communicator(group, device)


def test_old_torch(torch):
    with pytest.raises(wideload.Error, match="^group: torch 2.7.1 does not tell its communicator") as caught:
        _nccl.communicator(Group(OldBackend()), None)
    assert caught.value.name == "WL_ERROR_UNSUPPORTED"


def test_other_communicators():
    cupy = SimpleNamespace(comm=0x6000, device_id=lambda: 5)
    assert _nccl.communicator(cupy, None) == (0x6000, "gpu:5") and _nccl.communicator(cupy, 1) == (0x6000, "gpu:1")
    assert _nccl.communicator(0x7000, "cuda:1") == (0x7000, "gpu:1")


@pytest.mark.parametrize("error, words, group, device", [
    (TypeError, "group: NoneType; a process group", None, 0), (TypeError, "group: str; a process", "nccl", 0),
    (TypeError, "group: bool; a process", True, 0), (TypeError, "device: None; with the address", 0x7000, None),
    (ValueError, "device: 'cuda'; 'host'", 0x7000, "cuda"), (ValueError, "group: the address of its communicator is 0", 0, 0),
    (ValueError, "group: the address of its communicator is -1", -1, 0)])
def test_refused_communicators(error, words, group, device):
    with pytest.raises(error) as caught:
        _nccl.communicator(group, device)
    assert str(caught.value).startswith(words), caught.value


@pytest.mark.parametrize("error, words, call", [
    (ValueError, "from_box: 1 dimensions; the array has 2", ((2, 3), Box((0,), (1,)), None, 4)),
    (TypeError, "to_box: tuple; a wideload.Box", ((2, 3), None, (0, 0), 4)),
    (TypeError, "sizes: 2; a sequence", (2, None, None, 4)),
    (TypeError, "dtype: None; a dtype", ((2, 3), None, None, None))])
def test_refused_arguments(error, words, call):
    with pytest.raises(error) as caught:
        wideload.NcclRedistribution(0x7000, *call, device=0)
    assert str(caught.value).startswith(words), caught.value


# A rank alone on the simulator: the plan that the library makes is one of a single process.
PROGRAM = '''
library, given = wideload._library, []

def create(out, context, comm, width, dimensions, sizes, from_boxes, to_boxes):
    given.append((comm, context == library.context("gpu:1")))
    contexts = (ctypes.c_void_p * 1)(context)
    return library.wl_redistribution_create(out, 1, contexts, width, dimensions, sizes, from_boxes, to_boxes)

def wait(plan, milliseconds):
    given.append((plan, milliseconds))
    return 6 if milliseconds > 9000 else 0

library.wl_redistribution_create_nccl, library.wl_redistribution_wait = create, wait

class Comm:
    comm = 0x6000
    def device_id(self):
        return 1

x = np.arange(35, dtype=np.float32).reshape(5, 7)
plan = wideload.NcclRedistribution(Comm(), x.shape, Box((0, 0), (5, 7)), Box((1, 2), (4, 5), (1, 0)), np.float32)
assert given.pop() == (0x6000, True) and isinstance(plan._group, Comm)
out = On(1, np.zeros((5, 4), np.float32))
assert plan(On(1, x), out=out) is out and (out.read() == x[1:, 2:].T).all()
plan.wait(1.2341), plan.wait(0)
assert given == [(plan._handle, 1235), (plan._handle, 0)], given
refuses(wideload.Error, "", lambda: plan.wait(10))
refuses(ValueError, "seconds: -1", lambda: plan.wait(-1))
refuses(ValueError, "seconds: nan", lambda: plan.wait(float("nan")))
refuses(ValueError, "x: on gpu:0; the rank is on gpu:1", lambda: plan(On(0, x), out=out))
refuses(ValueError, "x: shape (7, 5); that of its box is (5, 7)", lambda: plan(On(1, x.T), out=out))
refuses(ValueError, "out: shape (5, 7); that", lambda: plan(On(1, x), out=On(1, x)))
refuses(TypeError, "x: NoneType is no array", lambda: plan(None, out=out))
refuses(TypeError, "out: __main__.On: a result needs", lambda: plan(On(1, x)))
whole = Box((0, 0), (5, 7))
refuses(ValueError, "to_box of rank 0 wants the index (0, 0), which no from_box has", lambda: wideload.NcclRedistribution(
    0x6000, x.shape, None, whole, 4, device=1))
refuses(ValueError, "from_box of rank 0 has 7 indices from 1 on", lambda: wideload.NcclRedistribution(
    0x6000, x.shape, Box((0, 1), (5, 7)), None, 4, device=1))
plan.close()
refuses(ValueError, "the plan is closed", lambda: plan.wait(1))
same_place = On(1, x)
refuses(ValueError, "out and x overlap", lambda: wideload.NcclRedistribution(0x6000, x.shape, whole, whole, 4, device=1)(
    same_place, out=same_place))
print("done")
'''


def test_plans():
    output, errors = simulated(PROGRAM)
    assert output == "done\n", errors


# One of several processes.
RANK = '''
import os, sys, time
folder, meet, ranks, rank = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
sys.path.insert(0, folder)
from test_redistribute import anywhere, cut, part_of

class Id(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_char * 128)]

class Comm:
    def __init__(self, id):
        comm = P()
        check(nccl.ncclCommInitRank(ctypes.byref(comm), ranks, id, rank))
        self.comm, self.device_id = comm.value, lambda: rank

wideload._library.context(f"gpu:{rank}")  # the stand-in finds the simulator that is open
check(cuda.cuCtxSetCurrent(contexts[rank]))
nccl = ctypes.CDLL(os.path.join(folder, "libnccl.so.2"))
if rank == 0:
    check(nccl.ncclGetUniqueId(ctypes.byref(id := Id())))
    with open(meet + ".new", "wb") as file:
        file.write(bytes(id))
    os.rename(meet + ".new", meet)
while not os.path.exists(meet):
    time.sleep(0.01)
with open(meet, "rb") as file:
    comm = Comm(Id.from_buffer_copy(file.read()))

generator = np.random.default_rng(7)  # the same on all ranks
for dtype in np.uint8, np.float32, np.complex64, np.uint16, np.float64:
    for _ in range(5):
        sizes = tuple(int(generator.integers(1, 20)) for _ in range(int(generator.integers(1, 4))))
        whole = generator.integers(0, 100, sizes).astype(dtype)
        has, wants = cut(generator, sizes, ranks)[rank], [anywhere(generator, sizes) for _ in range(ranks)][rank]
        plan = wideload.NcclRedistribution(comm, sizes, has, wants, dtype)
        x = has and On(rank, part_of(whole, has))
        for _ in range(2):
            out = wants and On(rank, np.full(wants.shape, 101).astype(dtype))
            assert plan(x, out=out) is out
            plan.wait(60)
            assert out is None or (out.read() == part_of(whole, wants)).all()
        plan.close()
assert "nccl" in wideload.explain(), wideload.explain()

row, all_rows = Box((rank, 0), (1, 4)), Box((0, 0), (ranks, 4))
for words, arguments in [
        ("to_box of rank 0 wants the index (0, 0), which no from_box has", ((ranks, 4), row if rank else None, all_rows, 4)),
        ("from_box of rank 0 and from_box of rank 1 both have the index", ((ranks, 4), all_rows, all_rows, 4)),
        ("from_box of rank 1 has 5 indices from 0 on in dimension 1", ((ranks, 4), Box((rank, 0), (1, 4 + (rank == 1))), None, 4)),
        ("sizes[1] is 4 on rank 0, and 5 on rank 1", ((ranks, 4 + (rank == 1)), row, None, 4)),
        ("sizes: dimensions is 2 on rank 0, and 1 on rank 1", ((ranks, 4)[:2 - (rank == 1)], None, None, 4)),
        ("dtype: element_bytes is 4 on rank 0, and 8 on rank 1", ((ranks, 4), row, None, 4 + 4 * (rank == 1)))]:
    refuses(ValueError, words, lambda: wideload.NcclRedistribution(comm, *arguments))

# A rank goes away between two calls.
nccl.standin_settings.restype = ctypes.POINTER(ctypes.c_uint)
settings = nccl.standin_settings()
settings[3] = 1  # a lost rank is an error of the communicator
plan = wideload.NcclRedistribution(comm, (ranks, 4), row, all_rows, np.int32)
x, out = On(rank, np.full((1, 4), rank, np.int32)), On(rank, np.zeros((ranks, 4), np.int32))
plan(x, out=out)
plan.wait(60)
print("done", flush=True)
if rank == 1:
    os._exit(0)
try:
    plan(x, out=out)
    plan.wait(5)
except wideload.Error as error:
    assert error.name == "WL_ERROR_COMMUNICATION" and "aborted" in str(error), error
else:
    raise AssertionError("a lost rank went unseen")
print("seen", flush=True)
'''
STANDIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libnccl.so.2")


@pytest.mark.skipif(not os.path.exists(STANDIN), reason="the build has no stand-in for NCCL")
def test_processes(tmp_path):
    """Three processes, by the stand-in for NCCL that the library's own tests have."""
    results = simulated_processes(RANK, [(os.path.dirname(STANDIN), str(tmp_path / "meet"), "3", str(rank)) for rank in range(3)], 300)
    assert [output for output, _ in results] == ["done\nseen\n", "done\n", "done\nseen\n"], results
