#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Build LLVM's OpenMP runtime and OMPD library for the tests, from the openmp folder of Debian's
# llvm-toolchain-19, with the system's compiler. Also fetch Debian's own builds of both.
#
#   build.sh [--dir DIR]        DIR: ${OMPDD_LLVM_DIR:-~/.cache/ompdd-llvm}
#
# Result, under DIR:
#   19/libomp.so 19/libompd.so        with symbols and debug information, omp.h and omp-tools.h in 19/include
#   19/stripped/libomp.so             the same without symbols
#   19/taskgraph/libomp.so            built with task graphs, which no package has
#   19/debug/.build-id/XX/*.debug     its symbols, as in a debug package
#   19/debian/libomp.so, libompd.so   Debian's libomp5-19 (stripped) and libomp-19-dev
#   19/gdb-plugin/ompd                LLVM's OMPD plugin for gdb, and in 19/ompd-tests the tests that use it
#   19/source                         Debian's source version
# apt fetches the sources with a configuration of its own under DIR/apt. Nothing changes in the
# machine's apt, dpkg or /usr, and no root is needed. Existing builds stay; remove DIR/19 to build
# again.
#
# Exit: 0 complete; 77 cannot be fetched (no network); 1 the build failed.

set -u -o pipefail

dir=${OMPDD_LLVM_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/ompdd-llvm}
if [ "${1-}" = --dir ]; then
	dir=${2:?--dir needs a directory}
	shift 2
fi
. "$(dirname "$0")/../matrix/apt.sh"
mkdir -p "$dir" && dir=$(cd "$dir" && pwd) || exit 1
mirror=${OMPDD_MATRIX_MIRROR:-http://deb.debian.org/debian}
jobs=${OMPDD_MATRIX_JOBS:-2}
release=19
out=$dir/$release
work=$dir/work
suite=bookworm

say() {
	echo "llvm: $*" >&2
}

fetch() {
	if ! apt_setup "$dir/apt/$suite" "deb-src $mirror $suite" "deb $mirror $suite"; then
		say "no package list for $suite from $mirror (see $dir/apt/$suite/update.log)"
		return 1
	fi
	mkdir -p "$work/dl"
	(cd "$work/dl" && apt-get -q source --download-only --only-source llvm-toolchain-$release &&
		apt-get -q download libomp5-$release libomp-$release-dev) >"$work/fetch.log" 2>&1 || {
		say "its packages cannot be fetched (see $work/fetch.log)"
		return 1
	}
}

# Only the files of libomp and libompd. Debian's patches do not change them.
unpack() {
	mkdir -p "$work/src"
	tar -xf "$work"/dl/llvm-toolchain-$release*.orig.tar.* -C "$work/src" --strip-components=1 --wildcards \
		--no-wildcards-match-slash '*/openmp' '*/cmake' && [ -e "$work/src/openmp/libompd" ]
}

# make_in OBJ TYPE TASKGRAPH TARGET...: build the targets in the folder OBJ, with or without task graphs.
# 19's task graphs do not compile with debugging output, which RelWithDebInfo has.
make_in() {
	local obj=$1 type=$2 taskgraph=$3

	shift 3
	rm -rf "$obj"
	mkdir -p "$obj"
	cmake -G Ninja -S "$work/src/openmp" -B "$obj" -DCMAKE_BUILD_TYPE="$type" \
		-DCMAKE_C_COMPILER=gcc -DCMAKE_CXX_COMPILER=g++ -DCMAKE_CXX_FLAGS=-w \
		-DCMAKE_SHARED_LINKER_FLAGS=-Wl,--build-id -DLIBOMP_OMPD_GDB_SUPPORT=OFF \
		-DOPENMP_ENABLE_LIBOMPTARGET=OFF -DOPENMP_ENABLE_OMPT_TOOLS=OFF \
		-DLIBOMP_INSTALL_ALIASES=OFF -DLIBOMP_OMPX_TASKGRAPH="$taskgraph" >"$work/build.log" 2>&1 &&
		nice ninja -C "$obj" -j"$jobs" "$@" >>"$work/build.log" 2>&1
}

compile() {
	local obj=$work/obj

	mkdir -p "$out/taskgraph"
	make_in "$obj" Release ON omp && cp "$obj/runtime/src/libomp.so" "$out/taskgraph/" &&
		make_in "$obj" RelWithDebInfo OFF omp ompd || return 1
	mkdir -p "$out/include" "$out/stripped"
	cp "$obj/runtime/src/libomp.so" "$obj/libompd/src/libompd.so" "$out/" &&
		cp "$obj"/runtime/src/omp{,x,-tools}.h "$out/include/" &&
		strip --strip-unneeded -o "$out/stripped/libomp.so" "$out/libomp.so" &&
		cp "$out/libompd.so" "$out/stripped/" && rm -rf "$obj"
}

# The extension module is for the Python of the system's gdb.
plugin() {
	local from=$work/src/openmp include

	include=$(gdb -nx -batch -ex 'python import sysconfig; print(sysconfig.get_path("include"))') || return 1
	if [ ! -e "$include/Python.h" ]; then
		say "no $include/Python.h: install python3-dev"
		return 1
	fi
	rm -rf "$out/gdb-plugin" "$out/ompd-tests" "$work/plugin"
	mkdir -p "$out/gdb-plugin" "$work/plugin"
	cp "$from/runtime/src/include/omp-tools.h.var" "$work/plugin/omp-tools.h" &&
		cp "$from/libompd/src/ompd-types.h" "$work/plugin/" &&
		cp -r "$from/libompd/gdb-plugin/ompd" "$out/gdb-plugin/" &&
		gcc -w -O1 -g -shared -fPIC -I "$work/plugin" -I "$include" "$from"/libompd/gdb-plugin/ompd{Module,APITests}.c \
			-o "$out/gdb-plugin/ompd/ompdModule.so" &&
		cp -r "$from/libompd/test" "$out/ompd-tests"
}

# The debug file by build-id, as in Debian's -dbgsym packages.
split() {
	local id

	id=$(readelf -n "$out/libomp.so" | sed -n 's/.*Build ID: //p')
	[ -n "$id" ] && mkdir -p "$out/debug/.build-id/${id:0:2}" &&
		objcopy --only-keep-debug "$out/libomp.so" "$out/debug/.build-id/${id:0:2}/${id:2}.debug"
}

debian() {
	local deb

	mkdir -p "$work/deb" "$out/debian"
	for deb in "$work"/dl/libomp*.deb; do
		dpkg-deb -x "$deb" "$work/deb" || return 1
	done
	cp "$work/deb/usr/lib/llvm-$release/lib/libompd.so" "$out/debian/" &&
		cp "$work/deb/usr/lib/llvm-$release/lib/libomp.so.5" "$out/debian/" &&
		ln -sf libomp.so.5 "$out/debian/libomp.so"
}

exec 9>"$dir/lock"
flock 9
if [ -e "$out/source" ] && [ -e "$out/ompd-tests" ] && [ -e "$out/taskgraph" ]; then
	say "there ($(cat "$out/source"))"
	exit 0
fi
rm -rf "$out" "$work"
mkdir -p "$work"
say "fetching"
fetch 9>&- || exit 77
say "building"
if ! { unpack && compile && split && debian && plugin; } 9>&-; then
	say "it did not build (see $work/build.log)"
	rm -rf "$out"
	exit 1
fi
sed -n 's/^Version: //p' "$work"/dl/llvm-toolchain-$release*.dsc | head -n 1 >"$out/source"
rm -rf "$work/dl" "$work/deb"
say "built $(cat "$out/source")"
