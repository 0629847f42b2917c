#!/usr/bin/env bash
# Formats the tracked C and CUDA files by .clang-format; with --check only reports differences, and fails if there
# are any.  The version is pinned, since each version of clang-format formats slightly differently.
set -euo pipefail
cd "$(dirname "$0")/.."

version=14
program=
for candidate in "clang-format-$version" clang-format; do
    if "$candidate" --version 2>/dev/null | grep -q "version $version\."; then
        program=$candidate
        break
    fi
done

case "${1:-}" in
--check) options=(--dry-run --Werror) ;;
"") options=(-i) ;;
*)
    echo "usage: scripts/format.sh [--check]" >&2
    exit 2
    ;;
esac

if [ -z "$program" ]; then
    echo "format: clang-format $version is not installed (Debian: clang-format-$version); skipped" >&2
    # Without clang-format, formatting fails, but --check only prints a note.
    [ "${1:-}" = --check ]
    exit
fi
git ls-files -z -- '*.c' '*.h' '*.cu' '*.cuh' | xargs -0 -r "$program" "${options[@]}"
