#!/bin/sh
# Compiles a kernel file once for all builds: the release build, the sanitizers' and clang's need the same fatbins, and
# nvcc takes minutes for all of them.
#
#   nvcc_once.sh STORE OUTPUT SOURCE NVCC OPTION...
#
# The folder STORE keeps what nvcc made.  NAME.d there, named after the compiler and the options, lists the files
# that the kernel was made of; NAME-TEXT.fatbin is what became of these files' text.  Beside OUTPUT goes OUTPUT.d.
set -eu
store=$1 output=$2 source=$3
shift 3
name=$store/$({
    ls -lL --time-style=full-iso "$1"
    echo "$source" "$@"
} | sha256sum | cut -c 1-32)

# A file of the list that cannot be read changes the text, or there is none.
text() {
    sed 's/\\$//' "$name.d" | xargs cat 2>&1 | sha256sum | cut -c 1-32
}

if [ ! -e "$name.d" ] || [ ! -e "$name-$(text).fatbin" ]; then
    mkdir -p "$store"
    mine=$name.$$
    trap 'rm -f "$mine" "$mine.d" "$mine.list"' EXIT
    "$@" -MD -MF "$mine.d" -o "$mine" "$source"
    # Without the target, which is another in each build.
    sed '1s/^.*[^\\] *: //' "$mine.d" >"$mine.list"
    mv "$mine.list" "$name.d"
    mv "$mine" "$name-$(text).fatbin"
fi
{
    printf '%s : ' "$output"
    cat "$name.d"
} >"$output.d"
cp "$name-$(text).fatbin" "$output.$$"
mv "$output.$$" "$output"
