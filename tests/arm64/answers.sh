#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# answers.sh WORKER CORE [SYSROOT]: print the worker's JSON-RPC answers about a core, one per line. It also runs in
# the virtual machine, where only busybox is quick.

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
