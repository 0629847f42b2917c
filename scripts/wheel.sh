#!/usr/bin/env bash
# Packs the build in build/ into a Python wheel, build/wheel/wheel/*.whl, which holds the libraries that it needs.
#
#   scripts/wheel.sh         packs
#   scripts/wheel.sh test    tests the packed wheel in an environment of its own, which has nothing of this tree
#
# `make wheel` and `make test-python` build first.  `pip install .` needs neither: it runs CMake itself.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
place=$root/build/wheel

die() {
    echo "wheel: $*" >&2
    exit 1
}

# Makes a virtual environment that has the pinned packages of a list, and packages that are files.
make_environment() { # folder, list, file...
    rm -rf "$1"
    python3 -m venv "$1" || die "python3 cannot make virtual environments (Debian: python3-venv)"
    "$1/bin/python" -m pip install --quiet --disable-pip-version-check --no-input --no-deps --only-binary :all: \
        --require-hashes -r "$2" </dev/null || die "the packages of $2 could not be installed"
    cp "$2" "$1/" # last: its presence means that all are installed
    for file in "${@:3}"; do
        "$1/bin/python" -m pip install --quiet --disable-pip-version-check --no-input --no-deps --no-index "$file" \
            </dev/null || die "$file cannot be installed"
    done
}

pack() {
    local tools=$place/tools
    [ -e build/python/_fast.abi3.so ] || echo "wheel: Python had no headers (Debian: python3-dev) when build/ was" \
        "configured: the wheel works without wideload/_fast.abi3.so, but torch's small tensors take longer" >&2
    cmp -s scripts/wheel-requirements.txt "$tools/wheel-requirements.txt" ||
        make_environment "$tools" scripts/wheel-requirements.txt
    rm -rf "$place/raw" "$place/wheel" "$place/log"
    "$tools/bin/python" -m pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps --no-index \
        --wheel-dir "$place/raw" -C cmake.source-dir=python/pack -C "cmake.define.WIDELOAD_BUILD=$root/build" . ||
        die "the parts in build/ cannot be packed"
    PATH=$tools/bin:$PATH auditwheel repair --wheel-dir "$place/wheel" "$place/raw"/*.whl >"$place/log" 2>&1 || {
        cat "$place/log" >&2
        die "the wheel's libraries cannot be packed"
    }
    PATH=$tools/bin:$PATH auditwheel show "$place/wheel"/*.whl >"$place/log" 2>&1
    grep -q 'following platform tag: "manylinux' <(tr '\n' ' ' <"$place/log") || {
        cat "$place/log" >&2
        die "the wheel needs more than manylinux allows"
    }
    local size
    size=$(stat -c %s "$place/wheel"/*.whl)
    [ "$size" -lt 30000000 ] || die "the wheel has $size bytes; 30 MB are the limit"
    (cd "$root" && ls "${place#"$root"/}/wheel"/*.whl)
}

test_wheel() {
    make_environment "$place/fresh" python/tests/requirements.txt "$place/wheel"/*.whl
    # Elsewhere, so that the tree's python/wideload cannot be imported.
    rm -rf "$place/tests"
    cp -r python/tests "$place/tests"
    cp -r docs/notebooks "$place/tests/notebooks"
    # NCCL's stand-in, of builds with tests.
    [ ! -e build/tests/lib/nccl/libnccl.so.2 ] || cp build/tests/lib/nccl/libnccl.so.2 "$place/tests/"
    # %%cuda finds a compiler of scripts/setup.sh by this.
    [ ! -x .cuda/bin/nvcc ] || export CUDA_HOME=$root/.cuda
    cd "$place/tests"
    env -u PYTHONPATH -u LD_LIBRARY_PATH -u WIDELOAD_SIM_LIBRARY -u WIDELOAD_DEVICE PATH="$place/fresh/bin:$PATH" \
        python -I -m pytest -q -n auto -p no:cacheprovider "$@" .
}

case "${1:-}" in
"") pack ;;
test) test_wheel "${@:2}" ;;
*) die "usage: scripts/wheel.sh [test]" ;;
esac
