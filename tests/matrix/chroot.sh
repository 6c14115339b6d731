#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Build small Debian systems of other releases. Tests examine their processes from outside, as those
# of a container: another libc, another gcc, the release's own stripped libgomp. suite.sh runs the
# whole suite in them.
#
#   chroot.sh [--dir DIR] [SUITE...]         SUITE: bullseye (gcc 10), bookworm (12), trixie (14), testing, sid
#
# Result, under DIR (default ${OMPDD_MATRIX_DIR:-~/.cache/ompdd-matrix}): chroot-SUITE/, with gcc.
# Needs root and debootstrap. Exit: 0 all exist; 77 cannot be built here; 1 failed midway.

set -u -o pipefail

dir=${OMPDD_MATRIX_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/ompdd-matrix}
if [ "${1-}" = --dir ]; then
	dir=${2:?--dir needs a directory}
	shift 2
fi
if [ $# -eq 0 ]; then
	set -- bullseye bookworm trixie testing sid
fi
mirror=${OMPDD_MATRIX_MIRROR:-http://deb.debian.org/debian}
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

say() {
	echo "matrix: $*" >&2
}

mkdir -p "$dir" && dir=$(cd "$dir" && pwd) || exit 1
exec 9>"$dir/lock-chroot"
flock 9
ret=0
for suite in "$@"; do
	root=$dir/chroot-$suite
	if [ -e "$root/.ready" ]; then
		say "$suite: there"
		continue
	fi
	if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null; then
		say "$suite: needs root and debootstrap"
		[ $ret -eq 0 ] && ret=77
		continue
	fi
	if ! wget -q --spider "$mirror/dists/$suite/InRelease" && ! curl -sfI -o /dev/null "$mirror/dists/$suite/InRelease"; then
		say "$suite: not at $mirror"
		[ $ret -eq 0 ] && ret=77
		continue
	fi
	rm -rf --one-file-system "$root"
	say "$suite: debootstrap"
	# For a release that debootstrap does not know yet, use the script of sid.
	script=
	[ -e "/usr/share/debootstrap/scripts/$suite" ] || script=/usr/share/debootstrap/scripts/sid
	# /proc and /dev are not mounted: the packages of a compiler do not need them.
	if ! nice debootstrap --keyring="$keyring" --variant=minbase --include=gcc,libc6-dev \
		"$suite" "$root" "$mirror" ${script:+"$script"} >"$dir/chroot-$suite.log" 2>&1 9>&-; then
		say "$suite: failed (see $dir/chroot-$suite.log)"
		ret=1
		continue
	fi
	rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*
	touch "$root/.ready"
	say "$suite: made"
done
exit $ret
