#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# fetch.sh DIR [12|16]: libgomp's test suite from Debian's source of that gcc, in DIR/src (default: 12). Fetched once, by an apt
# configuration of its own (tests/matrix/apt.sh): about 100 MB; 10 MB stay. The suite is GPL:
# build and run it in that folder. A later run continues an interrupted one. A second run waits for
# the first.
#
# Exit: 0 complete; 77 cannot be fetched; 1 the content is unexpected.

set -u -o pipefail

dir=${1:?fetch.sh DIR}
gcc=gcc-${2:-12}
mirror=${OMPDD_MATRIX_MIRROR:-http://deb.debian.org/debian}
apt=$(cd "$(dirname "$0")/../../matrix" && pwd)/apt.sh
case $gcc in
gcc-12) suite=bookworm ;;
gcc-16) suite=sid ;;
*) echo "$gcc: only gcc-12 and gcc-16 are known" >&2 && exit 1 ;;
esac
[ -e "$dir/source" ] && exit 0

skip() {
	echo "SKIPPED: libgomp's test suite is not in $dir: $1. $2" >&2
	exit 77
}

mkdir -p "$dir/dl" && dir=$(cd "$dir" && pwd) || exit 1
again="With a network, run this again (OMPDD_MATRIX_MIRROR names another mirror), or copy that folder from a machine that has it."
for tool in apt-get gpgv xz; do
	command -v $tool >/dev/null || skip "no $tool" "Install what tests/packages.txt lists, on Debian."
done
exec 9>"$dir/lock"
flock -w 480 9 || skip "another run has been fetching it for 8 minutes" "Wait for that, or end it."
[ -e "$dir/source" ] && exit 0

. "$apt"
export -f apt_setup
export keyring
if ! timeout -k 5 120 bash -c 'apt_setup "$@"' - "$dir/apt" "deb-src $mirror $suite" 9>&-; then
	skip "no list of sources from $mirror (see $dir/apt/update.log)" "$again"
fi
export APT_CONFIG=$dir/apt/apt.conf
# A mirror's list of sid may be older than its pool. The pool then has only the upstream tarball,
# which contains the tests.
source() {
	(cd "$dir/dl" && timeout -k 5 300 apt-get -q source --download-only --only-source "$@" "$gcc") >>"$dir/fetch.log" 2>&1 9>&-
}
: >"$dir/fetch.log"
if ! source && ! source --tar-only; then
	rm -f "$dir/apt/updated" # the list may be too old
	skip "no source of $gcc from $mirror (see $dir/fetch.log)" "$again"
fi
rm -rf "$dir/src"
mkdir -p "$dir/src"
tar -xf "$dir/dl/$gcc"_*.orig.tar.* -O --wildcards '*/gcc-*.tar.*' |
	xz -dc |
	tar -xf - -C "$dir/src" --strip-components=1 --wildcards '*/libgomp/testsuite/*' '*/libgomp/*.h' '*/include/gomp-constants.h' 2>"$dir/unpack.log"
if [ $? -ne 0 ] || [ ! -d "$dir/src/libgomp/testsuite/libgomp.c" ] || [ ! -e "$dir/src/include/gomp-constants.h" ]; then
	echo "the source of $gcc is not as expected (see $dir/unpack.log)" >&2
	exit 1
fi
(cd "$dir/dl" && ls "$gcc"_*.orig.tar.*) >"$dir/source.new" && mv "$dir/source.new" "$dir/source"
rm -rf "$dir/dl" "$dir/apt"
