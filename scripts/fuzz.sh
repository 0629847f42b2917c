#!/usr/bin/env bash
# Fuzzes the code that reads outside data: docs/fuzzing.md.
#
#   scripts/fuzz.sh SECONDS [TARGET...]   runs the kept inputs, then new ones for SECONDS, of each target
#   scripts/fuzz.sh keep [TARGET...]      replaces the kept inputs by the smallest set with the same coverage as the
#                                         kept inputs and those of earlier runs
#
# FUZZ_SEED=1 makes the same choices each time.  New inputs are in build-fuzz/corpus/; inputs that crash, leak or hang
# are build-fuzz/TARGET-*.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
    sed -n '4,6s/^# *//p' "$0" >&2
    exit 2
}

[ $# -ge 1 ] || usage
what=$1
shift
[ "$what" = keep ] || [[ $what =~ ^[0-9]+$ ]] || usage

# The compiler alone is not enough: its libraries are a separate package.
if ! command -v clang >/dev/null ||
    ! echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long s) { return d[0] && s; }' |
    clang -fsanitize=fuzzer,address,undefined -x c -o /dev/null - 2>/dev/null; then
    echo "fuzz: clang and its sanitizers' libraries are not installed (Debian: clang libclang-rt-dev); skipped" >&2
    exit 0
fi

[ -e build-fuzz/build.ninja ] || cmake --preset fuzz >/dev/null
cmake --build --preset fuzz -j "$(nproc)"

targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
    for program in build-fuzz/fuzz_*; do
        targets+=("${program#build-fuzz/fuzz_}")
    done
fi

# The dictionary: every word with which the parser, the lowering and the counting rules compare, with and without a dot.
cat sim/ptx/*.[ch] sim/exec/*.h sim/exec/*/*.[ch] sim/count/*.h | grep -oE '"[^" \\]{1,60}"' | tr -d '"' | tr '.,|[]/{} ' '\n' |
    grep -E '^[%a-z_][a-zA-Z0-9_:]{0,24}$' | sed -E 'p; s/^[a-z]/.&/' | sort -u | sed 's/.*/"&"/' >build-fuzz/words.dict

# Uses of a function's memory after its return are looked for here alone: long tests of `make sanitize` would take 1.2 to
# 1.7 times as long.
export ASAN_OPTIONS=detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1

fuzz() {
    local target=$1 program=build-fuzz/fuzz_$1 kept=tests/fuzz/corpus/$1 found=build-fuzz/corpus/$1
    local least=build-fuzz/kept-$1 log=build-fuzz/$1.log
    mkdir -p "$kept" "$found"
    local options=(-timeout=25 -rss_limit_mb=3000 -max_len=8192 "-artifact_prefix=build-fuzz/$target-")
    [ "$target" != ptx ] || options+=(-dict=build-fuzz/words.dict)
    [ -z "${FUZZ_SEED:-}" ] || options+=("-seed=$FUZZ_SEED")
    if [ "$what" = keep ]; then
        rm -rf "$least"
        mkdir "$least"
        "$program" "${options[@]}" -merge=1 -use_counters=0 "$least" "$kept" "$found" >"$log" 2>&1
        rm -rf "$kept"
        mv "$least" "$kept"
        echo "$target: $(find "$kept" -type f | wc -l) inputs, $(du -sb "$kept" | cut -f1) bytes"
    elif "$program" "${options[@]}" -max_total_time="$what" -print_final_stats=1 "$found" "$kept" >"$log" 2>&1; then
        grep -E '^#[0-9]+[[:space:]]+DONE' "$log" | sed "s/^/$target: /"
    else
        tail -n 40 "$log" >&2
        echo "fuzz: $target failed: build-fuzz/$target-* is the input, $log the whole log" >&2
        return 1
    fi
}

for target in "${targets[@]}"; do
    [ -x "build-fuzz/fuzz_$target" ] || {
        echo "fuzz: no target '$target'; there are$(printf ' %s' build-fuzz/fuzz_* | sed 's,build-fuzz/fuzz_,,g')" >&2
        exit 2
    }
done
# One target per processor at a time.
export -f fuzz
export what
printf '%s\n' "${targets[@]}" | xargs -n 1 -P "$(nproc)" bash -euc 'fuzz "$1"' fuzz || exit 1
