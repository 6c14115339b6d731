#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# dump.sh BUILD NAME LIBDIR PROGRAM [ARG...]: run in the virtual machine. The kernel writes the core of
# a parked test program. /out/NAME gets the core, the program's own output (lines.json) and the
# answers of ompdd's worker there (answers.json). LIBDIR: the folder of another libgomp.so.1 than the
# system's, or empty.

build=$1 name=$2 libdir=$3
here=$(cd "$(dirname "$0")" && pwd)
shift 3
mkdir -p "/out/$name" && cd "/out/$name" || exit 1
(sleep 600 | env LD_LIBRARY_PATH="$libdir" OMP_STACKSIZE=128K "$build/tests/programs/$@" >lines.json) &
field() {
	sed -n "1s/.*\"$1\": *\([0-9]*\).*/\1/p" lines.json
}
# The program's first line has the number of the lines that follow. It parks after the last.
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
