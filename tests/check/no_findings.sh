#!/bin/sh
# usage: no_findings.sh FILE PROGRAM [ARGS...]: runs it with all checks on; fails when they find anything, and
# when they were not on at all.
out=$1
shift
rm -f "$out"
WIDELOAD_CHECK=memory,race,init,sync WIDELOAD_PROF_OUT=$out "$@" || exit 1
grep -q '^{"checks": \["memory", "race", "init", "sync"\]}$' "$out" || { echo "the checks were not on"; exit 1; }
if grep '"finding"' "$out"; then
    exit 1
fi
