#!/bin/sh
# usage: no_findings.sh FILE PROGRAM [ARGS...]: runs it with all checks on, or with the environment's CHECKS; fails when
# they find anything, and when they were not on at all.  EXCEPT in the environment: what is found in kernels whose names
# begin so (a pattern) is allowed.
out=$1
checks=${CHECKS:-memory,race,init,sync}
shift
: > "$out"
WIDELOAD_CHECK=$checks WIDELOAD_PROF_OUT=$out "$@" || exit 1
grep -q "^{\"checks\": \[\"$(echo "$checks" | sed 's/,/", "/g')\"\]}\$" "$out" || { echo "the checks were not on"; exit 1; }
if grep '"finding"' "$out" | grep -v "\"kernel\": \"${EXCEPT:-none}"; then
    exit 1
fi
