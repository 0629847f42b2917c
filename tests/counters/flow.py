#!/usr/bin/env python3
"""Writes a CUDA program of kernels with random control flow: conditions of several parts, switches, loops that lanes
leave at different times, early returns, gotos.  Each kernel runs on 4 warps, whose lanes diverge at nearly every
branch.  flow.csv has an H200's counts for exactly this program, so the random choices must not change.

usage: flow.py > flow.cu
"""
import random

KERNELS = 100  # for each seed
SEEDS = (1, 2, 3)
FEATURES = (("and",), ("and",), ("switch",), ("loop",), ("loop", "break"), ("return",), ("and", "return"), ("loop", "goto"),
            ("and", "loop", "break"), ("and", "switch", "loop", "break", "return", "goto"))

HEAD = """#include <stdio.h>
#include <stdlib.h>
#define MASK 0xffff
typedef unsigned word;
"""
SIGNATURE = "__global__ void {}(const word *__restrict__ in, const word *__restrict__ rnd, word *__restrict__ out)"
MAIN = """
typedef void kernel(const word *, const word *, word *);
static const struct { const char *name; kernel *run; } kernels[] = {
%s};

int main(void) {
    word *in, *rnd, *out, *host = (word *)malloc(1 << 20), x = 12345;
    cudaMalloc(&in, 4 << 16);
    cudaMalloc(&rnd, 4096);
    cudaMalloc(&out, 1 << 20);
    for (int i = 0; i < 1 << 16; i++)
        host[i] = (x = x * 1664525 + 1013904223) >> 3;
    cudaMemcpy(in, host, 4 << 16, cudaMemcpyHostToDevice);
    for (int i = 0; i < 1024; i++) {
        x = x * 1664525 + 1013904223;
        host[i] = x ^ x >> 15;
    }
    cudaMemcpy(rnd, host, 4096, cudaMemcpyHostToDevice);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        cudaMemset(out, 0, 1 << 20);
        kernels[k].run<<<1, 128>>>(in, rnd, out);
        cudaMemcpy(host, out, 1 << 20, cudaMemcpyDeviceToHost);
        unsigned long long sum = 0;
        for (int i = 0; i < 1 << 18; i++)
            sum = sum * 31 + host[i];
        printf("%%s %%llx\\n", kernels[k].name, sum);
    }
    printf("%%s\\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
"""


class Kernel:
    def __init__(self, draw, features):
        self.draw, self.features, self.budget = draw, features, draw.randint(3, 9)
        self.places, self.loops, self.depth, self.leaves = 0, 0, 0, False

    def place(self):
        self.places += 1
        return self.places

    def load(self, indent):
        factors = self.draw.choice([1, 1, 1, 3, 7]), self.draw.choice([0, 0, 1, 5])
        return f"{indent}a += in[(t * {factors[0]} + a * {factors[1]} + {self.place() * 97}) & MASK];\n"

    def store(self, indent):
        return f"{indent}out[{self.place() * 128} + t] = a;\n"

    def work(self, indent):
        text = ""
        for _ in range(self.draw.randint(1, 3)):
            text += self.load(indent) if self.draw.random() < .75 else self.store(indent)
            if self.draw.random() < .5:
                text += f"{indent}a ^= a >> {self.draw.randint(1, 9)};\n"
        return text

    def test(self):
        if self.draw.random() < .6:
            return f"(h >> {self.draw.randint(0, 31)} & 1)"
        if self.draw.random() < .7:
            return f"(a % {self.draw.randint(2, 7)} {self.draw.choice(['==', '!=', '<'])} {self.draw.randint(0, 3)})"
        return f"(in[(t + {self.place() * 97}) & MASK] & {self.draw.choice([1, 2, 3])})"

    def condition(self):
        if "and" in self.features and self.draw.random() < .6:
            count = self.draw.randint(2, 3)
            between = f" {self.draw.choice(['&&', '||'])} "
            return between.join(self.test() for _ in range(count))
        return self.test()

    def block(self, indent, in_loop):
        self.depth += 1
        text = "".join(self.statement(indent, in_loop) for _ in range(self.draw.randint(1, 2)))
        self.depth -= 1
        return text

    def leave(self, indent, how):
        return f"{indent}if ({self.condition()}) {{\n{self.work(indent + '    ')}{indent}    {how};\n{indent}}}\n"

    def statement(self, indent, in_loop):
        self.budget -= 1
        if self.budget <= 0 or self.depth > 4:
            return self.work(indent)
        kinds = ["work", "if", "ifelse"]
        if "switch" in self.features:
            kinds += ["switch"]
        if "loop" in self.features and self.loops < 2:
            kinds += ["loop"]
        if in_loop and "break" in self.features:
            kinds += ["break", "continue"]
        if "return" in self.features and self.depth > 1:
            kinds += ["return"]
        if in_loop and "goto" in self.features:
            kinds += ["goto"]
        kind, deeper = self.draw.choice(kinds), indent + "    "
        if kind == "work":
            return self.work(indent)
        if kind == "if":
            return f"{indent}if ({self.condition()}) {{\n{self.block(deeper, in_loop)}{indent}}}\n" + self.work(indent)
        if kind == "ifelse":
            return (f"{indent}if ({self.condition()}) {{\n{self.block(deeper, in_loop)}{indent}}} else {{\n"
                    f"{self.block(deeper, in_loop)}{indent}}}\n" + self.work(indent))
        if kind == "switch":
            count = self.draw.randint(3, 6)
            text = f"{indent}switch (h >> {self.draw.randint(0, 28)} & 7) {{\n"
            for case in range(count):
                text += f"{indent}case {case}:\n{self.work(deeper)}"
                text += f"{deeper}break;\n" if self.draw.random() < .8 else ""
            if self.draw.random() < .5:
                text += f"{indent}default:\n{self.work(deeper)}"
            return text + f"{indent}}}\n" + self.work(indent)
        if kind == "loop":
            self.loops += 1
            i = f"i{self.place()}"
            text = (f"{indent}for (word {i} = 0; {i} < (h >> {self.draw.randint(0, 28)} & 7); {i}++) {{\n{deeper}a += {i};\n"
                    + self.work(deeper) + self.block(deeper, True) + f"{indent}}}\n" + self.work(indent))
            self.loops -= 1
            return text
        self.leaves |= kind == "goto"
        return self.leave(indent, {"goto": "goto out"}.get(kind, kind))

    def text(self, name):
        body = self.work("    ")
        while self.budget > 0:
            body += self.statement("    ", False)
        body += ("out:\n" if self.leaves else "") + self.work("    ") + "    out[t] = a;\n"
        first = "    word t = blockIdx.x * blockDim.x + threadIdx.x, h = rnd[t], a = h & 15;\n"
        return f"{SIGNATURE.format(name)} {{\n{first}{body}}}\n"


def main():
    names = []
    print(HEAD)
    for seed in SEEDS:
        draw = random.Random(seed)
        for number in range(KERNELS):
            features = FEATURES[number % len(FEATURES)]
            names.append(f"s{seed}_k{number}_{'_'.join(features)}")
            print(Kernel(draw, features).text(names[-1]))
    print(MAIN % "".join(f'    {{"{name}", {name}}},\n' for name in names), end="")


main()
