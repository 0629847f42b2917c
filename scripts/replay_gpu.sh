#!/usr/bin/env bash
# Times the teaching texts' experiments on a GPU, at the texts' sizes, for docs/replay.md.
#
# usage: scripts/replay_gpu.sh BUILD OUT [NAME]
#
# BUILD is a build folder.  Writes OUT/NAME-replay-*.json, eight files of schema wideload-bench/1; NAME is h200 by
# default.  Takes less than a minute.  Put the files into docs/results/, then run scripts/replay.py.  WIDELOAD_DEVICE=sim
# tries the commands without a GPU, and gives no times.  Exits with 1 if anything failed.
set -uo pipefail
if [ $# -lt 2 ] || [ $# -gt 3 ]; then
    sed -n '2,8s/^# \{0,1\}//p' "$0"
    exit 2
fi
wideload=$1/wideload out=$2 name=${3:-h200}
export WIDELOAD_DEVICE=${WIDELOAD_DEVICE:-gpu}
mkdir -p "$out" || exit 1
failed=0

bench() { # PART ARGUMENT...
    local part=$1 began=$SECONDS
    shift
    if "$wideload" bench "$@" --time 0.6 --json "$out/$name-replay-$part.json" >/dev/null; then
        echo "ok     $part ($((SECONDS - began)) s)"
    else
        echo "FAILED $part: status $?"
        failed=1
    fi
}

bench offset read-offset write-offset --kernel plain,ldg,l2-only,unroll4 --offset 0,11,128 --size 2^20
bench block read-offset --kernel unroll4 --offset 0 --block 1024,512,256,128 --size 2^20
bench block-large read-offset --kernel unroll4 --offset 0 --block 1024,512,256,128 --size 2^28
bench layout layout --size 2^19
bench add add --size 2^25
bench add-small add --size 2^16
bench transpose transpose --kernel copy-row,naive-row,naive-col,unroll4-row,unroll4-col,shared,shared-pad,shared-pad-unroll \
    --size 2048x2048
bench matmul matmul --size 1600x1007x1600
exit $failed
