#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Fetch the libomp that a Debian release has packaged:
#
#   libomp.sh [--dir DIR] SUITE VERSION        libomp.sh bookworm 16
#
# Result: DIR/libomp-VERSION/libomp.so.5, as it is in the package, stripped. The packages of several releases conflict:
# nothing is installed. What is there is not fetched again.
#
# Exit: 0 it is there; 77 it could not be fetched (no network).

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

[ -e "$out/libomp.so.5" ] && exit 0
if ! apt_setup "$dir/apt/libomp-$suite" "deb $mirror $suite"; then
	echo "matrix: no package list for $suite from $mirror" >&2
	exit 77
fi
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
(cd "$work" && apt-get -q download "libomp5-$version") || exit 77
mkdir -p "$out" && dpkg -x "$work"/*.deb "$work/package" &&
	cp "$work/package/usr/lib/llvm-$version/lib/libomp.so.5" "$out/libomp.so.5"
