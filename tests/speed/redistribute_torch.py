#!/usr/bin/env python3
"""torch's transpose of a matrix that lies on several GPUs by rows: pack, all_to_all_single of NCCL, unpack.

usage: redistribute_torch.py [--gpus N] [--samples N] [ROWSxCOLS...]

A process per GPU.  It prints Markdown: medians of the slowest rank's milliseconds by CUDA's events, and GB/s over
the links per way: what the rank that sends most sends to others.  A wrong result ends the run.  The same figures of
wl_redistribute come from `wideload bench redistribute --gpus N --size ROWSxCOLS`.
"""
import argparse
import os
import statistics
import sys

import torch
import torch.distributed as dist
import torch.multiprocessing


def shares(total, count):
    """As many for each, and one more for the first ones."""
    return [total // count + (i < total % count) for i in range(count)]


class Transpose:
    """A rank's part of a matrix of rows x cols words, and of its transpose."""

    def __init__(self, rows, cols, rank, ranks, device):
        self.rank, self.rows, self.cols = rank, shares(rows, ranks), shares(cols, ranks)
        self.first_row, self.first_col = sum(self.rows[:rank]), sum(self.cols[:rank])
        row = torch.arange(self.first_row, self.first_row + self.rows[rank], dtype=torch.int32, device=device)
        self.matrix = (row[:, None] * cols + torch.arange(cols, dtype=torch.int32, device=device)).view(torch.float32)
        self.result = torch.zeros(self.cols[rank], rows, device=device)
        # What each rank is sent, and what comes from each: all behind one another.
        self.sent_counts = [self.rows[rank] * each for each in self.cols]
        self.received_counts = [self.cols[rank] * each for each in self.rows]
        self.sent = torch.empty(sum(self.sent_counts), device=device)
        self.received = torch.empty(sum(self.received_counts), device=device)

    def exchange(self):
        dist.all_to_all_single(self.received, self.sent, self.received_counts, self.sent_counts)

    def __call__(self):
        mine = self.rows[self.rank]
        for to, columns in zip(self.sent.split(self.sent_counts), self.matrix.split(self.cols, dim=1)):
            to.view(columns.shape[1], mine).copy_(columns.t())
        self.exchange()
        pieces = self.received.split(self.received_counts)
        pieces = [piece.view(self.cols[self.rank], each) for piece, each in zip(pieces, self.rows)]
        torch.cat(pieces, dim=1, out=self.result)

    def is_right(self):
        device, rows, cols = self.matrix.device, sum(self.rows), sum(self.cols)
        col = torch.arange(self.first_col, self.first_col + self.cols[self.rank], dtype=torch.int32, device=device)
        wanted = torch.arange(rows, dtype=torch.int32, device=device) * cols + col[:, None]
        return torch.equal(self.result.view(torch.int32), wanted)

    def crossing_bytes(self):
        most = max(mine * (sum(self.cols) - own) for mine, own in zip(self.rows, self.cols))
        return 4 * most


def milliseconds(call, samples, device):
    """The median over samples of the slowest rank's time."""
    times = []
    for _ in range(3 + samples):
        dist.barrier()
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        call()
        end.record()
        end.synchronize()
        slowest = torch.tensor([begin.elapsed_time(end)], device=device)
        dist.all_reduce(slowest, op=dist.ReduceOp.MAX)
        times.append(slowest.item())
    return statistics.median(times[3:])


def worker(rank, arguments):
    torch.cuda.set_device(rank)
    device = torch.device("cuda", rank)
    dist.init_process_group("nccl", rank=rank, world_size=arguments.gpus, device_id=device)
    if rank == 0:
        version = ".".join(map(str, torch.cuda.nccl.version()))
        print(f"{torch.cuda.get_device_name(0)} x {arguments.gpus}, torch {torch.__version__}, NCCL {version}; f32, "
              f"medians of {arguments.samples}.\n")
        print("| size | MB that cross | ms | GB/s | all-to-all alone, ms | GB/s |\n|---|" + "---:|" * 5, flush=True)
    for rows, cols in arguments.sizes:
        transpose = Transpose(rows, cols, rank, arguments.gpus, device)
        transpose()
        if not transpose.is_right():
            raise SystemExit(f"rank {rank}: the transpose of {rows}x{cols} is wrong")
        whole = milliseconds(transpose, arguments.samples, device)
        alone = milliseconds(transpose.exchange, arguments.samples, device)
        crossing = transpose.crossing_bytes() / 1e6
        if rank == 0:
            print(f"| {rows}x{cols} | {crossing:.0f} | {whole:.3f} | {crossing / whole:.0f} | {alone:.3f} "
                  f"| {crossing / alone:.0f} |", flush=True)
        del transpose
        torch.cuda.empty_cache()
    dist.destroy_process_group()


def size(text):
    rows, separator, cols = text.partition("x")
    if not (rows.isdecimal() and (cols if separator else rows).isdecimal() and int(rows)):
        raise argparse.ArgumentTypeError(f"'{text}' is no ROWSxCOLS")
    return int(rows), int(cols) if separator else int(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--gpus", type=int, default=2, metavar="N")
    parser.add_argument("--samples", type=int, default=9, metavar="N")
    parser.add_argument("sizes", nargs="*", type=size, metavar="ROWSxCOLS")
    arguments = parser.parse_args()
    arguments.sizes = arguments.sizes or [(8192, 8192), (16384, 16384), (32768, 32768)]
    if arguments.gpus < 2 or arguments.samples < 1:
        sys.exit("redistribute_torch.py: --gpus is 2 or more, and --samples 1 or more")
    if torch.cuda.device_count() < arguments.gpus:
        sys.exit(f"redistribute_torch.py: {arguments.gpus} GPUs are needed, and there are {torch.cuda.device_count()}")
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "29531")
    torch.multiprocessing.spawn(worker, (arguments,), arguments.gpus)


if __name__ == "__main__":
    main()
