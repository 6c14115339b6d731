#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# if_there.sh FILE COMMAND...: run the command, or exit 77 (skipped) without FILE. What could not be made is skipped:
# nothing may pass by running on the system's libgomp instead.
file=$1
shift
if [ ! -e "$file" ]; then
	echo "no $file"
	exit 77
fi
exec "$@"
