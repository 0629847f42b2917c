#!/bin/sh
# Joins fat binaries, whose images were compressed in different ways: fatbinary compresses all that it puts in one alike.
#
#   join_fatbins.sh OUTPUT FATBIN...
#
# A fat binary is a header of 16 bytes (a magic number, version 1, the header's own length, the length of the rest) and
# images, each with a header of its own, at multiples of 8 bytes.  So the images are put one after another.
set -eu
output=$1
shift

beginning() {
    od -An -tx1 -N8 "$1" | tr -d ' \n'
}

rest=0
for part in "$@"; do
    size=$(wc -c <"$part")
    if [ "$(beginning "$part")" != 50ed55ba01001000 ] || [ $((size % 8)) -ne 0 ]; then
        echo "join_fatbins.sh: $part: no fat binary of version 1; another fatbinary made it?" >&2
        exit 1
    fi
    rest=$((rest + size - 16))
done

trap 'rm -f "$output.$$"' EXIT
{
    head -c 8 "$1"
    for shift in 0 8 16 24 32 40 48 56; do
        # shellcheck disable=SC2059 # a byte as an octal escape
        printf "\\$(printf %03o $((rest >> shift & 255)))"
    done
    for part in "$@"; do
        tail -c +17 "$part"
    done
} >"$output.$$"
mv "$output.$$" "$output"
