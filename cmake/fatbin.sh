#!/bin/sh
# Compiles a kernel file to a fat binary of PTX and of machine code for sm_90.
#
#   fatbin.sh NVCC FATBINARY JOIN LEAST PTX-COMPRESSION CODE-COMPRESSION OPTION... -MF LIST -o OUTPUT SOURCE
#
# The PTX runs on the compute capability LEAST (75) and later ones.  A COMPRESSION is options of fatbinary, which
# compresses all that it puts in one file alike; so JOIN (join_fatbins.sh) joins two.  LIST gets the files that the
# output is made of.
set -eu
nvcc=$1 fatbinary=$2 join=$3 least=$4 ptx_compression=$5 code_compression=$6
shift 6

output='' list='' left=$#
while [ "$left" -gt 0 ]; do
    case $1 in
    -o) output=$2 ;;
    -MF) list=$2 ;;
    *) set -- "$@" "$1" && shift && left=$((left - 1)) && continue ;;
    esac
    shift 2
    left=$((left - 2))
done

trap 'rm -f "$output.ptx" "$output.cubin" "$output.of_ptx" "$output.of_cubin" "$output.d1" "$output.d2"' EXIT
"$nvcc" "$@" -ptx -lineinfo -gencode "arch=compute_$least,code=compute_$least" -MD -MF "$output.d1" -o "$output.ptx"
"$nvcc" "$@" -cubin -gencode arch=compute_90,code=sm_90 -MD -MF "$output.d2" -o "$output.cubin"
# shellcheck disable=SC2086 # several options
"$fatbinary" -64 $ptx_compression --create="$output.of_ptx" --image3="kind=ptx,sm=$least,file=$output.ptx"
# shellcheck disable=SC2086
"$fatbinary" -64 $code_compression --create="$output.of_cubin" --image3="kind=elf,sm=90,file=$output.cubin"
"$join" "$output" "$output.of_ptx" "$output.of_cubin"
# The two lists as one, of this output.
{
    printf '%s : ' "$output"
    sed '1s/^.*[^\\] *: //; $s/$/ \\/' "$output.d1"
    sed '1s/^.*[^\\] *: //' "$output.d2"
} >"$list"
