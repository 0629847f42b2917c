"""Redistributions between processes, by the NCCL communicators of torch, CuPy and others."""
from __future__ import annotations

import ctypes
import math
import sys
from typing import Any, Sequence

from . import _library
from ._array import type_name
from ._library import context, numbers64
from ._redistribute import Box, Plan, bytes_of, c_boxes, check, check_box, device_of, integers

_UNSUPPORTED = 5  # WL_ERROR_UNSUPPORTED
_WAIT_MAX = 0xFFFFFFFF  # milliseconds that fit into an unsigned int


# ---------------------------------------------------------------- communicators

def _of_torch(torch: Any, group: Any, device: Any) -> tuple[int, str]:
    """The communicator of a process group.  torch makes it in the group's first collective call on a device, so this may be
    one: a barrier."""
    bound = getattr(group, "bound_device_id", None)  # by init_process_group(device_id=...)
    if device is None:
        device = torch.cuda.current_device() if bound is None else bound
    name = device_of(device, "device")
    number = int(name.split(":")[1]) if name != "host" else -1
    try:
        backend = group._get_backend(torch.device("cuda", number)) if number >= 0 else None
    except RuntimeError:  # it has none for GPUs
        backend = None
    backend = getattr(backend, "wrapped_pg", backend)  # by TORCH_DISTRIBUTED_DEBUG=DETAIL
    if backend is None or "nccl" not in backend.name().lower():
        raise ValueError(f"group: a process group without NCCL on {name}; init_process_group('nccl') or new_group(backend='nccl') "
                         "makes one that has it")
    if not hasattr(backend, "_comm_ptr"):
        raise _library.Error(_UNSUPPORTED, f"group: torch {torch.__version__} does not tell its communicator, and 2.8 and newer "
                                           "do; the address of an ncclComm_t, or CuPy's NcclCommunicator, can be passed instead")
    with torch.cuda.device(number):  # torch looks for the communicator of the current device
        if not backend._comm_ptr():
            torch.distributed.barrier(group, device_ids=[number])
        return int(backend._comm_ptr()), name


def communicator(group: Any, device: Any) -> tuple[int, str]:
    """The address of an ncclComm_t, and its device's name for wl_open()."""
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(group, "_get_backend"):
        address, name = _of_torch(torch, group, device)
    elif hasattr(group, "comm") and hasattr(group, "device_id"):  # CuPy's
        address, name = int(group.comm), device_of(group.device_id() if device is None else device, "device")
    elif isinstance(group, int) and not isinstance(group, bool):
        if device is None:
            raise TypeError("device: None; with the address of an ncclComm_t its GPU is needed: 'gpu:0', 0, ...")
        address, name = group, device_of(device, "device")
    else:
        raise TypeError(f"group: {type_name(group)}; a process group of torch, CuPy's NcclCommunicator or the address of an "
                        "ncclComm_t is needed")
    if not 0 < address < 1 << 64:
        raise ValueError(f"group: the address of its communicator is {address}")
    return address, name


# ---------------------------------------------------------------- plans

class NcclRedistribution(Plan):
    """Redistribution between processes by NCCL: each rank of a communicator has one part of an array, and wants another.
    Making one is collective: each rank makes it, with one `sizes` and dtype, and says what it has and wants itself.  They wait
    for each other, at most 5 minutes, also for a rank whose call raises an error here before it speaks to the others.

    group     a torch.distributed.ProcessGroup with NCCL (torch 2.8 or newer), CuPy's NcclCommunicator, or the address of an
              ncclComm_t.  Its ranks are those of the redistribution.  Close or drop the plan before it is destroyed, as by
              destroy_process_group()
    sizes     the array's shape: at most 8 dimensions
    from_box  the Box that this rank has; None: nothing
    to_box    the Box that this rank wants; None: nothing.  Together the boxes are as Redistribution wants them
    dtype     the elements: a dtype of NumPy or torch, or the bytes per element
    device    this rank's GPU: "gpu:0", torch.device("cuda", 0), 0, ...; by default that of the group, or torch's current one

    The GPUs need no peer access, and may be in different machines.  The plan has memory of its own to stage what it sends.
    Boxes, sizes or dtypes that do not fit together are a ValueError on every rank.

        rank, n = torch.distributed.get_rank(), torch.distributed.get_world_size()
        plan = wideload.NcclRedistribution(torch.distributed.group.WORLD, (n * 64, n * 32),
                                           Box((rank * 64, 0), (64, n * 32)),                    # rows of a matrix
                                           Box((0, rank * 32), (n * 64, 32), (1, 0)), torch.float32)  # of its transpose
        y = plan(x)                                                  # x: shape (64, n * 32); y: shape (32, n * 64)
        plan.wait(30)
    """

    def __init__(self, group: Any, sizes: Sequence[int], from_box: Box | None, to_box: Box | None, dtype: Any,
                 device: Any = None):
        sizes = integers(sizes, "sizes")
        boxes = [check_box(box, len(sizes), name) for box, name in ((from_box, "from_box"), (to_box, "to_box"))]
        width = bytes_of(dtype)
        comm, name = communicator(group, device)
        handle = ctypes.c_void_p()
        check(_library.wl_redistribution_create_nccl(ctypes.byref(handle), context(name), comm, width, len(sizes), numbers64(sizes),
                                                     c_boxes(boxes[:1]), c_boxes(boxes[1:])),
              {r"\bfrom\[(\d+)\]": r"from_box of rank \1", r"\bto\[(\d+)\]": r"to_box of rank \1",
               r"\bbox of from\b": "from_box", "^the array": "sizes: the array", "^dimensions is": "sizes: dimensions is",
               "^element_bytes is": "dtype: element_bytes is"})
        super().__init__(handle.value or 0, width, boxes[:1], boxes[1:], [name])
        self._group = group  # the plan uses its communicator

    def __call__(self, x: Any, *, out: Any = None) -> Any:
        """Redistributes; returns the array that this rank wants.  Collective: each rank calls, in one order with its other
        calls of the group.

        x    the array that this rank has, in C order: shape from_box.shape, on the plan's GPU.  It may be None where the box
             is empty, if `out` is given or to_box is None
        out  the array that this rank wants, in C order: shape to_box.shape; it must not overlap x.  By default a new one

        The call is asynchronous work of the current stream, as Redistribution's; a CUDA graph cannot capture it.
        """
        return self._run([x], None if out is None else [out], ["x"], ["out"])[0]

    def wait(self, seconds: float) -> None:
        """Waits on the host until this rank's last call is done, at most so many seconds.

        Raises wideload.Error, whose name is WL_ERROR_COMMUNICATION, if the time is over, a rank has died or NCCL reports an
        error.  The library has then aborted the communicator (ncclCommAbort), so that no GPU waits for ever: nobody may use or
        destroy it any more, and the plan can only be closed.
        """
        if not 0 <= seconds <= _WAIT_MAX / 1000:
            raise ValueError(f"seconds: {seconds}; 0 to {_WAIT_MAX // 1000} can be waited for")
        with self._lock:
            _library.check(_library.wl_redistribution_wait(self._open(), math.ceil(seconds * 1000)))
