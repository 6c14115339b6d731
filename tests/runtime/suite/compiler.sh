#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# gcc 16 for the tests of its suite, which older compilers cannot build. The packages of Debian sid
# are unpacked, not installed.
#
#   compiler.sh fetch DIR                                unpacks the compilers, their libgomp and a Python into DIR/root, once
#   compiler.sh run DIR [--see FOLDER]... COMMAND...     runs COMMAND in DIR/root
#
# COMMAND also sees DIR, this repository and each FOLDER, at their own paths. It starts in the folder /.
#
# Needs root: a compiler from sid needs sid's C library, hence chroot(). Mounts are private and end
# with the command.
#
# Exit: that of COMMAND; 77 without root, or if the packages cannot be fetched.

set -u -o pipefail

action=${1:?fetch or run}
dir=${2:?which folder?}
shift 2
here=$(cd "$(dirname "$0")" && pwd)
tests=$(cd "$here/../.." && pwd)
mirror=${OMPDD_MATRIX_MIRROR:-http://deb.debian.org/debian}
packages="base-files bash coreutils g++-16 gfortran-16 libgomp1 python3"

skip() {
	echo "SKIPPED: gcc 16 is not in $dir: $1" >&2
	exit 77
}

fetch() {
	local root=$dir/root.new deb

	[ -e "$dir/root/.ready" ] && return 0
	mkdir -p "$dir" && dir=$(cd "$dir" && pwd) || exit 1
	. "$tests/matrix/apt.sh"
	apt_setup "$dir/apt" "deb $mirror sid" || skip "no list of packages from $mirror (see $dir/apt/update.log)"
	# shellcheck disable=SC2086
	if ! apt-get -q -y --no-install-recommends --download-only install $packages >"$dir/fetch.log" 2>&1; then
		rm -f "$dir/apt/updated" # the list may be too old
		skip "no packages from $mirror (see $dir/fetch.log)"
	fi
	rm -rf --one-file-system "$root"
	mkdir -p "$root"
	# base-files has the links /bin and /lib64, which the other packages need.
	for deb in "$dir"/apt/cache/archives/base-files_*.deb "$dir"/apt/cache/archives/*.deb; do
		dpkg -x "$deb" "$root" || exit 1
	done
	touch "$root/.ready"
	mv "$root" "$dir/root" && rm -rf "$dir/apt"
}

[ "$(id -u)" -eq 0 ] || skip "needs root"
if [ "$action" = fetch ]; then
	fetch
	exit
fi
[ -e "$dir/root/.ready" ] || skip "not fetched"
folders=("$(realpath "$dir")" "$(cd "$tests/.." && pwd)")
while [ "${1-}" = --see ]; do
	folders+=("$(realpath "${2:?--see needs a folder}")")
	shift 2
done
exec unshare --mount --pid --fork --kill-child=KILL bash -euc '
	root=$0
	for ((n = $1; n; n--)); do
		shift
		mkdir -p "$root$1"
		mount --bind "$1" "$root$1"
	done
	shift
	mount -t proc proc "$root/proc"
	mount -t sysfs sysfs "$root/sys"
	mount --rbind /dev "$root/dev"
	exec chroot "$root" env -i HOME=/root PATH=/usr/bin LC_ALL=C "$@"
' "$dir/root" ${#folders[@]} "${folders[@]}" "$@"
