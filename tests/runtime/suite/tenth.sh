#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# tenth.sh DIR LIBDIR OUT: the tests of tenth.txt on the runtime in LIBDIR; what passes on the system's libgomp must pass there. Their
# source is fetched into DIR if it is not there (fetch.sh), what was built is kept there.
#
# PYTHON in the environment says which Python, else it is the first on PATH. Exit: 77 skipped, for the reason that is printed.

set -u -e

dir=$1 libdir=$2 out=$3
here=$(cd "$(dirname "$0")" && pwd)
suite() {
	"${PYTHON:-python3}" -B "$here/suite.py" "$@" --list "$here/tenth.txt"
}

mkdir -p "$out"
"$here/fetch.sh" "$dir"
suite build --src "$dir/src/libgomp/testsuite" --inc "$dir/src/include" --cache "$dir/built" --jobs 2
echo "-- on the system's libgomp"
suite run --timeout 600 --cache "$dir/built" --libdir system --out "$out/tenth-system.tsv"
echo "-- on $libdir"
suite run --timeout 600 --cache "$dir/built" --libdir "$libdir" --out "$out/tenth.tsv"
suite check "$out/tenth.tsv" "$out/tenth-system.tsv" --at-least 120
