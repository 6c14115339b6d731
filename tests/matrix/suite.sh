#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Run README's two commands, as a user types them, in another Debian release. The small system of
# chroot.sh gets a copy of the sources. The commands install packages, build, show the demo and run
# all tests.
#
#   suite.sh [--dir DIR] SUITE               SUITE: bookworm, trixie, testing
#
# It runs in namespaces of its own, so nothing stays when it ends. Needs root.
# Exit: that of the first command that fails; 77 without root or without the system.

set -u -o pipefail

dir=${OMPDD_MATRIX_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/ompdd-matrix}
if [ "${1-}" = --dir ]; then
	dir=${2:?--dir needs a directory}
	shift 2
fi
suite=${1:?which release?}
root=$dir/chroot-$suite
source=$(cd "$(dirname "$0")/../.." && pwd)

if [ "$(id -u)" -ne 0 ] || [ ! -e "$root/.ready" ]; then
	echo "needs root, and $root (chroot.sh makes it)"
	exit 77
fi

# Print the first command in a section of README.
command_of() {
	sed -n "/^## $1\$/,/^## /p" "$source/README.md" | sed -n '/^```sh$/,/^```$/p' | sed '/^```sh$/d;/^```$/,$d'
}

install=$(command_of Install)
tests=$(command_of 'Run the tests')
if [ -z "$install" ] || [ -z "$tests" ]; then
	echo "README.md has no commands"
	exit 1
fi

rm -rf --one-file-system "$root/ompdd-suite"
mkdir -p "$root/ompdd-suite"
git -C "$source" ls-files -z --cached --others --exclude-standard |
	tar -C "$source" -c --null -T - | tar -x -C "$root/ompdd-suite" || exit 1
# The dates of a frozen mirror expire.
echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/90ompdd-matrix"
cp -L /etc/resolv.conf "$root/etc/resolv.conf"

# ompdd needs /proc. The tests use terminals, shared memory and /proc, and must see their own
# processes only.
exec unshare --mount --pid --fork --kill-child=KILL bash -euc '
	root=$0
	mount -t proc proc "$root/proc"
	mount -t sysfs sysfs "$root/sys"
	mount --rbind /dev "$root/dev"
	for command; do
		echo "+ $command"
		chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
			bash -euc "cd /ompdd-suite; $command"
	done
' "$root" "$install" "$tests"
