#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# answers.sh WORKER CORE [SYSROOT]: what ompdd's worker says of a core, a JSON-RPC answer in a line. Also run in the virtual machine,
# where nothing but busybox is sure to be quick.

ask() {
	id=$((id + 1))
	echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"method\":\"$1\",\"params\":{$2}}"
}

id=0
{
	ask target.open_core "\"core\":\"$2\"${3:+,\"sysroot\":\"$3\"}"
	for method in snapshot.get stack.groups diagnose.get icv.list; do
		ask $method '"target":"t1"'
	done
} | "$1"
