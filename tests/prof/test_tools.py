#!/usr/bin/env python3
"""The ptxas and nvcc that a program finds under wideload prof: their output is loaded and run."""
import argparse
import os
import re
import subprocess
import sys
import unittest

from command import Folder
from sanitized import sanitized

arguments = None

# Loads a file as a cubin, by its bytes alone, and finds a kernel in it.
LOAD = """
import ctypes, sys
driver = ctypes.CDLL("libcuda.so.1")
def call(name, *arguments):
    error = getattr(driver, name)(*arguments)
    assert error == 0, (name, error)
context, module, kernel = (ctypes.c_void_p() for _ in range(3))
call("cuInit", 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
call("cuCtxSetCurrent", context)
with open(sys.argv[1], "rb") as file:
    call("cuModuleLoadData", ctypes.byref(module), file.read())
call("cuModuleGetFunction", ctypes.byref(kernel), module, b"_Z7vectorsP6float4PKS_")
print("loaded")
"""

# An nvcc that prints its arguments.
NVCC = """#!/bin/sh
for argument in "$@"; do printf '<%s>' "$argument"; done
echo
"""


class Tools(Folder):
    def prof(self, *command, **more):
        environment = {**os.environ, **more}
        for name in ("CUDA_PATH", "CUDA_HOME", "CUDA_ROOT", "NVCC"):
            if name not in more:
                environment.pop(name, None)
        return subprocess.run([arguments.wideload, "prof", "--output", os.devnull, *command], capture_output=True,
                              text=True, env=sanitized(environment), timeout=100, check=False, cwd=self.folder)

    def with_nvcc(self, *command, folder=None, **more):
        folder = folder or os.path.dirname(arguments.nvcc)
        return self.prof(*command, PATH=f"{folder}:{os.environ['PATH']}", **more)

    def ptxas(self, *options):
        # Through another program, as clients start it: prof's own PATH may have no ptxas.
        return self.prof("env", "ptxas", *options)

    def loads(self, name):
        done = self.prof(sys.executable, "-c", LOAD, name)
        self.assertEqual((done.stdout, done.returncode), ("loaded\n", 0), done.stderr)

    def good(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def refused(self, status, words, done):
        self.assertEqual(done.returncode, status)
        self.assertIn(words, done.stderr)

    def stand_in(self):
        """A folder with the nvcc that prints its arguments."""
        os.makedirs(self.place("toolkit/bin"))
        with open(self.place("toolkit/bin/nvcc"), "w", encoding="utf-8") as file:
            file.write(NVCC)
        os.chmod(self.place("toolkit/bin/nvcc"), 0o755)
        return self.place("toolkit/bin")

    def test_ptxas(self):
        for options in (["-o", "a.cubin"], ["--output-file=a.cubin"], ["--output-file", "a.cubin"]):
            self.good(self.ptxas("-v", "-lineinfo", "--gpu-name=sm_90", "-O", "3", arguments.ptx, *options))
            self.loads("a.cubin")
            with open(self.place("a.cubin"), "rb") as file:
                self.assertEqual(file.read()[-1], 0)
            os.remove(self.place("a.cubin"))
        self.good(self.ptxas(arguments.ptx))
        self.loads("elf.o")
        self.assertEqual(os.listdir(self.folder), ["elf.o"])

    def test_ptxas_refuses(self):
        self.refused(1, "no input file", self.ptxas("-arch", "sm_90"))
        self.refused(1, "no input file", self.ptxas("no-such.ptx", "-o", "a.cubin"))
        self.refused(1, "not PTX", self.ptxas(arguments.source, "-o", "a.cubin"))
        self.refused(1, "cannot be written", self.ptxas(arguments.ptx, "-o", "no/such/folder"))
        self.refused(1, "needs a file's name", self.ptxas(arguments.ptx, "-o"))
        self.assertEqual(os.listdir(self.folder), [])

    def test_version(self):
        # Triton derives the PTX version from it, and uses both parts of its text for its cache.
        text = self.good(self.ptxas("--version"))
        self.assertRegex(text, r"(?m)^Cuda compilation tools, release \d+\.\d+, V\d+\.\d+\.\d+$")
        self.assertIn("Wideload", text)
        text = self.good(self.with_nvcc("nvcc", "--version"))
        self.assertIn("wideload", text.splitlines()[0])
        self.assertRegex(text, r"release \d+\.\d+")

    def test_environment(self):
        folder = self.stand_in()
        text = self.good(self.with_nvcc("env", folder=folder))
        tools = re.search(r"(?m)^PATH=([^:]*):", text).group(1)
        self.assertTrue(tools.endswith("/wideload/bin"), tools)
        for name in ("TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH"):
            self.assertIn(f"\n{name}={tools}/ptxas\n", text)
        self.assertIn(f"\nTRITON_LIBCUDA_PATH={os.path.dirname(tools)}\n", text)
        self.assertIn(f"\nNVCC={tools}/nvcc\n", text)
        # A search for the toolkit next to nvcc finds the real one.
        for name in ("CUDA_PATH", "CUDA_HOME", "CUDA_ROOT"):
            self.assertIn(f"\n{name}={self.place('toolkit')}\n", text)
        text = self.good(self.with_nvcc("env", CUDA_PATH="/mine", folder=folder))
        self.assertIn("\nCUDA_PATH=/mine\n", text)
        self.assertNotIn("\nCUDA_HOME=", text)
        self.assertIn("\nNVCC=mine\n", self.good(self.with_nvcc("env", NVCC="mine", folder=folder)))

    def test_nvcc_arguments(self):
        folder = self.stand_in()
        both = "[compute_90,sm_90]"
        for given, passed in (
                (["-c", "a b.cu", "-o", "a.o"], ["-c", "a b.cu", "-o", "a.o"]),
                (["--cubin", "-arch", "sm_90", "a b.cu"], ["--fatbin", "-arch", "sm_90", "a b.cu", "-o", "a b.cubin"]),
                (["-cubin", "d/k.cu", "-o", "x"], ["--fatbin", "d/k.cu", "-o", "x"]),
                (["-cubin", "-gencode", "arch=compute_90,code=sm_90", "k.cu", "--output-file=x"],
                 ["--fatbin", "-gencode", f"arch=compute_90,code={both}", "k.cu", "--output-file=x"]),
                (["-cubin", "-gencode=arch=compute_90,code=[sm_90]", "k.cu", "-o=x"],
                 ["--fatbin", f"-gencode=arch=compute_90,code={both}", "k.cu", "-o=x"]),
                (["-cubin", "-arch=compute_90a", "-code=sm_90a", "k.cu", "-o", "x"],
                 ["--fatbin", "-arch=compute_90a", "-code=sm_90a,compute_90a", "k.cu", "-o", "x"]),
                (["-cubin", "-arch", "compute_90", "--gpu-code", "sm_90", "k.cu", "-o", "x"],
                 ["--fatbin", "-arch", "compute_90", "--gpu-code", "sm_90,compute_90", "k.cu", "-o", "x"])):
            text = self.good(self.with_nvcc("nvcc", *given, folder=folder))
            self.assertEqual(text, "".join(f"<{argument}>" for argument in passed) + "\n")

    @unittest.skipIf(os.environ.get("WIDELOAD_ASAN"), "NVIDIA's nvcc crashes with a sanitizer's library in it")
    def test_nvcc_loads(self):
        for options in (["-arch=sm_90"], ["-gencode", "arch=compute_80,code=sm_80"]):
            self.good(self.with_nvcc("nvcc", "--cubin", *options, arguments.source))
            self.loads("kernels.cubin")
            os.remove(self.place("kernels.cubin"))

    def test_no_nvcc(self):
        os.makedirs(self.place("empty"))
        for name in ("sh", "dirname", "env"):
            os.symlink(f"/usr/bin/{name}", self.place(f"empty/{name}"))
        self.refused(127, "no nvcc in PATH", self.prof("sh", "-c", "nvcc --version", PATH=self.place("empty")))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for option in ("wideload", "nvcc", "source", "ptx"):
        parser.add_argument(f"--{option}", required=True)
    arguments, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
