#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Build real libgomp libraries of gcc 9 to 16 for the tests: Debian's gcc sources, libgomp alone,
# the system's compiler.
#
#   build.sh [--dir DIR] [VERSION...]        VERSION: 9 to 16, or as 12-O1, 12-O3, 12-Os (default: 9 to 16)
#
# Result, under DIR (default ${OMPDD_MATRIX_DIR:-~/.cache/ompdd-matrix}):
#   N/libgomp.so.1         stripped, as a distribution ships it; for LD_LIBRARY_PATH
#   N/debug/libgomp.so.1   the same with symbols and debug information
#   N/source               Debian's source version
# apt fetches the sources with a configuration of its own under DIR/apt. Nothing changes in the
# machine's apt, dpkg or /usr, and no root is needed. The sources (GPL) are not copied elsewhere.
# Existing builds stay; remove DIR/N to build again.
#
# Exit: 0 all requested versions exist; 77 some cannot be fetched (no network, gone from the archive);
# 1 a fetched one does not build.

set -u -o pipefail

dir=${OMPDD_MATRIX_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/ompdd-matrix}
if [ "${1-}" = --dir ]; then
	dir=${2:?--dir needs a directory}
	shift 2
fi
if [ $# -eq 0 ]; then
	set -- 12 11 13 14 15 16 10 9
fi
mkdir -p "$dir" && dir=$(cd "$dir" && pwd) || exit 1

. "$(dirname "$0")/apt.sh"
mirror=${OMPDD_MATRIX_MIRROR:-http://deb.debian.org/debian}
jobs=${OMPDD_MATRIX_JOBS:-2}

say() {
	echo "matrix: $*" >&2
}

# Print the suite that has the source of a version. gcc 15 and 16 are newer than any stable release.
suite_of() {
	case $1 in
	9 | 10) echo bullseye ;;
	11 | 12) echo bookworm ;;
	13 | 14) echo trixie ;;
	15 | 16) echo sid ;;
	*) return 1 ;;
	esac
}

# Download the source package of gcc $1 into $2, set $source_version.
fetch() {
	local n=$1 to=$2 suite

	suite=$(suite_of "$n")
	# One apt configuration per suite: if one suite vanishes, the others still work.
	if ! apt_setup "$dir/apt/$suite" "deb-src $mirror $suite"; then
		say "gcc $n: no package list for $suite from $mirror (see $dir/apt/$suite/update.log)"
		return 1
	fi
	mkdir -p "$to"
	if (cd "$to" && apt-get -q source --download-only --only-source "gcc-$n") \
		>"$to/fetch.log" 2>&1; then
		source_version=$(sed -n 's/^Version: //p' "$to"/gcc-*.dsc | head -n 1)
		return 0
	fi
	# In sid, Debian's part of a package is replaced often, and a mirror's list may be older
	# than its pool. The upstream tarball stays, and the list has its checksum.
	if (cd "$to" && apt-get -q source --download-only --only-source --tar-only "gcc-$n") \
		>>"$to/fetch.log" 2>&1; then
		source_version=$(cd "$to" && ls gcc-*.orig.tar.* | sed 's/.*_\(.*\)\.orig.*/\1/')
		source_version="$source_version without Debian's updates"
		return 0
	fi
	say "gcc $n: its source cannot be fetched (see $to/fetch.log)"
	return 1
}

