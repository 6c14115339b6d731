#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Fetch the libomp that a Debian release has packaged:
#
#   libomp.sh [--dir DIR] SUITE VERSION        libomp.sh bookworm 16
#
# Result: DIR/libomp-VERSION/libomp.so.5, stripped as in the package. From 19 on also libarcher.so, a
# race detector. The packages of several releases conflict, so nothing is installed. Existing files
# are not fetched again.
#
# Exit: 0 fetched; 77 cannot be fetched (no network, or the release has another version by now).

set -u -o pipefail

dir=${OMPDD_MATRIX_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/ompdd-matrix}
if [ "${1-}" = --dir ]; then
	dir=${2:?--dir needs a directory}
	shift 2
fi
suite=${1:?which Debian release?} version=${2:?which release of LLVM?}
. "$(dirname "$0")/apt.sh"
mkdir -p "$dir" && dir=$(cd "$dir" && pwd) || exit 1
mirror=${OMPDD_MATRIX_MIRROR:-http://deb.debian.org/debian}
out=$dir/libomp-$version

# One package for all versions since 20: a Debian release has the newest one.
package=libomp5-$version
[ "$version" -ge 20 ] && package=libomp5
packages=("$package") files=(libomp.so.5)
if [ "$version" -ge 19 ]; then
	packages+=(libomp-"$version"-dev) files+=(libarcher.so)
fi
[ -e "$out/${files[-1]}" ] && exit 0
if ! apt_setup "$dir/apt/libomp-$suite" "deb $mirror $suite"; then
	echo "matrix: no package list for $suite from $mirror" >&2
	exit 77
fi
if [ "$package" = libomp5 ] && [[ $(apt-cache policy libomp5) != *"Candidate: 1:$version."* ]]; then
	echo "matrix: the libomp5 of $suite is not version $version" >&2
	exit 77
fi
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
(cd "$work" && apt-get -q download "${packages[@]}") || exit 77
mkdir -p "$out"
for deb in "$work"/*.deb; do
	dpkg -x "$deb" "$work/package" || exit 1
done
cd "$work/package/usr/lib/llvm-$version/lib" && cp "${files[@]}" "$out"
