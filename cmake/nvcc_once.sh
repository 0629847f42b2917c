#!/bin/sh
# Compiles a kernel file once for all builds: the release build, the sanitizers' and clang's need the same fatbins, and
# nvcc takes minutes for all of them.
#
#   nvcc_once.sh STORE OUTPUT SOURCE LEAST FATBINARY "COMPRESSION..." NVCC OPTION...
#
# PTX for compute capability LEAST, with lines, and machine code for sm_90, of which lines would be two thirds.
#
# The folder STORE keeps what nvcc made.  NAME.d there, named after the compiler, the options and this script, lists the
# files that the kernel was made of; NAME-TEXT.fatbin is what became of these files' text.  Beside OUTPUT goes OUTPUT.d.
set -eu
store=$1 output=$2 source=$3 least=$4 fatbinary=$5 compression=$6
shift 6
name=$store/$({
    ls -lL --time-style=full-iso "$1"
    echo "$source" "$least" "$compression" "$@"
    cat "$0"
} | sha256sum | cut -c 1-32)

# A file of the list that cannot be read changes the text, or there is none.
text() {
    sed 's/\\$//' "$name.d" | xargs cat 2>&1 | sha256sum | cut -c 1-32
}

if [ ! -e "$name.d" ] || [ ! -e "$name-$(text).fatbin" ]; then
    mkdir -p "$store"
    mine=$name.$$
    trap 'rm -f "$mine" "$mine.d" "$mine.list" "$mine.ptx" "$mine.cubin"' EXIT
    "$@" -ptx -lineinfo -gencode "arch=compute_$least,code=compute_$least" -MD -MF "$mine.d" -o "$mine.ptx" "$source"
    "$@" -cubin -gencode arch=compute_90,code=sm_90 -o "$mine.cubin" "$source"
    # shellcheck disable=SC2086 # several options
    "$fatbinary" -64 $compression --create="$mine" --image3="kind=ptx,sm=$least,file=$mine.ptx" \
        --image3="kind=elf,sm=90,file=$mine.cubin"
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
