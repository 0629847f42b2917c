#!/usr/bin/env bash
# run.sh CMAKE BUILD-DIRECTORY COMPILER FLAGS...
# The flags are the build's own: a library built with a sanitizer needs programs built with it.
set -euo pipefail
cmake=$1 build=$2 compiler=$3
flags=("${@:4}")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Nothing of the build tree may help: no search path, no override of what is opened.
unset LD_LIBRARY_PATH WIDELOAD_SIM_LIBRARY WIDELOAD_DEVICE CMAKE_PREFIX_PATH PKG_CONFIG_PATH
unset DESTDIR

# The tree is moved after the installation: it has to find itself wherever it lies.
DESTDIR=$work/stage "$cmake" --install "$build" --prefix /opt/wideload >"$work/log" || {
    cat "$work/log" >&2
    exit 1
}
prefix=$work/moved
mv "$work/stage/opt/wideload" "$prefix"

pc=$(find "$prefix" -name wideload.pc)
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
libdir=$(pkg-config --variable=libdir wideload)

echo "--- pkg-config"
for name in wideload:outside wideload-sim:driver; do
    package=${name%:*} program=${name#*:}
    read -ra cflags < <(pkg-config --cflags "$package")
    read -ra libs < <(pkg-config --libs "$package")
    "$compiler" "${flags[@]}" "${cflags[@]}" -o "$work/$program" "$here/$program.c" "${libs[@]}" \
        -Wl,-rpath,"$libdir"
    "$work/$program"
done

echo "--- CMake"
"$cmake" -G Ninja -S "$here/outside" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$compiler" \
    -DCMAKE_C_FLAGS="${flags[*]}" -DWANTED="$(pkg-config --modversion wideload)" >"$work/log" && "$cmake" --build "$work/build" >>"$work/log" || {
    cat "$work/log" >&2
    exit 1
}
"$work/build/outside"
"$work/build/driver"

if [ -e "$prefix/bin/wideload" ]; then
    echo "--- the program"
    "$prefix/bin/wideload" --version
    "$prefix/bin/wideload" bench copy --device sim --size 1000 >"$work/log" || {
        cat "$work/log" >&2
        exit 1
    }
fi

# What programs that nvcc built are given: libraries of the tree.
if [ -e "$libdir/wideload" ]; then
    echo "--- lib/wideload"
    for name in libcudart.so.13 libcudart.so.12 libcuda.so.1; do
        target=$(readlink -f "$libdir/wideload/$name")
        [ -f "$target" ] && [ "${target#"$(readlink -f "$prefix")"/}" != "$target" ] || {
            echo "$name leads to $target" >&2
            exit 1
        }
    done
    if [ "${flags[*]#*-fsanitize}" = "${flags[*]}" ]; then
        ldd "$libdir/wideload/libcudart.so.13" >"$work/log"
        if grep "not found" "$work/log"; then exit 1; fi
    fi
fi
