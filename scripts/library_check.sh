#!/usr/bin/env bash
# Measures the speed of the library's operations on a GPU compared with a copy and with other libraries, for
# docs/library-speed.md.
#
# usage: scripts/library_check.sh BUILD OUT [copy] [add] [transpose] [narrow] [images] [inplace] [fields] [permute]
#                                 [calls] [random] [hot] [drawn-hot] [frameworks]
#
# BUILD is a build folder; the results (library-PART.json) and logs go to the folder OUT.  The default is all parts but
# random, hot, drawn-hot and frameworks, which take less than four minutes on an H200.  `random` measures COUNT (300)
# shapes that it draws anew, by the seed SEED if that is set (OUT/random-PART.json), and prints a summary: about five
# minutes.  Of shapes below BELOW (0.8) of a copy it measures how fast blocks are that only move their tiles
# (OUT/bounds.tsv).  scripts/random_page.py makes docs/random-shapes.md of both.
# `hot` measures calls of models and solvers with their data in the cache, in CUDA graphs, beside torch's and CuPy's where
# python3 has them (OUT/hot-PART.json), and prints a summary: some minutes.  `drawn-hot` does so with COUNT shapes of 16 KB
# to 16 MB that it draws anew as `random` does (OUT/drawn-hot-PART.json).
# `frameworks`, after the others, adds torch's rows (OUT/frameworks-PART.json, of one in ten of the random shapes) and
# takes as long again.  `calls` measures host time (OUT/library-calls.json).
# Then scripts/library_table.py OUT/library-*.json OUT/frameworks-*.json shows which goals are met.
# DEVICE=sim SMALL=1 in the environment tries the script at sizes that take seconds.  Exits with 1 if a row was wrong.
set -uo pipefail
if [ $# -lt 2 ]; then
    sed -n '2,22s/^# \{0,1\}//p' "$0"
    exit 2
fi
build=$1 out=$2
shift 2
[ $# -gt 0 ] || set -- copy add transpose narrow images inplace fields permute calls
here=$(dirname "$0")
wideload=$build/wideload
mkdir -p "$out"
failed=0

# A few samples are enough: the kernels are long and cold, and their medians vary by less than 0.5 % between runs.
common=(--device "${DEVICE:-gpu}")
[ "${DEVICE:-gpu}" = sim ] || common+=(--samples 15)

step() { # NAME ARGUMENTS OF BENCH...
    local name=$1
    shift
    bench "$name" "library-$name" "$@" "${common[@]}"
}

bench() { # NAME RESULT ARGUMENTS...
    local name=$1 result=$2 began=$SECONDS
    shift 2
    if "$wideload" bench "$@" --json "$out/$result.json" >"$out/$name.log" 2>&1; then
        echo "ok     $name ($((SECONDS - began)) s)"
    else
        echo "FAILED $name: status $?, see $name.log"
        tail -n 12 "$out/$name.log"
        failed=1
    fi
}

# The sizes of each part, full and small.
if [ -z "${SMALL:-}" ]; then
    copy=2^28 bytes=2^28 sums=2^28 shapes=8192,8191x8193,64x1024x1024 square=16384/4,2048/4 field_bytes=2^29
    inplace_square=8192,16384/4 inplace_rectangle=8191x8193/4 cases=cases fields=2:32
    long=1000000x32 long_bytes=4000000x32 rows=67108864
    images=(256x3x224x224 64x64x112x112 128x128x56x56 256x256x28x28 2048x512x7x7)
else
    copy=2^16 bytes=2^16 sums=2^16 shapes=128,127x129,4x64x64 square=256/4,64/4 field_bytes=2^14
    inplace_square=64,128/4 inplace_rectangle=63x65/4 cases=17x9x33@210/4,8x6x9x4@0213/2 fields=2:5
    long=1000x32 long_bytes=4000x32 rows=4096
    images=(2x3x8x8 2x16x7x7)
fi

# turned NxK: prints KxN.
turned() {
    echo "${1#*x}x${1%x*}"
}

copy() {
    step copy copy --size $copy
    step copy-any copy-any --size $bytes --from-shift 0,1,2,3,4,7,8,13 --to-shift 0,1,6
}

add() {
    step add add-any --size $sums --type f32,f16,i8 --from-shift 0 --to-shift 0
    step add-shifted add-any --size $sums --type f32,f16,i8 --from-shift 0,1 --to-shift 0,3
}

# At widths 1 and 2, a shape that would be small has as many bytes as at the larger widths.
transpose() {
    local sizes=$shapes width
    for width in 4 8 16; do
        sizes+=",$long/$width,$(turned $long)/$width"
    done
    for width in 1 2; do
        sizes+=",$long_bytes/$width,$(turned $long_bytes)/$width"
    done
    step transpose transpose-any --size "$sizes" --width 1,2,4,8,16
    step transpose-square transpose-any --size $square
}

# The number of bytes is the same at every width.
narrow() {
    local sizes= width
    for width in 1 2 4 8 16; do
        sizes+=",$((rows / width))x3/$width,3x$((rows / width))/$width"
    done
    step narrow transpose-any --size "${sizes#,}"
}

# NCHW to NHWC transposes a batch of C x HW matrices; the way back, of HW x C.
images() {
    local sizes= image n c h w
    for image in "${images[@]}"; do
        IFS=x read -r n c h w <<<"$image"
        sizes+=",${n}x${c}x$((h * w)),${n}x$((h * w))x${c}"
    done
    step images transpose-any --size "${sizes#,}" --width 2,4
}

inplace() {
    step inplace transpose-inplace --size $inplace_square,$inplace_rectangle --width 1,2,4,8,16
}

fields() {
    step fields deinterleave interleave --bytes $field_bytes --fields $fields,f32x3+f64+i32,packed:f32x3+f64+i32 \
        --width 1,2,4,8,16 --kernel wideload
}

permute() {
    step permute permute --size $cases
}

# New shapes in each run: a random-*.json is no part of the page.
random() {
    draw random large --samples 7
    bounds
}

# Calls of such shapes with their data in the cache, as `hot` measures those of its list.
drawn-hot() {
    draw drawn-hot hot --samples 30 --hot --graph
}

draw() { # NAME large|hot --samples N OPTIONS OF BENCH...
    local name=$1 hot=() of=() part sizes have=
    [ "$2" = large ] || hot=(--hot)
    of=("${hot[@]}")
    [ -z "${SMALL:-}" ] || of=(--small)
    shift 2
    [ "${DEVICE:-gpu}" != sim ] || shift 2
    "$here/random_shapes.py" draw --count "${COUNT:-300}" ${SEED:+--seed "$SEED"} "${of[@]}" \
        >"$out/$name.txt" 2>"$out/$name.log" || failed=1
    cat "$out/$name.log"
    rm -f "$out/$name"-*.json
    [ -z "${hot[*]}" ] || have=$(usable_frameworks)
    for part in transpose-any permute; do
        sizes=$(sed -n "s/^$part //p" "$out/$name.txt" | paste -sd,)
        [ -n "$sizes" ] || continue
        bench "$name-$part" "$name-$part" "$part" --size "$sizes" --device "${DEVICE:-gpu}" "$@"
        peers "$name-$part" "$have"
    done
    "$here/random_shapes.py" summary "${hot[@]}" "$out/$name"-*.json | tee "$out/$name.log"
    [ "${PIPESTATUS[0]}" = 0 ] || failed=1
}

# What blocks that only move tiles reach, of the random shapes whose share of a copy is below BELOW.
bounds() {
    "$here/random_shapes.py" problems "$out"/random-*.json ${BELOW:+--below "$BELOW"} >"$out/bounds.txt" || failed=1
    rm -f "$out"/bounds.tsv "$out"/bounds.log
    [ -s "$out/bounds.txt" ] || return 0
    if "$build/tile_bound" --device "${DEVICE:-gpu}" --arena 2600 <"$out/bounds.txt" >"$out/bounds.tsv" 2>"$out/bounds.log"; then
        echo "Those that are low, timed again: the share of a copy, that of blocks that only move its tiles, and the problem"
        awk -F'\t' 'NF > 5 { print "  " $6 "  " $7 "  " $1 } /^#/' "$out/bounds.tsv" | sort
    else
        echo "FAILED bounds: see bounds.log"
        tail -n 5 "$out/bounds.log"
        failed=1
    fi
}

# Each operation is a run of the bench, and so is each type of sums.
hot() {
    local small=() samples=(--samples 30) experiment kind part sizes have
    [ -z "${SMALL:-}" ] || small=(--small)
    [ "${DEVICE:-gpu}" != sim ] || samples=()
    "$here/hot_shapes.py" list ${small[@]+"${small[@]}"} >"$out/hot.txt" || failed=1
    rm -f "$out"/hot-*.json
    have=$(usable_frameworks)
    while read -r experiment kind; do
        part=hot-$experiment${kind:+-$kind}
        sizes=$(awk -v e="$experiment" -v k="$kind" '$1 == e && $3 == k { print $2 }' "$out/hot.txt" | paste -sd,)
        bench "$part" "$part" "$experiment" --size "$sizes" ${kind:+--type "$kind"} --hot --graph \
            --device "${DEVICE:-gpu}" ${samples[@]+"${samples[@]}"}
        peers "$part" "$have"
    done < <(awk '{ print $1, $3 }' "$out/hot.txt" | sort -u)
    "$here/hot_shapes.py" summary "$out"/hot-*.json | tee "$out/hot.log"
    [ "${PIPESTATUS[0]}" = 0 ] || failed=1
}

# The rows of frameworks join the result: the later of an option counts.
peers() { # RESULT FRAMEWORKS
    [ -z "$2" ] || [ ! -e "$out/$1.json" ] ||
        framework "$1" "$1" --frameworks "$2" --samples 30 -o "$out/$1.json"
}

# The frameworks that python3 has and that find a GPU: torch,cupy.  The simulator has no times to compare with.
usable_frameworks() {
    local names=
    if [ "${DEVICE:-gpu}" != sim ] && python3 -c 'import numpy' 2>/dev/null; then
        ! python3 -c 'import torch; assert torch.cuda.is_available()' 2>/dev/null || names+=,torch
        ! python3 -c 'import cupy; assert cupy.cuda.runtime.getDeviceCount()' 2>/dev/null || names+=,cupy
    fi
    echo "${names#,}"
}

# Measures the host time of a call, with another program.
calls() {
    local began=$SECONDS samples=300
    [ "${DEVICE:-gpu}" != sim ] || samples=2
    if "$build/calls_speed" --device "${DEVICE:-gpu}" --samples $samples --json "$out/library-calls.json" \
        >"$out/calls.log" 2>&1; then
        echo "ok     calls ($((SECONDS - began)) s)"
    else
        echo "FAILED calls: see calls.log"
        tail -n 5 "$out/calls.log"
        failed=1
    fi
}

# Verification with numpy takes minutes, so these are only the parts in which a framework sets the goal.
frameworks() {
    local part
    for part in add permute transpose-square; do
        framework "$part" "library-$part"
    done
    # The summary's files are those that have both.
    for part in transpose-any permute; do
        [ ! -e "$out/random-$part.json" ] || framework "random-$part" "random-$part" --every 10
    done
    [ ! -e "$out/random-permute.json" ] || "$here/random_shapes.py" summary "$out"/frameworks-random-*.json
}

framework() { # NAME RESULT OPTIONS...
    local name=$1 result=$2
    shift 2
    if python3 "$here/../docs/peers/peers.py" "$out/$result.json" -o "$out/frameworks-$name.json" \
        --frameworks torch --samples 15 "$@" >"$out/frameworks-$name.log" 2>&1; then
        echo "ok     frameworks-$name"
    else
        echo "FAILED frameworks-$name: status $?, see frameworks-$name.log"
        tail -n 5 "$out/frameworks-$name.log"
        failed=1
    fi
}

for part in "$@"; do
    case $part in
    copy | add | transpose | narrow | images | inplace | fields | permute | calls | random | hot | drawn-hot | frameworks) $part ;;
    *)
        echo "library_check: unknown part '$part'" >&2
        exit 2
        ;;
    esac
done
exit $failed
