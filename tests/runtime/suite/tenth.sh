#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Run the tests of tenth.txt on the runtime in LIBDIR. A test that passes on the system's libgomp must
# pass there. fetch.sh fetches a missing source into DIR. DIR also keeps the built programs.
#
#   tenth.sh DIR LIBDIR OUT
#   tenth.sh build DIR CACHE [suite.py's options]    only builds, into CACHE
#   tenth.sh run CACHE LIBDIR OUT                    only runs, perhaps on another machine
#
# $PYTHON is the Python to use; default: the first on PATH.
# Exit: 77 skipped, with the reason printed.

set -u -e

here=$(cd "$(dirname "$0")" && pwd)
suite() {
	"${PYTHON:-python3}" -B "$here/suite.py" "$@" --list "$here/tenth.txt"
}

build() {
	local dir=$1 cache=$2
	shift 2
	"$here/fetch.sh" "$dir"
	suite build --src "$dir/src/libgomp/testsuite" --inc "$dir/src/include" --cache "$cache" --jobs 2 "$@"
}

run() {
	local cache=$1 libdir=$2 out=$3
	if [ ! -d "$cache/tests" ]; then
		echo "skipped: there is no $cache"
		exit 77
	fi
	mkdir -p "$out"
	echo "-- on the system's libgomp"
	suite run --timeout 600 --cache "$cache" --libdir system --out "$out/tenth-system.tsv"
	echo "-- on $libdir"
	suite run --timeout 600 --cache "$cache" --libdir "$libdir" --out "$out/tenth.tsv"
	suite check "$out/tenth.tsv" "$out/tenth-system.tsv" --at-least 120
}

case $1 in
build | run)
	"$@"
	;;
*)
	build "$1" "$1/built"
	run "$1/built" "$2" "$3"
	;;
esac
