#!/bin/bash
# Puts every planted bug and every clean twin to NVIDIA's compute-sanitizer, on a GPU.
#
# usage: compute_sanitizer.sh PLANTED OUT: PLANTED is planted.cu compiled for the GPU
# (nvcc -arch=sm_90 -lineinfo -cudart static); writes OUT/raw.txt, which compute_sanitizer.py reads.
planted=$1
out=$2
raw=$out/raw.txt
parts=$(mktemp -d)
mkdir -p "$out"

# sanitize TOOL WHICH NAME: its output in a part of its own, since several run at a time.
sanitize() {
    local options=(--tool "$1" --print-limit 8 --error-exitcode 9)
    case $1 in
    memcheck) options+=(--leak-check full --padding 64) ;;
    initcheck)
        if compute-sanitizer --help 2>&1 | grep -q -- --initcheck-address-space; then
            options+=(--initcheck-address-space all)
        fi
        ;;
    esac
    local file=$parts/$1-$2-$3
    {
        echo "### $1 $2 $3"
        timeout -s KILL 45 compute-sanitizer "${options[@]}" "$planted" "$2" "$3" 2>&1
        echo "### exit $?"
    } >"$file"
}
export -f sanitize
export planted parts

{
    # Errors of memcheck and synccheck end the context: a process each.
    for name in $("$planted" list memory); do echo memcheck bug "$name"; done
    for name in $("$planted" list sync | head -n -2); do echo synccheck bug "$name"; done
    for name in $("$planted" list host | grep -v unwritten); do echo memcheck bug "$name"; done
    echo initcheck bug copy_of_unwritten
    # Those of racecheck and initcheck do not; each alone all the same, so that the limit on prints is its own.
    for name in $("$planted" list race); do echo racecheck bug "$name"; done
    for name in $("$planted" list init); do echo initcheck bug "$name"; done
    for tool in memcheck racecheck initcheck; do
        for check in memory race init sync host; do echo $tool ok all-$check; done
    done
    for check in memory race init sync; do echo synccheck ok all-$check; done
} | xargs -P 6 -L 1 bash -c 'sanitize "$@"' _
# On a GPU these wait forever: last, and alone.
for name in $("$planted" list sync | tail -n 2); do sanitize synccheck bug "$name"; done
{
    compute-sanitizer --version | tail -n 2
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
    cat "$parts"/*
} >"$raw" 2>&1
rm -rf "$parts"
echo "$(grep -c '^### exit' "$raw") runs, $(grep -c '^### exit 0$' "$raw") without errors, $(grep -c 'exit 137' "$raw") killed"
