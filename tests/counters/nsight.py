"""Nsight Compute's names for our counters, and its spelling of kernels and shapes."""
import csv
import re

# Our names, and Nsight Compute's.
METRICS = {
    f"global_{name}_requests": f"l1tex__t_requests_pipe_lsu_mem_global_op_{short}.sum"
    for name, short in (("load", "ld"), ("store", "st"), ("atomic", "atom"), ("reduction", "red"))
}
METRICS |= {
    f"{name}_transactions": f"l1tex__t_sectors_pipe_lsu_mem_global_op_{short}.sum"
    for name, short in (("gld", "ld"), ("gst", "st"), ("global_atomic", "atom"), ("global_reduction", "red"))
}
for short, name in (("ld", "load"), ("st", "store")):
    METRICS |= {
        f"g{short}_efficiency": f"smsp__sass_average_data_bytes_per_sector_mem_global_op_{short}.pct",
        f"local_{name}_requests": f"l1tex__t_requests_pipe_lsu_mem_local_op_{short}.sum",
        f"local_{name}_transactions": f"l1tex__t_sectors_pipe_lsu_mem_local_op_{short}.sum",
        f"shared_{name}_transactions": f"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{short}.sum",
    }
METRICS["shared_atomic_transactions"] = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"
for short, name in (("ld", "load"), ("st", "store"), ("atom", "atomic")):
    METRICS |= {
        f"dshared_{name}_requests": f"l1tex__t_requests_pipe_lsu_mem_dshared_op_{short}.sum",
        f"dshared_{name}_transactions": f"l1tex__t_sectors_pipe_lsu_mem_dshared_op_{short}.sum",
    }
for side, space, short in (("load", "global", "ld"), ("store", "global", "st"), ("", "dshared", "st")):
    name = f"bulk_{side}" if side else "dshared_bulk"
    flow = "xbar2l1tex_read" if side == "load" else "l1tex2xbar_write"
    METRICS |= {
        f"{name}_requests": f"smsp__sass_inst_executed_op_{'' if side else 'dshared_'}tma_{short}.sum",
        f"{name}_transactions": f"l1tex__m_{flow}_sectors_mem_{space}_op_tma_{short}.sum",
    }
# Used if the first is missing; these also count arbitration between warps.
ARBITRATED = {
    f"shared_{name}_transactions": f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{short}.sum"
    for short, name in (("ld", "load"), ("st", "store"))
}


def table(path):
    with open(path, newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def plain(kernel):
    """The name without result and parameters, which demanglers spell differently."""
    return re.sub(r"\s|\(.*", "", kernel.removeprefix("void "))


def shape(text):
    return [int(number) for number in re.findall(r"\d+", text)]
