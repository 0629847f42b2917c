#!/usr/bin/env bash
# run.sh shared|static LIBRARIES PRELOAD-FIRST EXPECTED PROGRAM [TEXT]
# Runs a program on the simulator, as its user would.  What it prints has to be what EXPECTED holds; on
# standard error there has to be one line with TEXT, or nothing.  FOLDER in the environment is where the program's
# libraries find theirs.
set -uo pipefail
runtime=$1 libraries=$2 first=$3 expected=$4 program=$5 text=${6:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

preload=$first
[ "$runtime" = static ] && preload=${first:+$first:}$libraries/libwideload-cudart.so
# A program is not asked to free everything.  A sanitizer opens libraries in its own name, so that the folder that the
# program looks into is to be named.
folders=$libraries/wideload${first:+:${program%/*}}${FOLDER:+:$FOLDER}
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 LD_LIBRARY_PATH=$folders LD_PRELOAD=$preload "$program" \
    >"$work/out" 2>"$work/err" </dev/null
status=$?
bad=0
if [ $status -ne 0 ]; then
    echo "exit status $status"
    bad=1
fi
diff -u "$expected" "$work/out" || bad=1
if [ -n "$text" ]; then
    if [ "$(wc -l <"$work/err")" != 1 ] || ! grep -q -e "$text" "$work/err"; then
        echo "standard error should be one line with: $text"
        bad=1
    fi
elif [ -s "$work/err" ]; then
    echo "standard error should be empty"
    bad=1
fi
cat "$work/err"
exit $bad
