#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Show ompdd on an ordinary gcc -fopenmp program on the system's own libgomp: the `demo` target.
set -eu
bin=$1
fifo=$(mktemp -u)
mkfifo "$fifo"
"$bin/demo" >"$fifo" &
pid=$!
trap 'kill "$pid" 2>/dev/null; rm -f "$fifo"' EXIT
read -r _ <"$fifo" # the program says when its tasks run

for view in tree threads tasks icvs; do
	echo
	echo "\$ ompdctl -p $pid $view"
	"$bin/ompdctl" -p "$pid" "$view"
done
