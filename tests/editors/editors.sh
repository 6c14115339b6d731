#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Run the tests of ompdd-dap in another Debian release, with its gdb, lldb-dap, compiler and libraries.
#
#   editors.sh [--dir DIR] SUITE             SUITE: trixie (gdb 16, lldb-dap 19), testing, sid
#
# The small system DIR/chroot-SUITE of matrix/chroot.sh is not changed. Its packages and the build are in
# DIR/editors-SUITE, which is kept: the next run only builds what has changed. Processes end with the script.
# Needs root. Exit: that of the first command that fails; 77 without root or without the system.

set -u -o pipefail

dir=${OMPDD_MATRIX_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/ompdd-matrix}
if [ "${1-}" = --dir ]; then
	dir=${2:?--dir needs a directory}
	shift 2
fi
suite=${1:?which release?}
base=$dir/chroot-$suite
kept=$dir/editors-$suite
source=$(cd "$(dirname "$0")/../.." && pwd)

if [ "$(id -u)" -ne 0 ] || [ ! -e "$base/.ready" ]; then
	echo "needs root, and $base (matrix/chroot.sh creates it)"
	exit 77
fi
mkdir -p "$kept" || exit 1
exec 9>"$kept/lock"
flock 9
# A new system invalidates what was installed above the old one.
if [ "$base/.ready" -nt "$kept/.started" ]; then
	rm -rf --one-file-system "$kept/upper" "$kept/work"
	touch "$kept/.started"
fi
mkdir -p "$kept/upper" "$kept/work" "$kept/root"

packages="$(tr "\n" " " <"$source/packaging/packages.txt")clang gdb libomp-dev lldb procps python3-jsonschema python3-pytest"

exec unshare --mount --pid --fork --kill-child=KILL bash -euc '
	base=$0 kept=$1 source=$2
	root=$kept/root
	mount --make-rprivate /
	mount -t overlay none -o "lowerdir=$base,upperdir=$kept/upper,workdir=$kept/work" "$root"
	mkdir -p "$root/source" "$root/build"
	mount --rbind "$source" "$root/source"
	mount -t proc proc "$root/proc"
	mount -t sysfs sysfs "$root/sys"
	mount --rbind /dev "$root/dev"
	cp -L /etc/resolv.conf "$root/etc/resolv.conf"
	# The dates of a frozen mirror expire.
	echo "Acquire::Check-Valid-Until \"false\";" >"$root/etc/apt/apt.conf.d/90ompdd-editors"
	exec chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
		OMPDD_BUILD_DIR=/build PYTHONPATH=/source/clients/python bash -euc "$3"
' "$base" "$kept" "$source" "
dpkg-query --show $packages >/dev/null 2>&1 || {
	apt-get update
	apt-get install -y --no-install-recommends $packages
} >/tmp/installed 2>&1 || { tail -20 /tmp/installed; exit 1; }
cmake -S /source -B /build -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_COMPILER=gcc >/build/configured 2>&1 || { tail -20 /build/configured; exit 1; }
ninja -C /build ompdd ompdd-worker ompdd-tracer ompdd-dap ompdctl ompdctl-http ompdctl-tls ompd programs >/build/built 2>&1 || { tail -20 /build/built; exit 1; }
cd /source/tests/system
# Without these, tests would be skipped.
python3 -B -c 'import dap, test_dap_gdb; print(\"gdb\", test_dap_gdb.gdb_version(), dap.NATIVE); assert dap.NATIVE and test_dap_gdb.gdb_version() >= 14'
exec python3 -B /source/tests/support/run_pytest.py test_dap*.py ${*:2}
"