# Unpack the files that libgomp needs from the tarball in the tarball $1 into $2, with Debian's
# updates from the release branch.
unpack() {
	local from=$1 to=$2 orig top

	mkdir -p "$to"
	orig=$(ls "$from"/gcc-*.orig.tar.*) || return 1
	tar -xf "$orig" -O --wildcards '*/gcc-*.tar.*' |
		xz -dc |
		tar -xf - -C "$to" --strip-components=1 --wildcards --no-wildcards-match-slash \
			'*/libgomp' '*/include' '*/config' '*/gcc/BASE-VER' '*/gcc/DATESTAMP' \
			'*/config.*' '*/config-ml.in' '*/ltmain.sh' '*/install-sh' '*/missing' \
			'*/depcomp' '*/compile' '*/move-if-change' '*/mkinstalldirs' '*/mkdep' \
			'*/lt~obsolete.m4' '*/libtool-ldflags' '*/multilib.am' 2>"$to/unpack.log"
	[ -x "$to/libgomp/configure" ] || return 1
	[ -e "$from"/gcc-*.debian.tar.xz ] || return 0
	tar -xf "$from"/gcc-*.debian.tar.xz -O --wildcards 'debian/patches/*-updates.diff' \
		>"$to/updates.diff" 2>>"$to/unpack.log" || return 0
	# Unpack only the files of libgomp and include that are compiled.
	awk '/^diff --git / || /^Index: / { keep = 0 }
	     /^--- a\// || /^--- [^ ]*gcc\// { keep = 0 }
	     /^diff --git a\/(src\/)?(libgomp|include)\// && !/testsuite|ChangeLog|\.texi/ { keep = 1 }
	     /^--- a\/(src\/)?(libgomp|include)\// && !/testsuite|ChangeLog|\.texi/ { keep = 1 }
	     keep' "$to/updates.diff" >"$to/libgomp.diff"
	rm "$to/updates.diff"
	if [ -s "$to/libgomp.diff" ]; then
		top=1
		grep -q '^--- a/src/' "$to/libgomp.diff" && top=2
		patch -s -f -d "$to" -p$top <"$to/libgomp.diff" >>"$to/unpack.log" 2>&1 || {
			say "Debian's updates do not apply (see $to/unpack.log)"
			return 1
		}
	fi
}

# Configure and build libgomp alone; the libraries go to $out.
compile() {
	local optimise=$1 src=$2 obj=$3 out=$4 flags

	case $optimise in
	'') flags=-O2 ;;
	O3) flags='-O3 -march=native' ;;
	O[1s]) flags=-$optimise ;;
	*) return 1 ;;
	esac
	rm -rf "$obj"
	mkdir -p "$obj" "$out/debug"
	# -Wno-error: an old libgomp triggers newer warnings.
	(cd "$obj" && env -u LD_LIBRARY_PATH GFORTRAN=no FC=no CFLAGS="$flags -g -Wno-error" \
		"$src/libgomp/configure" --disable-multilib --enable-shared --disable-static \
		--disable-maintainer-mode --prefix=/usr) >"$obj.log" 2>&1 || return 1
	# The kind of device that the stand-in plugin serves. No plugin is built.
	sed -i 's/^#define OFFLOAD_\(TARGETS\|PLUGINS\) .*/#define OFFLOAD_\1 "nvptx"/' "$obj/config.h" || return 1
	nice make -C "$obj" -j"$jobs" libgomp.la >>"$obj.log" 2>&1 || return 1
	cp "$obj/.libs/libgomp.so.1.0.0" "$out/debug/libgomp.so.1" || return 1
	strip --strip-unneeded -o "$out/libgomp.so.1" "$out/debug/libgomp.so.1" || return 1
	rm -rf "$obj"
}

# Keep the source of gcc $1 in $work/src for the variants.
provide() {
	local n=$1 work=$dir/work-$1 source_version

	[ -e "$work/source" ] && return 0
	rm -rf "$work"
	mkdir -p "$work"
	say "gcc $n: fetching"
	fetch "$n" "$work/dl" || return 77
	say "gcc $n: unpacking $source_version"
	if ! unpack "$work/dl" "$work/src"; then
		say "gcc $n: the source is not as expected (see $work/src/unpack.log)"
		return 1
	fi
	rm -rf "$work"/dl/*.tar.*
	echo "$source_version" >"$work/source"
}

build() {
	local name=$1 n=${1%%-*} out=$dir/$1 optimise=

	[ "$name" = "$n" ] || optimise=${name#*-}
	if ! suite_of "$n" >/dev/null; then
		say "gcc $n: not one of 9 to 16"
		return 1
	fi
	if [ -e "$out/libgomp.so.1" ] && [ -e "$out/source" ]; then
		say "gcc $name: there ($(cat "$out/source"))"
		return 0
	fi
	rm -rf "$out"
	provide "$n" || return
	say "gcc $name: building"
	if ! compile "$optimise" "$dir/work-$n/src" "$dir/work-$n/obj" "$out"; then
		say "gcc $name: did not build (see $dir/work-$n/obj.log)"
		rm -rf "$out"
		return 1
	fi
	cp "$dir/work-$n/source" "$out/source"
	say "gcc $name: built $(cat "$out/source")"
}

exec 9>"$dir/lock"
flock 9
ret=0
for n in "$@"; do
	build "$n" 9>&-
	case $? in
	0) ;;
	77) [ $ret -eq 0 ] && ret=77 ;;
	*) ret=1 ;;
	esac
done
exit $ret
