#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Debian's arm64 libraries, headers, Python and kernel in a folder, for the cross compiler and for
# the virtual machine. It changes nothing in the machine's own apt, dpkg or /usr, and needs no root.
#
#   sysroot.sh [--dir DIR]        fetches missing files (110 MB, once), and prints their folder
#
# Result, under DIR (default ~/.cache/ompdd-arm64): root/ and kernel/.
# Exit: 0 complete; 77 cannot be fetched; 1 failed midway.

set -u -o pipefail

here=$(cd "$(dirname "$0")" && pwd)
dir=${XDG_CACHE_HOME:-$HOME/.cache}/ompdd-arm64
[ "${1-}" = --dir ] && dir=${2:?--dir needs a directory}
suite=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
mirror=${OMPDD_MATRIX_MIRROR:-http://deb.debian.org/debian}
# The libraries for linking (packages.txt), then the other files of the virtual machine.
packages=$(grep -hvE '^(cmake|dpkg-dev|file|g\+\+|gcc|ninja-build|pkg-config|python3)$' "$here/../../packaging/packages.txt")
packages="$packages check libc6-dev libomp-dev
	bash busybox-static coreutils gdb libgfortran5 libgomp1 libstdc++6 procps python3 python3-jsonschema python3-pytest"

say() {
	echo "arm64: $*" >&2
}

mkdir -p "$dir" && dir=$(cd "$dir" && pwd) || exit 1
exec 9>"$dir/lock"
flock 9
ready=$dir/ready-$suite-$(cksum <<<"$packages" | cut -d' ' -f1)
if [ ! -e "$ready" ]; then
	say "fetching Debian's packages for arm64 into $dir"
	rm -rf "$dir"/{apt,root,kernel,ready-*}
	mkdir -p "$dir"/{apt/etc/apt.conf.d,kernel,root/usr/{bin,lib,sbin}} && ln -s usr/{bin,lib,sbin} "$dir/root" || exit 1
	echo 'APT::Architecture "arm64"; APT::Architectures "arm64"; APT::Install-Recommends "0";' >"$dir/apt/etc/apt.conf.d/arm64"
	. "$here/../matrix/apt.sh"
	if ! apt_setup "$dir/apt" "deb $mirror $suite" || ! cd "$dir/apt/cache/archives"; then
		say "no list of Debian's packages for arm64 from $mirror: is there a network? (log: $dir/apt/update.log)"
		exit 77
	fi
	kernel=$(apt-cache depends linux-image-cloud-arm64 | sed -n 's/^ *Depends: //p' | head -1)
	# shellcheck disable=SC2086 # words
	if ! apt-get -q install -y --download-only $packages >"$dir/apt/install.log" 2>&1 ||
	   ! (cd "$dir/apt" && apt-get -q download "$kernel" >>"$dir/apt/install.log" 2>&1); then
		say "Debian's packages for arm64 cannot be fetched (log: $dir/apt/install.log)"
		exit 77
	fi
	for deb in *.deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -x --keep-directory-symlink --exclude=./usr/share/{doc,man,locale,info} -C "$dir/root" || exit 1
	done
	# These links point into this folder, not into the machine's own.
	find "$dir/root" -lname '/*' -printf '%p %l\n' | while read -r link to; do
		ln -sfn "$(realpath -m --relative-to="${link%/*}" "$dir/root$to")" "$link"
	done
	dpkg -x ../../linux-image-*.deb "$dir/kernel" || exit 1
	rm -rf "$dir/apt"
	touch "$ready"
fi
echo "$dir"
