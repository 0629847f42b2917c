#!/usr/bin/env bash
# Installs the packages that a build of Wideload needs and this machine lacks.  Silent and instant if nothing is missing.
#
#   scripts/setup.sh [coverage] [browser] [clang] [nvrtc] [wheel]
#
# The arguments add packages.  coverage: for `make coverage`; browser: Chromium, for the tests of the report's page and of
# docs/explorer.html; clang: for the preset fuzz, and for scripts/explorer.py; nvrtc: NVRTC (90 MB), for a test
# that compiles at run time, if the compiler is in .cuda/; wheel: Python's virtual environments and headers, for
# `make wheel`.
#
# Tools and libraries are Debian's packages.  If there is no nvcc of CUDA 12 or newer, the compiler is installed from
# the pinned wheels of scripts/cuda-requirements.txt into .cuda/, which CMake prefers to any other.
# WIDELOAD_CUDA=wheels installs the wheels even if there is an nvcc.
set -euo pipefail
cd "$(dirname "$0")/.."

die() {
    printf 'setup: %s\n' "$@" >&2
    exit 1
}

# ---------------------------------------------------------------- Debian's packages

missing=()
need_command() { # command, package
    command -v "$1" >/dev/null || missing+=("$2")
}
need_library() { # pkg-config name, package
    pkg-config --exists "$1" 2>/dev/null || missing+=("$2")
}

find_missing() {
    missing=()
    need_command make make
    need_command "${CC:-gcc}" gcc
    need_command g++ g++ # nvcc preprocesses kernels with it
    need_command cmake cmake
    need_command ninja ninja-build
    need_command python3 python3
    need_command pkg-config pkg-config
    # A bare image may have gcc without the C library's headers.
    [ -e /usr/include/stdio.h ] || missing+=(libc6-dev)
    need_library zlib zlib1g-dev
    need_library libzstd libzstd-dev
    need_library liblz4 liblz4-dev
    need_library jansson libjansson-dev
    need_library libelf libelf-dev
    need_library libdw libdw-dev
    need_library cmocka libcmocka-dev
    need_command gnuplot gnuplot-nox # draws the report's charts
    local part
    for part in "$@"; do
        case $part in
        coverage) need_command gcovr gcovr ;;
        browser)
            need_command chromium chromium
            [ -d /usr/share/fonts/truetype/noto ] || missing+=(fonts-noto-core)
            ;;
        clang)
            need_command clang clang
            need_command wasm-ld lld # scripts/explorer.py
            # If the library is missing, the compiler prints the name without a path.
            case $(clang -print-file-name="libclang_rt.fuzzer-$(uname -m).a" 2>/dev/null) in
            /*) ;;
            *) missing+=(libclang-rt-dev) ;;
            esac
            ;;
        nvrtc) nvrtc=yes ;;
        wheel)
            python3 -c "import ensurepip" 2>/dev/null || missing+=(python3-venv)
            # Another Python than Debian's has its own headers, or the wheel does without its extension.
            [ "$(readlink -f "$(command -v python3)")" != "$(readlink -f /usr/bin/python3)" ] ||
                python3 -c 'import os, sysconfig; os.stat(sysconfig.get_path("include") + "/Python.h")' 2>/dev/null ||
                missing+=(python3-dev)
            ;;
        *) die "unknown part '$part'; see the head of this script" ;;
        esac
    done
}

apt() {
    local log
    log=$(mktemp)
    if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y "$@" </dev/null >"$log" 2>&1; then
        tail -n 20 "$log" >&2
        rm -f "$log"
        return 1
    fi
    rm -f "$log"
}

install_packages() {
    local by_hand="install these packages (Debian's names), then try again: $*"
    command -v apt-get >/dev/null || die "there is no apt-get here;" "$by_hand"
    as_root=()
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || die "not root, and there is no sudo;" "$by_hand"
        # Without a terminal sudo could not ask for a password.
        sudo -n true 2>/dev/null || [ -t 2 ] || die "sudo would ask for a password;" "$by_hand"
        as_root=(sudo)
    fi
    echo "setup: installing $*" >&2
    # The first attempt fails if package lists are missing or stale; only the second failure counts.
    apt install --no-install-recommends "$@" 2>/dev/null && return
    apt update || die "apt-get update failed;" "$by_hand"
    apt install --no-install-recommends "$@" || die "apt-get install failed;" "$by_hand"
}

nvrtc=
find_missing "$@"
if [ ${#missing[@]} -gt 0 ]; then
    install_packages "${missing[@]}"
    find_missing "$@"
    [ ${#missing[@]} -eq 0 ] || die "still missing after the installation: ${missing[*]}"
fi

# ---------------------------------------------------------------- CUDA's compiler

# Searches the same folders as cmake/WideloadCuda.cmake.
have_system_cuda() {
    local nvcc major root
    for nvcc in ${CUDA_PATH:+"$CUDA_PATH/bin/nvcc"} ${CUDA_HOME:+"$CUDA_HOME/bin/nvcc"} \
        "$(command -v nvcc || true)" /usr/local/cuda/bin/nvcc; do
        [ -x "$nvcc" ] || continue
        major=$("$nvcc" --version | sed -n 's/.*release \([0-9]*\)\..*/\1/p')
        root=$(dirname "$(dirname "$(readlink -f "$nvcc")")")
        # CMake takes the first one, so a later one would not be used.
        [ "${major:-0}" -ge 12 ] || return 1
        [ -e "$root/include/cuda.h" ] || [ -e "$root/targets/x86_64-linux/include/cuda.h" ]
        return
    done
    return 1
}

# Whether .cuda/ has the wheels of a list, by the copy of the list in it.
have_wheels() {
    cmp -s "scripts/$1" ".cuda/$1"
}

install_wheels() { # list, what it is
    [ "$(uname -sm)" = "Linux x86_64" ] ||
        die "no wheels are pinned for $(uname -sm); install CUDA 12 or newer and put nvcc on PATH"
    python3 -m pip --version >/dev/null 2>&1 || install_packages python3-pip
    echo "setup: fetching $2 into .cuda/" >&2
    rm -rf .cuda/wheels
    # --target leaves Python's own packages alone; --no-deps and the hashes allow only the pinned files.
    PIP_ROOT_USER_ACTION=ignore python3 -m pip install --quiet --disable-pip-version-check --no-input \
        --no-compile --no-deps --only-binary :all: --require-hashes --target .cuda/wheels -r "scripts/$1" \
        </dev/null || die "the wheels could not be fetched; install CUDA 12 or newer and put nvcc on PATH"
    cp -rlT .cuda/wheels/nvidia/cu13 .cuda
    rm -rf .cuda/wheels
    .cuda/bin/nvcc --version >/dev/null || die ".cuda/bin/nvcc does not run"
    cp "scripts/$1" .cuda/ # last: its presence means that all wheels are installed
}

# CMake prefers .cuda, so it must be complete and have the pinned versions.
if [ -e .cuda ] || [ "${WIDELOAD_CUDA:-}" = wheels ] || ! have_system_cuda; then
    if ! have_wheels cuda-requirements.txt; then
        rm -rf .cuda
        mkdir .cuda
        install_wheels cuda-requirements.txt "CUDA's compiler (100 MB)"
    fi
    if [ -n "$nvrtc" ] && ! have_wheels nvrtc-requirements.txt; then
        install_wheels nvrtc-requirements.txt "NVRTC (90 MB)"
    fi
fi
