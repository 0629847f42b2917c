#!/usr/bin/env bash
# Checks that need a GPU: every rung is right at awkward sizes and clean under compute-sanitizer.  Times the ladder at
# full size.
#
# usage: scripts/gpu_check.sh BUILD OUT [correct] [sanitize] [time] [agree]
#
# BUILD is a build folder; the results (JSON) and logs go to the folder OUT.  The default is the first three parts;
# `agree`, after `time`, times everything again and compares.
# Exits with 1 if anything failed.
set -uo pipefail
if [ $# -lt 2 ]; then
    sed -n '2,10s/^# \{0,1\}//p' "$0"
    exit 2
fi
build=$1 out=$2
shift 2
[ $# -gt 0 ] || set -- correct sanitize time
wideload=$build/wideload
mkdir -p "$out"
failed=0

step() { # NAME COMMAND...
    local name=$1 began=$SECONDS
    shift
    if "$@" >"$out/$name.log" 2>&1; then
        echo "ok     $name ($((SECONDS - began)) s)"
    else
        echo "FAILED $name: status $?, see $name.log"
        tail -n 12 "$out/$name.log"
        failed=1
    fi
}

elementwise=(copy add read-offset write-offset stride layout shared)

correct() {
    for test in rungs sparse csr csr_check; do
        step "unit-$test" env WIDELOAD_DEVICE=gpu "$build/test_lib_$test"
    done
    for size in 0 1 31 33 1000 1048583; do
        step "size-$size" "$wideload" bench "${elementwise[@]}" --device gpu --size "$size" --samples 1 \
            --offset "0,1,11,128,$((size + 5))" --stride 1,2,7,33
    done
    for size in 1x1 1x4097 4097x1 33x65 1000x1777; do
        step "size-$size" "$wideload" bench transpose csr-transpose --device gpu --size "$size" --samples 1
    done
    for size in 1x1x1 1x4097x3 33x65x31 1600x1007x1600; do
        step "matmul-$size" "$wideload" bench matmul --device gpu --size "$size" --samples 1
    done
    for block in 32 96 1024; do
        step "block-$block" "$wideload" bench "${elementwise[@]}" --device gpu --size 100003 --block "$block" \
            --samples 1
    done
}

sanitize() {
    for tool in memcheck racecheck; do
        for test in rungs sparse; do
            step "$tool-$test" env WIDELOAD_DEVICE=gpu compute-sanitizer --tool "$tool" --error-exitcode 9 \
                "$build/test_lib_$test"
        done
    done
}

# ladder NAME OPTION...: runs the full ladder in four parts, each to $out/NAME-PART.json.  %PART in an option is replaced
# by the part.
ladder() {
    local name=$1 part
    shift
    for part in elements transpose matmul sparse; do
        case $part in
        elements) set_of=("${elementwise[@]}" --size 2^28) ;;
        transpose) set_of=(transpose --size 16384x16384) ;;
        matmul) set_of=(matmul --size 8192) ;;
        sparse) set_of=(csr-transpose --size 1048576x1048576) ;;
        esac
        step "$name-$part" "$wideload" bench "${set_of[@]}" --device gpu --json "$out/$name-$part.json" "${@//%PART/$part}"
    done
}

# Compares a second run with the first.  The logs have each row's ratio and the number of rows that agree within 2 %.
agree() {
    ladder again --tolerance 2 --compare "$out/h200-%PART.json"
    grep -h "rows within" "$out"/again-*.log
}

for part in "$@"; do
    case $part in
    correct) correct ;;
    sanitize) sanitize ;;
    time) ladder h200 ;;
    agree) agree ;;
    *)
        echo "gpu_check: unknown part '$part': correct, sanitize, time or agree" >&2
        exit 2
        ;;
    esac
done
exit $failed
