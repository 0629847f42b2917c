#!/usr/bin/env bash
# Proves README.md's two commands on a bare machine: a Debian 12 with only git, make and certificates.
#
#   scripts/bare_machine.sh [COMMIT]
#   scripts/bare_machine.sh --wheel     proves docs/python.md's four commands on a Debian 12 with only Python
#
# Makes it with debootstrap in a temporary folder (4 GB in TMPDIR), clones the commit (HEAD) into it, runs `make bench`
# and `make test` there as a newcomer would, and prints the time of each.  Exits with 0 if both succeed.  With --wheel,
# `make wheel` has packed the wheel, and this machine's nvcc builds the program that is profiled there.
#
# Packages come from the same registries as this machine's: its configuration of apt and pip, its certificates, proxies
# and name servers are copied.  Needs root, debootstrap and unshare (Debian: debootstrap util-linux).  Nothing stays
# behind: the mounts are in a namespace, which ends with the script.
set -euo pipefail

suite=bookworm
commands=("make bench" "make test")
packages=git,make,ca-certificates
machine="git and make"

# What python -c of the page runs, and a program that nvcc built.
call="import wideload; print(wideload.transpose(memoryview(b'abcdef').cast('B', [2, 3])).tolist())"
as_wheel() {
    commands=("python3 -m venv /opt/python && /opt/python/bin/pip install --no-index /root/wideload/*.whl" "wideload bench copy"
        "wideload prof ./a.out" "wideload prof python train.py" "python -c \"$call\"")
    packages=python3,python3-venv
    machine=Python
}

die() {
    echo "bare_machine: $*" >&2
    exit 1
}

# ---------------------------------------------------------------- outside: the folder, and its end

if [ "${1:-}" != --inside ]; then
    cd "$(dirname "$0")/.."
    [ $# -le 1 ] || die "usage: scripts/bare_machine.sh [COMMIT | --wheel]"
    [ "$(id -u)" = 0 ] || die "only root can make a root folder of its own; run it with sudo"
    for program in debootstrap unshare chroot git; do
        command -v "$program" >/dev/null || die "there is no $program (Debian: debootstrap util-linux coreutils git)"
    done
    if [ "${1:-}" = --wheel ]; then
        commit=--wheel
        [ -e build/wheel/wheel ] || die "there is no wheel in build/wheel/wheel: make wheel"
    else
        commit=$(git rev-parse --verify --quiet "${1:-HEAD}^{commit}") || die "no commit ${1:-HEAD}"
        git diff --quiet HEAD -- || echo "bare_machine: what is not committed is not tried" >&2
    fi
    root=$(mktemp -d "${TMPDIR:-/tmp}/wideload-bare.XXXXXX")
    chmod 755 "$root" # like /: setuid programs find their libraries as another user
    child=
    # shellcheck disable=SC2317 # the trap calls it
    clean() {
        trap '' INT TERM HUP
        # The first process of the namespace: all others end with it, then their mounts.
        [ -z "$child" ] || { kill -KILL "$child" && wait "$child"; } 2>/dev/null || true
        rm -rf --one-file-system "$root" "$root.log"
    }
    trap clean EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    # It runs in the background, so that signals are handled at once.
    unshare --mount --pid --fork --kill-child --mount-proc "$PWD/scripts/bare_machine.sh" --inside "$root" "$commit" &
    child=$!
    status=0
    wait "$child" || status=$?
    child=
    exit "$status"
fi

# ---------------------------------------------------------------- inside

root=$2 commit=$3
[ "$commit" != --wheel ] || as_wheel

# A time in seconds and in minutes.
since() {
    local seconds=$((SECONDS - $1))
    printf '%d s (%d min %02d s)' "$seconds" $((seconds / 60)) $((seconds % 60))
}

# Copies files that may not exist.
copy() {
    local path
    for path in "$@"; do
        [ -e "$path" ] || continue
        mkdir -p "$root$(dirname "$path")"
        cp -rLT "$path" "$root$path"
    done
}

make_machine() {
    local mirror proxy=
    mirror=$(apt-get indextargets --format "\$(SITE) \$(RELEASE) \$(COMPONENT)" 'Created-By: Packages' |
        sed -n "s/ $suite main\$//p" | head -n 1)
    [ -n "$mirror" ] || die "this machine's apt has no source of $suite"
    eval "$(apt-config shell proxy Acquire::http::Proxy)"
    [ -z "$proxy" ] || export http_proxy="${http_proxy:-$proxy}"
    debootstrap --variant=minbase --include="$packages" "$suite" "$root" "$mirror" >"$root.log" 2>&1 || {
        tail -n 20 "$root.log" "$root/debootstrap/debootstrap.log" >&2 || true
        die "debootstrap failed"
    }
}

# Copies all that is needed to reach the registries.
share_configuration() {
    rm -rf "$root/etc/apt"
    copy /etc/apt /usr/share/keyrings /etc/resolv.conf /etc/hosts /usr/local/share/ca-certificates \
        /etc/pip.conf /root/.config/pip /root/.pip
    mkdir -p "$root/etc/apt/apt.conf.d" "$root/etc/apt/preferences.d"
    [ "$commit" = --wheel ] || chroot "$root" update-ca-certificates >/dev/null 2>&1 || die "the certificates cannot be installed"
}

mount_system() {
    mount -t proc proc "$root/proc"
    mount --rbind /sys "$root/sys"
    mount --rbind /dev "$root/dev"
    # pip's local folders of wheels.
    local place
    for place in ${PIP_FIND_LINKS:-}; do
        [ -d "$place" ] || continue
        mkdir -p "$root$place"
        mount --bind "$place" "$root$place"
    done
}

# Puts what is to be tried into /root/wideload.
bring() {
    if [ "$commit" != --wheel ]; then
        git -c safe.directory='*' clone -q --no-checkout --no-hardlinks . "$root/root/wideload"
        git -C "$root/root/wideload" checkout -q --detach "$commit"
        return
    fi
    local nvcc=.cuda/bin/nvcc
    [ -x "$nvcc" ] || nvcc=$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc) || die "there is no nvcc to build a program with"
    mkdir "$root/root/wideload"
    "$nvcc" -arch=sm_90 -lineinfo -o "$root/root/wideload/a.out" examples/readSegment.cu
    cp build/wheel/wheel/*.whl python/tests/train.py "$root/root/wideload"
}

# Runs a command in the clone on the bare machine.  Only the variables for the registries are kept from this environment.
run() {
    local name kept=()
    while IFS= read -r name; do
        case $name in
        PIP_* | *_proxy | *_PROXY | SSL_CERT_* | REQUESTS_CA_BUNDLE) kept+=("$name=${!name}") ;;
        esac
    done < <(compgen -e)
    chroot "$root" env -i HOME=/root PATH=/opt/python/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        TERM="${TERM:-dumb}" LANG=C.UTF-8 "${kept[@]}" bash -c "cd /root/wideload && $1" </dev/null
}


make_machine
share_configuration
mount_system
bring
report=()
for command in "${commands[@]}"; do
    printf '\n=== %s\n' "$command"
    start=$SECONDS
    status=0
    run "$command" || status=$?
    report+=("$command: $(since "$start")")
    [ "$status" = 0 ] || {
        report+=("$command FAILED with status $status")
        break
    }
done
printf '\n=== Debian 12 with %s, %s cores, %s\n' "$machine" "$(nproc)" "${commit:0:9}"
printf '%s\n' "${report[@]}"
exit "$status"
