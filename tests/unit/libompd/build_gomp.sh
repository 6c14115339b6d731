#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# build_gomp.sh VERSION DIR [BIN]: build libgomp of GCC VERSION (9 to 16) in DIR from Debian's source
# package, with the system's gcc; with BIN, the folder of the unit tests, run libompd's tests on it.
# Nothing of the download is kept in the tree. Needs a network, 2 GB in DIR and about two minutes.
set -eu

version=$1
mkdir -p "$2"
dir=$(cd "$2" && pwd)
bin=${3:-}

case $version in
9 | 10) suite=bullseye ;;
11 | 12) suite=bookworm ;;
13 | 14) suite=trixie ;;
15 | 16) suite=sid ;;
*) echo "no such version: $version" >&2; exit 2 ;;
esac

lib=$dir/build-$version/.libs
if ! [ -e "$lib/libgomp.so.1" ]; then
	# An apt of its own: the system's sources and lists stay as they are.
	apt=$dir/apt-$suite
	mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$dir/download-$version"
	printf 'deb-src [signed-by=%s] http://deb.debian.org/debian %s main\n' \
		/usr/share/keyrings/debian-archive-keyring.gpg "$suite" >"$apt/sources.list"
	printf 'Dir::Etc::sourcelist "%s";\nDir::Etc::sourceparts "-";\nDir::State::lists "%s";\nDir::Cache "%s";\n' \
		"$apt/sources.list" "$apt/lists" "$apt/cache" >"$apt/apt.conf"
	export APT_CONFIG="$apt/apt.conf"
	apt-get update -q
	(cd "$dir/download-$version" && apt-get source -q --download-only --tar-only "gcc-$version")

	# The package's tarball contains GCC's own.
	source=$dir/source-$version
	rm -rf "$source" "$dir/unpack"
	mkdir -p "$source" "$dir/unpack"
	tar -C "$dir/unpack" -xf "$(find "$dir/download-$version" -name '*.orig.tar.*' | head -n 1)"
	tar -C "$source" --strip-components=1 --wildcards --exclude='*/gcc/config/*' \
		-xf "$(find "$dir/unpack" -name 'gcc-*.tar.*' | head -n 1)" \
		'*/libgomp/*' '*/include/*' '*/config/*' '*/config-ml.in' '*/config.*' '*/ltmain.sh' \
		'*/lt*.m4' '*/libtool.m4' '*/multilib.am' '*/install-sh' '*/missing' '*/depcomp' \
		'*/move-if-change' '*/mkinstalldirs' '*/gcc/BASE-VER' '*/gcc/DATESTAMP'
	rm -rf "$dir/unpack" "$dir/download-$version"

	mkdir -p "$dir/build-$version"
	cd "$dir/build-$version"
	"$source/libgomp/configure" --disable-multilib FC=no CFLAGS='-g -O2' >configure.log 2>&1
	# libgomp builds itself with -Werror, which is for the compiler it came with.
	nice make MAKEINFO=true libgomp.la \
		XCFLAGS='-Wno-error -pthread -ftls-model=initial-exec -DUSING_INITIAL_EXEC_TLS' \
		>make.log 2>&1
fi
echo "$lib/libgomp.so.1"

[ -n "$bin" ] || exit 0
for test in "$bin"/unit_libompd_*; do
	LD_LIBRARY_PATH=$lib "$test"
done
