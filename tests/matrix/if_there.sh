#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# if_there.sh FILE COMMAND...: run the command, or exit 77 (skipped) without FILE. A missing build
# is skipped, so that no test passes on the system's libgomp by mistake.
file=$1
shift
if [ ! -e "$file" ]; then
	echo "no $file"
	exit 77
fi
exec "$@"
