#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# dump.sh BUILD NAME LIBDIR PROGRAM [ARG...]: in the virtual machine, have the kernel write the core of a parked test program, and keep it
# in /out/NAME with what the program said of itself (lines.json) and what ompdd's worker there says of the core (answers.json). LIBDIR: the
# folder of another libgomp.so.1 than the system's, or an empty word.

build=$1 name=$2 libdir=$3
here=$(cd "$(dirname "$0")" && pwd)
shift 3
mkdir -p "/out/$name" && cd "/out/$name" || exit 1
(sleep 600 | env LD_LIBRARY_PATH="$libdir" OMP_STACKSIZE=128K "$build/tests/programs/$@" >lines.json) &
field() {
	sed -n "1s/.*\"$1\": *\([0-9]*\).*/\1/p" lines.json
}
# It says in its first line how many follow, and parks behind the last.
until [ -s lines.json ] && [ "$(wc -l <lines.json)" -gt "$(field lines)" ]; do
	sleep 0.1
done
pid=$(field pid)
until ! grep -q '^running' /proc/"$pid"/task/*/syscall; do
	sleep 0.1
done
kill -ABRT "$pid"
while [ -e "/proc/$pid" ]; do
	sleep 0.1
done
"$here/answers.sh" "$build/bin/ompdd-worker" "/out/$name/core" >answers.json
