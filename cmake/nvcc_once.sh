#!/bin/sh
# Runs a command of nvcc, or of a script that runs nvcc, once for all builds: the release build, the sanitizers' and
# clang's need the same kernels and test programs, and nvcc takes minutes for all of them.
#
#   nvcc_once.sh STORE BUILD PROGRAM [ARGUMENT...] OPTION... -o OUTPUT OPTION...
#
# Arguments before the first option that are paths name programs, too.  The folder STORE keeps what nvcc made.  NAME.d
# there, named after the programs, the options and this script, lists the files that the output was made of; NAME-TEXT is
# what became of these files' text.  Objects count by their text too.
# BUILD is the build's folder.  What names it, in other options than -L, is this build's own and not kept; nor is what
# has several sources, as nvcc lists the files of one.
set -eu
store=$1 build=$2
shift 2

output='' list='' sources=0 own='' before=''
for word in "$@"; do
    case $before:$word in
    -o:*) output=$word ;;
    -MF:*) list=$word ;;
    *:-L*) ;;
    *:*"$build"*) own=yes ;;
    *:*.cu) sources=$((sources + 1)) ;;
    esac
    before=$word
done
if [ -n "$own" ] || [ $sources -gt 1 ]; then
    exec "$@"
fi

key() {
    cat "$0"
    for word in "$@"; do
        case $word in
        -*) break ;;
        /*) ls -lL --time-style=full-iso "$word" ;;
        esac
    done
    before=
    for word in "$@"; do
        case $before:$word in
        -o:* | -MF:*) ;;
        *:-L*) echo "-L${word#-L"$build"}" ;;
        *:*.o | *:*.so) echo "${word##*/}" && cat "$word" ;;
        *) echo "$word" ;;
        esac
        before=$word
    done
}
name=$store/$(key "$@" | sha256sum | cut -c 1-32)

# A file of the list that cannot be read changes the text, or there is none.
text() {
    [ $sources -eq 0 ] || sed 's/\\$//' "$name.d" | xargs cat 2>&1 | sha256sum | cut -c 1-32
}

kept=''
if [ $sources -eq 0 ] || [ -e "$name.d" ]; then
    kept=$name-$(text)
fi
if [ ! -e "$kept" ]; then
    mkdir -p "$store"
    mine=$name.$$
    trap 'rm -f "$mine" "$mine.d" "$mine.list"' EXIT
    if [ $sources -eq 0 ]; then
        "$@"
    elif [ -n "$list" ]; then
        "$@"
        cp "$list" "$mine.d"
    else
        "$@" -MD -MF "$mine.d"
    fi
    # Without the target, which is another in each build.
    if [ $sources -gt 0 ]; then
        sed '1s/^.*[^\\] *: //' "$mine.d" >"$mine.list"
        mv "$mine.list" "$name.d"
    fi
    cp "$output" "$mine"
    mv "$mine" "$name-$(text)"
    exit
fi
if [ -n "$list" ]; then
    {
        printf '%s : ' "$output"
        cat "$name.d"
    } >"$list"
fi
cp "$kept" "$output.$$"
mv "$output.$$" "$output"
