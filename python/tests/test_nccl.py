"""Redistributions between processes: what there is to say without NCCL.  Communicators and the library's functions for them are
stand-ins here."""
import sys
from types import SimpleNamespace

import pytest

import wideload
from test_redistribute import simulated
from wideload import Box, _library, _nccl


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


def test_without_the_function(monkeypatch):
    monkeypatch.setattr(_library, "wl_redistribution_create_nccl", None)
    with pytest.raises(wideload.Error) as caught:
        wideload.NcclRedistribution(0x7000, (2, 3), None, None, 4, device=0)
    assert caught.value.name == "WL_ERROR_UNSUPPORTED"


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
    run = simulated(PROGRAM)
    assert run.stdout == "done\n", run.stderr
