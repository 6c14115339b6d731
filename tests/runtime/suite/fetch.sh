#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# fetch.sh DIR: libgomp's test suite from Debian's source of gcc 12, in DIR/src. Fetched once, by an apt configuration of its own
# (tests/matrix/apt.sh). It is GPL, and stays there: tests are built and run in place.
#
# Exit: 0 it is there; 77 it cannot be fetched.

set -u -o pipefail

dir=${1:?fetch.sh DIR}
mirror=${OMPDD_MATRIX_MIRROR:-http://deb.debian.org/debian}
[ -e "$dir/source" ] && exit 0
mkdir -p "$dir/dl" && dir=$(cd "$dir" && pwd) || exit 1
. "$(dirname "$0")/../../matrix/apt.sh"

if ! apt_setup "$dir/apt" "deb-src $mirror bookworm" ||
	! (cd "$dir/dl" && apt-get -q source --download-only --only-source gcc-12) >"$dir/fetch.log" 2>&1; then
	echo "no source of gcc 12 from $mirror (see $dir/fetch.log)" >&2
	exit 77
fi
rm -rf "$dir/src"
mkdir -p "$dir/src"
tar -xf "$dir"/dl/gcc-12_*.orig.tar.* -O --wildcards '*/gcc-*.tar.*' |
	xz -dc |
	tar -xf - -C "$dir/src" --strip-components=1 --wildcards '*/libgomp/testsuite/*' '*/libgomp/*.h' '*/include/gomp-constants.h' 2>"$dir/unpack.log"
if [ ! -d "$dir/src/libgomp/testsuite/libgomp.c" ] || [ ! -e "$dir/src/include/gomp-constants.h" ]; then
	echo "the source of gcc 12 is not as expected (see $dir/unpack.log)" >&2
	exit 1
fi
sed -n 's/^Version: //p' "$dir"/dl/gcc-12_*.dsc | head -n 1 >"$dir/source"
rm -rf "$dir/dl"
