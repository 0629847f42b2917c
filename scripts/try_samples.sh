#!/usr/bin/env bash
# Builds NVIDIA's CUDA samples as users would and runs each under `wideload prof`: docs/samples.md.
#
# usage: scripts/try_samples.sh SRC OUT [SAMPLE...]
#
# SRC is a checkout of github.com/NVIDIA/cuda-samples.  Programs, their output and reports go to the folder OUT, in a
# folder per sample, and the page to OUT/samples.md.  With names, only these samples are tried again.  Environment
# variables: WIDELOAD is the program (build/wideload), NVCC the compiler, TIMEOUT the seconds that a program may run
# (60); KEEP=1 does not rebuild programs in OUT.
# Exits with 1 if a sample gave a wrong result or failed without a known reason.
set -uo pipefail
export LC_ALL=C
if [ $# -lt 2 ] || [ ! -d "$1/Samples" ]; then
    sed -n '2,11s/^# \{0,1\}//p' "$0"
    exit 2
fi
source=$(cd "$1" && pwd) && mkdir -p "$2" && out=$(cd "$2" && pwd) || exit 1
shift 2
root=$(cd "$(dirname "$0")/.." && pwd)
wideload=$(realpath "${WIDELOAD:-$root/build/wideload}")
nvcc=${NVCC:-nvcc} limit=${TIMEOUT:-60}
toolkit=$(dirname "$(dirname "$(readlink -f "$(command -v "$nvcc")")")")

# Prints why a sample is not tried: its CMakeLists.txt needs something that the system or the toolkit lacks.
lacks() { # CMAKELISTS NAME
    local lib
    for lib in 'D3D\|d3d:Direct3D' 'NvSci\|nvsci:NvSci' 'Vulkan\|vulkan:Vulkan' 'EGL_LIB\|EGL::\|EGLS:EGL' \
        'GLUT\|OpenGL:OpenGL' 'FreeImage:FreeImage' 'find_package(MPI:MPI'; do
        if grep -q "${lib%%:*}" "$1"; then
            echo "needs ${lib##*:}"
            return
        fi
    done
    grep -o 'CUDA::[A-Za-z]*' "$1" | sort -u | sed 's/CUDA:://' | while read -r lib; do
        case $lib in
        cudart | cuda) continue ;;
        nvrtc | curand | cublas) find "$toolkit/" -name "lib$lib.so" | grep -q . && continue ;;
        esac
        echo "needs lib$lib"
        break
    done
}

# Samples for several GPUs get two.
devices() {
    case $1 in
    p2pBandwidthLatencyTest | simpleIPC | simpleMultiGPU | simpleP2P | streamOrderedAllocation*P*) echo 2 ;;
    *) echo 1 ;;
    esac
}

# A few samples get smaller sizes, since their defaults are for a GPU.
arguments() {
    case $1 in
    matrixMul | matrixMul_nvrtc) echo "-wA=128 -hA=128 -wB=128 -hB=128" ;;
    esac
}

sources() { # CMAKELISTS: the files of its (last) add_executable, in one line
    tr '\n' ' ' <"$1" | grep -o 'add_executable([^)]*)' | tail -n 1 | sed 's/add_executable([^ ]* *//; s/)//'
}

# Alternates between static, shared, and relocatable with the static runtime.  Samples that need device linking get it.
flavour() { # NUMBER NAME
    case $2 in
    cdp*) echo relocatable && return ;;
    esac
    case $(($1 % 3)) in
    0) echo static ;;
    1) echo shared ;;
    2) echo relocatable ;;
    esac
}

build() { # FOLDER NAME FLAVOUR
    local cmake=$1/CMakeLists.txt at=$out/$2 kernel made flags=(-arch=sm_90 -O3 -lineinfo -std=c++17)
    flags+=(-I "$source/Common" -I inc --extended-lambda -Xcompiler -fopenmp -w)
    local libraries=(-L "$toolkit/lib" -L "$toolkit/lib64" -L "$toolkit/lib/stubs" -L "$toolkit/lib64/stubs")
    libraries+=(-lcuda -Xlinker "-rpath=$toolkit/lib" -Xlinker "-rpath=$toolkit/lib64")
    local lib
    for lib in nvrtc curand cublas; do
        grep -q "CUDA::$lib\>" "$cmake" && libraries+=("-l$lib")
    done
    case $3 in
    shared) flags+=(-cudart shared) ;;
    relocatable) flags+=(-rdc=true) && libraries+=(-lcudadevrt) ;;
    esac
    cd "$1" || return 1
    # A sample loads code from files in the program's folder.
    for kernel in *_kernel*.cu *kernel.cu vectorAdd_kernel.cu; do
        [ -e "$kernel" ] || continue
        for made in fatbin ptx; do
            grep -q -e "-$made " "$cmake" || continue
            "$nvcc" -arch=sm_90 -I "$source/Common" "-$made" -o "$at/${kernel%.cu}64.$made" "$kernel" || return 1
        done
    done
    # A program that compiles at run time looks for headers in its own folder.
    if grep -q copy_directory "$cmake"; then
        cp -r "$toolkit"/include/cooperative_groups* "$toolkit"/include/cccl/{nv,cuda} "$at/" || return 1
    fi
    # shellcheck disable=SC2046 # names without blanks
    "$nvcc" "${flags[@]}" -o "$at/$2" $(sources "$cmake") "${libraries[@]}"
}

