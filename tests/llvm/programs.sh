#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compile the test programs with clang for LLVM's runtime:  programs.sh LLVM_DIR OUT
# LLVM_DIR is the result of build.sh (DIR/19). Exit: 77 without clang.

set -u -e
llvm=$1 out=$2
here=$(cd "$(dirname "$0")" && pwd)
programs=$here/../programs
clang=$(command -v clang || true)
if [ -z "$clang" ]; then
	echo "llvm: no clang" >&2
	exit 77
fi
mkdir -p "$out"
build() {
	"$clang" -fopenmp -O1 -g -fno-omit-frame-pointer -Wall -Wextra -I"$llvm/include" -I"$programs" "$@" -L"$llvm"
}
for name in flat nested serialized deep tasks icvs procbind idle pthreads rounds regions stacks; do
	build -o "$out/$name" "$programs/$name.c" "$programs/park.c" "$programs/oracle.c"
done
for name in ompt late; do
	build -o "$out/$name" "$here/$name.c" "$programs/park.c" "$programs/oracle.c"
done
build -L"$llvm/taskgraph" -o "$out/taskgraph" "$here/taskgraph.c" "$programs/park.c" "$programs/oracle.c"
build -shared -fPIC -o "$out/dlopen_part.so" "$programs/dlopen_part.c" "$programs/park.c" "$programs/oracle.c"
"$clang" -O1 -g -I"$programs" -o "$out/dlopen" "$programs/dlopen.c" "$programs/park.c" -ldl -pthread
