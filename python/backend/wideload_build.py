"""The build backend of the wheel: scikit-build-core's, which gets an nvcc and says in one line what else is missing.

A build needs nvcc.  If the machine has none, CUDA's compiler is a requirement of the build: pip fetches the pinned wheels
of scripts/cuda-requirements.txt (100 MB) and throws them away afterwards.
"""
from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys

from scikit_build_core import build as core
from scikit_build_core.build import (  # noqa: F401  (hooks)
    build_editable, build_sdist, get_requires_for_build_sdist, prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel)

LIBRARIES = {"zlib": "zlib1g-dev", "libzstd": "libzstd-dev", "liblz4": "liblz4-dev",
             "libelf": "libelf-dev", "libdw": "libdw-dev", "jansson": "libjansson-dev"}


def is_packing(settings: dict | None) -> bool:
    """Whether a build that is there already is packed."""
    return bool(settings) and "cmake.source-dir" in settings


def have_nvcc() -> bool:
    """Whether cmake/WideloadCuda.cmake will find an nvcc."""
    folders = [".cuda/bin", "/usr/local/cuda/bin"]
    folders += [os.path.join(os.environ[name], "bin") for name in ("CUDA_PATH", "CUDA_HOME") if name in os.environ]
    return any(shutil.which("nvcc", path=folder) for folder in [*folders, os.environ.get("PATH", "")])


def use_fetched_nvcc() -> None:
    found = importlib.util.find_spec("nvidia")
    for folder in found.submodule_search_locations or [] if found else []:
        if os.path.exists(os.path.join(folder, "cu13/bin/nvcc")):
            os.environ["CUDA_PATH"] = os.path.join(folder, "cu13")


def find_missing() -> list[str]:
    """Debian's packages that a build needs and this machine lacks."""
    missing = [package for command, package in (("gcc", "gcc"), ("g++", "g++"), ("pkg-config", "pkg-config"))
               if not shutil.which(command)]
    for library, package in LIBRARIES.items():
        if "pkg-config" in missing or subprocess.run(["pkg-config", "--exists", library], check=False).returncode:
            missing.append(package)
    return missing


def get_requires_for_build_wheel(config_settings: dict | None = None) -> list[str]:
    requires = core.get_requires_for_build_wheel(config_settings)
    if not is_packing(config_settings) and not have_nvcc():
        with open("scripts/cuda-requirements.txt", encoding="utf-8") as file:
            requires += re.findall(r"^(nvidia-\S+==\S+)", file.read(), re.MULTILINE)
    return requires


def build_wheel(wheel_directory: str, config_settings: dict | None = None, metadata_directory: str | None = None) -> str:
    if not is_packing(config_settings):
        if missing := find_missing():
            sys.exit(f"wideload: a build needs {' '.join(missing)} (Debian's names): scripts/setup.sh installs them")
        if not have_nvcc():
            use_fetched_nvcc()
    return core.build_wheel(wheel_directory, config_settings, metadata_directory)