# Prints, separated by tabs, the name, the result and, if there were any launches, thread-instructions and seconds.
verdict() { # NAME STATUS SECONDS
    local at=$out/$1 result figures why
    figures=$(awk -F, 'NR > 1 { n += $1; t += $(NF - 1) } END { if (n) printf "%d\t%.3g", n, t }' "$at/launches.csv" \
        2>/dev/null)
    # Wideload's message, else the error that the program got from a call.
    why=$(sed -n "s/^wideload: //p; /no kernel ran: it /!s/^wideload prof: .*: no kernel ran: //p; s/^  driver: //p; $([ "$2" = 0 ] || echo 's/^  note: //p')" \
        "$at/stderr" "$at/report" | head -n 1 |
        sed "s|$toolkit/[^ ]*/||g; s|$at/||g; s|_Z[A-Za-z0-9_]\{60,\}|(a long name)|g")
    [ -n "$why" ] || why=$(grep -h -m 1 -o 'code=[0-9]*([A-Za-z]*) "[A-Za-z0-9]*\|API error = .* from' \
        "$at/stderr" "$at/stdout" | head -n 1 | sed 's/code=[0-9]*(\(.*\)) "\(.*\)/\2: \1/; s/ from$//')
    if [ "$2" = 124 ]; then
        result="too long: over $limit s"
    elif [[ $why =~ not\ supported|NotSupported|cannot\ be\ replaced && ($2 != 0 || -z $figures) ]]; then
        result="refused: $why"
    elif [ "$2" = 2 ] && grep -qi 'waiv\|no\?.t support\|skipping' "$at/stdout" "$at/stderr"; then
        result="declines: $(grep -i -h -m 1 'waiv\|no\?.t support\|skipping' "$at/stdout" "$at/stderr" | head -n 1)"
    elif [ "$2" != 0 ]; then
        result="FAILS: status $2${why:+: $why}"
    elif grep -q 'FAIL\|[Tt]est failed\|MISMATCH' "$at/stdout"; then
        result="FAILS: says so"
    elif grep -qi '\bpass\(ed\)\?\b\|success\|\bmatch\(es\)\?\b\|\bok\b' "$at/stdout"; then
        result="passes"
    else
        result="runs (has no check of its own)"
    fi
    printf '%s\t%s\t%s\t%s\n' "$1" "$result" "${figures:-	}" "$3"
}

try() { # FOLDER NUMBER
    local name at kind why began
    name=$(basename "$1") at=$out/$(basename "$1") kind=
    mkdir -p "$at"
    why=$(lacks "$1/CMakeLists.txt" "$name")
    if [ -n "$why" ]; then
        printf '%s\tnot tried: %s\t\t\t\n' "$name" "$why" >"$at/result"
        return
    fi
    kind=$(flavour "$2" "$name")
    cp -r "$1/." "$at/" || return 1
    if ! { [ -n "${KEEP:-}" ] && [ -x "$at/$name" ]; } && ! (build "$1" "$name" "$kind") >"$at/build.log" 2>&1; then
        printf '%s\tnot tried: does not build: %s\t\t\t\n' "$name" \
            "$(grep -m 1 -h 'error' "$at/build.log" | sed 's/.*error[: ]*//' | cut -c 1-80)" >"$at/result"
        return
    fi
    began=$EPOCHREALTIME
    # shellcheck disable=SC2046 # arguments without blanks
    (cd "$at" && exec env WIDELOAD_SIM_DEVICES="$(devices "$name")" "$wideload" prof --timeout="$limit" \
        --metrics thread_inst_executed --csv launches.csv --output report "./$name" \
        $(arguments "$name") >stdout 2>stderr </dev/null)
    verdict "$name" $? "$(awk "BEGIN { printf \"%.1f\", $EPOCHREALTIME - $began }")" |
        sed "s/\$/\t$kind/" >"$at/result"
}

number=0
for folder in "$source"/Samples/[0-6]_*/*/; do
    folder=${folder%/} name=$(basename "$folder")
    number=$((number + 1))
    [ -e "$folder/CMakeLists.txt" ] || continue
    [ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
    try "$folder" "$number"
    cut -f 1-3 "$out/$name/result"
done

results() { # in the samples' order
    local folder name
    for folder in "$source"/Samples/[0-6]_*/*/; do
        name=$(basename "$folder")
        cat "$out/$name/result" 2>/dev/null || printf '%s\tnot tried yet\t\t\t\n' "$name"
    done
}

{
    commit=$(git -C "$source" rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
    cat <<EOF
# NVIDIA's CUDA samples under \`wideload prof\`
\`scripts/try_samples.sh SRC OUT\` made this page, with cuda-samples at commit $commit and
$("$nvcc" --version | grep -o 'release [0-9.]*' | sed 's/release/CUDA/'). Each sample is built by nvcc of the sources that its CMakeLists.txt names, for sm_90, by turns with the static runtime, the shared
one, and as relocatable code with the static one; it runs for at most $limit seconds on a busy machine with two cores, at
the size that it was written with for a GPU. Samples for several GPUs run on two devices (\`WIDELOAD_SIM_DEVICES=2\`).

*Passes*: it checks its own result and finds it right. *Runs*: it ended well and has no check of its own. *Refused*:
the simulator says what it does not do. *Declines*: the sample asked the device for something and took the no.

| result | samples |
|---|---|
$(results | cut -f 2 | sed 's/:.*//; s/ (.*//' | sort | uniq -c | sort -rn | awk '{ n = $1; $1 = ""; print "|" $0 " | " n " |" }')

| sample | built | result | launches | thread instructions | seconds |
|---|---|---|---:|---:|---:|
EOF
    results | awk -F'\t' '{ gsub(/\|/, "\\|"); print "| " $1 " | " $6 " | " $2 " | " $3 " | " $4 " | " $5 " |" }'
} >"$out/samples.md"
! results | cut -f 2 | grep -q 'FAILS'
